/* SPDX-License-Identifier: GPL-2.0-only */
/* Ports: of control packets, and in rules */
#ifndef LIQUID_PORTS_H
#define LIQUID_PORTS_H

#include <linux/types.h>

#include "netlink/config.h"

#define PORT_DHCP_SERVER	67
#define PORT_DHCP_CLIENT	68
#define PORT_PTP_EVENT		319
#define PORT_PTP_GENERAL	320
#define PORT_DHCP6_CLIENT	546
#define PORT_DHCP6_SERVER	547
#define PORT_BFD		3784
#define PORT_BFD_ECHO		3785
#define PORT_BFD_MULTIHOP	4784
#define PORT_ROCE		4791
#define PORT_BFD_LAG		6784	/* on each link of a bond */

/* Which UDP packets to a port are control packets */
enum liquid_control_port {
	LIQUID_PORT_DATA,	/* none */
	LIQUID_PORT_ALL,
	LIQUID_PORT_IPV4,
	LIQUID_PORT_IPV6,
	LIQUID_PORT_BFD,	/* short ones: unprivileged users may send to these ports */
	LIQUID_PORT_ROCE,
};

static __always_inline enum liquid_control_port liquid_control_port(u16 port)
{
	switch (port) {
	case PORT_PTP_EVENT:
	case PORT_PTP_GENERAL:
		return LIQUID_PORT_ALL;
	case PORT_DHCP_SERVER:
	case PORT_DHCP_CLIENT:
		return LIQUID_PORT_IPV4;
	case PORT_DHCP6_CLIENT:
	case PORT_DHCP6_SERVER:
		return LIQUID_PORT_IPV6;
	case PORT_BFD:
	case PORT_BFD_ECHO:
	case PORT_BFD_MULTIHOP:
	case PORT_BFD_LAG:
		return LIQUID_PORT_BFD;
	case PORT_ROCE:
		return LIQUID_PORT_ROCE;
	default:
		return LIQUID_PORT_DATA;
	}
}

static __always_inline bool liquid_port_matches(const struct liquid_rule *rule, __be16 port)
{
	return ntohs(port) >= rule->port_min && ntohs(port) <= rule->port_max;
}

#endif /* LIQUID_PORTS_H */
