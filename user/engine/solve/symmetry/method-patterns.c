// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * patterns: find twins and translations, then place each orbit in frames that are used twice
 *
 * Where most orbits fit into one frame that all translations map to itself, and some collide with
 * themselves there, few base frames of the largest kind hold the latter, and the rest are single.
 * Each is used PATTERN_REPEAT times, and as many copies of a unit are one item.
 */
#include <stdlib.h>
#include <string.h>

#include "problem/divisor.h"
#include "solve/methods.h"
#include "solve/symmetry/orbit.h"
#include "solve/symmetry/structure.h"

#define PATTERN_REPEAT 2u
/* With fewer copies of a unit, pairs of frames are too coarse. */
#define PATTERN_COPIES 8u
/* The first length is longer than the duration by 1 / PATTERN_FIRST. */
#define PATTERN_FIRST 50u
/* Base frames of the largest kind that are tried. */
#define PATTERN_FEW 2u
/* Fewer orbits may take long. */
#define MANY_ORBITS 4096u

/* Factors of the generators that proved good, by experiment. */
static const uint32_t weights[SYMMETRY_GENERATORS_MAX] = { 1, 3, 5, 7, 9, 11 };

struct patterns {
	struct solving *solving;
	const struct quotient *quotient;
	const struct symmetry *symmetry;
	struct orbit_problem problem;
	struct orbit_kind one, largest;	/* of modulus 1, and of the largest */
	struct unit_plan plan;
};

/* ---- layouts ---- */

/* The largest order of a cyclic group onto which the translations map */
static uint32_t largest_modulus(const struct symmetry *symmetry)
{
	for (uint32_t t = ORBIT_MODULUS_MAX; t > 1; t--) {
		uint64_t common = 1;

		for (uint32_t g = 0; g < symmetry->generators; g++) {
			uint32_t part = common_divisor(t, symmetry->order[g]);

			common = common / common_divisor((uint32_t)common, part) * part;
		}
		if (common == t)
			return t;
	}
	return 1;
}

/* Memory limit of the base frames of a search, in words. */
#define FRAME_WORDS_MAX (UINT64_C(1) << 26)

static uint64_t frame_words(const struct orbit_layout *layout)
{
	uint64_t words = 0;

	for (uint32_t k = 0; k < layout->kinds; k++) {
		const struct orbit_kind *kind = layout->kind[k];

		words += (uint64_t)layout->frames[k] *
			 (16 + kind->cells + kind->slots);
	}
	return words;
}

/* Whether each orbit has a place in some base frame, and all kinds divide it in the same way. */
static bool layout_holds(const struct patterns *m, const struct orbit_layout *layout)
{
	uint32_t o, k, fits;

	for (o = 0; o < m->problem.unit_orbits.count; o++) {
		for (k = 0, fits = 0; k < layout->kinds; k++) {
			fits += orbit_has_choices(layout->kind[k], o);
			if ((uint64_t)layout->kind[k]->unit_cosets[o] * layout->kind[0]->modulus !=
			    (uint64_t)layout->kind[0]->unit_cosets[o] * layout->kind[k]->modulus)
				return false;
		}
		if (!fits)
			return false;
	}
	return true;
}

static bool lay_out(const struct patterns *m, uint32_t length, struct orbit_layout *layout)
{
	uint32_t few = PATTERN_FEW * m->largest.modulus, rest = length / PATTERN_REPEAT;

	if (rest <= few)
		return false;
	*layout = (struct orbit_layout){ .kinds = 2, .kind = { &m->one, &m->largest },
					 .frames = { rest - few, PATTERN_FEW },
					 .repeat = PATTERN_REPEAT };
	return frame_words(layout) <= FRAME_WORDS_MAX && layout_holds(m, layout);
}

/* ---- the search ---- */

/* Copies of all units allow it, whatever the translations are. */
static bool has_copies(const struct quotient *quotient)
{
	const struct routes *units = &quotient->units;

	for (uint32_t u = 0; u < units->pair_count; u++)
		if (units->pairs[u].count % PATTERN_REPEAT ||
		    units->pairs[u].count < PATTERN_COPIES)
			return false;
	return units->pair_count;
}

static bool has_patterns(const struct patterns *m)
{
	const struct routes *units = &m->quotient->units;
	uint32_t orbits = m->problem.unit_orbits.count, unfit = 0;
	uint64_t copies = units->transfer_count;

	for (uint32_t o = 0; o < orbits; o++)
		unfit += !m->one.fits[o];
	return unfit && unfit < orbits / 16 && copies * orbits / units->pair_count > MANY_ORBITS;
}

static int try_length(struct patterns *m, uint32_t length, bool *found, struct liquid_error *err)
{
	struct orbit_eject *search = NULL;
	struct orbit_layout layout;
	int status;

	*found = false;
	if (!lay_out(m, length, &layout))
		return LIQUID_OK;
	status = orbit_eject_new(&m->problem, &layout, m->solving->seed, &search, err);
	if (status)
		return status;
	*found = !orbit_eject_run(search, m->solving->budget);
	if (*found)
		status = orbit_eject_plan(search, &m->plan, err);
	if (*found && !status)
		status = quotient_offer(m->solving, m->quotient, &m->plan, err);
	orbit_eject_free(search);
	return status;
}

/*
 * A length longer by 1 / PATTERN_FIRST, or shorter than the best, for as long as it takes; then
 * shorter ones.
 */
static int search_lengths(struct patterns *m, struct liquid_error *err)
{
	const struct solving *solving = m->solving;
	uint32_t duration = m->quotient->units.duration, repeat = m->quotient->repeat;
	uint32_t length = duration + duration / PATTERN_FIRST;
	bool found = true;
	int status = LIQUID_OK;

	for (; !status && found && length >= duration && budget_left(solving->budget);
	     length -= PATTERN_REPEAT) {
		if (solving->length && length >= solving->length / repeat)
			length = solving->length / repeat - PATTERN_REPEAT;
		status = try_length(m, length, &found, err);
	}
	return status;
}

static int unfit(struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_BAD_INPUT, "patterns: no frames that may be used twice");
}

static int prepare(struct patterns *m, struct liquid_error *err)
{
	int status = structure_twins(m->solving, &m->quotient, err);
	uint32_t modulus;
	bool useful = true;

	if (!status && (!m->quotient || !has_copies(m->quotient)))
		return unfit(err);
	if (!status)
		status = structure_translations(m->solving, &m->quotient, &m->symmetry, err);
	if (status)
		return status;
	modulus = m->symmetry->generators ? largest_modulus(m->symmetry) : 1;
	if (modulus == 1)
		return unfit(err);
	status = orbit_problem_init(&m->problem, &m->quotient->units, m->symmetry, err);
	if (!status)
		status = orbit_kind_init(&m->one, &m->problem, 1, weights, &useful, err);
	if (!status && useful)
		status = orbit_kind_init(&m->largest, &m->problem, modulus, weights, &useful, err);
	return status || (useful && has_patterns(m)) ? status : unfit(err);
}

int method_patterns(struct solving *solving, struct liquid_error *err)
{
	struct patterns m = { .solving = solving };
	int status = prepare(&m, err);

	if (!status)
		status = search_lengths(&m, err);
	orbit_kind_clear(&m.one);
	orbit_kind_clear(&m.largest);
	orbit_problem_clear(&m.problem);
	unit_plan_clear(&m.plan);
	return status;
}
