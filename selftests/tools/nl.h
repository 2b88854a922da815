/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The little netlink that the kernel tests need; no library, so that nothing is put right on the
 * way.
 */
#ifndef LIQUID_TEST_NL_H
#define LIQUID_TEST_NL_H

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NL_MESSAGE_MAX	(96 * 1024)

struct nl_message {
	union {
		struct nlmsghdr head;
		char bytes[NL_MESSAGE_MAX];
	};
	bool overflow;
};

/* What the kernel said to a request. */
struct nl_verdict {
	int error;		/* 0 or a positive errno */
	char text[256];		/* of the extended ack */
	uint32_t offset;	/* of the attribute that it blames; 0: none */
	bool interrupted;	/* NLM_F_DUMP_INTR was seen */
	bool lost;		/* the reply could not be read; the request may have succeeded */
	unsigned int messages;	/* that the reply came in */
};

typedef void (*nl_reply)(void *context, const struct nlmsghdr *message);

#define nl_for_each(attr, first, size)							\
	for (const struct nlattr *attr = (first), *attr##_end =				\
		     (const void *)((const char *)(first) + (size));			\
	     (const char *)attr + NLA_HDRLEN <= (const char *)attr##_end &&		\
	     attr->nla_len >= NLA_HDRLEN &&						\
	     (const char *)attr + attr->nla_len <= (const char *)attr##_end;		\
	     attr = (const void *)((const char *)attr + NLA_ALIGN(attr->nla_len)))

static inline const void *nl_value(const struct nlattr *attr)
{
	return (const char *)attr + NLA_HDRLEN;
}

static inline size_t nl_size(const struct nlattr *attr)
{
	return attr->nla_len - NLA_HDRLEN;
}

static inline int nl_open(int protocol)
{
	struct timeval limit = { .tv_sec = 20 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol), one = 1, room = 4 << 20;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return fd;
}

static inline void nl_start(struct nl_message *message, uint16_t type, uint16_t flags,
			    const void *head, size_t size)
{
	memset(&message->head, 0, sizeof(message->head));
	message->overflow = false;
	message->head.nlmsg_type = type;
	message->head.nlmsg_flags = NLM_F_REQUEST | flags;
	message->head.nlmsg_len = NLMSG_HDRLEN + NLMSG_ALIGN(size);
	memset(message->bytes + NLMSG_HDRLEN, 0, NLMSG_ALIGN(size));
	memcpy(message->bytes + NLMSG_HDRLEN, head, size);
}

static inline void nl_put(struct nl_message *message, uint16_t type, const void *value, size_t size)
{
	size_t at = message->head.nlmsg_len, whole = NLA_HDRLEN + size;
	struct nlattr head = { .nla_len = (uint16_t)whole, .nla_type = type };

	if (whole > UINT16_MAX || at + NLA_ALIGN(whole) > NL_MESSAGE_MAX) {
		message->overflow = true;
		return;
	}
	memset(message->bytes + at, 0, NLA_ALIGN(whole));
	memcpy(message->bytes + at, &head, sizeof(head));
	if (size)
		memcpy(message->bytes + at + NLA_HDRLEN, value, size);
	message->head.nlmsg_len = at + NLA_ALIGN(whole);
}

static inline size_t nl_nest(struct nl_message *message, uint16_t type)
{
	size_t at = message->head.nlmsg_len;

	nl_put(message, type | NLA_F_NESTED, NULL, 0);
	return at;
}

static inline void nl_nest_end(struct nl_message *message, size_t at)
{
	size_t size = message->head.nlmsg_len - at;
	uint16_t whole = (uint16_t)size;

	if (size > UINT16_MAX)
		message->overflow = true;
	memcpy(message->bytes + at, &whole, sizeof(whole));
}

static inline void nl_read_ack(const struct nlmsghdr *head, struct nl_verdict *verdict)
{
	const struct nlmsgerr *error = NLMSG_DATA(head);
	size_t skip = sizeof(*error);

	verdict->error = -error->error;
	if (!(head->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(head->nlmsg_flags & NLM_F_CAPPED))
		skip += error->msg.nlmsg_len - NLMSG_HDRLEN;
	if (head->nlmsg_len < NLMSG_HDRLEN + skip)
		return;
	nl_for_each(attr, (const void *)((const char *)error + skip),
		    head->nlmsg_len - NLMSG_HDRLEN - skip) {
		if (attr->nla_type == NLMSGERR_ATTR_MSG && nl_size(attr) < sizeof(verdict->text))
			memcpy(verdict->text, nl_value(attr), nl_size(attr));
		if (attr->nla_type == NLMSGERR_ATTR_OFFS && nl_size(attr) == sizeof(uint32_t))
			memcpy(&verdict->offset, nl_value(attr), sizeof(uint32_t));
	}
}

/* A dump ends with an errno in NLMSG_DONE, after which the extended ack follows. */
static inline void nl_read_done(const struct nlmsghdr *head, struct nl_verdict *verdict)
{
	int error = 0;

	if (head->nlmsg_len >= NLMSG_HDRLEN + sizeof(error))
		memcpy(&error, NLMSG_DATA(head), sizeof(error));
	verdict->error = error < 0 ? -error : 0;
	if (!(head->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	nl_for_each(attr, (const void *)((const char *)NLMSG_DATA(head) + sizeof(error)),
		    head->nlmsg_len - NLMSG_HDRLEN - sizeof(error))
		if (attr->nla_type == NLMSGERR_ATTR_MSG && nl_size(attr) < sizeof(verdict->text))
			memcpy(verdict->text, nl_value(attr), nl_size(attr));
}

static inline bool nl_read(const struct nlmsghdr *head, nl_reply reply, void *context,
			   struct nl_verdict *verdict)
{
	if (head->nlmsg_flags & NLM_F_DUMP_INTR)
		verdict->interrupted = true;
	if (head->nlmsg_type == NLMSG_ERROR) {
		nl_read_ack(head, verdict);
		return true;
	}
	if (head->nlmsg_type == NLMSG_DONE) {
		nl_read_done(head, verdict);
		return true;
	}
	verdict->messages++;
	if (reply)
		reply(context, head);
	return false;
}

/* Send, and read until the ack or the end of the dump; @reply (may be NULL) gets the rest. */
static inline struct nl_verdict nl_talk(int fd, struct nl_message *message, nl_reply reply,
					void *context)
{
	static char buffer[NL_MESSAGE_MAX] __attribute__((aligned(8)));
	struct nl_verdict verdict = { .error = 0 };

	if (message->overflow) {
		verdict.error = EMSGSIZE;
		return verdict;
	}
	if ((message->head.nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP)
		message->head.nlmsg_flags |= NLM_F_ACK;
	if (send(fd, message->bytes, message->head.nlmsg_len, 0) < 0) {
		verdict.error = errno;
		return verdict;
	}
	for (;;) {
		ssize_t got = recv(fd, buffer, sizeof(buffer), 0);
		struct nlmsghdr *head = (struct nlmsghdr *)buffer;

		if (got < 0) {
			verdict.error = errno;
			verdict.lost = true;
			/* What came before the error is not an answer to the next request. */
			while (recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT) > 0)
				;
			return verdict;
		}
		for (; NLMSG_OK(head, got); head = NLMSG_NEXT(head, got))
			if (nl_read(head, reply, context, &verdict))
				return verdict;
	}
}

static inline void nl_family_reply(void *context, const struct nlmsghdr *message)
{
	const char *first = (const char *)NLMSG_DATA(message) + GENL_HDRLEN;

	nl_for_each(attr, (const void *)first, message->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN)
		if (attr->nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(context, nl_value(attr), sizeof(uint16_t));
}

/* The number of a generic netlink family; 0: there is none. */
static inline uint16_t nl_family(int fd, const char *name)
{
	static struct nl_message message;
	struct genlmsghdr head = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 };
	uint16_t family = 0;

	nl_start(&message, GENL_ID_CTRL, 0, &head, sizeof(head));
	nl_put(&message, CTRL_ATTR_FAMILY_NAME, name, strlen(name) + 1);
	nl_talk(fd, &message, nl_family_reply, &family);
	return family;
}

#endif
