// SPDX-License-Identifier: LGPL-2.1-or-later
/* Explaining the witness of a lower bound: transfers that congest, or links with multipliers. */
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"

/* Transfers of a clique that are explained pair by pair; of a larger one only the links are. */
#define TWO_BY_TWO_MAX 12

/* ---- names in a witness ---- */

static uint32_t find_pair(const struct explaining *explaining, json_t *value)
{
	const struct routes *routes = explaining->routes;
	uint32_t src = liquid_fabric_find_host(explaining->fabric,
					       json_string_value(json_array_get(value, 0)));
	uint32_t dst = liquid_fabric_find_host(explaining->fabric,
					       json_string_value(json_array_get(value, 1)));

	for (uint32_t i = 0; i < routes->pair_count; i++)
		if (routes->pairs[i].src == src && routes->pairs[i].dst == dst)
			return i;
	return LIQUID_NONE;
}

static uint32_t find_link(const struct explaining *explaining, const char *wanted)
{
	char name[2 * LIQUID_NAME_MAX + 32];

	for (uint32_t link = 0; link < explaining->routes->link_count; link++)
		if (!strcmp(wanted, liquid_fabric_link_name(explaining->fabric,
							    explaining->routes->origin[link], name,
							    sizeof(name))))
			return link;
	return LIQUID_NONE;
}

/* ---- clique ---- */

/* First link of capacity 1 that both pairs use. */
static uint32_t shared_link(const struct routes *routes, uint32_t a, uint32_t b)
{
	uint32_t a_count, b_count;
	const uint32_t *a_links = routes_links(routes, a, &a_count);
	const uint32_t *b_links = routes_links(routes, b, &b_count);

	for (uint32_t i = 0; i < a_count; i++)
		for (uint32_t j = 0; j < b_count; j++)
			if (a_links[i] == b_links[j] && routes->capacity[a_links[i]] == 1)
				return a_links[i];
	return LIQUID_NONE;
}

static void write_congestion(struct explaining *explaining, json_t *list, uint32_t a, uint32_t b)
{
	uint32_t link = shared_link(explaining->routes, a, b);

	if (link == LIQUID_NONE)
		return;
	fputs("  ", explaining->text);
	explain_say_pair(explaining, a);
	fputs(" and ", explaining->text);
	explain_say_pair(explaining, b);
	fputs(" share ", explaining->text);
	explain_say_link(explaining, link);
	putc('\n', explaining->text);
	explain_add(explaining, list,
		    json_pack("{s:o,s:o,s:o}", "transfer", explain_pair(explaining, a), "with",
			      explain_pair(explaining, b), "link",
			      explain_link(explaining, link)));
}

/* List the links of capacity 1 that several members of the clique use, with their number. */
static void write_links(struct explaining *explaining, json_t *list, const uint32_t *members,
			uint32_t count)
{
	const struct routes *routes = explaining->routes;
	uint32_t *users = calloc((size_t)routes->link_count + 1, sizeof(*users));

	explaining->failed |= !users;
	for (uint32_t i = 0; users && i < count; i++)
		for (uint32_t j = routes->first[members[i]]; j < routes->first[members[i] + 1]; j++)
			users[routes->links[j]]++;
	for (uint32_t link = 0; users && link < routes->link_count; link++) {
		if (users[link] < 2 || routes->capacity[link] != 1)
			continue;
		fprintf(explaining->text, "  %u of them share ", users[link]);
		explain_say_link(explaining, link);
		putc('\n', explaining->text);
		explain_add(explaining, list, json_pack("{s:I,s:o}", "transfers",
							(json_int_t)users[link], "link",
							explain_link(explaining, link)));
	}
	free(users);
}

static void write_clique(struct explaining *explaining, const uint32_t *members, uint32_t count)
{
	json_t *shared = json_array();
	uint32_t units = 0;

	for (uint32_t i = 0; i < count; i++)
		units += explaining->routes->pairs[members[i]].count;
	fprintf(explaining->text, "why          any two of %u transfers congest, so they need %u "
		"frames:\n", units, units);
	if (count > TWO_BY_TWO_MAX)
		write_links(explaining, shared, members, count);
	else
		for (uint32_t i = 0; i < count; i++)
			for (uint32_t j = i + 1; j < count; j++)
				write_congestion(explaining, shared, members[i], members[j]);
	explain_set(explaining, explaining->root, "congestions", shared);
}

static int explain_clique(struct explaining *explaining, json_t *witness, struct liquid_error *err)
{
	json_t *transfers = json_object_get(witness, "transfers"), *value;
	uint32_t *members = calloc(json_array_size(transfers) + 1, sizeof(*members)), count = 0;
	size_t i;

	if (!members)
		return liquid_no_memory(err);
	json_array_foreach(transfers, i, value) {
		members[count] = find_pair(explaining, value);
		count += members[count] != LIQUID_NONE;
	}
	write_clique(explaining, members, count);
	free(members);
	return LIQUID_OK;
}

/* ---- multipliers ---- */

struct worth {
	uint64_t denominator;
	uint64_t *u;			/* by link: multiplier */
	uint64_t frame;			/* most worth of a frame */
	uint64_t traffic;		/* worth of the traffic */
	uint64_t transfers;		/* transfers that are worth something */
};

static uint64_t worth_of(const struct explaining *explaining, const struct worth *worth,
			 uint32_t pair)
{
	uint32_t count;
	const uint32_t *links = routes_links(explaining->routes, pair, &count);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += worth->u[links[i]];
	return sum / worth->denominator;
}

static void weigh(struct explaining *explaining, struct worth *worth, json_t *links)
{
	json_t *value, *list = json_array();
	size_t i;

	fputs("why          the links", explaining->text);
	json_array_foreach(links, i, value) {
		uint32_t link = find_link(explaining, json_string_value(json_array_get(value, 0)));

		if (link == LIQUID_NONE)
			continue;
		worth->u[link] = (uint64_t)json_integer_value(json_array_get(value, 1));
		worth->frame += worth->u[link] * explaining->routes->capacity[link];
		fputs(i ? ", " : " ", explaining->text);
		explain_say_link(explaining, link);
		explain_add(explaining, list, explain_link(explaining, link));
	}
	worth->frame /= worth->denominator;
	explain_set(explaining, explaining->root, "links", list);
}

/* Count the transfers that are worth something and list the first ones. */
static void list_worthy(struct explaining *explaining, struct worth *worth)
{
	json_t *list = json_array();
	uint32_t listed = 0;

	for (uint32_t pair = 0; pair < explaining->routes->pair_count; pair++) {
		uint64_t each = worth_of(explaining, worth, pair);

		if (!each)
			continue;
		worth->traffic += each * explaining->routes->pairs[pair].count;
		worth->transfers += explaining->routes->pairs[pair].count;
		if (listed++ < EXPLAIN_LISTED_MAX)
			explain_add(explaining, list, explain_pair(explaining, pair));
	}
	explain_set(explaining, explaining->root, "transfers", list);
}

static int explain_multipliers(struct explaining *explaining, json_t *witness,
			       struct liquid_error *err)
{
	struct worth worth = { 0 };

	worth.denominator = (uint64_t)json_integer_value(json_object_get(witness, "denominator"));
	worth.u = calloc((size_t)explaining->routes->link_count + 1, sizeof(*worth.u));
	if (!worth.u)
		return liquid_no_memory(err);
	worth.denominator += !worth.denominator;
	weigh(explaining, &worth, json_object_get(witness, "links"));
	list_worthy(explaining, &worth);
	fprintf(explaining->text, " together: no frame carries more than %llu of the %llu "
		"transfers that use several of them (worth %llu), so %u frames are needed\n",
		(unsigned long long)worth.frame, (unsigned long long)worth.transfers,
		(unsigned long long)worth.traffic, explaining->info->lower_bound);
	free(worth.u);
	return LIQUID_OK;
}

/* ---- prices ---- */

static void explain_prices(struct explaining *explaining, json_t *witness)
{
	json_t *transfers = json_object_get(witness, "transfers"), *value, *list = json_array();
	uint64_t worth = 0, units = 0;
	size_t i;

	json_array_foreach(transfers, i, value) {
		uint32_t pair = find_pair(explaining, value), count;

		if (pair == LIQUID_NONE)
			continue;
		count = explaining->routes->pairs[pair].count;
		units += count;
		worth += (uint64_t)json_integer_value(json_array_get(value, 2)) * count;
		if (i < EXPLAIN_LISTED_MAX)
			explain_add(explaining, list, explain_pair(explaining, pair));
	}
	fprintf(explaining->text, "why          at the prices of the witness %llu transfers are "
		"worth %llu, and no frame more than %lld, so %u frames are needed\n",
		(unsigned long long)units, (unsigned long long)worth,
		(long long)json_integer_value(json_object_get(witness, "frame")),
		explaining->info->lower_bound);
	explain_set(explaining, explaining->root, "transfers", list);
}

/* ---- the whole witness ---- */

int explain_witness(struct explaining *explaining, struct liquid_error *err)
{
	json_t *witness = json_loads(explaining->info->witness_json, 0, NULL);
	const char *kind = json_string_value(json_object_get(witness, "kind"));
	int status = LIQUID_OK;

	if (kind && !strcmp(kind, "clique"))
		status = explain_clique(explaining, witness, err);
	else if (kind && !strcmp(kind, "multipliers"))
		status = explain_multipliers(explaining, witness, err);
	else if (kind && !strcmp(kind, "prices"))
		explain_prices(explaining, witness);
	else if (kind && !strcmp(kind, "search"))
		fprintf(explaining->text, "why          an exhaustive search found no schedule of "
			"%u frames\n", explaining->info->lower_bound - 1);
	explain_set(explaining, explaining->root, "witness",
		    kind ? json_string(kind) : json_null());
	json_decref(witness);
	return status;
}
