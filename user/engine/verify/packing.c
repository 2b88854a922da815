// SPDX-License-Identifier: LGPL-2.1-or-later
/* Searching for a frame that is worth more than a limit: see packing.h. */
#include <stdlib.h>
#include <string.h>

#include "verify/packing.h"

#define PACKING_WORK_MAX UINT64_C(400000000)

typedef __int128 wide;			/* sums of 2^28 products below 2^64 */

/* A unit that was taken */
struct step {
	uint32_t item;
	uint32_t closed;		/* entries of the trail before it */
};

struct search {
	const struct packing *packing;
	wide limit;			/* largest loss of a frame that is looked for */
	wide loss;			/* so far */
	int64_t *profit;		/* by item: its price less the multipliers of its links */
	uint32_t *left;			/* by item: units that may still be taken */
	uint32_t *room;			/* by link: capacity that is left */
	uint64_t *reach;		/* by link: units that may still be taken on it */
	uint32_t *trail, *trail_left;	/* items that were closed, and what left[] was */
	uint32_t closed;		/* entries of the trail */
	struct step *step;		/* back to the empty frame */
	size_t steps, steps_max;
	uint64_t work;			/* operations so far */
	bool exhausted;			/* PACKING_WORK_MAX was exceeded */
	bool no_memory;
};

/* Units of @item that may still be taken without too great a loss. */
static uint32_t available(const struct search *s, uint32_t item)
{
	const struct packing *packing = s->packing;
	uint32_t units = s->left[item];

	if (s->profit[item] < 0 && s->loss - s->profit[item] > s->limit)
		return 0;
	for (uint32_t i = packing->first[item]; i < packing->first[item + 1]; i++)
		if (s->room[packing->path[i]] < units)
			units = s->room[packing->path[i]];
	return units;
}

/* The least loss of all frames from here on; fills in reach[]. */
static wide least_loss(struct search *s)
{
	const struct packing *packing = s->packing;
	wide least = s->loss;

	memset(s->reach, 0, packing->links * sizeof(*s->reach));
	for (uint32_t item = 0; item < packing->items; item++) {
		uint32_t units = available(s, item);

		if (s->profit[item] > 0)
			least += (wide)s->profit[item] * (s->left[item] - units);
		for (uint32_t i = packing->first[item]; units && i < packing->first[item + 1]; i++)
			s->reach[packing->path[i]] += units;
	}
	for (uint32_t link = 0; link < packing->links; link++)
		if (s->reach[link] < s->room[link])
			least += (wide)packing->multiplier[link] *
				 (s->room[link] - (uint32_t)s->reach[link]);
	s->work += 2 * (uint64_t)packing->first[packing->items] + packing->links;
	return least;
}

/* A link whose idle capacity is a loss, and that the fewest units can fill; or LIQUID_NONE. */
static uint32_t scarcest_link(const struct search *s)
{
	uint32_t best = LIQUID_NONE;

	for (uint32_t link = 0; link < s->packing->links; link++)
		if (s->packing->multiplier[link] && s->room[link] && s->reach[link] &&
		    (best == LIQUID_NONE || s->reach[link] < s->reach[best]))
			best = link;
	return best;
}

static bool uses(const struct packing *packing, uint32_t item, uint32_t link)
{
	for (uint32_t i = packing->first[item]; i < packing->first[item + 1]; i++)
		if (packing->path[i] == link)
			return true;
	return false;
}

/*
 * The item to decide on next: on the scarcest link, or one that it is a loss to leave out.
 * LIQUID_NONE: the loss cannot grow.
 */
static uint32_t next_item(const struct search *s)
{
	uint32_t link = scarcest_link(s), best = LIQUID_NONE;

	for (uint32_t item = 0; item < s->packing->items; item++) {
		if (best != LIQUID_NONE && s->profit[item] <= s->profit[best])
			continue;
		if (link == LIQUID_NONE ? s->profit[item] <= 0 : !uses(s->packing, item, link))
			continue;
		if (available(s, item))
			best = item;
	}
	return best;
}

/* What it is a loss to take each unit of @item, and to leave it out */
static wide loss_by_taking(const struct search *s, uint32_t item)
{
	return s->profit[item] < 0 ? -(wide)s->profit[item] : 0;
}

static wide loss_by_leaving(const struct search *s, uint32_t item)
{
	return s->profit[item] > 0 ? s->profit[item] : 0;
}

static bool room_for_step(struct search *s)
{
	struct step *more;

	if (s->steps < s->steps_max)
		return true;
	more = reallocarray(s->step, 2 * s->steps + 64, sizeof(*more));
	if (!more)
		return false;
	s->step = more;
	s->steps_max = 2 * s->steps + 64;
	return true;
}

static bool take(struct search *s, uint32_t item)
{
	if (!room_for_step(s))
		return false;
	s->step[s->steps++] = (struct step){ item, s->closed };
	s->left[item]--;
	for (uint32_t i = s->packing->first[item]; i < s->packing->first[item + 1]; i++)
		s->room[s->packing->path[i]]--;
	s->loss += loss_by_taking(s, item);
	return true;
}

static void reopen(struct search *s, uint32_t closed)
{
	while (s->closed > closed) {
		uint32_t item = s->trail[--s->closed];

		s->left[item] = s->trail_left[s->closed];
		s->loss -= loss_by_leaving(s, item) * s->left[item];
	}
}

/* Undo the last step, and what was closed since; returns its item. */
static uint32_t put_back(struct search *s)
{
	struct step step = s->step[--s->steps];

	reopen(s, step.closed);
	s->left[step.item]++;
	for (uint32_t i = s->packing->first[step.item]; i < s->packing->first[step.item + 1]; i++)
		s->room[s->packing->path[i]]++;
	s->loss -= loss_by_taking(s, step.item);
	return step.item;
}

/* Take no more of @item. */
static void close_item(struct search *s, uint32_t item)
{
	s->loss += loss_by_leaving(s, item) * s->left[item];
	s->trail[s->closed] = item;
	s->trail_left[s->closed++] = s->left[item];
	s->left[item] = 0;
}

/*
 * True if a frame was found, or if the search stops without an answer. The steps are a list, not
 * calls in each other: a frame may have millions of units.
 */
static bool fill(struct search *s)
{
	for (;;) {
		uint32_t item;

		if (least_loss(s) > s->limit) {
			if (!s->steps)
				return false;
			/* All frames with one more of the item were tried: now those without */
			close_item(s, put_back(s));
			continue;
		}
		s->exhausted |= s->work > PACKING_WORK_MAX;
		item = s->exhausted ? LIQUID_NONE : next_item(s);
		if (item == LIQUID_NONE)
			return true;
		s->no_memory = !take(s, item);
		if (s->no_memory)
			return true;
	}
}

/* What no frame is worth more than, for lack of capacity */
static wide most_worth(struct search *s)
{
	const struct packing *packing = s->packing;
	wide most = 0;

	for (uint32_t link = 0; link < packing->links; link++)
		most += (wide)packing->multiplier[link] * packing->capacity[link];
	for (uint32_t item = 0; item < packing->items; item++) {
		s->profit[item] = (int64_t)packing->price[item];
		for (uint32_t i = packing->first[item]; i < packing->first[item + 1]; i++)
			s->profit[item] -= (int64_t)packing->multiplier[packing->path[i]];
		if (s->profit[item] > 0)
			most += (wide)s->profit[item] * packing->most[item];
	}
	return most;
}

/* The worth of each frame is a multiple of this. */
static uint64_t divisor_of_prices(const struct packing *packing)
{
	uint64_t divisor = 0;

	for (uint32_t item = 0; item < packing->items; item++) {
		uint64_t other = packing->price[item];

		while (other) {
			uint64_t rest = divisor % other;

			divisor = other;
			other = rest;
		}
	}
	return divisor ? divisor : 1;
}

static bool search_new(struct search *s, const struct packing *packing)
{
	size_t items = (size_t)packing->items + 1, links = (size_t)packing->links + 1;

	*s = (struct search){ .packing = packing };
	s->profit = calloc(items, sizeof(*s->profit));
	s->left = calloc(items, sizeof(*s->left));
	s->trail = calloc(items, sizeof(*s->trail));
	s->trail_left = calloc(items, sizeof(*s->trail_left));
	s->room = calloc(links, sizeof(*s->room));
	s->reach = calloc(links, sizeof(*s->reach));
	return s->profit && s->left && s->trail && s->trail_left && s->room && s->reach;
}

static void search_free(struct search *s)
{
	free(s->profit);
	free(s->left);
	free(s->trail);
	free(s->trail_left);
	free(s->room);
	free(s->reach);
	free(s->step);
}

static enum verify_answer run(struct search *s, uint64_t worth)
{
	const struct packing *packing = s->packing;
	uint64_t divisor = divisor_of_prices(packing);

	memcpy(s->left, packing->most, packing->items * sizeof(*s->left));
	memcpy(s->room, packing->capacity, packing->links * sizeof(*s->room));
	s->limit = most_worth(s) - (wide)(worth / divisor + 1) * divisor;
	if (!fill(s))
		return VERIFY_NO;
	if (s->no_memory)
		return VERIFY_NO_MEMORY;
	return s->exhausted ? VERIFY_UNDECIDED : VERIFY_YES;
}

enum verify_answer packing_exceeds(const struct packing *packing, uint64_t worth)
{
	enum verify_answer answer = VERIFY_NO_MEMORY;
	struct search s;

	if (search_new(&s, packing))
		answer = run(&s, worth);
	search_free(&s);
	return answer;
}
