// SPDX-License-Identifier: GPL-2.0-only
/* The search for deadlocks: requests that wait for each other in a circle */
#include "model.h"

/*
 * A worm that waits for a link goes on when one of the link's holders ends; so there is a
 * deadlock only if all holders of all links along the way wait, and all ways are closed.
 */
static bool lfab_worms_deadlocked(struct lfab_model *model, struct lfab_link *link)
{
	struct lfab_link *last = link;
	u32 i;

	link->visit = ++model->visit;
	link->walk = NULL;
	for (; link; link = link->walk) {
		for (i = 0; i < link->capacity; i++) {
			const struct lfab_worm *worm = link->lane[i].worm;
			struct lfab_link *next;

			model->work++;
			if (!worm || !worm->waits)
				return false;
			next = lfab_next_link(model, worm);
			if (next->visit == model->visit)
				continue;
			next->visit = model->visit;
			next->walk = NULL;
			last->walk = next;
			last = next;
		}
	}
	return true;
}

/* The first request for the link waits for room behind it, and no packet there leaves yet. */
static bool lfab_waits_for_room(const struct lfab_model *model, struct lfab_link *link)
{
	const struct lfab_worm *worm =
		list_first_entry_or_null(&link->requests, struct lfab_worm, request);

	return worm && !list_empty(&link->free) && !lfab_buffer_has_room(model, link, worm) &&
	       !link->leaving && !list_empty(&link->stored);
}

/*
 * Lanes always end. Room comes back when the first packet of any queue of the buffer goes on; so
 * there is a deadlock only if all of them along the way wait for room, and all ways are closed.
 */
static bool lfab_buffers_deadlocked(struct lfab_model *model, struct lfab_link *link)
{
	struct lfab_link *last = link;
	const struct lfab_worm *worm;

	if (!lfab_waits_for_room(model, link))
		return false;
	link->visit = ++model->visit;
	link->walk = NULL;
	for (; link; link = link->walk) {
		list_for_each_entry(worm, &link->stored, stored) {
			struct lfab_link *next;

			model->work++;
			if (!worm->waits)
				return false;
			next = lfab_next_link(model, worm);
			if (next->visit == model->visit)
				continue;
			if (!lfab_waits_for_room(model, next))
				return false;
			next->visit = model->visit;
			next->walk = NULL;
			last->walk = next;
			last = next;
		}
	}
	return true;
}

bool lfab_deadlocked(struct lfab_model *model, struct lfab_link *link)
{
	switch (model->switching) {
	case LFAB_WORMHOLE:
		return lfab_worms_deadlocked(model, link);
	case LFAB_CUT_THROUGH:
		return lfab_buffers_deadlocked(model, link);
	default:
		return false;	/* who finds no room is dropped */
	}
}
