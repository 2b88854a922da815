// SPDX-License-Identifier: GPL-2.0-only
/*
 * dumpstop: a dump of destinations that is interrupted between two of its messages
 *
 *	dumpstop DEV
 *
 * Reads the first message, deletes every destination on another socket, reads the rest. Prints
 * "read=N interrupted=0|1": destinations that were read, and whether the kernel told of it.
 */
#include <linux/liquid.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>

#include "nl.h"

static struct nl_message message;

static void start(uint16_t family, uint8_t cmd, uint16_t flags, uint32_t ifindex)
{
	struct genlmsghdr head = { .cmd = cmd, .version = LIQUID_GENL_VERSION };

	nl_start(&message, family, flags, &head, sizeof(head));
	nl_put(&message, LIQUID_A_IFINDEX, &ifindex, sizeof(ifindex));
}

static void count_dests(void *context, const struct nlmsghdr *head)
{
	const char *first = (const char *)NLMSG_DATA(head) + GENL_HDRLEN;
	unsigned int *count = context;

	nl_for_each(top, (const void *)first, head->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN)
		if ((top->nla_type & NLA_TYPE_MASK) == LIQUID_A_DESTS)
			nl_for_each(dest, nl_value(top), nl_size(top))
				++*count;
}

/* One reading of the socket; true: the dump has ended. */
static bool read_some(int fd, unsigned int *count, struct nl_verdict *verdict)
{
	static char buffer[NL_MESSAGE_MAX] __attribute__((aligned(8)));
	struct nlmsghdr *head = (struct nlmsghdr *)buffer;
	ssize_t got = recv(fd, buffer, sizeof(buffer), 0);

	if (got < 0) {
		verdict->error = errno;
		return true;
	}
	for (; NLMSG_OK(head, got); head = NLMSG_NEXT(head, got))
		if (nl_read(head, count_dests, count, verdict))
			return true;
	return false;
}

static int delete_all(uint16_t family, uint32_t ifindex)
{
	int fd = nl_open(NETLINK_GENERIC);

	start(family, LIQUID_CMD_DEST_DEL, 0, ifindex);
	nl_put(&message, LIQUID_A_ALL, NULL, 0);
	return nl_talk(fd, &message, NULL, NULL).error;
}

int main(int argc, char **argv)
{
	int fd = nl_open(NETLINK_GENERIC);
	struct nl_verdict verdict = { .error = 0 };
	uint32_t ifindex = argc == 2 ? if_nametoindex(argv[1]) : 0;
	uint16_t family = nl_family(fd, LIQUID_GENL_NAME);
	unsigned int count = 0;

	if (!ifindex || !family) {
		fputs("usage: dumpstop DEV\n", stderr);
		return 2;
	}
	start(family, LIQUID_CMD_DEST_GET, NLM_F_DUMP, ifindex);
	if (send(fd, message.bytes, message.head.nlmsg_len, 0) < 0)
		return 1;
	if (read_some(fd, &count, &verdict) || delete_all(family, ifindex)) {
		fputs("dumpstop: no destination is left to interrupt for\n", stderr);
		return 1;
	}
	while (!read_some(fd, &count, &verdict))
		;
	printf("read=%u interrupted=%d\n", count, verdict.interrupted);
	return verdict.error != 0;
}
