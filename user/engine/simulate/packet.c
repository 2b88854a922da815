// SPDX-License-Identifier: LGPL-2.1-or-later
/* Packets in a fabric: requests for links, grants, ends; queues that drop at the tail */
#include <stdlib.h>

#include "simulate/packet.h"

/* ---- the pool of packets ---- */

static uint32_t new_packet(struct sim_packets *packets)
{
	uint32_t p = packets->unused, room;
	struct packet *larger;

	if (p != LIQUID_NONE) {
		packets->unused = packets->packet[p].behind;
		return p;
	}
	if (packets->count == packets->room) {
		room = packets->room ? 2 * packets->room : 1024;
		larger = room > packets->room && room < LIQUID_NONE / 2 ?
			reallocarray(packets->packet, room, sizeof(*larger)) : NULL;
		if (!larger)
			return LIQUID_NONE;
		packets->packet = larger;
		packets->room = room;
	}
	return packets->count++;
}

static void free_packet(struct sim_packets *packets, uint32_t p)
{
	packets->packet[p].behind = packets->unused;
	packets->unused = p;
}

static void close_packets(struct sim *sim)
{
	if (!sim->packets)
		return;
	free(sim->packets->packet);
	free(sim->packets->link);
	free(sim->packets);
	sim->packets = NULL;
}

static int open_packets(struct sim *sim, struct liquid_error *err)
{
	uint32_t links = liquid_fabric_link_count(sim->fabric);
	uint32_t hosts = liquid_fabric_host_count(sim->fabric);
	struct sim_packets *packets = calloc(1, sizeof(*packets));

	sim->packets = packets;
	if (packets)
		packets->link = calloc((size_t)links + 1, sizeof(*packets->link));
	if (!packets || !packets->link)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the links' queues");
	packets->links = links;
	packets->unused = LIQUID_NONE;
	packets->cut_through = sim->options.switching == LIQUID_SIM_CUT_THROUGH;
	for (uint32_t l = 0; l < links; l++) {
		struct packet_link *link = &packets->link[l];

		link->lanes = liquid_fabric_capacity(sim->fabric, l);
		link->first = link->last = link->stored = link->stored_last = LIQUID_NONE;
		link->to_switch = liquid_fabric_link(sim->fabric, l)->to >= hosts;
	}
	return LIQUID_OK;
}

static uint64_t packets_memory(const struct sim *sim)
{
	return sim->packets->room * sizeof(struct packet) +
		sim->packets->links * sizeof(struct packet_link);
}

/* ---- events ---- */

void packet_ask_at(struct sim *sim, uint32_t p, uint64_t time)
{
	struct sim_event event = { .time = time, .kind = SIM_ASK, .a = p };

	event.order = sim_asks(&sim->queue, sim->packets->packet[p].port);
	sim_queue_put(&sim->queue, &event);
}

void packet_serve_soon(struct sim *sim, uint32_t l)
{
	struct packet_link *link = &sim->packets->link[l];
	struct sim_event event = { .time = sim->now, .kind = SIM_SERVE, .a = l };

	if (link->serving || link->first == LIQUID_NONE)
		return;
	link->serving = true;
	event.order = sim_grants(&sim->queue, l);
	sim_queue_put(&sim->queue, &event);
}

static void end_at(struct sim *sim, uint32_t p, uint32_t l, uint32_t before, uint64_t time)
{
	struct sim_event event = { .time = time, .kind = SIM_END, .a = p, .b = l, .c = before };

	event.order = sim_ends(&sim->queue);
	sim_queue_put(&sim->queue, &event);
}

/* ---- loss ---- */

static void lose(struct sim *sim, uint32_t p, enum liquid_sim_drop drop)
{
	const struct packet *packet = &sim->packets->packet[p];
	uint32_t port = packet->port, link = packet->link;
	uint64_t payload = packet->payload;

	free_packet(sim->packets, p);
	sim_dropped(sim, port, drop, link, 1, payload);
}

/* The packet's tail may still be on lanes; it holds them until its last byte is through. */
static void break_deadlock(struct sim *sim, uint32_t p)
{
	struct packet *packet = &sim->packets->packet[p];
	uint32_t port = packet->port;

	sim->result->shown.deadlocks++;
	packet->dropped = true;
	if (packet->before != LIQUID_NONE)
		cut_forget(sim, p, packet->before);
	if (!packet->lanes)
		lose(sim, p, LIQUID_SIM_DEADLOCK);
	if (packet->before == LIQUID_NONE)
		sim_free_port(sim, port);
}

/* ---- requests ---- */

static bool is_grantable(const struct sim *sim, const struct packet_link *link,
			 const struct packet *packet)
{
	return link->lanes && cut_has_room(sim, link, packet);
}

static void grant(struct sim *sim, uint32_t p)
{
	struct packet *packet = &sim->packets->packet[p];
	uint32_t l = packet->link;

	sim->packets->link[l].lanes--;
	packet->links++;
	packet->lanes++;
	packet->start = sim->now;
	end_at(sim, p, l, packet->before, sim->now + sim_serialise(sim, packet->wire));
	if (!sim->packets->link[l].to_switch) {
		if (sim->packets->cut_through)
			cut_started(sim, p, l);
		packet->before = l;
		return;
	}
	packet->link = sim_next_link(sim, l, packet->dst);
	if (sim->packets->cut_through)
		cut_started(sim, p, l);
	packet->before = l;
}

static void put_request(struct sim_packets *packets, uint32_t p)
{
	struct packet *packet = &packets->packet[p];
	struct packet_link *link = &packets->link[packet->link];

	packet->waits = true;
	packet->behind = LIQUID_NONE;
	if (link->first == LIQUID_NONE)
		link->first = p;
	else
		packets->packet[link->last].behind = p;
	link->last = p;
}

static void remove_request(struct sim *sim, uint32_t p)
{
	struct sim_packets *packets = sim->packets;
	struct packet *packet = &packets->packet[p];
	struct packet_link *link = &packets->link[packet->link];
	uint32_t previous = LIQUID_NONE, at = link->first;

	for (; at != p; at = packets->packet[at].behind)
		previous = at;
	if (previous == LIQUID_NONE)
		link->first = packet->behind;
	else
		packets->packet[previous].behind = packet->behind;
	if (link->last == p)
		link->last = previous;
	packet->waits = false;
	sim_waited(sim, packet->port, packet->since, packet->before == LIQUID_NONE);
}

/* A smaller packet behind the dropped one may find room: look at the link again. */
static void drop_request(struct sim *sim, uint32_t p)
{
	uint32_t l = sim->packets->packet[p].link;

	remove_request(sim, p);
	packet_serve_soon(sim, l);
	break_deadlock(sim, p);
}

/* Store and forward: take room in the queue at the near end. The first link has no such queue. */
static bool enter_queue(struct sim *sim, uint32_t p)
{
	const struct packet *packet = &sim->packets->packet[p];
	struct packet_link *link = &sim->packets->link[packet->link];

	if (sim->packets->cut_through || packet->before == LIQUID_NONE)
		return true;
	if (link->used + packet->wire > sim->options.buffer_bytes)
		return false;
	link->used += packet->wire;
	return true;
}

static void ask(struct sim *sim, uint32_t p)
{
	struct packet *packet = &sim->packets->packet[p];
	uint32_t l = packet->link;
	const struct packet_link *link = &sim->packets->link[l];

	if (!enter_queue(sim, p)) {
		lose(sim, p, LIQUID_SIM_TAIL);
		return;
	}
	if (link->first == LIQUID_NONE && is_grantable(sim, link, packet)) {
		grant(sim, p);
		return;
	}
	packet->since = sim->now;
	sim_waits(sim, packet->port, l);
	put_request(sim->packets, p);
	if (sim->packets->cut_through && cut_is_deadlock(sim, l))
		drop_request(sim, p);
}

/* A lane or room became free: grant requests, in the order in which they came. */
static void serve(struct sim *sim, uint32_t l)
{
	struct packet_link *link = &sim->packets->link[l];

	link->serving = false;
	while (link->first != LIQUID_NONE) {
		uint32_t p = link->first;

		if (!is_grantable(sim, link, &sim->packets->packet[p])) {
			if (sim->packets->cut_through && cut_is_deadlock(sim, l))
				drop_request(sim, p);
			return;
		}
		remove_request(sim, p);
		grant(sim, p);
	}
}

/* ---- ends ---- */

static void give_room(struct sim *sim, uint32_t p, uint32_t l, uint32_t before)
{
	if (sim->packets->cut_through)
		cut_left(sim, p, before);
	else
		sim->packets->link[l].used -= sim->packets->packet[p].wire;
}

static void deliver(struct sim *sim, uint32_t p)
{
	const struct packet packet = sim->packets->packet[p];

	free_packet(sim->packets, p);
	sim_delivered(sim, packet.port, packet.dst, 1, packet.payload, packet.links);
}

static void end(struct sim *sim, uint32_t p, uint32_t l, uint32_t before)
{
	struct packet *packet = &sim->packets->packet[p];
	struct packet_link *link = &sim->packets->link[l];
	uint32_t port = packet->port;
	bool first = before == LIQUID_NONE;

	link->lanes++;
	packet->lanes--;
	sim->result->link[l].bytes += packet->wire;
	sim->result->link[l].busy_ns += sim_serialise(sim, packet->wire);
	packet_serve_soon(sim, l);
	if (first)
		sim_ended(sim, port, packet->frame_end);
	else
		give_room(sim, p, l, before);
	if (packet->dropped && !packet->lanes)
		lose(sim, p, LIQUID_SIM_DEADLOCK);
	else if (!packet->dropped && !link->to_switch)
		deliver(sim, p);
	else if (!packet->dropped && !sim->packets->cut_through)
		packet_ask_at(sim, p, sim->now + sim->options.hop_ns);
	if (first)
		sim_free_port(sim, port);
}

static void packet_event(struct sim *sim, const struct sim_event *event)
{
	switch (event->kind) {
	case SIM_ASK:
		ask(sim, event->a);
		break;
	case SIM_SERVE:
		serve(sim, event->a);
		break;
	default:
		end(sim, event->a, event->b, event->c);
	}
}

/* ---- from the sender ---- */

static void inject(struct sim *sim, uint32_t port, const struct sim_unit *unit)
{
	struct sim_packets *packets = sim->packets;
	uint32_t link = liquid_fabric_host_out(sim->fabric, sim->host_of[port]), p;

	sim_host(sim, port)->worms++;
	if (packets->cut_through && packets->link[link].to_switch &&
	    unit->wire > sim->options.buffer_bytes) {
		sim_dropped(sim, port, LIQUID_SIM_TOO_LONG, link, 1, unit->payload);
		sim_free_port(sim, port);
		return;
	}
	p = new_packet(packets);
	if (p == LIQUID_NONE) {
		sim->queue.failed = true;
		return;
	}
	packets->packet[p] = (struct packet){
		.payload = unit->payload, .wire = unit->wire, .frame_end = unit->frame_end,
		.port = port, .dst = unit->dst, .link = link, .before = LIQUID_NONE,
		.behind = LIQUID_NONE, .stored_behind = LIQUID_NONE,
	};
	ask(sim, p);
}

const struct sim_switching_ops sim_buffered = {
	.open = open_packets,
	.close = close_packets,
	.inject = inject,
	.event = packet_event,
	.memory = packets_memory,
};
