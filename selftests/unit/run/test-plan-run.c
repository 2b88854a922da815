// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs: random interleavings of small and larger cases. Anything may take any time: a rank to ask,
 * a piece to leave, a token to arrive. With tokens no more pieces than a link's capacity are on it,
 * except for what a tail allows or a time-out that was counted.
 */
#include "plan-fixtures.h"
#include "tap.h"

#define TIMEOUT_NS 1000
#define FRAME_NS 10
#define EVENTS_MAX 1000000

static struct liquid_error err;

/* ---- a world: the runs of all ranks, pieces and tokens under way ---- */

enum state { UNSENT, FLYING, MAIN_LEFT, LEFT };

enum event_kind { ASK, EXPIRE, LOSE, LEAVE_MAIN, LEAVE, ARRIVE };

/* Input of one rank's run */
struct event {
	enum event_kind kind;
	uint32_t rank;
	uint32_t number;		/* of the rank's piece or slot */
	uint32_t epoch;			/* of that piece or token */
};

/* What the world is to find out */
struct rules {
	uint32_t epochs, timeouts;	/* timeouts 0: none may happen */
	bool tail;			/* pieces have one: main and tail leave one by one */
	bool across;			/* links are kept apart from epoch to epoch, too */
	bool clock;			/* frames, no tokens; two ranks may lose their clocks */
};

struct world {
	const struct pieces *pieces;
	const struct order *order;	/* of one epoch */
	struct rules rules;
	struct liquid_plan **slice;	/* by rank: all that its run knows */
	struct liquid_run **run;	/* by rank */
	int64_t *now;			/* by rank: its clock */
	bool *lost;			/* by rank: it was informed in this epoch */
	uint8_t *state;			/* by node, epoch x pieces */
	bool *loose;			/* by node: it went without its own token */
	struct event *token;		/* those under way: their arrivals */
	uint32_t tokens, token_room;
	struct event *event;		/* that may come next */
	uint32_t events;
	bool violated;
};

static void *array(size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);

	if (!memory)
		abort();
	return memory;
}

static void start_run(struct world *world, uint32_t rank)
{
	struct liquid_run_options options = {
		.timeout_ns = TIMEOUT_NS,
		.timeouts = world->rules.timeouts, .frame_ns = FRAME_NS,
		.sync = world->rules.clock ? LIQUID_SYNC_CLOCK : LIQUID_SYNC_TOKENS,
	};

	must(liquid_run_new(world->slice[rank], rank, &options, &world->run[rank], &err), &err);
	world->now[rank] = 0;
	world->lost[rank] = false;
}

static struct liquid_plan *slice_of(const struct liquid_plan *plan, uint32_t rank)
{
	struct liquid_plan *slice;
	size_t size;
	void *bytes;

	must(liquid_plan_slice(plan, rank, &bytes, &size, &err), &err);
	must(liquid_plan_read(bytes, size, NULL, 0, &slice, &err), &err);
	free(bytes);
	return slice;
}

static void world_new(struct world *world, const struct pieces *pieces, const struct order *order,
		      struct rules rules)
{
	size_t nodes = (size_t)pieces->count * rules.epochs, slots = 0;

	*world = (struct world){ .pieces = pieces, .order = order, .rules = rules };
	world->slice = array(pieces->ranks, sizeof(*world->slice));
	for (uint32_t rank = 0; rank < pieces->ranks; rank++) {
		world->slice[rank] = slice_of(pieces->plan, rank);
		slots += slots_of(pieces->plan, rank);
	}
	world->token_room = (uint32_t)(slots * rules.epochs);
	world->run = array(pieces->ranks, sizeof(*world->run));
	world->now = array(pieces->ranks, sizeof(*world->now));
	world->lost = array(pieces->ranks, sizeof(*world->lost));
	world->state = array(nodes, sizeof(*world->state));
	world->loose = array(nodes, sizeof(*world->loose));
	world->token = array(world->token_room, sizeof(*world->token));
	world->event = array(3 * pieces->ranks + 2 * nodes + world->token_room,
			     sizeof(*world->event));
	for (uint32_t rank = 0; rank < pieces->ranks; rank++)
		start_run(world, rank);
}

static void world_clear(struct world *world)
{
	for (uint32_t rank = 0; rank < world->pieces->ranks; rank++) {
		liquid_run_free(world->run[rank]);
		liquid_plan_free(world->slice[rank]);
	}
	free(world->slice);
	free(world->run);
	free(world->now);
	free(world->lost);
	free(world->state);
	free(world->loose);
	free(world->token);
	free(world->event);
}

/* ---- what must hold whenever a piece begins ---- */

static bool uses(const struct pieces *pieces, uint32_t piece, uint32_t link)
{
	for (int i = 0; i < pieces->links[piece]; i++)
		if (pieces->path[piece][i] == link)
			return true;
	return false;
}

/* Is a piece on its links, apart from its tail? */
static bool on_links(const struct world *world, uint32_t node)
{
	return world->state[node] == FLYING;
}

/* Did one that must come between @early and @late, or @late itself, go without a token? */
static bool excused(const struct world *world, uint32_t epoch, uint32_t early, uint32_t late)
{
	const bool *loose = world->loose + (size_t)epoch * world->pieces->count;

	if (loose[late])
		return true;
	for (uint32_t i = 0; i < world->pieces->count; i++)
		if (loose[i] && comes_before(world->order, early, i) &&
		    comes_before(world->order, i, late))
			return true;
	return false;
}

/* On a link of capacity 1 two pieces meet for a reason that was counted, or not at all. */
static bool may_meet(const struct world *world, uint32_t epoch, uint32_t a, uint32_t b)
{
	return comes_before(world->order, a, b) ? excused(world, epoch, a, b) :
		comes_before(world->order, b, a) && excused(world, epoch, b, a);
}

static bool any_loose(const struct world *world)
{
	for (uint32_t i = 0; i < world->pieces->count * world->rules.epochs; i++)
		if (world->loose[i])
			return true;
	return false;
}

static void check_link(struct world *world, uint32_t node, uint32_t link)
{
	uint32_t count = world->pieces->count, at_once = 0, epoch = node / count;
	uint32_t capacity = liquid_fabric_capacity(world->pieces->fabric, link);

	for (uint32_t other = 0; other < count * world->rules.epochs; other++) {
		if (other == node || !on_links(world, other) ||
		    !uses(world->pieces, other % count, link) ||
		    (!world->rules.across && other / count != epoch))
			continue;
		at_once++;
		if (world->rules.timeouts && capacity == 1 &&
		    !may_meet(world, epoch, other % count, node % count))
			world->violated = true;
	}
	if (at_once >= capacity && !(world->rules.timeouts && any_loose(world)))
		world->violated = true;
}

/* What a rank tells itself takes no time, so no tail covers it: those pieces have left wholly. */
static void check_own(struct world *world, uint32_t node)
{
	const struct pieces *pieces = world->pieces;
	uint32_t piece = node % pieces->count;

	for (uint32_t i = 0; i < pieces->edges; i++) {
		const struct plan_edge *edge = &pieces->edge[i];

		if (edge->to == piece && pieces->rank[edge->from] == pieces->rank[piece] &&
		    !world->loose[node] && world->state[node - piece + edge->from] != LEFT)
			world->violated = true;
	}
}

/*
 * By the clock a piece begins in its frame or later, unless its rank has lost the clock. Either way
 * the pieces of its lane before it have left.
 */
static void check_clock(struct world *world, uint32_t node, bool loose)
{
	const struct pieces *pieces = world->pieces;
	uint32_t piece = node % pieces->count, rank = pieces->rank[piece], count;
	const struct liquid_piece *own = liquid_plan_pieces(pieces->plan, rank, &count);
	uint32_t number = piece - pieces->first[rank];

	if (loose != world->lost[rank] ||
	    (!loose && world->now[rank] < (int64_t)own[number].frame * FRAME_NS))
		world->violated = true;
	for (uint32_t i = 0; i < number; i++)
		if (own[i].lane == own[number].lane && world->state[node - number + i] != LEFT)
			world->violated = true;
}

static void begin_piece(struct world *world, uint32_t node, bool loose)
{
	const struct pieces *pieces = world->pieces;
	uint32_t piece = node % pieces->count;

	if (world->state[node] != UNSENT)
		world->violated = true;
	world->state[node] = FLYING;
	world->loose[node] = loose;
	if (world->rules.clock) {
		check_clock(world, node, loose);
		return;
	}
	check_own(world, node);
	for (int i = 0; i < pieces->links[piece]; i++)
		check_link(world, node, pieces->path[piece][i]);
}

/* ---- events ---- */

/* What a run has said */
struct answer {
	struct liquid_next next;
	bool loose;			/* the piece to be sent has no token of its own */
	const struct liquid_token *token;
	uint32_t tokens;
};

/* An epoch begins at once when the one before is done. */
static void ask(struct world *world, uint32_t rank, struct answer *answer)
{
	struct liquid_run *run = world->run[rank];
	uint64_t loose = liquid_run_stats(run)->unsynchronised;

	liquid_run_next(run, world->now[rank], &answer->next);
	answer->loose = liquid_run_stats(run)->unsynchronised > loose;
	if (answer->next.step == LIQUID_RUN_DONE &&
	    liquid_run_stats(run)->epoch < world->rules.epochs) {
		must(liquid_run_begin(run, 0, &err), &err);
		world->now[rank] = 0;
		world->lost[rank] = false;
	}
}

/* Changes nothing but the run, and its rank's clock. */
static struct answer tell(struct world *world, const struct event *event)
{
	struct answer answer = { .next.step = LIQUID_RUN_DONE };
	struct liquid_run *run = world->run[event->rank];

	switch (event->kind) {
	case ASK:
		ask(world, event->rank, &answer);
		break;
	case EXPIRE:
		ask(world, event->rank, &answer);
		if (answer.next.step == LIQUID_RUN_WAIT_TOKEN)
			world->now[event->rank] += TIMEOUT_NS;
		else if (answer.next.step == LIQUID_RUN_WAIT_UNTIL)
			world->now[event->rank] = answer.next.until_ns;
		else
			break;
		ask(world, event->rank, &answer);
		break;
	case LOSE:
		liquid_run_clock_lost(run);
		world->lost[event->rank] = true;
		break;
	case LEAVE_MAIN:
		answer.token = liquid_run_main_left(run, event->number, &answer.tokens);
		break;
	case LEAVE:
		answer.token = liquid_run_left(run, event->number, &answer.tokens);
		break;
	case ARRIVE:
		liquid_run_token(run, event->number, event->epoch);
		break;
	}
	return answer;
}

static uint32_t node_of(const struct world *world, uint32_t rank, uint32_t epoch, uint32_t number)
{
	return (epoch - 1) * world->pieces->count + world->pieces->first[rank] + number;
}

static void send_tokens(struct world *world, const struct answer *answer, uint32_t epoch)
{
	for (uint32_t i = 0; i < answer->tokens; i++) {
		if (world->tokens == world->token_room)
			abort();
		world->token[world->tokens++] = (struct event){
			ARRIVE, answer->token[i].rank, answer->token[i].slot, epoch };
	}
}

/* The last one takes its place. */
static void take_token(struct world *world, const struct event *token)
{
	uint32_t i = 0;

	while (memcmp(&world->token[i], token, sizeof(*token)))
		i++;
	world->token[i] = world->token[--world->tokens];
}

static void happen(struct world *world, const struct event *event)
{
	struct answer answer = tell(world, event);
	uint32_t epoch = event->epoch;

	if (event->kind == ARRIVE)
		take_token(world, event);
	if (answer.next.step == LIQUID_RUN_SEND) {
		epoch = (uint32_t)liquid_run_stats(world->run[event->rank])->epoch;
		begin_piece(world, node_of(world, event->rank, epoch, answer.next.piece),
			    answer.loose);
	} else if (event->kind == LEAVE_MAIN || event->kind == LEAVE) {
		world->state[node_of(world, event->rank, epoch, event->number)] =
			event->kind == LEAVE ? LEFT : MAIN_LEFT;
	}
	send_tokens(world, &answer, epoch);
}

static void add_event(struct world *world, enum event_kind kind, uint32_t rank)
{
	world->event[world->events++] = (struct event){ .kind = kind, .rank = rank };
}

static void add_leaving(struct world *world, enum event_kind kind, uint32_t node)
{
	uint32_t piece = node % world->pieces->count, rank = world->pieces->rank[piece];

	world->event[world->events++] = (struct event){
		kind, rank, piece - world->pieces->first[rank], node / world->pieces->count + 1 };
}

static void list_events(struct world *world)
{
	world->events = 0;
	for (uint32_t rank = 0; rank < world->pieces->ranks; rank++) {
		add_event(world, ASK, rank);
		if (world->rules.timeouts || world->rules.clock)
			add_event(world, EXPIRE, rank);
		if (world->rules.clock && rank < 2)	/* enough to see the rest unharmed */
			add_event(world, LOSE, rank);
	}
	for (uint32_t i = 0; i < world->pieces->count * world->rules.epochs; i++) {
		if (world->state[i] == FLYING && world->rules.tail)
			add_leaving(world, LEAVE_MAIN, i);
		if (world->state[i] == MAIN_LEFT ||
		    (world->state[i] == FLYING && !world->rules.tail))
			add_leaving(world, LEAVE, i);
	}
	for (uint32_t i = 0; i < world->tokens; i++)
		world->event[world->events++] = world->token[i];
}

/* All epochs begun and all pieces left */
static bool finished(const struct world *world)
{
	for (uint32_t i = 0; i < world->pieces->count * world->rules.epochs; i++)
		if (world->state[i] != LEFT)
			return false;
	return true;
}

/* Each piece that went without its tokens was counted, and no wait more timed out than may. */
static bool counted(const struct world *world)
{
	uint64_t loose = 0, sent = 0, stats_loose = 0, most = world->rules.timeouts;
	bool right = true;

	for (uint32_t i = 0; i < world->pieces->count * world->rules.epochs; i++)
		loose += world->loose[i];
	for (uint32_t rank = 0; rank < world->pieces->ranks; rank++) {
		const struct liquid_run_stats *stats = liquid_run_stats(world->run[rank]);

		stats_loose += stats->unsynchronised;
		sent += stats->sent;
		right &= stats->timeouts <= most * world->rules.epochs &&
			stats->timeouts <= stats->waits;
	}
	return right && loose == stats_loose && (most || !loose || world->rules.clock) &&
		sent == (uint64_t)world->pieces->count * world->rules.epochs;
}

/* ---- random interleavings ---- */

/* How likely an event of each kind is, of 16: what is rare takes long. */
static uint32_t draw_event(const struct world *world, struct dice *dice, const uint32_t *odds)
{
	uint32_t number;

	do
		number = roll(dice, world->events);
	while (roll(dice, 16) >= odds[world->event[number].kind]);
	return number;
}

/* Until all is done, or goes wrong, or does not end */
static bool walk(const struct pieces *pieces, struct rules rules, struct dice *dice)
{
	uint32_t odds[] = { [ASK] = 16, [EXPIRE] = 1 + roll(dice, 3), [LOSE] = roll(dice, 2),
			    [LEAVE_MAIN] = 1 + roll(dice, 16), [LEAVE] = 1 + roll(dice, 16),
			    [ARRIVE] = 1 + roll(dice, 16) };
	struct order order;
	struct world world;
	bool right;

	order_of(&order, pieces, 1);
	world_new(&world, pieces, &order, rules);
	for (uint32_t i = 0; i < EVENTS_MAX && !finished(&world) && !world.violated; i++) {
		list_events(&world);
		happen(&world, &world.event[draw_event(&world, dice, odds)]);
	}
	right = !world.violated && finished(&world) && counted(&world);
	world_clear(&world);
	order_clear(&order);
	return right;
}

static bool walk_often(const struct liquid_fabric *fabric, const struct liquid_schedule *schedule,
		       struct rules rules, uint32_t walks, struct dice *dice)
{
	struct liquid_plan *plan = plan_of_schedule(fabric, schedule, rules.across);
	struct pieces pieces;
	bool right;

	pieces_of(&pieces, fabric, plan, NULL);
	right = pieces.valid;
	for (uint32_t i = 0; i < walks && right; i++)
		right = walk(&pieces, rules, dice);
	pieces_clear(&pieces);
	liquid_plan_free(plan);
	return right;
}

/* On a triangle, small random cases many times each, and larger ones. Adds the cases' kinds. */
static bool walk_cases(struct rules rules, struct dice *dice, uint32_t *kinds)
{
	uint32_t cases = draws(60);
	bool right = true;

	for (uint32_t capacity = 1; capacity <= 2; capacity++) {
		struct liquid_fabric *fabric = make_triangle(capacity);
		struct liquid_traffic *traffic = triangle_traffic(2);
		struct liquid_schedule *schedule = solve(fabric, traffic);

		right &= walk_often(fabric, schedule, rules, 200, dice);
		liquid_schedule_free(schedule);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	for (uint32_t i = 0; i < 2 * cases && right; i++) {
		bool small = i < cases;
		struct plan_case made;

		make_case(&made, dice, small ? 3 + roll(dice, 2) : 4 + roll(dice, 12),
			  small ? 4 + roll(dice, 5) : 10 + roll(dice, 60), false);
		*kinds |= 1u << made.kind;
		right = walk_often(made.fabric, made.schedule, rules, small ? 60 : 1, dice);
		clear_case(&made);
	}
	return right;
}

static const struct {
	struct rules rules;
	const char *name;
} promises[] = {
	{ { .epochs = 1 }, "no two pieces are on a link at once, whatever takes how long" },
	{ { .epochs = 2, .tail = true },
	  "with a tail nothing but tails is on the links of a piece that begins" },
	{ { .epochs = 3, .across = true },
	  "a cyclic plan keeps links apart from epoch to epoch" },
	{ { .epochs = 2 }, "a late token of one epoch is not taken for that of the next" },
	{ { .epochs = 1, .timeouts = 2 }, "pieces meet only where a time-out was counted" },
	{ { .epochs = 2, .timeouts = 1, .tail = true },
	  "pieces meet only where one of several time-outs was counted, with a tail" },
	{ { .epochs = 1, .clock = true },
	  "ranks that lose their clocks go on in order, others by theirs, and all end" },
};

static void test_promises(void)
{
	struct dice dice = { .state = 4711 };
	uint32_t kinds = 0;

	for (size_t i = 0; i < sizeof(promises) / sizeof(*promises); i++)
		ok(walk_cases(promises[i].rules, &dice, &kinds), "%s", promises[i].name);
	ok(kinds == (1u << PLAN_CASE_KINDS) - 1, "random cases have every kind of capacities");
}

static void test_known(void)
{
	static const char *const made[][2] = {
		{ "fat-tree", "routes=hash" }, { "torus", "size=3x3" }, { "dragonfly", "a=2" },
		{ "leaf-spine", "hosts=4" },
	};
	struct dice dice = { .state = 815 };

	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
		struct liquid_fabric *fabric = make_fabric(made[i][0], made[i] + 1, 1);
		struct liquid_traffic *traffic = all_routes(fabric);
		struct liquid_schedule *schedule = solve(fabric, traffic);
		bool right = true;

		for (size_t k = 0; k < sizeof(promises) / sizeof(*promises); k++)
			right &= walk_often(fabric, schedule, promises[k].rules, 1, &dice);
		ok(right, "random delays: %s", made[i][0]);
		liquid_schedule_free(schedule);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
}

/* ---- one rank ---- */

/* A plan with edges: that of an all-to-all of all hosts */
static struct liquid_plan *plan_of(const struct liquid_fabric *fabric, bool cyclic)
{
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_schedule *schedule = solve(fabric, traffic);
	struct liquid_plan *plan = plan_of_schedule(fabric, schedule, cyclic);

	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	return plan;
}

static struct liquid_plan *some_plan(void)
{
	struct liquid_fabric *fabric = make_fabric("fat-tree", NULL, 0);
	struct liquid_plan *plan = plan_of(fabric, false);

	liquid_fabric_free(fabric);
	return plan;
}

static struct liquid_run *begun(const struct liquid_plan *plan,
				const struct liquid_run_options *options, int64_t base)
{
	struct liquid_run *run;

	must(liquid_run_new(plan, 0, options, &run, &err), &err);
	must(liquid_run_begin(run, base, &err), &err);
	return run;
}

/* Pieces that wait for tokens */
static uint32_t waiting_pieces(const struct liquid_plan *plan, uint32_t rank)
{
	uint32_t count, waiting = 0;
	const struct liquid_piece *piece = liquid_plan_pieces(plan, rank, &count);

	for (uint32_t i = 0; i < count; i++)
		waiting += piece[i].waits > 0;
	return waiting;
}

/* Without any token: goes on when waits have timed out, and reports how long it took. */
static int64_t run_alone(struct liquid_run *run, uint32_t *sent)
{
	struct liquid_next next;
	int64_t now = 0;
	uint32_t count;

	*sent = 0;
	for (int i = 0; i < 1000; i++) {
		liquid_run_next(run, now, &next);
		if (next.step == LIQUID_RUN_DONE)
			return now;
		if (next.step == LIQUID_RUN_SEND) {
			liquid_run_left(run, next.piece, &count);
			++*sent;
		} else {
			now = next.until_ns;
		}
	}
	return -1;
}

static void test_lost_tokens(void)
{
	struct liquid_plan *plan = some_plan();
	uint32_t waiting = waiting_pieces(plan, 0), sent;

	for (uint32_t timeouts = 0; timeouts < 4; timeouts += 3) {
		struct liquid_run_options options = { .timeout_ns = 50,
						      .timeouts = timeouts };
		struct liquid_run *run = begun(plan, &options, 0);
		int64_t time = run_alone(run, &sent);
		const struct liquid_run_stats *stats = liquid_run_stats(run);
		uint32_t may = timeouts ? timeouts : 1;

		ok(time == 50 * may && sent == 15 && stats->sent == 15 &&
		   stats->timeouts == may && stats->waits == may && stats->wait_max_ns == 50 &&
		   stats->wait_ns == 50 * may && stats->unsynchronised == waiting && waiting > may,
		   "without any token a run ends after %u waits that time out", may);
		liquid_run_free(run);
	}
	liquid_plan_free(plan);
}

static void test_clock(void)
{
	struct liquid_run_options options = { .sync = LIQUID_SYNC_CLOCK,
					      .frame_ns = 100 };
	struct liquid_plan *plan = some_plan();
	struct liquid_run *run = begun(plan, &options, 7000);
	uint32_t count, pieces, tokens = 0;
	const struct liquid_piece *piece = liquid_plan_pieces(plan, 0, &pieces);
	struct liquid_next next;
	bool right = true;

	for (uint32_t i = 0; i < pieces; i++) {
		int64_t begin = 7000 + 100 * (int64_t)piece[i].frame;

		liquid_run_next(run, begin - 1, &next);
		right &= next.step == LIQUID_RUN_WAIT_UNTIL && next.until_ns == begin;
		liquid_run_next(run, begin, &next);
		right &= next.step == LIQUID_RUN_SEND && next.piece == i;
		liquid_run_next(run, begin, &next);
		right &= next.step == LIQUID_RUN_WAIT_LEFT;
		liquid_run_left(run, i, &count);
		tokens += count;
	}
	liquid_run_next(run, 0, &next);
	ok(right && pieces == 15 && next.step == LIQUID_RUN_DONE && !tokens,
	   "with a clock a piece waits for its frame, and gives no tokens");
	must(liquid_run_begin(run, 0, &err), &err);
	liquid_run_next(run, 1000000, &next);
	ok(next.step == LIQUID_RUN_SEND, "a piece that is late goes at once");
	liquid_run_free(run);
	liquid_plan_free(plan);
}

static void test_order(void)
{
	struct liquid_run_options options = { .sync = LIQUID_SYNC_ORDER };
	struct liquid_plan *plan = some_plan();
	struct liquid_run *run = begun(plan, &options, 0);
	uint32_t sent;

	ok(!run_alone(run, &sent) && sent == 15 && !liquid_run_stats(run)->unsynchronised,
	   "in order alone a piece waits for the one before it");
	liquid_run_free(run);
	liquid_plan_free(plan);
}

/* Waits until a token is missing; returns its slot. */
static uint32_t until_missing(struct liquid_run *run)
{
	struct liquid_next next;
	uint32_t count;

	for (;;) {
		liquid_run_next(run, 0, &next);
		if (next.step != LIQUID_RUN_SEND)
			return next.slot;
		liquid_run_left(run, next.piece, &count);
	}
}

static void test_slots(void)
{
	struct liquid_plan *plan = some_plan();
	uint64_t *slots = array(slots_of(plan, 0), sizeof(*slots));
	struct liquid_run_options options = { .timeout_ns = 50,
					      .slots = slots };
	struct liquid_run *run = begun(plan, &options, 0);
	uint32_t slot = until_missing(run);

	slots[slot] = liquid_run_stats(run)->epoch;
	ok(until_missing(run) != slot, "tokens may be written into memory of the caller's");
	slots[slot] = 0;
	liquid_run_token(run, slot, 3);
	liquid_run_token(run, slot, 2);
	ok(slots[slot] == 3, "a token of an earlier epoch does not undo that of a later one");
	liquid_run_free(run);
	free(slots);
	liquid_plan_free(plan);
}

/* Runs the plan to its end without tokens: how many pieces had none, though they need some? */
static uint64_t loose_after(const struct liquid_plan *plan, uint64_t *slots, uint64_t first_epoch,
			    uint64_t *epoch)
{
	struct liquid_run_options options = { .timeout_ns = 50,
					      .slots = slots, .first_epoch = first_epoch };
	struct liquid_run *run = begun(plan, &options, 0);
	uint64_t loose;
	uint32_t sent;

	*epoch = liquid_run_stats(run)->epoch;
	run_alone(run, &sent);
	must(liquid_run_begin(run, 0, &err), &err);
	loose = liquid_run_stats(run)->epoch == *epoch + 1 ?
		liquid_run_stats(run)->unsynchronised : 0;
	liquid_run_free(run);
	return loose;
}

/* Tokens of three epochs are in the slots when a run begins. */
static void test_run_after_run(void)
{
	struct liquid_plan *plan = some_plan();
	uint32_t count = slots_of(plan, 0), waiting = waiting_pieces(plan, 0);
	uint64_t *slots = array(count, sizeof(*slots)), epoch;

	for (uint32_t i = 0; i < count; i++)
		slots[i] = 3;
	ok(waiting && loose_after(plan, slots, 4, &epoch) == waiting && epoch == 4,
	   "tokens of an earlier run over the same slots do not count in one that goes on from it");
	ok(!loose_after(plan, slots, 3, &epoch) && epoch == 3,
	   "those of its own first epoch do, also when they came before the run was made");
	ok(!loose_after(plan, slots, 0, &epoch) && epoch == 1, "without first_epoch it is 1");
	liquid_plan_free(plan);
	free(slots);
}

/* The first epoch of a cyclic plan whose first one is not 1, over slots that are empty */
static void test_first_of_cyclic(void)
{
	struct liquid_fabric *fabric = make_fabric("fat-tree", NULL, 0);
	struct liquid_plan *plan = plan_of(fabric, true);
	uint32_t pieces, again = 0, early = 0;

	for (uint32_t rank = 0; rank < 16; rank++) {
		struct liquid_run_options options = { .timeout_ns = 50,
						      .first_epoch = 9 };
		const struct liquid_piece *piece = liquid_plan_pieces(plan, rank, &pieces);
		struct liquid_next next;
		struct liquid_run *run;

		must(liquid_run_new(plan, rank, &options, &run, &err), &err);
		must(liquid_run_begin(run, 0, &err), &err);
		liquid_run_next(run, 0, &next);
		again += piece->again && piece->again == piece->waits;
		early += piece->again && piece->again == piece->waits &&
			next.step == LIQUID_RUN_SEND;
		liquid_run_free(run);
	}
	ok(again && early == again, "a run's first epoch waits for none before it");
	liquid_plan_free(plan);
	liquid_fabric_free(fabric);
}

static void test_clock_set_back(void)
{
	struct liquid_run_options options = { .timeout_ns = 50 };
	struct liquid_plan *plan = some_plan();
	struct liquid_run *run = begun(plan, &options, 0);
	const struct liquid_run_stats *stats = liquid_run_stats(run);
	struct liquid_next next = { .slot = until_missing(run) };

	do {
		liquid_run_token(run, next.slot, 1);
		liquid_run_next(run, -100, &next);
	} while (next.step == LIQUID_RUN_WAIT_TOKEN);
	ok(next.step == LIQUID_RUN_SEND && stats->waits == 1 && !stats->wait_ns &&
	   !stats->wait_max_ns, "a wait during which the clock was set back counts as none");
	liquid_run_free(run);
	liquid_plan_free(plan);
}

static void test_misuse(void)
{
	struct liquid_run_options options = { .timeout_ns = 50 };
	struct liquid_plan *plan = some_plan();
	struct liquid_run *run = begun(plan, &options, 0);
	struct liquid_next next;
	uint32_t count;

	liquid_run_next(run, 0, &next);
	ok(liquid_run_begin(run, 0, &err) == LIQUID_BAD_INPUT &&
	   !strcmp(err.text, "epoch 1 is not done yet"), "an epoch begins after the one before");
	liquid_run_left(run, 1, &count);
	liquid_run_left(run, 99, &count);
	liquid_run_token(run, UINT32_MAX, 1);
	liquid_run_next(run, 0, &next);
	ok(next.step == LIQUID_RUN_WAIT_LEFT && !liquid_run_stats(run)->sent,
	   "pieces that are not in flight and unknown slots do no harm");
	liquid_run_main_left(run, 0, &count);
	liquid_run_main_left(run, 0, &count);
	ok(!count, "a piece gives its tokens once");
	liquid_run_free(run);
	liquid_plan_free(plan);
}

static bool refuses(const struct liquid_plan *plan, uint32_t rank,
		    const struct liquid_run_options *options, const char *text)
{
	struct liquid_run *run;
	int status = liquid_run_new(plan, rank, options, &run, &err);

	return status == LIQUID_BAD_INPUT && !run && strstr(err.text, text);
}

static void test_refusals(void)
{
	struct liquid_run_options options = { 0 };
	struct liquid_plan *plan = some_plan();

	ok(refuses(plan, 0, &options, "tokens need a timeout_ns of 1 or more"),
	   "tokens without a limit of time are refused");
	options.timeout_ns = 1;
	ok(refuses(plan, 16, &options, "the plan does not have rank 16"),
	   "a rank that is not in the plan is refused");
	options.sync = LIQUID_SYNC_CLOCK;
	ok(refuses(plan, 0, &options, "a clock needs a frame_ns of 1 or more"),
	   "a clock without frames is refused");
	options.sync = 17;
	ok(refuses(plan, 0, &options, "sync is 17, which is not a mode"),
	   "a mode that does not exist is refused");
	liquid_plan_free(plan);
}

int main(void)
{
	test_promises();
	test_known();
	test_lost_tokens();
	test_clock();
	test_order();
	test_slots();
	test_run_after_run();
	test_first_of_cyclic();
	test_clock_set_back();
	test_misuse();
	test_refusals();
	return tap_exit();
}
