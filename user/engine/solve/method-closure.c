// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * closure: solve the all-to-all of the whole fabric, and omit the transfers not asked for
 *
 * Tight traffics are solved by symmetry, and missing hosts break it. If most hosts take part,
 * the all-to-all of the whole fabric is symmetric, and often has the same bottlenecks. Its
 * schedule contains a schedule of each part.
 */
#include <stdlib.h>
#include <string.h>

#include "solve/methods.h"
#include "solve/portfolio.h"
#include "traffic/traffic.h"

/* Largest number of pairs of the whole, relative to the traffic. */
#define WHOLE_MOST 2
/* The duration of the whole may be longer by 1 / LONGER_MOST. */
#define LONGER_MOST 64

struct closure {
	struct solving *part;
	struct liquid_traffic *traffic;
	struct routes *routes;
	struct solving whole;
};

static int unfit(struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "closure: no larger all-to-all promises a shorter schedule");
}

static uint32_t most_units(const struct routes *routes)
{
	uint32_t most = 0;

	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		most = routes->pairs[pair].count > most ? routes->pairs[pair].count : most;
	return most;
}

static bool is_near(const struct solving *part, uint64_t duration)
{
	return duration <= part->lower_bound + part->lower_bound / LONGER_MOST + 1 &&
	       (!part->length || duration < part->length);
}

/* Whether the numbers allow it: each host sends @units to each other host. */
static bool is_promising(const struct solving *part, uint32_t hosts, uint32_t units)
{
	uint64_t pairs = (uint64_t)hosts * (hosts - 1);
	uint32_t given = routes_whole(part->routes)->pair_count;

	return hosts > 1 && given < pairs && pairs <= WHOLE_MOST * (uint64_t)given &&
	       pairs * units <= LIQUID_TRANSFERS_MAX &&
	       is_near(part, (uint64_t)(hosts - 1) * units);
}

static int make_traffic(struct closure *closure, uint32_t hosts, uint32_t units,
			struct liquid_error *err)
{
	int status = liquid_traffic_new(&closure->traffic, err);

	for (uint32_t src = 0; src < hosts; src++)
		for (uint32_t dst = 0; !status && dst < hosts; dst++)
			if (src != dst)
				status = liquid_traffic_add(closure->traffic, src, dst, units,
							    err);
	return status;
}

/* The pairs of both are in the order of (src, dst). */
static int offer_part(void *context, struct liquid_error *err)
{
	struct closure *closure = context;
	const struct routes *part = routes_whole(closure->part->routes);
	const struct routes *whole = routes_whole(closure->routes);
	uint32_t *frame = malloc(((size_t)part->transfer_count + 1) * sizeof(*frame)), at = 0;
	int status;

	if (!frame)
		return liquid_no_memory(err);
	for (uint32_t pair = 0; pair < part->pair_count; pair++) {
		const struct liquid_pair *ends = &part->pairs[pair];

		while (whole->pairs[at].src != ends->src || whole->pairs[at].dst != ends->dst)
			at++;
		memcpy(frame + part->first_transfer[pair],
		       closure->whole.frame + whole->first_transfer[at],
		       ends->count * sizeof(*frame));
	}
	status = solving_offer(closure->part, frame, closure->whole.length, err);
	free(frame);
	return status;
}

/* Also fails with LIQUID_BAD_INPUT if the fabric does not connect all of its hosts. */
static int make_whole(struct closure *closure, struct liquid_error *err)
{
	struct solving *part = closure->part;
	int status = routes_build(part->fabric, closure->traffic, &closure->routes, err);

	if (status)
		return status == LIQUID_NO_MEMORY ? status : unfit(err);
	if (!is_near(part, closure->routes->duration))
		return unfit(err);
	closure->whole = (struct solving){ .fabric = part->fabric, .routes = closure->routes,
					   .budget = part->budget, .seed = part->seed,
					   .lower_bound = closure->routes->duration,
					   .length = part->length,
					   .pass_on = offer_part, .context = closure };
	closure->whole.frame = malloc(((size_t)closure->routes->transfer_count + 1) *
				      sizeof(*closure->whole.frame));
	if (!closure->whole.frame)
		return liquid_no_memory(err);
	return LIQUID_OK;
}

static int solve_whole(struct closure *closure, struct liquid_error *err)
{
	static const struct member product = { "product", method_product, NULL, 20, false };
	struct budget *budget = closure->part->budget;
	int status;

	budget->state.total = closure->routes->transfer_count;
	status = member_run(&product, &closure->whole, err);
	budget->state.total = closure->part->routes->transfer_count;
	budget->state.best_length = closure->part->length;
	return status == LIQUID_BAD_INPUT ? unfit(err) : status;
}

int method_closure(struct solving *solving, struct liquid_error *err)
{
	struct closure closure = { .part = solving };
	uint32_t hosts = solving->fabric && !solving->hosts ?
			 liquid_fabric_host_count(solving->fabric) : 0;
	uint32_t units = most_units(routes_whole(solving->routes));
	int status;

	if (!is_promising(solving, hosts, units))
		return unfit(err);
	status = make_traffic(&closure, hosts, units, err);
	if (!status)
		status = make_whole(&closure, err);
	if (!status)
		status = solve_whole(&closure, err);
	solving_end(&closure.whole);
	routes_free(closure.routes);
	liquid_traffic_free(closure.traffic);
	return status;
}
