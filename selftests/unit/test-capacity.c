// SPDX-License-Identifier: GPL-2.0-only
/* Hosts that send and receive several transfers a frame: each method, certificates, the verifier. */
#include "fixtures.h"
#include "tap.h"

static const struct liquid_schedule_info *info_of(const struct liquid_schedule *schedule)
{
	return liquid_schedule_info(schedule);
}

static bool verifies(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		     const struct liquid_schedule *schedule)
{
	struct liquid_error err;

	if (!liquid_verify(fabric, traffic, schedule, NULL, NULL, &err))
		return true;
	printf("# %s\n", err.text);
	return false;
}

/* Few pairs and several units of each, so that units of a pair meet in a frame. */
static struct liquid_traffic *thick_traffic(struct dice *dice, uint32_t hosts, uint32_t transfers)
{
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	while (transfers) {
		uint32_t src = roll(dice, hosts), dst = roll(dice, hosts - 1);
		uint32_t count = 1 + roll(dice, transfers < 5 ? transfers : 5);

		must(liquid_traffic_add(traffic, src, dst + (dst >= src), count, &err), &err);
		transfers -= count;
	}
	return traffic;
}

static struct liquid_traffic *some_traffic(struct dice *dice, uint32_t hosts, uint32_t round)
{
	return round % 2 ? random_traffic(dice, hosts, 1 + roll(dice, 10)) :
		thick_traffic(dice, hosts, 2 + roll(dice, 9));
}

/* ---- against brute force ---- */

static bool certificate_is_right(const struct liquid_schedule_info *info, uint32_t shortest)
{
	if (info->length < shortest || info->lower_bound > shortest ||
	    info->lower_bound < info->duration)
		return false;
	if (info->certificate == LIQUID_CERT_LIQUID)
		return info->length == info->duration;
	return info->length > info->duration &&
		(info->certificate == LIQUID_CERT_OPTIMAL) == (info->length == info->lower_bound);
}

/* Does a frame of @schedule have a pair more than once? */
static bool has_copies(const struct liquid_schedule *schedule)
{
	for (uint32_t frame = 0; frame < info_of(schedule)->length; frame++) {
		const struct liquid_transfer *transfers;
		size_t count;

		transfers = liquid_schedule_frame(schedule, frame, &count);
		for (size_t i = 1; i < count; i++)
			if (!memcmp(&transfers[i], &transfers[i - 1], sizeof(*transfers)))
				return true;
	}
	return false;
}

static void test_auto(void)
{
	struct dice dice = { 2026 };
	uint32_t rounds = 600, right = 0, proven = 0, above = 0, copies = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t hosts = 3 + roll(&dice, 7);
		struct liquid_fabric *fabric = make_mixed(&dice, hosts, 3, 3);
		struct liquid_traffic *traffic = some_traffic(&dice, hosts, i);
		struct liquid_schedule *schedule = solve(fabric, traffic);
		uint32_t shortest = brute_length(fabric, traffic);

		right += certificate_is_right(info_of(schedule), shortest) &&
			verifies(fabric, traffic, schedule);
		proven += info_of(schedule)->length == shortest &&
			info_of(schedule)->certificate != LIQUID_CERT_GAP;
		above += shortest > info_of(schedule)->duration;
		copies += has_copies(schedule);
		liquid_schedule_free(schedule);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(right == rounds, "%u mixed fabrics: verified, certificates true (%u)", rounds, right);
	ok(proven == rounds, "all as short as brute force has it, and proven so (%u)", proven);
	ok(above && copies > rounds / 20, "%u have no liquid schedule, %u several units of a pair in a "
	   "frame", above, copies);
}

/* By @method; 0 where it refuses, by its name. */
static uint32_t length_by(const char *method, const struct liquid_fabric *fabric,
			  const struct liquid_traffic *traffic)
{
	struct liquid_solve_options options = { .method = method, .work = 2000000 };
	struct liquid_schedule *schedule;
	struct liquid_error err;
	uint32_t length;
	int status = liquid_solve(fabric, traffic, &options, &schedule, &err);

	if (status == LIQUID_BAD_INPUT && !strncmp(err.text, method, strlen(method)))
		return 0;
	if (status == LIQUID_LIMIT)
		return LIQUID_NONE;
	must(status, &err);
	length = verifies(fabric, traffic, schedule) ? info_of(schedule)->length : 1;
	liquid_schedule_free(schedule);
	return length;
}

/* At most @most of the schedules are longer than need be. */
static void test_method(const char *method, uint32_t most)
{
	struct dice dice = { 77 };
	uint32_t rounds = 150, below = 0, longer = 0, refused = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t hosts = 3 + roll(&dice, 6), length, shortest;
		struct liquid_fabric *fabric = make_mixed(&dice, hosts, 3, 3);
		struct liquid_traffic *traffic = some_traffic(&dice, hosts, i);

		shortest = brute_length(fabric, traffic);
		length = length_by(method, fabric, traffic);
		refused += !length;
		below += length && length < shortest;
		longer += length > shortest;
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(!below, "%s: no schedule of %u mixed fabrics is too short (%u refused)", method, rounds,
	   refused);
	ok(longer <= most, "%s: at most %u are longer than brute force has it (%u)", method, most,
	   longer);
}

/* ---- larger fabrics with some fast hosts ---- */

/* Capacities of the links of host h: @of[h % 8]; the others' times @trunk. In version 2. */
static struct liquid_fabric *speed_up(struct liquid_fabric *fabric, const uint32_t of[8],
				      uint32_t trunk)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	struct liquid_fabric *faster;
	struct liquid_error err;

	must(liquid_fabric_new("faster", &faster, &err), &err);
	for (uint32_t h = 0; h < hosts; h++)
		must(liquid_fabric_add_host(faster, liquid_fabric_node_name(fabric, h), &err), &err);
	for (uint32_t s = 0; s < liquid_fabric_switch_count(fabric); s++)
		must(liquid_fabric_add_switch(faster, liquid_fabric_node_name(fabric, hosts + s),
					      &err), &err);
	for (uint32_t l = 0; l < liquid_fabric_link_count(fabric); l++) {
		struct liquid_link link = *liquid_fabric_link(fabric, l);
		uint32_t host = link.from < hosts ? link.from : link.to;

		link.capacity *= host < hosts ? of[host % 8] : trunk;
		must(liquid_fabric_add_link(faster, &link, &err), &err);
	}
	for (uint32_t s = 0; s < liquid_fabric_switch_count(fabric); s++)
		for (uint32_t h = 0; h < hosts; h++)
			if (liquid_fabric_forward(fabric, s, h) != LIQUID_NONE)
				must(liquid_fabric_set_forward(faster, s, h,
							       liquid_fabric_forward(fabric, s, h),
							       &err), &err);
	must(liquid_fabric_finish(faster, &err), &err);
	liquid_fabric_free(fabric);
	return as_version_2(faster);
}

/* @units of each pair, and of pairs between fast hosts as many again. */
static struct liquid_traffic *all_to_all(const struct liquid_fabric *fabric, uint32_t units,
					 uint32_t more)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t src = 0; src < hosts; src++)
		for (uint32_t dst = 0; dst < hosts; dst++) {
			bool fast = liquid_fabric_host_capacity(fabric, src) > 1 &&
				liquid_fabric_host_capacity(fabric, dst) > 1;

			if (src != dst)
				must(liquid_traffic_add(traffic, src, dst, units + fast * more, &err),
				     &err);
		}
	return traffic;
}

static uint32_t duration_of(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic)
{
	struct liquid_solve_options options = { .method = "first-fit" };
	struct liquid_schedule *schedule;
	struct liquid_error err;
	uint32_t duration;

	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	duration = info_of(schedule)->duration;
	liquid_schedule_free(schedule);
	return duration;
}

/* Each of @methods (ends with NULL) finds a liquid schedule, or refuses where it is marked by '-'. */
static void test_large(const char *name, const char *const *params, size_t count,
		       const uint32_t of[8], uint32_t trunk, uint32_t units, uint32_t more,
		       const char *const *methods)
{
	struct liquid_fabric *fabric = speed_up(make_fabric(name, params, count), of, trunk);
	struct liquid_traffic *traffic = all_to_all(fabric, units, more);
	uint32_t duration = duration_of(fabric, traffic);

	for (; *methods; methods++) {
		struct liquid_solve_options options = { .method = *methods + (**methods == '-'),
							.work = 400000000 };
		struct liquid_schedule *schedule;
		struct liquid_error err = { "" };
		int status = liquid_solve(fabric, traffic, &options, &schedule, &err);

		if (**methods == '-')
			ok(status == LIQUID_BAD_INPUT && !schedule, "%s, %u units + %u: %s refuses: %s",
			   name, units, more, options.method, err.text);
		else
			ok(!status && info_of(schedule)->length == duration &&
			   verifies(fabric, traffic, schedule),
			   "%s, %u units + %u: %s in %u frames, liquid (%u) %s", name, units, more,
			   options.method, duration, status ? 0 : info_of(schedule)->length, err.text);
		liquid_schedule_free(schedule);
	}
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_structures(void)
{
	static const uint32_t one_in_eight[8] = { 2, 1, 1, 1, 1, 1, 1, 1 };
	static const uint32_t leafs[8] = { 3, 3, 1, 1, 1, 1, 2, 2 }, all[8] = { 2, 2, 2, 2, 2, 2, 2, 2 };
	static const char *const tree[] = { "leaves=4", "hosts=8", "spines=8" };
	static const char *const torus[] = { "size=4x4" };
	static const char *const any[] = { "auto", "quotient", "twins", "ejection", NULL };
	static const char *const tori[] = { "auto", "orbit", "ejection", NULL };
	static const char *const plain[] = { "auto", "-quotient", "ejection", NULL };

	test_large("leaf-spine", tree, 3, one_in_eight, 2, 1, 0, any);
	test_large("leaf-spine", tree, 3, leafs, 2, 3, 0, any);
	test_large("leaf-spine", tree, 3, leafs, 2, 1, 3, plain);
	test_large("leaf-spine", tree, 3, all, 2, 2, 0, any);
	test_large("torus", torus, 1, all, 1, 2, 0, tori);
	test_large("torus", torus, 1, leafs, 2, 1, 0, plain);
}

int main(void)
{
	static const struct {
		const char *name;
		uint32_t longer;
	} methods[] = {
		{ "auto", 0 }, { "frames", 1 }, { "ejection", 0 }, { "teams", 0 },
		{ "first-fit", 150 }, { "dsatur", 150 }, { "round-robin", 150 },
		{ "quotient", 150 }, { "product", 150 }, { "orbit", 150 }, { "closure", 150 }, { "twins", 150 },
	};

	test_auto();
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		test_method(methods[i].name, methods[i].longer);
	test_structures();
	return tap_exit();
}
