// SPDX-License-Identifier: LGPL-2.1-or-later
/* The twin quotient: find groups of senders and receivers by hashing their inner links. */
#include <stdlib.h>
#include <string.h>

#include "problem/divisor.h"
#include "problem/random.h"
#include "problem/union-find.h"
#include "solve/symmetry/quotient.h"

enum { OWN_OF_SENDER = 1, OWN_OF_RECEIVER = 2, MANY = UINT32_MAX - 1 };

/* Tables of the routes while groups are searched for; by host unless otherwise noted. */
struct search {
	const struct routes *routes;	/* without strands, as pairs are compared */
	uint32_t hosts;
	uint8_t *own;			/* by link: flags OWN_OF_SENDER, OWN_OF_RECEIVER */
	uint32_t *out_limit, *in_limit;	/* least capacity of its own links; 0: none */
	uint32_t *out_pairs, *in_pairs;
	uint64_t *out_hash, *in_hash;
	uint32_t *parent;		/* union-find: hosts connected without inner links */
	uint64_t *inner;		/* by pair: hash of its inner links; 0: none */
};

void unit_plan_clear(struct unit_plan *plan)
{
	free(plan->frame);
	free(plan->unit);
	memset(plan, 0, sizeof(*plan));
}

bool unit_plan_add(struct unit_plan *plan, uint32_t frame, uint32_t unit, uint32_t times)
{
	if (times > plan->room - plan->entries) {
		uint32_t room = plan->room + plan->room / 2 + times + 64;
		uint32_t *frames = reallocarray(plan->frame, room, sizeof(*frames));
		uint32_t *numbers;

		if (frames)
			plan->frame = frames;
		numbers = reallocarray(plan->unit, room, sizeof(*numbers));
		if (numbers)
			plan->unit = numbers;
		if (!frames || !numbers)
			return false;
		plan->room = room;
	}
	while (times--) {
		plan->frame[plan->entries] = frame;
		plan->unit[plan->entries++] = unit;
	}
	return true;
}

void quotient_clear(struct quotient *quotient)
{
	routes_clear(&quotient->units);
	free(quotient->sender_group);
	free(quotient->receiver_group);
	free(quotient->sender_size);
	free(quotient->receiver_size);
	free(quotient->sender_limit);
	free(quotient->receiver_limit);
	free(quotient->self);
	free(quotient->pair_unit);
	memset(quotient, 0, sizeof(*quotient));
}

static void search_clear(struct search *search)
{
	free(search->own);
	free(search->out_limit);
	free(search->in_limit);
	free(search->out_pairs);
	free(search->in_pairs);
	free(search->out_hash);
	free(search->in_hash);
	free(search->parent);
	free(search->inner);
}

static bool search_init(struct search *search, const struct routes *routes)
{
	uint32_t hosts = routes_host_span(routes);

	memset(search, 0, sizeof(*search));
	search->routes = routes;
	search->hosts = hosts;
	search->own = calloc(routes->link_count + 1, sizeof(*search->own));
	search->out_limit = calloc(hosts, sizeof(*search->out_limit));
	search->in_limit = calloc(hosts, sizeof(*search->in_limit));
	search->out_pairs = calloc(hosts, sizeof(*search->out_pairs));
	search->in_pairs = calloc(hosts, sizeof(*search->in_pairs));
	search->out_hash = calloc(hosts, sizeof(*search->out_hash));
	search->in_hash = calloc(hosts, sizeof(*search->in_hash));
	search->parent = calloc(hosts, sizeof(*search->parent));
	search->inner = calloc(routes->pair_count, sizeof(*search->inner));
	return search->own && search->out_limit && search->in_limit && search->out_pairs &&
	       search->in_pairs && search->out_hash && search->in_hash && search->parent &&
	       search->inner;
}

static void count_pairs(struct search *search)
{
	const struct routes *routes = search->routes;
	uint32_t p;

	for (p = 0; p < routes->pair_count; p++) {
		search->out_pairs[routes->pairs[p].src]++;
		search->in_pairs[routes->pairs[p].dst]++;
	}
}

struct link_ends {
	uint32_t src, dst, pairs;	/* the only host, or MANY; number of pairs */
};

static void note_end(uint32_t *known, uint32_t host, bool is_first)
{
	if (is_first)
		*known = host;
	else if (*known != host)
		*known = MANY;
}

static void note_limit(uint32_t *limit, uint32_t capacity)
{
	*limit = *limit && *limit < capacity ? *limit : capacity;
}

/* A link is a host's own if all transfers of that host use it, and no others. */
static bool find_own_links(struct search *search)
{
	const struct routes *routes = search->routes;
	struct link_ends *ends = calloc(routes->link_count + 1, sizeof(*ends));
	uint32_t p, i, l;

	if (!ends)
		return false;
	for (p = 0; p < routes->pair_count; p++)
		for (i = routes->first[p]; i < routes->first[p + 1]; i++) {
			struct link_ends *end = &ends[routes->links[i]];

			note_end(&end->src, routes->pairs[p].src, !end->pairs);
			note_end(&end->dst, routes->pairs[p].dst, !end->pairs);
			end->pairs++;
		}
	for (l = 0; l < routes->link_count; l++) {
		const struct link_ends *end = &ends[l];

		if (!end->pairs)
			continue;
		if (end->src != MANY && end->pairs == search->out_pairs[end->src]) {
			search->own[l] |= OWN_OF_SENDER;
			note_limit(&search->out_limit[end->src], routes->capacity[l]);
		}
		if (end->dst != MANY && end->pairs == search->in_pairs[end->dst]) {
			search->own[l] |= OWN_OF_RECEIVER;
			note_limit(&search->in_limit[end->dst], routes->capacity[l]);
		}
	}
	free(ends);
	return true;
}

/* The expansion needs an own link of each host; routes of a fabric always have one. */
static bool ends_are_limited(const struct search *search)
{
	uint32_t h;

	for (h = 0; h < search->hosts; h++)
		if ((search->out_pairs[h] && !search->out_limit[h]) ||
		    (search->in_pairs[h] && !search->in_limit[h]))
			return false;
	return true;
}

static void hash_inner(struct search *search)
{
	const struct routes *routes = search->routes;
	uint32_t p, i, h;

	for (h = 0; h < search->hosts; h++)
		search->parent[h] = h;
	for (p = 0; p < routes->pair_count; p++) {
		uint64_t hash = 0;

		for (i = routes->first[p]; i < routes->first[p + 1]; i++)
			if (!search->own[routes->links[i]])
				hash = random_mix(hash + routes->links[i] + 0x9e3779b97f4a7c15);
		search->inner[p] = hash;
		if (!hash)
			join(search->parent, routes->pairs[p].src, routes->pairs[p].dst);
	}
}

/*
 * Hosts connected without inner links are identified by their set, not one by one: a host does
 * not send to itself, so the lists of its twins differ from its own.
 */
static void hash_ends(struct search *search)
{
	const struct routes *routes = search->routes;
	uint32_t p, h;

	for (p = 0; p < routes->pair_count; p++) {
		const struct liquid_pair *pair = &routes->pairs[p];
		uint64_t hash = search->inner[p] + random_mix(pair->count);

		if (search->inner[p]) {
			search->out_hash[pair->src] += random_mix(hash ^ random_mix(pair->dst + 1));
			search->in_hash[pair->dst] += random_mix(hash ^ random_mix(pair->src + 1));
		} else {
			search->out_hash[pair->src] += random_mix(hash);
			search->in_hash[pair->dst] += random_mix(hash);
		}
	}
	for (h = 0; h < search->hosts; h++) {
		search->out_hash[h] += random_mix(root(search->parent, h) + 1);
		search->in_hash[h] += random_mix(root(search->parent, h) + 1);
		if (search->out_limit[h] > 1)
			search->out_hash[h] =
				random_mix(search->out_hash[h] + search->out_limit[h]);
		if (search->in_limit[h] > 1)
			search->in_hash[h] = random_mix(search->in_hash[h] + search->in_limit[h]);
	}
}

/* Number the distinct hashes of the hosts that have pairs, in the order of the hosts. */
static bool number_groups(const uint64_t *hash, const uint32_t *pairs, uint32_t hosts,
			  uint32_t *group, uint32_t **size, uint32_t *groups)
{
	uint32_t slots = 4, h, at, *slot;

	while (slots < 2 * hosts)
		slots *= 2;
	slot = calloc(slots, sizeof(*slot));
	*size = calloc(hosts + 1, sizeof(**size));
	if (!slot || !*size) {
		free(slot);
		return false;
	}
	for (h = 0; h < hosts; h++) {
		group[h] = LIQUID_NONE;
		if (!pairs[h])
			continue;
		for (at = hash[h] & (slots - 1); slot[at] && hash[slot[at] - 1] != hash[h];)
			at = (at + 1) & (slots - 1);
		if (!slot[at]) {
			slot[at] = h + 1;
			group[h] = (*groups)++;
		} else {
			group[h] = group[slot[at] - 1];
		}
		(*size)[group[h]]++;
	}
	free(slot);
	return true;
}

/* The limit of the hosts of each group; false if two of a group differ (a hash collision). */
static bool limit_groups(const uint32_t *limit, const uint32_t *group, uint32_t hosts,
			 uint32_t *of_group)
{
	for (uint32_t h = 0; h < hosts; h++) {
		if (group[h] == LIQUID_NONE)
			continue;
		if (of_group[group[h]] && of_group[group[h]] != limit[h])
			return false;
		of_group[group[h]] = limit[h];
	}
	return true;
}

/* The greatest common divisor of the counts of all pairs. */
static uint32_t common_count(const struct routes *routes)
{
	uint32_t p, count = 0;

	for (p = 0; p < routes->pair_count && count != 1; p++)
		count = common_divisor(count, routes->pairs[p].count);
	return count ? count : 1;
}

static bool group_hosts(struct search *search, struct quotient *quotient)
{
	uint32_t hosts = search->hosts;

	quotient->hosts = hosts;
	quotient->repeat = common_count(search->routes);
	quotient->sender_group = malloc(hosts * sizeof(*quotient->sender_group));
	quotient->receiver_group = malloc(hosts * sizeof(*quotient->receiver_group));
	return quotient->sender_group && quotient->receiver_group &&
	       number_groups(search->out_hash, search->out_pairs, hosts, quotient->sender_group,
			     &quotient->sender_size, &quotient->senders) &&
	       number_groups(search->in_hash, search->in_pairs, hosts, quotient->receiver_group,
			     &quotient->receiver_size, &quotient->receivers) &&
	       (quotient->sender_limit = calloc(quotient->senders + 1, sizeof(uint32_t))) &&
	       (quotient->receiver_limit = calloc(quotient->receivers + 1, sizeof(uint32_t)));
}

static bool limits_agree(const struct search *search, struct quotient *quotient)
{
	return limit_groups(search->out_limit, quotient->sender_group, search->hosts,
			    quotient->sender_limit) &&
	       limit_groups(search->in_limit, quotient->receiver_group, search->hosts,
			    quotient->receiver_limit);
}

/* Iterate over the inner links of a pair; LIQUID_NONE after the last. */
static uint32_t next_inner(const struct search *search, uint32_t pair, uint32_t *at)
{
	const struct routes *routes = search->routes;

	while (*at < routes->first[pair + 1]) {
		uint32_t link = routes->links[(*at)++];

		if (!search->own[link])
			return link;
	}
	return LIQUID_NONE;
}

static bool same_inner(const struct search *search, uint32_t a, uint32_t b)
{
	uint32_t at = search->routes->first[a], bt = search->routes->first[b], link;

	if (search->inner[a] != search->inner[b])
		return false;
	do {
		link = next_inner(search, a, &at);
		if (link != next_inner(search, b, &bt))
			return false;
	} while (link != LIQUID_NONE);
	return true;
}

/* Units while they are counted. */
struct unit_table {
	uint32_t *slot, slots;		/* hash table by groups: unit + 1; 0: empty */
	uint32_t *sample, *pairs;	/* by unit: its first pair, number of pairs */
};

static uint32_t table_find(struct unit_table *table, const struct quotient *quotient,
			   uint32_t sender, uint32_t receiver)
{
	uint64_t hash = random_mix(((uint64_t)sender << 32 | receiver) + 1);
	uint32_t at = (uint32_t)hash & (table->slots - 1), unit;

	for (; table->slot[at]; at = (at + 1) & (table->slots - 1)) {
		unit = table->slot[at] - 1;
		if (quotient->units.pairs[unit].src == sender &&
		    quotient->units.pairs[unit].dst == receiver)
			break;
	}
	return at;
}

static bool table_init(struct unit_table *table, struct quotient *quotient,
		       const struct routes *routes)
{
	uint64_t most = (uint64_t)quotient->senders * quotient->receivers;

	if (most > routes->pair_count)
		most = routes->pair_count;
	table->slots = 4;
	while (table->slots < 2 * most)
		table->slots *= 2;
	table->slot = calloc(table->slots, sizeof(*table->slot));
	table->sample = malloc(most * sizeof(*table->sample));
	table->pairs = calloc(most, sizeof(*table->pairs));
	quotient->self = calloc(most, sizeof(*quotient->self));
	quotient->pair_unit = malloc(routes->pair_count * sizeof(*quotient->pair_unit));
	quotient->units.own_pairs = calloc(most, sizeof(*quotient->units.own_pairs));
	quotient->units.pairs = quotient->units.own_pairs;
	return table->slot && table->sample && table->pairs && quotient->self &&
	       quotient->pair_unit && quotient->units.own_pairs;
}

static void table_clear(struct unit_table *table)
{
	free(table->slot);
	free(table->sample);
	free(table->pairs);
}

/* Assign each pair to its unit; false if two pairs of a unit differ. */
static bool gather_units(const struct search *search, struct quotient *quotient,
			 struct unit_table *table)
{
	const struct routes *routes = search->routes;
	struct liquid_pair *units = quotient->units.own_pairs;
	uint32_t p, at, unit;

	for (p = 0; p < routes->pair_count; p++) {
		const struct liquid_pair *pair = &routes->pairs[p];
		uint32_t sender = quotient->sender_group[pair->src];
		uint32_t receiver = quotient->receiver_group[pair->dst];

		at = table_find(table, quotient, sender, receiver);
		if (!table->slot[at]) {
			unit = quotient->units.pair_count++;
			table->slot[at] = unit + 1;
			table->sample[unit] = p;
			units[unit] = (struct liquid_pair){ sender, receiver, 0 };
		}
		unit = table->slot[at] - 1;
		if (pair->count != routes->pairs[table->sample[unit]].count ||
		    !same_inner(search, p, table->sample[unit]))
			return false;
		quotient->pair_unit[p] = unit;
		table->pairs[unit]++;
		units[unit].count += pair->count / quotient->repeat;
	}
	return true;
}

/* Whether each unit has all pairs of its groups but self pairs, as the expansion needs. */
static bool units_are_complete(const struct search *search, struct quotient *quotient,
			       struct unit_table *table)
{
	const struct routes *routes = search->routes;
	uint32_t h, at, u;

	for (h = 0; h < quotient->hosts; h++) {
		if (quotient->sender_group[h] == LIQUID_NONE ||
		    quotient->receiver_group[h] == LIQUID_NONE)
			continue;
		at = table_find(table, quotient, quotient->sender_group[h],
				quotient->receiver_group[h]);
		if (table->slot[at])
			quotient->self[table->slot[at] - 1]++;
	}
	for (u = 0; u < quotient->units.pair_count; u++) {
		uint64_t all = (uint64_t)quotient->sender_size[quotient->units.pairs[u].src] *
			       quotient->receiver_size[quotient->units.pairs[u].dst];

		if (table->pairs[u] + (uint64_t)quotient->self[u] != all)
			return false;
		if (quotient->self[u] &&
		    routes->pairs[table->sample[u]].count != quotient->repeat)
			return false;
	}
	return true;
}

static uint32_t inner_count(const struct search *search, uint32_t pair)
{
	uint32_t at = search->routes->first[pair], count = 0;

	while (next_inner(search, pair, &at) != LIQUID_NONE)
		count++;
	return count;
}

static bool allocate_uses(const struct search *search, struct quotient *quotient,
			  const struct unit_table *table)
{
	struct routes *units = &quotient->units;
	uint64_t total = 0;
	uint32_t u;

	units->first = malloc((units->pair_count + 1) * sizeof(*units->first));
	if (!units->first)
		return false;
	for (u = 0; u < units->pair_count; u++) {
		units->first[u] = (uint32_t)total;
		total += 2 + inner_count(search, table->sample[u]);
	}
	if (total >= UINT32_MAX)
		return false;
	units->first[u] = (uint32_t)total;
	units->link_count = quotient->senders + quotient->receivers;
	units->links = malloc(total * sizeof(*units->links));
	units->capacity = calloc(units->link_count + search->routes->link_count,
				 sizeof(*units->capacity));
	units->load = calloc(units->link_count + search->routes->link_count, sizeof(*units->load));
	units->first_transfer = calloc(units->pair_count + 1, sizeof(*units->first_transfer));
	return units->links && units->capacity && units->load && units->first_transfer;
}

/* Resources are the groups of senders, the groups of receivers, then the inner links. */
static bool build_units(const struct search *search, struct quotient *quotient,
			const struct unit_table *table)
{
	const struct routes *routes = search->routes;
	struct routes *units = &quotient->units;
	uint32_t *number, u, at, link, to, g;

	if (!allocate_uses(search, quotient, table))
		return false;
	number = calloc(routes->link_count + 1, sizeof(*number));
	if (!number)
		return false;
	for (g = 0; g < quotient->senders; g++)
		units->capacity[g] = quotient->sender_size[g] * quotient->sender_limit[g];
	for (g = 0; g < quotient->receivers; g++)
		units->capacity[quotient->senders + g] =
			quotient->receiver_size[g] * quotient->receiver_limit[g];
	for (u = 0; u < units->pair_count; u++) {
		to = units->first[u];
		units->links[to++] = quotient->units.pairs[u].src;
		units->links[to++] = quotient->senders + quotient->units.pairs[u].dst;
		at = routes->first[table->sample[u]];
		while ((link = next_inner(search, table->sample[u], &at)) != LIQUID_NONE) {
			if (!number[link]) {
				units->capacity[units->link_count] = routes->capacity[link];
				number[link] = ++units->link_count;
			}
			units->links[to++] = number[link] - 1;
		}
	}
	free(number);
	return true;
}

static int find(struct search *search, struct quotient *quotient, bool *found,
		struct liquid_error *err)
{
	struct unit_table table = { 0 };
	bool memory;

	count_pairs(search);
	memory = find_own_links(search);
	if (memory && ends_are_limited(search)) {
		hash_inner(search);
		hash_ends(search);
		memory = group_hosts(search, quotient) &&
			 table_init(&table, quotient, search->routes);
		*found = memory && limits_agree(search, quotient) &&
			 gather_units(search, quotient, &table) &&
			 units_are_complete(search, quotient, &table);
		if (*found)
			memory = build_units(search, quotient, &table);
		if (*found && memory)
			routes_measure(&quotient->units);
	}
	table_clear(&table);
	if (!memory)
		return liquid_no_memory(err);
	return LIQUID_OK;
}

int quotient_find(const struct routes *routes, struct quotient *quotient, bool *found,
		  struct liquid_error *err)
{
	struct search search;
	int status;

	memset(quotient, 0, sizeof(*quotient));
	*found = false;
	routes = routes_whole(routes);
	if (!routes->pair_count || routes->transfer_count > QUOTIENT_TRANSFERS_MAX)
		return LIQUID_OK;
	if (search_init(&search, routes))
		status = find(&search, quotient, found, err);
	else
		status = liquid_no_memory(err);
	search_clear(&search);
	if (status != LIQUID_OK || !*found)
		quotient_clear(quotient);
	if (status != LIQUID_OK)
		*found = false;
	return status;
}
