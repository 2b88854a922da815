// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cut-through: the buffers at a link's far end, one for each virtual lane
 *
 * A buffer has one queue, or with virtual output queues one for each link out of its switch. Only
 * the first packet of a queue asks for its next link. A FIFO is read by one packet at a time; one
 * with speedup, and virtual output queues, by one for each link out.
 */
#include <stdlib.h>

#include "simulate/packet.h"

/* ---- queues ---- */

/* Number the links out of each switch. @degree: by switch, all 0 */
static void number_links(const struct sim *sim, uint32_t *degree)
{
	uint32_t hosts = liquid_fabric_host_count(sim->fabric);

	for (uint32_t l = 0; l < sim->packets->links; l++) {
		uint32_t from = liquid_fabric_link(sim->fabric, l)->from;

		if (from >= hosts)
			sim->packets->link[l].number = degree[from - hosts]++;
	}
}

/* Give each link that ends at a switch its queues. @degree: by switch; or NULL, without VOQ */
static uint64_t place_queues(const struct sim *sim, const uint32_t *degree)
{
	uint32_t hosts = liquid_fabric_host_count(sim->fabric);
	uint64_t queues = 0;

	for (uint32_t l = 0; l < sim->packets->links; l++) {
		struct packet_link *link = &sim->packets->link[l];

		if (!link->to_switch)
			continue;
		link->queues = degree ? degree[liquid_fabric_link(sim->fabric, l)->to - hosts] : 1;
		link->queue = (uint32_t)queues;
		queues += (uint64_t)link->queues * sim->packets->vls;
	}
	return queues;
}

int cut_open(struct sim *sim, struct liquid_error *err)
{
	struct sim_packets *packets = sim->packets;
	bool voq = sim->options.queues == LIQUID_SIM_VOQ;
	uint32_t *degree = calloc((size_t)liquid_fabric_switch_count(sim->fabric) + 1,
				  sizeof(*degree));
	uint64_t queues = 0;

	if (degree && voq)
		number_links(sim, degree);
	if (degree)
		queues = place_queues(sim, voq ? degree : NULL);
	free(degree);
	if (!degree || queues >= LIQUID_NONE)
		return liquid_no_memory(err);
	packets->queues = (uint32_t)queues;
	packets->queue = malloc((queues + 1) * sizeof(*packets->queue));
	packets->stack = calloc((size_t)packets->links * packets->vls + 1, sizeof(*packets->stack));
	if (!packets->queue || !packets->stack)
		return liquid_no_memory(err);
	for (uint64_t q = 0; q < queues; q++)
		packets->queue[q] = (struct packet_queue){ LIQUID_NONE, LIQUID_NONE };
	return LIQUID_OK;
}

/* The queue for @next in the buffer behind @l */
static struct packet_queue *queue_of(const struct sim *sim, uint32_t l, uint32_t vl, uint32_t next)
{
	const struct packet_link *link = &sim->packets->link[l];

	return &sim->packets->queue[link->queue + vl * link->queues +
				    sim->packets->link[next].number];
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * The queue's first packet asks for its next link as soon as its header is there, and the buffer
 * can be read. On a faster link it would be through before its tail has come: then it asks so much
 * later.
 */
static void first_asks(struct sim *sim, const struct packet_queue *queue, uint32_t l)
{
	const struct packet *packet = &sim->packets->packet[queue->first];
	uint64_t there, comes, goes;

	if (queue->first == LIQUID_NONE)
		return;
	comes = packet_ns(sim, packet, l);
	goes = packet_ns(sim, packet, packet->link);
	there = packet->start + sim->options.hop_ns + (comes > goes ? comes - goes : 0);
	there = later(there, packet_vl(sim->packets, l, packet->vl)->read_until);
	packet_ask_at(sim, queue->first, later(there, sim->now));
}

static void enter(struct sim *sim, uint32_t p, uint32_t l)
{
	struct packet *packet = &sim->packets->packet[p];
	struct packet_queue *queue = queue_of(sim, l, packet->vl, packet->link);

	packet_vl(sim->packets, l, packet->vl)->used += packet->wire;
	packet->stored_behind = LIQUID_NONE;
	if (queue->first == LIQUID_NONE) {
		queue->first = queue->last = p;
		first_asks(sim, queue, l);
	} else {
		sim->packets->packet[queue->last].stored_behind = p;
		queue->last = p;
	}
}

/* @p, which has asked for @next, leaves the buffer behind @l: it is the first of its queue. */
static void leave(struct sim *sim, uint32_t p, uint32_t l, uint32_t next)
{
	const struct packet *packet = &sim->packets->packet[p];
	struct packet_queue *queue = queue_of(sim, l, packet->vl, next);

	queue->first = packet->stored_behind;
	first_asks(sim, queue, l);
}

/* ---- room ---- */

bool cut_has_room(const struct sim *sim, const struct packet *packet)
{
	return !sim->packets->cut_through || !sim->packets->link[packet->link].to_switch ||
		packet_vl(sim->packets, packet->link, packet->vl)->used + packet->wire <=
		sim->options.buffer_bytes;
}

void cut_started(struct sim *sim, uint32_t p, uint32_t l)
{
	const struct packet *packet = &sim->packets->packet[p];

	if (packet->before != LIQUID_NONE) {
		struct packet_vl *vl = packet_vl(sim->packets, packet->before, packet->vl);

		vl->leaving++;
		if (sim->options.queues == LIQUID_SIM_FIFO)
			vl->read_until = sim->now + packet_ns(sim, packet, l);
		leave(sim, p, packet->before, l);
	}
	if (sim->packets->link[l].to_switch)
		enter(sim, p, l);
}

void cut_left(struct sim *sim, uint32_t p, uint32_t before)
{
	const struct packet *packet = &sim->packets->packet[p];
	struct packet_vl *vl = packet_vl(sim->packets, before, packet->vl);

	vl->leaving--;
	vl->used -= packet->wire;
	packet_serve_soon(sim, before);
}

void cut_forget(struct sim *sim, uint32_t p, uint32_t before)
{
	const struct packet *packet = &sim->packets->packet[p];

	leave(sim, p, before, packet->link);
	packet_vl(sim->packets, before, packet->vl)->used -= packet->wire;
	packet_serve_soon(sim, before);
}

/* ---- deadlocks ---- */

/* Room in the buffer behind @l may become free by itself: the search ends here. */
static bool goes_on(const struct sim *sim, uint32_t l, const struct packet_vl *vl)
{
	return vl->first == LIQUID_NONE || sim->packets->link[l].busy || vl->leaving ||
		cut_has_room(sim, &sim->packets->packet[vl->first]);
}

/* Put what the first packets of a buffer's queues wait for on the stack. False: one goes on. */
static bool push_waits(struct sim *sim, uint32_t at, uint32_t *depth)
{
	struct sim_packets *packets = sim->packets;
	const struct packet_link *link = &packets->link[at / packets->vls];
	const struct packet_queue *queue = &packets->queue[link->queue +
							   at % packets->vls * link->queues];
	bool empty = true;

	for (uint32_t i = 0; i < link->queues; i++) {
		const struct packet *packet = &packets->packet[queue[i].first];
		struct packet_vl *vl;

		if (queue[i].first == LIQUID_NONE)
			continue;
		empty = false;
		if (!packet->waits)
			return false;
		vl = packet_vl(packets, packet->link, packet->vl);
		if (vl->visit == packets->visit)
			continue;
		if (goes_on(sim, packet->link, vl))
			return false;
		vl->visit = packets->visit;
		packets->stack[(*depth)++] = (uint32_t)(vl - packets->vl);
	}
	return !empty;
}

/*
 * A busy link always becomes free. Room becomes free when the first packet of any queue of the
 * buffer starts on its next link. So it is a deadlock if all that is found by following the first
 * packets waits for room.
 */
bool cut_is_deadlock(struct sim *sim, uint32_t l, uint32_t vl)
{
	struct sim_packets *packets = sim->packets;
	struct packet_vl *from = packet_vl(packets, l, vl);
	uint32_t depth = 0;

	if (goes_on(sim, l, from))
		return false;
	from->visit = ++packets->visit;
	packets->stack[depth++] = (uint32_t)(from - packets->vl);
	while (depth)
		if (!push_waits(sim, packets->stack[--depth], &depth))
			return false;
	return true;
}
