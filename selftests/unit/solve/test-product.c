// SPDX-License-Identifier: GPL-2.0-only
/* Dimensions: found where routes go along them, refused where one does not; parts of a whole. */
#include "fixtures.h"
#include "tap.h"

#define WORK 200000000u

struct figure {
	const char *fabric, *params[2];
	uint32_t length;
};

/* The length by @method, 0 where it is refused; verified. */
static uint32_t length_by(const char *method, const struct liquid_fabric *fabric,
			  const struct liquid_traffic *traffic)
{
	struct liquid_solve_options options = { .method = method, .seed = 1, .work = WORK };
	struct liquid_schedule *schedule;
	struct liquid_error err;
	uint32_t length;
	int status = liquid_solve(fabric, traffic, &options, &schedule, &err);

	if (status == LIQUID_BAD_INPUT)
		return 0;
	must(status, &err);
	must(liquid_verify(fabric, traffic, schedule, NULL, NULL, &err), &err);
	length = liquid_schedule_info(schedule)->length;
	liquid_schedule_free(schedule);
	return length;
}

/* The all-to-all of the hosts but the first @without ones, @count of each pair. */
static struct liquid_traffic *most_pairs(const struct liquid_fabric *fabric, uint32_t without,
					 uint32_t count)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = without; i < hosts; i++)
		for (uint32_t j = without; j < hosts; j++)
			if (i != j)
				must(liquid_traffic_add(traffic, i, j, count, &err), &err);
	return traffic;
}

static struct liquid_fabric *fabric_of(const struct figure *figure)
{
	return make_fabric(figure->fabric, figure->params,
			   !!figure->params[0] + (figure->params[0] && figure->params[1]));
}

static void test_figure(const struct figure *figure, uint32_t count)
{
	struct liquid_fabric *fabric = fabric_of(figure);
	struct liquid_traffic *traffic = most_pairs(fabric, 0, count);
	uint32_t length = length_by("product", fabric, traffic);

	ok(length == figure->length * count, "product: %s %s, %u of each pair: %u frames, not %u",
	   figure->fabric, figure->params[0] ? figure->params[0] : "", count,
	   figure->length * count, length);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_figures(void)
{
	static const struct figure figures[] = {
		{ "torus", { "size=3x5" }, 14 },
		{ "torus", { "size=2x2x2" }, 7 },
		{ "torus", { "size=4x4x8" }, 160 },
		{ "torus", { "size=8x8x3" }, 240 },
		{ "torus", { "size=6x6" }, 36 },
		{ "torus", { "size=6x6", "ties=balanced" }, 35 },
		{ "torus", { "size=8x8", "ties=balanced" }, 64 },
		{ "torus", { "size=3x3", "hosts=2" }, 34 },
		{ "mesh", { "size=8x8" }, 128 },
		{ "mesh", { "size=4x4x4" }, 64 },
		{ "mesh", { "size=8x9" }, 160 },	/* 10 phases of two colours for rows of 9 */
		{ "mesh", { "size=12x8", "hosts=2" }, 1152 },
		{ "mesh", { "size=8x8x8" }, 1024 },
		{ "mesh", { "size=9x9" }, 0 },
		{ "torus", { "size=8x8" }, 0 },
		{ "torus", { "size=7" }, 0 },
		{ "dragonfly", { NULL }, 0 },
		{ "fat-tree", { "k=4" }, 0 },
		{ "swiss-t1", { NULL }, 0 },
	};

	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		test_figure(&figures[i], 1);
		if (i < 2)
			test_figure(&figures[i], 3);
	}
}

/* ---- a mesh by hand, with one route that may go the other way round ---- */

#define COLUMNS 3u
#define ROWS 4u
#define HOSTS (COLUMNS * ROWS)

static uint32_t switch_at(uint32_t x, uint32_t y)
{
	return HOSTS + y * COLUMNS + x;
}

static uint32_t add_both(struct liquid_fabric *fabric, uint32_t a, uint32_t b)
{
	uint32_t first = liquid_fabric_link_count(fabric);

	add_cable(fabric, a, b, 1);
	add_cable(fabric, b, a, 1);
	return first;
}

static uint32_t link_between(const struct liquid_fabric *fabric, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < liquid_fabric_link_count(fabric); i++)
		if (liquid_fabric_link(fabric, i)->from == from &&
		    liquid_fabric_link(fabric, i)->to == to)
			return i;
	return LIQUID_NONE;
}

/* Along the row first, but to the far corner from the near one along the column if @odd. */
static uint32_t next_switch(uint32_t from, uint32_t to, bool odd)
{
	uint32_t x = from % COLUMNS, y = from / COLUMNS, dx = to % COLUMNS, dy = to / COLUMNS;

	if (x != dx && !(odd && !from && to == HOSTS - 1))
		return switch_at(x < dx ? x + 1 : x - 1, y);
	return switch_at(x, y < dy ? y + 1 : y - 1);
}

static struct liquid_fabric *make_mesh(bool odd)
{
	struct liquid_fabric *fabric = begin_fabric("mesh", HOSTS, HOSTS);
	struct liquid_error err;

	for (uint32_t i = 0; i < HOSTS; i++) {
		uint32_t x = i % COLUMNS, y = i / COLUMNS;

		add_both(fabric, i, HOSTS + i);
		if (x + 1 < COLUMNS)
			add_both(fabric, HOSTS + i, switch_at(x + 1, y));
		if (y + 1 < ROWS)
			add_both(fabric, HOSTS + i, switch_at(x, y + 1));
	}
	for (uint32_t from = 0; from < HOSTS; from++)
		for (uint32_t to = 0; to < HOSTS; to++) {
			uint32_t next = from == to ? to : next_switch(from, to, odd);

			must(liquid_fabric_set_forward(fabric, from, to,
						       link_between(fabric, HOSTS + from, next),
						       &err), &err);
		}
	must(liquid_fabric_finish(fabric, &err), &err);
	return fabric;
}

static void test_mesh(void)
{
	struct liquid_fabric *even = make_mesh(false), *odd = make_mesh(true);
	struct liquid_traffic *traffic = most_pairs(even, 0, 1);
	uint32_t length = length_by("product", even, traffic);

	/* A row of 3 needs 3 phases and a column of 4 needs 4. */
	ok(length && length <= HOSTS, "product: a mesh of 3 x 4: %u frames", length);
	ok(!length_by("product", odd, traffic), "product: one route the other way is refused");
	ok(length_by("auto", odd, traffic) >= HOSTS - 1,
	   "auto solves a traffic that product refuses");
	liquid_traffic_free(traffic);
	liquid_fabric_free(even);
	liquid_fabric_free(odd);
}

/* ---- parts of a whole ---- */

static uint32_t closure_length(const struct figure *figure, uint32_t without, uint32_t count)
{
	struct liquid_fabric *fabric = fabric_of(figure);
	struct liquid_traffic *traffic = most_pairs(fabric, without, count);
	uint32_t length = length_by("closure", fabric, traffic);

	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	return length;
}

static void test_closure(void)
{
	static const struct figure torus = { "torus", { "size=6x6" }, 36 };
	static const struct figure mesh = { "mesh", { "size=8x8" }, 128 };
	static const struct figure planes = { "torus", { "size=9x9x3" }, 270 };

	ok(closure_length(&torus, 1, 1) == torus.length, "closure: a torus that lacks a host");
	ok(closure_length(&torus, 1, 3) == 3 * torus.length, "closure: with three of each pair");
	ok(closure_length(&mesh, 1, 1) == mesh.length, "closure: a mesh that lacks a host");
	ok(closure_length(&planes, 1, 1) == planes.length,
	   "closure: a torus with tight planes that lacks a host");
	ok(!closure_length(&torus, 0, 1), "closure: the whole itself is refused");
	ok(!closure_length(&torus, 20, 1), "closure: so is less than half of the pairs");
}

int main(void)
{
	test_figures();
	test_mesh();
	test_closure();
	return tap_exit();
}
