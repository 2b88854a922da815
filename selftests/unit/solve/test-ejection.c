// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ejection chains: the weights against a plain sum, what a stopped run leaves, and
 * the lengths that they must reach, by themselves and over groups of twins.
 */
#include "solve/ejection/ejection.h"
#include "family-fixtures.h"
#include "tap.h"

static struct liquid_traffic *all_to_all(const struct liquid_fabric *fabric)
{
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_alltoall(NULL, liquid_fabric_host_count(fabric), &traffic, &err), &err);
	return traffic;
}

/* Length by @method with @work; 0 where it refuses or finds none. liquid_solve() verifies. */
static uint32_t length_by(const char *method, uint64_t work, uint64_t seed,
			  const struct liquid_fabric *fabric, const struct liquid_traffic *traffic)
{
	struct liquid_solve_options options = { .method = method, .work = work, .seed = seed };
	struct liquid_schedule *schedule;
	struct liquid_error err;
	uint32_t length;
	int status = liquid_solve(fabric, traffic, &options, &schedule, &err);

	if (status == LIQUID_BAD_INPUT || status == LIQUID_LIMIT)
		return 0;
	must_by(method, status, &err);
	length = liquid_schedule_info(schedule)->length;
	liquid_schedule_free(schedule);
	return length;
}

/* ---- one table ---- */

static uint16_t cell_at(const struct ejection *ejection, uint32_t cell, uint32_t frame)
{
	return ejection->kind->cells[(size_t)cell * ejection->kind->stride + frame];
}

/* Weight of those in the way of @pair in @frame; one that repeats on the next link, maybe once. */
static uint32_t plain_cost(const struct ejection *ejection, uint32_t pair, uint32_t frame)
{
	uint32_t count, sum = 0;
	const uint32_t *links = routes_links(ejection->routes, pair, &count);
	uint16_t last = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint16_t cell = cell_at(ejection, links[i], frame);

		if (cell != last || !ejection->once)
			sum += cell & EJECTION_WEIGHT_MAX;
		last = cell;
	}
	return sum;
}

/* Of the least cost there is, and where there is room, the first from @start on and around. */
static bool is_first_least(const struct ejection *ejection, uint32_t pair, uint32_t start,
			   uint32_t at, uint32_t least)
{
	if (at >= ejection->kind->frames || plain_cost(ejection, pair, at) != least)
		return false;
	for (uint32_t frame = 0; frame < ejection->kind->frames; frame++)
		if (plain_cost(ejection, pair, frame) < least)
			return false;
	for (uint32_t frame = start; frame != at; frame = (frame + 1) % ejection->kind->frames)
		if (plain_cost(ejection, pair, frame) == least)
			return false;
	return true;
}

static bool weighs_right(const struct ejection *ejection)
{
	for (uint32_t pair = 0; pair < ejection->routes->pair_count; pair++) {
		uint32_t count, at, least, weighed, start = pair % ejection->kind->frames;
		const uint32_t *links = routes_links(ejection->routes, pair, &count);

		least = ejection_weigh(ejection, ejection->kind, links, count, start, UINT32_MAX,
				       &at, &weighed);
		if (!is_first_least(ejection, pair, start, at, least) ||
		    weighed > ejection->kind->stride)
			return false;
	}
	return true;
}

/*
 * No link has more transfers in a frame than its capacity, and a full one has a cell that says so.
 */
static bool table_holds(const struct ejection *ejection)
{
	const struct routes *routes = ejection->routes;
	size_t cells = (size_t)routes->link_count * ejection->kind->frames;
	uint32_t *used = calloc(cells + 1, sizeof(*used)), nowhere = 0;
	bool good = true;

	for (uint32_t i = 0; i < routes->transfer_count; i++) {
		uint32_t count, frame = ejection->frame[i];
		const uint32_t *links = routes_links(routes, ejection->pair_of[i], &count);

		nowhere += frame == LIQUID_NONE;
		for (uint32_t k = 0; frame != LIQUID_NONE && k < count; k++)
			used[(size_t)links[k] * ejection->kind->frames + frame]++;
	}
	for (uint32_t link = 0; link < routes->link_count; link++)
		for (uint32_t frame = 0; frame < ejection->kind->frames; frame++) {
			uint32_t here = used[(size_t)link * ejection->kind->frames + frame];
			uint16_t cell = cell_at(ejection, link, frame);

			good &= here <= routes->capacity[link];
			good &= (cell != 0) == (here == routes->capacity[link]);
		}
	free(used);
	return good && nowhere == ejection->waiting_count;
}

static void test_table(const char *name, const char *const *params, size_t count, uint64_t work)
{
	struct liquid_fabric *fabric = make_fabric(name, params, count);
	struct liquid_traffic *traffic = all_to_all(fabric);
	struct budget budget = { .limit = work, .look = UINT64_MAX };
	struct ejection ejection;
	struct routes *routes;
	struct liquid_error err;
	uint32_t length, *frame;

	must(routes_build(fabric, traffic, &routes, &err), &err);
	must(ejection_new(&ejection, routes, 1, &err), &err);
	must(ejection_open(&ejection, routes->duration, &err), &err);
	ok(ejection_run(&ejection, &budget) == EJECTION_OUT_OF_WORK && ejection.waiting_count,
	   "%s: a run ends with its work", name);
	ok(table_holds(&ejection), "%s: what it leaves keeps to the capacities", name);
	ok(weighs_right(&ejection), "%s: weights are those of the transfers in the way", name);
	frame = calloc(routes->transfer_count, sizeof(*frame));
	must(ejection_complete(&ejection, frame, &length, &err), &err);
	must(ejection_open(&ejection, length, &err), &err);
	memcpy(ejection.frame, frame, routes->transfer_count * sizeof(*frame));
	must(ejection_open(&ejection, length, &err), &err);
	ok(!ejection.waiting_count && table_holds(&ejection),
	   "%s: completed with its own frames, it keeps to them too", name);
	free(frame);
	ejection_clear(&ejection);
	routes_free(routes);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* ---- two kinds of frames ---- */

/* Four cycles of cells, of which all have the same number, and room for two */
#define CYCLES 4
#define ITEMS 300

struct kinds {
	struct ejection_kind kind[2];
	uint32_t capacity[2][CYCLES * 6], span[2][CYCLES * 6];
	uint32_t first[2][ITEMS + 1], links[2][ITEMS * 4], first_transfer[ITEMS + 1];
	struct routes routes;
};

/* Items of four cells in the first kind, where one may be there twice, or in both kinds */
static void draw_kinds(struct kinds *all, struct dice *dice)
{
	static const uint32_t phases[] = { 2, 6 }, frames[] = { 37, 25 };

	for (uint32_t k = 0; k < 2; k++) {
		all->kind[k] = (struct ejection_kind){
			.frames = frames[k], .phases = phases[k], .cell_count = CYCLES * phases[k],
			.capacity = all->capacity[k], .first = all->first[k],
			.links = all->links[k], .span = all->span[k],
		};
		for (uint32_t c = 0; c < CYCLES * phases[k]; c++) {
			all->capacity[k][c] = 2;
			all->span[k][c] = phases[k];
		}
		for (uint32_t i = 0; i < ITEMS; i++) {
			uint32_t count = k && i % 3 == 0 ? 0 : CYCLES;

			all->first[k][i + 1] = all->first[k][i] + count;
			all->first_transfer[i + 1] = i + 1;
			for (uint32_t c = 0; c < count; c++)
				all->links[k][all->first[k][i] + c] = roll(dice, phases[k]) +
					(c && i % 7 == 0 ? c - 1 : c) * phases[k];
		}
	}
	all->routes = (struct routes){ .pair_count = ITEMS, .transfer_count = ITEMS,
				       .first_transfer = all->first_transfer };
}

/* Is each cell used as often as ejection says, where all items use it that are in some phase? */
static bool kinds_hold(const struct kinds *all, const struct ejection *ejection)
{
	uint8_t used[2][CYCLES * 6][37] = { 0 };
	bool good = true;

	for (uint32_t i = 0; i < ITEMS; i++) {
		uint32_t k = ejection->item[i].kind, phases = all->kind[k].phases;

		if (ejection->frame[i] == LIQUID_NONE)
			continue;
		good &= all->first[k][i] < all->first[k][i + 1] && ejection->phase[i] < phases;
		for (uint32_t c = all->first[k][i]; c < all->first[k][i + 1]; c++) {
			uint32_t cell = all->links[k][c], cycle = cell / phases * phases;

			cell = cycle + (cell + ejection->phase[i]) % phases;
			used[k][cell][ejection->frame[i]]++;
		}
	}
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t c = 0; c < all->kind[k].cell_count; c++)
			for (uint32_t f = 0; f < all->kind[k].frames; f++) {
				const struct ejection_kind *kind = &ejection->kind[k];
				bool full = kind->cells[(size_t)c * kind->stride + f];

				good &= used[k][c][f] <= 2 && full == (used[k][c][f] == 2);
			}
	return good;
}

static void test_kinds(void)
{
	struct budget budget = { .limit = UINT64_MAX, .look = UINT64_MAX };
	uint32_t placed = 0, right = 0, rounds = 40, second = 0;
	struct dice dice = { 3 };
	struct ejection ejection;
	struct liquid_error err;

	for (uint32_t round = 0; round < rounds; round++) {
		struct kinds all = { 0 };

		draw_kinds(&all, &dice);
		must(ejection_new_kinds(&ejection, &all.routes, all.kind, 2, round, &err), &err);
		ejection.patient = true;
		must(ejection_open(&ejection, all.kind->frames + round % 4 * 10 - 30, &err), &err);
		all.kind->frames = ejection.kind->frames;
		placed += ejection_run(&ejection, &budget) == EJECTION_PLACED;
		right += kinds_hold(&all, &ejection);
		for (uint32_t i = 0; i < ITEMS; i++)
			second += ejection.frame[i] != LIQUID_NONE && ejection.item[i].kind;
		ejection_clear(&ejection);
	}
	ok(right == rounds && placed && placed < rounds && second > rounds,
	   "two kinds with phases: %u of %u keep to the cells, %u with all items", right, rounds,
	   placed);
}

/* ---- lengths ---- */

static void test_length(const char *name, const char *const *params, size_t count,
			const char *method, uint64_t work, uint32_t most)
{
	struct liquid_fabric *fabric = make_fabric(name, params, count);
	struct liquid_traffic *traffic = all_to_all(fabric);
	uint32_t length = length_by(method, work, 0, fabric, traffic);

	ok(length && length <= most, "%s by %s: %u frames, at most %u", name, method, length, most);
	ok(length_by(method, work, 0, fabric, traffic) == length,
	   "%s by %s: the same again", name, method);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_random(const char *method, uint32_t capacity)
{
	struct dice dice = { 7 };
	uint32_t rounds = 100, shortest = 0, below = 0, refused = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t hosts = 4 + roll(&dice, 8), best, length;
		struct liquid_fabric *fabric = make_random(&dice, hosts, capacity);
		struct liquid_traffic *traffic = random_traffic(&dice, hosts, 2 + roll(&dice, 9));

		best = brute_length(fabric, traffic);
		length = length_by(method, 500000, i, fabric, traffic);
		refused += !length;
		below += length && length < best;
		shortest += length == best;
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(!below, "capacity %u by %s: never shorter than brute force", capacity, method);
	ok(refused < rounds / 2 && shortest + refused == rounds,
	   "capacity %u by %s: as short as brute force (%u of %u, %u refused)", capacity, method,
	   shortest, rounds, refused);
}

/* ---- the portfolio ---- */

#define MEMBERS 16		/* of auto, at most */
#define PORTFOLIO_WORK 20000000u
#define LARGE_WORK 100000000u
#define SLIM_FLY 24		/* a draw */

/* auto is no longer than any of @methods (NULL: all) that has its share of the work. */
static void compare_methods(const char *name, const struct liquid_fabric *fabric,
			    const char *const *methods, uint64_t work, uint64_t seed)
{
	struct liquid_traffic *traffic = all_to_all(fabric);
	uint32_t length = length_by("auto", work, seed, fabric, traffic), shorter = 0;
	const char *better = NULL;

	for (size_t i = 0; methods ? methods[i] : liquid_method_name(i); i++) {
		const char *method = methods ? methods[i] : liquid_method_name(i);
		uint32_t other = length_by(method, work / (4 * MEMBERS), seed, fabric, traffic);

		if (other && other < length) {
			better = method;
			shorter = other;
		}
	}
	ok(length && !better, "%s, seed %u: auto's %u frames, none with its share has less (%s %u)",
	   name, (unsigned int)seed, length, better ? better : "none", shorter);
	liquid_traffic_free(traffic);
}

static void test_portfolio(const char *name, const char *const *params, size_t count)
{
	struct liquid_fabric *fabric = make_fabric(name, params, count);
	char text[64];

	snprintf(text, sizeof(text), "%s %s", name, params[0]);
	for (uint64_t seed = 1; seed <= 2; seed++)
		compare_methods(text, fabric, NULL, PORTFOLIO_WORK, seed);
	liquid_fabric_free(fabric);
}

/* More than 20,000 transfers, with three hosts of each switch */
static void test_large(void)
{
	static const char *const methods[] = { "first-fit", "twins", "ejection", NULL };
	struct liquid_fabric *fabric = draw_fabric(0, SLIM_FLY);

	compare_methods("Slim Fly", fabric, methods, LARGE_WORK, 1);
	liquid_fabric_free(fabric);
}

int main(void)
{
	static const char *const torus[] = { "size=4x4" }, *const torus8[] = { "size=8x8" };
	static const char *const wide[] = { "leaves=4", "hosts=4", "spines=2", "capacity=2" };
	static const char *const dragonfly[] = { "p=2", "a=4", "h=2" };
	static const char *const odd[] = { "size=5x3x3" };
	static const char *const hashed[] = { "leaves=5", "hosts=4", "spines=3", "routes=hash" };
	static const char *const tree[] = { "k=4", "routes=hash" };
	static const char *const steep[] = { "leaves=8", "hosts=8", "spines=2" };

	test_table("torus", torus, 1, 20000);
	test_table("leaf-spine", wide, 4, 3000);
	test_kinds();
	test_random("ejection", 1);
	test_random("ejection", 3);
	test_random("twins", 1);
	test_random("twins", 3);
	test_length("torus", torus8, 1, "ejection", 20000000, 82);
	test_length("dragonfly", dragonfly, 3, "ejection", 20000000, 77);
	test_length("dragonfly", dragonfly, 3, "twins", 20000000, 75);
	test_length("leaf-spine", wide, 4, "twins", 100000000, 15);
	test_length("leaf-spine", steep, 3, "twins", 100000000, 224);
	test_portfolio("torus", torus, 1);
	test_portfolio("torus", torus8, 1);
	test_portfolio("torus", odd, 1);
	test_portfolio("dragonfly", dragonfly, 3);
	test_portfolio("leaf-spine", wide, 4);
	test_portfolio("leaf-spine", hashed, 4);
	test_portfolio("fat-tree", tree, 2);
	test_large();
	return tap_exit();
}
