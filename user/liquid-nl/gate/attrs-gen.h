/* SPDX-License-Identifier: GPL-2.0-only */
/* Generated from Documentation/netlink/specs/liquid.yaml by `make netlink`: not to be edited */
#ifndef LIQUID_NL_ATTRS_GEN_H
#define LIQUID_NL_ATTRS_GEN_H

#include <linux/liquid.h>

#include "net/attrs.h"

/* In each, present has a bit for each attribute, by its number. */
struct gate_rule {
	uint64_t present;
	uint16_t ethertype;
	uint16_t port_min;
	uint16_t port_max;
	uint8_t l4proto;
};

struct gate_options {
	uint64_t present;
	uint64_t rate_bps;
	uint64_t limit_bytes;
	uint64_t dest_limit_bytes;
	int32_t overhead;
	uint32_t mpu;
	uint32_t ahead_ns;
	uint32_t limit_packets;
	uint32_t dest_limit_packets;
	uint32_t horizon_ms;
	uint32_t policy;
	uint32_t reserve;
	uint32_t control;
	uint32_t select;
	uint32_t select_mark;
	uint32_t select_mask;
	uint32_t acks;
	uint32_t launch_ns;
	uint32_t wake_early_ns;
	uint32_t cpu_latency_ns;
	uint8_t match_mark;
	uint8_t select_dscp;
	uint8_t skip_open;
	uint32_t rule_count;
	struct gate_rule rule[LIQUID_BYPASS_MAX];
	struct gate_rule select_rule;
};

struct gate_state {
	uint64_t present;
	int64_t now;
	uint64_t link_rate_bps;
	uint64_t backlog;
	uint64_t lease_ns;
	uint64_t lease_left_ns;
	uint32_t mode;
	int32_t tai_offset;
	uint32_t frame;
	uint32_t frame_dest;
	uint32_t dests;
	uint32_t qlen;
	uint32_t control_qlen;
	uint32_t unsched_qlen;
	uint32_t tx_queues;
	uint32_t leaks;
	uint32_t launch_ns;
};

struct gate_sched {
	uint64_t present;
	uint64_t frame_ns;
	uint64_t guard_ns;
	uint64_t cycles;
	int64_t base_time;
	int64_t start_time;
	uint32_t frames;
	uint32_t then;
	uint32_t idle_frames;
	uint32_t dests;
	uint32_t user;
	char label[LIQUID_LABEL_MAX + 1];
};

extern const char *const flag_names[];
extern const char *const command_names[];
extern const char *const which_names[];
extern const char *const policy_names[];
extern const char *const select_names[];
extern const char *const acks_names[];
extern const char *const then_names[];
extern const char *const mode_names[];
extern const char *const event_kind_names[];
extern const struct attr_table rule_table;
extern const struct attr_table bypass_table;
extern const struct attr_table gate_table;
extern const struct attr_table state_table;
extern const struct attr_table stats_table;
extern const struct attr_table sched_table;
extern const struct attr_table key_table;
extern const struct attr_table hist_table;
extern const struct attr_table times_table;
extern const struct attr_table dest_table;
extern const struct attr_table dests_table;
extern const struct attr_table entry_table;
extern const struct attr_table entries_table;
extern const struct attr_table event_info_table;
extern const struct attr_table liquid_table;

#endif
