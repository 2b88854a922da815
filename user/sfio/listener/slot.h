/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A slot of a listener's ring: a request, from its receive to the answer */
#ifndef LIQUID_SFIO_SLOT_H
#define LIQUID_SFIO_SLOT_H

#include "wire/message.h"

struct slot {
	struct request *request;	/* with what follows it */
	uint64_t bytes;			/* received */
	int client;			/* rank that asks */
	struct answer *answer;		/* with the data of a read behind it */
	uint64_t data_room, data;	/* bytes of it: room, to send */
	struct slot *next;		/* in a queue */
};

struct queue {
	struct slot *first, **last;
};

static inline void queue_new(struct queue *queue)
{
	queue->first = NULL;
	queue->last = &queue->first;
}

static inline void queue_put(struct queue *queue, struct slot *slot)
{
	slot->next = NULL;
	*queue->last = slot;
	queue->last = &slot->next;
}

static inline struct slot *queue_take(struct queue *queue)
{
	struct slot *slot = queue->first;

	if (!slot)
		return NULL;
	queue->first = slot->next;
	if (!queue->first)
		queue->last = &queue->first;
	return slot;
}

static inline const struct run *slot_runs(const struct slot *slot)
{
	return (const struct run *)(slot->request + 1);
}

#endif
