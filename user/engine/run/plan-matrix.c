// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A plan from a matrix of bytes: the unit is chosen, and the exchange solved on the spot
 *
 * A message is cut into equal units of at most the unit's size. A large unit makes few pieces but
 * counts short messages as long ones; so the largest is taken with which the busiest rank, with
 * what its pieces cost beside their bytes, has hardly more to do than its bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "run/plan.h"
#include "traffic/traffic.h"

/* Units are tried down to this fraction of the longest message. */
#define UNIT_STEPS 64u
/* Units a message, on average, beyond which no finer one is tried */
#define UNITS_PER_MESSAGE 8u
/* What is good enough: a 20th of the busiest rank's bytes */
#define ROUNDING_PARTS 20u

struct matrix {
	const uint64_t *bytes;
	uint32_t ranks;
	const uint32_t *host_of_rank;	/* NULL: rank r is host r */
	uint64_t messages, longest;
	uint64_t *sent, *received;	/* by rank, in units or bytes */
};

static uint64_t message(const struct matrix *matrix, uint32_t src, uint32_t dst)
{
	return src == dst ? 0 : matrix->bytes[(size_t)src * matrix->ranks + dst];
}

static uint64_t units_of(uint64_t bytes, uint64_t unit)
{
	return bytes / unit + (bytes % unit > 0);
}

/* Units that the busiest rank sends or receives; *@all: those of all ranks. */
static uint64_t busiest(const struct matrix *matrix, uint64_t unit, uint64_t *all)
{
	uint64_t most = 0;

	*all = 0;
	memset(matrix->sent, 0, matrix->ranks * sizeof(*matrix->sent));
	memset(matrix->received, 0, matrix->ranks * sizeof(*matrix->received));
	for (uint32_t src = 0; src < matrix->ranks; src++)
		for (uint32_t dst = 0; dst < matrix->ranks; dst++) {
			uint64_t units = units_of(message(matrix, src, dst), unit);

			matrix->sent[src] += units;
			matrix->received[dst] += units;
			*all += units;
		}
	for (uint32_t rank = 0; rank < matrix->ranks; rank++) {
		most = most > matrix->sent[rank] ? most : matrix->sent[rank];
		most = most > matrix->received[rank] ? most : matrix->received[rank];
	}
	return most;
}

static uint64_t choose_unit(const struct matrix *matrix, uint64_t piece_bytes)
{
	uint64_t all, bytes = busiest(matrix, 1, &all), best = 1, best_time = UINT64_MAX;

	for (uint32_t step = 1; step <= UNIT_STEPS; step++) {
		uint64_t unit = units_of(matrix->longest, step);
		uint64_t time = busiest(matrix, unit, &all) * (unit + piece_bytes);

		if (step > 1 && all > UNITS_PER_MESSAGE * matrix->messages)
			break;
		if (time < best_time) {
			best = unit;
			best_time = time;
		}
		if (time - bytes <= bytes / ROUNDING_PARTS)
			break;
	}
	return best;
}

static int survey(struct matrix *matrix, uint64_t piece_bytes, struct liquid_error *err)
{
	for (uint32_t src = 0; src < matrix->ranks; src++)
		for (uint32_t dst = 0; dst < matrix->ranks; dst++) {
			uint64_t bytes = message(matrix, src, dst);

			matrix->messages += bytes > 0;
			matrix->longest = matrix->longest > bytes ? matrix->longest : bytes;
		}
	/* So that neither sums nor what rounding adds to them overflow. */
	if (matrix->longest >> 40)
		return liquid_fail(err, LIQUID_BAD_INPUT, "a message of %llu bytes: at most 2^40 "
				   "are taken", (unsigned long long)matrix->longest);
	if (piece_bytes >> 40)
		return liquid_fail(err, LIQUID_BAD_INPUT, "piece_bytes is %llu: less than 2^40 "
				   "are taken", (unsigned long long)piece_bytes);
	return LIQUID_OK;
}

static int refuse_units(uint32_t src, uint32_t dst, uint64_t units, struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_BAD_INPUT, "the message from rank %u to rank %u has %llu "
			   "units: at most %u are taken", src, dst, (unsigned long long)units,
			   LIQUID_TRANSFERS_MAX);
}

static int add_messages(const struct matrix *matrix, uint64_t unit, struct liquid_traffic *traffic,
			struct liquid_error *err)
{
	const uint32_t *hosts = matrix->host_of_rank;
	int status = LIQUID_OK;

	for (uint32_t src = 0; src < matrix->ranks && !status; src++)
		for (uint32_t dst = 0; dst < matrix->ranks && !status; dst++) {
			uint64_t units = units_of(message(matrix, src, dst), unit);

			if (units > LIQUID_TRANSFERS_MAX)
				return refuse_units(src, dst, units, err);
			if (units)
				status = liquid_traffic_add(traffic, host_at(hosts, src),
							    host_at(hosts, dst), (uint32_t)units,
							    err);
		}
	return status;
}

static int solve_matrix(const struct liquid_fabric *fabric, const struct matrix *matrix,
			const struct liquid_solve_options *options,
			struct liquid_schedule **schedule, struct liquid_error *err)
{
	struct liquid_traffic *traffic;
	int status = liquid_traffic_new(&traffic, err);

	if (!status)
		status = add_messages(matrix, options->unit_bytes, traffic, err);
	if (!status)
		status = liquid_solve(fabric, traffic, options, schedule, err);
	liquid_traffic_free(traffic);
	return status;
}

/* Of what @matrix carries, if anything; its messages are at most 2^40 bytes. */
static int plan_matrix(const struct liquid_fabric *fabric, struct matrix *matrix,
		       const struct liquid_plan_options *options,
		       struct liquid_solve_options *solve, struct liquid_plan **plan,
		       struct liquid_error *err)
{
	struct liquid_schedule *schedule = NULL;
	int status = survey(matrix, options->piece_bytes, err);

	if (!status && matrix->messages && !solve->unit_bytes)
		solve->unit_bytes = choose_unit(matrix, options->piece_bytes);
	if (!status && matrix->messages)
		status = solve_matrix(fabric, matrix, solve, &schedule, err);
	if (!status)
		status = plan_of(fabric, schedule, options, plan, err);
	liquid_schedule_free(schedule);
	return status;
}

int liquid_plan_make_matrix(const struct liquid_fabric *fabric, const uint64_t *bytes,
			    const struct liquid_plan_options *given,
			    const struct liquid_solve_options *given_solve,
			    struct liquid_plan **plan, struct liquid_error *err)
{
	struct liquid_solve_options solve = { 0 };
	struct liquid_plan_options options;
	struct matrix matrix = { .bytes = bytes };
	int status = plan_options(fabric, given, &options, err);

	*plan = NULL;
	if (status)
		return status;
	if (given_solve)
		solve = *given_solve;
	matrix.ranks = options.ranks;
	matrix.host_of_rank = options.host_of_rank;
	matrix.sent = calloc(options.ranks, sizeof(*matrix.sent));
	matrix.received = calloc(options.ranks, sizeof(*matrix.received));
	if (matrix.sent && matrix.received)
		status = plan_matrix(fabric, &matrix, &options, &solve, plan, err);
	else
		status = liquid_no_memory(err);
	free(matrix.sent);
	free(matrix.received);
	return status;
}
