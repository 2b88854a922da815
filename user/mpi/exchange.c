// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One exchange: what the run says is posted to the wire, and what the wire says is told to the run
 *
 * A piece is up to two posts, its main part and its tail. Its tokens are given when the main part
 * has left, and the rank's next piece follows when the tail has left.
 */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "exchange.h"

#define EVENTS	16

/* Ids of posts: the number of a piece, and what it means that the post has left. */
#define ID_MAIN	(UINT64_C(1) << 32)
#define ID_LEFT	(UINT64_C(1) << 33)

struct exchange {
	struct exchange_options options;
	struct liquid_run *run;
	const struct liquid_piece *piece;
	uint32_t pieces;
	uint32_t *held, held_count;	/* pieces whose receiver is not ready */
	uint32_t *posted;		/* units of each rank's message that have been posted */
	clockid_t clock;
	bool run_done;
};

static int make_run(struct exchange *exchange, struct liquid_error *err)
{
	const struct exchange_options *o = &exchange->options;
	struct liquid_run_options options = {
		.size = sizeof(options), .sync = o->sync, .timeout_ns = o->timeout_ns,
		.frame_ns = o->frame_ns, .slots = o->slots, .first_epoch = o->epoch,
	};
	int status = liquid_run_new(o->plan, o->rank, &options, &exchange->run, err);

	return status ? status : liquid_run_begin(exchange->run, o->base_ns, err);
}

int exchange_new(const struct exchange_options *options, struct exchange **result,
		 struct liquid_error *err)
{
	struct exchange *exchange = calloc(1, sizeof(*exchange));
	int status;

	*result = NULL;
	if (!exchange)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for an exchange");
	exchange->options = *options;
	exchange->clock = options->sync == LIQUID_SYNC_CLOCK ? CLOCK_TAI : CLOCK_MONOTONIC;
	exchange->piece = liquid_plan_pieces(options->plan, options->rank, &exchange->pieces);
	exchange->held = calloc((size_t)exchange->pieces + 1, sizeof(*exchange->held));
	exchange->posted = calloc(options->ranks, sizeof(*exchange->posted));
	status = exchange->held && exchange->posted ? make_run(exchange, err) :
		 liquid_fail(err, LIQUID_NO_MEMORY, "no memory for an exchange");
	if (!status)
		status = options->ops->start(options->wire, err);
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
	liquid_run_free(exchange->run);
	free(exchange->held);
	free(exchange->posted);
	free(exchange);
}

const struct liquid_run_stats *exchange_stats(const struct exchange *exchange)
{
	return liquid_run_stats(exchange->run);
}

static int give(struct exchange *exchange, const struct liquid_token *token, uint32_t count,
		struct liquid_error *err)
{
	const struct exchange_options *o = &exchange->options;
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < count && !status; i++)
		status = o->ops->tell(o->wire, token[i].rank, token[i].slot, o->epoch, err);
	return status;
}

static int main_left(struct exchange *exchange, uint32_t piece, struct liquid_error *err)
{
	uint32_t count;
	const struct liquid_token *token = liquid_run_main_left(exchange->run, piece, &count);

	return give(exchange, token, count, err);
}

static int left(struct exchange *exchange, uint32_t piece, struct liquid_error *err)
{
	uint32_t count;
	const struct liquid_token *token = liquid_run_left(exchange->run, piece, &count);

	return give(exchange, token, count, err);
}

static int post(struct exchange *exchange, uint32_t piece, uint64_t offset, uint64_t bytes,
		uint64_t what, struct liquid_error *err)
{
	const struct exchange_options *o = &exchange->options;
	uint32_t peer = exchange->piece[piece].peer;
	struct wire_post post = {
		.peer = peer, .from = o->out[peer].at + offset, .offset = offset, .bytes = bytes,
		.id = what | piece,
	};

	return bytes ? o->ops->send(o->wire, &post, err) : LIQUID_OK;
}

static int send_piece(struct exchange *exchange, uint32_t number, struct liquid_error *err)
{
	const struct liquid_piece *piece = &exchange->piece[number];
	struct liquid_cut cut;
	int status;

	exchange->posted[piece->peer] += piece->units;
	liquid_piece_cut(piece, exchange->options.out[piece->peer].bytes, exchange->options.tail,
			 &cut);
	status = post(exchange, number, cut.offset, cut.main,
		      cut.tail ? ID_MAIN : ID_MAIN | ID_LEFT, err);
	if (!status)
		status = post(exchange, number, cut.offset + cut.main, cut.tail, ID_LEFT, err);
	if (!status && !cut.main)
		status = main_left(exchange, number, err);
	if (!status && !cut.main && !cut.tail)
		status = left(exchange, number, err);
	return status;
}

/* Where a rank has several lanes, two of them may have pieces of one message. */
static bool may_send(const struct exchange *exchange, uint32_t number)
{
	const struct exchange_options *o = &exchange->options;
	const struct liquid_piece *piece = &exchange->piece[number];

	return exchange->posted[piece->peer] == piece->part &&
	       o->ops->may_send(o->wire, piece->peer);
}

static int send_held(struct exchange *exchange, bool *moved, struct liquid_error *err)
{
	uint32_t kept = 0, count = exchange->held_count;
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t piece = exchange->held[i];

		if (status || !may_send(exchange, piece)) {
			exchange->held[kept++] = piece;
			continue;
		}
		status = send_piece(exchange, piece, err);
		*moved = true;
	}
	exchange->held_count = kept;
	return status;
}

static int take_events(struct exchange *exchange, bool *moved, struct liquid_error *err)
{
	const struct exchange_options *o = &exchange->options;
	struct wire_event event[EVENTS];
	uint32_t count;
	int status = o->ops->poll(o->wire, event, EVENTS, &count, err);

	for (uint32_t i = 0; i < count && !status; i++) {
		uint32_t piece = (uint32_t)event[i].id;

		*moved = true;
		if (event[i].id & ID_MAIN)
			status = main_left(exchange, piece, err);
		if (!status && event[i].id & ID_LEFT)
			status = left(exchange, piece, err);
	}
	return status;
}

static int follow_run(struct exchange *exchange, bool *moved, struct liquid_error *err)
{
	struct liquid_next next;
	int status = LIQUID_OK;

	while (!exchange->run_done && !status) {
		liquid_run_next(exchange->run, clock_ns(exchange->clock), &next);
		exchange->run_done = next.step == LIQUID_RUN_DONE;
		if (next.step != LIQUID_RUN_SEND)
			break;
		exchange->held[exchange->held_count++] = next.piece;
		status = send_held(exchange, moved, err);
	}
	return status;
}

int exchange_step(struct exchange *exchange, bool *done, bool *moved, struct liquid_error *err)
{
	const struct exchange_options *o = &exchange->options;
	int status = take_events(exchange, moved, err);

	*done = false;
	if (!status)
		status = send_held(exchange, moved, err);
	if (!status)
		status = follow_run(exchange, moved, err);
	if (!status)
		*done = exchange->run_done && o->ops->complete(o->wire);
	return status;
}
