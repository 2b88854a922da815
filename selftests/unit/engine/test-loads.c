// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an all-to-all puts on each link, found along trees, against its routes one by one: on
 * fabrics by chance, in which entries lack, lead in circles or to other hosts, and routes are
 * longer than any may be.
 */
#include "fixtures.h"
#include "tap.h"

#define FABRICS 400
#define HOSTS_MAX 12
#define CHAIN 70		/* switches in a row */

static struct liquid_error err;

/* Its pairs one by one */
static void load_slowly(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
			uint64_t *load, struct liquid_loads *loads)
{
	*loads = (struct liquid_loads){ 0 };
	for (size_t i = 0; i < count; i++) {
		loads->senders += liquid_fabric_host_out(fabric, hosts[i]) != LIQUID_NONE;
		loads->receivers += liquid_fabric_host_in(fabric, hosts[i]) != LIQUID_NONE;
	}
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count; k++) {
			uint32_t path[LIQUID_PATH_MAX];
			int links;

			if (i == k || liquid_fabric_host_out(fabric, hosts[i]) == LIQUID_NONE ||
			    liquid_fabric_host_in(fabric, hosts[k]) == LIQUID_NONE)
				continue;
			links = liquid_fabric_route(fabric, hosts[i], hosts[k], path, NULL);
			loads->transfers += links > 0;
			loads->unreachable += links < 0;
			for (int l = 0; l < links; l++)
				load[path[l]]++;
		}
}

/* Is it one of @hosts, that one of them has no route to? */
static bool is_lost(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
		    uint32_t host)
{
	uint32_t path[LIQUID_PATH_MAX];

	for (size_t i = 0; i < count; i++)
		if (hosts[i] != host && liquid_fabric_host_out(fabric, hosts[i]) != LIQUID_NONE &&
		    liquid_fabric_route(fabric, hosts[i], host, path, NULL) < 0)
			return true;
	return false;
}

static bool agrees(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count)
{
	uint32_t links = liquid_fabric_link_count(fabric);
	uint64_t *slow = calloc(links + 1, sizeof(*slow));
	uint64_t *fast = malloc((links + 1) * sizeof(*fast));
	struct liquid_loads one, other;
	bool good, all = true;

	for (size_t i = 0; i < count; i++)
		all &= hosts[i] == i;
	load_slowly(fabric, hosts, count, slow, &one);
	must(liquid_fabric_loads(fabric, all ? NULL : hosts, count, fast, &other, &err), &err);
	good = one.transfers == other.transfers && one.unreachable == other.unreachable &&
	       one.senders == other.senders && one.receivers == other.receivers &&
	       !memcmp(slow, fast, links * sizeof(*slow)) &&
	       (one.unreachable ? is_lost(fabric, hosts, count, other.lost) :
				  other.lost == LIQUID_NONE);
	free(slow);
	free(fast);
	return good;
}

/* ---- by chance ---- */

/* A host has each way a link in 9 of 10 cases, in one of 20 to another host. */
static void add_ends(struct liquid_fabric *fabric, struct dice *dice, uint32_t hosts,
		     uint32_t switches)
{
	for (uint32_t h = 0; h < hosts; h++) {
		bool direct = h + 1 < hosts && !roll(dice, 20);
		struct liquid_link out = {
			.from = h, .to = direct ? h + 1 : hosts + roll(dice, switches),
			.capacity = 1,
		};
		struct liquid_link in = {
			.from = hosts + roll(dice, switches), .to = h, .capacity = 1,
		};

		if (roll(dice, 10))
			liquid_fabric_add_link(fabric, &out, &err);
		/* the one before may have it already */
		if (roll(dice, 10))
			liquid_fabric_add_link(fabric, &in, &err);
	}
}

/* An entry is none in one of @lack cases, else a link of the switch that may lead there. */
static void add_entries(struct liquid_fabric *fabric, struct dice *dice, uint32_t lack)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	uint32_t links = liquid_fabric_link_count(fabric);

	for (uint32_t sw = 0; sw < liquid_fabric_switch_count(fabric); sw++)
		for (uint32_t dst = 0; dst < hosts; dst++)
			for (uint32_t tries = roll(dice, lack) ? 8 : 0; tries; tries--) {
				uint32_t l = roll(dice, links);

				if (liquid_fabric_link(fabric, l)->from == hosts + sw &&
				    !liquid_fabric_set_forward(fabric, sw, dst, l, &err))
					break;
			}
}

/* It stays unfinished: finishing it would refuse circles. */
static struct liquid_fabric *make_broken(struct dice *dice, uint32_t hosts)
{
	uint32_t switches = 1 + roll(dice, 6), cables = roll(dice, 16);
	struct liquid_fabric *fabric = begin_fabric("broken", hosts, switches);

	add_ends(fabric, dice, hosts, switches);
	while (cables-- && switches > 1) {
		struct liquid_link cable = {
			.from = hosts + roll(dice, switches), .to = hosts + roll(dice, switches),
			.capacity = 1 + roll(dice, 3),
		};

		if (cable.from != cable.to)
			liquid_fabric_add_link(fabric, &cable, &err);
	}
	add_entries(fabric, dice, 2 + roll(dice, 8));
	return fabric;
}

static void check_broken(void)
{
	uint32_t wrong = 0;

	for (uint32_t seed = 0; seed < FABRICS; seed++) {
		struct dice dice = { seed };
		uint32_t hosts = 1 + roll(&dice, HOSTS_MAX), some[HOSTS_MAX], count = 0;
		struct liquid_fabric *fabric = make_broken(&dice, hosts);

		for (uint32_t h = 0; h < hosts; h++)
			if (roll(&dice, 5))
				some[count++] = h;
		if (!agrees(fabric, some, count)) {
			printf("# seed %u\n", seed);
			wrong++;
		}
		liquid_fabric_free(fabric);
	}
	ok(!wrong, "%u fabrics by chance: %u have other loads", FABRICS, wrong);
}

/* ---- chains ---- */

/*
 * Each switch of the chain has a host, and passes on what is for the last one. It stays unfinished:
 * finishing it would refuse its long routes.
 */
static void check_chain(void)
{
	struct liquid_fabric *fabric = begin_fabric("chain", CHAIN, CHAIN);
	uint32_t all[CHAIN], reach = 0;

	for (uint32_t s = 0; s < CHAIN; s++) {
		all[s] = s;
		add_cable(fabric, s, CHAIN + s, 1);
		add_cable(fabric, CHAIN + s, s, 1);
		if (s + 1 < CHAIN)
			add_cable(fabric, CHAIN + s, CHAIN + s + 1, 1);
	}
	for (uint32_t l = 0; l < liquid_fabric_link_count(fabric); l++) {
		const struct liquid_link *link = liquid_fabric_link(fabric, l);

		if (link->from >= CHAIN && (link->to > CHAIN || link->to == CHAIN - 1))
			must(liquid_fabric_set_forward(fabric, link->from - CHAIN, CHAIN - 1, l,
						       &err), &err);
	}
	for (uint32_t h = 0; h + 1 < CHAIN; h++) {
		uint32_t path[LIQUID_PATH_MAX];

		reach += liquid_fabric_route(fabric, h, CHAIN - 1, path, NULL) > 0;
	}
	ok(reach == LIQUID_PATH_MAX - 2 && agrees(fabric, all, CHAIN),
	   "a route that is too long is none: %u of %u hosts reach the last", reach, CHAIN - 1);
	/* the near ones first, then the far ones beyond them */
	for (uint32_t h = 0; h < CHAIN / 2; h++) {
		uint32_t other = all[h];

		all[h] = all[CHAIN - 1 - h];
		all[CHAIN - 1 - h] = other;
	}
	ok(agrees(fabric, all, CHAIN), "nor if a walk meets another one on its way");
	liquid_fabric_free(fabric);
}

/* ---- whole fabrics ---- */

static void check_whole(void)
{
	static const char *const names[] = {
		"fat-tree", "torus", "dragonfly", "leaf-spine", "papers-5x5"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct liquid_fabric *fabric;
		uint32_t *hosts, count;

		fabric = make_fabric(names[i], NULL, 0);
		count = liquid_fabric_host_count(fabric);
		hosts = calloc(count + 1, sizeof(*hosts));
		for (uint32_t h = 0; h < count; h++)
			hosts[h] = h;
		ok(agrees(fabric, hosts, count), "%s, %u hosts", names[i], count);
		free(hosts);
		liquid_fabric_free(fabric);
	}
}

/* A list that is NULL may be too long, too. */
static void check_count(void)
{
	struct liquid_fabric *fabric = make_fabric("fat-tree", NULL, 0);
	uint32_t count = liquid_fabric_host_count(fabric), far = 1000;
	uint64_t *load = calloc((size_t)liquid_fabric_link_count(fabric) + 1, sizeof(*load));
	struct liquid_loads loads;

	must(liquid_fabric_loads(fabric, NULL, count, load, &loads, &err), &err);
	ok(liquid_fabric_loads(fabric, NULL, count + 1, load, &loads, &err) == LIQUID_BAD_INPUT,
	   "one host too many: %s", err.text);
	ok(liquid_fabric_loads(fabric, &far, 1, load, &loads, &err) == LIQUID_BAD_INPUT,
	   "no such host: %s", err.text);
	free(load);
	liquid_fabric_free(fabric);
}

int main(void)
{
	check_count();
	check_broken();
	check_chain();
	check_whole();
	return tap_exit();
}
