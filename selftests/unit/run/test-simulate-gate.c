// SPDX-License-Identifier: GPL-2.0-only
/* Simulated schedules: a verified one never blocks, a broken one does; clocks, jitter, guard. */
#include "sim-fixtures.h"
#include "tap.h"

/* Transfer i is in frame @frame[i], which do not go back; nothing is checked. */
static struct liquid_schedule *schedule_of(const struct liquid_fabric *fabric,
					   const struct liquid_transfer *transfer,
					   const uint32_t *frame, uint32_t count, uint32_t frames)
{
	struct liquid_schedule *schedule =
		schedule_new(frames, count, liquid_fabric_host_count(fabric));

	if (!schedule || !schedule_copy_names(schedule, fabric))
		exit(1);
	for (uint32_t i = 0; i < count; i++) {
		schedule->transfers[i] = transfer[i];
		schedule->first[frame[i] + 1] = i + 1;
	}
	for (uint32_t f = 0; f < frames; f++)
		if (schedule->first[f + 1] < schedule->first[f])
			schedule->first[f + 1] = schedule->first[f];
	return schedule;
}

/* ---- the published example ---- */

static void test_published(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1000, 0);
	struct liquid_fabric *fabric = make_fabric("papers-5x5", NULL, 0);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_schedule *schedule = solve(fabric, traffic);
	struct liquid_sim_result *r = simulated(fabric, NULL, schedule, &options);

	ok(r->time_ns == 6000 && !r->total->waits && near(r->throughput, r->liquid_throughput),
	   "5 + 5 nodes: the liquid schedule takes 6 message times");
	ok(r->length == 6 && r->options->frame_ns == 1000 && !r->options->guard_ns &&
	   !r->lost_guard_ns && !r->lost_length_ns && !r->lost_other_ns, "nothing is lost");
	liquid_sim_free(r);

	options.frame_ns = 1100;
	options.guard_ns = 50;
	options.cycles = 4;
	r = simulated(fabric, NULL, schedule, &options);
	ok(r->time_ns == 4 * 6 * 1100 - 100 && r->lost_guard_ns == 24 * 100 &&
	   r->lost_other_ns == -100 && !r->total->late, "a frame's rest is lost, except the last");
	liquid_sim_free(r);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* ---- properties ---- */

/* Move transfer @i of @schedule's frames to another one where it congests; false: none. */
static struct liquid_schedule *broken(const struct liquid_fabric *fabric,
				      const struct liquid_schedule *schedule)
{
	uint32_t total = schedule->first[schedule->info.length], at = 0;
	struct liquid_transfer *transfer = calloc(total + 1, sizeof(*transfer));
	uint32_t *frame = calloc(total + 1, sizeof(*frame));
	uint32_t a[LIQUID_PATH_MAX], b[LIQUID_PATH_MAX];
	struct liquid_schedule *made = NULL;
	struct liquid_error err;

	/* The first of frame 0 goes to frame 1, where one shares a link and none its sender */
	for (uint32_t i = schedule->first[1]; !made && schedule->info.length > 1 &&
	     i < schedule->first[2]; i++) {
		const struct liquid_transfer *one = &schedule->transfers[0];
		const struct liquid_transfer *other = &schedule->transfers[i];
		int la = liquid_fabric_route(fabric, one->src, one->dst, a, &err);
		int lb = liquid_fabric_route(fabric, other->src, other->dst, b, &err);
		bool shared = false, same = false;

		for (int x = 0; x < la; x++)
			for (int y = 0; y < lb; y++)
				shared |= a[x] == b[y] &&
					liquid_fabric_link(fabric, a[x])->capacity == 1;
		for (uint32_t j = schedule->first[1]; j < schedule->first[2]; j++)
			same |= schedule->transfers[j].src == one->src;
		if (!shared || same)
			continue;
		for (uint32_t f = 0; f < schedule->info.length; f++)
			for (uint32_t j = schedule->first[f]; j < schedule->first[f + 1]; j++) {
				if (j)
					frame[at] = f, transfer[at++] = schedule->transfers[j];
				if (j + 1 == schedule->first[2])
					frame[at] = 1, transfer[at++] = *one;
			}
		made = schedule_of(fabric, transfer, frame, total, schedule->info.length);
	}
	free(transfer);
	free(frame);
	return made;
}

struct tally {
	uint32_t runs, clean, punctual, breaks, blocked, conserved, delivered;
};

static uint64_t lost(const struct liquid_sim_result *r)
{
	uint64_t sum = 0;

	for (int drop = 0; drop < LIQUID_SIM_DROPS; drop++)
		sum += r->total->drops[drop];
	return sum;
}

/* On a fast link packets wait for each other, for less than a packet's time. */
static void tally_holds(const struct liquid_fabric *fabric, const struct liquid_schedule *schedule,
			enum liquid_sim_switching switching, bool fast, struct dice *dice,
			struct tally *tally)
{
	struct liquid_sim_options options = options_of(switching, 1200, 400);
	struct liquid_sim_result *r;

	options.cycles = 2;
	options.hop_ns = roll(dice, 2) * 7;
	options.clock_error_ns = roll(dice, 2) * 50;
	options.jitter = roll(dice, 2) ? LIQUID_SIM_UNIFORM : LIQUID_SIM_NO_JITTER;
	options.jitter_ns = 30;
	options.seed = dice->state;
	r = simulated(fabric, NULL, schedule, &options);
	tally->runs++;
	tally->clean += (!r->total->waits || (fast && switching)) && !r->deadlocks;
	tally->punctual += !r->total->late && r->total->received_bytes == r->transfers * 1200;
	liquid_sim_free(r);
}

static void tally_broken(const struct liquid_fabric *fabric, const struct liquid_schedule *schedule,
			 struct tally *tally)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1200, 0);
	struct liquid_schedule *bad = broken(fabric, schedule);
	struct liquid_sim_result *r;

	if (!bad)
		return;
	r = simulated(fabric, NULL, bad, &options);
	tally->breaks++;
	tally->blocked += r->total->waits > 0;
	liquid_sim_free(r);
	liquid_schedule_free(bad);
}

/* Whatever blocks and locks on the way: each packet is there, or has been dropped for a reason. */
static void tally_packets(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			  struct dice *dice, struct tally *tally)
{
	struct liquid_sim_options options = options_of(roll(dice, 3), 1200, 400);
	struct liquid_sim_result *r;
	uint64_t packets;

	options.order = roll(dice, 5);
	options.worm_bytes = 400 + roll(dice, 1000);
	options.buffer_bytes = 400 + roll(dice, 2000);
	options.window = options.order >= LIQUID_SIM_SHUFFLE_XOR ? roll(dice, 3) : 0;
	options.hop_ns = roll(dice, 2) * 10;
	options.cycles = 3;
	options.seed = dice->state;
	r = simulated(fabric, traffic, NULL, &options);
	packets = 3 * r->transfers;
	tally->conserved += r->total->sent_packets + lost(r) == packets &&
		r->total->received_packets == r->total->sent_packets;
	tally->delivered += !lost(r);
	liquid_sim_free(r);
}

static void test_properties(void)
{
	struct tally tally = { 0 };
	struct dice dice = { 20061 };
	const uint32_t rounds = 150;

	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t hosts = 3 + roll(&dice, 8), capacity = 1 + roll(&dice, 2);
		struct liquid_fabric *fabric = make_random(&dice, hosts, capacity);
		struct liquid_traffic *traffic = random_traffic(&dice, hosts, 2 + roll(&dice, 40));
		struct liquid_schedule *schedule = solve_small(fabric, traffic);

		for (int switching = 0; switching <= LIQUID_SIM_PACKET; switching++)
			tally_holds(fabric, schedule, switching, capacity > 1, &dice, &tally);
		tally_broken(fabric, schedule, &tally);
		for (int i = 0; i < 3; i++)
			tally_packets(fabric, traffic, &dice, &tally);
		liquid_schedule_free(schedule);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(tally.clean == tally.runs,
	   "a verified schedule never blocks while the guard covers the clocks: %" PRIu32
	   " of %" PRIu32 " runs", tally.clean, tally.runs);
	ok(tally.punctual == tally.runs, "and all is there, nothing late: %" PRIu32 " of %" PRIu32,
	   tally.punctual, tally.runs);
	ok(tally.breaks > 20 && tally.blocked == tally.breaks,
	   "with one transfer in a wrong frame a link blocks: %" PRIu32 " of %" PRIu32,
	   tally.blocked, tally.breaks);
	ok(tally.conserved == 3 * rounds,
	   "each packet is delivered or dropped for a reason: %" PRIu32 " of %" PRIu32 " runs",
	   tally.conserved, 3 * rounds);
	ok(tally.delivered && tally.delivered < 3 * rounds,
	   "in %" PRIu32 " of them all were delivered",
	   tally.delivered);
}

/* ---- clocks and fit ---- */

static void test_clock_error(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1000, 0);
	struct liquid_fabric *fabric = make_fabric("papers-5x5", NULL, 0);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_schedule *schedule = solve(fabric, traffic);
	struct liquid_sim_result *r;

	options.clock_error_ns = 100;
	r = simulated(fabric, NULL, schedule, &options);
	ok(r->options->guard_ns == 200 && r->options->frame_ns == 1200 && !r->total->waits,
	   "the default guard covers clocks that are apart by twice their error");
	liquid_sim_free(r);

	options.guard_ns = 0;
	r = simulated(fabric, NULL, schedule, &options);
	ok(r->total->waits && r->total->wait_max_ns <= 200,
	   "without a guard transfers run into each other's frames");
	liquid_sim_free(r);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* Two frames of t0 and t1 over the link between them, in which both send at once. */
static void test_fit(void)
{
	static const struct liquid_transfer transfer[] = { { 0, 2 }, { 1, 3 } };
	static const uint32_t both[] = { 0, 0 };
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1000, 100);
	struct liquid_fabric *fabric = make_bridge(2, 1);
	struct liquid_schedule *schedule = schedule_of(fabric, transfer, both, 2, 2);
	struct liquid_sim_result *r;

	options.frame_ns = 1500;
	options.guard_ns = 100;
	r = simulated(fabric, NULL, schedule, &options);
	/* t1 gets its path at 1000; until 1400 it has time for 4 packets; 6 in the next cycle */
	ok(host_of(r, 2)->end_ns == 1000 && host_of(r, 3)->end_ns == 3000 + 600 &&
	   host_of(r, 1)->worms == 2,
	   "what does not fit any more waits for the next cycle");
	ok(r->total->waits == 1 && !r->total->late, "a packet in its frame is not late");
	liquid_sim_free(r);

	options.packet_bytes = 0;
	r = simulated(fabric, NULL, schedule, &options);
	ok(host_of(r, 3)->end_ns == 2000 && host_of(r, 1)->late == 1 &&
	   host_of(r, 1)->late_max_ns == 500,
	   "the packet that has been given goes out, however late");
	liquid_sim_free(r);

	options.cycles = 3;
	options.packet_bytes = 100;
	r = simulated(fabric, NULL, schedule, &options);
	ok(r->total->received_bytes == 6000, "what is left over after the last cycle still goes");
	liquid_sim_free(r);
	liquid_schedule_free(schedule);
	liquid_fabric_free(fabric);
}

static void test_unsent(void)
{
	static const struct liquid_transfer transfer[] = { { 0, 2 } };
	static const uint32_t first[] = { 0 };
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1000, 0);
	struct liquid_fabric *fabric = make_bridge(2, 1);
	struct liquid_schedule *schedule = schedule_of(fabric, transfer, first, 1, 1);
	struct liquid_sim_result *r;
	struct liquid_error err;

	options.frame_ns = 1000;
	options.jitter = LIQUID_SIM_UNIFORM;
	options.jitter_ns = 500;
	r = simulated(fabric, NULL, schedule, &options);
	ok(r->total->drops[LIQUID_SIM_UNSENT] == 1 && !r->total->received_bytes,
	   "what never fits is given up and counted");
	liquid_sim_free(r);

	options.guard_ns = 1;
	ok(liquid_simulate(fabric, NULL, schedule, &options, &r, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text,
		  "a packet takes 1000 ns: none fits into a frame of 1000 ns with a guard "
		  "of 1 ns"), "a frame into which no packet fits is refused");
	liquid_schedule_free(schedule);
	liquid_fabric_free(fabric);
}

static void test_refused(void)
{
	static const struct liquid_transfer twice[] = { { 0, 2 }, { 0, 3 } };
	static const uint32_t first[] = { 0, 0 };
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1000, 0);
	struct liquid_fabric *fabric = make_bridge(2, 1), *other = make_bridge(3, 1);
	struct liquid_schedule *schedule = schedule_of(fabric, twice, first, 2, 1);
	struct liquid_sim_result *r;
	struct liquid_error err;

	ok(liquid_simulate(fabric, NULL, schedule, &options, &r, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "frame 0: 't0' sends to more than one at once"),
	   "a host that sends to two at once is refused, as by a gate");
	ok(liquid_simulate(other, NULL, schedule, &options, &r, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "not read for this fabric"), "a schedule of another fabric");
	liquid_schedule_free(schedule);
	liquid_fabric_free(fabric);
	liquid_fabric_free(other);
}

int main(void)
{
	test_published();
	test_properties();
	test_clock_error();
	test_fit();
	test_unsent();
	test_refused();
	return tap_exit();
}
