// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Checking prices of transfers
 *
 * {"kind":"prices","frame":W,"transfers":[["src","dst",P],...],"links":[["link",U],...]}: a unit of
 *	these pairs costs P, of others 0; no frame is worth more than W. So the frames are at least
 *	as many as the worth of the traffic divided by W. What a frame is worth at most is found by
 *	a search; the multipliers of the links shorten it, and prove nothing alone.
 */
#include <stdlib.h>

#include "verify/packing.h"
#include "verify/witness.h"

#define PRICED_PAIRS_MAX 16384
#define PRICE_MAX (UINT32_C(1) << 30)

struct prices {
	struct packing packing;
	uint64_t *u;			/* by link of the fabric: multiplier */
	uint32_t *number;		/* by link of the fabric: that in the packing, or NONE */
	bool *priced;			/* by pair of the traffic */
	uint64_t traffic;		/* worth of the traffic, below 2^58 */
};

static bool prices_new(struct prices *prices, const struct checker *checker, size_t count)
{
	size_t links = (size_t)liquid_fabric_link_count(checker->fabric) + 1;
	struct packing *packing = &prices->packing;

	*prices = (struct prices){ 0 };
	prices->u = calloc(links, sizeof(*prices->u));
	prices->number = calloc(links, sizeof(*prices->number));
	prices->priced = calloc(liquid_traffic_pair_count(checker->traffic) + 1,
				sizeof(*prices->priced));
	packing->first = calloc(count + 1, sizeof(*packing->first));
	packing->path = calloc(count + 1, LIQUID_PATH_MAX * sizeof(*packing->path));
	packing->most = calloc(count + 1, sizeof(*packing->most));
	packing->price = calloc(count + 1, sizeof(*packing->price));
	packing->capacity = calloc(links, sizeof(*packing->capacity));
	packing->multiplier = calloc(links, sizeof(*packing->multiplier));
	return prices->u && prices->number && prices->priced && packing->first && packing->path &&
	       packing->most && packing->price && packing->capacity && packing->multiplier;
}

static void prices_free(struct prices *prices)
{
	free(prices->u);
	free(prices->number);
	free(prices->priced);
	free(prices->packing.first);
	free(prices->packing.path);
	free(prices->packing.most);
	free(prices->packing.price);
	free(prices->packing.capacity);
	free(prices->packing.multiplier);
}

/* The number of @link in the packing, which gets it if it is new. */
static uint32_t number_link(struct prices *prices, const struct liquid_fabric *fabric,
			    uint32_t link)
{
	struct packing *packing = &prices->packing;

	if (!prices->number[link]) {
		packing->capacity[packing->links] = verify_capacity(fabric, link);
		packing->multiplier[packing->links] = prices->u[link];
		prices->number[link] = ++packing->links;
	}
	return prices->number[link] - 1;
}

static void add_item(struct prices *prices, const struct checker *checker,
		     const struct liquid_pair *pair, uint64_t price)
{
	struct packing *packing = &prices->packing;
	uint32_t path[LIQUID_PATH_MAX], item = packing->items++, at = packing->first[item];
	uint32_t steps = verify_walk(checker->fabric, pair->src, pair->dst, path);

	packing->price[item] = price;
	packing->most[item] = pair->count;
	for (uint32_t i = 0; i < steps; i++) {
		uint32_t link = number_link(prices, checker->fabric, path[i]);

		if (packing->capacity[link] < packing->most[item])
			packing->most[item] = packing->capacity[link];
		packing->path[at++] = link;
	}
	packing->first[item + 1] = at;
	prices->traffic += price * pair->count;
}

static int read_priced(struct prices *prices, struct checker *checker, json_t *value, size_t index)
{
	const char *src = json_string_value(json_array_get(value, 0));
	const char *dst = json_string_value(json_array_get(value, 1));
	json_t *price = json_array_get(value, 2);
	const struct liquid_pair *pair;
	bool *priced;

	if (json_array_size(value) != 3 || !src || !dst || !json_is_integer(price) ||
	    json_integer_value(price) < 1 || json_integer_value(price) > PRICE_MAX)
		return refuse(checker, "transfer %zu must be [\"src\",\"dst\",1 ... %u]", index,
			      PRICE_MAX);
	pair = witness_find_pair(checker, liquid_fabric_find_host(checker->fabric, src),
				 liquid_fabric_find_host(checker->fabric, dst));
	if (!pair)
		return refuse(checker, "%.200s>%.200s is not in the traffic", src, dst);
	priced = &prices->priced[pair - liquid_traffic_pairs(checker->traffic)];
	if (*priced)
		return refuse(checker, "%.200s>%.200s is named twice", src, dst);
	*priced = true;
	add_item(prices, checker, pair, (uint64_t)json_integer_value(price));
	return LIQUID_OK;
}

static int read_all(struct prices *prices, struct checker *checker, json_t *witness)
{
	json_t *value;
	size_t i;
	int status = witness_read_links(checker, json_object_get(witness, "links"), prices->u);

	json_array_foreach(json_object_get(witness, "transfers"), i, value)
		if (!status)
			status = read_priced(prices, checker, value, i);
	return status;
}

static int prove(const struct prices *prices, struct checker *checker, uint64_t frame,
		 uint32_t *bound)
{
	switch (packing_exceeds(&prices->packing, frame)) {
	case VERIFY_NO:		/* then no price is greater than @frame: the bound fits */
		*bound = (uint32_t)((prices->traffic + frame - 1) / frame);
		return LIQUID_OK;
	case VERIFY_YES:
		return refuse(checker, "there is a frame that is worth more than %llu",
			      (unsigned long long)frame);
	case VERIFY_UNDECIDED:
		return refuse(checker, "the search for a frame worth more than %llu is too long",
			      (unsigned long long)frame);
	case VERIFY_NO_MEMORY:
		break;
	}
	return liquid_no_memory(checker->err);
}

int witness_check_prices(struct checker *checker, json_t *witness, uint32_t *bound)
{
	json_t *frame = json_object_get(witness, "frame");
	size_t count = json_array_size(json_object_get(witness, "transfers"));
	struct prices prices;
	int status;

	if (!json_is_integer(frame) || json_integer_value(frame) < 1 || !count ||
	    count > PRICED_PAIRS_MAX)
		return refuse(checker, "prices need \"frame\", 1 or more, and 1 ... %u transfers",
			      PRICED_PAIRS_MAX);
	if (prices_new(&prices, checker, count))
		status = read_all(&prices, checker, witness);
	else
		status = liquid_no_memory(checker->err);
	if (!status)
		status = prove(&prices, checker, (uint64_t)json_integer_value(frame), bound);
	prices_free(&prices);
	return status;
}
