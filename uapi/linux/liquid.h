/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The wire between userspace and the module (generic netlink family "liquid")
 *
 * Generated from Documentation/netlink/specs/liquid.yaml by `make netlink`: not to be edited
 *
 * Every request names its net device by LIQUID_A_IFINDEX, in the network namespace of the socket.
 * Requests that change something need CAP_NET_ADMIN in the user namespace that owns that network
 * namespace; requests that only read do not, except that destinations, their counters and frames
 * are for users who have it and for the schedule's own user (LIQUID_SCHED_A_USER), unless the
 * module's option hide_peers is off. All integers are in host byte order unless the attribute
 * states otherwise. Unknown attributes and flags are refused. A refused request changes nothing,
 * and its extended ack says what to do.
 *
 * The family's version (CTRL_ATTR_VERSION) is LIQUID_GENL_VERSION. A program that was built for
 * another one must not go on: attributes mean other things. The version in the header of a request
 * is not looked at, since generic tools send 1 to every family.
 *
 * Of a text that ends in ..., Documentation/netlink-attributes.rst has the rest.
 *
 * A gate is created by adding a root qdisc of kind "liquid" to a device (RTM_NEWQDISC). Its
 * TCA_OPTIONS may contain the attributes of GATE. Without them the defaults apply, and the rate is
 * the link speed that the device reports. RTM_GETQDISC returns them in the same form, with
 * NLA_F_NESTED. The gate is destroyed with the qdisc.
 */
#ifndef _UAPI_LINUX_LIQUID_H
#define _UAPI_LINUX_LIQUID_H

#include <linux/types.h>

#define LIQUID_GENL_NAME		"liquid" /* name of the family */
#define LIQUID_GENL_VERSION		2 /* its version */
#define LIQUID_GENL_EVENTS		"events" /* multicast group */
#define LIQUID_QDISC_KIND		"liquid" /* kind of the qdisc */
#define LIQUID_DEST_MAX			65536U /* destinations a gate; ids 0 ... 65535 */
#define LIQUID_DEST_KEYS_MAX		8U /* keys a destination */
#define LIQUID_FRAMES_MAX		1048576U /* frames a cycle */
#define LIQUID_FRAME_DESTS_MAX		1U /* destinations that may send in one frame */
#define LIQUID_FRAME_NS_MIN		10000ULL /* 10 us: limits the load by timers */
#define LIQUID_FRAME_NS_USER		100000ULL /* 100 us: shorter ones need more privilege */
#define LIQUID_FRAME_NS_MAX		10000000000ULL /* 10 s */
#define LIQUID_RATE_BPS_MIN		1000ULL /* 1 kbit/s */
#define LIQUID_RATE_BPS_MAX		10000000000000ULL /* 10 Tbit/s */
#define LIQUID_OVERHEAD_MIN		(-64) /* bytes */
#define LIQUID_OVERHEAD_MAX		1024 /* bytes */
#define LIQUID_MPU_MAX			65535U /* bytes */
#define LIQUID_AHEAD_NS_MAX		10000000U /* 10 ms */
#define LIQUID_LAUNCH_NS_MAX		10000000U /* 10 ms */
#define LIQUID_WAKE_EARLY_NS_MAX	50000U /* 50 us */
#define LIQUID_CPU_LATENCY_NS_MAX	1000000000U /* 1 s */
#define LIQUID_PERMILLE_MAX		1000U /* all of a frame */
#define LIQUID_BYPASS_MAX		16U /* rules of the control bypass */
#define LIQUID_DSCP_MAX			63U /* highest differentiated services code point */
#define LIQUID_HIST_BUCKETS		13U /* buckets of a histogram */
#define LIQUID_HIST_NS			1000ULL /* upper bound of its first bucket */
#define LIQUID_LEASE_NS_MIN		1000000ULL /* 1 ms */
#define LIQUID_LEASE_NS_MAX		604800000000000ULL /* 7 days */
#define LIQUID_LABEL_MAX		63U /* bytes of a label, without the 0 at its end */

/*
 * Commands, each with its attributes; [x] is optional, x* may repeat.
 *
 * LIQUID_CMD_GATE_GET: read one gate (do) or all gates of the namespace (dump).
 *	Request: IFINDEX (do). Reply: IFINDEX, GATE, STATE, STATS, TIMES, [OPER], [ADMIN]
 * LIQUID_CMD_GATE_SET: change options of a gate. Options not named are kept.
 *	Request: IFINDEX, GATE { any of its attributes }
 * LIQUID_CMD_DEST_SET: add destinations, or replace the keys of existing ones; all of them
 *	or none. The cost depends on the length of the request, not on the number of destinations,
 *	except for copies of 8 bytes for each id up to the highest, and of a directory of at most
 *	8 bytes for every 8 keys. -ENOSPC: the keys collide with every secret hash seed that was
 *	tried, which does not happen by chance.
 *	Request: IFINDEX, DESTS { DEST { ID, KEY* { IPV4 | IPV6 | ETHER | MARK } }* }
 * LIQUID_CMD_DEST_DEL: remove destinations; all of them or none. -EBUSY if a schedule in
 *	force or waiting uses one. Packets queued for them are dropped and counted.
 *	Request: IFINDEX, and either DESTS { DEST { ID }* } or ALL
 * LIQUID_CMD_DEST_GET: dump the destinations of one gate, with their counters. For a
 *	schedule's user: destinations that have frames in it, and in no other user's. -EPERM for
 *	users who may read none.
 *	Request: IFINDEX. Reply, one message or more: IFINDEX, DESTS { DEST { ID, KEY*, QLEN,
 *	BACKLOG, FRAMES, STATS, [TIMES] }* }
 * LIQUID_CMD_SCHED_BEGIN: open a transaction on this socket. It replaces an earlier one of
 *	this socket on the same gate. It is dropped when the socket is closed or the gate is
 *	destroyed.
 *	Request: IFINDEX, SCHED { FRAME_NS, [GUARD_NS], FRAMES, [CYCLES], [THEN], [LABEL], [USER]
 *	}
 * LIQUID_CMD_SCHED_ENTRIES: append frames to the transaction, in order.
 *	Request: IFINDEX, ENTRIES { ENTRY { RUN, [DEST] }* }
 * LIQUID_CMD_SCHED_COMMIT: make the transaction the admin schedule. It becomes oper at its
 *	base time or, if that has passed, at the next start of a cycle. -EBUSY if an admin
 *	schedule is already waiting and REPLACE is not given. When the commit is refused, the
 *	transaction stays open, so that it can be corrected and committed again. With LEASE_NS the
 *	gate has a new lease from now on; without it, it has no lease.
 *	Request: IFINDEX, BASE_TIME, [TAI_OFFSET], [REPLACE], [LEASE_NS]
 * LIQUID_CMD_SCHED_ABORT: drop this socket's transaction on the gate.
 *	Request: IFINDEX
 * LIQUID_CMD_SCHED_CLEAR: drop the admin and the oper schedule and the lease at once: the
 *	gate is open.
 *	Request: IFINDEX
 * LIQUID_CMD_SCHED_GET: dump the frames of a schedule, run-length coded. -EPERM for users
 *	who may not read them.
 *	Request: IFINDEX, [WHICH]. Reply, one message or more: IFINDEX, WHICH, SCHED, ENTRIES {
 *	ENTRY* }
 * LIQUID_CMD_LEASE_RENEW: restart the gate's lease, with the length LEASE_NS or the present
 *	one. -ENOENT if the gate has no lease, or it has expired.
 *	Request: IFINDEX, [LEASE_NS]
 * LIQUID_CMD_EVENT: not a request: an event of a gate, sent to the multicast group
 *	LIQUID_GENL_EVENTS of the gate's network namespace. A listener that joins the group and
 *	then reads the gates (GATE_GET) receives every later event, even without traffic.
 *	Message: IFINDEX, EVENT { KIND, TIME, COUNT, [DUE_TIME], [STEP_NS], [LABEL] }
 */
enum liquid_cmd {
	LIQUID_CMD_UNSPEC,
	LIQUID_CMD_GATE_GET,
	LIQUID_CMD_GATE_SET,
	LIQUID_CMD_DEST_SET,
	LIQUID_CMD_DEST_DEL,
	LIQUID_CMD_DEST_GET,
	LIQUID_CMD_SCHED_BEGIN,
	LIQUID_CMD_SCHED_ENTRIES,
	LIQUID_CMD_SCHED_COMMIT,
	LIQUID_CMD_SCHED_ABORT,
	LIQUID_CMD_SCHED_CLEAR,
	LIQUID_CMD_SCHED_GET,
	LIQUID_CMD_LEASE_RENEW,
	LIQUID_CMD_EVENT,

	__LIQUID_CMD_MAX,
	LIQUID_CMD_MAX = __LIQUID_CMD_MAX - 1
};

/* one of the two schedules of a gate */
enum liquid_which {
	LIQUID_WHICH_OPER,	/* the schedule in force */
	LIQUID_WHICH_ADMIN,	/* the schedule that waits for its base time */
};

/* treatment of unscheduled packets */
enum liquid_policy {
	LIQUID_POLICY_SHARE,	/* sent in idle frames, and in other frames within the reserve */
	LIQUID_POLICY_IDLE,	/* sent in idle frames only; a schedule without idle frames ... */
	LIQUID_POLICY_ALWAYS,	/* sent whenever the link is free, before scheduled packets */
	LIQUID_POLICY_DROP,	/* dropped and counted */
};

/* treatment of bare acknowledgements of TCP: segments without data, SYN, FIN and RST */
enum liquid_acks {
	LIQUID_ACKS_FRAMES,	/* to a destination with frames they wait for these, and ... */
	LIQUID_ACKS_BYPASS,	/* all are control packets */
};

/* packets that may be scheduled */
enum liquid_select {
	LIQUID_SELECT_ALL,	/* every packet */
	LIQUID_SELECT_MARK,	/* packets whose skb->mark matches */
	LIQUID_SELECT_DSCP,	/* IPv4 and IPv6 packets with this differentiated services ... */
	LIQUID_SELECT_RULE,	/* packets that match the rule. Its ports match source or ... */
};

/* behaviour after the last cycle */
enum liquid_then {
	LIQUID_THEN_OPEN,	/* the gate is open: queues are served round robin */
	LIQUID_THEN_HOLD,	/* the queues of destinations stay closed; every frame is idle */
};

/* mode of the gate */
enum liquid_mode {
	LIQUID_MODE_OPEN,	/* no schedule, or one that has ended with LIQUID_THEN_OPEN */
	LIQUID_MODE_GATED,	/* the oper schedule is running */
	LIQUID_MODE_HOLD,	/* the oper schedule has ended with LIQUID_THEN_HOLD */
};

/*
 * ways by which packets may leave the device without entering the gate
 *
 * Only these can be seen on the device; Documentation/operations.rst names others.
 */
enum liquid_leak {
	LIQUID_LEAK_STACKED,	/* the device sends through lower devices, with their own qdiscs */
	LIQUID_LEAK_XDP,	/* an XDP program is attached to it */
	LIQUID_LEAK_XSK,	/* an AF_XDP socket is bound to it */
	LIQUID_LEAK_OFFLOAD,	/* it forwards or encrypts by itself: hw-tc-offload ... */
	LIQUID_LEAK_VERBS,	/* it is an IPoIB device; RDMA leaves by the same port, not ... */
};

/*
 * events of a gate
 *
 * Several events of a kind that happen before they are sent are sent as one, with their number.
 */
enum liquid_event_kind {
	LIQUID_EVENT_COMMITTED,		/* a schedule was committed and waits for its base time */
	LIQUID_EVENT_OPER,		/* a schedule came into force */
	LIQUID_EVENT_ENDED,		/* the last cycle of the schedule in force ended */
	LIQUID_EVENT_LEASE_EXPIRED,	/* the gate was opened because its lease expired */
	LIQUID_EVENT_CLOCK_STEP,	/* CLOCK_TAI was stepped relative to CLOCK_MONOTONIC ... */
	LIQUID_EVENT_LATE,		/* packets left after the end of their frame ... */
	LIQUID_EVENT_GUARD_SHORT,	/* of 10,000 runs of packets (see ... */
	LIQUID_EVENT_LAUNCH_OFF,	/* a TX queue of the device takes no launch times any ... */

	__LIQUID_EVENT_MAX,
	LIQUID_EVENT_MAX = __LIQUID_EVENT_MAX - 1
};

/* top-level attributes */
enum liquid_attr {
	LIQUID_A_UNSPEC,
	LIQUID_A_IFINDEX,	/* u32; the gate's net device */
	LIQUID_A_GATE,		/* nest of liquid_gate_attr; options */
	LIQUID_A_STATE,		/* nest of liquid_state_attr; present state */
	LIQUID_A_STATS,		/* nest of liquid_stats_attr; counters of the gate */
	LIQUID_A_OPER,		/* nest of liquid_sched_attr; schedule in force */
	LIQUID_A_ADMIN,		/* nest of liquid_sched_attr; schedule that waits for its ... */
	LIQUID_A_DESTS,		/* nest of LIQUID_A_DEST; destinations */
	LIQUID_A_DEST,		/* nest of liquid_dest_attr; a destination; only inside DESTS */
	LIQUID_A_SCHED,		/* nest of liquid_sched_attr; a schedule, without its frames */
	LIQUID_A_ENTRIES,	/* nest of LIQUID_A_ENTRY; frames of a schedule */
	LIQUID_A_ENTRY,		/* nest of liquid_entry_attr; a run of frames ... */
	LIQUID_A_BASE_TIME,	/* s64, ns of CLOCK_TAI; start of frame 0 of cycle 0 ... */
	LIQUID_A_TAI_OFFSET,	/* s32, s; TAI - UTC as the sender assumes it ... */
	LIQUID_A_REPLACE,	/* flag; replace a waiting admin schedule */
	LIQUID_A_WHICH,		/* u32, liquid_which; oper without it */
	LIQUID_A_PAD,		/* padding of 64-bit attributes */
	LIQUID_A_LEASE_NS,	/* u64, ns of CLOCK_BOOTTIME; time without a renewal after ... */
	LIQUID_A_EVENT,		/* nest of liquid_event_attr; what happened */
	LIQUID_A_TIMES,		/* nest of liquid_times_attr; waiting times and lateness */
	LIQUID_A_ALL,		/* flag; all destinations */

	__LIQUID_A_MAX,
	LIQUID_A_MAX = __LIQUID_A_MAX - 1
};

/* options of a gate (GATE nest, and TCA_OPTIONS) */
enum liquid_gate_attr {
	LIQUID_GATE_A_UNSPEC,
	LIQUID_GATE_A_RATE_BPS,			/* u64, bit/s; rate of the link ... */
	LIQUID_GATE_A_OVERHEAD,			/* s32, bytes that each packet needs on the ... */
	LIQUID_GATE_A_MPU,			/* u32, bytes; smallest size of a packet on ... */
	LIQUID_GATE_A_AHEAD_NS,			/* u32, ns; how much transmission time may be ... */
	LIQUID_GATE_A_LIMIT_PACKETS,		/* u32; packets in all queues */
	LIQUID_GATE_A_LIMIT_BYTES,		/* u64, bytes in all queues */
	LIQUID_GATE_A_DEST_LIMIT_PACKETS,	/* u32; packets in one destination's queue ... */
	LIQUID_GATE_A_DEST_LIMIT_BYTES,		/* u64, bytes in one destination's queue ... */
	LIQUID_GATE_A_HORIZON_MS,		/* u32, ms; packets that have waited longer ... */
	LIQUID_GATE_A_POLICY,			/* u32, liquid_policy; what happens to ... */
	LIQUID_GATE_A_RESERVE,			/* u32, permille of a frame's bytes for ... */
	LIQUID_GATE_A_CONTROL,			/* u32, permille of a frame's bytes for ... */
	LIQUID_GATE_A_BYPASS,			/* nest of LIQUID_GATE_A_RULE; packets that ... */
	LIQUID_GATE_A_RULE,			/* nest of liquid_rule_attr; a rule ... */
	LIQUID_GATE_A_SELECT,			/* u32, liquid_select; packets that may be ... */
	LIQUID_GATE_A_SELECT_MARK,		/* u32; the mark, under LIQUID_SELECT_MARK ... */
	LIQUID_GATE_A_SELECT_MASK,		/* u32; the bits of the mark that SELECT_MARK ... */
	LIQUID_GATE_A_MATCH_MARK,		/* u8; look first for a destination whose key ... */
	LIQUID_GATE_A_PAD,			/* padding */
	LIQUID_GATE_A_SELECT_DSCP,		/* u8; the code point, under LIQUID_SELECT_DSCP */
	LIQUID_GATE_A_SELECT_RULE,		/* nest of liquid_rule_attr; the rule ... */
	LIQUID_GATE_A_ACKS,			/* u32, liquid_acks; what happens to bare ... */
	LIQUID_GATE_A_SKIP_OPEN,		/* u8; while there is no schedule, not even ... */
	LIQUID_GATE_A_LAUNCH_NS,		/* u32, ns; how long before its transmission ... */
	LIQUID_GATE_A_WAKE_EARLY_NS,		/* u32, ns; how much earlier the timer for a ... */
	LIQUID_GATE_A_CPU_LATENCY_NS,		/* u32, ns, rounded down to us; the longest ... */

	__LIQUID_GATE_A_MAX,
	LIQUID_GATE_A_MAX = __LIQUID_GATE_A_MAX - 1
};

/*
 * a rule of the control bypass, or of the selector
 *
 * Either ETHERTYPE alone, or L4PROTO with an optional range of ports. In the control bypass these
 * are destination ports. ETHERTYPE, L4PROTO and ports are not 0.
 */
enum liquid_rule_attr {
	LIQUID_RULE_A_UNSPEC,
	LIQUID_RULE_A_ETHERTYPE,	/* u16; as in the packet, but in host order */
	LIQUID_RULE_A_L4PROTO,		/* u8; number of an IP protocol */
	LIQUID_RULE_A_PORT_MIN,		/* u16; first port, in host order; with TCP, UDP, SCTP */
	LIQUID_RULE_A_PORT_MAX,		/* u16; last port, in host order; default: PORT_MIN */

	__LIQUID_RULE_A_MAX,
	LIQUID_RULE_A_MAX = __LIQUID_RULE_A_MAX - 1
};

/*
 * one key, by what identifies the packets (KEY nest: exactly one of these)
 *
 * The destination of a packet is looked up by mark if the gate says so, then by network-layer
 * address, then by Ethernet address. Kinds that no destination of the gate uses are skipped.
 */
enum liquid_key_attr {
	LIQUID_KEY_A_UNSPEC,
	LIQUID_KEY_A_IPV4,	/* u32, network order; the packet's destination address */
	LIQUID_KEY_A_IPV6,	/* binary, 16 bytes; the packet's destination address */
	LIQUID_KEY_A_ETHER,	/* binary, 6 bytes; destination address in the Ethernet header */
	LIQUID_KEY_A_MARK,	/* u32; skb->mark, see LIQUID_GATE_A_MATCH_MARK */

	__LIQUID_KEY_A_MAX,
	LIQUID_KEY_A_MAX = __LIQUID_KEY_A_MAX - 1
};

/* a destination (DEST nest) */
enum liquid_dest_attr {
	LIQUID_DEST_A_UNSPEC,
	LIQUID_DEST_A_ID,	/* u32; number of the destination; below LIQUID_DEST_MAX */
	LIQUID_DEST_A_KEY,	/* nest of liquid_key_attr; what identifies its packets ... */
	LIQUID_DEST_A_QLEN,	/* u32; packets queued; read only */
	LIQUID_DEST_A_BACKLOG,	/* u64, bytes queued; read only */
	LIQUID_DEST_A_FRAMES,	/* u32; frames a cycle in the oper schedule; read only */
	LIQUID_DEST_A_STATS,	/* nest of liquid_stats_attr; counters; read only */
	LIQUID_DEST_A_PAD,	/* padding */
	LIQUID_DEST_A_TIMES,	/* nest of liquid_times_attr; its waiting times ... */
	LIQUID_DEST_A_WAY,	/* reserved (u32): number of one of several paths to the ... */

	__LIQUID_DEST_A_MAX,
	LIQUID_DEST_A_MAX = __LIQUID_DEST_A_MAX - 1
};

/* a schedule (SCHED, OPER, ADMIN nests) */
enum liquid_sched_attr {
	LIQUID_SCHED_A_UNSPEC,
	LIQUID_SCHED_A_FRAME_NS,	/* u64, ns; length of a frame, guard included ... */
	LIQUID_SCHED_A_GUARD_NS,	/* u64, ns; time at the end of a frame in which ... */
	LIQUID_SCHED_A_FRAMES,		/* u32; frames a cycle; 1 ... LIQUID_FRAMES_MAX */
	LIQUID_SCHED_A_CYCLES,		/* u64; number of cycles from the base time on ... */
	LIQUID_SCHED_A_THEN,		/* u32, liquid_then; what follows the last cycle ... */
	LIQUID_SCHED_A_BASE_TIME,	/* s64, ns of CLOCK_TAI; start of frame 0 of cycle 0 ... */
	LIQUID_SCHED_A_START_TIME,	/* s64, ns of CLOCK_TAI; when it becomes, or became ... */
	LIQUID_SCHED_A_IDLE_FRAMES,	/* u32; frames a cycle without a destination; read only */
	LIQUID_SCHED_A_DESTS,		/* u32; distinct destinations with a frame; read only */
	LIQUID_SCHED_A_PAD,		/* padding */
	LIQUID_SCHED_A_LABEL,		/* string; 1 to LIQUID_LABEL_MAX printable characters ... */
	LIQUID_SCHED_A_USER,		/* u32; number of the user whose job it is for, as ... */
	LIQUID_SCHED_A_MEMBER,		/* reserved (u32): number of the job, communicator or ... */

	__LIQUID_SCHED_A_MAX,
	LIQUID_SCHED_A_MAX = __LIQUID_SCHED_A_MAX - 1
};

/* a run of equal frames (ENTRY nest) */
enum liquid_entry_attr {
	LIQUID_ENTRY_A_UNSPEC,
	LIQUID_ENTRY_A_RUN,	/* u32; number of frames, at least 1 */
	LIQUID_ENTRY_A_DEST,	/* u32; destination that may send in them ... */
	LIQUID_ENTRY_A_REVERSE,	/* reserved (u32): destination that sends to this node in ... */
	LIQUID_ENTRY_A_WAY,	/* reserved (u32): number of the way of DEST on which it is ... */
	LIQUID_ENTRY_A_MEMBER,	/* reserved (u32): number of the member of the schedule that ... */

	__LIQUID_ENTRY_A_MAX,
	LIQUID_ENTRY_A_MAX = __LIQUID_ENTRY_A_MAX - 1
};

/* state of a gate (STATE nest; read-only) */
enum liquid_state_attr {
	LIQUID_STATE_A_UNSPEC,
	LIQUID_STATE_A_MODE,		/* u32, liquid_mode; present mode of the gate */
	LIQUID_STATE_A_NOW,		/* s64, ns of CLOCK_TAI; time of the reply */
	LIQUID_STATE_A_TAI_OFFSET,	/* s32, s; TAI - UTC of this kernel */
	LIQUID_STATE_A_LINK_RATE_BPS,	/* u64, bit/s; link rate in use */
	LIQUID_STATE_A_FRAME,		/* u32; index of the current frame in the cycle ... */
	LIQUID_STATE_A_FRAME_DEST,	/* u32; destination of that frame, if any */
	LIQUID_STATE_A_DESTS,		/* u32; number of destinations */
	LIQUID_STATE_A_QLEN,		/* u32; packets in all queues */
	LIQUID_STATE_A_BACKLOG,		/* u64, bytes in all queues */
	LIQUID_STATE_A_CONTROL_QLEN,	/* u32; of these, control packets */
	LIQUID_STATE_A_UNSCHED_QLEN,	/* u32; of these, unscheduled packets */
	LIQUID_STATE_A_TX_QUEUES,	/* u32; number of TX queues with separate queues and ... */
	LIQUID_STATE_A_PAD,		/* padding */
	LIQUID_STATE_A_LEASE_NS,	/* u64, ns; length of the gate's lease, if it has one */
	LIQUID_STATE_A_LEASE_LEFT_NS,	/* u64, ns; time left until it expires */
	LIQUID_STATE_A_LEAKS,		/* u32; bit k: leak k was seen on the device */
	LIQUID_STATE_A_LAUNCH_NS,	/* u32, ns; LIQUID_GATE_A_LAUNCH_NS, or 0 while the ... */

	__LIQUID_STATE_A_MAX,
	LIQUID_STATE_A_MAX = __LIQUID_STATE_A_MAX - 1
};

/*
 * waiting times and lateness (TIMES nests; read-only)
 *
 * Each is a histogram; an empty one is left out. They are never reset. Histograms of a destination
 * are deleted with it, like its counters.
 */
enum liquid_times_attr {
	LIQUID_TIMES_A_UNSPEC,
	LIQUID_TIMES_A_WAIT,	/* nest of liquid_hist_attr; from a packet's arrival in a ... */
	LIQUID_TIMES_A_LATE,	/* nest of liquid_hist_attr; lateness of the packets that ... */
	LIQUID_TIMES_A_LAG,	/* nest of liquid_hist_attr; of a gate only ... */
	LIQUID_TIMES_A_XMIT,	/* nest of liquid_hist_attr; of a gate only, fine ... */
	LIQUID_TIMES_A_OVERRUN,	/* nest of liquid_hist_attr; of a gate only, fine ... */

	__LIQUID_TIMES_A_MAX,
	LIQUID_TIMES_A_MAX = __LIQUID_TIMES_A_MAX - 1
};

/*
 * a histogram of times (the nests of TIMES; read-only)
 *
 * Bucket k, 0 ... LIQUID_HIST_BUCKETS - 1, counts times up to LIQUID_HIST_NS * 4^k that are longer
 * than the bound of bucket k - 1: 1 us, 4 us, 16 us ... 4.194304 s. The last bucket has no bound.
 * In a fine histogram the bounds are LIQUID_HIST_NS * 2^k: 1 us, 2 us, 4 us ... 2.048 ms.
 */
enum liquid_hist_attr {
	LIQUID_HIST_A_UNSPEC,
	LIQUID_HIST_A_SUM_NS,	/* u64, ns; sum of all times. It grows by a second per second ... */
	LIQUID_HIST_A_PAD,	/* padding */
	LIQUID_HIST_A_BUCKETS,	/* binary; an array of u64, aligned to 4 bytes only ... */

	__LIQUID_HIST_A_MAX,
	LIQUID_HIST_A_MAX = __LIQUID_HIST_A_MAX - 1
};

/*
 * counters, u64 each (STATS nests; read-only)
 *
 * D: also kept per destination.
 */
enum liquid_stats_attr {
	LIQUID_STATS_A_UNSPEC,
	LIQUID_STATS_A_PACKETS,			/* u64; D; packets released */
	LIQUID_STATS_A_BYTES,			/* u64; D; bytes released, with link-layer ... */
	LIQUID_STATS_A_WAITS,			/* u64; D; times that the timer was set to a ... */
	LIQUID_STATS_A_REQUEUES,		/* u64; packets that the core requeued after ... */
	LIQUID_STATS_A_LATE,			/* u64; D; packets that left after the end of ... */
	LIQUID_STATS_A_FRAMES_USED,		/* u64; D; frames in which at least one ... */
	LIQUID_STATS_A_FRAMES_MISSED,		/* u64; D; frames that the timer was set to ... */
	LIQUID_STATS_A_SPLITS,			/* u64; GSO packets split because they did ... */
	LIQUID_STATS_A_CONTROL_PACKETS,		/* u64; control packets released */
	LIQUID_STATS_A_CONTROL_BYTES,		/* u64, bytes of control packets released */
	LIQUID_STATS_A_UNSCHED_PACKETS,		/* u64; unscheduled packets released */
	LIQUID_STATS_A_UNSCHED_BYTES,		/* u64, bytes of unscheduled packets released */
	LIQUID_STATS_A_DROP_LIMIT,		/* u64; D; dropped: the queue of the ... */
	LIQUID_STATS_A_DROP_TOTAL_LIMIT,	/* u64; dropped: all queues together were full */
	LIQUID_STATS_A_DROP_HORIZON,		/* u64; D; dropped: had waited longer than ... */
	LIQUID_STATS_A_DROP_TOO_BIG,		/* u64; D; dropped: too big for any frame */
	LIQUID_STATS_A_DROP_POLICY,		/* u64; dropped: unscheduled, and the policy ... */
	LIQUID_STATS_A_DROP_DELETED,		/* u64; dropped: the destination was deleted */
	LIQUID_STATS_A_DROP_SPLIT,		/* u64; D; dropped: a GSO packet could not be ... */
	LIQUID_STATS_A_CLOCK_STEPS,		/* u64; steps of CLOCK_TAI relative to ... */
	LIQUID_STATS_A_SWAPS,			/* u64; schedules that became oper */
	LIQUID_STATS_A_QUEUE_STOPPED,		/* u64; times that a release had to wait for ... */
	LIQUID_STATS_A_PAD,			/* padding */
	LIQUID_STATS_A_LEASE_EXPIRED,		/* u64; times that the gate was opened ... */
	LIQUID_STATS_A_ACKS_THINNED,		/* u64; waiting acknowledgements of TCP that ... */
	LIQUID_STATS_A_DROP_RESET,		/* u64; dropped by the core while the device ... */
	LIQUID_STATS_A_DROP_LINK,		/* u64; dropped: the queue of the link's ... */
	LIQUID_STATS_A_DROP_CONTROL,		/* u64; dropped: the queue of the other ... */

	__LIQUID_STATS_A_MAX,
	LIQUID_STATS_A_MAX = __LIQUID_STATS_A_MAX - 1
};

/* an event (EVENT nest; read-only) */
enum liquid_event_attr {
	LIQUID_EVENT_A_UNSPEC,
	LIQUID_EVENT_A_KIND,		/* u32, liquid_event_kind; what happened */
	LIQUID_EVENT_A_TIME,		/* s64, ns of CLOCK_TAI; first occurrence */
	LIQUID_EVENT_A_COUNT,		/* u64; number of occurrences, of late packets ... */
	LIQUID_EVENT_A_DUE_TIME,	/* s64, ns of CLOCK_TAI; start (COMMITTED, OPER) or ... */
	LIQUID_EVENT_A_STEP_NS,		/* s64, ns; by how much the clock was stepped ... */
	LIQUID_EVENT_A_PAD,		/* padding */
	LIQUID_EVENT_A_LABEL,		/* string; that of the schedule that was committed ... */

	__LIQUID_EVENT_A_MAX,
	LIQUID_EVENT_A_MAX = __LIQUID_EVENT_A_MAX - 1
};

#endif /* _UAPI_LINUX_LIQUID_H */
