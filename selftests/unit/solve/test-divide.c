// SPDX-License-Identifier: GPL-2.0-only
/* Messages in parts: never longer than whole ones, valid, and as short as the loads allow. */
#include "fixtures.h"
#include "tap.h"

static struct liquid_schedule *divide(const struct liquid_fabric *fabric,
				      const struct liquid_traffic *traffic, uint32_t parts)
{
	struct liquid_solve_options options = { .parts = parts, .work = 1000000 };
	struct liquid_schedule *schedule;
	struct liquid_error err;

	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	return schedule;
}

/* Frames of one per message are no more than those of the other. */
static bool as_short(const struct liquid_schedule *one, const struct liquid_schedule *other)
{
	return (uint64_t)info_of(one)->length * info_of(other)->parts <=
	       (uint64_t)info_of(other)->length * info_of(one)->parts;
}

/* 25 messages over a cable of capacity 4 need 25/4 frames, and whole ones 7. */
static void test_quarters(void)
{
	struct liquid_fabric *fabric = make_dumbbell(5, 4, 1);
	struct liquid_traffic *traffic = all_routes(fabric);
	static const struct { uint32_t most, parts, length; } cases[] = {
		{ 1, 1, 7 }, { 2, 2, 13 }, { 3, 3, 19 }, { 4, 4, 25 }, { 7, 7, 44 },
		{ 64, 4, 25 }, { LIQUID_PARTS_FEW, 4, 25 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct liquid_schedule *schedule = divide(fabric, traffic, cases[i].most);
		const struct liquid_schedule_info *info = info_of(schedule);

		ok(info->parts == cases[i].parts && info->length == cases[i].length &&
		   verifies(fabric, traffic, schedule) && verifies(fabric, NULL, schedule),
		   "25 messages over a cable of 4, at most %" PRIu32 " parts: %" PRIu32 " frames of"
		   " %" PRIu32 " parts", cases[i].most, info->length, info->parts);
		liquid_schedule_free(schedule);
	}
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* On random fabrics: valid, never longer, no shorter than the loads allow, twice the same. */
static void test_random(uint64_t seed, uint32_t rounds, uint32_t capacity, uint32_t ends)
{
	struct dice dice = { seed };
	uint32_t shorter = 0, divided = 0, good = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		struct liquid_fabric *fabric = make_mixed(&dice, 6, capacity, ends);
		struct liquid_traffic *traffic = random_traffic(&dice, 6, 4 + roll(&dice, 20));
		uint32_t most = roll(&dice, 2) ? LIQUID_PARTS_FEW : 1 + roll(&dice, 12);
		struct liquid_schedule *whole = divide(fabric, traffic, 0);
		struct liquid_schedule *parts = divide(fabric, traffic, most);
		struct liquid_schedule *again = divide(fabric, traffic, most);
		char *json = json_of(parts, fabric), *same = json_of(again, fabric);
		const struct liquid_schedule_info *info = info_of(parts);

		good += verifies(fabric, traffic, parts) && verifies(fabric, NULL, parts) &&
			as_short(parts, whole) && !strcmp(json, same) &&
			info->length >= info_of(whole)->fluid_bound * info->parts - 1e-6;
		divided += info->parts > 1;
		shorter += !as_short(whole, parts);
		free(json);
		free(same);
		liquid_schedule_free(again);
		liquid_schedule_free(parts);
		liquid_schedule_free(whole);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(good == rounds && shorter == divided && shorter,
	   "%" PRIu32 " random traffics, capacities up to %" PRIu32 " and %" PRIu32 ": %" PRIu32
	   " valid, %" PRIu32 " shorter in parts", rounds, capacity, ends, good, shorter);
}

/* What a method does not take in parts stays whole: teams takes 16,384 transfers. */
static void test_too_many(void)
{
	struct liquid_solve_options options = { .parts = 3, .work = 1000000, .method = "teams" };
	struct liquid_fabric *fabric = make_dumbbell(5, 4, 1);
	struct liquid_traffic *traffic;
	struct liquid_schedule *schedule;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 0; i < 25; i++)
		must(liquid_traffic_add(traffic, i / 5, 5 + i % 5, 301, &err), &err);
	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	ok(info_of(schedule)->parts == 1 && verifies(fabric, traffic, schedule),
	   "7525 messages of which a method takes no 22575 parts: %" PRIu32 " frames",
	   info_of(schedule)->length);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* A plan's pieces are the parts of whole messages, and the simulator's transfers as small. */
static void test_plan(void)
{
	struct liquid_fabric *fabric = make_dumbbell(5, 4, 1);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_solve_options options = { .parts = 4, .unit_bytes = 1000002 };
	struct liquid_sim_options model = { .sync = LIQUID_SIM_SYNC_TOKENS };
	struct liquid_sim_result *result[2];
	struct liquid_schedule *schedule;
	struct liquid_plan *plan;
	struct liquid_error err;
	uint32_t pieces = 0, units = 0, count;

	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	must(liquid_plan_make(fabric, schedule, NULL, &plan, &err), &err);
	for (uint32_t rank = 0; rank < 10; rank++) {
		const struct liquid_piece *piece = liquid_plan_pieces(plan, rank, &count);

		for (uint32_t i = 0; i < count; i++, pieces++)
			units += piece[i].parts == 4 ? piece[i].units : 0;
	}
	ok(pieces && units == 100 && liquid_plan_info(plan)->unit_bytes == 250001,
	   "a plan of %" PRIu32 " pieces has each message in 4 parts of 250001 bytes", pieces);
	must(liquid_simulate(fabric, NULL, schedule, &model, &result[0], &err), &err);
	liquid_schedule_free(schedule);
	options.parts = 0;
	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	must(liquid_simulate(fabric, NULL, schedule, &model, &result[1], &err), &err);
	ok(result[0]->transfers == 100 && result[1]->transfers == 25 &&
	   result[0]->time_ns < result[1]->time_ns && result[0]->time_ns * 7 > 6 *
	   result[1]->time_ns, "simulated: %" PRIu64 " ns in 4 parts, %" PRIu64 " ns whole",
	   result[0]->time_ns, result[1]->time_ns);
	liquid_sim_free(result[0]);
	liquid_sim_free(result[1]);
	liquid_schedule_free(schedule);
	liquid_plan_free(plan);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void refused(const struct liquid_solve_options *options, const char *why)
{
	struct liquid_fabric *fabric = make_dumbbell(5, 4, 1);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_schedule *schedule;
	struct liquid_error err = { "" };
	int status = liquid_solve(fabric, traffic, options, &schedule, &err);

	if (!ok(status == LIQUID_BAD_INPUT && !schedule && strstr(err.text, why), "%s", why))
		printf("# %d %s\n", status, err.text);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* Nor do schedules in different parts compare, or change from one to the other. */
static void test_refusals(void)
{
	struct liquid_fabric *fabric = make_dumbbell(5, 4, 1);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_schedule *whole = divide(fabric, traffic, 0);
	struct liquid_schedule *parts = divide(fabric, traffic, 4);
	struct liquid_change change;
	struct liquid_error err;

	ok(liquid_schedule_compare(whole, parts, &change, NULL, NULL, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "in 1 parts by one schedule, and in 4 by the other"), "%s", err.text);
	refused(&(struct liquid_solve_options){ .parts = 65 }, "65 parts of a message: at most 64");
	refused(&(struct liquid_solve_options){ .parts = 2, .time_limit = 1 }, "nor a time limit");
	refused(&(struct liquid_solve_options){ .parts = 2, .from = whole }, "neither an earlier");
	refused(&(struct liquid_solve_options){ .parts = 2, .method = "compact" }, "has no parts");
	refused(&(struct liquid_solve_options){ .from = parts }, "sends messages in 4 parts");
	liquid_schedule_free(parts);
	liquid_schedule_free(whole);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_quarters();
	test_random(2, draws(200), 3, 1);
	test_random(3, draws(200), 3, 3);
	test_too_many();
	test_plan();
	test_refusals();
	return tap_exit();
}
