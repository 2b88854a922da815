// SPDX-License-Identifier: LGPL-2.1-or-later
/* Explaining why a schedule is longer than the duration: bottlenecks, then the other files. */
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "traffic/traffic.h"

/* ---- text and JSON ---- */

void explain_set(struct explaining *explaining, json_t *object, const char *key, json_t *value)
{
	explaining->failed |= json_object_set_new(object, key, value) != 0;
}

void explain_add(struct explaining *explaining, json_t *array, json_t *value)
{
	explaining->failed |= json_array_append_new(array, value) != 0;
}

static const char *link_name(const struct explaining *explaining, uint32_t link, char *name,
			     size_t size)
{
	return liquid_fabric_link_name(explaining->fabric, explaining->routes->origin[link], name,
				       size);
}

json_t *explain_link(const struct explaining *explaining, uint32_t link)
{
	char name[2 * LIQUID_NAME_MAX + 32];

	return json_string(link_name(explaining, link, name, sizeof(name)));
}

json_t *explain_pair(const struct explaining *explaining, uint32_t pair)
{
	const struct liquid_pair *ends = &explaining->routes->pairs[pair];

	return json_pack("[s,s]", liquid_fabric_node_name(explaining->fabric, ends->src),
			 liquid_fabric_node_name(explaining->fabric, ends->dst));
}

void explain_say_link(struct explaining *explaining, uint32_t link)
{
	char name[2 * LIQUID_NAME_MAX + 32];

	fputs(link_name(explaining, link, name, sizeof(name)), explaining->text);
}

void explain_say_pair(struct explaining *explaining, uint32_t pair)
{
	const struct liquid_pair *ends = &explaining->routes->pairs[pair];

	fprintf(explaining->text, "%s>%s", liquid_fabric_node_name(explaining->fabric, ends->src),
		liquid_fabric_node_name(explaining->fabric, ends->dst));
}

/* ---- bottlenecks ---- */

static void list_bottleneck(struct explaining *explaining, json_t *list, uint32_t link)
{
	const struct routes *routes = explaining->routes;
	json_int_t room = (json_int_t)routes->capacity[link] * explaining->info->length;

	explain_add(explaining, list,
		    json_pack("{s:o,s:I,s:I,s:I}", "link", explain_link(explaining, link),
			      "load", (json_int_t)routes->load[link],
			      "capacity", (json_int_t)routes->capacity[link],
			      "idle", room - (json_int_t)routes->load[link]));
}

static void explain_bottlenecks(struct explaining *explaining)
{
	const struct routes *routes = explaining->routes;
	json_t *list = json_array();
	uint32_t count = 0;

	for (uint32_t link = 0; link < routes->link_count; link++) {
		if (!explain_is_bottleneck(routes, link))
			continue;
		if (count < EXPLAIN_LISTED_MAX)
			list_bottleneck(explaining, list, link);
		if (count < EXPLAIN_NAMED_MAX) {
			fputs(count ? ", " : "bottlenecks  ", explaining->text);
			explain_say_link(explaining, link);
		}
		count++;
	}
	if (count > EXPLAIN_NAMED_MAX)
		fprintf(explaining->text, " and %u more", count - EXPLAIN_NAMED_MAX);
	if (count)
		fprintf(explaining->text, ": busy in each frame of a schedule of %u frames\n",
			explaining->info->duration);
	explain_set(explaining, explaining->root, "bottlenecks", list);
	explain_set(explaining, explaining->root, "bottleneck_count", json_integer(count));
}

/* ---- the whole explanation ---- */

static int explain_all(struct explaining *explaining, struct liquid_error *err)
{
	const struct liquid_schedule_info *info = explaining->info;
	int status = LIQUID_OK;

	explain_set(explaining, explaining->root, "certificate",
		    json_string(liquid_certificate_name(info->certificate)));
	explain_bottlenecks(explaining);
	if (info->certificate == LIQUID_CERT_LIQUID) {
		fputs("why          nothing prevents a liquid schedule: this is one\n",
		      explaining->text);
		return LIQUID_OK;
	}
	if (info->witness_json)
		status = explain_witness(explaining, err);
	if (!status)
		status = explain_teams(explaining, err);
	if (!status && info->certificate == LIQUID_CERT_GAP)
		status = explain_left_over(explaining, err);
	return status;
}

static int attach(struct explaining *explaining, struct liquid_schedule *schedule,
		  struct liquid_error *err)
{
	char *json = explaining->failed ? NULL :
		json_dumps(explaining->root, JSON_COMPACT | JSON_PRESERVE_ORDER);
	int status = json ? liquid_schedule_attach(schedule, "explanation", json, err) :
		liquid_no_memory(err);

	free(json);
	return status;
}

static int explain(struct explaining *explaining, struct liquid_schedule *schedule, char **text,
		   struct liquid_error *err)
{
	size_t size;
	int status;

	explaining->text = open_memstream(text, &size);
	explaining->root = json_object();
	if (!explaining->text || !explaining->root ||
	    !routes_invert(explaining->routes, &explaining->inverse))
		status = liquid_no_memory(err);
	else
		status = explain_all(explaining, err);
	if (!status)
		status = attach(explaining, schedule, err);
	if (explaining->text && fclose(explaining->text) && !status)
		status = liquid_no_memory(err);
	json_decref(explaining->root);
	routes_inverse_clear(&explaining->inverse);
	return status;
}

int liquid_explain(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		   struct liquid_schedule *schedule, uint64_t work, char **text,
		   struct liquid_error *err)
{
	struct explaining explaining = {
		.fabric = fabric, .schedule = schedule, .info = liquid_schedule_info(schedule),
		.budget = { .limit = work ? work : EXPLAIN_WORK_DEFAULT, .look = UINT64_MAX },
	};
	struct liquid_traffic *parts = NULL;
	struct routes *routes = NULL;
	int status = liquid_schedule_list(schedule, NULL, err);

	*text = NULL;
	if (!status && explaining.info->parts > 1)
		status = traffic_scale(traffic, explaining.info->parts, 1, &parts, err);
	if (!status)
		status = routes_build(fabric, parts ? parts : traffic, &routes, err);
	if (status) {
		liquid_traffic_free(parts);
		return status;
	}
	explaining.routes = routes;
	if (explaining.info->transfers != routes->transfer_count)
		status = liquid_fail(err, LIQUID_BAD_INPUT, "the schedule is of another traffic: "
				     "%llu transfers, not %u",
				     (unsigned long long)explaining.info->transfers,
				     routes->transfer_count);
	else
		status = explain(&explaining, schedule, text, err);
	routes_free(routes);
	liquid_traffic_free(parts);
	if (status) {
		free(*text);
		*text = NULL;
	}
	return status;
}
