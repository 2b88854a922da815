// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a packet is: control, of a destination, or unscheduled
 *
 * Headers are read where they lie; only what is not in the linear part is copied.
 * A header that makes no sense decides nothing: the packet is then unscheduled.
 */
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "gate.h"

#define LIQUID_VLAN_TAGS	2	/* looked through; 802.1ad has two */

#define PORT_DHCP_SERVER	67
#define PORT_DHCP_CLIENT	68
#define PORT_PTP_EVENT		319
#define PORT_PTP_GENERAL	320
#define PORT_DHCP6_CLIENT	546
#define PORT_DHCP6_SERVER	547
#define PORT_ROCE		4791

#define ICMP6_RS		133	/* first of neighbour discovery */
#define ICMP6_REDIRECT		137	/* last */

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
 * struct liquid_headers - where a packet's headers are
 * @proto: ethertype behind any VLAN tags, network order
 * @l4: offset of the transport header; 0: none to be read
 * @l4_len: bytes from there on, by the length that the network header states
 * @l4proto: IPPROTO_*
 * @kind: kind of @a, @b: LIQUID_KEY_IPV4 or LIQUID_KEY_IPV6; else LIQUID_NONE
 * @a: destination address, first word
 * @b: destination address, second word
 */
struct liquid_headers {
	__be16 proto;
	int l4;
	int l4_len;
	u8 l4proto;
	u32 kind;
	u64 a;
	u64 b;
};

static noinline int liquid_skip_vlan(const struct sk_buff *skb, __be16 *proto)
{
	int offset = ETH_HLEN, tags;

	for (tags = 0; tags < LIQUID_VLAN_TAGS && eth_type_vlan(*proto); tags++) {
		struct vlan_hdr copy, *vlan;

		vlan = skb_header_pointer(skb, offset, sizeof(copy), &copy);
		if (!vlan)
			return -1;
		*proto = vlan->h_vlan_encapsulated_proto;
		offset += VLAN_HLEN;
	}
	return offset;
}

static __always_inline void liquid_read_ipv4(const struct sk_buff *skb, int offset,
					     struct liquid_headers *headers)
{
	struct iphdr copy, *ip = skb_header_pointer(skb, offset, sizeof(copy), &copy);

	if (unlikely(!ip || ip->version != 4 || ip->ihl < 5))
		return;
	headers->kind = LIQUID_KEY_IPV4;
	headers->a = ntohl(ip->daddr);
	headers->l4proto = ip->protocol;
	if (unlikely(ip->frag_off & htons(IP_OFFSET)))
		return;
	headers->l4 = offset + ip->ihl * 4;
	headers->l4_len = ntohs(ip->tot_len) - ip->ihl * 4;
}

static __always_inline void liquid_read_ipv6(const struct sk_buff *skb, int offset,
					     struct liquid_headers *headers)
{
	struct ipv6hdr copy, *ip = skb_header_pointer(skb, offset, sizeof(copy), &copy);
	int l4 = offset + sizeof(copy);
	__be16 fragment = 0;
	u8 next;

	if (unlikely(!ip || ip->version != 6))
		return;
	headers->kind = LIQUID_KEY_IPV6;
	headers->a = (u64)ntohl(ip->daddr.s6_addr32[0]) << 32 | ntohl(ip->daddr.s6_addr32[1]);
	headers->b = (u64)ntohl(ip->daddr.s6_addr32[2]) << 32 | ntohl(ip->daddr.s6_addr32[3]);
	next = ip->nexthdr;
	headers->l4_len = ntohs(ip->payload_len);
	if (unlikely(ipv6_ext_hdr(next))) {
		l4 = ipv6_skip_exthdr(skb, l4, &next, &fragment);
		if (l4 < 0 || fragment & htons(IP6_OFFSET))
			return;
		headers->l4_len -= l4 - offset - (int)sizeof(copy);
	}
	headers->l4proto = next;
	headers->l4 = l4;
}

static __always_inline void liquid_read_headers(const struct sk_buff *skb,
						struct liquid_headers *headers)
{
	int offset = skb_network_offset(skb);

	headers->proto = skb->protocol;
	headers->l4 = 0;
	headers->l4proto = 0;
	headers->kind = LIQUID_NONE;
	headers->a = 0;
	headers->b = 0;
	if (unlikely(eth_type_vlan(headers->proto)) && skb->dev->type == ARPHRD_ETHER)
		offset = liquid_skip_vlan(skb, &headers->proto);
	if (unlikely(offset < 0))
		return;
	if (likely(headers->proto == htons(ETH_P_IP)))
		liquid_read_ipv4(skb, offset, headers);
	else if (headers->proto == htons(ETH_P_IPV6))
		liquid_read_ipv6(skb, offset, headers);
}

/* SYN and SYN-ACK, and what carries no data; FIN and RST keep their place behind the data. */
static __always_inline bool liquid_tcp_control(const struct sk_buff *skb,
					       const struct liquid_headers *headers)
{
	struct tcphdr copy, *tcp = skb_header_pointer(skb, headers->l4, sizeof(copy), &copy);

	if (unlikely(!tcp || tcp->doff < 5) || tcp->fin || tcp->rst)
		return false;
	return tcp->syn || (!skb_is_gso(skb) && headers->l4_len == tcp->doff * 4);
}

static noinline bool liquid_roce_control(const struct sk_buff *skb, int l4)
{
	u8 copy, *opcode, operation;

	opcode = skb_header_pointer(skb, l4 + sizeof(struct udphdr), sizeof(copy), &copy);
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

static __always_inline bool liquid_udp_control(const struct sk_buff *skb,
					       const struct liquid_headers *headers)
{
	struct udphdr copy, *udp = skb_header_pointer(skb, headers->l4, sizeof(copy), &copy);

	if (!udp)
		return false;
	switch (ntohs(udp->dest)) {
	case PORT_PTP_EVENT:
	case PORT_PTP_GENERAL:
		return true;
	case PORT_DHCP_SERVER:
	case PORT_DHCP_CLIENT:
		return headers->kind == LIQUID_KEY_IPV4;
	case PORT_DHCP6_CLIENT:
	case PORT_DHCP6_SERVER:
		return headers->kind == LIQUID_KEY_IPV6;
	case PORT_ROCE:
		return liquid_roce_control(skb, headers->l4);
	default:
		return false;
	}
}

static noinline bool liquid_icmp6_control(const struct sk_buff *skb, int l4)
{
	u8 copy, *type = skb_header_pointer(skb, l4, sizeof(copy), &copy);

	return type && *type >= ICMP6_RS && *type <= ICMP6_REDIRECT;
}

static bool liquid_rule_matches(const struct liquid_rule *rule, const struct sk_buff *skb,
				const struct liquid_headers *headers)
{
	struct udphdr copy, *ports;	/* TCP, UDP and SCTP begin alike */
	u16 port;

	if (rule->ethertype)
		return rule->ethertype == headers->proto;
	if (headers->kind == LIQUID_NONE || rule->l4proto != headers->l4proto)
		return false;
	if (!rule->port_max)
		return true;
	ports = headers->l4 ? skb_header_pointer(skb, headers->l4, sizeof(copy), &copy) : NULL;
	if (!ports)
		return false;
	port = ntohs(ports->dest);
	return port >= rule->port_min && port <= rule->port_max;
}

/* Headers by value: who is not asked for rules shall have them in registers. */
static noinline bool liquid_rules_match(const struct liquid_config *config,
					const struct sk_buff *skb, struct liquid_headers headers)
{
	int i;

	for (i = 0; i < config->rules; i++) {
		if (liquid_rule_matches(&config->rule[i], skb, &headers))
			return true;
	}
	return false;
}

static __always_inline bool liquid_is_control(const struct liquid_config *config,
					      const struct sk_buff *skb,
					      const struct liquid_headers *headers)
{
	if (headers->l4) {
		if (headers->l4proto == IPPROTO_TCP) {
			if (liquid_tcp_control(skb, headers))
				return true;
		} else if (headers->l4proto == IPPROTO_UDP) {
			if (liquid_udp_control(skb, headers))
				return true;
		} else if (headers->l4proto == IPPROTO_ICMPV6) {
			if (headers->kind == LIQUID_KEY_IPV6 && liquid_icmp6_control(skb, headers->l4))
				return true;
		}
	} else if (headers->proto == htons(ETH_P_ARP) || headers->proto == htons(ETH_P_1588)) {
		return true;
	}
	return unlikely(config->rules) && liquid_rules_match(config, skb, *headers);
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

static bool liquid_selected(const struct liquid_config *config, const struct sk_buff *skb)
{
	return config->select == LIQUID_SELECT_ALL ||
	       (skb->mark & config->select_mask) == config->select_mark;
}

/* The queue where @skb belongs; NULL: the policy is to drop it. */
struct liquid_queue *liquid_classify(struct liquid_gate *gate, struct sk_buff *skb)
{
	const struct liquid_config *config = &gate->config;
	struct liquid_skb_cb *cb = liquid_skb_cb(skb);
	const struct liquid_sched *oper;
	struct liquid_headers headers;
	struct liquid_dest *dest;

	cb->id = LIQUID_NONE;
	liquid_read_headers(skb, &headers);
	if (config->control && liquid_is_control(config, skb, &headers))
		return &gate->control;
	if (likely(liquid_selected(config, skb))) {
		dest = liquid_find_dest(gate, skb, &headers);
		if (likely(dest)) {
			cb->id = dest->queue.id;
			oper = liquid_oper(gate);
			if (!oper || likely(liquid_sched_has(oper, cb->id)))
				return &dest->queue;
		}
	}
	return config->policy == LIQUID_POLICY_DROP ? NULL : &gate->unsched;
}
