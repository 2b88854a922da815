/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The agreement of all ranks of a group before bytes move, so that all go the same way */
#ifndef LIQUID_MPI_AGREE_H
#define LIQUID_MPI_AGREE_H

#include <mpi.h>
#include <stdint.h>

/* Why a call goes the MPI's own way. The largest of all ranks' is agreed on. */
enum cannot {
	CANNOT_NOTHING,			/* it can */
	CANNOT_SMALL,			/* no message has LIQUID_MPI_MIN bytes */
	CANNOT_IN_PLACE,
	CANNOT_NEIGHBOR_TWICE,
	CANNOT_TYPE,
	CANNOT_COUNTS,			/* what one sends is not what another takes */
	CANNOT_PREPARED,		/* the plan that the job has is not for this call */
	CANNOT_DEVICE,			/* a buffer that a processor cannot read, of a GPU */
	CANNOT_BROKEN,			/* the wire has failed on another communicator */
	CANNOT_MEMORY,
	CANNOT_CROWDED,			/* a process has GROUPS_MOST duplicates of communicators */
	CANNOT_DUPLICATE,		/* the MPI gives no more communicators */
	CANNOT_NODE,			/* memory that the ranks of a node share */
	CANNOT_ONE_NODE,
	CANNOT_REGISTER,
	CANNOT_WIRE,
	CANNOT_FABRIC,			/* its file cannot be read */
	CANNOT_RATE,			/* it does not say how long frames are */
	CANNOT_HOST,			/* a host that the fabric does not have */
	CANNOT_PLAN,
	CANNOT_REASONS
};

/* A digest and @balance: the sum over all ranks. Everything else: the largest of all ranks'. */
struct digest {
	uint64_t word[2];
};

struct agreement {
	uint64_t cannot;		/* cannot_say() */
	uint64_t bytes;			/* of the longest message */
	uint64_t rewire;		/* 1: this rank's wire does not reach all of the plan */
	uint64_t unprepared;		/* 1: this rank's memory is not ready */
	uint64_t fabric;		/* the leader's stamp of the file; others have 0 */
	uint64_t base_ns;		/* when this rank asked, by CLOCK_TAI */
	uint64_t ask_ns;		/* time of the quickest agreement on this rank */
	uint64_t ns;			/* time of the call */
	struct digest rows;		/* of the matrix of bytes */
	uint64_t balance;		/* 0 of all: all bytes sent are received */
};

struct agree {
	MPI_Datatype type;
	MPI_Op op;
};

/* Return an MPI error. */
int agree_open(struct agree *agree);
void agree_close(struct agree *agree);
int agree_start(const struct agree *agree, const struct agreement *mine, struct agreement *all,
		MPI_Comm comm, MPI_Request *request);

/* The same for a reason alone, which is @cannot of this rank now and that of all ranks later */
int agree_cannot(uint64_t *cannot, MPI_Comm comm, MPI_Request *request);

/* A reason, and which rank has it: of several ranks with one reason the lowest */
static inline uint64_t cannot_say(enum cannot reason, uint32_t rank)
{
	return reason ? (uint64_t)reason << 32 | (UINT32_MAX - rank) : 0;
}

static inline enum cannot cannot_reason(uint64_t cannot)
{
	return (enum cannot)(cannot >> 32);
}

static inline uint32_t cannot_rank(uint64_t cannot)
{
	return UINT32_MAX - (uint32_t)cannot;
}

/* The reason in words, for the user */
const char *cannot_text(uint64_t cannot);

#endif
