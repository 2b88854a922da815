// SPDX-License-Identifier: GPL-2.0-only
/*
 * The exhaustive searches, the solver's over K-teams and the verifier's over
 * transfers, against brute force: each must find every length that exists and
 * refute every other.
 */
#include "fixtures.h"
#include "solve/methods.h"
#include "tap.h"
#include "verify/verify.h"

struct tally {
	uint32_t team_found, team_refuted, search_found, search_refuted, rounds;
};

/* The solver's answer for @frames: 1 found, 0 refuted, -1 neither. */
static int exhaust(const struct routes *routes, uint32_t frames)
{
	struct budget budget = { .limit = 1000000000, .look = UINT64_MAX };
	struct solving solving = { .routes = routes, .budget = &budget, .lower_bound = frames };
	struct liquid_error err;
	bool proven;
	int answer;

	solving.frame = calloc(routes->transfer_count + 1, sizeof(*solving.frame));
	if (!solving.frame || !routes_invert(routes, &solving.inverse))
		exit(1);
	must(frames_exhaust(&solving, frames, &proven, &err), &err);
	answer = proven ? 0 : solving.length && solving.length <= frames ? 1 : -1;
	free(solving.frame);
	routes_inverse_clear(&solving.inverse);
	return answer;
}

static void try_one(struct dice *dice, uint32_t capacity, struct tally *tally)
{
	uint32_t hosts = 4 + roll(dice, 8);
	struct liquid_fabric *fabric = make_random(dice, hosts, capacity);
	struct liquid_traffic *traffic = random_traffic(dice, hosts, 2 + roll(dice, 9));
	uint32_t shortest = brute_length(fabric, traffic);
	struct routes *routes;
	struct liquid_error err;

	must(routes_build(fabric, traffic, &routes, &err), &err);
	tally->rounds++;
	tally->team_found += exhaust(routes, shortest) == 1;
	tally->team_refuted += shortest == 1 || exhaust(routes, shortest - 1) == 0;
	tally->search_found += verify_search(fabric, traffic, shortest) == VERIFY_YES;
	tally->search_refuted += shortest == 1 ||
		verify_search(fabric, traffic, shortest - 1) == VERIFY_NO;
	routes_free(routes);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_random(uint64_t seed, uint32_t rounds, uint32_t capacity, const char *what)
{
	struct dice dice = { seed };
	struct tally tally = { 0 };

	while (tally.rounds < rounds)
		try_one(&dice, capacity, &tally);
	ok(tally.team_found == rounds, "%s: K-teams find the shortest length", what);
	ok(tally.team_refuted == rounds, "%s: K-teams refute one frame less", what);
	ok(tally.search_found == rounds, "%s: the verifier's search finds the shortest length",
	   what);
	ok(tally.search_refuted == rounds, "%s: the verifier's search refutes one frame less",
	   what);
}

static void test_routes(void)
{
	struct liquid_fabric *fabric = make_fabric("swiss-t1", NULL, 0);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct routes_inverse inverse;
	uint32_t most = 0, found = 0;
	struct routes *routes;
	struct liquid_error err;

	must(routes_build(fabric, traffic, &routes, &err), &err);
	ok(routes->transfer_count == 1024 && routes->duration == 48 && routes->fluid_bound == 48,
	   "routes of swiss-t1: 1024 transfers, duration 48");
	if (!routes_invert(routes, &inverse))
		exit(1);
	for (uint32_t link = 0; link < routes->link_count; link++) {
		uint32_t pairs = inverse.first[link + 1] - inverse.first[link];

		most = routes->load[link] > most ? routes->load[link] : most;
		found += pairs == routes->load[link];
	}
	ok(found == routes->link_count && most == 48,
	   "routes: the pairs of each link are as many as its load");
	routes_inverse_clear(&inverse);
	routes_free(routes);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/*
 * A host's link takes one transfer a frame, whatever its rate; a link between switches its
 * capacity.
 */
static void test_capacity(void)
{
	struct liquid_fabric *fabric = make_triangle(4);
	struct liquid_traffic *traffic = triangle_traffic(6);
	struct routes *routes;
	struct liquid_error err;

	must(routes_build(fabric, traffic, &routes, &err), &err);
	ok(routes->duration == 6 && routes->fluid_bound == 6,
	   "the duration counts an endpoint's link once, a ring link by its capacity");
	routes_free(routes);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* @frame[] uses no link beyond its capacity in any of the duration's frames. */
static bool holds(const struct routes *routes, const uint32_t *frame)
{
	uint32_t *used = calloc((size_t)routes->link_count * routes->duration, sizeof(*used));
	bool right = used;

	for (uint32_t pair = 0; right && pair < routes->pair_count; pair++)
		for (uint32_t unit = routes->first_transfer[pair];
		     unit < routes->first_transfer[pair + 1]; unit++) {
			right &= frame[unit] < routes->duration;
			for (uint32_t i = routes->first[pair];
			     right && i < routes->first[pair + 1]; i++) {
				uint32_t link = routes->links[i];

				right &= ++used[link * routes->duration + frame[unit]] <=
					 routes->capacity[link];
			}
		}
	free(used);
	return right;
}

/* What first fit into the duration finds holds, also where a pair has several transfers. */
static void test_word_fit(uint64_t seed, uint32_t rounds, uint32_t capacity, uint32_t found_least,
			  uint32_t found_most)
{
	struct dice dice = { seed };
	uint32_t found = 0, right = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		struct budget budget = { .limit = 1000000000, .look = UINT64_MAX };
		uint32_t hosts = 4 + roll(&dice, 12), count = 2 + roll(&dice, 60);
		struct liquid_fabric *fabric = make_random(&dice, hosts, capacity);
		struct liquid_traffic *traffic = random_traffic(&dice, hosts, count);
		struct solving solving = { .budget = &budget };
		struct routes *routes;
		struct liquid_error err;

		must(routes_build(fabric, traffic, &routes, &err), &err);
		solving.routes = routes;
		solving.lower_bound = routes->duration;
		solving.frame = calloc(routes->transfer_count + 1, sizeof(*solving.frame));
		must(word_fit(&solving, &err), &err);
		found += solving.length != 0;
		right += !solving.length || (solving.length == routes->duration &&
					     holds(routes, solving.frame));
		free(solving.frame);
		routes_free(routes);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(right == rounds,
	   "first fit into the duration, capacities up to %u: what it finds holds", capacity);
	ok(found >= found_least && found <= found_most,
	   "first fit into the duration, capacities up to %u: it finds %u", capacity, found);
}

int main(void)
{
	test_routes();
	test_capacity();
	test_random(11, 300, 1, "capacity 1");
	test_random(12, 300, 3, "capacities 1 to 3");
	test_word_fit(13, 300, 1, 200, 299);
	test_word_fit(14, 100, 3, 0, 50);
	return tap_exit();
}
