/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that hold a link for the time of their own bytes: cut-through, store and forward */
#ifndef LIQUID_SIMULATE_PACKET_H
#define LIQUID_SIMULATE_PACKET_H

#include "simulate/simulate.h"

struct packet {
	uint64_t payload, wire;		/* bytes of messages; bytes on the wire */
	uint64_t frame_end;		/* end of its frame, ns: see struct sim_unit */
	uint64_t start;			/* start on link @before, ns */
	uint64_t since;			/* start of its wait for a link, ns */
	uint32_t port, dst;
	uint32_t vl;			/* number of its virtual lane, on all links */
	uint32_t link;			/* link that it asks for */
	uint32_t before;		/* link that it was granted last, or LIQUID_NONE */
	uint32_t links;			/* number of links granted so far */
	uint32_t holds;			/* number of links that it holds */
	uint32_t behind;		/* next request for the link; next unused packet */
	uint32_t stored_behind;		/* next packet in its queue of the buffer */
	bool waits;			/* its request was not granted yet */
	bool dropped;			/* lost, though its bytes still hold links */
};

struct packet_link {
	uint32_t capacity;		/* its rate, in units */
	uint32_t turn;			/* virtual lane that is served next */
	uint32_t queue;			/* cut-through: first queue of the far end's buffers */
	uint32_t queues;		/* number of queues of each of these buffers */
	uint32_t number;		/* of the queue in which packets for this link wait */
	bool to_switch;
	bool busy;			/* a packet holds it */
	bool serving;			/* a SIM_SERVE event for this instant exists */
};

/* A virtual lane of a link, and its buffer at the far end */
struct packet_vl {
	uint64_t used;			/* bytes in that buffer; stored: in the near end's queue */
	uint32_t first, last;		/* packets that wait for the link */
	uint32_t leaving;		/* packets in the buffer that already leave it */
	uint64_t read_until;		/* FIFO: when the last of these has left, ns */
	uint32_t visit;			/* number of the last search for deadlocks that came by */
};

/* Packets in a buffer that have not started on their next link */
struct packet_queue {
	uint32_t first, last;
};

struct sim_packets {
	struct packet *packet;
	struct packet_link *link;
	struct packet_vl *vl;		/* by link and virtual lane */
	struct packet_queue *queue;	/* by link, virtual lane and number */
	uint32_t *vl_of;		/* by host: the virtual lane of packets to it, or from it */
	uint32_t *stack;		/* of the search for deadlocks: entries of @vl */
	uint32_t count, room, unused;
	uint32_t links, vls, queues, visit;
	bool cut_through;
};

static inline struct packet_vl *packet_vl(const struct sim_packets *packets, uint32_t link,
					  uint32_t vl)
{
	return &packets->vl[link * packets->vls + vl];
}

/*
 * ns that @packet takes on @link, rounded down, but at least 1: so c packets on a link of capacity
 * c take no longer than one at the unit rate, and all transfers of a frame fit into it.
 */
static inline uint64_t packet_ns(const struct sim *sim, const struct packet *packet, uint32_t link)
{
	uint64_t ns = sim_serialise(sim, packet->wire) / sim->packets->link[link].capacity;

	return ns ? ns : 1;
}

/* ---- cut.c: buffers at the far ends of links ---- */

int cut_open(struct sim *sim, struct liquid_error *err);
/* Is there room for @packet, which asks for its next link, at the far end of that link? */
bool cut_has_room(const struct sim *sim, const struct packet *packet);
/* @p has started on @l: it leaves the queue of the buffer before and enters that behind @l. */
void cut_started(struct sim *sim, uint32_t p, uint32_t l);
/* The last byte of @p has left the buffer behind @before. */
void cut_left(struct sim *sim, uint32_t p, uint32_t before);
/* @p is lost: its place and room in the buffer behind @before become free. */
void cut_forget(struct sim *sim, uint32_t p, uint32_t before);
/* Will the requests for @l in virtual lane @vl wait for ever? */
bool cut_is_deadlock(struct sim *sim, uint32_t l, uint32_t vl);

/* ---- lanes.c ---- */

/* Fill in @vl_of. */
int packet_find_vls(const struct sim *sim, struct liquid_error *err);

/* ---- packet.c ---- */

void packet_ask_at(struct sim *sim, uint32_t p, uint64_t time);
/* @l or room behind it became free: look at its requests in this instant. */
void packet_serve_soon(struct sim *sim, uint32_t l);

#endif
