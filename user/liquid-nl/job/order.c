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

#include "cmd/cmd.h"
#include "job/order.h"
#include "util/input.h"

/* ---- where all slices are made ---- */

/* The traffic is each node of the job with each other one, and all with equally much. */
static bool is_for_all(const struct job_order *order)
{
	const struct job_spec *spec = order->spec;
	const struct liquid_traffic *traffic = order->traffic;
	const struct liquid_pair *pair = liquid_traffic_pairs(traffic);
	size_t pairs = liquid_traffic_pair_count(traffic), nodes = spec->part[0].nodes.count;

	/* By `rail all` ranks choose their rails themselves, and need the fabric for that. */
	if (order->conf->rail == CONF_RAIL_ALL)
		return false;
	if (spec->part_count != 1 || nodes > JOB_ORDER_NODES_MAX || pairs != nodes * (nodes - 1))
		return false;
	for (size_t i = 1; i < pairs; i++)
		if (pair[i].count != pair[0].count)
			return false;
	return true;
}

static json_t *names_json(const struct liquid_names *names)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < names->count; i++)
		json_array_append_new(array, json_string(names->name[i]));
	return array;
}

static int make(struct job_order *order, const struct liquid_schedule *schedule,
		struct liquid_error *err)
{
	const struct liquid_names *nodes = &order->spec->part[0].nodes;
	uint32_t *host = calloc(nodes->count + 1, sizeof(*host));
	struct liquid_plan_options options = {
		.size = sizeof(options), .host_of_rank = host, .ranks = (uint32_t)nodes->count,
	};
	struct job_rails rails;
	int status = LIQUID_OK;

	if (!host)
		return liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	for (size_t i = 0; !status && i < nodes->count; i++) {
		status = job_rails_find(order->conf, order->fabric, nodes->name[i], &rails, err);
		host[i] = rails.host[0];
	}
	if (!status)
		status = liquid_plan_make(order->fabric, schedule, &options, &order->plan, err);
	free(host);
	order->nodes = names_json(nodes);
	return status;
}

void job_order_make(struct job_order *order)
{
	struct liquid_schedule *schedule;
	struct liquid_error err;

	if (!is_for_all(order) ||
	    read_schedule(order->schedule, order->fabric, &schedule))
		return;
	if (make(order, schedule, &err))
		complain(0, "note: round %s has no plan for ranks: %s", order->spec->round,
			 err.text);
	liquid_schedule_free(schedule);
}

void job_order_clear(struct job_order *order)
{
	liquid_plan_free(order->plan);
	json_decref(order->nodes);
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

json_t *job_order_json(const struct job_order *order, size_t node)
{
	struct liquid_error err;
	json_t *json = NULL;
	void *slice;
	size_t size;
	char *text;

	if (!order->plan ||
	    liquid_plan_slice(order->plan, (uint32_t)node, &slice, &size, &err))
		return NULL;
	text = encode(slice, size);
	if (text)
		json = json_pack("{s:I, s:I, s:O, s:s}",
				 "rail", (json_int_t)order->conf->rail,
				 "rate_bps", (json_int_t)order->spec->link_rate_bps,
				 "nodes", order->nodes, "slice", text);
	free(text);
	free(slice);
	return json;
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

/* The text of the file, see user/mpi/plan/prepared.h; false: it is no plan, or no memory */
static bool write_text(FILE *out, const json_t *json)
{
	json_int_t rail, rate;
	json_t *nodes, *node;
	const char *text;
	uint8_t *slice = NULL;
	size_t index, size;
	bool fine;

	if (json_unpack((json_t *)json, "{s:I, s:I, s:o, s:s}", "rail", &rail, "rate_bps", &rate,
			"nodes", &nodes, "slice", &text))
		return false;
	fine = decode(text, &slice, &size);
	fprintf(out, "liquid-plan 1\nrate %" JSON_INTEGER_FORMAT "\nrail %" JSON_INTEGER_FORMAT
		"\n", rate, rail);
	json_array_foreach(nodes, index, node) {
		const char *name = json_string_value(node);

		fine &= name && job_name_fits(name);
		fprintf(out, "node %s\n", name ? name : "");
	}
	fprintf(out, "slice %zu\n", size);
	fine = fine && fwrite(slice, 1, size, out) == size;
	free(slice);
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
		complain(0, "job %s: its plan is void, and stays there: %s", args->job,
			 strerror(errno));
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
