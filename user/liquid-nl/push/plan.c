// SPDX-License-Identifier: GPL-2.0-only
/* From a schedule's file to one node's slice, with all checks that do not need the kernel. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "util/digest.h"
#include "util/input.h"
#include "push/push.h"
#include "util/nearest.h"
#include "gate/unit-rate.h"

#define FINDINGS_MAX 20		/* findings of the verifier to print */

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

/* Read without the fabric: the caller tells a schedule of another fabric by its names. */
static int parse_schedule(FILE *in, const char *label, struct push_source *source,
			 struct liquid_error *err)
{
	struct digest_reader reader;
	FILE *digested = digest_open(&reader, in);
	int status;

	if (!digested)
		return liquid_fail(err, LIQUID_NO_MEMORY, "%s: out of memory", label);
	status = liquid_schedule_read_json(digested, label, NULL, &source->schedule, err);
	fclose(digested);
	digest_hex(&reader.sha, source->digest);
	return status;
}

static int read_schedule_file(const char *path, struct push_source *source,
			      struct liquid_error *err)
{
	FILE *in;
	int status = input_open(path, &in, err);

	if (status)
		return status;
	status = parse_schedule(in, input_label(path), source, err);
	close_input(in);
	return status;
}

static int read_fabric_file(const char *path, struct liquid_fabric **fabric,
			    struct liquid_error *err)
{
	FILE *in;
	int status = input_open(path, &in, err);

	if (status)
		return status;
	status = liquid_fabric_read(in, input_label(path), fabric, err);
	close_input(in);
	return status;
}

/* ---- the schedule against its fabric ---- */

static void print_finding(void *context, const char *text)
{
	unsigned int *count = context;

	if (++*count <= FINDINGS_MAX)
		complain(0, "%s", text);
}

static int check_digest(const char *path, const char *fabric_path,
			const struct liquid_schedule *schedule,
			const struct liquid_fabric *fabric, struct liquid_error *err)
{
	const char *claimed = liquid_schedule_info(schedule)->fabric_digest;
	char digest[LIQUID_DIGEST_HEX];
	int status = liquid_fabric_digest(fabric, digest, err);

	if (status || !strcmp(digest, claimed))
		return status;
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "%s: is a schedule for another fabric (digest %.12s) "
			   "than %s (%.12s)", path, claimed, fabric_path, digest);
}

static int longest_path(const struct liquid_schedule *schedule,
			const struct liquid_fabric *fabric, uint32_t *hops,
			struct liquid_error *err)
{
	const struct liquid_schedule_info *info = liquid_schedule_info(schedule);
	uint32_t path[LIQUID_PATH_MAX];

	for (uint32_t f = 0; f < info->length; f++) {
		size_t count;
		const struct liquid_transfer *transfer = liquid_schedule_frame(schedule, f, &count);

		for (size_t i = 0; i < count; i++) {
			int links = liquid_fabric_route(fabric, transfer[i].src, transfer[i].dst,
							path, err);

			if (links < 0)
				return links;
			if ((uint32_t)links > *hops)
				*hops = links;
		}
	}
	return LIQUID_OK;
}

static int verify(const struct push_args *args, struct push_source *source,
		  struct liquid_error *err)
{
	unsigned int findings = 0;
	int status = liquid_verify(source->fabric, NULL, source->schedule, print_finding,
				   &findings, err);

	if (status == LIQUID_INVALID)
		status = liquid_fail(err, status, "%s: is not valid on %s: %u finding%s",
				     args->schedule, args->fabric, findings,
				     findings == 1 ? "" : "s");
	return status ? status : longest_path(source->schedule, source->fabric, &source->hops,
					      err);
}

/* Renumber the schedule's hosts to the fabric's numbers. */
static int check_fabric(const struct push_args *args, struct push_source *source,
			struct liquid_error *err)
{
	int status = read_fabric_file(args->fabric, &source->fabric, err);

	if (!status)
		status = check_digest(args->schedule, args->fabric, source->schedule,
				      source->fabric, err);
	if (!status)
		status = liquid_schedule_renumber(source->schedule, source->fabric, err);
	return status ? status : verify(args, source, err);
}

/* ---- the node's slice ---- */

static const char *schedule_name(const void *schedule, uint32_t host)
{
	return liquid_schedule_host_name(schedule, host);
}

static int find_node(const struct push_args *args, const struct liquid_schedule *schedule,
		     uint32_t *node, struct liquid_error *err)
{
	uint32_t count = liquid_schedule_host_count(schedule);
	char near[4 * LIQUID_NAME_MAX];

	for (uint32_t host = 0; host < count; host++)
		if (!strcmp(liquid_schedule_host_name(schedule, host), args->node)) {
			*node = host;
			return LIQUID_OK;
		}
	return liquid_fail(err, LIQUID_BAD_INPUT, "%s: has no node '%s'%.600s", args->schedule,
			   args->node, nearest_names(args->node, schedule_name, schedule, count,
						     near, sizeof(near)));
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

static int resolve(const struct liquid_schedule *schedule, const struct addr_map *map,
		   const char *file, const uint32_t *hosts, struct push_plan *plan,
		   struct liquid_error *err)
{
	bool missing = false;

	plan->dests = calloc(plan->count + 1, sizeof(*plan->dests));
	plan->names = calloc(plan->count + 1, sizeof(*plan->names));
	if (!plan->dests || !plan->names)
		return liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < plan->count; i++) {
		const char *name = liquid_schedule_host_name(schedule, hosts[i]);
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
static int cut_frames(const struct push_args *args, const struct liquid_schedule *schedule,
		      uint32_t node, struct push_plan *plan, struct liquid_error *err)
{
	uint32_t parts = liquid_schedule_at_once(schedule, node);

	plan->frames = liquid_schedule_info(schedule)->length;
	plan->parts = parts ? parts : 1;
	if (parts > 1 && !args->fabric)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s: node '%s' sends up to %u transfers at once; --fabric "
				   "says whether its link takes them", args->schedule, args->node,
				   parts);
	return push_plan_check_parts(plan, args->frame_ns, err);
}

static int slice(const struct push_args *args, const struct liquid_schedule *schedule,
		 struct push_plan *plan, struct liquid_error *err)
{
	uint32_t host_count = liquid_schedule_host_count(schedule), node, frames, *dst = NULL;
	uint32_t *hosts = malloc((host_count + (size_t)1) * sizeof(*hosts));
	int status = find_node(args, schedule, &node, err);

	if (!status)
		status = cut_frames(args, schedule, node, plan, err);
	frames = plan->frames * plan->parts;
	if (!status)
		dst = malloc((frames + (size_t)1) * sizeof(*dst));
	if (!status && (!dst || !hosts))
		status = liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	if (!status)
		status = liquid_schedule_slice(schedule, node, plan->parts, dst, err);
	if (!status)
		status = push_plan_fold(plan, dst, frames, host_count, hosts, err);
	if (!status && !plan->count)
		status = liquid_fail(err, LIQUID_BAD_INPUT, "%s: node '%s' sends in no frame",
				     args->schedule, args->node);
	if (!status)
		status = resolve(schedule, &args->map, args->map_file, hosts, plan, err);
	free(dst);
	free(hosts);
	return status;
}

static int check_length(const struct push_args *args, const struct liquid_schedule_info *info,
			struct liquid_error *err)
{
	if (!info->length)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: has no frame", args->schedule);
	if (info->length > LIQUID_FRAMES_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: has %u frames; a gate takes %u",
				   args->schedule, info->length, LIQUID_FRAMES_MAX);
	return LIQUID_OK;
}

int push_source_open(struct push_args *args, struct push_source *source, struct liquid_error *err)
{
	int status;

	*source = (struct push_source){ 0 };
	status = push_read_map(args, err);
	if (!status)
		status = read_schedule_file(args->schedule, source, err);
	if (status)
		return status;
	args->schedule = input_label(args->schedule);
	status = check_length(args, liquid_schedule_info(source->schedule), err);
	return status || !args->fabric ? status : check_fabric(args, source, err);
}

void push_source_close(struct push_source *source)
{
	liquid_schedule_free(source->schedule);
	liquid_fabric_free(source->fabric);
	*source = (struct push_source){ 0 };
}

int push_source_plan(const struct push_args *args, const struct push_source *source,
		     struct push_plan *plan, struct liquid_error *err)
{
	const struct liquid_schedule_info *info = liquid_schedule_info(source->schedule);

	*plan = (struct push_plan){
		.unit_bytes = info->unit_bytes, .link_rate_bps = info->link_rate_bps,
		.hops = source->hops,
	};
	memcpy(plan->digest, source->digest, sizeof(plan->digest));
	if (source->fabric)
		plan->capacity = liquid_fabric_host_capacity(
			source->fabric, liquid_fabric_find_host(source->fabric, args->node));
	return slice(args, source->schedule, plan, err);
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
