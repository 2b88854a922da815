// SPDX-License-Identifier: GPL-2.0-only
/*
 * The short path: a packet that finds the gate empty and may leave at once
 *
 * Such a packet passes. Enqueue stashes it (pass.skb) without putting it into a queue, and dequeue
 * releases it by a decision cached from the previous packet. Invariants:
 *
 * 1. At most one packet is stashed, and only while all queues are empty. It is counted in
 *    sch->q.qlen, but in no length or backlog of the gate.
 *
 * 2. A packet passes only if the slow path (qdisc.c) would put it into the queue of pass.dest and
 *    release it from there at once. Without a schedule (pass.all), packets to every destination
 *    pass. In a frame, packets to the address pass.addr pass if their transmission ends before
 *    pass.limit. In doubt, the slow path decides.
 *
 * 3. Whatever might change the decision clears it by liquid_pass_stop(): liquid_lock_flush() for
 *    configuration, liquid_dequeue_slow() before anything else, and liquid_gate_purge(). The slow
 *    path caches a new decision when it releases a packet (liquid_pass_start(),
 *    liquid_pass_start_open()). In a frame the decision expires after 1 ms, because a step of the
 *    clock is only noticed by reading the clock.
 *
 * 4. The slow path first puts the stashed packet into its queue, ahead of all later packets
 *    (liquid_flush_passing()).
 *
 * liquid_enqueue() and liquid_dequeue() are kept so small that they save no registers. Rarer cases
 * are in separate functions for that reason.
 */
#include "packets/handover.h"
#include "packets/packet.h"
#include "packets/pass.h"
#include "packets/ports.h"
#include "packets/qdisc.h"
#include "packets/queue.h"
#include "trace.h"
#include "packets/usual.h"

#define LIQUID_PASS_LEN		65536	/* bytes of the largest packet that may pass */
#define LIQUID_ADDR_NONE	U64_MAX	/* no address of IPv4 */
#define LIQUID_PORT_NONE	U32_MAX

/* --- which packets may pass --- */

/* No packet of @proto to @port is a control packet, neither by a known port nor by a rule. */
bool liquid_usual_port(const struct liquid_gate *gate, u8 proto, u16 port)
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

/* The selector matches a usual packet; same result as liquid_selected(). */
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
	case LIQUID_SELECT_RULE:	/* ports are at the same place in UDP and TCP */
		return rule->l4proto == usual->ip.protocol &&
		       (!rule->port_max || liquid_port_matches(rule, usual->udp.dest) ||
			liquid_port_matches(rule, usual->udp.source));
	default:
		return false;
	}
}

/* The control bypass has a rule with this ethertype or this protocol. */
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
 * Derive from the options which packets may pass. A packet must fit the limits of an empty gate,
 * and neither marks nor a rule for all IPv4 may decide about it. A selector needs the closer check.
 * Rules with ports are checked once per port, see liquid_usual_port(). Rules that cannot match a
 * usual packet do not matter.
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

/* --- start and stop of passing --- */

void liquid_pass_init(struct liquid_gate *gate)
{
	gate->pass.addr = LIQUID_ADDR_NONE;
	gate->pass.port = LIQUID_PORT_NONE;
}

/*
 * Put the stashed packet, if any, into its queue. All queues are empty. Its waiting time starts
 * now: until now it has waited for the core, not for the gate.
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
	liquid_skb_cb(skb)->queued = now;
	liquid_queue_add(gate, queue, skb);
	gate->last = queue;
	gate->wait.wake = 0;
}

/* No packet may pass until the slow path has released one. */
void liquid_pass_stop(struct liquid_gate *gate, s64 now)
{
	liquid_flush_passing(gate, now);
	gate->pass.all = false;
	gate->pass.addr = LIQUID_ADDR_NONE;
}

/*
 * The slow path releases @skb in its frame. Packets to the same address may pass until the frame
 * ends or the clock must be read again.
 */
void liquid_pass_start(struct liquid_gate *gate, const struct sk_buff *skb, s64 now)
{
	if (gate->link.launch || !liquid_is_usual(gate, skb, true) ||
	    liquid_usual_dest(gate, skb) != gate->frame.dest)
		return;
	gate->pass.dest = gate->frame.dest;
	gate->pass.addr = liquid_usual_addr(skb);
	gate->pass.limit = min(gate->handover.near, gate->frame.checked_until);
}

/* --- enqueue --- */

/* The usual packet @skb may pass; its destination is then in pass.dest. */
static __always_inline bool liquid_may_pass(struct liquid_gate *gate, const struct sk_buff *skb)
{
	if (liquid_usual_addr(skb) == gate->pass.addr)
		return true;
	if (!gate->pass.all)
		return false;
	gate->pass.dest = liquid_usual_dest(gate, skb);
	return gate->pass.dest;
}

/* Stash @skb until the core calls dequeue. */
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
 * Packets that pass after a closer check: a port other than the previous packet's, or a match of
 * the selector. A separate function, so that other packets do not pay for it.
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

/* A separate function, so that the path without tracing saves no registers */
static noinline struct sk_buff *liquid_release_traced(struct Qdisc *sch, struct sk_buff *skb)
{
	struct liquid_gate *gate = qdisc_priv(sch);

	trace_liquid_dequeue(sch, skb, gate->pass.dest->queue.id, gate->link.vfinish);
	return skb;
}

/* Release the stashed packet. */
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
	if (trace_liquid_dequeue_enabled())
		return liquid_release_traced(sch, skb);
	return skb;
}

/* Release the stashed packet without a schedule: wire time does not matter. */
static noinline struct sk_buff *liquid_dequeue_open(struct Qdisc *sch)
{
	struct liquid_gate *gate = qdisc_priv(sch);
	struct sk_buff *skb = gate->pass.skb;

	if (unlikely(liquid_txq_is_stopped(sch, skb)))
		return liquid_dequeue_slow(sch);
	return liquid_release_passing(sch, skb, qdisc_pkt_len(skb), liquid_segments(skb));
}

/* Wire time of a packet of @len bytes. Most packets are as long as the previous one. */
static __always_inline u64 liquid_pass_ns(struct liquid_gate *gate, u32 len)
{
	if (unlikely(len != gate->pass.size)) {
		gate->pass.size = len;
		gate->pass.ns = liquid_cost_ns(&gate->link.cost, len);
	}
	return gate->pass.ns;
}

/* Release the stashed packet in a frame: it must fit, and its wire time is charged. */
static noinline struct sk_buff *liquid_dequeue_in_frame(struct Qdisc *sch)
{
	struct liquid_gate *gate = qdisc_priv(sch);
	s64 now = ktime_get_ns(), last = liquid_wire_end(gate);
	struct sk_buff *skb = gate->pass.skb;
	u32 len = skb->len;
	u64 ns;

	if (unlikely(liquid_txq_is_stopped(sch, skb) || skb_is_gso(skb) ||
		     skb_vlan_tag_present(skb) || last > now + gate->link.ahead))
		return liquid_dequeue_slow(sch);
	ns = liquid_pass_ns(gate, len);
	if (unlikely(!liquid_reserve(gate, last, now, ns, gate->pass.limit)))
		return liquid_dequeue_slow(sch);
	gate->run.ns = ns;
	return liquid_release_passing(sch, skb, len, 1);
}

/* The core has requeued packets or reset the gate, or a run is being measured. */
static noinline struct sk_buff *liquid_dequeue_rare(struct Qdisc *sch)
{
	struct liquid_gate *gate = qdisc_priv(sch);

	if (unlikely(gate->kept_qlen))
		liquid_count_kept(gate);
	liquid_handover_look(gate);
	if (sch->qstats.requeues != gate->requeues || gate->pass.skb || gate->qlen)
		return liquid_dequeue_slow(sch);
	gate->run.txq = -1;
	return NULL;
}

/* The core calls this two or three times a packet, mostly for nothing: only branch here. */
struct sk_buff *liquid_dequeue(struct Qdisc *sch)
{
	struct liquid_gate *gate = qdisc_priv(sch);

	liquid_assert_root_lock(gate);
	if (unlikely(sch->qstats.requeues != gate->usual))
		return liquid_dequeue_rare(sch);
	if (gate->pass.skb)
		return gate->pass.all ? liquid_dequeue_open(sch) : liquid_dequeue_in_frame(sch);
	if (gate->qlen)
		return liquid_dequeue_slow(sch);
	gate->run.txq = -1;
	return NULL;
}
