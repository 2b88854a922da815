// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * compact: the all-to-all of some hosts as images of few transfers, listed
 *
 * The search over orbits that knows hosts of a switch as twins and translations of the tables, see
 * compact/solve.c. Where each host sends the same number of units to each other one, each frame is
 * used that number of times.
 */
#include <stdlib.h>

#include "compact/find.h"
#include "schedule/orbits.h"
#include "solve/methods.h"

struct exchange {
	uint32_t *ends, *hosts;		/* by number: the end of pairs, the host of the fabric */
	uint32_t *place;		/* by end: its place in the schedule */
	uint32_t count, units;
};

static int unfit(struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_BAD_INPUT, "compact: only an all-to-all of hosts, "
			   "without an earlier schedule");
}

/* Pairs are in the order of (src, dst): those of the first sender name the other hosts. */
static bool is_alltoall(const struct routes *routes, struct exchange *exchange)
{
	uint64_t n = exchange->count;
	uint32_t at = 0;

	if (routes->pair_count != n * (n - 1))
		return false;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++) {
			const struct liquid_pair *pair = &routes->pairs[at];

			if (i == j)
				continue;
			if (pair->src != exchange->ends[i] || pair->dst != exchange->ends[j] ||
			    pair->count != exchange->units)
				return false;
			at++;
		}
	return true;
}

static int find_hosts(const struct solving *solving, struct exchange *exchange,
		      struct liquid_error *err)
{
	const struct routes *routes = routes_whole(solving->routes);
	uint32_t span = routes_host_span(routes);

	if (!routes->pair_count)
		return unfit(err);
	exchange->ends = calloc((size_t)span + 1, sizeof(*exchange->ends));
	exchange->hosts = calloc((size_t)span + 1, sizeof(*exchange->hosts));
	exchange->place = calloc((size_t)span + 1, sizeof(*exchange->place));
	if (!exchange->ends || !exchange->hosts || !exchange->place)
		return liquid_no_memory(err);
	exchange->units = routes->pairs[0].count;
	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		uint32_t src = routes->pairs[pair].src;

		if (exchange->count && exchange->ends[exchange->count - 1] == src)
			continue;
		exchange->ends[exchange->count] = src;
		exchange->hosts[exchange->count++] = solving->hosts ? solving->hosts[src] : src;
	}
	return is_alltoall(routes, exchange) ? LIQUID_OK : unfit(err);
}

static int find_places(struct exchange *exchange, const struct liquid_schedule *schedule,
		       struct liquid_error *err)
{
	for (uint32_t i = 0; i < exchange->count; i++) {
		uint32_t place = orbits_place(schedule->orbits, exchange->hosts[i]);

		if (place == LIQUID_NONE)
			return unfit(err);
		exchange->place[exchange->ends[i]] = place;
	}
	return LIQUID_OK;
}

static int offer(struct solving *solving, struct exchange *exchange,
		 const struct liquid_schedule *schedule, struct liquid_error *err)
{
	const struct routes *routes = routes_whole(solving->routes);
	uint64_t frames = (uint64_t)liquid_schedule_info(schedule)->length * exchange->units;
	uint32_t *frame, at = 0;
	int status = find_places(exchange, schedule, err);

	if (status)
		return status;
	if (frames > UINT32_MAX || (solving->length && frames >= solving->length))
		return LIQUID_OK;
	frame = malloc(((size_t)routes->transfer_count + 1) * sizeof(*frame));
	if (!frame)
		return liquid_no_memory(err);
	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		const struct liquid_pair *ends = &routes->pairs[pair];
		uint32_t base = orbits_frame(schedule->orbits, exchange->place[ends->src],
					     exchange->place[ends->dst]);

		for (uint32_t i = 0; i < exchange->units; i++)
			frame[at++] = base * exchange->units + i;
	}
	status = solving_offer(solving, frame, (uint32_t)frames, err);
	free(frame);
	return status;
}

static void exchange_clear(struct exchange *exchange)
{
	free(exchange->ends);
	free(exchange->hosts);
	free(exchange->place);
}

int compact_offer(struct solving *solving, const struct liquid_schedule *schedule,
		  struct liquid_error *err)
{
	struct exchange exchange = { 0 };
	int status = find_hosts(solving, &exchange, err);

	if (!status)
		status = offer(solving, &exchange, schedule, err);
	exchange_clear(&exchange);
	return status;
}

/* Fails with LIQUID_BAD_INPUT also where the schedule is another one than that of these hosts. */
int method_compact(struct solving *solving, struct liquid_error *err)
{
	struct liquid_schedule *schedule = NULL;
	struct liquid_solve_options options = { .seed = solving->seed };
	struct exchange exchange = { 0 };
	int status = solving->fabric ? find_hosts(solving, &exchange, err) : unfit(err);

	if (!status)
		status = compact_solve(solving->fabric, exchange.hosts, exchange.count, &options,
				       solving->budget, &schedule, err);
	if (!status)
		status = offer(solving, &exchange, schedule, err);
	exchange_clear(&exchange);
	liquid_schedule_free(schedule);
	return status == LIQUID_LIMIT ? LIQUID_OK : status;
}
