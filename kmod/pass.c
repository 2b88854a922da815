// SPDX-License-Identifier: GPL-2.0-only
/*
 * The short path: what happens to the usual packet, which finds the gate empty and may leave at once
 *
 * Such a packet passes: enqueue only keeps it in hand (pass.skb), and dequeue lets it go by what was
 * found out for the packet before it. That it holds:
 *
 * 1. At most one packet is in hand, and only while all queues are empty. It counts in sch->q.qlen
 *    and nowhere else: not in the gate's lengths, not in a backlog.
 *
 * 2. A packet passes only where the long way (qdisc.c) would put it into the queue of pass.dest and
 *    release it from there at once. Without a schedule (pass.all) those are packets of any
 *    destination; in a frame those to the address pass.addr that fit before pass.limit. Wherever
 *    there is doubt the long way decides.
 *
 * 3. What was found out is forgotten by whoever might change it: liquid_lock_flush() of configuration,
 *    liquid_dequeue_slow() before it looks at anything, and the gate's purge all call
 *    liquid_pass_stop(). It begins anew where the long way has released a packet
 *    (liquid_pass_start(), liquid_pass_start_open()). In a frame it holds for 1 ms at most, since
 *    only by looking at the clock is a step of it seen.
 *
 * 4. Whoever takes the long way first puts the packet in hand into its queue, in front of all that
 *    follow (liquid_flush_passing()).
 *
 * The two entries call nothing that would make them save registers: all that is rarer stands in
 * functions of its own.
 */
#include <linux/ip.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>

#include "packet.h"
#include "pass.h"
#include "ports.h"
#include "qdisc.h"
#include "queue.h"
#include "table.h"
#include "trace.h"

#define IPV4_PLAIN		0x45	/* first byte of a header without options */
#define LIQUID_PASS_NS		NSEC_PER_MSEC /* until a step of the clock is seen */
#define LIQUID_PASS_LEN		65536	/* bytes; larger packets do not pass */
#define LIQUID_ADDR_NONE	U64_MAX	/* no address of IPv4 */
#define LIQUID_PORT_NONE	U32_MAX

/* --- which packets may pass --- */

/* Headers of the usual packet, which lie one behind the other in the linear part. */
struct liquid_usual {
	struct iphdr ip;
	union {
		struct tcphdr tcp;
		struct udphdr udp;
	};
} __packed;

/*
 * Can no packet of @proto to @port be a control packet, by what is known of ports or by a rule of
 * the bypass?
 */
static noinline bool liquid_usual_port(const struct liquid_gate *gate, u8 proto, u16 port)
{
	const struct liquid_config *config = &gate->config;
	int i;

	if (proto == IPPROTO_UDP && liquid_control_port(port) != LIQUID_PORT_DATA)
		return false;
	for (i = 0; i < config->rules; i++) {
		const struct liquid_rule *rule = &config->rule[i];

		if (rule->l4proto == proto && (!rule->port_max || (port >= rule->port_min &&
								   port <= rule->port_max)))
			return false;
	}
	return true;
}

/* Most packets go to the same port as the one before: only @closer looks at another. */
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

/* Data, and none of the flags that make a closer look necessary. */
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
 * Is it the usual packet: data by UDP or TCP over IPv4 without options and not a fragment? Where no
 * option of the gate has a say, the destination address alone tells where the usual packet belongs,
 * and liquid_classify() would say the same. Without @closer it may be one although this says no;
 * then it calls nothing, so that the shortest path saves no registers.
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

/* Does the selector name the usual packet? liquid_selected() would say the same. */
static __always_inline bool liquid_usual_selected(const struct liquid_config *config,
						  const struct sk_buff *skb)
{
	const struct liquid_usual *usual = (const void *)skb_network_header(skb);
	const struct liquid_rule *rule = &config->select_rule;

	switch (config->select) {
	case LIQUID_SELECT_MARK:
		return (skb->mark & config->select_mask) == config->select_mark;
	case LIQUID_SELECT_DSCP:
		return usual->ip.tos >> 2 == config->select_dscp;
	case LIQUID_SELECT_RULE:	/* UDP and TCP begin alike */
		return rule->l4proto == usual->ip.protocol &&
		       (!rule->port_max || liquid_port_matches(rule, usual->udp.dest) ||
			liquid_port_matches(rule, usual->udp.source));
	default:
		return false;
	}
}

/* The destination of the usual packet */
static __always_inline struct liquid_dest *liquid_usual_dest(const struct liquid_gate *gate,
							     const struct sk_buff *skb)
{
	return liquid_table_find(gate->table, LIQUID_KEY_IPV4, ntohl(ip_hdr(skb)->daddr), 0);
}

/* Its address as it is compared with the one that may pass */
static __always_inline u64 liquid_usual_addr(const struct sk_buff *skb)
{
	return (__force u32)ip_hdr(skb)->daddr;
}

/* Is there a rule of the control bypass with this ethertype, or protocol? */
static bool liquid_has_rule(const struct liquid_config *config, __be16 ethertype, u8 l4proto)
{
	int i;

	for (i = 0; i < config->rules; i++) {
		if (config->rule[i].ethertype == ethertype && config->rule[i].l4proto == l4proto)
			return true;
	}
	return false;
}

/*
 * What may pass without a closer look: packets that fit an empty gate, where neither a rule
 * nor a mark has a say in what they are. A selector is asked first, where there is one. Rules for
 * ports are asked once a port, see liquid_usual_port(), and those for what is not the usual packet
 * not at all.
 */
void liquid_pass_recompute(struct liquid_gate *gate)
{
	const struct liquid_config *config = &gate->config;
	u32 len = min3(gate->dest_limit_bytes, config->limit_bytes, (u64)LIQUID_PASS_LEN);

	if (config->match_mark || liquid_has_rule(config, htons(ETH_P_IP), 0))
		len = 0;
	gate->pass.port = LIQUID_PORT_NONE;
	gate->pass.tcp_rules = liquid_has_rule(config, 0, IPPROTO_TCP);
	gate->pass.len = config->select == LIQUID_SELECT_ALL ? len : 0;
	gate->select_len = config->select == LIQUID_SELECT_ALL ? 0 : len;
	liquid_cost_set(&gate->link.cost, &gate->link.rate, config->overhead, config->mpu);
	gate->pass.size = 0;
}

/* --- from when to when --- */

void liquid_pass_init(struct liquid_gate *gate)
{
	gate->pass.addr = LIQUID_ADDR_NONE;
	gate->pass.port = LIQUID_PORT_NONE;
}

/*
 * The packet that passes, if there is one, goes to its queue. The gate is empty but for it. Its
 * horizon begins here: so far it has waited for the core, not for the gate.
 */
void liquid_flush_passing(struct liquid_gate *gate, s64 now)
{
	struct liquid_queue *queue;
	struct sk_buff *skb = gate->pass.skb;

	if (!skb)
		return;
	queue = &gate->pass.dest->queue;
	gate->pass.skb = NULL;
	liquid_sch(gate)->q.qlen--;
	liquid_skb_cb(skb)->id = queue->id;
	liquid_skb_cb(skb)->queued = now;
	liquid_queue_add(gate, queue, skb);
	gate->last = queue;
	gate->wait.wake = 0;
}

/* What let packets pass may hold no longer. */
void liquid_pass_stop(struct liquid_gate *gate, s64 now)
{
	liquid_flush_passing(gate, now);
	gate->pass.all = false;
	gate->pass.addr = LIQUID_ADDR_NONE;
}

/*
 * @skb leaves in its frame. Until that ends, or the clock must be looked at again, those that
 * follow to the same address may pass.
 */
void liquid_pass_start(struct liquid_gate *gate, const struct sk_buff *skb, s64 now)
{
	if (!liquid_is_usual(gate, skb, true) || liquid_usual_dest(gate, skb) != gate->frame.dest)
		return;
	gate->pass.dest = gate->frame.dest;
	gate->pass.addr = liquid_usual_addr(skb);
	gate->pass.limit = min3(gate->link.limit, gate->frame.valid_until, now + LIQUID_PASS_NS);
}

/* --- enqueue --- */

/* May the usual packet @skb pass? If so, @gate->pass.dest is its destination. */
static __always_inline bool liquid_may_pass(struct liquid_gate *gate, const struct sk_buff *skb)
{
	if (liquid_usual_addr(skb) == gate->pass.addr)
		return true;
	if (!gate->pass.all)
		return false;
	gate->pass.dest = liquid_usual_dest(gate, skb);
	return gate->pass.dest;
}

/* Keep @skb in hand until the core calls dequeue. */
static __always_inline int liquid_stash(struct sk_buff *skb, struct Qdisc *sch)
{
	struct liquid_gate *gate = qdisc_priv(sch);

	gate->pass.skb = skb;
	sch->q.qlen++;
	if (trace_liquid_enqueue_enabled())
		trace_liquid_enqueue(sch, skb, gate->pass.dest->queue.id, 1);
	return NET_XMIT_SUCCESS;
}

/*
 * What needs a closer look may pass as well: packets to another port than before, and, where there
 * is a selector, those that it names. Apart, so that nobody else pays for it.
 */
static noinline int liquid_enqueue_checked(struct sk_buff *skb, struct Qdisc *sch,
					   struct sk_buff **to_free)
{
	struct liquid_gate *gate = qdisc_priv(sch);

	if (sch->q.qlen || qdisc_pkt_len(skb) > max(gate->pass.len, gate->select_len) ||
	    !liquid_is_usual(gate, skb, true) ||
	    (gate->select_len && !liquid_usual_selected(&gate->config, skb)) ||
	    !liquid_may_pass(gate, skb))
		return liquid_enqueue_slow(skb, sch, to_free);
	return liquid_stash(skb, sch);
}

int liquid_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct liquid_gate *gate = qdisc_priv(sch);

	liquid_assert_root_lock(gate);
	if (unlikely(sch->q.qlen || qdisc_pkt_len(skb) > gate->pass.len ||
		     !liquid_is_usual(gate, skb, false) || !liquid_may_pass(gate, skb)))
		return liquid_enqueue_checked(skb, sch, to_free);
	return liquid_stash(skb, sch);
}

/* --- dequeue --- */

/* Apart, so that the path without it saves no registers */
static noinline struct sk_buff *liquid_release_traced(struct Qdisc *sch, struct sk_buff *skb)
{
	struct liquid_gate *gate = qdisc_priv(sch);

	trace_liquid_dequeue(sch, skb, gate->pass.dest->queue.id, gate->link.vfinish);
	return skb;
}

/* The packet that passes leaves. */
static __always_inline struct sk_buff *
liquid_release_passing(struct Qdisc *sch, struct sk_buff *skb, u32 len, u32 segs)
{
	struct liquid_gate *gate = qdisc_priv(sch);
	struct liquid_dest *dest = gate->pass.dest;

	gate->pass.skb = NULL;
	sch->q.qlen--;
	dest->packets++;
	dest->bytes += len;
	liquid_count_sch(gate, len, segs);
	skb_set_queue_mapping(skb, 0);
	if (trace_liquid_dequeue_enabled())
		return liquid_release_traced(sch, skb);
	return skb;
}

/* Without a schedule nothing is reckoned. */
static noinline struct sk_buff *liquid_dequeue_open(struct Qdisc *sch)
{
	struct liquid_gate *gate = qdisc_priv(sch);
	struct sk_buff *skb = gate->pass.skb;

	if (unlikely(netif_xmit_frozen_or_stopped(gate->txq)))
		return liquid_dequeue_slow(sch);
	return liquid_release_passing(sch, skb, qdisc_pkt_len(skb), liquid_segments(skb));
}

/* Wire time of a packet of @len bytes. Most are as long as the one before. */
static __always_inline u64 liquid_pass_ns(struct liquid_gate *gate, u32 len)
{
	if (unlikely(len != gate->pass.size)) {
		gate->pass.size = len;
		gate->pass.ns = liquid_cost_ns(&gate->link.cost, len);
	}
	return gate->pass.ns;
}

/* In a frame the packet must fit, and is charged. */
static noinline struct sk_buff *liquid_dequeue_in_frame(struct Qdisc *sch)
{
	struct liquid_gate *gate = qdisc_priv(sch);
	s64 now = ktime_get_ns(), start = now;
	struct sk_buff *skb = gate->pass.skb;
	u32 len = qdisc_pkt_len(skb);
	u64 ns;

	if (unlikely(netif_xmit_frozen_or_stopped(gate->txq) || skb_is_gso(skb) ||
		     skb_vlan_tag_present(skb)))
		return liquid_dequeue_slow(sch);
	if (gate->link.vfinish > now) {
		start = gate->link.vfinish;
		if (start > now + gate->link.ahead)
			return liquid_dequeue_slow(sch);
	}
	ns = liquid_pass_ns(gate, len);
	if (unlikely(start + (s64)ns > gate->pass.limit))
		return liquid_dequeue_slow(sch);
	gate->link.vfinish = start + (s64)ns;
	gate->run.ns = ns;
	return liquid_release_passing(sch, skb, len, 1);
}

/* The core comes two or three times a packet, mostly in vain: so this does no more than branch. */
struct sk_buff *liquid_dequeue(struct Qdisc *sch)
{
	struct liquid_gate *gate = qdisc_priv(sch);

	liquid_assert_root_lock(gate);
	if (unlikely(sch->qstats.requeues != gate->requeues))
		return liquid_dequeue_slow(sch);
	if (gate->pass.skb)
		return gate->pass.all ? liquid_dequeue_open(sch) : liquid_dequeue_in_frame(sch);
	if (gate->qlen)
		return liquid_dequeue_slow(sch);
	gate->run.txq = -1;
	return NULL;
}
