/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What wire and trees share: the family's commands and attributes by name, a socket that asks about
 * one device, and all that a gate is in one number
 */
#ifndef LIQUID_TEST_WIRE_H
#define LIQUID_TEST_WIRE_H

#include <inttypes.h>
#include <linux/pkt_sched.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/liquid.h>

#include "nl.h"

enum kind { FLAG, U8, U16, U32, U64, S32, S64, NEST, TEXT, BYTES, U64S };	/* U64S: an array */

struct field {
	const char *name;
	uint16_t type;
	enum kind kind;
	const struct field *nest;
};

#define END { NULL, 0, FLAG, NULL }

static const struct field rule_fields[] = {
	{ "ethertype", LIQUID_RULE_A_ETHERTYPE, U16, NULL },
	{ "l4proto", LIQUID_RULE_A_L4PROTO, U8, NULL },
	{ "port_min", LIQUID_RULE_A_PORT_MIN, U16, NULL },
	{ "port_max", LIQUID_RULE_A_PORT_MAX, U16, NULL },
	END
};

static const struct field bypass_fields[] = {
	{ "rule", LIQUID_GATE_A_RULE, NEST, rule_fields },
	END
};

static const struct field gate_fields[] = {
	{ "rate_bps", LIQUID_GATE_A_RATE_BPS, U64, NULL },
	{ "overhead", LIQUID_GATE_A_OVERHEAD, S32, NULL },
	{ "mpu", LIQUID_GATE_A_MPU, U32, NULL },
	{ "ahead_ns", LIQUID_GATE_A_AHEAD_NS, U32, NULL },
	{ "limit_packets", LIQUID_GATE_A_LIMIT_PACKETS, U32, NULL },
	{ "limit_bytes", LIQUID_GATE_A_LIMIT_BYTES, U64, NULL },
	{ "dest_limit_packets", LIQUID_GATE_A_DEST_LIMIT_PACKETS, U32, NULL },
	{ "dest_limit_bytes", LIQUID_GATE_A_DEST_LIMIT_BYTES, U64, NULL },
	{ "horizon_ms", LIQUID_GATE_A_HORIZON_MS, U32, NULL },
	{ "policy", LIQUID_GATE_A_POLICY, U32, NULL },
	{ "reserve", LIQUID_GATE_A_RESERVE, U32, NULL },
	{ "control", LIQUID_GATE_A_CONTROL, U32, NULL },
	{ "bypass", LIQUID_GATE_A_BYPASS, NEST, bypass_fields },
	{ "select", LIQUID_GATE_A_SELECT, U32, NULL },
	{ "select_mark", LIQUID_GATE_A_SELECT_MARK, U32, NULL },
	{ "select_mask", LIQUID_GATE_A_SELECT_MASK, U32, NULL },
	{ "match_mark", LIQUID_GATE_A_MATCH_MARK, U8, NULL },
	{ "skip_open", LIQUID_GATE_A_SKIP_OPEN, U8, NULL },
	{ "launch_ns", LIQUID_GATE_A_LAUNCH_NS, U32, NULL },
	{ "wake_early_ns", LIQUID_GATE_A_WAKE_EARLY_NS, U32, NULL },
	{ "cpu_latency_ns", LIQUID_GATE_A_CPU_LATENCY_NS, U32, NULL },
	{ "select_dscp", LIQUID_GATE_A_SELECT_DSCP, U8, NULL },
	{ "select_rule", LIQUID_GATE_A_SELECT_RULE, NEST, rule_fields },
	{ "acks", LIQUID_GATE_A_ACKS, U32, NULL },
	END
};

static const struct field state_fields[] = {
	{ "mode", LIQUID_STATE_A_MODE, U32, NULL },
	{ "now", LIQUID_STATE_A_NOW, S64, NULL },
	{ "tai_offset", LIQUID_STATE_A_TAI_OFFSET, S32, NULL },
	{ "link_rate_bps", LIQUID_STATE_A_LINK_RATE_BPS, U64, NULL },
	{ "frame", LIQUID_STATE_A_FRAME, U32, NULL },
	{ "frame_dest", LIQUID_STATE_A_FRAME_DEST, U32, NULL },
	{ "dests", LIQUID_STATE_A_DESTS, U32, NULL },
	{ "qlen", LIQUID_STATE_A_QLEN, U32, NULL },
	{ "backlog", LIQUID_STATE_A_BACKLOG, U64, NULL },
	{ "control_qlen", LIQUID_STATE_A_CONTROL_QLEN, U32, NULL },
	{ "unsched_qlen", LIQUID_STATE_A_UNSCHED_QLEN, U32, NULL },
	{ "tx_queues", LIQUID_STATE_A_TX_QUEUES, U32, NULL },
	{ "lease_ns", LIQUID_STATE_A_LEASE_NS, U64, NULL },
	{ "lease_left_ns", LIQUID_STATE_A_LEASE_LEFT_NS, U64, NULL },
	{ "leaks", LIQUID_STATE_A_LEAKS, U32, NULL },
	{ "launch_ns", LIQUID_STATE_A_LAUNCH_NS, U32, NULL },
	END
};

static const struct field stats_fields[] = {
	{ "packets", LIQUID_STATS_A_PACKETS, U64, NULL },
	{ "bytes", LIQUID_STATS_A_BYTES, U64, NULL },
	{ "waits", LIQUID_STATS_A_WAITS, U64, NULL },
	{ "requeues", LIQUID_STATS_A_REQUEUES, U64, NULL },
	{ "late", LIQUID_STATS_A_LATE, U64, NULL },
	{ "frames_used", LIQUID_STATS_A_FRAMES_USED, U64, NULL },
	{ "frames_missed", LIQUID_STATS_A_FRAMES_MISSED, U64, NULL },
	{ "splits", LIQUID_STATS_A_SPLITS, U64, NULL },
	{ "control_packets", LIQUID_STATS_A_CONTROL_PACKETS, U64, NULL },
	{ "control_bytes", LIQUID_STATS_A_CONTROL_BYTES, U64, NULL },
	{ "unsched_packets", LIQUID_STATS_A_UNSCHED_PACKETS, U64, NULL },
	{ "unsched_bytes", LIQUID_STATS_A_UNSCHED_BYTES, U64, NULL },
	{ "drop_limit", LIQUID_STATS_A_DROP_LIMIT, U64, NULL },
	{ "drop_total_limit", LIQUID_STATS_A_DROP_TOTAL_LIMIT, U64, NULL },
	{ "drop_horizon", LIQUID_STATS_A_DROP_HORIZON, U64, NULL },
	{ "drop_too_big", LIQUID_STATS_A_DROP_TOO_BIG, U64, NULL },
	{ "drop_policy", LIQUID_STATS_A_DROP_POLICY, U64, NULL },
	{ "drop_deleted", LIQUID_STATS_A_DROP_DELETED, U64, NULL },
	{ "drop_split", LIQUID_STATS_A_DROP_SPLIT, U64, NULL },
	{ "clock_steps", LIQUID_STATS_A_CLOCK_STEPS, U64, NULL },
	{ "swaps", LIQUID_STATS_A_SWAPS, U64, NULL },
	{ "queue_stopped", LIQUID_STATS_A_QUEUE_STOPPED, U64, NULL },
	{ "lease_expired", LIQUID_STATS_A_LEASE_EXPIRED, U64, NULL },
	{ "acks_thinned", LIQUID_STATS_A_ACKS_THINNED, U64, NULL },
	{ "drop_reset", LIQUID_STATS_A_DROP_RESET, U64, NULL },
	{ "drop_link", LIQUID_STATS_A_DROP_LINK, U64, NULL },
	{ "drop_control", LIQUID_STATS_A_DROP_CONTROL, U64, NULL },
	END
};

static const struct field hist_fields[] = {
	{ "sum_ns", LIQUID_HIST_A_SUM_NS, U64, NULL },
	{ "bucket", LIQUID_HIST_A_BUCKETS, U64S, NULL },
	END
};

static const struct field times_fields[] = {
	{ "wait", LIQUID_TIMES_A_WAIT, NEST, hist_fields },
	{ "late", LIQUID_TIMES_A_LATE, NEST, hist_fields },
	{ "lag", LIQUID_TIMES_A_LAG, NEST, hist_fields },
	{ "xmit", LIQUID_TIMES_A_XMIT, NEST, hist_fields },
	{ "overrun", LIQUID_TIMES_A_OVERRUN, NEST, hist_fields },
	END
};

static const struct field sched_fields[] = {
	{ "frame_ns", LIQUID_SCHED_A_FRAME_NS, U64, NULL },
	{ "guard_ns", LIQUID_SCHED_A_GUARD_NS, U64, NULL },
	{ "frames", LIQUID_SCHED_A_FRAMES, U32, NULL },
	{ "cycles", LIQUID_SCHED_A_CYCLES, U64, NULL },
	{ "then", LIQUID_SCHED_A_THEN, U32, NULL },
	{ "base_time", LIQUID_SCHED_A_BASE_TIME, S64, NULL },
	{ "start_time", LIQUID_SCHED_A_START_TIME, S64, NULL },
	{ "idle_frames", LIQUID_SCHED_A_IDLE_FRAMES, U32, NULL },
	{ "dests", LIQUID_SCHED_A_DESTS, U32, NULL },
	{ "label", LIQUID_SCHED_A_LABEL, TEXT, NULL },
	{ "user", LIQUID_SCHED_A_USER, U32, NULL },
	END
};

static const struct field key_fields[] = {
	{ "ipv4", LIQUID_KEY_A_IPV4, BYTES, NULL },
	{ "ipv6", LIQUID_KEY_A_IPV6, BYTES, NULL },
	{ "ether", LIQUID_KEY_A_ETHER, BYTES, NULL },
	{ "mark", LIQUID_KEY_A_MARK, BYTES, NULL },
	END
};

static const struct field dest_fields[] = {
	{ "id", LIQUID_DEST_A_ID, U32, NULL },
	{ "key", LIQUID_DEST_A_KEY, NEST, key_fields },
	{ "qlen", LIQUID_DEST_A_QLEN, U32, NULL },
	{ "backlog", LIQUID_DEST_A_BACKLOG, U64, NULL },
	{ "frames", LIQUID_DEST_A_FRAMES, U32, NULL },
	{ "stats", LIQUID_DEST_A_STATS, NEST, stats_fields },
	{ "times", LIQUID_DEST_A_TIMES, NEST, times_fields },
	END
};

static const struct field dests_fields[] = {
	{ "dest", LIQUID_A_DEST, NEST, dest_fields },
	END
};

static const struct field entry_fields[] = {
	{ "run", LIQUID_ENTRY_A_RUN, U32, NULL },
	{ "dest", LIQUID_ENTRY_A_DEST, U32, NULL },
	END
};

static const struct field entries_fields[] = {
	{ "entry", LIQUID_A_ENTRY, NEST, entry_fields },
	END
};

static const struct field top_fields[] = {
	{ "ifindex", LIQUID_A_IFINDEX, U32, NULL },
	{ "gate", LIQUID_A_GATE, NEST, gate_fields },
	{ "state", LIQUID_A_STATE, NEST, state_fields },
	{ "stats", LIQUID_A_STATS, NEST, stats_fields },
	{ "oper", LIQUID_A_OPER, NEST, sched_fields },
	{ "admin", LIQUID_A_ADMIN, NEST, sched_fields },
	{ "dests", LIQUID_A_DESTS, NEST, dests_fields },
	{ "sched", LIQUID_A_SCHED, NEST, sched_fields },
	{ "entries", LIQUID_A_ENTRIES, NEST, entries_fields },
	{ "base_time", LIQUID_A_BASE_TIME, S64, NULL },
	{ "tai_offset", LIQUID_A_TAI_OFFSET, S32, NULL },
	{ "replace", LIQUID_A_REPLACE, FLAG, NULL },
	{ "which", LIQUID_A_WHICH, U32, NULL },
	{ "lease_ns", LIQUID_A_LEASE_NS, U64, NULL },
	{ "times", LIQUID_A_TIMES, NEST, times_fields },
	{ "all", LIQUID_A_ALL, FLAG, NULL },
	END
};

static const struct {
	const char *name;
	uint8_t cmd;
} commands[] = {
	{ "gate-get", LIQUID_CMD_GATE_GET },
	{ "gate-set", LIQUID_CMD_GATE_SET },
	{ "dest-set", LIQUID_CMD_DEST_SET },
	{ "dest-del", LIQUID_CMD_DEST_DEL },
	{ "dest-get", LIQUID_CMD_DEST_GET },
	{ "begin", LIQUID_CMD_SCHED_BEGIN },
	{ "entries", LIQUID_CMD_SCHED_ENTRIES },
	{ "commit", LIQUID_CMD_SCHED_COMMIT },
	{ "abort", LIQUID_CMD_SCHED_ABORT },
	{ "clear", LIQUID_CMD_SCHED_CLEAR },
	{ "sched-get", LIQUID_CMD_SCHED_GET },
	{ "renew", LIQUID_CMD_LEASE_RENEW },
	{ "command-99", 99 },
};

static struct nl_message message;

static inline void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

static inline const void *payload(const struct nlmsghdr *head, size_t *size)
{
	*size = head->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	return (const char *)NLMSG_DATA(head) + GENL_HDRLEN;
}

struct session {
	int fd;
	uint16_t family;
	uint32_t ifindex;
};

static inline uint32_t device(const char *name)
{
	uint32_t index = if_nametoindex(name);

	return index ? index : (uint32_t)strtoul(name, NULL, 0);
}

static inline void open_session(struct session *session, const char *dev)
{
	session->fd = nl_open(NETLINK_GENERIC);
	session->family = session->fd < 0 ? 0 : nl_family(session->fd, LIQUID_GENL_NAME);
	if (!session->family)
		die("the kernel has no family \"" LIQUID_GENL_NAME "\"");
	session->ifindex = device(dev);
}

static inline void start_request(const struct session *session, uint8_t cmd, uint16_t flags)
{
	struct genlmsghdr head = { .cmd = cmd, .version = LIQUID_GENL_VERSION };

	nl_start(&message, session->family, flags, &head, sizeof(head));
	if (session->ifindex)
		nl_put(&message, LIQUID_A_IFINDEX, &session->ifindex, sizeof(uint32_t));
}

static inline void start_qdisc(uint16_t type, uint16_t flags, uint32_t ifindex)
{
	struct tcmsg head = { .tcm_family = AF_UNSPEC, .tcm_ifindex = (int)ifindex,
			      .tcm_parent = TC_H_ROOT };

	nl_start(&message, type, flags, &head, sizeof(head));
	nl_put(&message, TCA_KIND, LIQUID_QDISC_KIND, sizeof(LIQUID_QDISC_KIND));
}

/* Go on with FNV-1a. */
static inline void hash_value(uint64_t *hash, const struct nlattr *attr)
{
	const unsigned char *byte = nl_value(attr);

	for (size_t i = 0; i < nl_size(attr); i++)
		*hash = (*hash ^ byte[i]) * 0x100000001b3ULL;
}

/* The hash of all that a reply says but the counters, and of the state the lease's length alone */
static inline void hash_reply(void *context, const struct nlmsghdr *head)
{
	uint64_t *hash = context;
	size_t size;
	const void *first = payload(head, &size);

	nl_for_each(top, first, size) {
		int type = top->nla_type & NLA_TYPE_MASK;

		if (type == LIQUID_A_STATE) {
			nl_for_each(state, nl_value(top), nl_size(top))
				if (state->nla_type == LIQUID_STATE_A_LEASE_NS)
					hash_value(hash, state);
		} else if (type != LIQUID_A_STATS) {
			hash_value(hash, top);
		}
	}
}

/* What the device's gate is, in one number: options, destinations, schedules, lease. */
static inline uint64_t gate_hash(const struct session *session)
{
	static const uint8_t requests[] = { LIQUID_CMD_GATE_GET, LIQUID_CMD_DEST_GET,
					    LIQUID_CMD_SCHED_GET, LIQUID_CMD_SCHED_GET };
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < sizeof(requests); i++) {
		uint32_t which = i == 3 ? LIQUID_WHICH_ADMIN : LIQUID_WHICH_OPER;

		start_request(session, requests[i], i ? NLM_F_DUMP : 0);
		if (requests[i] == LIQUID_CMD_SCHED_GET)
			nl_put(&message, LIQUID_A_WHICH, &which, sizeof(which));
		hash ^= (uint64_t)nl_talk(session->fd, &message, hash_reply, &hash).error;
	}
	return hash;
}

#endif
