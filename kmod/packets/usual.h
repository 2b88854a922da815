/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The usual packet: UDP or TCP data over IPv4, without IP options, and not a later fragment
 *
 * Unless an option of the gate says otherwise (pass.len is 0 then), its destination address alone
 * determines its queue, with the same result as liquid_classify().
 */
#ifndef LIQUID_USUAL_H
#define LIQUID_USUAL_H

#include <linux/ip.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>

#include "gate.h"
#include "packets/table.h"

#define IPV4_PLAIN		0x45	/* first byte of a header without options */

/* Headers of the usual packet, contiguous in the linear part */
struct liquid_usual {
	struct iphdr ip;
	union {
		struct tcphdr tcp;
		struct udphdr udp;
	};
} __packed;

bool liquid_usual_port(const struct liquid_gate *gate, u8 proto, u16 port);

/* Most packets have the same port as the previous one. A new port is checked only if @closer. */
static __always_inline bool liquid_usual_udp(struct liquid_gate *gate, const struct udphdr *udp,
					     bool closer)
{
	if (likely((__force u16)udp->dest == gate->pass.port))
		return true;
	if (!closer || !liquid_usual_port(gate, IPPROTO_UDP, ntohs(udp->dest)))
		return false;
	gate->pass.port = (__force u16)udp->dest;
	return true;
}

/* Data, without flags that need the slow path */
static __always_inline bool liquid_usual_tcp(const struct liquid_gate *gate,
					     const struct liquid_usual *usual, bool closer)
{
	if (tcp_flag_word(&usual->tcp) & (TCP_FLAG_SYN | TCP_FLAG_FIN | TCP_FLAG_RST) ||
	    ntohs(usual->ip.tot_len) <= sizeof(usual->ip) + usual->tcp.doff * 4)
		return false;
	return likely(!gate->pass.tcp_rules) ||
	       (closer && liquid_usual_port(gate, IPPROTO_TCP, ntohs(usual->tcp.dest)));
}

/*
 * @skb is a usual packet. Without @closer this calls no function, so that the caller saves no
 * registers, and may return false for a usual packet.
 */
static __always_inline bool liquid_is_usual(struct liquid_gate *gate, const struct sk_buff *skb,
					    bool closer)
{
	const struct liquid_usual *usual = (const void *)skb_network_header(skb);

	if (unlikely(skb->protocol != htons(ETH_P_IP) ||
		     skb_tail_pointer(skb) - (const u8 *)usual < (int)sizeof(*usual) ||
		     *(const u8 *)usual != IPV4_PLAIN || usual->ip.frag_off & htons(IP_OFFSET)))
		return false;
	if (usual->ip.protocol == IPPROTO_UDP)
		return liquid_usual_udp(gate, &usual->udp, closer);
	return usual->ip.protocol == IPPROTO_TCP && liquid_usual_tcp(gate, usual, closer);
}

/* Destination of a usual packet */
static __always_inline struct liquid_dest *liquid_usual_dest(const struct liquid_gate *gate,
							     const struct sk_buff *skb)
{
	u32 address = ntohl(ip_hdr(skb)->daddr);

	return liquid_own(gate, liquid_table_find(gate->table, LIQUID_KEY_A_IPV4, address, 0));
}

/* Address of a usual packet, comparable with pass.addr */
static __always_inline u64 liquid_usual_addr(const struct sk_buff *skb)
{
	return (__force u32)ip_hdr(skb)->daddr;
}

#endif /* LIQUID_USUAL_H */
