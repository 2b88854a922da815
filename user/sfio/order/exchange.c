// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The run of a rank
 *
 * A plan has a rank for each host. A piece is the message for the peer there; the peer on the
 * rank's own host is in no plan, as nothing goes over a link: it is served at once. A piece has
 * left when the peer has acknowledged it, which is late by the way of that message.
 */
#include <stdlib.h>

#include "order/exchange.h"
#include "wire/message.h"
#include "wire/patience.h"

#define RECEIVES	16

struct token {
	uint64_t slot, epoch;
};

/* A token that is being sent */
struct sent {
	struct token token;
	MPI_Request request;
	struct sent *next;
};

struct exchange {
	struct exchange_options options;
	struct liquid_run *order, *tokens;	/* for calls alone; for collective ones */
	struct liquid_run *run;			/* of the two */
	uint32_t *peer_of;			/* peer on each node */
	uint32_t own;				/* peer on this node, or LIQUID_NONE */
	uint32_t *piece_of;			/* piece in flight, by peer */
	uint32_t held;				/* piece whose turn it is, or LIQUID_NONE */
	uint64_t rounds;			/* epochs that have to begin */
	bool running, own_due, stopped;
	struct token take[RECEIVES];
	MPI_Request receive[RECEIVES];
	struct sent *sent;
};

/* ---- begin and end ---- */

static int receive_token(struct exchange *exchange, int i)
{
	return MPI_Irecv(&exchange->take[i], sizeof(struct token), MPI_BYTE, MPI_ANY_SOURCE,
			 TAG_TOKEN, exchange->options.comm, &exchange->receive[i]);
}

static void find_peers(struct exchange *exchange)
{
	const struct nodes *nodes = exchange->options.nodes;

	exchange->own = exchange->held = LIQUID_NONE;
	for (uint32_t i = 0; i < nodes->count; i++)
		exchange->peer_of[i] = LIQUID_NONE;
	for (uint32_t i = 0; i < exchange->options.peers; i++) {
		exchange->peer_of[nodes->of_peer[i]] = i;
		if (nodes->of_peer[i] == exchange->options.self)
			exchange->own = i;
	}
}

static int make_runs(struct exchange *exchange, struct liquid_error *err)
{
	const struct exchange_options *o = &exchange->options;
	struct liquid_run_options options = {
		.sync = LIQUID_SYNC_ORDER, .timeout_ns = o->timeout_ns,
	};
	int status = liquid_run_new(o->plan, o->self, &options, &exchange->order, err);

	exchange->run = exchange->order;
	if (status || o->sync != LIQUID_SYNC_TOKENS)
		return status;
	options.sync = LIQUID_SYNC_TOKENS;
	status = liquid_run_new(o->plan, o->self, &options, &exchange->tokens, err);
	for (int i = 0; i < RECEIVES && !status; i++)
		if (receive_token(exchange, i))
			status = liquid_fail(err, LIQUID_IO, "MPI cannot receive tokens");
	return status;
}

int exchange_new(const struct exchange_options *options, struct exchange **result,
		 struct liquid_error *err)
{
	struct exchange *exchange = calloc(1, sizeof(*exchange));
	int status;

	*result = NULL;
	if (!exchange) {
		liquid_plan_free(options->plan);
		return liquid_no_memory(err);
	}
	exchange->options = *options;
	for (int i = 0; i < RECEIVES; i++)
		exchange->receive[i] = MPI_REQUEST_NULL;
	exchange->peer_of = calloc(options->nodes->count, sizeof(*exchange->peer_of));
	exchange->piece_of = calloc(options->peers, sizeof(*exchange->piece_of));
	if (exchange->peer_of && exchange->piece_of) {
		find_peers(exchange);
		status = make_runs(exchange, err);
	} else {
		status = liquid_no_memory(err);
	}
	if (status)
		exchange_free(exchange);
	else
		*result = exchange;
	return status;
}

void exchange_free(struct exchange *exchange)
{
	if (!exchange)
		return;
	for (int i = 0; i < RECEIVES; i++)
		if (exchange->receive[i] != MPI_REQUEST_NULL) {
			MPI_Cancel(&exchange->receive[i]);
			MPI_Request_free(&exchange->receive[i]);
		}
	while (exchange->sent) {
		struct sent *sent = exchange->sent;

		exchange->sent = sent->next;
		MPI_Request_free(&sent->request);
		free(sent);
	}
	liquid_run_free(exchange->order);
	liquid_run_free(exchange->tokens);
	liquid_plan_free(exchange->options.plan);
	free(exchange->peer_of);
	free(exchange->piece_of);
	free(exchange);
}

/* ---- tokens ---- */

static void take_tokens(struct exchange *exchange)
{
	int done, which[RECEIVES];

	if (!exchange->tokens || MPI_Testsome(RECEIVES, exchange->receive, &done, which,
					      MPI_STATUSES_IGNORE) || done == MPI_UNDEFINED)
		return;
	for (int i = 0; i < done; i++) {
		const struct token *token = &exchange->take[which[i]];

		liquid_run_token(exchange->tokens, (uint32_t)token->slot, token->epoch);
		receive_token(exchange, which[i]);
	}
}

static void forget_sent(struct exchange *exchange)
{
	struct sent **at = &exchange->sent;

	while (*at) {
		struct sent *sent = *at;
		int done;

		MPI_Test(&sent->request, &done, MPI_STATUS_IGNORE);
		if (done) {
			*at = sent->next;
			free(sent);
		} else {
			at = &sent->next;
		}
	}
}

/* A token that cannot be sent is missed: the rank that waits for it goes on after a while. */
static void exchange_give(struct exchange *exchange, const struct liquid_token *token)
{
	int rank = exchange->options.nodes->rank[token->rank];
	struct sent *sent = rank < 0 ? NULL : malloc(sizeof(*sent));

	if (!sent)
		return;
	sent->token = (struct token){ token->slot, liquid_run_stats(exchange->run)->epoch };
	if (MPI_Isend(&sent->token, sizeof(sent->token), MPI_BYTE, rank, TAG_TOKEN,
		      exchange->options.comm, &sent->request)) {
		free(sent);
		return;
	}
	sent->next = exchange->sent;
	exchange->sent = sent;
}

/* ---- epochs ---- */

bool exchange_needs_rounds(const struct exchange *exchange)
{
	return exchange && exchange->tokens && !exchange->stopped;
}

void exchange_rounds(struct exchange *exchange, uint64_t rounds)
{
	exchange->rounds = rounds;
	exchange->run = exchange->tokens;
}

static void begin_epoch(struct exchange *exchange)
{
	struct liquid_error err;

	if (exchange->rounds)
		exchange->rounds--;
	exchange->own_due = exchange->own != LIQUID_NONE;
	exchange->running = !liquid_run_begin(exchange->run, 0, &err);
	if (!exchange->running)
		exchange_stop(exchange);
}

bool exchange_begin(struct exchange *exchange, bool pending)
{
	if (!exchange || exchange->stopped)
		return false;
	if (!exchange->running && (exchange->rounds || pending))
		begin_epoch(exchange);
	return !exchange->stopped;
}

bool exchange_busy(const struct exchange *exchange)
{
	return exchange && !exchange->stopped && (exchange->running || exchange->rounds);
}

bool exchange_collective(const struct exchange *exchange)
{
	return exchange && exchange->run == exchange->tokens;
}

static void end_epoch(struct exchange *exchange)
{
	exchange->running = false;
	if (!exchange->rounds)
		exchange->run = exchange->order;
}

bool exchange_next(struct exchange *exchange, uint32_t *peer)
{
	const struct exchange_options *o = &exchange->options;
	const struct liquid_piece *piece;
	struct liquid_next next;
	uint32_t count;

	if (!exchange->running)
		return false;
	*peer = exchange->own;
	if (exchange->own_due)
		return true;
	if (exchange->held == LIQUID_NONE) {
		take_tokens(exchange);
		liquid_run_next(exchange->run, now_ns(), &next);
		if (next.step == LIQUID_RUN_DONE)
			end_epoch(exchange);
		if (next.step != LIQUID_RUN_SEND)
			return false;
		exchange->held = next.piece;
	}
	piece = liquid_plan_pieces(o->plan, o->self, &count);
	*peer = exchange->peer_of[piece[exchange->held].peer];
	return true;
}

void exchange_sent(struct exchange *exchange, uint32_t peer)
{
	if (peer == exchange->own) {
		exchange->own_due = false;
		return;
	}
	exchange->piece_of[peer] = exchange->held;
	exchange->held = LIQUID_NONE;
}

void exchange_left(struct exchange *exchange, uint32_t peer)
{
	const struct liquid_token *token;
	uint32_t count;

	if (!exchange || exchange->stopped || peer == exchange->own)
		return;
	token = liquid_run_left(exchange->run, exchange->piece_of[peer], &count);
	for (uint32_t i = 0; i < count; i++)
		exchange_give(exchange, &token[i]);
	forget_sent(exchange);
}

void exchange_stop(struct exchange *exchange)
{
	if (exchange)
		exchange->stopped = true;
}

void exchange_stats(const struct exchange *exchange, uint64_t *epochs, uint64_t *unsynchronised)
{
	const struct liquid_run *run[2] = { exchange ? exchange->order : NULL,
					    exchange ? exchange->tokens : NULL };

	*epochs = *unsynchronised = 0;
	for (int i = 0; i < 2; i++)
		if (run[i]) {
			*epochs += liquid_run_stats(run[i])->epochs;
			*unsynchronised += liquid_run_stats(run[i])->unsynchronised;
		}
}
