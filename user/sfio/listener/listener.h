/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A rank that has subfiles and serves all compute ranks until they have finished */
#ifndef LIQUID_SFIO_LISTENER_H
#define LIQUID_SFIO_LISTENER_H

#include <mpi.h>
#include <stdint.h>

#include "order/exchange.h"

struct listener_options {
	MPI_Comm comm;
	uint32_t clients;
	uint64_t buffer;		/* largest request in bytes, without its header */
	int64_t timeout_ns;
	struct exchange *exchange;	/* order of answers to reads; NULL: none */
};

/*
 * Returns 0 when all compute ranks have finished; -ETIMEDOUT if some have and the others do not in
 * the time; -ENOMEM, or -EIO for an error of MPI.
 */
int listener_run(const struct listener_options *options);

#endif
