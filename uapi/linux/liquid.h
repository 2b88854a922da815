/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The wire between userspace and the module (generic netlink family "liquid")
 *
 * Generated from Documentation/netlink/specs/liquid.yaml by `make netlink`: not to be edited
 *
 * Every request names its net device by %LIQUID_A_IFINDEX, in the network namespace of the socket.
 * Requests that change something need CAP_NET_ADMIN in the user namespace that owns that network
 * namespace; requests that only read do not, except that destinations, their counters and frames
 * are for those who have it and for the schedule's own user (%LIQUID_SCHED_A_USER), unless the
 * module's option hide_peers is off. All integers are in host byte order unless the attribute
 * states otherwise. Unknown attributes and flags are refused. A refused request changes nothing,
 * and its extended ack says what to do.
 *
 * The family's version (CTRL_ATTR_VERSION) is %LIQUID_GENL_VERSION. A program that was built for
 * another one must not go on: attributes mean other things. The version in the header of a request
 * is not looked at, since generic tools send 1 to every family.
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

/**
 * enum liquid_cmd - commands
 *
 * Each with its attributes; [x] is optional, x* may repeat.
 *
 * @LIQUID_CMD_GATE_GET: read one gate (do) or all gates of the namespace (dump).
 *	Request: IFINDEX (do). Reply: IFINDEX, GATE, STATE, STATS, TIMES, [OPER], [ADMIN]
 * @LIQUID_CMD_GATE_SET: change options of a gate. Options not named are kept.
 *	Request: IFINDEX, GATE { any of its attributes }
 * @LIQUID_CMD_DEST_SET: add destinations, or replace the keys of existing ones; all of them
 *	or none. The cost depends on the length of the request, not on the number of destinations,
 *	except for copies of 8 bytes for each id up to the highest, and of a directory of at most
 *	8 bytes for every 8 keys. -ENOSPC: the keys collide with every secret hash seed that was
 *	tried, which does not happen by chance.
 *	Request: IFINDEX, DESTS { DEST { ID, KEY* { IPV4 | IPV6 | ETHER | MARK } }* }
 * @LIQUID_CMD_DEST_DEL: remove destinations; all of them or none. -EBUSY if a schedule in
 *	force or waiting uses one. Packets queued for them are dropped and counted.
 *	Request: IFINDEX, and either DESTS { DEST { ID }* } or ALL
 * @LIQUID_CMD_DEST_GET: dump the destinations of one gate, with their counters. For a
 *	schedule's user: those that have frames in it, and in no other user's. -EPERM for those
 *	who may read none.
 *	Request: IFINDEX. Reply, one message or more: IFINDEX, DESTS { DEST { ID, KEY*, QLEN,
 *	BACKLOG, FRAMES, STATS, [TIMES] }* }
 * @LIQUID_CMD_SCHED_BEGIN: open a transaction on this socket. It replaces an earlier one of
 *	this socket on the same gate. It is dropped when the socket is closed or the gate is
 *	destroyed.
 *	Request: IFINDEX, SCHED { FRAME_NS, [GUARD_NS], FRAMES, [CYCLES], [THEN], [LABEL], [USER]
 *	}
 * @LIQUID_CMD_SCHED_ENTRIES: append frames to the transaction, in order.
 *	Request: IFINDEX, ENTRIES { ENTRY { RUN, [DEST] }* }
 * @LIQUID_CMD_SCHED_COMMIT: make the transaction the admin schedule. It becomes oper at its
 *	base time or, if that has passed, at the next start of a cycle. -EBUSY if an admin
 *	schedule is already waiting and REPLACE is not given. When the commit is refused, the
 *	transaction stays open, so that it can be corrected and committed again. With LEASE_NS the
 *	gate has a new lease from now on; without it, it has no lease.
 *	Request: IFINDEX, BASE_TIME, [TAI_OFFSET], [REPLACE], [LEASE_NS]
 * @LIQUID_CMD_SCHED_ABORT: drop this socket's transaction on the gate.
 *	Request: IFINDEX
 * @LIQUID_CMD_SCHED_CLEAR: drop the admin and the oper schedule and the lease at once: the
 *	gate is open.
 *	Request: IFINDEX
 * @LIQUID_CMD_SCHED_GET: dump the frames of a schedule, run-length coded. -EPERM for those
 *	who may not read them.
 *	Request: IFINDEX, [WHICH]. Reply, one message or more: IFINDEX, WHICH, SCHED, ENTRIES {
 *	ENTRY* }
 * @LIQUID_CMD_LEASE_RENEW: restart the gate's lease, with the length LEASE_NS or the present
 *	one. -ENOENT if the gate has no lease, or it has expired.
 *	Request: IFINDEX, [LEASE_NS]
 * @LIQUID_CMD_EVENT: not a request: an event of a gate, sent to the multicast group
 *	%LIQUID_GENL_EVENTS of the gate's network namespace. A listener that joins the group and
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

/**
 * enum liquid_which - one of the two schedules of a gate
 * @LIQUID_WHICH_OPER: the schedule in force
 * @LIQUID_WHICH_ADMIN: the schedule that waits for its base time
 */
enum liquid_which {
	LIQUID_WHICH_OPER,
	LIQUID_WHICH_ADMIN,
};

/**
 * enum liquid_policy - treatment of unscheduled packets
 * @LIQUID_POLICY_SHARE: sent in idle frames, and in other frames within the reserve
 * @LIQUID_POLICY_IDLE: sent in idle frames only; a schedule without idle frames is refused
 * @LIQUID_POLICY_ALWAYS: sent whenever the link is free, before scheduled packets
 * @LIQUID_POLICY_DROP: dropped and counted
 */
enum liquid_policy {
	LIQUID_POLICY_SHARE,
	LIQUID_POLICY_IDLE,
	LIQUID_POLICY_ALWAYS,
	LIQUID_POLICY_DROP,
};

/**
 * enum liquid_acks - treatment of bare acknowledgements of TCP: segments without data, SYN,
 *	FIN and RST
 * @LIQUID_ACKS_FRAMES: to a destination with frames they wait for these, and leave before
 *	data. A newer one replaces one that waits, if it says all that this one says. Others are
 *	control packets.
 * @LIQUID_ACKS_BYPASS: all are control packets
 */
enum liquid_acks {
	LIQUID_ACKS_FRAMES,
	LIQUID_ACKS_BYPASS,
};

/**
 * enum liquid_select - packets that may be scheduled
 * @LIQUID_SELECT_ALL: every packet
 * @LIQUID_SELECT_MARK: packets whose skb->mark matches
 * @LIQUID_SELECT_DSCP: IPv4 and IPv6 packets with this differentiated services code point.
 *	All fragments of a packet have it. In a tunnel the outer header counts.
 * @LIQUID_SELECT_RULE: packets that match the rule. Its ports match source or destination,
 *	since the data of a connection goes both ways. Only the first fragment of a packet has
 *	ports.
 */
enum liquid_select {
	LIQUID_SELECT_ALL,
	LIQUID_SELECT_MARK,
	LIQUID_SELECT_DSCP,
	LIQUID_SELECT_RULE,
};

/**
 * enum liquid_then - behaviour after the last cycle
 * @LIQUID_THEN_OPEN: the gate is open: queues are served round robin
 * @LIQUID_THEN_HOLD: the queues of destinations stay closed; every frame is idle
 */
enum liquid_then {
	LIQUID_THEN_OPEN,
	LIQUID_THEN_HOLD,
};

/**
 * enum liquid_mode - mode of the gate
 * @LIQUID_MODE_OPEN: no schedule, or one that has ended with %LIQUID_THEN_OPEN
 * @LIQUID_MODE_GATED: the oper schedule is running
 * @LIQUID_MODE_HOLD: the oper schedule has ended with %LIQUID_THEN_HOLD
 */
enum liquid_mode {
	LIQUID_MODE_OPEN,
	LIQUID_MODE_GATED,
	LIQUID_MODE_HOLD,
};

/**
 * enum liquid_leak - ways by which packets may leave the device without entering the gate
 *
 * Only these can be seen on the device; Documentation/operations.rst names others.
 *
 * @LIQUID_LEAK_STACKED: the device sends through lower devices, with qdiscs of their own
 * @LIQUID_LEAK_XDP: an XDP program is attached to it
 * @LIQUID_LEAK_XSK: an AF_XDP socket is bound to it
 * @LIQUID_LEAK_OFFLOAD: it forwards or encrypts by itself: hw-tc-offload, esp-hw-offload,
 *	macsec-hw-offload or l2-fwd-offload is on
 * @LIQUID_LEAK_VERBS: it is an IPoIB device; RDMA leaves by the same port, not by the device
 */
enum liquid_leak {
	LIQUID_LEAK_STACKED,
	LIQUID_LEAK_XDP,
	LIQUID_LEAK_XSK,
	LIQUID_LEAK_OFFLOAD,
	LIQUID_LEAK_VERBS,
};

/**
 * enum liquid_event_kind - events of a gate
 *
 * Several events of a kind that happen before they are sent are sent as one, with their number.
 *
 * @LIQUID_EVENT_COMMITTED: a schedule was committed and waits for its base time
 * @LIQUID_EVENT_OPER: a schedule came into force
 * @LIQUID_EVENT_ENDED: the last cycle of the schedule in force ended
 * @LIQUID_EVENT_LEASE_EXPIRED: the gate was opened because its lease expired
 * @LIQUID_EVENT_CLOCK_STEP: CLOCK_TAI was stepped relative to CLOCK_MONOTONIC while the gate
 *	had a schedule; noticed within about a second
 * @LIQUID_EVENT_LATE: packets left after the end of their frame; sent once a second at most
 * @LIQUID_EVENT_GUARD_SHORT: of 10,000 runs of packets (see %LIQUID_TIMES_A_XMIT) at least
 *	10 took longer than the guard of the schedule in force; sent once a second at most
 * @LIQUID_EVENT_LAUNCH_OFF: a TX queue of the device takes no launch times any more, so
 *	packets are not released early; the device is asked again when it comes up or when the
 *	number of its TX queues changes
 */
enum liquid_event_kind {
	LIQUID_EVENT_COMMITTED,
	LIQUID_EVENT_OPER,
	LIQUID_EVENT_ENDED,
	LIQUID_EVENT_LEASE_EXPIRED,
	LIQUID_EVENT_CLOCK_STEP,
	LIQUID_EVENT_LATE,
	LIQUID_EVENT_GUARD_SHORT,
	LIQUID_EVENT_LAUNCH_OFF,

	__LIQUID_EVENT_MAX,
	LIQUID_EVENT_MAX = __LIQUID_EVENT_MAX - 1
};

/**
 * enum liquid_attr - top-level attributes
 * @LIQUID_A_IFINDEX: u32; the gate's net device
 * @LIQUID_A_GATE: nest of &enum liquid_gate_attr; options
 * @LIQUID_A_STATE: nest of &enum liquid_state_attr; what it does now
 * @LIQUID_A_STATS: nest of &enum liquid_stats_attr; counters of the gate
 * @LIQUID_A_OPER: nest of &enum liquid_sched_attr; schedule in force
 * @LIQUID_A_ADMIN: nest of &enum liquid_sched_attr; schedule that waits for its base time
 * @LIQUID_A_DESTS: nest of %LIQUID_A_DEST; destinations
 * @LIQUID_A_DEST: nest of &enum liquid_dest_attr; a destination; only inside DESTS
 * @LIQUID_A_SCHED: nest of &enum liquid_sched_attr; a schedule, without its frames
 * @LIQUID_A_ENTRIES: nest of %LIQUID_A_ENTRY; frames of a schedule
 * @LIQUID_A_ENTRY: nest of &enum liquid_entry_attr; a run of frames; only inside ENTRIES
 * @LIQUID_A_BASE_TIME: s64, ns of CLOCK_TAI; start of frame 0 of cycle 0; not negative
 * @LIQUID_A_TAI_OFFSET: s32, s; TAI - UTC as the sender assumes it. The request is refused
 *	if the kernel's offset differs.
 * @LIQUID_A_REPLACE: flag; replace a waiting admin schedule
 * @LIQUID_A_WHICH: u32, &enum liquid_which; oper without it
 * @LIQUID_A_PAD: padding of 64-bit attributes
 * @LIQUID_A_LEASE_NS: u64, ns of CLOCK_BOOTTIME; time without a renewal after which both
 *	schedules are dropped and the gate is open, even without traffic; %LIQUID_LEASE_NS_MIN ...
 *	%LIQUID_LEASE_NS_MAX
 * @LIQUID_A_EVENT: nest of &enum liquid_event_attr; what happened
 * @LIQUID_A_TIMES: nest of &enum liquid_times_attr; waiting times and lateness
 * @LIQUID_A_ALL: flag; all destinations
 */
enum liquid_attr {
	LIQUID_A_UNSPEC,
	LIQUID_A_IFINDEX,
	LIQUID_A_GATE,
	LIQUID_A_STATE,
	LIQUID_A_STATS,
	LIQUID_A_OPER,
	LIQUID_A_ADMIN,
	LIQUID_A_DESTS,
	LIQUID_A_DEST,
	LIQUID_A_SCHED,
	LIQUID_A_ENTRIES,
	LIQUID_A_ENTRY,
	LIQUID_A_BASE_TIME,
	LIQUID_A_TAI_OFFSET,
	LIQUID_A_REPLACE,
	LIQUID_A_WHICH,
	LIQUID_A_PAD,
	LIQUID_A_LEASE_NS,
	LIQUID_A_EVENT,
	LIQUID_A_TIMES,
	LIQUID_A_ALL,

	__LIQUID_A_MAX,
	LIQUID_A_MAX = __LIQUID_A_MAX - 1
};

/**
 * enum liquid_gate_attr - options of a gate (GATE nest, and TCA_OPTIONS)
 * @LIQUID_GATE_A_RATE_BPS: u64, bit/s; rate of the link; 0 for the device's
 * @LIQUID_GATE_A_OVERHEAD: s32, bytes that each packet needs on the wire in addition to the
 *	length that the kernel sees (which includes the link-layer header); 24 for Ethernet (FCS,
 *	preamble, gap), 14 for IPoIB (LRH, BTH, DETH, both CRCs, less its pseudo header). Each
 *	segment of a GSO packet is a packet.
 * @LIQUID_GATE_A_MPU: u32, bytes; smallest size of a packet on the wire, overhead included
 * @LIQUID_GATE_A_AHEAD_NS: u32, ns; how much transmission time may be released in advance
 * @LIQUID_GATE_A_LIMIT_PACKETS: u32; packets in all queues
 * @LIQUID_GATE_A_LIMIT_BYTES: u64, bytes in all queues
 * @LIQUID_GATE_A_DEST_LIMIT_PACKETS: u32; packets in one destination's queue. Two frames'
 *	worth of packets of full size are always allowed.
 * @LIQUID_GATE_A_DEST_LIMIT_BYTES: u64, bytes in one destination's queue. Two frames' worth
 *	are always allowed.
 * @LIQUID_GATE_A_HORIZON_MS: u32, ms; packets that have waited longer are dropped; 0: no
 *	limit
 * @LIQUID_GATE_A_POLICY: u32, &enum liquid_policy; what happens to unscheduled packets
 * @LIQUID_GATE_A_RESERVE: u32, permille of a frame's bytes for unscheduled packets under
 *	%LIQUID_POLICY_SHARE. With 0, a schedule without idle frames is refused.
 * @LIQUID_GATE_A_CONTROL: u32, permille of a frame's bytes for control packets; 0: no
 *	packets are control packets. Control packets are ARP, neighbour discovery, IGMP, MLD, PTP,
 *	DHCP, LACP and other slow protocols, LLDP, 802.1X, spanning trees, BFD, VRRP, TCP's SYN,
 *	RoCE's acknowledgements and notifications, packets that match BYPASS, and bare
 *	acknowledgements of TCP, see ACKS. Those of protocols that only the kernel and privileged
 *	processes send have a queue of their own, which is served first.
 * @LIQUID_GATE_A_BYPASS: nest of %LIQUID_GATE_A_RULE; packets that are control packets in
 *	addition; replaces the earlier rules
 * @LIQUID_GATE_A_RULE: nest of &enum liquid_rule_attr; a rule; only inside BYPASS
 * @LIQUID_GATE_A_SELECT: u32, &enum liquid_select; packets that may be scheduled
 * @LIQUID_GATE_A_SELECT_MARK: u32; the mark, under %LIQUID_SELECT_MARK: (skb->mark &
 *	SELECT_MASK) == this
 * @LIQUID_GATE_A_SELECT_MASK: u32; the bits of the mark that SELECT_MARK is compared with
 * @LIQUID_GATE_A_MATCH_MARK: u8; look first for a destination whose key is the packet's
 *	skb->mark
 * @LIQUID_GATE_A_PAD: padding
 * @LIQUID_GATE_A_SELECT_DSCP: u8; the code point, under %LIQUID_SELECT_DSCP
 * @LIQUID_GATE_A_SELECT_RULE: nest of &enum liquid_rule_attr; the rule, required by
 *	%LIQUID_SELECT_RULE
 * @LIQUID_GATE_A_ACKS: u32, &enum liquid_acks; what happens to bare acknowledgements of TCP
 * @LIQUID_GATE_A_SKIP_OPEN: u8; while there is no schedule, not even one that waits, packets
 *	that find the gate empty do not enter it, which is cheaper. Of the gate's counters, only
 *	bytes and packets count them, a GSO packet by its segments. Not under %LIQUID_POLICY_DROP
 *	or with launch times
 * @LIQUID_GATE_A_LAUNCH_NS: u32, ns; how long before its transmission a packet is released
 *	while a schedule is in force, with the time at which the device is to send it, which
 *	without a schedule is the time of its release; 0: no launch times. -EOPNOTSUPP if a TX
 *	queue of the device does not take them
 * @LIQUID_GATE_A_WAKE_EARLY_NS: u32, ns; how much earlier the timer for a frame expires. The
 *	processor waits the rest in a busy loop, so what it takes to wake up does not shorten the
 *	frame; 0: not earlier. -EPERM in a network namespace of another user namespace
 * @LIQUID_GATE_A_CPU_LATENCY_NS: u32, ns, rounded down to us; the longest time that an idle
 *	processor of the machine may take to wake up while a schedule waits or is in force; below
 *	1 us they do not sleep at all; 0: any time. -EPERM as above
 */
enum liquid_gate_attr {
	LIQUID_GATE_A_UNSPEC,
	LIQUID_GATE_A_RATE_BPS,
	LIQUID_GATE_A_OVERHEAD,
	LIQUID_GATE_A_MPU,
	LIQUID_GATE_A_AHEAD_NS,
	LIQUID_GATE_A_LIMIT_PACKETS,
	LIQUID_GATE_A_LIMIT_BYTES,
	LIQUID_GATE_A_DEST_LIMIT_PACKETS,
	LIQUID_GATE_A_DEST_LIMIT_BYTES,
	LIQUID_GATE_A_HORIZON_MS,
	LIQUID_GATE_A_POLICY,
	LIQUID_GATE_A_RESERVE,
	LIQUID_GATE_A_CONTROL,
	LIQUID_GATE_A_BYPASS,
	LIQUID_GATE_A_RULE,
	LIQUID_GATE_A_SELECT,
	LIQUID_GATE_A_SELECT_MARK,
	LIQUID_GATE_A_SELECT_MASK,
	LIQUID_GATE_A_MATCH_MARK,
	LIQUID_GATE_A_PAD,
	LIQUID_GATE_A_SELECT_DSCP,
	LIQUID_GATE_A_SELECT_RULE,
	LIQUID_GATE_A_ACKS,
	LIQUID_GATE_A_SKIP_OPEN,
	LIQUID_GATE_A_LAUNCH_NS,
	LIQUID_GATE_A_WAKE_EARLY_NS,
	LIQUID_GATE_A_CPU_LATENCY_NS,

	__LIQUID_GATE_A_MAX,
	LIQUID_GATE_A_MAX = __LIQUID_GATE_A_MAX - 1
};

/**
 * enum liquid_rule_attr - a rule of the control bypass, or of the selector
 *
 * Either ETHERTYPE alone, or L4PROTO with an optional range of ports. In the control bypass these
 * are destination ports. ETHERTYPE, L4PROTO and ports are not 0.
 *
 * @LIQUID_RULE_A_ETHERTYPE: u16; as in the packet, but in host order
 * @LIQUID_RULE_A_L4PROTO: u8; number of an IP protocol
 * @LIQUID_RULE_A_PORT_MIN: u16; first port, in host order; with TCP, UDP, SCTP
 * @LIQUID_RULE_A_PORT_MAX: u16; last port, in host order; default: PORT_MIN
 */
enum liquid_rule_attr {
	LIQUID_RULE_A_UNSPEC,
	LIQUID_RULE_A_ETHERTYPE,
	LIQUID_RULE_A_L4PROTO,
	LIQUID_RULE_A_PORT_MIN,
	LIQUID_RULE_A_PORT_MAX,

	__LIQUID_RULE_A_MAX,
	LIQUID_RULE_A_MAX = __LIQUID_RULE_A_MAX - 1
};

/**
 * enum liquid_key_attr - one key, by what identifies the packets (KEY nest: exactly one of
 *	these)
 *
 * The destination of a packet is looked up by mark if the gate says so, then by network-layer
 * address, then by Ethernet address. Kinds that no destination of the gate uses are skipped.
 *
 * @LIQUID_KEY_A_IPV4: u32, network order; the packet's destination address
 * @LIQUID_KEY_A_IPV6: binary, 16 bytes; the packet's destination address
 * @LIQUID_KEY_A_ETHER: binary, 6 bytes; destination address in the Ethernet header
 * @LIQUID_KEY_A_MARK: u32; skb->mark, see %LIQUID_GATE_A_MATCH_MARK
 */
enum liquid_key_attr {
	LIQUID_KEY_A_UNSPEC,
	LIQUID_KEY_A_IPV4,
	LIQUID_KEY_A_IPV6,
	LIQUID_KEY_A_ETHER,
	LIQUID_KEY_A_MARK,

	__LIQUID_KEY_A_MAX,
	LIQUID_KEY_A_MAX = __LIQUID_KEY_A_MAX - 1
};

/**
 * enum liquid_dest_attr - a destination (DEST nest)
 * @LIQUID_DEST_A_ID: u32; number of the destination; below %LIQUID_DEST_MAX
 * @LIQUID_DEST_A_KEY: nest of &enum liquid_key_attr; what identifies its packets; 1 to
 *	%LIQUID_DEST_KEYS_MAX of them
 * @LIQUID_DEST_A_QLEN: u32; packets queued; read only
 * @LIQUID_DEST_A_BACKLOG: u64, bytes queued; read only
 * @LIQUID_DEST_A_FRAMES: u32; frames a cycle in the oper schedule; read only
 * @LIQUID_DEST_A_STATS: nest of &enum liquid_stats_attr; counters; read only
 * @LIQUID_DEST_A_PAD: padding
 * @LIQUID_DEST_A_TIMES: nest of &enum liquid_times_attr; its waiting times; left out while
 *	the histograms are empty; read only
 * @LIQUID_DEST_A_WAY: reserved (u32): number of one of several paths to the destination,
 *	where its keys are those of the packets that the network takes there: by source port, flow
 *	label, LID or plane
 */
enum liquid_dest_attr {
	LIQUID_DEST_A_UNSPEC,
	LIQUID_DEST_A_ID,
	LIQUID_DEST_A_KEY,
	LIQUID_DEST_A_QLEN,
	LIQUID_DEST_A_BACKLOG,
	LIQUID_DEST_A_FRAMES,
	LIQUID_DEST_A_STATS,
	LIQUID_DEST_A_PAD,
	LIQUID_DEST_A_TIMES,
	LIQUID_DEST_A_WAY,

	__LIQUID_DEST_A_MAX,
	LIQUID_DEST_A_MAX = __LIQUID_DEST_A_MAX - 1
};

/**
 * enum liquid_sched_attr - a schedule (SCHED, OPER, ADMIN nests)
 * @LIQUID_SCHED_A_FRAME_NS: u64, ns; length of a frame, guard included. Each frame may cost
 *	an interrupt: below %LIQUID_FRAME_NS_USER this needs CAP_NET_ADMIN in the initial user
 *	namespace (-EPERM)
 * @LIQUID_SCHED_A_GUARD_NS: u64, ns; time at the end of a frame in which nothing is
 *	transmitted but control packets; the last of those may extend into the next frame by its
 *	own length; default 0; below FRAME_NS
 * @LIQUID_SCHED_A_FRAMES: u32; frames a cycle; 1 ... %LIQUID_FRAMES_MAX
 * @LIQUID_SCHED_A_CYCLES: u64; number of cycles from the base time on; 0 (default): no end
 * @LIQUID_SCHED_A_THEN: u32, &enum liquid_then; what follows the last cycle; default
 *	%LIQUID_THEN_OPEN
 * @LIQUID_SCHED_A_BASE_TIME: s64, ns of CLOCK_TAI; start of frame 0 of cycle 0; read only
 * @LIQUID_SCHED_A_START_TIME: s64, ns of CLOCK_TAI; when it becomes, or became, oper; read
 *	only
 * @LIQUID_SCHED_A_IDLE_FRAMES: u32; frames a cycle without a destination; read only
 * @LIQUID_SCHED_A_DESTS: u32; distinct destinations with a frame; read only
 * @LIQUID_SCHED_A_PAD: padding
 * @LIQUID_SCHED_A_LABEL: string; 1 to %LIQUID_LABEL_MAX printable characters of ASCII; what
 *	the schedule is for. The module only keeps it. All who may read the gate read it, and so
 *	does every listener to its events
 * @LIQUID_SCHED_A_USER: u32; number of the user whose job it is for, as the sender's or the
 *	reader's user namespace has it; who may read its destinations and frames, and this
 * @LIQUID_SCHED_A_MEMBER: reserved (u32): number of the job, communicator or phase that
 *	LABEL and USER are of, where several share the schedule
 */
enum liquid_sched_attr {
	LIQUID_SCHED_A_UNSPEC,
	LIQUID_SCHED_A_FRAME_NS,
	LIQUID_SCHED_A_GUARD_NS,
	LIQUID_SCHED_A_FRAMES,
	LIQUID_SCHED_A_CYCLES,
	LIQUID_SCHED_A_THEN,
	LIQUID_SCHED_A_BASE_TIME,
	LIQUID_SCHED_A_START_TIME,
	LIQUID_SCHED_A_IDLE_FRAMES,
	LIQUID_SCHED_A_DESTS,
	LIQUID_SCHED_A_PAD,
	LIQUID_SCHED_A_LABEL,
	LIQUID_SCHED_A_USER,
	LIQUID_SCHED_A_MEMBER,

	__LIQUID_SCHED_A_MAX,
	LIQUID_SCHED_A_MAX = __LIQUID_SCHED_A_MAX - 1
};

/**
 * enum liquid_entry_attr - a run of equal frames (ENTRY nest)
 * @LIQUID_ENTRY_A_RUN: u32; number of frames, at least 1
 * @LIQUID_ENTRY_A_DEST: u32; destination that may send in them; at most
 *	%LIQUID_FRAME_DESTS_MAX; without it the frames are idle
 * @LIQUID_ENTRY_A_REVERSE: reserved (u32): destination that sends to this node in these
 *	frames, of the reverse pair. A request that makes it send, as RDMA READ does, is to wait
 *	for them
 * @LIQUID_ENTRY_A_WAY: reserved (u32): number of the way of DEST on which it is to send in
 *	them
 * @LIQUID_ENTRY_A_MEMBER: reserved (u32): number of the member of the schedule that the
 *	frames belong to
 */
enum liquid_entry_attr {
	LIQUID_ENTRY_A_UNSPEC,
	LIQUID_ENTRY_A_RUN,
	LIQUID_ENTRY_A_DEST,
	LIQUID_ENTRY_A_REVERSE,
	LIQUID_ENTRY_A_WAY,
	LIQUID_ENTRY_A_MEMBER,

	__LIQUID_ENTRY_A_MAX,
	LIQUID_ENTRY_A_MAX = __LIQUID_ENTRY_A_MAX - 1
};

/**
 * enum liquid_state_attr - state of a gate (STATE nest; read-only)
 * @LIQUID_STATE_A_MODE: u32, &enum liquid_mode; what the gate does now
 * @LIQUID_STATE_A_NOW: s64, ns of CLOCK_TAI; time of the reply
 * @LIQUID_STATE_A_TAI_OFFSET: s32, s; TAI - UTC of this kernel
 * @LIQUID_STATE_A_LINK_RATE_BPS: u64, bit/s; link rate in use
 * @LIQUID_STATE_A_FRAME: u32; index of the current frame in the cycle; only if GATED, and
 *	for those who may read the schedule's frames
 * @LIQUID_STATE_A_FRAME_DEST: u32; destination of that frame, if any
 * @LIQUID_STATE_A_DESTS: u32; number of destinations
 * @LIQUID_STATE_A_QLEN: u32; packets in all queues
 * @LIQUID_STATE_A_BACKLOG: u64, bytes in all queues
 * @LIQUID_STATE_A_CONTROL_QLEN: u32; of these, control packets
 * @LIQUID_STATE_A_UNSCHED_QLEN: u32; of these, unscheduled packets
 * @LIQUID_STATE_A_TX_QUEUES: u32; number of TX queues with queues and a lock of their own
 * @LIQUID_STATE_A_PAD: padding
 * @LIQUID_STATE_A_LEASE_NS: u64, ns; length of the gate's lease, if it has one
 * @LIQUID_STATE_A_LEASE_LEFT_NS: u64, ns; time left until it expires
 * @LIQUID_STATE_A_LEAKS: u32; bit k: leak k was seen on the device
 * @LIQUID_STATE_A_LAUNCH_NS: u32, ns; %LIQUID_GATE_A_LAUNCH_NS, or 0 while the TX queues of
 *	the device do not all take launch times
 */
enum liquid_state_attr {
	LIQUID_STATE_A_UNSPEC,
	LIQUID_STATE_A_MODE,
	LIQUID_STATE_A_NOW,
	LIQUID_STATE_A_TAI_OFFSET,
	LIQUID_STATE_A_LINK_RATE_BPS,
	LIQUID_STATE_A_FRAME,
	LIQUID_STATE_A_FRAME_DEST,
	LIQUID_STATE_A_DESTS,
	LIQUID_STATE_A_QLEN,
	LIQUID_STATE_A_BACKLOG,
	LIQUID_STATE_A_CONTROL_QLEN,
	LIQUID_STATE_A_UNSCHED_QLEN,
	LIQUID_STATE_A_TX_QUEUES,
	LIQUID_STATE_A_PAD,
	LIQUID_STATE_A_LEASE_NS,
	LIQUID_STATE_A_LEASE_LEFT_NS,
	LIQUID_STATE_A_LEAKS,
	LIQUID_STATE_A_LAUNCH_NS,

	__LIQUID_STATE_A_MAX,
	LIQUID_STATE_A_MAX = __LIQUID_STATE_A_MAX - 1
};

/**
 * enum liquid_times_attr - waiting times and lateness (TIMES nests; read-only)
 *
 * Each is a histogram; an empty one is left out. They are never reset. Those of a destination are
 * deleted with it, like its counters.
 *
 * @LIQUID_TIMES_A_WAIT: nest of &enum liquid_hist_attr; from a packet's arrival in a queue
 *	to its release; of a destination: in its own queue; of a gate: in all queues. Packets that
 *	were released without being queued are not counted; their number is PACKETS of the STATS
 *	minus the number of times. The segments of a split packet count one each, from the arrival
 *	of the packet. Dropped packets are not counted.
 * @LIQUID_TIMES_A_LATE: nest of &enum liquid_hist_attr; lateness of the packets that LATE of
 *	the STATS counts, from the end of their frame to when the gate learned that they had left:
 *	an upper bound
 * @LIQUID_TIMES_A_LAG: nest of &enum liquid_hist_attr; of a gate only; from the start of a
 *	frame to the first release of a packet that waited for it, once a frame
 * @LIQUID_TIMES_A_XMIT: nest of &enum liquid_hist_attr; of a gate only, fine; from the
 *	core's first dequeue of a run of packets to when the driver had all of it; while a
 *	schedule is in force, for some of the runs in the middle of a frame and for all near its
 *	end. It does not count runs that the core interrupted. An upper bound
 * @LIQUID_TIMES_A_OVERRUN: nest of &enum liquid_hist_attr; of a gate only, fine; wire time
 *	of what the device had not reported as sent when the next frame began, for each frame that
 *	was used; only of devices with byte queue limits (BQL). An upper bound, because devices
 *	report late and in groups
 */
enum liquid_times_attr {
	LIQUID_TIMES_A_UNSPEC,
	LIQUID_TIMES_A_WAIT,
	LIQUID_TIMES_A_LATE,
	LIQUID_TIMES_A_LAG,
	LIQUID_TIMES_A_XMIT,
	LIQUID_TIMES_A_OVERRUN,

	__LIQUID_TIMES_A_MAX,
	LIQUID_TIMES_A_MAX = __LIQUID_TIMES_A_MAX - 1
};

/**
 * enum liquid_hist_attr - a histogram of times (the nests of TIMES; read-only)
 *
 * Bucket k, 0 ... %LIQUID_HIST_BUCKETS - 1, counts times up to %LIQUID_HIST_NS * 4^k that are
 * longer than the bound of bucket k - 1: 1 us, 4 us, 16 us ... 4.194304 s. The last bucket has no
 * bound. In a fine histogram the bounds are %LIQUID_HIST_NS * 2^k: 1 us, 2 us, 4 us ... 2.048 ms.
 *
 * @LIQUID_HIST_A_SUM_NS: u64, ns; sum of all times. It grows by a second per second for each
 *	waiting packet: with 65,536 of them it wraps after 78 hours.
 * @LIQUID_HIST_A_PAD: padding
 * @LIQUID_HIST_A_BUCKETS: binary; an array of u64, aligned to 4 bytes only; number of times
 *	in bucket 0, 1, 2 ... The array ends with the last bucket that is not empty. A module may
 *	have more buckets than its reader, which counts those in its own last one.
 */
enum liquid_hist_attr {
	LIQUID_HIST_A_UNSPEC,
	LIQUID_HIST_A_SUM_NS,
	LIQUID_HIST_A_PAD,
	LIQUID_HIST_A_BUCKETS,

	__LIQUID_HIST_A_MAX,
	LIQUID_HIST_A_MAX = __LIQUID_HIST_A_MAX - 1
};

/**
 * enum liquid_stats_attr - counters, u64 each (STATS nests; read-only)
 *
 * D: also kept per destination.
 *
 * @LIQUID_STATS_A_PACKETS: u64; D; packets released
 * @LIQUID_STATS_A_BYTES: u64; D; bytes released, with link-layer header, without overhead
 * @LIQUID_STATS_A_WAITS: u64; D; times that the timer was set to a frame of a destination
 *	with waiting packets
 * @LIQUID_STATS_A_REQUEUES: u64; packets that the core requeued after their release
 * @LIQUID_STATS_A_LATE: u64; D; packets that left after the end of the frame in which they
 *	were released, while a schedule was in force: the core had requeued them, or the driver
 *	got them that late. Control and unscheduled packets count only in the gate's; control
 *	packets only if requeued
 * @LIQUID_STATS_A_FRAMES_USED: u64; D; frames in which at least one packet was released
 * @LIQUID_STATS_A_FRAMES_MISSED: u64; D; frames that the timer was set to in advance, but
 *	which were over when it was handled, with packets still waiting
 * @LIQUID_STATS_A_SPLITS: u64; GSO packets split because they did not fit
 * @LIQUID_STATS_A_CONTROL_PACKETS: u64; control packets released
 * @LIQUID_STATS_A_CONTROL_BYTES: u64, bytes of control packets released
 * @LIQUID_STATS_A_UNSCHED_PACKETS: u64; unscheduled packets released
 * @LIQUID_STATS_A_UNSCHED_BYTES: u64, bytes of unscheduled packets released
 * @LIQUID_STATS_A_DROP_LIMIT: u64; D; dropped: the queue of the destination, or of
 *	unscheduled packets, was full
 * @LIQUID_STATS_A_DROP_TOTAL_LIMIT: u64; dropped: all queues together were full
 * @LIQUID_STATS_A_DROP_HORIZON: u64; D; dropped: had waited longer than the horizon
 * @LIQUID_STATS_A_DROP_TOO_BIG: u64; D; dropped: too big for any frame
 * @LIQUID_STATS_A_DROP_POLICY: u64; dropped: unscheduled, and the policy is to drop
 * @LIQUID_STATS_A_DROP_DELETED: u64; dropped: the destination was deleted
 * @LIQUID_STATS_A_DROP_SPLIT: u64; D; dropped: a GSO packet could not be split
 * @LIQUID_STATS_A_CLOCK_STEPS: u64; steps of CLOCK_TAI relative to CLOCK_MONOTONIC
 * @LIQUID_STATS_A_SWAPS: u64; schedules that became oper
 * @LIQUID_STATS_A_QUEUE_STOPPED: u64; times that a release had to wait for a stopped TX
 *	queue
 * @LIQUID_STATS_A_PAD: padding
 * @LIQUID_STATS_A_LEASE_EXPIRED: u64; times that the gate was opened because its lease
 *	expired
 * @LIQUID_STATS_A_ACKS_THINNED: u64; waiting acknowledgements of TCP that a newer one
 *	replaced. They are neither released nor dropped.
 * @LIQUID_STATS_A_DROP_RESET: u64; dropped by the core while the device was up: all that
 *	waited when the device lost its carrier, or packets that the core had requeued when the
 *	number of TX queues became smaller
 * @LIQUID_STATS_A_DROP_LINK: u64; dropped: the queue of the link's protocols was full
 * @LIQUID_STATS_A_DROP_CONTROL: u64; dropped: the queue of the other control packets was
 *	full
 */
enum liquid_stats_attr {
	LIQUID_STATS_A_UNSPEC,
	LIQUID_STATS_A_PACKETS,
	LIQUID_STATS_A_BYTES,
	LIQUID_STATS_A_WAITS,
	LIQUID_STATS_A_REQUEUES,
	LIQUID_STATS_A_LATE,
	LIQUID_STATS_A_FRAMES_USED,
	LIQUID_STATS_A_FRAMES_MISSED,
	LIQUID_STATS_A_SPLITS,
	LIQUID_STATS_A_CONTROL_PACKETS,
	LIQUID_STATS_A_CONTROL_BYTES,
	LIQUID_STATS_A_UNSCHED_PACKETS,
	LIQUID_STATS_A_UNSCHED_BYTES,
	LIQUID_STATS_A_DROP_LIMIT,
	LIQUID_STATS_A_DROP_TOTAL_LIMIT,
	LIQUID_STATS_A_DROP_HORIZON,
	LIQUID_STATS_A_DROP_TOO_BIG,
	LIQUID_STATS_A_DROP_POLICY,
	LIQUID_STATS_A_DROP_DELETED,
	LIQUID_STATS_A_DROP_SPLIT,
	LIQUID_STATS_A_CLOCK_STEPS,
	LIQUID_STATS_A_SWAPS,
	LIQUID_STATS_A_QUEUE_STOPPED,
	LIQUID_STATS_A_PAD,
	LIQUID_STATS_A_LEASE_EXPIRED,
	LIQUID_STATS_A_ACKS_THINNED,
	LIQUID_STATS_A_DROP_RESET,
	LIQUID_STATS_A_DROP_LINK,
	LIQUID_STATS_A_DROP_CONTROL,

	__LIQUID_STATS_A_MAX,
	LIQUID_STATS_A_MAX = __LIQUID_STATS_A_MAX - 1
};

/**
 * enum liquid_event_attr - an event (EVENT nest; read-only)
 * @LIQUID_EVENT_A_KIND: u32, &enum liquid_event_kind; what happened
 * @LIQUID_EVENT_A_TIME: s64, ns of CLOCK_TAI; first occurrence
 * @LIQUID_EVENT_A_COUNT: u64; number of occurrences, of late packets (LATE), or of runs that
 *	took longer than the guard (GUARD_SHORT)
 * @LIQUID_EVENT_A_DUE_TIME: s64, ns of CLOCK_TAI; start (COMMITTED, OPER) or end (ENDED) of
 *	the schedule
 * @LIQUID_EVENT_A_STEP_NS: s64, ns; by how much the clock was stepped (CLOCK_STEP)
 * @LIQUID_EVENT_A_PAD: padding
 * @LIQUID_EVENT_A_LABEL: string; that of the schedule that was committed (COMMITTED), else
 *	of the one in force or, without one, of the one that waited; left out if it had none
 */
enum liquid_event_attr {
	LIQUID_EVENT_A_UNSPEC,
	LIQUID_EVENT_A_KIND,
	LIQUID_EVENT_A_TIME,
	LIQUID_EVENT_A_COUNT,
	LIQUID_EVENT_A_DUE_TIME,
	LIQUID_EVENT_A_STEP_NS,
	LIQUID_EVENT_A_PAD,
	LIQUID_EVENT_A_LABEL,

	__LIQUID_EVENT_A_MAX,
	LIQUID_EVENT_A_MAX = __LIQUID_EVENT_A_MAX - 1
};

#endif /* _UAPI_LINUX_LIQUID_H */
