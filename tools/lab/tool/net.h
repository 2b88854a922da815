/* SPDX-License-Identifier: GPL-2.0-only */
/* What the ports of a fabric need before they can send: links up, addresses, neighbours */
#ifndef LIQUID_LAB_NET_H
#define LIQUID_LAB_NET_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab.h"

/* "10.9.0.0/16", "fd09::/64": port i has the network's address + i + 1. */
struct addr_base {
	int family;			/* AF_INET, AF_INET6; 0: no addresses */
	uint8_t length;			/* of an address, in bytes */
	uint8_t prefix;			/* length of the prefix, in bits */
	uint8_t address[16];
};

struct net_port {
	const char *ifname;
	const char *netns;		/* NULL: that of the tool */
	uint8_t mac[6];
};

bool parse_addr_base(const char *text, struct addr_base *base);
/* Does the network have an address for each port? */
bool addr_base_fits(const struct addr_base *base, size_t count);
/* Get the address of port @i; false: the network has none. */
bool addr_of_port(const struct addr_base *base, size_t i, uint8_t address[16]);
const char *format_addr(const struct addr_base *base, size_t i, char text[64]);

/* Configure all ports. Finds their Ethernet addresses. Returns the exit code. */
int net_ports_up(struct net_port *port, size_t count, const struct addr_base *base);

#endif
