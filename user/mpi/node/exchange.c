// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One exchange, as each rank goes through it
 *
 * A grant is a range of this rank's bytes for the ranks of another node, one message after the
 * other. It becomes a post for each message that it has bytes of, two where the tail begins within.
 */
#include <stdlib.h>
#include <string.h>

#include "node/exchange.h"

#define EVENTS	16

/* Ids of posts: the place of a grant, and whether it is of its main part */
#define ID_MAIN	(UINT64_C(1) << 32)

/* A grant that is being posted */
struct work {
	bool active, main_told;
	uint32_t place;			/* of the receiver in the members of all nodes */
	uint64_t begin;			/* of the message to that rank, in that to its node */
	uint64_t at;			/* what comes next, there */
	uint32_t main, all;		/* posts that have not left */
};

struct exchange {
	struct driver_options options;
	struct exchange_spans spans;
	uint64_t tail;			/* bytes */
	struct driver *driver;		/* NULL: another rank drives the node, or none */
	struct shuffle shuffle;
	bool shuffles;
	struct local local;
	struct grant *grant;		/* of this rank */
	struct work work[NODE_GRANTS];
	uint64_t taken;			/* number of the last grant that was taken */
	uint64_t left, bytes;		/* of all that goes to other nodes */
	bool driver_done, local_done;
};

/* ---- begin and end ---- */

static int mpi_fail(struct liquid_error *err, int code)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int length;

	PMPI_Error_string(code, text, &length);
	return liquid_fail(err, LIQUID_IO, "within a node: %s", text);
}

static uint64_t bytes_to_others(const struct exchange *exchange)
{
	const struct node *node = exchange->options.node;
	const uint32_t *machine = node->map->machine;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < node->map->nodes; i++)
		if (machine[i] != machine[node->self])
			bytes += node_sum(node, node->own, i);
	return bytes;
}

static int exchange_take_memory(struct exchange *exchange, const struct shuffle_options *shuffle,
				struct liquid_error *err)
{
	const struct driver_options *o = &exchange->options;
	const struct exchange_spans *spans = &exchange->spans;

	if (!local_new(&exchange->local, o->node, spans->out, spans->in))
		return liquid_no_memory(err);
	if (shuffle)
		return shuffle_open(&exchange->shuffle, shuffle, o->ops, o->wire, spans->far_out,
				    err);
	return o->plan ? driver_new(o, &exchange->driver, err) : LIQUID_OK;
}

int exchange_new(const struct driver_options *options, const struct shuffle_options *shuffle,
		 const struct exchange_spans *spans, struct exchange **result,
		 struct liquid_error *err)
{
	struct exchange *exchange = calloc(1, sizeof(*exchange));
	int status;

	*result = NULL;
	if (!exchange)
		return liquid_no_memory(err);
	exchange->options = *options;
	exchange->spans = *spans;
	exchange->grant = options->node->seat[options->node->own].grant;
	exchange->shuffles = shuffle;
	exchange->driver_done = !options->plan;
	status = exchange_take_memory(exchange, shuffle, err);
	if (status)
		exchange_free(exchange);
	else
		*result = exchange;
	return status;
}

int exchange_begin(struct exchange *exchange, uint64_t tail, int64_t base_ns,
		   struct liquid_error *err)
{
	const struct driver_options *o = &exchange->options;
	int code, status = LIQUID_OK;

	exchange->tail = tail;
	exchange->bytes = bytes_to_others(exchange);
	if (exchange->driver)
		status = driver_begin(exchange->driver, tail, base_ns, err);
	if (!status)
		status = o->ops->start(o->wire, err);
	if (status)
		return status;
	code = local_start(&exchange->local, o->node, exchange->spans.out, exchange->spans.in);
	return code ? mpi_fail(err, code) : LIQUID_OK;
}

void exchange_free(struct exchange *exchange)
{
	if (!exchange)
		return;
	driver_free(exchange->driver);
	shuffle_close(&exchange->shuffle);
	local_clear(&exchange->local);
	free(exchange);
}

const struct liquid_run_stats *exchange_stats(const struct exchange *exchange)
{
	if (exchange->shuffles)
		return &exchange->shuffle.stats;
	return exchange->driver ? driver_stats(exchange->driver) : NULL;
}

/* ---- grants become posts ---- */

/* Report how much of the @i-th grant has left. */
static void tell_driver(struct exchange *exchange, uint32_t i)
{
	struct work *work = &exchange->work[i];
	struct grant *grant = &exchange->grant[i];

	if (work->at == grant->to && !work->all) {
		work->active = false;
		grant_set(grant, GRANT_LEFT);
	} else if (work->at >= grant->tail && !work->main && !work->main_told) {
		work->main_told = true;
		grant_set(grant, GRANT_MAIN_LEFT);
	}
}

static void take_grant(struct exchange *exchange, uint32_t i)
{
	const struct node *node = exchange->options.node;
	const struct grant *grant = &exchange->grant[i];
	uint64_t begin = 0;

	for (uint32_t k = 0; k < node->own; k++)
		begin += node_sum(node, k, grant->node);
	exchange->work[i] = (struct work){
		.active = true, .place = node->map->begin[grant->node], .begin = begin,
		.at = grant->from,
	};
	exchange->taken = grant->number;
}

/* The grant to go on with: all of one is posted before the next. NODE_GRANTS: there is none. */
static uint32_t find_grant(struct exchange *exchange)
{
	uint32_t next = NODE_GRANTS;

	for (uint32_t i = 0; i < NODE_GRANTS; i++) {
		const struct grant *grant = &exchange->grant[i];

		if (exchange->work[i].active && exchange->work[i].at < grant->to)
			return i;
		if (!exchange->work[i].active && grant_state(grant) == GRANT_GIVEN &&
		    grant->number == exchange->taken + 1)
			next = i;
	}
	if (next < NODE_GRANTS)
		take_grant(exchange, next);
	return next;
}

static uint64_t exchange_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Post the next part of the @i-th grant: of one message, and of its main part or its tail. */
static int post_part(struct exchange *exchange, uint32_t i, bool *moved, struct liquid_error *err)
{
	const struct driver_options *o = &exchange->options;
	const struct grant *grant = &exchange->grant[i];
	const struct span *out = exchange->spans.out;
	struct work *work = &exchange->work[i];
	bool main = work->at < grant->tail;
	struct wire_post post = {
		.tail = !main, .ahead = exchange->tail, .id = i | (main ? ID_MAIN : 0),
	};

	while (work->at >= work->begin + out[o->node->map->member[work->place]].bytes)
		work->begin += out[o->node->map->member[work->place++]].bytes;
	post.peer = o->node->map->member[work->place];
	if (!o->ops->may_send(o->wire, post.peer))
		return LIQUID_OK;
	post.offset = work->at - work->begin;
	post.from = out[post.peer].at + post.offset;
	post.bytes = exchange_least(main ? grant->tail : grant->to,
				    work->begin + out[post.peer].bytes) - work->at;
	work->at += post.bytes;
	work->main += main;
	work->all++;
	exchange->left += post.bytes;
	*moved = true;
	return o->ops->send(o->wire, &post, err);
}

static int post_grants(struct exchange *exchange, bool *moved, struct liquid_error *err)
{
	bool posted = true;
	int status = LIQUID_OK;

	while (posted && !status) {
		uint32_t i = find_grant(exchange);

		posted = false;
		if (i < NODE_GRANTS)
			status = post_part(exchange, i, &posted, err);
		*moved |= posted;
	}
	return status;
}

static void post_left(struct exchange *exchange, uint64_t id)
{
	struct work *work = &exchange->work[(uint32_t)id];

	work->main -= (id & ID_MAIN) != 0;
	work->all--;
	tell_driver(exchange, (uint32_t)id);
}

static int take_events(struct exchange *exchange, bool *moved, struct liquid_error *err)
{
	const struct driver_options *o = &exchange->options;
	struct wire_event event[EVENTS];
	uint32_t count;
	int status = o->ops->poll(o->wire, event, EVENTS, &count, err);

	for (uint32_t i = 0; i < count; i++) {
		*moved = true;
		if (exchange->shuffles)
			shuffle_left(&exchange->shuffle);
		else
			post_left(exchange, event[i].id);
	}
	return status;
}

/* ---- progress ---- */

static bool all_left(const struct exchange *exchange)
{
	if (exchange->shuffles)
		return shuffle_done(&exchange->shuffle);
	for (uint32_t i = 0; i < NODE_GRANTS; i++)
		if (exchange->work[i].active)
			return false;
	return exchange->left == exchange->bytes;
}

static int step_local(struct exchange *exchange, bool *moved, struct liquid_error *err)
{
	int code = MPI_SUCCESS;

	if (!exchange->local_done)
		code = local_step(&exchange->local, &exchange->local_done, moved);
	return code ? mpi_fail(err, code) : LIQUID_OK;
}

/* Post what may be sent now. */
static int step_own(struct exchange *exchange, bool *moved, struct liquid_error *err)
{
	int status = LIQUID_OK;

	if (exchange->shuffles)
		return shuffle_step(&exchange->shuffle, moved, err);
	if (!exchange->driver_done)
		status = driver_step(exchange->driver, &exchange->driver_done, moved, err);
	return status ? status : post_grants(exchange, moved, err);
}

int exchange_step(struct exchange *exchange, bool *done, bool *moved, struct liquid_error *err)
{
	const struct driver_options *o = &exchange->options;
	int status = take_events(exchange, moved, err);

	*done = false;
	if (!status)
		status = step_own(exchange, moved, err);
	if (!status)
		status = step_local(exchange, moved, err);
	if (!status)
		*done = exchange->driver_done && exchange->local_done && all_left(exchange) &&
			o->ops->complete(o->wire);
	return status;
}
