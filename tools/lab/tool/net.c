// SPDX-License-Identifier: GPL-2.0-only
/* Configure the ports of a fabric: links up, addresses, and a static entry for every neighbour. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/command.h"
#include "net.h"
#include "netns.h"
#include "util/units.h"

#define BATCH_BYTES 32768u	/* size of a batch of requests that are sent at once */
#define REQUEST_MAX 256u	/* maximum size of a request, in bytes */

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

/* ---- batches of requests ---- */

struct batch {
	struct netlink *nl;
	char *at;			/* where the next request begins */
};

static int failed(const struct net_port *port, const char *reason)
{
	return complain(EXIT_BAD_INPUT, "%s%s%s: %s", port->netns ? port->netns : "",
			port->netns ? "/" : "", port->ifname, reason);
}

/* Read the answers to a batch: errors, and an ack of the last request. */
static int batch_answer(struct batch *batch, const struct net_port *port, uint32_t last)
{
	for (;;) {
		ssize_t got = mnl_socket_recvfrom(batch->nl->socket, batch->nl->reply,
						  NETLINK_REPLY_MAX);
		const struct nlmsghdr *nlh = (const void *)batch->nl->reply;
		int left = (int)got;

		if (got < 0)
			return failed(port, strerror(errno));
		for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left)) {
			const struct nlmsgerr *error = mnl_nlmsg_get_payload(nlh);

			if (nlh->nlmsg_type != NLMSG_ERROR ||
			    mnl_nlmsg_get_payload_len(nlh) < sizeof(*error))
				continue;
			if (error->error && error->error != -EEXIST)
				return failed(port, strerror(-error->error));
			if (nlh->nlmsg_seq == last)
				return EXIT_OK;
		}
	}
}

static int batch_send(struct batch *batch, const struct net_port *port, struct nlmsghdr *last)
{
	size_t length = (size_t)(batch->at - batch->nl->request);

	last->nlmsg_flags |= NLM_F_ACK;
	batch->at = batch->nl->request;
	if (mnl_socket_sendto(batch->nl->socket, batch->nl->request, length) < 0)
		return failed(port, strerror(errno));
	return batch_answer(batch, port, last->nlmsg_seq);
}

static void *batch_begin(struct batch *batch, uint16_t type, uint16_t flags, size_t header,
			 struct nlmsghdr **nlh)
{
	*nlh = mnl_nlmsg_put_header(batch->at);
	(*nlh)->nlmsg_type = type;
	(*nlh)->nlmsg_flags = NLM_F_REQUEST | flags;
	(*nlh)->nlmsg_seq = ++batch->nl->seq;
	return mnl_nlmsg_put_extra_header(*nlh, header);
}

static void batch_end(struct batch *batch, const struct nlmsghdr *nlh)
{
	batch->at += MNL_ALIGN(nlh->nlmsg_len);
}

static struct nlmsghdr *put_up(struct batch *batch, unsigned int index)
{
	struct nlmsghdr *nlh;
	struct ifinfomsg *info = batch_begin(batch, RTM_NEWLINK, 0, sizeof(*info), &nlh);

	info->ifi_index = (int)index;
	info->ifi_flags = IFF_UP;
	info->ifi_change = IFF_UP;
	batch_end(batch, nlh);
	return nlh;
}

static struct nlmsghdr *put_address(struct batch *batch, unsigned int index,
				    const struct addr_base *base, size_t i)
{
	struct nlmsghdr *nlh;
	struct ifaddrmsg *info = batch_begin(batch, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE,
					     sizeof(*info), &nlh);
	uint8_t address[16];

	info->ifa_family = (uint8_t)base->family;
	info->ifa_prefixlen = base->prefix;
	info->ifa_flags = IFA_F_NODAD;
	info->ifa_index = index;
	addr_of_port(base, i, address);
	mnl_attr_put(nlh, IFA_LOCAL, base->length, address);
	mnl_attr_put(nlh, IFA_ADDRESS, base->length, address);
	batch_end(batch, nlh);
	return nlh;
}

static struct nlmsghdr *put_neighbour(struct batch *batch, unsigned int index,
				      const struct addr_base *base, size_t i,
				      const uint8_t mac[6])
{
	struct nlmsghdr *nlh;
	struct ndmsg *info = batch_begin(batch, RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE,
					 sizeof(*info), &nlh);
	uint8_t address[16];

	info->ndm_family = (uint8_t)base->family;
	info->ndm_ifindex = (int)index;
	info->ndm_state = NUD_PERMANENT;
	addr_of_port(base, i, address);
	mnl_attr_put(nlh, NDA_DST, base->length, address);
	mnl_attr_put(nlh, NDA_LLADDR, 6, mac);
	batch_end(batch, nlh);
	return nlh;
}

static int put_neighbours(struct batch *batch, unsigned int index, const struct net_port *port,
			  size_t count, size_t own, const struct addr_base *base)
{
	struct nlmsghdr *nlh = NULL;
	int code = EXIT_OK;

	for (size_t i = 0; i < count && !code; i++) {
		if (i != own)
			nlh = put_neighbour(batch, index, base, i, port[i].mac);
		if (nlh && (size_t)(batch->at - batch->nl->request) + REQUEST_MAX > BATCH_BYTES) {
			code = batch_send(batch, &port[own], nlh);
			nlh = NULL;
		}
	}
	if (nlh && !code)
		code = batch_send(batch, &port[own], nlh);
	return code;
}

/* ---- one port, in its namespace ---- */

static int find_mac(struct net_port *port)
{
	struct ifreq request = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), wrong;

	if (fd < 0)
		return failed(port, strerror(errno));
	memcpy(request.ifr_name, port->ifname, strnlen(port->ifname, IFNAMSIZ - 1));
	wrong = ioctl(fd, SIOCGIFHWADDR, &request);
	close(fd);
	if (wrong)
		return failed(port, strerror(errno));
	memcpy(port->mac, request.ifr_hwaddr.sa_data, sizeof(port->mac));
	return EXIT_OK;
}

static int bring_up(struct netlink *nl, const struct net_port *port, size_t count, size_t own,
		    const struct addr_base *base)
{
	struct batch batch = { nl, nl->request };
	unsigned int index = if_nametoindex(port[own].ifname), lo = if_nametoindex("lo");
	struct nlmsghdr *nlh;
	int code;

	if (!index)
		return failed(&port[own], "the device is gone");
	if (port[own].netns && lo)
		put_up(&batch, lo);
	nlh = put_up(&batch, index);
	if (base->family)
		nlh = put_address(&batch, index, base, own);
	code = batch_send(&batch, &port[own], nlh);
	if (!code && base->family)
		code = put_neighbours(&batch, index, port, count, own, base);
	return code;
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

static int bring_up_there(const struct net_port *port, size_t count, size_t own,
			  const struct addr_base *base)
{
	struct netlink nl;
	int code = enter(&port[own]);

	if (code)
		return code;
	if (netlink_open_route(&nl))
		return complain(EXIT_BAD_INPUT, "%s", nl.text);
	code = bring_up(&nl, port, count, own, base);
	netlink_close(&nl);
	return code;
}

int net_ports_up(struct net_port *port, size_t count, const struct addr_base *base)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < count && !code; i++) {
		code = enter(&port[i]);
		if (!code)
			code = find_mac(&port[i]);
	}
	for (size_t i = 0; i < count && !code; i++)
		code = bring_up_there(port, count, i, base);
	if (!netns_enter(-1) && !code)
		code = EXIT_BAD_INPUT;
	return code;
}
