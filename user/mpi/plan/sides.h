/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arguments of a call, and their meaning in bytes: a message to and from each rank */
#ifndef LIQUID_MPI_SIDES_H
#define LIQUID_MPI_SIDES_H

#include "node/map.h"
#include "wire/wire.h"

enum call_kind {
	CALL_ALLTOALL,			/* its bytes are the same on all ranks, as MPI demands */
	CALL_ALLTOALLV,
	CALL_NEIGHBOR_ALLTOALL,
	CALL_NEIGHBOR_ALLTOALLV,
	CALL_KINDS
};

struct side {
	void *buffer;
	MPI_Datatype type;
	MPI_Count count;		/* of each message, if counts is NULL */
	const void *counts, *places;	/* int, or if wide MPI_Count and MPI_Aint */
	bool wide;
};

struct args {
	enum call_kind kind;
	struct side send, recv;
	MPI_Comm comm;
	void *adapter;			/* arguments for the MPI's own way */
};

static inline bool is_matrix(const struct args *args)
{
	return args->kind != CALL_ALLTOALL;
}

struct list;

/*
 * Messages by rank, in the caller's memory, or packed if the type is not one run of bytes. A copy
 * to the rank itself is not one of them.
 */
struct messages {
	struct span *out, *in;
	struct span *far_out, *far_in;	/* those to and from other nodes alone */
	unsigned char *packed_out, *packed_in;
	struct list *unpack;		/* where those in @packed_in go */
	uint64_t longest;		/* bytes of one to or from another node */
};

/* A rank of the group's duplicate, which has the neighbors of the communicator itself */
struct seat {
	MPI_Comm comm;
	uint32_t rank, ranks;
	const struct map *map;
};

/* Types that every MPI has need not be kept, and have no gaps in most cases. */
bool type_is_named(MPI_Datatype type);
/* Bytes of each message of an MPI_Alltoall */
uint64_t args_bytes(const struct args *args);
/* Returns an enum cannot. Memory is allocated: messages_clear() frees it, also after an error. */
int messages_fill(struct messages *messages, const struct args *args, const struct seat *seat);
/* Put received messages where the caller wants them. Returns an MPI error. */
int messages_unpack(const struct messages *messages);
void messages_clear(struct messages *messages);

#endif
