// SPDX-License-Identifier: GPL-2.0-only
/* The options of attach and set, from words to attributes. */
#include <string.h>

#include "gate/options.h"
#include "util/units.h"

static const char *take_rule(void *member, const char *text)
{
	struct gate_options *options = member;
	bool first = !(options->present >> LIQUID_GATE_A_BYPASS & 1);

	if (!strcmp(text, "none"))
		return first ? NULL : "none without other rules";
	if (options->rule_count == LIQUID_BYPASS_MAX)
		return "at most 16 rules";
	if (!parse_rule(text, &options->rule[options->rule_count++]))
		return "ethertype=N, tcp[=PORT[-PORT]], udp[=...], sctp[=...], proto=N or none";
	return NULL;
}
_Static_assert(LIQUID_BYPASS_MAX == 16, "the text of take_rule()");

static const char *take_select(void *member, const char *text)
{
	return parse_select(text, member);
}

static const char *take_overhead(void *member, const char *text)
{
	bool minus = text[0] == '-';
	uint64_t bytes;

	if (!parse_size(text + minus, &bytes) ||
	    bytes > (minus ? -LIQUID_OVERHEAD_MIN : LIQUID_OVERHEAD_MAX))
		return "bytes from -64 to 1024";
	*(int32_t *)member = minus ? -(int32_t)bytes : (int32_t)bytes;
	return NULL;
}
_Static_assert(LIQUID_OVERHEAD_MIN == -64 && LIQUID_OVERHEAD_MAX == 1024,
	       "the text of take_overhead()");

static const char *take_horizon(void *member, const char *text)
{
	uint64_t ns;

	if (!parse_time(text, &ns) || ns % 1000000 || ns / 1000000 > UINT32_MAX)
		return "a time in whole milliseconds such as 500ms";
	*(uint32_t *)member = ns / 1000000;
	return NULL;
}

static const char *const selectors[] = {
	"all", "mark=", "dscp=", "tcp=", "udp=", "sctp=", "proto=", "ethertype=", NULL
};
static const char *const rules[] = {
	"none", "tcp=", "udp=", "sctp=", "proto=", "ethertype=", NULL
};

/* A member, and the attribute whose bit is set with it */
#define MEMBER(member, attr) \
	OPT_MEMBER(struct gate_options, member), .bit = LIQUID_GATE_A_##attr, \
	.given = offsetof(struct gate_options, present)

const struct opt gate_opts[] = {
	{ "rate", 0, KIND_RATE, MEMBER(rate_bps, RATE_BPS), .max = LIQUID_RATE_BPS_MAX,
	  .value = "RATE", .help = "of the link; 0 (the default): as the device reports" },
	{ "overhead", 0, KIND_OTHER, MEMBER(overhead, OVERHEAD), .take = take_overhead,
	  .value = "BYTES", .help = "that each packet adds on the wire; 24 on Ethernet" },
	{ "mpu", 0, KIND_SIZE, MEMBER(mpu, MPU), .max = LIQUID_MPU_MAX, .value = "SIZE",
	  .help = "the smallest packet on the wire; 84 on Ethernet" },
	{ "ahead", 0, KIND_TIME, MEMBER(ahead_ns, AHEAD_NS), .max = LIQUID_AHEAD_NS_MAX,
	  .value = "TIME", .help = "how far ahead of time the link may be filled" },
	{ "limit", 0, KIND_NUMBER, MEMBER(limit_packets, LIMIT_PACKETS), .value = "PACKETS",
	  .help = "in all queues together" },
	{ "limit-bytes", 0, KIND_SIZE, MEMBER(limit_bytes, LIMIT_BYTES), .value = "SIZE",
	  .help = "in all queues together" },
	{ "dest-limit", 0, KIND_NUMBER, MEMBER(dest_limit_packets, DEST_LIMIT_PACKETS),
	  .value = "PACKETS", .help = "in the queue of one destination" },
	{ "dest-limit-bytes", 0, KIND_SIZE, MEMBER(dest_limit_bytes, DEST_LIMIT_BYTES),
	  .value = "SIZE", .help = "in the queue of one destination" },
	{ "horizon", 0, KIND_OTHER, MEMBER(horizon_ms, HORIZON_MS), .take = take_horizon,
	  .value = "TIME", .help = "drop a packet that has waited longer; 0: never" },
	{ "policy", 0, KIND_CHOICE, MEMBER(policy, POLICY), .words = policy_names,
	  .value = "POLICY", .help = "for packets that are not scheduled" },
	{ "reserve", 0, KIND_SHARE, MEMBER(reserve, RESERVE), .max = LIQUID_PERMILLE_MAX,
	  .value = "SHARE", .help = "of a frame for unscheduled packets, with policy share" },
	{ "control", 0, KIND_SHARE, MEMBER(control, CONTROL), .max = LIQUID_PERMILLE_MAX,
	  .value = "SHARE", .help = "of a frame for control packets" },
	{ "acks", 0, KIND_CHOICE, MEMBER(acks, ACKS), .words = acks_names, .value = "WHERE",
	  .help = "where TCP's bare acknowledgements go: frames (the default), those of their "
	  "destination; bypass, as control packets" },
	{ "select", 0, KIND_OTHER, MEMBER(present, SELECT), .take = take_select,
	  .words = selectors, .value = "WHAT",
	  .help = "packets that are scheduled: all, mark=VALUE[/MASK], dscp=VALUE or a rule as of "
	  "--bypass" },
	{ "match-mark", 0, KIND_FLAG, MEMBER(match_mark, MATCH_MARK),
	  .help = "find a packet's destination by its mark before its addresses" },
	{ "no-match-mark", 0, KIND_UNFLAG, MEMBER(match_mark, MATCH_MARK),
	  .help = "by its addresses alone" },
	{ "skip-open", 0, KIND_FLAG, MEMBER(skip_open, SKIP_OPEN),
	  .help = "packets skip the gate while it has no schedule: cheaper, but not counted "
	  "by destination" },
	{ "no-skip-open", 0, KIND_UNFLAG, MEMBER(skip_open, SKIP_OPEN),
	  .help = "they pass through it and are counted" },
	{ "launch", 0, KIND_TIME, MEMBER(launch_ns, LAUNCH_NS), .max = LIQUID_LAUNCH_NS_MAX,
	  .value = "TIME", .help = "give packets to the device so long before it is to send them; "
	  "0: when they are due" },
	{ "wake-early", 0, KIND_TIME, MEMBER(wake_early_ns, WAKE_EARLY_NS),
	  .max = LIQUID_WAKE_EARLY_NS_MAX, .value = "TIME",
	  .help = "wake so long before a frame begins, and wait for it in a busy loop" },
	{ "cpu-latency", 0, KIND_TIME, MEMBER(cpu_latency_ns, CPU_LATENCY_NS),
	  .max = LIQUID_CPU_LATENCY_NS_MAX, .value = "TIME",
	  .help = "while there is a schedule, idle processors wake up within this time; 0: any" },
	{ "bypass", 0, KIND_OTHER, MEMBER(present, BYPASS), .take = take_rule, .words = rules,
	  .value = "RULE", .help = "packets treated as control: tcp=PORT[-PORT], udp=..., "
	  "sctp=..., proto=N, ethertype=N or none; may repeat" },
	{ 0 }
};
