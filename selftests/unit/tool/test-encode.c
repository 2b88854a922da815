// SPDX-License-Identifier: GPL-2.0-only
/* Requests and replies of the generic-netlink family, as bytes: what goes in comes out. */
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>

#include "gate/options.h"
#include "tap.h"

static struct nlmsghdr *start(char *buffer)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);

	mnl_nlmsg_put_extra_header(nlh, sizeof(struct genlmsghdr));
	return nlh;
}

/* Lengths of every attribute lie inside their parent's. */
static bool well_formed(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;
	size_t sum = MNL_NLMSG_HDRLEN + MNL_ALIGN(sizeof(struct genlmsghdr));

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		sum += MNL_ALIGN(attr->nla_len);
	return sum == nlh->nlmsg_len;
}

static void check_options(char *buffer)
{
	struct nlmsghdr *nlh = start(buffer);
	struct gate_list list = { 0 };
	struct gate_options options = {
		.present = 1ULL << LIQUID_GATE_A_RATE_BPS | 1ULL << LIQUID_GATE_A_OVERHEAD |
			   1ULL << LIQUID_GATE_A_POLICY | 1ULL << LIQUID_GATE_A_MATCH_MARK |
			   1ULL << LIQUID_GATE_A_BYPASS | 1ULL << LIQUID_GATE_A_ACKS |
			   1ULL << LIQUID_GATE_A_SKIP_OPEN | 1ULL << LIQUID_GATE_A_LAUNCH_NS |
			   1ULL << LIQUID_GATE_A_WAKE_EARLY_NS |
			   1ULL << LIQUID_GATE_A_CPU_LATENCY_NS,
		.rate_bps = 10000000000, .overhead = -14, .policy = LIQUID_POLICY_DROP,
		.match_mark = 1, .mpu = 77, .rule_count = 2, .acks = LIQUID_ACKS_BYPASS,
		.skip_open = 1, .launch_ns = 1000, .wake_early_ns = 20000,
		.cpu_latency_ns = 5000,
	};
	const struct gate_options *got;

	parse_rule("udp=319-320", &options.rule[0]);
	parse_rule("ethertype=0x88f7", &options.rule[1]);
	mnl_attr_put_u32(nlh, LIQUID_A_IFINDEX, 7);
	gate_put_options(nlh, LIQUID_A_GATE, &options);
	ok(well_formed(nlh), "options: lengths are right");
	ok(!gate_take(nlh, &list) && list.count == 1 && list.gate[0].ifindex == 7,
	   "a gate is read");
	got = &list.gate[0].options;
	ok(got->present == (options.present | 1), "only what is set is sent");
	ok(got->rate_bps == options.rate_bps && got->overhead == -14 && !got->mpu &&
	   got->policy == LIQUID_POLICY_DROP && got->match_mark == 1 &&
	   got->acks == LIQUID_ACKS_BYPASS && got->skip_open == 1 && got->launch_ns == 1000 &&
	   got->wake_early_ns == 20000 && got->cpu_latency_ns == 5000,
	   "u64, s32, u32 and u8 come back");
	ok(got->rule_count == 2 && got->rule[0].port_max == 320 && got->rule[1].ethertype == 0x88f7,
	   "rules come back");
	gate_list_clear(&list);
}

/* A histogram of @buckets buckets, with @count in the last of them */
static void put_hist(struct nlmsghdr *nlh, uint16_t type, uint64_t sum, unsigned int buckets,
		     uint64_t count)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, type);
	uint64_t bucket[LIQUID_HIST_BUCKETS + 2] = { 0 };

	bucket[buckets - 1] = count;
	mnl_attr_put_u64(nlh, LIQUID_HIST_A_SUM_NS, sum);
	mnl_attr_put(nlh, LIQUID_HIST_A_BUCKETS, buckets * sizeof(bucket[0]), bucket);
	mnl_attr_nest_end(nlh, nest);
}

static void check_times(char *buffer)
{
	struct nlmsghdr *nlh = start(buffer);
	struct gate_list list = { 0 };
	const struct gate_times *times;
	struct nlattr *nest = mnl_attr_nest_start(nlh, LIQUID_A_TIMES);

	put_hist(nlh, LIQUID_TIMES_A_WAIT, 10, 1, 11);
	put_hist(nlh, LIQUID_TIMES_A_LATE, 20, LIQUID_HIST_BUCKETS, 21);
	put_hist(nlh, LIQUID_TIMES_A_MAX + 1, 30, 2, 31);
	put_hist(nlh, LIQUID_TIMES_A_LAG, 40, LIQUID_HIST_BUCKETS + 2, 41);
	mnl_attr_nest_end(nlh, nest);
	ok(!gate_take(nlh, &list) && list.count == 1, "histograms are read");
	times = &list.gate[0].times;
	ok(times->present && times->wait.sum_ns == 10 && times->wait.bucket[0] == 11 &&
	   times->late.sum_ns == 20 && times->late.bucket[LIQUID_HIST_BUCKETS - 1] == 21,
	   "each is in its place");
	ok(!times->wait.bucket[1] && !times->wait.bucket[LIQUID_HIST_BUCKETS - 1],
	   "buckets that are left out are empty");
	ok(times->lag.sum_ns == 40 && times->lag.bucket[LIQUID_HIST_BUCKETS - 1] == 41,
	   "the last bucket has what is in further buckets of a newer module");
	gate_list_clear(&list);
	nlh = start(buffer);
	nest = mnl_attr_nest_start(nlh, LIQUID_A_TIMES);
	mnl_attr_put_u64(nlh, LIQUID_TIMES_A_WAIT | NLA_F_NESTED, 0);
	mnl_attr_nest_end(nlh, nest);
	ok(!gate_take(nlh, &list), "an attribute without length ends its nest");
	gate_list_clear(&list);
}

static void check_dest_times(char *buffer)
{
	struct nlmsghdr *nlh = start(buffer);
	struct gate_dests got = { 0 };
	struct nlattr *dests = mnl_attr_nest_start(nlh, LIQUID_A_DESTS);
	struct nlattr *dest = mnl_attr_nest_start(nlh, LIQUID_A_DEST), *nest;

	mnl_attr_put_u32(nlh, LIQUID_DEST_A_ID, 3);
	nest = mnl_attr_nest_start(nlh, LIQUID_DEST_A_TIMES);
	put_hist(nlh, LIQUID_TIMES_A_WAIT, 10, 6, 11);
	mnl_attr_nest_end(nlh, nest);
	mnl_attr_nest_end(nlh, dest);
	mnl_attr_nest_end(nlh, dests);
	ok(!gate_take_dests(nlh, &got) && got.count == 1 && got.dest[0].times.wait.bucket[5] == 11,
	   "histograms of a destination");
	gate_dests_clear(&got);
}

static void check_wrong_bucket(char *buffer)
{
	struct nlmsghdr *nlh = start(buffer);
	struct nlattr *nest = mnl_attr_nest_start(nlh, LIQUID_A_TIMES), *hist;
	struct gate_list list = { 0 };

	hist = mnl_attr_nest_start(nlh, LIQUID_TIMES_A_WAIT);
	mnl_attr_put_u32(nlh, LIQUID_HIST_A_BUCKETS, 1);
	mnl_attr_nest_end(nlh, hist);
	mnl_attr_nest_end(nlh, nest);
	ok(gate_take(nlh, &list) < 0, "a bucket of four bytes is refused");
	gate_list_clear(&list);
}

/* @text goes out as one selector with its own attributes, and is read back as it was. */
static void check_selector(char *buffer, const char *text, uint64_t attrs)
{
	struct gate_options options = { 0 };
	struct nlmsghdr *nlh = start(buffer);
	struct gate_list list = { 0 };
	const struct gate_options *got;
	char rule[RULE_TEXT] = "";

	/* what was asked for before is not a part of it */
	parse_select("udp=7", &options);
	parse_select("dscp=1", &options);
	ok(!parse_select(text, &options) &&
	   options.present == (attrs | 1ULL << LIQUID_GATE_A_SELECT), "%s: its attributes alone",
	   text);
	gate_put_options(nlh, LIQUID_A_GATE, &options);
	ok(well_formed(nlh) && !gate_take(nlh, &list) && list.count == 1, "%s: lengths", text);
	got = &list.gate[0].options;
	if (attrs >> LIQUID_GATE_A_SELECT_RULE & 1)
		format_rule(&got->select_rule, rule);
	ok(got->present == (options.present | 1) && got->select == options.select &&
	   (!*rule || !strcmp(rule, text)), "%s: comes back", text);
	ok(!(attrs >> LIQUID_GATE_A_SELECT_DSCP & 1) || got->select_dscp == options.select_dscp,
	   "%s: its DSCP", text);
	gate_list_clear(&list);
}

static void check_selectors(char *buffer)
{
	const uint64_t rule = 1ULL << LIQUID_GATE_A_SELECT_RULE;
	struct gate_options options = { 0 };

	check_selector(buffer, "all", 0);
	check_selector(buffer, "mark=1/0xff", 1ULL << LIQUID_GATE_A_SELECT_MARK |
					      1ULL << LIQUID_GATE_A_SELECT_MASK);
	check_selector(buffer, "dscp=63", 1ULL << LIQUID_GATE_A_SELECT_DSCP);
	check_selector(buffer, "tcp", rule);
	check_selector(buffer, "udp=319-320", rule);
	check_selector(buffer, "sctp=9", rule);
	check_selector(buffer, "proto=89", rule);
	check_selector(buffer, "ethertype=0x88f7", rule);
	gate_rest(&options);
	ok(gate_rests(&options) && options.policy == LIQUID_POLICY_ALWAYS,
	   "a gate that rests is reported");
	parse_select("mark=0xff00ff/0xff00ff", &options);
	ok(!gate_rests(&options), "from one by a mark");
	parse_select("all", &options);
	ok(!gate_rests(&options), "a gate that selects all packets does not rest");
}

static void check_wrong_length(char *buffer)
{
	struct gate_list list = { 0 };
	struct nlmsghdr *nlh = start(buffer);
	struct nlattr *nest = mnl_attr_nest_start(nlh, LIQUID_A_STATE);

	mnl_attr_put_u32(nlh, LIQUID_STATE_A_BACKLOG, 1);
	mnl_attr_nest_end(nlh, nest);
	ok(gate_take(nlh, &list) < 0, "a u64 of four bytes is refused");
	gate_list_clear(&list);
	nlh = start(buffer);
	nest = mnl_attr_nest_start(nlh, LIQUID_A_STATE);
	mnl_attr_put_u32(nlh, 200, 1);
	mnl_attr_nest_end(nlh, nest);
	ok(!gate_take(nlh, &list), "an attribute of a newer module is passed over");
	gate_list_clear(&list);
}

static void check_dests(char *buffer)
{
	enum { COUNT = 3000 };
	struct gate_dest *dests = calloc(COUNT, sizeof(*dests));
	struct gate_dests got = { 0 };
	size_t done = 0, messages = 0, same = 0;
	bool fine = true;

	for (uint32_t i = 0; i < COUNT; i++) {
		char text[32];

		snprintf(text, sizeof(text), "fd00::%x", i + 1);
		dests[i].id = i;
		dests[i].key_count = i % LIQUID_DEST_KEYS_MAX + 1;
		for (uint32_t k = 0; k < dests[i].key_count; k++)
			addr_key_parse(text, &dests[i].key[k], NULL);
	}
	for (; done < COUNT && fine; messages++) {
		struct nlmsghdr *nlh = start(buffer);
		size_t some = gate_put_dests(nlh, dests + done, COUNT - done, true);

		fine = some && well_formed(nlh) && nlh->nlmsg_len < NETLINK_REQUEST_MAX &&
		       !gate_take_dests(nlh, &got);
		done += some;
	}
	ok(fine && got.count == COUNT && messages > 1, "3000 destinations need several messages");
	for (size_t i = 0; i < got.count && i < COUNT; i++)
		same += got.dest[i].id == dests[i].id &&
			got.dest[i].key_count == dests[i].key_count &&
			!addr_key_compare(&got.dest[i].key[0], &dests[i].key[0]);
	ok(same == COUNT, "all come back, in order, with their keys");
	gate_dests_clear(&got);
	free(dests);
}

static void check_runs(char *buffer)
{
	enum { COUNT = 10000 };
	struct gate_runs runs = { 0 }, got = { 0 };
	size_t done = 0, messages = 0;
	bool fine = true;

	for (uint32_t i = 0; i < COUNT; i++)
		gate_runs_append(&runs, i % 3 ? i % 3 : LIQUID_NONE, i + 1);
	for (; done < COUNT && fine; messages++) {
		struct nlmsghdr *nlh = start(buffer);
		size_t some = gate_put_runs(nlh, runs.run + done, COUNT - done);

		fine = some && well_formed(nlh) && !gate_take_runs(nlh, &got);
		done += some;
	}
	ok(fine && messages > 1, "10000 runs need several messages");
	ok(got.count == COUNT && !memcmp(got.run, runs.run, COUNT * sizeof(*got.run)),
	   "all come back, idle ones too");
	gate_runs_clear(&runs);
	gate_runs_clear(&got);
}

static void check_path(char *buffer)
{
	struct nlmsghdr *nlh = start(buffer);
	struct gate_options options = { .present = 1ULL << LIQUID_GATE_A_BYPASS, .rule_count = 1 };
	char path[128];
	size_t header = sizeof(struct genlmsghdr);

	parse_rule("tcp=22", &options.rule[0]);
	mnl_attr_put_u32(nlh, LIQUID_A_IFINDEX, 7);
	gate_put_options(nlh, LIQUID_A_GATE, &options);
	ok(attr_path(nlh, header, &liquid_table, 20, path, sizeof(path)) &&
	   !strcmp(path, "IFINDEX"), "the first attribute is named");
	ok(attr_path(nlh, header, &liquid_table, 28, path, sizeof(path)) && !strcmp(path, "GATE"),
	   "a nest is named");
	ok(attr_path(nlh, header, &liquid_table, nlh->nlmsg_len - 4, path, sizeof(path)) &&
	   !strcmp(path, "GATE.BYPASS.RULE.PORT_MAX"), "an attribute deep inside is named");
	ok(!attr_path(nlh, header, &liquid_table, nlh->nlmsg_len + 100, path, sizeof(path)),
	   "nothing is named beyond the request");
}

static void check_rule(const char *text, bool good)
{
	char again[RULE_TEXT];
	struct gate_rule rule;
	bool taken = parse_rule(text, &rule);

	ok(taken == good && (!good || !strcmp(format_rule(&rule, again), text)),
	   "rule '%s' is %s", text, good ? "taken and shown again" : "refused");
}

int main(void)
{
	char *buffer = calloc(1, NETLINK_REQUEST_MAX);

	check_options(buffer);
	check_selectors(buffer);
	check_times(buffer);
	check_dest_times(buffer);
	check_wrong_bucket(buffer);
	check_wrong_length(buffer);
	check_dests(buffer);
	check_runs(buffer);
	check_path(buffer);
	check_rule("udp=319-320", true);
	check_rule("tcp", true);
	check_rule("sctp=5000", true);
	check_rule("proto=89", true);
	check_rule("ethertype=0x88f7", true);
	check_rule("udp=320-319", false);
	check_rule("udp=65536", false);
	check_rule("udp=", false);
	check_rule("udpx", false);
	check_rule("proto=256", false);
	check_rule("ethertype=", false);
	check_rule("udp=0", false);
	check_rule("udp=0-9", false);
	check_rule("proto=0", false);
	check_rule("ethertype=0", false);
	check_rule("", false);
	free(buffer);
	return tap_exit();
}
