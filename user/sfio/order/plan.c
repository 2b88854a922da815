// SPDX-License-Identifier: LGPL-2.1-or-later
/* Makes the plan by libliquidsched from a fabric and the pairs of the two sides. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "order/plan.h"

static int fabric_get(const char *path, struct liquid_fabric **fabric, struct liquid_error *err)
{
	FILE *in = fopen(path, "r");
	int status;

	if (!in)
		return liquid_fail(err, LIQUID_IO, "%s: %s", path, strerror(errno));
	status = liquid_fabric_read(in, path, fabric, err);
	fclose(in);
	return status;
}

/* As the system calls it, or without its domain */
static uint32_t plan_find_host(const struct liquid_fabric *fabric, const char *name)
{
	uint32_t host = liquid_fabric_find_host(fabric, name);
	char first[256];

	if (host != LIQUID_NONE)
		return host;
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(name, "."), name);
	return liquid_fabric_find_host(fabric, first);
}

static int plan_find_hosts(const struct liquid_fabric *fabric, const char *path,
			   const struct nodes *nodes, uint32_t *host, struct liquid_error *err)
{
	for (uint32_t i = 0; i < nodes->count; i++) {
		host[i] = plan_find_host(fabric, nodes->host[i]);
		if (host[i] == LIQUID_NONE)
			return liquid_fail(err, LIQUID_BAD_INPUT, "%s does not have the host %s",
					   path, nodes->host[i]);
	}
	return LIQUID_OK;
}

static void plan_fill(uint64_t *bytes, const struct nodes *nodes, int ranks, uint32_t peers)
{
	for (int i = 0; i < ranks; i++)
		for (uint32_t k = 0; k < peers; k++)
			bytes[(size_t)nodes->of_rank[i] * nodes->count + nodes->of_peer[k]] = 1;
}

static int order_solve(const struct liquid_fabric *fabric, const char *path,
		       const struct nodes *nodes, const char *method, uint32_t *host,
		       const uint64_t *bytes,
		       struct liquid_plan **plan, struct liquid_error *err)
{
	const struct liquid_solve_options solve = { .method = method };
	const struct liquid_plan_options options = {
		.host_of_rank = host, .ranks = nodes->count,
		.cyclic = true,
	};
	int status = plan_find_hosts(fabric, path, nodes, host, err);

	if (status)
		return status;
	return liquid_plan_make_matrix(fabric, bytes, &options, &solve, plan, err);
}

int plan_make(const char *path, const struct nodes *nodes, int ranks, uint32_t peers,
	      const char *method, struct liquid_plan **plan, struct liquid_error *err)
{
	uint64_t *bytes = calloc((size_t)nodes->count * nodes->count, sizeof(*bytes));
	uint32_t *host = calloc(nodes->count, sizeof(*host));
	struct liquid_fabric *fabric = NULL;
	int status = fabric_get(path, &fabric, err);

	*plan = NULL;
	if (!status && (!bytes || !host))
		status = liquid_no_memory(err);
	if (!status) {
		plan_fill(bytes, nodes, ranks, peers);
		status = order_solve(fabric, path, nodes, method, host, bytes, plan, err);
	}
	liquid_fabric_free(fabric);
	free(bytes);
	free(host);
	return status;
}
