/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * liquid: the wire between userspace and the module (generic netlink family "liquid")
 *
 * This header is the manual of the wire. Every request names its net device by
 * %LIQUID_A_IFINDEX in the network namespace of the socket. Requests that change
 * something need CAP_NET_ADMIN in the user namespace that owns that namespace;
 * those that only read do not. All integers are in host byte order unless the
 * attribute says otherwise. An unknown attribute or flag is refused. A refused
 * request has changed nothing, and its extended ack says what to do.
 *
 * A gate is made by adding the root qdisc of kind "liquid" to a device
 * (RTM_NEWQDISC). Its TCA_OPTIONS may carry the attributes of
 * &enum liquid_gate_attr; without them the defaults hold and the rate is the
 * link speed that the device reports. RTM_GETQDISC tells them in the same form,
 * with NLA_F_NESTED. The gate dies with the qdisc.
 */
#ifndef _UAPI_LINUX_LIQUID_H
#define _UAPI_LINUX_LIQUID_H

#include <linux/types.h>

#define LIQUID_GENL_NAME	"liquid"
#define LIQUID_GENL_VERSION	1
#define LIQUID_QDISC_KIND	"liquid"
#define LIQUID_GENL_EVENTS	"events"	/* multicast group of %LIQUID_CMD_EVENT */

/* Limits; each is checked before anything else, whatever is configured. */
#define LIQUID_DEST_MAX		65536U		/* destinations a gate; ids 0 ... 65535 */
#define LIQUID_DEST_KEYS_MAX	8U		/* keys a destination */
#define LIQUID_FRAMES_MAX	1048576U	/* frames a cycle */
#define LIQUID_FRAME_DESTS_MAX	1U		/* destinations that may send in one frame */
#define LIQUID_FRAME_NS_MIN	10000ULL	/* 10 us: less, and timers fill the CPU */
#define LIQUID_FRAME_NS_USER	100000ULL	/* 100 us: less is for the init namespace's root */
#define LIQUID_FRAME_NS_MAX	10000000000ULL	/* 10 s */
#define LIQUID_RATE_BPS_MIN	1000ULL		/* 1 kbit/s */
#define LIQUID_RATE_BPS_MAX	10000000000000ULL /* 10 Tbit/s */
#define LIQUID_OVERHEAD_MIN	(-64)		/* bytes a packet */
#define LIQUID_OVERHEAD_MAX	1024
#define LIQUID_MPU_MAX		65535U		/* bytes */
#define LIQUID_AHEAD_NS_MAX	10000000U	/* 10 ms */
#define LIQUID_PERMILLE_MAX	1000U
#define LIQUID_BYPASS_MAX	16U		/* control rules that a user adds */
#define LIQUID_DSCP_MAX		63U
#define LIQUID_HIST_BUCKETS	13U		/* of a histogram of times */
#define LIQUID_HIST_NS		1000ULL		/* bound of its first bucket */
#define LIQUID_LEASE_NS_MIN	1000000ULL	/* 1 ms */
#define LIQUID_LEASE_NS_MAX	604800000000000ULL /* a week */

/**
 * enum liquid_cmd - the commands
 *
 * Each with its attribute tree; [x] is optional, x* may repeat.
 *
 * @LIQUID_CMD_GATE_GET: read one gate (do) or all gates of the namespace (dump).
 *	Request: do: IFINDEX. Reply: IFINDEX, GATE { all of &enum liquid_gate_attr
 *	}, STATE { &enum liquid_state_attr }, STATS { &enum liquid_stats_attr },
 *	TIMES { &enum liquid_times_attr },
 *	[OPER { &enum liquid_sched_attr }], [ADMIN { the same }]
 * @LIQUID_CMD_GATE_SET: change options of a gate; those not named stay.
 *	Request: IFINDEX, GATE { any writable of &enum liquid_gate_attr }
 * @LIQUID_CMD_DEST_SET: add destinations, or replace the keys of those that
 *	exist; all of them or none. What it takes depends on the request's own
 *	length, not on how many destinations there are, but for copies of 8 bytes
 *	for each id up to the highest, and of a directory of 8 bytes for every 8
 *	keys at most. -ENOSPC: the keys
 *	collide with one secret seed of the hash after the other, which does not
 *	happen by chance.
 *	Request: IFINDEX, DESTS { DEST { ID, KEY* { KIND, VALUE } }* }
 * @LIQUID_CMD_DEST_DEL: remove destinations; all of them or none. -EBUSY when a
 *	schedule in force or waiting names one. Packets that wait for it are
 *	dropped and counted. Without DESTS: every destination.
 *	Request: IFINDEX, [DESTS { DEST { ID }* }]
 * @LIQUID_CMD_DEST_GET: dump the destinations of one gate, with their counters.
 *	Request: IFINDEX. Reply, one message or more: IFINDEX,
 *	DESTS { DEST { ID, KEY*, QLEN, BACKLOG, FRAMES, STATS, [TIMES] }* }
 * @LIQUID_CMD_SCHED_BEGIN: open a transaction on this socket. An earlier one of
 *	this socket on the same gate is forgotten. It is dropped when the socket
 *	closes or the gate dies.
 *	Request: IFINDEX, SCHED { FRAME_NS, [GUARD_NS], FRAMES, [CYCLES], [THEN] }
 * @LIQUID_CMD_SCHED_ENTRIES: append frames to the transaction, in order.
 *	Request: IFINDEX, ENTRIES { ENTRY { RUN, [DEST] }* }
 * @LIQUID_CMD_SCHED_COMMIT: make the transaction the admin schedule; it becomes
 *	oper at its base time, or, where that is past, at the next boundary of its
 *	cycle. -EBUSY when one waits already and REPLACE is not given. The
 *	transaction stays open when the commit is refused, so that it can be
 *	mended and committed again. With LEASE_NS the gate has a lease from now on, in
 *	place of one that it may have had; without it, it has none.
 *	Request: IFINDEX, BASE_TIME, [TAI_OFFSET], [REPLACE], [LEASE_NS]
 * @LIQUID_CMD_SCHED_ABORT: drop this socket's transaction on the gate.
 *	Request: IFINDEX
 * @LIQUID_CMD_SCHED_CLEAR: drop the admin and the oper schedule at once: the
 *	gate stands open, and has no lease. Request: IFINDEX
 * @LIQUID_CMD_SCHED_GET: dump the frames of a schedule, run-length coded.
 *	Request: IFINDEX, [WHICH]. Reply, one message or more: IFINDEX, WHICH,
 *	SCHED, ENTRIES { ENTRY* }
 * @LIQUID_CMD_LEASE_RENEW: the gate's lease begins anew, as long as it was or as
 *	LEASE_NS says. -ENOENT when the gate has none, or no longer.
 *	Request: IFINDEX, [LEASE_NS]
 * @LIQUID_CMD_EVENT: never a request: what has happened to a gate, told to the multicast
 *	group %LIQUID_GENL_EVENTS of the gate's network namespace. Who joins the group and
 *	then reads the gates (GATE_GET) is told from there on, traffic or not.
 *	IFINDEX, EVENT { KIND, TIME, COUNT, [DUE_TIME], [STEP_NS] }
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
 * enum liquid_attr - top-level attributes
 * @LIQUID_A_IFINDEX: u32; the gate's net device
 * @LIQUID_A_GATE: nest of &enum liquid_gate_attr
 * @LIQUID_A_STATE: nest of &enum liquid_state_attr
 * @LIQUID_A_STATS: nest of &enum liquid_stats_attr
 * @LIQUID_A_OPER: nest of &enum liquid_sched_attr; the schedule in force
 * @LIQUID_A_ADMIN: nest of &enum liquid_sched_attr; the one that waits
 * @LIQUID_A_DESTS: nest of %LIQUID_A_DEST
 * @LIQUID_A_DEST: nest of &enum liquid_dest_attr; only inside %LIQUID_A_DESTS
 * @LIQUID_A_SCHED: nest of &enum liquid_sched_attr
 * @LIQUID_A_ENTRIES: nest of %LIQUID_A_ENTRY
 * @LIQUID_A_ENTRY: nest of &enum liquid_entry_attr; only inside %LIQUID_A_ENTRIES
 * @LIQUID_A_BASE_TIME: s64, ns of CLOCK_TAI; start of frame 0 of cycle 0; >= 0
 * @LIQUID_A_TAI_OFFSET: s32, s; the TAI - UTC offset that the sender reckons
 *	with. A kernel that has another one refuses.
 * @LIQUID_A_REPLACE: flag; a waiting admin schedule is replaced
 * @LIQUID_A_WHICH: u32, &enum liquid_which
 * @LIQUID_A_PAD: padding of 64-bit attributes
 * @LIQUID_A_LEASE_NS: u64, ns of CLOCK_BOOTTIME; how long the gate may gate without
 *	being renewed: then both schedules are dropped and it stands open, traffic or
 *	not; %LIQUID_LEASE_NS_MIN ... %LIQUID_LEASE_NS_MAX
 * @LIQUID_A_EVENT: nest of &enum liquid_event_attr
 * @LIQUID_A_TIMES: nest of &enum liquid_times_attr
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

	__LIQUID_A_MAX,
	LIQUID_A_MAX = __LIQUID_A_MAX - 1
};

enum liquid_which {
	LIQUID_WHICH_OPER,
	LIQUID_WHICH_ADMIN,
};

/**
 * enum liquid_policy - what becomes of unscheduled packets
 * @LIQUID_POLICY_SHARE: idle frames freely; other frames within the reserve
 * @LIQUID_POLICY_IDLE: idle frames only; a schedule without any is refused
 * @LIQUID_POLICY_ALWAYS: whenever the link is free, before scheduled packets
 * @LIQUID_POLICY_DROP: dropped and counted
 */
enum liquid_policy {
	LIQUID_POLICY_SHARE,
	LIQUID_POLICY_IDLE,
	LIQUID_POLICY_ALWAYS,
	LIQUID_POLICY_DROP,
};

/**
 * enum liquid_gate_attr - options of a gate (GATE nest, and TCA_OPTIONS)
 * @LIQUID_GATE_A_RATE_BPS: u64, bit/s of the link; 0: as the device reports
 * @LIQUID_GATE_A_OVERHEAD: s32, bytes that each packet adds on the wire to the
 *	length that the kernel sees (with the link-layer header); 24 for Ethernet
 *	(FCS, preamble, gap); a segment of a GSO packet counts as a packet
 * @LIQUID_GATE_A_MPU: u32, bytes; smallest size of a packet on the wire, overhead
 *	included
 * @LIQUID_GATE_A_AHEAD_NS: u32; how far beyond now the link may be filled
 * @LIQUID_GATE_A_LIMIT_PACKETS: u32; packets in all queues
 * @LIQUID_GATE_A_LIMIT_BYTES: u64; bytes in all queues
 * @LIQUID_GATE_A_DEST_LIMIT_PACKETS: u32; packets in one destination's queue; two
 *	frames' worth of full ones are always allowed
 * @LIQUID_GATE_A_DEST_LIMIT_BYTES: u64; bytes in one destination's queue; two
 *	frames' worth are always allowed
 * @LIQUID_GATE_A_HORIZON_MS: u32; a packet that has waited longer is dropped; 0:
 *	never
 * @LIQUID_GATE_A_POLICY: u32, &enum liquid_policy
 * @LIQUID_GATE_A_RESERVE: u32, permille of a frame's bytes for unscheduled packets
 *	under %LIQUID_POLICY_SHARE; with 0 a schedule without idle frames is refused
 * @LIQUID_GATE_A_CONTROL: u32, permille of a frame's bytes for control packets; 0:
 *	there are none, and what would be one is a packet as any other. They are ARP,
 *	neighbour discovery, IGMP, MLD, PTP, DHCP, LACP and other slow protocols, LLDP,
 *	802.1X, spanning trees, BFD, VRRP, TCP's SYN and pure acknowledgements, RoCE's
 *	acknowledgements and notifications, and what BYPASS names
 * @LIQUID_GATE_A_BYPASS: nest of %LIQUID_GATE_A_RULE; packets that a user adds to
 *	the control packets; replaces the earlier rules
 * @LIQUID_GATE_A_RULE: nest of &enum liquid_rule_attr; only inside BYPASS
 * @LIQUID_GATE_A_SELECT: u32, &enum liquid_select; what is scheduled at all
 * @LIQUID_GATE_A_SELECT_MARK: u32; under %LIQUID_SELECT_MARK: (mark & mask) == this
 * @LIQUID_GATE_A_SELECT_MASK: u32
 * @LIQUID_GATE_A_MATCH_MARK: u8, 0 or 1; look for a destination with this skb->mark
 *	as key first
 * @LIQUID_GATE_A_PAD: padding
 * @LIQUID_GATE_A_SELECT_DSCP: u8; under %LIQUID_SELECT_DSCP; 0 ... %LIQUID_DSCP_MAX
 * @LIQUID_GATE_A_SELECT_RULE: nest of &enum liquid_rule_attr; under %LIQUID_SELECT_RULE,
 *	which needs it
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

	__LIQUID_GATE_A_MAX,
	LIQUID_GATE_A_MAX = __LIQUID_GATE_A_MAX - 1
};

/**
 * enum liquid_select - what is scheduled at all
 * @LIQUID_SELECT_ALL: every packet
 * @LIQUID_SELECT_MARK: packets whose skb->mark matches
 * @LIQUID_SELECT_DSCP: packets of IPv4 and IPv6 with this differentiated services code point,
 *	which all fragments of a packet have; of a tunnel's the outer header counts
 * @LIQUID_SELECT_RULE: packets that match the rule, whose ports may be those of either end: the
 *	data of a connection goes both ways. Of a packet that was cut into fragments only the first
 *	has ports.
 */
enum liquid_select {
	LIQUID_SELECT_ALL,
	LIQUID_SELECT_MARK,
	LIQUID_SELECT_DSCP,
	LIQUID_SELECT_RULE,
};

/**
 * enum liquid_rule_attr - a rule of the control bypass, or of the selector
 *
 * Either ETHERTYPE alone, or L4PROTO with an optional range of ports: destination ports
 * in the control bypass. There is no ETHERTYPE, L4PROTO or port 0.
 *
 * @LIQUID_RULE_A_ETHERTYPE: u16, host order
 * @LIQUID_RULE_A_L4PROTO: u8; IPPROTO_*
 * @LIQUID_RULE_A_PORT_MIN: u16, host order; with TCP, UDP, SCTP
 * @LIQUID_RULE_A_PORT_MAX: u16, host order; default: PORT_MIN
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
 * enum liquid_key_kind - what a destination is recognised by
 * @LIQUID_KEY_IPV4: 4 bytes, network order; the packet's destination address
 * @LIQUID_KEY_IPV6: 16 bytes; the packet's destination address
 * @LIQUID_KEY_ETHER: 6 bytes; the destination address of the Ethernet header
 * @LIQUID_KEY_MARK: 4 bytes, host order; skb->mark, see %LIQUID_GATE_A_MATCH_MARK
 *
 * A packet is looked for by mark where the gate says so, then by the address of
 * its network layer, then by its Ethernet address; kinds that no destination of
 * the gate uses are passed over.
 */
enum liquid_key_kind {
	LIQUID_KEY_IPV4,
	LIQUID_KEY_IPV6,
	LIQUID_KEY_ETHER,
	LIQUID_KEY_MARK,
};

/**
 * enum liquid_key_attr - one key (KEY nest)
 * @LIQUID_KEY_A_KIND: u32, &enum liquid_key_kind
 * @LIQUID_KEY_A_VALUE: binary, as long as the kind says
 */
enum liquid_key_attr {
	LIQUID_KEY_A_UNSPEC,
	LIQUID_KEY_A_KIND,
	LIQUID_KEY_A_VALUE,

	__LIQUID_KEY_A_MAX,
	LIQUID_KEY_A_MAX = __LIQUID_KEY_A_MAX - 1
};

/**
 * enum liquid_dest_attr - a destination (DEST nest)
 * @LIQUID_DEST_A_ID: u32; < %LIQUID_DEST_MAX
 * @LIQUID_DEST_A_KEY: nest of &enum liquid_key_attr; 1 ... %LIQUID_DEST_KEYS_MAX of them
 * @LIQUID_DEST_A_QLEN: u32; packets that wait (read only, as all below)
 * @LIQUID_DEST_A_BACKLOG: u64; bytes that wait
 * @LIQUID_DEST_A_FRAMES: u32; frames a cycle in the oper schedule
 * @LIQUID_DEST_A_STATS: nest of &enum liquid_stats_attr
 * @LIQUID_DEST_A_PAD: padding
 * @LIQUID_DEST_A_TIMES: nest of &enum liquid_times_attr; left out while both of its
 *	histograms are empty
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

	__LIQUID_DEST_A_MAX,
	LIQUID_DEST_A_MAX = __LIQUID_DEST_A_MAX - 1
};

/**
 * enum liquid_then - what follows the last cycle
 * @LIQUID_THEN_OPEN: the queues are served in turn, ungated
 * @LIQUID_THEN_HOLD: the destinations' queues stay closed; every frame is idle
 */
enum liquid_then {
	LIQUID_THEN_OPEN,
	LIQUID_THEN_HOLD,
};

/**
 * enum liquid_sched_attr - a schedule (SCHED, OPER, ADMIN nests)
 * @LIQUID_SCHED_A_FRAME_NS: u64; length of a frame, guard included. Each frame may be an interrupt:
 *	below %LIQUID_FRAME_NS_USER it needs CAP_NET_ADMIN in the initial user namespace (-EPERM)
 * @LIQUID_SCHED_A_GUARD_NS: u64; end of a frame by whose beginning the wire has carried all
 *	that was released but control packets: those go in it as well, and the last of them may
 *	reach a packet far into the next frame; default 0; < FRAME_NS
 * @LIQUID_SCHED_A_FRAMES: u32; frames a cycle; 1 ... %LIQUID_FRAMES_MAX
 * @LIQUID_SCHED_A_CYCLES: u64; cycles counted from the base time; 0 (default):
 *	forever
 * @LIQUID_SCHED_A_THEN: u32, &enum liquid_then; default %LIQUID_THEN_OPEN
 * @LIQUID_SCHED_A_BASE_TIME: s64, ns of CLOCK_TAI (read only, as all below)
 * @LIQUID_SCHED_A_START_TIME: s64, ns of CLOCK_TAI; when it becomes, or became, oper
 * @LIQUID_SCHED_A_IDLE_FRAMES: u32; frames a cycle in which no destination sends
 * @LIQUID_SCHED_A_DESTS: u32; distinct destinations with a frame
 * @LIQUID_SCHED_A_PAD: padding
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

	__LIQUID_SCHED_A_MAX,
	LIQUID_SCHED_A_MAX = __LIQUID_SCHED_A_MAX - 1
};

/**
 * enum liquid_entry_attr - a run of equal frames (ENTRY nest)
 * @LIQUID_ENTRY_A_RUN: u32; how many frames; >= 1
 * @LIQUID_ENTRY_A_DEST: u32; a destination that may send in them; at most
 *	%LIQUID_FRAME_DESTS_MAX of them; none: idle frames
 */
enum liquid_entry_attr {
	LIQUID_ENTRY_A_UNSPEC,
	LIQUID_ENTRY_A_RUN,
	LIQUID_ENTRY_A_DEST,

	__LIQUID_ENTRY_A_MAX,
	LIQUID_ENTRY_A_MAX = __LIQUID_ENTRY_A_MAX - 1
};

/**
 * enum liquid_mode - how the gate stands now
 * @LIQUID_MODE_OPEN: no schedule, or one that has ended with %LIQUID_THEN_OPEN
 * @LIQUID_MODE_GATED: the oper schedule gates
 * @LIQUID_MODE_HOLD: the oper schedule has ended with %LIQUID_THEN_HOLD
 */
enum liquid_mode {
	LIQUID_MODE_OPEN,
	LIQUID_MODE_GATED,
	LIQUID_MODE_HOLD,
};

/**
 * enum liquid_state_attr - how a gate stands (STATE nest; read only)
 * @LIQUID_STATE_A_MODE: u32, &enum liquid_mode
 * @LIQUID_STATE_A_NOW: s64, ns of CLOCK_TAI when the reply was made
 * @LIQUID_STATE_A_TAI_OFFSET: s32, s; TAI - UTC of this kernel
 * @LIQUID_STATE_A_LINK_RATE_BPS: u64; the rate that is reckoned with now
 * @LIQUID_STATE_A_FRAME: u32; index of the frame in the cycle, when GATED
 * @LIQUID_STATE_A_FRAME_DEST: u32; the destination of that frame, if any
 * @LIQUID_STATE_A_DESTS: u32; destinations in the table
 * @LIQUID_STATE_A_QLEN: u32; packets that wait in all queues
 * @LIQUID_STATE_A_BACKLOG: u64; bytes that wait in all queues
 * @LIQUID_STATE_A_CONTROL_QLEN: u32; of these, control packets
 * @LIQUID_STATE_A_UNSCHED_QLEN: u32; of these, unscheduled packets
 * @LIQUID_STATE_A_TX_QUEUE: u32; device queue of scheduled packets
 * @LIQUID_STATE_A_CONTROL_TX_QUEUE: u32; device queue of control packets
 * @LIQUID_STATE_A_PAD: padding
 * @LIQUID_STATE_A_LEASE_NS: u64; length of the gate's lease, if it has one
 * @LIQUID_STATE_A_LEASE_LEFT_NS: u64; what is left of it
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
	LIQUID_STATE_A_TX_QUEUE,
	LIQUID_STATE_A_CONTROL_TX_QUEUE,
	LIQUID_STATE_A_PAD,
	LIQUID_STATE_A_LEASE_NS,
	LIQUID_STATE_A_LEASE_LEFT_NS,

	__LIQUID_STATE_A_MAX,
	LIQUID_STATE_A_MAX = __LIQUID_STATE_A_MAX - 1
};

/**
 * enum liquid_times_attr - how long things took (TIMES nests; read only)
 *
 * Each is a nest of &enum liquid_hist_attr; one that is empty is left out. They are never
 * reset; those of a destination go with it, as its counters do.
 *
 * @LIQUID_TIMES_A_WAIT: from a packet's arrival in a queue to its release; of a destination
 *	those that its own queue held, of a gate those of all queues. Packets that were released
 *	without having been in a queue have not waited and are not here: they are what PACKETS
 *	of the STATS exceeds the number of times by. Segments of a packet that was split count
 *	one each, from the arrival of the packet. What is dropped is not counted.
 * @LIQUID_TIMES_A_LATE: of the packets that LATE of the STATS counts, from the end of their
 *	frame to when the gate learned that they had left: the most that they can be late
 * @LIQUID_TIMES_A_LAG: not of a destination; from the opening of a frame to the first
 *	release of a packet that waited for it, once a frame
 */
enum liquid_times_attr {
	LIQUID_TIMES_A_UNSPEC,
	LIQUID_TIMES_A_WAIT,
	LIQUID_TIMES_A_LATE,
	LIQUID_TIMES_A_LAG,

	__LIQUID_TIMES_A_MAX,
	LIQUID_TIMES_A_MAX = __LIQUID_TIMES_A_MAX - 1
};

/**
 * enum liquid_hist_attr - a histogram of times (WAIT, LATE and LAG nests; read only)
 *
 * Bucket k, 0 ... %LIQUID_HIST_BUCKETS - 1, counts the times up to %LIQUID_HIST_NS * 4^k that are
 * longer than the bound of the bucket before it: 1 us, 4 us, 16 us ... 4.194304 s. The last
 * one has no bound. A bucket that is empty is left out.
 *
 * @LIQUID_HIST_A_SUM_NS: u64; all times together. It grows by a second each second for every packet
 *	that waits, so that with 65,536 of them it begins anew at 0 after 78 hours.
 * @LIQUID_HIST_A_PAD: padding
 * @LIQUID_HIST_A_BUCKET: u64; how many times lie in bucket 0; that of bucket k has this type plus k
 */
enum liquid_hist_attr {
	LIQUID_HIST_A_UNSPEC,
	LIQUID_HIST_A_SUM_NS,
	LIQUID_HIST_A_PAD,
	LIQUID_HIST_A_BUCKET,

	LIQUID_HIST_A_MAX = LIQUID_HIST_A_BUCKET + LIQUID_HIST_BUCKETS - 1
};

/**
 * enum liquid_stats_attr - counters, u64 each (STATS nests; read only)
 *
 * D: also kept per destination.
 *
 * @LIQUID_STATS_A_PACKETS: D; released
 * @LIQUID_STATS_A_BYTES: D; released, link-layer header included, overhead not
 * @LIQUID_STATS_A_WAITS: D; times that the timer was set to a frame of a waiting
 *	destination
 * @LIQUID_STATS_A_REQUEUES: packets that the core took back after their release
 * @LIQUID_STATS_A_LATE: D; of these, those that left after the end of the frame in which they were
 *	released, of a schedule in force. Of a destination: its own; control and unscheduled packets
 *	count in the gate's alone
 * @LIQUID_STATS_A_FRAMES_USED: D; frames in which at least one packet was released
 * @LIQUID_STATS_A_FRAMES_MISSED: D; frames that the timer was set to before they began, and which
 *	were over when it was served, with packets for them still waiting
 * @LIQUID_STATS_A_SPLITS: GSO packets that were split because they did not fit
 * @LIQUID_STATS_A_CONTROL_PACKETS: released through the control bypass
 * @LIQUID_STATS_A_CONTROL_BYTES: the same, bytes
 * @LIQUID_STATS_A_UNSCHED_PACKETS: unscheduled, released
 * @LIQUID_STATS_A_UNSCHED_BYTES: the same, bytes
 * @LIQUID_STATS_A_DROP_LIMIT: D; dropped: a destination's own queue was full
 * @LIQUID_STATS_A_DROP_TOTAL_LIMIT: dropped: all queues together were full
 * @LIQUID_STATS_A_DROP_HORIZON: D; dropped: waited longer than the horizon
 * @LIQUID_STATS_A_DROP_TOO_BIG: D; dropped: no frame can ever take it
 * @LIQUID_STATS_A_DROP_POLICY: dropped: unscheduled, and the policy is to drop
 * @LIQUID_STATS_A_DROP_DELETED: dropped: the destination was deleted
 * @LIQUID_STATS_A_DROP_SPLIT: D; dropped: a GSO packet could not be split
 * @LIQUID_STATS_A_CLOCK_STEPS: steps of CLOCK_TAI against CLOCK_MONOTONIC seen
 * @LIQUID_STATS_A_SWAPS: schedules that became oper
 * @LIQUID_STATS_A_QUEUE_STOPPED: times that a release waited for a stopped TX queue
 * @LIQUID_STATS_A_PAD: padding
 * @LIQUID_STATS_A_LEASE_EXPIRED: times that the gate was opened because its lease was not
 *	renewed
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

	__LIQUID_STATS_A_MAX,
	LIQUID_STATS_A_MAX = __LIQUID_STATS_A_MAX - 1
};

/**
 * enum liquid_event_kind - what has happened to a gate
 * @LIQUID_EVENT_COMMITTED: a schedule waits
 * @LIQUID_EVENT_OPER: it has come into force
 * @LIQUID_EVENT_ENDED: its last cycle is over
 * @LIQUID_EVENT_LEASE_EXPIRED: the gate was opened because its lease was not renewed
 * @LIQUID_EVENT_CLOCK_STEP: CLOCK_TAI was stepped against CLOCK_MONOTONIC while the gate had
 *	a schedule; seen within a second or so
 * @LIQUID_EVENT_LATE: packets left after the end of their frame; told once a second at most
 *
 * What happens more than once before it is told is told once, with the number of times.
 */
enum liquid_event_kind {
	LIQUID_EVENT_COMMITTED,
	LIQUID_EVENT_OPER,
	LIQUID_EVENT_ENDED,
	LIQUID_EVENT_LEASE_EXPIRED,
	LIQUID_EVENT_CLOCK_STEP,
	LIQUID_EVENT_LATE,

	__LIQUID_EVENT_MAX,
	LIQUID_EVENT_MAX = __LIQUID_EVENT_MAX - 1
};

/**
 * enum liquid_event_attr - an event (EVENT nest; read only)
 * @LIQUID_EVENT_A_KIND: u32, &enum liquid_event_kind
 * @LIQUID_EVENT_A_TIME: s64, ns of CLOCK_TAI; when the gate saw it first
 * @LIQUID_EVENT_A_COUNT: u64; times, or packets that were late
 * @LIQUID_EVENT_A_DUE_TIME: s64, ns of CLOCK_TAI; start (COMMITTED, OPER) or end (ENDED) of the
 *	schedule
 * @LIQUID_EVENT_A_STEP_NS: s64; by how much the clock was stepped (CLOCK_STEP)
 * @LIQUID_EVENT_A_PAD: padding
 */
enum liquid_event_attr {
	LIQUID_EVENT_A_UNSPEC,
	LIQUID_EVENT_A_KIND,
	LIQUID_EVENT_A_TIME,
	LIQUID_EVENT_A_COUNT,
	LIQUID_EVENT_A_DUE_TIME,
	LIQUID_EVENT_A_STEP_NS,
	LIQUID_EVENT_A_PAD,

	__LIQUID_EVENT_A_MAX,
	LIQUID_EVENT_A_MAX = __LIQUID_EVENT_A_MAX - 1
};

#endif /* _UAPI_LINUX_LIQUID_H */
