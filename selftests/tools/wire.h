/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What wire and trees share: the family's commands and attributes by name, a socket that asks about
 * one device, and all that a gate is in one number
 */
#ifndef LIQUID_TEST_WIRE_H
#define LIQUID_TEST_WIRE_H

#include <inttypes.h>
#include <linux/pkt_sched.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fields.h"
#include "nl.h"

static struct nl_message message;

static inline void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

static inline const void *payload(const struct nlmsghdr *head, size_t *size)
{
	*size = head->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	return (const char *)NLMSG_DATA(head) + GENL_HDRLEN;
}

struct session {
	int fd;
	uint16_t family;
	uint32_t ifindex;
};

static inline uint32_t device(const char *name)
{
	uint32_t index = if_nametoindex(name);

	return index ? index : (uint32_t)strtoul(name, NULL, 0);
}

static inline void open_session(struct session *session, const char *dev)
{
	session->fd = nl_open(NETLINK_GENERIC);
	session->family = session->fd < 0 ? 0 : nl_family(session->fd, LIQUID_GENL_NAME);
	if (!session->family)
		die("the kernel has no family \"" LIQUID_GENL_NAME "\"");
	session->ifindex = device(dev);
}

static inline void start_request(const struct session *session, uint8_t cmd, uint16_t flags)
{
	struct genlmsghdr head = { .cmd = cmd, .version = LIQUID_GENL_VERSION };

	nl_start(&message, session->family, flags, &head, sizeof(head));
	if (session->ifindex)
		nl_put(&message, LIQUID_A_IFINDEX, &session->ifindex, sizeof(uint32_t));
}

static inline void start_qdisc(uint16_t type, uint16_t flags, uint32_t ifindex)
{
	struct tcmsg head = { .tcm_family = AF_UNSPEC, .tcm_ifindex = (int)ifindex,
			      .tcm_parent = TC_H_ROOT };

	nl_start(&message, type, flags, &head, sizeof(head));
	nl_put(&message, TCA_KIND, LIQUID_QDISC_KIND, sizeof(LIQUID_QDISC_KIND));
}

/* Go on with FNV-1a. */
static inline void hash_value(uint64_t *hash, const struct nlattr *attr)
{
	const unsigned char *byte = nl_value(attr);

	for (size_t i = 0; i < nl_size(attr); i++)
		*hash = (*hash ^ byte[i]) * 0x100000001b3ULL;
}

/* The hash of all that a reply says but the counters, and of the state the lease's length alone */
static inline void hash_reply(void *context, const struct nlmsghdr *head)
{
	uint64_t *hash = context;
	size_t size;
	const void *first = payload(head, &size);

	nl_for_each(top, first, size) {
		int type = top->nla_type & NLA_TYPE_MASK;

		if (type == LIQUID_A_STATE) {
			nl_for_each(state, nl_value(top), nl_size(top))
				if (state->nla_type == LIQUID_STATE_A_LEASE_NS)
					hash_value(hash, state);
		} else if (type != LIQUID_A_STATS) {
			hash_value(hash, top);
		}
	}
}

/* What the device's gate is, in one number: options, destinations, schedules, lease. */
static inline uint64_t gate_hash(const struct session *session)
{
	static const uint8_t requests[] = { LIQUID_CMD_GATE_GET, LIQUID_CMD_DEST_GET,
					    LIQUID_CMD_SCHED_GET, LIQUID_CMD_SCHED_GET };
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < sizeof(requests); i++) {
		uint32_t which = i == 3 ? LIQUID_WHICH_ADMIN : LIQUID_WHICH_OPER;

		start_request(session, requests[i], i ? NLM_F_DUMP : 0);
		if (requests[i] == LIQUID_CMD_SCHED_GET)
			nl_put(&message, LIQUID_A_WHICH, &which, sizeof(which));
		hash ^= (uint64_t)nl_talk(session->fd, &message, hash_reply, &hash).error;
	}
	return hash;
}

#endif
