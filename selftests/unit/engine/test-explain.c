// SPDX-License-Identifier: GPL-2.0-only
/*
 * Explanations against brute force: bottlenecks that are said to exclude each other
 * must do so for every subset of the transfers, and no fewer of them.
 */
#include <jansson.h>

#include "fixtures.h"
#include "tap.h"

#define EXPLAIN_WORK 50000000	/* for a dozen transfers, or a torus of 4 x 4 */

struct problem {
	const struct liquid_fabric *fabric;
	const struct liquid_pair *pairs;
	uint32_t count, links;
	uint32_t steps[BRUTE_TRANSFERS_MAX], path[BRUTE_TRANSFERS_MAX][LIQUID_PATH_MAX];
	uint32_t *used;			/* by link */
};

/* Links that must carry this many in a frame. */
struct needs {
	uint32_t count, link[64], need[64];
};

static uint32_t capacity_of(const struct liquid_fabric *fabric, uint32_t link)
{
	const struct liquid_link *ends = liquid_fabric_link(fabric, link);
	uint32_t hosts = liquid_fabric_host_count(fabric);

	return ends->from < hosts || ends->to < hosts ? 1 : ends->capacity;
}

/* Is the set of pairs a simultaneity that meets all needs but that of @without? */
static bool meets(struct problem *problem, uint32_t set, const struct needs *needs,
		  uint32_t without)
{
	bool good = true;

	memset(problem->used, 0, problem->links * sizeof(*problem->used));
	for (uint32_t i = 0; i < problem->count; i++)
		for (uint32_t j = 0; (set >> i & 1) && j < problem->steps[i]; j++)
			problem->used[problem->path[i][j]]++;
	for (uint32_t link = 0; good && link < problem->links; link++)
		good = problem->used[link] <= capacity_of(problem->fabric, link);
	for (uint32_t i = 0; good && i < needs->count; i++)
		good = i == without || problem->used[needs->link[i]] >= needs->need[i];
	return good;
}

static bool some_set_meets(struct problem *problem, const struct needs *needs, uint32_t without)
{
	for (uint32_t set = 0; set < 1u << problem->count; set++)
		if (meets(problem, set, needs, without))
			return true;
	return false;
}

static uint32_t link_by_name(const struct liquid_fabric *fabric, const char *wanted)
{
	char name[2 * LIQUID_NAME_MAX + 32];

	for (uint32_t link = 0; link < liquid_fabric_link_count(fabric); link++)
		if (!strcmp(wanted, liquid_fabric_link_name(fabric, link, name, sizeof(name))))
			return link;
	return LIQUID_NONE;
}

/* Of "blocked" the need is listed; of "bottlenecks" it follows from the load. */
static bool read_needs(const struct liquid_fabric *fabric, json_t *list, uint32_t duration,
		       struct needs *needs)
{
	json_t *value;
	size_t i;

	needs->count = 0;
	json_array_foreach(list, i, value) {
		uint32_t link = link_by_name(fabric, json_string_value(json_object_get(value,
										       "link")));
		json_t *need = json_object_get(value, "need"),
		*load = json_object_get(value, "load");

		if (i == 64 || link == LIQUID_NONE)
			return false;
		needs->link[i] = link;
		needs->need[i] = (uint32_t)(need ? json_integer_value(need) :
					    json_integer_value(load) -
					    capacity_of(fabric, link) * (duration - 1));
		needs->count++;
	}
	return true;
}

static bool answer_is_right(struct problem *problem, json_t *explanation, uint32_t duration)
{
	const char *team = json_string_value(json_object_get(explanation, "team"));
	struct needs all, blocked;

	if (!team || !read_needs(problem->fabric, json_object_get(explanation, "bottlenecks"),
				 duration, &all))
		return false;
	if (!strcmp(team, "exists"))
		return some_set_meets(problem, &all, LIQUID_NONE);
	if (strcmp(team, "none") ||
	    !read_needs(problem->fabric, json_object_get(explanation, "blocked"), duration,
			&blocked) ||
	    !json_is_true(json_object_get(explanation, "minimal")) ||
	    some_set_meets(problem, &blocked, LIQUID_NONE))
		return false;
	for (uint32_t i = 0; i < blocked.count; i++)
		if (!some_set_meets(problem, &blocked, i))
			return false;
	return blocked.count > 0;
}

static json_t *explanation_of(const struct liquid_schedule *schedule,
			      const struct liquid_fabric *fabric)
{
	char *text = json_of(schedule, fabric);
	json_t *root = json_loads(text, 0, NULL);
	json_t *explanation = json_incref(json_object_get(root, "explanation"));

	json_decref(root);
	free(text);
	return explanation;
}

static bool is_right(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		     const struct liquid_schedule *schedule)
{
	struct problem problem = { .fabric = fabric, .pairs = liquid_traffic_pairs(traffic),
				   .count = (uint32_t)liquid_traffic_pair_count(traffic),
				   .links = liquid_fabric_link_count(fabric) };
	json_t *explanation = explanation_of(schedule, fabric);
	bool right;

	for (uint32_t i = 0; i < problem.count; i++)
		problem.steps[i] = (uint32_t)liquid_fabric_route(fabric, problem.pairs[i].src,
								 problem.pairs[i].dst,
								 problem.path[i], NULL);
	problem.used = calloc(problem.links, sizeof(*problem.used));
	right = answer_is_right(&problem, explanation, liquid_schedule_info(schedule)->duration);
	free(problem.used);
	json_decref(explanation);
	return right;
}

/* Among random traffics those whose schedule is longer than the duration. */
static void test_random(uint64_t seed, uint32_t capacity, uint32_t wanted)
{
	struct dice dice = { seed };
	uint32_t longer = 0, right = 0;

	while (longer < wanted) {
		uint32_t hosts = 4 + roll(&dice, 8);
		struct liquid_fabric *fabric = make_random(&dice, hosts, capacity);
		struct liquid_traffic *traffic = random_traffic(&dice, hosts, 4 + roll(&dice, 7));
		struct liquid_schedule *schedule = solve_small(fabric, traffic);
		struct liquid_error err;
		char *text;

		if (liquid_schedule_info(schedule)->length >
		    liquid_schedule_info(schedule)->duration) {
			longer++;
			must(liquid_explain(fabric, traffic, schedule, EXPLAIN_WORK, &text, &err),
			     &err);
			right += *text && is_right(fabric, traffic, schedule);
			free(text);
		}
		liquid_schedule_free(schedule);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(right == longer, "capacities to %" PRIu32 ": of %" PRIu32 " traffics without a liquid "
	   "schedule the explanation is right", capacity, longer);
}

/* First fit leaves a gap, and the explanation what does not fit. */
static void test_gap(void)
{
	static const char *const params[] = { "size=4x4" };
	struct liquid_fabric *fabric = make_fabric("torus", params, 1);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_solve_options options = { .method = "first-fit" };
	struct liquid_schedule *schedule;
	struct liquid_error err;
	json_t *explanation;
	char *text;

	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	must(liquid_explain(fabric, traffic, schedule, EXPLAIN_WORK, &text, &err), &err);
	explanation = explanation_of(schedule, fabric);
	ok(liquid_schedule_info(schedule)->certificate == LIQUID_CERT_GAP &&
	   json_is_integer(json_object_get(explanation, "left_over_count")) &&
	   json_array_size(json_object_get(explanation, "left_over")) ==
	   (size_t)json_integer_value(json_object_get(explanation, "left_over_count")) &&
	   strstr(text, "left over"), "a gap: what is left over is listed");
	json_decref(explanation);
	free(text);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_other_traffic(void)
{
	struct liquid_fabric *fabric = make_triangle(1);
	struct liquid_traffic *traffic = triangle_traffic(1), *other = triangle_traffic(2);
	struct liquid_schedule *schedule = solve(fabric, traffic);
	struct liquid_error err;
	char *text;

	ok(liquid_explain(fabric, other, schedule, 0, &text, &err) == LIQUID_BAD_INPUT && !text,
	   "another traffic than the schedule's is refused: %s", err.text);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_traffic_free(other);
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_other_traffic();
	test_gap();
	test_random(51, 1, 12);
	test_random(52, 3, 12);
	return tap_exit();
}
