// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pairing heap of events: insertion in constant time, removal of the first in logarithmic time
 *
 * It needs no memory besides the events, and any event can be removed.
 */
#include <linux/compiler.h>
#include <linux/stddef.h>

#include "event.h"

static bool lfab_before(const struct lfab_event *a, const struct lfab_event *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if (a->phase != b->phase)
		return a->phase < b->phase;
	if (a->who != b->who)
		return a->who < b->who;
	return a->seq < b->seq;
}

/* Both are roots without siblings. */
static struct lfab_event *lfab_merge(struct lfab_event *a, struct lfab_event *b)
{
	if (!a || !b)
		return a ?: b;
	if (lfab_before(b, a)) {
		struct lfab_event *swap = a;

		a = b;
		b = swap;
	}
	b->prev = a;
	b->next = a->child;
	if (b->next)
		b->next->prev = b;
	a->child = b;
	return a;
}

/* Siblings into one tree: pairs from the left, then the pairs from the right. */
static struct lfab_event *lfab_merge_siblings(struct lfab_event *first)
{
	struct lfab_event *pairs = NULL, *root = NULL;

	while (first) {
		struct lfab_event *a = first, *b = first->next, *tree;

		first = b ? b->next : NULL;
		a->next = NULL;
		a->prev = NULL;
		if (b) {
			b->next = NULL;
			b->prev = NULL;
		}
		tree = lfab_merge(a, b);
		tree->next = pairs;
		pairs = tree;
	}
	while (pairs) {
		struct lfab_event *next = pairs->next;

		pairs->next = NULL;
		root = lfab_merge(root, pairs);
		pairs = next;
	}
	return root;
}

void lfab_event_add(struct lfab_heap *heap, struct lfab_event *event)
{
	event->seq = heap->seq++;
	event->child = NULL;
	event->next = NULL;
	event->prev = NULL;
	event->queued = true;
	heap->root = lfab_merge(heap->root, event);
}

struct lfab_event *lfab_event_pop(struct lfab_heap *heap)
{
	struct lfab_event *event = heap->root;

	heap->root = lfab_merge_siblings(event->child);
	event->queued = false;
	return event;
}

static void lfab_cut(struct lfab_event *event)
{
	if (event->prev->child == event)
		event->prev->child = event->next;
	else
		event->prev->next = event->next;
	if (event->next)
		event->next->prev = event->prev;
}

void lfab_event_del(struct lfab_heap *heap, struct lfab_event *event)
{
	if (!event->queued)
		return;
	if (event == heap->root) {
		lfab_event_pop(heap);
		return;
	}
	lfab_cut(event);
	heap->root = lfab_merge(heap->root, lfab_merge_siblings(event->child));
	event->queued = false;
}
