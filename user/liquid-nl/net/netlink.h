/* SPDX-License-Identifier: GPL-2.0-only */
/* A netlink socket that explains refusals: requests, dumps, extended acks. */
#ifndef LIQUID_NL_NETLINK_H
#define LIQUID_NL_NETLINK_H

#include <stddef.h>
#include <stdint.h>

#include <libmnl/libmnl.h>

#include "net/attrs.h"

/* Bytes of the buffers: a request is one attribute of at most 64 KiB and a little more. */
#define NETLINK_REQUEST_MAX	(80 * 1024)
#define NETLINK_REPLY_MAX	(256 * 1024)
#define NETLINK_DUMP_TRIES	8	/* tries of a dump that changes interrupt */

struct netlink {
	struct mnl_socket *socket;
	const struct attr_table *table;		/* names of attributes, for messages */
	const char *missing;			/* message for a family that does not exist */
	char *request, *reply;
	size_t family_header;
	uint16_t family;
	uint8_t version;			/* of the family, sent in each request */
	uint32_t seq;
	char text[512];				/* why the last call failed */
	char warning[256];			/* the kernel's text to a request that succeeded */
};

/* Both return 0 or -errno with a text. */
int netlink_open_route(struct netlink *nl);
/* -EPROTO if the kernel's family has another version */
int netlink_open_generic(struct netlink *nl, const char *family, uint8_t version,
			 const struct attr_table *table, const char *missing);
void netlink_close(struct netlink *nl);

/* Begin a request in nl->request: generic (@command) or rtnetlink (message type, its header). */
struct nlmsghdr *netlink_generic(struct netlink *nl, uint8_t command, uint16_t flags);
struct nlmsghdr *netlink_route(struct netlink *nl, uint16_t type, uint16_t flags, size_t header);

/* Called for each message of a reply; a result other than 0 (-errno) ends the reply. */
typedef int (*netlink_reply)(const struct nlmsghdr *nlh, void *context);
/* Discard the messages of an interrupted dump. */
typedef void (*netlink_restart)(void *context);

/* Send @request and wait for its ack. 0 or -errno with a text. */
int netlink_do(struct netlink *nl, struct nlmsghdr *request, netlink_reply reply, void *context);
/* The same for a dump; an interrupted one is repeated, up to NETLINK_DUMP_TRIES times. */
int netlink_dump(struct netlink *nl, struct nlmsghdr *request, netlink_reply reply,
		 netlink_restart restart, void *context);

#endif
