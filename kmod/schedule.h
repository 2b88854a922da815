/* SPDX-License-Identifier: GPL-2.0-only */
/* Schedules, and the transactions that bring them */
#ifndef LIQUID_SCHEDULE_H
#define LIQUID_SCHEDULE_H

#include <linux/bitops.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/liquid.h>
#include <net/netlink.h>

struct liquid_gate;
struct net;
struct sk_buff;

/**
 * struct liquid_sched - a schedule; immutable once published
 * @rcu: freed by kvfree_rcu(), since the data path drops one while a dump may read it
 * @seq: tells schedules apart in an interrupted dump
 * @base: base time, ns of CLOCK_TAI
 * @start: when it becomes oper
 * @end: when it ends; LIQUID_TIME_NEVER
 * @frame_ns: length of a frame
 * @guard_ns: end of a frame in which nothing starts
 * @cycles: as committed; 0: forever
 * @frames: frames a cycle
 * @then: &enum liquid_then
 * @idle: idle frames a cycle
 * @dests: distinct destinations
 * @ids: highest id plus one
 * @dest: destination of each frame, or LIQUID_NONE
 * @first: @ids + 1 offsets into @dest_frames
 * @dest_frames: indices of each destination's frames, ascending
 * @has: bitmap of the destinations with a frame
 */
struct liquid_sched {
	struct rcu_head rcu;
	u32 seq;
	s64 base;
	s64 start;
	s64 end;
	u64 frame_ns;
	u64 guard_ns;
	u64 cycles;
	u32 frames;
	u32 then;
	u32 idle;
	u32 dests;
	u32 ids;
	u32 *dest;
	u32 *first;
	u32 *dest_frames;
	unsigned long *has;
};

static inline bool liquid_sched_has(const struct liquid_sched *sched, u32 id)
{
	return id < sched->ids && test_bit(id, sched->has);
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
int liquid_sched_fill(struct sk_buff *skb, int attr, const struct liquid_sched *sched);
int liquid_frames_fill(struct sk_buff *skb, const struct liquid_sched *sched, long *next);
extern const struct nla_policy liquid_sched_policy[LIQUID_SCHED_A_MAX + 1];
extern const struct nla_policy liquid_entries_policy[LIQUID_A_ENTRY + 1];

#endif /* LIQUID_SCHEDULE_H */
