/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Classification of packets: control, of a destination, or unscheduled
 *
 * Headers are read in place, and copied only if the linear part ends before them. All is inline, so
 * that the fields stay in registers. An invalid header decides nothing: the packet is then
 * unscheduled.
 */
#ifndef LIQUID_CLASSIFY_H
#define LIQUID_CLASSIFY_H

#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/pkt_sched.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/dsfield.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "gate.h"
#include "packets/ports.h"
#include "frames/schedule.h"
#include "packets/table.h"

#define LIQUID_VLAN_TAGS	2	/* skipped at most; 802.1ad has two */
#define LIQUID_HEADERS_MAX	128	/* bytes copied if the linear part ends too early */
#define LLC_SAP_STP		0x42	/* of spanning trees: STP, RSTP, MSTP */

#define BFD_LEN_MAX		255	/* BFD states its length in one byte */

#define PROTO_VRRP		112

#define ICMP6_MLD_QUERY		130	/* first of multicast listeners; up to 132 */
#define ICMP6_REDIRECT		137	/* last of neighbour discovery; from 133 on */
#define ICMP6_MLD2_REPORT	143

/* Opcodes of acknowledgements in the InfiniBand base transport header */
#define BTH_TRANSPORT		0xe0
#define BTH_RELIABLE		0x00
#define BTH_RELIABLE_DATAGRAM	0x40
#define BTH_EXTENDED_RELIABLE	0xa0
#define BTH_OPERATION		0x1f
#define BTH_ACK			0x11
#define BTH_ATOMIC_ACK		0x12
#define BTH_CNP			0x81

/* Fields of the headers */
struct liquid_headers {
	const u8 *data;		/* the packet from its link-layer header on */
	u32 len;		/* bytes at @data */
	bool missed;		/* a header is beyond @len */
	bool control;		/* a control packet */
	bool link;		/* a control packet of a protocol that needs privileges to send */
	bool ack;		/* a bare ACK of TCP that may wait for frames */
	bool selected;		/* matched by the selector */
	u8 dscp;		/* valid unless @kind is LIQUID_NONE */
	__be16 proto;		/* ethertype behind any VLAN tags */
	u32 l3;			/* offset of the header of type @proto */
	u32 l4;			/* offset of the transport header; 0: none */
	int l4_len;		/* bytes from there on, as stated by the network header */
	u8 l4proto;		/* IPPROTO_* */
	u32 kind;		/* of @a, @b: LIQUID_KEY_A_IPV4, LIQUID_KEY_A_IPV6 or LIQUID_NONE */
	u64 a;			/* destination address, first word */
	u64 b;			/* destination address, second word */
};

/* @size bytes at @offset, or NULL if they are beyond the end */
static __always_inline const void *liquid_at(struct liquid_headers *headers, u32 offset, u32 size)
{
	if (likely(offset + size <= headers->len))
		return headers->data + offset;
	headers->missed = true;
	return NULL;
}

static __always_inline int liquid_skip_vlan(struct liquid_headers *headers)
{
	const struct vlan_hdr *vlan;
	int offset = ETH_HLEN, tags;

	for (tags = 0; tags < LIQUID_VLAN_TAGS && eth_type_vlan(headers->proto); tags++) {
		vlan = liquid_at(headers, offset, sizeof(*vlan));
		if (!vlan)
			return -1;
		headers->proto = vlan->h_vlan_encapsulated_proto;
		offset += VLAN_HLEN;
	}
	return offset;
}

static __always_inline void liquid_read_ipv4(struct liquid_headers *headers, u32 offset)
{
	const struct iphdr *ip = liquid_at(headers, offset, sizeof(*ip));

	if (unlikely(!ip || ip->version != 4 || ip->ihl < 5))
		return;
	headers->kind = LIQUID_KEY_A_IPV4;
	headers->a = ntohl(ip->daddr);
	headers->dscp = ip->tos >> 2;
	headers->l4proto = ip->protocol;
	if (unlikely(ip->frag_off & htons(IP_OFFSET)))
		return;
	headers->l4 = offset + ip->ihl * 4;
	headers->l4_len = ntohs(ip->tot_len) - ip->ihl * 4;
}

/*
 * Skip IPv6 extension headers from @offset on. Bits 0 to 7 of the result are the protocol behind
 * them, the others its offset; 0 if it cannot be read. In a later fragment the protocol comes from
 * the fragment header.
 */
static noinline u32 liquid_skip_extensions(const struct sk_buff *skb, u8 next, int offset)
{
	const struct frag_hdr *header;
	struct frag_hdr copy;
	__be16 fragment = 0;

	offset = ipv6_skip_exthdr(skb, offset, &next, &fragment);
	if (offset >= 0 && next == NEXTHDR_FRAGMENT) {
		header = skb_header_pointer(skb, offset, sizeof(copy), &copy);
		return header ? header->nexthdr : next;
	}
	return offset < 0 || offset >= 1 << 24 ? next : offset << 8 | next;
}

static __always_inline void liquid_read_ipv6(struct liquid_headers *headers, u32 offset,
					     const struct sk_buff *skb)
{
	const struct ipv6hdr *ip = liquid_at(headers, offset, sizeof(*ip));

	if (unlikely(!ip || ip->version != 6))
		return;
	headers->kind = LIQUID_KEY_A_IPV6;
	headers->a = (u64)ntohl(ip->daddr.s6_addr32[0]) << 32 | ntohl(ip->daddr.s6_addr32[1]);
	headers->b = (u64)ntohl(ip->daddr.s6_addr32[2]) << 32 | ntohl(ip->daddr.s6_addr32[3]);
	headers->dscp = ipv6_get_dsfield(ip) >> 2;
	headers->l4proto = ip->nexthdr;
	headers->l4 = offset + sizeof(*ip);
	headers->l4_len = ntohs(ip->payload_len);
	if (unlikely(ipv6_ext_hdr(ip->nexthdr))) {
		u32 skipped = liquid_skip_extensions(skb, ip->nexthdr, headers->l4);

		headers->l4proto = skipped;
		headers->l4 = skipped >> 8;
		headers->l4_len -= (int)(headers->l4 - offset - sizeof(*ip));
	}
}

static __always_inline void liquid_read_network(struct liquid_headers *headers,
						const struct sk_buff *skb)
{
	int offset = skb_network_offset(skb);

	if (unlikely(eth_type_vlan(headers->proto)) && skb->dev->type == ARPHRD_ETHER)
		offset = liquid_skip_vlan(headers);
	if (unlikely(offset < 0))
		return;
	headers->l3 = offset;
	if (likely(headers->proto == htons(ETH_P_IP)))
		liquid_read_ipv4(headers, offset);
	else if (headers->proto == htons(ETH_P_IPV6))
		liquid_read_ipv6(headers, offset, skb);
}

/*
 * SYN and SYN-ACK: a connection that is opened must not wait for a cycle each way. FIN and RST must
 * not overtake data. Bare acknowledgements go with their destination's data, if it is known.
 */
static __always_inline bool liquid_tcp_control(struct liquid_headers *headers,
					       const struct liquid_config *config,
					       const struct sk_buff *skb)
{
	const struct tcphdr *tcp = liquid_at(headers, headers->l4, sizeof(*tcp));

	if (unlikely(!tcp || tcp->doff < 5) || tcp->fin || tcp->rst)
		return false;
	if (tcp->syn)
		return true;
	headers->ack = !skb_is_gso(skb) && headers->l4_len == tcp->doff * 4;
	return headers->ack && config->acks == LIQUID_ACKS_BYPASS;
}

static __always_inline bool liquid_roce_control(struct liquid_headers *headers)
{
	const u8 *opcode = liquid_at(headers, headers->l4 + sizeof(struct udphdr), 1);
	u8 operation;

	if (!opcode)
		return false;
	if (*opcode == BTH_CNP)
		return true;
	operation = *opcode & BTH_OPERATION;
	if (operation != BTH_ACK && operation != BTH_ATOMIC_ACK)
		return false;
	switch (*opcode & BTH_TRANSPORT) {
	case BTH_RELIABLE:
	case BTH_RELIABLE_DATAGRAM:
	case BTH_EXTENDED_RELIABLE:
		return true;
	default:
		return false;
	}
}

static __always_inline bool liquid_udp_control(struct liquid_headers *headers,
					       const struct sk_buff *skb)
{
	const struct udphdr *udp = liquid_at(headers, headers->l4, sizeof(*udp));

	if (!udp)
		return false;
	switch (liquid_control_port(ntohs(udp->dest))) {
	case LIQUID_PORT_ALL:
		return true;
	case LIQUID_PORT_IPV4:
		return headers->kind == LIQUID_KEY_A_IPV4;
	case LIQUID_PORT_IPV6:
		return headers->kind == LIQUID_KEY_A_IPV6;
	case LIQUID_PORT_BFD:
		return !skb_is_gso(skb) && headers->l4_len <= (int)sizeof(*udp) + BFD_LEN_MAX;
	case LIQUID_PORT_ROCE:
		return liquid_roce_control(headers);
	default:
		return false;
	}
}

static __always_inline bool liquid_icmp6_control(struct liquid_headers *headers)
{
	const u8 *type = liquid_at(headers, headers->l4, 1);

	return type && ((*type >= ICMP6_MLD_QUERY && *type <= ICMP6_REDIRECT) ||
			*type == ICMP6_MLD2_REPORT);
}

/* @source: the source port may match as well as the destination port. */
static __always_inline bool liquid_rule_matches(struct liquid_headers *headers,
						const struct liquid_rule *rule, bool source)
{
	const struct udphdr *ports;	/* TCP, UDP and SCTP begin alike */

	if (rule->ethertype)
		return rule->ethertype == headers->proto;
	if (headers->kind == LIQUID_NONE || rule->l4proto != headers->l4proto)
		return false;
	if (!rule->port_max)
		return true;
	ports = headers->l4 ? liquid_at(headers, headers->l4, sizeof(*ports)) : NULL;
	if (!ports)
		return false;
	return liquid_port_matches(rule, ports->dest) ||
	       (source && liquid_port_matches(rule, ports->source));
}

static __always_inline bool liquid_rules_match(struct liquid_headers *headers,
					       const struct liquid_config *config)
{
	int i;

	for (i = 0; i < config->rules; i++) {
		if (liquid_rule_matches(headers, &config->rule[i], false))
			return true;
	}
	return false;
}

/* Protocols that keep the link itself alive; for packets without a transport header */
static noinline bool liquid_link_control(struct liquid_headers *headers)
{
	const u8 *sap;

	switch (ntohs(headers->proto)) {
	case ETH_P_ARP:
	case ETH_P_1588:
	case ETH_P_SLOW:
	case ETH_P_LLDP:
	case ETH_P_PAE:
		return true;
	}
	if (eth_proto_is_802_3(headers->proto))
		return false;
	/* An 802.3 length instead of a type: 802.2 follows. */
	sap = liquid_at(headers, headers->l3, 1);
	return sap && *sap == LLC_SAP_STP;
}

/* The same over IP: the kernel or a privileged process has sent them. */
static __always_inline bool liquid_link_control_ip(struct liquid_headers *headers)
{
	switch (headers->l4proto) {
	case IPPROTO_ICMPV6:
		return headers->kind == LIQUID_KEY_A_IPV6 && liquid_icmp6_control(headers);
	case IPPROTO_IGMP:
		return headers->kind == LIQUID_KEY_A_IPV4;
	case PROTO_VRRP:
		return true;
	default:
		return false;
	}
}

static __always_inline bool liquid_known_control(struct liquid_headers *headers,
						 const struct liquid_config *config,
						 const struct sk_buff *skb)
{
	if (likely(headers->l4)) {
		switch (headers->l4proto) {
		case IPPROTO_TCP:
			return liquid_tcp_control(headers, config, skb);
		case IPPROTO_UDP:
			return liquid_udp_control(headers, skb);
		}
		headers->link = liquid_link_control_ip(headers);
	} else {
		headers->link = liquid_link_control(headers);
	}
	return headers->link;
}

static __always_inline bool liquid_selected(struct liquid_headers *headers,
					    const struct liquid_config *config,
					    const struct sk_buff *skb)
{
	if (likely(config->select == LIQUID_SELECT_ALL))
		return true;
	switch (config->select) {
	case LIQUID_SELECT_MARK:
		return (skb->mark & config->select_mask) == config->select_mark;
	case LIQUID_SELECT_DSCP:
		return headers->kind != LIQUID_NONE && headers->dscp == config->select_dscp;
	default:
		return liquid_rule_matches(headers, &config->select_rule, true);
	}
}

static __always_inline void liquid_read(struct liquid_headers *headers,
					const struct liquid_config *config,
					const struct sk_buff *skb)
{
	liquid_read_network(headers, skb);
	if (likely(config->control))
		headers->control = liquid_known_control(headers, config, skb) ||
				   (unlikely(config->rules) && liquid_rules_match(headers, config));
	headers->selected = liquid_selected(headers, config, skb);
}

static noinline struct liquid_dest *liquid_find_ether(const struct liquid_table *table,
						      const struct sk_buff *skb)
{
	const u8 *address = skb->data;

	if (skb->dev->type != ARPHRD_ETHER || skb_headlen(skb) < ETH_HLEN)
		return NULL;
	return liquid_table_find(table, LIQUID_KEY_A_ETHER, ether_addr_to_u64(address), 0);
}

static noinline struct liquid_dest *liquid_find_mark(const struct liquid_table *table, u32 mark)
{
	return liquid_table_find(table, LIQUID_KEY_A_MARK, mark, 0);
}

static __always_inline struct liquid_dest *
liquid_find_dest(const struct liquid_gate *gate, const struct sk_buff *skb,
		 const struct liquid_headers *headers)
{
	const struct liquid_table *table = gate->table;
	struct liquid_dest *dest = NULL;

	if (unlikely(gate->config.match_mark) && table->kinds & BIT(LIQUID_KEY_A_MARK))
		dest = liquid_find_mark(table, skb->mark);
	if (!dest && headers->kind != LIQUID_NONE && table->kinds & BIT(headers->kind))
		dest = liquid_table_find(table, headers->kind, headers->a, headers->b);
	if (!dest && unlikely(table->kinds & BIT(LIQUID_KEY_A_ETHER)))
		dest = liquid_find_ether(table, skb);
	return liquid_own(gate, dest);
}

/*
 * What any user can send must not be in the way of what keeps the link alive. To set the priority
 * TC_PRIO_CONTROL needs privileges: daemons do it, of BFD or PTP for example.
 */
static __always_inline struct liquid_queue *
liquid_control_queue(struct liquid_gate *gate, const struct sk_buff *skb,
		     const struct liquid_headers *headers)
{
	return headers->link || skb->priority == TC_PRIO_CONTROL ? &gate->link_control :
								   &gate->control;
}

/* Queue for a packet with these headers; NULL: the policy is to drop it */
static __always_inline struct liquid_queue *
liquid_queue_of(struct liquid_gate *gate, struct sk_buff *skb, const struct liquid_headers *headers)
{
	const struct liquid_config *config = &gate->config;
	const struct liquid_sched *oper;
	struct liquid_dest *dest;

	if (headers->control)
		return liquid_control_queue(gate, skb, headers);
	if (likely(headers->selected)) {
		dest = liquid_find_dest(gate, skb, headers);
		if (likely(dest)) {
			oper = liquid_oper(gate);
			if (!oper || likely(liquid_sched_has(oper, dest->queue.id)))
				return &dest->queue;
		}
	}
	if (unlikely(headers->ack))
		return &gate->control;
	return config->policy == LIQUID_POLICY_DROP ? NULL : &gate->unsched;
}

/* Read a copy of headers that are not in the linear part, which is rare. */
static noinline struct liquid_queue *liquid_classify_copy(struct liquid_gate *gate,
							  struct sk_buff *skb)
{
	u8 data[LIQUID_HEADERS_MAX];
	struct liquid_headers headers = {
		.data = data,
		.len = min_t(u32, skb->len, sizeof(data)),
		.proto = skb->protocol,
		.kind = LIQUID_NONE,
	};

	if (skb_copy_bits(skb, 0, data, headers.len))
		headers.len = 0;
	liquid_read(&headers, &gate->config, skb);
	return liquid_queue_of(gate, skb, &headers);
}

/* Queue for @skb; NULL: the policy is to drop it. @ack: it is a bare ACK of TCP. */
static __always_inline struct liquid_queue *
liquid_classify(struct liquid_gate *gate, struct sk_buff *skb, bool *ack)
{
	struct liquid_headers headers = {
		.data = skb->data,
		.len = skb_headlen(skb),
		.proto = skb->protocol,
		.kind = LIQUID_NONE,
	};

	liquid_read(&headers, &gate->config, skb);
	*ack = headers.ack && !headers.missed;
	if (unlikely(headers.missed) && skb_is_nonlinear(skb))
		return liquid_classify_copy(gate, skb);
	return liquid_queue_of(gate, skb, &headers);
}

#endif /* LIQUID_CLASSIFY_H */
