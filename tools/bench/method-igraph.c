// SPDX-License-Identifier: GPL-2.0-only
/* A peer as a method: igraph's greedy colouring of the congestion graph, which it also builds. */
#include <stdlib.h>

#include <igraph/igraph.h>

#include "swiss.h"

/* Join @a and @b; true if they were not joined before. */
static bool join(uint64_t *joined, uint32_t pairs, uint32_t a, uint32_t b)
{
	size_t bit = (size_t)a * pairs + b;
	uint64_t mask = UINT64_C(1) << bit % 64;
	bool is_new = !(joined[bit / 64] & mask);

	joined[bit / 64] |= mask;
	return is_new;
}

/* List the edges, each once: two transfers congest if they share a link. */
static bool list_edges(const struct solving *solving, igraph_vector_int_t *edges)
{
	const struct routes *routes = solving->routes;
	const struct routes_inverse *inverse = &solving->inverse;
	uint32_t pairs = routes->pair_count;
	uint64_t *joined = calloc((size_t)pairs * pairs / 64 + 1, sizeof(*joined));
	bool good = joined;

	for (uint32_t l = 0; good && l < routes->link_count; l++)
		for (uint32_t i = inverse->first[l]; i < inverse->first[l + 1]; i++)
			for (uint32_t j = inverse->first[l]; good && j < i; j++)
				if (join(joined, pairs, inverse->pairs[i], inverse->pairs[j]))
					good = !igraph_vector_int_push_back(edges,
									    inverse->pairs[i]) &&
					       !igraph_vector_int_push_back(edges,
									    inverse->pairs[j]);
	free(joined);
	return good;
}

static int offer_colours(struct solving *solving, const igraph_vector_int_t *colours,
			 struct liquid_error *err)
{
	uint32_t count = solving->routes->pair_count, frames = 0;
	uint32_t *frame = malloc(((size_t)count + 1) * sizeof(*frame));
	int status;

	if (!frame)
		return liquid_no_memory(err);
	for (uint32_t p = 0; p < count; p++) {
		frame[p] = (uint32_t)VECTOR(*colours)[p];
		if (frame[p] >= frames)
			frames = frame[p] + 1;
	}
	status = solving_offer(solving, frame, frames, err);
	free(frame);
	return status;
}

/* Only for pairs of one unit and links of capacity 1, as on Swiss-T1. */
int method_igraph(struct solving *solving, struct liquid_error *err)
{
	igraph_vector_int_t edges, colours;
	igraph_t graph;
	int status = LIQUID_OK;
	bool good;

	if (igraph_vector_int_init(&edges, 0) || igraph_vector_int_init(&colours, 0))
		return liquid_no_memory(err);
	good = list_edges(solving, &edges) &&
	       !igraph_create(&graph, &edges, solving->routes->pair_count, IGRAPH_UNDIRECTED);
	if (good) {
		good = !igraph_vertex_coloring_greedy(&graph, &colours,
						      IGRAPH_COLORING_GREEDY_COLORED_NEIGHBORS);
		if (good)
			status = offer_colours(solving, &colours, err);
		igraph_destroy(&graph);
	}
	igraph_vector_int_destroy(&edges);
	igraph_vector_int_destroy(&colours);
	return good ? status : liquid_no_memory(err);
}
