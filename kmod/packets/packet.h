/* SPDX-License-Identifier: GPL-2.0-only */
/* Wire size and wire time of packets */
#ifndef LIQUID_PACKET_H
#define LIQUID_PACKET_H

#include <linux/if_vlan.h>

#include "gate.h"

u64 liquid_gso_bytes(const struct liquid_gate *gate, struct sk_buff *skb);
u64 liquid_segment_ns(const struct liquid_gate *gate, struct sk_buff *skb);

/* Bytes of a VLAN tag that the device or the core will add to the packet */
static inline u32 liquid_tag_bytes(const struct sk_buff *skb)
{
	return skb_vlan_tag_present(skb) ? VLAN_HLEN : 0;
}

/* Size of a packet on the wire. A size table of tc (stab) has no say: overhead and mpu do that. */
static inline u64 liquid_packet_bytes(const struct liquid_gate *gate, struct sk_buff *skb)
{
	if (skb_is_gso(skb))
		return liquid_gso_bytes(gate, skb);
	return liquid_wire_bytes(skb->len + liquid_tag_bytes(skb),
				 gate->config.overhead, gate->config.mpu);
}

static inline u32 liquid_segments(const struct sk_buff *skb)
{
	return skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs : 1;
}

/* When the link will have transmitted all that the device's gates have released */
static inline s64 liquid_wire_end(const struct liquid_gate *gate)
{
	return atomic64_read(&gate->shared->vfinish);
}

/* The run has reserved the wire for more packets. */
static inline bool liquid_has_reserved(const struct liquid_gate *gate)
{
	return gate->link.vfinish < gate->link.reserved;
}

/*
 * Where the gate's next packet may begin, if @last is the end of all that was reserved: the run's
 * own reservation can still be changed if it is the last.
 */
static inline s64 liquid_wire_from(const struct liquid_gate *gate, s64 last)
{
	return last == gate->link.reserved ? gate->link.vfinish : last;
}

/*
 * The earliest time from which the wire can be charged at @now: with launch times somewhat earlier,
 * so that a frame begins on the wire when it begins, and not when the gate has woken.
 */
static inline s64 liquid_wire_now(const struct liquid_gate *gate, s64 now)
{
	if (likely(!gate->link.launch))
		return now;
	return max(gate->frame.start, now - gate->link.launch / 2);
}

static inline bool liquid_fits(const struct liquid_gate *gate, s64 now, u64 ns)
{
	const struct liquid_link *link = &gate->link;
	s64 from = liquid_wire_from(gate, liquid_wire_end(gate));

	now = liquid_wire_now(gate, now);
	return liquid_vfinish(now, from, ns) <= link->limit ||
	       (liquid_has_reserved(gate) &&
		liquid_vfinish(now, link->vfinish, ns) <= min(link->reserved, link->limit));
}

/*
 * Reserve the wire for a packet of @ns from @now on, behind all that was reserved before, which
 * ended at @last when it was read; false: that would end after @limit.
 */
static __always_inline bool liquid_reserve(struct liquid_gate *gate, s64 last, s64 now, u64 ns,
					   s64 limit)
{
	s64 end;

	do {
		end = (last > now ? last : now) + (s64)ns;
		if (unlikely(end > limit))
			return false;
	} while (unlikely(!atomic64_try_cmpxchg(&gate->shared->vfinish, &last, end)));
	gate->link.vfinish = end;
	return true;
}

#endif /* LIQUID_PACKET_H */
