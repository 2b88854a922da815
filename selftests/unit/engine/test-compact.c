// SPDX-License-Identifier: GPL-2.0-only
/* Compact schedules: the same transfers as listed ones, and a proof that finds what is wrong. */
#include <stdlib.h>
#include <string.h>

#include "compact/compact.h"
#include "fixtures.h"
#include "tap.h"

static struct liquid_error err;

static struct liquid_compact *solve_compact(const struct liquid_fabric *fabric, const uint32_t *hosts,
					    uint32_t count, uint32_t turns)
{
	struct liquid_compact *compact;

	must(liquid_compact_solve(fabric, hosts, count, turns, NULL, &compact, &err), &err);
	return compact;
}

/* Does the slice of every host say what @schedule does, which lacks frames in which nobody sends? */
static bool slices_agree(const struct liquid_compact *compact,
			 const struct liquid_schedule *schedule, const uint32_t *hosts,
			 uint32_t count)
{
	uint32_t length = liquid_compact_info(compact)->length, busy = 0;
	uint32_t *one = calloc((size_t)length * count, sizeof(*one));
	uint32_t *other = calloc((size_t)length * count, sizeof(*other));
	bool same = true;

	for (uint32_t i = 0; i < count; i++) {
		must(liquid_compact_slice(compact, hosts[i], one + (size_t)i * length, &err), &err);
		must(liquid_schedule_slice(schedule, hosts[i], 1, other + (size_t)i * length, &err),
		     &err);
	}
	for (uint32_t f = 0; same && f < length; f++) {
		uint32_t sending = 0;

		for (uint32_t i = 0; i < count; i++)
			sending += one[(size_t)i * length + f] != LIQUID_NONE;
		for (uint32_t i = 0; sending && same && i < count; i++)
			same = one[(size_t)i * length + f] == other[(size_t)i * length + busy];
		busy += sending != 0;
	}
	free(one);
	free(other);
	return same && busy == info_of(schedule)->length;
}

/* @part of @of hosts exchange; the schedule has at most @most frames more than the duration. */
static void expands(const char *name, const char *const *params, size_t param_count, uint32_t part,
		    uint32_t of, uint32_t turns, uint32_t most)
{
	struct liquid_fabric *fabric = make_fabric(name, params, param_count);
	uint32_t all = liquid_fabric_host_count(fabric), count = 0;
	uint32_t *hosts = calloc(all, sizeof(*hosts));
	const struct liquid_compact_info *info;
	struct liquid_compact *compact;
	struct liquid_schedule *schedule;
	struct liquid_traffic *traffic;

	for (uint32_t h = 0; h < all; h++) {
		if (h * 7 % of < part)
			hosts[count++] = h;
	}
	compact = solve_compact(fabric, hosts, count, turns);
	info = liquid_compact_info(compact);
	must(liquid_compact_expand(compact, fabric, &schedule, &err), &err);
	must(liquid_traffic_alltoall(hosts, count, &traffic, &err), &err);
	ok(verifies(fabric, traffic, schedule), "%s %s, %u of %u hosts: all transfers verify", name,
	   params[0], count, all);
	ok(slices_agree(compact, schedule, hosts, count), "slices are those of all transfers");
	printf("# %u patterns x %u turns = %u frames, duration %u\n", info->patterns, info->turns,
	       info->length, info->duration);
	ok(info->length <= info->duration + most, "at most %u frames above the duration", most);
	liquid_traffic_free(traffic);
	liquid_schedule_free(schedule);
	liquid_compact_free(compact);
	free(hosts);
	liquid_fabric_free(fabric);
}

/* ---- forged schedules ---- */

static void refuses(const struct liquid_fabric *fabric, const struct liquid_compact *compact,
		    const char *text, const char *what)
{
	int status = liquid_compact_verify(fabric, compact, &err);

	ok(status == LIQUID_INVALID && strstr(err.text, text), "refused: %s", what);
	if (status != LIQUID_INVALID || !strstr(err.text, text))
		printf("# %d %s\n", status, status ? err.text : "");
}

static void forged(void)
{
	static const char *const params[] = { "k=4" };
	struct liquid_fabric *fabric = make_fabric("fat-tree", params, 1);
	uint32_t hosts[16], kept, at = 0, other;
	struct liquid_compact *compact;

	for (uint32_t h = 0; h < 16; h++)
		hosts[h] = h;
	compact = solve_compact(fabric, hosts, 16, 0);
	while (compact->dst[at] == LIQUID_NONE)
		at++;
	kept = compact->dst[at];
	compact->dst[at] = LIQUID_NONE;
	refuses(fabric, compact, "never sends to", "a block that lacks a receiver");
	compact->dst[at] = (kept + 1) % 16;
	refuses(fabric, compact, "", "another receiver");
	compact->dst[at] = 16;
	refuses(fabric, compact, "in no block", "a receiver that does not exist");
	compact->dst[at] = kept;

	for (other = at + 2; compact->dst[other] == LIQUID_NONE; other++)
		;
	compact->dst[other] = kept;	/* another block, the same pattern */
	refuses(fabric, compact, "too many on link", "two blocks that send to one host at once");
	liquid_compact_free(compact);

	compact = solve_compact(fabric, hosts, 16, 0);
	kept = compact->sender[0];
	compact->sender[0] = compact->sender[2];
	compact->sender[2] = kept;
	refuses(fabric, compact, "no twin", "a block of hosts of two switches");
	compact->sender[2] = compact->sender[0];
	compact->sender[0] = kept;
	compact->sender[1] = compact->sender[0];
	refuses(fabric, compact, "in two slots", "a host that is there twice");
	compact->sender[1] = LIQUID_NONE;
	refuses(fabric, compact, "instead of 16", "a host that is missing");
	liquid_compact_free(compact);

	compact = solve_compact(fabric, hosts, 16, 0);
	compact->info.duration++;
	refuses(fabric, compact, "figures", "a duration that is not the exchange's");
	compact->info.duration--;
	compact->info.length--;
	refuses(fabric, compact, "figures", "a length that is not that of the patterns");
	liquid_compact_free(compact);
	liquid_fabric_free(fabric);
}

static void refused_input(void)
{
	static const char *const params[] = { "k=4" };
	struct liquid_fabric *fabric = make_fabric("fat-tree", params, 1);
	uint32_t hosts[] = { 1, 1 }, dst[1];
	struct liquid_compact *compact;

	ok(liquid_compact_solve(fabric, hosts, 2, 0, NULL, &compact, &err) == LIQUID_BAD_INPUT &&
	   !compact && strstr(err.text, "twice"), "a host twice is refused");
	hosts[1] = 16;
	ok(liquid_compact_solve(fabric, hosts, 2, 0, NULL, &compact, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "no host"), "a host that does not exist is refused");
	ok(liquid_compact_solve(fabric, hosts, 1, 0, NULL, &compact, &err) == LIQUID_BAD_INPUT,
	   "one host is no exchange");
	hosts[1] = 2;
	compact = solve_compact(fabric, hosts, 2, 0);
	ok(liquid_compact_slice(compact, 5, dst, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "not in the schedule"), "no slice of a host that does not exchange");
	liquid_compact_free(compact);
	liquid_fabric_free(fabric);
}

int main(void)
{
	static const char *const tree4[] = { "k=4" }, *const tree8[] = { "k=8" };

	expands("fat-tree", tree4, 1, 1, 1, 0, 1);
	expands("fat-tree", tree8, 1, 1, 1, 0, 1);
	expands("fat-tree", tree8, 1, 1, 1, 2, 1);
	expands("fat-tree", tree8, 1, 3, 5, 1, 1);
	forged();
	refused_input();
	return tap_exit();
}
