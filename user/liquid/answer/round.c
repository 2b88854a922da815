// SPDX-License-Identifier: GPL-2.0-only
/* The traffic of the jobs of a round, on a fabric. */
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"

/* ---- the question ---- */

static int read_node(const json_t *part, size_t index, struct rails_node *node)
{
	json_t *devices = json_array_get(json_object_get(part, "devices"), index);
	json_t *name = json_array_get(json_object_get(part, "nodes"), index);

	*node = (struct rails_node){ json_string_value(name),
				     (uint32_t)json_integer_value(devices) };
	return node->name ? LIQUID_OK : LIQUID_BAD_INPUT;
}

static int read_part(const json_t *json, struct round_part *part, struct liquid_error *err)
{
	json_int_t tasks;
	json_t *nodes;

	if (json_unpack((json_t *)json, "{s:s, s:s, s:I, s:o}", "job", &part->job, "traffic",
			&part->what, "tasks_per_node", &tasks, "nodes", &nodes) || tasks < 1 ||
	    tasks > UINT32_MAX)
		return answer_malformed(err);
	part->file = json_object_get(json, "file");
	part->tasks_per_node = (uint32_t)tasks;
	part->nodes = json_array_size(nodes);
	part->node = calloc(part->nodes + 1, sizeof(*part->node));
	if (!part->node)
		return liquid_no_memory(err);
	for (size_t i = 0; i < part->nodes; i++)
		if (read_node(json, i, &part->node[i]))
			return answer_malformed(err);
	return LIQUID_OK;
}

int round_read(const json_t *json, uint64_t rail, struct round *round, struct liquid_error *err)
{
	const json_t *parts = json_object_get(json, "parts");
	int status = LIQUID_OK;

	*round = (struct round){
		.parts = json_array_size(parts), .rail = rail,
		.lost = json_is_true(json_object_get(json, "own_fabric")),
	};
	round->part = calloc(round->parts + 1, sizeof(*round->part));
	if (!round->part)
		return liquid_no_memory(err);
	for (size_t i = 0; !status && i < round->parts; i++)
		status = read_part(json_array_get(parts, i), &round->part[i], err);
	return status;
}

void round_clear(struct round *round)
{
	for (size_t i = 0; round->part && i < round->parts; i++)
		free(round->part[i].node);
	free(round->part);
}

/* Of each node of the part; *@rails is to be freed in any case. */
static int find_rails(const struct round_part *part, const struct liquid_fabric *fabric,
		      uint64_t rail, struct rails **rails, struct liquid_error *err)
{
	int status;

	*rails = calloc(part->nodes + 1, sizeof(**rails));
	status = *rails ? LIQUID_OK : liquid_no_memory(err);
	for (size_t i = 0; !status && i < part->nodes; i++)
		status = rails_find(fabric, rail, &part->node[i], &(*rails)[i], err);
	return status;
}

/* ---- all with all ---- */

/* Ranks of a node on one of its rails, which they take in turn */
static uint64_t ranks_on(uint64_t ranks, size_t rail, size_t rails)
{
	return ranks / rails + (rail < ranks % rails);
}

/*
 * What one node sends another. A node's exchange goes from each rail to the same one of the other
 * node, since rails are often separate networks. Ranks are on one rail each, and any two
 * exchange.
 */
static int add_two(const struct round_part *part, const struct rails *from,
		   const struct rails *to, struct liquid_traffic *traffic,
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

static int all_traffic(const struct round_part *part, const struct rails *rails,
		       struct liquid_traffic **traffic, struct liquid_error *err)
{
	int status = liquid_traffic_new(traffic, err);

	for (size_t i = 0; !status && i < part->nodes; i++)
		for (size_t j = 0; !status && j < part->nodes; j++)
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

static int read_file(const struct round_part *part, const struct liquid_fabric *fabric, bool lost,
		     struct liquid_traffic **traffic, struct liquid_error *err)
{
	const char *label;
	FILE *in;
	int status = answer_open(part->file, &in, &label, err);

	if (status)
		return status;
	status = lost ? read_left(in, label, fabric, traffic, err) :
		 liquid_traffic_read(in, label, fabric, traffic, err);
	fclose(in);
	return status;
}

static int traffic_of(const struct liquid_schedule *schedule, const char *label,
		      const struct liquid_fabric *fabric, struct liquid_traffic **traffic,
		      struct liquid_error *err)
{
	const struct liquid_schedule_info *info = liquid_schedule_info(schedule);
	size_t marks;

	if (info->parts > 1)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: sends messages in %u parts: a job "
				   "takes a schedule of whole messages", label, info->parts);
	if (liquid_schedule_marks(schedule, &marks))
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: a job cannot keep the \"marks\" "
				   "of a schedule", label);
	return liquid_schedule_traffic(schedule, fabric, traffic, err);
}

static int read_schedule_traffic(const struct round_part *part, const struct liquid_fabric *fabric,
				 bool lost, struct liquid_traffic **traffic,
				 struct liquid_error *err)
{
	struct liquid_schedule *schedule;
	const char *label;
	int status = answer_schedule(part->file, lost ? NULL : fabric, &label, &schedule, err);

	if (!status)
		status = traffic_of(schedule, label, lost ? fabric : NULL, traffic, err);
	liquid_schedule_free(schedule);
	return status;
}

/* A file may name hosts that are not nodes of the job, and would never be ready. */
static int check_hosts(const struct round_part *part, const struct liquid_fabric *fabric,
		       const struct rails *rails, const struct liquid_traffic *traffic,
		       struct liquid_error *err)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	bool *known = calloc((size_t)liquid_fabric_host_count(fabric) + 1, sizeof(*known));
	uint32_t stranger = LIQUID_NONE;

	if (!known)
		return liquid_no_memory(err);
	for (size_t i = 0; i < part->nodes; i++)
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

static int part_traffic(const struct round_part *part, const struct liquid_fabric *fabric,
			const struct round *round, struct liquid_traffic **traffic,
			struct liquid_error *err)
{
	struct rails *rails;
	int status = find_rails(part, fabric, round->rail, &rails, err);

	*traffic = NULL;
	if (status)
		;
	else if (!strncmp(part->what, "file:", 5))
		status = read_file(part, fabric, round->lost, traffic, err);
	else if (!strncmp(part->what, "schedule:", 9))
		status = read_schedule_traffic(part, fabric, round->lost, traffic, err);
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

int round_traffic(const struct round *round, const struct liquid_fabric *fabric,
		  struct liquid_traffic **traffic, struct liquid_error *err)
{
	int status = liquid_traffic_new(traffic, err);

	for (size_t i = 0; !status && i < round->parts; i++) {
		struct liquid_traffic *part;

		status = part_traffic(&round->part[i], fabric, round, &part, err);
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
