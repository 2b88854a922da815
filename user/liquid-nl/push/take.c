// SPDX-License-Identifier: GPL-2.0-only
/*
 * A node's slice from JSON, which may be anything: a process without privileges has written it. It
 * is taken as a whole or not at all.
 */
#include <stdlib.h>
#include <string.h>

#include "push/push.h"
#include "util/digest.h"

static int read_dest(json_t *json, struct push_plan *plan, size_t index, struct liquid_error *err)
{
	struct gate_dest *dest = &plan->dests[index];
	const char *name;
	json_t *keys;

	if (json_unpack(json, "{s:s, s:o}", "name", &name, "keys", &keys) || !json_is_array(keys) ||
	    !json_array_size(keys) || json_array_size(keys) > LIQUID_DEST_KEYS_MAX)
		return LIQUID_BAD_INPUT;
	plan->names[index] = strdup(name);
	if (!plan->names[index])
		return LIQUID_NO_MEMORY;
	for (size_t i = 0; i < json_array_size(keys); i++) {
		const char *key = json_string_value(json_array_get(keys, i));

		if (!key || addr_key_parse(key, &dest->key[i], err))
			return LIQUID_BAD_INPUT;
		dest->key_count++;
	}
	return LIQUID_OK;
}

/* The runs must have exactly as many frames as the plan, and name destinations of the plan. */
static int read_runs(json_t *entries, struct push_plan *plan)
{
	size_t count = json_array_size(entries);
	uint64_t frames = 0;

	plan->runs.run = calloc(count + 1, sizeof(*plan->runs.run));
	if (!plan->runs.run)
		return LIQUID_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		json_t *dest;
		json_int_t run;

		if (json_unpack(json_array_get(entries, i), "{s:I, s:o}", "run", &run,
				"dest", &dest) ||
		    run < 1 || run > LIQUID_FRAMES_MAX ||
		    !(json_is_null(dest) ||
		      (json_is_integer(dest) && json_integer_value(dest) >= 0 &&
		       (size_t)json_integer_value(dest) < plan->count)))
			return LIQUID_BAD_INPUT;
		plan->runs.run[plan->runs.count++] = (struct gate_run){
			run, json_is_null(dest) ? LIQUID_NONE : (uint32_t)json_integer_value(dest),
		};
		frames += run;
	}
	return frames == (uint64_t)plan->frames * plan->parts ? LIQUID_OK : LIQUID_BAD_INPUT;
}

static int read_all(const json_t *json, struct push_plan *plan, struct liquid_error *err)
{
	json_int_t frames, parts, capacity, hops, unit, rate;
	const char *digest;
	json_t *dests, *entries;
	int status = LIQUID_OK;

	if (json_unpack((json_t *)json, "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}",
			"digest", &digest, "frames", &frames, "parts", &parts,
			"capacity", &capacity, "hops", &hops, "unit_bytes", &unit,
			"link_rate_bps", &rate, "dests", &dests,
			"entries", &entries) || frames < 1 || frames > LIQUID_FRAMES_MAX ||
	    parts < 1 || parts > LIQUID_FRAMES_MAX / frames || capacity < 0 ||
	    capacity > UINT16_MAX || hops < 0 || hops > LIQUID_PATH_MAX || unit < 0 || rate < 0 ||
	    !json_is_array(dests) || !json_is_array(entries) ||
	    json_array_size(dests) > LIQUID_DEST_MAX || !is_hex(digest, LIQUID_DIGEST_HEX - 1))
		return LIQUID_BAD_INPUT;
	*plan = (struct push_plan){ .frames = frames, .parts = parts, .capacity = capacity,
				    .hops = hops, .unit_bytes = unit, .link_rate_bps = rate,
				    .count = json_array_size(dests) };
	strcpy(plan->digest, digest);
	plan->dests = calloc(plan->count + 1, sizeof(*plan->dests));
	plan->names = calloc(plan->count + 1, sizeof(*plan->names));
	if (!plan->dests || !plan->names)
		return LIQUID_NO_MEMORY;
	for (size_t i = 0; i < plan->count && !status; i++)
		status = read_dest(json_array_get(dests, i), plan, i, err);
	return status ? status : read_runs(entries, plan);
}

int push_plan_take(const json_t *json, struct push_plan *plan, struct liquid_error *err)
{
	int status;

	*plan = (struct push_plan){ 0 };
	status = read_all(json, plan, err);
	if (!status)
		return LIQUID_OK;
	push_plan_clear(plan);
	return liquid_fail(err, status, "malformed plan of the node");
}

void push_plan_clear(struct push_plan *plan)
{
	for (size_t i = 0; plan->names && i < plan->count; i++)
		free(plan->names[i]);
	free(plan->names);
	free(plan->dests);
	gate_runs_clear(&plan->runs);
	*plan = (struct push_plan){ 0 };
}
