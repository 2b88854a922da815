// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Number the places such that translations of the tables are shifts
 *
 * Shifts turn digits of the numbers, so a fabric that is numbered in any other order, as
 * discovered ones are, has none. There the search for translations finds renamings of switches and
 * hosts. If these map all switches in cycles of one length, the places are numbered by their
 * powers. This is a guess: each shift is checked on the tables.
 */
#include <stdlib.h>
#include <string.h>

#include "compact/group.h"
#include "problem/random.h"
#include "solve/symmetry/symmetry.h"

#define UNITS_MAX (UINT64_C(1) << 21)	/* of a block and a place: more would take long */
#define ORDER_WORK 36		/* operations for each link of a path */
#define ENDS 2			/* resources of a unit other than links: sender and receiver */

struct ways {
	const struct group *group;
	struct quotient quotient;	/* its hosts are places, its senders blocks */
	uint64_t *hash;			/* by class of receivers: of the paths to it */
	uint32_t *number;		/* by link of the fabric, from 1; 0: not used so far */
	uint32_t room;			/* in links[] of the units */
};

/* ---- units from blocks to receivers of a switch that all paths reach in the same way ---- */

static bool ways_init(struct ways *ways, const struct group *group)
{
	struct quotient *q = &ways->quotient;
	size_t links = liquid_fabric_link_count(group->fabric);
	size_t units = (size_t)group->blocks * group->places;

	*ways = (struct ways){ .group = group };
	q->hosts = group->places;
	q->senders = group->blocks;
	q->sender_group = calloc((size_t)group->places + 1, sizeof(*q->sender_group));
	q->receiver_group = calloc((size_t)group->places + 1, sizeof(*q->receiver_group));
	q->receiver_size = calloc((size_t)group->places + 1, sizeof(*q->receiver_size));
	q->units.own_pairs = calloc(units + 1, sizeof(*q->units.own_pairs));
	q->units.pairs = q->units.own_pairs;
	q->units.first = calloc(units + 1, sizeof(*q->units.first));
	q->units.first_transfer = calloc(units + 1, sizeof(*q->units.first_transfer));
	q->units.capacity = calloc(links + ENDS * ((size_t)group->places + 1),
				   sizeof(*q->units.capacity));
	q->units.load = calloc(links + ENDS * ((size_t)group->places + 1),
			       sizeof(*q->units.load));
	ways->hash = calloc((size_t)group->places + 1, sizeof(*ways->hash));
	ways->number = calloc(links + 1, sizeof(*ways->number));
	return q->sender_group && q->receiver_group && q->receiver_size && q->units.own_pairs &&
	       q->units.first && q->units.first_transfer && q->units.capacity && q->units.load &&
	       ways->hash && ways->number;
}

static void ways_clear(struct ways *ways)
{
	quotient_clear(&ways->quotient);
	free(ways->hash);
	free(ways->number);
}

static bool make_room(struct ways *ways)
{
	struct routes *units = &ways->quotient.units;
	uint32_t used = units->first[units->pair_count], *links;

	if (used + LIQUID_PATH_MAX + ENDS <= ways->room)
		return true;
	ways->room += ways->room / 2 + (1 << 16);
	links = reallocarray(units->links, ways->room, sizeof(*links));
	if (links)
		units->links = links;
	return links;
}

/* The unit from @block to @place, with links of the fabric: none if there is no route */
static bool add_unit(struct ways *ways, uint32_t block, uint32_t place, uint64_t *hash)
{
	struct routes *units = &ways->quotient.units;
	uint32_t unit = units->pair_count, *link;
	int n;

	if (!make_room(ways))
		return false;
	link = units->links + units->first[unit];
	*link++ = block;
	*link++ = ways->quotient.receivers;
	n = group_path(ways->group, block, place, link);
	n = n > 0 ? n - 1 : 0;
	for (int i = 0; i < n; i++)
		*hash = random_mix(*hash + link[i] + 1);
	*hash = random_mix(*hash);
	units->own_pairs[unit] = (struct liquid_pair){ block, ways->quotient.receivers, 1 };
	units->first[unit + 1] = units->first[unit] + ENDS + (uint32_t)n;
	units->pair_count++;
	return true;
}

/* Is there a class of @place's switch with the same paths? Its number, or that of a new one */
static uint32_t find_class(const struct ways *ways, uint32_t place, uint64_t hash)
{
	const struct group *group = ways->group;
	uint32_t first = group->first[group->block[place]];

	for (uint32_t p = first; p < place; p++)
		if (ways->hash[ways->quotient.receiver_group[p]] == hash)
			return ways->quotient.receiver_group[p];
	return ways->quotient.receivers;
}

/* All units to @place, unless there are those of its class */
static bool add_place(struct ways *ways, uint32_t place)
{
	struct quotient *q = &ways->quotient;
	uint32_t before = q->units.pair_count, class;
	uint64_t hash = 0;

	for (uint32_t b = 0; b < ways->group->blocks; b++)
		if (!add_unit(ways, b, place, &hash))
			return false;
	class = find_class(ways, place, hash);
	if (class < q->receivers)
		q->units.pair_count = before;
	else
		ways->hash[q->receivers++] = hash;
	q->sender_group[place] = ways->group->block[place];
	q->receiver_group[place] = class;
	q->receiver_size[class]++;
	return true;
}

static void number_link(struct ways *ways, uint32_t *at)
{
	struct routes *units = &ways->quotient.units;
	uint32_t link = *at;

	if (!ways->number[link]) {
		units->capacity[units->link_count] =
			liquid_fabric_capacity(ways->group->fabric, link);
		ways->number[link] = ++units->link_count;
	}
	*at = ways->number[link] - 1;
}

/*
 * Resources are senders, receivers and then links in use. A unit is as many as there are hosts that
 * it goes to.
 */
static void finish(struct ways *ways)
{
	struct quotient *q = &ways->quotient;
	struct routes *units = &q->units;

	units->link_count = q->senders + q->receivers;
	for (uint32_t r = 0; r < units->link_count; r++)
		units->capacity[r] = 1;
	for (uint32_t u = 0; u < units->pair_count; u++) {
		units->links[units->first[u] + 1] += q->senders;
		for (uint32_t i = units->first[u] + ENDS; i < units->first[u + 1]; i++)
			number_link(ways, &units->links[i]);
		units->own_pairs[u].count = q->receiver_size[units->pairs[u].dst];
	}
	routes_measure(units);
}

/* ---- the order ---- */

/*
 * List what the generators map @list[0] to: the images by powers of each follow those by the ones
 * before. Returns how many; 0: some of these images are listed already. @base: of the numbers in
 * the resources
 */
static uint32_t list_orbit(const struct symmetry *symmetry, uint32_t base, uint32_t *list,
			   bool *listed)
{
	uint32_t count = 1;

	listed[list[0]] = true;
	for (uint32_t g = 0; g < symmetry->generators; g++) {
		const uint32_t *image = symmetry->resource_image[g] + base;

		for (uint32_t step = count; !listed[image[list[count - step]] - base];
		     count += step)
			for (uint32_t i = 0; i < step; i++) {
				uint32_t to = image[list[count - step + i]] - base;

				if (listed[to])
					return 0;
				listed[to] = true;
				list[count + i] = to;
			}
	}
	return count;
}

/* Orbits one after the other in @list, all of *@length; false: they differ, or no memory */
static bool list_orbits(const struct symmetry *symmetry, uint32_t base, uint32_t count,
			uint32_t *list, uint32_t *length)
{
	bool *listed = calloc((size_t)count + 1, sizeof(*listed));
	uint32_t done = 0;

	*length = 0;
	for (uint32_t i = 0; listed && i < count; i++) {
		uint32_t size;

		if (listed[i])
			continue;
		list[done] = i;
		size = list_orbit(symmetry, base, list + done, listed);
		if (!size || (*length && size != *length))
			break;
		*length = size;
		done += size;
	}
	free(listed);
	return done == count;
}

struct key {
	uint64_t rank;
	uint32_t host;
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *one = a, *other = b;

	if (one->rank != other->rank)
		return one->rank < other->rank ? -1 : 1;
	return one->host < other->host ? -1 : one->host > other->host;
}

/* Lists of all orbits of blocks and of classes of receivers, one orbit after the other */
struct lists {
	uint32_t *blocks, *classes;
	uint32_t blocks_length, classes_length;
};

/* By power of the generators, then orbit of the block, then orbit of the class of receivers */
static void give_keys(struct ways *ways, const struct lists *lists, struct key *key)
{
	const struct group *group = ways->group;
	const struct quotient *q = &ways->quotient;
	uint32_t length = lists->blocks_length;
	uint64_t *orbit = ways->hash;

	for (uint32_t i = 0; i < q->receivers; i++)
		orbit[lists->classes[i]] = i / lists->classes_length;
	for (uint32_t i = 0; i < q->senders; i++) {
		uint32_t b = lists->blocks[i];
		uint64_t rank = (uint64_t)(i % length) * (q->senders / length) + i / length;

		for (uint32_t p = group->first[b]; p < group->first[b + 1]; p++)
			key[p] = (struct key){ rank * q->receivers + orbit[q->receiver_group[p]],
					       group->host[p] };
	}
}

/* Number the places of @other in the order of translations, if there are some of that kind. */
static bool give_order(struct ways *ways, const struct symmetry *symmetry, struct group *other,
		       bool *memory)
{
	const struct quotient *q = &ways->quotient;
	struct key *key = calloc((size_t)other->places + 1, sizeof(*key));
	struct lists lists = {
		.blocks = calloc((size_t)q->senders + 1, sizeof(*lists.blocks)),
		.classes = calloc((size_t)q->receivers + 1, sizeof(*lists.classes)),
	};
	bool found;

	*memory = key && lists.blocks && lists.classes;
	found = *memory && list_orbits(symmetry, 0, q->senders, lists.blocks,
				       &lists.blocks_length) &&
		list_orbits(symmetry, q->senders, q->receivers, lists.classes,
			    &lists.classes_length);
	if (found) {
		give_keys(ways, &lists, key);
		qsort(key, other->places, sizeof(*key), compare_keys);
	}
	for (uint32_t p = 0; found && p < other->places; p++) {
		other->host[p] = key[p].host;
		other->place[key[p].host] = p;
	}
	free(key);
	free(lists.blocks);
	free(lists.classes);
	return found;
}

/* How the switch of @block spreads all places over its links. @count: of a link, all 0 */
static uint64_t spread(const struct group *group, uint32_t block, uint32_t *count)
{
	uint64_t hash = 0;

	for (uint32_t p = 0; p < group->places; p++) {
		uint32_t link = liquid_fabric_forward(group->fabric, group->home[block],
						      group->host[p]);

		if (link != LIQUID_NONE)
			count[link]++;
	}
	for (uint32_t p = 0; p < group->places; p++) {
		uint32_t link = liquid_fabric_forward(group->fabric, group->home[block],
						      group->host[p]);

		if (link == LIQUID_NONE)
			continue;
		hash += count[link] ? random_mix(count[link]) : 0;
		count[link] = 0;
	}
	return hash;
}

/* A quick test before the search: false in meshes and with hashed routes */
static bool are_alike(const struct ways *ways)
{
	uint64_t first = spread(ways->group, 0, ways->number);

	for (uint32_t b = 1; b < ways->group->blocks; b++)
		if (spread(ways->group, b, ways->number) != first)
			return false;
	return true;
}

static int seek_order(struct ways *ways, struct group *other, struct budget *budget, bool *found,
		      struct liquid_error *err)
{
	const struct routes *units = &ways->quotient.units;
	struct symmetry symmetry = { 0 };
	bool memory = ways_init(ways, other);
	int status;

	if (memory && !are_alike(ways))
		return LIQUID_OK;
	for (uint32_t p = 0; memory && p < other->places; p++)
		memory = add_place(ways, p);
	if (!memory)
		return liquid_no_memory(err);
	finish(ways);
	status = symmetry_find(&ways->quotient, &symmetry, err);
	if (budget)
		budget_spend(budget, ORDER_WORK * (uint64_t)units->first[units->pair_count]);
	*found = !status && symmetry.generators &&
		 give_order(ways, &symmetry, other, &memory);
	symmetry_clear(&symmetry);
	return status || memory ? status : liquid_no_memory(err);
}

static uint64_t shifted_blocks(const struct group *group)
{
	uint64_t count = 1;

	for (uint32_t i = 0; i < group->shifts; i++)
		count *= group->shift[i].stride < group->turns ? 1 : group->shift[i].count;
	return count;
}

int group_reorder(struct group *group, struct budget *budget, struct liquid_error *err)
{
	struct group other = { 0 };
	struct ways ways = { 0 };
	bool found = false;
	int status;

	if (!group_is_even(group) || group->blocks == 1 || shifted_blocks(group) > 1 ||
	    (uint64_t)group->blocks * group->places > UNITS_MAX)
		return LIQUID_OK;
	status = group_make(group->fabric, group->host, group->places, &other, err);
	if (!status)
		status = group_cut(&other, 0, err);
	if (!status)
		status = seek_order(&ways, &other, budget, &found, err);
	if (found)
		status = group_cut(&other, 0, err);
	if (!status && found)
		status = group_find_shifts(&other, err);
	if (!status && found && shifted_blocks(&other) > 1) {
		struct group worse = *group;

		*group = other;
		other = worse;
	}
	ways_clear(&ways);
	group_drop(&other);
	return status;
}
