// SPDX-License-Identifier: GPL-2.0-only
/*
 * A second client of the family, by libnl. It shares the specification's names and types with
 * liquid-nl, and no code.
 *
 *	libnl show DEV			all that can be read of a gate, as lines "path value"
 *	libnl flat <JSON		the JSON of liquid-nl as the same lines
 *	libnl monitor			events, as the lines of one object each
 *	libnl set DEV NAME=NUMBER...	GATE_SET, options named as in the output of show
 *	libnl dests DEV ID=ADDRESS...	DEST_SET
 *	libnl remove DEV ID...		DEST_DEL
 *	libnl push DEV FRAME_NS BASE LEASE_NS RUN:DEST...
 *					one transaction; BASE: ns of CLOCK_TAI
 *	libnl renew DEV, libnl clear DEV
 *
 * A refusal is told as "refused: TEXT", the kernel's, and the exit code is 3. An attribute that
 * is not known here, or has another length, ends the program with 1.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "fields.h"

static __attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("libnl: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	exit(1);
}

/* The path of the value that is being read, as "0.dests.3.keys" */
struct path {
	char text[128];
};

static struct path below(const struct path *path, const char *name)
{
	struct path longer;

	if ((size_t)snprintf(longer.text, sizeof(longer.text), "%s%s%s", path->text,
			     *path->text ? "." : "", name) >= sizeof(longer.text))
		die("%s.%s: too long", path->text, name);
	return longer;
}

static struct path item(const struct path *path, unsigned int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	return below(path, text);
}

static void print_number(const struct path *path, const char *name, uint64_t value)
{
	printf("%s.%s %" PRIu64 "\n", path->text, name, value);
}

/* ---- decoding ---- */

static const struct field *known(const struct nlattr *attr, const struct fields *fields,
				 const struct path *path)
{
	const struct field *field = field_of(fields, nla_type(attr));

	if (!field)
		die("%s: attribute %d is not known", path->text, nla_type(attr));
	if (field_size(field) && (size_t)nla_len(attr) != field_size(field))
		die("%s.%s: %d bytes", path->text, field->name, nla_len(attr));
	return field;
}

static const char *name_of(uint64_t value, const struct field *field)
{
	for (uint64_t i = 0; field->values[i]; i++)
		if (i == value)
			return field->values[i];
	die("%s: no value %" PRIu64, field->name, value);
}

static void print_scalar(const struct nlattr *attr, const struct field *field,
			 const struct path *path)
{
	uint64_t value = field->kind == U8 ? nla_get_u8(attr) :
			 field->kind == U16 ? nla_get_u16(attr) :
			 field->kind == U32 ? nla_get_u32(attr) :
			 field->kind == U64 ? nla_get_u64(attr) : 0;

	if (field->kind == TEXT)
		printf("%s.%s %s\n", path->text, field->name, nla_get_string(attr));
	else if (field->values)
		printf("%s.%s %s\n", path->text, field->name, name_of(value, field));
	else if (field->kind == S32)
		printf("%s.%s %" PRId32 "\n", path->text, field->name, nla_get_s32(attr));
	else if (field->kind == S64)
		printf("%s.%s %" PRId64 "\n", path->text, field->name, nla_get_s64(attr));
	else
		print_number(path, field->name, value);
}

/* All scalars of a nest; other attributes are left to the caller. */
static void print_scalars(const struct nlattr *nest, const struct fields *fields,
			  const struct path *path)
{
	const struct field *field;
	struct nlattr *attr;
	int left;

	nla_for_each_nested(attr, nest, left) {
		field = known(attr, fields, path);
		if (field_size(field) || field->kind == TEXT)
			print_scalar(attr, field, path);
	}
}

/* As liquid-nl takes them: ethertype=0x88f7, udp=319-320, proto=89 */
static void print_rule(const struct nlattr *nest, const struct path *path)
{
	struct nlattr *attr[LIQUID_RULE_A_MAX + 1];
	unsigned int proto, min, max;

	if (nla_parse_nested(attr, LIQUID_RULE_A_MAX, (struct nlattr *)nest, NULL))
		die("%s: malformed", path->text);
	if (attr[LIQUID_RULE_A_ETHERTYPE]) {
		printf("%s ethertype=0x%04x\n", path->text,
		       nla_get_u16(attr[LIQUID_RULE_A_ETHERTYPE]));
		return;
	}
	proto = nla_get_u8(attr[LIQUID_RULE_A_L4PROTO]);
	printf(proto == IPPROTO_TCP ? "%s tcp" : proto == IPPROTO_UDP ? "%s udp" :
	       proto == IPPROTO_SCTP ? "%s sctp" : "%s proto=%u", path->text, proto);
	if (attr[LIQUID_RULE_A_PORT_MIN]) {
		min = nla_get_u16(attr[LIQUID_RULE_A_PORT_MIN]);
		max = min;
		if (attr[LIQUID_RULE_A_PORT_MAX])
			max = nla_get_u16(attr[LIQUID_RULE_A_PORT_MAX]);
		printf(min == max ? "=%u" : "=%u-%u", min, max);
	}
	putchar('\n');
}

static void print_options(const struct nlattr *nest, const struct path *path)
{
	struct nlattr *attr, *rule;
	unsigned int rules = 0;
	struct path place;
	int left, inside;

	print_scalars(nest, &gate_fields, path);
	nla_for_each_nested(attr, nest, left) {
		place = below(path, "bypass");
		if (nla_type(attr) == LIQUID_GATE_A_BYPASS)
			nla_for_each_nested(rule, attr, inside) {
				struct path number = item(&place, rules++);

				print_rule(rule, &number);
			}
		place = below(path, "select_rule");
		if (nla_type(attr) == LIQUID_GATE_A_SELECT_RULE)
			print_rule(attr, &place);
	}
}

/* An empty histogram, and empty buckets at its end, are left out on the wire. */
static uint64_t print_hist(const struct nlattr *nest, const struct path *path)
{
	uint64_t bucket[LIQUID_HIST_BUCKETS] = { 0 }, sum = 0, count = 0;
	struct path place = below(path, "buckets");
	struct nlattr *attr;
	int left;

	if (nest)
		nla_for_each_nested(attr, nest, left) {
			unsigned int type = nla_type(attr);

			if (type == LIQUID_HIST_A_SUM_NS)
				sum = nla_get_u64(attr);
			else if (type == LIQUID_HIST_A_BUCKETS)
				nla_memcpy(bucket, attr, sizeof(bucket));
			else if (type != LIQUID_HIST_A_PAD)
				die("%s: attribute %u is not known", path->text, type);
		}
	print_number(path, "sum_ns", sum);
	for (unsigned int k = 0; k < LIQUID_HIST_BUCKETS; k++) {
		printf("%s.%u %" PRIu64 "\n", place.text, k, bucket[k]);
		count += bucket[k];
	}
	print_number(path, "count", count);
	return count;
}

static void print_bounds(const struct path *path, const char *name, unsigned int factor)
{
	uint64_t bound = LIQUID_HIST_NS;

	for (unsigned int k = 0; k + 1 < LIQUID_HIST_BUCKETS; k++, bound *= factor)
		printf("%s.%s.%u %" PRIu64 "\n", path->text, name, k, bound);
}

/* The bucket that holds the 99.9 % quantile, by its two bounds; the tool tells them with `show`. */
static void print_most(const struct nlattr *nest, const struct path *path)
{
	uint64_t bucket[LIQUID_HIST_BUCKETS] = { 0 }, count = 0, above = 0, limit;
	unsigned int k = LIQUID_HIST_BUCKETS - 1;
	struct nlattr *attr;
	int left;

	if (nest)
		nla_for_each_nested(attr, nest, left)
			if (nla_type(attr) == LIQUID_HIST_A_BUCKETS)
				nla_memcpy(bucket, attr, sizeof(bucket));
	for (unsigned int i = 0; i < LIQUID_HIST_BUCKETS; i++)
		count += bucket[i];
	print_number(path, "count", count);
	if (!count)
		return;
	/* From above, for as long as fewer than one in 1000 are longer */
	limit = count / 1000;
	for (; above + bucket[k] <= limit; k--)
		above += bucket[k];
	print_number(path, "above_ns", k ? LIQUID_HIST_NS << (k - 1) : 0);
	if (k < LIQUID_HIST_BUCKETS - 1)
		print_number(path, "p999_ns", LIQUID_HIST_NS << k);
}

/* What a gate has and a destination has not */
static void print_delays(struct nlattr *const time[], const struct path *path)
{
	struct path lag = below(path, "lag"), xmit = below(path, "xmit"),
		    overrun = below(path, "overrun");

	print_hist(time[LIQUID_TIMES_A_LAG], &lag);
	print_hist(time[LIQUID_TIMES_A_XMIT], &xmit);
	print_hist(time[LIQUID_TIMES_A_OVERRUN], &overrun);
	print_bounds(path, "bounds_ns", 4);
	print_bounds(path, "fine_bounds_ns", 2);
}

/* What `show` tells of a gate's delays */
static void print_lags(const struct nlattr *nest, const struct path *path)
{
	struct nlattr *time[LIQUID_TIMES_A_MAX + 1] = { NULL };
	struct path lag = below(path, "release_lag"), flight = below(path, "in_flight");

	if (nest && nla_parse_nested(time, LIQUID_TIMES_A_MAX, (struct nlattr *)nest, NULL))
		die("%s: malformed", path->text);
	print_most(time[LIQUID_TIMES_A_XMIT], &lag);
	print_most(time[LIQUID_TIMES_A_OVERRUN], &flight);
}

/* @stats: those beside them, which tell how many packets did not wait */
static void print_times(const struct nlattr *nest, const struct nlattr *stats, bool gate,
			const struct path *path)
{
	struct nlattr *time[LIQUID_TIMES_A_MAX + 1] = { NULL };
	struct path wait = below(path, "wait"), late = below(path, "late");
	const struct nlattr *packets = nla_find(nla_data(stats), nla_len(stats),
						LIQUID_STATS_A_PACKETS);
	uint64_t waited;

	if (nest && nla_parse_nested(time, LIQUID_TIMES_A_MAX, (struct nlattr *)nest, NULL))
		die("%s: malformed", path->text);
	waited = print_hist(time[LIQUID_TIMES_A_WAIT], &wait);
	print_hist(time[LIQUID_TIMES_A_LATE], &late);
	if (gate)
		print_delays(time, path);
	print_number(path, "passed", packets ? nla_get_u64(packets) - waited : 0);
}

static void print_key(const struct nlattr *nest, const struct path *path)
{
	const struct nlattr *attr = nla_data(nest);
	char text[INET6_ADDRSTRLEN];
	const uint8_t *value;

	if (!nla_ok(attr, nla_len(nest)))
		die("%s: malformed", path->text);
	value = nla_data(attr);
	switch (nla_type(attr)) {
	case LIQUID_KEY_A_IPV4:
		printf("%s %s\n", path->text, inet_ntop(AF_INET, value, text, sizeof(text)));
		break;
	case LIQUID_KEY_A_IPV6:
		printf("%s %s\n", path->text, inet_ntop(AF_INET6, value, text, sizeof(text)));
		break;
	case LIQUID_KEY_A_ETHER:
		printf("%s %02x:%02x:%02x:%02x:%02x:%02x\n", path->text, value[0], value[1],
		       value[2], value[3], value[4], value[5]);
		break;
	case LIQUID_KEY_A_MARK:
		printf("%s mark:0x%x\n", path->text, nla_get_u32(attr));
		break;
	default:
		die("%s: kind %d", path->text, nla_type(attr));
	}
}

static void print_dest(const struct nlattr *nest, const struct path *path)
{
	struct path stats = below(path, "stats"), times = below(path, "times"),
		    keys = below(path, "keys");
	const struct nlattr *part[LIQUID_DEST_A_MAX + 1] = { NULL };
	unsigned int count = 0;
	struct nlattr *attr;
	int left;

	print_scalars(nest, &dest_fields, path);
	nla_for_each_nested(attr, nest, left) {
		part[nla_type(attr)] = attr;
		if (nla_type(attr) == LIQUID_DEST_A_KEY) {
			struct path place = item(&keys, count++);

			print_key(attr, &place);
		}
	}
	if (!part[LIQUID_DEST_A_STATS])
		die("%s: no counters", path->text);
	print_scalars(part[LIQUID_DEST_A_STATS], &stats_fields, &stats);
	print_times(part[LIQUID_DEST_A_TIMES], part[LIQUID_DEST_A_STATS], false, &times);
}

/* ---- replies ---- */

struct reading {
	struct path path;		/* of the gate */
	const char *which;		/* schedule whose frames are read */
	unsigned int gates, dests, entries;
	bool sched[2];			/* by enum liquid_which: there is one */
};

static void attrs_of(struct nl_msg *msg, struct nlattr *attr[LIQUID_A_MAX + 1])
{
	if (genlmsg_parse(nlmsg_hdr(msg), 0, attr, LIQUID_A_MAX, NULL))
		die("a malformed message");
}

static void print_device(struct nlattr *const *attr, const struct path *path)
{
	char name[IF_NAMESIZE];
	uint32_t ifindex;

	if (!attr[LIQUID_A_IFINDEX])
		die("no IFINDEX");
	ifindex = nla_get_u32(attr[LIQUID_A_IFINDEX]);
	print_number(path, "ifindex", ifindex);
	printf("%s.device %s\n", path->text, if_indextoname(ifindex, name));
}

static int take_gate(struct nl_msg *msg, void *context)
{
	struct nlattr *attr[LIQUID_A_MAX + 1];
	struct reading *reading = context;
	struct path path;

	attrs_of(msg, attr);
	reading->gates++;
	if (!attr[LIQUID_A_STATE] || !attr[LIQUID_A_GATE] || !attr[LIQUID_A_STATS])
		die("a part of the gate is missing");
	print_device(attr, &reading->path);
	path = below(&reading->path, "state");
	print_scalars(attr[LIQUID_A_STATE], &state_fields, &path);
	path = below(&reading->path, "gate");
	print_options(attr[LIQUID_A_GATE], &path);
	path = below(&reading->path, "stats");
	print_scalars(attr[LIQUID_A_STATS], &stats_fields, &path);
	path = below(&reading->path, "times");
	print_times(attr[LIQUID_A_TIMES], attr[LIQUID_A_STATS], true, &path);
	print_lags(attr[LIQUID_A_TIMES], &reading->path);
	for (int which = LIQUID_WHICH_OPER; which <= LIQUID_WHICH_ADMIN; which++) {
		struct nlattr *sched = attr[which == LIQUID_WHICH_OPER ? LIQUID_A_OPER :
							LIQUID_A_ADMIN];

		reading->sched[which] = sched;
		path = below(&reading->path, which == LIQUID_WHICH_OPER ? "oper" : "admin");
		if (sched)
			print_scalars(sched, &sched_fields, &path);
	}
	return NL_OK;
}

/* Of a dump of all gates only this is printed: how each stands, and how many there are. */
static int take_gates(struct nl_msg *msg, void *context)
{
	struct nlattr *attr[LIQUID_A_MAX + 1];
	struct reading *reading = context;
	struct path none = { "" }, gate = item(&none, reading->gates++),
		    state = below(&gate, "state");

	attrs_of(msg, attr);
	print_device(attr, &gate);
	print_scalars(attr[LIQUID_A_STATE], &state_fields, &state);
	return NL_OK;
}

static int take_dests(struct nl_msg *msg, void *context)
{
	struct nlattr *attr[LIQUID_A_MAX + 1], *dest;
	struct reading *reading = context;
	struct path dests = below(&reading->path, "dests"), path;
	int left;

	attrs_of(msg, attr);
	if (attr[LIQUID_A_DESTS])
		nla_for_each_nested(dest, attr[LIQUID_A_DESTS], left) {
			path = item(&dests, reading->dests++);
			print_dest(dest, &path);
		}
	return NL_OK;
}

static int take_entries(struct nl_msg *msg, void *context)
{
	struct nlattr *attr[LIQUID_A_MAX + 1], *entry;
	struct reading *reading = context;
	struct path sched = below(&reading->path, reading->which),
		    entries = below(&sched, "entries"), path;
	int left;

	attrs_of(msg, attr);
	if (attr[LIQUID_A_ENTRIES])
		nla_for_each_nested(entry, attr[LIQUID_A_ENTRIES], left) {
			path = item(&entries, reading->entries++);
			print_scalars(entry, &entry_fields, &path);
		}
	return NL_OK;
}

static int take_event(struct nl_msg *msg, void *context)
{
	struct genlmsghdr *head = genlmsg_hdr(nlmsg_hdr(msg));
	struct nlattr *attr[LIQUID_A_MAX + 1];
	struct reading *reading = context;
	struct path none = { "" }, path = item(&none, reading->gates++);

	attrs_of(msg, attr);
	if (head->cmd != LIQUID_CMD_EVENT || !attr[LIQUID_A_EVENT])
		die("no event");
	print_device(attr, &path);
	print_scalars(attr[LIQUID_A_EVENT], &event_info_fields, &path);
	return NL_OK;
}

/* ---- requests ---- */

struct client {
	struct nl_sock *socket;
	int family;
	uint32_t ifindex;
};

/* The extended ack follows the header of the request, or the whole of it. */
static int tell_refusal(struct sockaddr_nl *from, struct nlmsgerr *error, void *context)
{
	const struct nlmsghdr *head = (const struct nlmsghdr *)error - 1;
	size_t skip = sizeof(*error);
	const struct nlattr *text;

	(void)from;
	(void)context;
	if (!(head->nlmsg_flags & NLM_F_CAPPED))
		skip += error->msg.nlmsg_len - NLMSG_HDRLEN;
	text = head->nlmsg_flags & NLM_F_ACK_TLVS ?
	       nla_find((const struct nlattr *)((const char *)error + skip),
			head->nlmsg_len - NLMSG_HDRLEN - skip, NLMSGERR_ATTR_MSG) : NULL;
	fprintf(stderr, "refused: %s\n", text ? (const char *)nla_data(text) : "no text");
	exit(3);
}

static struct nl_sock *connected(void)
{
	struct nl_sock *socket = nl_socket_alloc();
	int one = 1;

	if (!socket || genl_connect(socket))
		die("no generic netlink");
	if (setsockopt(nl_socket_get_fd(socket), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one)))
		die("no extended acks: %s", strerror(errno));
	nl_socket_modify_err_cb(socket, NL_CB_CUSTOM, tell_refusal, NULL);
	return socket;
}

static void client_open(struct client *client)
{
	client->socket = connected();
	client->family = genl_ctrl_resolve(client->socket, LIQUID_GENL_NAME);
	if (client->family < 0)
		die("no family " LIQUID_GENL_NAME);
}

static struct nl_msg *request(const struct client *client, int how, uint8_t command)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, client->family, 0, how, command,
				 LIQUID_GENL_VERSION))
		die("no memory");
	if (client->ifindex && nla_put_u32(msg, LIQUID_A_IFINDEX, client->ifindex))
		die("no memory");
	return msg;
}

static void send_request(const struct client *client, struct nl_msg *msg)
{
	int status = nl_send_sync(client->socket, msg);

	if (status)
		die("%s", nl_geterror(status));
}

static void read_reply(const struct client *client, struct nl_msg *msg, nl_recvmsg_msg_cb_t take,
		       struct reading *reading)
{
	bool dump = nlmsg_hdr(msg)->nlmsg_flags & NLM_F_DUMP;
	int status;

	nl_socket_modify_cb(client->socket, NL_CB_VALID, NL_CB_CUSTOM, take, reading);
	status = nl_send_auto(client->socket, msg);
	if (status >= 0)
		status = nl_recvmsgs_default(client->socket);
	if (status >= 0 && !dump)
		status = nl_wait_for_ack(client->socket);
	if (status < 0)
		die("%s", nl_geterror(status));
	nlmsg_free(msg);
}

static void show_frames(const struct client *client, struct reading *reading, uint32_t which)
{
	struct nl_msg *msg = request(client, NLM_F_DUMP, LIQUID_CMD_SCHED_GET);

	reading->which = which == LIQUID_WHICH_OPER ? "oper" : "admin";
	reading->entries = 0;
	nla_put_u32(msg, LIQUID_A_WHICH, which);
	read_reply(client, msg, take_entries, reading);
}

static int show(struct client *client, char **args)
{
	struct reading reading = { .path = { "0" } };

	(void)args;
	if (!client->ifindex) {
		read_reply(client, request(client, NLM_F_DUMP, LIQUID_CMD_GATE_GET), take_gates,
			   &reading);
		return 0;
	}
	read_reply(client, request(client, 0, LIQUID_CMD_GATE_GET), take_gate, &reading);
	read_reply(client, request(client, NLM_F_DUMP, LIQUID_CMD_DEST_GET), take_dests, &reading);
	for (uint32_t which = LIQUID_WHICH_OPER; which <= LIQUID_WHICH_ADMIN; which++)
		if (reading.sched[which])
			show_frames(client, &reading, which);
	return 0;
}

static void put_option(struct nl_msg *msg, const char *text)
{
	const char *equals = strchrnul(text, '=');
	int64_t value = *equals ? strtoll(equals + 1, NULL, 0) : 0;

	for (uint16_t type = 1; type <= gate_fields.max; type++) {
		const struct field *field = field_of(&gate_fields, type);

		if (!field || strncmp(field->name, text, equals - text) ||
		    field->name[equals - text])
			continue;
		/* the low bytes come first */
		if (!field_size(field) || nla_put(msg, type, field_size(field), &value))
			die("%s cannot be set", text);
		return;
	}
	die("no option '%s'", text);
}

static int set(struct client *client, char **args)
{
	struct nl_msg *msg = request(client, 0, LIQUID_CMD_GATE_SET);
	struct nlattr *nest = nla_nest_start(msg, LIQUID_A_GATE);

	for (; *args; args++)
		put_option(msg, *args);
	nla_nest_end(msg, nest);
	send_request(client, msg);
	return 0;
}

static void put_key(struct nl_msg *msg, const char *address)
{
	struct nlattr *nest = nla_nest_start(msg, LIQUID_DEST_A_KEY);
	bool longer = strchr(address, ':');
	uint8_t value[16];

	if (inet_pton(longer ? AF_INET6 : AF_INET, address, value) != 1)
		die("no address '%s'", address);
	nla_put(msg, longer ? LIQUID_KEY_A_IPV6 : LIQUID_KEY_A_IPV4, longer ? 16 : 4, value);
	nla_nest_end(msg, nest);
}

static void put_dests(struct nl_msg *msg, char **args)
{
	struct nlattr *dests = nla_nest_start(msg, LIQUID_A_DESTS);

	for (; *args; args++) {
		struct nlattr *dest = nla_nest_start(msg, LIQUID_A_DEST);
		char *rest;

		nla_put_u32(msg, LIQUID_DEST_A_ID, strtoul(*args, &rest, 10));
		if (*rest == '=')
			put_key(msg, rest + 1);
		nla_nest_end(msg, dest);
	}
	nla_nest_end(msg, dests);
}

static int dests(struct client *client, char **args)
{
	struct nl_msg *msg = request(client, 0, LIQUID_CMD_DEST_SET);

	put_dests(msg, args);
	send_request(client, msg);
	return 0;
}

static int remove_dests(struct client *client, char **args)
{
	struct nl_msg *msg = request(client, 0, LIQUID_CMD_DEST_DEL);

	put_dests(msg, args);
	send_request(client, msg);
	return 0;
}

static uint32_t put_entries(struct nl_msg *msg, char **args)
{
	struct nlattr *entries = nla_nest_start(msg, LIQUID_A_ENTRIES);
	uint32_t frames = 0;

	for (; *args; args++) {
		struct nlattr *entry = nla_nest_start(msg, LIQUID_A_ENTRY);
		char *rest;
		uint32_t run = strtoul(*args, &rest, 10);

		frames += run;
		nla_put_u32(msg, LIQUID_ENTRY_A_RUN, run);
		if (strcmp(rest, ":-"))
			nla_put_u32(msg, LIQUID_ENTRY_A_DEST, strtoul(rest + 1, NULL, 10));
		nla_nest_end(msg, entry);
	}
	nla_nest_end(msg, entries);
	return frames;
}

static int push(struct client *client, char **args)
{
	struct nl_msg *begin = request(client, 0, LIQUID_CMD_SCHED_BEGIN),
		      *entries = request(client, 0, LIQUID_CMD_SCHED_ENTRIES),
		      *commit = request(client, 0, LIQUID_CMD_SCHED_COMMIT);
	struct nlattr *sched = nla_nest_start(begin, LIQUID_A_SCHED);
	uint64_t lease;

	if (!args[0] || !args[1] || !args[2])
		die("push DEV FRAME_NS BASE LEASE_NS RUN:DEST...");
	nla_put_u64(begin, LIQUID_SCHED_A_FRAME_NS, strtoull(args[0], NULL, 10));
	nla_put_u32(begin, LIQUID_SCHED_A_FRAMES, put_entries(entries, args + 3));
	nla_nest_end(begin, sched);
	nla_put_s64(commit, LIQUID_A_BASE_TIME, strtoll(args[1], NULL, 10));
	lease = strtoull(args[2], NULL, 10);
	if (lease)
		nla_put_u64(commit, LIQUID_A_LEASE_NS, lease);
	send_request(client, begin);
	send_request(client, entries);
	send_request(client, commit);
	return 0;
}

static int renew(struct client *client, char **args)
{
	(void)args;
	send_request(client, request(client, 0, LIQUID_CMD_LEASE_RENEW));
	return 0;
}

static int clear(struct client *client, char **args)
{
	(void)args;
	send_request(client, request(client, 0, LIQUID_CMD_SCHED_CLEAR));
	return 0;
}

static int skip_gate(struct nl_msg *msg, void *context)
{
	(void)msg;
	(void)context;
	return NL_OK;
}

/* Who joins and then reads the gates is told what follows. */
static int monitor(struct client *client, char **args)
{
	struct reading reading = { .path = { "" } };
	struct nl_sock *socket = connected();
	int group = genl_ctrl_resolve_grp(socket, LIQUID_GENL_NAME, LIQUID_GENL_EVENTS), status;

	(void)args;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (group < 0 || nl_socket_add_membership(socket, group))
		die("no group " LIQUID_GENL_EVENTS);
	nl_socket_disable_seq_check(socket);
	nl_socket_modify_cb(socket, NL_CB_VALID, NL_CB_CUSTOM, take_event, &reading);
	read_reply(client, request(client, NLM_F_DUMP, LIQUID_CMD_GATE_GET), skip_gate, NULL);
	for (;;) {
		status = nl_recvmsgs_default(socket);
		if (status < 0)
			die("%s", nl_geterror(status));
	}
}

/* ---- the JSON of liquid-nl ---- */

static void flatten(const json_t *json, const struct path *path)
{
	struct path place;
	const char *name;
	json_t *member;
	size_t i;

	switch (json_typeof(json)) {
	case JSON_OBJECT:
		json_object_foreach((json_t *)json, name, member) {
			place = below(path, name);
			flatten(member, &place);
		}
		break;
	case JSON_ARRAY:
		json_array_foreach(json, i, member) {
			place = item(path, i);
			flatten(member, &place);
		}
		break;
	case JSON_INTEGER:
		printf("%s %" JSON_INTEGER_FORMAT "\n", path->text, json_integer_value(json));
		break;
	case JSON_STRING:
		printf("%s %s\n", path->text, json_string_value(json));
		break;
	case JSON_NULL:			/* what is not there has no line */
		break;
	default:
		die("%s: of another type", path->text);
	}
}

/* One document, or an object a line, which is numbered */
static int flat(void)
{
	struct path none = { "" };
	unsigned int number = 0;
	json_error_t error;
	json_t *json;
	int next;

	for (;;) {
		struct path path = item(&none, number);

		do
			next = getchar();
		while (next == '\n');
		if (next == EOF)
			return number ? 0 : 1;
		ungetc(next, stdin);
		json = json_loadf(stdin, JSON_DISABLE_EOF_CHECK, &error);
		if (!json)
			die("%s", error.text);
		flatten(json, json_is_array(json) ? &none : &path);
		json_decref(json);
		number++;
	}
}

static const struct {
	const char *name;
	int (*run)(struct client *client, char **args);
} commands[] = {
	{ "show", show }, { "set", set }, { "dests", dests }, { "remove", remove_dests },
	{ "push", push }, { "renew", renew }, { "clear", clear }, { "monitor", monitor },
};

int main(int argc, char **argv)
{
	struct client client = { 0 };

	if (argc == 2 && !strcmp(argv[1], "flat"))
		return flat();
	if (argc > 2) {
		client.ifindex = if_nametoindex(argv[2]);
		if (!client.ifindex)
			die("no device '%s'", argv[2]);
	}
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, argv[1]))
			continue;
		client_open(&client);
		return commands[i].run(&client, argv + (argc > 2 ? 3 : 2));
	}
	die("see the head of libnl.c");
}
