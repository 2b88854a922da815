// SPDX-License-Identifier: GPL-2.0-only
/* Senders that run a schedule's plan: cases computed by hand, and what holds on all fabrics. */
#include "sim-fixtures.h"
#include "tap.h"

/* Two senders share a link: a schedule of two frames, messages of 1000 ns, a token takes 100 ns. */
struct two {
	struct liquid_fabric *fabric;
	struct liquid_traffic *traffic;
	struct liquid_schedule *schedule;
	struct liquid_sim_options options;
};

static struct two make_two(enum liquid_sim_switching switching)
{
	struct two two = { .fabric = make_bridge(2, 1), .traffic = straight(2, 1) };

	two.schedule = solve(two.fabric, two.traffic);
	two.options = options_of(switching, 1000, 100);
	two.options.sync = LIQUID_SIM_SYNC_TOKENS;
	two.options.token_ns = 100;
	two.options.tail_bytes = LIQUID_SIM_DEFAULT;
	return two;
}

static void free_two(struct two *two)
{
	liquid_schedule_free(two->schedule);
	liquid_traffic_free(two->traffic);
	liquid_fabric_free(two->fabric);
}

static struct liquid_sim_result *run(const struct two *two)
{
	return simulated(two->fabric, NULL, two->schedule, &two->options);
}

static void test_tokens(void)
{
	struct two two = make_two(LIQUID_SIM_CUT_THROUGH);
	struct liquid_sim_result *r = run(&two);

	ok(r->time_ns == 2000 && !r->total->waits && r->options->tail_bytes == 100,
	   "tokens: the second piece follows without a gap, the tail is what a token's time sends");
	ok(r->tokens == 1 && r->token_waits == 1 && r->token_wait_ns == 1000 &&
	   r->token_wait_max_ns == 1000 && !r->token_timeouts && !r->unsynchronised,
	   "it waits for one token");
	liquid_sim_free(r);

	two.options.tail_bytes = 0;
	r = run(&two);
	ok(r->time_ns == 2100 && !r->total->waits && r->token_wait_ns == 1100,
	   "tokens: without a tail the link idles while the token is on its way");
	liquid_sim_free(r);

	two.options.tail_bytes = 300;
	r = run(&two);
	ok(r->time_ns == 2000 && r->total->waits && r->token_wait_ns == 800,
	   "tokens: with a longer tail the second one comes too soon, and waits in the fabric");
	liquid_sim_free(r);

	two.options.tail_bytes = 5000;
	r = run(&two);
	ok(r->token_wait_ns == 100 && r->time_ns == 2000,
	   "tokens: a tail as long as the message gives them when it starts");
	liquid_sim_free(r);

	two.options.tail_bytes = LIQUID_SIM_DEFAULT;
	two.options.cycles = 3;
	r = run(&two);
	ok(r->time_ns == 6000 && !r->total->waits && r->tokens == 6 && r->token_waits == 5,
	   "tokens: the next cycle follows without a barrier");
	liquid_sim_free(r);
	free_two(&two);
}

static void test_timeout(void)
{
	struct two two = make_two(LIQUID_SIM_CUT_THROUGH);
	struct liquid_sim_result *r;

	two.options.token_timeout_ns = 50;
	r = run(&two);
	ok(r->token_timeouts == 1 && r->unsynchronised == 1 && r->token_wait_max_ns == 50 &&
	   r->total->waits && r->total->received_bytes == 2000,
	   "a wait for a token times out, is counted, and the piece goes without");
	liquid_sim_free(r);
	free_two(&two);
}

static void test_other_modes(void)
{
	struct two two = make_two(LIQUID_SIM_CUT_THROUGH);
	struct liquid_sim_result *r;

	two.options.sync = LIQUID_SIM_SYNC_ORDER;
	r = run(&two);
	ok(r->time_ns == 2000 && r->total->waits && !r->token_waits && !r->tokens,
	   "order: nothing keeps two pieces apart");
	liquid_sim_free(r);

	two.options.sync = LIQUID_SIM_SYNC_CLOCK;
	r = run(&two);
	ok(r->time_ns == 2000 && !r->total->waits && r->options->frame_ns == 1000,
	   "clock: each piece in its frame");
	liquid_sim_free(r);

	two.options.frame_slack = 0.1;
	two.options.cycles = 2;
	r = run(&two);
	ok(r->time_ns == 3 * 1100 + 1000 && r->options->frame_ns == 1100,
	   "clock: the slack is added to each frame");
	liquid_sim_free(r);

	two.options.clock_error_ns = 40;
	r = run(&two);
	ok(r->options->frame_ns == 1180 && !r->total->waits,
	   "clock: frames are longer by twice the clocks' error, so nothing waits");
	liquid_sim_free(r);
	free_two(&two);
}

static void test_worms(void)
{
	struct two two = make_two(LIQUID_SIM_WORMHOLE);
	struct liquid_sim_result *r = run(&two);

	ok(r->time_ns == 2000 && !r->total->waits && r->total->worms == 4,
	   "wormhole: a piece is a worm, and its tail another one");
	liquid_sim_free(r);
	two.options.switching = LIQUID_SIM_PACKET;
	two.options.tail_bytes = 0;
	r = run(&two);
	ok(r->time_ns == 2300 && !r->total->waits, "store and forward: two packets' time more");
	liquid_sim_free(r);
	free_two(&two);
}

static void test_late(void)
{
	struct two two = make_two(LIQUID_SIM_CUT_THROUGH);
	struct liquid_sim_result *r;
	uint64_t most = 0, least = UINT64_MAX;
	bool waits = false;

	two.options.tail_bytes = 0;
	two.options.start_skew_ns = 5000;
	for (two.options.seed = 0; two.options.seed < 20; two.options.seed++) {
		r = run(&two);
		most = r->time_ns > most ? r->time_ns : most;
		least = r->time_ns < least ? r->time_ns : least;
		waits |= r->total->waits;
		liquid_sim_free(r);
	}
	ok(!waits && least >= 2100 && most <= 7100 && most - least > 1000,
	   "ranks that begin late delay the others, and nothing waits in the fabric");

	two.options.start_skew_ns = 0;
	two.options.jitter = LIQUID_SIM_UNIFORM;
	two.options.jitter_share = 0.5;
	r = run(&two);
	ok(r->options->jitter_ns == 500 && r->time_ns > 2100 && r->time_ns <= 3100 &&
	   !r->total->waits, "jitter delays each piece, as a share of a message's time");
	liquid_sim_free(r);
	free_two(&two);
}

static uint64_t default_tail(struct two *two)
{
	struct liquid_sim_result *r = run(two);
	uint64_t tail = r->options->tail_bytes;

	liquid_sim_free(r);
	return tail;
}

static void test_default_tail(void)
{
	struct two two = make_two(LIQUID_SIM_CUT_THROUGH);

	two.options.jitter_ns = 200;
	two.options.jitter = LIQUID_SIM_EXPONENTIAL;
	ok(default_tail(&two) == 250, "the default tail covers three quarters of the mean jitter");
	two.options.hop_ns = 20;
	ok(default_tail(&two) == 230, "less what a shorter path is sooner");
	two.options.hop_ns = 0;
	two.options.jitter = LIQUID_SIM_UNIFORM;
	ok(default_tail(&two) == 175, "the mean of a uniform one is half of its bound");
	two.options.jitter = LIQUID_SIM_NORMAL;
	ok(default_tail(&two) == 219, "that of a normal one is 0.8 of its deviation");
	two.options.switching = LIQUID_SIM_PACKET;
	ok(default_tail(&two) == 100, "none where switches drop what they have no room for");
	free_two(&two);
}

/* ---- all fabrics ---- */

struct tally {
	int runs, waits, lost, timeouts, deadlocks;
};

static void count(const struct two *two, struct tally *tally)
{
	struct liquid_sim_result *r = run(two);

	tally->runs++;
	tally->waits += r->total->waits != 0;
	tally->lost += r->total->received_bytes != r->transfers * two->options.message_bytes;
	tally->timeouts += r->token_timeouts != 0;
	tally->deadlocks += r->deadlocks != 0;
	liquid_sim_free(r);
}

/*
 * Tails that are no longer than the token's way, less what paths differ, never overlap. But packets
 * on a fast link wait for each other, and with a single virtual lane that can be a deadlock.
 */
static void test_random(void)
{
	struct dice dice = { 20261122 };
	struct tally alone = { 0 }, fast = { 0 };

	for (int i = 0; i < 300; i++) {
		bool even = i % 2;	/* all links alike */
		struct two two = { .fabric = make_mixed(&dice, 8, even ? 1 : 3,
							even ? 1 : 1 + i % 3),
				   .traffic = random_traffic(&dice, 8, 60) };

		two.schedule = solve_small(two.fabric, two.traffic);
		for (int switching = LIQUID_SIM_WORMHOLE; switching <= LIQUID_SIM_CUT_THROUGH;
		     switching++) {
			bool shares = switching && !even;

			two.options = options_of(switching, 1000, 100);
			two.options.sync = LIQUID_SIM_SYNC_TOKENS;
			two.options.hop_ns = roll(&dice, 2) * 10;
			two.options.token_ns = 400;
			two.options.tail_bytes = roll(&dice, 2) * (400 - 20 * two.options.hop_ns);
			two.options.queues = switching ? roll(&dice, 3) : 0;
			two.options.lanes = shares ? 4 : 1;
			two.options.lane_by = shares ? LIQUID_SIM_BY_LAYERS : 0;
			two.options.jitter = roll(&dice, 4);
			two.options.jitter_share = 0.01 * roll(&dice, 100);
			two.options.start_skew_ns = roll(&dice, 5000);
			two.options.token_timeout_ns = 1000000;
			two.options.cycles = 1 + roll(&dice, 3);
			two.options.seed = i;
			count(&two, shares ? &fast : &alone);
		}
		free_two(&two);
	}
	ok(!alone.waits && !alone.deadlocks,
	   "%d runs on random fabrics, with delays: no request has to wait", alone.runs);
	ok(fast.waits && !fast.deadlocks,
	   "%d runs of packets on faster links: some wait, but not for ever", fast.runs);
	ok(!alone.lost && !alone.timeouts && !fast.lost && !fast.timeouts,
	   "all of it arrives, no wait times out");
}

/* The default tail of pieces with much jitter, in switches with little room */
static void test_random_tail(void)
{
	struct dice dice = { 20261122 };
	struct tally tally = { 0 };

	for (int i = 0; i < 300; i++) {
		struct two two = { .fabric = make_random(&dice, 8, 1),
				   .traffic = random_traffic(&dice, 8, 60) };

		two.schedule = solve(two.fabric, two.traffic);
		two.options = options_of(LIQUID_SIM_CUT_THROUGH, 1000, 100);
		two.options.sync = LIQUID_SIM_SYNC_TOKENS;
		two.options.tail_bytes = LIQUID_SIM_DEFAULT;
		two.options.token_ns = 100;
		two.options.buffer_bytes = 400;
		two.options.queues = roll(&dice, 2);
		two.options.lanes = 1 + roll(&dice, 4);
		two.options.lane_by = two.options.lanes == 4 ? roll(&dice, 3) : roll(&dice, 2);
		two.options.jitter = LIQUID_SIM_EXPONENTIAL;
		two.options.jitter_share = 1;
		two.options.token_timeout_ns = 10000000;
		two.options.seed = i;
		count(&two, &tally);
		free_two(&two);
	}
	printf("# %d of %d runs had pieces that overlapped\n", tally.waits, tally.runs);
	ok(tally.waits > 50 && tally.waits < tally.runs - 10,
	   "with the default tail pieces overlap in some fabrics, and not in all");
	ok(!tally.deadlocks && !tally.lost, "none of them has a deadlock");
}

int main(void)
{
	test_tokens();
	test_timeout();
	test_other_modes();
	test_worms();
	test_late();
	test_default_tail();
	test_random();
	test_random_tail();
	return tap_exit();
}
