// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tori and meshes of one to three dimensions with dimension-order routing (Dally & Seitz, 1987).
 *
 * A packet takes the shorter way around the ring of the first dimension, then of the second,
 * and so on. If both ways are equally long (in a ring of even size) the tie rule decides:
 * "plus" goes up; "balanced" goes up from switches with an even coordinate in that ring and
 * down from the others. A mesh has no cable from the last switch of a row to the first, so that
 * there is one way.
 */
#include "fabric/generate/generate.h"

#define DIMENSIONS_MAX 3

enum { TIES_PLUS, TIES_BALANCED };
static const char *const tie_names[] = { "plus", "balanced", NULL };

struct torus {
	uint32_t size[DIMENSIONS_MAX], stride[DIMENSIONS_MAX];
	uint32_t dimensions, switches;
	uint32_t hosts;			/* of each switch */
	uint32_t ties;
	bool mesh;			/* rows instead of rings; no ties */
};

/* Ports of a switch: up and down in each dimension, then its hosts. */
static uint32_t torus_port(uint32_t dimension, bool down)
{
	return 1 + 2 * dimension + down;
}

static uint32_t coordinate(const struct torus *t, uint32_t sw, uint32_t dimension)
{
	return sw / t->stride[dimension] % t->size[dimension];
}

static int torus_params(struct torus *t, struct gen_params *params, struct liquid_error *err)
{
	int status = gen_sizes(params, "size", 2, 1024, t->size, DIMENSIONS_MAX, &t->dimensions,
			       err);

	if (!status)
		status = gen_number(params, "hosts", 1, 1024, &t->hosts, err);
	if (!status && !t->mesh)
		status = gen_choice(params, "ties", tie_names, &t->ties, err);
	if (!status)
		status = gen_params_done(params, err);
	if (status)
		return status;
	/* In size=XxYxZ the last coordinate changes fastest */
	for (uint32_t d = t->dimensions; d-- > 0;) {
		t->stride[d] = t->switches;
		t->switches *= t->size[d];
		if (t->switches > FABRIC_SWITCHES_MAX ||
		    t->switches * t->hosts > FABRIC_HOSTS_MAX)
			return liquid_fail(err, LIQUID_BAD_INPUT,
					   "more than %u switches or %u hosts", FABRIC_SWITCHES_MAX,
					   FABRIC_HOSTS_MAX);
	}
	return LIQUID_OK;
}

/* Add the cables that go up from a switch. A ring of two switches has two cables. */
static int torus_links(struct liquid_fabric *fabric, const struct torus *t, uint32_t sw,
		       struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t d = 0; d < t->dimensions && !status; d++) {
		uint32_t at = coordinate(t, sw, d);
		uint32_t next = sw - at * t->stride[d] + (at + 1) % t->size[d] * t->stride[d];

		if (t->mesh && next < sw)
			continue;
		status = fabric_add_cable(fabric, fabric->hosts + sw, torus_port(d, false),
					  fabric->hosts + next, torus_port(d, true), 1, err);
	}
	return status;
}

/* The port that leads from @sw towards another switch @to. */
static uint32_t next_port(const struct torus *t, uint32_t sw, uint32_t to)
{
	uint32_t d = 0, at, up;

	while (coordinate(t, sw, d) == coordinate(t, to, d))
		d++;
	at = coordinate(t, sw, d);
	if (t->mesh)
		return torus_port(d, coordinate(t, to, d) < at);
	up = (coordinate(t, to, d) + t->size[d] - at) % t->size[d];
	if (2 * up == t->size[d])
		return torus_port(d, t->ties == TIES_BALANCED && at % 2);
	return torus_port(d, 2 * up > t->size[d]);
}

static int torus_routes(struct liquid_fabric *fabric, const struct torus *t, uint32_t dst,
			struct liquid_error *err)
{
	uint32_t to = dst / t->hosts, port, node;
	int status = LIQUID_OK;

	for (uint32_t sw = 0; sw < t->switches && !status; sw++) {
		node = fabric->hosts + sw;
		port = sw == to ? 1 + 2 * t->dimensions + dst % t->hosts : next_port(t, sw, to);
		status = liquid_fabric_set_forward(fabric, sw, dst,
						   fabric_find_link(fabric, node, port), err);
	}
	return status;
}

static int make(struct liquid_fabric *fabric, struct gen_params *params, bool mesh,
		struct liquid_error *err)
{
	struct torus t = { .size = { 4, 4 }, .dimensions = 2, .switches = 1, .hosts = 1,
			   .mesh = mesh };
	int status = torus_params(&t, params, err);

	if (!status)
		status = gen_hosts(fabric, "h%u", t.switches * t.hosts, err);
	if (!status)
		status = gen_switches(fabric, "s%u", t.switches, err);
	for (uint32_t h = 0; h < fabric->hosts && !status; h++)
		status = fabric_add_cable(fabric, h, 1, fabric->hosts + h / t.hosts,
					  1 + 2 * t.dimensions + h % t.hosts, 1, err);
	for (uint32_t sw = 0; sw < t.switches && !status; sw++)
		status = torus_links(fabric, &t, sw, err);
	for (uint32_t dst = 0; dst < fabric->hosts && !status; dst++)
		status = torus_routes(fabric, &t, dst, err);
	return status;
}

int generate_torus(struct liquid_fabric *fabric, struct gen_params *params,
		   struct liquid_error *err)
{
	return make(fabric, params, false, err);
}

int generate_mesh(struct liquid_fabric *fabric, struct gen_params *params,
		  struct liquid_error *err)
{
	return make(fabric, params, true, err);
}
