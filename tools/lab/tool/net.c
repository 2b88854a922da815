// SPDX-License-Identifier: GPL-2.0-only
/* Configure the ports of a fabric: links up, addresses, and a static entry for every neighbour. */
#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/neighbour.h>

#include "util/command.h"
#include "net.h"
#include "netns.h"
#include "util/units.h"

/* ---- addresses ---- */

bool parse_addr_base(const char *text, struct addr_base *base)
{
	const char *slash = strchr(text, '/');
	char address[64];
	uint64_t prefix;

	if (!slash || (size_t)(slash - text) >= sizeof(address))
		return false;
	memcpy(address, text, (size_t)(slash - text));
	address[slash - text] = 0;
	base->family = strchr(address, ':') ? AF_INET6 : AF_INET;
	base->length = base->family == AF_INET ? 4 : 16;
	if (inet_pton(base->family, address, base->address) != 1)
		return false;
	if (!parse_number(slash + 1, 8u * base->length, &prefix))
		return false;
	base->prefix = (uint8_t)prefix;
	return true;
}

bool addr_of_port(const struct addr_base *base, size_t i, uint8_t address[16])
{
	size_t carry = i + 1;

	memcpy(address, base->address, base->length);
	for (int byte = base->length; byte-- > 0 && carry; carry >>= 8) {
		carry += address[byte];
		address[byte] = (uint8_t)carry;
	}
	for (unsigned int bit = 0; bit < base->prefix; bit++)
		if ((address[bit / 8] ^ base->address[bit / 8]) >> (7 - bit % 8) & 1)
			return false;
	return !carry;
}

bool addr_base_fits(const struct addr_base *base, size_t count)
{
	uint8_t address[16];

	/* one more: the last address of an IPv4 network is its broadcast address */
	return addr_of_port(base, base->family == AF_INET ? count : count - 1, address);
}

const char *format_addr(const struct addr_base *base, size_t i, char text[64])
{
	uint8_t address[16];

	if (!addr_of_port(base, i, address) || !inet_ntop(base->family, address, text, 64))
		text[0] = 0;
	return text;
}

/* ---- requests, each 0 or an error of libnl ---- */

static int set_up(struct nl_sock *sock, unsigned int index)
{
	struct rtnl_link *link = rtnl_link_alloc();
	int error = -NLE_NOMEM;

	if (link) {
		rtnl_link_set_ifindex(link, (int)index);
		rtnl_link_set_flags(link, IFF_UP);
		error = rtnl_link_change(sock, link, link, 0);
	}
	rtnl_link_put(link);
	return error;
}

static struct nl_addr *addr_object(const struct addr_base *base, size_t i)
{
	uint8_t address[16];

	addr_of_port(base, i, address);
	return nl_addr_build(base->family, address, base->length);
}

static int add_address(struct nl_sock *sock, unsigned int index, const struct addr_base *base,
		       size_t i)
{
	struct nl_addr *local = addr_object(base, i);
	struct rtnl_addr *addr = rtnl_addr_alloc();
	int error = -NLE_NOMEM;

	if (local && addr) {
		nl_addr_set_prefixlen(local, base->prefix);
		rtnl_addr_set_ifindex(addr, (int)index);
		rtnl_addr_set_local(addr, local);
		rtnl_addr_set_flags(addr, IFA_F_NODAD);
		error = rtnl_addr_add(sock, addr, NLM_F_REPLACE);
	}
	rtnl_addr_put(addr);
	nl_addr_put(local);
	return error;
}

static int add_neighbour(struct nl_sock *sock, unsigned int index, const struct addr_base *base,
			 size_t i, const uint8_t mac[6])
{
	struct nl_addr *to = addr_object(base, i), *ether = nl_addr_build(AF_LLC, mac, 6);
	struct rtnl_neigh *neighbour = rtnl_neigh_alloc();
	int error = -NLE_NOMEM;

	if (to && ether && neighbour) {
		rtnl_neigh_set_ifindex(neighbour, (int)index);
		rtnl_neigh_set_dst(neighbour, to);
		rtnl_neigh_set_lladdr(neighbour, ether);
		rtnl_neigh_set_state(neighbour, NUD_PERMANENT);
		error = rtnl_neigh_add(sock, neighbour, NLM_F_CREATE | NLM_F_REPLACE);
	}
	rtnl_neigh_put(neighbour);
	nl_addr_put(to);
	nl_addr_put(ether);
	return error;
}

/* They are many, so only the last one waits for the kernel, which also reports errors before it. */
static int add_neighbours(struct nl_sock *sock, unsigned int index, const struct net_port *port,
			  size_t count, size_t own, const struct addr_base *base)
{
	size_t last = own + 1 == count ? count - 2 : count - 1;
	int error = 0;

	nl_socket_disable_seq_check(sock);
	nl_socket_disable_auto_ack(sock);
	for (size_t i = 0; i < count && count > 1 && !error; i++) {
		if (i == last)
			nl_socket_enable_auto_ack(sock);
		if (i != own)
			error = add_neighbour(sock, index, base, i, port[i].mac);
	}
	return error;
}

/* ---- one port, in its namespace ---- */

static int failed(const struct net_port *port, const char *reason)
{
	return complain(EXIT_BAD_INPUT, "%s%s%s: %s", port->netns ? port->netns : "",
			port->netns ? "/" : "", port->ifname, reason);
}

static int find_mac(struct nl_sock *sock, struct net_port *port)
{
	struct rtnl_link *link;
	int error = rtnl_link_get_kernel(sock, 0, port->ifname, &link);
	struct nl_addr *mac;

	if (error)
		return error;
	mac = rtnl_link_get_addr(link);
	if (mac && nl_addr_get_len(mac) == sizeof(port->mac))
		memcpy(port->mac, nl_addr_get_binary_addr(mac), sizeof(port->mac));
	else
		error = -NLE_NOADDR;
	rtnl_link_put(link);
	return error;
}

static int bring_up(struct nl_sock *sock, const struct net_port *port, size_t count, size_t own,
		    const struct addr_base *base)
{
	unsigned int index = if_nametoindex(port[own].ifname), lo = if_nametoindex("lo");
	int error = index ? 0 : -NLE_NODEV;

	if (!error && port[own].netns && lo)
		error = set_up(sock, lo);
	if (!error)
		error = set_up(sock, index);
	if (!error && base->family)
		error = add_address(sock, index, base, own);
	if (!error && base->family)
		error = add_neighbours(sock, index, port, count, own, base);
	return error;
}

static int enter(const struct net_port *port)
{
	bool made, entered;
	int fd = -1;

	if (port->netns) {
		fd = netns_open(port->netns, &made);
		if (fd < 0)
			return EXIT_BAD_INPUT;
	}
	entered = netns_enter(fd);
	if (fd >= 0)
		close(fd);
	return entered ? EXIT_OK : EXIT_BAD_INPUT;
}

/* Find the Ethernet address of port @i or, with @base, bring the port up. */
static int configure(struct net_port *port, size_t count, size_t i, const struct addr_base *base)
{
	struct nl_sock *sock = nl_socket_alloc();
	int code = enter(&port[i]), error;

	if (!code) {
		error = sock ? nl_connect(sock, NETLINK_ROUTE) : -NLE_NOMEM;
		if (!error)
			error = base ? bring_up(sock, port, count, i, base) :
				       find_mac(sock, &port[i]);
		if (error)
			code = failed(&port[i], nl_geterror(error));
	}
	nl_socket_free(sock);
	return code;
}

int net_ports_up(struct net_port *port, size_t count, const struct addr_base *base)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < count && !code; i++)
		code = configure(port, count, i, NULL);
	for (size_t i = 0; i < count && !code; i++)
		code = configure(port, count, i, base);
	if (!netns_enter(-1) && !code)
		code = EXIT_BAD_INPUT;
	return code;
}
