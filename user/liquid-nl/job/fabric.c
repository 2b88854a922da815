// SPDX-License-Identifier: GPL-2.0-only
/* What `liquid` says of a fabric: questions, and answers, which are checked. */
#include <string.h>

#include "job/fabric.h"
#include "util/digest.h"
#include "util/units.h"

/* ---- members of questions ---- */

void fabric_ask_rail(struct ask *ask, const struct conf *conf)
{
	ask_set_number(ask, "rail", conf->rail);
}

/* Append to the array @key of @to, which is made. */
static void append(struct ask *ask, json_t *to, const char *key, json_t *value)
{
	if (!json_object_get(to, key))
		ask_set(ask, to, key, json_array());
	if (json_array_append_new(json_object_get(to, key), value))
		ask_set(ask, to, key, NULL);
}

static json_t *devices_json(const struct conf *conf, const char *node)
{
	const struct conf_device *device = conf_devices_of(conf, node);

	return json_integer(device ? (json_int_t)device->count : 0);
}

void fabric_ask_node(struct ask *ask, const struct conf *conf, const char *node)
{
	append(ask, ask->question, "nodes", json_string(node));
	append(ask, ask->question, "devices", devices_json(conf, node));
}

static void ask_part(struct ask *ask, json_t *to, const struct job_part *part,
		     const struct conf *conf)
{
	const char *path = strchr(part->what, ':');

	ask_set(ask, to, "job", json_string(part->job));
	ask_set(ask, to, "traffic", json_string(part->what));
	ask_set(ask, to, "tasks_per_node", json_integer(part->tasks_per_node));
	for (size_t i = 0; i < part->nodes.count; i++) {
		append(ask, to, "nodes", json_string(part->nodes.name[i]));
		append(ask, to, "devices", devices_json(conf, part->nodes.name[i]));
	}
	if (path && (!strncmp(part->what, "file:", 5) || !strncmp(part->what, "schedule:", 9)))
		ask_set_file(ask, to, "file", path + 1, NULL);
}

static void fill_round(struct ask *ask, json_t *round, const struct job_spec *spec,
		       const struct conf *conf)
{
	ask_set(ask, round, "own_fabric", json_boolean(spec->own_fabric));
	ask_set(ask, round, "parts", json_array());
	for (size_t i = 0; i < spec->part_count; i++) {
		json_t *part = json_object();

		append(ask, round, "parts", part);
		ask_part(ask, part, &spec->part[i], conf);
	}
}

void fabric_ask_round(struct ask *ask, const char *key, const struct job_spec *spec,
		      const struct conf *conf)
{
	json_t *round = json_object();

	ask_set(ask, ask->question, key, round);
	fill_round(ask, round, spec, conf);
}

json_t *fabric_ask_next(struct ask *ask, const char *key, const struct job_spec *spec,
			const struct conf *conf)
{
	json_t *round = json_object();

	append(ask, ask->question, key, round);
	fill_round(ask, round, spec, conf);
	return round;
}

const char *job_spec_schedule(const struct job_spec *spec)
{
	const struct job_part *part = spec->part;

	if (spec->part_count == 1 && !spec->own_fabric && !strncmp(part->what, "schedule:", 9))
		return part->what + 9;
	return NULL;
}

/* ---- answers ---- */

bool fabric_digest(const json_t *json, const char *key, char digest[LIQUID_DIGEST_HEX])
{
	const char *text = json_string_value(json_object_get(json, key));

	if (!is_hex(text, LIQUID_DIGEST_HEX - 1))
		return false;
	strcpy(digest, text);
	return true;
}

static bool take_name(const char *name, char text[LIQUID_NAME_MAX + 1])
{
	size_t length = strlen(name);

	if (length > LIQUID_NAME_MAX)
		return false;
	memcpy(text, name, length + 1);
	return true;
}

int fabric_ask(struct ask *ask, struct job_fabric *fabric, struct liquid_error *err)
{
	json_int_t unit, hosts;
	const char *name;
	int status;

	*fabric = (struct job_fabric){ 0 };
	status = ask_answer(ask, &fabric->answer, err);
	if (status)
		return status;
	if (json_unpack(fabric->answer, "{s:s, s:I, s:I}", "name", &name, "unit_bps", &unit,
			"hosts", &hosts) || unit < 0 || hosts < 0 || hosts > UINT32_MAX ||
	    !take_name(name, fabric->name) ||
	    !fabric_digest(fabric->answer, "digest", fabric->digest))
		return ask_malformed(err);
	fabric->unit_bps = (uint64_t)unit;
	fabric->hosts = (uint32_t)hosts;
	return LIQUID_OK;
}

void fabric_clear(struct job_fabric *fabric)
{
	json_decref(fabric->answer);
	*fabric = (struct job_fabric){ 0 };
}

static bool take_rail(const json_t *json, struct job_rail *rail)
{
	json_int_t capacity, hops;
	const char *name;

	if (json_unpack((json_t *)json, "{s:s, s:I, s:I}", "name", &name, "capacity", &capacity,
			"hops", &hops) || capacity < 0 || capacity > UINT16_MAX || hops < 0 ||
	    hops > LIQUID_PATH_MAX)
		return false;
	rail->capacity = (uint32_t)capacity;
	rail->hops = (uint32_t)hops;
	return take_name(name, rail->name);
}

int job_unit_rate(const struct conf *conf, const struct job_fabric *fabric, uint64_t *bps,
		  struct liquid_error *err)
{
	uint64_t unit = fabric->unit_bps, stated = conf->link_rate_bps;
	char one[UNIT_TEXT], other[UNIT_TEXT];

	if (unit && stated && unit != stated)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "liquid.conf has link-rate %s, but a unit of fabric %s is %s",
				   format_rate(stated, one), fabric->name,
				   format_rate(unit, other));
	*bps = unit ? unit : stated;
	if (*bps)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "fabric %s does not say the rate of a unit, which gates are compared "
			   "with: import it again, or state link-rate in liquid.conf",
			   fabric->name);
}

int fabric_node(const struct job_fabric *fabric, size_t index, struct job_rails *rails,
		struct liquid_error *err)
{
	const json_t *node = json_array_get(json_object_get(fabric->answer, "nodes"), index);
	const json_t *endpoints = json_object_get(node, "endpoints");
	const char *error = json_string_value(json_object_get(node, "error"));

	rails->count = 0;
	if (json_array_size(endpoints) > CONF_RAILS_MAX)
		return ask_malformed(err);
	for (size_t i = 0; i < json_array_size(endpoints); i++)
		if (!take_rail(json_array_get(endpoints, i), &rails->rail[rails->count++]))
			return ask_malformed(err);
	if (error)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s", error);
	return rails->count ? LIQUID_OK : ask_malformed(err);
}
