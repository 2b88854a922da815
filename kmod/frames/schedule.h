/* SPDX-License-Identifier: GPL-2.0-only */
/* Schedules, and the transactions that bring them */
#ifndef LIQUID_SCHEDULE_H
#define LIQUID_SCHEDULE_H

#include <linux/bitops.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/liquid.h>
#include <net/netlink.h>

struct liquid_gate;
struct liquid_reader;
struct net;
struct sk_buff;

/* The use of a schedule */
struct liquid_job {
	char label[LIQUID_LABEL_MAX + 1];	/* "": none */
	kuid_t user;		/* may read its destinations and frames; or INVALID_UID */
};

/* Bits of &liquid_sched.seen: events that some gate of the device has seen first */
enum { LIQUID_SCHED_BEGUN, LIQUID_SCHED_OVER };

/* A schedule; immutable once published, except for @refs and @seen */
struct liquid_sched {
	struct rcu_head rcu;	/* dropped by the data path while dumps may read it */
	refcount_t refs;	/* gates of the device that have it in force or waiting */
	unsigned long seen;	/* bits above */
	u32 seq;		/* identifies it in interrupted dumps */
	s64 base;		/* base time, ns of CLOCK_TAI */
	s64 start;		/* when it comes into force, ns of CLOCK_TAI */
	s64 end;		/* ns of CLOCK_TAI, or LIQUID_TIME_NEVER */
	u64 frame_ns;		/* length of a frame */
	u64 guard_ns;		/* end of a frame in which no transmission may last */
	u64 cycles;		/* as committed; 0: forever */
	u32 frames;		/* frames a cycle */
	u32 then;		/* &enum liquid_then */
	struct liquid_job job;
	u32 idle;		/* idle frames a cycle */
	u32 dests;		/* distinct destinations */
	u32 ids;		/* highest id + 1 */
	u32 *dest;		/* destination of each frame, or LIQUID_NONE */
	u32 *first;		/* @ids + 1 offsets into @dest_frames */
	u32 *dest_frames;	/* indices of each destination's frames, ascending */
	unsigned long *has;	/* bitmap of the destinations with a frame */
};

static inline bool liquid_sched_has(const struct liquid_sched *sched, u32 id)
{
	return id < sched->ids && test_bit(id, sched->has);
}

/* A gate drops @sched; NULL: nothing. */
static inline void liquid_sched_put(struct liquid_sched *sched)
{
	if (sched && refcount_dec_and_test(&sched->refs))
		kvfree_rcu(sched, rcu);
}

int liquid_stage_begin(struct liquid_gate *gate, const struct net *net, u32 portid,
		       struct nlattr *sched, bool admin, struct netlink_ext_ack *extack);
int liquid_stage_entries(struct liquid_gate *gate, const struct net *net, u32 portid,
			 struct nlattr *entries, struct netlink_ext_ack *extack);
int liquid_stage_commit(struct liquid_gate *gate, const struct net *net, u32 portid,
			struct nlattr **attrs, struct netlink_ext_ack *extack);
int liquid_stage_abort(struct liquid_gate *gate, const struct net *net, u32 portid,
		       struct netlink_ext_ack *extack);
void liquid_stage_release(const struct net *net, u32 portid);
void liquid_stage_release_gate(struct liquid_gate *gate);
void liquid_sched_clear(struct liquid_gate *gate);
void liquid_sched_drop(struct liquid_gate *gate);
u32 liquid_sched_next(const struct liquid_sched *sched, u32 id, u32 index);
int liquid_sched_fill(struct sk_buff *skb, int attr, const struct liquid_sched *sched,
		      const struct liquid_reader *reader);
int liquid_frames_fill(struct sk_buff *skb, const struct liquid_sched *sched, long *next);

#endif /* LIQUID_SCHEDULE_H */
