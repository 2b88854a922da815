// SPDX-License-Identifier: LGPL-2.1-or-later
/* Cut-through: the buffer at a link's far end; only its first packet asks for a link */
#include "simulate/packet.h"

bool cut_has_room(const struct sim *sim, const struct packet_link *link,
		  const struct packet *packet)
{
	return !sim->packets->cut_through || !link->to_switch ||
		link->used + packet->wire <= sim->options.buffer_bytes;
}

/* The buffer's first packet asks for its next link as soon as its header is there. */
static void first_asks(struct sim *sim, const struct packet_link *link)
{
	uint64_t there;

	if (link->stored == LIQUID_NONE)
		return;
	there = sim->packets->packet[link->stored].start + sim->options.hop_ns;
	packet_ask_at(sim, link->stored, there > sim->now ? there : sim->now);
}

static void enter(struct sim *sim, uint32_t p, struct packet_link *link)
{
	struct packet *packet = &sim->packets->packet[p];

	link->used += packet->wire;
	packet->stored_behind = LIQUID_NONE;
	if (link->stored == LIQUID_NONE) {
		link->stored = link->stored_last = p;
		first_asks(sim, link);
	} else {
		sim->packets->packet[link->stored_last].stored_behind = p;
		link->stored_last = p;
	}
}

/* @p has asked, so it is the first packet. */
static void leave(struct sim *sim, uint32_t p, struct packet_link *link)
{
	link->stored = sim->packets->packet[p].stored_behind;
	first_asks(sim, link);
}

void cut_started(struct sim *sim, uint32_t p, uint32_t l)
{
	const struct packet *packet = &sim->packets->packet[p];
	struct packet_link *link = &sim->packets->link[l];

	if (packet->before != LIQUID_NONE) {
		struct packet_link *before = &sim->packets->link[packet->before];

		before->leaving++;
		leave(sim, p, before);
	}
	if (link->to_switch)
		enter(sim, p, link);
}

void cut_left(struct sim *sim, uint32_t p, uint32_t before)
{
	struct packet_link *link = &sim->packets->link[before];

	link->leaving--;
	link->used -= sim->packets->packet[p].wire;
	packet_serve_soon(sim, before);
}

void cut_forget(struct sim *sim, uint32_t p, uint32_t before)
{
	struct packet_link *link = &sim->packets->link[before];

	leave(sim, p, link);
	link->used -= sim->packets->packet[p].wire;
	packet_serve_soon(sim, before);
}

/*
 * A busy lane always becomes free. Room becomes free when the buffer's first packet starts on its
 * next link, and it waits for one link only: so there is a single chain to follow.
 */
bool cut_is_deadlock(struct sim *sim, uint32_t l)
{
	struct sim_packets *packets = sim->packets;
	struct packet_link *link;

	packets->visit++;
	for (link = &packets->link[l]; link->visit != packets->visit;
	     link = &packets->link[packets->packet[link->stored].link]) {
		link->visit = packets->visit;
		if (link->first == LIQUID_NONE || !link->lanes ||
		    cut_has_room(sim, link, &packets->packet[link->first]))
			return false;
		if (link->stored == LIQUID_NONE || link->leaving ||
		    !packets->packet[link->stored].waits)
			return false;
	}
	return true;
}
