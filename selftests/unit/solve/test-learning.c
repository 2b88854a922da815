// SPDX-License-Identifier: GPL-2.0-only
/* The search that learns from its conflicts: against all assignments, and on whole traffics. */
#include "fixtures.h"
#include "solve/learning/model.h"
#include "tap.h"

enum { VARIABLES_MAX = 12, LIMITS_MAX = 64, LITERALS_MAX = 8 };

struct small {
	struct limits limits;
	uint32_t first[LIMITS_MAX + 1], most[LIMITS_MAX];
	uint32_t literals[LIMITS_MAX * LITERALS_MAX];
};

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Limits of random literals, some of them twice or with their opposites. */
static void draw(struct small *small, struct dice *dice)
{
	uint32_t used = 0;

	*small = (struct small){ .limits = { .variables = 1 + roll(dice, VARIABLES_MAX),
					     .count = roll(dice, 25) } };
	for (uint32_t i = 0; i < small->limits.count; i++) {
		uint32_t size = 1 + roll(dice, LITERALS_MAX);

		for (uint32_t k = 0; k < size; k++)
			small->literals[used + k] = roll(dice, 2 * small->limits.variables);
		qsort(&small->literals[used], size, sizeof(small->literals[0]), ascending);
		small->most[i] = roll(dice, size);
		used += size;
		small->first[i + 1] = used;
	}
	small->limits.first = small->first;
	small->limits.literals = small->literals;
	small->limits.most = small->most;
}

/* One of three literals is true, as often as makes half of the sets impossible: long to decide. */
static void draw_tight(struct small *small, struct dice *dice)
{
	*small = (struct small){ .limits = { .variables = VARIABLES_MAX, .count = 54 } };
	for (uint32_t i = 0; i < small->limits.count; i++) {
		for (uint32_t k = 0; k < 3; k++)
			small->literals[3 * i + k] = roll(dice, 2 * VARIABLES_MAX);
		qsort(&small->literals[3 * i], 3, sizeof(small->literals[0]), ascending);
		small->most[i] = 2;
		small->first[i + 1] = 3 * (i + 1);
	}
	small->limits.first = small->first;
	small->limits.literals = small->literals;
	small->limits.most = small->most;
}

/* Whether the variables of which @set has the bits keep all limits. */
static bool keeps(const struct limits *limits, uint32_t set)
{
	for (uint32_t i = 0; i < limits->count; i++) {
		uint32_t count = 0;

		for (uint32_t k = limits->first[i]; k < limits->first[i + 1]; k++) {
			uint32_t literal = limits->literals[k];

			count += (set >> literal / 2 & 1) != (literal & 1);
		}
		if (count > limits->most[i])
			return false;
	}
	return true;
}

static bool has_any(const struct limits *limits)
{
	for (uint32_t set = 0; set < UINT32_C(1) << limits->variables; set++)
		if (keeps(limits, set))
			return true;
	return false;
}

static uint32_t set_of(const struct learner *learner, const struct limits *limits)
{
	uint32_t set = 0;

	for (uint32_t v = 0; v < limits->variables; v++)
		set |= (uint32_t)learner_is_true(learner, v) << v;
	return set;
}

/* Run @learner in slices of @slice operations. */
static enum learner_outcome run(struct learner *learner, uint64_t slice, uint32_t slices)
{
	enum learner_outcome outcome = LEARNER_STOPPED;

	while (outcome == LEARNER_STOPPED && slices--) {
		struct budget budget = { .limit = slice, .look = UINT64_MAX };

		outcome = learner_run(learner, &budget);
	}
	return outcome;
}

static struct learner *begin(const struct limits *limits, uint32_t attempt)
{
	struct learner *learner = learner_new(limits, attempt, attempt);
	struct liquid_error err = { .text = "no memory" };

	must(learner ? LIQUID_OK : LIQUID_NO_MEMORY, &err);
	return learner;
}

static void test_random(void)
{
	uint32_t cases = draws(4000), wrong = 0, found = 0, none = 0;
	struct dice dice = { 1 };

	for (uint32_t i = 0; i < cases; i++) {
		enum learner_outcome outcome;
		struct learner *learner;
		struct small small;

		if (i % 4)
			draw(&small, &dice);
		else
			draw_tight(&small, &dice);
		learner = begin(&small.limits, i % 5);
		outcome = run(learner, UINT64_MAX, 1);
		if (outcome == LEARNER_FOUND)
			wrong += !keeps(&small.limits, set_of(learner, &small.limits));
		else
			wrong += outcome != LEARNER_NONE || has_any(&small.limits);
		found += outcome == LEARNER_FOUND;
		none += outcome == LEARNER_NONE;
		learner_free(learner);
	}
	ok(!wrong, "%" PRIu32 " random sets of limits: %" PRIu32 " of the answers are wrong",
	   cases, wrong);
	ok(found > cases / 10 && none > cases / 10, "%" PRIu32 " are kept, %" PRIu32 " cannot be",
	   found, none);
}

/* Limits that say: each of @items is in one of @frames frames, and a frame holds @room of them. */
static void fill_holes(struct limits *limits, uint32_t items, uint32_t frames, uint32_t room)
{
	uint32_t used = 0;

	*limits = (struct limits){ .variables = items * frames };
	limits->first = calloc(2 * (size_t)items + frames + 1, sizeof(*limits->first));
	limits->most = calloc(2 * (size_t)items + frames, sizeof(*limits->most));
	limits->literals = calloc(3 * (size_t)items * frames, sizeof(*limits->literals));
	if (!limits->first || !limits->most || !limits->literals)
		exit(1);
	for (uint32_t i = 0; i < 2 * items; i++) {
		for (uint32_t f = 0; f < frames; f++)
			limits->literals[used++] = 2 * (i / 2 * frames + f) + (i & 1);
		limits->most[limits->count++] = i & 1 ? frames - 1 : 1;
		limits->first[limits->count] = used;
	}
	for (uint32_t f = 0; f < frames; f++) {
		for (uint32_t i = 0; i < items; i++)
			limits->literals[used++] = 2 * (i * frames + f);
		limits->most[limits->count++] = room;
		limits->first[limits->count] = used;
	}
}

static void free_holes(struct limits *limits)
{
	free(limits->first);
	free(limits->most);
	free(limits->literals);
}

/* Many conflicts: clauses are dropped on the way. */
static void test_holes(void)
{
	struct limits limits;
	struct learner *learner;

	fill_holes(&limits, 9, 8, 1);
	learner = begin(&limits, 0);
	ok(run(learner, UINT64_MAX, 1) == LEARNER_NONE, "9 items are too many for 8 frames of one");
	ok(run(learner, UINT64_MAX, 1) == LEARNER_NONE, "and when it is asked again");
	learner_free(learner);
	free_holes(&limits);

	fill_holes(&limits, 24, 8, 3);
	learner = begin(&limits, 0);
	ok(run(learner, UINT64_MAX, 1) == LEARNER_FOUND, "24 items fill 8 frames of three");
	learner_free(learner);
	free_holes(&limits);
}

/* A search that is stopped and goes on is the same search. */
static void test_slices(void)
{
	struct learner *learner, *once;
	struct limits limits;
	bool same = true;

	fill_holes(&limits, 40, 10, 4);
	learner = begin(&limits, 3);
	once = begin(&limits, 3);
	ok(run(learner, 1, 10) == LEARNER_STOPPED, "a budget of nothing stops a search");
	ok(run(learner, 100, 100000) == LEARNER_FOUND, "it goes on");
	ok(run(once, UINT64_MAX, 1) == LEARNER_FOUND, "or runs at once");
	for (uint32_t v = 0; v < limits.variables; v++)
		same &= learner_is_true(learner, v) == learner_is_true(once, v);
	ok(same, "and finds the same");
	learner_free(learner);
	learner_free(once);
	free_holes(&limits);
}

/* ---- models ---- */

/* Opposite pairs in three frames: 0 and 1 are swapped, 2 stays. */
static void test_swaps(void)
{
	static const uint32_t image[] = { 1, 0 };
	struct renaming renaming = { .image = image, .swaps = true };
	struct liquid_fabric *fabric = make_fabric("torus", (const char *[]){ "size=3" }, 1);
	struct liquid_traffic *traffic;
	struct routes *routes;
	struct liquid_error err;
	struct model model;
	bool swapped = true;

	must(liquid_traffic_new(&traffic, &err), &err);
	must(liquid_traffic_add(traffic, 0, 1, 1, &err), &err);
	must(liquid_traffic_add(traffic, 1, 0, 1, &err), &err);
	must(routes_build(fabric, traffic, &routes, &err), &err);
	must(model_new(&model, routes, 3, &renaming, 1, &err), &err);
	for (uint32_t frame = 0; frame < 3; frame++)
		swapped &= model.variable[frame] == model.variable[3 + (frame < 2 ? !frame : 2)];
	ok(swapped && model.limits.variables == 3, "frames are swapped, an odd last one stays");
	model_clear(&model);
	routes_free(routes);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* ---- whole traffics ---- */

/* The length of the schedule by learning from conflicts; 0: refused. */
static uint32_t learnt_length(const struct liquid_fabric *fabric,
			      const struct liquid_traffic *traffic, uint64_t seed)
{
	struct liquid_solve_options options = { .method = "learning",
						.seed = seed, .work = 1000000000 };
	struct liquid_schedule *schedule;
	struct liquid_error err;
	int status = liquid_solve(fabric, traffic, &options, &schedule, &err);
	uint32_t length = 0;

	if (status != LIQUID_BAD_INPUT) {
		must_by(options.method, status, &err);
		length = verifies(fabric, traffic, schedule) ? info_of(schedule)->length : 0;
	}
	liquid_schedule_free(schedule);
	return length;
}

static void test_stencils(void)
{
	static const uint32_t shapes[][3] = { { 9, 6, 8 }, { 8, 6, 9 }, { 6, 8, 9 } };
	const char *k12 = "k=12";
	struct liquid_fabric *fabric = make_fabric("fat-tree", &k12, 1);

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct liquid_traffic *traffic = make_stencil(shapes[i][0], shapes[i][1],
							      shapes[i][2]);
		uint32_t seeds = draws(2), liquid = 0;

		for (uint32_t seed = 0; seed < seeds; seed++)
			liquid += learnt_length(fabric, traffic, seed) == 6;
		ok(liquid == seeds, "a stencil of %" PRIu32 " x %" PRIu32 " x %" PRIu32
		   ": liquid with %" PRIu32 " of %" PRIu32 " seeds", shapes[i][0], shapes[i][1],
		   shapes[i][2], liquid, seeds);
		liquid_traffic_free(traffic);
	}
	liquid_fabric_free(fabric);
}

/* Strands of pairs with several units, an odd number of frames, and a traffic without opposites */
static void test_units(void)
{
	const char *params[] = { "leaves=3", "hosts=4", "spines=2", "capacity=2" };
	struct liquid_fabric *fabric = make_fabric("leaf-spine", params, 4);
	struct liquid_traffic *traffic;
	struct liquid_error err;

	for (uint32_t opposite = 0; opposite < 2; opposite++) {
		must(liquid_traffic_new(&traffic, &err), &err);
		for (uint32_t i = 0; i < 12; i++)
			for (uint32_t ahead = 1; ahead < 6; ahead++) {
				uint32_t to = (i + ahead) % 12;

				must(liquid_traffic_add(traffic, i, to, ahead, &err), &err);
				if (opposite)
					must(liquid_traffic_add(traffic, to, i, ahead, &err), &err);
			}
		ok(learnt_length(fabric, traffic, 0) == (opposite ? 30 : 15),
		   "pairs of 1 to 5 units, %s opposite ones: liquid",
		   opposite ? "with" : "without");
		liquid_traffic_free(traffic);
	}
	liquid_fabric_free(fabric);
}

static void test_refused(void)
{
	const char *k12 = "k=12";
	struct liquid_fabric *fabric = make_fabric("fat-tree", &k12, 1);
	struct liquid_traffic *traffic = all_routes(fabric);

	ok(!learnt_length(fabric, traffic, 0), "an all-to-all of 432 hosts is refused");
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_random();
	test_holes();
	test_slices();
	test_swaps();
	test_stencils();
	test_units();
	test_refused();
	return tap_exit();
}
