// SPDX-License-Identifier: GPL-2.0-only
/* What a fabric has, and what a round is on it; and dumps as a fabric. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "answer/answer.h"
#include "commands.h"

/* ---- nodes ---- */

/* The longest path from @host, links; a job's schedule may have a longer one. */
static uint32_t longest_path(const struct liquid_fabric *fabric, uint32_t host)
{
	uint32_t path[LIQUID_PATH_MAX], most = 1;
	struct liquid_error err;

	for (uint32_t other = 0; other < liquid_fabric_host_count(fabric); other++) {
		int links = other == host ? 0 :
			    liquid_fabric_route(fabric, host, other, path, &err);

		if (links > (int)most)
			most = (uint32_t)links;
	}
	return most;
}

static json_t *endpoint_json(const struct liquid_fabric *fabric, uint32_t host, bool paths)
{
	return json_pack("{s:s, s:I, s:I}", "name", liquid_fabric_node_name(fabric, host),
			 "capacity", (json_int_t)liquid_fabric_host_capacity(fabric, host),
			 "hops", (json_int_t)(paths ? longest_path(fabric, host) : 0));
}

/* With "error" why they differ from liquid.conf's */
static json_t *node_json(const struct liquid_fabric *fabric, uint64_t rail,
			 const struct rails_node *node, bool paths)
{
	json_t *endpoints = json_array();
	struct liquid_error why;
	struct rails rails;
	int status = rails_find(fabric, rail, node, &rails, &why);

	for (size_t i = 0; i < rails.count; i++)
		json_array_append_new(endpoints, endpoint_json(fabric, rails.host[i], paths));
	return json_pack("{s:o, s:s*}", "endpoints", endpoints, "error",
			 status ? why.text : NULL);
}

static int add_nodes(const json_t *question, const struct liquid_fabric *fabric, json_t *answer,
		     struct liquid_error *err)
{
	uint64_t rail = (uint64_t)json_integer_value(json_object_get(question, "rail"));
	const json_t *nodes = json_object_get(question, "nodes");
	const json_t *devices = json_object_get(question, "devices");
	bool paths = json_is_true(json_object_get(question, "paths"));
	json_t *array = json_array();
	int failed = 0;

	for (size_t i = 0; i < json_array_size(nodes); i++) {
		const struct rails_node node = {
			json_string_value(json_array_get(nodes, i)),
			(uint32_t)json_integer_value(json_array_get(devices, i)),
		};

		failed |= !node.name || json_array_append_new(array, node_json(fabric, rail, &node,
									      paths));
	}
	failed |= json_object_set_new(answer, "nodes", array);
	return failed ? liquid_no_memory(err) : LIQUID_OK;
}

/* ---- one host ---- */

static int add_host(const char *name, const char *label, const struct liquid_fabric *fabric,
		    json_t *answer, struct liquid_error *err)
{
	uint32_t host = liquid_fabric_find_host(fabric, name);
	char near[LIQUID_NEAR_TEXT];

	if (host == LIQUID_NONE)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: has no host '%s'%.600s", label, name,
				   liquid_fabric_near_host(fabric, name, near));
	return json_object_set_new(answer, "capacity",
				   json_integer(liquid_fabric_host_capacity(fabric, host))) ?
	       liquid_no_memory(err) : LIQUID_OK;
}

/* ---- all of them ---- */

static int add_names(const struct liquid_fabric *fabric, json_t *answer, struct liquid_error *err)
{
	json_t *names = json_array();
	int failed = 0;

	for (uint32_t host = 0; host < liquid_fabric_host_count(fabric); host++)
		failed |= json_array_append_new(names,
						json_string(liquid_fabric_node_name(fabric, host)));
	failed |= json_object_set_new(answer, "names", names);
	return failed ? liquid_no_memory(err) : LIQUID_OK;
}

/* The digest of the routes in two dumps */
static int add_live(const json_t *question, const struct liquid_fabric *fabric, json_t *answer,
		    struct liquid_error *err)
{
	const struct liquid_import like = { .like = fabric };
	char digest[LIQUID_DIGEST_HEX];
	struct liquid_fabric *now;
	int status = answer_dumps(question, &like, &now, err);

	if (!status)
		status = liquid_fabric_digest(now, digest, err);
	liquid_fabric_free(now);
	if (!status && json_object_set_new(answer, "live_digest", json_string(digest)))
		status = liquid_no_memory(err);
	return status;
}

static int describe(const json_t *question, const struct liquid_fabric *fabric, json_t **answer,
		    struct liquid_error *err)
{
	const char *host = json_string_value(json_object_get(question, "host")), *label;
	char digest[LIQUID_DIGEST_HEX];
	int status = liquid_fabric_digest(fabric, digest, err);

	if (status)
		return status;
	if (json_unpack((json_t *)question, "{s:{s:s}}", "fabric", "label", &label))
		return answer_malformed(err);
	*answer = json_pack("{s:s, s:s, s:I, s:I}", "digest", digest,
			    "name", liquid_fabric_name(fabric),
			    "unit_bps", (json_int_t)liquid_fabric_unit_rate(fabric),
			    "hosts", (json_int_t)liquid_fabric_host_count(fabric));
	if (!*answer)
		return liquid_no_memory(err);
	if (host)
		status = add_host(host, label, fabric, *answer, err);
	if (!status)
		status = add_nodes(question, fabric, *answer, err);
	if (!status && json_is_true(json_object_get(question, "all")))
		status = add_names(fabric, *answer, err);
	if (!status && json_object_get(question, "round"))
		status = round_facts(question, fabric, *answer, err);
	if (!status && json_object_get(question, "topo"))
		status = add_live(question, fabric, *answer, err);
	return status;
}

int answer_hosts(const json_t *question, json_t **answer, struct liquid_error *err)
{
	struct liquid_fabric *fabric;
	int status = answer_fabric(json_object_get(question, "fabric"), &fabric, err);

	if (!status)
		status = describe(question, fabric, answer, err);
	liquid_fabric_free(fabric);
	return status;
}

/* ---- import ---- */

static void print_note(void *context, const char *text)
{
	(void)context;
	complain(0, "note: %s", text);
}

static int write_fabric(const struct liquid_fabric *fabric, int fd, struct liquid_error *err)
{
	int copy = dup(fd), status;
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out)
		return liquid_fail(err, LIQUID_IO, "cannot store the fabric: %s", strerror(errno));
	status = liquid_fabric_write(fabric, out, err);
	return !fclose(out) || status ? status :
	       liquid_fail(err, LIQUID_IO, "cannot store the fabric: %s", strerror(errno));
}

/* With the settings of "fabric", except for the question's; without dumps "fabric" itself */
int answer_import(const json_t *question, json_t **answer, struct liquid_error *err)
{
	struct liquid_fabric *fabric, *now = NULL;
	struct liquid_import import = { .note = print_note };
	json_int_t unit = 0;
	int out, partly = 0, status = answer_fabric(json_object_get(question, "fabric"), &fabric,
						    err);

	if (!status && json_unpack((json_t *)question, "{s:i, s?s, s?I, s?b}", "out", &out,
				   "leave_out", &import.leave_out, "unit_bps", &unit,
				   "allow_unreachable", &partly))
		status = answer_malformed(err);
	import.like = fabric;
	import.unit_bps = (uint64_t)unit;
	import.allow_unreachable = partly;
	if (!status && json_object_get(question, "topo"))
		status = answer_dumps(question, &import, &now, err);
	if (!status)
		status = write_fabric(now ? now : fabric, out, err);
	liquid_fabric_free(now);
	liquid_fabric_free(fabric);
	*answer = status ? NULL : json_object();
	return status;
}
