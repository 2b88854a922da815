// SPDX-License-Identifier: LGPL-2.1-or-later
/* Slots by client; a round is due when all have one, or late when its time is over. */
#include "listener/gather.h"
#include "wire/patience.h"

void gather_new(struct gather *gather, uint32_t clients, int64_t timeout_ns)
{
	*gather = (struct gather){
		.clients = clients, .busy = clients, .call = 1, .timeout_ns = timeout_ns,
	};
	queue_new(&gather->held);
}

bool gather_put(struct gather *gather, struct slot *slot)
{
	if (slot->request->call < gather->call)
		return false;
	queue_put(&gather->held, slot);
	gather->moved_ns = now_ns();
	return true;
}

static bool is_now(const struct gather *gather, const struct slot *slot)
{
	return slot->request->call == gather->call && slot->request->round == gather->round;
}

static uint32_t gather_count(const struct gather *gather)
{
	uint32_t slots = 0;

	for (const struct slot *slot = gather->held.first; slot; slot = slot->next)
		slots += is_now(gather, slot);
	return slots;
}

static void next_call(struct gather *gather)
{
	gather->call++;
	gather->round = 0;
	gather->busy = gather->clients;
}

bool gather_round(struct gather *gather, struct queue *round)
{
	struct queue kept;
	struct slot *slot;

	if (gather_count(gather) < gather->busy)
		return false;
	queue_new(&kept);
	while ((slot = queue_take(&gather->held))) {
		bool now = is_now(gather, slot);

		queue_put(now ? round : &kept, slot);
		gather->busy -= now && slot->request->flags & REQUEST_LAST;
	}
	while ((slot = queue_take(&kept)))
		queue_put(&gather->held, slot);
	gather->round++;
	if (!gather->busy)
		next_call(gather);
	return true;
}

void gather_late(struct gather *gather, struct queue *late)
{
	struct queue kept;
	struct slot *slot;

	if (!gather->held.first || !gather->timeout_ns ||
	    now_ns() - gather->moved_ns < gather->timeout_ns)
		return;
	queue_new(&kept);
	while ((slot = queue_take(&gather->held)))
		queue_put(slot->request->call == gather->call ? late : &kept, slot);
	while ((slot = queue_take(&kept)))
		queue_put(&gather->held, slot);
	next_call(gather);
	gather->moved_ns = now_ns();
}
