// SPDX-License-Identifier: GPL-2.0-only
/* Netlink requests and dumps over libmnl, with the kernel's extended acks as text. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "net/netlink.h"

__attribute__((format(printf, 3, 4)))
static int failed(struct netlink *nl, int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(nl->text, sizeof(nl->text), format, args);
	va_end(args);
	return status;
}

static void set_option(struct netlink *nl, int option)
{
	int on = 1;

	/* Optional: without it an older kernel's refusals have no text. */
	(void)mnl_socket_setsockopt(nl->socket, option, &on, sizeof(on));
}

static int open_socket(struct netlink *nl, int protocol)
{
	int room = 4 * NETLINK_REPLY_MAX;

	nl->request = malloc(NETLINK_REQUEST_MAX);
	nl->reply = malloc(NETLINK_REPLY_MAX);
	if (!nl->request || !nl->reply)
		return failed(nl, -ENOMEM, "out of memory");
	nl->socket = mnl_socket_open2(protocol, SOCK_CLOEXEC);
	if (!nl->socket || mnl_socket_bind(nl->socket, 0, MNL_SOCKET_AUTOPID) < 0)
		return failed(nl, -errno, "cannot open a netlink socket: %s", strerror(errno));
	(void)setsockopt(mnl_socket_get_fd(nl->socket), SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	(void)setsockopt(mnl_socket_get_fd(nl->socket), SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	set_option(nl, NETLINK_EXT_ACK);
	set_option(nl, NETLINK_CAP_ACK);
	set_option(nl, NETLINK_GET_STRICT_CHK);
	nl->seq = time(NULL);
	return 0;
}

void netlink_close(struct netlink *nl)
{
	if (nl->socket)
		mnl_socket_close(nl->socket);
	free(nl->request);
	free(nl->reply);
	nl->socket = NULL;
	nl->request = nl->reply = NULL;
}

static struct nlmsghdr *start(struct netlink *nl, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(nl->request);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = ++nl->seq;
	return nlh;
}

struct nlmsghdr *netlink_generic(struct netlink *nl, uint8_t command, uint16_t flags)
{
	struct nlmsghdr *nlh = start(nl, nl->family, flags);
	struct genlmsghdr *header = mnl_nlmsg_put_extra_header(nlh, sizeof(*header));

	header->cmd = command;
	header->version = nl->version;
	nl->family_header = sizeof(*header);
	return nlh;
}

struct nlmsghdr *netlink_route(struct netlink *nl, uint16_t type, uint16_t flags, size_t header)
{
	struct nlmsghdr *nlh = start(nl, type, flags);

	mnl_nlmsg_put_extra_header(nlh, header);
	nl->family_header = header;
	return nlh;
}

/* ---- the kernel's verdicts ---- */

struct verdict {
	int error;			/* 0 or -errno */
	const char *message;		/* extended ack, or NULL */
	int64_t offset, missing;	/* of an attribute; -1 where none is named */
};

static void read_tlvs(struct verdict *verdict, const struct nlmsghdr *nlh, size_t offset)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, offset) {
		uint16_t length = mnl_attr_get_payload_len(attr);
		const char *text = mnl_attr_get_payload(attr);

		switch (mnl_attr_get_type(attr)) {
		case NLMSGERR_ATTR_MSG:
			if (length && !text[length - 1])
				verdict->message = text;
			break;
		case NLMSGERR_ATTR_OFFS:
			if (length == sizeof(uint32_t))
				verdict->offset = mnl_attr_get_u32(attr);
			break;
		case NLMSGERR_ATTR_MISS_TYPE:
			if (length == sizeof(uint32_t))
				verdict->missing = mnl_attr_get_u32(attr);
			break;
		}
	}
}

/* NLMSG_ERROR: struct nlmsgerr, then the echoed part of the request, then the attributes. */
static bool read_error(struct verdict *verdict, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *error = mnl_nlmsg_get_payload(nlh);
	size_t offset = sizeof(*error);

	if (nlh->nlmsg_len < mnl_nlmsg_size(sizeof(*error)))
		return false;
	verdict->error = error->error;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED) && error->error)
		offset += error->msg.nlmsg_len - sizeof(error->msg);
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && offset < mnl_nlmsg_get_payload_len(nlh))
		read_tlvs(verdict, nlh, offset);
	return true;
}

/* NLMSG_DONE: an int, then the attributes. */
static void read_done(struct verdict *verdict, const struct nlmsghdr *nlh)
{
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(int))
		return;
	memcpy(&verdict->error, mnl_nlmsg_get_payload(nlh), sizeof(int));
	if (verdict->error > 0)
		verdict->error = 0;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		read_tlvs(verdict, nlh, sizeof(int));
}

static const char *plain_reason(int error)
{
	switch (-error) {
	case EPERM:
		return "no privilege: CAP_NET_ADMIN is needed";
	case ENODEV:
		return "no such device";
	default:
		return strerror(-error);
	}
}

/* Turn a verdict into nl->text (or nl->warning) and its errno. */
static int conclude(struct netlink *nl, const struct nlmsghdr *request,
		    const struct verdict *verdict)
{
	char path[160] = "", where[192] = "";

	if (!verdict->error) {
		snprintf(nl->warning, sizeof(nl->warning), "%s",
			 verdict->message ? verdict->message : "");
		return 0;
	}
	if (nl->table && verdict->offset >= 0 &&
	    attr_path(request, nl->family_header, nl->table, verdict->offset, path, sizeof(path)))
		snprintf(where, sizeof(where), " (%s)", path);
	else if (verdict->missing >= 0)
		snprintf(where, sizeof(where), " (attribute %lld is missing)",
			 (long long)verdict->missing);
	if (verdict->message)
		return failed(nl, verdict->error, "%s%s", verdict->message, where);
	return failed(nl, verdict->error, "%s%s", plain_reason(verdict->error), where);
}

struct exchange {
	const struct nlmsghdr *request;
	netlink_reply reply;
	void *context;
	struct verdict verdict;
	bool interrupted, done;
	int status;			/* result of reply() */
};


static int take_message(struct netlink *nl, struct exchange *exchange, const struct nlmsghdr *nlh)
{
	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		exchange->interrupted = true;
	switch (nlh->nlmsg_type) {
	case NLMSG_NOOP:
		return 0;
	case NLMSG_OVERRUN:
		return failed(nl, -ENOBUFS, "the kernel's answer was lost");
	case NLMSG_ERROR:
		if (!read_error(&exchange->verdict, nlh))
			return failed(nl, -EPROTO, "truncated answer from the kernel");
		exchange->done = true;
		return 0;
	case NLMSG_DONE:
		read_done(&exchange->verdict, nlh);
		exchange->done = true;
		return 0;
	}
	if (exchange->reply && !exchange->status)
		exchange->status = exchange->reply(nlh, exchange->context);
	return 0;
}

static int take_datagram(struct netlink *nl, struct exchange *exchange)
{
	ssize_t got = mnl_socket_recvfrom(nl->socket, nl->reply, NETLINK_REPLY_MAX);
	const struct nlmsghdr *nlh = (const void *)nl->reply;
	int left = got, status;

	if (got < 0 && errno == EINTR)
		return 0;
	if (got < 0)
		return failed(nl, -errno, "the kernel does not answer: %s", strerror(errno));
	for (; mnl_nlmsg_ok(nlh, left) && !exchange->done; nlh = mnl_nlmsg_next(nlh, &left)) {
		if (nlh->nlmsg_seq != exchange->request->nlmsg_seq)
			continue;
		status = take_message(nl, exchange, nlh);
		if (status)
			return status;
		/* The text of a verdict is in the buffer: use it before the next receive. */
		if (exchange->done)
			return conclude(nl, exchange->request, &exchange->verdict);
	}
	return 0;
}

static int run(struct netlink *nl, struct exchange *exchange)
{
	int status = 0;

	nl->text[0] = nl->warning[0] = 0;
	if (mnl_socket_sendto(nl->socket, exchange->request, exchange->request->nlmsg_len) < 0)
		return failed(nl, -errno, "cannot send to the kernel: %s", strerror(errno));
	while (!exchange->done && !status)
		status = take_datagram(nl, exchange);
	if (status)
		return status;
	if (exchange->status == -ENOMEM)
		return failed(nl, -ENOMEM, "out of memory");
	if (exchange->status)
		return failed(nl, exchange->status, "invalid answer from the kernel");
	return 0;
}

int netlink_do(struct netlink *nl, struct nlmsghdr *request, netlink_reply reply, void *context)
{
	struct exchange exchange = {
		.request = request, .reply = reply, .context = context,
		.verdict = { .offset = -1, .missing = -1 },
	};

	request->nlmsg_flags |= NLM_F_ACK;
	return run(nl, &exchange);
}

int netlink_dump(struct netlink *nl, struct nlmsghdr *request, netlink_reply reply,
		 netlink_restart restart, void *context)
{
	request->nlmsg_flags |= NLM_F_DUMP;
	for (int try = 0; try < NETLINK_DUMP_TRIES; try++) {
		struct exchange exchange = {
			.request = request, .reply = reply, .context = context,
			.verdict = { .offset = -1, .missing = -1 },
		};
		int status = run(nl, &exchange);

		if (status != -EINTR && (status || !exchange.interrupted))
			return status;
		restart(context);
		request->nlmsg_seq = ++nl->seq;
	}
	return failed(nl, -EINTR, "changed %d times while it was read; try again",
		      NETLINK_DUMP_TRIES);
}

/* ---- opening ---- */

int netlink_open_route(struct netlink *nl)
{
	int status;

	*nl = (struct netlink){ 0 };
	status = open_socket(nl, NETLINK_ROUTE);
	if (status)
		netlink_close(nl);	/* nl->text stays */
	return status;
}

struct family {
	uint16_t id;
	uint32_t version;
};

static int take_family(const struct nlmsghdr *nlh, void *context)
{
	const struct nlattr *attr;
	struct family *family = context;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID &&
		    mnl_attr_get_payload_len(attr) == sizeof(uint16_t))
			family->id = mnl_attr_get_u16(attr);
		if (mnl_attr_get_type(attr) == CTRL_ATTR_VERSION &&
		    mnl_attr_get_payload_len(attr) == sizeof(uint32_t))
			family->version = mnl_attr_get_u32(attr);
	}
	return 0;
}

static int resolve(struct netlink *nl, const char *name, uint8_t version)
{
	struct family family = { 0 };
	struct nlmsghdr *nlh;
	int status;

	nl->family = GENL_ID_CTRL;
	nl->version = 1;
	nlh = netlink_generic(nl, CTRL_CMD_GETFAMILY, 0);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, name);
	status = netlink_do(nl, nlh, take_family, &family);
	if (status == -ENOENT || (!status && !family.id))
		return failed(nl, -ENOENT, "%s", nl->missing);
	if (!status && family.version != version)
		return failed(nl, -EPROTO, "module %s speaks version %u of its netlink, this tool "
			      "version %u: use both of one release", name, family.version, version);
	nl->family = family.id;
	nl->version = version;
	return status;
}

int netlink_open_generic(struct netlink *nl, const char *family, uint8_t version,
			 const struct attr_table *table, const char *missing)
{
	int status;

	*nl = (struct netlink){ .missing = missing };
	status = open_socket(nl, NETLINK_GENERIC);
	if (!status)
		status = resolve(nl, family, version);
	if (status)
		netlink_close(nl);
	nl->table = table;
	return status;
}
