// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * MPICH: libliquid-mpich.so, preloaded, interposes the functions of MPI
 *
 *	LD_PRELOAD=libliquid-mpich.so mpirun.mpich ...
 *
 * It takes over the blocking calls, also in the forms for large counts. Non-blocking ones stay the
 * MPI's own: they must go on while the program is in any function of MPI, and MPICH offers a
 * preloaded object no place where it could see to that. A program that waits in MPI_Recv() for a
 * rank that waits for the exchange would wait forever.
 *
 * Loaded into another MPI, or another series of MPICH, it says so once and passes everything on. So
 * its functions take their arguments as words: another MPI's handles may be pointers.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

#include "call/call.h"
#include "series.h"
#include "shared.h"

typedef uintptr_t word;

/* Arguments of a call for the MPI's own way */
struct own_result {
	bool failed;			/* and the program's error handler knows */
};

/* The only global state */
static struct {
	bool foreign;			/* this object does nothing */
	bool open;
	struct environment env;
	int key;			/* attribute with the group of a communicator */
} preload;

/* ---- the MPI's own way ---- */

static int own_call(const struct args *a)
{
	const struct side *send = &a->send, *recv = &a->recv;

	switch (a->kind) {
	case CALL_ALLTOALL:
		return PMPI_Alltoall_c(send->buffer, send->count, send->type, recv->buffer,
				       recv->count, recv->type, a->comm);
	case CALL_NEIGHBOR_ALLTOALL:
		return PMPI_Neighbor_alltoall_c(send->buffer, send->count, send->type,
						recv->buffer, recv->count, recv->type, a->comm);
	case CALL_ALLTOALLV:
		return PMPI_Alltoallv(send->buffer, send->counts, send->places, send->type,
				      recv->buffer, recv->counts, recv->places, recv->type,
				      a->comm);
	default:
		return PMPI_Neighbor_alltoallv(send->buffer, send->counts, send->places,
					       send->type, recv->buffer, recv->counts,
					       recv->places, recv->type, a->comm);
	}
}

static int own_large(const struct args *a)
{
	const struct side *send = &a->send, *recv = &a->recv;

	if (a->kind == CALL_ALLTOALLV)
		return PMPI_Alltoallv_c(send->buffer, send->counts, send->places, send->type,
					recv->buffer, recv->counts, recv->places, recv->type,
					a->comm);
	return PMPI_Neighbor_alltoallv_c(send->buffer, send->counts, send->places, send->type,
					 recv->buffer, recv->counts, recv->places, recv->type,
					 a->comm);
}

static int own(const struct args *args)
{
	struct own_result *result = args->adapter;
	int error = args->send.wide ? own_large(args) : own_call(args);

	result->failed = error;
	return error;
}

/* There are no requests: all calls are blocking. */
static const struct call_ops ops = { .own = own };

/* ---- communicators ---- */

/* No other rank, or an intercommunicator */
static bool is_own(MPI_Comm comm)
{
	int between = 0, size = 0;

	PMPI_Comm_test_inter(comm, &between);
	PMPI_Comm_size(comm, &size);
	return between || size < 2;
}

/* Nothing that this process alone may lack decides whether a call is one of a group. */
static int mpich_run(struct args *args)
{
	struct own_result result = { .failed = false };
	struct group *group = NULL;
	int error, found = 0;

	args->adapter = &result;
	if (!preload.open || args->comm == MPI_COMM_NULL ||
	    PMPI_Comm_get_attr(args->comm, preload.key, &group, &found) || is_own(args->comm))
		return own(args);
	if (!found)
		group = NULL;
	error = call_run(&group, args);
	if (!found && group)
		PMPI_Comm_set_attr(args->comm, preload.key, group);
	if (error && !result.failed)
		PMPI_Comm_call_errhandler(args->comm, error);
	return error;
}

/* ---- begin ---- */

__attribute__((constructor)) static void look_at_library(void)
{
	preload.foreign = !series_is_own("libliquid-mpich.so");
}

/* The environment of the first process counts for all, if none has failed. */
static void open_preload(void)
{
	struct liquid_error err;
	struct shared shared;
	int rank, failed, first;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	failed = environment_read(&preload.env, &err) ? rank : SHARED_NONE_FAILED;
	shared_take(&shared, &preload.env);
	if (PMPI_Bcast(&shared, sizeof(shared), MPI_BYTE, 0, MPI_COMM_WORLD) ||
	    PMPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD))
		return;
	if (first == rank)
		fprintf(stderr, "liquid: %s\n", err.text);
	shared_give(&shared, first, &preload.env);
	if (preload.env.mode == MODE_OFF ||
	    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &preload.key,
				    NULL))
		return;
	call_open(&preload.env, &ops, rank);
	preload.open = true;
}

/* ---- functions of MPI ---- */

/* Each is defined under a name of ours: mpi.h declares the others with MPICH's own types. */
#define STANDS_FOR(mpi, ours, WORDS)							\
__attribute__((visibility("default"))) int ours(WORDS) __asm__(mpi);			\
int ours(WORDS)

/* In another MPI: the function of that name behind this object, which has this one's arguments */
#define PASS_ON(mpi, WORDS, ...) do {							\
	if (preload.foreign) {								\
		int (*next)(WORDS) = (int (*)(WORDS))dlsym(RTLD_NEXT, mpi);		\
											\
		return next(__VA_ARGS__);						\
	}										\
} while (0)

#define INIT_WORDS word argc, word argv

STANDS_FOR("MPI_Init", liquid_init, INIT_WORDS)
{
	int error;

	PASS_ON("MPI_Init", INIT_WORDS, argc, argv);
	error = PMPI_Init((int *)argc, (char ***)argv);
	if (!error)
		open_preload();
	return error;
}

#define INIT_THREAD_WORDS word argc, word argv, word required, word provided

STANDS_FOR("MPI_Init_thread", liquid_init_thread, INIT_THREAD_WORDS)
{
	int error;

	PASS_ON("MPI_Init_thread", INIT_THREAD_WORDS, argc, argv, required, provided);
	error = PMPI_Init_thread((int *)argc, (char ***)argv, (int)required, (int *)provided);
	if (!error)
		open_preload();
	return error;
}

#define EVEN_WORDS	word sbuf, word scount, word stype, word rbuf, word rcount, word rtype, \
			word comm

#define EVEN(mpi, ours, number, count_type)						\
STANDS_FOR(mpi, ours, EVEN_WORDS)							\
{											\
	struct args args = {								\
		.kind = number, .comm = (MPI_Comm)comm,					\
		.send = { .buffer = (void *)sbuf, .count = (count_type)scount,		\
			  .type = (MPI_Datatype)stype },				\
		.recv = { .buffer = (void *)rbuf, .count = (count_type)rcount,		\
			  .type = (MPI_Datatype)rtype },				\
	};										\
											\
	PASS_ON(mpi, EVEN_WORDS, sbuf, scount, stype, rbuf, rcount, rtype, comm);	\
	return mpich_run(&args);								\
}

#define UNEVEN_WORDS	word sbuf, word scounts, word splaces, word stype, word rbuf,	\
			word rcounts, word rplaces, word rtype, word comm

#define UNEVEN(mpi, ours, number, is_wide)						\
STANDS_FOR(mpi, ours, UNEVEN_WORDS)							\
{											\
	struct args args = {								\
		.kind = number, .comm = (MPI_Comm)comm,					\
		.send = { .buffer = (void *)sbuf, .counts = (const void *)scounts,	\
			  .places = (const void *)splaces,				\
			  .type = (MPI_Datatype)stype, .wide = is_wide },		\
		.recv = { .buffer = (void *)rbuf, .counts = (const void *)rcounts,	\
			  .places = (const void *)rplaces,				\
			  .type = (MPI_Datatype)rtype, .wide = is_wide },		\
	};										\
											\
	PASS_ON(mpi, UNEVEN_WORDS, sbuf, scounts, splaces, stype, rbuf, rcounts,	\
		rplaces, rtype, comm);							\
	return mpich_run(&args);								\
}

EVEN("MPI_Alltoall", liquid_alltoall, CALL_ALLTOALL, int)
EVEN("MPI_Alltoall_c", liquid_alltoall_c, CALL_ALLTOALL, MPI_Count)
EVEN("MPI_Neighbor_alltoall", liquid_neighbor_alltoall, CALL_NEIGHBOR_ALLTOALL, int)
EVEN("MPI_Neighbor_alltoall_c", liquid_neighbor_alltoall_c, CALL_NEIGHBOR_ALLTOALL, MPI_Count)
UNEVEN("MPI_Alltoallv", liquid_alltoallv, CALL_ALLTOALLV, false)
UNEVEN("MPI_Alltoallv_c", liquid_alltoallv_c, CALL_ALLTOALLV, true)
UNEVEN("MPI_Neighbor_alltoallv", liquid_neighbor_alltoallv, CALL_NEIGHBOR_ALLTOALLV, false)
UNEVEN("MPI_Neighbor_alltoallv_c", liquid_neighbor_alltoallv_c, CALL_NEIGHBOR_ALLTOALLV, true)
