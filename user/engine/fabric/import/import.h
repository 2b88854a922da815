/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Import of a fabric: the importers, the topology and LIDs of InfiniBand, and faults. */
#ifndef LIQUID_IMPORT_H
#define LIQUID_IMPORT_H

#include "fabric/fabric.h"
#include "fabric/lines.h"

#define TOPO_NODES_MAX (2 * FABRIC_HOSTS_MAX)
#define TOPO_PORTS_MAX (FABRIC_LINKS_MAX / 2)
#define TOPO_PORT_MAX 254		/* largest port number */
#define TOPO_LIDS 0xc000		/* unicast LIDs are below; those above are of groups */
#define TOPO_LID_MAX 65535		/* 65535: what a port shows that has not been given a LID */
#define TOPO_WORD 128			/* bytes kept of a word of a node description */

/* Lines that programs of infiniband-diags print to stderr, and that are in their output's file */
struct import_diagnostics {
	uint32_t count;
	unsigned long first;		/* line */
};

/* Count the line if it is one. */
bool import_is_diagnostic(const struct line_reader *lines, struct import_diagnostics *seen);

enum topo_kind { TOPO_SWITCH = 'S', TOPO_ADAPTER = 'H', TOPO_ROUTER = 'R' };

struct topo_node {
	enum topo_kind kind;
	bool left_out;
	bool tie;			/* another adapter of the node has the same second word */
	bool unnamed;			/* the description has no second word */
	bool nameless;			/* it is that of the maker, or of a node without a name */
	uint64_t guid;
	char node[TOPO_WORD];		/* first word of the description, as a valid name */
	char adapter[TOPO_WORD];	/* second word, or the GUID if that is not unique */
	uint32_t lid;			/* LID of a switch; 0: none */
	uint32_t first_port, ports;
	unsigned long line;		/* line number in the file */
	uint32_t sw;			/* switch of the fabric, or LIQUID_NONE */
	uint32_t read_sw;		/* the same when the tables were read */
};

struct topo_port {
	uint32_t node, number;
	uint64_t guid;			/* GUID of an adapter's port */
	enum topo_kind peer_kind;
	uint64_t peer_guid;
	uint32_t peer_number;
	uint32_t peer;			/* port at the other end of the cable */
	uint32_t lid, lmc;		/* LID and LMC of an adapter's port; LID 0: none */
	uint32_t rate;			/* data rate, Mbit/s; 0: not known */
	unsigned long line;		/* line number in the file */
	uint32_t host;			/* host of the fabric, or LIQUID_NONE */
	uint32_t rail;			/* from 1; 0: on none */
};

struct topo {
	struct topo_node *node;
	struct topo_port *port;
	uint32_t nodes, ports;
	uint32_t *by_guid;		/* nodes sorted by GUID */
	struct import_diagnostics diagnostics;
	bool bare;			/* set by the caller: cables need no properties (ibsim) */
};

/* Read ibnetdiscover's output and join the two ends of each cable. */
int topo_read(struct topo *topo, FILE *in, const char *label, struct liquid_error *err);
void topo_free(struct topo *topo);
/* The switch or adapter with this GUID, or NULL */
struct topo_node *topo_find(const struct topo *topo, uint64_t guid);
/* Give the node the names of a description. */
void topo_describe(struct topo_node *node, const char *start, const char *end);

/* What has a LID. */
enum lid_use {
	LID_UNKNOWN,
	LID_HOST,			/* @owner is a port of the topology */
	LID_ALIAS,			/* the same, of an LMC: not the base LID */
	LID_OTHER,			/* a switch, a node that was left out */
};

struct lid_entry {
	enum lid_use use;
	bool seen;			/* a table has a row for this LID */
	bool shared;			/* what is left out has it, too */
	uint32_t owner;			/* port, or LIQUID_NONE */
	uint32_t alias;			/* number among all of LID_ALIAS */
};

#define IMPORT_NO_PORT 0		/* in the table of an alias */

/* Why a node of the fabric has no routes. */
enum import_lack {
	LACK_NOTHING,
	LACK_LID,			/* a host without a LID */
	LACK_OWN_LID,			/* a host whose LID something else has, too */
	LACK_ROW,			/* a host whose LID has no row in any table */
	LACK_TABLE,			/* a switch without a table */
};

struct import {
	const struct liquid_import *given;
	const struct liquid_fabric *like;	/* whose names of nodes are kept, or NULL */
	struct liquid_names names;	/* "GUID NODE ADAPTER" of nodes that the user named */
	const char *domain;		/* taken off the names of nodes, or NULL */
	struct topo topo;
	struct lid_entry *lid;		/* TOPO_LIDS entries */
	uint32_t aliases;		/* entries of LID_ALIAS */
	uint32_t read_switches;		/* of the fabric when the tables were read */
	uint8_t *alias_port;		/* by alias and such a switch: its port */
	struct liquid_fabric *fabric;	/* everything; import_select() drops what is left out */
	uint8_t *lack;			/* by node, enum import_lack */
	uint8_t *out;			/* by node: 0: stays, or why it is left out */
	bool *cut;			/* by link: the user leaves its cable out */
	uint32_t shared_lid;		/* one that two ports have which are not left out */
	unsigned long shared_line;	/* line of one of them */
	uint32_t *rate;			/* data rate by link, Mbit/s; 0: not known */
	bool no_tables;			/* there are none: `route` makes them */
	bool all_alike;			/* no rate is known, all links have capacity 1 */
	char rail[TOPO_WORD + 16];	/* the rail asked for, by its name; "": all */
	bool lost_highest;		/* the highest LID is a multiple of 64 and has no row */
	struct liquid_names notes;
	struct liquid_error *err;
};

void import_note(struct import *import, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void import_note_diagnostics(struct import *import, const char *label,
			     const struct import_diagnostics *seen);
/* Something is given that the importer does not read, or not all that it reads. */
int import_misfit(const struct import *import);

/* The importers of the table in import.c, each in the file of its name */
int import_infiniband(struct import *import);
int import_ethernet(struct import *import);
int import_edges(struct import *import);
int import_networkx(struct import *import);
int import_dot(struct import *import);
int import_graphml(struct import *import);

/* Is this port of an adapter none of the hosts that stay? */
bool import_is_left_out(const struct import *import, const struct topo_port *port);
/* What the user says of links whose rate is not known, Mbit/s; 0: nothing */
uint32_t import_unknown_rate(const struct import *import);
/* The rail asked for, a name or a number, for which there is room in @number; NULL: all */
#define RAIL_NUMBER 16
const char *import_rail(const struct import *import, char number[RAIL_NUMBER]);
/* rails.c: the adapter and port of a rail */
struct import_rail {
	char adapter[TOPO_WORD];	/* "": adapters without a name */
	uint32_t port;
};

/*
 * Find the rail that is asked for among @count endpoints, which are sorted by node; fill in
 * import->rail.
 */
int import_find_rail(struct import *import, const uint32_t *port, uint32_t count,
		     struct import_rail *rail);
/*
 * Give each port on a rail its number: 1 ... N in the set that most nodes have, 1 ... M in that of
 * nodes which have none of these; then come others. Where no node has two endpoints, or one rail is
 * imported, all are of rail 1.
 */
int import_number_rails(struct import *import, const uint32_t *port, uint32_t count);
bool import_on_rail(const struct import *import, uint32_t port, const struct import_rail *rail);
/* names.c: give nodes the names that the user or the fabric @like has for them. */
int import_rename(struct import *import);
/* Note the adapters that have no node's name, or share their description with others. */
void import_note_ties(struct import *import, const uint32_t *port, uint32_t count);
bool import_same_node(const struct topo *topo, uint32_t p, uint32_t q);
/* Name the hosts and switches and add them to the fabric. */
int import_names(struct import *import);
/* Mbit/s of its slower end; or what the user gives where neither is known */
uint32_t import_cable_rate(const struct import *import, const struct topo_port *port);
/* Add the links, with capacity 1. */
int import_links(struct import *import);
/* Read the forwarding tables into the fabric. */
int import_lft(struct import *import);
/* select.c: mark what the user leaves out; before it, nodes and links are added */
int import_leave_out(struct import *import);
/* Choose hosts, links and the unit. An error names all faults. */
int import_select(struct import *import);

/* aliases.c: give hosts with an LMC an alias for each LID whose routes no lower one has. */
int import_aliases(struct import *import);

/* faults.c: messages on faults */

#define FAULT_NAMES 100			/* most bytes of names in a message */
/* Write @name as a host list. If it is too long, it ends with the number of those not named. */
void import_list_names(char *const *name, size_t count, char text[FAULT_NAMES + 32]);
/* Write in this way the nodes n with is[n] == @value. Returns their number. */
uint32_t import_list(const struct import *import, const uint8_t *is, uint8_t value,
		     char text[FAULT_NAMES + 32]);

/* The links that routes use, and the pairs of hosts without a route. */
struct import_walk {
	bool *used;			/* by link: a route uses it */
	uint32_t *from, *to;		/* by host: how many hosts it reaches, how many reach it */
	uint8_t *blamed;		/* by node: 1: a switch without a table that routes enter */
	uint64_t pairs;			/* pairs of hosts that are not left out */
	uint64_t lost;			/* pairs without a route */
	uint64_t unnamed;		/* pairs whose route ends at a switch without a table */
	char names[200];		/* first pairs whose route ends elsewhere */
};

/* walk.c: follow the routes of all pairs of hosts; out[host] is not 0 if it is left out. */
int import_walk(struct import *import, const uint8_t *out, struct import_walk *walk);
void import_walk_free(struct import_walk *walk);

/* rates.c: the unit, and capacities in units */
enum import_speed { SPEED_ENOUGH, SPEED_SLOW, SPEED_UNKNOWN };

struct import_rates {
	uint64_t unit_bps;		/* rate of a link of capacity 1 */
	bool slowest;			/* version 1: the unit is the slowest host's rate */
	uint8_t *slow;			/* by node, enum import_speed */
	uint32_t common;		/* rate of most hosts, Mbit/s */
	/* Links between switches that routes use and that are slower than the unit */
	uint64_t slow_trunks;
	uint64_t unknown_trunks;	/* such links whose rate is not known */
	uint64_t trunks_named;		/* number of them in @trunks */
	char trunks[200];		/* names and rates of the first */
	uint32_t slowest_trunk;		/* rate of the slowest of them, Mbit/s */
	uint32_t slowest_host;		/* rate of the slowest host, Mbit/s */
};
int import_rates(struct import *import, const uint8_t *out, const bool *used,
		 struct import_rates *rates);
/* Capacity of @link in units; 0: it is slower than a unit. */
uint32_t import_capacity(const struct import *import, const struct import_rates *rates,
			 uint32_t link);
/* Write a rate as options take it: "54544M". Returns @text. */
#define RATE_TEXT 32
const char *import_rate_text(uint64_t bps, char text[RATE_TEXT]);

/*
 * price.c: how many times as fast an all-to-all is without the hosts that @slow marks as @is, in
 * units of @without_bps, as with them in units of @unit_bps; 0: not known
 */
double import_price(const struct import *import, const uint8_t *slow, int is, uint64_t unit_bps,
		    uint64_t without_bps);

/* Return LIQUID_OK, or an error with all faults. */
int import_faults(const struct import *import, const struct import_walk *walk,
		  const struct import_rates *rates, bool allow_unreachable);

#endif
