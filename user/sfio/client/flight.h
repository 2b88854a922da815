/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A request that was sent to a listener, until its answer is here */
#ifndef LIQUID_SFIO_FLIGHT_H
#define LIQUID_SFIO_FLIGHT_H

#include <mpi.h>
#include <stdbool.h>

#include "wire/message.h"

enum { FLIGHT_SEND, FLIGHT_ANSWER, FLIGHT_RECEIVED, FLIGHT_REQUESTS };

struct flight {
	bool used;
	bool received;			/* the listener has acknowledged it, or was not asked to */
	uint32_t peer;
	struct request request;
	struct answer answer;
	struct batch batch;
	const char *names;
	MPI_Request pending[FLIGHT_REQUESTS];
};

struct context;

/*
 * Send ->request to ->peer with its contents: runs and data of ->batch, ->names. Returns 0,
 * -ENOMEM, -EIO, or -ETIMEDOUT for a listener that has not answered earlier.
 */
int flight_begin(struct context *context, struct flight *flight);
/* Check for messages; with the answer the flight is not used any more. Returns 0 or -EIO. */
int flight_test(struct context *context, struct flight *flight, bool *moved);
/* Give up, because nothing has come in time: the listener counts as dead from now on. */
void flight_abandon(struct context *context, struct flight *flight);

#endif
