// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of a node's gate, as a record: when the node's part in a round begins, and
 * when it ends
 *
 * `job report` is about the difference. The process that stays for the job's life writes the first
 * sample after the base time. The last one is taken before the gate is cleared, and written
 * afterwards, by whichever process clears it first. No failure here is a reason not to gate, nor to
 * keep a gate closed.
 */
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "job/job.h"
#include "job/store/records.h"
#include "show/print.h"

/* A node's message to the service has 8 KiB: see CHANNEL_REQUEST_MAX. */
#define SAMPLE_MAX 7500			/* bytes of the record */
#define SAMPLE_DESTS 256		/* a gate with more is not asked for them */

/* ---- the plan ---- */

static json_t *dest_names(const struct push *push)
{
	json_t *names = json_object();

	for (size_t i = 0; names && i < push->plan.count; i++) {
		char id[16];

		snprintf(id, sizeof(id), "%u", push->plan.dests[i].id);
		json_object_set_new(names, id, json_string(push->plan.names[i]));
	}
	return names;
}

void job_sample_plan(struct job_args *args, size_t rail, const struct push *push,
		     const char *endpoint)
{
	const struct push_plan *plan = &push->plan;
	uint64_t frames = 0, sends = 0;

	for (size_t i = 0; i < plan->runs.count; i++) {
		frames += plan->runs.run[i].run;
		sends += plan->runs.run[i].dest != LIQUID_NONE ? plan->runs.run[i].run : 0;
	}
	if (!rail) {
		json_decref(args->run.plan);
		args->run.plan = json_array();
	}
	/* In a dry run destinations have no ids. */
	json_array_append_new(args->run.plan,
			      json_pack("{s:I, s:I, s:s*, s:o*}", "frames", (json_int_t)frames,
					"sends", (json_int_t)sends,
					"endpoint", *endpoint ? endpoint : NULL,
					"names", args->dry_run ? NULL : dest_names(push)));
}

bool job_rail_idle(const struct job_args *args, size_t rail)
{
	const json_t *plan = json_array_get(args->run.plan, rail);

	return plan && !json_integer_value(json_object_get(plan, "sends"));
}

/* ---- the gate ---- */

/* Counters that are 0 are left out. */
static json_t *stats_of(const struct gate_stats *stats)
{
	json_t *json = stats_json(stats), *value;
	const char *name;
	void *next;

	json_object_foreach_safe(json, next, name, value)
		if (!json_integer_value(value))
			json_object_del(json, name);
	return json;
}

/* The counts of the buckets, and last the sum of all times, ns */
static json_t *hist_of(const struct gate_hist *hist)
{
	json_t *array = json_array();

	for (unsigned int i = 0; array && i < LIQUID_HIST_BUCKETS; i++)
		json_array_append_new(array, json_integer((json_int_t)hist->bucket[i]));
	if (array)
		json_array_append_new(array, json_integer((json_int_t)hist->sum_ns));
	return array;
}

static json_t *times_of(const struct gate_times *times)
{
	if (!times->present)
		return NULL;
	return json_pack("{s:o*, s:o*, s:o*, s:o*}", "wait", hist_of(&times->wait),
			 "late", hist_of(&times->late), "xmit", hist_of(&times->xmit),
			 "overrun", hist_of(&times->overrun));
}

/* By id: packets, bytes, packets that were late, ns that packets have waited */
static json_t *dests_of(const struct gate_dests *dests)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < dests->count; i++) {
		const struct gate_dest *dest = &dests->dest[i];
		const uint64_t *counter = dest->stats.counter;

		if (!dest->frames && !counter[LIQUID_STATS_A_PACKETS])
			continue;
		json_array_append_new(array, json_pack("[I, I, I, I, I]", (json_int_t)dest->id,
				      (json_int_t)counter[LIQUID_STATS_A_PACKETS],
				      (json_int_t)counter[LIQUID_STATS_A_BYTES],
				      (json_int_t)counter[LIQUID_STATS_A_LATE],
				      (json_int_t)dest->times.wait.sum_ns));
	}
	return array;
}

/* The job's schedule, if this process knows it, else the one in force; NULL: it is not there. */
static const struct gate_sched *own_sched(const struct job_args *args, const struct gate *gate)
{
	int64_t base = args->run.base_ns;

	if (gate->oper.present && (!base || gate->oper.base_time == base))
		return &gate->oper;
	return base && gate->admin.present && gate->admin.base_time == base ? &gate->admin : NULL;
}

static json_t *gate_of(const struct job_args *args, const struct gate *gate, json_t *dests)
{
	const struct gate_sched *sched = own_sched(args, gate);
	uint64_t rate = gate->options.rate_bps ? gate->options.rate_bps : gate->state.link_rate_bps;
	json_t *json = json_pack("{s:s, s:I, s:I, s:o*, s:o*, s:o*}", "node", args->node,
				 "tai_ns", (json_int_t)clock_ns(CLOCK_TAI),
				 "rate_bps", (json_int_t)rate,
				 "stats", stats_of(&gate->stats), "times", times_of(&gate->times),
				 "dests", dests);

	if (json && sched)
		json_object_set_new(json, "oper",
				    json_pack("{s:I, s:I, s:I}",
					      "base_ns", (json_int_t)sched->base_time,
					      "frame_ns", (json_int_t)sched->frame_ns,
					      "guard_ns", (json_int_t)sched->guard_ns));
	return json;
}

static json_t *read_gate(const struct job_args *args, size_t rail, struct netlink *nl,
			 uint32_t ifindex)
{
	struct gate_dests dests = { 0 };
	struct gate gate;
	json_t *json = NULL;

	if (gate_get(nl, ifindex, &gate) ||
	    (args->run.base_ns && !job_rail_idle(args, rail) && !own_sched(args, &gate)))
		return NULL;
	if (gate.state.dests > SAMPLE_DESTS || gate_dest_dump(nl, ifindex, &dests))
		json = gate_of(args, &gate, NULL);
	else
		json = gate_of(args, &gate, dests_of(&dests));
	gate_dests_clear(&dests);
	return json;
}

/* NULL: there is no such gate, or it has another schedule. */
static json_t *sample_rail(const struct job_args *args, size_t rail, const char *device)
{
	unsigned int ifindex = if_nametoindex(device);
	json_t *json = NULL;
	struct netlink nl;

	if (!ifindex || gate_open(&nl))
		return NULL;
	json = read_gate(args, rail, &nl, ifindex);
	netlink_close(&nl);
	return json;
}

static json_t *no_gate(const struct job_args *args)
{
	return json_pack("{s:s, s:I}", "node", args->node, "tai_ns",
			 (json_int_t)clock_ns(CLOCK_TAI));
}

/* The first rail's sample has the others' in "more". */
static json_t *sample_rails(const struct job_args *args, const struct conf_device *device)
{
	json_t *sample = NULL, *more = json_array();
	bool any = false;

	for (size_t i = 0; i < device->count; i++) {
		json_t *rail = args->dry_run ? NULL : sample_rail(args, i, device->name[i]);

		any |= rail || args->dry_run;
		rail = rail ? rail : no_gate(args);
		if (i)
			json_array_append_new(more, rail);
		else
			sample = rail;
	}
	if (json_array_size(more))
		json_object_set(sample, "more", more);
	json_decref(more);
	if (any)
		return sample;
	json_decref(sample);
	return NULL;
}

/* In a dry run there is no gate, and known values of the plan are recorded nevertheless. */
json_t *job_sample_gate(const struct job_args *args)
{
	const struct conf_device *device = conf_devices_of(&args->conf, args->node);

	return device ? sample_rails(args, device) : NULL;
}

/* ---- the record ---- */

static void add_clock(struct job_args *args, json_t *sample)
{
	struct clock_report report;

	if (args->conf.clock == CONF_OFF || clock_read(&args->clock, &report))
		return;
	json_object_set_new(sample, "clock_error_ns",
			    json_integer((json_int_t)clock_error_ns(&report)));
}

static size_t size_of(const json_t *sample)
{
	char *text = json_dumps(sample, JSON_COMPACT | JSON_ENSURE_ASCII);
	size_t size = text ? strlen(text) : 0;

	free(text);
	return size;
}

static json_t *rail_of(json_t *sample, size_t rail)
{
	return rail ? json_array_get(json_object_get(sample, "more"), rail - 1) : sample;
}

/* A record that is too long does without the destinations, then without times of later rails. */
static void shorten(json_t *sample)
{
	json_t *rail;

	if (size_of(sample) <= SAMPLE_MAX)
		return;
	for (size_t i = 0; (rail = rail_of(sample, i)); i++) {
		json_object_del(rail, "dests");
		json_object_del(json_object_get(rail, "plan"), "names");
	}
	for (size_t i = CONF_RAILS_MAX; --i && size_of(sample) > SAMPLE_MAX;)
		json_object_del(rail_of(sample, i), "times");
}

static void add_plans(const struct job_args *args, json_t *sample)
{
	json_t *plan;
	size_t rail;

	json_array_foreach(args->run.plan, rail, plan)
		json_object_set(rail_of(sample, rail), "plan", plan);
}

void job_sample_put(struct job_args *args, enum record record, const char *round, json_t *sample)
{
	struct liquid_error err;

	if (!sample)
		return;
	add_clock(args, sample);
	if (record == RECORD_FIRST)
		add_plans(args, sample);
	shorten(sample);
	record_put(&args->store, record, round, args->node, sample, &err);
}
