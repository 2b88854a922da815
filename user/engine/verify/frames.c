// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What each frame uses of links
 *
 * Transfers are counted by class of links: those that shifts map to each other, which carry
 * equally many. In a list each link is its own class, and has a bit for each frame: only what
 * is used a second time in a frame is counted. Transfers of a list from the hosts of a switch to a
 * host have the same route from there on, which is followed once, if that saves anything.
 */
#include <stdlib.h>
#include <string.h>

#include "verify/orbits.h"

#define KEPT 8				/* entries of a route that is kept, with its length */

struct counts {
	struct checker *checker;
	uint32_t links, turns, hosts;
	/*
	 * By link, turns + 1 counts: transfers that use it in some turns, by turn, and then those
	 * that use it in all. NULL: turns are not distinguished
	 */
	uint32_t *turn;
	/*
	 * By switch and host, KEPT each: links of a route with that from a host to the switch, and
	 * those after it; 0: it is not known. NULL: none is kept
	 */
	uint32_t *kept;
	uint64_t *used;			/* of a list: by link, a bit: the frame uses it */
};

static inline
struct flow flow_at(const struct checker *checker, const struct frame *frame, size_t i)
{
	struct flow flow = { .sender = LIQUID_NONE };

	if (frame->unit) {
		orbits_flow(checker, frame->unit[i], &flow);
	} else {
		flow.src = frame->transfer[i].src;
		flow.dst = frame->transfer[i].dst;
	}
	return flow;
}

/* ---- routes ---- */

static inline uint32_t walk(const struct counts *counts, uint32_t src, uint32_t dst, uint32_t *path)
{
	const struct liquid_fabric *fabric = counts->checker->fabric;
	uint32_t *kept = NULL, steps;

	if (counts->kept) {
		uint32_t to;

		path[0] = liquid_fabric_host_out(fabric, src);
		to = path[0] == LIQUID_NONE ? 0 : liquid_fabric_link(fabric, path[0])->to;
		if (to >= counts->hosts)
			kept = counts->kept + ((size_t)(to - counts->hosts) * counts->hosts +
					       dst) * KEPT;
	}
	if (kept && *kept) {
		for (uint32_t j = 1; j < *kept; j++)
			path[j] = kept[j];
		return *kept;
	}
	steps = verify_walk(fabric, src, dst, path);
	if (kept && steps <= KEPT) {
		kept[0] = steps;
		for (uint32_t j = 1; j < steps; j++)
			kept[j] = path[j];
	}
	return steps;
}

/* The counters of @flow; 0: it has no route */
static uint32_t counters_of(const struct counts *counts, const struct flow *flow,
			    uint32_t at[LIQUID_PATH_MAX])
{
	const uint32_t *class = counts->checker->class;
	uint32_t steps = walk(counts, flow->src, flow->dst, at);

	if (flow->sender != LIQUID_NONE)
		at[0] = flow->sender;
	for (uint32_t j = 0; class && j < steps; j++)
		at[j] = class[at[j]];
	return steps;
}

/* If a list has more transfers than there are routes to keep; not with aliases */
static bool keeps_routes(const struct checker *checker)
{
	uint64_t routes = (uint64_t)liquid_fabric_switch_count(checker->fabric) *
			  liquid_fabric_host_count(checker->fabric);

	return !checker->orbits && !liquid_fabric_alias_count(checker->fabric) &&
	       routes <= checker->info->transfers;
}

/* ---- counting ---- */

/* The most that link @at carries in a turn, with @flow */
static uint32_t most_of_turns(const struct counts *counts, uint32_t at, const struct flow *flow,
			      uint32_t before)
{
	uint32_t *turn = counts->turn + (size_t)at * (counts->turns + 1), most = before;
	uint32_t *all = turn + counts->turns;

	if (!before)
		memset(turn, 0, (counts->turns + 1) * sizeof(*turn));
	if (!flow->turns) {
		++*all;
		return before + 1;
	}
	for (uint32_t i = 0; i < flow->turns; i++) {
		uint32_t here = ++turn[(flow->turn + i) % counts->turns] + *all;

		most = here > most ? here : most;
	}
	return most;
}

/* Is it more than there may be in a frame? */
static inline bool count_one(const struct counts *counts, uint32_t frame, uint32_t at,
			     const struct flow *flow)
{
	struct counter *counter = &counts->checker->counter[at];
	uint32_t before = counter->frame == frame ? counter->count : 0;

	counter->frame = frame;
	counter->count = counts->turn && at < counts->links ?
			 most_of_turns(counts, at, flow, before) : before + 1;
	return counter->count > counter->limit;
}

/* The same for one that the frame of a list has used before: what is used once is not counted. */
static bool count_again(const struct counts *counts, uint32_t frame, uint32_t link)
{
	struct counter *counter = &counts->checker->counter[link];

	counter->count = counter->frame == frame && counter->count ? counter->count + 1 : 2;
	counter->frame = frame;
	return counter->count > counter->limit;
}

static void no_route(const struct counts *counts, const struct frame *frame, uint32_t src,
		     uint32_t dst)
{
	struct checker *checker = counts->checker;

	verify_find(checker, "frame %u: %s>%s has no route in the fabric", frame->number,
		    verify_host_name(checker, src), verify_host_name(checker, dst));
}

/* As count_frame() */
static bool count_list(const struct counts *counts, const struct frame *frame)
{
	uint64_t *used = counts->used, *load = counts->checker->load;
	uint32_t path[LIQUID_PATH_MAX];
	bool congested = false;

	memset(used, 0, (counts->links / 64 + 1) * sizeof(*used));
	for (size_t i = 0; i < frame->count; i++) {
		uint32_t src = frame->transfer[i].src, dst = frame->transfer[i].dst;
		uint32_t steps = walk(counts, src, dst, path);

		if (!steps)
			no_route(counts, frame, src, dst);
		for (uint32_t j = 0; j < steps; j++) {
			uint64_t bit = UINT64_C(1) << path[j] % 64, *word = &used[path[j] / 64];

			load[path[j]]++;
			if (*word & bit)
				congested |= count_again(counts, frame->number, path[j]);
			*word |= bit;
		}
	}
	return congested;
}

/* Count what flows in @frame; is anything used too often? */
static bool count_frame(const struct counts *counts, const struct frame *frame)
{
	struct checker *checker = counts->checker;
	uint32_t at[LIQUID_PATH_MAX];
	bool congested = false;

	for (size_t i = 0; i < frame->count; i++) {
		struct flow flow = flow_at(checker, frame, i);
		uint32_t steps = counters_of(counts, &flow, at);

		if (!steps)
			no_route(counts, frame, flow.src, flow.dst);
		for (uint32_t j = 0; j < steps; j++)
			congested |= count_one(counts, frame->number, at[j], &flow);
	}
	return congested;
}

/* ---- findings ---- */

/* The first turn in which link @at carries @most */
static uint32_t find_turn(const struct counts *counts, uint32_t at, uint32_t most)
{
	const uint32_t *turn = counts->turn + (size_t)at * (counts->turns + 1);
	uint32_t t = 0;

	while (t + 1 < counts->turns && turn[t] + turn[counts->turns] < most)
		t++;
	return t;
}

static bool is_there(const struct counts *counts, const struct flow *flow, uint32_t turn)
{
	return !flow->turns || !counts->turns ||
	       (turn + counts->turns - flow->turn) % counts->turns < flow->turns;
}

/* Write the transfers in @turn of @frame that counter @wanted counts: "a>b, c>d, ..." */
static void name_users(const struct counts *counts, const struct frame *frame, uint32_t wanted,
		       uint32_t turn, char *text, size_t size)
{
	const struct checker *checker = counts->checker;
	uint32_t at[LIQUID_PATH_MAX];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < frame->count && used < size - 1; i++) {
		struct flow flow = flow_at(checker, frame, i);
		uint32_t steps = counters_of(counts, &flow, at);

		for (uint32_t j = 0; j < steps && used < size - 1; j++)
			if (at[j] == wanted && is_there(counts, &flow, turn))
				used += snprintf(text + used, size - used, "%s%s>%s",
						 used ? ", " : "",
						 verify_host_name(checker, checker->orbits ?
							   orbits_sender(checker, &flow, turn) :
							   flow.src),
						 verify_host_name(checker, flow.dst));
	}
	if (used >= size)
		memcpy(text + size - 4, "...", 4);
}

/* @flow is one of too many that use @link, which counter @at counts. */
static void find_congestion(const struct counts *counts, const struct frame *frame,
			    const struct flow *flow, uint32_t link, uint32_t at)
{
	struct checker *checker = counts->checker;
	uint32_t hosts = liquid_fabric_host_count(checker->fabric), turn = 0, used, number;
	char users[400], limit[40] = "", name[2 * LIQUID_NAME_MAX + 32];
	const char *images = checker->class ? " and their images" : "";
	const struct liquid_link *ends = liquid_fabric_link(checker->fabric, link);
	uint32_t capacity = verify_capacity(checker->fabric, link);

	if (checker->findings >= VERIFY_FINDINGS_MAX) {
		checker->findings++;
		return;
	}
	used = checker->counter[at].count;
	if (at >= counts->links)
		turn = flow->turn;
	else if (counts->turn)
		turn = find_turn(counts, at, used);
	name_users(counts, frame, at, turn, users, sizeof(users));
	used = checker->orbits ? orbits_share(checker, at, used) : used;
	number = frame->number + turn;
	if (capacity > 1 || (ends->from >= hosts && ends->to >= hosts))
		snprintf(limit, sizeof(limit), ", its capacity is %u", capacity);
	if (ends->from < hosts)
		verify_find(checker, "frame %u: host '%s' sends %u transfers at once%s: %s%s",
			    number, verify_host_name(checker, ends->from), used, limit, users,
			    images);
	else if (ends->to < hosts)
		verify_find(checker, "frame %u: host '%s' receives %u transfers at once%s: %s%s",
			    number, verify_host_name(checker, ends->to), used, limit, users,
			    images);
	else
		verify_find(checker, "frame %u: link %s carries %u transfers%s: %s%s", number,
			    liquid_fabric_link_name(checker->fabric, link, name, sizeof(name)),
			    used, limit, users, images);
}

static void check_frame(const struct counts *counts, const struct frame *frame)
{
	struct checker *checker = counts->checker;
	uint32_t path[LIQUID_PATH_MAX], at[LIQUID_PATH_MAX];

	if (!frame->count && !checker->orbits)
		verify_find(checker, "frame %u is empty", frame->number);
	if (!(checker->orbits ? count_frame(counts, frame) : count_list(counts, frame)))
		return;
	for (size_t i = 0; i < frame->count; i++) {
		struct flow flow = flow_at(checker, frame, i);
		uint32_t steps = walk(counts, flow.src, flow.dst, path);

		counters_of(counts, &flow, at);
		for (uint32_t j = 0; j < steps; j++) {
			struct counter *counter = &checker->counter[at[j]];

			if (counter->count > counter->limit)
				find_congestion(counts, frame, &flow, path[j], at[j]);
			counter->count = 0;
		}
	}
}

/* ---- all frames ---- */

/* @frame->number: of the frame before; LIQUID_NONE before the first, and after the last */
static int next_frame(struct checker *checker, struct frame *frame)
{
	if (checker->orbits)
		return orbits_next(checker, frame);
	if (++frame->number == checker->info->length)
		frame->number = LIQUID_NONE;
	else
		frame->transfer = liquid_schedule_frame(checker->schedule, frame->number,
							&frame->count);
	return LIQUID_OK;
}

static int check_all(const struct counts *counts)
{
	struct checker *checker = counts->checker;
	struct frame frame = { .number = LIQUID_NONE };
	int status = next_frame(checker, &frame);

	while (!status && frame.number != LIQUID_NONE) {
		check_frame(counts, &frame);
		status = next_frame(checker, &frame);
	}
	return status;
}

static int count_all(struct counts *counts)
{
	struct checker *checker = counts->checker;
	size_t hosts = counts->hosts, links = counts->links;

	checker->counter = calloc(checker->counters + 1, sizeof(*checker->counter));
	if (counts->turns)
		counts->turn = calloc(links + 1, (counts->turns + 1) * sizeof(*counts->turn));
	/* which saves time only: the schedule says itself of how many transfers it is */
	if (keeps_routes(checker))
		counts->kept = calloc(liquid_fabric_switch_count(checker->fabric) * hosts + 1,
				      KEPT * sizeof(*counts->kept));
	if (!checker->orbits)
		counts->used = calloc(links / 64 + 1, sizeof(*counts->used));
	if (!checker->counter || !counts->turn != !counts->turns ||
	    !counts->used != !!checker->orbits)
		return liquid_no_memory(checker->err);
	for (size_t i = 0; i < checker->counters; i++)
		checker->counter[i].limit = i < links ?
			verify_capacity(checker->fabric, (uint32_t)i) : 1;
	return check_all(counts);
}

int verify_frames(struct checker *checker)
{
	struct counts counts = {
		.checker = checker, .turns = checker->turns,
		.links = liquid_fabric_link_count(checker->fabric),
		.hosts = liquid_fabric_host_count(checker->fabric),
	};
	int status = count_all(&counts);

	free(counts.turn);
	free(counts.kept);
	free(counts.used);
	return status;
}
