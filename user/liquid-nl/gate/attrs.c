// SPDX-License-Identifier: GPL-2.0-only
/* The tables of the wire's attributes, see attrs.h. */
#include <linux/rtnetlink.h>

#include "gate/gate.h"

const char *const policy_names[] = { "share", "idle", "always", "drop", NULL };
const char *const acks_names[] = { "frames", "bypass", NULL };
const char *const select_names[] = { "all", "mark", "dscp", "rule", NULL };
const char *const mode_names[] = { "open", "gated", "hold", NULL };
const char *const then_names[] = { "open", "hold", NULL };
const char *const event_names[] = {
	"committed", "oper", "ended", "lease-expired", "clock-step", "late",
	"guard-short", "launch-off", NULL
};
static const char *const flag_names[] = { "off", "on", NULL };

#define TABLE(rows) { (rows), sizeof(rows) / sizeof((rows)[0]) - 1 }

static const struct attr_row rule_rows[] = {
	[LIQUID_RULE_A_ETHERTYPE] = { .name = "ETHERTYPE", .type = ATTR_U16,
		.offset = offsetof(struct gate_rule, ethertype) },
	[LIQUID_RULE_A_L4PROTO] = { .name = "L4PROTO", .type = ATTR_U8,
		.offset = offsetof(struct gate_rule, l4proto) },
	[LIQUID_RULE_A_PORT_MIN] = { .name = "PORT_MIN", .type = ATTR_U16,
		.offset = offsetof(struct gate_rule, port_min) },
	[LIQUID_RULE_A_PORT_MAX] = { .name = "PORT_MAX", .type = ATTR_U16,
		.offset = offsetof(struct gate_rule, port_max) },
};
const struct attr_table rule_table = TABLE(rule_rows);

static const struct attr_row bypass_rows[] = {
	[LIQUID_GATE_A_RULE] = { .name = "RULE", .type = ATTR_NEST, .nest = &rule_table },
};
static const struct attr_table bypass_table = TABLE(bypass_rows);

#define OPTION(attr, kind, member) \
	[LIQUID_GATE_A_##attr] = { .name = #attr, .type = ATTR_##kind, \
		.offset = offsetof(struct gate_options, member) }

static const struct attr_row gate_rows[] = {
	OPTION(RATE_BPS, U64, rate_bps),
	OPTION(OVERHEAD, S32, overhead),
	OPTION(MPU, U32, mpu),
	OPTION(AHEAD_NS, U32, ahead_ns),
	OPTION(LIMIT_PACKETS, U32, limit_packets),
	OPTION(LIMIT_BYTES, U64, limit_bytes),
	OPTION(DEST_LIMIT_PACKETS, U32, dest_limit_packets),
	OPTION(DEST_LIMIT_BYTES, U64, dest_limit_bytes),
	OPTION(HORIZON_MS, U32, horizon_ms),
	[LIQUID_GATE_A_POLICY] = { .name = "POLICY", .type = ATTR_U32, .values = policy_names,
		.offset = offsetof(struct gate_options, policy) },
	OPTION(RESERVE, U32, reserve),
	OPTION(CONTROL, U32, control),
	[LIQUID_GATE_A_BYPASS] = { .name = "BYPASS", .type = ATTR_NEST, .nest = &bypass_table },
	[LIQUID_GATE_A_SELECT] = { .name = "SELECT", .type = ATTR_U32, .values = select_names,
		.offset = offsetof(struct gate_options, select) },
	OPTION(SELECT_MARK, U32, select_mark),
	OPTION(SELECT_MASK, U32, select_mask),
	[LIQUID_GATE_A_MATCH_MARK] = { .name = "MATCH_MARK", .type = ATTR_U8,
		.values = flag_names, .offset = offsetof(struct gate_options, match_mark) },
	OPTION(SELECT_DSCP, U8, select_dscp),
	[LIQUID_GATE_A_SELECT_RULE] = { .name = "SELECT_RULE", .type = ATTR_NEST,
		.nest = &rule_table },
	[LIQUID_GATE_A_ACKS] = { .name = "ACKS", .type = ATTR_U32, .values = acks_names,
		.offset = offsetof(struct gate_options, acks) },
	[LIQUID_GATE_A_SKIP_OPEN] = { .name = "SKIP_OPEN", .type = ATTR_U8,
		.values = flag_names, .offset = offsetof(struct gate_options, skip_open) },
	OPTION(LAUNCH_NS, U32, launch_ns),
	OPTION(WAKE_EARLY_NS, U32, wake_early_ns),
	OPTION(CPU_LATENCY_NS, U32, cpu_latency_ns),
};
const struct attr_table gate_table = TABLE(gate_rows);

#define STATE(attr, kind, member) \
	[LIQUID_STATE_A_##attr] = { .name = #attr, .type = ATTR_##kind, \
		.offset = offsetof(struct gate_state, member) }

static const struct attr_row state_rows[] = {
	[LIQUID_STATE_A_MODE] = { .name = "MODE", .type = ATTR_U32, .values = mode_names,
		.offset = offsetof(struct gate_state, mode) },
	STATE(NOW, S64, now),
	STATE(TAI_OFFSET, S32, tai_offset),
	STATE(LINK_RATE_BPS, U64, link_rate_bps),
	STATE(FRAME, U32, frame),
	STATE(FRAME_DEST, U32, frame_dest),
	STATE(DESTS, U32, dests),
	STATE(QLEN, U32, qlen),
	STATE(BACKLOG, U64, backlog),
	STATE(CONTROL_QLEN, U32, control_qlen),
	STATE(UNSCHED_QLEN, U32, unsched_qlen),
	STATE(TX_QUEUES, U32, tx_queues),
	STATE(LEASE_NS, U64, lease_ns),
	STATE(LEASE_LEFT_NS, U64, lease_left_ns),
	STATE(LEAKS, U32, leaks),
	STATE(LAUNCH_NS, U32, launch_ns),
};
const struct attr_table state_table = TABLE(state_rows);

#define COUNTER(attr) \
	[LIQUID_STATS_A_##attr] = { .name = #attr, .type = ATTR_U64, \
		.offset = offsetof(struct gate_stats, counter[LIQUID_STATS_A_##attr]) }

static const struct attr_row stats_rows[] = {
	COUNTER(PACKETS), COUNTER(BYTES), COUNTER(WAITS), COUNTER(REQUEUES), COUNTER(LATE),
	COUNTER(FRAMES_USED), COUNTER(FRAMES_MISSED), COUNTER(SPLITS),
	COUNTER(CONTROL_PACKETS), COUNTER(CONTROL_BYTES),
	COUNTER(UNSCHED_PACKETS), COUNTER(UNSCHED_BYTES),
	COUNTER(DROP_LIMIT), COUNTER(DROP_TOTAL_LIMIT), COUNTER(DROP_HORIZON),
	COUNTER(DROP_TOO_BIG), COUNTER(DROP_POLICY), COUNTER(DROP_DELETED), COUNTER(DROP_SPLIT),
	COUNTER(CLOCK_STEPS), COUNTER(SWAPS), COUNTER(QUEUE_STOPPED),
	COUNTER(LEASE_EXPIRED), COUNTER(ACKS_THINNED), COUNTER(DROP_RESET),
	COUNTER(DROP_LINK), COUNTER(DROP_CONTROL),
};
const struct attr_table stats_table = TABLE(stats_rows);

static const struct attr_row hist_rows[] = {
	[LIQUID_HIST_A_SUM_NS] = { .name = "SUM_NS", .type = ATTR_U64,
		.offset = offsetof(struct gate_hist, sum_ns) },
	[LIQUID_HIST_A_BUCKETS] = { .name = "BUCKETS" },
};
const struct attr_table hist_table = TABLE(hist_rows);

static const struct attr_row times_rows[] = {
	[LIQUID_TIMES_A_WAIT] = { .name = "WAIT", .type = ATTR_NEST, .nest = &hist_table },
	[LIQUID_TIMES_A_LATE] = { .name = "LATE", .type = ATTR_NEST, .nest = &hist_table },
	[LIQUID_TIMES_A_LAG] = { .name = "LAG", .type = ATTR_NEST, .nest = &hist_table },
	[LIQUID_TIMES_A_XMIT] = { .name = "XMIT", .type = ATTR_NEST, .nest = &hist_table },
	[LIQUID_TIMES_A_OVERRUN] = { .name = "OVERRUN", .type = ATTR_NEST, .nest = &hist_table },
};
const struct attr_table times_table = TABLE(times_rows);

#define SCHED(attr, kind, member) \
	[LIQUID_SCHED_A_##attr] = { .name = #attr, .type = ATTR_##kind, \
		.offset = offsetof(struct gate_sched, member) }

static const struct attr_row sched_rows[] = {
	SCHED(FRAME_NS, U64, frame_ns),
	SCHED(GUARD_NS, U64, guard_ns),
	SCHED(FRAMES, U32, frames),
	SCHED(CYCLES, U64, cycles),
	[LIQUID_SCHED_A_THEN] = { .name = "THEN", .type = ATTR_U32, .values = then_names,
		.offset = offsetof(struct gate_sched, then) },
	SCHED(BASE_TIME, S64, base_time),
	SCHED(START_TIME, S64, start_time),
	SCHED(IDLE_FRAMES, U32, idle_frames),
	SCHED(DESTS, U32, dests),
	SCHED(LABEL, TEXT, label),
	SCHED(USER, U32, user),
};
const struct attr_table sched_table = TABLE(sched_rows);

#define EVENT(attr, kind, member) \
	[LIQUID_EVENT_A_##attr] = { .name = #attr, .type = ATTR_##kind, \
		.offset = offsetof(struct gate_event, member) }

static const struct attr_row event_rows[] = {
	[LIQUID_EVENT_A_KIND] = { .name = "KIND", .type = ATTR_U32, .values = event_names,
		.offset = offsetof(struct gate_event, kind) },
	EVENT(TIME, S64, time),
	EVENT(COUNT, U64, count),
	EVENT(DUE_TIME, S64, due_time),
	EVENT(STEP_NS, S64, step_ns),
	EVENT(LABEL, TEXT, label),
};
const struct attr_table event_table = TABLE(event_rows);

static const struct attr_row key_rows[] = {
	[LIQUID_KEY_A_IPV4] = { .name = "IPV4" },
	[LIQUID_KEY_A_IPV6] = { .name = "IPV6" },
	[LIQUID_KEY_A_ETHER] = { .name = "ETHER" },
	[LIQUID_KEY_A_MARK] = { .name = "MARK", .type = ATTR_U32 },
};
static const struct attr_table key_table = TABLE(key_rows);

#define DEST(attr, kind, member) \
	[LIQUID_DEST_A_##attr] = { .name = #attr, .type = ATTR_##kind, \
		.offset = offsetof(struct gate_dest, member) }

static const struct attr_row dest_rows[] = {
	DEST(ID, U32, id),
	[LIQUID_DEST_A_KEY] = { .name = "KEY", .type = ATTR_NEST, .nest = &key_table },
	DEST(QLEN, U32, qlen),
	DEST(BACKLOG, U64, backlog),
	DEST(FRAMES, U32, frames),
	[LIQUID_DEST_A_STATS] = { .name = "STATS", .type = ATTR_NEST, .nest = &stats_table },
	[LIQUID_DEST_A_TIMES] = { .name = "TIMES", .type = ATTR_NEST, .nest = &times_table },
};
const struct attr_table dest_table = TABLE(dest_rows);

/* The rows below belong to no structure: they only name attributes in messages. */
static const struct attr_row entry_rows[] = {
	[LIQUID_ENTRY_A_RUN] = { .name = "RUN", .type = ATTR_U32 },
	[LIQUID_ENTRY_A_DEST] = { .name = "DEST", .type = ATTR_U32 },
};
static const struct attr_table entry_table = TABLE(entry_rows);

static const struct attr_row entries_rows[] = {
	[LIQUID_A_ENTRY] = { .name = "ENTRY", .type = ATTR_NEST, .nest = &entry_table },
};
static const struct attr_table entries_table = TABLE(entries_rows);

static const struct attr_row dests_rows[] = {
	[LIQUID_A_DEST] = { .name = "DEST", .type = ATTR_NEST, .nest = &dest_table },
};
static const struct attr_table dests_table = TABLE(dests_rows);

static const struct attr_row liquid_rows[] = {
	[LIQUID_A_IFINDEX] = { .name = "IFINDEX", .type = ATTR_U32 },
	[LIQUID_A_GATE] = { .name = "GATE", .type = ATTR_NEST, .nest = &gate_table },
	[LIQUID_A_STATE] = { .name = "STATE", .type = ATTR_NEST, .nest = &state_table },
	[LIQUID_A_STATS] = { .name = "STATS", .type = ATTR_NEST, .nest = &stats_table },
	[LIQUID_A_OPER] = { .name = "OPER", .type = ATTR_NEST, .nest = &sched_table },
	[LIQUID_A_ADMIN] = { .name = "ADMIN", .type = ATTR_NEST, .nest = &sched_table },
	[LIQUID_A_DESTS] = { .name = "DESTS", .type = ATTR_NEST, .nest = &dests_table },
	[LIQUID_A_SCHED] = { .name = "SCHED", .type = ATTR_NEST, .nest = &sched_table },
	[LIQUID_A_ENTRIES] = { .name = "ENTRIES", .type = ATTR_NEST, .nest = &entries_table },
	[LIQUID_A_BASE_TIME] = { .name = "BASE_TIME", .type = ATTR_S64 },
	[LIQUID_A_TAI_OFFSET] = { .name = "TAI_OFFSET", .type = ATTR_S32 },
	[LIQUID_A_REPLACE] = { .name = "REPLACE" },
	[LIQUID_A_WHICH] = { .name = "WHICH", .type = ATTR_U32 },
	[LIQUID_A_LEASE_NS] = { .name = "LEASE_NS", .type = ATTR_U64 },
	[LIQUID_A_TIMES] = { .name = "TIMES", .type = ATTR_NEST, .nest = &times_table },
	[LIQUID_A_ALL] = { .name = "ALL" },
};
const struct attr_table liquid_table = TABLE(liquid_rows);

static const struct attr_row route_rows[] = {
	[TCA_KIND] = { .name = "KIND" },
	[TCA_OPTIONS] = { .name = "OPTIONS", .type = ATTR_NEST, .nest = &gate_table },
};
const struct attr_table route_table = TABLE(route_rows);
