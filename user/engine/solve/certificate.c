// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lower bounds above the duration, and their proofs
 *
 * Cliques: the pairs of a link of capacity 1, and further pairs that congest with all of
 * them. Odd sets: three links with multiplier 1/2 each; a frame holds at most half of their
 * capacity, rounded down, of transfers that use two of them.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "solve/certificate.h"

#define CLIQUE_PAIRS_MAX 4096	/* the limit of the verifier */
#define TRIPLE_LINKS_MAX 256	/* its cube is 16 million */
#define RAISE_PAIRS_MAX 20000

/* ---- cliques ---- */

struct clique {
	const struct solving *solving;
	uint32_t *shared;		/* by pair: number of members that it congests with */
	uint32_t *seen;			/* by pair: the last member that counted it */
	uint32_t *members;
	uint32_t member_count;
	uint32_t size;			/* transfers of all members */
	uint64_t work;
};

static bool clique_new(struct clique *clique, const struct solving *solving)
{
	size_t pairs = (size_t)solving->routes->pair_count + 1;

	*clique = (struct clique){ .solving = solving };
	clique->shared = calloc(pairs, sizeof(*clique->shared));
	clique->seen = calloc(pairs, sizeof(*clique->seen));
	clique->members = calloc(pairs, sizeof(*clique->members));
	return clique->shared && clique->seen && clique->members;
}

static void clique_clear(struct clique *clique)
{
	free(clique->shared);
	free(clique->seen);
	free(clique->members);
}

/* Each pair that congests with the new member is counted once. */
static void add_member(struct clique *clique, uint32_t pair)
{
	const struct routes *routes = clique->solving->routes;
	const struct routes_inverse *inverse = &clique->solving->inverse;
	uint32_t count;
	const uint32_t *links = routes_links(routes, pair, &count);

	clique->members[clique->member_count++] = pair;
	clique->size += routes->pairs[pair].count;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t end = inverse->first[links[i] + 1];

		if (routes->capacity[links[i]] != 1)
			continue;
		for (uint32_t j = inverse->first[links[i]]; j < end; j++) {
			uint32_t other = inverse->pairs[j];

			if (clique->seen[other] == clique->member_count)
				continue;
			clique->seen[other] = clique->member_count;
			clique->shared[other]++;
		}
		clique->work += end - inverse->first[links[i]];
	}
	clique->shared[pair] = LIQUID_NONE;	/* a member cannot join again */
}

/* Of the pairs that congest with all members, the one with the largest count. */
static uint32_t best_extension(const struct clique *clique)
{
	const struct routes *routes = clique->solving->routes;
	uint32_t best = LIQUID_NONE;

	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		if (clique->shared[pair] == clique->member_count &&
		    (best == LIQUID_NONE || routes->pairs[pair].count > routes->pairs[best].count))
			best = pair;
	return best;
}

static void reset_clique(struct clique *clique)
{
	uint32_t pairs = clique->solving->routes->pair_count;

	memset(clique->shared, 0, pairs * sizeof(*clique->shared));
	memset(clique->seen, 0, pairs * sizeof(*clique->seen));
	clique->member_count = clique->size = 0;
	clique->work += pairs;
}

/* Grow a clique from the pairs that use both @first and @second, which may be equal. */
static void grow_clique(struct clique *clique, uint32_t first, uint32_t second)
{
	const struct routes_inverse *inverse = &clique->solving->inverse;
	uint32_t i = inverse->first[first], j = inverse->first[second], pair;

	reset_clique(clique);
	while (i < inverse->first[first + 1] && j < inverse->first[second + 1]) {
		uint32_t left = inverse->pairs[i], right = inverse->pairs[j];

		if (left == right)
			add_member(clique, left);
		i += left <= right;
		j += right <= left;
	}
	while (clique->member_count &&
	       (pair = best_extension(clique)) != LIQUID_NONE) {
		add_member(clique, pair);
		clique->work += clique->solving->routes->pair_count;
	}
}

static bool keep_clique(struct solving *solving, const struct clique *clique)
{
	uint32_t *items = malloc(clique->member_count * sizeof(*items) + 1);

	if (!items)
		return false;
	memcpy(items, clique->members, clique->member_count * sizeof(*items));
	witness_clear(&solving->witness);
	solving->witness = (struct witness){ .kind = WITNESS_CLIQUE, .items = items,
					     .count = clique->member_count };
	solving->lower_bound = clique->size;
	return true;
}

/* Start from each link, and from each two links of a pair. */
static bool raise_by_cliques(struct solving *solving)
{
	const struct routes *routes = solving->routes;
	struct clique clique;
	bool good = clique_new(&clique, solving);

	for (uint32_t pair = 0; good && pair < routes->pair_count && !solving_done(solving);
	     pair++) {
		uint32_t count;
		const uint32_t *links = routes_links(routes, pair, &count);

		for (uint32_t i = 0; good && i < count * count && !solving_done(solving); i++) {
			uint32_t first = links[i / count], second = links[i % count];

			if (first > second || routes->capacity[first] != 1)
				continue;
			grow_clique(&clique, first, second);
			if (clique.size > solving->lower_bound &&
			    clique.member_count <= CLIQUE_PAIRS_MAX)
				good = keep_clique(solving, &clique);
			if (!budget_spend(solving->budget, clique.work))
				break;
			clique.work = 0;
		}
		if (!budget_left(solving->budget))
			break;
	}
	clique_clear(&clique);
	return good;
}

/* ---- odd sets of three links ---- */

struct triples {
	uint32_t count;
	uint32_t *link;			/* the fullest links; their index is their number here */
	uint32_t *number;		/* by link: its number, or LIQUID_NONE */
	uint32_t *both;			/* by two numbers: transfers that use both links */
};

static int compare_keys(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* Choose the fullest links. */
static bool choose_links(const struct routes *routes, struct triples *triples)
{
	uint64_t *keys = calloc((size_t)routes->link_count + 1, sizeof(*keys));
	uint32_t count = 0;

	if (!keys)
		return false;
	for (uint32_t link = 0; link < routes->link_count; link++) {
		uint64_t full = ((uint64_t)routes->load[link] << 8) / routes->capacity[link];

		keys[count++] = (UINT32_MAX - (full > UINT32_MAX ? UINT32_MAX : full)) << 32 | link;
	}
	qsort(keys, count, sizeof(*keys), compare_keys);
	triples->count = count < TRIPLE_LINKS_MAX ? count : TRIPLE_LINKS_MAX;
	memset(triples->number, 0xff, routes->link_count * sizeof(*triples->number));
	for (uint32_t i = 0; i < triples->count; i++) {
		triples->link[i] = (uint32_t)keys[i];
		triples->number[triples->link[i]] = i;
	}
	free(keys);
	return true;
}

static void count_both(const struct routes *routes, struct triples *triples)
{
	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		uint32_t count;
		const uint32_t *links = routes_links(routes, pair, &count);

		for (uint32_t i = 0; i < count; i++)
			for (uint32_t j = 0; j < count; j++) {
				uint32_t a = triples->number[links[i]];
				uint32_t b = triples->number[links[j]];

				if (a != LIQUID_NONE && b != LIQUID_NONE && a != b)
					triples->both[a * triples->count + b] +=
						routes->pairs[pair].count;
			}
	}
}

/* Transfers on at least two of the three: those on two, less twice those on all three. */
static uint32_t on_two_of_three(const struct solving *solving, const struct triples *triples,
				const uint32_t three[3])
{
	const struct routes *routes = solving->routes;
	const struct routes_inverse *inverse = &solving->inverse;
	const uint32_t *both = triples->both;
	uint32_t n = triples->count, all = 0;
	uint32_t least = triples->link[three[0]];

	for (uint32_t i = inverse->first[least]; i < inverse->first[least + 1]; i++) {
		uint32_t pair = inverse->pairs[i], count, hits = 0;
		const uint32_t *links = routes_links(routes, pair, &count);

		for (uint32_t j = 0; j < count; j++)
			hits += links[j] == triples->link[three[1]] ||
				links[j] == triples->link[three[2]];
		all += hits == 2 ? routes->pairs[pair].count : 0;
	}
	return both[three[0] * n + three[1]] + both[three[1] * n + three[2]] +
	       both[three[0] * n + three[2]] - 2 * all;
}

static bool keep_triple(struct solving *solving, const struct triples *triples,
			const uint32_t three[3], uint32_t bound)
{
	struct witness witness = { .kind = WITNESS_MULTIPLIERS, .denominator = 2, .count = 3 };

	witness.items = calloc(3, sizeof(*witness.items));
	witness.values = calloc(3, sizeof(*witness.values));
	if (!witness.items || !witness.values) {
		witness_clear(&witness);
		return false;
	}
	for (int i = 0; i < 3; i++) {
		witness.items[i] = triples->link[three[i]];
		witness.values[i] = 1;
	}
	witness_clear(&solving->witness);
	solving->witness = witness;
	solving->lower_bound = bound;
	return true;
}

static bool try_triple(struct solving *solving, const struct triples *triples,
		       const uint32_t three[3])
{
	const struct routes *routes = solving->routes;
	const uint32_t *both = triples->both;
	uint32_t n = triples->count, bound;
	uint64_t most = (uint64_t)both[three[0] * n + three[1]] + both[three[1] * n + three[2]] +
		both[three[0] * n + three[2]];
	uint64_t frame = ((uint64_t)routes->capacity[triples->link[three[0]]] +
			  routes->capacity[triples->link[three[1]]] +
			  routes->capacity[triples->link[three[2]]]) / 2;

	if (most <= frame * solving->lower_bound)
		return true;
	bound = (uint32_t)((on_two_of_three(solving, triples, three) + frame - 1) / frame);
	if (bound <= solving->lower_bound)
		return true;
	return keep_triple(solving, triples, three, bound);
}

static bool raise_by_triples(struct solving *solving)
{
	const struct routes *routes = solving->routes;
	struct triples triples = { 0 };
	bool good;

	triples.link = calloc(TRIPLE_LINKS_MAX, sizeof(*triples.link));
	triples.number = calloc((size_t)routes->link_count + 1, sizeof(*triples.number));
	triples.both = calloc(TRIPLE_LINKS_MAX * TRIPLE_LINKS_MAX, sizeof(*triples.both));
	good = triples.link && triples.number && triples.both && choose_links(routes, &triples);
	if (good)
		count_both(routes, &triples);
	for (uint32_t a = 0; good && a < triples.count; a++)
		for (uint32_t b = a + 1; good && b < triples.count; b++) {
			if (!budget_spend(solving->budget, 4 * (triples.count - b)))
				goto out;
			for (uint32_t c = b + 1; good && c < triples.count; c++)
				good = try_triple(solving, &triples, (uint32_t[]){ a, b, c });
		}
out:
	free(triples.link);
	free(triples.number);
	free(triples.both);
	return good;
}

int certificate_raise(struct solving *solving, struct liquid_error *err)
{
	uint64_t outer;
	bool good;

	if (solving->routes->pair_count > RAISE_PAIRS_MAX)
		return LIQUID_OK;
	outer = budget_narrow(solving->budget, budget_left(solving->budget) / 16);
	good = raise_by_triples(solving);
	budget_widen(solving->budget, outer);
	outer = budget_narrow(solving->budget, budget_left(solving->budget) / 16);
	if (good && !solving_done(solving))
		good = raise_by_cliques(solving);
	budget_widen(solving->budget, outer);
	if (!good)
		return liquid_no_memory(err);
	return LIQUID_OK;
}

/* ---- as JSON ---- */

static int add_multipliers(json_t *root, const struct witness *witness,
			   const struct routes *routes, const struct liquid_fabric *fabric)
{
	char name[2 * LIQUID_NAME_MAX + 32];
	json_t *links = json_array();
	int bad = json_object_set_new(root, "denominator", json_integer(witness->denominator));

	for (uint32_t i = 0; i < witness->count; i++) {
		liquid_fabric_link_name(fabric, routes->origin[witness->items[i]], name,
					sizeof(name));
		bad |= json_array_append_new(links, json_pack("[s,i]", name,
							      (int)witness->values[i]));
	}
	return bad | json_object_set_new(root, "links", links);
}

static int add_clique(json_t *root, const struct witness *witness, const struct routes *routes,
		      const struct liquid_fabric *fabric)
{
	json_t *transfers = json_array();
	int bad = 0;

	for (uint32_t i = 0; i < witness->count; i++) {
		const struct liquid_pair *pair = &routes->pairs[witness->items[i]];

		bad |= json_array_append_new(transfers,
			json_pack("[s,s]", liquid_fabric_node_name(fabric, pair->src),
				  liquid_fabric_node_name(fabric, pair->dst)));
	}
	return bad | json_object_set_new(root, "transfers", transfers);
}

char *witness_json(const struct witness *witness, const struct solving *solving,
		   const struct liquid_fabric *fabric)
{
	static const char *const kinds[] = {
		[WITNESS_MULTIPLIERS] = "multipliers", [WITNESS_CLIQUE] = "clique",
		[WITNESS_SEARCH] = "search",
	};
	json_t *root = json_object();
	int bad = json_object_set_new(root, "kind", json_string(kinds[witness->kind]));
	char *text = NULL;

	if (witness->kind == WITNESS_MULTIPLIERS)
		bad |= add_multipliers(root, witness, solving->routes, fabric);
	else if (witness->kind == WITNESS_CLIQUE)
		bad |= add_clique(root, witness, solving->routes, fabric);
	else
		bad |= json_object_set_new(root, "frames",
					   json_integer(solving->lower_bound - 1));
	if (!bad)
		text = json_dumps(root, JSON_COMPACT | JSON_PRESERVE_ORDER);
	json_decref(root);
	return text;
}
