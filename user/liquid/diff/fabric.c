// SPDX-License-Identifier: GPL-2.0-only
/* What two fabrics differ in: nodes, links, entries of forwarding tables, loads. */
#include <stdlib.h>
#include <string.h>

#include "diff/diff.h"
#include "input/input.h"
#include "util/command.h"

#define LINK_TEXT	(2 * LIQUID_NAME_MAX + 32)

/* Nodes or links of one fabric, by name */
struct named {
	const char *name;
	uint32_t id;
};

struct side {
	const struct liquid_fabric *fabric;
	struct named *nodes, *links;
	char (*link_names)[LINK_TEXT];
	uint32_t hosts, node_count, link_count;
	uint32_t *twin;		/* by node: the other side's of that name, or LIQUID_NONE */
	uint32_t *link_twin;	/* by link, the same */
};

static int named_compare(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void side_free(struct side *side)
{
	free(side->nodes);
	free(side->links);
	free(side->link_names);
	free(side->twin);
	free(side->link_twin);
}

static bool side_read(struct side *side, const struct liquid_fabric *fabric)
{
	*side = (struct side){ .fabric = fabric, .hosts = liquid_fabric_host_count(fabric),
			       .link_count = liquid_fabric_link_count(fabric) };
	side->node_count = side->hosts + liquid_fabric_switch_count(fabric);
	side->nodes = calloc(side->node_count + 1, sizeof(*side->nodes));
	side->links = calloc(side->link_count + 1, sizeof(*side->links));
	side->link_names = calloc(side->link_count + 1, sizeof(*side->link_names));
	side->twin = malloc((side->node_count + 1) * sizeof(*side->twin));
	side->link_twin = malloc((side->link_count + 1) * sizeof(*side->link_twin));
	if (!side->nodes || !side->links || !side->link_names || !side->twin || !side->link_twin)
		return false;
	memset(side->twin, 0xff, (side->node_count + 1) * sizeof(*side->twin));
	memset(side->link_twin, 0xff, (side->link_count + 1) * sizeof(*side->link_twin));
	for (uint32_t n = 0; n < side->node_count; n++)
		side->nodes[n] = (struct named){ liquid_fabric_node_name(fabric, n), n };
	for (uint32_t l = 0; l < side->link_count; l++)
		side->links[l] = (struct named){
			liquid_fabric_link_name(fabric, l, side->link_names[l],
						sizeof(side->link_names[l])), l };
	qsort(side->nodes, side->node_count, sizeof(*side->nodes), named_compare);
	qsort(side->links, side->link_count, sizeof(*side->links), named_compare);
	return true;
}

static const char *node_kind(const struct side *side, uint32_t node)
{
	return node < side->hosts ? "host" : "switch";
}

static void compare_nodes(struct diff *diff, struct side *from, struct side *to)
{
	uint32_t i = 0, j = 0;

	while (i < from->node_count || j < to->node_count) {
		const struct named *a = &from->nodes[i], *b = &to->nodes[j];
		int order = i == from->node_count ? 1 : j == to->node_count ? -1 :
			    strcmp(a->name, b->name);

		if (order < 0) {
			diff_add(diff, node_kind(from, a->id), a->name, json_true(), NULL);
		} else if (order > 0) {
			diff_add(diff, node_kind(to, b->id), b->name, NULL, json_true());
		} else if ((a->id < from->hosts) != (b->id < to->hosts)) {
			diff_add(diff, "node", a->name, json_string(node_kind(from, a->id)),
				 json_string(node_kind(to, b->id)));
		} else {
			from->twin[a->id] = b->id;
			to->twin[b->id] = a->id;
		}
		i += order <= 0;
		j += order >= 0;
	}
}

static json_t *capacity(const struct side *side, uint32_t link)
{
	return json_integer(liquid_fabric_capacity(side->fabric, link));
}

static void compare_links(struct diff *diff, struct side *from, struct side *to)
{
	uint32_t i = 0, j = 0;

	while (i < from->link_count || j < to->link_count) {
		const struct named *a = &from->links[i], *b = &to->links[j];
		int order = i == from->link_count ? 1 : j == to->link_count ? -1 :
			    strcmp(a->name, b->name);

		if (order < 0) {
			diff_add(diff, "link", a->name, capacity(from, a->id), NULL);
		} else if (order > 0) {
			diff_add(diff, "link", b->name, NULL, capacity(to, b->id));
		} else {
			from->link_twin[a->id] = b->id;
			to->link_twin[b->id] = a->id;
			if (liquid_fabric_capacity(from->fabric, a->id) !=
			    liquid_fabric_capacity(to->fabric, b->id))
				diff_add(diff, "link", a->name, capacity(from, a->id),
					 capacity(to, b->id));
		}
		i += order <= 0;
		j += order >= 0;
	}
}

static json_t *link_or_null(const struct side *side, uint32_t link)
{
	return link == LIQUID_NONE ? NULL : json_string(side->link_names[link]);
}

/* Entries of the switches that both have, for the hosts that both have */
static void compare_tables(struct diff *diff, const struct side *from, const struct side *to)
{
	char name[2 * LIQUID_NAME_MAX + 8];

	for (uint32_t s = from->hosts; s < from->node_count; s++)
		for (uint32_t h = 0; from->twin[s] != LIQUID_NONE && h < from->hosts; h++) {
			uint32_t a, b;

			if (from->twin[h] == LIQUID_NONE)
				continue;
			a = liquid_fabric_forward(from->fabric, s - from->hosts, h);
			b = liquid_fabric_forward(to->fabric, from->twin[s] - to->hosts,
						  from->twin[h]);
			if (a == LIQUID_NONE ? b == LIQUID_NONE : from->link_twin[a] == b)
				continue;
			snprintf(name, sizeof(name), "%s to %s",
				 liquid_fabric_node_name(from->fabric, s),
				 liquid_fabric_node_name(from->fabric, h));
			diff_add(diff, "route", name, link_or_null(from, a), link_or_null(to, b));
		}
}

/* Messages' times of an all-to-all of all hosts, rounded up; 0: there is none */
static uint64_t busiest(const struct side *side)
{
	uint32_t *hosts = malloc((side->hosts + 1) * sizeof(*hosts));
	uint64_t *load = calloc(side->link_count + 1, sizeof(*load)), frames = 0;
	struct liquid_loads loads;
	struct liquid_error err;
	double fluid;

	for (uint32_t h = 0; hosts && h < side->hosts; h++)
		hosts[h] = h;
	if (hosts && load &&
	    !liquid_fabric_loads(side->fabric, hosts, side->hosts, load, &loads, &err))
		frames = loads_duration(side->fabric, load, &fluid);
	free(hosts);
	free(load);
	return frames;
}

static void compare_numbers(struct diff *diff, const char *what, uint64_t a, uint64_t b)
{
	if (a != b)
		diff_add(diff, what, NULL, json_integer((json_int_t)a),
			 json_integer((json_int_t)b));
}

int diff_fabrics(struct diff *diff, const struct liquid_fabric *from,
		 const struct liquid_fabric *to)
{
	struct side a, b = { 0 };
	bool read = side_read(&a, from) && side_read(&b, to);

	if (read) {
		compare_numbers(diff, "rate of a unit", liquid_fabric_unit_rate(from),
				liquid_fabric_unit_rate(to));
		compare_numbers(diff, "frames that an all-to-all needs at least", busiest(&a),
				busiest(&b));
		compare_nodes(diff, &a, &b);
		compare_links(diff, &a, &b);
		compare_tables(diff, &a, &b);
	}
	side_free(&a);
	side_free(&b);
	return read ? EXIT_OK : no_memory();
}
