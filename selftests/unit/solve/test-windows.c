// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows: blocks of different sizes share base frames turn by turn. The transfers of each schedule
 * are verified one by one.
 */
#include "compact/solver.h"
#include "fixtures.h"
#include "tap.h"

static struct liquid_error err;

/* An exchange of some hosts of a fabric, and its schedule by windows alone */
struct exchange {
	struct liquid_fabric *fabric;
	struct solver *solver;
	struct liquid_schedule *compact;
	uint32_t hosts, host[1024];
};

static void begin(struct exchange *e, const char *name, const char *const *params, size_t count)
{
	*e = (struct exchange){ .fabric = make_fabric(name, params, count) };
	e->hosts = liquid_fabric_host_count(e->fabric);
	for (uint32_t h = 0; h < e->hosts; h++)
		e->host[h] = h;
}

/* Keep @percent of the hosts at random. */
static void draw(struct exchange *e, struct dice *dice, uint32_t percent)
{
	uint32_t all = liquid_fabric_host_count(e->fabric);

	for (uint32_t i = 0; i < all; i++) {
		uint32_t j = roll(dice, i + 1);

		e->host[i] = e->host[j];
		e->host[j] = i;
	}
	e->hosts = all * percent / 100;
}

static void start_with(struct exchange *e, uint64_t work)
{
	struct liquid_solve_options options = { .work = work };

	e->solver = calloc(1, sizeof(*e->solver));
	e->solver->err = &err;
	must(solver_begin(e->solver, e->fabric, e->host, e->hosts, &options), &err);
}

static void start(struct exchange *e)
{
	start_with(e, 0);
}

static void stop(struct exchange *e)
{
	liquid_schedule_free(e->compact);
	e->compact = NULL;
	solver_end(e->solver);
	e->solver = NULL;
}

static bool list_verifies(const struct exchange *e)
{
	struct liquid_schedule *schedule = listed_copy(e->fabric, e->compact);
	struct liquid_traffic *traffic;
	bool good;

	must(liquid_traffic_alltoall(e->host, e->hosts, &traffic, &err), &err);
	good = verifies(e->fabric, traffic, schedule);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	return good;
}

/* The same link by link and frame by frame, also where no one sends in a frame */
static bool no_link_is_shared(const struct exchange *e)
{
	uint32_t links = liquid_fabric_link_count(e->fabric), path[LIQUID_PATH_MAX];
	uint32_t *used = calloc((size_t)links * e->compact->orbits->shape.frames, sizeof(*used));
	bool good = true;

	for (uint32_t s = 0; s < e->hosts; s++)
		for (uint32_t d = 0; d < e->hosts; d++) {
			uint32_t frame = orbits_frame(e->compact->orbits, s, d);
			int n = s == d ? 0 : liquid_fabric_route(e->fabric,
								 e->solver->group.host[s],
								 e->solver->group.host[d], path,
								 &err);

			for (int k = 0; k < n; k++)
				good &= ++used[(size_t)frame * links + path[k]] <=
					liquid_fabric_capacity(e->fabric, path[k]);
		}
	free(used);
	return good;
}

/* How many times a link has more units in a base frame than it carries at a time */
static uint32_t count_shared(const struct exchange *e)
{
	const struct liquid_shape *shape = liquid_schedule_shape(e->compact);
	uint32_t links = liquid_fabric_link_count(e->fabric), path[LIQUID_PATH_MAX], shared = 0;
	uint32_t *used = calloc((size_t)links * shape->frames, sizeof(*used));

	for (uint32_t u = 0; u < shape->classes * shape->blocks; u++) {
		uint32_t p = shape->first[u % shape->blocks], d = u / shape->blocks, n = 0;
		uint32_t base = shape->frame[u] / shape->turns;

		p += p == d;
		if (p < shape->first[u % shape->blocks + 1])
			n = (uint32_t)liquid_fabric_route(e->fabric, e->solver->group.host[p],
							  e->solver->group.host[d], path, &err);
		for (uint32_t k = 1; k < n; k++)
			shared += ++used[(size_t)path[k] * shape->frames + base] ==
				  liquid_fabric_capacity(e->fabric, path[k]) + 1;
	}
	free(used);
	return shared;
}

static void test_packs(const char *name, const char *const *params, size_t count, uint32_t percent,
		       uint32_t most)
{
	uint32_t worst = 0, shared = 0, right = 0;
	const uint32_t draws = 6;
	struct dice dice = { percent };
	struct exchange e;

	begin(&e, name, params, count);
	for (uint32_t i = 0; i < draws; i++) {
		const struct liquid_schedule_info *info;
		uint32_t over;

		draw(&e, &dice, percent);
		start(&e);
		must(windows_solve(e.solver, &e.compact), &err);
		if (!e.compact)
			break;
		info = liquid_schedule_info(e.compact);
		over = (info->length - info->duration) * 1000 / info->duration;
		worst = over > worst ? over : worst;
		shared += count_shared(&e);
		right += !liquid_verify(e.fabric, NULL, e.compact, NULL, NULL, &err) &&
			 list_verifies(&e) && no_link_is_shared(&e);
		stop(&e);
	}
	ok(right == draws && shared && worst <= most, "%s %s, %u %% of its hosts: %u of %u draws "
	   "are valid, at most %u per mille too long, links are shared %u times", name, params[0],
	   percent, right, draws, worst, shared);
	if (e.solver)
		stop(&e);
	liquid_fabric_free(e.fabric);
}

/* Little work, or a link that carries more than there can be: neither is an error. */
static void test_limits(const char *const *params, size_t count)
{
	const char *wide[] = { "leaves=3", "hosts=5", "spines=1", "capacity=65535" };
	struct dice dice = { 1 };
	struct exchange e;

	begin(&e, "leaf-spine", params, count);
	draw(&e, &dice, 60);
	start_with(&e, 1000);
	must(windows_solve(e.solver, &e.compact), &err);
	ok(!e.compact && budget_left(&e.solver->budget), "work for nothing leaves some of it");
	stop(&e);
	liquid_fabric_free(e.fabric);
	begin(&e, "leaf-spine", wide, 4);
	draw(&e, &dice, 75);
	start(&e);
	must(windows_solve(e.solver, &e.compact), &err);
	ok(e.compact && !liquid_verify(e.fabric, NULL, e.compact, NULL, NULL, &err),
	   "a link of 65,535 at a time");
	stop(&e);
	liquid_fabric_free(e.fabric);
}

/* ---- the proof ---- */

/*
 * Two leaves of 40 hosts over one spine, in blocks of 32 and 8: two receivers get theirs in one
 * base frame of @turns, one after another, the second beginning in turn @second; @third: another
 * gets those of the small block from this turn on, if it is not 0.
 */
static int two_in_a_frame(uint32_t turns, uint32_t second, uint32_t third)
{
	const char *params[] = { "leaves=2", "hosts=40", "spines=1" };
	uint32_t first[] = { 0, 32, 40, 72, 80 }, frame[4 * 80];
	struct liquid_shape shape = {
		.places = 80, .turns = turns, .blocks = 4, .classes = 80, .kinds = 1,
		.frames = 4 * 80 * turns, .first = first, .frame = frame,
		.kind = { { 1, 4 * 80, { 0 } } },
	};
	struct orbits *orbits;
	struct exchange e;
	int status;

	for (uint32_t u = 0; u < 4 * 80; u++)
		frame[u] = u * turns;
	frame[4 * 41] = frame[4 * 40] + second;	/* from the first block to places 40 and 41 */
	if (third)
		frame[4 * 42 + 1] = frame[4 * 40] + third;
	begin(&e, "leaf-spine", params, 3);
	start(&e);
	must(orbits_new(&shape, &orbits, &err), &err);
	must(result_of(e.solver, orbits, false, &e.compact), &err);
	status = liquid_verify(e.fabric, NULL, e.compact, NULL, NULL, &err);
	stop(&e);
	liquid_fabric_free(e.fabric);
	return status;
}

/* Where each of two ends and begins, and what a finding names */
static void test_neighbours(void)
{
	static const char link[] = "link leaf1[41]>spine1[1] carries 2 transfers, its capacity is "
				   "1: ";

	ok(!two_in_a_frame(64, 32, 0), "a window that begins where another ends");
	ok(two_in_a_frame(64, 31, 0) == LIQUID_INVALID && strstr(err.text, link) &&
	   !strncmp(err.text, "frame 10271: ", 13) && strstr(err.text, ": h32>h41, h1>h42"),
	   "and one that begins a turn earlier: %s", err.text);
	ok(two_in_a_frame(64, 33, 0) == LIQUID_INVALID && strstr(err.text, link) &&
	   !strncmp(err.text, "frame 10240: ", 13) && strstr(err.text, ": h1>h41, h32>h42"),
	   "and one that comes round into the first turn: %s", err.text);
	ok(two_in_a_frame(64, 32, 50) == LIQUID_INVALID && strstr(err.text, link) &&
	   !strncmp(err.text, "frame 10290: ", 13) && strstr(err.text, ": h19>h42, h33>h43") &&
	   !strstr(err.text, "h41"), "only those of its turn are named: %s", err.text);
	ok(two_in_a_frame(65, 32, 0) == LIQUID_INVALID && strstr(err.text, ": link "),
	   "with 65 turns a block counts in all of them: %s", err.text);
}

int main(void)
{
	const char *hashed[] = { "leaves=8", "hosts=12", "spines=6", "routes=hash" };
	const char *wide[] = { "leaves=12", "hosts=16", "spines=4", "routes=hash", "capacity=2" };
	const char *large[] = { "leaves=30", "hosts=30", "spines=15", "routes=hash" };
	const char *tree[] = { "k=8", "routes=hash" };

	test_packs("leaf-spine", hashed, 4, 60, 60);
	test_packs("leaf-spine", hashed, 4, 90, 60);
	test_packs("leaf-spine", wide, 5, 60, 120);
	test_packs("leaf-spine", large, 4, 60, 25);
	test_packs("fat-tree", tree, 2, 60, 130);
	test_limits(hashed, 4);
	test_neighbours();
	return tap_exit();
}
