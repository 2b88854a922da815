// SPDX-License-Identifier: GPL-2.0-only
/* The result of push, or of its dry run, as text and JSON. */
#include <inttypes.h>

#include "util/command.h"
#include "show/print.h"
#include "push/push.h"
#include "util/say.h"
#include "util/units.h"

static json_t *names_json(const struct push_plan *plan)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < plan->count; i++) {
		const struct gate_dest *dest = &plan->dests[i];
		json_t *json = json_pack("{s:i, s:s, s:o}", "id", (int)dest->id, "name",
					 plan->names[i], "keys",
					 keys_json(dest->key, dest->key_count));

		if (json_array_append_new(array, json)) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *warnings_json(const struct push_check *check)
{
	json_t *array = json_array();

	for (unsigned int i = 0; array && i < check->warning_count; i++)
		if (json_array_append_new(array, json_string(check->warning[i]))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *tcp_json(const struct push_tcp *tcp)
{
	return json_pack("{s:I, s:I, s:I}", "initcwnd", (json_int_t)tcp->cwnd,
			 "initrwnd", (json_int_t)tcp->cwnd,
			 "rto_min_ms", (json_int_t)tcp->rto_min_ms);
}

static int print_as_json(const struct push *push)
{
	const struct push_args *args = &push->args;
	const struct push_check *check = &push->check;

	return print_json("liquid-push", 1,
			  json_pack("{s:s, s:s, s:s, s:b, s:i, s:o, s:I, s:I, s:I, s:i, s:o, s:o, "
				    "s:o, s:o}",
				    "device", args->device, "node", args->node,
				    "digest", push->plan.digest,
				    "dry_run", args->dry_run, "parts", (int)push->plan.parts,
				    "sched", sched_json(&push->sched),
				    "guard_needed_ns", (json_int_t)check->guard_needed_ns,
				    "release_lag_runs", (json_int_t)check->lag_runs,
				    "release_lag_above_ns", (json_int_t)check->lag_ns,
				    "hops", (int)check->hops, "warnings", warnings_json(check),
				    "tcp", tcp_json(&check->tcp),
				    "dests", names_json(&push->plan),
				    "entries", runs_json(&push->runs)));
}

void push_print_tcp(const struct push_tcp *tcp)
{
	put_text("  to be set for TCP on the routes to them: initcwnd %u initrwnd %u rto_min "
		 "%" PRIu64 "ms; tcp_slow_start_after_idle=0\n", tcp->cwnd, tcp->cwnd,
		 tcp->rto_min_ms);
}

static void print_lag(const struct push_check *check)
{
	char lag[UNIT_TEXT];

	if (check->lag_ns)
		put_text("  release lag: 1 in 1000 of %" PRIu64 " runs took longer than %s\n",
			 check->lag_runs, format_time(check->lag_ns, lag));
	else if (check->lag_runs)
		put_text("  release lag: not measured yet (%" PRIu64 " runs)\n", check->lag_runs);
	else
		put_text("  release lag: not measured\n");
}

static void print_as_text(const struct push *push)
{
	const struct push_args *args = &push->args;
	const struct push_plan *plan = &push->plan;
	const struct push_check *check = &push->check;
	const struct gate_sched *sched = &push->sched;
	char frame[UNIT_TEXT], guard[UNIT_TEXT], cycle[UNIT_TEXT], needed[UNIT_TEXT];
	char repeat[64], base[TAI_TEXT], key[ADDR_KEY_TEXT];

	put_text("%s: %s%s: %u frame%s of %s (guard %s, needed %s over %u hop%s), cycle %s, %s\n",
		 args->device, args->node, args->dry_run ? ", dry run" : "", sched->frames,
		 sched->frames == 1 ? "" : "s", format_time(sched->frame_ns, frame),
		 format_time(sched->guard_ns, guard), format_time(check->guard_needed_ns, needed),
		 check->hops, check->hops == 1 ? "" : "s",
		 format_time(sched->frame_ns * sched->frames, cycle), format_repeat(sched, repeat));
	if (plan->parts > 1)
		put_text("  %u frames of the gate for each of the schedule: it sends as many "
			 "transfers at once\n", plan->parts);
	put_text("  base %s\n", format_tai(sched->base_time, base));
	print_lag(check);
	for (size_t i = 0; i < plan->count; i++) {
		put_text("  destination %u: %s", plan->dests[i].id, plan->names[i]);
		for (uint32_t k = 0; k < plan->dests[i].key_count; k++)
			put_text(" %s", addr_key_format(&plan->dests[i].key[k], key));
		putchar('\n');
	}
	push_print_tcp(&check->tcp);
	print_runs(stdout, "admin", &push->runs);
}

int push_print(const struct push *push)
{
	const struct push_check *check = &push->check;

	for (unsigned int i = 0; i < check->warning_count; i++)
		complain(0, "%s: warning: %s", push->args.device, check->warning[i]);
	if (push->args.json)
		return print_as_json(push);
	print_as_text(push);
	return EXIT_OK;
}
