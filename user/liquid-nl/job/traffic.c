// SPDX-License-Identifier: GPL-2.0-only
/* What the parts of a round send, on a fabric. */
#include <stdlib.h>
#include <string.h>

#include "job/job.h"
#include "input/input.h"

static void take(struct job_rails *rails, uint32_t host, uint32_t number)
{
	rails->host[rails->count] = host;
	rails->number[rails->count++] = number;
}

/* As many as there is room for, or that of liquid.conf */
static void take_rails(const struct conf *conf, const struct liquid_rails *all,
		       struct job_rails *rails)
{
	for (uint32_t i = 0; i < all->count; i++)
		if (conf->rail != CONF_RAIL_ALL && (all->only || all->number[i] == conf->rail))
			take(rails, all->host[i], (uint32_t)conf->rail);
		else if (conf->rail == CONF_RAIL_ALL && rails->count < CONF_RAILS_MAX)
			take(rails, all->host[i], all->number[i]);
}

/* The adapter that other nodes have on rail @number; "": none has one there, or it has no name */
static const char *adapter_of(const struct liquid_fabric *fabric, uint64_t number,
			      struct liquid_endpoint *endpoint)
{
	for (uint32_t host = 0; host < liquid_fabric_host_count(fabric); host++) {
		liquid_fabric_endpoint(fabric, host, endpoint);
		if (endpoint->rail == number)
			return endpoint->adapter;
	}
	return "";
}

/* The lowest rail that the node lacks and another has, for a message */
static void tell_lacking(const struct liquid_fabric *fabric, const struct job_rails *rails,
			 char *text, size_t size)
{
	struct liquid_endpoint endpoint;
	const char *adapter;
	size_t i = 0;

	while (i < rails->count && rails->number[i] == i + 1)
		i++;
	adapter = adapter_of(fabric, i + 1, &endpoint);
	if (*adapter)
		snprintf(text, size, "; it has no rail %zu (%.100s)", i + 1, adapter);
}

/* By `rail all` each rail has a device, known by its place: of another number none is certain. */
static int check_devices(const struct conf *conf, const struct liquid_fabric *fabric,
			 const char *node, const struct liquid_rails *all,
			 const struct job_rails *rails, struct liquid_error *err)
{
	const struct conf_device *device = conf_devices_of(conf, node);
	size_t devices = device ? device->count : 0;
	char lacking[160] = "";

	if (conf->rail != CONF_RAIL_ALL || all->count == devices)
		return LIQUID_OK;
	if (all->count < devices)
		tell_lacking(fabric, rails, lacking, sizeof(lacking));
	return liquid_fail(err, LIQUID_BAD_INPUT, "node '%s' has %u endpoint%s in fabric '%s', "
			   "and %zu device%s in liquid.conf: `rail all` takes one for each%s", node,
			   all->count, all->count == 1 ? "" : "s", liquid_fabric_name(fabric),
			   devices, devices == 1 ? "" : "s", lacking);
}

static int no_rail(const struct conf *conf, const struct liquid_fabric *fabric, const char *node,
		   const struct liquid_rails *all, struct liquid_error *err)
{
	const char *name = liquid_fabric_name(fabric);
	struct liquid_endpoint endpoint;
	char near[LIQUID_NEAR_TEXT];

	if (all->endpoints && !all->count)
		return liquid_fail(err, LIQUID_BAD_INPUT, "node '%s' has %u endpoints in fabric "
				   "'%s', and all are on no rail, because their adapters have no "
				   "name of their own: run rdma-ndd and import again, or import "
				   "with --node-name-map",
				   node, all->endpoints, name);
	if (all->endpoints && *adapter_of(fabric, conf->rail, &endpoint))
		return liquid_fail(err, LIQUID_BAD_INPUT, "node '%s' has no rail %llu (%.100s) in "
				   "fabric '%s': `liquid fabric show --endpoints` prints those "
				   "it has", node, (unsigned long long)conf->rail,
				   endpoint.adapter, name);
	if (all->endpoints)
		return liquid_fail(err, LIQUID_BAD_INPUT, "node '%s' has no rail %llu in fabric "
				   "'%s'", node, (unsigned long long)conf->rail, name);
	return liquid_fail(err, LIQUID_BAD_INPUT, "fabric '%s' has no node '%s'%.400s: its names "
			   "must be those of Slurm", name, node,
			   liquid_fabric_near_host(fabric, node, near));
}

int job_rails_find(const struct conf *conf, const struct liquid_fabric *fabric, const char *node,
		   struct job_rails *rails, struct liquid_error *err)
{
	struct liquid_rails all;

	liquid_fabric_rails(fabric, node, &all);
	*rails = (struct job_rails){ .count = 0 };
	take_rails(conf, &all, rails);
	return rails->count ? check_devices(conf, fabric, node, &all, rails, err) :
			      no_rail(conf, fabric, node, &all, err);
}

/* Of each node of the part; to be freed. NULL with @err */
static struct job_rails *find_rails(const struct job_part *part, const struct liquid_fabric *fabric,
				    const struct conf *conf, struct liquid_error *err)
{
	struct job_rails *rails = calloc(part->nodes.count + 1, sizeof(*rails));
	int status = rails ? LIQUID_OK : liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");

	for (size_t i = 0; !status && i < part->nodes.count; i++)
		status = job_rails_find(conf, fabric, part->nodes.name[i], &rails[i], err);
	if (!status)
		return rails;
	free(rails);
	return NULL;
}

/* ---- all with all ---- */

/* Ranks of a node on one of its rails, which they take in turn */
static uint64_t ranks_on(uint64_t ranks, size_t rail, size_t rails)
{
	return ranks / rails + (rail < ranks % rails);
}

/*
 * What one node sends another. A node's exchange goes from each rail to the same one of the other
 * node, since rails are often networks of their own. Ranks are on one rail each, and any two
 * exchange.
 */
static int add_two(const struct job_part *part, const struct job_rails *from,
		   const struct job_rails *to, struct liquid_traffic *traffic,
		   struct liquid_error *err)
{
	bool ranks = !strncmp(part->what, "mpi:", 4);
	int status = LIQUID_OK;

	for (size_t i = 0; !status && i < from->count; i++)
		for (size_t j = 0; !status && j < to->count; j++) {
			uint64_t units = !ranks ? from->number[i] == to->number[j] :
					 ranks_on(part->tasks_per_node, i, from->count) *
					 ranks_on(part->tasks_per_node, j, to->count);

			if (units > UINT32_MAX)
				status = liquid_fail(err, LIQUID_BAD_INPUT, "%u ranks on each node "
						     "are too many", part->tasks_per_node);
			else if (units)
				status = liquid_traffic_add(traffic, from->host[i], to->host[j],
							    (uint32_t)units, err);
		}
	return status;
}

static int all_traffic(const struct job_part *part, const struct job_rails *rails,
		       struct liquid_traffic **traffic, struct liquid_error *err)
{
	int status = liquid_traffic_new(traffic, err);

	for (size_t i = 0; !status && i < part->nodes.count; i++)
		for (size_t j = 0; !status && j < part->nodes.count; j++)
			if (i != j)
				status = add_two(part, &rails[i], &rails[j], *traffic, err);
	return status;
}

/* ---- files ---- */

/* Does the line name a sender or receiver that the fabric does not have? */
static bool names_lost(const struct liquid_fabric *fabric, const char *line)
{
	for (int word = 0; word < 2; word++) {
		char name[LIQUID_NAME_MAX + 1];
		size_t length;

		line += strspn(line, " \t\r\n");
		length = strcspn(line, " \t\r\n#");
		if (!length || length > LIQUID_NAME_MAX)
			return false;
		snprintf(name, sizeof(name), "%.*s", (int)length, line);
		if (liquid_fabric_find_host(fabric, name) == LIQUID_NONE)
			return true;
		line += length;
	}
	return false;
}

/*
 * A copy of the file in which the lines of lost hosts are empty, so that line numbers in errors
 * stay right. Close it, and free *@text.
 */
static FILE *without_lost(FILE *in, const struct liquid_fabric *fabric, char **text, size_t *size)
{
	FILE *out = open_memstream(text, size);
	char *line = NULL;
	size_t room = 0;

	while (out && getline(&line, &room, in) >= 0)
		fputs(names_lost(fabric, line) ? "\n" : line, out);
	free(line);
	if (!out || fclose(out))
		return NULL;
	return *size ? fmemopen(*text, *size, "r") : fopen("/dev/null", "re");
}

static int read_left(FILE *in, const char *path, const struct liquid_fabric *fabric,
		     struct liquid_traffic **traffic, struct liquid_error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *left = without_lost(in, fabric, &text, &size);
	int status = left ? liquid_traffic_read(left, path, fabric, traffic, err) :
		     liquid_fail(err, LIQUID_NO_MEMORY, "%s: out of memory", path);

	if (left)
		fclose(left);
	free(text);
	return status;
}

static int read_file(const char *path, const struct liquid_fabric *fabric, bool lost,
		     struct liquid_traffic **traffic, struct liquid_error *err)
{
	FILE *in = fopen(path, "re");
	int status;

	if (!in)
		return liquid_fail(err, LIQUID_IO, "%s: %m", path);
	status = lost ? read_left(in, path, fabric, traffic, err) :
		 liquid_traffic_read(in, path, fabric, traffic, err);
	fclose(in);
	return status;
}

static int read_schedule_traffic(const char *path, const struct liquid_fabric *fabric, bool lost,
				 struct liquid_traffic **traffic, struct liquid_error *err)
{
	struct liquid_schedule *schedule;
	size_t marks;
	FILE *in = fopen(path, "re");
	int status;

	if (!in)
		return liquid_fail(err, LIQUID_IO, "%s: %m", path);
	status = liquid_schedule_read_json(in, path, lost ? NULL : fabric, &schedule, err);
	fclose(in);
	if (status)
		return status;
	if (liquid_schedule_info(schedule)->parts > 1)
		status = liquid_fail(err, LIQUID_BAD_INPUT, "%s: sends messages in %u parts: a job "
				     "takes a schedule of whole messages", path,
				     liquid_schedule_info(schedule)->parts);
	else if (liquid_schedule_marks(schedule, &marks))
		status = liquid_fail(err, LIQUID_BAD_INPUT, "%s: a job cannot keep the \"marks\" "
				     "of a schedule", path);
	else
		status = liquid_schedule_traffic(schedule, lost ? fabric : NULL, traffic, err);
	liquid_schedule_free(schedule);
	return status;
}

/* A file may name hosts that are not nodes of the job, and would never be ready. */
static int check_hosts(const struct job_part *part, const struct liquid_fabric *fabric,
		       const struct job_rails *rails, const struct liquid_traffic *traffic,
		       struct liquid_error *err)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	bool *known = calloc((size_t)liquid_fabric_host_count(fabric) + 1, sizeof(*known));
	uint32_t stranger = LIQUID_NONE;

	if (!known)
		return liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < part->nodes.count; i++)
		for (size_t r = 0; r < rails[i].count; r++)
			known[rails[i].host[r]] = true;
	for (size_t i = 0; i < liquid_traffic_pair_count(traffic); i++) {
		if (!known[pairs[i].src])
			stranger = pairs[i].src;
		if (!known[liquid_fabric_owner(fabric, pairs[i].dst)])
			stranger = pairs[i].dst;
	}
	free(known);
	if (stranger == LIQUID_NONE)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_BAD_INPUT, "%s: '%s' is not a node of job %s",
			   part->what, liquid_fabric_node_name(fabric, stranger), part->job);
}

/* @lost: the fabric has lost nodes, which the file may name. */
static int part_traffic(const struct job_part *part, const struct liquid_fabric *fabric,
			const struct conf *conf, bool lost, struct liquid_traffic **traffic,
			struct liquid_error *err)
{
	struct job_rails *rails = find_rails(part, fabric, conf, err);
	int status;

	*traffic = NULL;
	if (!rails)
		return LIQUID_BAD_INPUT;
	if (!strncmp(part->what, "file:", 5))
		status = read_file(part->what + 5, fabric, lost, traffic, err);
	else if (!strncmp(part->what, "schedule:", 9))
		status = read_schedule_traffic(part->what + 9, fabric, lost, traffic, err);
	else
		status = all_traffic(part, rails, traffic, err);
	if (!status)
		status = check_hosts(part, fabric, rails, *traffic, err);
	free(rails);
	return status;
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
		     const struct conf *conf, struct liquid_traffic **traffic,
		     struct liquid_error *err)
{
	int status = liquid_traffic_new(traffic, err);

	for (size_t i = 0; !status && i < spec->part_count; i++) {
		struct liquid_traffic *part;

		status = part_traffic(&spec->part[i], fabric, conf, spec->own_fabric, &part, err);
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
	const struct job_part *part = spec->part;

	if (spec->part_count == 1 && !spec->own_fabric && !strncmp(part->what, "schedule:", 9))
		return part->what + 9;
	return NULL;
}
