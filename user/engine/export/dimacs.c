// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writing the congestion graph as a DIMACS file for graph colouring
 *
 * There is a vertex for each transfer and an edge between any two transfers that share a
 * link of capacity 1. A colouring is a schedule; its colours are the frames.
 */
#include "export/export.h"
#include "problem/congestion.h"

#define EDGES_MAX UINT64_C(4000000000)

/*
 * Edges among the @count units of a pair, which cannot share a frame: they use the same link of
 * capacity 1, or are a strand (routes.h).
 */
static uint64_t edges_within(uint64_t count)
{
	return count * (count - 1) / 2;
}

/* Edges among the units of @pair and from them to later pairs. */
static uint64_t edges_of(struct congestion *congestion, uint32_t pair)
{
	const struct liquid_pair *pairs = congestion->routes->pairs;
	uint64_t edges = edges_within(pairs[pair].count);

	congestion_of(congestion, pair);
	for (uint32_t i = 0; i < congestion->count; i++)
		if (congestion->neighbours[i] > pair)
			edges += (uint64_t)pairs[pair].count *
				pairs[congestion->neighbours[i]].count;
	return edges;
}

static int count_edges(struct congestion *congestion, uint64_t *edges, struct liquid_error *err)
{
	*edges = 0;
	for (uint32_t pair = 0; pair < congestion->routes->pair_count; pair++) {
		*edges += edges_of(congestion, pair);
		if (*edges > EDGES_MAX)
			return liquid_fail(err, LIQUID_BAD_INPUT,
					   "the congestion graph has more than %llu edges",
					   (unsigned long long)EDGES_MAX);
	}
	return LIQUID_OK;
}

static void write_vertices(const struct export *export)
{
	const struct routes *routes = export->routes;

	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		const char *src = liquid_fabric_node_name(export->fabric, routes->pairs[pair].src);
		const char *dst = liquid_fabric_node_name(export->fabric, routes->pairs[pair].dst);

		for (uint32_t i = routes->first_transfer[pair];
		     i < routes->first_transfer[pair + 1]; i++)
			export_note(export, "vertex %u %s>%s", i + 1, src, dst);
	}
}

/* Write the edges between pair @a and pair @b, which may be the same. */
static void write_between(const struct export *export, uint32_t a, uint32_t b)
{
	const uint32_t *first = export->routes->first_transfer;

	for (uint32_t i = first[a]; i < first[a + 1]; i++)
		for (uint32_t j = a == b ? i + 1 : first[b]; j < first[b + 1]; j++)
			fprintf(export->out, "e %u %u\n", i + 1, j + 1);
}

static void write_edges(const struct export *export, struct congestion *congestion)
{
	for (uint32_t pair = 0; pair < export->routes->pair_count; pair++) {
		congestion_of(congestion, pair);
		write_between(export, pair, pair);
		for (uint32_t i = 0; i < congestion->count; i++)
			if (congestion->neighbours[i] > pair)
				write_between(export, pair, congestion->neighbours[i]);
	}
}

static int refuse(const struct export *export, struct liquid_error *err)
{
	char name[2 * LIQUID_NAME_MAX + 32];
	uint32_t link;

	if (!congestion_unpaired(export->routes, &export->inverse, &link))
		return liquid_no_memory(err);
	if (link == LIQUID_NONE)
		return LIQUID_OK;
	liquid_fabric_link_name(export->fabric, export->routes->origin[link], name, sizeof(name));
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "no congestion graph: link %s has capacity %u and load %u, so that more "
			   "than two transfers congest there though any two do not; export a MILP "
			   "or CNF model instead", name, export->routes->capacity[link],
			   export->routes->load[link]);
}

static int write_graph(const struct export *export, struct congestion *congestion,
		       struct liquid_error *err)
{
	uint64_t edges;
	int status = count_edges(congestion, &edges, err);

	if (status)
		return status;
	export_note(export, "congestion graph: vertices are transfers, colours are frames");
	export_origin(export);
	fprintf(export->out, "p edge %u %llu\n", export->routes->transfer_count,
		(unsigned long long)edges);
	write_vertices(export);
	write_edges(export, congestion);
	return export_flush(export, err);
}

int export_dimacs(const struct export *export, const struct liquid_traffic *traffic,
		  struct liquid_error *err)
{
	struct congestion congestion;
	int status = refuse(export, err);

	(void)traffic;
	if (status)
		return status;
	status = congestion_new(&congestion, export->routes, &export->inverse) ?
		 write_graph(export, &congestion, err) : liquid_no_memory(err);
	congestion_clear(&congestion);
	return status;
}
