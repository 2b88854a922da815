/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a packet is: control, of a destination, or unscheduled
 *
 * Headers are read where they lie; they are copied only where the linear part ends
 * before them. Everything is inline so that what was read stays in registers.
 * A header that makes no sense decides nothing: the packet is then unscheduled.
 */
#ifndef LIQUID_CLASSIFY_H
#define LIQUID_CLASSIFY_H

#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/dsfield.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "gate.h"
#include "ports.h"
#include "schedule.h"
#include "table.h"

#define LIQUID_VLAN_TAGS	2	/* looked through; 802.1ad has two */
#define LIQUID_HEADERS_MAX	128	/* bytes copied where the linear part ends too early */
#define LLC_SAP_STP		0x42	/* of spanning trees: STP, RSTP, MSTP */

#define BFD_LEN_MAX		255	/* BFD states its length in one byte */

#define PROTO_VRRP		112

#define ICMP6_MLD_QUERY		130	/* first of multicast listeners; up to 132 */
#define ICMP6_REDIRECT		137	/* last of neighbour discovery; from 133 on */
#define ICMP6_MLD2_REPORT	143

/* The opcodes of the InfiniBand base transport header that are acknowledgements. */
#define BTH_TRANSPORT		0xe0
#define BTH_RELIABLE		0x00
#define BTH_RELIABLE_DATAGRAM	0x40
#define BTH_EXTENDED_RELIABLE	0xa0
#define BTH_OPERATION		0x1f
#define BTH_ACK			0x11
#define BTH_ATOMIC_ACK		0x12
#define BTH_CNP			0x81

/**
 * struct liquid_headers - what the headers say
 * @data: the packet, from its link-layer header on
 * @len: bytes of it at @data
 * @missed: something lies behind @len
 * @control: a control packet
 * @selected: one of those that are scheduled
 * @dscp: differentiated services code point, where @kind is known
 * @proto: ethertype behind any VLAN tags, network order
 * @l3: offset of what it is the type of
 * @l4: offset of the transport header; 0: none to be read
 * @l4_len: bytes from there on, by the length that the network header states
 * @l4proto: IPPROTO_*
 * @kind: kind of @a, @b: LIQUID_KEY_IPV4 or LIQUID_KEY_IPV6; else LIQUID_NONE
 * @a: destination address, first word
 * @b: destination address, second word
 */
struct liquid_headers {
	const u8 *data;
	u32 len;
	bool missed;
	bool control;
	bool selected;
	u8 dscp;
	__be16 proto;
	u32 l3;
	u32 l4;
	int l4_len;
	u8 l4proto;
	u32 kind;
	u64 a;
	u64 b;
};

/* @size bytes at @offset; NULL: they are not all there. */
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
	headers->kind = LIQUID_KEY_IPV4;
	headers->a = ntohl(ip->daddr);
	headers->dscp = ip->tos >> 2;
	headers->l4proto = ip->protocol;
	if (unlikely(ip->frag_off & htons(IP_OFFSET)))
		return;
	headers->l4 = offset + ip->ihl * 4;
	headers->l4_len = ntohs(ip->tot_len) - ip->ihl * 4;
}

/*
 * Skip IPv6 extension headers from @offset on: the protocol behind them, and from bit 8
 * on where it begins; 0 there if it cannot be read. Of a later fragment the core finds its
 * fragment header, which has the protocol.
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
	headers->kind = LIQUID_KEY_IPV6;
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

/* SYN and SYN-ACK, and what carries no data; FIN and RST keep their place behind the data. */
static __always_inline bool liquid_tcp_control(struct liquid_headers *headers,
					       const struct sk_buff *skb)
{
	const struct tcphdr *tcp = liquid_at(headers, headers->l4, sizeof(*tcp));

	if (unlikely(!tcp || tcp->doff < 5) || tcp->fin || tcp->rst)
		return false;
	return tcp->syn || (!skb_is_gso(skb) && headers->l4_len == tcp->doff * 4);
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
		return headers->kind == LIQUID_KEY_IPV4;
	case LIQUID_PORT_IPV6:
		return headers->kind == LIQUID_KEY_IPV6;
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

/*
 * What keeps the link itself alive. Asked where there is no transport header: of later fragments
 * and of nonsense too, which have ethertypes that are none of these.
 */
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
	/* A length instead of a type, or the core's number for that: 802.2 follows. */
	sap = liquid_at(headers, headers->l3, 1);
	return sap && *sap == LLC_SAP_STP;
}

static __always_inline bool liquid_known_control(struct liquid_headers *headers,
						 const struct sk_buff *skb)
{
	if (unlikely(!headers->l4))
		return liquid_link_control(headers);
	switch (headers->l4proto) {
	case IPPROTO_TCP:
		return liquid_tcp_control(headers, skb);
	case IPPROTO_UDP:
		return liquid_udp_control(headers, skb);
	case IPPROTO_ICMPV6:
		return headers->kind == LIQUID_KEY_IPV6 && liquid_icmp6_control(headers);
	case IPPROTO_IGMP:
		return headers->kind == LIQUID_KEY_IPV4;
	case PROTO_VRRP:
		return true;
	default:
		return false;
	}
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
		headers->control = liquid_known_control(headers, skb) ||
				   (unlikely(config->rules) && liquid_rules_match(headers, config));
	headers->selected = liquid_selected(headers, config, skb);
}

static noinline struct liquid_dest *liquid_find_ether(const struct liquid_table *table,
						      const struct sk_buff *skb)
{
	const u8 *address = skb->data;

	if (skb->dev->type != ARPHRD_ETHER || skb_headlen(skb) < ETH_HLEN)
		return NULL;
	return liquid_table_find(table, LIQUID_KEY_ETHER, ether_addr_to_u64(address), 0);
}

static noinline struct liquid_dest *liquid_find_mark(const struct liquid_table *table, u32 mark)
{
	return liquid_table_find(table, LIQUID_KEY_MARK, mark, 0);
}

static __always_inline struct liquid_dest *
liquid_find_dest(const struct liquid_gate *gate, const struct sk_buff *skb,
		 const struct liquid_headers *headers)
{
	const struct liquid_table *table = gate->table;
	struct liquid_dest *dest = NULL;

	if (unlikely(gate->config.match_mark) && table->kinds & BIT(LIQUID_KEY_MARK))
		dest = liquid_find_mark(table, skb->mark);
	if (!dest && headers->kind != LIQUID_NONE && table->kinds & BIT(headers->kind))
		dest = liquid_table_find(table, headers->kind, headers->a, headers->b);
	if (!dest && unlikely(table->kinds & BIT(LIQUID_KEY_ETHER)))
		dest = liquid_find_ether(table, skb);
	return dest;
}

/* The queue of a packet with these headers; NULL: the policy is to drop it. */
static __always_inline struct liquid_queue *
liquid_queue_of(struct liquid_gate *gate, struct sk_buff *skb, const struct liquid_headers *headers)
{
	const struct liquid_config *config = &gate->config;
	const struct liquid_sched *oper;
	struct liquid_dest *dest;

	if (headers->control)
		return &gate->control;
	if (likely(headers->selected)) {
		dest = liquid_find_dest(gate, skb, headers);
		if (likely(dest)) {
			liquid_skb_cb(skb)->id = dest->queue.id;
			oper = liquid_oper(gate);
			if (!oper || likely(liquid_sched_has(oper, dest->queue.id)))
				return &dest->queue;
		}
	}
	return config->policy == LIQUID_POLICY_DROP ? NULL : &gate->unsched;
}

/* Headers that reach beyond the linear part are rare: read a copy of them. */
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

/* The queue where @skb belongs; NULL: the policy is to drop it. */
static __always_inline struct liquid_queue *liquid_classify(struct liquid_gate *gate,
							    struct sk_buff *skb)
{
	struct liquid_headers headers = {
		.data = skb->data,
		.len = skb_headlen(skb),
		.proto = skb->protocol,
		.kind = LIQUID_NONE,
	};

	liquid_skb_cb(skb)->id = LIQUID_NONE;
	liquid_read(&headers, &gate->config, skb);
	if (unlikely(headers.missed) && skb_is_nonlinear(skb))
		return liquid_classify_copy(gate, skb);
	return liquid_queue_of(gate, skb, &headers);
}

#endif /* LIQUID_CLASSIFY_H */
