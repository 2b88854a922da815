// SPDX-License-Identifier: GPL-2.0-only
/* The spec of a round: jobs, nodes and traffics, and everything that determines the schedule. */
#include <stdlib.h>
#include <string.h>

#include <linux/liquid.h>

#include "job/store/records.h"
#include "job/store/spec.h"

/* ---- as JSON ---- */

static json_t *part_json(const struct job_part *part)
{
	json_t *nodes = json_array();

	for (size_t i = 0; nodes && i < part->nodes.count; i++)
		if (json_array_append_new(nodes, json_string(part->nodes.name[i]))) {
			json_decref(nodes);
			return NULL;
		}
	return json_pack("{s:s, s:s, s:I, s:o}", "job", part->job, "traffic", part->what,
			 "tasks_per_node", (json_int_t)part->tasks_per_node, "nodes", nodes);
}

json_t *job_spec_json(const struct job_spec *spec)
{
	json_t *parts = json_array();

	for (size_t i = 0; parts && i < spec->part_count; i++)
		if (json_array_append_new(parts, part_json(&spec->part[i]))) {
			json_decref(parts);
			return NULL;
		}
	return json_pack("{s:s, s:i, s:s, s:s, s:s, s:b, s:s*, s:s*, s:I, s:I, s:b, s:I, s:I, "
			 "s:I, s:I, s:I, s:I, s:o}",
			 "format", "liquid-round", "version", 1, "round", spec->round,
			 "fabric_digest", spec->fabric_digest,
			 "traffic_digest", spec->traffic_digest,
			 "own_fabric", spec->own_fabric, "from_round", spec->from_round,
			 "from_digest", spec->from_digest, "frame_ns", (json_int_t)spec->frame_ns,
			 "guard_ns", (json_int_t)spec->guard_ns, "guard_given", spec->guard_given,
			 "unit_bytes", (json_int_t)spec->unit_bytes,
			 "link_rate_bps", (json_int_t)spec->link_rate_bps,
			 "seed", (json_int_t)spec->seed, "work", (json_int_t)spec->work,
			 "deadline_ns", (json_int_t)spec->deadline_ns,
			 "lead_ns", (json_int_t)spec->lead_ns, "parts", parts);
}

static int read_part(const json_t *json, struct job_part *part)
{
	json_t *nodes, *node;
	json_int_t tasks;
	const char *job, *what, **names;
	size_t index;
	int status;

	if (json_unpack((json_t *)json, "{s:s, s:s, s:I, s:o}", "job", &job, "traffic", &what,
			"tasks_per_node", &tasks, "nodes", &nodes) ||
	    !json_is_array(nodes) || tasks < 1 || tasks > 65536 || !job_name_fits(job))
		return LIQUID_BAD_INPUT;
	names = calloc(json_array_size(nodes) + 1, sizeof(*names));
	if (!names)
		return LIQUID_NO_MEMORY;
	status = LIQUID_OK;
	json_array_foreach(nodes, index, node) {
		names[index] = json_string_value(node);
		if (!names[index] || !job_name_fits(names[index]))
			status = LIQUID_BAD_INPUT;
	}
	if (!status)
		status = job_part_set(part, job, what, tasks, names, json_array_size(nodes));
	free(names);
	return status;
}

static int unpack(json_t *json, struct job_spec *spec, json_t **parts)
{
	json_int_t frame, guard, unit, rate, seed, work, deadline, lead;
	const char *format, *round, *fabric, *traffic, *from_round = NULL, *from_digest = NULL;
	int version, own, given;

	if (json_unpack(json, "{s:s, s:i, s:s, s:s, s:s, s:b, s?s, s?s, s:I, s:I, s:b, s:I, s:I, "
			"s:I, s:I, s:I, s:I, s:o}",
			"format", &format, "version", &version, "round", &round,
			"fabric_digest", &fabric, "traffic_digest", &traffic, "own_fabric", &own,
			"from_round", &from_round, "from_digest", &from_digest,
			"frame_ns", &frame, "guard_ns", &guard, "guard_given", &given,
			"unit_bytes", &unit, "link_rate_bps", &rate, "seed", &seed, "work", &work,
			"deadline_ns", &deadline, "lead_ns", &lead, "parts", parts) ||
	    strcmp(format, "liquid-round") || version != 1 || !job_name_fits(round) ||
	    frame < (json_int_t)LIQUID_FRAME_NS_MIN || frame > (json_int_t)LIQUID_FRAME_NS_MAX ||
	    guard < 0 || unit < 0 || rate < 0 || seed < 0 || work < 0 || lead < 0 || deadline < 0 ||
	    !from_round != !from_digest || (from_round && !job_name_fits(from_round)) ||
	    !json_is_array(*parts))
		return LIQUID_BAD_INPUT;
	*spec = (struct job_spec){
		.round = strdup(round), .fabric_digest = strdup(fabric),
		.traffic_digest = strdup(traffic), .own_fabric = own,
		.from_round = from_round ? strdup(from_round) : NULL,
		.from_digest = from_digest ? strdup(from_digest) : NULL, .frame_ns = frame,
		.guard_ns = guard, .guard_given = given, .unit_bytes = unit, .link_rate_bps = rate,
		.seed = seed, .work = work, .deadline_ns = deadline, .lead_ns = lead,
		.part = calloc(json_array_size(*parts) + 1, sizeof(*spec->part)),
	};
	return spec->round && spec->fabric_digest && spec->traffic_digest && spec->part &&
	       !from_round == !spec->from_round && !from_digest == !spec->from_digest ?
	       LIQUID_OK : LIQUID_NO_MEMORY;
}

int job_spec_read(const struct job_store *store, const char *round, struct job_spec *spec,
		  struct liquid_error *err)
{
	char path[JOB_PATH_MAX];
	json_t *json, *parts;
	int status;

	*spec = (struct job_spec){ 0 };
	json = record_get(store, RECORD_SPEC, round, NULL, err);
	record_path(path, RECORD_SPEC, round, NULL);
	if (!json)
		return *err->text ? LIQUID_BAD_INPUT :
		       liquid_fail(err, LIQUID_BAD_INPUT, "%s/%s: no such record", store->dir,
				   path);
	status = unpack(json, spec, &parts);
	for (size_t i = 0; !status && i < json_array_size(parts); i++) {
		status = read_part(json_array_get(parts, i), &spec->part[i]);
		spec->part_count++;
	}
	json_decref(json);
	if (!status)
		return LIQUID_OK;
	job_spec_clear(spec);
	return liquid_fail(err, status, "%s/%s: not a version-1 round record", store->dir, path);
}

int job_part_set(struct job_part *part, const char *job, const char *what, uint32_t tasks,
		 const char *const *nodes, size_t count)
{
	*part = (struct job_part){ .job = strdup(job), .what = strdup(what),
				   .tasks_per_node = tasks };
	part->nodes.name = calloc(count + 1, sizeof(*part->nodes.name));
	if (!part->job || !part->what || !part->nodes.name)
		return LIQUID_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		part->nodes.name[i] = strdup(nodes[i]);
		if (!part->nodes.name[i])
			return LIQUID_NO_MEMORY;
		part->nodes.count++;
	}
	return LIQUID_OK;
}

void job_spec_clear(struct job_spec *spec)
{
	for (size_t i = 0; i < spec->part_count; i++) {
		free(spec->part[i].job);
		free(spec->part[i].what);
		liquid_names_clear(&spec->part[i].nodes);
	}
	free(spec->part);
	free(spec->round);
	free(spec->fabric_digest);
	free(spec->traffic_digest);
	free(spec->from_round);
	free(spec->from_digest);
	*spec = (struct job_spec){ 0 };
}

size_t job_spec_node_count(const struct job_spec *spec)
{
	size_t count = 0;

	for (size_t i = 0; i < spec->part_count; i++)
		count += spec->part[i].nodes.count;
	return count;
}

const char *job_spec_first_node(const struct job_spec *spec)
{
	for (size_t i = 0; i < spec->part_count; i++)
		if (spec->part[i].nodes.count)
			return spec->part[i].nodes.name[0];
	return "";
}

bool job_spec_has_node(const struct job_spec *spec, const char *node)
{
	for (size_t i = 0; i < spec->part_count; i++)
		for (size_t n = 0; n < spec->part[i].nodes.count; n++)
			if (!strcmp(spec->part[i].nodes.name[n], node))
				return true;
	return false;
}
