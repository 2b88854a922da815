// SPDX-License-Identifier: GPL-2.0-only
/* Callers compiled with another liquidsched.h: their structs are smaller or larger. */
#include <stddef.h>

#include "fixtures.h"
#include "tap.h"

/* What a newer header would have: one member more. */
#define NEWER(type) struct newer_##type { struct liquid_##type known; uint64_t added; }
NEWER(solve_options);
NEWER(sim_options);
NEWER(import);
NEWER(ranks);
NEWER(change);
NEWER(plan_options);
NEWER(run_options);
NEWER(choose_options);
NEWER(capillary_options);
NEWER(ror_options);
NEWER(ror);

static struct liquid_fabric *fabric;
static struct liquid_traffic *traffic;
static struct liquid_error err;

static int solve_status(const void *options)
{
	struct liquid_schedule *schedule;
	int status = liquid_solve(fabric, traffic, options, &schedule, &err);

	liquid_schedule_free(schedule);
	return status;
}

static int simulate_status(const void *options)
{
	struct liquid_sim_result *result;
	int status = liquid_simulate(fabric, traffic, NULL, options, &result, &err);

	liquid_sim_free(result);
	return status;
}

/* Without a file: only what is said of the struct itself tells. */
static int import_status(const void *import)
{
	struct liquid_fabric *imported;
	int status = liquid_fabric_import(import, &imported, &err);

	liquid_fabric_free(imported);
	return status;
}

static int ranks_status(const void *ranks)
{
	struct liquid_traffic *of_ranks;
	int status = liquid_ranks_alltoall(ranks, &of_ranks, &err);

	liquid_traffic_free(of_ranks);
	return status;
}

static int choose_status(const void *options)
{
	struct liquid_choice *choice;
	int status = liquid_choose(fabric, options, &choice, &err);

	liquid_choice_free(choice);
	return status;
}

static int capillary_status(const void *options)
{
	struct liquid_capillary *capillary;
	int status = liquid_capillary(fabric, options, &capillary, &err);

	liquid_capillary_free(capillary);
	return status;
}

/* A stream that half of one link carries: there must be a rating, not a way. */
static int rate(const struct liquid_ror_options *options, void *ror)
{
	double *share = calloc(liquid_fabric_link_count(fabric), sizeof(*share));
	int status;

	if (!share)
		exit(1);
	share[0] = .5;
	status = liquid_ror(fabric, share, options, ror, &err);
	free(share);
	return status;
}

static int ror_options_status(const void *options)
{
	struct liquid_ror ror = { .size = sizeof(ror) };

	return rate(options, &ror);
}

static int ror_status(void *ror)
{
	struct liquid_ror_options options = { .size = sizeof(options), .tolerance = .1 };

	return rate(&options, ror);
}

static int change_status(void *change)
{
	struct liquid_schedule *schedule;
	int status;

	must(liquid_solve(fabric, traffic, NULL, &schedule, &err), &err);
	status = liquid_schedule_compare(schedule, schedule, change, NULL, NULL, &err);
	liquid_schedule_free(schedule);
	return status;
}

static int plan_status(const void *options)
{
	struct liquid_schedule *schedule;
	struct liquid_plan *plan;
	int status;

	must(liquid_solve(fabric, traffic, NULL, &schedule, &err), &err);
	status = liquid_plan_make(fabric, schedule, options, &plan, &err);
	liquid_plan_free(plan);
	liquid_schedule_free(schedule);
	return status;
}

static int run_status(const void *options)
{
	struct liquid_schedule *schedule;
	struct liquid_plan *plan;
	struct liquid_run *run;
	int status;

	must(liquid_solve(fabric, traffic, NULL, &schedule, &err), &err);
	must(liquid_plan_make(fabric, schedule, NULL, &plan, &err), &err);
	status = liquid_run_new(plan, 0, options, &run, &err);
	liquid_run_free(run);
	liquid_plan_free(plan);
	liquid_schedule_free(schedule);
	return status;
}

static bool refused(int status, const char *text)
{
	bool right = status == LIQUID_BAD_INPUT && strstr(err.text, text);

	if (!right)
		printf("# %d: %s\n", status, status ? err.text : "accepted");
	err.text[0] = '\0';
	return right;
}

#define UNSET "set size to sizeof"
#define UNKNOWN "needs a newer library"

/* @good is accepted; its @size is that of the newer struct, whose last member is @added. */
static void test_taken(const char *name, int (*take)(const void *), void *good, size_t known,
		       uint64_t *added)
{
	size_t *size = good;

	*size = known;
	ok(!take(good), "%s as this header has it is accepted", name);
	*added = 1;
	ok(!take(good), "%s: what lies behind it is not read", name);
	*size = known + sizeof(*added);
	ok(refused(take(good), UNKNOWN), "%s of a newer program is refused with a new member set",
	   name);
	*added = 0;
	ok(!take(good), "%s of a newer program is accepted without", name);
	*size = 0;
	ok(refused(take(good), UNSET), "%s without a size is refused", name);
	*size = SIZE_MAX;
	ok(refused(take(good), UNSET), "%s with a size that none can have is refused", name);
}

/* The members that an older program does not have are 0, whatever lies in their place. */
static void test_older(void)
{
	struct liquid_solve_options solve = {
		.size = offsetof(struct liquid_solve_options, time_limit), .seed = 5,
		.time_limit = -1,
	};
	struct liquid_sim_options simulate = {
		.size = offsetof(struct liquid_sim_options, cycles), .message_bytes = 4000,
		.cycles = UINT64_MAX,
	};
	struct liquid_schedule *schedule;
	struct liquid_sim_result *result;

	must(liquid_solve(fabric, traffic, &solve, &schedule, &err), &err);
	ok(liquid_schedule_info(schedule)->seed == 5,
	   "an older liquid_solve_options: what it has counts");
	liquid_schedule_free(schedule);
	solve.size = sizeof(solve);
	ok(refused(solve_status(&solve), "time limit"), "what it lacks counts in the whole one");
	must(liquid_simulate(fabric, traffic, NULL, &simulate, &result, &err), &err);
	ok(result->options->message_bytes == 4000 && result->options->cycles == 1 &&
	   result->options->size == sizeof(simulate),
	   "an older liquid_sim_options: what it lacks has its default, and the result the whole");
	liquid_sim_free(result);
	simulate.size = sizeof(simulate);
	ok(refused(simulate_status(&simulate), "cycles"), "what it lacks counts in the whole one");
}

/* Nothing is written behind the struct of an older program, nor left unset in a newer one's. */
static void test_given(void)
{
	struct newer_change change = { .known.size = offsetof(struct liquid_change, moved) };

	change.known.moved = change.added = 99;
	ok(!change_status(&change.known) && change.known.kept == 25 && change.known.moved == 99 &&
	   change.known.size == offsetof(struct liquid_change, moved),
	   "an older liquid_change gets what it has, and nothing behind it");
	change.known.size = sizeof(change);
	ok(!change_status(&change.known) && change.known.kept == 25 && !change.known.moved &&
	   !change.added && change.known.size == sizeof(change),
	   "a newer liquid_change gets 0 for what this library does not count");
	change.known.size = 0;
	ok(refused(change_status(&change.known), UNSET), "liquid_change without a size is refused");
}

static void test_ror_given(void)
{
	struct newer_ror ror = { .known.size = offsetof(struct liquid_ror, critical) };

	ror.known.critical = ror.added = 99;
	ok(!ror_status(&ror.known) && ror.known.footprint == 1 && ror.known.critical == 99,
	   "an older liquid_ror gets what it has, and nothing behind it");
	ror.known.size = sizeof(ror);
	ok(!ror_status(&ror.known) && ror.known.greatest == .5 && !ror.known.critical &&
	   !ror.added && ror.known.size == sizeof(ror),
	   "a newer liquid_ror gets 0 for what this library does not rate");
	ror.known.size = 0;
	ok(refused(ror_status(&ror.known), UNSET), "liquid_ror without a size is refused");
}

int main(void)
{
	static const uint32_t ends[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	struct newer_solve_options solve = { .known.method = "first-fit" };
	struct newer_sim_options simulate = { .known.seed = 1 };
	struct newer_ranks ranks = { .known = { .hosts = ends, .count = 10, .tasks_per_host = 1 } };
	struct newer_plan_options plan = { .known.cyclic = true };
	struct newer_run_options run = { .known.sync = LIQUID_SYNC_ORDER };
	struct newer_choose_options choose = {
		.known = { .senders = ends, .receivers = ends + 5, .candidates = 5, .count = 2 },
	};
	struct newer_capillary_options capillary = { .known.to = 5 };
	struct newer_ror_options ror = { .known.tolerance = .1 };
	struct newer_import import = { .known.size = sizeof(import), .added = 1 };

	fabric = make_fabric("papers-5x5", NULL, 0);
	must(liquid_traffic_cross(ends, 5, ends + 5, 5, &traffic, &err), &err);
	test_taken("liquid_solve_options", solve_status, &solve, sizeof(solve.known), &solve.added);
	test_taken("liquid_sim_options", simulate_status, &simulate, sizeof(simulate.known),
		   &simulate.added);
	test_taken("liquid_choose_options", choose_status, &choose, sizeof(choose.known),
		   &choose.added);
	test_taken("liquid_ranks", ranks_status, &ranks, sizeof(ranks.known), &ranks.added);
	test_taken("liquid_plan_options", plan_status, &plan, sizeof(plan.known), &plan.added);
	test_taken("liquid_run_options", run_status, &run, sizeof(run.known), &run.added);
	test_taken("liquid_capillary_options", capillary_status, &capillary,
		   sizeof(capillary.known), &capillary.added);
	test_taken("liquid_ror_options", ror_options_status, &ror, sizeof(ror.known), &ror.added);
	ok(refused(import_status(&import), UNKNOWN),
	   "liquid_import of a newer program is refused with a new member set");
	import.known.size = 0;
	ok(refused(import_status(&import), UNSET), "liquid_import without a size is refused");
	test_older();
	test_given();
	test_ror_given();
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	return tap_exit();
}
