// SPDX-License-Identifier: GPL-2.0-only
/*
 * Translations are found whatever the order and the names of hosts, switches and links:
 * fabrics are written down anew in a shuffled order, and solved as well as before.
 */
#include "fixtures.h"
#include "solve/symmetry/quotient.h"
#include "problem/routes.h"
#include "solve/symmetry/symmetry.h"
#include "tap.h"

/* ---- shuffled fabrics ---- */

struct shuffled {
	const struct liquid_fabric *old;
	struct liquid_fabric *new;
	uint32_t hosts, switches, links;
	uint32_t *host, *sw, *link;	/* by the new number: the old one */
	uint32_t *new_node, *new_link;	/* by the old number: the new one */
};

static uint32_t *permutation(struct dice *dice, uint32_t count)
{
	uint32_t *order = calloc((size_t)count + 1, sizeof(*order)), i;

	for (i = 0; order && i < count; i++) {
		uint32_t j = roll(dice, i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	return order;
}

/* Names say nothing: they count in the new order. */
static void add_nodes(struct shuffled *s)
{
	struct liquid_error err;
	char name[32];
	uint32_t i;

	must(liquid_fabric_new("shuffled", &s->new, &err), &err);
	for (i = 0; i < s->hosts; i++) {
		snprintf(name, sizeof(name), "x%" PRIu32, i);
		must(liquid_fabric_add_host(s->new, name, &err), &err);
		s->new_node[s->host[i]] = i;
	}
	for (i = 0; i < s->switches; i++) {
		snprintf(name, sizeof(name), "y%" PRIu32, i);
		must(liquid_fabric_add_switch(s->new, name, &err), &err);
		s->new_node[s->hosts + s->sw[i]] = s->hosts + i;
	}
}

static void add_links(struct shuffled *s)
{
	struct liquid_error err;
	uint32_t i, dst, at;

	for (i = 0; i < s->links; i++) {
		struct liquid_link link = *liquid_fabric_link(s->old, s->link[i]);

		link.from = s->new_node[link.from];
		link.to = s->new_node[link.to];
		must(liquid_fabric_add_link(s->new, &link, &err), &err);
		s->new_link[s->link[i]] = i;
	}
	for (i = 0; i < s->switches; i++)
		for (dst = 0; dst < s->hosts; dst++) {
			at = liquid_fabric_forward(s->old, s->sw[i], s->host[dst]);
			if (at != LIQUID_NONE)
				must(liquid_fabric_set_forward(s->new, i, dst, s->new_link[at],
							       &err), &err);
		}
	must(liquid_fabric_finish(s->new, &err), &err);
}

static struct liquid_fabric *shuffle(const struct liquid_fabric *fabric, uint64_t seed)
{
	struct shuffled s = { .old = fabric, .hosts = liquid_fabric_host_count(fabric),
			      .switches = liquid_fabric_switch_count(fabric),
			      .links = liquid_fabric_link_count(fabric) };
	struct dice dice = { seed };

	s.host = permutation(&dice, s.hosts);
	s.sw = permutation(&dice, s.switches);
	s.link = permutation(&dice, s.links);
	s.new_node = calloc((size_t)s.hosts + s.switches + 1, sizeof(*s.new_node));
	s.new_link = calloc((size_t)s.links + 1, sizeof(*s.new_link));
	add_nodes(&s);
	add_links(&s);
	free(s.host);
	free(s.sw);
	free(s.link);
	free(s.new_node);
	free(s.new_link);
	return s.new;
}

/* ---- what is found ---- */

struct figure {
	const char *fabric, *params[4];
	uint32_t reach;			/* least number of places of unit 0 under the group */
	uint32_t most;			/* frames that auto may have; 0: not solved */
};

/* Places of unit 0 under the group. */
static uint32_t orbit_of_unit(const struct symmetry *symmetry, uint32_t units)
{
	uint32_t *queue = calloc((size_t)units + 1, sizeof(*queue)), count = 1, head, g;
	bool *seen = calloc((size_t)units + 1, sizeof(*seen));

	seen[0] = true;
	for (head = 0; head < count; head++)
		for (g = 0; g < symmetry->generators; g++) {
			uint32_t to = symmetry->unit_image[g][queue[head]];

			if (seen[to])
				continue;
			seen[to] = true;
			queue[count++] = to;
		}
	free(queue);
	free(seen);
	return count;
}

/* Every generator maps units with their resources, and all generators commute. */
static bool are_translations(const struct routes *units, const struct symmetry *symmetry)
{
	bool good = true;
	uint32_t g, h, u, i;

	for (g = 0; g < symmetry->generators; g++)
		for (u = 0; u < units->pair_count; u++) {
			uint32_t to = symmetry->unit_image[g][u];
			uint32_t uses = units->first[u + 1] - units->first[u];

			good &= units->pairs[u].count == units->pairs[to].count &&
				uses == units->first[to + 1] - units->first[to];
			for (i = 0; good && i < uses; i++) {
				uint32_t link = units->links[units->first[u] + i];

				good = units->links[units->first[to] + i] ==
				       symmetry->resource_image[g][link];
			}
			for (h = 0; h < g; h++)
				good &= symmetry->unit_image[h][to] ==
					symmetry->unit_image[g][symmetry->unit_image[h][u]];
		}
	return good;
}

static void test_found(const struct figure *figure, const struct liquid_fabric *fabric,
		       const struct liquid_traffic *traffic)
{
	struct quotient quotient;
	struct symmetry symmetry;
	struct liquid_error err;
	struct routes *routes;
	uint32_t reach, elements = 1;
	bool found;

	must(routes_build(fabric, traffic, &routes, &err), &err);
	must(quotient_find(routes, &quotient, &found, &err), &err);
	must(symmetry_find(&quotient, &symmetry, &err), &err);
	for (uint32_t g = 0; g < symmetry.generators; g++)
		elements *= symmetry.order[g];
	reach = found ? orbit_of_unit(&symmetry, quotient.units.pair_count) : 0;
	/* Generators are independent: each product of their powers maps the unit elsewhere. */
	ok(reach >= figure->reach && reach == elements &&
	   are_translations(&quotient.units, &symmetry),
	   "%s %s, shuffled: translations to %" PRIu32 " places, of %" PRIu32, figure->fabric,
	   figure->params[0], reach, figure->reach);
	symmetry_clear(&symmetry);
	quotient_clear(&quotient);
	routes_free(routes);
}

static void test_length(const struct figure *figure, const struct liquid_fabric *fabric,
			const struct liquid_traffic *traffic)
{
	struct liquid_solve_options options = { .method = "auto", .seed = 1,
						.work = 200000000 };
	struct liquid_schedule *schedule;
	struct liquid_error err;
	uint32_t length;

	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	length = liquid_schedule_info(schedule)->length;
	ok(length <= figure->most &&
	   liquid_verify(fabric, traffic, schedule, NULL, NULL, &err) == LIQUID_OK,
	   "%s %s, shuffled: %" PRIu32 " frames, at most %" PRIu32, figure->fabric,
	   figure->params[0], length, figure->most);
	liquid_schedule_free(schedule);
}

static void test_figure(const struct figure *figure)
{
	struct liquid_fabric *ordered, *fabric;
	struct liquid_traffic *traffic;
	size_t params = 0;

	while (params < 4 && figure->params[params])
		params++;
	ordered = make_fabric(figure->fabric, figure->params, params);
	fabric = shuffle(ordered, 7);
	traffic = all_routes(fabric);
	test_found(figure, fabric, traffic);
	if (figure->most)
		test_length(figure, fabric, traffic);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	liquid_fabric_free(ordered);
}

static void test_figures(void)
{
	static const struct figure figures[] = {
		{ "torus", { "size=8x8" }, 64, 80 },
		{ "torus", { "size=6x4" }, 24, 0 },
		{ "torus", { "size=5x3" }, 15, 0 },
		{ "torus", { "size=3x5x7" }, 105, 0 },
		{ "torus", { "size=5x5x5" }, 125, 0 },
		{ "torus", { "size=4x4", "hosts=3" }, 16, 108 },
		{ "torus", { "size=8x8", "ties=balanced" }, 16, 72 },
		{ "dragonfly", { "a=4", "p=2", "h=2" }, 9, 76 },
		{ "dragonfly", { "a=6", "p=3", "h=3" }, 19, 0 },
		{ "torus", { "size=2x8" }, 16, 0 },
		{ "mesh", { "size=4x4x4" }, 8, 0 },
	};
	uint32_t i;

	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		test_figure(&figures[i]);
}

/* One pair more, and nothing maps to it. */
static void test_broken(void)
{
	static const char *const params[] = { "size=5x5" };
	struct liquid_fabric *ordered = make_fabric("torus", params, 1);
	struct liquid_fabric *fabric = shuffle(ordered, 3);
	struct liquid_traffic *traffic = all_routes(fabric);
	const struct figure figure = { "torus", { "size=5x5, one pair twice," }, 1, 0 };
	struct liquid_error err;
	struct quotient quotient;
	struct symmetry symmetry;
	struct routes *routes;
	bool found;

	must(liquid_traffic_add(traffic, 3, 11, 1, &err), &err);
	must(routes_build(fabric, traffic, &routes, &err), &err);
	must(quotient_find(routes, &quotient, &found, &err), &err);
	must(symmetry_find(&quotient, &symmetry, &err), &err);
	ok(found && !symmetry.generators, "%s %s shuffled: no translations", figure.fabric,
	   figure.params[0]);
	symmetry_clear(&symmetry);
	quotient_clear(&quotient);
	routes_free(routes);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	liquid_fabric_free(ordered);
}

int main(void)
{
	test_broken();
	test_figures();
	return tap_exit();
}
