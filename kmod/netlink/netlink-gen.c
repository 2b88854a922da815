// SPDX-License-Identifier: GPL-2.0-only
/* Generated from Documentation/netlink/specs/liquid.yaml by `make netlink`: not to be edited */
#include "netlink/netlink-gen.h"

#define LIQUID_READ_ONLY { \
	.type = NLA_REJECT, \
	.reject_message = "attribute is read only: leave it out", \
}

#define LIQUID_RESERVED { \
	.type = NLA_REJECT, \
	.reject_message = "attribute is reserved: this module does not accept it yet", \
}

const struct nla_policy liquid_rule_policy[LIQUID_RULE_A_MAX + 1] = {
	[LIQUID_RULE_A_ETHERTYPE]	= { .type = NLA_U16 },
	[LIQUID_RULE_A_L4PROTO]		= { .type = NLA_U8 },
	[LIQUID_RULE_A_PORT_MIN]	= { .type = NLA_U16 },
	[LIQUID_RULE_A_PORT_MAX]	= { .type = NLA_U16 },
};

const struct nla_policy liquid_bypass_policy[LIQUID_GATE_A_RULE + 1] = {
	[LIQUID_GATE_A_RULE]		= NLA_POLICY_NESTED(liquid_rule_policy),
};

const struct nla_policy liquid_gate_policy[LIQUID_GATE_A_MAX + 1] = {
	[LIQUID_GATE_A_RATE_BPS]	= { .type = NLA_U64 },
	[LIQUID_GATE_A_OVERHEAD]	= { .type = NLA_S32 },
	[LIQUID_GATE_A_MPU]		= { .type = NLA_U32 },
	[LIQUID_GATE_A_AHEAD_NS]	= { .type = NLA_U32 },
	[LIQUID_GATE_A_LIMIT_PACKETS]	= { .type = NLA_U32 },
	[LIQUID_GATE_A_LIMIT_BYTES]	= { .type = NLA_U64 },
	[LIQUID_GATE_A_DEST_LIMIT_PACKETS]	= { .type = NLA_U32 },
	[LIQUID_GATE_A_DEST_LIMIT_BYTES]	= { .type = NLA_U64 },
	[LIQUID_GATE_A_HORIZON_MS]	= { .type = NLA_U32 },
	[LIQUID_GATE_A_POLICY]		= { .type = NLA_U32 },
	[LIQUID_GATE_A_RESERVE]		= { .type = NLA_U32 },
	[LIQUID_GATE_A_CONTROL]		= { .type = NLA_U32 },
	[LIQUID_GATE_A_BYPASS]		= NLA_POLICY_NESTED(liquid_bypass_policy),
	[LIQUID_GATE_A_SELECT]		= { .type = NLA_U32 },
	[LIQUID_GATE_A_SELECT_MARK]	= { .type = NLA_U32 },
	[LIQUID_GATE_A_SELECT_MASK]	= { .type = NLA_U32 },
	[LIQUID_GATE_A_MATCH_MARK]	= { .type = NLA_U8 },
	[LIQUID_GATE_A_SELECT_DSCP]	= { .type = NLA_U8 },
	[LIQUID_GATE_A_SELECT_RULE]	= NLA_POLICY_NESTED(liquid_rule_policy),
	[LIQUID_GATE_A_ACKS]		= { .type = NLA_U32 },
	[LIQUID_GATE_A_SKIP_OPEN]	= { .type = NLA_U8 },
	[LIQUID_GATE_A_LAUNCH_NS]	= { .type = NLA_U32 },
	[LIQUID_GATE_A_WAKE_EARLY_NS]	= { .type = NLA_U32 },
	[LIQUID_GATE_A_CPU_LATENCY_NS]	= { .type = NLA_U32 },
};

const struct nla_policy liquid_key_policy[LIQUID_KEY_A_MAX + 1] = {
	[LIQUID_KEY_A_IPV4]		= { .type = NLA_U32 },
	[LIQUID_KEY_A_IPV6]		= NLA_POLICY_EXACT_LEN(16),
	[LIQUID_KEY_A_ETHER]		= NLA_POLICY_EXACT_LEN(6),
	[LIQUID_KEY_A_MARK]		= { .type = NLA_U32 },
};

const struct nla_policy liquid_dest_policy[LIQUID_DEST_A_MAX + 1] = {
	[LIQUID_DEST_A_ID]		= { .type = NLA_U32 },
	[LIQUID_DEST_A_KEY]		= NLA_POLICY_NESTED(liquid_key_policy),
	[LIQUID_DEST_A_QLEN]		= LIQUID_READ_ONLY,
	[LIQUID_DEST_A_BACKLOG]		= LIQUID_READ_ONLY,
	[LIQUID_DEST_A_FRAMES]		= LIQUID_READ_ONLY,
	[LIQUID_DEST_A_STATS]		= { .type = NLA_NESTED },
	[LIQUID_DEST_A_TIMES]		= { .type = NLA_NESTED },
	[LIQUID_DEST_A_WAY]		= LIQUID_RESERVED,
};

const struct nla_policy liquid_dests_policy[LIQUID_A_DEST + 1] = {
	[LIQUID_A_DEST]			= NLA_POLICY_NESTED(liquid_dest_policy),
};

const struct nla_policy liquid_sched_policy[LIQUID_SCHED_A_MAX + 1] = {
	[LIQUID_SCHED_A_FRAME_NS]	= { .type = NLA_U64 },
	[LIQUID_SCHED_A_GUARD_NS]	= { .type = NLA_U64 },
	[LIQUID_SCHED_A_FRAMES]		= { .type = NLA_U32 },
	[LIQUID_SCHED_A_CYCLES]		= { .type = NLA_U64 },
	[LIQUID_SCHED_A_THEN]		= { .type = NLA_U32 },
	[LIQUID_SCHED_A_BASE_TIME]	= LIQUID_READ_ONLY,
	[LIQUID_SCHED_A_START_TIME]	= LIQUID_READ_ONLY,
	[LIQUID_SCHED_A_IDLE_FRAMES]	= LIQUID_READ_ONLY,
	[LIQUID_SCHED_A_DESTS]		= LIQUID_READ_ONLY,
	[LIQUID_SCHED_A_LABEL]		= { .type = NLA_NUL_STRING },
	[LIQUID_SCHED_A_USER]		= { .type = NLA_U32 },
	[LIQUID_SCHED_A_MEMBER]		= LIQUID_RESERVED,
};

const struct nla_policy liquid_entry_policy[LIQUID_ENTRY_A_MAX + 1] = {
	[LIQUID_ENTRY_A_RUN]		= { .type = NLA_U32 },
	[LIQUID_ENTRY_A_DEST]		= { .type = NLA_U32 },
	[LIQUID_ENTRY_A_REVERSE]	= LIQUID_RESERVED,
	[LIQUID_ENTRY_A_WAY]		= LIQUID_RESERVED,
	[LIQUID_ENTRY_A_MEMBER]		= LIQUID_RESERVED,
};

const struct nla_policy liquid_entries_policy[LIQUID_A_ENTRY + 1] = {
	[LIQUID_A_ENTRY]		= NLA_POLICY_NESTED(liquid_entry_policy),
};

/* A policy for each command, which refuses the attributes of the others */
static const struct nla_policy liquid_gate_get_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
};

static const struct nla_policy liquid_gate_set_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
	[LIQUID_A_GATE]			= NLA_POLICY_NESTED(liquid_gate_policy),
};

static const struct nla_policy liquid_dest_set_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
	[LIQUID_A_DESTS]		= NLA_POLICY_NESTED(liquid_dests_policy),
};

static const struct nla_policy liquid_dest_del_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
	[LIQUID_A_DESTS]		= NLA_POLICY_NESTED(liquid_dests_policy),
	[LIQUID_A_ALL]			= { .type = NLA_FLAG },
};

static const struct nla_policy liquid_dest_get_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
};

static const struct nla_policy liquid_sched_begin_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
	[LIQUID_A_SCHED]		= NLA_POLICY_NESTED(liquid_sched_policy),
};

static const struct nla_policy liquid_sched_entries_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
	[LIQUID_A_ENTRIES]		= NLA_POLICY_NESTED(liquid_entries_policy),
};

static const struct nla_policy liquid_sched_commit_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
	[LIQUID_A_BASE_TIME]		= { .type = NLA_S64 },
	[LIQUID_A_TAI_OFFSET]		= { .type = NLA_S32 },
	[LIQUID_A_REPLACE]		= { .type = NLA_FLAG },
	[LIQUID_A_LEASE_NS]		= { .type = NLA_U64 },
};

static const struct nla_policy liquid_sched_abort_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
};

static const struct nla_policy liquid_sched_clear_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
};

static const struct nla_policy liquid_sched_get_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
	[LIQUID_A_WHICH]		= { .type = NLA_U32 },
};

static const struct nla_policy liquid_lease_renew_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
	[LIQUID_A_LEASE_NS]		= { .type = NLA_U64 },
};

const struct genl_ops liquid_ops[] = {
	{
		.cmd		= LIQUID_CMD_GATE_GET,
		.policy		= liquid_gate_get_policy,
		.maxattr	= LIQUID_A_MAX,
		.doit		= liquid_doit,
		.dumpit		= liquid_dump_gate_get,
	},
	{
		.cmd		= LIQUID_CMD_GATE_SET,
		.policy		= liquid_gate_set_policy,
		.maxattr	= LIQUID_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
		.doit		= liquid_doit,
	},
	{
		.cmd		= LIQUID_CMD_DEST_SET,
		.policy		= liquid_dest_set_policy,
		.maxattr	= LIQUID_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
		.doit		= liquid_doit,
	},
	{
		.cmd		= LIQUID_CMD_DEST_DEL,
		.policy		= liquid_dest_del_policy,
		.maxattr	= LIQUID_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
		.doit		= liquid_doit,
	},
	{
		.cmd		= LIQUID_CMD_DEST_GET,
		.policy		= liquid_dest_get_policy,
		.maxattr	= LIQUID_A_MAX,
		.dumpit		= liquid_dump_dest_get,
	},
	{
		.cmd		= LIQUID_CMD_SCHED_BEGIN,
		.policy		= liquid_sched_begin_policy,
		.maxattr	= LIQUID_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
		.doit		= liquid_doit,
	},
	{
		.cmd		= LIQUID_CMD_SCHED_ENTRIES,
		.policy		= liquid_sched_entries_policy,
		.maxattr	= LIQUID_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
		.doit		= liquid_doit,
	},
	{
		.cmd		= LIQUID_CMD_SCHED_COMMIT,
		.policy		= liquid_sched_commit_policy,
		.maxattr	= LIQUID_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
		.doit		= liquid_doit,
	},
	{
		.cmd		= LIQUID_CMD_SCHED_ABORT,
		.policy		= liquid_sched_abort_policy,
		.maxattr	= LIQUID_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
		.doit		= liquid_doit,
	},
	{
		.cmd		= LIQUID_CMD_SCHED_CLEAR,
		.policy		= liquid_sched_clear_policy,
		.maxattr	= LIQUID_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
		.doit		= liquid_doit,
	},
	{
		.cmd		= LIQUID_CMD_SCHED_GET,
		.policy		= liquid_sched_get_policy,
		.maxattr	= LIQUID_A_MAX,
		.dumpit		= liquid_dump_sched_get,
	},
	{
		.cmd		= LIQUID_CMD_LEASE_RENEW,
		.policy		= liquid_lease_renew_policy,
		.maxattr	= LIQUID_A_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
		.doit		= liquid_doit,
	},
};

const struct liquid_option liquid_options[] = {
	{ LIQUID_GATE_A_RATE_BPS, offsetof(struct liquid_config, rate_bps),
	  LIQUID_RATE_BPS_MIN, LIQUID_RATE_BPS_MAX,
	  "rate out of range: use 1 kbit/s to 10 Tbit/s, or 0 for the device's" },
	{ LIQUID_GATE_A_OVERHEAD, offsetof(struct liquid_config, overhead),
	  LIQUID_OVERHEAD_MIN, LIQUID_OVERHEAD_MAX,
	  "overhead out of range: use -64 to 1024 bytes" },
	{ LIQUID_GATE_A_MPU, offsetof(struct liquid_config, mpu),
	  0, LIQUID_MPU_MAX,
	  "mpu out of range: use 0 to 65535 bytes" },
	{ LIQUID_GATE_A_AHEAD_NS, offsetof(struct liquid_config, ahead_ns),
	  0, LIQUID_AHEAD_NS_MAX,
	  "ahead out of range: use 0 to 10 ms" },
	{ LIQUID_GATE_A_LIMIT_PACKETS, offsetof(struct liquid_config, limit_packets),
	  1, U32_MAX,
	  "limit-packets out of range: use at least 1" },
	{ LIQUID_GATE_A_LIMIT_BYTES, offsetof(struct liquid_config, limit_bytes),
	  1, S64_MAX,
	  "limit-bytes out of range: use at least 1" },
	{ LIQUID_GATE_A_DEST_LIMIT_PACKETS, offsetof(struct liquid_config, dest_limit_packets),
	  1, U32_MAX,
	  "dest-limit-packets out of range: use at least 1" },
	{ LIQUID_GATE_A_DEST_LIMIT_BYTES, offsetof(struct liquid_config, dest_limit_bytes),
	  1, S64_MAX,
	  "dest-limit-bytes out of range: use at least 1" },
	{ LIQUID_GATE_A_HORIZON_MS, offsetof(struct liquid_config, horizon_ms),
	  0, 2147483647,
	  "horizon out of range: use 0 to 2147483647 ms" },
	{ LIQUID_GATE_A_POLICY, offsetof(struct liquid_config, policy),
	  0, LIQUID_POLICY_DROP,
	  "unknown policy: use share, idle, always or drop" },
	{ LIQUID_GATE_A_RESERVE, offsetof(struct liquid_config, reserve),
	  0, 1000,
	  "reserve out of range: use 0 to 1000 permille" },
	{ LIQUID_GATE_A_CONTROL, offsetof(struct liquid_config, control),
	  0, 1000,
	  "control out of range: use 0 to 1000 permille" },
	{ LIQUID_GATE_A_SELECT, offsetof(struct liquid_config, select),
	  0, LIQUID_SELECT_RULE,
	  "unknown select: use all, mark, dscp or rule" },
	{ LIQUID_GATE_A_SELECT_MARK, offsetof(struct liquid_config, select_mark),
	  0, U32_MAX,
	  NULL },
	{ LIQUID_GATE_A_SELECT_MASK, offsetof(struct liquid_config, select_mask),
	  0, U32_MAX,
	  NULL },
	{ LIQUID_GATE_A_MATCH_MARK, offsetof(struct liquid_config, match_mark),
	  0, 1,
	  "match-mark out of range: use 0 or 1" },
	{ LIQUID_GATE_A_SELECT_DSCP, offsetof(struct liquid_config, select_dscp),
	  0, 63,
	  "select-dscp out of range: use 0 to 63" },
	{ LIQUID_GATE_A_ACKS, offsetof(struct liquid_config, acks),
	  0, LIQUID_ACKS_BYPASS,
	  "unknown acks: use frames or bypass" },
	{ LIQUID_GATE_A_SKIP_OPEN, offsetof(struct liquid_config, skip_open),
	  0, 1,
	  "skip-open out of range: use 0 or 1" },
	{ LIQUID_GATE_A_LAUNCH_NS, offsetof(struct liquid_config, launch_ns),
	  0, LIQUID_LAUNCH_NS_MAX,
	  "launch out of range: use 0 to 10 ms" },
	{ LIQUID_GATE_A_WAKE_EARLY_NS, offsetof(struct liquid_config, wake_early_ns),
	  0, LIQUID_WAKE_EARLY_NS_MAX,
	  "wake-early out of range: use 0 to 50 us" },
	{ LIQUID_GATE_A_CPU_LATENCY_NS, offsetof(struct liquid_config, cpu_latency_ns),
	  0, LIQUID_CPU_LATENCY_NS_MAX,
	  "cpu-latency out of range: use 0 to 1 s" },
};
