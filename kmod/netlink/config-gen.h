/* SPDX-License-Identifier: GPL-2.0-only */
/* Generated from Documentation/netlink/specs/liquid.yaml by `make netlink`: not to be edited */

/* Options of a gate, as in &enum liquid_gate_attr. Written under RTNL and the root lock. */
struct liquid_config {
	u64 rate_bps;
	u64 limit_bytes;
	u64 dest_limit_bytes;
	s32 overhead;
	u32 mpu;
	u32 ahead_ns;
	u32 limit_packets;
	u32 dest_limit_packets;
	u32 horizon_ms;
	u32 policy;
	u32 reserve;
	u32 control;
	u32 select;
	u32 select_mark;
	u32 select_mask;
	u32 acks;
	u32 launch_ns;
	u32 wake_early_ns;
	u32 cpu_latency_ns;
	u8 match_mark;
	u8 select_dscp;
	u8 skip_open;
	u8 rules;
	struct liquid_rule select_rule;
	struct liquid_rule rule[LIQUID_BYPASS_MAX];
};

#define LIQUID_OPTIONS	22	/* numeric ones */
