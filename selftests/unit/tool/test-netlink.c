// SPDX-License-Identifier: GPL-2.0-only
/* Netlink answers played back: refusals with their extended acks, interrupted dumps, debris. */
#include <errno.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "gate/gate.h"
#include "tap.h"

/* ---- a kernel that answers what a test has written; in place of libmnl's sockets ---- */

#define DATAGRAMS 40
static char datagram[DATAGRAMS][4096] __attribute__((aligned(8)));
static size_t length[DATAGRAMS];
static int written, played, requests;
static uint32_t last_seq;

struct mnl_socket *mnl_socket_open2(int bus, int flags)
{
	(void)bus;
	(void)flags;
	return (struct mnl_socket *)datagram;
}

int mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
{
	(void)nl;
	(void)groups;
	(void)pid;
	return 0;
}

int mnl_socket_setsockopt(const struct mnl_socket *nl, int type, void *buf, socklen_t len)
{
	(void)nl;
	(void)type;
	(void)buf;
	(void)len;
	return 0;
}

int mnl_socket_get_fd(const struct mnl_socket *nl)
{
	(void)nl;
	return -1;
}

int mnl_socket_close(struct mnl_socket *nl)
{
	(void)nl;
	return 0;
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *req, size_t size)
{
	(void)nl;
	last_seq = ((const struct nlmsghdr *)req)->nlmsg_seq;
	requests++;
	return size;
}

ssize_t mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t size)
{
	struct nlmsghdr *nlh;

	(void)nl;
	(void)size;
	if (played == written) {
		errno = ENOMSG;
		return -1;
	}
	nlh = (struct nlmsghdr *)datagram[played];
	if (!nlh->nlmsg_len) {
		played++;
		errno = ENOBUFS;
		return -1;
	}
	if (!nlh->nlmsg_seq)
		nlh->nlmsg_seq = last_seq;
	memcpy(buf, nlh, length[played]);
	return length[played++];
}

/* ---- writing answers ---- */

static struct nlmsghdr *answer(uint16_t type, uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(datagram[written]);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = flags;
	return nlh;
}

static void written_up(const struct nlmsghdr *nlh)
{
	length[written++] = nlh->nlmsg_len;
}

static struct nlmsghdr *error_answer(int error, uint16_t flags)
{
	struct nlmsghdr *nlh = answer(NLMSG_ERROR, flags);
	struct nlmsgerr *err = mnl_nlmsg_put_extra_header(nlh, sizeof(*err));

	err->error = error;
	err->msg.nlmsg_len = sizeof(err->msg);
	return nlh;
}

static void write_error(int error, const char *text, int64_t offset)
{
	struct nlmsghdr *nlh = error_answer(error, NLM_F_CAPPED | NLM_F_ACK_TLVS);

	if (text)
		mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, text);
	if (offset >= 0)
		mnl_attr_put_u32(nlh, NLMSGERR_ATTR_OFFS, offset);
	written_up(nlh);
}

static void write_run(uint32_t run, uint16_t flags)
{
	struct nlmsghdr *nlh = answer(GENL_ID_CTRL, NLM_F_MULTI | flags);
	const struct gate_run one = { run, LIQUID_NONE };

	mnl_nlmsg_put_extra_header(nlh, sizeof(struct genlmsghdr));
	gate_put_runs(nlh, &one, 1);
	written_up(nlh);
}

static void write_done(int error, const char *text)
{
	struct nlmsghdr *nlh = answer(NLMSG_DONE, NLM_F_MULTI | (text ? NLM_F_ACK_TLVS : 0));
	int *payload = mnl_nlmsg_put_extra_header(nlh, sizeof(*payload));

	*payload = error;
	if (text)
		mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, text);
	written_up(nlh);
}

/* More came than the socket holds. */
static void write_loss(void)
{
	written++;
}

static const char *label;		/* of the next events, with @label_size bytes */
static size_t label_size;

static void write_event(uint16_t family, uint8_t command, uint32_t kind)
{
	struct nlmsghdr *nlh = answer(family, 0);
	struct genlmsghdr *header = mnl_nlmsg_put_extra_header(nlh, sizeof(*header));
	struct nlattr *nest;

	header->cmd = command;
	mnl_attr_put_u32(nlh, LIQUID_A_IFINDEX, 3);
	nest = mnl_attr_nest_start(nlh, LIQUID_A_EVENT);
	mnl_attr_put_u32(nlh, LIQUID_EVENT_A_KIND, kind);
	mnl_attr_put_u64(nlh, LIQUID_EVENT_A_COUNT, 5);
	if (label)
		mnl_attr_put(nlh, LIQUID_EVENT_A_LABEL, label_size, label);
	mnl_attr_nest_end(nlh, nest);
	written_up(nlh);
}

static void write_family_gone(uint16_t family)
{
	struct nlmsghdr *nlh = answer(GENL_ID_CTRL, 0);
	struct genlmsghdr *header = mnl_nlmsg_put_extra_header(nlh, sizeof(*header));

	header->cmd = CTRL_CMD_DELFAMILY;
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, family);
	written_up(nlh);
}

static void forget(void)
{
	memset(datagram, 0, sizeof(datagram));
	written = played = requests = 0;
}

/* ---- a session ---- */

/* Open the family, of which the kernel has @version. */
static int open_family(struct netlink *nl, uint32_t version)
{
	struct nlmsghdr *nlh;

	forget();
	nlh = answer(GENL_ID_CTRL, 0);
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct genlmsghdr));
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, 77);
	mnl_attr_put_u32(nlh, CTRL_ATTR_VERSION, version);
	written_up(nlh);
	write_error(0, NULL, -1);
	return netlink_open_generic(nl, "liquid", 2, &liquid_table, "not there");
}

static void open_session(struct netlink *nl)
{
	ok(!open_family(nl, 2) && nl->family == 77, "the family is found");
}

static void check_version(void)
{
	static const char *const text = "module liquid speaks version 1 of its netlink, "
					"this tool version 2: use both of one release";
	struct netlink nl;

	ok(open_family(&nl, 1) == -EPROTO && !strcmp(nl.text, text), "an older module");
	ok(open_family(&nl, 3) == -EPROTO && strstr(nl.text, "version 3"), "a newer module");
}

static void check_absent(void)
{
	struct netlink nl;

	forget();
	write_error(-ENOENT, NULL, -1);
	ok(netlink_open_generic(&nl, "liquid", 2, &liquid_table, "not there") == -ENOENT &&
	   !strcmp(nl.text, "not there"), "a family that is absent");
}

static void check_refusals(struct netlink *nl)
{
	struct nlmsghdr *nlh;

	forget();
	write_error(-EINVAL, "too much", 28);
	nlh = netlink_generic(nl, LIQUID_CMD_GATE_SET, 0);
	mnl_attr_put_u32(nlh, LIQUID_A_IFINDEX, 1);
	gate_put_options(nlh, LIQUID_A_GATE, &(struct gate_options){ 0 });
	ok(netlink_do(nl, nlh, NULL, NULL) == -EINVAL && !strcmp(nl->text, "too much (GATE)"),
	   "an extended ack is the text, with the attribute's name");

	forget();
	write_error(-EBUSY, NULL, -1);
	ok(gate_sched_clear(nl, 1) == -EBUSY && !strcmp(nl->text, strerror(EBUSY)),
	   "without an extended ack errno is the text");

	forget();
	write_error(-EPERM, NULL, -1);
	ok(gate_sched_clear(nl, 1) == -EPERM && strstr(nl->text, "CAP_NET_ADMIN"),
	   "a lack of privilege names the privilege");

	forget();
	write_error(-EPERM, "use longer frames", -1);
	ok(gate_sched_clear(nl, 1) == -EPERM && !strcmp(nl->text, "use longer frames"),
	   "but the module's reason goes first");

	forget();
	write_error(0, "done, but", -1);
	ok(!gate_sched_clear(nl, 1) && !strcmp(nl->warning, "done, but"),
	   "a note to a request that was granted");
}

/* An older kernel sends the request back: the attributes come after it. */
static void check_echo(struct netlink *nl)
{
	struct nlmsghdr *nlh;
	struct nlmsgerr *err;

	forget();
	nlh = error_answer(-EINVAL, NLM_F_ACK_TLVS);
	err = mnl_nlmsg_get_payload(nlh);
	err->msg.nlmsg_len += 16;
	memset(mnl_nlmsg_put_extra_header(nlh, 16), 0xff, 16);
	mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, "after the echo");
	written_up(nlh);
	ok(gate_sched_clear(nl, 1) == -EINVAL && !strcmp(nl->text, "after the echo"),
	   "an extended ack behind the echoed request");

	forget();
	nlh = error_answer(-EINVAL, NLM_F_ACK_TLVS);
	err = mnl_nlmsg_get_payload(nlh);
	err->msg.nlmsg_len = 4000000;
	written_up(nlh);
	ok(gate_sched_clear(nl, 1) == -EINVAL && !strcmp(nl->text, strerror(EINVAL)),
	   "an echo that is longer than the answer is not followed");
}

static void check_dumps(struct netlink *nl)
{
	struct gate_runs runs = { 0 };

	forget();
	write_run(3, NLM_F_DUMP_INTR);
	write_done(0, NULL);
	write_run(5, 0);
	write_done(0, NULL);
	ok(!gate_sched_dump(nl, 1, LIQUID_WHICH_OPER, &runs) && requests == 2 && runs.count == 1 &&
	   runs.run[0].run == 5,
	   "trap 13: an interrupted dump is repeated, its first part forgotten");
	gate_runs_clear(&runs);

	forget();
	for (int i = 0; i < NETLINK_DUMP_TRIES; i++) {
		write_run(3, NLM_F_DUMP_INTR);
		write_done(0, NULL);
	}
	ok(gate_sched_dump(nl, 1, LIQUID_WHICH_OPER, &runs) == -EINTR &&
	   requests == NETLINK_DUMP_TRIES && !runs.count, "not more often than the bound");
	gate_runs_clear(&runs);

	forget();
	write_run(3, 0);
	write_done(-ENODEV, "no gate");
	ok(gate_sched_dump(nl, 1, LIQUID_WHICH_OPER, &runs) == -ENODEV &&
	   !strcmp(nl->text, "no gate"), "a dump that ends in a refusal");
	gate_runs_clear(&runs);
}

static void check_strays(struct netlink *nl)
{
	struct nlmsghdr *nlh;
	struct gate gate;

	forget();
	nlh = error_answer(-EBUSY, NLM_F_CAPPED);
	nlh->nlmsg_seq = 12345;
	written_up(nlh);
	write_error(0, NULL, -1);
	ok(!gate_sched_clear(nl, 1), "the answer to another request is passed over");

	forget();
	write_error(0, NULL, -1);
	ok(gate_get(nl, 1, &gate) == -EPROTO, "an empty answer is not a gate");

	forget();
	nlh = answer(NLMSG_ERROR, 0);
	mnl_nlmsg_put_extra_header(nlh, 4);
	written_up(nlh);
	ok(gate_sched_clear(nl, 1) == -EPROTO, "an answer that is cut off");

	forget();
	ok(gate_sched_clear(nl, 1) == -ENOMSG, "no answer at all");
}

/* ---- events ---- */

static int events;

static int take_event(const struct nlmsghdr *nlh, void *event)
{
	events++;
	return gate_take_event(nlh, event);
}

static void check_joining(struct netlink *nl)
{
	struct nlattr *groups, *group;
	struct nlmsghdr *nlh;

	forget();
	write_error(0, NULL, -1);
	ok(gate_events_join(nl) == -ENOENT && strstr(nl->text, "too old") && nl->family == 77,
	   "a module without events is older");

	forget();
	nlh = answer(GENL_ID_CTRL, 0);
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct genlmsghdr));
	groups = mnl_attr_nest_start(nlh, CTRL_ATTR_MCAST_GROUPS);
	group = mnl_attr_nest_start(nlh, 1);
	mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, 9);
	mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME, "others");
	mnl_attr_nest_end(nlh, group);
	mnl_attr_nest_end(nlh, groups);
	written_up(nlh);
	write_error(0, NULL, -1);
	ok(gate_events_join(nl) == -ENOENT, "another group is not the one of events");
}

/* The label of an event that has these bytes; NULL: the event is malformed */
static const char *take_labelled(struct netlink *nl, const char *bytes, size_t size)
{
	static struct gate_event event;

	forget();
	label = bytes;
	label_size = size;
	write_event(77, LIQUID_CMD_EVENT, LIQUID_EVENT_OPER);
	label = NULL;
	return gate_events_wait(nl, take_event, &event) ? NULL : event.label;
}

static void check_labels(struct netlink *nl)
{
	char longest[LIQUID_LABEL_MAX + 2];
	const char *taken;

	memset(longest, 'x', sizeof(longest));
	longest[LIQUID_LABEL_MAX] = 0;
	taken = take_labelled(nl, longest, LIQUID_LABEL_MAX + 1);
	ok(taken && !strcmp(taken, longest), "the longest label");
	taken = take_labelled(nl, "job=17", 7);
	ok(taken && !strcmp(taken, "job=17"), "a short one leaves nothing of it");
	ok(!take_labelled(nl, "job=17", 6), "a label without an end");
	ok(!take_labelled(nl, "", 0), "a label without a byte");
	memset(longest, 'x', sizeof(longest));
	longest[LIQUID_LABEL_MAX + 1] = 0;
	ok(!take_labelled(nl, longest, sizeof(longest)), "a label that is too long");
}

static void check_events(struct netlink *nl)
{
	struct gate_event event;
	struct nlmsghdr *nlh;

	forget();
	events = 0;
	write_event(77, LIQUID_CMD_GATE_GET, LIQUID_EVENT_LATE);
	write_event(78, LIQUID_CMD_EVENT, LIQUID_EVENT_LATE);
	write_family_gone(78);
	write_event(77, LIQUID_CMD_EVENT, LIQUID_EVENT_LATE);
	for (int i = 0; i < 3; i++)
		if (gate_events_wait(nl, take_event, &event))
			events = -10;
	ok(!events, "what is not an event, and another family's, is passed over");
	ok(!gate_events_wait(nl, take_event, &event) && events == 1 && event.ifindex == 3 &&
	   event.kind == LIQUID_EVENT_LATE && event.count == 5, "an event is taken");

	forget();
	nlh = answer(77, 0);
	((struct genlmsghdr *)mnl_nlmsg_put_extra_header(nlh, sizeof(struct genlmsghdr)))->cmd =
		LIQUID_CMD_EVENT;
	mnl_attr_put_u16(nlh, LIQUID_A_IFINDEX, 3);
	written_up(nlh);
	ok(gate_events_wait(nl, take_event, &event) == -EPROTO && strstr(nl->text, "malformed"),
	   "an event that is cut off");

	forget();
	answer(77, 0);
	written_up((struct nlmsghdr *)datagram[0]);
	write_loss();
	write_family_gone(77);
	ok(!gate_events_wait(nl, take_event, &event), "a message without a header is passed over");
	ok(gate_events_wait(nl, take_event, &event) == -ENOBUFS, "a loss is reported");
	ok(gate_events_wait(nl, take_event, &event) == -ENODEV && strstr(nl->text, "unloaded"),
	   "that the module goes is reported");
}

int main(void)
{
	struct netlink nl;

	check_absent();
	check_version();
	open_session(&nl);
	check_refusals(&nl);
	check_echo(&nl);
	check_dumps(&nl);
	check_strays(&nl);
	check_joining(&nl);
	check_events(&nl);
	check_labels(&nl);
	netlink_close(&nl);
	return tap_exit();
}
