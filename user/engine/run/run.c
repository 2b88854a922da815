// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A run: one rank's way through its plan
 *
 * Each lane goes through its pieces: the next one waits for its tokens, or for its frame, is sent,
 * and is in flight until it has left. A slot holds the last epoch in which its token came; a slot
 * that another rank has filled in earlier epochs than this one is as good as empty.
 */
#include <stdlib.h>

#include "run/plan.h"

enum lane_state {
	LANE_NEXT,			/* the next piece has not begun */
	LANE_WAITING,			/* ... and waits for tokens since @since */
	LANE_FLYING,			/* the piece before the next is in flight */
	LANE_TOLD,			/* ... and its tokens have been given */
};

struct lane {
	uint32_t first, next, end;	/* pieces */
	enum lane_state state;
	int64_t since;			/* ns */
};

struct liquid_run {
	const struct liquid_plan *plan;
	const struct plan_rank *own;
	const struct liquid_piece *piece;
	uint32_t rank;
	struct liquid_run_options options;
	uint64_t first_epoch;
	int64_t base_ns;
	uint32_t timeouts_left;		/* in this epoch */
	bool clock_lost;		/* in this epoch */
	uint64_t *slots, *own_slots;	/* the latter NULL: the caller's are used */
	struct lane *lane;
	struct liquid_run_stats stats;
};

static int check(const struct liquid_run_options *options, struct liquid_error *err)
{
	switch (options->sync) {
	case LIQUID_SYNC_TOKENS:
		if (options->timeout_ns > 0)
			return LIQUID_OK;
		return liquid_fail(err, LIQUID_BAD_INPUT, "tokens need a timeout_ns of 1 or more, "
				   "so that a run always ends");
	case LIQUID_SYNC_CLOCK:
		if (options->frame_ns > 0)
			return LIQUID_OK;
		return liquid_fail(err, LIQUID_BAD_INPUT, "a clock needs a frame_ns of 1 or more");
	case LIQUID_SYNC_ORDER:
		return LIQUID_OK;
	}
	return liquid_fail(err, LIQUID_BAD_INPUT, "sync is %d, which is not a mode",
			   (int)options->sync);
}

/* Pieces of each lane: they lie one lane after another. Nothing is to be sent yet. */
static void find_lanes(struct liquid_run *run)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < run->own->lanes; i++) {
		struct lane *lane = &run->lane[i];

		lane->first = next;
		while (next < run->own->pieces && run->piece[next].lane == i)
			next++;
		lane->next = lane->end = next;
	}
}

static struct liquid_run *new_run(const struct plan_rank *own, uint64_t *slots)
{
	struct liquid_run *run = calloc(1, sizeof(*run));

	if (!run)
		return NULL;
	run->lane = calloc((size_t)own->lanes + 1, sizeof(*run->lane));
	if (!slots)
		run->own_slots = calloc((size_t)own->slots + 1, sizeof(*run->own_slots));
	run->slots = slots ? slots : run->own_slots;
	if (run->lane && run->slots)
		return run;
	liquid_run_free(run);
	return NULL;
}

int liquid_run_new(const struct liquid_plan *plan, uint32_t rank,
		   const struct liquid_run_options *options, struct liquid_run **run,
		   struct liquid_error *err)
{
	const struct plan_rank *own = plan_rank(plan, rank);
	int status = check(options, err);

	*run = NULL;
	if (status)
		return status;
	if (!own)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the plan does not have rank %u", rank);
	for (uint32_t i = 0; i < own->pieces; i++)
		if (plan->piece[own->first + i].after && options->sync != LIQUID_SYNC_CLOCK)
			return liquid_fail(err, LIQUID_BAD_INPUT, "rank %u: piece %u is marked "
					   "\"after\": without a clock a run cannot follow it",
					   rank, i);
	*run = new_run(own, options->slots);
	if (!*run)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the run of rank %u", rank);
	(*run)->plan = plan;
	(*run)->own = own;
	(*run)->piece = plan->piece + own->first;
	(*run)->rank = rank;
	(*run)->options = *options;
	(*run)->first_epoch = options->first_epoch ? options->first_epoch : 1;
	(*run)->stats.epoch = (*run)->first_epoch - 1;
	find_lanes(*run);
	return LIQUID_OK;
}

void liquid_run_free(struct liquid_run *run)
{
	if (!run)
		return;
	free(run->own_slots);
	free(run->lane);
	free(run);
}

static bool in_flight(const struct lane *lane)
{
	return lane->state == LANE_FLYING || lane->state == LANE_TOLD;
}

int liquid_run_begin(struct liquid_run *run, int64_t base_ns, struct liquid_error *err)
{
	for (uint32_t i = 0; i < run->own->lanes; i++)
		if (run->lane[i].next < run->lane[i].end || in_flight(&run->lane[i]))
			return liquid_fail(err, LIQUID_BAD_INPUT, "epoch %llu is not done yet",
					   (unsigned long long)run->stats.epoch);
	for (uint32_t i = 0; i < run->own->lanes; i++)
		run->lane[i].next = run->lane[i].first;
	run->stats.epoch++;
	run->stats.epochs++;
	run->base_ns = base_ns;
	run->timeouts_left = run->options.timeouts ? run->options.timeouts : 1;
	run->clock_lost = false;
	return LIQUID_OK;
}

void liquid_run_clock_lost(struct liquid_run *run)
{
	run->clock_lost = run->options.sync == LIQUID_SYNC_CLOCK;
}

const struct liquid_run_stats *liquid_run_stats(const struct liquid_run *run)
{
	return &run->stats;
}

void liquid_run_token(struct liquid_run *run, uint32_t slot, uint64_t epoch)
{
	uint64_t *place, old;

	if (slot >= run->own->slots)
		return;
	place = &run->slots[slot];
	old = __atomic_load_n(place, __ATOMIC_RELAXED);
	while (old < epoch && !__atomic_compare_exchange_n(place, &old, epoch, true,
							   __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* The epoch of the token that the @wait-th slot of @piece must have. 0: any, or none. */
static uint64_t epoch_needed(const struct liquid_run *run, const struct liquid_piece *piece,
			     uint32_t wait)
{
	if (wait < piece->waits - piece->again)
		return run->stats.epoch;
	return run->stats.epoch > run->first_epoch ? run->stats.epoch - 1 : 0;
}

/* The first slot of @piece whose token is missing, or LIQUID_NONE. */
static uint32_t missing(const struct liquid_run *run, const struct liquid_piece *piece)
{
	for (uint32_t i = 0; i < piece->waits; i++) {
		uint64_t epoch = epoch_needed(run, piece, i);

		if (__atomic_load_n(&run->slots[piece->slot + i], __ATOMIC_ACQUIRE) < epoch)
			return piece->slot + i;
	}
	return LIQUID_NONE;
}

/* @a + @b of times that may be as large as a caller likes; @b is not negative. */
static int64_t later(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static int64_t frame_begin(const struct liquid_run *run, uint32_t frame)
{
	int64_t offset;

	if (__builtin_mul_overflow(run->options.frame_ns, frame, &offset))
		return INT64_MAX;
	return later(run->base_ns, offset);
}

static void end_wait(struct liquid_run *run, struct lane *lane, int64_t now)
{
	/* A caller's clock may be set back, against the rules. */
	uint64_t waited = now > lane->since ? (uint64_t)now - (uint64_t)lane->since : 0;

	run->stats.wait_ns += waited;
	if (run->stats.wait_max_ns < waited)
		run->stats.wait_max_ns = waited;
}

/* The time until which @lane waits for the token of @slot; @now if it goes without. */
static int64_t wait_for_token(struct liquid_run *run, struct lane *lane, int64_t now)
{
	int64_t until;

	if (lane->state != LANE_WAITING) {
		lane->state = LANE_WAITING;
		lane->since = now;
		run->stats.waits += run->timeouts_left > 0;
	}
	until = later(lane->since, run->options.timeout_ns);
	if (run->timeouts_left && now < until)
		return until;
	if (run->timeouts_left) {
		run->stats.timeouts++;
		run->timeouts_left--;
	}
	run->stats.unsynchronised++;
	return now;
}

/* What the next piece of @lane waits for: fills in all of @next but the piece. */
static void wait_of(struct liquid_run *run, struct lane *lane, int64_t now,
		    struct liquid_next *next)
{
	const struct liquid_piece *piece = &run->piece[lane->next];

	next->until_ns = now;
	next->step = LIQUID_RUN_WAIT_UNTIL;
	if (run->options.sync == LIQUID_SYNC_TOKENS) {
		next->slot = missing(run, piece);
		next->step = LIQUID_RUN_WAIT_TOKEN;
		if (next->slot != LIQUID_NONE)
			next->until_ns = wait_for_token(run, lane, now);
	} else if (run->clock_lost) {
		run->stats.unsynchronised++;
	} else if (run->options.sync == LIQUID_SYNC_CLOCK) {
		next->until_ns = frame_begin(run, piece->frame);
	}
	if (next->until_ns <= now)
		next->step = LIQUID_RUN_SEND;
}

static void send(struct liquid_run *run, struct lane *lane, int64_t now, struct liquid_next *next)
{
	if (lane->state == LANE_WAITING)
		end_wait(run, lane, now);
	lane->state = LANE_FLYING;
	next->piece = lane->next++;
}

void liquid_run_next(struct liquid_run *run, int64_t now_ns, struct liquid_next *next)
{
	struct liquid_next best = { .step = LIQUID_RUN_DONE, .until_ns = INT64_MAX };

	for (uint32_t i = 0; i < run->own->lanes; i++) {
		struct lane *lane = &run->lane[i];

		*next = (struct liquid_next){ .step = LIQUID_RUN_WAIT_LEFT, .until_ns = INT64_MAX };
		if (!in_flight(lane)) {
			if (lane->next == lane->end)
				continue;
			wait_of(run, lane, now_ns, next);
			if (next->step == LIQUID_RUN_SEND) {
				send(run, lane, now_ns, next);
				return;
			}
		}
		if (best.step == LIQUID_RUN_DONE || next->until_ns < best.until_ns)
			best = *next;
	}
	*next = best;
}

static struct lane *lane_of_flight(struct liquid_run *run, uint32_t piece)
{
	struct lane *lane;

	if (piece >= run->own->pieces)
		return NULL;
	lane = &run->lane[run->piece[piece].lane];
	return in_flight(lane) && lane->next == piece + 1 ? lane : NULL;
}

/* The tokens of @piece for other ranks, which come before those for this one. */
static const struct liquid_token *give(struct liquid_run *run, uint32_t piece, uint32_t *count)
{
	const struct liquid_token *tokens;

	if (run->options.sync != LIQUID_SYNC_TOKENS)
		return NULL;
	tokens = liquid_plan_tokens(run->plan, run->rank, piece, count);
	while (*count && tokens[*count - 1].rank == run->rank)
		--*count;
	return tokens;
}

/* Those for this rank take no time on their way, which a tail would cover: all must have left. */
static void take_own(struct liquid_run *run, uint32_t piece)
{
	uint32_t count;
	const struct liquid_token *tokens = liquid_plan_tokens(run->plan, run->rank, piece, &count);

	while (count && tokens[count - 1].rank == run->rank)
		liquid_run_token(run, tokens[--count].slot, run->stats.epoch);
}

const struct liquid_token *liquid_run_main_left(struct liquid_run *run, uint32_t piece,
						uint32_t *count)
{
	struct lane *lane = lane_of_flight(run, piece);

	*count = 0;
	if (!lane || lane->state == LANE_TOLD)
		return NULL;
	lane->state = LANE_TOLD;
	return give(run, piece, count);
}

const struct liquid_token *liquid_run_left(struct liquid_run *run, uint32_t piece,
					   uint32_t *count)
{
	struct lane *lane = lane_of_flight(run, piece);
	const struct liquid_token *tokens = liquid_run_main_left(run, piece, count);

	if (lane) {
		take_own(run, piece);
		lane->state = LANE_NEXT;
		run->stats.sent++;
	}
	return tokens;
}
