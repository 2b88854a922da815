// SPDX-License-Identifier: GPL-2.0-only
/*
 * What auto promises (solve/portfolio.c), on fabrics of ten families: its schedule is never longer
 * than that of one of its m members alone with 1 / (4 m) of its work, nor than its own with less
 * work, and the same again. `make check-random` takes ten times the cases, with more work.
 */
#include "family-fixtures.h"
#include "solve/methods.h"
#include "solve/portfolio.h"
#include "tap.h"

#define CASES 20
#define WORK_LEAST UINT64_C(500000)
#define STEPS 10			/* each half more work than the one before */

struct instance {
	struct liquid_fabric *fabric;
	struct liquid_traffic *traffic;
	uint64_t seed;
	char name[96];
};

static struct liquid_schedule *solve_with(const struct instance *instance, uint64_t work)
{
	struct liquid_solve_options options = { .work = work, .seed = instance->seed };
	struct liquid_schedule *schedule;
	struct liquid_error err;

	must(liquid_solve(instance->fabric, instance->traffic, &options, &schedule, &err), &err);
	return schedule;
}

/* Length of the schedule that @member finds; 0: none, or by more than twice the work */
static uint32_t length_alone(const struct instance *instance, const struct member *member,
			     uint64_t work)
{
	struct liquid_solve_options options = { .work = work, .seed = instance->seed };
	struct solving solving;
	struct routes *routes;
	struct budget budget;
	struct liquid_error err;
	uint32_t length;
	int status = 0;

	must(routes_build(instance->fabric, instance->traffic, &routes, &err), &err);
	budget_start(&budget, &options);
	must(solving_start(&solving, routes, &budget, &options, &err), &err);
	must(solving_invert(&solving, &err), &err);
	solving.fabric = instance->fabric;
	if (!member->applies || member->applies(&solving))
		status = member_run(member, &solving, &err);
	if (status != LIQUID_BAD_INPUT)
		must_by(member->name, status, &err);
	length = budget.spent <= 2 * work ? solving.length : 0;
	solving_end(&solving);
	routes_free(routes);
	return length;
}

static void check_members(const struct instance *instance, uint64_t work, uint32_t length)
{
	const struct member *better = NULL;
	uint32_t least = length;

	for (uint32_t i = 0; i < auto_member_count; i++) {
		uint32_t other = length_alone(instance, &auto_members[i],
					      work / (4 * auto_member_count));

		if (!other || other >= least)
			continue;
		better = &auto_members[i];
		least = other;
	}
	ok(!better, "%s, work %" PRIu64 ": %u frames, no member with its share has less (%s: %u)",
	   instance->name, work, length, better ? better->name : "none", least);
}

/* Does @work give the same bytes as @schedule, which this frees? */
static bool same_by(const struct instance *instance, struct liquid_schedule *schedule,
		    uint64_t work)
{
	struct liquid_schedule *other = solve_with(instance, work);
	char *a = json_of(schedule, instance->fabric), *b = json_of(other, instance->fabric);
	bool same = !strcmp(a, b);

	free(a);
	free(b);
	liquid_schedule_free(schedule);
	liquid_schedule_free(other);
	return same;
}

/* From little work to enough for the bound, or the last of @steps */
static void check(const struct instance *instance, uint32_t steps)
{
	uint32_t before = LIQUID_NONE, bound = 0;
	uint64_t work = WORK_LEAST;
	bool shorter = true;

	ok(same_by(instance, solve_with(instance, work), work), "%s: the same again",
	   instance->name);
	for (uint32_t i = 0; i < steps && before > bound; i++, work += work / 2) {
		struct liquid_schedule *schedule = solve_with(instance, work);
		uint32_t length = liquid_schedule_info(schedule)->length;

		bound = liquid_schedule_info(schedule)->lower_bound;
		liquid_schedule_free(schedule);
		if (length > bound)
			check_members(instance, work, length);
		shorter &= length <= before;
		before = length;
	}
	ok(shorter, "%s: %u frames for %u, never more with more work", instance->name, before,
	   bound);
}

/* First all-to-alls and pencils, which few methods solve */
static uint32_t kind_of(uint32_t family, uint32_t draw)
{
	return draw < 2 ? 4 * draw : (7 * draw + family) % TRAFFICS;
}

static struct instance draw_instance(uint32_t family, uint32_t kind, uint32_t draw)
{
	struct instance instance = { .fabric = draw_fabric(family, draw) };

	instance.traffic = draw_traffic(instance.fabric, kind, draw);
	snprintf(instance.name, sizeof(instance.name), "%s %s %u", family_name(family),
		 traffic_name(kind), draw);
	return instance;
}

static void drop_instance(struct instance *instance)
{
	liquid_traffic_free(instance->traffic);
	liquid_fabric_free(instance->fabric);
}

/* Pencils on an orthogonal tree, 38 frames for 36; if a search finds 36, take another problem. */
static void test_patience(void)
{
	struct instance instance = draw_instance(19, 4, 1);
	struct liquid_schedule *schedule = solve_with(&instance, 0);
	const struct liquid_schedule_info *info = liquid_schedule_info(schedule);
	uint64_t work = info->work;

	ok(info->length > info->lower_bound && work < 500000000,
	   "%s: a search that gains nothing ends after %" PRIu64, instance.name, work);
	ok(same_by(&instance, schedule, work), "%s: that work gives the same", instance.name);
	drop_instance(&instance);
}

static int fails(struct solving *solving, struct liquid_error *err)
{
	budget_spend(solving->budget, 1);
	return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for one");
}

/* Works for as long as it may, and only then offers a schedule: a frame for each transfer. */
static int comes_late(struct solving *solving, struct liquid_error *err)
{
	uint32_t count = solving->routes->transfer_count;
	uint32_t *frame = calloc(count, sizeof(*frame));
	int status;

	while (budget_spend(solving->budget, 1))
		;
	for (uint32_t i = 0; i < count; i++)
		frame[i] = i;
	status = solving_offer(solving, frame, count, err);
	free(frame);
	return status;
}

/* Sets *@length to that of the schedule that @count of @members find together; 0: none */
static int run_members(const struct member *members, uint32_t count, uint32_t *length,
		       struct liquid_error *err)
{
	struct instance instance = draw_instance(0, 0, 0);
	struct liquid_solve_options options = { .work = 50000000 };
	struct solving solving;
	struct routes *routes;
	struct budget budget;
	int status;

	must(routes_build(instance.fabric, instance.traffic, &routes, err), err);
	budget_start(&budget, &options);
	must(solving_start(&solving, routes, &budget, &options, err), err);
	must(solving_invert(&solving, err), err);
	status = portfolio_run(&solving, members, count, err);
	*length = solving.length;
	solving_end(&solving);
	routes_free(routes);
	drop_instance(&instance);
	return status;
}

/* One member has no memory: the others go on, also those that offer only at the end. */
static void test_failure(void)
{
	static const struct member members[] = { { "fails", fails, NULL, 0, true },
						 { "first-fit", method_first_fit, NULL, 0, true } };
	static const struct member late[] = { { "fails", fails, NULL, 0, true },
					      { "late", comes_late, NULL, 0, true } };
	struct liquid_error err = { .text = "" };
	uint32_t length;

	ok(run_members(members, 1, &length, &err) == LIQUID_NO_MEMORY &&
	   !strcmp(err.text, "no memory for one"),
	   "one member without memory: the search fails with its reason");
	ok(!run_members(members, 2, &length, &err) && length,
	   "one of two: the other has found a schedule");
	ok(!run_members(late, 2, &length, &err) && length,
	   "one of two: what the other offers at the end is taken");
}

int main(void)
{
	uint32_t cases = draws(CASES), steps = cases > CASES ? 20 : STEPS;

	for (uint32_t i = 0; i < cases; i++) {
		uint32_t family = i % FAMILIES_USUAL, draw = i / FAMILIES_USUAL;
		struct instance instance = draw_instance(family, kind_of(family, draw), draw);

		instance.seed = i;
		check(&instance, steps);
		drop_instance(&instance);
	}
	test_patience();
	test_failure();
	return tap_exit();
}
