// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finding transfers that cannot be placed in as many frames as the duration
 *
 * The fullest frames of the schedule are kept, and ejection tries to place the other
 * transfers in them. The transfers that are left over are not unique, and there may be a
 * solution with fewer. But the links that block them are the tight ones of the schedule.
 */
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "problem/frame-fill.h"
#include "solve/ejection/ejection.h"

#define SLICES 64

/* Rank the frames, the fullest first. Returns ranks by frame, or NULL if out of memory. */
static uint32_t *rank_frames(const struct explaining *explaining)
{
	uint32_t length = explaining->info->length;
	struct fill *fill = calloc((size_t)length + 1, sizeof(*fill));
	uint32_t *rank = calloc((size_t)length + 1, sizeof(*rank));
	size_t count;

	if (!fill || !rank) {
		free(fill);
		free(rank);
		return NULL;
	}
	for (uint32_t frame = 0; frame < length; frame++) {
		liquid_schedule_frame(explaining->schedule, frame, &count);
		fill[frame] = (struct fill){ frame, (uint32_t)count };
	}
	qsort(fill, length, sizeof(*fill), compare_fills);
	for (uint32_t i = 0; i < length; i++)
		rank[fill[i].frame] = i;
	free(fill);
	return rank;
}

/* Place the transfers as the schedule does, in frames numbered by rank_frames(). */
static bool take_frames(const struct explaining *explaining, struct ejection *ejection)
{
	const struct routes *routes = routes_whole(explaining->routes);
	uint32_t *rank = rank_frames(explaining);
	uint32_t *taken = calloc((size_t)routes->pair_count + 1, sizeof(*taken));
	bool good = rank && taken;

	for (uint32_t frame = 0; good && frame < explaining->info->length; frame++) {
		const struct liquid_transfer *transfers;
		uint32_t pair = 0;
		size_t count;

		transfers = liquid_schedule_frame(explaining->schedule, frame, &count);
		for (size_t i = 0; i < count; i++) {	/* pairs and transfers are sorted */
			while (pair < routes->pair_count &&
			       (routes->pairs[pair].src != transfers[i].src ||
				routes->pairs[pair].dst != transfers[i].dst))
				pair++;
			if (pair < routes->pair_count && taken[pair] < routes->pairs[pair].count)
				ejection->frame[routes->first_transfer[pair] + taken[pair]++] =
					rank[frame];
		}
	}
	free(rank);
	free(taken);
	return good;
}

/* Number of frames in which @link is full. */
static uint32_t count_full(const struct explaining *explaining, const struct ejection *ejection,
			   uint32_t link, uint32_t *used)
{
	const struct routes *routes = explaining->routes;
	uint32_t full = 0;

	memset(used, 0, ejection->kind->frames * sizeof(*used));
	for (uint32_t i = explaining->inverse.first[link];
	     i < explaining->inverse.first[link + 1]; i++) {
		uint32_t pair = explaining->inverse.pairs[i];

		for (uint32_t j = routes->first_transfer[pair];
		     j < routes->first_transfer[pair + 1]; j++)
			if (ejection->frame[j] < ejection->kind->frames)
				full += ++used[ejection->frame[j]] == routes->capacity[link];
	}
	return full;
}

static void write_transfer(struct explaining *explaining, const struct ejection *ejection,
			   uint32_t transfer, uint32_t *used, json_t *list)
{
	uint32_t pair = ejection->pair_of[transfer], count, most = 0, tightest = LIQUID_NONE;
	const uint32_t *links = routes_links(explaining->routes, pair, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t full = count_full(explaining, ejection, links[i], used);

		if (tightest == LIQUID_NONE || full > most) {
			most = full;
			tightest = links[i];
		}
	}
	explain_add(explaining, list,
		    json_pack("{s:o,s:o,s:I}", "transfer", explain_pair(explaining, pair), "link",
			      explain_link(explaining, tightest), "full", (json_int_t)most));
	if (json_array_size(list) > EXPLAIN_NAMED_MAX)
		return;
	fputs("  ", explaining->text);
	explain_say_pair(explaining, pair);
	fputs(": ", explaining->text);
	explain_say_link(explaining, tightest);
	fprintf(explaining->text, " is full in %u of %u frames\n", most, ejection->kind->frames);
}

static int write_left_over(struct explaining *explaining, const struct ejection *ejection,
			   struct liquid_error *err)
{
	uint32_t left = ejection->waiting_count;
	uint32_t *used = calloc((size_t)ejection->kind->frames + 1, sizeof(*used));
	json_t *list = json_array();

	if (!used) {
		json_decref(list);
		return liquid_no_memory(err);
	}
	if (left)
		fprintf(explaining->text,
			"left over    %u of %u transfers were not placed in %u frames:\n", left,
			explaining->routes->transfer_count, ejection->kind->frames);
	else
		fprintf(explaining->text, "left over    none in %u frames: there is a liquid "
			"schedule, and more work would find it\n", ejection->kind->frames);
	for (uint32_t i = 0; i < left && i < EXPLAIN_LISTED_MAX; i++)
		write_transfer(explaining, ejection, ejection->waiting[i], used, list);
	if (left > EXPLAIN_NAMED_MAX)
		fprintf(explaining->text, "  and %u more\n", left - EXPLAIN_NAMED_MAX);
	explain_set(explaining, explaining->root, "left_over", list);
	explain_set(explaining, explaining->root, "left_over_count", json_integer(left));
	free(used);
	return LIQUID_OK;
}

/* Run ejection in slices of the budget and keep the best state, because it can get worse. */
static int run(struct explaining *explaining, struct ejection *ejection, struct liquid_error *err)
{
	size_t size = explaining->routes->transfer_count * sizeof(*ejection->frame);
	uint32_t *best = malloc(size + 1), fewest = UINT32_MAX;
	uint64_t slice = budget_left(&explaining->budget) / SLICES;

	if (!best)
		return liquid_no_memory(err);
	for (uint32_t i = 0; i <= SLICES && fewest; i++) {
		uint64_t outer = budget_narrow(&explaining->budget, slice);

		if (ejection->waiting_count < fewest) {
			fewest = ejection->waiting_count;
			memcpy(best, ejection->frame, size);
		}
		ejection_run(ejection, &explaining->budget);
		budget_widen(&explaining->budget, outer);
	}
	memcpy(ejection->frame, best, size);
	free(best);
	return ejection_open(ejection, explaining->routes->duration, err);
}

int explain_left_over(struct explaining *explaining, struct liquid_error *err)
{
	struct ejection ejection;
	int status = ejection_new(&ejection, explaining->routes, 0, err);

	if (!status && !take_frames(explaining, &ejection))
		status = liquid_no_memory(err);
	if (!status)
		status = ejection_open(&ejection, explaining->routes->duration, err);
	if (!status)
		status = run(explaining, &ejection, err);
	if (!status)
		status = write_left_over(explaining, &ejection, err);
	ejection_clear(&ejection);
	/* If the problem is too large for ejection, the other parts still explain it */
	return status == LIQUID_LIMIT ? LIQUID_OK : status;
}
