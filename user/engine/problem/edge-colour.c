// SPDX-License-Identifier: LGPL-2.1-or-later
/* Edge colouring of bipartite multigraphs: a common free colour, else an alternating path. */
#include <stdlib.h>
#include <string.h>

#include "problem/edge-colour.h"

void konig_clear(struct konig *konig)
{
	free(konig->left);
	free(konig->right);
	free(konig->left_free);
	free(konig->right_free);
	memset(konig, 0, sizeof(*konig));
}

static bool reserve_side(uint32_t **slot, uint64_t **bits, uint64_t *slots, uint64_t *words,
			 uint64_t need_slots, uint64_t need_words)
{
	if (need_slots > *slots) {
		free(*slot);
		*slot = malloc(need_slots * sizeof(**slot));
		*slots = *slot ? need_slots : 0;
	}
	if (need_words > *words) {
		free(*bits);
		*bits = malloc(need_words * sizeof(**bits));
		*words = *bits ? need_words : 0;
	}
	return *slot && *bits;
}

static void fill_free(uint64_t *bits, uint32_t vertices, uint32_t stride, uint32_t colours)
{
	uint64_t last = colours % 64 ? (1ull << colours % 64) - 1 : ~0ull;
	uint32_t v, w;

	for (v = 0; v < vertices; v++)
		for (w = 0; w < stride; w++)
			*bits++ = w + 1 < stride ? ~0ull : last;
}

static bool prepare(struct konig *konig, const struct konig_graph *graph, uint32_t colours)
{
	uint32_t stride = (colours + 63) / 64;

	konig->colours = colours;
	konig->stride = stride;
	if (!reserve_side(&konig->left, &konig->left_free, &konig->slots[0], &konig->words[0],
			  (uint64_t)graph->lefts * colours, (uint64_t)graph->lefts * stride) ||
	    !reserve_side(&konig->right, &konig->right_free, &konig->slots[1], &konig->words[1],
			  (uint64_t)graph->rights * colours, (uint64_t)graph->rights * stride))
		return false;
	fill_free(konig->left_free, graph->lefts, stride, colours);
	fill_free(konig->right_free, graph->rights, stride, colours);
	memset(konig->left, 0, sizeof(*konig->left) * graph->lefts * colours);
	memset(konig->right, 0, sizeof(*konig->right) * graph->rights * colours);
	return true;
}

static uint32_t first_common(const uint64_t *a, const uint64_t *b, uint32_t stride)
{
	uint32_t w;

	for (w = 0; w < stride; w++)
		if (a[w] & b[w])
			return w * 64 + (uint32_t)__builtin_ctzll(a[w] & b[w]);
	return UINT32_MAX;
}

static void set_slot(uint32_t *table, uint64_t *bits, uint32_t colours, uint32_t stride, uint32_t v,
		     uint32_t c, uint32_t edge)
{
	table[(uint64_t)v * colours + c] = edge;
	if (edge)
		bits[(uint64_t)v * stride + c / 64] &= ~(1ull << c % 64);
	else
		bits[(uint64_t)v * stride + c / 64] |= 1ull << c % 64;
}

/* set_slot() with an edge, inlined: most edges need only this. */
static inline void take_slot(uint32_t *table, uint64_t *bits, const struct konig *konig, uint32_t v,
			     uint32_t c, uint32_t edge)
{
	table[(uint64_t)v * konig->colours + c] = edge;
	bits[(uint64_t)v * konig->stride + c / 64] &= ~(1ull << c % 64);
}

/*
 * Swap @a and @b on the path that leaves the right vertex @v by colour @a. The path
 * cannot end at a left vertex where @a is free, since it enters left vertices by @a.
 */
static void flip_path(struct konig *konig, const struct konig_graph *graph, uint32_t *colour,
		      uint32_t v, uint32_t a, uint32_t b)
{
	uint32_t edge = konig->right[(uint64_t)v * konig->colours + a], next;
	uint32_t in = a, out = b, vertex = v, far;
	bool right = true;

	set_slot(konig->right, konig->right_free, konig->colours, konig->stride, v, a, 0);
	while (edge) {
		uint32_t *near_table = right ? konig->right : konig->left;
		uint32_t *far_table = right ? konig->left : konig->right;

		far = right ? graph->left[edge - 1] : graph->right[edge - 1];
		next = far_table[(uint64_t)far * konig->colours + out];
		set_slot(near_table, right ? konig->right_free : konig->left_free, konig->colours,
			 konig->stride, vertex, out, edge);
		set_slot(far_table, right ? konig->left_free : konig->right_free, konig->colours,
			 konig->stride, far, out, edge);
		if (!next)
			set_slot(far_table, right ? konig->left_free : konig->right_free,
				 konig->colours, konig->stride, far, in, 0);
		colour[edge - 1] = out;
		konig->flips++;
		edge = next;
		vertex = far;
		right = !right;
		far = in;
		in = out;
		out = far;
	}
}

static bool colour_edge(struct konig *konig, const struct konig_graph *graph, uint32_t *colour,
			uint32_t edge)
{
	uint32_t u = graph->left[edge], v = graph->right[edge], stride = konig->stride;
	const uint64_t *free_u = konig->left_free + (uint64_t)u * stride;
	const uint64_t *free_v = konig->right_free + (uint64_t)v * stride;
	uint32_t c = first_common(free_u, free_v, stride);

	if (c == UINT32_MAX) {
		uint32_t b = first_common(free_v, free_v, stride);

		c = first_common(free_u, free_u, stride);
		if (c == UINT32_MAX || b == UINT32_MAX)
			return false;
		flip_path(konig, graph, colour, v, c, b);
	}
	colour[edge] = c;
	take_slot(konig->left, konig->left_free, konig, u, c, edge + 1);
	take_slot(konig->right, konig->right_free, konig, v, c, edge + 1);
	return true;
}

bool konig_colour(struct konig *konig, const struct konig_graph *graph, uint32_t colours,
		  uint32_t *colour)
{
	uint32_t edge;

	if (!graph->edges)
		return true;
	if (colours == 1) {
		memset(colour, 0, sizeof(*colour) * graph->edges);
		return true;
	}
	if (!colours || !prepare(konig, graph, colours))
		return false;
	for (edge = 0; edge < graph->edges; edge++)
		if (!colour_edge(konig, graph, colour, edge))
			return false;
	return true;
}
