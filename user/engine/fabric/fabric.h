/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internals of a fabric: limits and tables. */
#ifndef LIQUID_FABRIC_H
#define LIQUID_FABRIC_H

#include "base/kept-digest.h"
#include "base/siphash.h"
#include "liquidsched.h"

/* Larger than any existing fabric, small enough that no product below overflows. */
#define FABRIC_HOSTS_MAX 65536u
#define FABRIC_SWITCHES_MAX 65536u
#define FABRIC_LINKS_MAX (1u << 22)
#define FABRIC_FORWARDS_MAX (1u << 29)	/* bytes of tables */
#define FABRIC_TABLES_MAX (1u << 29)	/* hosts x switches, with a table or not */
#define FABRIC_PORT_MAX 65535u
#define FABRIC_CAPACITY_MAX 65535u
#define FABRIC_UNIT_BPS_MAX UINT64_C(1000000000000000)
#define FABRIC_RAILS_MAX 65535u
#define FABRIC_NOTE_BYTES 1000		/* longest note */
#define FABRIC_NOTES_MAX 64

enum fabric_phase { FABRIC_NODES, FABRIC_LINKS, FABRIC_FINISHED };

#define FABRIC_ADAPTER_MAX 127		/* bytes of the name of an adapter */
#define FABRIC_LID_MAX 0xbfff		/* the last unicast LID */

/* What an import knows of a host; see struct liquid_endpoint */
struct fabric_endpoint {
	char adapter[FABRIC_ADAPTER_MAX + 1];
	uint32_t port, rail, lid, lids;
	uint64_t bps;
};

struct fabric_host {
	char *name;
	uint32_t out, in;		/* links, or LIQUID_NONE; an alias has none of its own */
	uint32_t owner;			/* host of the alias; itself if it is none */
	uint32_t lane;			/* of packets to the host, below LIQUID_LANES_MAX */
	struct fabric_endpoint *endpoint;	/* NULL: not told */
};

struct fabric_switch {
	char *name;
	uint32_t *out, outs;		/* its links, in the order in which they were added */
	/*
	 * By destination host: the index in out[], or all bits: none. In as few bytes as hold that,
	 * see fabric_switch.width; NULL: forwards nothing
	 */
	void *forward;
	uint32_t width;			/* 1, 2 or 4 bytes */
};

/*
 * Open addressing; a slot holds an index + 1, 0 is empty. At most half full. The key is secret:
 * else a file could be made whose names or ports all collide. Nothing depends on the order of
 * slots.
 */
struct fabric_hash {
	struct siphash_key key;
	uint32_t *slot;
	uint32_t size, used;
};

/* The options of an import, so that it can be repeated. */
struct fabric_import {
	char *rail;			/* name or number; NULL: all */
	bool allow_unreachable;
	uint64_t unknown_bps;		/* rate of links whose rate is not known; 0: not given */
	struct liquid_names left_out;	/* sorted, without duplicates */
	struct liquid_names node_names;	/* "GUID NODE ADAPTER" of nodes that the user named */
	char *domain;			/* taken off the names of nodes; NULL: nothing */
};

/* Kept when they are first asked for of a finished fabric */
struct fabric_digests {
	struct kept_digest whole, names;
};

struct liquid_fabric {
	char *name;
	/*
	 * Format version whose rules the fabric follows: in version 1 the links of a host
	 * have capacity 1 whatever is written, in version 2 as written.
	 */
	uint32_t version;
	uint64_t unit_bps;		/* rate of a link of capacity 1; 0: not known */
	struct fabric_import import;
	struct liquid_names notes;	/* of the import, for the user */
	enum fabric_phase phase;
	struct fabric_host *host;
	struct fabric_switch *sw;
	struct liquid_link *link;
	uint32_t *place;		/* by link: its index in out[] of the switch it leaves */
	uint32_t hosts, switches, links;	/* hosts with their aliases, which are the last */
	uint32_t aliases;
	bool several_rails;		/* an import told of endpoints that are not on rail 1 */
	uint64_t forwards;		/* bytes of tables allocated, used or not */
	struct fabric_hash names;	/* hosts, and switches with FABRIC_SWITCH_BIT */
	struct fabric_hash ports;	/* link * 2, + 1 for its far end */
	struct fabric_digests *digest;
	uint32_t threads;		/* that work on it side by side, at least 1 */
};

/* liquid_fabric_digest() by these threads: 1 ... PARALLEL_THREADS_MAX */
int fabric_digest_by(const struct liquid_fabric *fabric, uint32_t threads,
		     char hex[LIQUID_DIGEST_HEX], struct liquid_error *err);
/* SHA-256 of the names of hosts in the order of their numbers */
void fabric_names_digest(const struct liquid_fabric *fabric, char hex[LIQUID_DIGEST_HEX]);
int fabric_check_name(const char *what, const char *name, struct liquid_error *err);
uint32_t fabric_find_node(const struct liquid_fabric *fabric, const char *name);
/* Do the links of hosts have capacities that version 1 cannot express? */
bool fabric_has_host_capacities(const struct liquid_fabric *fabric);
/* Version of the file that liquid_fabric_write() writes: 1 if that is enough, else 2. */
int fabric_file_version(const struct liquid_fabric *fabric);
int fabric_set_lane(struct liquid_fabric *fabric, uint32_t host, uint32_t lane,
		    struct liquid_error *err);
/* Is there a lane other than 0? */
bool fabric_has_lanes(const struct liquid_fabric *fabric);
/* Add a host or an alias, to which @what refers in messages. */
int fabric_add_destination(struct liquid_fabric *fabric, const char *what, const char *name,
			   struct liquid_error *err);
/* Refuse tables with a loop, or a route that is too long. */
int fabric_check_routes(const struct liquid_fabric *fabric, struct liquid_error *err);
/*
 * Add another address of @host; aliases come after the last host. See liquid_fabric_host_count().
 */
int fabric_add_alias(struct liquid_fabric *fabric, const char *name, uint32_t host,
		     struct liquid_error *err);
int fabric_check_aliases(const struct liquid_fabric *fabric, struct liquid_error *err);
/* Name the alias of @host with this @number: HOST.1. False: too long, or another node has it. */
bool fabric_alias_name(const struct liquid_fabric *fabric, uint32_t host, uint32_t number,
		       char name[LIQUID_NAME_MAX + 1]);
/*
 * Copy the hosts of @from, without aliases; then the caller adds aliases, and the rest is copied:
 * switches and links, whose numbers stay. The copy follows version 2, and has no routes.
 */
int fabric_begin_copy(const struct liquid_fabric *from, struct liquid_fabric **to,
		      struct liquid_error *err);
int fabric_end_copy(const struct liquid_fabric *from, struct liquid_fabric *to,
		    struct liquid_error *err);
/* Give @to_host of a copy the routes of @from_host. */
int fabric_copy_routes(const struct liquid_fabric *from, uint32_t from_host,
		       struct liquid_fabric *to, uint32_t to_host, struct liquid_error *err);
int fabric_set_endpoint(struct liquid_fabric *fabric, uint32_t host,
			const struct fabric_endpoint *told, struct liquid_error *err);
int fabric_copy_endpoint(const struct liquid_fabric *from, uint32_t from_host,
			 struct liquid_fabric *to, uint32_t to_host, struct liquid_error *err);
bool fabric_has_endpoints(const struct liquid_fabric *fabric);
/* names.c: add an import's list of names. */
int fabric_keep_names(struct liquid_fabric *fabric, const struct liquid_names *names,
		      const char *domain, struct liquid_error *err);
int fabric_add_note(struct liquid_fabric *fabric, const char *text, struct liquid_error *err);
/* Append to the names that were left out; then call fabric_sort_left_out(). */
int fabric_leave_out(struct liquid_fabric *fabric, const char *name, struct liquid_error *err);
void fabric_sort_left_out(struct liquid_fabric *fabric);
/* Order with numbers in names compared as numbers; 0 only if all bytes are equal. */
int fabric_compare_names(const char *a, const char *b);
/*
 * The tables of two switches beside each other: for how many of @count destinations, from the first
 * on, does @other lead to @other_dst[] by @image[] of the link by which @sw leads to @dst[]?
 * @image is by link, LIQUID_NONE: none. Where neither has an entry they agree too.
 */
uint32_t fabric_forwards_kept(const struct liquid_fabric *fabric, uint32_t sw, const uint32_t *dst,
			      uint32_t other, const uint32_t *other_dst, uint32_t count,
			      const uint32_t *image);
/* Return the link that leaves @node at @port (not 0), or LIQUID_NONE. */
uint32_t fabric_find_link(const struct liquid_fabric *fabric, uint32_t node, uint32_t port);
/* Make the table of the switch that @link leaves wide enough for it. */
int fabric_fit_table(struct liquid_fabric *fabric, uint32_t link, struct liquid_error *err);
/* As liquid_fabric_set_forward() for each of the hosts, which there are. */
int fabric_set_forwards(struct liquid_fabric *fabric, uint32_t sw, const uint32_t *host,
			uint32_t count, uint32_t link, struct liquid_error *err);
/* Where links end, as places in an array: at the host in question, nowhere, at a switch */
enum { NEAR_HOST, NEAR_NOTHING, NEAR_SWITCHES };
/*
 * Where the entry of each switch for @host leads. @to: for the links of one switch after the other
 * where they end, and before those of each NEAR_NOTHING
 */
void fabric_find_next(const struct liquid_fabric *fabric, uint32_t host, const uint32_t *to,
		      uint32_t *next);
/*
 * Set wrong[i] unless the entry of @sw for host[i] leads to where @near is one less than at @sw.
 * @to: that of this switch
 */
void fabric_compare_near(const struct liquid_fabric *fabric, uint32_t sw, const uint32_t *host,
			 uint32_t count, const uint32_t *to, const uint8_t *near, uint8_t *wrong);
/*
 * The first host from @host on to which a switch with a table of bytes forwards by its link @l, or
 * LIQUID_NONE. A wider table belongs to many links, so sort it instead of searching it for each.
 */
uint32_t fabric_next_forward(const struct liquid_fabric *fabric, uint32_t l, uint32_t host);
/*
 * Destinations of each link of switch @sw: those of its n-th link are *@host from first[n] to
 * first[n + 1], in the order of @order. @first has outs + 1 entries, @host
 * as many as there are hosts.
 */
void fabric_sort_forwards(const struct liquid_fabric *fabric, uint32_t sw, const uint32_t *order,
			  uint32_t *first, uint32_t *host);
/* A list of hosts, of which NULL is that of all from 0 on */
static inline uint32_t host_at(const uint32_t *hosts, size_t index)
{
	return hosts ? hosts[index] : (uint32_t)index;
}

/* Add a link each way. */
int fabric_add_cable(struct liquid_fabric *fabric, uint32_t a, uint32_t a_port, uint32_t b,
		     uint32_t b_port, uint32_t capacity, struct liquid_error *err);

#endif
