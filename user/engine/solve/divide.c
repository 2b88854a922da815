// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Messages in parts: each unit of a pair is in the frames as many times as it has parts
 *
 * A search ends about as many frames above its bound with twice the parts as before, if it begins
 * with the schedule before, each frame twice. These frames are then half the share of the length.
 * So the number of parts doubles, and ejection shortens each schedule.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "problem/routes.h"
#include "schedule/schedule.h"
#include "solve/certificate.h"
#include "solve/ejection/ejection.h"
#include "solve/given.h"
#include "solve/methods.h"
#include "traffic/traffic.h"

#define PARTS_FEW 32u			/* with LIQUID_PARTS_FEW */
#define NEAR_PART 200u			/* near: longer than the bound by at most 1 / NEAR_PART */
#define PARTS_WORK 4u			/* n parts have n / PARTS_WORK of the work given */
#define TRANSFERS_MAX (UINT64_C(1) << 23)	/* of some 150 bytes each; more are not tried */
#define LEVELS_MAX 8u			/* 1, and up to LIQUID_PARTS_MAX by doubling */

struct dividing {
	const struct liquid_fabric *fabric;
	const struct liquid_traffic *traffic;	/* of whole messages */
	struct liquid_solve_options options;	/* for whole messages */
	bool few;
	struct budget given;			/* work that the caller gave */
	/* Of whole messages, then of ever more parts, each from the one before */
	struct liquid_schedule *level[LEVELS_MAX];
	uint32_t levels;
};

/* Is there a bound above the loads that a search has not proven? It holds for any parts. */
static bool is_bound(const struct liquid_schedule_info *info)
{
	bool above = info->lower_bound > info->duration && info->witness_json;
	json_t *witness = above ? json_loads(info->witness_json, 0, NULL) : NULL;
	const char *kind = json_string_value(json_object_get(witness, "kind"));

	above = kind && strcmp(kind, "search");
	json_decref(witness);
	return above;
}

/*
 * Is the last schedule near its bound: the loads, not rounded up to frames, or one above them?
 * @routes: of messages in @parts parts, as which its own are so many more
 */
static bool is_near(const struct dividing *d, const struct routes *routes, uint32_t parts)
{
	const struct liquid_schedule_info *info = &d->level[d->levels - 1]->info;
	uint64_t length = (uint64_t)info->length * (parts / info->parts);
	uint64_t part = d->few ? NEAR_PART : UINT32_MAX;

	if (is_bound(info) && info->length - info->lower_bound <= info->lower_bound / part)
		return true;
	for (uint32_t l = 0; l < routes->link_count; l++)
		if (length * routes->capacity[l] - routes->load[l] <= routes->load[l] / part)
			return true;
	return !routes->transfer_count;
}

/* ---- a number of parts ---- */

/* From a schedule of half the parts, or by the method */
static int search(const struct dividing *d, struct solving *solving, uint32_t parts,
		  struct liquid_error *err)
{
	const struct liquid_schedule *last = d->level[d->levels - 1];
	uint32_t *frame;
	int status;

	if (2 * last->info.parts != parts)
		return method_run(method_find(d->options.method), solving, err);
	status = solving_invert(solving, err);
	if (!status)
		status = certificate_raise(solving, err);
	if (status)
		return status;
	frame = routes_frames(routes_whole(solving->routes), last, 2);
	if (!frame)
		return liquid_no_memory(err);
	status = solving_offer(solving, frame, 2 * last->info.length, err);
	free(frame);
	return status ? status : ejection_shorten(solving, 0, UINT32_MAX, err);
}

/* The schedule of the traffic of parts becomes one of the messages. */
static int name_parts(const struct dividing *d, struct liquid_schedule *schedule, uint32_t parts,
		      struct liquid_error *err)
{
	struct liquid_error finding;
	int status = liquid_traffic_digest(d->fabric, d->traffic, schedule->traffic_digest, err);

	schedule->info.parts = parts;
	schedule->info.version = 2;
	schedule->info.work = d->given.limit;
	if (status)
		return status;
	status = liquid_verify(d->fabric, d->traffic, schedule, NULL, NULL, &finding);
	return status ? liquid_fail(err, status, "the solver's own schedule in parts is not valid: "
				    "%.900s", finding.text) : LIQUID_OK;
}

static int solve_level(struct dividing *d, const struct liquid_traffic *traffic, uint32_t parts,
		       struct routes *routes, struct liquid_error *err)
{
	struct budget budget = d->given;
	struct solving solving = { 0 };
	struct liquid_schedule *schedule = NULL;
	int status;

	budget.limit = budget.limit < INT64_MAX / LIQUID_PARTS_MAX ?
		       budget.limit * parts / PARTS_WORK : INT64_MAX;
	status = solving_start(&solving, routes, &budget, &d->options, err);
	solving.fabric = d->fabric;
	solving.alike = true;
	if (!status)
		status = search(d, &solving, parts, err);
	if (!status && budget.cancelled)
		status = liquid_fail(err, LIQUID_CANCELLED, "cancelled");
	if (!status && solving.length)
		status = solve_result(&solving, d->fabric, traffic, &d->options, &schedule, err);
	solving_end(&solving);
	if (!status && schedule)
		status = name_parts(d, schedule, parts, err);
	if (!status && schedule)
		d->level[d->levels++] = schedule;
	else
		liquid_schedule_free(schedule);
	return status;
}

/* *@done: the schedule before is near its bound, or more parts are too many. */
static int next_level(struct dividing *d, uint32_t parts, bool *done, struct liquid_error *err)
{
	struct liquid_traffic *traffic = NULL;
	struct routes *routes = NULL;
	int status;

	*done = liquid_traffic_transfer_count(d->traffic) * parts > TRANSFERS_MAX;
	if (*done)
		return LIQUID_OK;
	status = traffic_scale(d->traffic, parts, 1, &traffic, err);
	if (!status)
		status = routes_build(d->fabric, traffic, &routes, err);
	if (!status)
		*done = is_near(d, routes, parts);
	if (!status && !*done)
		status = solve_level(d, traffic, parts, routes, err);
	routes_free(routes);
	liquid_traffic_free(traffic);
	return status;
}

/* ---- the whole ---- */

/* The shortest per message, and of equal ones that of the fewest parts; frees the others. */
static struct liquid_schedule *take_best(struct dividing *d)
{
	struct liquid_schedule *best = NULL;

	for (uint32_t i = 0; i < d->levels; i++) {
		struct liquid_schedule *other = d->level[i];

		if (best && (uint64_t)other->info.length * best->info.parts >=
			    (uint64_t)best->info.length * other->info.parts) {
			liquid_schedule_free(other);
			continue;
		}
		liquid_schedule_free(best);
		best = other;
	}
	return best;
}

static int check_parts(const struct liquid_solve_options *options, struct liquid_error *err)
{
	if (options->parts > LIQUID_PARTS_MAX && options->parts != LIQUID_PARTS_FEW)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%u parts of a message: at most %u",
				   options->parts, LIQUID_PARTS_MAX);
	if (options->from || options->time_limit > 0)
		return liquid_fail(err, LIQUID_BAD_INPUT, "messages in parts go with neither an "
				   "earlier schedule nor a time limit; the work can be limited");
	if (options->method && !strcmp(options->method, "compact"))
		return liquid_fail(err, LIQUID_BAD_INPUT, "a compact schedule has no parts");
	return LIQUID_OK;
}

int solve_in_parts(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		   const struct liquid_solve_options *options, struct liquid_schedule **schedule,
		   struct liquid_error *err)
{
	struct dividing d = { .fabric = fabric, .traffic = traffic, .options = *options,
			      .few = options->parts == LIQUID_PARTS_FEW };
	uint32_t most = d.few ? PARTS_FEW : options->parts;
	int status = check_parts(options, err);
	bool done = false;

	if (status)
		return status;
	d.options.parts = 0;
	budget_start(&d.given, &d.options);
	status = liquid_solve(fabric, traffic, &d.options, &d.level[0], err);
	d.levels = !status;
	for (uint32_t parts = most / (most & -most); !status && !done && parts <= most; parts *= 2)
		if (parts > 1)
			status = next_level(&d, parts, &done, err);
	/* If memory or a method does for no more parts, fewer are used. */
	if (d.levels && status != LIQUID_CANCELLED && status != LIQUID_INVALID)
		status = LIQUID_OK;
	if (status)
		while (d.levels)
			liquid_schedule_free(d.level[--d.levels]);
	*schedule = take_best(&d);
	return status;
}
