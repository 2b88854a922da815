// SPDX-License-Identifier: LGPL-2.1-or-later
/* The agreement of all ranks: one MPI_Iallreduce with a special operation */
#include "plan/agree.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void merge(const struct agreement *in, struct agreement *all)
{
	all->cannot = larger(all->cannot, in->cannot);
	all->bytes = larger(all->bytes, in->bytes);
	all->rewire = larger(all->rewire, in->rewire);
	all->unprepared = larger(all->unprepared, in->unprepared);
	all->fabric = larger(all->fabric, in->fabric);
	all->base_ns = larger(all->base_ns, in->base_ns);
	all->ask_ns = larger(all->ask_ns, in->ask_ns);
	all->ns = larger(all->ns, in->ns);
	all->rows.word[0] += in->rows.word[0];
	all->rows.word[1] += in->rows.word[1];
	all->balance += in->balance;
}

static void merge_all(void *in, void *all, int *count, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *count; i++)
		merge((struct agreement *)in + i, (struct agreement *)all + i);
}

int agree_open(struct agree *agree)
{
	int error = PMPI_Type_contiguous(sizeof(struct agreement) / sizeof(uint64_t), MPI_UINT64_T,
					 &agree->type);

	if (!error)
		error = PMPI_Type_commit(&agree->type);
	if (!error)
		error = PMPI_Op_create(merge_all, 1, &agree->op);
	return error;
}

void agree_close(struct agree *agree)
{
	PMPI_Op_free(&agree->op);
	PMPI_Type_free(&agree->type);
}

int agree_start(const struct agree *agree, const struct agreement *mine, struct agreement *all,
		MPI_Comm comm, MPI_Request *request)
{
	return PMPI_Iallreduce(mine, all, 1, agree->type, agree->op, comm, request);
}

int agree_cannot(uint64_t *cannot, MPI_Comm comm, MPI_Request *request)
{
	return PMPI_Iallreduce(MPI_IN_PLACE, cannot, 1, MPI_UINT64_T, MPI_MAX, comm, request);
}

const char *cannot_text(uint64_t cannot)
{
	static const char *const text[CANNOT_REASONS] = {
		[CANNOT_NOTHING] = "it can follow a plan",
		[CANNOT_SMALL] = "the messages are smaller than LIQUID_MPI_MIN",
		[CANNOT_IN_PLACE] = "a rank gives MPI_IN_PLACE",
		[CANNOT_NEIGHBOR_TWICE] = "a rank has a neighbor twice",
		[CANNOT_TYPE] = "a rank has a datatype that cannot be packed",
		[CANNOT_COUNTS] = "a rank takes more or fewer bytes than another one sends to it",
		[CANNOT_PREPARED] = "there is no fabric, and the job's plan does not serve",
		[CANNOT_DEVICE] = "a rank has a buffer in the memory of a GPU",
		[CANNOT_BROKEN] = "nothing gets through by RDMA on an earlier communicator",
		[CANNOT_MEMORY] = "a rank has not enough memory",
		[CANNOT_CROWDED] = "a rank has plans for 256 communicators, the most at once: "
				   "free the ones not in use",
		[CANNOT_DUPLICATE] = "the MPI cannot make another communicator; MPICH has "
				     "2,048 at once",
		[CANNOT_NODE] = "ranks of a node cannot share memory",
		[CANNOT_ONE_NODE] = "all ranks are on one node",
		[CANNOT_REGISTER] = "a rank cannot register its memory",
		[CANNOT_WIRE] = "a rank cannot connect to others",
		[CANNOT_FABRIC] = "the fabric cannot be read",
		[CANNOT_RATE] = "the fabric does not say the rate of its links, which clock needs",
		[CANNOT_HOST] = "the fabric does not have the host of a rank",
		[CANNOT_PLAN] = "no plan was found",
	};

	return text[cannot_reason(cannot)];
}
