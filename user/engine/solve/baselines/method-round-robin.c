// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * round-robin: in phase k each sender sends to the receiver that is k after it
 *
 * Most collective libraries do this without knowing the network. A phase in which transfers
 * congest is split: each transfer goes into the first frame of the phase where it fits, and the
 * next phase begins after the last of these frames.
 */
#include <stdlib.h>
#include <string.h>

#include "solve/methods.h"

struct shift {
	const struct routes *routes;
	uint32_t phases;
	uint32_t *order;		/* pairs by phase */
	uint32_t *phase;		/* by pair */
	uint32_t *used;			/* by frame of the phase and link */
	uint32_t *full;			/* by link: its first frame of the phase with room */
	uint32_t frames, room;		/* frames of the phase; allocated rows of used[] */
	uint32_t *frame;		/* by transfer */
	uint64_t work;
};

/* Ranks of the hosts that send (or receive), in the fabric's order; returns how many. */
static uint32_t rank_hosts(const struct routes *routes, bool receivers, uint32_t *rank,
			   uint32_t hosts)
{
	uint32_t count = 0;

	memset(rank, 0, hosts * sizeof(*rank));
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		rank[receivers ? routes->pairs[pair].dst : routes->pairs[pair].src] = 1;
	for (uint32_t host = 0; host < hosts; host++)
		rank[host] = rank[host] ? count++ : LIQUID_NONE;
	return count;
}

static bool set_phases(struct shift *shift)
{
	const struct routes *routes = shift->routes;
	uint32_t hosts = routes_host_span(routes), senders, receivers;
	uint32_t *from, *to;

	from = calloc((size_t)hosts + 1, sizeof(*from));
	to = calloc((size_t)hosts + 1, sizeof(*to));
	if (from && to) {
		senders = rank_hosts(routes, false, from, hosts);
		receivers = rank_hosts(routes, true, to, hosts);
		shift->phases = senders > receivers ? senders : receivers;
		for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
			const struct liquid_pair *ends = &routes->pairs[pair];

			shift->phase[pair] = (to[ends->dst] + shift->phases - from[ends->src]) %
				shift->phases;
		}
	}
	free(from);
	free(to);
	return shift->phases;
}

/* Sort the pairs by phase; the sort is stable. */
static bool sort_phases(struct shift *shift)
{
	uint32_t pairs = shift->routes->pair_count;
	uint32_t *at = calloc((size_t)shift->phases + 2, sizeof(*at));

	if (!at)
		return false;
	for (uint32_t pair = 0; pair < pairs; pair++)
		at[shift->phase[pair] + 1]++;
	for (uint32_t phase = 0; phase < shift->phases; phase++)
		at[phase + 1] += at[phase];
	for (uint32_t pair = 0; pair < pairs; pair++)
		shift->order[at[shift->phase[pair]]++] = pair;
	free(at);
	return true;
}

static bool shift_new(struct shift *shift, const struct routes *routes)
{
	*shift = (struct shift){ .routes = routes };
	shift->order = calloc((size_t)routes->pair_count + 1, sizeof(*shift->order));
	shift->phase = calloc((size_t)routes->pair_count + 1, sizeof(*shift->phase));
	shift->full = calloc((size_t)routes->link_count + 1, sizeof(*shift->full));
	shift->frame = calloc((size_t)routes->transfer_count + 1, sizeof(*shift->frame));
	return shift->order && shift->phase && shift->full && shift->frame &&
	       set_phases(shift) && sort_phases(shift);
}

static void shift_clear(struct shift *shift)
{
	free(shift->order);
	free(shift->phase);
	free(shift->used);
	free(shift->full);
	free(shift->frame);
}

static bool fits(const struct shift *shift, uint32_t pair, uint32_t frame)
{
	const uint32_t *used = shift->used + (size_t)frame * shift->routes->link_count;
	uint32_t count;
	const uint32_t *links = routes_links(shift->routes, pair, &count);

	for (uint32_t i = 0; i < count; i++)
		if (used[links[i]] >= shift->routes->capacity[links[i]])
			return false;
	return true;
}

/* Add an empty frame to the phase. */
static bool add_frame(struct shift *shift)
{
	size_t width = shift->routes->link_count;
	uint32_t *moved;

	if (shift->frames == shift->room) {
		uint32_t room = shift->room ? 2 * shift->room : 4;

		moved = width ? reallocarray(shift->used, room, width * sizeof(*moved)) : NULL;
		if (!moved)
			return false;
		shift->used = moved;
		shift->room = room;
	}
	memset(shift->used + shift->frames * width, 0, width * sizeof(*shift->used));
	shift->work += width / 4;
	shift->frames++;
	return true;
}

static void use_link(struct shift *shift, uint32_t link, uint32_t frame)
{
	const uint32_t *used = shift->used + link;
	size_t width = shift->routes->link_count;
	uint32_t *full = &shift->full[link];

	shift->used[frame * width + link]++;
	while (*full < shift->frames && used[*full * width] >= shift->routes->capacity[link])
		++*full;
}

/* Place one unit of @pair in the first frame of the phase, from @from on, where it fits. */
static bool place(struct shift *shift, uint32_t pair, uint32_t *from)
{
	uint32_t count, frame = *from, first;
	const uint32_t *links = routes_links(shift->routes, pair, &count);

	for (uint32_t i = 0; i < count; i++)
		frame = shift->full[links[i]] > frame ? shift->full[links[i]] : frame;
	first = frame;
	while (frame < shift->frames && !fits(shift, pair, frame))
		frame++;
	shift->work += (uint64_t)count * (frame - first + 1);
	if (frame == shift->frames && !add_frame(shift))
		return false;
	for (uint32_t i = 0; i < count; i++)
		use_link(shift, links[i], frame);
	*from = frame;
	return true;
}

static bool place_pair(struct shift *shift, uint32_t pair, uint32_t base)
{
	const struct routes *routes = shift->routes;
	uint32_t from = 0;

	for (uint32_t i = routes->first_transfer[pair]; i < routes->first_transfer[pair + 1]; i++) {
		if (!place(shift, pair, &from))
			return false;
		shift->frame[i] = base + from;
	}
	return true;
}

/* Returns the number of frames; 0: the budget ended, LIQUID_NONE: out of memory. */
static uint32_t place_all(struct shift *shift, struct budget *budget)
{
	uint32_t base = 0;

	for (uint32_t i = 0; i < shift->routes->pair_count; i++) {
		uint32_t pair = shift->order[i];

		if (i && shift->phase[pair] != shift->phase[shift->order[i - 1]]) {
			base += shift->frames;
			shift->frames = 0;
			memset(shift->full, 0, shift->routes->link_count * sizeof(*shift->full));
		}
		if (!place_pair(shift, pair, base))
			return LIQUID_NONE;
		if (!budget_spend(budget, shift->work + 8))
			return 0;
		shift->work = 0;
	}
	return base + shift->frames;
}

int method_round_robin(struct solving *solving, struct liquid_error *err)
{
	uint32_t frames = LIQUID_NONE;
	int status = LIQUID_OK;
	struct shift shift;

	if (shift_new(&shift, solving->routes))
		frames = place_all(&shift, solving->budget);
	if (frames == LIQUID_NONE)
		status = liquid_no_memory(err);
	else if (frames)
		status = solving_offer(solving, shift.frame, frames, err);
	shift_clear(&shift);
	return status;
}
