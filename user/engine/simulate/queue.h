/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The future events of a simulation, ordered by time. */
#ifndef LIQUID_SIMULATE_QUEUE_H
#define LIQUID_SIMULATE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_event {
	uint64_t time;
	uint64_t order;			/* within an instant: by sim_ends() and the others */
	uint32_t kind;
	uint32_t a, b, c;		/* meaning depends on the kind */
};

/* Events in the order in which they fire. @room is a power of 2, or 0. */
struct sim_ring {
	struct sim_event *event;
	size_t first, count, room;
};

/*
 * What fires after all of its kind goes to that kind's ring: packets of one size end in the order
 * in which they started. The rest is in a heap with four children per node. The next event to fire
 * is kept outside of both, if it is known.
 */
#define SIM_RINGS 2			/* kinds of events that have a ring: those below this */
struct sim_queue {
	struct sim_event *event;
	size_t count, room;
	struct sim_ring ring[SIM_RINGS];
	struct sim_event first;
	bool has_first;
	bool failed;			/* out of memory: an event was lost */
	uint64_t sequence;
};

#define SIM_GRANTS (UINT64_C(1) << 62)
#define SIM_ASKS (UINT64_C(1) << 63)
#define SIM_NUMBER_SHIFT 38		/* 2^24 links and ports; the sequence may wrap */
#define SIM_SEQUENCE_MASK ((UINT64_C(1) << SIM_NUMBER_SHIFT) - 1)

/* Within an instant: first ends, then grants to those that wait, then new requests. */
static inline uint64_t sim_ends(struct sim_queue *queue)
{
	return ++queue->sequence & SIM_SEQUENCE_MASK;
}

static inline uint64_t sim_grants(struct sim_queue *queue, uint32_t link)
{
	return SIM_GRANTS | (uint64_t)link << SIM_NUMBER_SHIFT |
		(++queue->sequence & SIM_SEQUENCE_MASK);
}

/* Among the requests of an instant the lowest port comes first. */
static inline uint64_t sim_asks(struct sim_queue *queue, uint32_t port)
{
	return SIM_ASKS | (uint64_t)port << SIM_NUMBER_SHIFT |
		(++queue->sequence & SIM_SEQUENCE_MASK);
}

static inline bool sim_before(const struct sim_event *a, const struct sim_event *b)
{
	/* One comparison: a branch between the two parts would be mispredicted often. */
	unsigned __int128 of_a = (unsigned __int128)a->time << 64 | a->order;
	unsigned __int128 of_b = (unsigned __int128)b->time << 64 | b->order;

	return of_a < of_b;
}

void sim_queue_put(struct sim_queue *queue, const struct sim_event *event);
/* False when there is none. */
bool sim_queue_take(struct sim_queue *queue, struct sim_event *event);
void sim_queue_clear(struct sim_queue *queue);
uint64_t sim_queue_memory(const struct sim_queue *queue);

#endif
