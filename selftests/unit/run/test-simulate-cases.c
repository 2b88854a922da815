// SPDX-License-Identifier: GPL-2.0-only
/* The model of a fabric on cases computed by hand: who waits how long, who is dropped. */
#include "sim-fixtures.h"
#include "tap.h"

/* ---- wormhole ---- */

static void test_shared_link(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1000, 0);
	struct liquid_fabric *fabric = make_bridge(2, 1);
	struct liquid_traffic *traffic = straight(2, 1);
	struct liquid_sim_result *r = simulated(fabric, traffic, NULL, &options);

	ok(r->time_ns == 2000 && host_of(r, 2)->end_ns == 1000 && host_of(r, 3)->end_ns == 2000,
	   "two worms share a link: one after the other, the lower port first");
	ok(r->total->waits == 1 && r->total->wait_ns == 1000 && host_of(r, 1)->blocked_ns == 1000 &&
	   link_of(r, 4)->waits == 1, "the second one waits for the first");
	ok(link_of(r, 4)->busy_ns == 2000 && !link_of(r, 4)->blocked_ns &&
	   link_of(r, 1)->blocked_ns == 1000 &&
	   link_of(r, 1)->busy_ns == 1000 && !link_of(r, 0)->blocked_ns,
	   "it blocks its own link, and the link between is always busy");
	liquid_sim_free(r);

	options.hop_ns = 10;
	r = simulated(fabric, traffic, NULL, &options);
	ok(host_of(r, 2)->end_ns == 1040 && host_of(r, 3)->end_ns == 2070,
	   "a header takes its time from link to link, and so do the bytes");
	ok(link_of(r, 1)->blocked_ns == 1030, "what a header is under way is not blocked");
	liquid_sim_free(r);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_lanes(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1000, 0);
	struct liquid_fabric *fabric = make_bridge(3, 2);
	struct liquid_traffic *traffic = straight(3, 1);
	struct liquid_sim_result *r = simulated(fabric, traffic, NULL, &options);

	ok(r->time_ns == 2000 && r->total->waits == 1 && host_of(r, 4)->end_ns == 1000,
	   "a link of capacity 2 carries two at once, each at the unit rate");
	ok(link_of(r, 6)->busy_ns == 3000, "busy time is summed over the lanes");
	liquid_sim_free(r);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_sizes(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1000, 300);
	struct liquid_fabric *fabric = make_bridge(2, 1);
	struct liquid_traffic *traffic = straight(2, 1);
	struct liquid_sim_result *r;

	options.overhead = 10;
	r = simulated(fabric, traffic, NULL, &options);
	ok(host_of(r, 2)->end_ns == 1040 && r->total->worms == 2 && r->total->sent_packets == 8,
	   "four packets are a worm, each with its overhead");
	liquid_sim_free(r);

	options.worm_bytes = 650;
	r = simulated(fabric, traffic, NULL, &options);
	/* 620 + 420 bytes, in turns: t0 620, t1 620, t0 420, t1 420 */
	ok(r->total->worms == 4 && host_of(r, 2)->end_ns == 1660 && host_of(r, 3)->end_ns == 2080,
	   "a worm ends before the packet that would pass its size");
	liquid_sim_free(r);

	options.worm_bytes = 100;
	r = simulated(fabric, traffic, NULL, &options);
	ok(r->total->worms == 8 && r->time_ns == 2080, "a larger packet is a worm by itself");
	liquid_sim_free(r);

	options = options_of(LIQUID_SIM_WORMHOLE, 1000, 300);
	options.rate_bps = 7000000000;
	r = simulated(fabric, traffic, NULL, &options);
	ok(host_of(r, 2)->end_ns == 1143, "times are rounded up once a worm");
	liquid_sim_free(r);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* u > v > w: c sends from v to w, b from u to w, a from u to v. */
static struct liquid_fabric *make_chain(void)
{
	static const char *const names[] = { "c", "b", "a", "rc", "rb", "ra" };
	static const uint32_t from[] = { 7, 6, 6 }, to[] = { 8, 8, 7 };
	struct liquid_fabric *fabric;
	struct liquid_error err;

	must(liquid_fabric_new("chain", &fabric, &err), &err);
	for (int i = 0; i < 6; i++)
		must(liquid_fabric_add_host(fabric, names[i], &err), &err);
	must(liquid_fabric_add_switch(fabric, "u", &err), &err);
	must(liquid_fabric_add_switch(fabric, "v", &err), &err);
	must(liquid_fabric_add_switch(fabric, "w", &err), &err);
	for (uint32_t i = 0; i < 3; i++)
		add_cable(fabric, i, from[i], 1);		/* link i */
	for (uint32_t i = 0; i < 3; i++) {
		add_cable(fabric, to[i], 3 + i, 1);		/* link 3 + i */
		must(liquid_fabric_set_forward(fabric, to[i] - 6, 3 + i, 3 + i, &err), &err);
	}
	add_cable(fabric, 6, 7, 1);				/* link 6: u > v */
	add_cable(fabric, 7, 8, 1);				/* link 7: v > w */
	for (uint32_t i = 0; i < 3; i++)
		must(liquid_fabric_set_forward(fabric, 0, 3 + i, 6, &err), &err);
	for (uint32_t i = 0; i < 2; i++)
		must(liquid_fabric_set_forward(fabric, 1, 3 + i, 7, &err), &err);
	must(liquid_fabric_finish(fabric, &err), &err);
	return fabric;
}

static void test_chain(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1000, 0);
	struct liquid_fabric *fabric = make_chain();
	struct liquid_traffic *traffic = straight(3, 1);
	struct liquid_sim_result *r = simulated(fabric, traffic, NULL, &options);

	ok(host_of(r, 3)->end_ns == 1000 && host_of(r, 4)->end_ns == 2000 &&
	   host_of(r, 5)->end_ns == 3000,
	   "a chain of three: each waits for the one before, though the last two share nothing");
	ok(r->total->waits == 2 && r->total->wait_ns == 3000 && r->total->wait_max_ns == 2000 &&
	   link_of(r, 6)->blocked_ns == 1000 && link_of(r, 6)->busy_ns == 2000,
	   "the link between them is blocked as long as its worm waits");
	ok(r->deadlocks == 0, "a chain that ends is not a deadlock");
	liquid_sim_free(r);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_ring(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1000, 0);
	struct liquid_fabric *fabric = make_triangle(1), *wide = make_triangle(2);
	struct liquid_traffic *traffic = triangle_traffic(1);
	struct liquid_sim_result *r;

	options.hop_ns = 10;
	r = simulated(fabric, traffic, NULL, &options);
	/* At 20 each has one link of the ring; t3 closes the circle and is dropped. */
	ok(r->deadlocks == 1 && host_of(r, 2)->drops[LIQUID_SIM_DEADLOCK] == 1 &&
	   link_of(r, 1)->drops == 1,
	   "a ring of worms is found, and the worm that closes it is dropped");
	ok(host_of(r, 4)->end_ns == 1060 && host_of(r, 3)->end_ns == 2100 && !host_of(r, 5)->end_ns,
	   "what it held is free at once, and the others go on");
	liquid_sim_free(r);

	options.hop_ns = 0;
	r = simulated(fabric, traffic, NULL, &options);
	ok(!r->deadlocks && r->time_ns == 3000,
	   "without latency the first takes all its links at once: no deadlock");
	liquid_sim_free(r);

	options.hop_ns = 10;
	r = simulated(wide, traffic, NULL, &options);
	ok(!r->deadlocks && !r->total->waits && r->time_ns == 1060, "two lanes: no one waits");
	liquid_sim_free(r);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	liquid_fabric_free(wide);
}

/* ---- cut-through ---- */

static void test_buffer_full(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_CUT_THROUGH, 400, 100);
	struct liquid_fabric *fabric = make_bridge(2, 1);
	struct liquid_traffic *traffic = straight(2, 1);
	struct liquid_sim_result *r;

	options.buffer_bytes = 100;
	r = simulated(fabric, traffic, NULL, &options);
	ok(r->time_ns == 800 && host_of(r, 2)->end_ns == 700 && link_of(r, 4)->busy_ns == 800,
	   "packets in turns over a shared link, which is always busy");
	ok(host_of(r, 0)->blocked_ns == 200 && host_of(r, 1)->blocked_ns == 300,
	   "where the buffer is full the sender waits for its credit");
	liquid_sim_free(r);

	options.buffer_bytes = 200;
	r = simulated(fabric, traffic, NULL, &options);
	ok(r->time_ns == 800 && !host_of(r, 0)->blocked_ns && host_of(r, 1)->blocked_ns == 100,
	   "with room for two only the last packet of the second sender has to wait");
	liquid_sim_free(r);

	options.buffer_bytes = 99;
	r = simulated(fabric, traffic, NULL, &options);
	ok(!r->total->received_packets && r->total->drops[LIQUID_SIM_TOO_LONG] == 8 && !r->time_ns,
	   "packets longer than the buffer are refused at their source");
	liquid_sim_free(r);

	options.buffer_bytes = 200;
	options.hop_ns = 10;
	options.message_bytes = 100;
	r = simulated(fabric, traffic, NULL, &options);
	ok(host_of(r, 2)->end_ns == 120 && host_of(r, 3)->end_ns == 220,
	   "a header goes on after the hop latency; what was stored, as soon as the link is free");
	liquid_sim_free(r);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* Y and Z send to R0, X to R0 and R1: data for R1 is behind data for R0. */
static void test_head_of_line(void)
{
	static const char *const names[] = { "y", "z", "x", "r0", "r1" };
	struct liquid_sim_options options = options_of(LIQUID_SIM_CUT_THROUGH, 1000, 1000);
	struct liquid_fabric *fabric;
	struct liquid_traffic *traffic;
	struct liquid_sim_result *r;
	struct liquid_error err;

	options.order = LIQUID_SIM_ALL_AT_ONCE;
	must(liquid_fabric_new("star", &fabric, &err), &err);
	for (int i = 0; i < 5; i++)
		must(liquid_fabric_add_host(fabric, names[i], &err), &err);
	must(liquid_fabric_add_switch(fabric, "s", &err), &err);
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
	r = simulated(fabric, traffic, NULL, &options);
	ok(host_of(r, 3)->end_ns == 3000 && host_of(r, 4)->end_ns == 3000,
	   "the second in a buffer waits for the first, though its link is idle");
	liquid_sim_free(r);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_cut_through_ring(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_CUT_THROUGH, 10000, 1000);
	struct liquid_fabric *fabric = make_triangle(1);
	struct liquid_traffic *traffic = triangle_traffic(1);
	struct liquid_sim_result *r;
	uint64_t dropped;

	options.buffer_bytes = 1000;
	options.hop_ns = 10;
	r = simulated(fabric, traffic, NULL, &options);
	dropped = r->total->drops[LIQUID_SIM_DEADLOCK];
	ok(r->deadlocks && dropped == r->deadlocks && r->total->received_packets + dropped == 30,
	   "full buffers in a ring are a deadlock, which one packet's loss breaks");
	liquid_sim_free(r);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* ---- store and forward ---- */

static void test_tail_drop(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_PACKET, 100, 100);
	struct liquid_fabric *fabric = make_bridge(3, 1);
	struct liquid_traffic *traffic = straight(3, 1);
	struct liquid_sim_result *r;

	options.buffer_bytes = 200;
	r = simulated(fabric, traffic, NULL, &options);
	ok(host_of(r, 3)->end_ns == 300 && host_of(r, 4)->end_ns == 400 && !host_of(r, 5)->end_ns,
	   "a packet is stored whole at each switch, and waits in its queue");
	ok(link_of(r, 6)->drops == 1 && host_of(r, 2)->drops[LIQUID_SIM_TAIL] == 1,
	   "the one that finds no room is dropped at the tail");
	liquid_sim_free(r);

	options.buffer_bytes = 100;
	r = simulated(fabric, traffic, NULL, &options);
	ok(r->total->drops[LIQUID_SIM_TAIL] == 2 && r->time_ns == 300,
	   "the packet that is being sent counts in the queue");
	liquid_sim_free(r);

	options.buffer_bytes = 1000;
	options.hop_ns = 10;
	r = simulated(fabric, traffic, NULL, &options);
	ok(host_of(r, 3)->end_ns == 320 &&
	   host_of(r, 5)->end_ns == 520, "with a hop latency on each way");
	liquid_sim_free(r);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_shared_link();
	test_lanes();
	test_sizes();
	test_chain();
	test_ring();
	test_buffer_full();
	test_head_of_line();
	test_cut_through_ring();
	test_tail_drop();
	return tap_exit();
}
