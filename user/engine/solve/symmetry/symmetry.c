// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Translations of units: guess them as shifts of digits, which is quick, then search for others
 *
 * The search is in a graph that is far smaller than the units: its points are the resources, and an
 * arc leads from one to the next that some unit uses. What it finds is checked on all units.
 */
#include <stdlib.h>
#include <string.h>

#include "problem/divisor.h"
#include "problem/random.h"
#include "problem/shifts.h"
#include "problem/translations.h"
#include "problem/union-find.h"
#include "solve/symmetry/symmetry.h"

/* Work limit of the search, relative to the number of all uses of resources */
#define WORK_PASSES 4u
#define WORK_LEAST (UINT64_C(1) << 21)
#define SAMPLES 4096u			/* units */
#define SENDERS_MAX 4096u		/* groups: the search has a table of their squares */

#define NEIGHBOUR (UINT32_C(1) << 31)	/* label of an arc, more than copies of a unit */

struct finder {
	const struct quotient *quotient;
	struct symmetry *symmetry;
	uint32_t *words;		/* all arrays below */
	uint32_t count;			/* number of senders; the same for receivers */
	uint32_t *sender, *receiver;	/* hosts that send, that receive; ascending */
	uint32_t *sender_image, *receiver_image;	/* by group */
	uint32_t *first_of, *by_sender;	/* units sorted by sender and receiver group */
	uint32_t *unit_image, *resource_image, *seen;
};

static void forget(struct symmetry *symmetry)
{
	for (uint32_t g = 0; g < symmetry->generators; g++) {
		free(symmetry->unit_image[g]);
		free(symmetry->resource_image[g]);
	}
	symmetry->generators = 0;
}

void symmetry_clear(struct symmetry *symmetry)
{
	forget(symmetry);
	memset(symmetry, 0, sizeof(*symmetry));
}

static uint32_t *words(uint64_t count)
{
	return calloc(count + 1, sizeof(uint32_t));
}

/* ---- the units of groups ---- */

/* Sort units by sender group, then by receiver group, with two counting sorts. */
static bool index_units(struct finder *f)
{
	const struct quotient *q = f->quotient;
	const struct liquid_pair *pairs = q->units.pairs;
	uint32_t units = q->units.pair_count;
	uint32_t *begin = words(q->receivers + 1), *order = words(units);
	bool memory = begin && order;

	for (uint32_t u = 0; memory && u < units; u++) {
		begin[pairs[u].dst + 1]++;
		f->first_of[pairs[u].src + 2]++;
	}
	if (memory) {
		for (uint32_t i = 0; i < q->receivers; i++)
			begin[i + 1] += begin[i];
		for (uint32_t i = 0; i <= q->senders; i++)
			f->first_of[i + 1] += f->first_of[i];
		for (uint32_t u = 0; u < units; u++)
			order[begin[pairs[u].dst]++] = u;
		for (uint32_t i = 0; i < units; i++)
			f->by_sender[f->first_of[pairs[order[i]].src + 1]++] = order[i];
	}
	free(begin);
	free(order);
	return memory;
}

/* The unit of two groups, or LIQUID_NONE */
static uint32_t find_unit(const struct finder *f, uint32_t sender, uint32_t receiver)
{
	uint32_t low = f->first_of[sender], high = f->first_of[sender + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2, unit = f->by_sender[middle];

		if (f->quotient->units.pairs[unit].dst == receiver)
			return unit;
		if (f->quotient->units.pairs[unit].dst < receiver)
			low = middle + 1;
		else
			high = middle;
	}
	return LIQUID_NONE;
}

/* ---- checks ---- */

static bool map_unit(struct finder *f, uint32_t unit)
{
	const struct routes *units = &f->quotient->units;
	uint32_t to = find_unit(f, f->sender_image[units->pairs[unit].src],
				f->receiver_image[units->pairs[unit].dst]);
	uint32_t uses = units->first[unit + 1] - units->first[unit];

	if (to == LIQUID_NONE || units->pairs[to].count != units->pairs[unit].count ||
	    units->first[to + 1] - units->first[to] != uses)
		return false;
	f->unit_image[unit] = to;
	for (uint32_t i = 0; i < uses; i++) {
		uint32_t r = units->links[units->first[unit] + i];
		uint32_t r_to = units->links[units->first[to] + i];

		if (f->resource_image[r] == LIQUID_NONE)
			f->resource_image[r] = r_to;
		else if (f->resource_image[r] != r_to)
			return false;
	}
	return true;
}

/* Whether the images of the groups map every @step-th unit to a unit. */
static bool check_units(struct finder *f, uint32_t step)
{
	const struct routes *units = &f->quotient->units;

	memset(f->resource_image, 0xff, units->link_count * sizeof(*f->resource_image));
	for (uint32_t u = 0; u < units->pair_count; u += step)
		if (!map_unit(f, u))
			return false;
	return true;
}

/*
 * Whether the images of the groups, which are one to one, map units to units and resources to
 * resources. If so, fills in unit_image[] and resource_image[].
 */
static bool check(struct finder *f)
{
	const struct routes *units = &f->quotient->units;

	if (!check_units(f, 1))
		return false;
	memset(f->seen, 0, units->link_count * sizeof(*f->seen));
	for (uint32_t r = 0; r < units->link_count; r++)
		if (f->resource_image[r] == LIQUID_NONE || f->seen[f->resource_image[r]]++ ||
		    units->capacity[r] != units->capacity[f->resource_image[r]])
			return false;
	return true;
}

/* The order of the renaming: resources that stay are all groups, and so all units, that stay. */
static uint32_t cycles_order(struct finder *f, uint32_t resources)
{
	uint32_t order = 1;

	memset(f->seen, 0, resources * sizeof(*f->seen));
	for (uint32_t r = 0; r < resources; r++) {
		uint32_t at = r, length = 0;

		for (; !f->seen[at]; at = f->resource_image[at], length++)
			f->seen[at] = 1;
		if (length)
			order = order / common_divisor(order, length) * length;
	}
	return order;
}

static uint32_t *copy_of(const uint32_t *from, uint32_t count)
{
	uint32_t *copy = words(count);

	if (copy)
		memcpy(copy, from, count * sizeof(*copy));
	return copy;
}

/* Keep what check() has accepted as a generator, unless all stays where it is: 0. */
static int keep(struct finder *f)
{
	struct symmetry *symmetry = f->symmetry;
	const struct routes *units = &f->quotient->units;
	uint32_t g = symmetry->generators, order;

	order = cycles_order(f, units->link_count);
	if (order < 2 || g == SYMMETRY_GENERATORS_MAX)
		return 0;
	symmetry->generators++;
	symmetry->order[g] = order;
	symmetry->unit_image[g] = copy_of(f->unit_image, units->pair_count);
	symmetry->resource_image[g] = copy_of(f->resource_image, units->link_count);
	return symmetry->unit_image[g] && symmetry->resource_image[g] ? 1 : LIQUID_NO_MEMORY;
}

/* ---- shifts ---- */

/* If the numbers of senders and receivers differ, no shift is tried. */
static void list_hosts(struct finder *f)
{
	const struct quotient *q = f->quotient;
	uint32_t senders = 0, receivers = 0;

	for (uint32_t h = 0; h < q->hosts; h++) {
		if (q->sender_group[h] != LIQUID_NONE)
			f->sender[senders++] = h;
		if (q->receiver_group[h] != LIQUID_NONE)
			f->receiver[receivers++] = h;
	}
	f->count = senders == receivers ? senders : 0;
}

/* Images of the groups under the shift; false if it splits a group or merges two. */
static bool map_groups(struct finder *f, const struct liquid_shift *shift, const uint32_t *host,
		       const uint32_t *group, uint32_t groups, uint32_t *image)
{
	memset(image, 0xff, groups * sizeof(*image));
	for (uint32_t i = 0; i < f->count; i++) {
		uint32_t from = group[host[i]], to = group[host[shift_step(shift, i)]];

		if (image[from] == LIQUID_NONE)
			image[from] = to;
		else if (image[from] != to)
			return false;
	}
	memset(f->seen, 0, groups * sizeof(*f->seen));
	for (uint32_t g = 0; g < groups; g++)
		if (f->seen[image[g]]++)
			return false;
	return true;
}

static int try_shift(void *context, const struct liquid_shift *shift)
{
	struct finder *f = context;
	const struct quotient *q = f->quotient;

	return map_groups(f, shift, f->sender, q->sender_group, q->senders, f->sender_image) &&
	       map_groups(f, shift, f->receiver, q->receiver_group, q->receivers,
			  f->receiver_image) &&
	       check(f) ? keep(f) : 0;
}

/* ---- the search ---- */

/* How many orbits the groups of senders have; these are the first resources. */
static uint32_t count_orbits(struct finder *f)
{
	uint32_t senders = f->quotient->senders;

	for (uint32_t s = 0; s < senders; s++)
		f->seen[s] = s;
	for (uint32_t g = 0; g < f->symmetry->generators; g++)
		for (uint32_t s = 0; s < senders; s++)
			join(f->seen, s, f->symmetry->resource_image[g][s]);
	return number_sets(f->seen, senders);
}

/*
 * From the resource of the sender along the inner ones to that of the receiver; and straight to a
 * neighbour, so that what maps a ring backwards is found out where it meets the next ring.
 */
static bool add_turns(const struct routes *units, uint32_t u, struct digraph *graph)
{
	const uint32_t *link = units->links + units->first[u];
	uint32_t uses = units->first[u + 1] - units->first[u], at = link[0];
	bool memory = uses != 3 || digraph_add(graph, at, link[1], NEIGHBOUR);

	for (uint32_t i = 2; memory && i < uses; i++) {
		memory = digraph_add(graph, at, link[i], units->pairs[u].count);
		at = link[i];
	}
	return memory && digraph_add(graph, at, link[1], units->pairs[u].count);
}

static bool draw(const struct quotient *q, struct digraph *graph, uint64_t *kind)
{
	const struct routes *units = &q->units;
	bool memory = true;

	for (uint32_t u = 0; memory && u < units->pair_count; u++)
		memory = add_turns(units, u, graph);
	for (uint32_t h = 0; memory && h < q->hosts; h++)
		if (q->sender_group[h] != LIQUID_NONE && q->receiver_group[h] != LIQUID_NONE)
			memory = digraph_add(graph, q->senders + q->receiver_group[h],
					     q->sender_group[h], 1);
	for (uint32_t r = 0; r < units->link_count; r++)
		kind[r] = random_mix(((uint64_t)units->capacity[r] << 32 | units->load[r]) +
				     random_mix((r >= q->senders) +
						(r >= q->senders + q->receivers)));
	return memory && digraph_finish(graph);
}

static void take_images(struct finder *f, const uint32_t *image)
{
	const struct quotient *q = f->quotient;

	for (uint32_t s = 0; s < q->senders; s++)
		f->sender_image[s] = image[s];
	for (uint32_t r = 0; r < q->receivers; r++)
		f->receiver_image[r] = image[q->senders + r] - q->senders;
}

/* Not all units, which take() looks at: most renamings that fail do so at once. */
static bool maps_samples(void *context, const uint32_t *image)
{
	struct finder *f = context;

	take_images(f, image);
	return check_units(f, 1 + f->quotient->units.pair_count / SAMPLES);
}

/* Take the translations instead of the shifts, if they map a group of senders to more others. */
static bool take(struct finder *f, const struct translations *found)
{
	int status = 1;

	if ((uint64_t)found->count * count_orbits(f) <= f->quotient->senders)
		return true;
	forget(f->symmetry);
	for (uint32_t g = 0; status >= 0 && g < found->generators; g++) {
		take_images(f, found->generator[g]);
		status = check(f) ? keep(f) : 0;
	}
	return status >= 0;
}

static bool seek(struct finder *f)
{
	const struct routes *units = &f->quotient->units;
	uint64_t *kind = calloc((size_t)units->link_count + 1, sizeof(*kind));
	struct translations found = { 0 };
	struct digraph graph;
	struct translations_wanted wanted = {
		.graph = &graph, .kind = kind, .moved = f->quotient->senders,
		.early = f->quotient->senders + f->quotient->receivers,
		.generators = SYMMETRY_GENERATORS_MAX, .independent = true,
		.suits = maps_samples, .context = f,
		.work = WORK_PASSES * (uint64_t)units->first[units->pair_count] + WORK_LEAST,
	};
	bool memory = digraph_init(&graph, units->link_count) && kind;

	memory = memory && draw(f->quotient, &graph, kind) &&
		 translations_find(&wanted, &found) && take(f, &found);
	translations_clear(&found);
	digraph_clear(&graph);
	free(kind);
	return memory;
}

/* ---- all of it ---- */

static bool finder_init(struct finder *f)
{
	const struct quotient *q = f->quotient;
	size_t units = q->units.pair_count, links = q->units.link_count;
	struct {
		uint32_t **words;
		size_t count;
	} part[] = {
		{ &f->sender, q->hosts }, { &f->receiver, q->hosts },
		{ &f->sender_image, q->senders }, { &f->receiver_image, q->receivers },
		{ &f->first_of, q->senders + 2 }, { &f->by_sender, units },
		{ &f->unit_image, units }, { &f->resource_image, links },
		{ &f->seen, units > links ? units : links },
	};
	size_t parts = sizeof(part) / sizeof(part[0]), count = 0;

	for (size_t i = 0; i < parts; i++)
		count += part[i].count;
	f->words = words(count);
	for (size_t i = 0, at = 0; f->words && i < parts; at += part[i++].count)
		*part[i].words = f->words + at;
	return f->words && index_units(f);
}

int symmetry_find(const struct quotient *quotient, struct symmetry *symmetry,
		  struct liquid_error *err)
{
	struct finder f = { .quotient = quotient, .symmetry = symmetry };
	struct shifts shifts;
	bool memory;

	memset(symmetry, 0, sizeof(*symmetry));
	memory = finder_init(&f);
	if (memory) {
		list_hosts(&f);
		memory = !shifts_find(f.count, try_shift, &f, &shifts);
	}
	if (memory && quotient->senders <= SENDERS_MAX && count_orbits(&f) > 1)
		memory = seek(&f);
	free(f.words);
	if (!memory) {
		symmetry_clear(symmetry);
		return liquid_no_memory(err);
	}
	return LIQUID_OK;
}
