// SPDX-License-Identifier: GPL-2.0-only
/*
 * The solver: published figures, brute force on random fabrics, certificates, determinism, limits.
 */
#include "fixtures.h"
#include "tap.h"

/* ---- published figures ---- */

static void test_papers_5x5(void)
{
	struct liquid_fabric *fabric = make_fabric("papers-5x5", NULL, 0);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_schedule *schedule = solve(fabric, traffic);

	ok(info_of(schedule)->transfers == 25 && info_of(schedule)->duration == 6 &&
	   info_of(schedule)->length == 6 &&
	   info_of(schedule)->certificate == LIQUID_CERT_LIQUID &&
	   verifies(fabric, traffic, schedule), "papers-5x5: 25 transfers in 6 frames, liquid");
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static uint32_t length_by(const char *method, const struct liquid_fabric *fabric,
			  const struct liquid_traffic *traffic)
{
	struct liquid_solve_options options = { .method = method };
	struct liquid_schedule *schedule;
	struct liquid_error err;
	uint32_t length;

	must_by(options.method, liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	length = verifies(fabric, traffic, schedule) ? info_of(schedule)->length : 0;
	liquid_schedule_free(schedule);
	return length;
}

/* The papers: 357.14 MB/s for 25 transfers at 100 MB/s a link, 7 steps instead of 6. */
static void test_baselines(void)
{
	struct liquid_fabric *fabric = make_fabric("papers-5x5", NULL, 0);
	struct liquid_traffic *traffic = all_routes(fabric);
	uint32_t dsatur;

	ok(length_by("round-robin", fabric, traffic) == 7, "round-robin: papers-5x5 in 7 frames");
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	fabric = make_fabric("swiss-t1", NULL, 0);
	traffic = all_routes(fabric);
	dsatur = length_by("dsatur", fabric, traffic);
	ok(dsatur >= 48 && dsatur <= 58, "dsatur: swiss-t1 at most a fifth above 48 (%" PRIu32 ")",
	   dsatur);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_swiss_t1(void)
{
	struct liquid_fabric *fabric = make_fabric("swiss-t1", NULL, 0);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_schedule *schedule = solve(fabric, traffic);

	ok(info_of(schedule)->transfers == 1024 && info_of(schedule)->duration == 48 &&
	   info_of(schedule)->length == 48 &&
	   info_of(schedule)->certificate == LIQUID_CERT_LIQUID &&
	   verifies(fabric, traffic, schedule), "swiss-t1: 1024 transfers in 48 frames, liquid");
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* Each two of the three share one of the ring's links: no team, hence no liquid schedule. */
static void test_triangle(void)
{
	struct liquid_fabric *fabric = make_triangle(1);
	struct liquid_traffic *traffic = triangle_traffic(1);
	struct liquid_schedule *schedule = solve(fabric, traffic);

	ok(info_of(schedule)->duration == 2 && info_of(schedule)->length == 3,
	   "the three transfers without a team take 3 frames at duration 2");
	ok(info_of(schedule)->certificate == LIQUID_CERT_OPTIMAL &&
	   info_of(schedule)->lower_bound == 3 && info_of(schedule)->witness_json,
	   "no schedule of 2 frames exists, with a witness");
	ok(verifies(fabric, traffic, schedule), "the witness is verified");
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* Capacity 3 on the ring: three halves of it, rounded down, hold four transfers a frame. */
static void test_triangle_capacity(void)
{
	struct liquid_fabric *fabric = make_triangle(3);
	struct liquid_traffic *traffic = triangle_traffic(5);
	struct liquid_schedule *schedule = solve(fabric, traffic);

	ok(info_of(schedule)->duration == 5 && info_of(schedule)->length == 5 &&
	   verifies(fabric, traffic, schedule),
	   "with capacity for all, counts of 5 take 5 frames, liquid");
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* ---- against brute force ---- */

static bool certificate_is_right(const struct liquid_schedule_info *info, uint32_t shortest)
{
	if (info->length < shortest || info->lower_bound > shortest ||
	    info->lower_bound < info->duration)
		return false;
	switch (info->certificate) {
	case LIQUID_CERT_LIQUID:
		return info->length == info->duration;
	case LIQUID_CERT_OPTIMAL:
		return info->length > info->duration && info->length == info->lower_bound;
	case LIQUID_CERT_GAP:
		return info->length > info->lower_bound;
	}
	return false;
}

static void test_random(uint64_t seed, uint32_t rounds, uint32_t capacity, const char *what)
{
	struct dice dice = { seed };
	uint32_t right = 0, shortest_found = 0, above = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t hosts = 4 + roll(&dice, 8);
		struct liquid_fabric *fabric = make_random(&dice, hosts, capacity);
		struct liquid_traffic *traffic = random_traffic(&dice, hosts, 1 + roll(&dice, 10));
		struct liquid_schedule *schedule = solve_small(fabric, traffic);
		uint32_t shortest = brute_length(fabric, traffic);

		right += certificate_is_right(info_of(schedule), shortest) &&
			verifies(fabric, traffic, schedule);
		shortest_found += info_of(schedule)->length == shortest &&
			info_of(schedule)->certificate != LIQUID_CERT_GAP;
		above += shortest > info_of(schedule)->duration;
		liquid_schedule_free(schedule);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(right == rounds, "%s: %" PRIu32 " random cases verified, certificates true", what,
	   rounds);
	ok(shortest_found == rounds, "%s: all as short as brute force has it, and proven so", what);
	ok(above > rounds / 100, "%s: %" PRIu32 " of them have no liquid schedule", what, above);
}

/* ---- every method, determinism, limits ---- */

static void test_method(const char *method, const struct liquid_fabric *fabric,
			const struct liquid_traffic *traffic)
{
	struct liquid_solve_options options = { .method = method, .seed = 3, .work = 20000000 };
	struct liquid_schedule *first, *second;
	struct liquid_error err;
	char *one, *two;
	int status = liquid_solve(fabric, traffic, &options, &first, &err);

	/* A method may be for some problems only; it must say so by its name. */
	if (status == LIQUID_BAD_INPUT) {
		ok(!strncmp(err.text, method, strlen(method)) && !first, "method %s: refuses: %s",
		   method, err.text);
		return;
	}
	must_by(method, status, &err);
	must_by(method, liquid_solve(fabric, traffic, &options, &second, &err), &err);
	one = json_of(first, fabric);
	two = json_of(second, fabric);
	ok(verifies(fabric, traffic, first) && !strcmp(info_of(first)->method, method),
	   "method %s: verified", method);
	ok(!strcmp(one, two), "method %s: the same seed and work, the same schedule", method);
	free(one);
	free(two);
	liquid_schedule_free(first);
	liquid_schedule_free(second);
}

/*
 * Wherever the work ends, a method has a valid schedule or says that it has none. The library
 * itself refuses an invalid one by another status.
 */
static void test_little_work(const char *method, const struct liquid_fabric *fabric,
			     const struct liquid_traffic *traffic)
{
	uint32_t solved = 0, stopped = 0, other = 0;
	int first = LIQUID_OK;

	for (uint64_t work = 1; work < 3000000; work += work / 16 + 1) {
		struct liquid_solve_options options = { .method = method, .work = work };
		struct liquid_schedule *schedule;
		struct liquid_error err;
		int status = liquid_solve(fabric, traffic, &options, &schedule, &err);

		if (work == 1)
			first = status;
		if (status == LIQUID_BAD_INPUT)
			return;
		solved += !status;
		stopped += status == LIQUID_LIMIT;
		if (status && status != LIQUID_LIMIT && !other++)
			printf("# %s: work %" PRIu64 ": %s\n", method, work, err.text);
		liquid_schedule_free(schedule);
	}
	ok(!other && solved + stopped, "method %s: %" PRIu32 " schedules and %" PRIu32
	   " refusals, wherever the work ends", method, solved, stopped);
	/* Auto always has a schedule. */
	ok(first == (strcmp(method, "auto") ? LIQUID_LIMIT : LIQUID_OK),
	   "method %s: one operation is not enough, unless it is auto", method);
}

static void test_methods(void)
{
	struct dice dice = { 7 };
	struct liquid_fabric *fabric = make_random(&dice, 8, 2);
	struct liquid_traffic *traffic = all_routes(fabric);

	for (size_t i = 0; liquid_method_name(i); i++)
		test_method(liquid_method_name(i), fabric, traffic);
	for (size_t i = 0; liquid_method_name(i); i++)
		test_little_work(liquid_method_name(i), fabric, traffic);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* The very frames that the method makes: nodes that solve for themselves must agree on them. */
static void test_same_everywhere(void)
{
	static const char *const params[] = { "size=4x4" };
	struct liquid_fabric *fabric = make_fabric("torus", params, 1);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_solve_options options = { .method = "frames", .work = 50000000 };
	struct liquid_schedule *schedule;
	const struct liquid_transfer *transfers;
	struct liquid_error err;
	uint64_t hash = 0;
	size_t count;

	must_by(options.method, liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	for (uint32_t frame = 0; frame < info_of(schedule)->length; frame++) {
		transfers = liquid_schedule_frame(schedule, frame, &count);
		for (size_t i = 0; i < count; i++)
			hash = hash * 0x100000001b3 + transfers[i].src * 1000 + transfers[i].dst;
	}
	ok(hash == UINT64_C(0xb860476f46fc64f8),
	   "method frames: torus 4x4 comes out the same on every machine (%016" PRIx64 ")", hash);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_small(void)
{
	struct liquid_fabric *fabric = make_fabric("papers-5x5", NULL, 0);
	struct liquid_traffic *traffic;
	struct liquid_schedule *schedule;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	schedule = solve(fabric, traffic);
	ok(!info_of(schedule)->length && !info_of(schedule)->duration &&
	   info_of(schedule)->certificate == LIQUID_CERT_LIQUID &&
	   verifies(fabric, traffic, schedule), "an empty traffic: 0 frames, liquid");
	liquid_schedule_free(schedule);
	must(liquid_traffic_add(traffic, liquid_fabric_find_host(fabric, "t1"),
				liquid_fabric_find_host(fabric, "r4"), 1, &err), &err);
	schedule = solve(fabric, traffic);
	ok(info_of(schedule)->length == 1 && verifies(fabric, traffic, schedule), "one transfer");
	liquid_schedule_free(schedule);
	must(liquid_traffic_add(traffic, liquid_fabric_find_host(fabric, "t1"),
				liquid_fabric_find_host(fabric, "r4"), 99999, &err), &err);
	must(liquid_traffic_add(traffic, liquid_fabric_find_host(fabric, "t2"),
				liquid_fabric_find_host(fabric, "r4"), 50000, &err), &err);
	must(liquid_traffic_add(traffic, liquid_fabric_find_host(fabric, "t4"),
				liquid_fabric_find_host(fabric, "r1"), 150000, &err), &err);
	schedule = solve(fabric, traffic);
	ok(info_of(schedule)->length == 150000 && verifies(fabric, traffic, schedule),
	   "counts: 300000 transfers of three pairs in 150000 frames, liquid");
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* Many pairs, many units: patterns repeat, and time does not grow with the counts. */
static void test_counts(void)
{
	struct liquid_fabric *fabric = make_fabric("papers-5x5", NULL, 0);
	struct liquid_traffic *pairs = all_routes(fabric), *traffic;
	const struct liquid_pair *pair = liquid_traffic_pairs(pairs);
	struct liquid_schedule *schedule;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 0; i < 25; i++)
		must(liquid_traffic_add(traffic, pair[i].src, pair[i].dst, 5000 + 7 * i, &err),
		     &err);
	schedule = solve(fabric, traffic);
	ok(info_of(schedule)->certificate == LIQUID_CERT_LIQUID &&
	   verifies(fabric, traffic, schedule), "counts: %" PRIu64 " transfers of 25 pairs, liquid",
	   info_of(schedule)->transfers);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_traffic_free(pairs);
	liquid_fabric_free(fabric);
}

static int cancel(void *context, const struct liquid_progress *progress)
{
	++*(int *)context;
	return progress->total == 4032 && progress->lower_bound == 80;
}

/* ---- luck ---- */

/*
 * Two dimensions of switches, each joined with all of its row and of its column, @hosts on each;
 * first along the row, then along the column.
 */
static struct liquid_fabric *make_hyperx(uint32_t rows, uint32_t columns, uint32_t hosts)
{
	uint32_t switches = rows * columns, all = switches * hosts, links = 0, *link;
	struct liquid_fabric *fabric;
	struct liquid_error err;
	char name[16];

	link = calloc((size_t)switches * switches, sizeof(*link));
	must(liquid_fabric_new("hyperx", &fabric, &err), &err);
	for (uint32_t i = 0; i < all + switches; i++) {
		snprintf(name, sizeof(name), "%c%" PRIu32, i < all ? 'h' : 's', i);
		must(i < all ? liquid_fabric_add_host(fabric, name, &err) :
		     liquid_fabric_add_switch(fabric, name, &err), &err);
	}
	for (uint32_t h = 0; h < all; h++) {			/* links 2 h and 2 h + 1 */
		add_cable(fabric, h, all + h / hosts, 1);
		add_cable(fabric, all + h / hosts, h, 1);
		links += 2;
	}
	for (uint32_t a = 0; a < switches; a++)
		for (uint32_t b = 0; b < switches; b++)
			if (a != b && (a / columns == b / columns || a % columns == b % columns)) {
				add_cable(fabric, all + a, all + b, 1);
				link[a * switches + b] = links++;
			}
	for (uint32_t a = 0; a < switches; a++)
		for (uint32_t h = 0; h < all; h++) {
			uint32_t b = h / hosts, turn = a % columns == b % columns ? b :
				a / columns * columns + b % columns;

			must(liquid_fabric_set_forward(fabric, a, h, a == b ? 2 * h + 1 :
						       link[a * switches + turn], &err), &err);
		}
	must(liquid_fabric_finish(fabric, &err), &err);
	free(link);
	return fabric;
}

/* Some searches of a method end at once, others not for minutes: no seed may be stuck in those. */
static void test_luck(struct liquid_fabric *fabric, struct liquid_traffic *traffic,
		      const char *what)
{
	uint32_t liquid = 0, seeds = draws(2);
	struct liquid_error err;

	for (uint32_t seed = 0; seed < seeds; seed++) {
		struct liquid_solve_options options = { .seed = seed, .work = 1000000000 };
		struct liquid_schedule *schedule;

		must_by(options.method, liquid_solve(fabric, traffic, &options, &schedule, &err),
			&err);
		liquid += info_of(schedule)->certificate == LIQUID_CERT_LIQUID;
		liquid_schedule_free(schedule);
	}
	ok(liquid == seeds,
	   "%s: %" PRIu32 " of %" PRIu32 " seeds find the liquid schedule", what, liquid, seeds);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* @options must meet a limit; the error names it, and the option. */
static void limited(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		    const struct liquid_solve_options *options, const char *limit)
{
	struct liquid_schedule *schedule;
	struct liquid_error err;

	ok(liquid_solve(fabric, traffic, options, &schedule, &err) == LIQUID_LIMIT && !schedule &&
	   strstr(err.text, limit), "%s: %s", options->method, err.text);
}

/* auto has a schedule wherever a baseline has one, and no longer one. */
static void test_always(const char *name, const char *param, uint64_t work)
{
	struct liquid_fabric *fabric = make_fabric(name, &param, 1);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_solve_options options = { .work = work };
	uint32_t least = length_by("round-robin", fabric, traffic);
	struct liquid_schedule *schedule;
	struct liquid_error err;
	int status = liquid_solve(fabric, traffic, &options, &schedule, &err);

	ok(!status && info_of(schedule)->length <= least && verifies(fabric, traffic, schedule),
	   "auto with a work of %" PRIu64 ", %s %s: not above round-robin's %" PRIu32, work, name,
	   param, least);
	liquid_schedule_free(schedule);
	options.method = "first-fit";
	limited(fabric, traffic, &options, "operations; allow more (--work)");
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_time_limit(void)
{
	static const char *const params[] = { "size=24x24" };
	struct liquid_fabric *fabric = make_fabric("torus", params, 1);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_solve_options options = { .time_limit = 1e-9 };

	for (int i = 0; i < 3; i++) {
		options.method = i ? i == 1 ? "auto" : "round-robin" : "first-fit";
		limited(fabric, traffic, &options, "within the time limit of 1e-09 s; allow more "
			"(--time-limit)");
	}
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* A table of links x frames would take more than a GiB; nothing is made that large. */
static void test_memory_limit(void)
{
	struct liquid_solve_options options = { .method = "first-fit",
						.work = 1 << 28 };
	struct liquid_fabric *fabric = make_dumbbell(2, 2, 1);
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	must(liquid_traffic_add(traffic, 0, 2, 1 << 28, &err), &err);
	limited(fabric, traffic, &options, "the memory that a table of links x frames may take, "
		"1024 MiB; try --method auto");
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static int enough(void *context, const struct liquid_progress *progress)
{
	(void)progress;
	++*(int *)context;
	return LIQUID_ENOUGH;
}

static void test_limits(void)
{
	static const char *const params[] = { "size=8x8" };
	struct liquid_fabric *fabric = make_fabric("torus", params, 1);
	struct liquid_traffic *traffic = all_routes(fabric), *unreachable;
	struct liquid_solve_options options;
	struct liquid_schedule *schedule;
	struct liquid_error err;
	int calls = 0;

	options = (struct liquid_solve_options){ .method = "first-fit", .progress = cancel,
						 .context = &calls, .time_limit = 1e-9 };
	must_by(options.method, liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	ok(verifies(fabric, traffic, schedule) && !calls,
	   "a time limit that has passed still gives the best so far");
	liquid_schedule_free(schedule);
	options = (struct liquid_solve_options){ .progress = cancel, .context = &calls };
	ok(liquid_solve(fabric, traffic, &options, &schedule, &err) == LIQUID_CANCELLED &&
	   calls == 1,
	   "the caller cancels: LIQUID_CANCELLED, and is not asked again");
	options.progress = enough;
	must_by("auto", liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	ok(verifies(fabric, traffic, schedule) && calls > 1,
	   "the caller has enough: the best so far");
	liquid_schedule_free(schedule);
	options = (struct liquid_solve_options){ .method = "magic" };
	ok(liquid_solve(fabric, traffic, &options, &schedule, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "no method 'magic'"), "an unknown method is refused");
	options = (struct liquid_solve_options){ .seed = UINT64_MAX };
	ok(liquid_solve(fabric, traffic, &options, &schedule, &err) == LIQUID_BAD_INPUT,
	   "a seed that the interchange form cannot hold is refused");
	must(liquid_traffic_new(&unreachable, &err), &err);
	must(liquid_traffic_add(unreachable, 0, 1000, 1, &err), &err);
	ok(liquid_solve(fabric, unreachable, NULL, &schedule, &err) == LIQUID_BAD_INPUT,
	   "a transfer between hosts that are not there is refused");
	liquid_traffic_free(unreachable);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_unreachable(void)
{
	struct liquid_fabric *fabric = make_fabric("papers-5x5", NULL, 0);
	struct liquid_schedule *schedule;
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	must(liquid_traffic_add(traffic, liquid_fabric_find_host(fabric, "r1"),
				liquid_fabric_find_host(fabric, "t1"), 1, &err), &err);
	ok(liquid_solve(fabric, traffic, NULL, &schedule, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "r1"), "a pair without a route is refused by name: %s", err.text);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

int main(void)
{
	const char *k12 = "k=12";

	test_papers_5x5();
	test_swiss_t1();
	test_baselines();
	test_triangle();
	test_triangle_capacity();
	test_random(1, 300, 1, "capacity 1");
	test_random(2, 300, 3, "capacities 1 to 3");
	test_methods();
	test_same_everywhere();
	test_small();
	test_counts();
	test_limits();
	test_luck(make_hyperx(5, 4, 5), make_stencil(5, 5, 4), "a stencil on a hyperx");
	test_luck(make_fabric("fat-tree", &k12, 1), make_stencil(6, 8, 9),
		  "a stencil on a fat tree, by steps");
	test_luck(make_fabric("fat-tree", &k12, 1), make_stencil(9, 6, 8),
		  "a stencil on a fat tree, by what conflicts teach");
	test_always("torus", "size=4x4", 1);
	test_always("torus", "size=4x4", 1000);
	test_always("fat-tree", "k=8", 100000);
	test_always("fat-tree", "k=10", 100000);
	test_time_limit();
	test_memory_limit();
	test_unreachable();
	return tap_exit();
}
