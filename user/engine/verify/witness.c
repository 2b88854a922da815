// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Checking the witnesses of lower bounds above the duration
 *
 * {"kind":"multipliers","denominator":D,"links":[["link",U],...]}: let u be U / D for these
 *	links and 0 for others, and let the worth of a transfer be the sum of u over its links,
 *	rounded down. The transfers of a frame are worth at most the sum of u x capacity,
 *	rounded down.
 * {"kind":"clique","transfers":[["src","dst"],...]}: any two share a link of capacity 1.
 * {"kind":"prices",...}: see witness-prices.c.
 * {"kind":"search","frames":K}: an exhaustive search found no schedule of K frames. The
 *	verifier repeats the search with a separate method.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "verify/link-names.h"
#include "verify/witness.h"

#define CLIQUE_PAIRS_MAX 4096
#define FRAMES_MAX (UINT32_C(1) << 28)

/* ---- multipliers ---- */

static int read_multiplier(struct checker *checker, const struct link_names *names, json_t *value,
			   size_t index, uint64_t *u)
{
	const char *name = json_string_value(json_array_get(value, 0));
	json_t *number = json_array_get(value, 1);
	uint32_t link;

	if (json_array_size(value) != 2 || !name || !json_is_integer(number) ||
	    json_integer_value(number) < 1 || json_integer_value(number) > MULTIPLIER_MAX)
		return refuse(checker, "link %zu must be [\"link\",1 ... %u]", index,
			      MULTIPLIER_MAX);
	link = link_names_find(names, name);
	if (link == LIQUID_NONE || u[link])
		return refuse(checker, "link '%.200s' is %s", name, link == LIQUID_NONE ?
			      "unknown or not the only one of this name" : "named twice");
	u[link] = (uint64_t)json_integer_value(number);
	return LIQUID_OK;
}

/*
 * The sums fit in 128 bits, because multipliers, capacities, links and transfers are limited.
 * The bound fits in 32 bits: it is at most the number of transfers, because no transfer is
 * worth more than a frame.
 */
static int weigh_multipliers(struct checker *checker, const uint64_t *u, uint64_t denominator,
			     uint32_t *bound)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(checker->traffic);
	size_t count = liquid_traffic_pair_count(checker->traffic);
	unsigned __int128 frame_worth = 0, worth = 0;
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
	if (!frame_worth)
		return refuse(checker, "the transfers of a frame are worth less than 1");
	*bound = (uint32_t)((worth + frame_worth - 1) / frame_worth);
	return LIQUID_OK;
}

int witness_read_links(struct checker *checker, json_t *links, uint64_t *u)
{
	struct link_names names;
	int status = LIQUID_OK;
	json_t *value;
	size_t i;

	if (!link_names_open(&names, checker->fabric))
		return liquid_no_memory(checker->err);
	json_array_foreach(links, i, value)
		if (!status)
			status = read_multiplier(checker, &names, value, i, u);
	link_names_close(&names);
	return status;
}

static int check_multipliers(struct checker *checker, json_t *witness, uint32_t *bound)
{
	json_t *denominator = json_object_get(witness, "denominator");
	json_t *links = json_object_get(witness, "links");
	uint64_t *u;
	int status;

	if (!json_is_integer(denominator) || json_integer_value(denominator) < 1 ||
	    json_integer_value(denominator) > MULTIPLIER_MAX || !json_array_size(links))
		return refuse(checker, "multipliers need a denominator, 1 ... %u, and links",
			      MULTIPLIER_MAX);
	u = calloc(liquid_fabric_link_count(checker->fabric) + 1, sizeof(*u));
	if (!u)
		return liquid_no_memory(checker->err);
	status = witness_read_links(checker, links, u);
	if (!status)
		status = weigh_multipliers(checker, u, (uint64_t)json_integer_value(denominator),
					   bound);
	free(u);
	return status;
}

/* ---- clique ---- */

struct member {
	uint32_t src, dst, count;
	uint32_t tight;			/* links of capacity 1 on its path */
	uint32_t link[LIQUID_PATH_MAX];	/* which they are */
};

const struct liquid_pair *witness_find_pair(const struct checker *checker, uint32_t src,
					    uint32_t dst)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(checker->traffic);
	size_t low = 0, high = liquid_traffic_pair_count(checker->traffic);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pairs[middle].src < src ||
		    (pairs[middle].src == src && pairs[middle].dst < dst))
			low = middle + 1;
		else
			high = middle;
	}
	if (low < liquid_traffic_pair_count(checker->traffic) && pairs[low].src == src &&
	    pairs[low].dst == dst)
		return &pairs[low];
	return NULL;
}

static int read_member(struct checker *checker, json_t *value, size_t index,
		       struct member *member)
{
	const char *src = json_string_value(json_array_get(value, 0));
	const char *dst = json_string_value(json_array_get(value, 1));
	uint32_t path[LIQUID_PATH_MAX], steps;
	const struct liquid_pair *pair;

	if (json_array_size(value) != 2 || !src || !dst)
		return refuse(checker, "transfer %zu must be [\"src\",\"dst\"]", index);
	member->src = liquid_fabric_find_host(checker->fabric, src);
	member->dst = liquid_fabric_find_host(checker->fabric, dst);
	pair = witness_find_pair(checker, member->src, member->dst);
	if (!pair)
		return refuse(checker, "%.200s>%.200s is not in the traffic", src, dst);
	member->count = pair->count;
	steps = verify_walk(checker->fabric, member->src, member->dst, path);
	for (uint32_t i = 0; i < steps; i++)
		if (verify_capacity(checker->fabric, path[i]) == 1)
			member->link[member->tight++] = path[i];
	return LIQUID_OK;
}

/* Is a tight link of @member marked with @mark? */
static bool is_marked(const struct member *member, const uint32_t *marks, uint32_t mark)
{
	for (uint32_t i = 0; i < member->tight; i++)
		if (marks[member->link[i]] == mark)
			return true;
	return false;
}

/*
 * Each with all before it: its tight links are marked with its number, from 1 on, so that one look
 * at each link of the other does.
 */
static int check_members(struct checker *checker, const struct member *members, size_t count,
			 uint32_t *marks)
{
	for (size_t i = 0; i < count; i++) {
		const struct member *a = &members[i];
		uint32_t mark = (uint32_t)i + 1;

		for (uint32_t k = 0; k < a->tight; k++)
			marks[a->link[k]] = mark;
		if (a->count > 1 && !a->tight)
			return refuse(checker, "the transfers of %s>%s do not congest",
				      liquid_fabric_node_name(checker->fabric, a->src),
				      liquid_fabric_node_name(checker->fabric, a->dst));
		for (size_t j = 0; j < i; j++) {
			const struct member *b = &members[j];
			bool same = a->src == b->src && a->dst == b->dst;

			if (!same && is_marked(b, marks, mark))
				continue;
			return refuse(checker, "%s>%s and %s>%s %s",
				      liquid_fabric_node_name(checker->fabric, b->src),
				      liquid_fabric_node_name(checker->fabric, b->dst),
				      liquid_fabric_node_name(checker->fabric, a->src),
				      liquid_fabric_node_name(checker->fabric, a->dst),
				      same ? "are the same" : "do not congest");
		}
	}
	return LIQUID_OK;
}

static int check_clique(struct checker *checker, json_t *witness, uint32_t *bound)
{
	json_t *transfers = json_object_get(witness, "transfers"), *value;
	size_t count = json_array_size(transfers), i;
	struct member *members;
	uint32_t *marks;		/* by link of the fabric */
	int status = LIQUID_OK;

	if (!count || count > CLIQUE_PAIRS_MAX)
		return refuse(checker, "a clique has 1 ... %u transfers", CLIQUE_PAIRS_MAX);
	members = calloc(count, sizeof(*members));
	marks = calloc((size_t)liquid_fabric_link_count(checker->fabric) + 1, sizeof(*marks));
	if (!members || !marks)
		status = liquid_no_memory(checker->err);
	json_array_foreach(transfers, i, value)
		if (!status)
			status = read_member(checker, value, i, &members[i]);
	if (!status)
		status = check_members(checker, members, count, marks);
	for (i = 0; !status && i < count; i++)
		*bound += members[i].count;
	free(members);
	free(marks);
	return status;
}

/* ---- search ---- */

static int check_search(struct checker *checker, json_t *witness, uint32_t *bound)
{
	json_t *frames = json_object_get(witness, "frames");
	json_int_t k = json_is_integer(frames) ? json_integer_value(frames) : 0;

	if (k < 1 || k >= (json_int_t)FRAMES_MAX)
		return refuse(checker, "a search needs its \"frames\", 1 or more");
	switch (verify_search(checker->fabric, checker->traffic, (uint32_t)k)) {
	case VERIFY_NO:
		*bound = (uint32_t)k + 1;
		return LIQUID_OK;
	case VERIFY_YES:
		return refuse(checker, "the traffic can be carried in %u frames", (uint32_t)k);
	case VERIFY_UNDECIDED:
		return refuse(checker, "the search for %u frames is too large to be checked",
			      (uint32_t)k);
	case VERIFY_NO_MEMORY:
		break;
	}
	return liquid_no_memory(checker->err);
}

int verify_witness(struct checker *checker, uint32_t *bound)
{
	json_t *witness = json_loads(checker->info->witness_json, JSON_REJECT_DUPLICATES, NULL);
	const char *kind = json_string_value(json_object_get(witness, "kind"));
	int status;

	*bound = 0;
	if (!witness)		/* not invalid: it was made from JSON */
		return liquid_no_memory(checker->err);
	if (kind && !strcmp(kind, "multipliers"))
		status = check_multipliers(checker, witness, bound);
	else if (kind && !strcmp(kind, "clique"))
		status = check_clique(checker, witness, bound);
	else if (kind && !strcmp(kind, "prices"))
		status = witness_check_prices(checker, witness, bound);
	else if (kind && !strcmp(kind, "search"))
		status = check_search(checker, witness, bound);
	else
		status = refuse(checker, "\"kind\" must be multipliers, clique, prices or search");
	json_decref(witness);
	return status;
}
