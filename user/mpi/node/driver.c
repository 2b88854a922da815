// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The run of a node
 *
 * A piece has a main part and a tail. Its tokens are given when the main parts of all ranks that
 * have bytes of it have left, and the next piece is granted when their tails have left.
 */
#include <stdlib.h>
#include <string.h>

#include "node/driver.h"
#include "settings/clock.h"

#define SLACK_NS 1000		/* that readings of two clocks may differ by */

/* A piece that has been granted */
struct flight {
	uint32_t main, all;		/* ranks whose main part, or some part, has not left */
};

/* The driver's view of a rank's grants */
struct given {
	uint32_t piece[NODE_GRANTS];
	bool main_left[NODE_GRANTS];
	uint32_t count;			/* not free */
	uint64_t number;		/* of the last one */
};

struct driver {
	struct driver_options options;
	uint64_t tail;			/* bytes */
	struct liquid_run *run;
	const struct liquid_piece *piece;
	uint32_t pieces;
	struct flight *flight;		/* by piece */
	uint32_t *held, held_count;	/* pieces that cannot be granted yet */
	uint32_t *granted;		/* units of the message to each node */
	struct given *given;		/* by member */
	clockid_t clock;
	struct clock_offset offset;	/* when the exchange began */
	bool run_done;
};

/* ---- begin and end ---- */

static int make_run(struct driver *driver, struct liquid_error *err)
{
	const struct driver_options *o = &driver->options;
	struct liquid_run_options options = {
		.sync = o->sync, .timeout_ns = o->timeout_ns,
		.frame_ns = o->frame_ns, .slots = o->slots, .first_epoch = o->epoch,
	};

	return liquid_run_new(o->plan, o->node->self, &options, &driver->run, err);
}

static bool driver_take_memory(struct driver *driver)
{
	const struct node *node = driver->options.node;
	size_t pieces = (size_t)driver->pieces + 1;

	driver->flight = calloc(pieces, sizeof(*driver->flight));
	driver->held = calloc(pieces, sizeof(*driver->held));
	driver->granted = calloc(node->map->nodes, sizeof(*driver->granted));
	driver->given = calloc(node->members, sizeof(*driver->given));
	return driver->flight && driver->held && driver->granted && driver->given;
}

int driver_new(const struct driver_options *options, struct driver **result,
	       struct liquid_error *err)
{
	struct driver *driver = calloc(1, sizeof(*driver));
	int status;

	*result = NULL;
	if (!driver)
		return liquid_no_memory(err);
	driver->options = *options;
	driver->clock = options->sync == LIQUID_SYNC_CLOCK ? CLOCK_TAI : CLOCK_MONOTONIC;
	driver->piece = liquid_plan_pieces(options->plan, options->node->self, &driver->pieces);
	status = driver_take_memory(driver) ? make_run(driver, err) : liquid_no_memory(err);
	if (status)
		driver_free(driver);
	else
		*result = driver;
	return status;
}

int driver_begin(struct driver *driver, uint64_t tail, int64_t base_ns, struct liquid_error *err)
{
	driver->tail = tail;
	clock_offset(&driver->offset);
	return liquid_run_begin(driver->run, base_ns, err);
}

void driver_free(struct driver *driver)
{
	if (!driver)
		return;
	liquid_run_free(driver->run);
	free(driver->flight);
	free(driver->held);
	free(driver->granted);
	free(driver->given);
	free(driver);
}

const struct liquid_run_stats *driver_stats(const struct driver *driver)
{
	return liquid_run_stats(driver->run);
}

/* ---- tokens ---- */

static int driver_give(struct driver *driver, const struct liquid_token *token, uint32_t count,
		       struct liquid_error *err)
{
	const struct driver_options *o = &driver->options;
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < count && !status; i++)
		status = o->ops->tell(o->wire, map_driver(o->node->map, token[i].rank),
				      token[i].slot, o->epoch, err);
	return status;
}

/* Report to the run the part of @piece that has left: nothing is pending any more. */
static int tell_run(struct driver *driver, uint32_t piece, struct liquid_error *err)
{
	const struct flight *flight = &driver->flight[piece];
	const struct liquid_token *token;
	uint32_t count;
	int status;

	if (flight->main)
		return LIQUID_OK;
	token = liquid_run_main_left(driver->run, piece, &count);
	status = driver_give(driver, token, count, err);
	if (status || flight->all)
		return status;
	token = liquid_run_left(driver->run, piece, &count);
	return driver_give(driver, token, count, err);
}

/* ---- grants ---- */

/* Of the message from this node to another */
struct range {
	uint64_t from, tail, to;
};

static struct range range_of(const struct driver *driver, const struct liquid_piece *piece)
{
	const struct node *node = driver->options.node;
	struct liquid_cut cut;
	uint64_t message = 0;

	for (uint32_t i = 0; i < node->members; i++)
		message += node_sum(node, i, piece->peer);
	liquid_piece_cut(piece, message, driver->tail, &cut);
	return (struct range){
		.from = cut.offset, .tail = cut.offset + cut.main,
		.to = cut.offset + cut.main + cut.tail,
	};
}

/* The part of @range between @begin and @end; empty if ->from is not below ->to */
static struct range clip(struct range range, uint64_t begin, uint64_t end)
{
	if (range.from < begin)
		range.from = begin;
	if (range.to > end)
		range.to = end;
	if (range.tail < range.from)
		range.tail = range.from;
	if (range.tail > range.to)
		range.tail = range.to;
	return range;
}

static void grant(struct driver *driver, uint32_t member, uint32_t number,
		  const struct range *range)
{
	struct grant *grant = driver->options.node->seat[member].grant;
	struct given *given = &driver->given[member];
	uint32_t i = 0;

	while (grant_state(&grant[i]) != GRANT_FREE)
		i++;
	given->piece[i] = number;
	given->main_left[i] = range->from == range->tail;
	given->count++;
	driver->flight[number].main += !given->main_left[i];
	driver->flight[number].all++;
	grant[i].node = driver->piece[number].peer;
	grant[i].from = range->from;
	grant[i].tail = range->tail;
	grant[i].to = range->to;
	grant[i].number = ++given->number;
	grant_set(&grant[i], GRANT_GIVEN);
}

static int grant_piece(struct driver *driver, uint32_t number, struct liquid_error *err)
{
	const struct liquid_piece *piece = &driver->piece[number];
	const struct node *node = driver->options.node;
	struct range range = range_of(driver, piece);
	uint64_t begin = 0;

	driver->granted[piece->peer] += piece->units;
	for (uint32_t i = 0; i < node->members; i++) {
		uint64_t end = begin + node_sum(node, i, piece->peer);
		struct range part = clip(range, begin, end);

		if (part.from < part.to)
			grant(driver, i, number, &part);
		begin = end;
	}
	return tell_run(driver, number, err);
}

/*
 * Pieces of one message are granted in its order, which matters where a node has several lanes. A
 * rank that has no room for a grant will have it: each has had all that lanes ask for at once.
 */
static bool may_grant(const struct driver *driver, const struct liquid_piece *piece)
{
	const struct node *node = driver->options.node;

	for (uint32_t i = 0; i < node->members; i++)
		if (driver->given[i].count == NODE_GRANTS)
			return false;
	return driver->granted[piece->peer] == piece->part;
}

static int grant_held(struct driver *driver, bool *moved, struct liquid_error *err)
{
	uint32_t kept = 0, count = driver->held_count;
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t piece = driver->held[i];

		if (status || !may_grant(driver, &driver->piece[piece])) {
			driver->held[kept++] = piece;
			continue;
		}
		status = grant_piece(driver, piece, err);
		*moved = true;
	}
	driver->held_count = kept;
	return status;
}

/* ---- reports ---- */

/* News from the @i-th grant of a rank */
static int take_report(struct driver *driver, struct given *given, struct grant *grant, uint32_t i,
		       bool *moved, struct liquid_error *err)
{
	struct flight *flight = &driver->flight[given->piece[i]];
	enum grant_state state = grant_state(grant);
	bool main_left = state == GRANT_MAIN_LEFT || state == GRANT_LEFT;

	if (!main_left || (state == GRANT_MAIN_LEFT && given->main_left[i]))
		return LIQUID_OK;
	*moved = true;
	flight->main -= !given->main_left[i];
	given->main_left[i] = true;
	if (state == GRANT_LEFT) {
		flight->all--;
		given->count--;
		grant_set(grant, GRANT_FREE);
	}
	return tell_run(driver, given->piece[i], err);
}

static int take_reports(struct driver *driver, bool *moved, struct liquid_error *err)
{
	const struct node *node = driver->options.node;
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < node->members; i++)
		for (uint32_t k = 0; k < NODE_GRANTS && driver->given[i].count && !status; k++)
			status = take_report(driver, &driver->given[i], &node->seat[i].grant[k], k,
					     moved, err);
	return status;
}

/*
 * The clock was set if it differs otherwise from CLOCK_MONOTONIC than at the begin, by more than
 * the slack of a frame beyond its piece.
 */
static void look_at_clock(struct driver *driver)
{
	const struct driver_options *o = &driver->options;
	int64_t slack = o->frame_ns / 10 + SLACK_NS;
	struct clock_offset now;

	if (o->sync != LIQUID_SYNC_CLOCK)
		return;
	clock_offset(&now);
	if (now.most < driver->offset.least - slack || now.least > driver->offset.most + slack)
		liquid_run_clock_lost(driver->run);
}

static int follow_run(struct driver *driver, bool *moved, struct liquid_error *err)
{
	struct liquid_next next;
	int status = LIQUID_OK;

	look_at_clock(driver);
	while (!driver->run_done && !status) {
		liquid_run_next(driver->run, clock_ns(driver->clock), &next);
		driver->run_done = next.step == LIQUID_RUN_DONE;
		if (next.step != LIQUID_RUN_SEND)
			break;
		driver->held[driver->held_count++] = next.piece;
		status = grant_held(driver, moved, err);
	}
	return status;
}

int driver_step(struct driver *driver, bool *done, bool *moved, struct liquid_error *err)
{
	int status = take_reports(driver, moved, err);

	if (!status)
		status = grant_held(driver, moved, err);
	if (!status)
		status = follow_run(driver, moved, err);
	*done = driver->run_done;
	return status;
}
