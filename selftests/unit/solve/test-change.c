// SPDX-License-Identifier: GPL-2.0-only
/*
 * Solving from an earlier schedule: random fabrics lose a link, the tables are made
 * anew, and what comes out is verified, counted and compared with solving anew.
 */
#include "fixtures.h"
#include "tap.h"

#define NODES_MAX 32

/* ---- a fabric without one of its links ---- */

static void measure(const struct liquid_fabric *fabric, uint32_t lost, uint32_t goal,
		    uint32_t distance[NODES_MAX])
{
	uint32_t nodes = liquid_fabric_host_count(fabric) + liquid_fabric_switch_count(fabric);

	for (uint32_t i = 0; i < nodes; i++)
		distance[i] = i == goal ? 0 : 1000;
	for (uint32_t round = 0; round < nodes; round++)
		for (uint32_t i = 0; i < liquid_fabric_link_count(fabric); i++) {
			const struct liquid_link *link = liquid_fabric_link(fabric, i);

			if (i != lost && distance[link->to] + 1 < distance[link->from])
				distance[link->from] = distance[link->to] + 1;
		}
}

/* Every switch sends by a shortest way, the first of them; where there is none it has no route. */
static void route_again(const struct liquid_fabric *old, uint32_t lost, struct liquid_fabric *new)
{
	uint32_t hosts = liquid_fabric_host_count(old), distance[NODES_MAX];
	struct liquid_error err;

	for (uint32_t dst = 0; dst < hosts; dst++) {
		measure(old, lost, dst, distance);
		for (uint32_t i = 0; i < liquid_fabric_link_count(old); i++) {
			const struct liquid_link *link = liquid_fabric_link(old, i);

			if (i != lost && link->from >= hosts && distance[link->from] < 1000 &&
			    distance[link->to] + 1 == distance[link->from] &&
			    (link->to >= hosts || link->to == dst) &&
			    liquid_fabric_forward(new, link->from - hosts, dst) == LIQUID_NONE)
				must(liquid_fabric_set_forward(new, link->from - hosts, dst,
							       i - (i > lost), &err), &err);
		}
	}
}

static struct liquid_fabric *without_link(const struct liquid_fabric *old, uint32_t lost)
{
	uint32_t hosts = liquid_fabric_host_count(old), switches = liquid_fabric_switch_count(old);
	struct liquid_fabric *new;
	struct liquid_error err;

	must(liquid_fabric_new("less", &new, &err), &err);
	for (uint32_t i = 0; i < hosts; i++)
		must(liquid_fabric_add_host(new, liquid_fabric_node_name(old, i), &err), &err);
	for (uint32_t i = 0; i < switches; i++)
		must(liquid_fabric_add_switch(new, liquid_fabric_node_name(old, hosts + i), &err),
		     &err);
	for (uint32_t i = 0; i < liquid_fabric_link_count(old); i++)
		if (i != lost)
			must(liquid_fabric_add_link(new, liquid_fabric_link(old, i), &err), &err);
	route_again(old, lost, new);
	must(liquid_fabric_finish(new, &err), &err);
	return new;
}

/* ---- solving from ---- */

static struct liquid_schedule *solve_from(const struct liquid_fabric *fabric,
					  const struct liquid_traffic *traffic,
					  const struct liquid_schedule *from)
{
	struct liquid_solve_options options = { .from = from, .work = 50000000 };
	struct liquid_schedule *schedule;
	struct liquid_error err;

	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	return schedule;
}

static bool adds_up(const struct liquid_schedule *from, const struct liquid_schedule *to,
		    struct liquid_change *change)
{
	struct liquid_error err;

	must(liquid_schedule_compare(from, to, change, NULL, NULL, &err), &err);
	return change->kept + change->moved + change->gone ==
		       liquid_schedule_info(from)->transfers &&
	       change->kept + change->moved + change->added ==
		       liquid_schedule_info(to)->transfers;
}

struct tally {
	uint32_t rounds, verified, short_enough, sums, same, kept_half;
};

static void compare_anew(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			 const struct liquid_schedule *old, struct tally *tally)
{
	struct liquid_schedule *kept = solve_from(fabric, traffic, old);
	struct liquid_schedule *anew = solve_from(fabric, traffic, NULL);
	struct liquid_change change = { 0 };
	struct liquid_error err;

	tally->rounds++;
	tally->verified += !liquid_verify(fabric, traffic, kept, NULL, NULL, &err);
	tally->short_enough += 100 * liquid_schedule_info(kept)->length <=
		105 * liquid_schedule_info(anew)->length;
	tally->sums += adds_up(old, kept, &change);
	tally->kept_half += 2 * change.kept >= liquid_schedule_info(kept)->transfers;
	liquid_schedule_free(kept);
	liquid_schedule_free(anew);
}

static void lose_link(struct dice *dice, uint32_t capacity, struct tally *tally)
{
	uint32_t hosts = 4 + roll(dice, 12);
	struct liquid_fabric *fabric = make_random(dice, hosts, capacity), *less;
	struct liquid_traffic *traffic = all_routes(fabric), *less_traffic;
	struct liquid_schedule *old = solve_from(fabric, traffic, NULL), *again;
	uint32_t links = liquid_fabric_link_count(fabric);
	struct liquid_change change = { 0 };

	again = solve_from(fabric, traffic, old);
	tally->same += adds_up(old, again, &change) && !change.moved && !change.gone &&
		!change.added;
	less = without_link(fabric, 2 * hosts + roll(dice, links - 2 * hosts));
	less_traffic = all_routes(less);
	compare_anew(less, less_traffic, old, tally);
	liquid_schedule_free(again);
	liquid_schedule_free(old);
	liquid_traffic_free(less_traffic);
	liquid_traffic_free(traffic);
	liquid_fabric_free(less);
	liquid_fabric_free(fabric);
}

static void test_lost_link(uint64_t seed, uint32_t rounds, uint32_t capacity)
{
	struct dice dice = { seed };
	struct tally tally = { 0 };

	while (tally.rounds < rounds)
		lose_link(&dice, capacity, &tally);
	ok(tally.same == rounds, "capacities to %" PRIu32 ": nothing changed, nothing moves",
	   capacity);
	ok(tally.verified == rounds, "a link lost: %" PRIu32 " random cases verified", rounds);
	ok(tally.short_enough == rounds, "at most 5 %% above solving anew (%" PRIu32 ")",
	   tally.short_enough);
	ok(tally.sums == rounds, "kept, moved, gone and new add up");
	ok(tally.kept_half > rounds / 2, "most keep more than half in their frames (%" PRIu32 ")",
	   tally.kept_half);
}

/* ---- other traffics, other hosts ---- */

/* Counts that grow and shrink, and a fabric that the earlier schedule knows nothing of. */
static void test_traffics(void)
{
	struct dice dice = { 5 };
	struct tally tally = { 0 };

	for (uint32_t i = 0; i < 60; i++) {
		uint32_t hosts = 4 + roll(&dice, 10);
		struct liquid_fabric *fabric = make_random(&dice, hosts, 3);
		struct liquid_fabric *other = make_random(&dice, 4 + roll(&dice, 10), 3);
		struct liquid_traffic *before = random_traffic(&dice, hosts, 40);
		struct liquid_traffic *after = random_traffic(&dice, hosts, 40);
		struct liquid_traffic *elsewhere = all_routes(other);
		struct liquid_schedule *old = solve_from(fabric, before, NULL);

		compare_anew(fabric, after, old, &tally);
		compare_anew(other, elsewhere, old, &tally);
		liquid_schedule_free(old);
		liquid_traffic_free(before);
		liquid_traffic_free(after);
		liquid_traffic_free(elsewhere);
		liquid_fabric_free(fabric);
		liquid_fabric_free(other);
	}
	ok(tally.verified == 120 && tally.short_enough == 120 && tally.sums == 120,
	   "from schedules of other traffics and other fabrics: verified, short, counted");
}

#define HEAD "{\"format\":\"liquid-schedule\",\"version\":1,\"fabric\":\"x\"," \
	"\"fabric_digest\":" DIGEST ",\"traffic_digest\":" DIGEST "," \
	"\"method\":\"auto\",\"seed\":0,\"work\":1,\"unit_bytes\":null," \
	"\"link_rate_bps\":null,\"transfers\":4,\"duration\":1,\"fluid_bound\":1,\"length\":3," \
	"\"lower_bound\":1,\"certificate\":\"gap\",\"witness\":null,\"frames\":"
#define DIGEST "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\""

struct told {
	char text[256];
};

static void tell(void *context, const char *src, const char *dst, uint32_t from, uint32_t to)
{
	struct told *told = context;
	size_t used = strlen(told->text);

	snprintf(told->text + used, sizeof(told->text) - used, "%s%s %" PRId32 " %" PRId32 ";", src,
		 dst, (int32_t)from, (int32_t)to);
}

static void test_compare(void)
{
	struct liquid_error err;
	struct liquid_schedule *from, *to;
	struct liquid_change change = { 0 };
	struct told told = { "" };

	must(read_text(HEAD "[[[\"a\",\"b\"]],[[\"a\",\"b\"],[\"b\",\"c\"]],[[\"c\",\"d\"]]]}",
		       NULL, &from,
		       &err), &err);
	must(read_text(HEAD "[[[\"b\",\"c\"]],[[\"a\",\"b\"]],[[\"a\",\"b\"],[\"e\",\"b\"]]]}",
		       NULL, &to,
		       &err), &err);
	must(liquid_schedule_compare(from, to, &change, tell, &told, &err), &err);
	ok(change.kept == 1 && change.moved == 2 && change.gone == 1 && change.added == 1,
	   "compare: one kept, two moved, one gone, one new");
	ok(!strcmp(told.text, "ab 0 2;bc 1 0;cd 2 -1;eb -1 2;"), "compare reports each: %s",
	   told.text);
	liquid_schedule_free(from);
	liquid_schedule_free(to);
}

int main(void)
{
	test_compare();
	test_lost_link(41, 120, 1);
	test_lost_link(42, 120, 3);
	test_traffics();
	return tap_exit();
}
