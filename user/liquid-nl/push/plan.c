// SPDX-License-Identifier: GPL-2.0-only
/* One node's slice of a schedule, which `liquid` reads and checks */
#include <string.h>

#include "ask/ask.h"
#include "push/push.h"
#include "show/print.h"
#include "util/gate-frames.h"
#include "util/open.h"

int push_read_map(struct push_args *args, struct liquid_error *err)
{
	FILE *in;
	int status;

	if (args->map_file) {
		status = input_open(args->map_file, &in, err);
		if (status)
			return status;
		status = addr_map_read(&args->map, in, input_label(args->map_file), err);
		close_input(in);
		if (status)
			return status;
	}
	return addr_map_finish(&args->map, err);
}

void push_ask_addresses(struct ask *ask, const struct push_args *args)
{
	json_t *addresses = json_object();

	for (size_t i = 0; i < args->map.count; i++) {
		const struct addr_entry *entry = &args->map.entry[i];

		ask_set(ask, addresses, entry->name, keys_json(entry->key, entry->key_count));
	}
	ask_set(ask, ask->question, "addresses", addresses);
	ask_set_text(ask, "addresses_label", args->map_file);
}

/* ---- from the schedule's file ---- */

/* Addresses come from our own map, whatever came back. */
static int take_addresses(const struct push_args *args, struct push_plan *plan,
			  struct liquid_error *err)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct addr_entry *entry = addr_map_find(&args->map, plan->names[i]);
		struct gate_dest *dest = &plan->dests[i];

		if (!entry)
			return ask_malformed(err);
		dest->key_count = entry->key_count;
		memcpy(dest->key, entry->key, sizeof(entry->key));
	}
	return LIQUID_OK;
}

static int ask_plan(const struct push_args *args, json_t **answer, struct liquid_error *err)
{
	struct ask ask;
	int status;

	ask_begin(&ask, "slice");
	ask_set_file(&ask, ask.question, "schedule", args->schedule, NULL);
	if (args->fabric)
		ask_set_file(&ask, ask.question, "fabric", args->fabric, NULL);
	ask_set_text(&ask, "node", args->node);
	ask_set_number(&ask, "frame_ns", args->frame_ns);
	push_ask_addresses(&ask, args);
	status = ask_answer(&ask, answer, err);
	ask_end(&ask);
	return status;
}

int push_plan_read(struct push_args *args, struct push_plan *plan, struct liquid_error *err)
{
	json_t *answer = NULL;
	int status = push_read_map(args, err);

	*plan = (struct push_plan){ 0 };
	if (!status)
		status = ask_plan(args, &answer, err);
	args->schedule = input_label(args->schedule);
	if (!status)
		status = push_plan_take(answer, plan, err);
	json_decref(answer);
	if (!status)
		status = gate_frames_check(plan->frames, plan->parts, args->frame_ns, err);
	return status ? status : take_addresses(args, plan, err);
}
