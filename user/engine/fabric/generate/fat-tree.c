// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Fat trees of two levels (leaf-spine) and three (k-ary), with D-mod-K or hashed routes.
 *
 * D-mod-K (Zahavi et al., 2010): the uplink is the destination's number modulo the number
 * of uplinks, so that as many consecutive destinations as there are uplinks share none.
 * Hashed: the uplink is a hash of switch and destination, as in switches that balance the
 * load by destination. There is only one way down.
 */
#include "fabric/generate/generate.h"

enum { ROUTE_DMODK, ROUTE_HASH };
static const char *const route_names[] = { "dmodk", "hash", NULL };

static uint32_t uplink(uint32_t route, uint32_t sw, uint32_t dst, uint32_t digit, uint32_t ways)
{
	return (route == ROUTE_HASH ? gen_hash(sw, dst) : digit) % ways;
}

/* Connect host @h to port @port of switch @sw. */
static int connect_host(struct liquid_fabric *fabric, uint32_t h, uint32_t sw, uint32_t port,
			struct liquid_error *err)
{
	return fabric_add_cable(fabric, h, 1, fabric->hosts + sw, port, 1, err);
}

/* Let switch @sw send to @dst by its port @port. */
static int forward_by(struct liquid_fabric *fabric, uint32_t sw, uint32_t dst, uint32_t port,
		      struct liquid_error *err)
{
	return liquid_fabric_set_forward(fabric, sw, dst,
					 fabric_find_link(fabric, fabric->hosts + sw, port), err);
}

/* ---- leaf-spine: leaves first, then spines; a leaf's ports: hosts, then spines ---- */

struct leaf_spine {
	uint32_t leaves, spines, hosts;	/* @hosts: of each leaf */
	uint32_t capacity, route;
};

static int leaf_spine_params(struct leaf_spine *t, struct gen_params *params,
			     struct liquid_error *err)
{
	int status = gen_number(params, "leaves", 1, 4096, &t->leaves, err);

	if (!status)
		status = gen_number(params, "hosts", 1, 4096, &t->hosts, err);
	t->spines = t->hosts;
	if (!status)
		status = gen_number(params, "spines", 1, 4096, &t->spines, err);
	if (!status)
		status = gen_number(params, "capacity", 1, FABRIC_CAPACITY_MAX, &t->capacity, err);
	if (!status)
		status = gen_choice(params, "routes", route_names, &t->route, err);
	return status ? status : gen_params_done(params, err);
}

static int leaf_spine_links(struct liquid_fabric *fabric, const struct leaf_spine *t,
			    struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t h = 0; h < fabric->hosts && !status; h++)
		status = connect_host(fabric, h, h / t->hosts, 1 + h % t->hosts, err);
	for (uint32_t l = 0; l < t->leaves; l++)
		for (uint32_t s = 0; s < t->spines && !status; s++)
			status = fabric_add_cable(fabric, fabric->hosts + l, 1 + t->hosts + s,
						  fabric->hosts + t->leaves + s, 1 + l, t->capacity,
						  err);
	return status;
}

static int leaf_spine_routes(struct liquid_fabric *fabric, const struct leaf_spine *t, uint32_t dst,
			     struct liquid_error *err)
{
	uint32_t leaf = dst / t->hosts, port;
	int status = LIQUID_OK;

	for (uint32_t l = 0; l < t->leaves && !status; l++) {
		port = l == leaf ? 1 + dst % t->hosts :
				   1 + t->hosts + uplink(t->route, l, dst, dst, t->spines);
		status = forward_by(fabric, l, dst, port, err);
	}
	for (uint32_t s = 0; s < t->spines && !status; s++)
		status = forward_by(fabric, t->leaves + s, dst, 1 + leaf, err);
	return status;
}

int generate_leaf_spine(struct liquid_fabric *fabric, struct gen_params *params,
			struct liquid_error *err)
{
	struct leaf_spine t = { .leaves = 4, .hosts = 4, .capacity = 1 };
	int status = leaf_spine_params(&t, params, err);

	if (!status)
		status = gen_hosts(fabric, "h%u", t.leaves * t.hosts, err);
	if (!status)
		status = gen_switches(fabric, "leaf%u", t.leaves, err);
	if (!status)
		status = gen_switches(fabric, "spine%u", t.spines, err);
	if (!status)
		status = leaf_spine_links(fabric, &t, err);
	for (uint32_t dst = 0; dst < fabric->hosts && !status; dst++)
		status = leaf_spine_routes(fabric, &t, dst, err);
	return status;
}

/*
 * ---- three levels: k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 cores ----
 *
 * Order of the switches: edges by pod, aggregations by pod, cores. Aggregation j of each
 * pod is joined to the cores j * k/2 ... j * k/2 + k/2 - 1. Ports to the level below come
 * first.
 */

struct fat_tree {
	uint32_t k, half;		/* half = k / 2 */
	uint32_t hosts;			/* of each edge switch */
	uint32_t route;
	uint32_t edges;			/* edge switches of all pods; as many aggregations */
};

static int fat_tree_params(struct fat_tree *t, struct gen_params *params, struct liquid_error *err)
{
	int status = gen_number(params, "k", 2, 64, &t->k, err);

	if (!status && t->k % 2)
		status = liquid_fail(err, LIQUID_BAD_INPUT, "k=%u: expected an even number", t->k);
	t->half = t->hosts = t->k / 2;
	t->edges = t->k * t->half;
	if (!status)
		status = gen_number(params, "hosts", 1, 1024, &t->hosts, err);
	if (!status)
		status = gen_choice(params, "routes", route_names, &t->route, err);
	return status ? status : gen_params_done(params, err);
}

/* Add the uplinks of edge switch @e and of aggregation switch @e. */
static int fat_tree_up(struct liquid_fabric *fabric, const struct fat_tree *t, uint32_t e,
		       struct liquid_error *err)
{
	uint32_t edge = fabric->hosts + e, pod = e / t->half, j = e % t->half;
	uint32_t aggregations = fabric->hosts + t->edges, cores = aggregations + t->edges;
	int status = LIQUID_OK;

	for (uint32_t up = 0; up < t->half && !status; up++) {
		status = fabric_add_cable(fabric, edge, 1 + t->hosts + up,
					  aggregations + pod * t->half + up, 1 + j, 1, err);
		if (!status)
			status = fabric_add_cable(fabric, aggregations + e, 1 + t->half + up,
						  cores + j * t->half + up, 1 + pod, 1, err);
	}
	return status;
}

static int fat_tree_routes(struct liquid_fabric *fabric, const struct fat_tree *t, uint32_t dst,
			   struct liquid_error *err)
{
	uint32_t to = dst / t->hosts, pod = to / t->half, port;
	int status = LIQUID_OK;

	for (uint32_t e = 0; e < t->edges && !status; e++) {
		port = e == to ? 1 + dst % t->hosts :
				 1 + t->hosts + uplink(t->route, e, dst, dst, t->half);
		status = forward_by(fabric, e, dst, port, err);
	}
	for (uint32_t a = 0; a < t->edges && !status; a++) {
		port = a / t->half == pod ? 1 + to % t->half :
		       1 + t->half + uplink(t->route, t->edges + a, dst, dst / t->half, t->half);
		status = forward_by(fabric, t->edges + a, dst, port, err);
	}
	for (uint32_t c = 0; c < t->half * t->half && !status; c++)
		status = forward_by(fabric, 2 * t->edges + c, dst, 1 + pod, err);
	return status;
}

int generate_fat_tree(struct liquid_fabric *fabric, struct gen_params *params,
		      struct liquid_error *err)
{
	struct fat_tree t = { .k = 4 };
	int status = fat_tree_params(&t, params, err);

	if (!status)
		status = gen_hosts(fabric, "h%u", t.edges * t.hosts, err);
	if (!status)
		status = gen_switches(fabric, "edge%u", t.edges, err);
	if (!status)
		status = gen_switches(fabric, "agg%u", t.edges, err);
	if (!status)
		status = gen_switches(fabric, "core%u", t.half * t.half, err);
	for (uint32_t h = 0; h < fabric->hosts && !status; h++)
		status = connect_host(fabric, h, h / t.hosts, 1 + h % t.hosts, err);
	for (uint32_t e = 0; e < t.edges && !status; e++)
		status = fat_tree_up(fabric, &t, e, err);
	for (uint32_t dst = 0; dst < fabric->hosts && !status; dst++)
		status = fat_tree_routes(fabric, &t, dst, err);
	return status;
}
