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

/*
 * The short path, see pass.c: what a packet that takes it needs, in one cache line with the two
 * members of the gate that follow it.
 */
struct liquid_pass {
	struct sk_buff *skb;	/* a packet that found the gate empty and is in no queue as yet */
	struct liquid_dest *dest; /* its destination; in a frame the one whose packets may pass */
	u64 addr;		/* in a frame packets to this address may pass, see
				 * liquid_usual_addr(); LIQUID_ADDR_NONE: none may
				 */
	s64 limit;		/* and must have left the wire by then */
	u64 ns;			/* wire time of the last packet that passed */
	u32 size;		/* its size; 0: none has */
	u32 len;		/* size of the largest packet that may pass; 0: options ask for a
				 * closer look
				 */
	u32 port;		/* a UDP port that the control bypass has no part in, network
				 * order; LIQUID_PORT_NONE: none is known
				 */
	bool all;		/* there is no schedule: packets of all destinations may pass */
	bool tcp_rules;		/* a rule of the bypass has a say in packets of TCP */
};

/* What the core has taken in its present run */
struct liquid_run {
	u64 ns;			/* wire time, or that of the last run */
	u64 bytes;		/* of its packets */
	s64 room;		/* what the core may still take in it, see liquid_run_room() */
	int txq;		/* device queue of it; negative: there is no run */
	bool one;		/* the core has taken back packets: a run is of one packet until the
				 * device goes down
				 */
};

/* The link */
struct liquid_link {
	s64 vfinish;		/* when it has finished what was released */
	s64 ahead;		/* ns; how far beyond now it may be filled */
	s64 limit;		/* what is not control must have left the wire by then */
	struct liquid_cost cost; /* wire time of a packet */
	struct liquid_rate rate;
	u32 packet_bytes;	/* wire size of the device's largest packet */
};

/* The frame, as it was last derived from the clock */
struct liquid_frame {
	u32 mode;		/* &enum liquid_mode */
	u32 index;		/* in the cycle */
	s64 valid_until;		/* until when this holds */
	s64 number;		/* frames since the base time */
	s64 start;
	s64 end;
	s64 room;		/* wire time of a whole frame */
	u32 id;			/* its destination, or LIQUID_NONE */
	bool used;		/* its destination has released something */
	struct liquid_dest *dest; /* the same as @id; NULL for LIQUID_NONE */
	s64 split;		/* number of the last frame in which a GSO packet was split */
};

/* The timer that wakes the gate */
struct liquid_wait {
	s64 wake;		/* dequeue has nothing to do before; 0: nothing is known */
	s64 armed;		/* when the timer will fire, or has fired */
	s64 target;		/* number of the frame that it was set to, if @target_id */
	u32 target_id;		/* for this destination; LIQUID_NONE: none */
	struct qdisc_watchdog timer;
};

/* Packets that wait too long */
struct liquid_expiry {
	s64 horizon;		/* ns that a packet may wait; 0: forever */
	unsigned long checked;	/* jiffies when destinations were last looked at */
	u32 next;		/* from which id on to look next */
};

struct liquid_lease {
	u64 ns;			/* its length; 0: there is none */
	s64 end;		/* when it expires, ns of CLOCK_BOOTTIME */
	struct hrtimer timer;	/* opens the gate then */
};

/* What is to be told, see notify.c */
struct liquid_events {
	struct liquid_event event[LIQUID_EVENT_MAX + 1]; /* by &enum liquid_event_kind */
	struct delayed_work work; /* tells it, and sees what happens without traffic; only while
				   * somebody listens
				   */
	unsigned long late_after;	/* jiffies when late packets may be told of again */
	bool over;		/* the end of the schedule in force was seen */
};

/*
 * Private data of the qdisc; root lock, where not said otherwise. Times without another word are ns
 * of CLOCK_MONOTONIC.
 */
struct liquid_gate {
	/* First cache line: what enqueue needs of a packet that passes */
	struct liquid_pass pass;
	u32 requeues;		/* sch->qstats.requeues, as last seen */
	u32 qlen;		/* packets in all queues */

	/* Second cache line: and dequeue */
	struct netdev_queue *txq; /* device queue of all packets but control; constant */
	struct liquid_table *table;	/* destinations */
	struct liquid_run run;
	struct liquid_link link;

	struct liquid_sched __rcu *oper;	/* schedule in force */
	struct liquid_sched __rcu *admin;	/* schedule that waits */
	s64 tai_offset;		/* CLOCK_TAI less CLOCK_MONOTONIC, as last seen */
	struct liquid_frame frame;

	u64 backlog;		/* bytes in all queues */
	struct liquid_queue control;	/* queue of the control bypass */
	struct liquid_queue unsched;	/* queue of unscheduled packets */
	struct liquid_queue *last;	/* queue that a packet was put into last, if it still is */
	struct liquid_wait wait;
	u32 cursor;		/* next id to serve when open */
	u32 release_id;		/* destination of the packet released last; LIQUID_NONE: it has
				 * none
				 */
	s64 release_end;	/* end of the frame in which that was */
	struct liquid_budget control_budget;	/* of control packets */
	struct liquid_budget reserve;	/* of unscheduled packets in frames that are not idle */
	struct liquid_expiry expiry;
	u32 control_txq;	/* number of the device queue of control packets */
	u32 select_len;		/* as @pass.len, of packets that the selector names; 0: there is
				 * none
				 */
	u32 dest_limit_packets;	/* the limit in force, at least two frames' worth */
	u64 dest_limit_bytes;	/* the same */
	struct liquid_config config;
	struct liquid_lease lease;
	struct liquid_events events;
	u32 table_seq;		/* generation of @table, for dumps; RTNL */
	u32 stages;		/* number of transactions; liquid_stage_lock */

	/*
	 * Counters by &enum liquid_stats_attr. Packets and bytes are what sch->bstats counts, which
	 * is segments: LIQUID_STATS_A_PACKETS here is how many packets that is too much, negated.
	 */
	u64 stat[LIQUID_STATS_A_MAX + 1];
	struct liquid_times times;	/* how long packets waited in all queues, and how late they
					 * were
					 */
	struct liquid_hist lag;	/* from the opening of a frame to the first release of what waited
				 * for it
				 */
	unsigned long summary[BITS_TO_LONGS(LIQUID_READY_WORDS)]; /* bit per word of @ready that is
								   * not 0
								   */
	unsigned long *ready;	/* bit per destination with a backlog */
};

/* A packet that passes in a frame finds all that it needs of the gate in two cache lines. */
static_assert(offsetofend(struct liquid_gate, qlen) <= 64);
static_assert(offsetofend(struct liquid_gate, link.ahead) <= 128);

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
