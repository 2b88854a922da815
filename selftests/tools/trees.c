// SPDX-License-Identifier: GPL-2.0-only
/*
 * trees: random trees of attributes, made by the names and types of the family's attributes
 *
 *	trees DEV SECONDS SEED [calm | small]
 *
 * Half of the requests are valid as far as one can know: options, destinations, transactions that
 * are filled and committed, dumps. A quarter are such requests with one to three attributes spoilt:
 * type, length, flags, a bit, an extreme value, or all that follows. A quarter are random trees,
 * with any command. They go over several sockets, which are closed now and then, as they are. One
 * request in 16 is a change of the qdisc, with the same options in TCA_OPTIONS.
 *
 * Prints how many were accepted, and of these the commits; and how many had no answer. With "calm"
 * nothing else may change the gate, no schedule is due soon, and there is no traffic: then a
 * refused request must leave no trace, and "changed" says how many did. With "small" no request is
 * longer than a page: where allocations fail, the core warns of those of longer ones.
 */
#include <arpa/inet.h>
#include <time.h>

#include "wire.h"

#define SOCKETS		4
#define IDS		16	/* destinations of valid requests have ids below */
#define DEPTH_MAX	5
#define SPOIL_MAX	512	/* attributes of a message that may be spoilt */
#define SMALL_MAX	3000	/* bytes of a request that fits into a page */
#define FAR_AWAY	4000000000000000000LL	/* ns; no schedule comes into force */

/* A socket, and the transaction that it may have open */
struct sender {
	struct session session;
	uint32_t frames, filled;
};

static struct {
	unsigned long requests, accepted, commits, lost, changed;
} sum;

static uint64_t state;
static bool calm, small;

/* xorshift64* */
static uint64_t draw(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dULL;
}

static uint64_t below(uint64_t bound)
{
	return (draw() >> 8) % bound;
}

static bool one_in(uint64_t n)
{
	return !below(n);
}

static int64_t clock_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void put_u8(uint16_t type, uint64_t value)
{
	uint8_t narrow = (uint8_t)value;

	nl_put(&message, type, &narrow, sizeof(narrow));
}

static void put_u16(uint16_t type, uint64_t value)
{
	uint16_t narrow = (uint16_t)value;

	nl_put(&message, type, &narrow, sizeof(narrow));
}

static void put_u32(uint16_t type, uint64_t value)
{
	uint32_t narrow = (uint32_t)value;

	nl_put(&message, type, &narrow, sizeof(narrow));
}

static void put_u64(uint16_t type, uint64_t value)
{
	nl_put(&message, type, &value, sizeof(value));
}

/* ---- valid requests ---- */

static void put_rule(uint16_t type)
{
	size_t nest = nl_nest(&message, type);

	if (one_in(2)) {
		put_u16(LIQUID_RULE_A_ETHERTYPE, 0x0800 + below(0x8000));
	} else {
		put_u8(LIQUID_RULE_A_L4PROTO, one_in(2) ? IPPROTO_UDP : IPPROTO_TCP);
		if (one_in(2)) {
			put_u16(LIQUID_RULE_A_PORT_MIN, 1 + below(5000));
			put_u16(LIQUID_RULE_A_PORT_MAX, 5000 + below(1000));
		}
	}
	nl_nest_end(&message, nest);
}

static void put_bypass(void)
{
	size_t nest = nl_nest(&message, LIQUID_GATE_A_BYPASS);

	for (uint64_t n = below(4); n; n--)
		put_rule(LIQUID_GATE_A_RULE);
	nl_nest_end(&message, nest);
}

static void put_select(void)
{
	uint64_t select = below(4);

	put_u32(LIQUID_GATE_A_SELECT, select);
	if (select == LIQUID_SELECT_MARK) {
		put_u32(LIQUID_GATE_A_SELECT_MASK, 3);
		put_u32(LIQUID_GATE_A_SELECT_MARK, below(4));
	}
	if (select == LIQUID_SELECT_DSCP)
		put_u8(LIQUID_GATE_A_SELECT_DSCP, below(LIQUID_DSCP_MAX + 1));
	if (select == LIQUID_SELECT_RULE)
		put_rule(LIQUID_GATE_A_SELECT_RULE);
}

static void put_options(uint16_t type)
{
	size_t nest = nl_nest(&message, type);

	if (one_in(4))
		put_u64(LIQUID_GATE_A_RATE_BPS, 10000000ULL << below(8));
	if (one_in(4))
		put_u32(LIQUID_GATE_A_OVERHEAD, below(64));
	if (one_in(4))
		put_u32(LIQUID_GATE_A_MPU, below(128));
	if (one_in(4))
		put_u32(LIQUID_GATE_A_AHEAD_NS, below(200000));
	if (one_in(4))
		put_u32(LIQUID_GATE_A_LIMIT_PACKETS, 1 + below(2000));
	if (one_in(4))
		put_u64(LIQUID_GATE_A_DEST_LIMIT_BYTES, 1 + below(200000));
	if (one_in(4))
		put_u32(LIQUID_GATE_A_HORIZON_MS, below(100));
	if (one_in(4))
		put_u32(LIQUID_GATE_A_POLICY, below(4));
	if (one_in(4))
		put_u32(LIQUID_GATE_A_RESERVE, below(1001));
	if (one_in(4))
		put_u32(LIQUID_GATE_A_CONTROL, below(1001));
	if (one_in(4))
		put_u32(LIQUID_GATE_A_ACKS, below(2));
	if (one_in(8))
		put_u8(LIQUID_GATE_A_SKIP_OPEN, below(2));
	if (one_in(8))
		put_u32(LIQUID_GATE_A_LAUNCH_NS, below(2) * 1000);
	if (one_in(8))
		put_u32(LIQUID_GATE_A_WAKE_EARLY_NS, below(LIQUID_WAKE_EARLY_NS_MAX + 2));
	if (one_in(8))
		put_u32(LIQUID_GATE_A_CPU_LATENCY_NS, below(3) * 1000);
	if (one_in(8))
		put_u8(LIQUID_GATE_A_MATCH_MARK, below(2));
	if (one_in(6))
		put_bypass();
	if (one_in(6))
		put_select();
	nl_nest_end(&message, nest);
}

static void put_key(uint64_t id, uint64_t which)
{
	size_t nest = nl_nest(&message, LIQUID_DEST_A_KEY);
	unsigned char bytes[16] = { 0xfd };

	bytes[15] = (unsigned char)(id + 2 + which * IDS);
	if (which == LIQUID_KEY_A_IPV4)
		put_u32(LIQUID_KEY_A_IPV4, htonl(0x0a000002U + (uint32_t)id));
	else if (which == LIQUID_KEY_A_IPV6)
		nl_put(&message, LIQUID_KEY_A_IPV6, bytes, sizeof(bytes));
	else if (which == LIQUID_KEY_A_ETHER)
		nl_put(&message, LIQUID_KEY_A_ETHER, bytes + 10, 6);
	else
		put_u32(LIQUID_KEY_A_MARK, id);
	nl_nest_end(&message, nest);
}

static void put_dests(bool keys)
{
	size_t nest = nl_nest(&message, LIQUID_A_DESTS);

	for (uint64_t n = 1 + below(3), id = below(IDS); n; n--, id = (id + 5) % IDS) {
		size_t dest = nl_nest(&message, LIQUID_A_DEST);

		put_u32(LIQUID_DEST_A_ID, id);
		for (uint64_t which = 1; keys && which < 2 + below(4); which++)
			put_key(id, which);
		nl_nest_end(&message, dest);
	}
	nl_nest_end(&message, nest);
}

static void put_sched(uint32_t *frames)
{
	static const char label[] = "job=17 round=17-1";
	size_t cut = below(sizeof(label) - 1);
	size_t nest = nl_nest(&message, LIQUID_A_SCHED);

	*frames = (uint32_t)(one_in(50) ? 1 + below(20000) : 1 + below(8));
	put_u64(LIQUID_SCHED_A_FRAME_NS, one_in(8) ? 10000 : 100000 + below(2000000));
	put_u64(LIQUID_SCHED_A_GUARD_NS, below(10000));
	put_u32(LIQUID_SCHED_A_FRAMES, *frames);
	if (one_in(4))
		put_u64(LIQUID_SCHED_A_CYCLES, 1 + below(50));
	put_u32(LIQUID_SCHED_A_THEN, below(8) ? LIQUID_THEN_OPEN : LIQUID_THEN_HOLD);
	if (one_in(4))
		nl_put(&message, LIQUID_SCHED_A_LABEL, label + cut, sizeof(label) - cut);
	if (one_in(4))
		put_u32(LIQUID_SCHED_A_USER, below(70000));
	nl_nest_end(&message, nest);
}

static void put_entries(uint32_t frames)
{
	size_t nest = nl_nest(&message, LIQUID_A_ENTRIES);

	while (frames) {
		uint32_t run = (uint32_t)(1 + below(frames > 8 ? frames : 3));
		size_t entry = nl_nest(&message, LIQUID_A_ENTRY);

		run = run > frames ? frames : run;
		frames -= run;
		put_u32(LIQUID_ENTRY_A_RUN, run);
		if (frames && below(4))
			put_u32(LIQUID_ENTRY_A_DEST, below(4));
		nl_nest_end(&message, entry);
	}
	nl_nest_end(&message, nest);
}

static void put_commit(void)
{
	int64_t base = calm ? FAR_AWAY : clock_ns(CLOCK_TAI) + (int64_t)below(3000000);

	put_u64(LIQUID_A_BASE_TIME, (uint64_t)base);
	if (below(8))
		nl_put(&message, LIQUID_A_REPLACE, NULL, 0);
	if (one_in(4))
		put_u32(LIQUID_A_TAI_OFFSET, 37);
	if (one_in(4))	/* calm: none that ends meanwhile */
		put_u64(LIQUID_A_LEASE_NS, calm ? LIQUID_LEASE_NS_MAX - below(1000) :
						  LIQUID_LEASE_NS_MIN + below(100000000));
}

/* The next step of a transaction, or one in four times another command */
static uint8_t valid_command(const struct sender *sender)
{
	static const uint8_t others[] = {
		LIQUID_CMD_GATE_GET, LIQUID_CMD_GATE_SET, LIQUID_CMD_DEST_SET, LIQUID_CMD_DEST_SET,
		LIQUID_CMD_DEST_SET, LIQUID_CMD_DEST_DEL, LIQUID_CMD_DEST_GET, LIQUID_CMD_SCHED_GET,
		LIQUID_CMD_SCHED_ABORT, LIQUID_CMD_LEASE_RENEW, LIQUID_CMD_SCHED_CLEAR,
	};

	if (one_in(4))
		return others[below(sizeof(others))];
	if (!sender->frames)
		return LIQUID_CMD_SCHED_BEGIN;
	return sender->filled < sender->frames ? LIQUID_CMD_SCHED_ENTRIES : LIQUID_CMD_SCHED_COMMIT;
}

static void put_valid(struct sender *sender, uint8_t cmd)
{
	bool dump = cmd == LIQUID_CMD_DEST_GET || cmd == LIQUID_CMD_SCHED_GET ||
		    (cmd == LIQUID_CMD_GATE_GET && one_in(2));

	start_request(&sender->session, cmd, dump ? NLM_F_DUMP : 0);
	if (cmd == LIQUID_CMD_GATE_SET)
		put_options(LIQUID_A_GATE);
	if (cmd == LIQUID_CMD_DEST_DEL && one_in(8))
		nl_put(&message, LIQUID_A_ALL, NULL, 0);
	else if (cmd == LIQUID_CMD_DEST_SET || cmd == LIQUID_CMD_DEST_DEL)
		put_dests(cmd == LIQUID_CMD_DEST_SET);
	if (cmd == LIQUID_CMD_SCHED_BEGIN)
		put_sched(&sender->frames);
	if (cmd == LIQUID_CMD_SCHED_ENTRIES)
		put_entries(sender->frames - sender->filled);
	if (cmd == LIQUID_CMD_SCHED_COMMIT)
		put_commit();
	if (cmd == LIQUID_CMD_SCHED_GET)
		put_u32(LIQUID_A_WHICH, below(2));
}

/* ---- requests that are not ---- */

static uint64_t extreme(void)
{
	static const uint64_t values[] = {
		0, 1, 2, 3, 7, 16, 63, 64, 255, 1000, 65535, 65536, 1000000, 1048576, 1048577,
		INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX, 1ULL << 63, 10000000000ULL,
	};

	return one_in(3) ? draw() : values[below(sizeof(values) / sizeof(values[0]))];
}

static void put_random(const struct field *field)
{
	uint64_t bytes[8];
	size_t size = field->kind >= BYTES ? below(20) : field->kind < NEST ? field_size(field) :
		      below(64);

	for (size_t i = 0; i < 8; i++)
		bytes[i] = extreme();
	nl_put(&message, field->type, bytes, one_in(10) ? below(64) : size);
}

static void random_tree(const struct fields *fields, int depth)
{
	for (uint64_t n = below(6); n; n--) {
		const struct field *field = field_of(fields, (uint16_t)below(fields->max + 1));
		bool nested = field && field->kind == NEST && depth < DEPTH_MAX && below(8);

		if (!field)	/* outside of the set's numbers, or of its nest */
			continue;

		for (uint64_t times = one_in(40) ? 20 : 1; times; times--) {
			size_t nest = nested ? nl_nest(&message, field->type) : 0;

			if (!nested) {
				put_random(field);
				continue;
			}
			random_tree(field->nest, depth + 1);
			nl_nest_end(&message, nest);
		}
	}
}

/* Where the attributes between two places are, and all in them */
static size_t find_attrs(size_t at, size_t end, size_t *found, size_t n)
{
	struct nlattr head;

	for (; at + NLA_HDRLEN <= end && n < SPOIL_MAX; at += NLA_ALIGN(head.nla_len)) {
		memcpy(&head, message.bytes + at, sizeof(head));
		if (head.nla_len < NLA_HDRLEN || at + head.nla_len > end)
			break;
		found[n++] = at;
		if (head.nla_type & NLA_F_NESTED)
			n = find_attrs(at + NLA_HDRLEN, at + head.nla_len, found, n);
	}
	return n;
}

static void spoil_attr(size_t at)
{
	struct nlattr head;
	uint64_t value = extreme();
	size_t size;

	memcpy(&head, message.bytes + at, sizeof(head));
	size = head.nla_len - NLA_HDRLEN;
	switch (below(6)) {
	case 0:
		head.nla_type = (uint16_t)(one_in(2) ? below(32) : draw());
		break;
	case 1:
		head.nla_type ^= (uint16_t)(one_in(2) ? NLA_F_NESTED : NLA_F_NET_BYTEORDER);
		break;
	case 2:
		head.nla_len = (uint16_t)(one_in(2) ? head.nla_len + below(9) - 4 : draw());
		break;
	case 3:
		if (size)
			message.bytes[at + NLA_HDRLEN + below(size)] ^= (char)(1 << below(8));
		break;
	case 4:
		memcpy(message.bytes + at + NLA_HDRLEN, &value, size < 8 ? size : 8);
		break;
	case 5:
		message.head.nlmsg_len = (uint32_t)(at + below(NLA_HDRLEN + size + 1));
		break;
	}
	memcpy(message.bytes + at, &head, sizeof(head));
}

/* Spoil up to three attributes from the place @first on. */
static void spoil(size_t first)
{
	static size_t found[SPOIL_MAX];

	for (uint64_t n = 1 + below(3); n; n--) {
		size_t count = find_attrs(first, message.head.nlmsg_len, found, 0);

		if (count)
			spoil_attr(found[below(count)]);
	}
}

/* ---- sending them ---- */

static void put_request(struct sender *sender)
{
	const size_t first = NLMSG_HDRLEN + GENL_HDRLEN;
	uint64_t kind = below(4);

	if (kind < 3)
		put_valid(sender, valid_command(sender));
	if (kind == 2)
		spoil(first);
	if (kind < 3)
		return;
	start_request(&sender->session, (uint8_t)below(LIQUID_CMD_MAX + 2),
		      one_in(4) ? NLM_F_DUMP : 0);
	random_tree(&liquid_fields, 0);
	if (one_in(4))
		spoil(first);
}

/* What a schedule, a lease or the clock changes by itself is counted by the gate. */
static void moves_reply(void *context, const struct nlmsghdr *head)
{
	uint64_t *moves = context, value;
	size_t size;
	const void *first = payload(head, &size);

	nl_for_each(top, first, size) {
		if ((top->nla_type & NLA_TYPE_MASK) != LIQUID_A_STATS)
			continue;
		nl_for_each(attr, nl_value(top), nl_size(top)) {
			if (attr->nla_type != LIQUID_STATS_A_SWAPS &&
			    attr->nla_type != LIQUID_STATS_A_LEASE_EXPIRED)
				continue;
			memcpy(&value, nl_value(attr), sizeof(value));
			*moves += value;
		}
	}
}

static uint64_t moves(const struct session *session)
{
	uint64_t count = 0;

	start_request(session, LIQUID_CMD_GATE_GET, 0);
	nl_talk(session->fd, &message, moves_reply, &count);
	return count;
}

static struct nl_verdict send_it(int fd)
{
	struct nl_verdict verdict = { .error = EMSGSIZE };

	if (small && message.head.nlmsg_len > SMALL_MAX)
		return verdict;
	verdict = nl_talk(fd, &message, NULL, NULL);
	sum.requests++;
	sum.lost += verdict.lost && verdict.error == EAGAIN;
	sum.accepted += !verdict.error;
	return verdict;
}

static void note_step(struct sender *sender, uint8_t cmd)
{
	if (cmd == LIQUID_CMD_SCHED_ENTRIES)
		sender->filled = sender->frames;
	if (cmd == LIQUID_CMD_SCHED_BEGIN)
		sender->filled = 0;
	if (cmd == LIQUID_CMD_SCHED_COMMIT)
		sum.commits++;
	if (cmd == LIQUID_CMD_SCHED_COMMIT || cmd == LIQUID_CMD_SCHED_ABORT)
		sender->frames = 0;
}

static void ask(struct sender *sender)
{
	const struct session *session = &sender->session;
	/* in this order, so that what moves while the gate is read is seen to have moved */
	uint64_t before = calm ? moves(session) : 0, hash = calm ? gate_hash(session) : 0;
	const struct genlmsghdr *head = NLMSG_DATA(&message.head);
	struct nl_verdict verdict;
	uint8_t cmd;

	put_request(sender);
	cmd = head->cmd;
	verdict = send_it(session->fd);
	if (!verdict.error)
		note_step(sender, cmd);
	else if (cmd >= LIQUID_CMD_SCHED_BEGIN && cmd <= LIQUID_CMD_SCHED_COMMIT)
		sender->frames = 0;
	if (calm && verdict.error && gate_hash(session) != hash && moves(session) == before) {
		sum.changed++;
		printf("# command %u ended with %d, %s, and changed something\n", cmd,
		       verdict.error, verdict.text);
	}
}

/* Change or replace the qdisc. A random kind would load modules, so only options are spoilt. */
static void ask_qdisc(int fd, uint32_t ifindex)
{
	size_t options;

	start_qdisc(RTM_NEWQDISC, one_in(2) ? NLM_F_REPLACE | NLM_F_CREATE : 0, ifindex);
	options = message.head.nlmsg_len;
	if (one_in(4)) {
		nl_nest(&message, TCA_OPTIONS);
		random_tree(&gate_fields, 0);
		nl_nest_end(&message, options);
	} else {
		put_options(TCA_OPTIONS);
	}
	if (one_in(3))
		spoil(options + NLA_HDRLEN);
	send_it(fd);
}

/* Where allocations fail, this may too, some times. */
static void open_sender(struct sender *sender, const char *dev)
{
	struct session *session = &sender->session;

	*sender = (struct sender){ .session.ifindex = device(dev) };
	for (int tries = 0; tries < 100 && !session->family; tries++) {
		if (tries)
			close(session->fd);
		session->fd = nl_open(NETLINK_GENERIC);
		session->family = nl_family(session->fd, LIQUID_GENL_NAME);
	}
	if (!session->family)
		die("the kernel has no family \"" LIQUID_GENL_NAME "\"");
}

int main(int argc, char **argv)
{
	struct sender senders[SOCKETS] = { 0 };
	int route = nl_open(NETLINK_ROUTE);
	int64_t end;

	if (argc < 4 || route < 0)
		die("DEV SECONDS SEED [calm | small]");
	end = clock_ns(CLOCK_MONOTONIC) + atoll(argv[2]) * 1000000000LL;
	state = strtoull(argv[3], NULL, 0) * 0x9e3779b97f4a7c15ULL | 1;
	calm = argc > 4 && !strcmp(argv[4], "calm");
	small = argc > 4 && !strcmp(argv[4], "small");
	for (size_t i = 0; i < SOCKETS; i++)
		open_sender(&senders[i], argv[1]);
	while (clock_ns(CLOCK_MONOTONIC) < end) {
		struct sender *sender = &senders[below(SOCKETS)];

		if (one_in(300)) {
			close(sender->session.fd);
			open_sender(sender, argv[1]);
		}
		if (!calm && one_in(16))
			ask_qdisc(route, sender->session.ifindex);
		else
			ask(sender);
	}
	printf("requests=%lu accepted=%lu commits=%lu lost=%lu changed=%lu\n", sum.requests,
	       sum.accepted, sum.commits, sum.lost, sum.changed);
	return sum.lost || sum.changed;
}
