/* SPDX-License-Identifier: GPL-2.0-only */
/* A netlink socket that explains refusals: requests, dumps, extended acks. */
#ifndef LIQUID_NL_NETLINK_H
#define LIQUID_NL_NETLINK_H

#include <stddef.h>
#include <stdint.h>

#include <libmnl/libmnl.h>

#include "net/attrs.h"

/* An attribute holds at most 64 KiB; a request is one such attribute and a little more. */
#define NETLINK_REQUEST_MAX	(80 * 1024)
#define NETLINK_REPLY_MAX	(256 * 1024)
#define NETLINK_DUMP_TRIES	8	/* a dump that changes keep interrupting */

struct netlink {
	struct mnl_socket *socket;
	const struct attr_table *table;		/* names the attributes of requests */
	const char *missing;			/* what to say when the family is not there */
	char *request, *reply;
	size_t family_header;
	uint16_t family;
	uint32_t seq;
	char text[512];				/* why the last call failed */
	char warning[256];			/* the kernel's note to a request that it granted */
};

/* Both return 0 or -errno with a text. */
int netlink_open_route(struct netlink *nl);
int netlink_open_generic(struct netlink *nl, const char *family, const struct attr_table *table,
			 const char *missing);
void netlink_close(struct netlink *nl);

/* Begin a request in nl->request: generic (@command) or rtnetlink (message type, its header). */
struct nlmsghdr *netlink_generic(struct netlink *nl, uint8_t command, uint16_t flags);
struct nlmsghdr *netlink_route(struct netlink *nl, uint16_t type, uint16_t flags, size_t header);

/* Called for each message of a reply; non-zero (-errno) ends it. */
typedef int (*netlink_reply)(const struct nlmsghdr *nlh, void *context);
/* Forget what an interrupted dump has brought so far. */
typedef void (*netlink_restart)(void *context);

/* Send @request and wait for its ack. 0 or -errno with a text. */
int netlink_do(struct netlink *nl, struct nlmsghdr *request, netlink_reply reply, void *context);
/* The same for a dump; one that was interrupted is repeated a bounded number of times. */
int netlink_dump(struct netlink *nl, struct nlmsghdr *request, netlink_reply reply,
		 netlink_restart restart, void *context);

#endif
