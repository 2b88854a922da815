// SPDX-License-Identifier: GPL-2.0-only
/* What all switching modes share: TX queues of ports, requests for links, the order of events */
#include <linux/math64.h>
#include <linux/string.h>

#include "model.h"

#define NSEC_BITS	8000000000ULL	/* ns a second, times bits a byte */

/* The time of @bytes on a lane, ns. At most 2^30 bytes: so the product fits into 64 bits. */
u64 lfab_wire_ns(const struct lfab_model *model, u64 bytes)
{
	return div64_u64(bytes * NSEC_BITS + model->rate_bps - 1, model->rate_bps);
}

void lfab_schedule(struct lfab_model *model, struct lfab_event *event, u64 time,
		   enum lfab_kind kind, u32 who)
{
	event->time = time;
	event->kind = kind;
	event->who = who;
	event->phase = LFAB_ENDS;
	if (kind == LFAB_ASK)
		event->phase = LFAB_ASKS;
	if (kind == LFAB_SERVE)
		event->phase = LFAB_GRANTS;
	lfab_event_add(&model->heap, event);
}

void lfab_start_worm(struct lfab_worm *worm, const u32 *path, u32 port, u32 bytes)
{
	worm->links = path[0];
	worm->link = path + 1;
	worm->port = port;
	worm->bytes = bytes;
	worm->hop = 0;
	worm->lanes = 0;
	worm->waits = false;
	worm->dropped = false;
	worm->lost = false;
}

/* --- the end of a packet --- */

void lfab_leave_ring(struct lfab_model *model, struct lfab_packet *packet)
{
	if (packet->sent)
		return;
	packet->sent = true;
	model->ops->sent(model, packet);
}

static void lfab_forget_packet(struct lfab_model *model, struct lfab_packet *packet)
{
	list_del(&packet->all);
	model->in_flight--;
}

void lfab_deliver(struct lfab_model *model, struct lfab_packet *packet, u64 time)
{
	lfab_forget_packet(model, packet);
	model->ops->deliver(model, packet, time);
}

void lfab_drop(struct lfab_model *model, struct lfab_packet *packet, enum lfab_reason reason)
{
	lfab_leave_ring(model, packet);
	lfab_forget_packet(model, packet);
	model->ops->drop(model, packet, reason);
}

/* --- a port's TX queues --- */

/* Choose the next TX queue, after the last one, that has packets. */
static bool lfab_port_turn(const struct lfab_model *model, struct lfab_port *port)
{
	u32 i, queue = port->turn;

	for (i = 0; i < model->queues; i++) {
		if (++queue >= model->queues)
			queue = 0;
		if (list_empty(&port->queue[queue]))
			continue;
		port->turn = queue;
		return true;
	}
	return false;
}

/* An idle port with packets asks for its injection link. */
static void lfab_port_begin(struct lfab_model *model, u32 number, u64 time)
{
	struct lfab_port *port = &model->port[number];
	struct lfab_packet *first;
	struct lfab_worm *worm;
	const u32 *path;

	if (port->busy || !lfab_port_turn(model, port))
		return;
	first = list_first_entry(&port->queue[port->turn], struct lfab_packet, node);
	if (model->switching == LFAB_WORMHOLE) {
		worm = &port->worm;
		path = memcpy(port->path, first->path, lfab_path_bytes(first->path));
	} else {
		port->packet = first;
		worm = &first->worm;
		path = first->path;
	}
	lfab_start_worm(worm, path, number, first->wire);
	port->busy = true;
	lfab_schedule(model, &worm->event, time, LFAB_ASK, number);
}

void lfab_port_done(struct lfab_model *model, u32 port, u64 time)
{
	model->port[port].busy = false;
	model->port[port].packet = NULL;
	lfab_port_begin(model, port, time);
}

/* --- links --- */

void lfab_serve_soon(struct lfab_model *model, u32 link, u64 time)
{
	struct lfab_event *serve = &model->link[link].serve;

	if (!serve->queued && !list_empty(&model->link[link].requests))
		lfab_schedule(model, serve, time, LFAB_SERVE, link);
}

void lfab_release_lane(struct lfab_model *model, struct lfab_lane *lane, u64 time)
{
	lane->worm = NULL;
	list_add(&lane->free, &model->link[lane->link].free);
	lfab_serve_soon(model, lane->link, time);
}

static void lfab_grant(struct lfab_model *model, struct lfab_worm *worm, u64 time)
{
	struct lfab_link *link = lfab_next_link(model, worm);
	struct lfab_lane *lane = list_first_entry(&link->free, struct lfab_lane, free);

	list_del(&lane->free);
	lane->worm = worm;
	lane->start = time;
	lane->hop = worm->hop;
	if (worm->packet)
		lfab_packet_granted(model, worm, lane, time);
	else
		lfab_worm_granted(model, worm, lane, time);
}

static bool lfab_grantable(const struct lfab_model *model, const struct lfab_link *link,
			   const struct lfab_worm *worm)
{
	return !list_empty(&link->free) && lfab_buffer_has_room(model, link, worm);
}

void lfab_stop_waiting(struct lfab_model *model, struct lfab_worm *worm, u64 time)
{
	u64 waited = time - worm->since;
	u32 i;

	worm->waits = false;
	list_del(&worm->request);
	if (!worm->packet || !worm->hop)
		model->port[worm->port].hol_ns += waited;
	if (worm->packet)
		return;
	for (i = 0; i < worm->hop; i++)
		model->link[worm->link[i]].blocked_ns += waited;
}

/* Withdraw the request. A smaller one queued behind it may now fit. */
void lfab_forget_request(struct lfab_model *model, struct lfab_worm *worm, u64 time)
{
	lfab_event_del(&model->heap, &worm->event);
	if (!worm->waits)
		return;
	lfab_stop_waiting(model, worm, time);
	lfab_serve_soon(model, worm->link[worm->hop], time);
}

static void lfab_break_deadlock(struct lfab_model *model, struct lfab_worm *worm, u64 time)
{
	model->deadlocks++;
	lfab_next_link(model, worm)->drops++;
	if (worm->packet)
		lfab_packet_drop(model, worm, LFAB_DROP_DEADLOCK, time);
	else
		lfab_worm_drop(model, worm, time);
}

/* The next link is down. */
static void lfab_refuse(struct lfab_model *model, struct lfab_worm *worm, u64 time)
{
	lfab_next_link(model, worm)->drops++;
	if (worm->packet)
		lfab_packet_drop(model, worm, LFAB_DROP_LINK_DOWN, time);
	else
		lfab_worm_cut(model, worm, time);
}

static void lfab_ask(struct lfab_model *model, struct lfab_worm *worm, u64 time)
{
	struct lfab_link *link = lfab_next_link(model, worm);

	if (model->switching == LFAB_PACKET && !lfab_enqueue(model, worm))
		return;
	if (link->down) {
		lfab_refuse(model, worm, time);
		return;
	}
	if (list_empty(&link->requests) && lfab_grantable(model, link, worm)) {
		lfab_grant(model, worm, time);
		return;
	}
	worm->waits = true;
	worm->since = time;
	link->waits++;
	list_add_tail(&worm->request, &link->requests);
	if (lfab_deadlocked(model, link))
		lfab_break_deadlock(model, worm, time);
}

/*
 * A lane, room or a request was given back: grant requests in order, as far as possible. Of a link
 * that is down they are refused, one in each event: the next one follows, since a request was
 * given back.
 */
static void lfab_serve(struct lfab_model *model, struct lfab_link *link, u64 time)
{
	struct lfab_worm *worm;

	while (!list_empty(&link->requests)) {
		worm = list_first_entry(&link->requests, struct lfab_worm, request);
		if (link->down) {
			lfab_refuse(model, worm, time);
			return;
		}
		if (!lfab_grantable(model, link, worm)) {
			if (lfab_deadlocked(model, link))
				lfab_break_deadlock(model, worm, time);
			return;
		}
		lfab_stop_waiting(model, worm, time);
		lfab_grant(model, worm, time);
	}
}

/* --- what the owner calls --- */

void lfab_model_init(struct lfab_model *model, struct list_head *queues, struct lfab_lane *lanes)
{
	u32 i, j;

	INIT_LIST_HEAD(&model->packets);
	for (i = 0; i < model->ports; i++) {
		model->port[i].queue = queues;
		model->port[i].turn = model->queues - 1;
		for (j = 0; j < model->queues; j++)
			INIT_LIST_HEAD(queues++);
	}
	for (i = 0; i < model->links; i++) {
		struct lfab_link *link = &model->link[i];

		INIT_LIST_HEAD(&link->requests);
		INIT_LIST_HEAD(&link->free);
		INIT_LIST_HEAD(&link->stored);
		link->lane = lanes;
		for (j = 0; j < link->capacity; j++, lanes++) {
			lanes->link = i;
			if (!j || model->switching == LFAB_WORMHOLE)
				list_add_tail(&lanes->free, &link->free);
		}
	}
}

static void lfab_happen(struct lfab_model *model, struct lfab_event *event)
{
	struct lfab_worm *worm = container_of(event, struct lfab_worm, event);
	u64 time = event->time;

	switch (event->kind) {
	case LFAB_THROUGH:
		lfab_worm_through(model, worm, time);
		break;
	case LFAB_RELEASE:
		lfab_worm_release(model, worm, time);
		break;
	case LFAB_DELIVER:
		lfab_worm_deliver(model, container_of(worm, struct lfab_packet, worm), time);
		break;
	case LFAB_LANE:
		lfab_lane_end(model, container_of(event, struct lfab_lane, end), time);
		break;
	case LFAB_SERVE:
		lfab_serve(model, container_of(event, struct lfab_link, serve), time);
		break;
	case LFAB_ASK:
		lfab_ask(model, worm, time);
		break;
	}
}

u64 lfab_model_run(struct lfab_model *model, u64 now, u32 budget)
{
	model->work = 0;
	while (model->heap.root && model->heap.root->time <= now) {
		if (model->work++ >= budget)
			return model->heap.root->time;
		lfab_happen(model, lfab_event_pop(&model->heap));
	}
	return now;
}

bool lfab_model_next(const struct lfab_model *model, u64 *time)
{
	if (!model->heap.root)
		return false;
	*time = model->heap.root->time;
	return true;
}

void lfab_model_send(struct lfab_model *model, struct lfab_packet *packet, u64 now)
{
	packet->sent = false;
	packet->worm.packet = packet;
	packet->worm.event.queued = false;
	list_add_tail(&packet->all, &model->packets);
	model->in_flight++;
	list_add_tail(&packet->node, &model->port[packet->src].queue[packet->queue]);
	lfab_port_begin(model, packet->src, now);
}

static void lfab_drop_queues(struct lfab_model *model, struct lfab_port *port,
			     enum lfab_reason reason)
{
	struct lfab_packet *packet, *next;
	u32 queue;

	for (queue = 0; queue < model->queues; queue++) {
		list_for_each_entry_safe(packet, next, &port->queue[queue], node) {
			list_del(&packet->node);
			lfab_drop(model, packet, reason);
		}
	}
}

void lfab_model_down(struct lfab_model *model, u32 number, u64 now)
{
	struct lfab_port *port = &model->port[number];

	if (port->busy && port->packet)
		lfab_packet_abort(model, port->packet, now);
	else if (port->busy)
		lfab_worm_abort(model, &port->worm, now);
	lfab_drop_queues(model, port, LFAB_DROP_DOWN);
}

void lfab_model_link(struct lfab_model *model, u32 number, bool down, u64 now)
{
	struct lfab_link *link = &model->link[number];

	if (link->down == down)
		return;
	link->down = down;
	if (down)
		lfab_serve_soon(model, number, now);
	else
		link->up_since = now;
}

void lfab_model_purge(struct lfab_model *model)
{
	struct lfab_packet *packet, *next;

	model->heap.root = NULL;
	list_for_each_entry_safe(packet, next, &model->packets, all)
		lfab_drop(model, packet, LFAB_DROP_DOWN);
}
