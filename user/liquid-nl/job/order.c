// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of a job's exchange, for its ranks: a plan of the round's schedule, of which each node
 * gets its slice from the service, and leaves it where the job's user can read it
 *
 * The service has it made with the slices of the gates. A node learns of it with its own slice, so
 * it comes by the same connection, and only root of that node or the keeper can ask for it. It is
 * in the file from the base time of the schedule on, and the file is empty while there is none.
 * Nothing that goes wrong here is a reason not to gate.
 */
#include <errno.h>
#include <nettle/base64.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command.h"
#include "job/order.h"
#include "input/input.h"

/* ---- where all slices are made ---- */

/* The ranks of the plan, node by node */
static int find_ranks(struct job_order *order, struct liquid_error *err)
{
	const struct liquid_names *nodes = &order->spec->part[0].nodes;
	int status = LIQUID_OK;

	order->host = calloc(nodes->count * CONF_RAILS_MAX + 1, sizeof(*order->host));
	order->first = calloc(nodes->count + 1, sizeof(*order->first));
	if (!order->host || !order->first)
		return liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	for (size_t i = 0; !status && i < nodes->count; i++) {
		struct job_rails rails;

		status = job_rails_find(order->conf, order->fabric, nodes->name[i], &rails, err);
		order->first[i + 1] = order->first[i];
		for (size_t r = 0; !status && r < rails.count; r++)
			order->host[order->first[i + 1]++] = rails.host[r];
	}
	return status;
}

/* By host, the number of its node, from 1; 0: it has none. NULL: no memory */
static uint32_t *number_nodes(const struct job_order *order)
{
	uint32_t *node = calloc(liquid_fabric_host_count(order->fabric) + (size_t)1,
				sizeof(*node));

	for (size_t i = 0; node && i < order->spec->part[0].nodes.count; i++)
		for (uint32_t r = order->first[i]; r < order->first[i + 1]; r++)
			node[order->host[r]] = (uint32_t)i + 1;
	return node;
}

/* The pairs of ranks on two nodes */
static size_t count_pairs(const struct job_order *order)
{
	size_t nodes = order->spec->part[0].nodes.count, ranks = order->first[nodes], pairs = 0;

	for (size_t i = 0; i < nodes; i++) {
		size_t rails = order->first[i + 1] - order->first[i];

		pairs += rails * (ranks - rails);
	}
	return pairs;
}

/* Each rank sends equally much to each on another node, and none to those on its own. */
static bool is_for_all(const struct job_order *order)
{
	const struct liquid_pair *pair = liquid_traffic_pairs(order->traffic);
	size_t pairs = liquid_traffic_pair_count(order->traffic);
	uint32_t *node = number_nodes(order);
	bool all = node && pairs == count_pairs(order);

	for (size_t i = 0; all && i < pairs; i++)
		all = node[pair[i].src] && node[pair[i].dst] &&
		      node[pair[i].src] != node[pair[i].dst] && pair[i].count == pair[0].count;
	free(node);
	return all;
}

/* By `rail all` ranks find their rails by these names; else they know their nodes. */
static json_t *names_json(const struct job_order *order)
{
	const struct liquid_names *nodes = &order->spec->part[0].nodes;
	bool rails = order->conf->rail == CONF_RAIL_ALL;
	json_t *array = json_array();

	for (size_t i = 0; array && i < order->first[nodes->count]; i++)
		json_array_append_new(array, json_string(
			rails ? liquid_fabric_node_name(order->fabric, order->host[i]) :
			nodes->name[i]));
	return array;
}

static int make(struct job_order *order, const struct liquid_schedule *schedule,
		struct liquid_error *err)
{
	struct liquid_plan_options options = {
		.host_of_rank = order->host,
		.ranks = order->first[order->spec->part[0].nodes.count],
	};

	order->names = names_json(order);
	return liquid_plan_make(order->fabric, schedule, &options, &order->plan, err);
}

void job_order_make(struct job_order *order)
{
	const struct job_spec *spec = order->spec;
	struct liquid_schedule *schedule;
	struct liquid_error err;
	int status;

	if (spec->part_count != 1)
		return;
	status = find_ranks(order, &err);
	if (!status && (order->first[spec->part[0].nodes.count] > JOB_ORDER_RANKS_MAX ||
			!is_for_all(order) ||
			read_schedule(order->schedule, order->fabric, &schedule)))
		return;
	if (!status) {
		status = make(order, schedule, &err);
		liquid_schedule_free(schedule);
	}
	if (status)
		complain(0, "note: round %s has no plan for ranks: %s", spec->round, err.text);
}

void job_order_clear(struct job_order *order)
{
	liquid_plan_free(order->plan);
	free(order->host);
	free(order->first);
	json_decref(order->names);
}

static char *encode(const void *bytes, size_t size)
{
	char *text = malloc(BASE64_ENCODE_RAW_LENGTH(size) + 1);

	if (!text)
		return NULL;
	base64_encode_raw(text, size, bytes);
	text[BASE64_ENCODE_RAW_LENGTH(size)] = '\0';
	return text;
}

static json_t *slice_json(const struct job_order *order, uint32_t rank)
{
	struct liquid_error err;
	json_t *json = NULL;
	void *slice;
	size_t size;
	char *text;

	if (liquid_plan_slice(order->plan, rank, &slice, &size, &err))
		return NULL;
	text = encode(slice, size);
	if (text)
		json = json_string(text);
	free(text);
	free(slice);
	return json;
}

static json_t *rail_json(const struct conf *conf)
{
	return conf->rail == CONF_RAIL_ALL ? json_string("all") :
	       json_integer((json_int_t)conf->rail);
}

json_t *job_order_json(const struct job_order *order, size_t node)
{
	json_t *json, *more = order->plan ? json_array() : NULL;
	bool fine = more;

	if (!fine)
		return NULL;
	json = json_pack("{s:o, s:I, s:O, s:o}", "rail", rail_json(order->conf),
			 "rate_bps", (json_int_t)order->spec->link_rate_bps,
			 "nodes", order->names, "slice", slice_json(order, order->first[node]));
	for (uint32_t r = order->first[node] + 1; fine && r < order->first[node + 1]; r++)
		fine = !json_array_append_new(more, slice_json(order, r));
	if (json_array_size(more))
		fine = fine && !json_object_set(json, "more", more);
	json_decref(more);
	if (fine)
		return json;
	json_decref(json);
	return NULL;
}

/* ---- on a node ---- */

static bool decode(const char *text, uint8_t **bytes, size_t *size)
{
	size_t length = strlen(text);
	struct base64_decode_ctx base64;

	*size = BASE64_DECODE_LENGTH(length);
	*bytes = malloc(*size + 1);
	base64_decode_init(&base64);
	return *bytes && base64_decode_update(&base64, size, *bytes, length, text) &&
	       base64_decode_final(&base64);
}

static bool write_slice(FILE *out, const json_t *json)
{
	const char *text = json_string_value(json);
	uint8_t *slice = NULL;
	size_t size;
	bool fine = text && decode(text, &slice, &size);

	if (fine)
		fprintf(out, "slice %zu\n", size);
	fine = fine && fwrite(slice, 1, size, out) == size;
	free(slice);
	return fine;
}

/* A name is a word. */
static bool write_names(FILE *out, const json_t *nodes)
{
	json_t *node;
	size_t index;

	json_array_foreach(nodes, index, node) {
		const char *name = json_string_value(node);

		if (!name || !*name || name[strcspn(name, " \t\r\n")])
			return false;
		fprintf(out, "node %s\n", name);
	}
	return true;
}

/* A number, or "all" */
static bool write_rail(FILE *out, const json_t *rail)
{
	if (json_is_integer(rail))
		return fprintf(out, "rail %" JSON_INTEGER_FORMAT "\n",
			       json_integer_value(rail)) > 0;
	return json_is_string(rail) && !strcmp(json_string_value(rail), "all") &&
	       fputs("rail all\n", out) >= 0;
}

/* The text of the file, see user/mpi/plan/prepared.h; false: it is no plan, or no memory */
static bool write_text(FILE *out, const json_t *json)
{
	json_t *rail, *nodes, *slice, *more = NULL;
	json_int_t rate;
	size_t index;
	bool fine;

	if (json_unpack((json_t *)json, "{s:o, s:I, s:o, s:o, s?o}", "rail", &rail, "rate_bps",
			&rate, "nodes", &nodes, "slice", &slice, "more", &more))
		return false;
	fprintf(out, "liquid-plan 1\nrate %" JSON_INTEGER_FORMAT "\n", rate);
	fine = write_rail(out, rail) && write_names(out, nodes) && write_slice(out, slice);
	json_array_foreach(more, index, slice)
		fine = fine && write_slice(out, slice);
	return fine;
}

/* Ranks may be reading it: they find it whole, or see that it is not. */
static bool write_file(int fd, const json_t *json)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool fine = out && write_text(out, json);

	if (out && fclose(out))
		fine = false;
	fine = fine && pwrite(fd, text, size, 0) == (ssize_t)size;
	free(text);
	return fine;
}

void job_order_void(const struct job_args *args)
{
	if (args->run.order_fd >= 0 && ftruncate(args->run.order_fd, 0))
		complain(0, "job %s: the ranks' order could not be removed, so they go on by the "
			 "old routes: %s", args->job, strerror(errno));
}

void job_order_put(const struct job_args *args)
{
	job_order_void(args);
	if (args->run.order_fd < 0 || !args->run.order)
		return;
	errno = 0;
	if (write_file(args->run.order_fd, args->run.order))
		return;
	complain(0, "job %s: no plan for its ranks: %s", args->job,
		 errno ? strerror(errno) : "it is malformed");
	job_order_void(args);
}

void job_order_keep(struct job_args *args, json_t *json)
{
	json_decref(args->run.order);
	args->run.order = json_incref(json);
}
