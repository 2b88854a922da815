// SPDX-License-Identifier: GPL-2.0-only
/* One node's slice of a schedule, with all checks that do not need the kernel. */
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "input/input.h"
#include "push/push.h"
#include "gate/unit-rate.h"

int push_read_map(struct push_args *args, struct liquid_error *err)
{
	FILE *in;
	int status;

	if (args->map_file) {
		status = input_open(args->map_file, &in, err);
		if (status)
			return status;
		status = addr_map_read(&args->map, in, input_label(args->map_file), err);
		close_input(in);
		if (status)
			return status;
	}
	return addr_map_finish(&args->map, err);
}

/* ---- the node's slice ---- */

static int find_node(const struct push_args *args, const struct push_source *source,
		     uint32_t *node, struct liquid_error *err)
{
	char near[LIQUID_NEAR_TEXT];

	*node = liquid_schedule_find_host(source->schedule, args->node);
	if (*node != LIQUID_NONE)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_BAD_INPUT, "%s: has no node '%s'%.600s", args->schedule,
			   args->node, near_host(source->schedule, args->node, near));
}

static int name_missing(const struct push_plan *plan, const struct addr_map *map,
			const char *file, struct liquid_error *err)
{
	char text[700] = "";
	size_t used = 0, missing = 0;

	for (size_t i = 0; i < plan->count; i++)
		if (!addr_map_find(map, plan->names[i]) && ++missing <= 8 && used < sizeof(text))
			used += snprintf(text + used, sizeof(text) - used, "%s%s",
					 missing > 1 ? ", " : "", plan->names[i]);
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "no address is known for %zu of %zu destinations: "
			   "%s%s%s%.1000s", missing, plan->count, text,
			   missing > 8 ? ", ..." : "",
			   file ? " in " : "; --addr-map or --addr gives them", file ? file : "");
}

static int resolve(const struct push_source *source, const struct addr_map *map, const char *file,
		   const uint32_t *hosts, struct push_plan *plan,
		   struct liquid_error *err)
{
	bool missing = false;

	plan->dests = calloc(plan->count + 1, sizeof(*plan->dests));
	plan->names = calloc(plan->count + 1, sizeof(*plan->names));
	if (!plan->dests || !plan->names)
		return liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < plan->count; i++) {
		const char *name = liquid_schedule_host_name(source->schedule, hosts[i]);
		const struct addr_entry *entry = addr_map_find(map, name);

		plan->names[i] = strdup(name);
		if (!plan->names[i])
			return liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
		if (!entry) {
			missing = true;
			continue;
		}
		plan->dests[i].key_count = entry->key_count;
		memcpy(plan->dests[i].key, entry->key, sizeof(entry->key));
	}
	return missing ? name_missing(plan, map, file, err) : LIQUID_OK;
}

/*
 * The kernel's gate sends to one destination per frame. For a node that sends N transfers at once,
 * each frame is cut into N frames of the gate, whose rate is N times that of a unit.
 */
static int cut_frames(const struct push_args *args, const struct push_source *source,
		      uint32_t node, struct push_plan *plan, struct liquid_error *err)
{
	uint32_t parts = liquid_schedule_at_once(source->schedule, node);

	plan->frames = push_source_info(source)->length;
	plan->parts = parts ? parts : 1;
	if (parts > 1 && !args->fabric)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s: node '%s' sends up to %u transfers at once; --fabric "
				   "says whether its link takes them", args->schedule, args->node,
				   parts);
	return push_plan_check_parts(plan, args->frame_ns, err);
}

static int slice(const struct push_args *args, const struct push_source *source,
		 struct push_plan *plan, struct liquid_error *err)
{
	uint32_t count = liquid_schedule_host_count(source->schedule), node, frames, *dst = NULL;
	uint32_t *hosts = malloc((count + (size_t)1) * sizeof(*hosts));
	int status = find_node(args, source, &node, err);

	if (!status)
		status = cut_frames(args, source, node, plan, err);
	frames = plan->frames * plan->parts;
	if (!status)
		dst = malloc((frames + (size_t)1) * sizeof(*dst));
	if (!status && (!dst || !hosts))
		status = liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	if (!status)
		status = liquid_schedule_slice(source->schedule, node, plan->parts, dst, err);
	if (!status)
		status = push_plan_fold(plan, dst, frames, count, hosts, err);
	if (!status && !plan->count)
		status = liquid_fail(err, LIQUID_BAD_INPUT, "%s: node '%s' sends in no frame",
				     args->schedule, args->node);
	if (!status)
		status = resolve(source, &args->map, args->map_file, hosts, plan, err);
	free(dst);
	free(hosts);
	return status;
}

int push_source_plan(const struct push_args *args, const struct push_source *source,
		     struct push_plan *plan, struct liquid_error *err)
{
	const struct liquid_schedule_info *info = push_source_info(source);

	*plan = (struct push_plan){
		.unit_bytes = liquid_part_bytes(info),
		.link_rate_bps = info->link_rate_bps,
		.hops = source->hops,
	};
	memcpy(plan->digest, source->digest, sizeof(plan->digest));
	if (source->fabric)
		plan->capacity = liquid_fabric_host_capacity(
			source->fabric, liquid_fabric_find_host(source->fabric, args->node));
	return slice(args, source, plan, err);
}

int push_plan_read(struct push_args *args, struct push_plan *plan, struct liquid_error *err)
{
	struct push_source source;
	int status;

	*plan = (struct push_plan){ 0 };
	status = push_source_open(args, &source, err);
	if (!status)
		status = push_source_plan(args, &source, plan, err);
	push_source_close(&source);
	return status;
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
