/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State of the process: the only global state, which call.h needs */
#ifndef LIQUID_MPI_PROCESS_H
#define LIQUID_MPI_PROCESS_H

#include <pthread.h>

#include "call/call.h"
#include "call/group.h"
#include "settings/report.h"

struct process {
	pthread_mutex_t lock;		/* of all below, and of all groups */
	atomic_bool open;
	struct environment env;
	const struct call_ops *ops;
	struct agree agree;
	struct report *report;		/* NULL: none is wanted */
	struct group *groups;
	uint32_t duplicates;		/* of communicators, that groups have */
	struct group none;		/* of communicators for which there was no memory */
	bool crowded;			/* the user knows that some have none */
	struct call *ended;		/* non-blocking, to be freed without the lock */
	int key, self_key;		/* attributes: groups of communicators; the end of MPI */
};

extern struct process process;

/* Free unused groups, without the lock: it may call functions of the program. */
void process_free_released(void);
/* Find the group of a communicator, or make it, with the lock held. NULL: it cannot be made. */
struct group *process_group(struct group **place, MPI_Comm comm);
/* Then its calls go the MPI's own way on all ranks. Returns an MPI error. Without the lock. */
int process_refuse(struct group **place, MPI_Comm comm);

#endif
