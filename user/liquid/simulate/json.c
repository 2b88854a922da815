// SPDX-License-Identifier: GPL-2.0-only
/* The result of a simulation, as JSON; the fields are in Documentation/simulate.rst. */
#include <jansson.h>

#include "util/command.h"
#include "util/json.h"
#include "simulate/simulate.h"

/* json_object_set_new() takes NULL for an error, of either argument; so does this in the end. */
static void put(json_t *object, const char *key, json_t *value, bool *failed)
{
	if (json_object_set_new(object, key, value))
		*failed = true;
}

static json_t *number(uint64_t value)
{
	return json_integer((json_int_t)value);
}

const char *const drop_names[LIQUID_SIM_DROPS] = {
	[LIQUID_SIM_DEADLOCK] = "deadlock",
	[LIQUID_SIM_TAIL] = "tail",
	[LIQUID_SIM_TOO_LONG] = "too_long",
	[LIQUID_SIM_UNSENT] = "unsent",
};

static json_t *drops_json(const uint64_t *drops)
{
	json_t *object = json_object();
	bool failed = false;

	for (int drop = 0; drop < LIQUID_SIM_DROPS; drop++)
		put(object, drop_names[drop], number(drops[drop]), &failed);
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

static void put_host(json_t *object, const struct liquid_sim_host *host, bool *failed)
{
	put(object, "sent_bytes", number(host->sent_bytes), failed);
	put(object, "received_bytes", number(host->received_bytes), failed);
	put(object, "sent_packets", number(host->sent_packets), failed);
	put(object, "received_packets", number(host->received_packets), failed);
	put(object, "worms", number(host->worms), failed);
	put(object, "waits", number(host->waits), failed);
	put(object, "wait_ns", number(host->wait_ns), failed);
	put(object, "wait_max_ns", number(host->wait_max_ns), failed);
	put(object, "blocked_ns", number(host->blocked_ns), failed);
	put(object, "late", number(host->late), failed);
	put(object, "late_max_ns", number(host->late_max_ns), failed);
	put(object, "end_ns", number(host->end_ns), failed);
	put(object, "dropped", drops_json(host->drops), failed);
}

static json_t *hosts_json(const struct liquid_fabric *fabric,
			  const struct liquid_sim_result *result, bool *failed)
{
	json_t *array = json_array();

	for (uint32_t host = 0; host < result->host_count; host++) {
		json_t *object = json_object();

		put(object, "host", json_string(liquid_fabric_node_name(fabric, host)), failed);
		put_host(object, &result->host[host], failed);
		if (json_array_append_new(array, object))
			*failed = true;
	}
	return array;
}

static json_t *links_json(const struct liquid_fabric *fabric,
			  const struct liquid_sim_result *result, bool *failed)
{
	char name[2 * LIQUID_NAME_MAX + 32];
	json_t *array = json_array();

	for (uint32_t l = 0; l < result->link_count; l++) {
		const struct liquid_sim_link *link = &result->link[l];
		json_t *object = json_object();

		put(object, "link", json_string(liquid_fabric_link_name(fabric, l, name,
									 sizeof(name))), failed);
		put(object, "capacity", number(liquid_fabric_capacity(fabric, l)), failed);
		put(object, "bytes", number(link->bytes), failed);
		put(object, "busy_ns", number(link->busy_ns), failed);
		put(object, "blocked_ns", number(link->blocked_ns), failed);
		put(object, "waits", number(link->waits), failed);
		put(object, "drops", number(link->drops), failed);
		if (json_array_append_new(array, object))
			*failed = true;
	}
	return array;
}

/* Tokens and orders know no frames. */
static bool has_frames(const struct liquid_sim_result *result)
{
	return result->scheduled && (result->options->sync == LIQUID_SIM_SYNC_GATES ||
				     result->options->sync == LIQUID_SIM_SYNC_CLOCK);
}

static void put_sync(json_t *object, const struct liquid_sim_result *result, bool *failed)
{
	const struct liquid_sim_options *o = result->options;
	bool tokens = result->scheduled && o->sync == LIQUID_SIM_SYNC_TOKENS;

	put(object, "sync", result->scheduled ? json_string(simulate_syncs[o->sync]) : json_null(),
	    failed);
	put(object, "token_ns", tokens ? number(o->token_ns) : json_null(), failed);
	put(object, "tail_bytes", tokens ? number(o->tail_bytes) : json_null(), failed);
	put(object, "token_timeout_ns", tokens ? number(o->token_timeout_ns) : json_null(), failed);
	put(object, "start_skew_ns", number(o->start_skew_ns), failed);
}

static json_t *tokens_json(const struct liquid_sim_result *result)
{
	if (!result->scheduled || result->options->sync != LIQUID_SIM_SYNC_TOKENS)
		return json_null();
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "sent", (json_int_t)result->tokens,
			 "waits", (json_int_t)result->token_waits,
			 "wait_ns", (json_int_t)result->token_wait_ns,
			 "wait_max_ns", (json_int_t)result->token_wait_max_ns,
			 "timeouts", (json_int_t)result->token_timeouts,
			 "unsynchronised", (json_int_t)result->unsynchronised);
}

static json_t *under_way_json(const struct liquid_sim_result *result)
{
	if (!result->on_schedule_most)
		return json_null();
	return json_pack("{s:I,s:I}", "most", (json_int_t)result->under_way_most,
			 "on_schedule", (json_int_t)result->on_schedule_most);
}

static json_t *options_json(const struct liquid_sim_result *result, bool *failed)
{
	const struct liquid_sim_options *o = result->options;
	json_t *object = json_object();

	put(object, "switching", json_string(simulate_switchings[o->switching]), failed);
	put(object, "order", result->scheduled ? json_null() :
	    json_string(simulate_orders[o->order]), failed);
	put(object, "contention_aware", json_boolean(o->contention_aware), failed);
	put(object, "window", o->window ? number(o->window) : json_null(), failed);
	put(object, "rate_bps", number(o->rate_bps), failed);
	put(object, "message_bytes", number(o->message_bytes), failed);
	put(object, "packet_bytes", number(o->packet_bytes), failed);
	put(object, "worm_bytes", number(o->worm_bytes), failed);
	put(object, "buffer_bytes", number(o->buffer_bytes), failed);
	put(object, "overhead", number(o->overhead), failed);
	put(object, "hop_ns", number(o->hop_ns), failed);
	put(object, "frame_ns", has_frames(result) ? number(o->frame_ns) : json_null(), failed);
	put(object, "guard_ns", has_frames(result) ? number(o->guard_ns) : json_null(), failed);
	put(object, "cycles", number(o->cycles), failed);
	put(object, "jitter", json_string(simulate_jitters[o->jitter]), failed);
	put(object, "jitter_ns", number(o->jitter_ns), failed);
	put(object, "clock_error_ns", number(o->clock_error_ns), failed);
	put(object, "seed", number(o->seed), failed);
	put(object, "queues", json_string(simulate_queues[o->queues]), failed);
	put(object, "lanes", number(o->lanes), failed);
	put_sync(object, result, failed);
	put(object, "lane_by", o->lanes > 1 ? json_string(simulate_lane_rules[o->lane_by]) :
	    json_null(), failed);
	return object;
}

static json_t *losses_json(const struct liquid_sim_result *result)
{
	if (!has_frames(result))
		return json_null();
	return json_pack("{s:f,s:f,s:f,s:f}", "length_ns", result->lost_length_ns,
			 "headers_ns", result->lost_headers_ns, "guard_ns", result->lost_guard_ns,
			 "other_ns", result->lost_other_ns);
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void put_figures(json_t *root, const struct liquid_sim_result *result, bool *failed)
{
	put(root, "duration", number(result->duration), failed);
	put(root, "length", result->scheduled ? number(result->length) : json_null(), failed);
	put(root, "transfers", number(result->transfers), failed);
	put(root, "message_ns", number(result->message_ns), failed);
	put(root, "time_ns", number(result->time_ns), failed);
	put(root, "throughput", json_real(result->throughput), failed);
	put(root, "liquid_throughput", json_real(result->liquid_throughput), failed);
	put(root, "crossbar_throughput", json_real(result->crossbar_throughput), failed);
	put(root, "of_liquid", json_real(share(result->throughput, result->liquid_throughput)),
	    failed);
	put(root, "of_crossbar", json_real(share(result->throughput,
						  result->crossbar_throughput)), failed);
	put(root, "lost", losses_json(result), failed);
	put(root, "deadlocks", number(result->deadlocks), failed);
	put(root, "under_way", under_way_json(result), failed);
}

int simulate_print_json(const struct liquid_fabric *fabric, const struct liquid_sim_result *result,
			double seconds)
{
	json_t *root = json_object(), *total = json_object();
	bool failed = false;

	put(root, "fabric", json_string(liquid_fabric_name(fabric)), &failed);
	put(root, "options", options_json(result, &failed), &failed);
	put_figures(root, result, &failed);
	put_host(total, result->total, &failed);
	put(root, "total", total, &failed);
	put(root, "tokens", tokens_json(result), &failed);
	put(root, "hosts", hosts_json(fabric, result, &failed), &failed);
	put(root, "links", links_json(fabric, result, &failed), &failed);
	put(root, "events", number(result->events), &failed);
	put(root, "memory_bytes", number(result->memory_bytes), &failed);
	put(root, "seconds", json_real(seconds), &failed);
	if (failed) {
		json_decref(root);
		root = NULL;
	}
	return print_json("liquid-simulation", 1, root);
}
