// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cut-through and packet switching: a packet holds a link as long as its own bytes take
 *
 * Cut-through: the room at a link's far end is taken when the packet starts on the link,
 * and given back when its last byte has left on the next one. Packet: the room at a
 * link's near end is taken when the packet asks and given back when it has left.
 *
 * The model knows links, but no switches. So a virtual output queue exists while it has packets,
 * and is found by the next link of its first one: a buffer has no more of them than its switch has
 * links out.
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "model.h"

bool lfab_buffer_has_room(const struct lfab_model *model, const struct lfab_link *link,
			  const struct lfab_worm *worm)
{
	return model->switching != LFAB_CUT_THROUGH || !link->to_switch ||
	       link->used + worm->bytes <= model->buffer_bytes;
}

/*
 * ns of the packet on @link, whose rate is that of all its lanes together: rounded down, but at
 * least 1, so that c packets on a link of capacity c take no longer than one at the unit rate.
 */
static u64 lfab_packet_ns(const struct lfab_model *model, const struct lfab_worm *worm, u32 link)
{
	u64 ns = div64_u64(lfab_wire_ns(model, worm->bytes), model->link[link].capacity);

	return ns ? ns : 1;
}

/*
 * The first packet of its queue asks for its next link, once its header has arrived and the buffer
 * can be read; later, if that link is faster: the last byte must be there when its turn comes.
 */
static void lfab_first_asks(struct lfab_model *model, struct lfab_worm *first, u64 time)
{
	u32 before = first->link[first->hop - 1];
	u64 comes = lfab_packet_ns(model, first, before);
	u64 goes = lfab_packet_ns(model, first, first->link[first->hop]);
	u64 there = first->start + model->hop_ns + (comes > goes ? comes - goes : 0);

	there = max(there, model->link[before].read_until);
	lfab_schedule(model, &first->event, max(time, there), LFAB_ASK, first->port);
}

/* The first packet of the queue for @next in the buffer behind @link; NULL: it is empty. */
static struct lfab_worm *lfab_queue_first(struct lfab_model *model, struct lfab_link *link,
					  const struct lfab_link *next)
{
	struct lfab_worm *first;

	if (!model->voq)
		return list_first_entry_or_null(&link->stored, struct lfab_worm, stored);
	list_for_each_entry(first, &link->stored, stored) {
		model->work++;
		if (lfab_next_link(model, first) == next)
			return first;
	}
	return NULL;
}

/* The first packet leaves its queue, and the one behind it asks. */
static void lfab_queue_leave(struct lfab_model *model, struct lfab_worm *first, u64 time)
{
	struct lfab_worm *next = list_first_entry_or_null(&first->behind, struct lfab_worm, stored);

	if (!next) {
		list_del(&first->stored);
		return;
	}
	list_del(&next->stored);
	INIT_LIST_HEAD(&next->behind);
	list_splice(&first->behind, &next->behind);
	list_replace(&first->stored, &next->stored);
	lfab_first_asks(model, next, time);
}

/* The link before hop @hop of @worm; not for the first hop */
static u32 lfab_link_before(const struct lfab_worm *worm, u32 hop)
{
	return worm->link[hop - 1];
}

/* It has started on the next link, so it is no longer the first packet of its queue. */
static void lfab_cut_leave(struct lfab_model *model, struct lfab_worm *worm, u64 time)
{
	struct lfab_link *before = &model->link[lfab_link_before(worm, worm->hop)];

	before->leaving++;
	if (model->fifo)
		before->read_until = time + lfab_packet_ns(model, worm, worm->link[worm->hop]);
	lfab_queue_leave(model, worm, time);
}

static void lfab_cut_enter(struct lfab_model *model, struct lfab_worm *worm,
			   struct lfab_link *link, u64 time)
{
	struct lfab_worm *first = lfab_queue_first(model, link, lfab_next_link(model, worm));

	link->used += worm->bytes;
	if (first) {
		list_add_tail(&worm->stored, &first->behind);
		return;
	}
	INIT_LIST_HEAD(&worm->behind);
	list_add_tail(&worm->stored, &link->stored);
	lfab_first_asks(model, worm, time);
}

void lfab_packet_granted(struct lfab_model *model, struct lfab_worm *worm,
			 struct lfab_lane *lane, u64 time)
{
	struct lfab_link *link = &model->link[lane->link];

	if (!worm->hop)
		list_del(&worm->packet->node);
	else if (model->switching == LFAB_CUT_THROUGH)
		lfab_cut_leave(model, worm, time);
	worm->hop++;
	worm->lanes++;
	worm->start = time;
	lfab_schedule(model, &lane->end, time + lfab_packet_ns(model, worm, lane->link),
		      LFAB_LANE, worm->port);
	if (model->switching == LFAB_CUT_THROUGH && link->to_switch)
		lfab_cut_enter(model, worm, link, time);
}

/* Packet switching: take room at the near end of the next link, or drop the packet. */
bool lfab_enqueue(struct lfab_model *model, struct lfab_worm *worm)
{
	struct lfab_link *link = lfab_next_link(model, worm);

	if (!worm->hop)
		return true;
	if (link->used + worm->bytes > model->buffer_bytes) {
		link->drops++;
		lfab_drop(model, worm->packet, LFAB_DROP_FULL);
		return false;
	}
	link->used += worm->bytes;
	return true;
}

/* Give back the room that the packet had before its hop @hop. */
static void lfab_give_room(struct lfab_model *model, struct lfab_worm *worm, u32 hop, u64 time)
{
	u32 before = lfab_link_before(worm, hop);

	if (model->switching == LFAB_PACKET) {
		model->link[worm->link[hop]].used -= worm->bytes;
		return;
	}
	model->link[before].used -= worm->bytes;
	lfab_serve_soon(model, before, time);
}

static void lfab_left_port(struct lfab_model *model, struct lfab_worm *worm, u64 time)
{
	struct lfab_port *port = &model->port[worm->port];

	port->sent_packets++;
	port->sent_bytes += worm->bytes - model->overhead;
	lfab_leave_ring(model, worm->packet);
	lfab_port_done(model, worm->port, time);
}

/*
 * The last byte of a packet has left on hop @hop: drop it, deliver it, or go on. With cut-through
 * the head of one that is lost may be far ahead, so it goes on to the receiver, who discards it.
 */
static void lfab_packet_left(struct lfab_model *model, struct lfab_worm *worm, u32 hop, u64 time)
{
	if (worm->dropped) {
		if (!worm->lanes)
			lfab_drop(model, worm->packet, worm->reason);
	} else if (worm->lost && (hop == worm->links - 1 || model->switching == LFAB_PACKET)) {
		lfab_drop(model, worm->packet, LFAB_DROP_LINK_DOWN);
	} else if (hop == worm->links - 1) {
		lfab_deliver(model, worm->packet, time);
	} else if (model->switching == LFAB_PACKET) {
		lfab_schedule(model, &worm->event, time + model->hop_ns, LFAB_ASK, worm->port);
	}
}

void lfab_lane_end(struct lfab_model *model, struct lfab_lane *lane, u64 time)
{
	struct lfab_link *link = &model->link[lane->link];
	struct lfab_worm *worm = lane->worm;
	u32 hop = lane->hop;

	link->bytes += worm->bytes;
	link->busy_ns += time - lane->start;
	if (!worm->lost && !worm->dropped && lfab_was_down(link, lane->start)) {
		link->drops++;
		worm->lost = true;
	}
	worm->lanes--;
	lfab_release_lane(model, lane, time);
	if (hop) {
		if (model->switching == LFAB_CUT_THROUGH)
			model->link[lfab_link_before(worm, hop)].leaving--;
		lfab_give_room(model, worm, hop, time);
	} else {
		lfab_left_port(model, worm, time);
	}
	lfab_packet_left(model, worm, hop, time);
}

/* Who asks is dropped. Its tail may still be on lanes, which stay held until it has left. */
void lfab_packet_drop(struct lfab_model *model, struct lfab_worm *worm, enum lfab_reason reason,
		      u64 time)
{
	struct lfab_packet *packet = worm->packet;

	lfab_forget_request(model, worm, time);
	if (!worm->hop) {
		list_del(&packet->node);
		lfab_drop(model, packet, reason);
		lfab_port_done(model, worm->port, time);
		return;
	}
	if (model->switching == LFAB_CUT_THROUGH)
		lfab_queue_leave(model, worm, time);
	lfab_give_room(model, worm, worm->hop, time);
	worm->dropped = true;
	worm->reason = reason;
	if (!worm->lanes)
		lfab_drop(model, packet, reason);
}

/* Its port goes down: a packet that has started goes on, but no longer counts in the ring. */
void lfab_packet_abort(struct lfab_model *model, struct lfab_packet *packet, u64 time)
{
	if (packet->worm.hop) {
		lfab_leave_ring(model, packet);
		return;
	}
	lfab_forget_request(model, &packet->worm, time);
	model->port[packet->src].busy = false;
	model->port[packet->src].packet = NULL;
}
