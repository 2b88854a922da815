// SPDX-License-Identifier: GPL-2.0-only
/* Capillary routing, FEC sizes and ROR: the thesis' chapter 4 and appendix G, number by number. */
#include <math.h>
#include <string.h>

#include "capillary/supply.h"
#include "fixtures.h"
#include "tap.h"

static struct liquid_error err;

static bool near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance * fmax(1, fabs(b));
}

/* ---- networks: switches 0, 1, ..., behind one host that has no part in it ---- */

static struct liquid_fabric *make_switches(uint32_t count)
{
	struct liquid_fabric *fabric;
	char name[16];

	must(liquid_fabric_new("network", &fabric, &err), &err);
	must(liquid_fabric_add_host(fabric, "h", &err), &err);
	for (uint32_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "n%" PRIu32, i);
		must(liquid_fabric_add_switch(fabric, name, &err), &err);
	}
	return fabric;
}

static void join(struct liquid_fabric *fabric, uint32_t from, uint32_t to, uint32_t capacity)
{
	add_cable(fabric, from + 1, to + 1, capacity);
}

/* Figs. 44 to 46 and 48 to 53, as far as their numbers tell: s, t, a, b, c, d are 0 ... 5. */
static struct liquid_fabric *make_small(void)
{
	static const uint8_t links[][2] = {
		{ 0, 2 }, { 0, 3 }, { 2, 4 }, { 2, 5 }, { 3, 4 }, { 3, 5 }, { 3, 1 }, { 4, 1 },
		{ 5, 1 },
	};
	struct liquid_fabric *fabric = make_switches(6);

	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		join(fabric, links[i][0], links[i][1], 1);
	return fabric;
}

static struct liquid_capillary *route(const struct liquid_fabric *fabric, uint32_t from,
				      uint32_t to, uint32_t layers)
{
	struct liquid_capillary_options options = {
		.from = from, .to = to, .layers = layers,
	};
	struct liquid_capillary *capillary;

	must(liquid_capillary(fabric, &options, &capillary, &err), &err);
	return capillary;
}

static double *pattern_of(const struct liquid_fabric *fabric,
			  const struct liquid_capillary *capillary, uint32_t layer)
{
	double *share = calloc((size_t)liquid_fabric_link_count(fabric) + 1, sizeof(*share));

	if (!share)
		exit(1);
	must(liquid_capillary_pattern(capillary, layer, share, &err), &err);
	return share;
}

static struct liquid_ror rate(const struct liquid_fabric *fabric, const double *share,
			      uint32_t block, double tolerance)
{
	struct liquid_ror_options options = {
		.tolerance = tolerance, .block = block, .der = 1e-5,
	};
	struct liquid_ror ror = { 0 };

	must(liquid_ror(fabric, share, &options, &ror, &err), &err);
	return ror;
}

static double ror_of_layer(const struct liquid_fabric *fabric,
			   const struct liquid_capillary *capillary, uint32_t layer)
{
	double *share = pattern_of(fabric, capillary, layer);
	double ror = rate(fabric, share, 20, .051).ror;

	free(share);
	return ror;
}

/* ---- layers ---- */

static void test_small(void)
{
	static const struct { double factor, share, ror; uint32_t bottlenecks; } layers[] = {
		{ 2, 1 / 2., 8.571, 2 }, { 3 / 2., 1 / 3., 7.5, 3 }, { 4 / 3., 1 / 4., 7.357, 2 },
		{ 3, 1 / 12., 7.357, 2 },
	};
	struct liquid_fabric *fabric = make_small();
	struct liquid_capillary *capillary = route(fabric, 1, 2, 0);

	ok(capillary->layers == 4 && capillary->complete, "the thesis' small network: 4 layers");
	for (uint32_t i = 0; i < capillary->layers && i < 4; i++) {
		const struct liquid_capillary_layer *layer = &capillary->layer[i];

		ok(near(layer->factor, layers[i].factor, 1e-9) &&
		   near(1 / layer->product, layers[i].share, 1e-9) &&
		   layer->bottlenecks == layers[i].bottlenecks,
		   "layer %" PRIu32 ": F = %g, %" PRIu32 " bottlenecks of %g", i + 1,
		   layer->factor, layer->bottlenecks, 1 / layer->product);
		ok(near(ror_of_layer(fabric, capillary, i + 1), layers[i].ror, 1e-4),
		   "layer %" PRIu32 ": ROR %g", i + 1, ror_of_layer(fabric, capillary, i + 1));
	}
	liquid_capillary_free(capillary);
	liquid_fabric_free(fabric);
}

static void test_fat_tree(void)
{
	static const char *const params[] = { "k=8" };
	struct liquid_fabric *fabric = make_fabric("fat-tree", params, 1);
	struct liquid_capillary *capillary = route(fabric, 0, 127, 0);
	static const double by_ways[] = { 0, 13.714, 9.143, 8, 5.714 };
	double *share = pattern_of(fabric, capillary, 3);

	ok(capillary->layers == 3 && near(capillary->layer[1].factor, 4, 1e-9) &&
	   capillary->layer[2].bottlenecks == 32, "fat tree k=8: F 1, 4, 4; 2, 8, 32 bottlenecks");
	ok(near(ror_of_layer(fabric, capillary, 2), 9.143, 1e-4) &&
	   near(ror_of_layer(fabric, capillary, 3), 5.714, 1e-4),
	   "ROR 9.143 by layer 2, 5.714 by layer 3");
	ok(near(rate(fabric, share, 0, .051).ror, 2.515, 1e-3) &&
	   rate(fabric, share, 20, .051).critical == 2, "in large blocks 2.515; 2 critical links");
	for (uint32_t lmc = 0; lmc < 5; lmc++) {
		struct liquid_ways *ways;

		must(liquid_capillary_ways(capillary, 1u << lmc, &ways, &err), &err);
		ok(ways->count == 1u << lmc && ways->way[0].links == 6 &&
		   near(rate(fabric, ways->share, 20, .051).ror, by_ways[lmc], 1e-4),
		   "%u ways: ROR %g", ways->count, by_ways[lmc]);
		liquid_ways_free(ways);
	}
	free(share);
	liquid_capillary_free(capillary);
	liquid_fabric_free(fabric);
}

/* ---- random networks ---- */

/* Links have capacities of 1 to @capacity. */
static struct liquid_fabric *make_geometric(struct dice *dice, uint32_t nodes, double range,
					    uint32_t capacity)
{
	struct liquid_fabric *fabric = make_switches(nodes);
	double *x = calloc(2 * (size_t)nodes, sizeof(*x));

	for (uint32_t i = 0; x && i < 2 * nodes; i++)
		x[i] = roll(dice, 1000000) * 1e-6;
	for (uint32_t i = 0; x && i < nodes; i++)
		for (uint32_t k = 0; k < nodes; k++)
			if (i != k && hypot(x[2 * i] - x[2 * k],
					    x[2 * i + 1] - x[2 * k + 1]) < range)
				join(fabric, i, k, 1 + (capacity > 1 ? roll(dice, capacity) : 0));
	free(x);
	return fabric;
}

/* Does the stream leave @from, come to @to, and keep its amount between? */
static bool conserved(const struct liquid_fabric *fabric, const double *share, uint32_t from,
		      uint32_t to)
{
	uint32_t nodes = 1 + liquid_fabric_switch_count(fabric);
	double *balance = calloc(nodes, sizeof(*balance));
	bool kept = balance;

	for (uint32_t e = 0; e < liquid_fabric_link_count(fabric); e++) {
		balance[liquid_fabric_link(fabric, e)->from] += share[e];
		balance[liquid_fabric_link(fabric, e)->to] -= share[e];
	}
	for (uint32_t v = 0; v < nodes; v++)
		kept &= fabs(balance[v] - (v == from) + (v == to)) < 1e-6;
	free(balance);
	return kept;
}

struct large {
	uint32_t networks, complete;
	uint32_t patterns, kept, rated;
	double all;			/* s: the longest of all layers */
};

static void rate_layers(struct large *large, const struct liquid_fabric *fabric,
			const struct liquid_capillary *capillary)
{
	struct liquid_ror_options twice = {
		.tolerance = .051, .block = 20, .der = 1e-5,
		.fail_every_ns = 1000, .fail_for_ns = 1,
	};

	for (uint32_t layer = capillary->layers; layer > 0; layer -= layer > 80 ? 80 : layer) {
		double *share = pattern_of(fabric, capillary, layer);
		struct liquid_ror ror = { 0 };

		large->patterns++;
		large->kept += conserved(fabric, share, 1, 2);
		large->rated += !liquid_ror(fabric, share, &twice, &ror, &err);
		free(share);
	}
}

static void add_large(struct large *large, const struct liquid_fabric *fabric)
{
	struct liquid_capillary *capillary;
	double begin = cpu_seconds();

	capillary = route(fabric, 1, 2, 0);
	large->all = fmax(large->all, cpu_seconds() - begin);
	large->networks++;
	large->complete += capillary->complete && capillary->layers > 100;
	rate_layers(large, fabric, capillary);
	liquid_capillary_free(capillary);
}

/* Times have the sanitizers in them; cli-capillary.sh bounds the work. */
static void test_large(uint32_t capacity)
{
	struct dice dice = { 58 };
	struct large large = { 0 };
	uint32_t networks = draws(2);

	for (uint32_t i = 0; i < networks; i++) {
		struct liquid_fabric *fabric = make_geometric(&dice, 300, .1003, capacity);

		add_large(&large, fabric);
		liquid_fabric_free(fabric);
	}
	ok(large.complete == large.networks, "capacities to %" PRIu32 ": %" PRIu32 " of %" PRIu32
	   " networks of 300 nodes to the last layer", capacity, large.complete, large.networks);
	ok(large.kept == large.patterns, "%" PRIu32 " patterns: nothing is lost", large.patterns);
	ok(large.rated == large.patterns, "none of them goes round in a circle");
	printf("# all layers: at most %.2f s\n", large.all);
}

/* ---- exact supplies ---- */

static bool supply_is(const struct supplies *supplies, double first, double second, double third)
{
	double supply[3];
	bool some = supplies_tell(supplies, supply);

	return some == (first != 0 || second != 0 || third != 0) && near(supply[0], first, 1e-15) &&
	       near(supply[1], second, 1e-15) && near(supply[2], third, 1e-15);
}

static void test_supplies(void)
{
	static const bool first[] = { true, false, false };
	static const int64_t half[] = { 32767, 0, -32768 }, none[3], three[] = { 3, -1, -2 };
	static const uint32_t one_part[3], parts[] = { 2, 0, 1 };
	struct supplies supplies;
	bool right = true;

	if (!supplies_open(&supplies, 3, 0, 2))
		exit(1);
	right &= supplies_grow(&supplies, first, 65535, half);
	ok(right && supply_is(&supplies, 32768, 0, -32767),
	   "supplies of 1 grow by 65535, less half");
	ok(supplies_balance(&supplies, one_part) == 1 && supply_is(&supplies, 32767, 0, -32767),
	   "a part whose supplies do not add up to 0 is corrected by its greatest");
	for (uint32_t i = 0; i < 500 && right; i++)
		right = supplies_grow(&supplies, first, i & 1 ? 32767 : 65521, none);
	ok(right && supplies.words > 100 && supply_is(&supplies, 32767, 0, -32767),
	   "500 layers later nothing is rounded: numbers of %" PRIu32 " words", supplies.words);
	right = supplies_grow(&supplies, first, 3, three);
	ok(right && supply_is(&supplies, 0, 1, -1), "supplies that are used up are 0");
	ok(supplies_balance(&supplies, one_part) == 0 && supplies_balance(&supplies, parts) == 2 &&
	   supply_is(&supplies, 0, 0, 0), "in parts of one node each, all become 0");
	supplies_close(&supplies);
}

/* ---- FEC sizes ---- */

static uint32_t fec(double loss, uint32_t block)
{
	uint32_t size;

	must(liquid_fec_size(loss, block, 1e-5, &size, &err), &err);
	return size;
}

static void test_fec(void)
{
	static const uint8_t weak[] = {
		27, 27, 28, 28, 28, 28, 29, 29, 29, 29, 29, 30, 30, 30, 30,
	};
	/* Fig. 59: FEC_p / M, p = .1 ... .9 */
	static const struct { uint32_t block; double rate[9]; } chart[] = {
		{ 1, { 5, 8, 10, 13, 17, 23, 33, 52, 110 } },
		{ 2, { 3.5, 5, 6.5, 8.5, 11, 14.5, 20.5, 32.5, 68 } },
		{ 5, { 2.4, 3.2, 4, 5, 6.4, 8.6, 12, 19, 39.6 } },
		{ 10, { 1.9, 2.4, 3, 3.8, 4.8, 6.3, 8.8, 13.7, 28.5 } },
	};
	uint32_t right = 0;

	for (uint32_t i = 0; i < 15; i++)
		right += fec(.036 + .003 * i, 20) == weak[i];
	ok(right == 15, "M = 20: the 15 tolerances of 3.6 to 7.8 %%");
	ok(fec(1 / 4., 20) == 44 && fec(1 / 3., 20) == 52 && fec(1 / 2., 20) == 76,
	   "M = 20: 44, 52 and 76 packets for a quarter, a third and half");
	right = 0;
	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t p = 0; p < 9; p++)
			right += near(fec((p + 1) / 10., chart[i].block),
				      chart[i].rate[p] * chart[i].block, 1e-9);
	ok(right == 36, "Fig. 59: %" PRIu32 " of 36 values", right);
	ok(fec(0, 20) == 20, "without loss the block itself");
	ok(near(fec(.3, 1000000) / 1e6, 1 / .7, .005), "eq. 28: large blocks need 1 / (1 - p)");
}

static bool fec_refused(double loss, uint32_t block, double der, int status)
{
	uint32_t size = 1;

	return liquid_fec_size(loss, block, der, &size, &err) == status && !size;
}

/* ---- packets: the small network, links that fail by Poisson's law, an adaptive sender ---- */

struct stream {
	const struct liquid_fabric *fabric;
	const double *share;
	double until[16];		/* by link: up, or from when on */
	bool failed[16];
	double every, lasting;		/* s */
	bool packets;			/* one by one, to see which blocks are decoded */
	uint64_t random;
	uint64_t blocks, extra, undecoded;
};

#define BLOCK_SECONDS 0.4		/* 20 packets of voice, 20 ms each */

static double uniform(struct stream *stream)
{
	stream->random ^= stream->random << 13;
	stream->random ^= stream->random >> 7;
	stream->random ^= stream->random << 17;
	return (double)(stream->random >> 11) * 0x1p-53;
}

/* Send a packet by the shares; does it arrive? */
static bool arrives(struct stream *stream)
{
	uint32_t at = 1;

	while (at != 2) {
		double all = 0, place;
		uint32_t next = LIQUID_NONE;

		for (uint32_t e = 0; e < 9; e++)
			all += liquid_fabric_link(stream->fabric, e)->from == at ?
			       stream->share[e] : 0;
		place = uniform(stream) * all;
		for (uint32_t e = 0; e < 9 && place >= 0; e++)
			if (liquid_fabric_link(stream->fabric, e)->from == at &&
			    stream->share[e] > 0) {
				next = e;
				place -= stream->share[e];
			}
		if (stream->failed[next])
			return false;
		at = liquid_fabric_link(stream->fabric, next)->to;
	}
	return true;
}

/* What the failed links lose: node by node, as n is sorted: s, a, b, then c and d. */
static double loss_now(const struct stream *stream)
{
	static const uint32_t order[] = { 1, 3, 4, 5, 6 };
	double in[7] = { 0, 1 };

	for (int i = 0; i < 5; i++) {
		double all = 0;

		for (uint32_t e = 0; e < 9; e++)
			all += liquid_fabric_link(stream->fabric, e)->from == order[i] ?
			       stream->share[e] : 0;
		for (uint32_t e = 0; e < 9; e++) {
			const struct liquid_link *link = liquid_fabric_link(stream->fabric, e);

			if (link->from == order[i] && !stream->failed[e] && all > 0)
				in[link->to] += in[order[i]] * stream->share[e] / all;
		}
	}
	return 1 - in[2];
}

static void send_block(struct stream *stream, uint32_t size)
{
	uint32_t came = 0;

	for (uint32_t i = 0; i < size && stream->packets; i++)
		came += arrives(stream);
	stream->extra += size - 28;
	stream->undecoded += came < 20;
	stream->blocks++;
}

static double next_change(struct stream *stream, uint32_t *link)
{
	*link = 0;
	for (uint32_t e = 1; e < 9; e++)
		if (stream->until[e] < stream->until[*link])
			*link = e;
	return stream->until[*link];
}

/* Go through the time from change to change; blocks are sent one by one while something fails. */
static void run_stream(struct stream *stream, double seconds)
{
	double now = 0, block = 0;
	uint32_t link;

	for (uint32_t e = 0; e < 9; e++)
		stream->until[e] = -log(1 - uniform(stream)) * stream->every;
	while (now < seconds) {
		double change = next_change(stream, &link), loss = loss_now(stream);

		if (loss < .051 || loss > 1 - 1e-9)
			block = fmax(block, change);
		for (uint32_t size = block < change ? fec(loss, 20) : 0; block < change;
		     block += BLOCK_SECONDS)
			send_block(stream, size);
		now = change;
		stream->failed[link] = !stream->failed[link];
		stream->until[link] = now + (stream->failed[link] ? stream->lasting :
					     -log(1 - uniform(stream)) * stream->every);
	}
}

/* ROR is extra packets by D P: D is one link's time of failure, P the usual rate. */
static double ror_sent(struct stream *stream, double seconds)
{
	double failing = seconds * stream->lasting / (stream->every + stream->lasting);

	run_stream(stream, seconds);
	return (double)stream->extra / (failing * fec(.051, 20) / BLOCK_SECONDS);
}

static void test_packets(void)
{
	struct liquid_fabric *fabric = make_small();
	struct liquid_capillary *capillary = route(fabric, 1, 2, 0);
	uint32_t times = 400;

	for (uint32_t layer = 1; layer <= 4; layer++) {
		double *share = pattern_of(fabric, capillary, layer);
		double told = rate(fabric, share, 20, .051).ror, sent;
		struct stream rare = {
			.fabric = fabric, .share = share, .every = 86400, .lasting = 5,
			.packets = true,
			.random = 1000 + layer,
		};
		struct stream often = rare;
		struct liquid_ror_options options = {
			.tolerance = .051, .block = 20, .der = 1e-5,
			.fail_every_ns = 3600000000000, .fail_for_ns = 120000000000,
		};
		struct liquid_ror both = { 0 };

		sent = ror_sent(&rare, times * 86400.);
		ok(fabs(sent / told - 1) < .05 && rare.undecoded <= 5 && rare.blocks > 10 * times,
		   "layer %" PRIu32 ": ROR %.3f, in packets %.3f; %u of %u blocks undecoded",
		   layer, told, sent, (unsigned int)rare.undecoded, (unsigned int)rare.blocks);
		often.every = 3600;
		often.lasting = 120;
		often.packets = false;
		must(liquid_ror(fabric, share, &options, &both, &err), &err);
		sent = ror_sent(&often, times * 3600.);
		ok(fabs(sent / both.ror - 1) < .05,
		   "layer %" PRIu32 ", failures overlap: ROR %.3f, in packets %.3f", layer,
		   both.ror, sent);
		free(share);
	}
	liquid_capillary_free(capillary);
	liquid_fabric_free(fabric);
}

/* ---- appendix G ---- */

/* @links parallel ways of one link each. */
static struct liquid_ror rate_parallel(uint32_t links, uint64_t every, uint64_t lasting)
{
	struct liquid_fabric *fabric = make_switches(2);
	double *share = calloc(links, sizeof(*share));
	struct liquid_ror_options options = {
		.tolerance = .051, .block = 20, .der = 1e-5,
		.fail_every_ns = every, .fail_for_ns = lasting,
	};
	struct liquid_ror ror = { 0 };

	for (uint32_t i = 0; i < links; i++) {
		join(fabric, 0, 1, 1);
		share[i] = 1. / links;
	}
	must(liquid_ror(fabric, share, &options, &ror, &err), &err);
	free(share);
	liquid_fabric_free(fabric);
	return ror;
}

static void test_overlap(void)
{
	struct liquid_ror ror = rate_parallel(50, 3600, 1);

	ok(near(ror.overlap, .01379, 1e-5), "Fig. 67: 50 links, 1 s an hour: 1.379 %%");
	ok(near(rate_parallel(50, 3600, 2).overlap, .02740, 1e-5), "2 s: 2.74 %%");
	ok(rate_parallel(886, 86400, 5).overlap <= .05 &&
	   rate_parallel(887, 86400, 5).overlap > .05,
	   "5 s a day: 886 links overlap in at most 5 %% (\"nearly 900\")");
	ror = rate_parallel(4, 1000, 1);
	ok(near(ror.single, 4 * (44 / 28. - 1), 1e-9) && near(ror.pairs, 6 * (76 / 28. - 1), 1e-9),
	   "eqs. 46 and 53: 4 links of a quarter, 6 pairs of half");
	ok(near(ror.pair_weight / ror.single_weight, .002 * 2 / 3, 1e-9),
	   "a pair's share of k2 / k1 = a / 2 is 2 / (N - 1)");
	ror = rate_parallel(2, 1000, 1);
	ok(near(ror.single, 3.429, 1e-3) && ror.pairs == 0,
	   "two ways: 3.429; both at a time cut all and count for nothing");
}

/* ---- refusals ---- */

static bool refused(const struct liquid_fabric *fabric, uint32_t from, uint32_t to,
		    const char *reason)
{
	struct liquid_capillary_options options = {
		.from = from, .to = to,
	};
	struct liquid_capillary *capillary;

	return liquid_capillary(fabric, &options, &capillary, &err) == LIQUID_BAD_INPUT &&
	       !capillary && strstr(err.text, reason);
}

static bool ror_refused(double share, double tolerance, uint64_t lasting, const char *reason)
{
	struct liquid_fabric *fabric = make_switches(2);
	struct liquid_ror_options options = {
		.tolerance = tolerance, .fail_every_ns = 10 * !!lasting,
		.fail_for_ns = lasting,
	};
	struct liquid_ror ror = { 0 };
	double shares[2] = { share, share };
	int status;

	join(fabric, 0, 1, 1);
	join(fabric, 1, 0, 1);
	status = liquid_ror(fabric, shares, &options, &ror, &err);
	liquid_fabric_free(fabric);
	return status == LIQUID_BAD_INPUT && strstr(err.text, reason);
}

static void test_refused(void)
{
	struct liquid_fabric *fabric = make_small();
	struct liquid_capillary *capillary = route(fabric, 1, 2, 2);
	struct liquid_ways *ways;
	double share[9];

	ok(!capillary->complete && capillary->layers == 2, "2 layers are not all");
	ok(liquid_capillary_pattern(capillary, 3, share, &err) == LIQUID_BAD_INPUT &&
	   liquid_capillary_pattern(capillary, 0, share, &err) == LIQUID_BAD_INPUT &&
	   liquid_capillary_write_lp(capillary, 3, stdout, &err) == LIQUID_BAD_INPUT &&
	   liquid_capillary_ways(capillary, 0, &ways, &err) == LIQUID_BAD_INPUT && !ways,
	   "a layer that is not there is refused, and so are no ways");
	ok(refused(fabric, 1, 1, "n0 is both ends"), "one node at both ends: %s", err.text);
	ok(refused(fabric, 7, 1, "node 7: there are 7"), "no such node: %s", err.text);
	ok(refused(fabric, 2, 1, "no links lead from n1 to n0"), "no way: %s", err.text);
	ok(fec_refused(1, 20, 1e-5, LIQUID_BAD_INPUT) && fec_refused(NAN, 20, .1, LIQUID_BAD_INPUT)
	   && fec_refused(.1, 0, .1, LIQUID_BAD_INPUT) && fec_refused(.1, 1, .5, LIQUID_BAD_INPUT),
	   "FEC sizes: a loss of 1, of NaN, no block, a rate of half");
	ok(fec_refused(1 - 1e-12, 20, 1e-5, LIQUID_LIMIT), "a loss of almost all: %s", err.text);
	ok(ror_refused(2, .05, 0, "share of 2"), "a share of 2: %s", err.text);
	ok(ror_refused(.5, 1, 0, "tolerance of 1"), "a tolerance of all: %s", err.text);
	ok(ror_refused(.5, .05, 1, "round in a circle"), "with failure times, a circle: %s",
	   err.text);
	liquid_capillary_free(capillary);
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_small();
	test_fat_tree();
	test_fec();
	test_overlap();
	test_packets();
	test_refused();
	test_supplies();
	test_large(1);
	test_large(100);
	return tap_exit();
}
