/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was read of an InfiniBand fabric, before it becomes a struct liquid_fabric. */
#ifndef LIQUID_IMPORT_H
#define LIQUID_IMPORT_H

#include "fabric/fabric.h"

#define TOPO_NODES_MAX (2 * FABRIC_HOSTS_MAX)
#define TOPO_PORTS_MAX (FABRIC_LINKS_MAX / 2)
#define TOPO_PORT_MAX 254		/* of a port's number */
#define TOPO_LIDS 65536
#define TOPO_WORD 128			/* bytes of a word of a node description that are kept */

enum topo_kind { TOPO_SWITCH = 'S', TOPO_ADAPTER = 'H', TOPO_ROUTER = 'R' };

struct topo_node {
	enum topo_kind kind;
	bool left_out;
	bool tie;			/* another adapter of its node has the same word */
	uint64_t guid;
	char node[TOPO_WORD];		/* first word of the description, fit to be a name */
	char adapter[TOPO_WORD];	/* second word, or the GUID where that is not unique */
	uint32_t lid;			/* of a switch */
	uint32_t first_port, ports;
	unsigned long line;
	uint32_t sw;			/* of the fabric, or LIQUID_NONE */
};

struct topo_port {
	uint32_t node, number;
	uint64_t guid;			/* of the port, of an adapter */
	enum topo_kind peer_kind;
	uint64_t peer_guid;
	uint32_t peer_number;
	uint32_t peer;			/* port, found by topo_join() */
	uint32_t lid, lmc;		/* of an adapter's port */
	uint32_t rate;			/* Mbit/s of data */
	unsigned long line;
	uint32_t host;			/* of the fabric, or LIQUID_NONE */
};

struct topo {
	struct topo_node *node;
	struct topo_port *port;
	uint32_t nodes, ports;
	uint32_t *by_guid;		/* nodes, sorted */
};

/* Read ibnetdiscover's output and join the two ends of each cable. */
int topo_read(struct topo *topo, FILE *in, const char *label, struct liquid_error *err);
void topo_free(struct topo *topo);

/* What a forwarding table's row is for. */
enum lid_use {
	LID_UNKNOWN,
	LID_HOST,			/* @owner is a port of the topology */
	LID_OTHER,			/* a switch, a node that was left out, an LMC alias */
};

struct lid_entry {
	enum lid_use use;
	bool seen;			/* a table has a row for it */
	uint32_t owner;			/* port, or LIQUID_NONE */
};

/* What a node of the fabric lacks to have routes. */
enum import_lack {
	LACK_NOTHING,
	LACK_LID,			/* a host */
	LACK_ROW,			/* a host that no table knows */
	LACK_TABLE,			/* a switch */
};

struct import {
	const struct liquid_import *given;
	struct topo topo;
	struct lid_entry *lid;		/* TOPO_LIDS */
	struct liquid_fabric *fabric;	/* all that is there; at last, what is to stay */
	uint8_t *lack;			/* by node, enum import_lack */
	uint32_t *rate;			/* by link, Mbit/s */
	bool lost_highest;		/* no table has the highest LID, a multiple of 64 */
	struct liquid_names notes;
	struct liquid_error *err;
};

void import_note(struct import *import, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int import_no_memory(const struct import *import);
uint32_t import_rail(const struct import *import);
/* Name and number hosts and switches, add them and the links to the fabric, of capacity 1 each. */
int import_names(struct import *import);
int import_links(struct import *import);
/* Read the forwarding tables into the fabric. */
int import_lft(struct import *import);
/* select.c: choose hosts, links and the unit; or an error that names everything wrong. */
int import_select(struct import *import);

/* faults.c: describe what is wrong */

#define FAULT_NAMES 100			/* bytes of the names in a fault */
/* As a hostlist; cut with the number of the rest. */
void import_list_names(char *const *name, size_t count, char text[FAULT_NAMES + 32]);
/* The nodes of which @is is @value, likewise. Returns how many. */
uint32_t import_list(const struct import *import, const uint8_t *is, uint8_t value,
		     char text[FAULT_NAMES + 32]);

/* Where routes go, and where there is none. */
struct import_walk {
	bool *used;			/* by link */
	uint32_t *from, *to;		/* by host: hosts that it reaches, that reach it */
	uint8_t *blamed;		/* by node: 1: a route enters it, and it has no table */
	uint64_t pairs, lost;		/* of hosts that stay, and of these: without a route */
	uint64_t unnamed;		/* of those without a route: because of such a switch */
	char names[200];		/* the first of the others */
};

/* walk.c: follow the routes of all pairs of hosts that are not @out. */
int import_walk(struct import *import, const uint8_t *out, struct import_walk *walk);
void import_walk_free(struct import_walk *walk);

/* rates.c: the unit, and capacities in units */
struct import_rates {
	uint64_t unit_bps;
	bool slowest;			/* as version 1: the slowest host's rate, not stored */
	uint32_t common;		/* Mbit/s of most hosts */
	uint8_t *slow;			/* by node: 1: a host too slow for the unit */
	uint64_t slow_trunks;		/* links between switches that routes use */
	uint64_t trunks_named;
	char trunks[200];		/* the first of them */
	uint32_t slowest_trunk, slowest_host;	/* Mbit/s */
};
int import_rates(struct import *import, const uint8_t *out, const bool *used,
		 struct import_rates *rates);
uint32_t import_capacity(const struct import *import, const struct import_rates *rates,
			 uint32_t link);
/* As an option takes it: "54544M" */
#define RATE_TEXT 32
const char *import_rate_text(uint64_t bps, char text[RATE_TEXT]);

/* One error that tells all, or LIQUID_OK. */
int import_faults(const struct import *import, const struct import_walk *walk,
		  const struct import_rates *rates, bool allow_unreachable);

#endif
