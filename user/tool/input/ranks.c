// SPDX-License-Identifier: GPL-2.0-only
/* Traffics of ranks: --traffic mpi:alltoall and --traffic matrix:FILE. */
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "input/input.h"

#define ALLTOALL "mpi:alltoall"
#define MATRIX "matrix:"

bool is_matrix_traffic(const struct traffic_args *args)
{
	return args->traffic && !strncmp(args->traffic, MATRIX, strlen(MATRIX));
}

bool is_rank_traffic(const struct traffic_args *args)
{
	return is_matrix_traffic(args) || (args->traffic && !strcmp(args->traffic, ALLTOALL));
}

int check_unit_bytes(const struct traffic_args *args, const char *command)
{
	if (args->unit_bytes && !is_matrix_traffic(args))
		return usage_error(command, "--unit-bytes goes with --traffic matrix:FILE");
	if (!args->unit_bytes && is_matrix_traffic(args))
		return usage_error(command, "a matrix needs --unit-bytes: the size of a transfer");
	return EXIT_OK;
}

int check_rank_args(const struct traffic_args *args, const char *command)
{
	if ((args->tasks_per_node || args->distribution) && !is_rank_traffic(args))
		return usage_error(command, "--tasks-per-node and --distribution go with --traffic "
				   "mpi:alltoall or matrix:FILE");
	return EXIT_OK;
}

static int all_ranks(const struct liquid_ranks *ranks, struct liquid_traffic **traffic)
{
	struct liquid_error err;
	int status = liquid_ranks_alltoall(ranks, traffic, &err);

	return status ? complain_of(status, &err) : EXIT_OK;
}

int read_rank_traffic(const struct traffic_args *args, const struct liquid_fabric *fabric,
		      struct liquid_traffic **traffic)
{
	struct liquid_ranks ranks = {
		.tasks_per_host = args->tasks_per_node ? args->tasks_per_node : 1,
		.cyclic = args->distribution && !strcmp(args->distribution, "cyclic"),
		.unit_bytes = args->unit_bytes, .fabric = fabric, .named = !args->hosts,
	};
	uint32_t *hosts;
	int code;

	code = read_host_list(fabric, "hosts", args->hosts, &hosts, &ranks.count);
	if (code)
		return code;
	ranks.hosts = hosts;
	if (is_matrix_traffic(args))
		code = read_traffic_file(args->traffic + strlen(MATRIX), fabric, &ranks, traffic);
	else
		code = all_ranks(&ranks, traffic);
	free(hosts);
	return code;
}
