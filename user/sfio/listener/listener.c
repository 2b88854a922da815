// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The ring of a listener
 *
 * Each slot has a receive posted, or its request is served by the worker, or its answer waits for
 * its turn or is being sent. A compute rank has at most DEPTH requests under way, and there is a
 * slot for each, so that a rank which waits for others in a collective call takes no slot from
 * them.
 */
#include <errno.h>
#include <stdlib.h>

#include "listener/answers.h"
#include "listener/listener.h"
#include "listener/worker.h"
#include "wire/patience.h"

struct listener {
	struct listener_options options;
	struct worker *worker;
	struct answers answers;
	struct slot *slot;
	/*
	 * By slot: its receive, or the send of its answer. And after all of these by slot, in an
	 * order: the receive of the client's word that it has the answer.
	 */
	MPI_Request *request;
	MPI_Status *status;
	int *done;			/* indices that MPI_Testsome() returns */
	int *sending;			/* by slot: requests of its answer under way */
	int slots;
	uint32_t finished;		/* clients */
	int serving;			/* slots without a receive */
};

static int listener_take_memory(struct listener *listener)
{
	size_t slots = (size_t)listener->slots;
	bool taken = true;

	listener->slot = calloc(slots, sizeof(*listener->slot));
	listener->request = malloc(2 * slots * sizeof(*listener->request));
	listener->status = malloc(2 * slots * sizeof(*listener->status));
	listener->done = malloc(2 * slots * sizeof(*listener->done));
	listener->sending = calloc(slots, sizeof(*listener->sending));
	if (!listener->slot || !listener->request || !listener->status || !listener->done ||
	    !listener->sending)
		return -ENOMEM;
	for (size_t i = 0; i < slots; i++) {
		struct slot *slot = &listener->slot[i];

		listener->request[i] = listener->request[slots + i] = MPI_REQUEST_NULL;
		slot->request = malloc(sizeof(*slot->request) + listener->options.buffer);
		slot->answer = calloc(1, sizeof(*slot->answer));
		taken = taken && slot->request && slot->answer;
	}
	return taken ? 0 : -ENOMEM;
}

static void give_memory(struct listener *listener)
{
	for (int i = 0; i < listener->slots && listener->slot; i++) {
		free(listener->slot[i].request);
		free(listener->slot[i].answer);
	}
	free(listener->slot);
	free(listener->request);
	free(listener->status);
	free(listener->done);
	free(listener->sending);
}

/* ---- requests and answers ---- */

static int listener_receive(struct listener *listener, int i)
{
	int bytes = (int)(sizeof(struct request) + listener->options.buffer);

	return MPI_Irecv(listener->slot[i].request, bytes, MPI_BYTE, MPI_ANY_SOURCE, TAG_REQUEST,
			 listener->options.comm, &listener->request[i]) ? -EIO : 0;
}

/* Inform the sender that its request is here: it may send the next one in the schedule's order. */
static int acknowledge(struct listener *listener, const struct slot *slot)
{
	MPI_Request request;

	if (!(slot->request->flags & REQUEST_ACKNOWLEDGE))
		return 0;
	if (MPI_Isend(NULL, 0, MPI_BYTE, slot->client, TAG_RECEIVED + (int)slot->request->flight,
		      listener->options.comm, &request))
		return -EIO;
	return MPI_Request_free(&request) ? -EIO : 0;
}

static int take_request(struct listener *listener, int i, MPI_Status *status)
{
	struct slot *slot = &listener->slot[i];
	int bytes, error;

	MPI_Get_count(status, MPI_BYTE, &bytes);
	slot->client = status->MPI_SOURCE;
	slot->bytes = (uint64_t)bytes;
	error = acknowledge(listener, slot);
	listener->finished += slot->request->kind == KIND_FINISH;
	listener->serving++;
	worker_put(listener->worker, slot);
	return error;
}

/* With @acknowledge the client will confirm receipt. */
static int send_answer(struct listener *listener, struct slot *slot, bool acknowledge)
{
	int i = (int)(slot - listener->slot), error = 0;
	MPI_Comm comm = listener->options.comm;

	slot->answer->acknowledge = acknowledge;
	listener->sending[i] = 1 + acknowledge;
	if (acknowledge)
		error = MPI_Irecv(NULL, 0, MPI_BYTE, slot->client,
				  TAG_TAKEN + (int)slot->request->flight, comm,
				  &listener->request[listener->slots + i]);
	if (!error)
		error = MPI_Isend(slot->answer, (int)(sizeof(*slot->answer) + slot->data),
				  MPI_BYTE, slot->client, TAG_ANSWER + (int)slot->request->flight,
				  comm, &listener->request[i]);
	return error ? -EIO : 0;
}

static int send_answers(struct listener *listener, bool *moved)
{
	struct slot *slot;
	int error = 0;

	while (!error && (slot = worker_take(listener->worker))) {
		*moved = true;
		if (!answers_hold(&listener->answers, slot))
			error = send_answer(listener, slot, false);
	}
	while (!error && (slot = answers_next(&listener->answers))) {
		*moved = true;
		error = send_answer(listener, slot, true);
	}
	return error;
}

/* The @k-th request is done. */
static int take_done(struct listener *listener, int k, MPI_Status *status)
{
	int i = k % listener->slots;

	if (!listener->sending[i])
		return take_request(listener, i, status);
	if (k >= listener->slots)
		answers_left(&listener->answers, &listener->slot[i]);
	if (--listener->sending[i])
		return 0;
	listener->serving--;
	return listener_receive(listener, i);
}

static int progress(struct listener *listener, bool *moved)
{
	int requests = listener->options.exchange ? 2 * listener->slots : listener->slots;
	int done, error = 0;

	if (MPI_Testsome(requests, listener->request, &done, listener->done,
			 listener->status))
		return -EIO;
	for (int k = 0; k < done && done != MPI_UNDEFINED && !error; k++) {
		*moved = true;
		error = take_done(listener, listener->done[k], &listener->status[k]);
	}
	return error ? error : send_answers(listener, moved);
}

/* ---- from begin to end ---- */

static int serve(struct listener *listener)
{
	struct patience patience = patience_new(listener->options.timeout_ns);
	int error = 0;

	while (!error && (listener->finished < listener->options.clients || listener->serving)) {
		bool moved = false;
		int late;

		error = progress(listener, &moved);
		if (moved)
			patience_moved(&patience);
		late = patience_rest(&patience);
		if (late && listener->finished && !error)
			error = late;
	}
	return error;
}

/* Receives that are still posted will never be matched. */
static void withdraw(struct listener *listener)
{
	for (int i = 0; i < 2 * listener->slots; i++)
		if (listener->request[i] != MPI_REQUEST_NULL &&
		    (i >= listener->slots || !listener->sending[i])) {
			MPI_Cancel(&listener->request[i]);
			MPI_Request_free(&listener->request[i]);
		}
}

int listener_run(const struct listener_options *options)
{
	struct listener listener = {
		.options = *options, .slots = (int)options->clients * DEPTH,
	};
	int error = listener_take_memory(&listener);

	if (!error) {
		listener.worker = worker_new(options->clients, options->timeout_ns / 2);
		error = listener.worker ? 0 : -ENOMEM;
	}
	if (!error)
		error = answers_new(&listener.answers, options->exchange, options->clients,
				    options->timeout_ns / 4);
	for (int i = 0; i < listener.slots && !error; i++)
		error = listener_receive(&listener, i);
	if (!error) {
		error = serve(&listener);
		withdraw(&listener);
	}
	worker_free(listener.worker);
	answers_free(&listener.answers);
	if (!error)
		give_memory(&listener);
	return error;
}
