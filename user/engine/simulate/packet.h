/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that hold a lane as long as their own bytes take: cut-through and store and forward */
#ifndef LIQUID_SIMULATE_PACKET_H
#define LIQUID_SIMULATE_PACKET_H

#include "simulate/simulate.h"

struct packet {
	uint64_t payload, wire;		/* bytes */
	uint64_t frame_end;
	uint64_t start;			/* on the last link that it was granted */
	uint64_t since;			/* it waits */
	uint32_t port, dst;
	uint32_t link;			/* that it asks for */
	uint32_t before;		/* that it was granted last, or LIQUID_NONE */
	uint32_t links;			/* granted so far */
	uint32_t lanes;			/* that it holds */
	uint32_t behind;		/* in the link's requests; in the list of the unused */
	uint32_t stored_behind;		/* in a buffer */
	bool waits;
	bool dropped;			/* but its bytes are still on lanes */
};

struct packet_link {
	uint64_t used;			/* bytes in the far end's buffer or, stored, in the queue */
	uint32_t lanes;			/* free */
	uint32_t first, last;		/* requests */
	uint32_t stored, stored_last;	/* in the far end's buffer, not started on the next link */
	uint32_t leaving;		/* of the buffer, started on their next link */
	uint32_t visit;			/* of the search for deadlocks */
	bool to_switch;
	bool serving;			/* it will be looked at in this instant */
};

struct sim_packets {
	struct packet *packet;
	struct packet_link *link;
	uint32_t count, room, unused;
	uint32_t links, visit;
	bool cut_through;
};

/* ---- cut.c: buffers at the far ends of links ---- */

bool cut_has_room(const struct sim *sim, const struct packet_link *link,
		  const struct packet *packet);
/* @p has started on @l, from the buffer before to the one behind it. */
void cut_started(struct sim *sim, uint32_t p, uint32_t l);
/* The last byte of @p has left the buffer behind @before. */
void cut_left(struct sim *sim, uint32_t p, uint32_t before);
/* @p is lost: it gives up its place and its room in the buffer behind @before. */
void cut_forget(struct sim *sim, uint32_t p, uint32_t before);
/* Can nobody go on for whom those wait that ask for @l? */
bool cut_is_deadlock(struct sim *sim, uint32_t l);

/* ---- packet.c ---- */

void packet_ask_at(struct sim *sim, uint32_t p, uint64_t time);
/* @l has something to give. */
void packet_serve_soon(struct sim *sim, uint32_t l);

#endif
