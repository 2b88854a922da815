/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate of a net device: its state
 *
 * Locks, outermost first:
 *
 *	rtnl_mutex		every change of configuration; life of the gate
 *	  liquid_stage_lock	transactions (schedule.c)
 *	  qdisc_lock(liquid_sch(gate))	the root qdisc's lock: the data path, and every swap that
 *				configuration does (lock.h)
 *
 * The data path takes no lock of its own. What the comments below call "root lock"
 * is qdisc_lock(liquid_sch(gate)). Configuration allocates and validates before it takes
 * the root lock, and frees after it.
 */
#ifndef LIQUID_GATE_H
#define LIQUID_GATE_H

#include <linux/bitops.h>
#include <linux/hrtimer.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <linux/liquid.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>

#include "config.h"
#include "hist.h"
#include "wire.h"

struct liquid_sched;
struct liquid_table;

#define LIQUID_NONE		U32_MAX	/* no destination: an idle frame */
#define LIQUID_ADDR_NONE	U64_MAX	/* no address of IPv4 */
#define LIQUID_PORT_NONE	U32_MAX
#define LIQUID_SCAN_FRAMES	256	/* frames looked at for the next that the backlog can use */
#define LIQUID_TIMER_CAP_NS	(10 * NSEC_PER_MSEC) /* until a step of the clock is seen */
#define LIQUID_PASS_NS		NSEC_PER_MSEC /* the same while packets pass */
#define LIQUID_PASS_LEN		65536	/* bytes; larger packets do not pass */
#define LIQUID_DROP_BATCH	64	/* packets dropped in one dequeue */
#define LIQUID_RUN_PACKETS	9	/* of the core, where a device has several queues */
#define LIQUID_READY_WORDS	BITS_TO_LONGS(LIQUID_DEST_MAX)

/**
 * struct liquid_queue - packets in order of arrival
 * @head: first, linked by skb->next
 * @tail: last
 * @backlog: bytes
 * @qlen: packets
 * @id: destination, or LIQUID_NONE for the control and the unscheduled queue
 */
struct liquid_queue {
	struct sk_buff *head;
	struct sk_buff *tail;
	u64 backlog;
	u32 qlen;
	u32 id;
};

/**
 * struct liquid_dest - a destination
 *
 * The first cache line is all that a packet touches that does not wait. Root lock, where not said
 * otherwise.
 *
 * @queue: packets that wait
 * @packets: released
 * @bytes: released
 * @stat: the other counters, by &enum liquid_stats_attr as far as they are kept here
 * @nkeys: number of @keys; RTNL
 * @keys: RTNL
 * @times: how long packets waited in @queue, and how late they were
 */
struct liquid_dest {
	struct liquid_queue queue;
	u64 packets;
	u64 bytes;

	u64 stat[LIQUID_STATS_A_DROP_SPLIT + 1] ____cacheline_aligned;
	u32 nkeys;
	struct liquid_key *keys;

	struct liquid_times times ____cacheline_aligned;
};

/**
 * struct liquid_budget - bytes that a kind of packets may send in each frame
 * @credit: what is left; a packet may overdraw it
 * @frame: what each frame adds
 * @cap: where it stops
 */
struct liquid_budget {
	s64 credit;
	u64 frame;
	s64 cap;
};

/**
 * struct liquid_event - something that has happened and is not yet told
 * @time: when it was seen first; once it is taken to be told, ns of CLOCK_TAI
 * @count: how often; 0: it has not
 * @value: ns, as the kind has it
 */
struct liquid_event {
	s64 time;
	u64 count;
	s64 value;
};

/**
 * struct liquid_gate - private data of the qdisc; root lock, where not said otherwise
 *
 * Times without another word are ns of CLOCK_MONOTONIC.
 *
 * @table: destinations
 * @oper: schedule in force
 * @admin: schedule that waits
 * @passing: a packet that found the gate empty and is in no queue as yet
 * @pass_dest: its destination; in a frame the one whose packets may pass
 * @pass_all: there is no schedule: packets of all destinations may pass
 * @pass_addr: in a frame packets to this address may pass, see liquid_usual_addr();
 *	LIQUID_ADDR_NONE: none may
 * @pass_limit: and must have left the wire by then
 * @pass_port: a UDP port that the control bypass has no part in, network order; LIQUID_PORT_NONE:
 *	none is known
 * @pass_tcp_rules: a rule of the bypass has a say in packets of TCP
 * @pass_len: size of the largest packet that may pass; 0: options ask for a closer look
 * @pass_cost: wire time of a packet that passes
 * @pass_size: size of the last one that passed; 0: none has
 * @pass_ns: its wire time
 * @txq: device queue of all packets but control; constant
 * @requeues: sch->qstats.requeues, as last seen
 * @run_txq: device queue of what the core's present run has taken; negative: none
 * @run_ns: wire time of what it has taken, or the last run has
 * @run_bytes: of its packets
 * @run_room: what the core may still take in it, see liquid_run_room()
 * @run_one: the core has taken back packets: a run is of one packet until the device goes down
 * @vfinish: when the link has finished what was released
 * @ahead: how far beyond now the link may be filled
 * @limit: what is not control must have left the wire by then
 * @qlen: packets in all queues
 * @backlog: bytes in all queues
 * @control: queue of the control bypass
 * @unsched: queue of unscheduled packets
 * @last: queue that a packet was put into last, if it still is
 * @rate: link rate
 * @wake: dequeue has nothing to do before; 0: nothing is known
 * @armed: when the watchdog will fire, or has fired
 * @tai_offset: CLOCK_TAI less CLOCK_MONOTONIC, as last seen
 * @mode: &enum liquid_mode
 * @turn_end: until when the members from @frame to @room hold
 * @frame: frames since the base time
 * @index: index in the cycle
 * @frame_start: when the frame began
 * @frame_end: when it ends
 * @room: wire time of a whole frame
 * @frame_id: destination of the frame, or LIQUID_NONE
 * @frame_dest: the same; NULL for LIQUID_NONE
 * @frame_used: the frame's destination has released something
 * @split_frame: last frame in which a GSO packet was split
 * @target: frame that the timer was set to for a destination, if @target_id
 * @target_id: that destination; LIQUID_NONE: none
 * @cursor: next id to serve when open
 * @release_end: end of the frame in which a packet was released last
 * @release_id: its destination; LIQUID_NONE: it has none
 * @expired: jiffies when destinations were last looked at for packets that waited too long
 * @expire_next: from which id on to look next
 * @control_budget: of control packets
 * @reserve: of unscheduled packets in frames that are not idle
 * @control_txq: number of the device queue of control packets
 * @horizon: ns that a packet may wait; 0: forever
 * @select_len: as @pass_len, of packets that the selector names; 0: there is none
 * @packet_bytes: wire size of the device's largest packet
 * @dest_limit_packets: the limit in force, at least two frames' worth
 * @dest_limit_bytes: the same
 * @config: options
 * @watchdog: wakes the qdisc
 * @lease_ns: length of the lease; 0: there is none
 * @lease_end: when it expires, ns of CLOCK_BOOTTIME
 * @lease_timer: opens the gate then
 * @event: what is to be told, by &enum liquid_event_kind
 * @event_work: tells it, and sees what happens without traffic; only while somebody listens
 * @event_late: jiffies when late packets may be told of again
 * @over: the end of the schedule in force was seen
 * @table_seq: generation of @table, for dumps; RTNL
 * @stages: number of transactions; liquid_stage_lock
 * @stat: counters by &enum liquid_stats_attr. Packets and bytes are what sch->bstats counts, which
 *	is segments: LIQUID_STATS_A_PACKETS here is how many packets that is too much, negated
 * @times: how long packets waited in all queues, and how late they were
 * @lag: from the opening of a frame to the first release of what waited for it
 * @summary: bit per word of @ready that is not 0
 * @ready: bit per destination with a backlog
 */
struct liquid_gate {
	/* What a packet that passes needs comes first. */
	struct sk_buff *passing;
	struct liquid_dest *pass_dest;
	u64 pass_addr;
	s64 pass_limit;
	struct liquid_table *table;
	struct netdev_queue *txq;
	u32 pass_len;
	u32 requeues;
	int run_txq;
	u32 qlen;
	u32 pass_port;
	bool pass_all;
	bool run_one;
	bool pass_tcp_rules;
	u64 run_ns;
	s64 vfinish;
	s64 ahead;
	s64 limit;
	struct liquid_cost pass_cost;
	u64 pass_ns;
	u32 pass_size;

	struct liquid_sched __rcu *oper;
	struct liquid_sched __rcu *admin;
	u64 backlog;
	u64 run_bytes;
	s64 run_room;
	struct liquid_queue control;
	struct liquid_queue unsched;
	struct liquid_queue *last;
	struct liquid_rate rate;
	s64 wake;
	s64 armed;
	s64 tai_offset;
	u32 mode;
	s64 turn_end;
	s64 frame;
	u32 index;
	s64 frame_start;
	s64 frame_end;
	s64 room;
	u32 frame_id;
	struct liquid_dest *frame_dest;
	bool frame_used;
	s64 split_frame;
	s64 target;
	u32 target_id;
	u32 cursor;
	s64 release_end;
	u32 release_id;
	unsigned long expired;
	u32 expire_next;
	struct liquid_budget control_budget;
	struct liquid_budget reserve;
	u32 control_txq;
	s64 horizon;
	u32 select_len;
	u32 packet_bytes;
	u32 dest_limit_packets;
	u64 dest_limit_bytes;
	struct liquid_config config;
	struct qdisc_watchdog watchdog;
	u64 lease_ns;
	s64 lease_end;
	struct hrtimer lease_timer;
	struct liquid_event event[LIQUID_EVENT_MAX + 1];
	struct delayed_work event_work;
	unsigned long event_late;
	bool over;
	u32 table_seq;
	u32 stages;
	u64 stat[LIQUID_STATS_A_MAX + 1];
	struct liquid_times times;
	struct liquid_hist lag;
	unsigned long summary[BITS_TO_LONGS(LIQUID_READY_WORDS)];
	unsigned long *ready;
};

/* Kept with a packet while it waits. */
struct liquid_skb_cb {
	s64 queued;		/* when, ns of CLOCK_MONOTONIC */
	u32 id;			/* destination, or LIQUID_NONE */
};

static inline struct liquid_skb_cb *liquid_skb_cb(struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct liquid_skb_cb));
	return (struct liquid_skb_cb *)qdisc_skb_cb(skb)->data;
}

/* The gate's qdisc, of which it is the private part */
static inline struct Qdisc *liquid_sch(const struct liquid_gate *gate)
{
	return container_of((void *)gate, struct Qdisc, privdata);
}

static inline void liquid_assert_root_lock(const struct liquid_gate *gate)
{
	lockdep_assert_held(qdisc_lock(liquid_sch(gate)));
}

#ifdef CONFIG_LOCKDEP
static inline bool liquid_holds_root_lock(const struct liquid_gate *gate)
{
	return lockdep_is_held(qdisc_lock(liquid_sch(gate)));
}
#else
#define liquid_holds_root_lock(gate) true
#endif

static inline struct liquid_sched *liquid_oper(const struct liquid_gate *gate)
{
	return rcu_dereference_protected(gate->oper, liquid_holds_root_lock(gate));
}

static inline struct liquid_sched *liquid_admin(const struct liquid_gate *gate)
{
	return rcu_dereference_protected(gate->admin, liquid_holds_root_lock(gate));
}

#endif /* LIQUID_GATE_H */
