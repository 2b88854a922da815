// SPDX-License-Identifier: GPL-2.0-only
/* Virtual output queues and lanes: cases computed by hand, and what holds on all fabrics. */
#include "sim-fixtures.h"
#include "tap.h"

/* ---- virtual output queues ---- */

/* h0, h1 and h2 send to h3; h2 then sends to h4. */
static struct liquid_sim_result *run_star(const struct liquid_sim_options *options)
{
	struct liquid_fabric *fabric = begin_fabric("hosts", 5, 1);
	struct liquid_traffic *traffic;
	struct liquid_sim_result *r;
	struct liquid_error err;

	for (uint32_t i = 0; i < 3; i++)
		add_cable(fabric, i, 5, 1);
	for (uint32_t i = 3; i < 5; i++) {
		add_cable(fabric, 5, i, 1);
		must(liquid_fabric_set_forward(fabric, 0, i, i, &err), &err);
	}
	must(liquid_fabric_finish(fabric, &err), &err);
	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 0; i < 3; i++)
		must(liquid_traffic_add(traffic, i, 3, 1, &err), &err);
	must(liquid_traffic_add(traffic, 2, 4, 1, &err), &err);
	r = simulated(fabric, traffic, NULL, options);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	return r;
}

static void test_voq(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_CUT_THROUGH, 1000, 1000);
	struct liquid_sim_result *r;

	options.order = LIQUID_SIM_ALL_AT_ONCE;
	r = run_star(&options);
	/* h3's link: h0 until 1000, h1 until 2000, h2 until 3000; then the packet behind it */
	ok(host_of(r, 3)->end_ns == 3000 && host_of(r, 4)->end_ns == 3000,
	   "FIFO with speedup: a packet waits for the start of the one before");
	liquid_sim_free(r);

	options.queues = LIQUID_SIM_FIFO;
	r = run_star(&options);
	ok(host_of(r, 3)->end_ns == 3000 && host_of(r, 4)->end_ns == 4000,
	   "FIFO: it waits for its end, since the buffer is read by one packet at a time");
	liquid_sim_free(r);

	options.queues = LIQUID_SIM_VOQ;
	r = run_star(&options);
	ok(host_of(r, 3)->end_ns == 3000 && host_of(r, 4)->end_ns == 2000,
	   "VOQ: it passes, as soon as it is there");
	ok(r->total->waits == 2 && r->total->wait_ns == 3000,
	   "VOQ: only those for the same link wait");
	liquid_sim_free(r);

	options.buffer_bytes = 1000;
	r = run_star(&options);
	ok(host_of(r, 3)->end_ns == 3000 && host_of(r, 4)->end_ns == 4000,
	   "VOQ: the queues share the buffer, so a packet finds no room until the other has left");
	liquid_sim_free(r);
}

/* ---- virtual lanes ---- */

static const char *const queue_names[] = { "FIFO with speedup", "VOQ", "FIFO" };

/* Four switches in a ring, each with a host that sends to the one after the next. */
static struct liquid_sim_result *run_ring(const struct liquid_sim_options *options)
{
	struct liquid_fabric *fabric = begin_fabric("hosts", 4, 4);
	struct liquid_traffic *traffic;
	struct liquid_sim_result *r;
	struct liquid_error err;

	for (uint32_t i = 0; i < 4; i++)
		add_cable(fabric, i, 4 + i, 1);			/* link i */
	for (uint32_t i = 0; i < 4; i++)
		add_cable(fabric, 4 + i, i, 1);			/* link 4 + i */
	for (uint32_t i = 0; i < 4; i++)
		add_cable(fabric, 4 + i, 4 + (i + 1) % 4, 1);	/* link 8 + i */
	for (uint32_t sw = 0; sw < 4; sw++)
		for (uint32_t i = 0; i < 4; i++)
			must(liquid_fabric_set_forward(fabric, sw, i, sw == i ? 4 + i : 8 + sw,
						       &err), &err);
	must(liquid_fabric_finish(fabric, &err), &err);
	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 0; i < 4; i++)
		must(liquid_traffic_add(traffic, i, (i + 2) % 4, 1, &err), &err);
	r = simulated(fabric, traffic, NULL, options);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	return r;
}

static void test_ring(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_CUT_THROUGH, 1000, 1000);
	struct liquid_sim_result *r;

	options.buffer_bytes = 1000;
	options.hop_ns = 10;
	for (int queues = LIQUID_SIM_FIFO_SPEEDUP; queues <= LIQUID_SIM_FIFO; queues++) {
		options.queues = queues;
		options.lanes = 1;
		options.lane_by = LIQUID_SIM_BY_DESTINATION;
		r = run_ring(&options);
		ok(r->deadlocks == 1 && r->total->received_packets == 3,
		   "%s, one virtual lane: a ring of full buffers is a deadlock, broken by a loss",
		   queue_names[queues]);
		liquid_sim_free(r);

		/* On the ring's first link from 10 to 1010, on the second one to 2010 */
		options.lanes = 2;
		for (int rule = LIQUID_SIM_BY_DESTINATION; rule <= LIQUID_SIM_BY_SOURCE; rule++) {
			options.lane_by = rule;
			r = run_ring(&options);
			ok(!r->deadlocks && r->total->received_packets == 4 && r->time_ns == 2020 &&
			   r->total->wait_ns == 4 * 990,
			   "%s, two by %s: none, each packet finds room beside another's",
			   queue_names[queues], rule ? "source" : "destination");
			liquid_sim_free(r);
		}
		options.lane_by = LIQUID_SIM_BY_LAYERS;
		/* Packets to h0 and h1 are in the first layer. h1's and h3's go on at 1010. */
		r = run_ring(&options);
		ok(!r->deadlocks && r->total->received_packets == 4 && r->time_ns == 3020,
		   "%s, two in layers: none either", queue_names[queues]);
		liquid_sim_free(r);
	}
}

/* h0 to h3 on s0 share a link; h4 to h6 are on s1, h7 behind it on s2. */
static struct liquid_sim_result *run_turns(const struct liquid_sim_options *options)
{
	struct liquid_fabric *fabric = begin_fabric("hosts", 8, 3);
	struct liquid_traffic *traffic;
	struct liquid_sim_result *r;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 0; i < 4; i++) {
		add_cable(fabric, i, 8, 1);
		must(liquid_traffic_add(traffic, i, 4 + i, 1, &err), &err);
	}
	for (uint32_t i = 4; i < 8; i++)
		add_cable(fabric, i < 7 ? 9 : 10, i, 1);	/* link i */
	add_cable(fabric, 8, 9, 1);				/* link 8 */
	add_cable(fabric, 9, 10, 1);				/* link 9 */
	for (uint32_t i = 4; i < 8; i++) {
		must(liquid_fabric_set_forward(fabric, 0, i, 8, &err), &err);
		must(liquid_fabric_set_forward(fabric, 1, i, i < 7 ? i : 9, &err), &err);
	}
	must(liquid_fabric_set_forward(fabric, 2, 7, 7, &err), &err);
	must(liquid_fabric_finish(fabric, &err), &err);
	r = simulated(fabric, traffic, NULL, options);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	return r;
}

static void test_turns(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_CUT_THROUGH, 1000, 1000);
	struct liquid_sim_result *r = run_turns(&options);

	ok(host_of(r, 6)->end_ns == 3000 && host_of(r, 7)->end_ns == 4000,
	   "one virtual lane: a link serves requests in the order in which they came");
	liquid_sim_free(r);

	for (options.lanes = 3; options.lanes >= 2; options.lanes--) {
		r = run_turns(&options);
		ok(host_of(r, 4)->end_ns == 1000 && host_of(r, 7)->end_ns == 2000 &&
		   host_of(r, 5)->end_ns == 3000 && host_of(r, 6)->end_ns == 4000,
		   "%" PRIu32 ": the lane that is alone comes next, the others keep their order",
		   options.lanes);
		ok(r->time_ns == 4000, "they share the link, which is no faster");
		liquid_sim_free(r);
	}

	options.lanes = 2;
	options.switching = LIQUID_SIM_PACKET;
	r = run_turns(&options);
	/* Stored at s0 from 1000 on; h7's is on the shared link until 3000, and stored at s1, s2 */
	ok(host_of(r, 4)->end_ns == 3000 && host_of(r, 7)->end_ns == 5000 &&
	   host_of(r, 5)->end_ns == 5000 && host_of(r, 6)->end_ns == 6000,
	   "store and forward: the lanes take turns as well");
	liquid_sim_free(r);

	options.buffer_bytes = 2000;
	r = run_turns(&options);
	ok(r->total->drops[LIQUID_SIM_TAIL] == 1 && host_of(r, 7)->received_packets == 1,
	   "store and forward: a full queue drops packets of its own virtual lane");
	liquid_sim_free(r);
}

/* ---- all fabrics ---- */

static bool arrives(struct liquid_sim_options *options, const struct liquid_fabric *fabric,
		    const struct liquid_traffic *traffic, uint64_t *deadlocks)
{
	struct liquid_sim_result *r = simulated(fabric, traffic, NULL, options);
	uint64_t packets = r->transfers * 8, dropped = r->total->drops[LIQUID_SIM_DEADLOCK];
	bool all = r->total->received_packets + dropped == packets && dropped == r->deadlocks;

	*deadlocks += r->deadlocks;
	liquid_sim_free(r);
	return all;
}

/* A deadlock that is not found would leave packets that never arrive. */
static void test_random(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_CUT_THROUGH, 8000, 1000);
	struct dice dice = { 20261122 };
	uint64_t deadlocks[3] = { 0 }, own = 0, layers = 0;
	int bad = 0, runs = 0, fabrics = (int)draws(300);

	options.order = LIQUID_SIM_ALL_AT_ONCE;
	options.buffer_bytes = 2000;
	for (int i = 0; i < fabrics; i++) {
		struct liquid_fabric *fabric = make_random(&dice, 8, 2);
		struct liquid_traffic *traffic = random_traffic(&dice, 8, 40);

		options.hop_ns = roll(&dice, 3) * 100;
		for (options.queues = LIQUID_SIM_FIFO_SPEEDUP; options.queues <= LIQUID_SIM_FIFO;
		     options.queues++)
			for (options.lanes = 1; options.lanes <= 3; options.lanes++, runs++)
				bad += !arrives(&options, fabric, traffic,
						&deadlocks[options.queues]);
		options.queues = i % 2 ? LIQUID_SIM_VOQ : LIQUID_SIM_FIFO;
		options.lanes = 256;
		bad += !arrives(&options, fabric, traffic, &own);
		options.lanes = 4;
		options.lane_by = LIQUID_SIM_BY_LAYERS;
		bad += !arrives(&options, fabric, traffic, &layers);
		options.lane_by = LIQUID_SIM_BY_DESTINATION;
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(!bad, "in %d runs on random fabrics each packet arrives or is lost to a deadlock", runs);
	for (int queues = LIQUID_SIM_FIFO_SPEEDUP; queues <= LIQUID_SIM_FIFO; queues++)
		ok(deadlocks[queues], "%s: some have deadlocks (%" PRIu64 ")", queue_names[queues],
		   deadlocks[queues]);
	ok(!layers, "none has one with layers, of which four are enough");
	ok(!own, "none has one if each destination's switch has its own virtual lane");
}

static void test_refusals(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1000, 0);
	struct liquid_fabric *fabric = make_bridge(2, 1);
	struct liquid_traffic *traffic = straight(2, 1);
	struct liquid_sim_result *r;
	struct liquid_error err;

	options.queues = LIQUID_SIM_VOQ;
	ok(liquid_simulate(fabric, traffic, NULL, &options, &r, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "virtual output queues go with cut-through"), "no VOQ for worms");
	options.queues = LIQUID_SIM_FIFO;
	options.lanes = 2;
	ok(liquid_simulate(fabric, traffic, NULL, &options, &r, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "virtual lanes go with cut-through and packet"),
	   "no virtual lanes for worms");
	options.switching = LIQUID_SIM_PACKET;
	options.lane_by = 3;
	ok(liquid_simulate(fabric, traffic, NULL, &options, &r, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "unknown queues or lane rule"), "no lane rule that does not exist");
	options.lane_by = LIQUID_SIM_BY_DESTINATION;
	options.lanes = 257;
	ok(liquid_simulate(fabric, traffic, NULL, &options, &r, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "more than 256 virtual lanes"), "no more than 256 virtual lanes");
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_voq();
	test_ring();
	test_turns();
	test_random();
	test_refusals();
	return tap_exit();
}
