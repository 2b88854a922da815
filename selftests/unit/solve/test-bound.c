// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bounds by prices of transfers: the verifier's search for the frame that is worth most against
 * brute force, fabrics where the bound closes a gap, random traffics against the shortest length,
 * and forged prices.
 */
#include "fixtures.h"
#include "tap.h"
#include "verify/packing.h"

/* ---- the frame that is worth most ---- */

#define ITEMS_MAX 7
#define LINKS_MAX 5

struct random_packing {
	struct packing packing;
	uint32_t first[ITEMS_MAX + 1], path[ITEMS_MAX * LINKS_MAX], most[ITEMS_MAX];
	uint64_t price[ITEMS_MAX], multiplier[LINKS_MAX];
	uint32_t capacity[LINKS_MAX];
};

static void draw(struct random_packing *r, struct dice *dice)
{
	struct packing *packing = &r->packing;
	uint64_t step = 1 + roll(dice, 2);

	*r = (struct random_packing){ .packing = {
		.items = 1 + roll(dice, ITEMS_MAX), .links = 1 + roll(dice, LINKS_MAX),
		.first = r->first, .path = r->path, .most = r->most, .price = r->price,
		.capacity = r->capacity, .multiplier = r->multiplier } };
	for (uint32_t link = 0; link < packing->links; link++) {
		r->capacity[link] = 1 + roll(dice, 3) % 2;
		r->multiplier[link] = roll(dice, 3) * roll(dice, 4);
	}
	for (uint32_t item = 0; item < packing->items; item++) {
		uint32_t at = r->first[item];

		r->price[item] = step * (1 + roll(dice, 6));
		r->most[item] = 1 + roll(dice, 2);
		for (uint32_t link = 0; link < packing->links; link++)
			if (!roll(dice, 2))
				r->path[at++] = link;
		r->first[item + 1] = at;
	}
}

/* The largest worth of all choices of items from @item on, with @room on the links */
static uint64_t most_worth(const struct packing *packing, uint32_t item, const uint32_t *room)
{
	uint64_t best = 0;
	uint32_t left[LINKS_MAX];

	if (item == packing->items)
		return 0;
	memcpy(left, room, packing->links * sizeof(*room));
	for (uint32_t units = 0; units <= packing->most[item]; units++) {
		uint64_t worth = packing->price[item] * units + most_worth(packing, item + 1, left);

		best = worth > best ? worth : best;
		for (uint32_t i = packing->first[item]; i < packing->first[item + 1]; i++)
			if (!left[packing->path[i]]--)
				return best;
	}
	return best;
}

static void test_packing(uint32_t rounds)
{
	struct dice dice = { 3 };
	uint32_t missed = 0, invented = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		struct random_packing r;
		uint64_t most;

		draw(&r, &dice);
		most = most_worth(&r.packing, 0, r.capacity);
		missed += packing_exceeds(&r.packing, most - 1) != VERIFY_YES;
		invented += packing_exceeds(&r.packing, most) != VERIFY_NO;
		invented += packing_exceeds(&r.packing, most + roll(&dice, 9)) != VERIFY_NO;
	}
	ok(!missed, "%u packings: the verifier misses no frame that is worth more", rounds);
	ok(!invented, "%u packings: it proves of none that it is worth more", rounds);
}

/* ---- fabrics where a bound closes the gap ---- */

#define VERTICES 7u
#define EDGES (VERTICES * (VERTICES - 3) / 2)

/* On a ring of 7: each transfer takes two links, and congests with the next one. */
static struct liquid_traffic *circle_traffic(uint32_t count)
{
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 0; i < VERTICES; i++)
		must(liquid_traffic_add(traffic, i, (i + 2) % VERTICES, count, &err), &err);
	return traffic;
}

/* The next fabric: a transfer congests with all but those before and after it in a circle. */
static bool congests(uint32_t a, uint32_t b)
{
	uint32_t apart = (b + VERTICES - a) % VERTICES;

	return apart > 1 && apart < VERTICES - 1;
}

static void lead(struct liquid_fabric *fabric, uint32_t from, uint32_t to, uint32_t dst)
{
	uint32_t hosts = liquid_fabric_host_count(fabric), link = 0;
	struct liquid_error err;

	while (link < liquid_fabric_link_count(fabric) &&
	       (liquid_fabric_link(fabric, link)->from != from ||
		liquid_fabric_link(fabric, link)->to != to))
		link++;
	if (link == liquid_fabric_link_count(fabric))
		add_cable(fabric, from, to, 1);
	if (from >= hosts)
		must(liquid_fabric_set_forward(fabric, from - hosts, dst, link, &err), &err);
}

/* A link of its own for any two transfers that congest: no three share one. */
static void lead_through(struct liquid_fabric *fabric, uint32_t vertex)
{
	uint32_t at = 2 * VERTICES + vertex, edge = 0, dst = VERTICES + vertex;

	lead(fabric, vertex, at, dst);
	for (uint32_t a = 0; a < VERTICES; a++)
		for (uint32_t b = a + 1; b < VERTICES; b++) {
			uint32_t sw = 3 * VERTICES + 2 * edge;

			if (!congests(a, b))
				continue;
			edge++;
			if (a != vertex && b != vertex)
				continue;
			lead(fabric, at, sw, dst);
			lead(fabric, sw, sw + 1, dst);
			at = sw + 1;
		}
	lead(fabric, at, dst, dst);
}

static struct liquid_fabric *make_antihole(void)
{
	struct liquid_fabric *fabric = begin_fabric("antihole", 2 * VERTICES,
						    VERTICES + 2 * EDGES);
	struct liquid_error err;

	for (uint32_t i = 0; i < VERTICES; i++)
		lead_through(fabric, i);
	must(liquid_fabric_finish(fabric, &err), &err);
	return fabric;
}

static struct liquid_traffic *antihole_traffic(uint32_t count)
{
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 0; i < VERTICES; i++)
		must(liquid_traffic_add(traffic, i, VERTICES + i, count, &err), &err);
	return traffic;
}

static struct liquid_mix raise_bound(const struct liquid_fabric *fabric,
				     const struct liquid_traffic *traffic,
				     struct liquid_schedule *schedule)
{
	struct liquid_mix mix = { 0 };
	struct liquid_error err;

	must(liquid_raise_bound(fabric, traffic, schedule, 0, &mix, &err), &err);
	return mix;
}

static void test_closed(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			uint32_t before, const char *kind, const char *name)
{
	struct liquid_schedule *schedule = solve_small(fabric, traffic);
	const struct liquid_schedule_info *info = info_of(schedule);
	uint32_t bound = info->lower_bound;
	struct liquid_mix mix = raise_bound(fabric, traffic, schedule);
	struct liquid_error err;
	char *text = NULL;

	ok(bound == before && info->length == 140, "%s: %u frames, and a bound of %u", name,
	   info->length, bound);
	ok(info->lower_bound == 140 && info->certificate == LIQUID_CERT_OPTIMAL &&
	   info->witness_json && strstr(info->witness_json, kind),
	   "%s: a witness of %s raises the bound to %u", name, kind, info->lower_bound);
	ok(verifies(fabric, traffic, schedule), "%s: the verifier accepts it", name);
	ok(mix.ended && mix.least > 139.999 && mix.most > 139.999 && mix.most < 140.001,
	   "%s: a mix needs %g to %g frames", name, mix.least, mix.most);
	must(liquid_explain(fabric, traffic, schedule, 0, &text, &err), &err);
	ok(strstr(text, "so 140 frames are needed"), "%s: and it is explained", name);
	free(text);
	mix = raise_bound(fabric, traffic, schedule);
	ok(!mix.classes && info->lower_bound == 140, "%s: nothing is left to raise", name);
	liquid_schedule_free(schedule);
}

/* ---- forged prices ---- */

static char *with_witness(const struct liquid_fabric *fabric,
			  const struct liquid_schedule *schedule, const char *from, const char *to)
{
	char *json = json_of(schedule, fabric), *forged = replaced(json, from, to);

	free(json);
	return forged;
}

static void refuses(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		    const struct liquid_schedule *schedule, const char *from, const char *to,
		    const char *why)
{
	char *forged = with_witness(fabric, schedule, from, to);
	struct liquid_schedule *other = NULL;
	struct liquid_error err;
	int status = read_text(forged, fabric, &other, &err);

	must(status, &err);
	status = liquid_verify(fabric, traffic, other, NULL, NULL, &err);
	if (!ok(status == LIQUID_INVALID && strstr(err.text, why), "%s -> %s: %s", from, to, why))
		printf("# %d %s\n", status, status ? err.text : "");
	liquid_schedule_free(other);
	free(forged);
}

static void test_forged(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic)
{
	struct liquid_schedule *schedule = solve_small(fabric, traffic);
	static const char *const forged[][3] = {
		{ "\"frame\":4", "\"frame\":3", "there is a frame that is worth more than 3" },
		{ "\"frame\":4", "\"frame\":5", "proves a lower bound of 112, not of 140" },
		{ "\"frame\":4", "\"frame\":0", "prices need \"frame\", 1 or more" },
		{ "\"frame\":4", "\"frame\":9223372036854775807", "proves a lower bound of 1," },
		{ "\"frame\":4", "\"frame\":4.0", "prices need \"frame\", 1 or more" },
		{ "\"h0\",\"h7\",2", "\"h0\",\"h7\",3", "there is a frame that is worth more" },
		{ "\"h0\",\"h7\",2", "\"h0\",\"h7\",1073741824", "there is a frame that is worth" },
		{ "\"h0\",\"h7\",2", "\"h0\",\"h7\",1073741825", "must be [\"src\",\"dst\",1" },
		{ "\"h0\",\"h7\",2", "\"h0\",\"h7\",-2", "must be [\"src\",\"dst\",1" },
		{ "\"h0\",\"h7\",2", "\"h1\",\"h8\",2", "h1>h8 is named twice" },
		{ "\"h0\",\"h7\",2", "\"h0\",\"h8\",2", "h0>h8 is not in the traffic" },
		{ "\"h0\",\"h7\",2", "\"no\",\"h7\",2", "no>h7 is not in the traffic" },
		{ "\"transfers\":[[\"h0\",\"h7\",2],", "\"transfers\":[",
		  "bound of 120, not of 140" },
		{ "\"links\":[[\"", "\"links\":[[\"no", "is unknown or not the only one" },
	};

	raise_bound(fabric, traffic, schedule);
	for (size_t i = 0; i < sizeof(forged) / sizeof(forged[0]); i++)
		refuses(fabric, traffic, schedule, forged[i][0], forged[i][1], forged[i][2]);
	liquid_schedule_free(schedule);
}

/* ---- random traffics ---- */

struct tally {
	uint32_t raised, too_high, mixed_too_high, disordered;
};

/* A bad schedule, with no bound but the duration */
static struct liquid_schedule *by_shift(const struct liquid_fabric *fabric,
					const struct liquid_traffic *traffic)
{
	struct liquid_solve_options options = { .method = "round-robin" };
	struct liquid_schedule *schedule;
	struct liquid_error err;

	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	return schedule;
}

static void try_random(struct dice *dice, uint32_t capacity, struct tally *tally)
{
	uint32_t hosts = 4 + roll(dice, 6);
	struct liquid_fabric *fabric = make_random(dice, hosts, capacity);
	struct liquid_traffic *traffic = random_traffic(dice, hosts, 3 + roll(dice, 10));
	uint32_t shortest = brute_length(fabric, traffic);
	struct liquid_schedule *schedule = by_shift(fabric, traffic);
	const struct liquid_schedule_info *info = info_of(schedule);
	uint32_t before = info->lower_bound;
	struct liquid_mix mix = raise_bound(fabric, traffic, schedule);

	tally->raised += info->lower_bound > before;
	tally->too_high += info->lower_bound > shortest || !verifies(fabric, traffic, schedule);
	tally->mixed_too_high += mix.classes && mix.ended && mix.most > shortest + 1e-5;
	tally->disordered += mix.least > mix.most + 1e-5;
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_random(uint32_t rounds, uint32_t capacity)
{
	struct dice dice = { 21 + capacity };
	struct tally tally = { 0 };

	for (uint32_t i = 0; i < rounds; i++)
		try_random(&dice, capacity, &tally);
	ok(!tally.too_high, "%u random traffics, capacity up to %u: no bound above the shortest",
	   rounds, capacity);
	if (capacity == 1)
		ok(tally.raised, "a bound was raised in %u of them", tally.raised);
	if (!ok(!tally.mixed_too_high, "a mix never needs more frames than a schedule"))
		printf("# %u needed more\n", tally.mixed_too_high);
	ok(!tally.disordered, "what is proven is never more than what a mix needs");
}

static void test_other_traffic(const struct liquid_fabric *fabric)
{
	struct liquid_traffic *traffic = circle_traffic(2), *other = circle_traffic(3);
	struct liquid_schedule *schedule = solve_small(fabric, traffic);
	struct liquid_mix mix = { 0 };
	struct liquid_error err;

	ok(liquid_raise_bound(fabric, other, schedule, 0, &mix, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "the schedule is not valid"), "a schedule of another traffic: %s",
	   err.text);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_traffic_free(other);
}

int main(void)
{
	struct liquid_fabric *ring = make_fabric("torus", (const char *[]){ "size=7" }, 1);
	struct liquid_fabric *antihole = make_antihole();
	struct liquid_traffic *circle = circle_traffic(60), *other = antihole_traffic(40);

	test_packing(draws(2000));
	test_closed(ring, circle, 120, "multipliers", "ring of 7");
	test_closed(antihole, other, 120, "prices", "antihole of 7");
	test_forged(antihole, other);
	test_random(draws(200), 1);
	test_random(draws(100), 3);
	test_other_traffic(ring);
	liquid_traffic_free(circle);
	liquid_traffic_free(other);
	liquid_fabric_free(ring);
	liquid_fabric_free(antihole);
	return tap_exit();
}
