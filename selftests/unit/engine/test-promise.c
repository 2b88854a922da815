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
#define WORK_LEAST UINT64_C(1000000)
#define WORKS 3				/* each four times the one before */

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

static uint32_t length_with(const struct instance *instance, uint64_t work)
{
	struct liquid_schedule *schedule = solve_with(instance, work);
	uint32_t length = liquid_schedule_info(schedule)->length;

	liquid_schedule_free(schedule);
	return length;
}

/* Length of the schedule that @member finds; 0: none */
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
	length = solving.length;
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

static bool same_again(const struct instance *instance, uint64_t work)
{
	struct liquid_schedule *first = solve_with(instance, work);
	struct liquid_schedule *second = solve_with(instance, work);
	char *a = json_of(first, instance->fabric), *b = json_of(second, instance->fabric);
	bool same = !strcmp(a, b);

	free(a);
	free(b);
	liquid_schedule_free(first);
	liquid_schedule_free(second);
	return same;
}

static void check(const struct instance *instance, uint32_t works)
{
	uint64_t work = WORK_LEAST;
	uint32_t before = LIQUID_NONE, bound = 0;
	bool shorter = true;

	ok(same_again(instance, work), "%s: the same again", instance->name);
	for (uint32_t i = 0; i < works && before > bound; i++, work *= 4) {
		struct liquid_schedule *schedule = solve_with(instance, work);
		uint32_t length = liquid_schedule_info(schedule)->length;

		bound = liquid_schedule_info(schedule)->lower_bound;
		liquid_schedule_free(schedule);
		if (length > bound)
			check_members(instance, work, length);
		shorter &= length <= before && length_with(instance, work + work / 3) <= length;
		before = length;
	}
	ok(shorter, "%s: %u frames for %u, never more with more work", instance->name, before,
	   bound);
}

int main(void)
{
	uint32_t cases = draws(CASES), works = cases > CASES ? 2 * WORKS : WORKS;

	for (uint32_t i = 0; i < cases; i++) {
		uint32_t family = i % FAMILIES_USUAL, draw = i / FAMILIES_USUAL;
		uint32_t kind = (7 * draw + family) % TRAFFICS;
		struct instance instance = { .fabric = draw_fabric(family, draw), .seed = i };

		instance.traffic = draw_traffic(instance.fabric, kind, draw);
		snprintf(instance.name, sizeof(instance.name), "%s %s %u", family_name(family),
			 traffic_name(kind), draw);
		check(&instance, works);
		liquid_traffic_free(instance.traffic);
		liquid_fabric_free(instance.fabric);
	}
	return tap_exit();
}
