// SPDX-License-Identifier: GPL-2.0-only
/* What a round is about: the jobs, their nodes and traffics, and all that decides the schedule. */
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "job.h"

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
	return json_pack("{s:s, s:i, s:s, s:s, s:s, s:b, s:I, s:I, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:o}",
			 "format", "liquid-round", "version", 1, "round", spec->round,
			 "fabric_digest", spec->fabric_digest, "traffic_digest", spec->traffic_digest,
			 "own_fabric", spec->own_fabric, "frame_ns", (json_int_t)spec->frame_ns,
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
	const char *format, *round, *fabric, *traffic;
	int version, own, given;

	if (json_unpack(json, "{s:s, s:i, s:s, s:s, s:s, s:b, s:I, s:I, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:o}",
			"format", &format, "version", &version, "round", &round,
			"fabric_digest", &fabric, "traffic_digest", &traffic, "own_fabric", &own,
			"frame_ns", &frame, "guard_ns", &guard, "guard_given", &given,
			"unit_bytes", &unit, "link_rate_bps", &rate, "seed", &seed, "work", &work,
			"deadline_ns", &deadline, "lead_ns", &lead, "parts", parts) ||
	    strcmp(format, "liquid-round") || version != 1 || !job_name_fits(round) ||
	    frame < (json_int_t)LIQUID_FRAME_NS_MIN || frame > (json_int_t)LIQUID_FRAME_NS_MAX ||
	    guard < 0 || unit < 0 || rate < 0 || seed < 0 || work < 0 || lead < 0 || deadline < 0 ||
	    !json_is_array(*parts))
		return LIQUID_BAD_INPUT;
	*spec = (struct job_spec){
		.round = strdup(round), .fabric_digest = strdup(fabric),
		.traffic_digest = strdup(traffic), .own_fabric = own, .frame_ns = frame,
		.guard_ns = guard, .guard_given = given, .unit_bytes = unit, .link_rate_bps = rate,
		.seed = seed, .work = work, .deadline_ns = deadline, .lead_ns = lead,
		.part = calloc(json_array_size(*parts) + 1, sizeof(*spec->part)),
	};
	return spec->round && spec->fabric_digest && spec->traffic_digest && spec->part ?
	       LIQUID_OK : LIQUID_NO_MEMORY;
}

int job_spec_read(const struct job_store *store, const char *round, struct job_spec *spec,
		  struct liquid_error *err)
{
	char path[JOB_PATH_MAX];
	json_t *json, *parts;
	int status;

	*spec = (struct job_spec){ 0 };
	snprintf(path, sizeof(path), "rounds/%s/spec.json", round);
	json = job_get(store, path, err);
	if (!json)
		return *err->text ? LIQUID_BAD_INPUT :
		       liquid_fail(err, LIQUID_BAD_INPUT, "%s/%s: no such record", store->dir, path);
	status = unpack(json, spec, &parts);
	for (size_t i = 0; !status && i < json_array_size(parts); i++) {
		status = read_part(json_array_get(parts, i), &spec->part[i]);
		spec->part_count++;
	}
	json_decref(json);
	if (!status)
		return LIQUID_OK;
	job_spec_clear(spec);
	return liquid_fail(err, status, "%s/%s: is no record of a round, version 1", store->dir, path);
}

int job_part_set(struct job_part *part, const char *job, const char *what, uint32_t tasks,
		 const char *const *nodes, size_t count)
{
	*part = (struct job_part){ .job = strdup(job), .what = strdup(what), .tasks_per_node = tasks };
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
	*spec = (struct job_spec){ 0 };
}

size_t job_spec_node_count(const struct job_spec *spec)
{
	size_t count = 0;

	for (size_t i = 0; i < spec->part_count; i++)
		count += spec->part[i].nodes.count;
	return count;
}

bool job_spec_has_node(const struct job_spec *spec, const char *node)
{
	for (size_t i = 0; i < spec->part_count; i++)
		for (size_t n = 0; n < spec->part[i].nodes.count; n++)
			if (!strcmp(spec->part[i].nodes.name[n], node))
				return true;
	return false;
}

/* ---- on a fabric ---- */

uint32_t job_endpoint(const struct liquid_fabric *fabric, const char *node, uint64_t rail)
{
	uint32_t host = liquid_fabric_find_host(fabric, node);
	size_t length = strlen(node);

	if (host != LIQUID_NONE)
		return host;
	/* "node/adapter/port": the rail-th of the node's, in the fabric's order */
	for (host = 0; host < liquid_fabric_host_count(fabric); host++) {
		const char *name = liquid_fabric_node_name(fabric, host);

		if (!strncmp(name, node, length) && name[length] == '/' && !--rail)
			return host;
	}
	return LIQUID_NONE;
}

static int find_hosts(const struct job_part *part, const struct liquid_fabric *fabric,
		      uint64_t rail, uint32_t *hosts, struct liquid_error *err)
{
	for (size_t i = 0; i < part->nodes.count; i++) {
		hosts[i] = job_endpoint(fabric, part->nodes.name[i], rail);
		if (hosts[i] == LIQUID_NONE)
			return liquid_fail(err, LIQUID_BAD_INPUT, "fabric '%s' has no node '%s' of job "
					   "%s (rail %llu)", liquid_fabric_name(fabric),
					   part->nodes.name[i], part->job, (unsigned long long)rail);
	}
	return LIQUID_OK;
}

static int read_file(const char *path, const struct liquid_fabric *fabric,
		     struct liquid_traffic **traffic, struct liquid_error *err)
{
	FILE *in = fopen(path, "re");
	int status;

	if (!in)
		return liquid_fail(err, LIQUID_IO, "%s: %m", path);
	status = liquid_traffic_read(in, path, fabric, traffic, err);
	fclose(in);
	return status;
}

static int read_schedule_traffic(const char *path, const struct liquid_fabric *fabric,
				 struct liquid_traffic **traffic, struct liquid_error *err)
{
	struct liquid_schedule *schedule;
	FILE *in = fopen(path, "re");
	int status;

	if (!in)
		return liquid_fail(err, LIQUID_IO, "%s: %m", path);
	status = liquid_schedule_read_json(in, path, fabric, &schedule, err);
	fclose(in);
	if (status)
		return status;
	status = liquid_schedule_traffic(schedule, traffic, err);
	liquid_schedule_free(schedule);
	return status;
}

static int part_traffic(const struct job_part *part, const struct liquid_fabric *fabric,
			uint64_t rail, struct liquid_traffic **traffic, struct liquid_error *err)
{
	struct liquid_ranks ranks = { .count = part->nodes.count,
				      .tasks_per_host = part->tasks_per_node };
	uint32_t *hosts = calloc(part->nodes.count + 1, sizeof(*hosts));
	int status;

	*traffic = NULL;
	if (!hosts)
		return liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	ranks.hosts = hosts;
	status = find_hosts(part, fabric, rail, hosts, err);
	if (status)
		goto out;
	if (!strncmp(part->what, "file:", 5))
		status = read_file(part->what + 5, fabric, traffic, err);
	else if (!strncmp(part->what, "schedule:", 9))
		status = read_schedule_traffic(part->what + 9, fabric, traffic, err);
	else if (part->nodes.count < 2)
		status = liquid_traffic_new(traffic, err);
	else
		status = liquid_ranks_alltoall(&ranks, traffic, err);
out:
	free(hosts);
	return status;
}

/* A file may name hosts that are not the job's: they would never be ready. */
static int check_hosts(const struct job_part *part, const struct liquid_fabric *fabric,
		       uint64_t rail, const struct liquid_traffic *traffic, struct liquid_error *err)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	bool *known = calloc((size_t)liquid_fabric_host_count(fabric) + 1, sizeof(*known));
	uint32_t stranger = LIQUID_NONE;

	if (!known)
		return liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < part->nodes.count; i++)
		known[job_endpoint(fabric, part->nodes.name[i], rail)] = true;
	for (size_t i = 0; i < liquid_traffic_pair_count(traffic); i++) {
		if (!known[pairs[i].src])
			stranger = pairs[i].src;
		if (!known[pairs[i].dst])
			stranger = pairs[i].dst;
	}
	free(known);
	if (stranger == LIQUID_NONE)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_BAD_INPUT, "%s: names '%s', which is no node of job %s",
			   part->what, liquid_fabric_node_name(fabric, stranger), part->job);
}

static int add_pairs(struct liquid_traffic *sum, const struct liquid_traffic *traffic,
		     struct liquid_error *err)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	int status = LIQUID_OK;

	for (size_t i = 0; !status && i < liquid_traffic_pair_count(traffic); i++)
		status = liquid_traffic_add(sum, pairs[i].src, pairs[i].dst, pairs[i].count, err);
	return status;
}

int job_spec_traffic(const struct job_spec *spec, const struct liquid_fabric *fabric,
		     uint64_t rail, struct liquid_traffic **traffic, struct liquid_error *err)
{
	int status = liquid_traffic_new(traffic, err);

	for (size_t i = 0; !status && i < spec->part_count; i++) {
		struct liquid_traffic *part;

		status = part_traffic(&spec->part[i], fabric, rail, &part, err);
		if (!status)
			status = check_hosts(&spec->part[i], fabric, rail, part, err);
		if (!status)
			status = add_pairs(*traffic, part, err);
		liquid_traffic_free(part);
	}
	if (status) {
		liquid_traffic_free(*traffic);
		*traffic = NULL;
	}
	return status;
}

const char *job_spec_schedule(const struct job_spec *spec)
{
	if (spec->part_count == 1 && !strncmp(spec->part[0].what, "schedule:", 9))
		return spec->part[0].what + 9;
	return NULL;
}
