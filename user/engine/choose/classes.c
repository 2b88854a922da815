// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Classes of exchangeable nodes, found in the tables
 *
 * Two nodes are exchangeable if they hang on the same switches by links of the same capacity, and
 * every switch forwards to both by the same link, except for the last. Then each choice that has
 * one of them can have the other instead: all loads but those of the two nodes' own links stay.
 */
#include <stdlib.h>
#include <string.h>

#include "choose/choose.h"

struct column {
	const struct choosing *choosing;
	uint32_t node;
	uint64_t hash;			/* of what makes the class */
};

/* Where @sw forwards to @dst by; the last link, to the host itself, counts as one value. */
static uint32_t forward_of(const struct choosing *choosing, uint32_t sw, uint32_t dst)
{
	const struct liquid_fabric *fabric = choosing->fabric;
	uint32_t link = liquid_fabric_forward(fabric, sw, dst);

	if (link != LIQUID_NONE && link == fabric->host[dst].in)
		return LIQUID_NONE - 1;
	return link;
}

static uint64_t hash_more(uint64_t hash, uint64_t value)
{
	struct random random = { hash ^ value };

	return random_next(&random);
}

static uint64_t hash_column(const struct choosing *choosing, uint32_t v)
{
	const struct choose_node *node = &choosing->node[v];
	uint64_t hash = hash_more(node->from, node->to);

	hash = hash_more(hash_more(hash, node->out), node->in);
	for (uint32_t sw = 0; sw < choosing->fabric->switches; sw++)
		hash = hash_more(hash, forward_of(choosing, sw, node->dst));
	return hash;
}

static int compare(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_columns(const struct choosing *choosing, uint32_t a, uint32_t b)
{
	const struct choose_node *left = &choosing->node[a], *right = &choosing->node[b];
	int order = compare(left->from, right->from);

	if (!order)
		order = compare(left->to, right->to);
	if (!order)
		order = compare(left->out, right->out);
	if (!order)
		order = compare(left->in, right->in);
	for (uint32_t sw = 0; !order && sw < choosing->fabric->switches; sw++)
		order = compare(forward_of(choosing, sw, left->dst),
				forward_of(choosing, sw, right->dst));
	return order;
}

/* By hash, so that whole columns are compared only where they are probably equal. */
static int compare_nodes(const void *a, const void *b)
{
	const struct column *left = a, *right = b;
	int order;

	if (left->hash != right->hash)
		return left->hash < right->hash ? -1 : 1;
	order = compare_columns(left->choosing, left->node, right->node);
	return order ? order : compare(left->node, right->node);
}

/* Classes are numbered by their first nodes. */
static void number_classes(struct choosing *choosing, const struct column *columns)
{
	uint32_t *first = choosing->tried;	/* by node; free until the search begins */

	for (uint32_t i = 0; i < choosing->nodes; i++) {
		bool same = i && columns[i].hash == columns[i - 1].hash &&
			!compare_columns(choosing, columns[i].node, columns[i - 1].node);

		first[columns[i].node] = same ? first[columns[i - 1].node] : columns[i].node;
	}
	for (uint32_t v = 0; v < choosing->nodes; v++)
		choosing->node[v].class = first[v] == v ? choosing->classes++ :
			choosing->node[first[v]].class;
	memset(first, 0, choosing->nodes * sizeof(*first));
}

bool choosing_classify(struct choosing *choosing)
{
	struct column *columns = calloc((size_t)choosing->nodes + 1, sizeof(*columns));

	if (!columns)
		return false;
	for (uint32_t v = 0; v < choosing->nodes; v++)
		columns[v] = (struct column){ choosing, v, hash_column(choosing, v) };
	qsort(columns, choosing->nodes, sizeof(*columns), compare_nodes);
	number_classes(choosing, columns);
	free(columns);
	return true;
}
