// SPDX-License-Identifier: LGPL-2.1-or-later
/* Frame-by-frame search over units: K-teams, scarcest resource first, with restarts. */
#include <stdlib.h>
#include <string.h>

#include "problem/random.h"
#include "solve/symmetry/unit-frames.h"

enum outcome { PLACED, DEAD_END, OUT_OF_TRIES, OUT_OF_MEMORY };

struct search {
	const struct routes *units;
	struct budget *budget;
	struct random random;
	uint32_t words;			/* of a mask over the units */
	uint64_t *on;			/* by resource: the units that use it */
	uint64_t *available;		/* the units that the frame can still take */
	uint64_t *saved;		/* a stack of available[] */
	uint32_t depth, depth_max;
	uint32_t *rest;			/* by unit: copies left */
	uint32_t *load;			/* by resource: load of the copies that are left */
	uint32_t *room;			/* by resource: room in the frame */
	uint32_t *need;			/* by resource: copies that the frame must still take */
	uint64_t *weight;		/* by resource: load relative to the room in all frames */
	uint32_t *taken, *chosen, chosen_count;	/* of the frame: copies by unit; units in order */
	uint32_t unmet;			/* resources with a need */
	uint32_t tries;			/* left for the frame */
	uint32_t noise_shift;		/* right shift of the random part of a score */
};

static void search_clear(struct search *s)
{
	free(s->on);
	free(s->available);
	free(s->saved);
	free(s->rest);
	free(s->load);
	free(s->room);
	free(s->need);
	free(s->weight);
	free(s->taken);
	free(s->chosen);
}

static uint32_t frame_most(const struct routes *units)
{
	uint64_t sum = 0;
	uint32_t r;

	for (r = 0; r < units->link_count; r++)
		sum += units->capacity[r];
	return sum < units->transfer_count ? (uint32_t)sum : units->transfer_count;
}

static bool search_init(struct search *s, const struct routes *units, struct budget *budget,
			uint64_t seed)
{
	uint32_t u, i;

	memset(s, 0, sizeof(*s));
	s->units = units;
	s->budget = budget;
	s->random.state = seed;
	s->words = (units->pair_count + 63) / 64;
	s->depth_max = frame_most(units) + 1;
	s->on = calloc((size_t)units->link_count * s->words, sizeof(*s->on));
	s->available = calloc(s->words, sizeof(*s->available));
	s->saved = calloc((size_t)s->depth_max * s->words, sizeof(*s->saved));
	s->rest = calloc(units->pair_count, sizeof(*s->rest));
	s->load = calloc(units->link_count, sizeof(*s->load));
	s->room = calloc(units->link_count, sizeof(*s->room));
	s->need = calloc(units->link_count, sizeof(*s->need));
	s->weight = calloc(units->link_count, sizeof(*s->weight));
	s->taken = calloc(units->pair_count, sizeof(*s->taken));
	s->chosen = calloc(s->depth_max, sizeof(*s->chosen));
	if (!s->on || !s->available || !s->saved || !s->rest || !s->load || !s->room || !s->need ||
	    !s->weight || !s->taken || !s->chosen)
		return false;
	for (u = 0; u < units->pair_count; u++)
		for (i = units->first[u]; i < units->first[u + 1]; i++)
			s->on[(size_t)units->links[i] * s->words + u / 64] |= 1ull << u % 64;
	return true;
}

static uint32_t popcount_common(const uint64_t *a, const uint64_t *b, uint32_t count)
{
	uint32_t w, n = 0;

	for (w = 0; w < count; w++)
		n += (uint32_t)__builtin_popcountll(a[w] & b[w]);
	return n;
}

/* Compute what the first of @left frames must take, and what it can. */
static void open_frame(struct search *s, uint32_t left)
{
	const struct routes *units = s->units;
	uint32_t u, r;

	memset(s->available, 0, s->words * sizeof(*s->available));
	for (u = 0; u < units->pair_count; u++)
		if (s->rest[u])
			s->available[u / 64] |= 1ull << u % 64;
	s->unmet = 0;
	for (r = 0; r < units->link_count; r++) {
		uint64_t later = (uint64_t)units->capacity[r] * (left - 1);

		s->room[r] = units->capacity[r];
		s->need[r] = s->load[r] > later ? (uint32_t)(s->load[r] - later) : 0;
		s->unmet += s->need[r] != 0;
		s->weight[r] = ((uint64_t)s->load[r] << 20) / ((uint64_t)units->capacity[r] * left);
	}
	s->chosen_count = 0;
	s->depth = 0;
}

static void take(struct search *s, uint32_t unit)
{
	const struct routes *units = s->units;
	uint32_t i, w;

	if (!--s->rest[unit])
		s->available[unit / 64] &= ~(1ull << unit % 64);
	s->taken[unit]++;
	s->chosen[s->chosen_count++] = unit;
	for (i = units->first[unit]; i < units->first[unit + 1]; i++) {
		uint32_t r = units->links[i];

		s->load[r]--;
		if (s->need[r] && !--s->need[r])
			s->unmet--;
		if (!--s->room[r])
			for (w = 0; w < s->words; w++)
				s->available[w] &= ~s->on[(size_t)r * s->words + w];
	}
}

/* Undo the last take(), except in available[]. @left is that of open_frame(). */
static void give_back(struct search *s, uint32_t left)
{
	const struct routes *units = s->units;
	uint32_t unit = s->chosen[--s->chosen_count], i;

	s->rest[unit]++;
	s->taken[unit]--;
	for (i = units->first[unit]; i < units->first[unit + 1]; i++) {
		uint32_t r = units->links[i];
		uint64_t later = (uint64_t)units->capacity[r] * (left - 1);

		s->load[r]++;
		s->room[r]++;
		if (s->load[r] > later && !s->need[r]++)
			s->unmet++;
	}
}

/* The resource in need with the fewest available units; LIQUID_NONE: one has none. */
static uint32_t scarcest(const struct search *s)
{
	uint32_t best = LIQUID_NONE, best_count = UINT32_MAX, r;

	for (r = 0; r < s->units->link_count && best_count; r++) {
		uint32_t count;

		if (!s->need[r])
			continue;
		count = popcount_common(s->on + (size_t)r * s->words, s->available, s->words);
		if (count < best_count) {
			best_count = count;
			best = r;
		}
	}
	return best_count ? best : LIQUID_NONE;
}

/* Score: first the needs that the unit serves, then the weights of its resources, then chance. */
static uint64_t score(struct search *s, uint32_t unit)
{
	const struct routes *units = s->units;
	uint64_t value = random_next(&s->random) >> s->noise_shift;
	uint32_t i;

	for (i = units->first[unit]; i < units->first[unit + 1]; i++) {
		uint32_t r = units->links[i];

		value += s->need[r] ? 1ull << 40 : 0;
		value += s->weight[r];
	}
	return value;
}

/* The available unit with the best score in @mask (NULL: of all); LIQUID_NONE: none. */
static uint32_t best_unit(struct search *s, const uint64_t *mask)
{
	uint64_t best_score = 0, value, bits;
	uint32_t best = LIQUID_NONE, w, u;

	for (w = 0; w < s->words; w++)
		for (bits = s->available[w] & (mask ? mask[w] : ~0ull); bits; bits &= bits - 1) {
			u = w * 64 + (uint32_t)__builtin_ctzll(bits);
			value = score(s, u);
			if (best == LIQUID_NONE || value > best_score) {
				best = u;
				best_score = value;
			}
		}
	return best;
}

/* Meet all needs. A unit that led to a dead end is not tried again at deeper levels. */
static enum outcome meet_needs(struct search *s, uint32_t left)
{
	uint64_t *saved = s->saved + (size_t)s->depth * s->words;
	uint32_t r, u;
	enum outcome outcome = DEAD_END;

	if (!s->unmet)
		return PLACED;
	r = scarcest(s);
	if (r == LIQUID_NONE || s->depth + 1 >= s->depth_max)
		return DEAD_END;
	memcpy(saved, s->available, s->words * sizeof(*saved));
	s->depth++;
	while ((u = best_unit(s, s->on + (size_t)r * s->words)) != LIQUID_NONE) {
		if (!s->tries-- || !budget_spend(s->budget, s->units->link_count + 32 * s->words)) {
			s->tries = 0;
			outcome = OUT_OF_TRIES;
			break;
		}
		take(s, u);
		outcome = meet_needs(s, left);
		if (outcome != DEAD_END)
			break;
		give_back(s, left);
		saved[u / 64] &= ~(1ull << u % 64);
		memcpy(s->available, saved, s->words * sizeof(*saved));
	}
	s->depth--;
	return outcome;
}

static void fill_up(struct search *s)
{
	uint32_t u;

	while ((u = best_unit(s, NULL)) != LIQUID_NONE) {
		take(s, u);
		budget_spend(s->budget, s->units->link_count);
	}
}

/* How many of the @left frames after this one can repeat it. */
static uint32_t repetitions(const struct search *s, uint32_t left)
{
	const struct routes *units = s->units;
	uint32_t times = left, i, r;

	for (i = 0; i < s->chosen_count; i++) {
		uint32_t u = s->chosen[i], most = s->rest[u] / s->taken[u];

		times = most < times ? most : times;
	}
	for (r = 0; r < units->link_count && times; r++) {
		uint64_t slack = (uint64_t)units->capacity[r] * left - s->load[r];

		if (s->room[r] && slack / s->room[r] < times)
			times = (uint32_t)(slack / s->room[r]);
	}
	return times;
}

static bool close_frame(struct search *s, struct unit_plan *plan, uint32_t *frame, uint32_t length)
{
	const struct routes *units = s->units;
	uint32_t times = repetitions(s, length - *frame - 1), i, k, t;

	for (i = 0; i < s->chosen_count; i++) {
		uint32_t u = s->chosen[i];

		for (t = 0; t <= times; t++)
			if (!unit_plan_add(plan, *frame + t, u, 1))
				return false;
		s->rest[u] -= times;
		for (k = units->first[u]; k < units->first[u + 1]; k++)
			s->load[units->links[k]] -= times;
	}
	for (i = 0; i < s->chosen_count; i++)
		s->taken[s->chosen[i]] = 0;
	*frame += times + 1;
	return true;
}

/* The random part is up to 1/4, or up to 4 times, the weight of a full resource. */
enum { NOISE_LEAST = 42, NOISE_MOST = 46 };

/* One attempt from the first frame to the last. */
static enum outcome attempt(struct search *s, uint32_t length, uint32_t tries,
			    struct unit_plan *plan)
{
	uint32_t frame = 0;
	enum outcome outcome;

	routes_counts(s->units, s->rest);
	memcpy(s->load, s->units->load, s->units->link_count * sizeof(*s->load));
	memset(s->taken, 0, s->units->pair_count * sizeof(*s->taken));
	plan->entries = 0;
	plan->frames = length;
	while (plan->entries < s->units->transfer_count) {
		s->tries = tries;
		open_frame(s, length - frame);
		outcome = meet_needs(s, length - frame);
		if (outcome != PLACED)
			return outcome;
		fill_up(s);
		if (!close_frame(s, plan, &frame, length))
			return OUT_OF_MEMORY;
	}
	plan->frames = frame;
	return PLACED;
}

int unit_frames_solve(const struct routes *units, uint32_t length, uint64_t seed,
		      struct budget *budget, struct unit_plan *plan, bool *found,
		      struct liquid_error *err)
{
	struct search s;
	uint32_t tries = 64 + 8 * units->link_count, round = 0;
	enum outcome outcome = OUT_OF_MEMORY;

	*found = false;
	if (length < units->duration)
		return LIQUID_OK;
	if (search_init(&s, units, budget, seed))
		do {
			s.noise_shift = NOISE_MOST - round++ % (NOISE_MOST - NOISE_LEAST + 1);
			outcome = attempt(&s, length, tries, plan);
		} while (outcome != PLACED && outcome != OUT_OF_MEMORY &&
			 budget_spend(budget, units->pair_count));
	search_clear(&s);
	*found = outcome == PLACED;
	if (outcome == OUT_OF_MEMORY)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the search over %u units",
				   units->pair_count);
	return LIQUID_OK;
}
