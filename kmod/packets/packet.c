// SPDX-License-Identifier: GPL-2.0-only
/* Wire size of GSO packets */
#include <linux/tcp.h>
#include <linux/udp.h>

#include "packets/packet.h"

/* Header bytes per further segment, as the core has counted them in pkt_len */
static u32 liquid_counted_header(struct sk_buff *skb)
{
	u32 segs = skb_shinfo(skb)->gso_segs, len = qdisc_skb_cb(skb)->pkt_len;

	return segs > 1 && len > skb->len ? (len - skb->len) / (segs - 1) : 0;
}

/*
 * Bytes of all headers of a segment, with the inner headers of a tunnel. A datagram that is to be
 * cut into fragments (SKB_GSO_UDP, from virtual machines) has its UDP header only in the first.
 */
static u32 liquid_gso_header(struct sk_buff *skb)
{
	u32 type = skb_shinfo(skb)->gso_type;
	bool tcp = type & (SKB_GSO_TCPV4 | SKB_GSO_TCPV6);
	struct tcphdr copy, *header;
	int offset;

	if (!tcp && !(type & (SKB_GSO_UDP_L4 | SKB_GSO_UDP)))
		return liquid_counted_header(skb);
	if (!skb->encapsulation && !skb_transport_header_was_set(skb))
		return liquid_counted_header(skb);
	offset = skb->encapsulation ? skb_inner_transport_offset(skb) : skb_transport_offset(skb);
	if (offset < 0)
		return liquid_counted_header(skb);
	if (type & SKB_GSO_UDP)
		return offset;
	if (!tcp)
		return offset + sizeof(struct udphdr);
	header = skb_header_pointer(skb, offset, sizeof(copy), &copy);
	return header ? offset + __tcp_hdrlen(header) : liquid_counted_header(skb);
}

/* Wire size of all segments of a GSO packet */
u64 liquid_gso_bytes(const struct liquid_gate *gate, struct sk_buff *skb)
{
	u32 tag = liquid_tag_bytes(skb), size = skb_shinfo(skb)->gso_size;
	const struct liquid_config *config = &gate->config;

	if (size == GSO_BY_FRAGS)	/* segments of any size: trust the core's pkt_len */
		return (u64)qdisc_pkt_len(skb) + (u64)skb_shinfo(skb)->gso_segs *
		       liquid_wire_bytes(tag, config->overhead, 0);
	return liquid_wire_bytes_gso(skb->len + tag, liquid_gso_header(skb) + tag, size,
				     config->overhead, config->mpu);
}

/* Wire time of a segment of full size */
u64 liquid_segment_ns(const struct liquid_gate *gate, struct sk_buff *skb)
{
	u32 len = min(skb->len, liquid_gso_header(skb) + skb_shinfo(skb)->gso_size);

	return liquid_wire_ns(&gate->link.rate,
			      liquid_wire_bytes(len + liquid_tag_bytes(skb),
						gate->config.overhead, gate->config.mpu));
}
