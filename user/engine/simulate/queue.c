// SPDX-License-Identifier: LGPL-2.1-or-later
/* A heap of events. Most events bypass it: the next to fire, and those that fire in turn. */
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

/* ---- rings ---- */

static bool ring_grow(struct sim_ring *ring)
{
	size_t room = ring->room ? 2 * ring->room : 256;
	struct sim_event *larger = calloc(room, sizeof(*larger));

	if (!larger)
		return false;
	for (size_t i = 0; i < ring->count; i++)
		larger[i] = ring->event[(ring->first + i) & (ring->room - 1)];
	free(ring->event);
	*ring = (struct sim_ring){ larger, 0, ring->count, room };
	return true;
}

/* False: @event does not fire after all in the ring, or there is no memory. */
static bool ring_put(struct sim_ring *ring, const struct sim_event *event)
{
	size_t end = ring->first + ring->count;

	if (ring->count && sim_before(event, &ring->event[(end - 1) & (ring->room - 1)]))
		return false;
	if (ring->count == ring->room && !ring_grow(ring))
		return false;
	ring->event[(ring->first + ring->count++) & (ring->room - 1)] = *event;
	return true;
}

static void ring_take(struct sim_ring *ring, struct sim_event *event)
{
	*event = ring->event[ring->first];
	ring->first = (ring->first + 1) & (ring->room - 1);
	ring->count--;
}

/* ---- all together ---- */

static void store(struct sim_queue *queue, const struct sim_event *event)
{
	if (event->kind >= SIM_RINGS || !ring_put(&queue->ring[event->kind], event))
		heap_put(queue, event);
}

/* The event that fires first, where it is the heap's (@ring: SIM_RINGS) or a ring's; or NULL */
static const struct sim_event *find_first(const struct sim_queue *queue, unsigned int *ring)
{
	const struct sim_event *first = queue->count ? &queue->event[0] : NULL;

	*ring = SIM_RINGS;
	for (unsigned int i = 0; i < SIM_RINGS; i++) {
		const struct sim_ring *of = &queue->ring[i];

		if (of->count && (!first || sim_before(&of->event[of->first], first))) {
			first = &of->event[of->first];
			*ring = i;
		}
	}
	return first;
}

void sim_queue_put(struct sim_queue *queue, const struct sim_event *event)
{
	const struct sim_event *first;
	unsigned int ring;

	if (!queue->has_first) {
		first = find_first(queue, &ring);
		if (first && !sim_before(event, first)) {
			store(queue, event);
			return;
		}
		queue->first = *event;
		queue->has_first = true;
	} else if (sim_before(event, &queue->first)) {
		store(queue, &queue->first);
		queue->first = *event;
	} else {
		store(queue, event);
	}
}

bool sim_queue_take(struct sim_queue *queue, struct sim_event *event)
{
	unsigned int ring;

	if (queue->has_first) {
		*event = queue->first;
		queue->has_first = false;
		return true;
	}
	if (!find_first(queue, &ring))
		return false;
	if (ring == SIM_RINGS)
		heap_take(queue, event);
	else
		ring_take(&queue->ring[ring], event);
	return true;
}

void sim_queue_clear(struct sim_queue *queue)
{
	for (unsigned int i = 0; i < SIM_RINGS; i++)
		free(queue->ring[i].event);
	free(queue->event);
	*queue = (struct sim_queue){ 0 };
}

uint64_t sim_queue_memory(const struct sim_queue *queue)
{
	uint64_t room = queue->room;

	for (unsigned int i = 0; i < SIM_RINGS; i++)
		room += queue->ring[i].room;
	return room * sizeof(*queue->event);
}
