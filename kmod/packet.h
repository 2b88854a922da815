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

/* Size of a packet on the wire */
static inline u64 liquid_packet_bytes(const struct liquid_gate *gate, struct sk_buff *skb)
{
	if (skb_is_gso(skb))
		return liquid_gso_bytes(gate, skb);
	return liquid_wire_bytes(qdisc_pkt_len(skb) + liquid_tag_bytes(skb),
				 gate->config.overhead, gate->config.mpu);
}

static inline u32 liquid_segments(const struct sk_buff *skb)
{
	return skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs : 1;
}

static inline bool liquid_fits(const struct liquid_gate *gate, s64 now, u64 ns)
{
	return liquid_vfinish(now, gate->link.vfinish, ns) <= gate->link.limit;
}

#endif /* LIQUID_PACKET_H */
