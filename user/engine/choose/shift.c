// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The order of hosts in which the steps of a shift exchange contend least
 *
 * Starts are the order given, that of the fabric, and the contention-aware one of the synchronous
 * shuffle (its eq. 6.3): the first host of each switch, then the second of each, and so on. The
 * best of them is improved by swapping two hosts, as long as the exchange becomes shorter, or as
 * short with more even loads. Loads are kept by step and inner link: a swap costs four transfers a
 * step.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "problem/random.h"
#include "traffic/ranks.h"

#define WORK_DEFAULT UINT64_C(50000000)
#define CELLS_MAX (UINT64_C(1) << 27)	/* of load[]: else starts alone are compared */

struct shifting {
	const struct liquid_fabric *fabric;
	uint32_t *hosts;
	uint32_t count, inner;		/* hosts; links between switches */
	uint32_t *number;		/* by link: its number among the inner ones */
	uint32_t *capacity;		/* by inner link */
	uint16_t *load;			/* by step and inner link */
	uint16_t *links;		/* by step and frames: inner links that need so many */
	uint32_t *frames;		/* by step */
	uint64_t total, squares;	/* frames of all steps; sum of loads^2 */
	uint64_t work;
};

/* ---- loads ---- */

static void weigh(struct shifting *shifting, uint32_t step, uint32_t link, int way)
{
	uint16_t *load = &shifting->load[(size_t)step * shifting->inner + link];
	uint16_t *links = &shifting->links[(size_t)step * (shifting->count + 1)];
	uint32_t capacity = shifting->capacity[link], *frames = &shifting->frames[step];
	uint32_t before = (*load + capacity - 1) / capacity, after;

	shifting->squares -= (uint64_t)*load * *load;
	*load += way;
	shifting->squares += (uint64_t)*load * *load;
	after = (*load + capacity - 1) / capacity;
	links[before]--;
	links[after]++;
	shifting->total -= *frames;
	if (after > *frames)
		*frames = after;
	while (*frames > 1 && !links[*frames])
		--*frames;
	shifting->total += *frames;
}

/* The transfer of step @step from the host at @place, once more or once less. */
static bool send(struct shifting *shifting, uint32_t place, uint32_t step, int way)
{
	const struct liquid_fabric *fabric = shifting->fabric;
	uint32_t src = shifting->hosts[place];
	uint32_t dst = shifting->hosts[(place + step) % shifting->count];
	uint32_t to = fabric->link[fabric->host[src].out].to;

	while (to != dst) {
		uint32_t link = liquid_fabric_forward(fabric, to - fabric->hosts, dst);

		if (link == LIQUID_NONE)
			return false;
		shifting->work++;
		to = fabric->link[link].to;
		if (to != dst)
			weigh(shifting, step, shifting->number[link], way);
	}
	return true;
}

/* All transfers that two places have in a step, each once. */
static void send_all(struct shifting *shifting, uint32_t a, uint32_t b, int way)
{
	uint32_t count = shifting->count;

	for (uint32_t step = 1; step < count; step++) {
		uint32_t to_a = (a + count - step) % count, to_b = (b + count - step) % count;

		send(shifting, a, step, way);
		send(shifting, b, step, way);
		if (to_a != b)
			send(shifting, to_a, step, way);
		if (to_b != a)
			send(shifting, to_b, step, way);
	}
}

static void load_all(struct shifting *shifting)
{
	size_t steps = shifting->count;

	memset(shifting->load, 0, steps * shifting->inner * sizeof(*shifting->load));
	memset(shifting->links, 0, steps * (steps + 1) * sizeof(*shifting->links));
	shifting->total = steps - 1;
	shifting->squares = 0;
	for (uint32_t step = 0; step < steps; step++) {
		shifting->frames[step] = 1;
		shifting->links[step * (steps + 1)] = shifting->inner;
	}
	for (uint32_t step = 1; step < steps; step++)
		for (uint32_t place = 0; place < steps; place++)
			send(shifting, place, step, 1);
}

/* ---- swaps ---- */

static void exchange(struct shifting *shifting, uint32_t a, uint32_t b)
{
	uint32_t host = shifting->hosts[a];

	send_all(shifting, a, b, -1);
	shifting->hosts[a] = shifting->hosts[b];
	shifting->hosts[b] = host;
	send_all(shifting, a, b, 1);
}

static void swap_hosts(struct shifting *shifting, uint64_t limit, struct random *random)
{
	uint64_t patience = (uint64_t)shifting->count * shifting->count, failed = 0;

	while (failed < patience && shifting->work < limit) {
		uint64_t total = shifting->total, squares = shifting->squares;
		uint32_t a = random_below(random, shifting->count);
		uint32_t b = random_below(random, shifting->count - 1);

		b += b >= a;
		exchange(shifting, a, b);
		failed++;
		if (shifting->total < total ||
		    (shifting->total == total && shifting->squares < squares))
			failed = 0;
		else
			exchange(shifting, a, b);
	}
}

/* ---- memory ---- */

static void shifting_close(struct shifting *shifting)
{
	free(shifting->number);
	free(shifting->capacity);
	free(shifting->load);
	free(shifting->links);
	free(shifting->frames);
}

static void number_inner(struct shifting *shifting)
{
	const struct liquid_fabric *fabric = shifting->fabric;

	for (uint32_t l = 0; l < fabric->links; l++)
		if (fabric->link[l].from >= fabric->hosts && fabric->link[l].to >= fabric->hosts) {
			shifting->number[l] = shifting->inner;
			shifting->capacity[shifting->inner++] = fabric->link[l].capacity;
		}
}

static bool shifting_open(struct shifting *shifting)
{
	size_t links = (size_t)shifting->fabric->links + 1, count = shifting->count;

	shifting->number = calloc(links, sizeof(*shifting->number));
	shifting->capacity = calloc(links, sizeof(*shifting->capacity));
	if (!shifting->number || !shifting->capacity)
		return false;
	number_inner(shifting);
	shifting->load = calloc(count * shifting->inner + 1, sizeof(*shifting->load));
	shifting->links = calloc(count * (count + 1), sizeof(*shifting->links));
	shifting->frames = calloc(count + 1, sizeof(*shifting->frames));
	return shifting->load && shifting->links && shifting->frames;
}

/* ---- starts ---- */

/* The first host of each switch, then the second of each: @hosts are in the fabric's order. */
static bool deal_hosts(const struct liquid_fabric *fabric, uint32_t *hosts, size_t count)
{
	uint32_t *from = malloc((count + 1) * sizeof(*from));
	uint32_t *within = calloc((size_t)fabric->hosts + fabric->switches + 1, sizeof(*within));
	size_t placed = 0;

	if (from && within) {
		memcpy(from, hosts, count * sizeof(*from));
		for (uint32_t turn = 0; placed < count; turn++) {
			memset(within, 0, ((size_t)fabric->hosts + fabric->switches) *
			       sizeof(*within));
			for (size_t i = 0; i < count; i++)
				if (within[fabric->link[fabric->host[from[i]].out].to]++ == turn)
					hosts[placed++] = from[i];
		}
	}
	free(from);
	free(within);
	return from && within;
}

/* Keep @hosts in @best if a shift exchange takes fewer frames in their order. */
static int compare_order(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
			 uint32_t *best, uint64_t *frames, struct liquid_error *err)
{
	uint64_t now;
	int status = liquid_ranks_shift_frames(fabric, hosts, count, &now, err);

	if (!status && now < *frames) {
		*frames = now;
		memcpy(best, hosts, count * sizeof(*best));
	}
	return status;
}

static int try_starts(const struct liquid_fabric *fabric, uint32_t *hosts, size_t count,
		      uint32_t *best, uint64_t *frames, struct liquid_error *err)
{
	int status = compare_order(fabric, hosts, count, best, frames, err);

	if (!status)
		status = ranks_order_switches(fabric, hosts, count, err);
	if (!status)
		status = compare_order(fabric, hosts, count, best, frames, err);
	if (!status && !deal_hosts(fabric, hosts, count))
		status = liquid_fail(err, LIQUID_NO_MEMORY, "no memory for %zu hosts", count);
	return status ? status : compare_order(fabric, hosts, count, best, frames, err);
}

/* ---- the whole ---- */

static int swap_all(const struct liquid_fabric *fabric, uint32_t *hosts, size_t count,
		    struct liquid_error *err)
{
	struct shifting shifting = { .fabric = fabric, .hosts = hosts, .count = count };
	struct random random = { 0 };
	int status = LIQUID_OK;

	if (count < 3 || count > UINT16_MAX || count * (fabric->links + count) > CELLS_MAX)
		return LIQUID_OK;
	if (shifting_open(&shifting)) {
		load_all(&shifting);
		shifting.work = 0;
		swap_hosts(&shifting, WORK_DEFAULT, &random);
	} else {
		status = liquid_fail(err, LIQUID_NO_MEMORY, "no memory for a shift exchange of "
				     "%zu hosts", count);
	}
	shifting_close(&shifting);
	return status;
}

static int order_shift(const struct liquid_fabric *fabric, uint32_t *hosts, size_t count,
		       struct liquid_error *err)
{
	uint32_t *tried = malloc((count + 1) * sizeof(*tried));
	uint32_t *best = malloc((count + 1) * sizeof(*best));
	uint64_t frames = UINT64_MAX;
	int status = LIQUID_OK;

	if (!tried || !best) {
		status = liquid_fail(err, LIQUID_NO_MEMORY, "no memory for %zu hosts", count);
	} else {
		memcpy(tried, hosts, count * sizeof(*tried));
		status = try_starts(fabric, tried, count, best, &frames, err);
	}
	if (!status)
		status = swap_all(fabric, best, count, err);
	if (!status)
		memcpy(hosts, best, count * sizeof(*hosts));
	free(tried);
	free(best);
	return status;
}

int liquid_ranks_order(const struct liquid_fabric *fabric, uint32_t *hosts, size_t count,
		       enum liquid_order order, struct liquid_error *err)
{
	return order == LIQUID_ORDER_SHIFT ? order_shift(fabric, hosts, count, err) :
	       ranks_order_switches(fabric, hosts, count, err);
}
