// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The witnesses of lower bounds above the duration, checked
 *
 * {"kind":"multipliers","denominator":D,"links":[["link",U],...]}: with u = U / D on
 *	these links and 0 elsewhere, no frame holds transfers worth more than the
 *	rounded-down sum of u x capacity, if a transfer is worth the rounded-down sum of
 *	u on its links.
 * {"kind":"clique","transfers":[["src","dst"],...]}: any two share a link of capacity 1.
 * {"kind":"search","frames":K}: an exhausted search found nothing in K frames; the
 *	verifier searches again, in its own way.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

#define CLIQUE_PAIRS_MAX 4096
#define MULTIPLIER_MAX (UINT32_C(1) << 30)
#define FRAMES_MAX (UINT32_C(1) << 28)

static int no_memory(const struct checker *checker)
{
	return liquid_fail(checker->err, LIQUID_NO_MEMORY, "no memory to verify the witness");
}

/* ---- multipliers ---- */

static uint32_t find_link(const struct liquid_fabric *fabric, const char *name)
{
	char text[2 * LIQUID_NAME_MAX + 32];
	uint32_t found = LIQUID_NONE;

	for (uint32_t link = 0; link < liquid_fabric_link_count(fabric); link++)
		if (!strcmp(liquid_fabric_link_name(fabric, link, text, sizeof(text)), name)) {
			if (found != LIQUID_NONE)
				return LIQUID_NONE;	/* two of this name: which? */
			found = link;
		}
	return found;
}

static bool read_multiplier(struct checker *checker, json_t *value, size_t index, uint64_t *u)
{
	const char *name = json_string_value(json_array_get(value, 0));
	json_t *number = json_array_get(value, 1);
	uint32_t link;

	if (json_array_size(value) != 2 || !name || !json_is_integer(number) ||
	    json_integer_value(number) < 1 || json_integer_value(number) > MULTIPLIER_MAX) {
		verify_find(checker, "witness: link %zu must be [\"link\",1 ... %u]", index,
			    MULTIPLIER_MAX);
		return false;
	}
	link = find_link(checker->fabric, name);
	if (link == LIQUID_NONE || u[link]) {
		verify_find(checker, "witness: link '%.200s' is %s", name, link == LIQUID_NONE ?
			    "unknown or not the only one of this name" : "named twice");
		return false;
	}
	u[link] = (uint64_t)json_integer_value(number);
	return true;
}

/* Sums within 128 bits: multipliers, capacities, links and transfers are all bounded. */
static uint32_t weigh_multipliers(struct checker *checker, const uint64_t *u, uint64_t denominator)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(checker->traffic);
	size_t count = liquid_traffic_pair_count(checker->traffic);
	unsigned __int128 frame_worth = 0, worth = 0, bound;
	uint32_t path[LIQUID_PATH_MAX];

	for (uint32_t link = 0; link < liquid_fabric_link_count(checker->fabric); link++)
		frame_worth += (unsigned __int128)u[link] * verify_capacity(checker->fabric, link);
	frame_worth /= denominator;
	for (size_t i = 0; i < count; i++) {
		uint32_t steps = verify_walk(checker->fabric, pairs[i].src, pairs[i].dst, path);
		uint64_t sum = 0;

		for (uint32_t j = 0; j < steps; j++)
			sum += u[path[j]];
		worth += (unsigned __int128)(sum / denominator) * pairs[i].count;
	}
	if (!frame_worth) {
		verify_find(checker, "witness: the multipliers weigh less than 1 a frame");
		return 0;
	}
	bound = (worth + frame_worth - 1) / frame_worth;
	return bound > FRAMES_MAX ? FRAMES_MAX : (uint32_t)bound;
}

static int check_multipliers(struct checker *checker, json_t *witness, uint32_t *bound)
{
	json_t *denominator = json_object_get(witness, "denominator");
	json_t *links = json_object_get(witness, "links"), *value;
	uint64_t *u = calloc(liquid_fabric_link_count(checker->fabric) + 1, sizeof(*u));
	bool good = true;
	size_t i;

	if (!u)
		return no_memory(checker);
	if (!json_is_integer(denominator) || json_integer_value(denominator) < 1 ||
	    json_integer_value(denominator) > MULTIPLIER_MAX || !json_array_size(links)) {
		verify_find(checker, "witness: multipliers need a denominator, 1 ... %u, and links",
			    MULTIPLIER_MAX);
		good = false;
	}
	json_array_foreach(links, i, value)
		good = good && read_multiplier(checker, value, i, u);
	if (good)
		*bound = weigh_multipliers(checker, u, (uint64_t)json_integer_value(denominator));
	free(u);
	return LIQUID_OK;
}

/* ---- clique ---- */

struct member {
	uint32_t src, dst, count, steps;
	uint32_t path[LIQUID_PATH_MAX];
};

static uint32_t count_in_traffic(const struct liquid_traffic *traffic, uint32_t src, uint32_t dst)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	size_t low = 0, high = liquid_traffic_pair_count(traffic);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pairs[middle].src < src ||
		    (pairs[middle].src == src && pairs[middle].dst < dst))
			low = middle + 1;
		else
			high = middle;
	}
	if (low < liquid_traffic_pair_count(traffic) && pairs[low].src == src &&
	    pairs[low].dst == dst)
		return pairs[low].count;
	return 0;
}

static bool congest(const struct liquid_fabric *fabric, const struct member *a,
		    const struct member *b)
{
	for (uint32_t i = 0; i < a->steps; i++)
		for (uint32_t j = 0; j < b->steps; j++)
			if (a->path[i] == b->path[j] && verify_capacity(fabric, a->path[i]) == 1)
				return true;
	return false;
}

static bool read_member(struct checker *checker, json_t *value, size_t index,
			struct member *member)
{
	const char *src = json_string_value(json_array_get(value, 0));
	const char *dst = json_string_value(json_array_get(value, 1));

	if (json_array_size(value) != 2 || !src || !dst) {
		verify_find(checker, "witness: transfer %zu must be [\"src\",\"dst\"]", index);
		return false;
	}
	member->src = liquid_fabric_find_host(checker->fabric, src);
	member->dst = liquid_fabric_find_host(checker->fabric, dst);
	member->count = member->src == LIQUID_NONE || member->dst == LIQUID_NONE ? 0 :
		count_in_traffic(checker->traffic, member->src, member->dst);
	if (!member->count) {
		verify_find(checker, "witness: %.200s>%.200s is not in the traffic", src, dst);
		return false;
	}
	member->steps = verify_walk(checker->fabric, member->src, member->dst, member->path);
	return true;
}

static bool check_members(struct checker *checker, const struct member *members, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (members[i].count > 1 && !congest(checker->fabric, &members[i], &members[i])) {
			verify_find(checker, "witness: the transfers of %s>%s do not congest",
				    liquid_fabric_node_name(checker->fabric, members[i].src),
				    liquid_fabric_node_name(checker->fabric, members[i].dst));
			return false;
		}
		for (size_t j = 0; j < i; j++) {
			const struct member *a = &members[i], *b = &members[j];
			bool same = a->src == b->src && a->dst == b->dst;

			if (!same && congest(checker->fabric, a, b))
				continue;
			verify_find(checker, "witness: %s>%s and %s>%s %s",
				    liquid_fabric_node_name(checker->fabric, b->src),
				    liquid_fabric_node_name(checker->fabric, b->dst),
				    liquid_fabric_node_name(checker->fabric, a->src),
				    liquid_fabric_node_name(checker->fabric, a->dst),
				    same ? "are the same" : "do not congest");
			return false;
		}
	}
	return true;
}

static int check_clique(struct checker *checker, json_t *witness, uint32_t *bound)
{
	json_t *transfers = json_object_get(witness, "transfers"), *value;
	size_t count = json_array_size(transfers), i;
	struct member *members;
	uint32_t size = 0;
	bool good = true;

	if (!count || count > CLIQUE_PAIRS_MAX) {
		verify_find(checker, "witness: a clique has 1 ... %u transfers", CLIQUE_PAIRS_MAX);
		return LIQUID_OK;
	}
	members = calloc(count, sizeof(*members));
	if (!members)
		return no_memory(checker);
	json_array_foreach(transfers, i, value)
		good = good && read_member(checker, value, i, &members[i]);
	for (i = 0; good && i < count; i++)
		size += members[i].count;
	if (good && check_members(checker, members, count))
		*bound = size;
	free(members);
	return LIQUID_OK;
}

/* ---- search ---- */

static int check_search(struct checker *checker, json_t *witness, uint32_t *bound)
{
	json_t *frames = json_object_get(witness, "frames");
	json_int_t k = json_is_integer(frames) ? json_integer_value(frames) : 0;

	if (k < 1 || k >= (json_int_t)FRAMES_MAX) {
		verify_find(checker, "witness: a search names its frames, 1 or more");
		return LIQUID_OK;
	}
	switch (verify_search(checker->fabric, checker->traffic, (uint32_t)k)) {
	case VERIFY_NO:
		*bound = (uint32_t)k + 1;
		break;
	case VERIFY_YES:
		verify_find(checker, "witness: the traffic does fit in %u frames", (uint32_t)k);
		break;
	case VERIFY_UNDECIDED:
		verify_find(checker, "witness: the search for %u frames is too large to be checked",
			    (uint32_t)k);
		break;
	case VERIFY_NO_MEMORY:
		return no_memory(checker);
	}
	return LIQUID_OK;
}

int verify_witness(struct checker *checker, uint32_t *bound)
{
	json_t *witness = json_loads(checker->info->witness_json, JSON_REJECT_DUPLICATES, NULL);
	const char *kind = json_string_value(json_object_get(witness, "kind"));
	int status = LIQUID_OK;

	*bound = 0;
	if (kind && !strcmp(kind, "multipliers"))
		status = check_multipliers(checker, witness, bound);
	else if (kind && !strcmp(kind, "clique"))
		status = check_clique(checker, witness, bound);
	else if (kind && !strcmp(kind, "search"))
		status = check_search(checker, witness, bound);
	else
		verify_find(checker, "witness: \"kind\" must be multipliers, clique or search");
	json_decref(witness);
	return status;
}
