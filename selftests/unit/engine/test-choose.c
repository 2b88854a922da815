// SPDX-License-Identifier: GPL-2.0-only
/*
 * Choosing nodes against trying every set of nodes; the bound and the search by themselves; places
 * of a traffic; what is refused.
 */
#include <math.h>

#include "choose/choose.h"
#include "fixtures.h"
#include "tap.h"

#define NODES_MAX 32

/* ---- brute force: all sets of nodes, all links ---- */

struct brute_score {
	uint64_t load, capacity;	/* of the link that decides; capacity 0: none yet */
	uint64_t spread;
};

struct brute_choice {
	const struct liquid_fabric *fabric;
	uint32_t nodes;
	uint32_t src[NODES_MAX], dst[NODES_MAX];
	bool own;			/* a node sends to itself, too */
	bool several;			/* a node means several: its own links do not count */
	uint32_t length[NODES_MAX][NODES_MAX];
	uint32_t path[NODES_MAX][NODES_MAX][LIQUID_PATH_MAX];
	struct brute_score best[NODES_MAX + 1];	/* by number of nodes */
};

static bool is_inner(const struct liquid_fabric *fabric, uint32_t link)
{
	const struct liquid_link *ends = liquid_fabric_link(fabric, link);
	uint32_t hosts = liquid_fabric_host_count(fabric);

	return ends->from >= hosts && ends->to >= hosts;
}

static bool is_less(const struct brute_score *a, const struct brute_score *b)
{
	uint64_t left = a->load * b->capacity, right = b->load * a->capacity;

	return !b->capacity || left < right || (left == right && a->spread < b->spread);
}

static void find_paths(struct brute_choice *brute)
{
	struct liquid_error err;

	for (uint32_t i = 0; i < brute->nodes; i++)
		for (uint32_t j = 0; j < brute->nodes; j++) {
			int length;

			if (i == j && !brute->own)
				continue;
			length = liquid_fabric_route(brute->fabric, brute->src[i], brute->dst[j],
						     brute->path[i][j], &err);
			must(length < 0 ? length : LIQUID_OK, &err);
			brute->length[i][j] = length;
		}
}

/* Units from i to j: number[i] * number[j], less those that would stay within a node. */
static struct brute_score score_of(const struct brute_choice *brute, const uint32_t *number)
{
	struct brute_score score = { 0, 1, 0 };
	uint64_t load[512] = { 0 };

	for (uint32_t i = 0; i < brute->nodes; i++)
		for (uint32_t j = 0; number[i] && j < brute->nodes; j++)
			for (uint32_t k = 0; number[j] && k < brute->length[i][j]; k++)
				load[brute->path[i][j][k]] += (uint64_t)number[i] * number[j];
	for (uint32_t l = 0; l < liquid_fabric_link_count(brute->fabric); l++) {
		struct brute_score link = { load[l], liquid_fabric_capacity(brute->fabric, l), 0 };

		if (brute->several && !is_inner(brute->fabric, l))
			continue;
		if (link.load * score.capacity > score.load * link.capacity) {
			score.load = link.load;
			score.capacity = link.capacity;
		}
		score.spread += is_inner(brute->fabric, l) ? load[l] : 0;
	}
	return score;
}

static void try_all_sets(struct brute_choice *brute)
{
	find_paths(brute);
	for (uint32_t set = 1; set >> brute->nodes == 0; set++) {
		uint32_t number[NODES_MAX], count = 0;
		struct brute_score score;

		for (uint32_t i = 0; i < brute->nodes; i++)
			count += number[i] = set >> i & 1;
		score = score_of(brute, number);
		if (is_less(&score, &brute->best[count]))
			brute->best[count] = score;
	}
}

static bool equals(const struct brute_score *score, double lambda, uint64_t spread)
{
	if ((double)score->load / (double)score->capacity == lambda && score->spread == spread)
		return true;
	printf("# lambda %g, spread %" PRIu64 "; by brute force %g, %" PRIu64 "\n", lambda, spread,
	       (double)score->load / (double)score->capacity, score->spread);
	return false;
}

/* ---- choices ---- */

static struct liquid_choice *choose(const struct brute_choice *brute, uint32_t count)
{
	struct liquid_choose_options options = {
		.senders = brute->src, .receivers = brute->dst,
		.candidates = brute->nodes, .count = count,
	};
	struct liquid_choice *choice;
	struct liquid_error err;

	must(liquid_choose(brute->fabric, &options, &choice, &err), &err);
	return choice;
}

/* What is said of a choice is what its nodes have. */
static bool is_true(const struct brute_choice *brute, const struct liquid_choice *choice)
{
	uint32_t number[NODES_MAX] = { 0 };
	struct brute_score score;

	for (uint32_t place = 0; place < choice->count; place++)
		for (uint32_t i = 0; i < brute->nodes; i++)
			number[i] += brute->src[i] == choice->senders[place] &&
				brute->dst[i] == choice->receivers[place];
	for (uint32_t i = 0; i < brute->nodes; i++)
		if (number[i] > 1)
			return false;
	score = score_of(brute, number);
	return equals(&score, choice->lambda, choice->spread);
}

static struct brute_choice *every_host(const struct liquid_fabric *fabric)
{
	struct brute_choice *brute = calloc(1, sizeof(*brute));

	brute->fabric = fabric;
	brute->nodes = liquid_fabric_host_count(fabric);
	for (uint32_t i = 0; i < brute->nodes; i++)
		brute->src[i] = brute->dst[i] = i;
	return brute;
}

/* What each half finds alone: the first candidates are not offered, nor does one help the other. */
struct halves {
	bool bounded, enumerated;
	uint32_t found, tried;
};

static bool is_best(const struct choosing *choosing, const struct brute_score *least)
{
	const struct score *score = &choosing->best_score;

	return score->most.load * least->capacity == least->load * score->most.capacity &&
	       score->spread == least->spread;
}

static void try_halves(const struct brute_choice *brute, uint32_t count, struct halves *halves)
{
	struct liquid_choose_options options = {
		.senders = brute->src, .receivers = brute->dst,
		.candidates = brute->nodes, .count = count,
	};
	const struct brute_score *least = &brute->best[count];
	struct choosing choosing;
	struct liquid_error err;
	struct ratio bound;

	must(choosing_open(&choosing, brute->fabric, &options, &err), &err);
	halves->bounded &= choosing_bound(&choosing, &bound) &&
		bound.load * least->capacity <= least->load * bound.capacity;
	choosing_search(&choosing);
	halves->found += is_best(&choosing, least);
	halves->tried++;
	choosing.best_score = (struct score){ RATIO_NONE, UINT64_MAX };
	halves->enumerated &= choosing_enumerate(&choosing) && is_best(&choosing, least);
	choosing_close(&choosing);
}

/* Every number of nodes; @classes 0: not known */
static void check_fabric(struct liquid_fabric *fabric, const char *name, uint32_t classes)
{
	struct brute_choice *brute = every_host(fabric);
	bool best = true, proven = true, known = true;
	struct halves halves = { true, true, 0, 0 };

	try_all_sets(brute);
	for (uint32_t count = 1; count <= brute->nodes; count++) {
		struct liquid_choice *choice = choose(brute, count);

		try_halves(brute, count, &halves);

		best &= equals(&brute->best[count], choice->lambda, choice->spread) &&
			is_true(brute, choice);
		proven &= choice->proof == LIQUID_CHOICE_BEST && choice->bound == choice->lambda;
		known &= !classes || choice->classes == classes;
		liquid_choice_free(choice);
	}
	ok(best && proven, "%s: for every number of nodes the best choice, proven", name);
	ok(halves.enumerated && halves.bounded, "%s: trying all alone, by classes, finds it", name);
	if (classes)
		ok(known, "%s: %u classes of exchangeable nodes", name, classes);
	free(brute);
	liquid_fabric_free(fabric);
}

static void test_fabrics(void)
{
	static const char *const one_spine[] = { "leaves=4", "hosts=3", "spines=1" };
	static const char *const two_spines[] = { "leaves=4", "hosts=3", "spines=2" };
	static const char *const hashed[] = { "leaves=3", "hosts=4", "spines=2", "routes=hash" };
	static const char *const fat[] = { "k=4", "routes=hash" };
	static const char *const torus[] = { "size=3x4" };
	static const char *const dragonfly[] = { "a=2", "p=2", "h=1" };

	check_fabric(make_fabric("leaf-spine", one_spine, 3), "one spine", 4);
	check_fabric(make_fabric("leaf-spine", two_spines, 3), "two spines divide leaves", 8);
	check_fabric(make_fabric("leaf-spine", hashed, 4), "leaf-spine hashed", 0);
	check_fabric(make_fabric("fat-tree", fat, 2), "fat tree hashed", 0);
	check_fabric(make_fabric("torus", torus, 1), "torus", 12);
	check_fabric(make_fabric("dragonfly", dragonfly, 3), "dragonfly", 0);
}

static void test_random(void)
{
	struct halves halves = { true, true, 0, 0 };
	struct dice dice = { 12 };
	bool best = true;

	for (int round = 0; round < 60; round++) {
		struct liquid_fabric *fabric = make_mixed(&dice, 8, 3, 1 + round % 3);
		struct brute_choice *brute = every_host(fabric);

		try_all_sets(brute);
		for (uint32_t count = 2; count < brute->nodes; count++) {
			struct liquid_choice *choice = choose(brute, count);

			best &= equals(&brute->best[count], choice->lambda, choice->spread) &&
				is_true(brute, choice);
			liquid_choice_free(choice);
			try_halves(brute, count, &halves);
		}
		free(brute);
		liquid_fabric_free(fabric);
	}
	ok(best, "random fabrics with hosts of several rates: the best choice");
	ok(halves.bounded, "the bound is at most the best choice's lambda");
	ok(halves.enumerated, "trying all alone finds it");
	printf("# the search alone found %u of %u\n", halves.found, halves.tried);
	ok(halves.found * 100 >= halves.tried * 95, "the search alone finds nearly all of them");
}

/* ---- Swiss-T1 ---- */

#define T1_SWITCHES 8

/* A node of each switch means its four: the sums of the papers' 390,625 allocations. */
static void try_allocations(struct brute_choice *brute, struct brute_score *least,
			    struct brute_score *worst)
{
	find_paths(brute);
	for (uint32_t allocation = 1; allocation < 390625; allocation++) {
		uint32_t number[T1_SWITCHES], count = 0, rest = allocation;
		struct brute_score score;

		for (uint32_t sw = 0; sw < T1_SWITCHES; sw++, rest /= 5)
			count += number[sw] = rest % 5;
		score = score_of(brute, number);
		/* A node's own links have a unit of each. */
		if (score.load < count)
			score.load = count;
		if (is_less(&score, &least[count]))
			least[count] = score;
		if (score.load > worst[count].load)
			worst[count] = score;
	}
}

static void test_swiss_t1(void)
{
	struct liquid_fabric *fabric = make_fabric("swiss-t1", NULL, 0);
	struct brute_score least[NODES_MAX + 1] = { 0 }, worst[NODES_MAX + 1] = { 0 };
	struct brute_choice one = { .fabric = fabric, .nodes = T1_SWITCHES, .own = true,
				    .several = true };
	struct brute_choice all = { .fabric = fabric, .nodes = NODES_MAX, .own = true };
	uint64_t allocations = 0;
	bool best = true;

	for (uint32_t i = 0; i < NODES_MAX; i++) {
		all.src[i] = i;
		all.dst[i] = NODES_MAX + i;
		one.src[i / 4] = i;
		one.dst[i / 4] = NODES_MAX + i;
	}
	find_paths(&all);
	try_allocations(&one, least, worst);
	for (uint32_t count = 1; count <= NODES_MAX; count++) {
		struct liquid_choice *choice = choose(&all, count);

		best &= equals(&least[count], choice->lambda, choice->spread) &&
			is_true(&all, choice) && choice->proof == LIQUID_CHOICE_BEST;
		allocations += choice->allocations;
		liquid_choice_free(choice);
	}
	ok(best, "Swiss-T1: for every number of nodes the best of all allocations");
	ok(allocations == 390624, "which are 390,624 in all");
	ok(least[16].load == 16 && worst[16].load == 48,
	   "16 nodes: 256 transfers of 86 MB/s in 16 to 48 times, 459 to 1,376 MB/s");
	liquid_fabric_free(fabric);
}

/* ---- large ---- */

static void test_large(void)
{
	static const char *const params[] = { "leaves=64", "hosts=16", "spines=8" };
	struct liquid_fabric *fabric = make_fabric("leaf-spine", params, 3);
	struct liquid_choose_options options = { .candidates = 1024, .count = 64, .work = 5000000 };
	struct liquid_choice *choice, *again;
	struct liquid_error err;

	must(liquid_choose(fabric, &options, &choice, &err), &err);
	ok(choice->lambda == 63 && choice->proof == LIQUID_CHOICE_LAMBDA && !choice->allocations,
	   "64 of 1024 nodes: as little lambda as possible, proven by the bound");
	ok(choice->first_lambda == 96 && choice->random_lambda > 100,
	   "the first 64, four full switches, have 96; random ones more");
	ok(choice->work < 5000000 + 3000000, "within the work given, after the comparisons");
	must(liquid_choose(fabric, &options, &again, &err), &err);
	ok(!memcmp(choice->senders, again->senders, 64 * sizeof(uint32_t)) &&
	   choice->work == again->work, "the same options give the same choice");
	liquid_choice_free(again);
	liquid_choice_free(choice);
	options.work = 1;
	must(liquid_choose(fabric, &options, &choice, &err), &err);
	ok(choice->lambda <= choice->first_lambda && choice->lambda <= choice->random_least,
	   "without work it is as good as what it is compared with");
	liquid_choice_free(choice);
	options.count = 1000;
	must(liquid_choose(fabric, &options, &choice, &err), &err);
	/* A full leaf there is always: each of its 16 nodes sends to 984 others by 8 links. */
	ok(choice->bound == 16.0 * 984 / 8, "1000 of them: the bound is that of a full switch");
	liquid_choice_free(choice);
	liquid_fabric_free(fabric);
}

/* ---- a traffic between places ---- */

/* All ways to give @count places hosts of the fabric: the least lambda, then spread. */
static void try_places(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		       uint32_t *hosts, uint32_t placed, uint32_t count, struct brute_score *best)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	struct brute_score score = { 0, 1, 0 };
	uint64_t load[512] = { 0 };
	uint32_t path[LIQUID_PATH_MAX];

	for (uint32_t host = 0; placed < count && host < liquid_fabric_host_count(fabric); host++) {
		bool is_free = true;

		for (uint32_t i = 0; i < placed; i++)
			is_free &= hosts[i] != host;
		hosts[placed] = host;
		if (is_free)
			try_places(fabric, traffic, hosts, placed + 1, count, best);
	}
	if (placed < count)
		return;
	for (size_t i = 0; i < liquid_traffic_pair_count(traffic); i++) {
		int length = liquid_fabric_route(fabric, hosts[pairs[i].src], hosts[pairs[i].dst],
						 path, NULL);

		for (int k = 0; k < length; k++)
			load[path[k]] += pairs[i].count;
	}
	for (uint32_t l = 0; l < liquid_fabric_link_count(fabric); l++) {
		uint64_t capacity = liquid_fabric_capacity(fabric, l);

		if (load[l] * score.capacity > score.load * capacity)
			score = (struct brute_score){ load[l], capacity, score.spread };
		score.spread += is_inner(fabric, l) ? load[l] : 0;
	}
	if (is_less(&score, best))
		*best = score;
}

static void test_places(void)
{
	struct dice dice = { 5 };
	uint32_t found = 0, rounds = 40;
	bool sound = true;

	for (uint32_t round = 0; round < rounds; round++) {
		struct liquid_fabric *fabric = make_mixed(&dice, 7, 2, 1 + round % 2);
		struct liquid_traffic *traffic = random_traffic(&dice, 4, 9);
		uint32_t hosts[7] = { 0, 1, 2, 3, 4, 5, 6 }, scratch[4];
		struct liquid_choose_options options = {
			.senders = hosts, .candidates = 7, .count = 4,
			.traffic = traffic,
		};
		struct brute_score best = { 0 };
		struct liquid_choice *choice;
		struct liquid_error err;
		double least;

		try_places(fabric, traffic, scratch, 0, 4, &best);
		least = (double)best.load / (double)best.capacity;
		must(liquid_choose(fabric, &options, &choice, &err), &err);
		found += choice->lambda == least && choice->spread == best.spread;
		sound &= choice->bound <= least && choice->lambda >= least &&
			(choice->proof != LIQUID_CHOICE_LAMBDA || choice->lambda == least) &&
			choice->transfers == liquid_traffic_transfer_count(traffic);
		liquid_choice_free(choice);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(sound, "places of a traffic: never better than all there are, and bounded");
	printf("# best of all placements: %u of %u\n", found, rounds);
	ok(found * 10 >= rounds * 9, "and mostly as good as the best");
}

/* ---- the order of ranks ---- */

static uint64_t shift_frames(const struct liquid_fabric *fabric, const uint32_t *hosts,
			     uint32_t count)
{
	struct liquid_error err;
	uint64_t frames;

	must(liquid_ranks_shift_frames(fabric, hosts, count, &frames, &err), &err);
	return frames;
}

/* The fewest frames of all orders; a rotation of the ranks changes nothing, so the first stays. */
static uint64_t try_orders(const struct liquid_fabric *fabric, uint32_t *hosts, uint32_t placed,
			   uint32_t count)
{
	uint64_t least = placed < count ? UINT64_MAX : shift_frames(fabric, hosts, count);

	for (uint32_t i = placed; i < count; i++) {
		uint32_t host = hosts[placed];
		uint64_t frames;

		hosts[placed] = hosts[i];
		hosts[i] = host;
		frames = try_orders(fabric, hosts, placed + 1, count);
		least = frames < least ? frames : least;
		hosts[i] = hosts[placed];
		hosts[placed] = host;
	}
	return least;
}

/* @list in an order drawn from @dice */
static void deal_list(struct dice *dice, uint32_t *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t other = i + roll(dice, count - i), host = list[i];

		list[i] = list[other];
		list[other] = host;
	}
}

struct orders {
	uint32_t found, fewer, tried;
	bool sound;
};

static void try_order(const struct liquid_fabric *fabric, struct dice *dice, struct orders *orders)
{
	uint32_t hosts[] = { 0, 1, 2, 3, 4, 5, 6 }, ordered[7], set = 0;
	uint64_t frames, listed, least;
	struct liquid_error err;

	deal_list(dice, hosts, 7);
	memcpy(ordered, hosts, sizeof(hosts));
	must(liquid_ranks_order(fabric, ordered, 7, LIQUID_ORDER_SHIFT, &err), &err);
	for (uint32_t i = 0; i < 7; i++)
		set |= 1 << ordered[i];
	listed = shift_frames(fabric, hosts, 7);
	frames = shift_frames(fabric, ordered, 7);
	least = try_orders(fabric, hosts, 1, 7);
	orders->sound &= set == 127 && frames <= listed && frames >= least;
	orders->found += frames == least;
	orders->fewer += frames < listed;
	orders->tried++;
}

static void test_order(void)
{
	static const char *const leaves[] = { "leaves=2", "hosts=4", "spines=2", "routes=hash" };
	static const char *const torus[] = { "size=4x2" };
	static const char *const dragonfly[] = { "a=2", "p=2", "h=1" };
	struct liquid_fabric *fabric[] = {
		make_fabric("leaf-spine", leaves, 4), make_fabric("torus", torus, 1),
		make_fabric("dragonfly", dragonfly, 3),
	};
	struct orders orders = { .sound = true };
	struct dice dice = { 77 };

	for (uint32_t round = 0; round < 30; round++)
		try_order(fabric[round % 3], &dice, &orders);
	ok(orders.sound, "the order against contention: all hosts, no more frames than as listed");
	printf("# fewest frames of all orders: %u of %u, fewer than listed: %u\n", orders.found,
	       orders.tried, orders.fewer);
	ok(orders.found * 10 >= orders.tried * 9 && orders.fewer * 2 >= orders.tried,
	   "mostly in the fewest of all orders, and in fewer than as listed");
	for (int i = 0; i < 3; i++)
		liquid_fabric_free(fabric[i]);
}

/* ---- refusals ---- */

static bool refused(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t candidates,
		    uint32_t count, const char *text)
{
	struct liquid_choose_options options = {
		.senders = hosts, .candidates = candidates, .count = count,
	};
	struct liquid_choice *choice;
	struct liquid_error err = { "" };
	int status = liquid_choose(fabric, &options, &choice, &err);

	if (status == LIQUID_BAD_INPUT && !choice && strstr(err.text, text))
		return true;
	printf("# %d: %s\n", status, err.text);
	liquid_choice_free(choice);
	return false;
}

static void test_refusals(void)
{
	struct liquid_fabric *fabric = make_fabric("papers-5x5", NULL, 0);
	uint32_t hosts[] = { 0, 1, 1, 99 };

	ok(refused(fabric, hosts, 2, 0, "no nodes to choose"), "no nodes are refused");
	ok(refused(fabric, hosts, 2, 3, "3 nodes of 2 candidates"), "more than there are");
	ok(refused(fabric, hosts, 2, 1, "host t1 has no link in"), "hosts that only send");
	ok(refused(fabric, hosts + 3, 1, 1, "a candidate is host 99: there are 10"),
	   "hosts that are none");
	liquid_fabric_free(fabric);
	fabric = make_fabric("torus", NULL, 0);
	ok(refused(fabric, hosts, 3, 1, "is a candidate twice"), "a host that is listed twice");
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_fabrics();
	test_random();
	test_swiss_t1();
	test_large();
	test_places();
	test_order();
	test_refusals();
	return tap_exit();
}
