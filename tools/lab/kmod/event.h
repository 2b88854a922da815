/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of the model, ordered by time */
#ifndef LFAB_EVENT_H
#define LFAB_EVENT_H

#include <linux/types.h>

/*
 * Events of the same time happen in this order: ends, grants to waiting requests, new requests.
 */
enum lfab_phase {
	LFAB_ENDS,
	LFAB_GRANTS,
	LFAB_ASKS,
};

enum lfab_kind {
	LFAB_THROUGH,		/* a packet of a worm is through at its sender */
	LFAB_RELEASE,		/* the last byte of a worm is delivered */
	LFAB_DELIVER,		/* a packet of a worm is delivered */
	LFAB_LANE,		/* a packet has left on a lane */
	LFAB_SERVE,		/* a link has something to give */
	LFAB_ASK,		/* a header asks for its next link */
};

/**
 * struct lfab_event - an event of the model
 * @time: ns
 * @seq: number in the order of scheduling; the last tie-breaker
 * @who: port or link; events of the same time and phase are ordered by it
 * @phase: &enum lfab_phase
 * @kind: &enum lfab_kind
 * @queued: it is in the heap
 * @child: first child in the heap
 * @next: next sibling
 * @prev: previous sibling, or the parent of the first child
 */
struct lfab_event {
	u64 time;
	u64 seq;
	u32 who;
	u8 phase;
	u8 kind;
	bool queued;
	struct lfab_event *child, *next, *prev;
};

/* A pairing heap: the first event is the root. */
struct lfab_heap {
	struct lfab_event *root;
	u64 seq;
};

void lfab_event_add(struct lfab_heap *heap, struct lfab_event *event);
/* Does nothing if @event is not queued. */
void lfab_event_del(struct lfab_heap *heap, struct lfab_event *event);
struct lfab_event *lfab_event_pop(struct lfab_heap *heap);

#endif /* LFAB_EVENT_H */
