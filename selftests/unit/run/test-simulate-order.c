// SPDX-License-Identifier: GPL-2.0-only
/* Orders: round-robin, random, all at once, and the shuffles with mapping and window. */
#include "simulate/shuffle.h"
#include "sim-fixtures.h"
#include "tap.h"

static struct liquid_fabric *make_leaf_spine(uint32_t leaves, uint32_t hosts, uint32_t spines)
{
	char text[3][32];
	const char *params[] = { text[0], text[1], text[2] };

	snprintf(text[0], sizeof(text[0]), "leaves=%" PRIu32, leaves);
	snprintf(text[1], sizeof(text[1]), "hosts=%" PRIu32, hosts);
	snprintf(text[2], sizeof(text[2]), "spines=%" PRIu32, spines);
	return make_fabric("leaf-spine", params, 3);
}

static struct liquid_traffic *all_to_all(const struct liquid_fabric *fabric, uint32_t count)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t src = 0; src < hosts; src++)
		for (uint32_t dst = 0; dst < hosts; dst++)
			if (src != dst)
				must(liquid_traffic_add(traffic, src, dst, count, &err), &err);
	return traffic;
}

/* ---- the published example ---- */

static void test_published(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1000, 0);
	struct liquid_fabric *fabric = make_fabric("papers-5x5", NULL, 0);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_sim_result *r = simulated(fabric, traffic, NULL, &options);

	ok(r->time_ns == 7000, "5 + 5 nodes: round-robin takes 7 message times");
	ok(r->duration == 6 && r->transfers == 25 && r->message_ns == 1000 &&
	   near(r->liquid_throughput, 25e9 / 6) && near(r->crossbar_throughput, 5e9) &&
	   near(r->throughput, 25e9 / 7), "its throughput and the liquid one and a crossbar's");
	liquid_sim_free(r);

	options.cycles = 3;
	r = simulated(fabric, traffic, NULL, &options);
	ok(r->transfers == 75 && r->total->received_bytes == 75000 && r->time_ns >= 3 * 6000,
	   "three cycles carry three times as much");
	liquid_sim_free(r);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* ---- all orders carry all ---- */

static bool carries_all(const struct liquid_sim_result *r, uint32_t per_host)
{
	for (uint32_t host = 0; host < r->host_count; host++)
		if (host_of(r, host)->sent_bytes != per_host ||
		    host_of(r, host)->received_bytes != per_host)
			return false;
	return r->throughput <= r->liquid_throughput * 1.0001;
}

static void test_carries(void)
{
	struct liquid_fabric *fabric = make_leaf_spine(4, 4, 2);
	struct liquid_traffic *traffic = all_to_all(fabric, 2);
	bool all = true, bounded = true;

	for (int switching = 0; switching <= LIQUID_SIM_PACKET; switching++)
		for (int order = 0; order <= LIQUID_SIM_PAIRWISE_XOR; order++)
			for (int aware = 0; aware < 2; aware++) {
				struct liquid_sim_options options =
					options_of(switching, 1000, 300);
				struct liquid_sim_result *r;

				options.order = order;
				options.contention_aware = aware;
				options.cycles = 2;
				options.worm_bytes = 600;
				options.buffer_bytes = 1000000;
				r = simulated(fabric, traffic, NULL, &options);
				all &= carries_all(r, 2 * 15 * 2000);
				bounded &= r->time_ns >= 2 * 2 * 15 * 1000;
				liquid_sim_free(r);
			}
	ok(all, "every order on every switching carries all, at most at the liquid throughput");
	ok(bounded, "no exchange is faster than the hosts' own links");
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_seed(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1000, 0);
	struct liquid_fabric *fabric = make_leaf_spine(4, 4, 2);
	struct liquid_traffic *traffic = all_to_all(fabric, 1);
	struct liquid_sim_result *r[3];

	options.order = LIQUID_SIM_RANDOM;
	options.jitter = LIQUID_SIM_EXPONENTIAL;
	options.jitter_ns = 50;
	for (int i = 0; i < 3; i++) {
		options.seed = i / 2;
		r[i] = simulated(fabric, traffic, NULL, &options);
	}
	ok(r[0]->time_ns == r[1]->time_ns && r[0]->events == r[1]->events &&
	   !memcmp(link_of(r[0], 0), link_of(r[1], 0),
		   r[0]->link_count * sizeof(struct liquid_sim_link)),
	   "the same seed gives the same result");
	ok(r[0]->time_ns != r[2]->time_ns, "another seed gives another");
	for (int i = 0; i < 3; i++)
		liquid_sim_free(r[i]);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* ---- the shuffle's ranks: a 4 x 4 network as in the text ---- */

static void test_steps(void)
{
	struct liquid_fabric *fabric = make_leaf_spine(4, 4, 1);
	struct liquid_traffic *traffic = all_to_all(fabric, 1);
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	uint32_t count = (uint32_t)liquid_traffic_pair_count(traffic);
	struct shuffle_ranks linear, mapped;
	bool far = true, spread = true, formula = true, rotation = true;
	struct liquid_error err;

	must(shuffle_ranks(fabric, pairs, count, false, NULL, &linear, &err), &err);
	must(shuffle_ranks(fabric, pairs, count, true, NULL, &mapped, &err), &err);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t away = pairs[i].src / 4 ^ pairs[i].dst / 4;

		far &= away == shuffle_step_xor(&linear, &pairs[i]) / 4;
		spread &= away == shuffle_step_xor(&mapped, &pairs[i]) % 4;
		rotation &= shuffle_step_rotation(&linear, &pairs[i]) ==
			(pairs[i].dst + 16 - pairs[i].src) % 16;
	}
	for (uint32_t host = 0; host < 16; host++)
		formula &= mapped.sender[host] == host / 4 + host % 4 * 4 &&
			mapped.receiver[host] == host / 4 + host % 4 * 4;
	ok(far, "XOR step i: the partner's switch is floor(i/4) away");
	ok(spread, "with the contention-aware mapping it is i mod 4 away");
	ok(formula, "the mapping is that of eq. 6.3");
	ok(rotation, "rotation step i: the partner is i ranks on");
	shuffle_ranks_clear(&linear);
	shuffle_ranks_clear(&mapped);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_window_size(void)
{
	struct liquid_fabric *fabric = make_leaf_spine(4, 4, 1), *star;
	struct liquid_traffic *traffic = all_to_all(fabric, 1);
	struct liquid_error err;
	double load;

	must(shuffle_load(fabric, traffic, &load, &err), &err);
	ok(load == 3.2, "4 x 4: 3.2 packets a step come to an uplink (eq. 6.1)");
	ok(shuffle_window(30, load) == 9, "room for 30 gives a window of 9 (eq. 6.2)");
	ok(shuffle_window(2, load) == 1, "a window is 1 at least");
	liquid_traffic_free(traffic);

	star = make_leaf_spine(1, 4, 1);
	traffic = all_to_all(star, 1);
	must(shuffle_load(star, traffic, &load, &err), &err);
	ok(!load && !shuffle_window(30, load), "one switch: nothing is shared, no window");
	liquid_traffic_free(traffic);
	liquid_fabric_free(star);
	liquid_fabric_free(fabric);
}

/* ---- the window ---- */

/* t0 to three receivers over one link */
static uint64_t window_time(uint64_t window, uint64_t hop_ns)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_PACKET, 100, 100);
	struct liquid_fabric *fabric = make_bridge(3, 1);
	struct liquid_sim_result *r;
	struct liquid_traffic *traffic;
	struct liquid_error err;
	uint64_t time;

	options.order = LIQUID_SIM_SHUFFLE_ROTATION;
	options.window = window;
	options.hop_ns = hop_ns;
	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 3; i < 6; i++)
		must(liquid_traffic_add(traffic, 0, i, 1, &err), &err);
	r = simulated(fabric, traffic, NULL, &options);
	time = r->time_ns;
	liquid_sim_free(r);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	return time;
}

static void test_window(void)
{
	ok(window_time(0, 0) == 500, "without a window packets follow each other");
	ok(window_time(1, 0) == 900, "a window of 1: the next one starts when one is there");
	ok(window_time(2, 0) == 600, "a window of 2: of all its flows together");
	ok(window_time(3, 0) == 500, "a window of all is none");
	ok(window_time(1, 10) == 2 * (320 + 30) + 320,
	   "the acknowledgement takes a hop latency for each link of the path");
}

/* t0 to three receivers, all at once: when the first message has arrived */
static uint64_t first_end(uint64_t window)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_PACKET, 300, 100);
	struct liquid_fabric *fabric = make_bridge(3, 1);
	struct liquid_sim_result *r;
	struct liquid_traffic *traffic;
	struct liquid_error err;
	uint64_t time;

	options.order = LIQUID_SIM_ALL_AT_ONCE;
	options.window = window;
	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 3; i < 6; i++)
		must(liquid_traffic_add(traffic, 0, i, 1, &err), &err);
	r = simulated(fabric, traffic, NULL, &options);
	time = host_of(r, 3)->end_ns;
	ok(r->total->received_bytes == 900, "all at once, %" PRIu64
	   " messages at a time: all arrive", window);
	liquid_sim_free(r);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	return time;
}

static void test_messages_at_once(void)
{
	uint64_t all = first_end(0), two = first_end(2), one = first_end(1);

	ok(all == two + 200 && two == one + 200,
	   "its first message arrives two packets earlier with each other message less: %" PRIu64
	   ", %" PRIu64 ", %" PRIu64, all, two, one);
}

/* 4 x 4 hosts whose links up carry a host each: ranks decide whether a step's messages share one */
static void test_given_ranks(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_CUT_THROUGH, 1000, 100);
	struct liquid_fabric *fabric = make_leaf_spine(4, 4, 1);
	struct liquid_traffic *traffic = all_to_all(fabric, 1);
	struct liquid_sim_result *mapped, *given;
	uint32_t rank[16];

	for (uint32_t host = 0; host < 16; host++)
		rank[host] = host / 4 + host % 4 * 4;
	options.contention_aware = true;
	mapped = simulated(fabric, traffic, NULL, &options);
	options.contention_aware = false;
	options.rank = rank;
	given = simulated(fabric, traffic, NULL, &options);
	ok(mapped->time_ns == given->time_ns && mapped->events == given->events,
	   "ranks that are given as eq. 6.3 has them do what it does");
	liquid_sim_free(given);
	options.rank = NULL;
	given = simulated(fabric, traffic, NULL, &options);
	ok(mapped->time_ns != given->time_ns, "which is not what the hosts' numbers do");
	liquid_sim_free(mapped);
	liquid_sim_free(given);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_window_limits_loss(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_PACKET, 1000, 100);
	struct liquid_fabric *fabric = make_leaf_spine(4, 4, 1);
	struct liquid_traffic *traffic = all_to_all(fabric, 1);
	struct liquid_sim_result *open, *window, *smaller;

	options.order = LIQUID_SIM_SHUFFLE_XOR;
	options.contention_aware = true;
	options.buffer_bytes = 3000;
	open = simulated(fabric, traffic, NULL, &options);
	options.window = LIQUID_SIM_WINDOW_AUTO;
	window = simulated(fabric, traffic, NULL, &options);
	ok(window->options->window == 9, "auto: the window that the fabric and the buffers give");
	/* It reckons with averages: what stays in the switch is there sooner and makes room */
	ok(4 * window->total->drops[LIQUID_SIM_TAIL] < open->total->drops[LIQUID_SIM_TAIL],
	   "with it %" PRIu64 " packets are dropped, where without %" PRIu64 " were",
	   window->total->drops[LIQUID_SIM_TAIL], open->total->drops[LIQUID_SIM_TAIL]);
	options.window = 30 / 4;
	smaller = simulated(fabric, traffic, NULL, &options);
	ok(!smaller->total->drops[LIQUID_SIM_TAIL],
	   "none when the window of all four hosts of a switch fits into its buffer");
	liquid_sim_free(open);
	liquid_sim_free(window);
	liquid_sim_free(smaller);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* ---- what is refused ---- */

static int refused(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		   const struct liquid_sim_options *options, const char *text)
{
	struct liquid_sim_result *result;
	struct liquid_error err = { "" };
	int status = liquid_simulate(fabric, traffic, NULL, options, &result, &err);

	if (!status)
		liquid_sim_free(result);
	return status == LIQUID_BAD_INPUT && !result && strstr(err.text, text);
}

static int cancel(void *context, uint64_t done, uint64_t total, uint64_t now)
{
	*(uint64_t *)context = now;
	return done < total;
}

static void test_refused(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1000, 0), bad = options;
	struct liquid_fabric *fabric = make_leaf_spine(8, 8, 4);
	struct liquid_traffic *traffic = all_to_all(fabric, 1);
	struct liquid_sim_result *result;
	struct liquid_error err;
	uint64_t seen = 0;

	bad.switching = 7;
	ok(refused(fabric, traffic, &bad, "unknown switching"), "an unknown switching");
	bad = options;
	bad.message_bytes = UINT64_C(1) << 41;
	ok(refused(fabric, traffic, &bad, "message: more than 2^40"), "messages too long");
	bad = options;
	bad.rate_bps = 1;
	bad.message_bytes = UINT64_C(1) << 40;
	ok(refused(fabric, traffic, &bad, "2^59 ns"), "times that do not fit");
	bad = options;
	bad.cycles = UINT64_C(1) << 39;
	ok(refused(fabric, traffic, &bad, "2^40"), "more transfers than can be counted");
	ok(refused(fabric, NULL, &options, "either a traffic or a schedule"),
	   "without traffic and schedule a simulation is refused");
	options.packet_bytes = 10;
	options.order = LIQUID_SIM_SHUFFLE_XOR;
	options.progress = cancel;
	options.context = &seen;
	ok(liquid_simulate(fabric, traffic, NULL, &options, &result, &err) == LIQUID_CANCELLED &&
	   !result && seen, "it can be cancelled on its way");
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_empty(void)
{
	struct liquid_sim_options options = options_of(LIQUID_SIM_WORMHOLE, 1000, 0);
	struct liquid_fabric *fabric = make_fabric("papers-5x5", NULL, 0);
	struct liquid_sim_result *r;
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	r = simulated(fabric, traffic, NULL, &options);
	ok(!r->time_ns && !r->throughput && !r->liquid_throughput,
	   "an empty traffic takes no time");
	liquid_sim_free(r);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_published();
	test_carries();
	test_seed();
	test_steps();
	test_window_size();
	test_window();
	test_messages_at_once();
	test_given_ranks();
	test_window_limits_loss();
	test_refused();
	test_empty();
	return tap_exit();
}
