// SPDX-License-Identifier: LGPL-2.1-or-later
/* Frames of units whose capacities form two nests, by halves. */
#include <stdlib.h>
#include <string.h>

#include "solve/symmetry/halving.h"

/* Units that are left, each some times */
struct part {
	uint32_t units;
	uint32_t *unit;
	uint64_t *count;
};

struct halver {
	const struct halving *halving;
	struct budget *budget;
	struct unit_plan *plan;
	uint64_t *load;			/* by set: of the part that was measured last */
	uint32_t *need;			/* by set: units that the frame to take out must have */
	uint32_t *pending;		/* by set: a unit without a partner */
	uint32_t *partner[2];		/* by unit of the part: its partner in either nest */
	uint8_t *half;			/* by unit of the part: which half gets its odd copy */
	bool out_of_work;
};

#define UNDECIDED 2

static void part_clear(struct part *part)
{
	free(part->unit);
	free(part->count);
	*part = (struct part){ 0 };
}

static bool part_new(struct part *part, uint32_t room)
{
	*part = (struct part){ .unit = malloc(((size_t)room + 1) * sizeof(*part->unit)),
			       .count = malloc(((size_t)room + 1) * sizeof(*part->count)) };
	return part->unit && part->count;
}

static void part_add(struct part *part, uint32_t unit, uint64_t count)
{
	if (!count)
		return;
	part->unit[part->units] = unit;
	part->count[part->units++] = count;
}

/* ---- sets ---- */

static void measure(const struct halving *halving, const struct part *part, uint64_t *load)
{
	memset(load, 0, halving->sets * sizeof(*load));
	for (uint32_t i = 0; i < part->units; i++)
		for (int nest = 0; nest < 2; nest++) {
			uint32_t set = halving->inner[nest][part->unit[i]];

			if (set != LIQUID_NONE)
				load[set] += part->count[i];
		}
	for (uint32_t set = 0; set < halving->sets; set++)
		if (halving->parent[set] != LIQUID_NONE)
			load[halving->parent[set]] += load[set];
}

/* What the sets of @part lack of the needs of @frames frames. */
static uint64_t lack(struct halver *h, const struct part *part, uint64_t frames)
{
	uint64_t sum = 0;

	measure(h->halving, part, h->load);
	for (uint32_t set = 0; set < h->halving->sets; set++)
		if (h->load[set] < frames * h->need[set])
			sum += frames * h->need[set] - h->load[set];
	return sum;
}

/* ---- halves ---- */

static void pair_up(struct halver *h, int nest, uint32_t set, uint32_t i)
{
	uint32_t other = h->pending[set];

	if (other == LIQUID_NONE) {
		h->pending[set] = i;
		return;
	}
	h->partner[nest][i] = other;
	h->partner[nest][other] = i;
	h->pending[set] = LIQUID_NONE;
}

/* Give the odd units of @part partners, in the smallest set where there is one. */
static void find_partners(struct halver *h, const struct part *part, int nest)
{
	const struct halving *halving = h->halving;

	memset(h->pending, 0xff, halving->sets * sizeof(*h->pending));
	for (uint32_t i = 0; i < part->units; i++) {
		uint32_t set = halving->inner[nest][part->unit[i]];

		h->partner[nest][i] = LIQUID_NONE;
		if (part->count[i] & 1 && set != LIQUID_NONE)
			pair_up(h, nest, set, i);
	}
	for (uint32_t set = 0; set < halving->sets; set++)
		if (h->pending[set] != LIQUID_NONE && halving->parent[set] != LIQUID_NONE)
			pair_up(h, nest, halving->parent[set], h->pending[set]);
}

/* Partners go to different halves; @nest is that of the first partner. */
static void part_ways(struct halver *h, uint32_t i, int nest)
{
	uint8_t half = h->half[i];

	for (;;) {
		i = h->partner[nest][i];
		if (i == LIQUID_NONE || h->half[i] != UNDECIDED)
			return;
		half = !half;
		h->half[i] = half;
		nest = !nest;
	}
}

/* False: no work is left. */
static bool halve(struct halver *h, const struct part *whole, struct part *left,
		  struct part *right)
{
	uint8_t first = 0;

	if (!budget_spend(h->budget, 16 * ((uint64_t)whole->units + h->halving->sets)))
		h->out_of_work = true;
	find_partners(h, whole, 0);
	find_partners(h, whole, 1);
	memset(h->half, UNDECIDED, whole->units);
	for (uint32_t i = 0; i < whole->units; i++) {
		if (!(whole->count[i] & 1) || h->half[i] != UNDECIDED)
			continue;
		h->half[i] = first;
		first = !first;
		part_ways(h, i, 0);
		part_ways(h, i, 1);
	}
	left->units = right->units = 0;
	for (uint32_t i = 0; i < whole->units; i++) {
		uint64_t count = whole->count[i] / 2, odd = whole->count[i] & 1;

		part_add(left, whole->unit[i], count + (odd && !h->half[i]));
		part_add(right, whole->unit[i], count + (odd && h->half[i]));
	}
	return !h->out_of_work;
}

/* ---- one frame ---- */

/* The other frames have no room for what a set needs in this one. */
static void find_needs(struct halver *h, const struct part *part, uint32_t frames)
{
	const struct halving *halving = h->halving;

	measure(halving, part, h->load);
	for (uint32_t set = 0; set < halving->sets; set++) {
		uint64_t others = (uint64_t)(frames - 1) * halving->capacity[set];

		h->need[set] = h->load[set] > others ? (uint32_t)(h->load[set] - others) : 0;
	}
}

/* Halvings after which no set lacks anything: what all sets lack before is less than 2^t. */
static uint32_t halvings_for(const struct halver *h, uint32_t frames)
{
	uint64_t most = 1;
	uint32_t t = 0;

	for (uint32_t set = 0; set < h->halving->sets; set++)
		most += h->need[set];
	while (UINT64_C(1) << t < most * frames)
		t++;
	return t;
}

/* Take the units of one of @frames frames; the other frames hold the rest. */
static bool take_frame(struct halver *h, const struct part *part, uint32_t frames,
		       struct part *taken)
{
	struct part left, right, swap;
	bool memory = part_new(&left, part->units);
	uint32_t t;
	uint64_t times;

	memory = part_new(&right, part->units) && memory;
	find_needs(h, part, frames);
	t = halvings_for(h, frames);
	times = (UINT64_C(1) << t) / frames;
	taken->units = 0;
	for (uint32_t i = 0; i < part->units; i++)
		part_add(taken, part->unit[i], part->count[i] * times);
	while (memory && t && halve(h, taken, &left, &right)) {
		t--;
		swap = *taken;
		if (lack(h, &left, UINT64_C(1) << t) <= lack(h, &right, UINT64_C(1) << t)) {
			*taken = left;
			left = swap;
		} else {
			*taken = right;
			right = swap;
		}
	}
	part_clear(&left);
	part_clear(&right);
	return memory;
}

static bool add_frame(struct halver *h, const struct part *part)
{
	bool memory = true;

	for (uint32_t i = 0; memory && i < part->units; i++)
		memory = unit_plan_add(h->plan, h->plan->frames, part->unit[i],
				       (uint32_t)part->count[i]);
	h->plan->frames++;
	return memory;
}

/* Both parts are in the order of the units. */
static void subtract(struct part *part, const struct part *taken)
{
	uint32_t units = part->units, at = 0;

	part->units = 0;
	for (uint32_t i = 0; i < units; i++) {
		uint64_t count = part->count[i];

		if (at < taken->units && taken->unit[at] == part->unit[i])
			count -= taken->count[at++];
		part_add(part, part->unit[i], count);
	}
}

/* False: no memory is left. @part is used up. The depth is at most log2 of @frames. */
static bool divide(struct halver *h, struct part *part, uint32_t frames)
{
	struct part left, right;
	bool memory;

	if (frames == 1)
		return add_frame(h, part);
	memory = part_new(&left, part->units);
	memory = part_new(&right, part->units) && memory;
	if (memory && frames % 2) {
		memory = take_frame(h, part, frames, &left);
		if (memory && !h->out_of_work) {
			memory = add_frame(h, &left);
			subtract(part, &left);
			frames--;
		}
	}
	if (memory && !h->out_of_work && halve(h, part, &left, &right))
		memory = divide(h, &left, frames / 2) && divide(h, &right, frames / 2);
	part_clear(&left);
	part_clear(&right);
	return memory;
}

static bool halver_new(struct halver *h, uint32_t units, uint32_t sets)
{
	h->load = calloc((size_t)sets + 1, sizeof(*h->load));
	h->need = calloc((size_t)sets + 1, sizeof(*h->need));
	h->pending = calloc((size_t)sets + 1, sizeof(*h->pending));
	h->partner[0] = calloc((size_t)units + 1, sizeof(*h->partner[0]));
	h->partner[1] = calloc((size_t)units + 1, sizeof(*h->partner[1]));
	h->half = calloc((size_t)units + 1, sizeof(*h->half));
	return h->load && h->need && h->pending && h->partner[0] && h->partner[1] && h->half;
}

static void halver_clear(struct halver *h)
{
	free(h->load);
	free(h->need);
	free(h->pending);
	free(h->partner[0]);
	free(h->partner[1]);
	free(h->half);
}

int halving_solve(const struct halving *halving, uint32_t frames, struct budget *budget,
		  struct unit_plan *plan, bool *found, struct liquid_error *err)
{
	struct halver h = { .halving = halving, .budget = budget, .plan = plan };
	struct part all;
	bool memory = part_new(&all, halving->units);

	plan->frames = plan->entries = 0;
	memory = halver_new(&h, halving->units, halving->sets) && memory;
	for (uint32_t u = 0; memory && u < halving->units; u++)
		part_add(&all, u, halving->count[u]);
	memory = memory && divide(&h, &all, frames);
	*found = memory && !h.out_of_work;
	part_clear(&all);
	halver_clear(&h);
	return memory ? LIQUID_OK : liquid_no_memory(err);
}
