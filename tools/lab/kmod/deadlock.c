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

/*
 * Lanes always end. Room comes back when the first of the buffer goes on; it waits for one
 * link, so there is one way to follow.
 */
static bool lfab_buffers_deadlocked(struct lfab_model *model, struct lfab_link *link)
{
	u32 visit = ++model->visit;

	while (link->visit != visit) {
		const struct lfab_worm *worm;

		link->visit = visit;
		model->work++;
		worm = list_first_entry_or_null(&link->requests, struct lfab_worm, request);
		if (!worm || list_empty(&link->free) || lfab_buffer_has_room(model, link, worm))
			return false;
		worm = list_first_entry_or_null(&link->stored, struct lfab_worm, stored);
		if (!worm || link->leaving || !worm->waits)
			return false;
		link = lfab_next_link(model, worm);
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
