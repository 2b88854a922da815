// SPDX-License-Identifier: LGPL-2.1-or-later
/* A heap of events. Most new events are the next to fire: these bypass the heap. */
#include <stdlib.h>

#include "simulate/queue.h"

#define CHILDREN 4

static bool make_room(struct sim_queue *queue)
{
	size_t room = queue->room ? 2 * queue->room : 1024;
	struct sim_event *larger;

	if (queue->count < queue->room)
		return true;
	larger = reallocarray(queue->event, room, sizeof(*larger));
	if (!larger) {
		queue->failed = true;
		return false;
	}
	queue->event = larger;
	queue->room = room;
	return true;
}

static void heap_put(struct sim_queue *queue, const struct sim_event *event)
{
	size_t at;

	if (!make_room(queue))
		return;
	for (at = queue->count++; at; at = (at - 1) / CHILDREN) {
		const struct sim_event *parent = &queue->event[(at - 1) / CHILDREN];

		if (!sim_before(event, parent))
			break;
		queue->event[at] = *parent;
	}
	queue->event[at] = *event;
}

static size_t first_of_two(const struct sim_event *event, size_t a)
{
	return a + sim_before(&event[a + 1], &event[a]);
}

static size_t first_child(const struct sim_queue *queue, size_t at)
{
	size_t child = CHILDREN * at + 1, end = child + CHILDREN, first = child;

	if (end <= queue->count) {
		size_t other = first_of_two(queue->event, child + 2);

		first = first_of_two(queue->event, child);
		return sim_before(&queue->event[other], &queue->event[first]) ? other : first;
	}
	end = queue->count;
	while (++child < end)
		if (sim_before(&queue->event[child], &queue->event[first]))
			first = child;
	return first;
}

static void heap_take(struct sim_queue *queue, struct sim_event *event)
{
	const struct sim_event *last = &queue->event[--queue->count];
	size_t at = 0, child;

	*event = queue->event[0];
	while ((child = first_child(queue, at)) < queue->count) {
		if (!sim_before(&queue->event[child], last))
			break;
		queue->event[at] = queue->event[child];
		at = child;
	}
	queue->event[at] = *last;
}

void sim_queue_put(struct sim_queue *queue, const struct sim_event *event)
{
	if (!queue->has_first) {
		/* Only what fires before the whole heap may stay outside. */
		if (queue->count && !sim_before(event, &queue->event[0])) {
			heap_put(queue, event);
			return;
		}
		queue->first = *event;
		queue->has_first = true;
	} else if (sim_before(event, &queue->first)) {
		heap_put(queue, &queue->first);
		queue->first = *event;
	} else {
		heap_put(queue, event);
	}
}

bool sim_queue_take(struct sim_queue *queue, struct sim_event *event)
{
	if (queue->has_first) {
		*event = queue->first;
		queue->has_first = false;
		return true;
	}
	if (!queue->count)
		return false;
	heap_take(queue, event);
	return true;
}

void sim_queue_clear(struct sim_queue *queue)
{
	free(queue->event);
	*queue = (struct sim_queue){ 0 };
}
