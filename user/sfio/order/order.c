// SPDX-License-Identifier: LGPL-2.1-or-later
/* The first rank makes the plan, and each gets the slice of its node. */
#include <stdlib.h>

#include "order/order.h"
#include "wire/message.h"

/* An error of any rank is one of all. */
static int agree_status(const struct side *side, int status)
{
	int least = status;

	if (MPI_Allreduce(&status, &least, 1, MPI_INT, MPI_MIN, side->comm))
		return LIQUID_IO;
	return least;
}

/* Give each rank the slice of its node. The first one has the plan. */
static int share_plan(const struct side *side, const struct liquid_plan *plan,
		      struct liquid_plan **slice, struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (int i = 0; i < side->ranks && !status; i++) {
		void *bytes = NULL;
		size_t size = 0;
		uint64_t count;

		if (!side->rank && plan)
			status = liquid_plan_slice(plan, side->nodes->of_rank[i], &bytes, &size,
						   err);
		count = status ? 0 : size;
		if (!side->rank && i) {
			MPI_Send(&count, 1, MPI_UINT64_T, i, TAG_REQUEST, side->comm);
			MPI_Send(bytes, (int)count, MPI_BYTE, i, TAG_REQUEST, side->comm);
		} else if (side->rank == i && i) {
			MPI_Recv(&count, 1, MPI_UINT64_T, 0, TAG_REQUEST, side->comm,
				 MPI_STATUS_IGNORE);
			bytes = malloc(count + 1);
			MPI_Recv(bytes, (int)count, MPI_BYTE, 0, TAG_REQUEST, side->comm,
				 MPI_STATUS_IGNORE);
		}
		if (side->rank == i)
			status = liquid_plan_read(bytes, count, NULL, 0, slice, err);
		free(bytes);
	}
	return status;
}

int order_new(const struct side *side, const struct order_options *options,
	      struct exchange **exchange, struct liquid_error *err)
{
	struct exchange_options own = {
		.comm = side->comm, .nodes = side->nodes, .peers = side->peers,
		.self = side->nodes->of_rank[side->rank], .sync = options->sync,
		.timeout_ns = options->timeout_ns,
	};
	struct liquid_plan *plan = NULL;
	int status = LIQUID_OK, all;

	*exchange = NULL;
	if (!side->rank)
		status = plan_make(options->fabric, side->nodes, side->ranks, side->peers,
				   options->method, &plan, err);
	all = agree_status(side, status);
	if (!all)
		status = share_plan(side, plan, &own.plan, err);
	liquid_plan_free(plan);
	if (!all && !status)
		status = exchange_new(&own, exchange, err);
	all = all ? all : agree_status(side, status);
	if (all) {
		exchange_free(*exchange);
		*exchange = NULL;
	}
	return all;
}
