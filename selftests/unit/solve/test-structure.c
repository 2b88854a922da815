// SPDX-License-Identifier: GPL-2.0-only
/* Twins and translations: found where they are, refused where they are not, exact when expanded. */
#include "fixtures.h"
#include "solve/symmetry/quotient.h"
#include "problem/routes.h"
#include "solve/symmetry/symmetry.h"
#include "tap.h"

struct figure {
	const char *method, *fabric, *params[4];
	uint32_t count;			/* of each pair */
	uint32_t most;			/* frames that it may have */
	uint64_t work;			/* of the solver, in millions */
};

static struct liquid_traffic *every_pair(const struct liquid_fabric *fabric, uint32_t count)
{
	uint32_t hosts = liquid_fabric_host_count(fabric), i, j;
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (i = 0; i < hosts; i++)
		for (j = 0; j < hosts; j++)
			if (i != j)
				must(liquid_traffic_add(traffic, i, j, count, &err), &err);
	return traffic;
}

static struct liquid_fabric *fabric_of(const struct figure *figure)
{
	size_t params = 0;

	while (params < 4 && figure->params[params])
		params++;
	return make_fabric(figure->fabric, figure->params, params);
}

/* liquid_solve() verifies what it returns; this does so again, from outside. */
static void test_figure(const struct figure *figure)
{
	struct liquid_solve_options options = { .method = figure->method, .seed = 1,
						.work = figure->work * 1000000 };
	struct liquid_fabric *fabric = fabric_of(figure);
	struct liquid_traffic *traffic = every_pair(fabric, figure->count);
	struct liquid_schedule *schedule, *again;
	struct liquid_error err;
	uint32_t length, frame;
	size_t n, m;
	bool same;

	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	must(liquid_solve(fabric, traffic, &options, &again, &err), &err);
	length = liquid_schedule_info(schedule)->length;
	ok(liquid_verify(fabric, traffic, schedule, NULL, NULL, &err) == LIQUID_OK &&
	   length <= figure->most, "%s: %s %s, %u of each pair: %u frames, at most %u",
	   figure->method, figure->fabric, figure->params[0], figure->count, length, figure->most);
	same = length == liquid_schedule_info(again)->length;
	for (frame = 0; same && frame < length; frame++) {
		const struct liquid_transfer *a = liquid_schedule_frame(schedule, frame, &n);
		const struct liquid_transfer *b = liquid_schedule_frame(again, frame, &m);

		same = n == m && !memcmp(a, b, n * sizeof(*a));
	}
	ok(same, "%s: %s %s: the same again", figure->method, figure->fabric, figure->params[0]);
	liquid_schedule_free(again);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_figures(void)
{
	static const struct figure figures[] = {
		{ "quotient", "leaf-spine", { "leaves=6", "hosts=4", "spines=2" }, 1, 40, 100 },
		{ "quotient", "leaf-spine", { "leaves=6", "hosts=4", "spines=2" }, 3, 120, 100 },
		{ "quotient", "leaf-spine", { "leaves=5", "hosts=6", "spines=2", "capacity=2" }, 1,
		  36, 100 },
		{ "quotient", "leaf-spine", { "leaves=5", "hosts=7", "spines=3" }, 1, 84, 100 },
		{ "quotient", "torus", { "size=2x2", "hosts=4" }, 1, 32, 100 },
		{ "compact", "torus", { "size=9x9" }, 1, 90, 200 },
		{ "compact", "torus", { "size=11x11" }, 2, 330, 200 },
		{ "compact", "torus", { "size=8x8x8" }, 1, 640, 300 },
		{ "compact", "torus", { "size=9x9x9" }, 1, 837, 300 },
		{ "auto", "torus", { "size=9x9x5" }, 1, 450, 500 },
	};
	uint32_t i;

	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		test_figure(&figures[i]);
}

static struct routes *routes_for(const struct liquid_fabric *fabric,
				 const struct liquid_traffic *traffic)
{
	struct routes *routes;
	struct liquid_error err;

	must(routes_build(fabric, traffic, &routes, &err), &err);
	return routes;
}

static void test_groups(void)
{
	static const char *const params[] = { "leaves=4", "hosts=6", "spines=3" };
	struct liquid_fabric *fabric = make_fabric("leaf-spine", params, 3);
	struct liquid_traffic *traffic = every_pair(fabric, 1);
	struct routes *routes = routes_for(fabric, traffic);
	struct quotient quotient;
	struct symmetry symmetry;
	struct liquid_error err;
	bool found;

	must(quotient_find(routes, &quotient, &found, &err), &err);
	ok(found && quotient.senders == 4 && quotient.receivers == 12,
	   "leaf-spine: a sender group a leaf, a receiver group a leaf and spine");
	ok(quotient.units.duration == routes->duration && quotient.units.transfer_count == 24 * 23,
	   "the units have the transfers' duration and number");
	must(symmetry_find(&quotient, &symmetry, &err), &err);
	ok(symmetry.generators >= 1 && symmetry.order[0] >= 3, "leaf-spine: rotations are found");
	symmetry_clear(&symmetry);
	quotient_clear(&quotient);
	routes_free(routes);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* One pair of twins' pairs is missing, or counts twice: then they are twins no more. */
static void test_irregular(void)
{
	static const char *const params[] = { "leaves=3", "hosts=3", "spines=3" };
	struct liquid_fabric *fabric = make_fabric("leaf-spine", params, 3);
	struct liquid_traffic *traffic = every_pair(fabric, 1);
	struct liquid_error err;
	struct quotient quotient;
	struct symmetry symmetry;
	struct routes *routes;
	bool found;

	must(liquid_traffic_add(traffic, 0, 4, 1, &err), &err);
	routes = routes_for(fabric, traffic);
	must(quotient_find(routes, &quotient, &found, &err), &err);
	ok(!found || quotient.senders > 3, "a sender with another count: no twin of its leaf's");
	if (found)
		must(symmetry_find(&quotient, &symmetry, &err), &err);
	ok(!found || !symmetry.generators,
	   "translations do not keep a traffic with one uneven pair");
	if (found)
		symmetry_clear(&symmetry);
	quotient_clear(&quotient);
	routes_free(routes);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_groups();
	test_irregular();
	test_figures();
	return tap_exit();
}
