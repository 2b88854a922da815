// SPDX-License-Identifier: GPL-2.0-only
/* Gates, destinations, frames and counters as JSON; names as on the wire, in lower case. */
#include "util/command.h"
#include "gate/device.h"
#include "gate/options.h"
#include "show/print.h"

static json_t *object_of(const struct attr_table *table, const void *object)
{
	json_t *json = json_object();

	if (json && attrs_json(json, table, object))
		return json;
	json_decref(json);
	return NULL;
}

json_t *sched_json(const struct gate_sched *sched)
{
	return sched->present ? object_of(&sched_table, sched) : json_null();
}

json_t *stats_json(const struct gate_stats *stats)
{
	return object_of(&stats_table, stats);
}

static json_t *rules_json(const struct gate_options *options)
{
	json_t *array = json_array();
	char text[RULE_TEXT];

	for (uint32_t i = 0; array && i < options->rule_count; i++)
		if (json_array_append_new(array,
					  json_string(format_rule(&options->rule[i], text)))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *select_rule_json(const struct gate_options *options)
{
	char text[RULE_TEXT];

	if (!(options->present >> LIQUID_GATE_A_SELECT_RULE & 1))
		return json_null();
	return json_string(format_rule(&options->select_rule, text));
}

static json_t *options_json(const struct gate_options *options)
{
	json_t *json = object_of(&gate_table, options);

	/* json_object_set_new() takes NULL for an error, of either argument */
	if (json && (json_object_set_new(json, "bypass", rules_json(options)) ||
		     json_object_set_new(json, "select_rule", select_rule_json(options)))) {
		json_decref(json);
		return NULL;
	}
	return json;
}

json_t *gate_json(const struct gate *gate)
{
	char name[IF_NAMESIZE];
	json_t *json = json_object();

	if (!json ||
	    json_object_set_new(json, "device", json_string(device_name(gate->ifindex, name))) ||
	    json_object_set_new(json, "ifindex", json_integer(gate->ifindex)) ||
	    json_object_set_new(json, "state",
				object_of(&state_table, &gate->state)) ||
	    json_object_set_new(json, "gate", options_json(&gate->options)) ||
	    json_object_set_new(json, "release_lag", most_json(&gate->times.xmit)) ||
	    json_object_set_new(json, "in_flight", most_json(&gate->times.overrun)) ||
	    json_object_set_new(json, "oper", sched_json(&gate->oper)) ||
	    json_object_set_new(json, "admin", sched_json(&gate->admin))) {
		json_decref(json);
		return NULL;
	}
	return json;
}

json_t *keys_json(const struct addr_key *key, uint32_t count)
{
	json_t *array = json_array();
	char text[ADDR_KEY_TEXT];

	for (uint32_t i = 0; array && i < count; i++)
		if (json_array_append_new(array, json_string(addr_key_format(&key[i], text)))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *dest_json(const struct gate_dest *dest, bool stats)
{
	json_t *json = object_of(&dest_table, dest);

	if (!json || (dest->name && json_object_set_new(json, "name", json_string(dest->name))) ||
	    json_object_set_new(json, "keys", keys_json(dest->key, dest->key_count)) ||
	    (stats && json_object_set_new(json, "stats", stats_json(&dest->stats))) ||
	    (stats && json_object_set_new(json, "times",
					  times_json(&dest->times, &dest->stats, false)))) {
		json_decref(json);
		return NULL;
	}
	return json;
}

json_t *dests_json(const struct gate_dests *dests, bool stats)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < dests->count; i++)
		if (json_array_append_new(array, dest_json(&dests->dest[i], stats))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

json_t *runs_json(const struct gate_runs *runs)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < runs->count; i++) {
		const struct gate_run *run = &runs->run[i];
		json_t *dest = run->dest == LIQUID_NONE ? json_null() : json_integer(run->dest);
		json_t *pair = json_pack("{s:i, s:o}", "run", (int)run->run, "dest", dest);

		if (json_array_append_new(array, pair)) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}
