/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is to happen in a simulation, in the order of time. */
#ifndef LIQUID_SIMULATE_QUEUE_H
#define LIQUID_SIMULATE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_event {
	uint64_t time;
	uint64_t order;			/* within the instant: sim_ends(), sim_grants(), sim_asks() */
	uint32_t kind;
	uint32_t a, b, c;		/* what the kind makes of them */
};

/* A heap of four children a node, and before it the one that comes first. */
struct sim_queue {
	struct sim_event *event;
	size_t count, room;
	struct sim_event first;
	bool has_first;
	bool failed;			/* memory was short: an event is lost */
	uint64_t sequence;
};

#define SIM_GRANTS (UINT64_C(1) << 62)
#define SIM_ASKS (UINT64_C(1) << 63)
#define SIM_NUMBER_SHIFT 38		/* 2^24 links and ports; the sequence may begin again */
#define SIM_SEQUENCE_MASK ((UINT64_C(1) << SIM_NUMBER_SHIFT) - 1)

/* What ends comes first, then what is granted to those that wait, then what asks. */
static inline uint64_t sim_ends(struct sim_queue *queue)
{
	return ++queue->sequence & SIM_SEQUENCE_MASK;
}

static inline uint64_t sim_grants(struct sim_queue *queue, uint32_t link)
{
	return SIM_GRANTS | (uint64_t)link << SIM_NUMBER_SHIFT |
		(++queue->sequence & SIM_SEQUENCE_MASK);
}

/* Of what asks, the lower port comes first. */
static inline uint64_t sim_asks(struct sim_queue *queue, uint32_t port)
{
	return SIM_ASKS | (uint64_t)port << SIM_NUMBER_SHIFT |
		(++queue->sequence & SIM_SEQUENCE_MASK);
}

static inline bool sim_before(const struct sim_event *a, const struct sim_event *b)
{
	/* One comparison without a branch, which nobody could predict */
	unsigned __int128 of_a = (unsigned __int128)a->time << 64 | a->order;
	unsigned __int128 of_b = (unsigned __int128)b->time << 64 | b->order;

	return of_a < of_b;
}

void sim_queue_put(struct sim_queue *queue, const struct sim_event *event);
/* False when there is none. */
bool sim_queue_take(struct sim_queue *queue, struct sim_event *event);
void sim_queue_clear(struct sim_queue *queue);

#endif
