// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A wire over the MPI's own point to point: any transport
 *
 * Data of one pair keeps its order, so a receiver needs no word on where pieces end: it posts a
 * receive for all that is missing of a message, and what comes is the next part of it. An exchange
 * that begins early waits in the MPI, which is why may_send() always returns true. Tokens have a
 * tag of their own, and some receives are always posted for them.
 *
 * A send of MPI is complete when its bytes are in some buffer, a socket's of megabytes for
 * instance. So receivers answer each message, and a post has left when it was answered: that is
 * late by the answer's way, which the tail covers. The tail itself has left when MPI says so.
 */
#include <stdlib.h>
#include <string.h>

#include "wire/wire.h"

enum { TAG_DATA = 1, TAG_TOKEN = 2, TAG_ANSWER = 7 };

#define TOKEN_RECEIVES	16
#define SENDS		64		/* requests with room in an exchange, without receives */
/* MPI counts in int: longer posts are made of several messages. */
#define CHUNK		(UINT64_C(1) << 30)

struct token {
	uint64_t slot, epoch;
};

/* Actions for when the request with the same index has completed */
enum job_kind { JOB_RECEIVE, JOB_SEND, JOB_ANSWER, JOB_ANSWERED, JOB_TELL, JOB_TAKE };

struct job {
	enum job_kind kind;
	bool leaves;			/* with it the post has left */
	uint32_t peer;			/* JOB_RECEIVE */
	uint64_t id;			/* of the post */
	struct token *token;		/* JOB_TELL, JOB_TAKE */
};

struct wire {
	struct wire_options options;
	struct token take[TOKEN_RECEIVES];
	struct job *job;
	MPI_Request *request;
	int *done;			/* room for MPI_Testsome() */
	MPI_Status *status;
	uint32_t jobs, room;
	uint64_t *left;			/* ids of posts that have left, to be reported */
	uint32_t left_count;
	struct span *in;		/* missing bytes, by rank */
	uint32_t receiving, sending;	/* messages of the exchange that are not complete */
};

static int p2p_fail(struct liquid_error *err, const char *what, int code)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int length;

	PMPI_Error_string(code, text, &length);
	return liquid_fail(err, LIQUID_IO, "%s: %s", what, text);
}

/* ---- jobs: a request, and what its completion means ---- */

static int p2p_grow(struct wire *wire, struct liquid_error *err)
{
	uint32_t room = 2 * wire->room + 64;
	struct job *job = realloc(wire->job, room * sizeof(*job));
	MPI_Request *request = realloc(wire->request, room * sizeof(*request));
	int *done = realloc(wire->done, room * sizeof(*done));
	MPI_Status *status = realloc(wire->status, room * sizeof(*status));
	uint64_t *left = realloc(wire->left, room * sizeof(*left));

	wire->job = job ? job : wire->job;
	wire->request = request ? request : wire->request;
	wire->done = done ? done : wire->done;
	wire->status = status ? status : wire->status;
	wire->left = left ? left : wire->left;
	if (!job || !request || !done || !status || !left)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for %u requests", room);
	wire->room = room;
	return LIQUID_OK;
}

/* Start @job, with the memory of @span: send it, or receive into it. */
static int begin_job(struct wire *wire, const struct job *job, const struct span *span, int peer,
		     struct liquid_error *err)
{
	static const struct {
		int tag;
		bool sends;
	} kinds[] = {
		[JOB_RECEIVE] = { TAG_DATA, false }, [JOB_SEND] = { TAG_DATA, true },
		[JOB_ANSWERED] = { TAG_ANSWER, false }, [JOB_ANSWER] = { TAG_ANSWER, true },
		[JOB_TAKE] = { TAG_TOKEN, false }, [JOB_TELL] = { TAG_TOKEN, true },
	};
	int bytes = (int)(span->bytes < CHUNK ? span->bytes : CHUNK), tag = kinds[job->kind].tag;
	int code, status = wire->jobs < wire->room ? LIQUID_OK : p2p_grow(wire, err);

	if (status)
		return status;
	if (kinds[job->kind].sends)
		code = PMPI_Isend(span->at, bytes, MPI_BYTE, peer, tag, wire->options.comm,
				  &wire->request[wire->jobs]);
	else
		code = PMPI_Irecv(span->at, bytes, MPI_BYTE, peer, tag, wire->options.comm,
				  &wire->request[wire->jobs]);
	if (code)
		return p2p_fail(err, "a message of MPI", code);
	wire->job[wire->jobs++] = *job;
	return LIQUID_OK;
}

static int p2p_receive(struct wire *wire, uint32_t peer, struct liquid_error *err)
{
	const struct job job = { .kind = JOB_RECEIVE, .peer = peer };

	return begin_job(wire, &job, &wire->in[peer], (int)peer, err);
}

static int p2p_take(struct wire *wire, struct token *token, struct liquid_error *err)
{
	const struct job job = { .kind = JOB_TAKE, .token = token };
	const struct span span = { (unsigned char *)token, sizeof(*token) };

	return begin_job(wire, &job, &span, MPI_ANY_SOURCE, err);
}

/* ---- open and close ---- */

/* After it nothing is written any more. Messages being sent may still be read. */
static void p2p_close(struct wire *wire)
{
	for (uint32_t i = 0; i < wire->jobs; i++) {
		if (wire->job[i].kind == JOB_TAKE || wire->job[i].kind == JOB_RECEIVE ||
		    wire->job[i].kind == JOB_ANSWERED)
			PMPI_Cancel(&wire->request[i]);
		/* Of a message that is coming already the rest comes, too. */
		if (wire->job[i].kind == JOB_TAKE || wire->job[i].kind == JOB_RECEIVE)
			PMPI_Wait(&wire->request[i], MPI_STATUS_IGNORE);
		else
			PMPI_Request_free(&wire->request[i]);
	}
	free(wire->job);
	free(wire->request);
	free(wire->done);
	free(wire->status);
	free(wire->left);
	free(wire->in);
	free(wire);
}

static bool takes_tokens(const struct wire_options *options)
{
	for (uint32_t i = 0; i < options->ranks; i++)
		if (options->use[i] & WIRE_TOKENS)
			return true;
	return false;
}

static int p2p_open(struct wire **result, const struct wire_options *options, void *cards,
		    struct liquid_error *err)
{
	struct wire *wire = calloc(1, sizeof(*wire));
	int status = LIQUID_OK;

	(void)cards;
	*result = NULL;
	if (!wire)
		return liquid_no_memory(err);
	wire->options = *options;
	wire->in = calloc(options->ranks, sizeof(*wire->in));
	if (!wire->in)
		status = liquid_no_memory(err);
	for (uint32_t i = 0; i < TOKEN_RECEIVES && !status && takes_tokens(options); i++)
		status = p2p_take(wire, &wire->take[i], err);
	if (status)
		p2p_close(wire);
	else
		*result = wire;
	return status;
}

static int p2p_connect(struct wire *wire, const void *cards, struct liquid_error *err)
{
	(void)wire, (void)cards, (void)err;
	return LIQUID_OK;
}

/* ---- an exchange ---- */

static int p2p_prepare(struct wire *wire, const struct span *out, const struct span *in,
		       uint64_t epoch, struct liquid_error *err)
{
	int status = LIQUID_OK;

	(void)out, (void)epoch;
	while (wire->room < wire->jobs + wire->options.ranks + SENDS && !status)
		status = p2p_grow(wire, err);
	memcpy(wire->in, in, wire->options.ranks * sizeof(*in));
	wire->in[wire->options.rank].bytes = 0;
	return status;
}

static int p2p_start(struct wire *wire, struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < wire->options.ranks && !status; i++)
		if (wire->in[i].bytes) {
			status = p2p_receive(wire, i, err);
			wire->receiving += !status;
		}
	return status;
}

static bool p2p_may_send(struct wire *wire, uint32_t peer)
{
	(void)wire, (void)peer;
	return true;
}

/* Of which the end of the exchange waits for the completion */
static int begin_own(struct wire *wire, const struct job *job, const struct span *span,
		     uint32_t peer, struct liquid_error *err)
{
	int status = begin_job(wire, job, span, (int)peer, err);

	wire->sending += !status;
	return status;
}

static int p2p_send(struct wire *wire, const struct wire_post *post, struct liquid_error *err)
{
	const struct span nothing = { NULL, 0 };
	int status = LIQUID_OK;

	for (uint64_t at = 0; at < post->bytes && !status; at += CHUNK) {
		const struct span rest = { (unsigned char *)post->from + at, post->bytes - at };
		bool last = rest.bytes <= CHUNK;
		struct job send = { .kind = JOB_SEND, .id = post->id,
				    .leaves = last && post->tail };
		struct job answer = { .kind = JOB_ANSWERED, .id = post->id,
				      .leaves = last && !post->tail };

		status = begin_own(wire, &answer, &nothing, post->peer, err);
		if (!status)
			status = begin_own(wire, &send, &rest, post->peer, err);
	}
	return status;
}

static int p2p_tell(struct wire *wire, uint32_t peer, uint32_t slot, uint64_t epoch,
		    struct liquid_error *err)
{
	struct token *token = malloc(sizeof(*token));
	const struct job job = { .kind = JOB_TELL, .token = token };
	const struct span span = { (unsigned char *)token, sizeof(*token) };
	int status;

	/* The other rank waits for it, but not for ever. */
	if (!token)
		return LIQUID_OK;
	*token = (struct token){ .slot = slot, .epoch = epoch };
	status = begin_own(wire, &job, &span, peer, err);
	if (status)
		free(token);
	return status;
}

/* ---- completions ---- */

static void write_slot(const struct wire *wire, const struct token *token)
{
	uint64_t *slot;

	if (token->slot >= wire->options.slot_count)
		return;
	slot = &wire->options.slots[token->slot];
	if (*slot < token->epoch)
		__atomic_store_n(slot, token->epoch, __ATOMIC_RELEASE);
}

static int received(struct wire *wire, uint32_t peer, MPI_Status *mpi, struct liquid_error *err)
{
	struct span *in = &wire->in[peer];
	const struct job answer = { .kind = JOB_ANSWER };
	const struct span nothing = { NULL, 0 };
	MPI_Count bytes = 0;
	int status;

	PMPI_Get_elements_x(mpi, MPI_BYTE, &bytes);
	in->at += bytes;
	in->bytes -= (uint64_t)bytes;
	status = begin_own(wire, &answer, &nothing, peer, err);
	if (status)
		return status;
	if (in->bytes)
		return p2p_receive(wire, peer, err);
	wire->receiving--;
	return LIQUID_OK;
}

/* A copy of the job, because what follows may add jobs and move them. */
static int finish_job(struct wire *wire, struct job job, MPI_Status *mpi, struct liquid_error *err)
{
	switch (job.kind) {
	case JOB_RECEIVE:
		return received(wire, job.peer, mpi, err);
	case JOB_SEND:
	case JOB_ANSWER:
	case JOB_ANSWERED:
		wire->sending--;
		if (job.leaves)
			wire->left[wire->left_count++] = job.id;
		return LIQUID_OK;
	case JOB_TELL:
		wire->sending--;
		free(job.token);
		return LIQUID_OK;
	case JOB_TAKE:
		write_slot(wire, job.token);
		return p2p_take(wire, job.token, err);
	}
	return LIQUID_OK;
}

/* Leave out the jobs whose requests have completed. */
static void drop_done(struct wire *wire, uint32_t before)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < wire->jobs; i++) {
		if (i < before && wire->request[i] == MPI_REQUEST_NULL)
			continue;
		wire->job[kept] = wire->job[i];
		wire->request[kept++] = wire->request[i];
	}
	wire->jobs = kept;
}

static int test(struct wire *wire, uint32_t jobs, int *done, struct liquid_error *err)
{
	int code;

	*done = 0;
	code = PMPI_Testsome((int)jobs, wire->request, done, wire->done, wire->status);
	if (code == MPI_ERR_IN_STATUS)
		for (int i = 0; i < *done; i++)
			if (wire->status[i].MPI_ERROR)
				code = wire->status[i].MPI_ERROR;
	if (*done == MPI_UNDEFINED)
		*done = 0;
	return code ? p2p_fail(err, "MPI_Testsome", code) : LIQUID_OK;
}

static int progress(struct wire *wire, struct liquid_error *err)
{
	uint32_t jobs = wire->jobs;
	int done, status;

	if (!jobs)
		return LIQUID_OK;
	status = test(wire, jobs, &done, err);
	for (int i = 0; i < done && !status; i++)
		status = finish_job(wire, wire->job[wire->done[i]], &wire->status[i], err);
	if (done)
		drop_done(wire, jobs);
	return status;
}

static int p2p_poll(struct wire *wire, struct wire_event *events, uint32_t max, uint32_t *count,
		    struct liquid_error *err)
{
	/* No more is completed until all that has left is reported: there is room for each job. */
	int status = wire->left_count ? LIQUID_OK : progress(wire, err);
	uint32_t told = wire->left_count < max ? wire->left_count : max;

	for (uint32_t i = 0; i < told; i++)
		events[i].id = wire->left[i];
	wire->left_count -= told;
	if (wire->left_count)
		memmove(wire->left, wire->left + told, wire->left_count * sizeof(*wire->left));
	*count = told;
	return status;
}

static bool p2p_complete(const struct wire *wire)
{
	return !wire->receiving && !wire->sending;
}

static void p2p_finish(struct wire *wire)
{
	memset(wire->in, 0, wire->options.ranks * sizeof(*wire->in));
}

const struct wire_ops wire_p2p = {
	.name = "p2p",
	.open = p2p_open,
	.connect = p2p_connect,
	.close = p2p_close,
	.prepare = p2p_prepare,
	.start = p2p_start,
	.may_send = p2p_may_send,
	.send = p2p_send,
	.tell = p2p_tell,
	.poll = p2p_poll,
	.complete = p2p_complete,
	.finish = p2p_finish,
};
