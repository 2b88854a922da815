// SPDX-License-Identifier: LGPL-2.1-or-later
/* Frame-by-frame search over units: K-teams, scarcest resource first, with restarts. */
#include <stdlib.h>
#include <string.h>

#include "solve/frames/team.h"
#include "solve/symmetry/unit-frames.h"

enum outcome { PLACED, DEAD_END, OUT_OF_TRIES, OUT_OF_MEMORY };

/* Weight of an unmet need: more than all other weights of a unit together. */
#define UNMET (UINT64_C(1) << 40)

/* Of a frame: meet_needs() calls itself as deep. */
#define TRIES_MOST 4096u
#define LINKS_MOST ((TRIES_MOST - 64) / 8)

struct search {
	const struct routes *units;
	struct routes_inverse inverse;	/* units of each resource */
	struct team team;
	struct budget *budget;
	struct random random;
	uint64_t *weight;		/* by resource: load relative to the room in all frames,
					 * plus UNMET while the frame has less than it needs */
	uint32_t *chosen, chosen_count;	/* units of the frame */
	uint64_t work;			/* operations not yet charged, besides those of @team */
	uint32_t tries;			/* left for the frame */
	uint32_t noise_shift;		/* right shift of the random part of a score */
};

static void search_clear(struct search *s)
{
	team_clear(&s->team);
	routes_inverse_clear(&s->inverse);
	free(s->weight);
	free(s->chosen);
}

/* Limit of the copies in a frame. */
static uint32_t frame_most(const struct routes *units)
{
	uint64_t sum = 0;

	for (uint32_t r = 0; r < units->link_count; r++)
		sum += units->capacity[r];
	return sum < units->transfer_count ? (uint32_t)sum : units->transfer_count;
}

static bool search_init(struct search *s, const struct routes *units, struct budget *budget,
			uint64_t seed)
{
	*s = (struct search){ .units = units, .budget = budget, .random.state = seed };
	s->weight = calloc(units->link_count, sizeof(*s->weight));
	s->chosen = calloc(frame_most(units) + 1, sizeof(*s->chosen));
	return s->weight && s->chosen && routes_invert(units, &s->inverse) &&
	       team_new(&s->team, units, &s->inverse, true);
}

static void open_frame(struct search *s)
{
	const struct routes *units = s->units;

	team_open_frame(&s->team);
	for (uint32_t r = 0; r < units->link_count; r++)
		s->weight[r] = ((uint64_t)s->team.load[r] << 20) /
			       ((uint64_t)units->capacity[r] * s->team.left) +
			       (s->team.need[r] ? UNMET : 0);
	s->chosen_count = 0;
}

static void take(struct search *s, uint32_t unit)
{
	team_take(&s->team, unit);
	s->chosen[s->chosen_count++] = unit;
}

/* Take a unit while there are unmet needs. */
static void take_needed(struct search *s, uint32_t unit)
{
	uint32_t count;
	const uint32_t *links = routes_links(s->units, unit, &count);

	take(s, unit);
	for (uint32_t i = 0; i < count; i++)
		if (s->team.used[links[i]] == s->team.need[links[i]])
			s->weight[links[i]] -= UNMET;
}

/* Undo the last take_needed(), when the trail was @mark long, and keep its unit out. */
static void reject(struct search *s, uint32_t mark)
{
	uint32_t unit = s->chosen[--s->chosen_count], count;
	const uint32_t *links = routes_links(s->units, unit, &count);

	for (uint32_t i = 0; i < count; i++)
		if (s->team.used[links[i]] == s->team.need[links[i]])
			s->weight[links[i]] += UNMET;
	team_undo(&s->team, unit, mark);
	team_close_pair(&s->team, unit);
}

/* The resource in need with the fewest available units; LIQUID_NONE: all needs are met. */
static uint32_t scarcest(const struct team *team)
{
	uint32_t best = LIQUID_NONE;

	for (uint32_t i = 0; i < team->needy_count; i++) {
		uint32_t r = team->needy[i];

		if (team->used[r] < team->need[r] &&
		    (best == LIQUID_NONE || team->choice[r] < team->choice[best]))
			best = r;
	}
	return best;
}

/* The needs that the unit serves count most, then the loads of its resources, then chance. */
static inline uint64_t score(struct search *s, uint32_t unit)
{
	uint64_t value = random_next(&s->random) >> s->noise_shift;
	uint32_t count;
	const uint32_t *links = routes_links(s->units, unit, &count);

	for (uint32_t i = 0; i < count; i++)
		value += s->weight[links[i]];
	s->work += 4 + count;
	return value;
}

struct best {
	uint32_t unit;			/* LIQUID_NONE: none yet */
	uint64_t score;
};

static inline void consider(struct search *s, uint32_t unit, struct best *best)
{
	uint64_t value = score(s, unit);

	if (best->unit == LIQUID_NONE || value > best->score)
		*best = (struct best){ unit, value };
}

/* The open unit of @resource with the best score; LIQUID_NONE: none is open. */
static uint32_t best_of(struct search *s, uint32_t resource)
{
	const uint32_t *first = s->inverse.first + resource;
	struct best best = { LIQUID_NONE, 0 };

	for (uint32_t i = first[0]; i < first[1]; i++)
		if (team_is_open(&s->team, s->inverse.pairs[i]))
			consider(s, s->inverse.pairs[i], &best);
	s->work += first[1] - first[0];
	return best.unit;
}

static uint32_t best_of_all(struct search *s)
{
	struct best best = { LIQUID_NONE, 0 };

	for (uint32_t w = 0; w < s->team.words; w++)
		for (uint64_t bits = s->team.open[w]; bits; bits &= bits - 1)
			consider(s, w * 64 + (uint32_t)__builtin_ctzll(bits), &best);
	s->work += s->team.words;
	return best.unit;
}

static bool charge(struct search *s)
{
	uint64_t work = s->work + s->team.work;

	s->work = s->team.work = 0;
	return budget_spend(s->budget, work);
}

/* Meet all needs. A unit that led to a dead end is not tried again at deeper levels. */
static enum outcome meet_needs(struct search *s)
{
	uint32_t r = scarcest(&s->team), u, mark;
	enum outcome outcome = DEAD_END;

	if (r == LIQUID_NONE)
		return PLACED;
	while (outcome == DEAD_END && (u = best_of(s, r)) != LIQUID_NONE) {
		if (!s->tries-- || !charge(s)) {
			s->tries = 0;
			return OUT_OF_TRIES;
		}
		mark = s->team.trail_length;
		take_needed(s, u);
		outcome = meet_needs(s);
		if (outcome == DEAD_END)
			reject(s, mark);
	}
	return outcome;
}

static void fill_up(struct search *s)
{
	uint32_t u;

	while ((u = best_of_all(s)) != LIQUID_NONE) {
		take(s, u);
		charge(s);
	}
}

/* Add the frame to the plan, as often as it is a team. */
static bool close_frame(struct search *s, struct unit_plan *plan, uint32_t length)
{
	uint32_t times = team_repeats(&s->team, s->chosen, s->chosen_count);
	uint32_t frame = length - s->team.left;

	for (uint32_t i = 0; i < s->chosen_count; i++)
		for (uint32_t t = 0; t < times; t++)
			if (!unit_plan_add(plan, frame + t, s->chosen[i], 1))
				return false;
	team_remove(&s->team, s->chosen, s->chosen_count, times);
	return true;
}

/* The random part is up to 1/4, or up to 4 times, the weight of a full resource. */
enum { NOISE_LEAST = 42, NOISE_MOST = 46 };

/* One attempt from the first frame to the last. */
static enum outcome attempt(struct search *s, uint32_t length, uint32_t tries,
			    struct unit_plan *plan)
{
	enum outcome outcome;

	team_reset(&s->team, length);
	plan->entries = 0;
	plan->frames = length;
	while (s->team.transfers_left) {
		s->tries = tries;
		open_frame(s);
		outcome = meet_needs(s);
		if (outcome != PLACED)
			return outcome;
		fill_up(s);
		if (!close_frame(s, plan, length))
			return OUT_OF_MEMORY;
	}
	plan->frames = length - s->team.left;
	return PLACED;
}

/*
 * A frame more for every second try, three for every fourth, six for every eighth, and so on; as
 * long as there is no schedule at all, more frames for each try
 */
static uint32_t length_of(uint32_t try, uint32_t least, uint32_t most)
{
	uint32_t steps = most == UINT32_MAX ? try - 1 : (uint32_t)__builtin_ctz(try), more = 1;

	for (; steps-- && more < most - least; more += more / 2 + 1)
		least += more;
	return least;
}

int unit_frames_solve(const struct routes *units, uint32_t most, uint64_t seed,
		      struct budget *budget, struct unit_plan *plan, bool *found,
		      struct liquid_error *err)
{
	struct search s;
	uint32_t tries = units->link_count < LINKS_MOST ? 64 + 8 * units->link_count : TRIES_MOST;
	uint32_t round = 0;
	enum outcome outcome = OUT_OF_MEMORY;

	*found = false;
	if (most <= units->duration)
		return LIQUID_OK;
	if (search_init(&s, units, budget, seed))
		do {
			s.noise_shift = NOISE_MOST - round++ % (NOISE_MOST - NOISE_LEAST + 1);
			outcome = attempt(&s, length_of(round, units->duration, most), tries, plan);
		} while (outcome != PLACED && outcome != OUT_OF_MEMORY &&
			 budget_spend(budget, units->pair_count));
	search_clear(&s);
	*found = outcome == PLACED;
	if (outcome == OUT_OF_MEMORY)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the search over %u units",
				   units->pair_count);
	return LIQUID_OK;
}
