// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ranks of a parallel program on hosts, and the traffic of an all-to-all exchange. */
#include <stdlib.h>

#include "fabric/fabric.h"
#include "traffic/ranks.h"
#include "traffic/traffic.h"

#define RANKS_MAX (1u << 24)

static int compare_hosts(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

static int refuse_duplicates(const struct liquid_ranks *ranks, struct liquid_error *err)
{
	uint32_t *sorted = malloc(ranks->count * sizeof(*sorted));
	int status = LIQUID_OK;

	if (!sorted)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for %zu hosts", ranks->count);
	for (size_t i = 0; i < ranks->count; i++)
		sorted[i] = host_at(ranks->hosts, i);
	qsort(sorted, ranks->count, sizeof(*sorted), compare_hosts);
	for (size_t i = 1; i < ranks->count && !status; i++)
		if (sorted[i] == sorted[i - 1])
			status = liquid_fail(err, LIQUID_BAD_INPUT,
					     "a host is listed twice; --tasks-per-node gives it "
					     "several ranks");
	free(sorted);
	return status;
}

int ranks_take(const struct liquid_ranks *given, struct liquid_ranks *ranks,
	       struct liquid_error *err)
{
	*ranks = *given;
	if (!ranks->count)
		return liquid_fail(err, LIQUID_BAD_INPUT, "no hosts for the ranks");
	if (!ranks->tasks_per_host || ranks->tasks_per_host > RANKS_MAX / ranks->count)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%zu hosts with %u ranks each; expected 1 to %u ranks in all",
				   ranks->count, ranks->tasks_per_host, RANKS_MAX);
	return refuse_duplicates(ranks, err);
}

size_t ranks_host(const struct liquid_ranks *ranks, uint64_t rank)
{
	return ranks->cyclic ? rank % ranks->count : rank / ranks->tasks_per_host;
}

int liquid_ranks_alltoall(const struct liquid_ranks *given, struct liquid_traffic **traffic,
			  struct liquid_error *err)
{
	struct liquid_ranks ranks;
	uint64_t units;
	int status;

	*traffic = NULL;
	status = ranks_take(given, &ranks, err);
	if (status)
		return status;
	units = (uint64_t)ranks.tasks_per_host * ranks.tasks_per_host;
	if (units > LIQUID_TRANSFERS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%u ranks on each host make more than %u "
				   "transfers", ranks.tasks_per_host, LIQUID_TRANSFERS_MAX);
	status = liquid_traffic_new(traffic, err);
	for (size_t i = 0; i < ranks.count && !status; i++)
		for (size_t j = 0; j < ranks.count && !status; j++)
			if (i != j)
				status = liquid_traffic_add(*traffic,
							    host_at(ranks.hosts, i),
							    host_at(ranks.hosts, j), units, err);
	if (status) {
		liquid_traffic_free(*traffic);
		*traffic = NULL;
	}
	return status;
}
