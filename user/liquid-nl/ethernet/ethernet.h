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
#ifndef LIQUID_NL_ETHERNET_H
#define LIQUID_NL_ETHERNET_H

#include <jansson.h>
#include <stdint.h>

#include "liquidsched.h"
#include "net/addr-map.h"

struct ether_port {
	char *name;			/* of the switch's own interface */
	char *neighbor;			/* what the other end calls itself */
	char *far_id, *far_text;	/* name and description of its port; or NULL */
	struct addr_key far_mac;	/* of its port, or of itself; kind 0: it has not told */
	uint64_t bps;			/* 0: not told */
};

struct ether_switch {
	char *name;
	struct ether_port *port;
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

/*
 * tables.c: the interface by which @sw forwards to a host with this Ethernet and IPv4 address (kind
 * 0: it has none). LIQUID_BAD_INPUT with the reason: there is none, or a hash of flows chooses
 * among several.
 */
int ether_forward(const struct ether_switch *sw, const struct addr_key *mac,
		  const struct addr_key *ip, const char **port, struct liquid_error *err);

struct ether_options {
	const char *name;		/* of the fabric; NULL: "ethernet" */
	uint64_t unit_bps;		/* of a link of capacity 1; 0: of the slowest host */
	void (*note)(const char *text);
};

/* make.c: the hosts are those of the map, which must be at a port each. */
int ether_make_fabric(const struct ether_net *net, const struct addr_map *map,
		      const struct ether_options *options, struct liquid_fabric **fabric,
		      struct liquid_error *err);

#endif
