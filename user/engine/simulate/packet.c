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
	free(sim->packets->vl);
	free(sim->packets->queue);
	free(sim->packets->vl_of);
	free(sim->packets->stack);
	free(sim->packets);
	sim->packets = NULL;
}

static bool new_links(struct sim *sim, struct sim_packets *packets)
{
	uint32_t hosts = liquid_fabric_host_count(sim->fabric);

	packets->links = liquid_fabric_link_count(sim->fabric);
	packets->vls = sim->options.lanes;
	packets->link = calloc((size_t)packets->links + 1, sizeof(*packets->link));
	packets->vl = calloc((size_t)packets->links * packets->vls + 1, sizeof(*packets->vl));
	packets->vl_of = calloc(hosts, sizeof(*packets->vl_of));
	if (!packets->link || !packets->vl || !packets->vl_of)
		return false;
	for (uint32_t l = 0; l < packets->links; l++) {
		packets->link[l].capacity = liquid_fabric_capacity(sim->fabric, l);
		packets->link[l].to_switch = liquid_fabric_link(sim->fabric, l)->to >= hosts;
	}
	for (uint32_t i = 0; i < packets->links * packets->vls; i++)
		packets->vl[i].first = packets->vl[i].last = LIQUID_NONE;
	return true;
}

static int open_packets(struct sim *sim, struct liquid_error *err)
{
	struct sim_packets *packets = calloc(1, sizeof(*packets));
	int status;

	sim->packets = packets;
	if (!packets || !new_links(sim, packets))
		return liquid_no_memory(err);
	packets->unused = LIQUID_NONE;
	packets->cut_through = sim->options.switching == LIQUID_SIM_CUT_THROUGH;
	status = packet_find_vls(sim, err);
	return !status && packets->cut_through ? cut_open(sim, err) : status;
}

static uint64_t packets_memory(const struct sim *sim)
{
	const struct sim_packets *packets = sim->packets;

	return packets->room * sizeof(*packets->packet) +
		packets->links * sizeof(*packets->link) +
		(uint64_t)packets->links * packets->vls * sizeof(*packets->vl) +
		packets->queues * sizeof(*packets->queue);
}

/* ---- events ---- */

void packet_ask_at(struct sim *sim, uint32_t p, uint64_t time)
{
	struct sim_event event = { .time = time, .kind = SIM_ASK, .a = p };

	event.order = sim_asks(&sim->queue, sim->packets->packet[p].port);
	sim_queue_put(&sim->queue, &event);
}

static bool has_requests(const struct sim_packets *packets, uint32_t l)
{
	for (uint32_t vl = 0; vl < packets->vls; vl++)
		if (packet_vl(packets, l, vl)->first != LIQUID_NONE)
			return true;
	return false;
}

void packet_serve_soon(struct sim *sim, uint32_t l)
{
	struct packet_link *link = &sim->packets->link[l];
	struct sim_event event = { .time = sim->now, .kind = SIM_SERVE, .a = l };

	if (link->serving || !has_requests(sim->packets, l))
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

/* The packet's tail may still be on links; it holds them until its last byte is through. */
static void break_deadlock(struct sim *sim, uint32_t p)
{
	struct packet *packet = &sim->packets->packet[p];
	uint32_t port = packet->port;

	sim->result->shown.deadlocks++;
	packet->dropped = true;
	if (packet->before != LIQUID_NONE)
		cut_forget(sim, p, packet->before);
	if (!packet->holds)
		lose(sim, p, LIQUID_SIM_DEADLOCK);
	if (packet->before == LIQUID_NONE)
		sim_free_port(sim, port);
}

/* ---- requests ---- */

static bool is_grantable(const struct sim *sim, const struct packet *packet)
{
	return !sim->packets->link[packet->link].busy && cut_has_room(sim, packet);
}

static void grant(struct sim *sim, uint32_t p)
{
	struct packet *packet = &sim->packets->packet[p];
	uint32_t l = packet->link;
	struct packet_link *link = &sim->packets->link[l];

	link->busy = true;
	link->turn = packet->vl + 1 < sim->packets->vls ? packet->vl + 1 : 0;
	packet->links++;
	packet->holds++;
	packet->start = sim->now;
	end_at(sim, p, l, packet->before, sim->now + packet_ns(sim, packet, l));
	if (link->to_switch)
		packet->link = sim_next_link(sim, l, packet->dst);
	if (sim->packets->cut_through)
		cut_started(sim, p, l);
	packet->before = l;
}

static void put_request(struct sim_packets *packets, uint32_t p)
{
	struct packet *packet = &packets->packet[p];
	struct packet_vl *vl = packet_vl(packets, packet->link, packet->vl);

	packet->waits = true;
	packet->behind = LIQUID_NONE;
	if (vl->first == LIQUID_NONE)
		vl->first = p;
	else
		packets->packet[vl->last].behind = p;
	vl->last = p;
}

static void remove_request(struct sim *sim, uint32_t p)
{
	struct sim_packets *packets = sim->packets;
	struct packet *packet = &packets->packet[p];
	struct packet_vl *vl = packet_vl(packets, packet->link, packet->vl);
	uint32_t previous = LIQUID_NONE, at = vl->first;

	for (; at != p; at = packets->packet[at].behind)
		previous = at;
	if (previous == LIQUID_NONE)
		vl->first = packet->behind;
	else
		packets->packet[previous].behind = packet->behind;
	if (vl->last == p)
		vl->last = previous;
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
	struct packet_vl *vl = packet_vl(sim->packets, packet->link, packet->vl);

	if (sim->packets->cut_through || packet->before == LIQUID_NONE)
		return true;
	if (vl->used + packet->wire > sim->options.buffer_bytes)
		return false;
	vl->used += packet->wire;
	return true;
}

static void ask(struct sim *sim, uint32_t p)
{
	struct packet *packet = &sim->packets->packet[p];
	uint32_t l = packet->link;

	if (!enter_queue(sim, p)) {
		lose(sim, p, LIQUID_SIM_TAIL);
		return;
	}
	if (packet_vl(sim->packets, l, packet->vl)->first == LIQUID_NONE &&
	    is_grantable(sim, packet)) {
		grant(sim, p);
		return;
	}
	packet->since = sim->now;
	sim_waits(sim, packet->port, l);
	put_request(sim->packets, p);
	if (sim->packets->cut_through && cut_is_deadlock(sim, l, packet->vl))
		drop_request(sim, p);
}

/* The next request for @l that can be granted: the virtual lanes in turn, of each the first. */
static uint32_t next_request(const struct sim *sim, uint32_t l)
{
	const struct sim_packets *packets = sim->packets;
	uint32_t vl = packets->link[l].turn;

	for (uint32_t i = 0; i < packets->vls; i++) {
		uint32_t p = packet_vl(packets, l, vl)->first;

		if (p != LIQUID_NONE && is_grantable(sim, &packets->packet[p]))
			return p;
		if (++vl == packets->vls)
			vl = 0;
	}
	return LIQUID_NONE;
}

/* The link or room became free. */
static void serve(struct sim *sim, uint32_t l)
{
	uint32_t p;

	sim->packets->link[l].serving = false;
	while ((p = next_request(sim, l)) != LIQUID_NONE) {
		remove_request(sim, p);
		grant(sim, p);
	}
	for (uint32_t vl = 0; sim->packets->cut_through && vl < sim->packets->vls; vl++)
		if (cut_is_deadlock(sim, l, vl))
			drop_request(sim, packet_vl(sim->packets, l, vl)->first);
}

/* ---- ends ---- */

static void give_room(struct sim *sim, uint32_t p, uint32_t l, uint32_t before)
{
	if (sim->packets->cut_through)
		cut_left(sim, p, before);
	else
		packet_vl(sim->packets, l, sim->packets->packet[p].vl)->used -=
			sim->packets->packet[p].wire;
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

	link->busy = false;
	packet->holds--;
	sim->result->link[l].bytes += packet->wire;
	sim->result->link[l].busy_ns += packet_ns(sim, packet, l);
	packet_serve_soon(sim, l);
	if (first)
		sim_ended(sim, port, packet->frame_end);
	else
		give_room(sim, p, l, before);
	if (packet->dropped && !packet->holds)
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
		.vl = packets->vl_of[sim->options.lane_by == LIQUID_SIM_BY_SOURCE ?
				     sim->host_of[port] : unit->dst],
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
