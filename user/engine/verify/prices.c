// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Checking prices of links that bound the load of all routes
 *
 * {"kind":"prices","links":[["link",PRICE],...]}: links that are not named have price 0.
 *
 * Whatever its route, a transfer pays at least the distance of its ends; all transfers together pay
 * at most the greatest load by capacity times the sum of price x capacity. All in whole numbers.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "traffic/traffic.h"
#include "verify/link-names.h"
#include "verify/verify.h"

#define PRICE_MAX (INT64_C(1) << 32)
#define FAR UINT64_MAX

struct distances {
	const struct liquid_fabric *fabric;
	const uint64_t *price;
	uint32_t nodes, links;
	uint32_t *first, *into;		/* links that enter a node: into[first[n]] ... */
	uint64_t *cost;			/* by node: to the receiver */
	uint32_t *heap, *place;		/* nodes by cost; by node: its place, or LIQUID_NONE */
	uint32_t count;
};

static bool distances_open(struct distances *d, const struct liquid_fabric *fabric,
			   const uint64_t *price)
{
	*d = (struct distances){
		.fabric = fabric, .price = price, .links = liquid_fabric_link_count(fabric),
		.nodes = liquid_fabric_host_count(fabric) + liquid_fabric_switch_count(fabric),
	};
	d->first = calloc((size_t)d->nodes + 2, sizeof(*d->first));
	d->into = calloc((size_t)d->links + 1, sizeof(*d->into));
	d->cost = calloc((size_t)d->nodes + 1, sizeof(*d->cost));
	d->heap = calloc((size_t)d->nodes + 1, sizeof(*d->heap));
	d->place = calloc((size_t)d->nodes + 1, sizeof(*d->place));
	if (!d->first || !d->into || !d->cost || !d->heap || !d->place)
		return false;
	for (uint32_t i = 0; i < d->links; i++)
		d->first[liquid_fabric_link(fabric, i)->to + 2]++;
	for (uint32_t node = 0; node < d->nodes; node++)
		d->first[node + 2] += d->first[node + 1];
	for (uint32_t i = 0; i < d->links; i++)
		d->into[d->first[liquid_fabric_link(fabric, i)->to + 1]++] = i;
	return true;
}

static void distances_close(struct distances *d)
{
	free(d->first);
	free(d->into);
	free(d->cost);
	free(d->heap);
	free(d->place);
}

static void put(struct distances *d, uint32_t place, uint32_t node)
{
	d->heap[place] = node;
	d->place[node] = place;
}

static void up(struct distances *d, uint32_t node)
{
	uint32_t place = d->place[node];

	while (place && d->cost[d->heap[(place - 1) / 2]] > d->cost[node]) {
		put(d, place, d->heap[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	put(d, place, node);
}

static uint32_t take_nearest(struct distances *d)
{
	uint32_t nearest = d->heap[0], last = d->heap[--d->count], place = 0;

	for (;;) {
		uint32_t child = 2 * place + 1;

		if (child + 1 < d->count && d->cost[d->heap[child + 1]] < d->cost[d->heap[child]])
			child++;
		if (child >= d->count || d->cost[d->heap[child]] >= d->cost[last])
			break;
		put(d, place, d->heap[child]);
		place = child;
	}
	put(d, place, last);
	return nearest;
}

/* Distances of all nodes to @receiver; other hosts relay nothing. */
static void measure(struct distances *d, uint32_t receiver)
{
	for (uint32_t node = 0; node < d->nodes; node++)
		d->cost[node] = FAR;
	d->cost[receiver] = 0;
	d->count = 1;
	put(d, 0, receiver);
	while (d->count) {
		uint32_t node = take_nearest(d);

		if (node != receiver && node < liquid_fabric_host_count(d->fabric))
			continue;
		for (uint32_t i = d->first[node]; i < d->first[node + 1]; i++) {
			uint32_t from = liquid_fabric_link(d->fabric, d->into[i])->from;
			uint64_t cost = d->cost[node] + d->price[d->into[i]];

			if (cost >= d->cost[from])
				continue;
			if (d->cost[from] == FAR)
				put(d, d->count++, from);
			d->cost[from] = cost;
			up(d, from);
		}
	}
}

static int compare_receivers(const void *a, const void *b)
{
	const struct liquid_pair *one = a, *other = b;

	return one->dst < other->dst ? -1 : one->dst > other->dst;
}

/* What all transfers pay; LIQUID_BAD_INPUT: some pair has no way. */
static int pay(struct distances *d, struct liquid_pair *pair, size_t count, double *paid,
	       struct liquid_error *err)
{
	unsigned __int128 sum = 0;

	qsort(pair, count, sizeof(*pair), compare_receivers);
	for (size_t i = 0; i < count; i++) {
		if (!i || pair[i].dst != pair[i - 1].dst)
			measure(d, liquid_fabric_owner(d->fabric, pair[i].dst));
		if (d->cost[pair[i].src] == FAR)
			return liquid_fail(err, LIQUID_BAD_INPUT, "there is no way from %s to %s",
					   liquid_fabric_node_name(d->fabric, pair[i].src),
					   liquid_fabric_node_name(d->fabric, pair[i].dst));
		sum += (unsigned __int128)d->cost[pair[i].src] * pair[i].count;
	}
	*paid = (double)sum;
	return LIQUID_OK;
}

static double worth(const struct distances *d)
{
	unsigned __int128 sum = 0;

	for (uint32_t i = 0; i < d->links; i++)
		sum += (unsigned __int128)d->price[i] * verify_capacity(d->fabric, i);
	return (double)sum;
}

/* ---- the witness ---- */

static int read_price(const struct link_names *names, json_t *value, size_t index, uint64_t *price,
		      struct liquid_error *err)
{
	const char *name = json_string_value(json_array_get(value, 0));
	json_t *number = json_array_get(value, 1);
	uint32_t link = name ? link_names_find(names, name) : LIQUID_NONE;

	if (json_array_size(value) != 2 || !name || !json_is_integer(number) ||
	    json_integer_value(number) < 1 || json_integer_value(number) > PRICE_MAX)
		return liquid_fail(err, LIQUID_INVALID,
				   "price %zu must be [\"link\",1 ... 2^32]", index);
	if (link == LIQUID_NONE || price[link])
		return liquid_fail(err, LIQUID_INVALID,
				   "price %zu: '%.200s' is not a link, or has a price already",
				   index, name);
	price[link] = (uint64_t)json_integer_value(number);
	return LIQUID_OK;
}

static int read_prices(const struct liquid_fabric *fabric, json_t *witness, uint64_t *price,
		       struct liquid_error *err)
{
	const char *kind = json_string_value(json_object_get(witness, "kind"));
	json_t *links = json_object_get(witness, "links");
	struct link_names names;
	int status = LIQUID_OK;

	if (!kind || strcmp(kind, "prices") || !json_array_size(links))
		return liquid_fail(err, LIQUID_INVALID,
				   "the witness must be {\"kind\":\"prices\",\"links\":[...]}");
	if (!link_names_open(&names, fabric))
		return liquid_no_memory(err);
	for (size_t i = 0; i < json_array_size(links) && !status; i++)
		status = read_price(&names, json_array_get(links, i), i + 1, price, err);
	link_names_close(&names);
	return status;
}

static int check(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		 const uint64_t *price, double *bound, struct liquid_error *err)
{
	size_t count = liquid_traffic_pair_count(traffic);
	struct liquid_pair *pair = calloc(count + 1, sizeof(*pair));
	struct distances d;
	double paid = 0;
	int status = distances_open(&d, fabric, price) && pair ? traffic_list(traffic, err) :
		     liquid_no_memory(err);

	for (size_t i = 0; i < count && !status; i++)
		pair[i] = liquid_traffic_pairs(traffic)[i];
	if (!status)
		status = pay(&d, pair, count, &paid, err);
	*bound = status ? 0 : paid / worth(&d);
	distances_close(&d);
	free(pair);
	return status;
}

int liquid_verify_prices(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			 const char *witness, double *bound, struct liquid_error *err)
{
	uint64_t *price = calloc((size_t)liquid_fabric_link_count(fabric) + 1, sizeof(*price));
	json_error_t where;
	json_t *json = json_loads(witness, JSON_REJECT_DUPLICATES, &where);
	int status;

	*bound = 0;
	if (!price)
		status = liquid_no_memory(err);
	else if (!json)
		status = liquid_fail(err, LIQUID_INVALID, "the witness is not JSON: line %d: %s",
				     where.line, where.text);
	else
		status = read_prices(fabric, json, price, err);
	if (!status)
		status = check(fabric, traffic, price, bound, err);
	json_decref(json);
	free(price);
	return status;
}
