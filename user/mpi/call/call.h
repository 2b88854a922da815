/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A collective call in neutral form, whichever MPI it comes from */
#ifndef LIQUID_MPI_CALL_H
#define LIQUID_MPI_CALL_H

#include "plan/sides.h"

struct group;

/* The functions of an MPI's adapter. Where one returns int, it is an MPI error. */
struct call_ops {
	/* The MPI's own way of a call, on the communicator of the program */
	int (*own)(const struct args *args);
	/* The same on @comm, a duplicate; ends with @request */
	int (*own_start)(const struct args *args, MPI_Comm comm, MPI_Request *request);
	/* A request for the program, and its end: @error goes to @comm's error handler. */
	int (*request_new)(MPI_Comm comm, void **state, MPI_Request *request);
	int (*request_end)(void *state, int error);
	/* From now on call call_progress() whenever the program waits in MPI. May come again. */
	void (*progress_on)(void);
};

/*
 * Begin with the settings that the processes of MPI_COMM_WORLD agreed on; @rank is that of this
 * one. Both are the caller's, and nothing else is called before.
 */
void call_open(const struct environment *env, const struct call_ops *ops, int rank);

/*
 * The calls. @place belongs to the communicator and begins as NULL. They return what MPI's
 * function of that name returns.
 */
int call_run(struct group **place, const struct args *args);
int call_start(struct group **place, const struct args *args, MPI_Request *request);

/* Go on with all that is not complete. Returns the number of things that have happened. */
int call_progress(void);

#endif
