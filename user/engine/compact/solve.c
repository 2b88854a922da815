// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finding a compact schedule of an all-to-all
 *
 * The shifts of the tables are found once. Each choice of shifts and phases has its own bound.
 * Those whose bounds are least are packed by first fit, the shortest of them get a trial each, and
 * the best of these all the work that is left. If no shift keeps the exchange, but some keep that
 * of more hosts, that comes first, see whole.c.
 */
#include <stdlib.h>

#include "base/parallel.h"
#include "compact/find.h"
#include "compact/receivers.h"
#include "compact/solver.h"
#include "fabric/fabric.h"

#define WORK_DEFAULT UINT64_C(1000000000)
#define WORK_OF_PLACE 2000000	/* at most: more gains little */
#define MANY_PAIRS (1u << 20)	/* transfers for as much more work, ... */
#define WORK_MORE 13		/* ... up to so much */
#define TRIALS 3		/* part of the work that finds the best choice */
#define WORK_APART UINT64_C(800000000)	/* where kinds are filled one by one, ... */
#define WORK_OF_UNIT 8192	/* ... or so much for each unit, at most half of the rest */
#define SINGLE_UNITS_MAX (1u << 17)	/* of blocks of one host each, where others would do, ... */
#define SINGLE_WORK 2048		/* ... and the least work for each */
#define MORE_FRAMES 32		/* there is memory for, besides an eighth more, ... */
#define MORE_RARE 8		/* ... and of a second kind, whose frames have many cells */
#define COARSE 115			/* % of the least bound or length: choices to try */
#define NEAR_PART 64		/* longer than the duration by this part: not by much */

int solver_start_pack(struct solver *solver, struct choice_of_kinds *choice,
		      struct bundles *bundles, struct pack *pack)
{
	int status = choice_make_cells(solver, choice);

	if (!status && bundles)
		status = bundles_find(bundles, &choice->cells[0], choice->origin, choice->classes,
				      solver->err);
	if (!status && bundles && !bundles->count)
		status = liquid_fail(solver->err, LIQUID_LIMIT, "no links are alike");
	*pack = (struct pack){
		.group = &choice->group, .origin = choice->origin,
		.units = choice->classes * choice->group.blocks, .arenas = choice->arenas,
		.resources = choice->resources, .rest = choice->rest, .budget = &solver->budget,
		.least = choice->bound / choice->group.turns, .random.state = solver->options.seed,
		.bundles = bundles, .soon = solver->outer,
	};
	for (uint32_t a = 0; a < pack->arenas; a++) {
		pack->arena[a].cells = &choice->cells[a];
		pack->arena[a].frames = choice->frames[a];
		pack->arena[a].most = choice->frames[a] + choice->frames[a] / 8 +
				      (a && !choice->rest ? MORE_RARE : MORE_FRAMES);
	}
	return status ? status : pack_new(pack, solver->err);
}

/* Pack @choice, and keep the result if it is shorter than *@schedule. @apart: first one kind */
static int improve(struct solver *solver, struct choice_of_kinds *choice, uint64_t work, bool apart,
		   struct liquid_schedule **schedule)
{
	struct liquid_schedule *other = NULL;
	struct bundles bundles = { 0 };
	struct pack pack;
	int status = solver_start_pack(solver, choice, apart ? &bundles : NULL, &pack);
	uint64_t outer = budget_narrow(&solver->budget, work);

	if (!status)
		status = apart ? pack_all_apart(&pack, solver->err) :
				 pack_all(&pack, choice->self, solver->err);
	budget_widen(&solver->budget, outer);
	if (!status)
		pack_forget(&pack);
	if (!status && apart)
		status = bundles_assign(&bundles, &pack, solver->err);
	if (!status && choice->group.pool)
		status = receivers_assign(&pack, solver->err);
	if (!status)
		status = result_make(solver, &pack, choice, &other);
	pack_free(&pack);
	choice_drop_cells(choice);
	choice->length = status ? UINT32_MAX : other->info.length;
	bundles_free(&bundles);
	if (status)
		liquid_schedule_free(other);
	else
		result_keep(schedule, other);
	return status == LIQUID_LIMIT ? LIQUID_OK : status;
}

/* May @choice be shorter than the best so far? */
static bool may_improve(const struct choice_of_kinds *choice,
			const struct liquid_schedule *schedule)
{
	return choice->bound && (!schedule || choice->bound < schedule->info.length);
}

/* Choices that get a trial each, side by side */
struct trials {
	struct solver *solver;
	uint32_t count;
	struct trial {
		struct choice_of_kinds *choice;
		struct budget budget;
		struct liquid_error err;
		int status;
	} trial[CHOICES_MAX];
};

/* Rate a choice: its bound, longer by the part of its units that find no place. */
static void rate(void *context, uint32_t number)
{
	struct trials *trials = context;
	struct trial *trial = &trials->trial[number];
	struct choice_of_kinds *choice = trial->choice;
	struct solver own = *trials->solver;	/* with a budget and its own errors */
	struct pack pack;
	uint64_t crowd;

	own.budget = trial->budget;
	own.err = &trial->err;
	trial->status = solver_start_pack(&own, choice, NULL, &pack);
	if (!trial->status)
		trial->status = pack_try(&pack, choice->self, &crowd, &trial->err);
	choice->rating = trial->status ? UINT64_MAX :
			 choice->bound * 1024 + choice->bound * crowd * 16 / (pack.orders + 1);
	trial->budget = own.budget;
	pack_free(&pack);
	choice_drop_cells(choice);
}

/* A choice that is too large is none; other errors are reported. */
static int rate_all(struct trials *trials)
{
	struct solver *solver = trials->solver;
	uint64_t work = budget_left(&solver->budget) / TRIALS;
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < trials->count; i++)
		trials->trial[i].budget = budget_part(&solver->budget, work / trials->count);
	parallel_do(solver->threads, trials->count, rate, trials);
	for (uint32_t i = 0; i < trials->count; i++) {
		struct trial *trial = &trials->trial[i];

		budget_join(&solver->budget, &trial->budget);
		if (!status && trial->status && trial->status != LIQUID_LIMIT)
			status = liquid_fail(solver->err, trial->status, "%s", trial->err.text);
	}
	return status;
}

/* Is there a schedule that needs no other search? */
static bool is_near(const struct solver *solver, const struct liquid_schedule *schedule)
{
	uint32_t duration = solver->figures.duration;

	return schedule && schedule->info.length - duration <= duration / NEAR_PART;
}

/*
 * Whole turns of all blocks, which no choice is shorter than. Most fabrics that can be liquid have
 * many choices of just this length, and are solved by the first of them: the others need not be
 * weighed.
 */
static uint64_t floor_of(const struct solver *solver)
{
	uint32_t turns = solver->group.turns;

	return ((uint64_t)solver->figures.duration + turns - 1) / turns * turns;
}

static int find_least(struct solver *solver)
{
	uint64_t floor = floor_of(solver);
	int status = LIQUID_OK;

	solver->least = UINT64_MAX;
	for (uint32_t i = 0; !status && i < solver->choices && solver->least > floor; i++) {
		struct choice_of_kinds *choice = &solver->choice[i];

		status = choice_weigh(solver, choice);
		if (choice->bound && choice->bound < solver->least)
			solver->least = choice->bound;
	}
	return status;
}

/* Its bound becomes 0 if @choice is of no use, or is to be tried last. */
static int settle(struct solver *solver, struct choice_of_kinds *choice)
{
	int status = choice_weigh(solver, choice);

	if (status || choice->settled)
		return status;
	choice->settled = true;
	if (100 * choice->bound > COARSE * solver->least)
		choice->aside = choice->bound;
	if (choice->aside || choice->bound >= solver->most)
		choice->bound = 0;
	return LIQUID_OK;
}

static int is_only(struct solver *solver, bool *only)
{
	uint32_t count = 0;
	int status = LIQUID_OK;

	for (uint32_t i = 0; !status && count < 2 && i < solver->choices; i++) {
		status = settle(solver, &solver->choice[i]);
		count += solver->choice[i].bound != 0;
	}
	*only = count == 1;
	return status;
}

/* As improve(), with blocks of one host each; those of a switch take turns in any order. */
static int improve_single(struct solver *solver, struct choice_of_kinds *choice, uint64_t work,
			  struct liquid_schedule **schedule)
{
	struct choice_of_kinds single = { .group = choice->group, .fine = choice->fine,
					  .phases = choice->phases, .factors = choice->factors };
	int status = group_cut(&single.group, 1, solver->err);

	if (!status)
		status = choice_find_origins(solver, &single);
	if (!status)
		status = choice_weigh(solver, &single);
	if (!status)
		status = improve(solver, &single, work, true, schedule);
	free(single.origin);
	choice->length = single.length;
	return status ? status : group_cut(&choice->group, choice->group.turns, solver->err);
}

/* Fill the two kinds of base frames one by one, where links of the first form bundles. */
static int try_apart(struct solver *solver, struct liquid_schedule **schedule)
{
	int status = LIQUID_OK;

	for (uint32_t i = 0; !status && i < solver->choices; i++) {
		struct choice_of_kinds *choice = &solver->choice[i];
		uint64_t units = (uint64_t)choice->classes * choice->group.blocks;
		uint64_t work = units * WORK_OF_UNIT;

		work = work > WORK_APART ? work : WORK_APART;
		if (work > budget_left(&solver->budget) / 2)
			work = budget_left(&solver->budget) / 2;
		if (!work || choice->rest || choice->fine != 1 || choice->phases <= 1)
			continue;
		status = settle(solver, choice);
		if (status || !may_improve(choice, *schedule))
			continue;
		units *= choice->group.turns;
		if (choice->group.pool && units <= SINGLE_UNITS_MAX && work >= units * SINGLE_WORK)
			status = improve_single(solver, choice, work, schedule);
		else
			status = improve(solver, choice, work, true, schedule);
	}
	return status;
}

/* Those that are the shortest by first fit get a trial each, and the best of them the rest. */
static int try_choices(struct solver *solver, struct liquid_schedule **schedule)
{
	struct trials trials = { .solver = solver };
	struct choice_of_kinds *best = NULL;
	uint32_t least = (*schedule)->info.length;
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < solver->choices; i++)
		if (100 * (uint64_t)solver->choice[i].length <= COARSE * (uint64_t)least &&
		    may_improve(&solver->choice[i], *schedule))
			trials.trial[trials.count++].choice = &solver->choice[i];
	if (trials.count > 1)
		status = rate_all(&trials);
	for (uint32_t i = 0; i < trials.count; i++)
		if (!best || trials.trial[i].choice->rating < best->rating)
			best = trials.trial[i].choice;
	if (status || !best)
		return status;
	return improve(solver, best, budget_left(&solver->budget), false, schedule);
}

/* The only choice gets all work at once, and first fit if there is no memory for more. */
static int fit_first(struct solver *solver, struct choice_of_kinds *choice, bool only,
		     struct liquid_schedule **schedule)
{
	int status = LIQUID_OK;

	if (only && may_improve(choice, *schedule))
		status = improve(solver, choice, budget_left(&solver->budget), false, schedule);
	if (!status && may_improve(choice, *schedule) && (!only || choice->length == UINT32_MAX))
		status = improve(solver, choice, 0, false, schedule);
	return status;
}

/* No choice of a low bound found frames for all: the others do, if one does. */
static int fit_aside(struct solver *solver, struct liquid_schedule **schedule)
{
	int status = LIQUID_OK;

	for (uint32_t i = 0; !status && i < solver->choices; i++) {
		if (*schedule && solver_is_late(solver))
			break;
		solver->choice[i].bound = solver->choice[i].aside;
		status = fit_first(solver, &solver->choice[i], false, schedule);
	}
	return status;
}

/* First fit of each choice that may be the shortest; then the work for those that were. */
static int fit_choices(struct solver *solver, struct liquid_schedule **schedule)
{
	bool only;
	int status = is_only(solver, &only);

	for (uint32_t i = 0; !status && i < solver->choices; i++) {
		if (*schedule && (solver_is_late(solver) ||
				  (*schedule)->info.length <= floor_of(solver)))
			break;
		status = settle(solver, &solver->choice[i]);
		if (!status)
			status = fit_first(solver, &solver->choice[i], only, schedule);
	}
	if (!status && !*schedule)
		status = fit_aside(solver, schedule);
	if (status)
		return status;
	if (!*schedule)
		return liquid_fail(solver->err, LIQUID_LIMIT, "too large for a compact schedule: "
				   "the tables keep too few shifts");
	return only || solver_is_late(solver) ? LIQUID_OK : try_choices(solver, schedule);
}

static int pack_choices(struct solver *solver, struct liquid_schedule **schedule)
{
	int status = tile_choices(solver, schedule);

	if (!status)
		status = find_least(solver);
	solver->most = *schedule ? (*schedule)->info.length : UINT64_MAX;
	for (uint32_t i = 0; i < solver->choices; i++)
		solver->choice[i].length = UINT32_MAX;
	if (!status)
		status = try_apart(solver, schedule);
	if (status || is_near(solver, *schedule))
		return status;
	return fit_choices(solver, schedule);
}

static int take_options(struct solver *solver, const struct liquid_solve_options *options)
{
	uint64_t more = (uint64_t)solver->group.places * solver->group.places / MANY_PAIRS;

	if (options->threads > PARALLEL_THREADS_MAX)
		return liquid_fail(solver->err, LIQUID_BAD_INPUT, "%llu threads: at most %u",
				   (unsigned long long)options->threads, PARALLEL_THREADS_MAX);
	solver->options = *options;
	solver->threads = solver->options.threads ? (uint32_t)solver->options.threads :
						    solver->group.fabric->threads;
	if (!solver->options.work)
		solver->options.work = WORK_DEFAULT;
	/* more hosts have more to do in a move, and few are soon done */
	more = more < WORK_MORE ? more : WORK_MORE;
	if (solver->outer) {
		solver->budget = budget_inside(solver->outer);
	} else {
		budget_start(&solver->budget, &solver->options);
		solver->budget.state.phase = "compact";
	}
	solver->budget.state.total = (uint64_t)solver->group.places * (solver->group.places - 1);
	if (solver->budget.limit / WORK_OF_PLACE > solver->group.places)
		solver->budget.limit = (uint64_t)solver->group.places * WORK_OF_PLACE;
	if (!solver->outer)
		solver->budget.limit *= 1 + more;
	if (!solver->options.link_rate_bps)
		solver->options.link_rate_bps = liquid_fabric_unit_rate(solver->group.fabric);
	return LIQUID_OK;
}

int solver_begin(struct solver *solver, const struct liquid_fabric *fabric, const uint32_t *hosts,
		 size_t count, const struct liquid_solve_options *options)
{
	int status = group_make(fabric, hosts, count, &solver->group, solver->err);

	if (!status)
		status = take_options(solver, options);
	if (!status)
		status = group_cut(&solver->group, 0, solver->err);
	if (!status)
		status = group_find_shifts(&solver->group, solver->err);
	if (!status)
		status = group_reorder(&solver->group, solver->outer ? &solver->budget : NULL,
				       solver->err);
	if (!status)
		status = result_measure(solver);
	solver->budget.state.lower_bound = solver->figures.duration;
	return status;
}

/* Do switches have different numbers of the hosts, and are those too many for blocks of one? */
static bool suits_windows(const struct group *group)
{
	return !group_is_even(group) &&
	       (uint64_t)group->places * group->places > TURNS_UNITS_MAX;
}

int solver_search(struct solver *solver, struct liquid_schedule **schedule)
{
	int status = LIQUID_OK;

	if (suits_windows(&solver->group)) {
		status = windows_solve(solver, schedule);
		if (status || is_near(solver, *schedule))
			return status;
	}
	status = choices_find(solver);
	return status ? status : pack_choices(solver, schedule);
}

void solver_end(struct solver *solver)
{
	for (uint32_t i = 0; solver && i < solver->choices; i++)
		free(solver->choice[i].origin);
	if (solver && solver->budget.outer)
		budget_charge(&solver->budget);
	if (solver) {
		group_drop(&solver->group);
		free(solver->choice);
	}
	free(solver);
}

int compact_solve(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
		  const struct liquid_solve_options *options, struct budget *outer,
		  struct liquid_schedule **schedule, struct liquid_error *err)
{
	struct solver *solver = calloc(1, sizeof(*solver));
	int status;

	*schedule = NULL;
	if (!solver)
		return liquid_no_memory(err);
	solver->err = err;
	solver->outer = outer;
	status = solver_begin(solver, fabric, hosts, count, options);
	if (!status)
		status = whole_solve(solver, schedule);
	if (!status && !is_near(solver, *schedule))
		status = solver_search(solver, schedule);
	if (solver->budget.cancelled)
		status = liquid_fail(err, LIQUID_CANCELLED, "cancelled");
	if (!status)
		status = liquid_schedule_renumber(*schedule, fabric, err);
	if (!status)
		status = liquid_verify(fabric, NULL, *schedule, NULL, NULL, err);
	if (status) {
		liquid_schedule_free(*schedule);
		*schedule = NULL;
	}
	solver_end(solver);
	return status;
}
