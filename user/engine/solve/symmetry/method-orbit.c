// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * orbit: find twins and translations, then place each orbit
 *
 * A length is tried with short searches over several layouts of base frames, and then with the
 * layout that left the fewest orbits without a place. The first length is the duration. If that
 * fails, longer ones are tried until one succeeds, then lengths between the two.
 */
#include <stdlib.h>
#include <string.h>

#include "problem/divisor.h"
#include "problem/luby.h"
#include "solve/methods.h"
#include "solve/symmetry/orbit.h"
#include "solve/symmetry/structure.h"

#define LAYOUTS_MAX 24u
#define MODULI_MAX 64u
#define PROBE_PARTS 4u
/* The shortest search with another seed gets 1 / SEED_PARTS of the work of all of them. */
#define SEED_PARTS 64u
#define MANY_ORBITS 4096u
/* With more cosets than this, the rest of a length gets a kind of its own. */
#define COARSE 16u
/* Other methods are better at lengths beyond this many durations. */
#define LONGER_MAX 2u

/* Factors of the generators that proved good, by experiment. */
static const uint32_t weights[][SYMMETRY_GENERATORS_MAX] = {
	{ 1, 3, 5, 7, 9, 11 },
	{ 1, 63, 3, 61, 5, 59 },
	{ 1, 1, 1, 1, 1, 1 },
};
#define WEIGHTS ((uint32_t)(sizeof(weights) / sizeof(weights[0])))

struct choice {
	uint32_t modulus, weight;	/* of the main kind */
	uint32_t second;		/* modulus of the kind for the rest; 0: none */
	uint32_t spared;		/* main frames replaced by the second kind */
};

struct orbit_method {
	struct solving *solving;
	const struct quotient *quotient;
	const struct symmetry *symmetry;
	struct orbit_problem problem;
	struct orbit_kind kind[MODULI_MAX * WEIGHTS];	/* unused if its modulus is 0 */
	uint32_t modulus[MODULI_MAX], moduli;
	uint32_t weight;		/* best index in weights[]; WEIGHTS: unknown */
	uint64_t seed;			/* of the next search */
	struct unit_plan plan;
};

/* Orders of the cyclic groups onto which the translations map, largest first, 1 last. */
static void list_moduli(struct orbit_method *m)
{
	uint32_t t, g;

	for (t = ORBIT_MODULUS_MAX; t; t--) {
		uint64_t common = 1;

		for (g = 0; g < m->symmetry->generators; g++) {
			uint32_t part = common_divisor(t, m->symmetry->order[g]);

			common = common / common_divisor((uint32_t)common, part) * part;
		}
		if (common == t)
			m->modulus[m->moduli++] = t;
	}
}

static int make_kind(struct orbit_method *m, uint32_t number, uint32_t weight,
		     struct liquid_error *err)
{
	struct orbit_kind *kind = &m->kind[number * WEIGHTS + weight];
	uint32_t t = m->modulus[number], factor[SYMMETRY_GENERATORS_MAX] = { 0 }, g;
	bool useful;

	for (g = 0; g < m->symmetry->generators; g++)
		factor[g] = (uint32_t)((uint64_t)(t / common_divisor(t, m->symmetry->order[g])) *
				       weights[weight][g] % t);
	return orbit_kind_init(kind, &m->problem, t, factor, &useful, err);
}

/* With one generator, or modulus 1 or 2, all weights are equivalent. */
static int make_kinds(struct orbit_method *m, struct liquid_error *err)
{
	uint32_t number, weight;
	int status = LIQUID_OK;

	for (number = 0; number < m->moduli; number++)
		for (weight = 0; weight < WEIGHTS && !status; weight++)
			if (!weight || (m->modulus[number] > 2 && m->symmetry->generators > 1))
				status = make_kind(m, number, weight, err);
	return status;
}

static const struct orbit_kind *find_kind(const struct orbit_method *m, uint32_t modulus,
					  uint32_t weight)
{
	uint32_t number;

	for (number = 0; number < m->moduli; number++)
		if (m->modulus[number] == modulus) {
			const struct orbit_kind *kind = &m->kind[number * WEIGHTS + weight];

			return kind->modulus ? kind : NULL;
		}
	return NULL;
}

/* ---- layouts ---- */

/* Memory limit of the base frames of a search, in words. */
#define FRAME_WORDS_MAX (UINT64_C(1) << 26)

static uint64_t frame_words(const struct orbit_layout *layout)
{
	uint64_t words = 0;
	uint32_t k;

	for (k = 0; k < layout->kinds; k++) {
		const struct orbit_kind *kind = layout->kind[k];

		words += (uint64_t)layout->frames[k] *
			 (16 + kind->cells + kind->first_slot[kind->cells]);
	}
	return words;
}

static void add_kind(struct orbit_layout *layout, const struct orbit_kind *kind, uint32_t frames)
{
	if (!frames)
		return;
	layout->kind[layout->kinds] = kind;
	layout->frames[layout->kinds++] = frames;
}

/* Choose base frames for @length frames; false if a kind is missing, or they are too large. */
static bool lay_out(const struct orbit_method *m, const struct choice *choice, uint32_t length,
		    struct orbit_layout *layout)
{
	const struct orbit_kind *main_kind = find_kind(m, choice->modulus, choice->weight);
	const struct orbit_kind *second = choice->second ? find_kind(m, choice->second, 0) : NULL;
	const struct orbit_kind *one = find_kind(m, 1, 0);
	uint32_t frames = length / choice->modulus, rest;

	memset(layout, 0, sizeof(*layout));
	layout->repeat = 1;
	if (!main_kind || frames < choice->spared)
		return false;
	frames -= choice->spared;
	add_kind(layout, main_kind, frames);
	rest = length - frames * choice->modulus;
	if (second)
		add_kind(layout, second, rest / choice->second);
	rest = second ? rest % choice->second : rest;
	if (rest && !one)
		return false;
	add_kind(layout, one, rest);
	return layout->kinds && frame_words(layout) <= FRAME_WORDS_MAX;
}

/* Whether each orbit fits some base frame, and all kinds divide it in the same way. */
static bool layout_holds(const struct orbit_method *m, const struct orbit_layout *layout)
{
	uint32_t o, k, fits;

	for (o = 0; o < m->problem.unit_orbits.count; o++) {
		for (k = 0, fits = 0; k < layout->kinds; k++) {
			fits += layout->kind[k]->fits[o];
			if ((uint64_t)layout->kind[k]->unit_cosets[o] * layout->kind[0]->modulus !=
			    (uint64_t)layout->kind[0]->unit_cosets[o] * layout->kind[k]->modulus)
				return false;
		}
		if (!fits)
			return false;
	}
	return true;
}

static void add_choice(const struct orbit_method *m, const struct choice *c, uint32_t length,
		       struct choice *choice, uint32_t *count)
{
	struct orbit_layout layout;

	if (*count < LAYOUTS_MAX && lay_out(m, c, length, &layout) && layout_holds(m, &layout)) {
		choice[(*count)++] = *c;
	}
}

/* Mix two kinds, if one has few layouts or does not divide the length. */
static void add_mixtures(const struct orbit_method *m, uint32_t modulus, uint32_t length,
			 struct choice *choice, uint32_t *count)
{
	uint32_t other, spared;

	for (spared = 0; spared <= 2; spared++)
		for (other = 0; other < m->moduli; other++) {
			struct choice c = { modulus, 0, m->modulus[other], spared };

			if (c.second < modulus && c.second > 1 && modulus % c.second == 0 &&
			    (spared || length % modulus))
				add_choice(m, &c, length, choice, count);
		}
}

/*
 * Frames that all translations map to themselves are the least work, if each orbit fits into
 * one. Otherwise choose the valid kinds with the most cosets.
 */
static uint32_t list_choices(const struct orbit_method *m, uint32_t length, struct choice *choice)
{
	struct choice whole = { 1, 0, 0, 0 };
	uint32_t count = 0, number, weight;

	add_choice(m, &whole, length, choice, &count);
	for (number = 0; number < m->moduli && (!number || !count); number++) {
		for (weight = 0; weight < WEIGHTS; weight++) {
			struct choice c = { m->modulus[number], weight, 0, 0 };

			if (m->weight < WEIGHTS && m->weight != weight)
				continue;
			add_choice(m, &c, length, choice, &count);
		}
		if (m->symmetry->generators == 1 || m->modulus[number] > COARSE)
			add_mixtures(m, m->modulus[number], length, choice, &count);
	}
	return count;
}

/* ---- searches ---- */

static int offer(struct orbit_method *m, const struct orbit_search *search,
		 struct liquid_error *err)
{
	int status = orbit_search_plan(search, &m->plan, err);

	return status ? status : quotient_offer(m->solving, m->quotient, &m->plan, err);
}

/* Continue a search with @work; offer a complete schedule. */
static int search_on(struct orbit_method *m, struct orbit_search *search, uint64_t work,
		     uint32_t *left, struct liquid_error *err)
{
	uint64_t outer = budget_narrow(m->solving->budget, work);

	*left = orbit_search_run(search, m->solving->budget);
	budget_widen(m->solving->budget, outer);
	return *left ? LIQUID_OK : offer(m, search, err);
}

/*
 * Search each layout briefly, with @work in all; *@best is the search with the fewest items left.
 * The best weight at one length is best at the others and is not searched for again.
 */
static int probe(struct orbit_method *m, uint32_t length, uint64_t work, struct orbit_search **best,
		 uint32_t *least, struct liquid_error *err)
{
	struct choice choice[LAYOUTS_MAX];
	uint32_t count = list_choices(m, length, choice), i, left;
	struct orbit_layout layout;
	struct orbit_search *search;
	uint32_t weight = WEIGHTS;
	int status = LIQUID_OK;

	*best = NULL;
	*least = UINT32_MAX;
	for (i = 0; i < count && *least && !status; i++) {
		lay_out(m, &choice[i], length, &layout);
		status = orbit_search_new(&m->problem, &layout, m->seed, &search, err);
		if (!status)
			status = search_on(m, search, work / count, &left, err);
		if (status || left >= *least) {
			orbit_search_free(search);
			continue;
		}
		orbit_search_free(*best);
		*best = search;
		*least = left;
		weight = choice[i].weight;
	}
	if (length > m->quotient->units.duration)
		m->weight = weight;
	return status;
}

/* Spend a part of the work on short searches of each layout, the rest on the best one. */
static int try_length(struct orbit_method *m, uint32_t length, uint64_t work, bool *found,
		      struct liquid_error *err)
{
	struct orbit_search *search;
	uint32_t left;
	int status = probe(m, length, work / PROBE_PARTS, &search, &left, err);

	if (!status && search && left)
		status = search_on(m, search, work / PROBE_PARTS * (PROBE_PARTS - 1), &left, err);
	*found = !left;
	orbit_search_free(search);
	return status;
}

/* Many orbits are placed soon or never; few may take long. */
static bool has_many(const struct orbit_method *m)
{
	const struct routes *units = &m->quotient->units;
	uint64_t copies = units->transfer_count;

	return copies * m->problem.unit_orbits.count / units->pair_count > MANY_ORBITS;
}

/* ---- patterns ---- */

/*
 * Where most orbits fit into one frame that all translations map to itself, and some collide with
 * themselves there, few base frames of the largest kind hold the latter, and the rest are single.
 * Each is used PATTERN_REPEAT times, and so many copies of a unit are one item.
 */
#define PATTERN_REPEAT 2u
/* With fewer copies of a unit, pairs of frames are too coarse. */
#define PATTERN_COPIES 8u
/* The first length is longer than the duration by 1 / PATTERN_FIRST, the next ones by more. */
#define PATTERN_FIRST 50u
/* Base frames of the largest kind that are tried. */
#define PATTERN_FEW 2u
/* Share of the work that a search for any length leaves to the next one: 1 / PATTERN_REST. */
#define PATTERN_REST 8u
/* A shorter length is tried where it may have so many times the work that the last one took. */
#define PATTERN_HARDER 2u

static bool has_patterns(const struct orbit_method *m)
{
	const struct routes *units = &m->quotient->units;
	const struct orbit_kind *one = find_kind(m, 1, 0);
	uint32_t unfit = 0, o;

	for (o = 0; one && o < m->problem.unit_orbits.count; o++) {
		uint32_t copies = units->pairs[m->problem.unit_orbits.sample[o]].count;

		if (copies % PATTERN_REPEAT || copies < PATTERN_COPIES)
			return false;
		unfit += !one->fits[o];
	}
	return one && m->modulus[0] > 1 && unfit && unfit < o / 16 && has_many(m);
}

static bool lay_out_patterns(const struct orbit_method *m, uint32_t length,
			     struct orbit_layout *layout)
{
	const struct orbit_kind *largest = find_kind(m, m->modulus[0], 0);
	uint32_t rest = length / PATTERN_REPEAT;

	memset(layout, 0, sizeof(*layout));
	layout->repeat = PATTERN_REPEAT;
	if (!largest || rest <= PATTERN_FEW * largest->modulus)
		return false;
	add_kind(layout, find_kind(m, 1, 0), rest - PATTERN_FEW * largest->modulus);
	add_kind(layout, largest, PATTERN_FEW);
	return frame_words(layout) <= FRAME_WORDS_MAX && layout_holds(m, layout);
}

static int try_patterns(struct orbit_method *m, uint32_t length, uint64_t work, bool *found,
			struct liquid_error *err)
{
	struct orbit_search *search = NULL;
	struct orbit_layout layout;
	uint32_t left = 1;
	int status;

	*found = false;
	if (!lay_out_patterns(m, length, &layout))
		return LIQUID_OK;
	status = orbit_search_new(&m->problem, &layout, m->seed, &search, err);
	if (!status)
		status = search_on(m, search, work, &left, err);
	orbit_search_free(search);
	*found = !status && !left;
	return status;
}

/* Shorten what was found by @work, while there is enough work for a harder search. */
static int shorten_patterns(struct orbit_method *m, uint32_t length, uint64_t work,
			    struct liquid_error *err)
{
	struct budget *budget = m->solving->budget;
	bool found = true;
	int status = LIQUID_OK;

	while (!status && found && budget_left(budget) / 2 >= PATTERN_HARDER * work) {
		uint64_t before = budget->spent;

		length -= PATTERN_REPEAT;
		status = try_patterns(m, length, budget_left(budget) / 2, &found, err);
		work = budget->spent - before;
	}
	return status;
}

/*
 * A little work for the duration. Then a length longer by 1 / PATTERN_FIRST, and longer ones until
 * one is found; then shorter ones. Where none is found, half of the work is left to other methods.
 */
static int search_patterns(struct orbit_method *m, struct liquid_error *err)
{
	struct budget *budget = m->solving->budget;
	uint32_t duration = m->quotient->units.duration, length = duration, tries;
	uint64_t before = 0, outer, half = budget_left(budget) / 2;
	bool found = false;
	int status;

	if (!has_patterns(m))
		return liquid_fail(err, LIQUID_BAD_INPUT, "orbit: no frames that may be repeated");
	status = try_length(m, duration, budget_left(budget) / 16, &found, err);
	if (status || found)
		return status;
	outer = budget_narrow(budget, half);
	for (tries = 0; tries < 3 && !status && !found; tries++) {
		uint64_t left = budget_left(budget);

		before = budget->spent;
		length += duration / PATTERN_FIRST;
		status = try_patterns(m, length, left - left / PATTERN_REST, &found, err);
	}
	budget_widen(budget, outer);
	m->solving->patterned |= found;
	return status || !found ? status :
	       shorten_patterns(m, length, budget->spent - before, err);
}

/* Find a length above the duration; *@low is the longest that failed. */
static int find_any(struct orbit_method *m, uint32_t *low, uint32_t *high, bool *found,
		    struct liquid_error *err)
{
	const struct solving *solving = m->solving;
	uint32_t step = *low / 128 + 1, parts = has_many(m) ? 10 : 2;
	int status = LIQUID_OK;

	while (!status && !*found && step <= LONGER_MAX * m->quotient->units.duration &&
	       budget_left(solving->budget)) {
		*high = m->quotient->units.duration + step;
		if (solving->length && (uint64_t)*high * m->quotient->repeat >= solving->length)
			break;
		status = try_length(m, *high, budget_left(solving->budget) / parts, found, err);
		if (!*found)
			*low = *high;
		step *= 2;
	}
	return status;
}

/* Bisect between a length that failed and one that was found. */
static int close_in(struct orbit_method *m, uint32_t low, uint32_t high, struct liquid_error *err)
{
	struct budget *budget = m->solving->budget;
	int status = LIQUID_OK;

	while (!status && high - low > 1 && budget_left(budget)) {
		uint32_t middle = low + (high - low) / 2;
		bool found;

		status = try_length(m, middle, budget_left(budget) / 3, &found, err);
		if (found)
			high = middle;
		else
			low = middle;
	}
	return status;
}

/*
 * One seed may take very long where another takes no time, so try short searches with several
 * seeds. A search that spends no work has no choice to make: then other seeds do not help.
 */
static int try_seeds(struct orbit_method *m, uint32_t length, uint64_t work, bool *found,
		     struct liquid_error *err)
{
	struct budget *budget = m->solving->budget;
	uint64_t outer = budget_narrow(budget, work), spent = UINT64_MAX;
	int status = LIQUID_OK;

	for (uint64_t run = 1; !status && !*found && budget_left(budget); run++) {
		if (spent == budget->spent)
			break;
		spent = budget->spent;
		m->seed = m->solving->seed + run * 0x9e3779b97f4a7c15;
		status = try_length(m, length, luby(run) * (work / SEED_PARTS + 1), found, err);
	}
	m->seed = m->solving->seed;
	budget_widen(budget, outer);
	return status;
}

/* Little work for the duration; then any length; then much work for the duration. */
static int search_lengths(struct orbit_method *m, struct liquid_error *err)
{
	struct budget *budget = m->solving->budget;
	uint32_t duration = m->quotient->units.duration, low = duration, high = duration;
	bool found = false;
	int status = try_length(m, duration, budget_left(budget) / 16, &found, err);


	if (!status && !found && !has_many(m))
		status = try_seeds(m, duration, budget_left(budget) / 8, &found, err);
	if (status || found)
		return status;
	status = find_any(m, &low, &high, &found, err);
	if (status || !found)
		return status;
	if (low == duration)
		status = try_length(m, duration, budget_left(budget) / 2, &found, err);
	else
		found = false;
	return status || found ? status : close_in(m, low, high, err);
}

static void method_clear(struct orbit_method *m)
{
	uint32_t i;

	for (i = 0; i < MODULI_MAX * WEIGHTS; i++)
		orbit_kind_clear(&m->kind[i]);
	orbit_problem_clear(&m->problem);
	unit_plan_clear(&m->plan);
	free(m);
}

static int prepare(struct orbit_method *m, struct liquid_error *err)
{
	int status = structure_translations(m->solving, &m->quotient, &m->symmetry, err);

	if (status)
		return status;
	if (!m->symmetry || !m->symmetry->generators)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "orbit: no renaming of the hosts maps routes to routes");
	status = orbit_problem_init(&m->problem, &m->quotient->units, m->symmetry, err);
	if (status)
		return status;
	list_moduli(m);
	return make_kinds(m, err);
}

typedef int (*search_fn)(struct orbit_method *m, struct liquid_error *err);

static int run(struct solving *solving, search_fn search, struct liquid_error *err)
{
	struct orbit_method *m = calloc(1, sizeof(*m));
	int status;

	if (!m)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the orbits");
	m->solving = solving;
	m->weight = WEIGHTS;
	m->seed = solving->seed;
	status = prepare(m, err);
	if (!status)
		status = search(m, err);
	method_clear(m);
	return status;
}

int method_orbit(struct solving *solving, struct liquid_error *err)
{
	return run(solving, search_lengths, err);
}

int method_patterns(struct solving *solving, struct liquid_error *err)
{
	return run(solving, search_patterns, err);
}
