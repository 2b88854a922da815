/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A fabric of Ethernet switches, from what each of them shows
 *
 * DIR has a directory for each switch, named as the switch calls itself by LLDP, with
 *
 *	lldp.json	lldpcli -f json0 show neighbors
 *	fdb.json	bridge -j fdb show
 *	routes.json	ip -j route show (may be missing: a switch that does not route)
 *	speeds		lines "PORT MBIT/S" (may be missing: all links are as fast)
 */
#ifndef LIQUID_ETHERNET_H
#define LIQUID_ETHERNET_H

#include <jansson.h>

#include "fabric/import/import.h"

struct ether_port {
	char *name;			/* of the switch's own interface */
	char *neighbor;			/* what the other end calls itself */
	char *far_id, *far_text;	/* name and description of its port; or NULL */
	uint64_t far_mac;		/* of its port, or of itself; 0: not told */
	uint32_t mbps;			/* 0: not told */
};

struct ether_switch {
	char *name;
	struct ether_port *port;	/* by neighbour, of which an interface may have several */
	size_t ports;
	json_t *fdb, *routes;		/* arrays; routes may be NULL */
};

struct ether_net {
	struct ether_switch *sw;	/* sorted by name */
	size_t switches;
};

/* ethernet-read.c: to be cleared in either case. Errors name the file. A status of the library. */
int ether_read(struct ether_net *net, const char *dir, struct liquid_error *err);
void ether_clear(struct ether_net *net);
void ether_drop_port(struct ether_switch *sw, size_t port);
/* The address that "52:54:00:12:34:56" is of one host or port; 0: none */
uint64_t ether_mac(const char *text);
/* False: @text is not a number up to @max */
bool ether_number(const char *text, unsigned long max, unsigned long *number);

/* ethernet-tables.c: the port of the interface @name, or NOWHERE */
#define NOWHERE SIZE_MAX
size_t ether_find_port(const struct ether_switch *sw, const char *name);

/* The tables of a switch in an order in which an address is found without reading all of them */
struct ether_tables {
	const struct ether_switch *sw;
	struct ether_entry *entry;	/* of the bridge, sorted by address */
	struct ether_route *route;	/* sorted by length of the prefix, the longest first */
	size_t entries, routes;
};

int ether_sort_tables(const struct ether_switch *sw, struct ether_tables *tables,
		      struct liquid_error *err);
void ether_free_tables(struct ether_tables *tables);
/*
 * The port by which the switch forwards to a host with these addresses (0: not known).
 * LIQUID_BAD_INPUT with the reason: there is none, or a hash of flows chooses among several.
 */
int ether_forward(const struct ether_tables *tables, uint64_t mac, uint32_t ipv4, size_t *port,
		  struct liquid_error *err);

#endif
