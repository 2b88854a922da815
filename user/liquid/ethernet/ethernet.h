/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fabric of Ethernet switches, as each of them tells of itself
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
#include <stdint.h>

#include "liquidsched.h"
#include "util/addr-map.h"

struct ether_port {
	char *name;			/* of the switch's own interface */
	char *neighbor;			/* what the other end calls itself */
	char *far_id, *far_text;	/* name and description of its port; or NULL */
	struct addr_key far_mac;	/* of its port, or of itself; kind 0: it has not told */
	uint64_t bps;			/* 0: not told */
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

/* read.c: to be cleared in any case. Errors name the file. A status of the library. */
int ether_read(struct ether_net *net, const char *dir, struct liquid_error *err);
void ether_clear(struct ether_net *net);
void ether_drop_port(struct ether_switch *sw, size_t port);

/* tables.c: the port of the interface @name, or NOWHERE */
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
 * The port by which the switch forwards to a host with this Ethernet and IPv4 address (kind 0: it
 * has none). LIQUID_BAD_INPUT with the reason: there is none, or a hash of flows chooses among
 * several.
 */
int ether_forward(const struct ether_tables *tables, const struct addr_key *mac,
		  const struct addr_key *ip, size_t *port, struct liquid_error *err);

/*
 * make.c: the hosts are those of the map, which must be at a port each. Of the options of an import
 * those that choose the unit and leave out parts count, the name and the notes. Neighbours that are
 * neither hosts nor switches are dropped from @net.
 */
int ether_make_fabric( struct ether_net *net, const struct addr_map *map,
		      const struct liquid_import *options, struct liquid_fabric **fabric,
		      struct liquid_error *err);

#endif
