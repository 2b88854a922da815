// SPDX-License-Identifier: LGPL-2.1-or-later
/* Limits of a schedule: of each item over the frames, and of each link in each frame. */
#include <stdlib.h>
#include <string.h>

#include "problem/union-find.h"
#include "solve/learning/model.h"

#define CELLS_MAX (UINT32_C(1) << 17)
#define LITERALS_MAX (UINT64_C(1) << 21)
/* What a literal costs until it is in the model, about 1 ns each. */
#define LITERAL_WORK 32

/* The limits while they are gathered: the same may come several times. */
struct draft {
	const struct routes *units;
	struct model *model;
	uint32_t *first_item;		/* by unit: its first item */
	uint32_t *need;			/* by item: frames that it takes */
	struct routes_inverse inverse;	/* units of each link */
	uint32_t *literals, used, *first, *most, count;
};

/* ---- items ---- */

uint64_t model_work(const struct routes *units, uint32_t frames)
{
	uint64_t items = 0, literals = 0;

	for (uint32_t unit = 0; unit < units->pair_count; unit++) {
		uint64_t strands = routes_strands(units, unit);

		items += strands;
		literals += 2 * strands * (1 + units->first[unit + 1] - units->first[unit]);
	}
	if (!items || items * frames > CELLS_MAX || literals * frames > LITERALS_MAX)
		return MODEL_TOO_LARGE;
	return LITERAL_WORK * literals * frames;
}

static bool list_items(struct draft *draft)
{
	const struct routes *units = draft->units;
	struct model *model = draft->model;
	uint32_t unit, strand;

	draft->first_item = calloc((size_t)units->pair_count + 1, sizeof(*draft->first_item));
	if (!draft->first_item)
		return false;
	for (unit = 0; unit < units->pair_count; unit++) {
		draft->first_item[unit] = model->items;
		model->items += routes_strands(units, unit);
	}
	draft->first_item[unit] = model->items;
	model->unit = calloc(model->items, sizeof(*model->unit));
	draft->need = calloc(model->items, sizeof(*draft->need));
	model->variable = calloc((size_t)model->items * model->frames, sizeof(*model->variable));
	if (!model->unit || !draft->need || !model->variable)
		return false;
	for (unit = 0; unit < units->pair_count; unit++) {
		uint32_t first = draft->first_item[unit];
		uint32_t strands = draft->first_item[unit + 1] - first;

		for (strand = 0; strand < strands; strand++) {
			model->unit[first + strand] = unit;
			draft->need[first + strand] =
				(units->pairs[unit].count + strand) / strands;
		}
	}
	return true;
}

/* ---- variables ---- */

static uint32_t image_of(const struct draft *draft, const struct renaming *renaming, uint32_t item,
			 uint32_t frame)
{
	uint32_t unit = draft->model->unit[item], frames = draft->model->frames;
	uint32_t strand = item - draft->first_item[unit];
	uint32_t to = renaming->swaps && (frame ^ 1) < frames ? frame ^ 1 : frame;

	return (draft->first_item[renaming->image[unit]] + strand) * frames + to;
}

/* Number the variables: cells that are images of each other have one. */
static void join_cells(struct draft *draft, const struct renaming *renaming, uint32_t renamings)
{
	struct model *model = draft->model;
	uint32_t *cell = model->variable, cells = model->items * model->frames;

	for (uint32_t i = 0; i < cells; i++)
		cell[i] = i;
	for (uint32_t r = 0; r < renamings; r++)
		for (uint32_t i = 0; i < cells; i++)
			join(cell, i, image_of(draft, &renaming[r], i / model->frames,
					       i % model->frames));
	model->limits.variables = number_sets(cell, cells);
}

/* ---- limits ---- */

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* End a limit of the literals that were put last: at most @most of them are true. */
static void end_limit(struct draft *draft, uint32_t most)
{
	uint32_t first = draft->first[draft->count], size = draft->used - first;

	if (size <= most) {
		draft->used = first;
		return;
	}
	qsort(draft->literals + first, size, sizeof(*draft->literals), ascending);
	draft->most[draft->count++] = most;
	draft->first[draft->count] = draft->used;
}

static void put(struct draft *draft, uint32_t item, uint32_t frame, bool negated)
{
	const struct model *model = draft->model;

	draft->literals[draft->used++] =
		2 * model->variable[item * model->frames + frame] + negated;
}

/* The frames are at least the duration, so that no strand needs more. */
static void limit_items(struct draft *draft)
{
	uint32_t frames = draft->model->frames;

	for (uint32_t item = 0; item < draft->model->items; item++)
		for (uint32_t negated = 0; negated < 2; negated++) {
			for (uint32_t frame = 0; frame < frames; frame++)
				put(draft, item, frame, negated);
			end_limit(draft, negated ? frames - draft->need[item] : draft->need[item]);
		}
}

/*
 * A link that has no room to spare is full in every frame. It has as many items as its capacity or
 * more: none of them needs more than all frames.
 */
static void limit_link(struct draft *draft, uint32_t link, uint32_t frame, bool negated)
{
	const struct routes_inverse *inverse = &draft->inverse;
	uint32_t capacity = draft->units->capacity[link];
	uint32_t first = draft->first[draft->count];

	for (uint32_t i = inverse->first[link]; i < inverse->first[link + 1]; i++) {
		uint32_t unit = inverse->pairs[i];

		for (uint32_t item = draft->first_item[unit]; item < draft->first_item[unit + 1];
		     item++)
			put(draft, item, frame, negated);
	}
	end_limit(draft, negated ? draft->used - first - capacity : capacity);
}

static void limit_links(struct draft *draft)
{
	const struct routes *units = draft->units;
	uint32_t frames = draft->model->frames;

	for (uint32_t link = 0; link < units->link_count; link++) {
		bool tight = units->load[link] == (uint64_t)units->capacity[link] * frames;

		for (uint32_t frame = 0; frame < frames; frame++) {
			limit_link(draft, link, frame, false);
			if (tight)
				limit_link(draft, link, frame, true);
		}
	}
}

static bool allocate_limits(struct draft *draft)
{
	const struct routes *units = draft->units;
	uint64_t entries = 2 * (uint64_t)draft->model->items, count = entries;

	for (uint32_t item = 0; item < draft->model->items; item++) {
		uint32_t unit = draft->model->unit[item];

		entries += 2 * (units->first[unit + 1] - units->first[unit]);
	}
	entries *= draft->model->frames;
	count += 2 * (uint64_t)units->link_count * draft->model->frames;
	draft->literals = calloc(entries + 1, sizeof(*draft->literals));
	draft->first = calloc(count + 1, sizeof(*draft->first));
	draft->most = calloc(count + 1, sizeof(*draft->most));
	return draft->literals && draft->first && draft->most;
}

/* ---- each limit once ---- */

struct listed {
	const uint32_t *literals;
	uint32_t size, most;
};

/* By words, so that the order is the same on every machine. */
static int compare(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int order = 0;

	if (x->size != y->size)
		return (x->size > y->size) - (x->size < y->size);
	if (x->most != y->most)
		return (x->most > y->most) - (x->most < y->most);
	for (uint32_t i = 0; i < x->size && !order; i++)
		order = ascending(&x->literals[i], &y->literals[i]);
	return order;
}

static bool copy_limits(struct draft *draft, const struct listed *listed)
{
	struct limits *limits = &draft->model->limits;
	uint32_t used = 0;

	limits->literals = calloc((size_t)draft->used + 1, sizeof(*limits->literals));
	limits->first = calloc((size_t)draft->count + 1, sizeof(*limits->first));
	limits->most = calloc((size_t)draft->count + 1, sizeof(*limits->most));
	if (!limits->literals || !limits->first || !limits->most)
		return false;
	for (uint32_t i = 0; i < draft->count; i++) {
		if (i && !compare(&listed[i], &listed[i - 1]))
			continue;
		memcpy(limits->literals + used, listed[i].literals,
		       listed[i].size * sizeof(*limits->literals));
		used += listed[i].size;
		limits->most[limits->count++] = listed[i].most;
		limits->first[limits->count] = used;
	}
	return true;
}

/* Renamings make many limits the same. */
static bool keep_limits(struct draft *draft)
{
	struct listed *listed = calloc((size_t)draft->count + 1, sizeof(*listed));
	bool memory;

	if (!listed)
		return false;
	for (uint32_t i = 0; i < draft->count; i++)
		listed[i] = (struct listed){ draft->literals + draft->first[i],
					     draft->first[i + 1] - draft->first[i],
					     draft->most[i] };
	qsort(listed, draft->count, sizeof(*listed), compare);
	memory = copy_limits(draft, listed);
	free(listed);
	return memory;
}

/* ---- the whole ---- */

static void draft_clear(struct draft *draft)
{
	free(draft->first_item);
	free(draft->need);
	free(draft->literals);
	free(draft->first);
	free(draft->most);
	routes_inverse_clear(&draft->inverse);
}

void model_clear(struct model *model)
{
	free(model->unit);
	free(model->variable);
	free(model->limits.first);
	free(model->limits.literals);
	free(model->limits.most);
	*model = (struct model){ 0 };
}

int model_new(struct model *model, const struct routes *units, uint32_t frames,
	      const struct renaming *renaming, uint32_t renamings, struct liquid_error *err)
{
	struct draft draft = { .units = units, .model = model };
	bool memory;

	*model = (struct model){ .frames = frames };
	memory = list_items(&draft) && routes_invert(units, &draft.inverse) &&
		 allocate_limits(&draft);
	if (memory) {
		join_cells(&draft, renaming, renamings);
		limit_items(&draft);
		limit_links(&draft);
		memory = keep_limits(&draft);
	}
	draft_clear(&draft);
	if (memory)
		return LIQUID_OK;
	model_clear(model);
	return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for %u frames of limits", frames);
}

bool model_plan(const struct model *model, const struct learner *learner, struct unit_plan *plan)
{
	plan->frames = model->frames;
	plan->entries = 0;
	for (uint32_t item = 0; item < model->items; item++)
		for (uint32_t frame = 0; frame < model->frames; frame++) {
			uint32_t variable = model->variable[item * model->frames + frame];

			if (learner_is_true(learner, variable) &&
			    !unit_plan_add(plan, frame, model->unit[item], 1))
				return false;
		}
	return true;
}
