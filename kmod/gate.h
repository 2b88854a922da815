/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate of a net device: its state
 *
 * Locks, outermost first:
 *
 *	rtnl_mutex		configuration, and the life of the gate
 *	  liquid_stage_lock	transactions (schedule.c)
 *	  qdisc_lock(liquid_sch(gate))	"root lock": the data path, and every swap of state by
 *				configuration (lock.h)
 *	    the same of each child	the data path of a TX queue
 *
 * The data path takes no lock: the core calls it with the root lock held. Configuration
 * allocates and validates before it takes the root lock, and frees after releasing it.
 *
 * On a device with several TX queues the gate is a family: a root, which has no packets, and a
 * child for each TX queue, which is a gate with its own lock. "Root lock" then means the lock
 * of the child for the data path, and the locks of the whole family for configuration.
 */
#ifndef LIQUID_GATE_H
#define LIQUID_GATE_H

#include <linux/bitops.h>
#include <linux/hrtimer.h>
#include <linux/lockdep.h>
#include <linux/pm_qos.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <linux/liquid.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>

#include "netlink/config.h"
#include "pure/hist.h"
#include "pure/wire.h"

struct liquid_sched;
struct liquid_table;

#define LIQUID_NONE		U32_MAX	/* no destination: an idle frame */
#define LIQUID_READY_WORDS	BITS_TO_LONGS(LIQUID_DEST_MAX)

/* Packets in order of arrival, except for acknowledgements of TCP, which are first */
struct liquid_queue {
	struct sk_buff *head;	/* linked by skb->next */
	struct sk_buff *tail;
	struct sk_buff *acks;	/* last of those, linked by skb->prev as far as @head; or NULL */
	u64 backlog;		/* bytes */
	u32 qlen;		/* packets */
	u32 id;			/* destination; LIQUID_NONE: no destination's queue */
};

/*
 * A destination: an array with an element for each child. Root lock unless stated otherwise. A
 * passing packet touches the first cache line only.
 */
struct liquid_dest {
	struct liquid_queue queue;
	u64 packets;		/* released */
	u64 bytes;		/* released */

	/* The other counters, by &enum liquid_stats_attr */
	u64 stat[LIQUID_STATS_A_DROP_SPLIT + 1] ____cacheline_aligned;
	u32 nkeys;		/* number of @keys; first element only; RTNL */
	struct liquid_key *keys;	/* first element only; RTNL */

	/* Waiting times in @queue, and lateness */
	struct liquid_times times ____cacheline_aligned;
};

/* Packets that a new schedule may have in other queues (sort.c) */
struct liquid_sorting {
	struct liquid_queue queue; /* to be sorted, in order of arrival */
	u32 next;		/* id of the next destination to be looked at */
	bool active;		/* something is left; new packets go to @queue */
};

/* Bytes that a class of packets may send in each frame */
struct liquid_budget {
	atomic64_t *credit;	/* bytes left, of the family; one packet may overdraw it */
	u64 frame;		/* bytes added by each frame */
	s64 cap;		/* upper bound of @credit */
	s64 keep;		/* bytes of @credit that the class leaves to another one */
};

/*
 * State that the TX queues of a device share while they send. The first to come changes a member,
 * without a lock.
 */
struct liquid_shared {
	atomic64_t vfinish;	/* end of transmission of all released packets */
	atomic64_t control_credit; /* of both budgets of control packets */
	atomic64_t reserve_credit; /* of &liquid_gate.reserve */
	atomic64_t refilled;	/* start of the last frame that the credits were refilled for */
	atomic64_t used;	/* number of the last frame in which its destination sent */
	atomic64_t joined;	/* number of the last frame that a child has joined */
	atomic_t senders;	/* children that have joined it */
	atomic_t before;	/* packets that had joined the previous run */
	atomic64_t tai_offset;	/* &liquid_gate.tai_offset of the gate that saw the last step */
	atomic64_t runs;	/* measured since the guard was last checked against them */
	atomic64_t runs_above;	/* of these, longer than the guard */
};

/* Something that happened and has not been sent to listeners yet */
struct liquid_event {
	s64 time;		/* first occurrence; when sent, ns of CLOCK_TAI */
	u64 count;		/* occurrences */
	s64 value;		/* ns; its meaning depends on the kind */
	char label[LIQUID_LABEL_MAX + 1]; /* of the schedule */
};

/* The short path (pass.c) */
struct liquid_pass {
	struct sk_buff *skb;	/* passing packet: found the gate empty, is in no queue */
	struct liquid_dest *dest; /* destination of @skb, or of the packets that may pass */
	u64 addr;		/* in a frame, the address whose packets may pass */
	s64 limit;		/* in a frame, latest end of their transmission */
	u64 ns;			/* wire time of a packet of @size bytes */
	u32 size;		/* bytes of the last packet that passed; 0: unknown */
	u32 len;		/* bytes of the largest packet that may pass unchecked */
	u32 port;		/* last UDP port found not to be a control port, network order */
	bool all;		/* no schedule: packets to any destination may pass */
	bool tcp_rules;		/* a rule of the control bypass matches TCP packets */
};

/* The run of packets that the core is dequeueing, or the last one */
struct liquid_run {
	u64 ns;			/* wire time */
	u64 bytes;
	/* bytes that the core may still dequeue in it, see liquid_run_room() */
	s64 room;
	int txq;		/* TX queue; negative: no run */
	bool one;		/* one packet a run, because the core has requeued */
};

/* A run whose hand-over to the driver is measured (handover.c) */
struct liquid_handover {
	s64 from;		/* a run is measured if the end of its first packet is later */
	s64 near;		/* from here on all runs are: the end of the frame is near */
	s64 next;		/* from here on one run is, before @near */
	s64 start;		/* first dequeue of the run; 0: none is being measured */
	s64 end;		/* end of the frame of its packets */
	u64 context;		/* where the core works on it, see liquid_handover_context() */
	const struct netdev_queue *txq;
	u32 queued;		/* what BQL had counted at @start, bytes */
	u32 packets;		/* packets that must leave by @end */
	u32 id;			/* destination of the last of these, or LIQUID_NONE */
};

struct liquid_link {
	s64 vfinish;		/* end of transmission of the last released packet */
	s64 ahead;		/* ns; how far the end of all transmissions may be in the future */
	s64 limit;		/* latest end of transmission, by frame and guard */
	s64 reserved;		/* end of a run's reservation; after @vfinish: not used up */
	s64 window;		/* as @ahead; half of it while others have their turn */
	s64 turn;		/* ns that it may reserve until others have theirs */
	s64 joined;		/* number of the last frame in which it wanted to send */
	struct liquid_cost cost; /* wire time by packet length */
	struct liquid_rate rate;
	s64 launch;		/* ns; how long before their launch packets are released */
	u32 packet_bytes;	/* wire size of the largest packet of the device */
};

/* The current frame, derived from the clock */
struct liquid_frame {
	u32 mode;		/* &enum liquid_mode */
	u32 index;		/* in the cycle */
	s64 valid_until;	/* when all this must be derived again */
	s64 checked_until;	/* when the clock must be looked at again; not after @valid_until */
	s64 number;		/* frames since the base time */
	s64 start;
	s64 end;
	s64 latest;		/* when its packets must have left */
	s64 room;		/* ns without the guard */
	u32 id;			/* destination, or LIQUID_NONE */
	bool used;		/* the destination has released a packet */
	struct liquid_dest *dest; /* destination, or NULL */
	s64 split;		/* number of the last frame in which a GSO packet was split */
};

/* The timer that wakes the gate */
struct liquid_wait {
	s64 wake;		/* earliest time at which dequeue has work; 0: unknown */
	s64 armed;		/* expiry of @timer, future or past */
	s64 target;		/* number of the frame that @timer was set to, for @target_id */
	u32 target_id;		/* destination, or LIQUID_NONE */
	s64 early;		/* ns; how much earlier @timer expires, see liquid_wait_busy() */
	s64 charged;		/* number of the last frame in which a budget was charged */
	struct qdisc_watchdog timer;
};

/* Drops of packets that have waited too long */
struct liquid_expiry {
	s64 horizon;		/* ns; longest wait; 0: no limit */
	unsigned long checked;	/* jiffies of the last check of all queues */
	u32 next;		/* id at which the next check begins */
};

struct liquid_lease {
	u64 ns;			/* length; 0: no lease */
	s64 end;		/* expiry, ns of CLOCK_BOOTTIME */
	struct hrtimer timer;	/* opens the gate at @end */
};

/* How deeply processors may sleep (latency.c); of the root */
struct liquid_latency {
	struct pm_qos_request request;
	struct work_struct work; /* adds and removes @request */
};

/* Launch times of the device (launch.c); of the root; RTNL */
struct liquid_launch {
	bool attached;		/* the device uses the gate */
	bool on;		/* its TX queues take launch times */
	struct delayed_work work; /* asks them again */
};

/* Events for listeners (notify.c) */
struct liquid_events {
	struct liquid_event event[LIQUID_EVENT_MAX + 1]; /* by &enum liquid_event_kind */
	struct delayed_work work; /* sends them; runs only while there are listeners */
	unsigned long late_after; /* jiffies before which no event of lateness is sent again */
};

/* The place of a gate among those of its device */
struct liquid_family {
	struct liquid_gate *root; /* of all; of a device with one TX queue: the gate itself */
	struct liquid_gate *next; /* the root's first child, a child's next one; or NULL */
	u32 children;		/* of the root; 0: it serves all TX queues itself */
	u32 index;		/* number of the child: its element of a destination */
};

/*
 * The qdisc's private data. Root lock unless stated otherwise. Times are ns of CLOCK_MONOTONIC
 * unless stated otherwise.
 */
struct liquid_gate {
	/* First cache line: for the enqueue of a passing packet */
	struct liquid_pass pass;
	u32 usual;		/* sch->qstats.requeues, if dequeue has nothing rare to do */
	u32 qlen;		/* packets in all queues */

	/* Second cache line: for its dequeue */
	struct liquid_shared *shared; /* of the root; constant */
	struct liquid_table *table; /* destinations */
	struct liquid_run run;
	struct liquid_link link;

	struct liquid_family family;
	struct liquid_handover handover;
	u32 requeues;		/* sch->qstats.requeues when last looked at */
	u32 kept_qlen;		/* packets and bytes that the core believes to have dropped */
	u32 kept_backlog;
	struct liquid_sched __rcu *oper; /* schedule in force */
	struct liquid_sched __rcu *admin; /* schedule that waits for its base time */
	s64 tai_offset;		/* CLOCK_TAI - CLOCK_MONOTONIC as last seen, + @link.launch */
	struct liquid_frame frame;

	u64 backlog;		/* bytes in all queues */
	struct liquid_queue link_control; /* control packets that no user can send */
	struct liquid_queue control; /* other control packets */
	struct liquid_queue unsched; /* unscheduled packets */
	struct liquid_sorting sorting;
	struct liquid_queue *last; /* queue of the last enqueue, or NULL */
	struct liquid_wait wait;
	u32 cursor;		/* id to serve next without a schedule */
	u32 release_id;		/* destination of the last released packet, or LIQUID_NONE */
	s64 release_end;	/* end of the frame in which it was released */
	struct liquid_budget link_budget; /* of @link_control; shares its credit with the next */
	struct liquid_budget control_budget; /* of @control */
	struct liquid_budget reserve; /* of unscheduled packets in frames that are not idle */
	struct liquid_expiry expiry;
	u32 select_len;		/* as @pass.len, for packets that the selector matches */
	u32 dest_limit_packets;	/* limit in force: at least two frames' worth */
	u64 dest_limit_bytes;	/* limit in force: at least two frames' worth */
	struct liquid_config config;
	struct liquid_lease lease;
	struct liquid_latency latency;
	struct liquid_launch launch;
	struct liquid_events events;
	u32 table_seq;		/* generation of @table, for dumps; RTNL; of the root */
	u32 stages;		/* open transactions; liquid_stage_lock; of the root */

	/*
	 * Counters by &enum liquid_stats_attr. sch->bstats counts bytes, and packets by segment;
	 * LIQUID_STATS_A_PACKETS here is the correction: packets minus segments.
	 */
	u64 stat[LIQUID_STATS_A_MAX + 1];
	struct liquid_times times; /* waiting times in all queues, and lateness */
	struct liquid_delays delays;
	/* Bit per nonzero word of @ready */
	unsigned long summary[BITS_TO_LONGS(LIQUID_READY_WORDS)];
	unsigned long *ready;	/* bit per destination with a backlog */
	struct liquid_shared own ____cacheline_aligned_in_smp; /* of the root: for @shared */
};

/* On the short path a packet touches two cache lines of the gate, and in a frame @own. */
static_assert(offsetofend(struct liquid_gate, qlen) <= 64);
static_assert(offsetofend(struct liquid_gate, link.ahead) <= 128);

/* Stored in a packet while it is queued */
struct liquid_skb_cb {
	s64 queued;		/* time of arrival, ns of CLOCK_MONOTONIC */
};

static inline struct liquid_skb_cb *liquid_skb_cb(struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct liquid_skb_cb));
	return (struct liquid_skb_cb *)qdisc_skb_cb(skb)->data;
}

/* The qdisc whose private data the gate is */
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

/* The first gate of the device that has packets; the others follow it in &liquid_family.next. */
static inline struct liquid_gate *liquid_first(struct liquid_gate *root)
{
	return root->family.next ?: root;
}

/* The gate's element of destination @dest; NULL: none */
static inline struct liquid_dest *liquid_own(const struct liquid_gate *gate,
					     struct liquid_dest *dest)
{
	return dest ? dest + gate->family.index : NULL;
}

#endif /* LIQUID_GATE_H */
