// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The choices of a compact schedule: how large the blocks of senders are, which shifts are used,
 * and the kinds of base frames. Each has a bound: how many base frames its units need by their
 * number in each cell.
 */
#include <stdlib.h>
#include <string.h>

#include "compact/receivers.h"
#include "compact/solver.h"
#include "problem/divisor.h"

#define FINE_UNITS_MAX (1u << 23)	/* without shifts */
#define SMALL_UNITS (1u << 13)		/* without shifts, even where there are some */
#define WEIGH_WORK 16		/* operations for each resource of the units */
#define UNIT_WORK 200		/* about what its weight and first fit take */
#define FACTORS 10		/* weights of shifts that are tried */
#define DRAWS 40		/* of them, until they are as many */

int choice_find_origins(struct solver *solver, struct choice_of_kinds *choice)
{
	const struct group *group = &choice->group;

	choice->origin = calloc((size_t)group->places + 1, sizeof(*choice->origin));
	if (!choice->origin)
		return liquid_no_memory(solver->err);
	for (uint32_t p = 0; p < group->places; p++) {
		bool origin = true;

		for (uint32_t i = 0; i < group->shifts; i++)
			origin &= !shift_digit(&group->shift[i], p);
		if (origin)
			choice->origin[choice->classes++] = p;
	}
	return LIQUID_OK;
}

/*
 * Base frames that as many uses of each class need, rounded up; the last @frames of them, with
 * @phases each, are those of another arena, and are not counted.
 */
static uint32_t frames_for(const struct cells *cells, const uint32_t *uses, uint32_t frames,
			   uint32_t phases)
{
	uint64_t most = 0;

	for (uint32_t c = 0; c < cells->cells; c += cells->span[c]) {
		uint64_t room = (uint64_t)cells->room[c] * cells->span[c];
		uint64_t all = (uint64_t)uses[c] * cells->phases;
		uint64_t others = room * frames * phases;

		if (room && all > others) {
			uint64_t need = (all - others - 1) / (room * cells->phases) + 1;

			most = need > most ? need : most;
		}
	}
	return (uint32_t)most;
}

/*
 * Frames of each arena: of the second as many as what fits nowhere else needs, of the first the
 * rest. @own, @all: uses by those units and by all, each in cells of the two arenas
 */
static void count_frames(struct choice_of_kinds *choice, uint32_t *own, uint32_t *all)
{
	const struct cells *last = &choice->cells[choice->arenas - 1];
	uint32_t phases = last->phases, turns = choice->group.turns;
	uint32_t fine = choice->cells[0].phases;

	if (choice->arenas == 1) {
		choice->frames[0] = frames_for(&choice->cells[0], all, 0, 0);
		choice->bound = (uint64_t)choice->frames[0] * phases * turns;
		return;
	}
	choice->frames[1] = frames_for(last, own, 0, 0);
	choice->frames[0] = choice->rest ? 0 : frames_for(&choice->cells[0], all,
							  choice->frames[1], phases);
	choice->bound = ((uint64_t)choice->frames[0] * fine +
			 (uint64_t)choice->frames[1] * phases) * turns;
}

/* A whole base frame for transfers within switches is not a loss where receivers decide. */
static bool may_have_self(const struct choice_of_kinds *choice, const uint32_t *all)
{
	const struct cells *cells = &choice->cells[0];
	uint32_t links = liquid_fabric_link_count(choice->group.fabric);

	if (choice->arenas > 1 || cells->phases > 1 || choice->group.turns == 1)
		return false;
	for (uint32_t l = 0; l < links; l++) {
		uint32_t c = cells->first[choice->group.blocks + l];
		bool last = liquid_fabric_link(choice->group.fabric, l)->to <
			    liquid_fabric_host_count(choice->group.fabric);

		if (!last && c != LIQUID_NONE &&
		    all[c] > (uint64_t)cells->room[c] * cells->span[c] * (choice->frames[0] - 1))
			return false;
	}
	return true;
}

static int weigh(struct solver *solver, struct choice_of_kinds *choice)
{
	const struct group *group = &choice->group;
	uint32_t resource[CELLS_OF_UNIT];
	uint32_t *all = calloc((size_t)choice->cells[0].cells + 1, sizeof(*all));
	uint32_t *own = calloc((size_t)choice->cells[choice->arenas - 1].cells + 1, sizeof(*own));
	bool fit = all && own;

	for (uint32_t c = 0; fit && c < choice->classes; c++)
		for (uint32_t b = 0; fit && b < group->blocks; b++) {
			int n = cells_unit(group, b, choice->origin[c], resource);
			bool first = n <= 0 || cells_hold(&choice->cells[0], resource, n);

			choice->resources += n > 0 ? (size_t)n : 0;
			fit = n >= 0 && (first || (choice->arenas > 1 &&
						   cells_hold(&choice->cells[1], resource, n)));
			for (int k = 0; fit && k < n; k++) {
				all[choice->cells[0].first[resource[k]]]++;
				if (!first || choice->rest)
					own[choice->cells[1].first[resource[k]]]++;
			}
		}
	if (fit) {
		count_frames(choice, own, all);
		choice->self = may_have_self(choice, all);
	}
	if (solver->outer)
		budget_spend(&solver->budget, choice->resources * WEIGH_WORK);
	fit = all && own;
	free(all);
	free(own);
	return fit ? LIQUID_OK : liquid_no_memory(solver->err);
}

static bool is_shift_of_blocks(const struct group *group, uint32_t i)
{
	return group->shift[i].stride >= group->turns;
}

static const struct factors ones = { { 1, 1, 1, 1, 1, 1, 1, 1 } };

static int add_kind(struct solver *solver, struct choice_of_kinds *choice, uint32_t phases)
{
	const struct group *group = &choice->group;
	uint32_t weight[LIQUID_SHIFTS_MAX] = { 0 };

	for (uint32_t i = 0; i < group->shifts; i++)
		if (is_shift_of_blocks(group, i))
			weight[i] = (uint32_t)((uint64_t)choice->factors.of[i] *
				(phases / common_divisor(group->shift[i].count, phases)) % phases);
	return cells_new(group, phases, weight, &choice->cells[choice->arenas++], solver->err);
}

int choice_make_cells(struct solver *solver, struct choice_of_kinds *choice)
{
	int status = LIQUID_OK;

	choice->arenas = 0;
	if (choice->fine)
		status = add_kind(solver, choice, choice->fine);
	if (!status && choice->phases > choice->fine)
		status = add_kind(solver, choice, choice->phases);
	return status;
}

void choice_drop_cells(struct choice_of_kinds *choice)
{
	for (uint32_t a = 0; a < choice->arenas; a++)
		cells_free(&choice->cells[a]);
}

int choice_weigh(struct solver *solver, struct choice_of_kinds *choice)
{
	int status;

	if (choice->weighed)
		return LIQUID_OK;
	choice->weighed = true;
	if (!choice->group.pool && receivers_may_pool(&choice->group, choice->origin,
						      choice->classes))
		choice->group.pool = choice->group.turns;
	status = choice_make_cells(solver, choice);
	if (!status)
		status = weigh(solver, choice);
	choice_drop_cells(choice);
	return status;
}

/* First fit of these units is more than half of the work that is left. */
static bool is_too_much(const struct solver *solver, const struct choice_of_kinds *choice)
{
	return solver->outer && (uint64_t)choice->classes * choice->group.blocks * UNIT_WORK >
			       budget_left(&solver->budget) / 2;
}

/*
 * Consider base frames of @fine phases, or 0, and of @phases, if those are more. Only where the
 * work counts, or there are no shifts and so few choices, all are weighed at once.
 */
static int consider(struct solver *solver, const struct group *group, uint32_t fine,
		    uint32_t phases, const struct factors *factors, bool rest)
{
	struct choice_of_kinds *choice = &solver->choice[solver->choices];
	int status;

	if (solver->choices == CHOICES_MAX || (solver->choices && solver_is_late(solver)))
		return LIQUID_OK;
	*choice = (struct choice_of_kinds){ .group = *group, .fine = fine, .phases = phases,
					    .factors = *factors, .rest = rest };
	solver->choices++;
	status = choice_find_origins(solver, choice);
	choice->weighed = !status && is_too_much(solver, choice);
	return status || (!solver->outer && group->shifts) ? status :
							     choice_weigh(solver, choice);
}

/* The least number but 1 that divides @n, or 1 */
static uint32_t least_divisor(uint32_t n)
{
	for (uint32_t d = 2; d * d <= n; d++)
		if (n % d == 0)
			return d;
	return 1;
}

/* The @n-th number that has no divisor in common with @phases, round and round from 1 */
static uint32_t nth_unit(uint32_t phases, uint32_t n)
{
	uint32_t unit = 1;

	while (n) {
		unit = unit % phases + 1;
		n -= common_divisor(unit, phases) == 1;
	}
	return unit;
}

/* The other shifts of blocks get larger and larger units, those of the same size drawn anew. */
static struct factors draw_factors(const struct group *group, uint32_t phases,
				   struct random *random)
{
	struct factors factors = ones;

	for (uint32_t i = 1; i < group->shifts; i++) {
		uint32_t unit = nth_unit(phases, random_below(random, phases)), k = i;

		for (; k > 1 && factors.of[k - 1] > unit; k--)
			factors.of[k] = factors.of[k - 1];
		factors.of[k] = unit;
	}
	return factors;
}

static bool is_new(const struct factors *factors, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!memcmp(&factors[i], &factors[count], sizeof(*factors)))
			return false;
	return true;
}

/*
 * Several weights of the shifts. Where all are equal, the transfers along one and along another
 * fill the same phases: weights that differ are better by far on tori, and best with one that turns
 * back. Which of them is left to trials.
 */
static int consider_factors(struct solver *solver, const struct group *group, uint32_t phases)
{
	uint32_t divisor = least_divisor(phases), fine = divisor > 1 ? phases / divisor : 1;
	struct factors factors[FACTORS + 1] = { ones };
	struct random random = { phases };
	int status = consider(solver, group, fine, phases, &factors[0], true);

	for (uint32_t draw = 0, count = 1; !status && draw < DRAWS && count < FACTORS; draw++) {
		factors[count] = draw_factors(group, phases, &random);
		if (is_new(factors, count))
			status = consider(solver, group, fine, phases, &factors[count++],
					  true);
	}
	return status;
}

/*
 * Base frames of all phases that the shifts have in common are long, and the duration is seldom a
 * multiple of them. Finer ones make up the difference: as long as it needs, or, if that finds none,
 * the largest part of a long one.
 */
static int consider_common(struct solver *solver, const struct group *group, uint32_t common)
{
	uint32_t over = solver->figures.duration % common;
	uint32_t fine = over ? common_divisor(common, over) : 0;
	uint32_t part = common / least_divisor(common);
	int status = consider(solver, group, 0, common, &ones, false);

	if (!status && fine)
		status = consider(solver, group, fine, common, &ones, false);
	if (!status && part != fine && part < common)
		status = consider(solver, group, part, common, &ones, false);
	return status;
}

/* All numbers of phases that a shift of blocks has, and the least that all of them have */
static int consider_group(struct solver *solver, const struct group *group)
{
	uint64_t common = 1;
	int status = consider(solver, group, 1, 1, &ones, false);

	for (uint32_t i = 0; i < group->shifts; i++)
		if (is_shift_of_blocks(group, i) && common <= group->places)
			common *= group->shift[i].count /
				  common_divisor((uint32_t)common, group->shift[i].count);

	for (uint32_t i = 0; !status && i < group->shifts; i++) {
		bool again = !is_shift_of_blocks(group, i);

		for (uint32_t k = 0; k < i; k++)
			again |= is_shift_of_blocks(group, k) &&
				 group->shift[k].count == group->shift[i].count;
		if (group->shift[i].count == common)
			common = 1;
		if (!again)
			status = consider_factors(solver, group, group->shift[i].count);
		if (!status && !again)
			status = consider(solver, group, 1, group->shift[i].count, &ones, false);
	}
	if (!status && common > 1 && common <= group->places)
		status = consider_common(solver, group, (uint32_t)common);
	return status;
}

static void drop_last(struct solver *solver)
{
	free(solver->choice[--solver->choices].origin);
}

static void keep_last(struct solver *solver)
{
	struct choice_of_kinds first = solver->choice[0];

	solver->choice[0] = solver->choice[solver->choices - 1];
	solver->choice[solver->choices - 1] = first;
	while (solver->choices > 1)
		drop_last(solver);
}

/*
 * Where switches have different numbers of hosts, turns of the largest leave the others idle: cut
 * all into smaller blocks, as far as that shortens the bound.
 */
static int choose_turns(struct solver *solver)
{
	struct group *group = &solver->group;
	uint64_t least = UINT64_MAX;
	int status = LIQUID_OK;

	if (group->shifts)
		return LIQUID_OK;
	for (uint32_t turns = group->turns; turns && least > solver->figures.duration;
	     turns -= (turns + 15) / 16) {
		status = group_cut(group, turns, solver->err);
		if (status || (uint64_t)group->places * group->blocks > TURNS_UNITS_MAX ||
		    (solver->choices && solver_is_late(solver)))
			break;
		status = consider(solver, group, 1, 1, &ones, false);
		if (status)
			break;
		if (solver->choice[solver->choices - 1].bound < least)
			least = solver->choice[solver->choices - 1].bound;
		else
			drop_last(solver);
		if (solver->choices > 1)
			keep_last(solver);
	}
	if (status || !solver->choices)
		return status;
	return group_cut(group, solver->choice[0].group.turns, solver->err);
}

static int find_choices(struct solver *solver)
{
	struct group group = solver->group;
	uint64_t units = (uint64_t)group.places * group.blocks;
	bool found = false;
	int status = LIQUID_OK;

	if (group.shifts)
		status = consider_group(solver, &group);
	if (!status && group.shifts && !is_shift_of_blocks(&group, 0)) {
		group.shifts--;
		for (uint32_t i = 0; i < group.shifts; i++) {
			group.shift[i] = group.shift[i + 1];
			group.link_to[i] = group.link_to[i + 1];
		}
		if (group.shifts)
			status = consider_group(solver, &group);
	}
	for (uint32_t i = 0; !status && !found && i < solver->choices; i++) {
		status = choice_weigh(solver, &solver->choice[i]);
		found = solver->choice[i].bound != 0;
	}
	if (!solver->group.shifts && solver->choices)
		return status;		/* by choose_turns() */
	group.shifts = 0;
	if (!status && (!found || units <= SMALL_UNITS) && units <= FINE_UNITS_MAX)
		status = consider(solver, &group, 1, 1, &ones, false);
	return status;
}

int choices_find(struct solver *solver)
{
	int status;

	solver->choice = malloc(CHOICES_MAX * sizeof(*solver->choice));
	if (!solver->choice)
		return liquid_no_memory(solver->err);
	status = choose_turns(solver);
	return status ? status : find_choices(solver);
}
