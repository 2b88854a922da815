// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sends one request with its data, tests for the answer, or abandons both. */
#include <errno.h>

#include "client/context.h"
#include "client/flight.h"
#include "wire/type.h"

static bool writes(const struct flight *flight)
{
	return flight->request.kind == KIND_WRITE || flight->request.kind == KIND_WRITE_ALL;
}

static bool flight_reads(const struct flight *flight)
{
	return flight->request.kind == KIND_READ || flight->request.kind == KIND_READ_ALL;
}

/* The answer's receive is posted before the request is sent: no rank waits for it to be. */
static int post_answer(struct context *context, struct flight *flight)
{
	const struct span head = { &flight->answer, sizeof(flight->answer) };
	MPI_Datatype type;
	int error = type_new(&head, 1, flight_reads(flight) ? &flight->batch.pieces : NULL, &type);

	if (error)
		return error;
	if (MPI_Irecv(MPI_BOTTOM, 1, type, context->peer[flight->peer].rank,
		      TAG_ANSWER + (int)flight->request.flight, context->all,
		      &flight->pending[FLIGHT_ANSWER]))
		error = -EIO;
	MPI_Type_free(&type);
	return error;
}

static int post_received(struct context *context, struct flight *flight)
{
	flight->received = !(flight->request.flags & REQUEST_ACKNOWLEDGE);
	if (flight->received)
		return 0;
	return MPI_Irecv(NULL, 0, MPI_BYTE, context->peer[flight->peer].rank,
			 TAG_RECEIVED + (int)flight->request.flight, context->all,
			 &flight->pending[FLIGHT_RECEIVED]) ? -EIO : 0;
}

static int send_request(struct context *context, struct flight *flight)
{
	const struct span span[] = {
		{ &flight->request, sizeof(flight->request) },
		{ flight->batch.run, flight->batch.runs * sizeof(struct run) },
		{ flight->names, flight->request.names },
	};
	MPI_Datatype type;
	int error = type_new(span, 3, writes(flight) ? &flight->batch.pieces : NULL, &type);

	if (error)
		return error;
	if (MPI_Isend(MPI_BOTTOM, 1, type, context->peer[flight->peer].rank, TAG_REQUEST,
		      context->all, &flight->pending[FLIGHT_SEND]))
		error = -EIO;
	MPI_Type_free(&type);
	return error;
}

int flight_begin(struct context *context, struct flight *flight)
{
	int error = context->peer[flight->peer].dead ? -ETIMEDOUT : 0;

	if (error)
		return error;
	flight->request.client = (uint32_t)context->rank;
	flight->request.runs = (uint32_t)flight->batch.runs;
	flight->request.bytes = flight->batch.bytes;
	for (int i = 0; i < FLIGHT_REQUESTS; i++)
		flight->pending[i] = MPI_REQUEST_NULL;
	error = post_answer(context, flight);
	if (!error)
		error = post_received(context, flight);
	if (!error)
		error = send_request(context, flight);
	flight->used = true;
	return error;
}

/* The listener waits for it before it answers the next rank. */
static int acknowledge(const struct context *context, const struct flight *flight)
{
	MPI_Request request;

	if (!flight->answer.acknowledge)
		return 0;
	if (MPI_Isend(NULL, 0, MPI_BYTE, context->peer[flight->peer].rank,
		      TAG_TAKEN + (int)flight->request.flight, context->all, &request))
		return -EIO;
	return MPI_Request_free(&request) ? -EIO : 0;
}

static void add_stats(struct sfio_stats *stats, const struct answer *answer)
{
	stats->accesses += answer->accesses;
	if (answer->epochs > stats->read_epochs)
		stats->read_epochs = answer->epochs;
	if (answer->unsynchronised > stats->read_unsynchronised)
		stats->read_unsynchronised = answer->unsynchronised;
}

int flight_test(struct context *context, struct flight *flight, bool *moved)
{
	int done, which[FLIGHT_REQUESTS];

	if (MPI_Testsome(FLIGHT_REQUESTS, flight->pending, &done, which, MPI_STATUSES_IGNORE))
		return -EIO;
	*moved = *moved || (done && done != MPI_UNDEFINED);
	flight->received = flight->pending[FLIGHT_RECEIVED] == MPI_REQUEST_NULL;
	if (flight->pending[FLIGHT_SEND] != MPI_REQUEST_NULL ||
	    flight->pending[FLIGHT_ANSWER] != MPI_REQUEST_NULL || !flight->received)
		return 0;
	flight->used = false;
	add_stats(&context->stats, &flight->answer);
	return acknowledge(context, flight);
}

void flight_abandon(struct context *context, struct flight *flight)
{
	for (int i = 0; i < FLIGHT_REQUESTS; i++) {
		if (flight->pending[i] == MPI_REQUEST_NULL)
			continue;
		if (i != FLIGHT_SEND)
			MPI_Cancel(&flight->pending[i]);
		MPI_Request_free(&flight->pending[i]);
	}
	/* MPI may still read the runs. */
	flight->batch = (struct batch){ .run = NULL };
	flight->used = false;
	context->peer[flight->peer].dead = true;
}
