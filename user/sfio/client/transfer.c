// SPDX-License-Identifier: LGPL-2.1-or-later
/* Launches requests as room and order allow, follows them, takes answers, abandons late ones. */
#include <errno.h>
#include <stdlib.h>

#include "order/exchange.h"
#include "client/transfer.h"
#include "wire/patience.h"

struct transfer {
	struct context *context;
	const struct request *request;
	struct cache *cache;
	const bool *uses;
	struct exchange *exchange;	/* NULL: in no order */
	uint64_t *round;		/* by listener: requests sent */
	bool *ended;			/* by listener: all has been sent */
	bool collective;
	uint64_t rounds;		/* least number of requests for each listener */
	int error;			/* the first */
};

static void call_note(struct transfer *transfer, int error)
{
	if (!transfer->error)
		transfer->error = error;
}

static struct flight *flight_of(const struct context *context, uint32_t peer, uint32_t i)
{
	return &context->flight[(size_t)peer * DEPTH + i];
}

static struct flight *free_flight(const struct context *context, uint32_t peer)
{
	for (uint32_t i = 0; i < DEPTH; i++)
		if (!flight_of(context, peer, i)->used)
			return flight_of(context, peer, i);
	return NULL;
}

/* ---- sending ---- */

/* Something has to be sent to @peer. */
static bool pending(const struct transfer *transfer, uint32_t peer)
{
	if (transfer->error && !transfer->collective)
		return false;
	return transfer->uses[peer] && !transfer->ended[peer];
}

/* The next request for @peer, of which the others under way need not know */
static void launch(struct transfer *transfer, uint32_t peer, struct flight *flight, uint32_t flags)
{
	struct context *context = transfer->context;
	bool more;
	int error = requests_take(&transfer->cache->node[peer], context->buffer, PLACE_END,
				  &flight->batch, &more);

	more = more || transfer->round[peer] + 1 < transfer->rounds;
	transfer->ended[peer] = !more;
	flight->peer = peer;
	flight->names = NULL;
	flight->request = *transfer->request;
	flight->request.flags |= flags | (more ? 0 : REQUEST_LAST);
	flight->request.flight = (uint32_t)(flight - flight_of(context, peer, 0));
	flight->request.round = transfer->round[peer]++;
	if (!error)
		error = flight_begin(context, flight);
	context->stats.messages++;
	context->stats.bytes += flight->request.bytes;
	if (error)
		transfer->ended[peer] = true;
	call_note(transfer, error);
}

/* Each rank begins with another listener, so that they do not all send to the same one at first. */
static void launch_all(struct transfer *transfer, bool *moved)
{
	const struct context *context = transfer->context;

	for (uint32_t i = 0; i < context->peers; i++) {
		uint32_t peer = (i + (uint32_t)context->rank) % context->peers;
		struct flight *flight = free_flight(context, peer);

		if (!flight || !pending(transfer, peer))
			continue;
		launch(transfer, peer, flight, 0);
		*moved = true;
	}
}

/* ---- in the order of a schedule ---- */

/* Send where the schedule says so now. */
static void transfer_follow(struct transfer *transfer, bool *moved)
{
	struct exchange *exchange = transfer->exchange;
	struct flight *flight;
	uint32_t peer;

	while (exchange_next(exchange, &peer)) {
		flight = free_flight(transfer->context, peer);
		if (pending(transfer, peer) && !flight)
			return;
		exchange_sent(exchange, peer);
		if (pending(transfer, peer))
			launch(transfer, peer, flight, REQUEST_ACKNOWLEDGE);
		else
			exchange_left(exchange, peer);
		*moved = true;
	}
}

static bool pending_any(const struct transfer *transfer)
{
	for (uint32_t i = 0; i < transfer->context->peers; i++)
		if (pending(transfer, i))
			return true;
	return false;
}

/* ---- waiting ---- */

static void take_answer(struct transfer *transfer, struct flight *flight, bool *moved)
{
	bool received = flight->received;

	call_note(transfer, flight_test(transfer->context, flight, moved));
	if (flight->received && !received)
		exchange_left(transfer->exchange, flight->peer);
	if (!flight->used)
		call_note(transfer, flight->answer.error);
}

/* Returns whether some request is under way. */
static bool take_answers(struct transfer *transfer, bool *moved)
{
	struct context *context = transfer->context;
	bool busy = false;

	for (uint32_t i = 0; i < context->peers * DEPTH; i++) {
		if (context->flight[i].used)
			take_answer(transfer, &context->flight[i], moved);
		busy = busy || context->flight[i].used;
	}
	return busy;
}

static void abandon(struct transfer *transfer, int error)
{
	struct context *context = transfer->context;

	call_note(transfer, error);
	for (uint32_t i = 0; i < context->peers * DEPTH; i++)
		if (context->flight[i].used)
			flight_abandon(context, &context->flight[i]);
	for (uint32_t i = 0; i < context->peers; i++)
		transfer->ended[i] = true;
	exchange_stop(transfer->exchange);
}

/* Send, and take answers, until nothing is left. */
static void go(struct transfer *transfer)
{
	struct exchange *exchange = transfer->exchange;
	struct patience patience = patience_new(transfer->context->timeout_ns);
	bool busy = true;

	while (busy || pending_any(transfer) || exchange_busy(exchange)) {
		bool moved = false;
		int late;

		if (exchange_begin(exchange, pending_any(transfer)))
			transfer_follow(transfer, &moved);
		else
			launch_all(transfer, &moved);
		busy = take_answers(transfer, &moved);
		if (moved)
			patience_moved(&patience);
		late = patience_rest(&patience);
		if (late)
			abandon(transfer, late);
	}
}

/* ---- calls ---- */

/* Listeners for which the cache has something */
static void find_used(struct transfer *transfer, bool *uses)
{
	for (uint32_t i = 0; i < transfer->cache->nodes; i++)
		uses[i] = transfer->cache->node[i].all.count > 0;
	transfer->uses = uses;
}

int transfer(struct context *context, const struct request *request, struct cache *cache,
	     const bool *uses, uint64_t rounds)
{
	struct transfer transfer = {
		.context = context, .request = request, .cache = cache, .uses = uses,
		.rounds = rounds,
		.collective = request->kind == KIND_WRITE_ALL || request->kind == KIND_READ_ALL,
		.exchange = request->kind == KIND_WRITE || request->kind == KIND_WRITE_ALL ?
			    context->exchange : NULL,
		.round = calloc(context->peers, sizeof(*transfer.round)),
		.ended = calloc(context->peers, sizeof(*transfer.ended)),
	};
	bool *used = calloc(context->peers, sizeof(*used));

	if (transfer.round && transfer.ended && used) {
		if (!transfer.collective)
			find_used(&transfer, used);
		go(&transfer);
	} else {
		transfer.error = -ENOMEM;
	}
	free(transfer.round);
	free(transfer.ended);
	free(used);
	return transfer.error;
}

static int ask_one(struct context *context, const struct request *request, uint32_t peer,
		   const struct batch *batch, const char *names, uint32_t name_bytes)
{
	struct flight *flight = flight_of(context, peer, 0);
	int error = 0;

	flight->peer = peer;
	flight->request = *request;
	flight->names = names;
	flight->request.names = name_bytes;
	flight->batch.pieces.count = flight->batch.runs = 0;
	flight->batch.bytes = 0;
	for (size_t i = 0; batch && i < batch->runs && !error; i++)
		error = batch_add(&flight->batch, &batch->run[i]);
	return error ? error : flight_begin(context, flight);
}

int transfer_ask(struct context *context, const struct request *request, const bool *uses,
		 const struct batch *batch, char *const *names, const uint32_t *name_bytes)
{
	struct transfer transfer = { .context = context, .uses = uses };
	struct patience patience = patience_new(context->timeout_ns);
	bool busy = true;

	transfer.ended = calloc(context->peers, sizeof(*transfer.ended));
	if (!transfer.ended)
		return -ENOMEM;
	for (uint32_t i = 0; i < context->peers; i++)
		if (uses[i])
			call_note(&transfer, ask_one(context, request, i, batch ? &batch[i] : NULL,
						     names ? names[i] : NULL,
						     names ? name_bytes[i] : 0));
	while (busy) {
		bool moved = false;

		busy = take_answers(&transfer, &moved);
		if (moved)
			patience_moved(&patience);
		if (busy && patience_rest(&patience))
			abandon(&transfer, -ETIMEDOUT);
	}
	free(transfer.ended);
	return transfer.error;
}
