// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work of a node between two samples of its gate, and a round's nodes together
 *
 * The liquid throughput of a node is the gate's rate, times the share of the schedule's frames in
 * which the node sends, times the schedule's length over its lower bound. The guard is not
 * taken off: it is a part of the lost throughput.
 */
#include <string.h>

#include "report/report.h"

#define NS 1e9

/* ---- differences ---- */

/* A counter that is smaller than before is of another gate, whose counters began with 0. */
static bool is_same_gate(const json_t *before, const json_t *after)
{
	const json_t *value;
	const char *name;

	json_object_foreach((json_t *)before, name, value)
		if (value_of(after, name) < value_of(before, name))
			return false;
	return true;
}

static void copy_counter(json_t *node, const char *name, const json_t *before, const json_t *after)
{
	json_object_set_new(node, name, json_integer((json_int_t)(value_of(after, name) -
								  value_of(before, name))));
}

static void add_counters(json_t *node, const json_t *before, const json_t *after)
{
	static const char *const names[] = {
		"packets", "bytes", "late", "waits", "frames_used", "frames_missed",
		"unsched_packets", "unsched_bytes", "control_packets", "control_bytes",
		"clock_steps", "lease_expired",
	};
	uint64_t dropped = 0;
	const json_t *value;
	const char *name;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		copy_counter(node, names[i], before, after);
	json_object_foreach((json_t *)after, name, value)
		if (!strncmp(name, "drop_", 5))
			dropped += value_of(after, name) - value_of(before, name);
	json_object_set_new(node, "dropped", json_integer((json_int_t)dropped));
}

/* As in stats --json */
static json_t *hist_json(const struct gate_hist *hist, uint64_t sum_ns)
{
	json_t *buckets = json_array();

	for (unsigned int i = 0; buckets && i < LIQUID_HIST_BUCKETS; i++)
		json_array_append_new(buckets, json_integer((json_int_t)hist->bucket[i]));
	return json_pack("{s:I, s:I, s:o*}", "count", (json_int_t)times_count(hist),
			 "sum_ns", (json_int_t)sum_ns, "buckets", buckets);
}

static uint64_t sum_of(const json_t *buckets)
{
	json_int_t sum = json_integer_value(json_array_get(buckets, LIQUID_HIST_BUCKETS));

	return sum > 0 ? (uint64_t)sum : 0;
}

static void add_times(json_t *node, const json_t *before, const json_t *after)
{
	static const char *const names[] = { "wait", "late", "xmit", "overrun" };
	json_t *times = json_object();

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const json_t *old = json_object_get(before, names[i]);
		const json_t *new = json_object_get(after, names[i]);
		struct gate_hist from = hist_of(old), to = hist_of(new), since;
		uint64_t sum = sum_of(new);

		since = times_since(&from, &to);
		sum -= sum_of(old) < sum ? sum_of(old) : 0;
		if (json_is_array(new))
			json_object_set_new(times, names[i], hist_json(&since, sum));
	}
	json_object_set_new(node, "times", times);
}

static void add_release_lag(json_t *node)
{
	const json_t *buckets = json_object_get(member_of(node, "times", "xmit"), "buckets");
	struct gate_hist hist = hist_of(buckets);
	int bucket = times_quantile(&hist, 0, 999);

	/* The last bucket has no bound. */
	if (bucket >= 0 && bucket < (int)LIQUID_HIST_BUCKETS - 1)
		json_object_set_new(node, "release_lag_ns",
				    json_integer((json_int_t)times_bound_ns(TIMES_FINE, bucket)));
}

/* ---- destinations ---- */

static const json_t *row_of(const json_t *rows, json_int_t id)
{
	const json_t *row;
	size_t index;

	json_array_foreach((json_t *)rows, index, row)
		if (json_integer_value(json_array_get(row, 0)) == id)
			return row;
	return NULL;
}

static json_int_t grown(const json_t *before, const json_t *after, size_t column)
{
	json_int_t old = json_integer_value(json_array_get(before, column));
	json_int_t new = json_integer_value(json_array_get(after, column));

	return new < 0 || old < 0 ? 0 : new < old ? new : new - old;
}

/*
 * Only those of the plan: the gate keeps destinations of earlier jobs, and their bytes to
 * destinations of the plan are in both samples. None is reported where the first sample had no room
 * for them.
 */
static void add_dests(json_t *node, const json_t *names, const json_t *before, const json_t *after)
{
	json_t *dests = json_array();
	const json_t *row;
	size_t index;

	json_array_foreach((json_t *)after, index, row) {
		json_int_t number = json_integer_value(json_array_get(row, 0));
		const json_t *old = row_of(before, number);
		char id[32];

		snprintf(id, sizeof(id), "%lld", (long long)number);
		if (!*text_of(names, id))
			continue;
		json_array_append_new(dests, json_pack("{s:s, s:I, s:I, s:I, s:I}",
						       "node", text_of(names, id),
						       "packets", grown(old, row, 1),
						       "bytes", grown(old, row, 2),
						       "late", grown(old, row, 3),
						       "wait_ns", grown(old, row, 4)));
	}
	json_object_set_new(node, "dests", dests);
}

/* ---- a node ---- */

static double seconds_between(const json_t *first, const json_t *last)
{
	uint64_t from = value_of(first, "tai_ns"), to = value_of(last, "tai_ns");

	return to > from ? (double)(to - from) / NS : 0;
}

static void set_real(json_t *json, const char *name, double value)
{
	json_object_set_new(json, name, json_real(value));
}

static void set_whole(json_t *json, const char *name, double value)
{
	json_object_set_new(json, name, json_integer(value > 0 && value < 0x1p62 ?
						     (json_int_t)(value + 0.5) : 0));
}

static void add_rates(json_t *node, const json_t *first, const json_t *last)
{
	const json_t *plan = json_object_get(first, "plan");
	double frames = (double)value_of(plan, "frames"), seconds = seconds_between(first, last);
	double rate = (double)value_of(last, "rate_bps");
	double bits = 8 * (double)value_of(node, "bytes");

	set_real(node, "seconds", seconds);
	if (seconds > 0)
		set_whole(node, "throughput_bps", bits / seconds);
	if (frames > 0 && rate > 0)
		set_whole(node, "schedule_bps", rate * (double)value_of(plan, "sends") / frames);
	if (value_of(node, "packets"))
		set_real(node, "late_share", (double)value_of(node, "late") /
			 (double)value_of(node, "packets"));
}

/* The node's frames were off by the larger one at some time. */
static void add_clock(json_t *node, const json_t *first, const json_t *last)
{
	const char *name = "clock_error_ns";
	uint64_t before = value_of(first, name), after = value_of(last, name);

	if (value_is_known(first, name) || value_is_known(last, name))
		json_object_set_new(node, name,
				    json_integer((json_int_t)(before > after ? before : after)));
}

static void add_schedule(json_t *node, const json_t *first)
{
	static const char *const names[] = { "frame_ns", "guard_ns" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (value_of(json_object_get(first, "oper"), names[i]))
			json_object_set_new(node, names[i],
					    json_integer((json_int_t)value_of(
						json_object_get(first, "oper"), names[i])));
}

json_t *report_node(const char *node, const json_t *first, const json_t *last)
{
	json_t *json = json_pack("{s:s}", "node", node);
	const json_t *before = json_object_get(first, "stats");
	const json_t *after = json_object_get(last, "stats");
	bool same = is_same_gate(before, after);
	const json_t *old_dests = json_object_get(first, "dests");

	add_schedule(json, first);
	if (!first || !last)
		json_object_set_new(json, "missing", json_string(!first ? "first" : "last"));
	if (!first || !json_is_object(after))
		return json;
	json_object_set_new(json, "counted", json_true());
	if (!same)
		json_object_set_new(json, "new_gate", json_true());
	add_counters(json, same ? before : NULL, after);
	add_times(json, same ? json_object_get(first, "times") : NULL,
		  json_object_get(last, "times"));
	add_release_lag(json);
	add_dests(json, member_of(first, "plan", "names"), same ? old_dests : NULL,
		  old_dests ? json_object_get(last, "dests") : NULL);
	add_rates(json, first, last);
	add_clock(json, first, last);
	return json;
}

/* ---- all nodes of a round ---- */

struct totals {
	uint64_t nodes, counted, packets, bytes, late, dropped, clock_error_ns;
	double seconds, throughput_bps, schedule_bps;
	bool clock_known;
	const char *latest, *worst_clock;	/* names */
	double latest_share;
};

static void take_clock(struct totals *totals, const json_t *node)
{
	uint64_t error = value_of(node, "clock_error_ns");

	if (!value_is_known(node, "clock_error_ns"))
		return;
	if (!totals->clock_known || error > totals->clock_error_ns) {
		totals->clock_error_ns = error;
		totals->worst_clock = text_of(node, "node");
	}
	totals->clock_known = true;
}

static void take_node(struct totals *totals, const json_t *node)
{
	totals->nodes++;
	if (!json_is_true(json_object_get(node, "counted")))
		return;
	totals->counted++;
	totals->packets += value_of(node, "packets");
	totals->bytes += value_of(node, "bytes");
	totals->late += value_of(node, "late");
	totals->dropped += value_of(node, "dropped");
	totals->throughput_bps += (double)value_of(node, "throughput_bps");
	totals->schedule_bps += (double)value_of(node, "schedule_bps");
	if (real_of(node, "seconds") > totals->seconds)
		totals->seconds = real_of(node, "seconds");
	if (real_of(node, "late_share") > totals->latest_share) {
		totals->latest_share = real_of(node, "late_share");
		totals->latest = text_of(node, "node");
	}
	take_clock(totals, node);
}

json_t *report_totals(const json_t *nodes, double frames_per_duration)
{
	struct totals totals = { 0 };
	const json_t *node;
	double liquid;
	size_t index;
	json_t *json;

	json_array_foreach((json_t *)nodes, index, node)
		take_node(&totals, node);
	liquid = totals.schedule_bps * frames_per_duration;
	json = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:s*, s:s*}",
			 "nodes", (json_int_t)totals.nodes, "counted", (json_int_t)totals.counted,
			 "packets", (json_int_t)totals.packets, "bytes", (json_int_t)totals.bytes,
			 "late", (json_int_t)totals.late, "dropped", (json_int_t)totals.dropped,
			 "latest_node", totals.latest, "clock_node", totals.worst_clock);
	set_real(json, "seconds", totals.seconds);
	set_whole(json, "throughput_bps", totals.throughput_bps);
	set_whole(json, "schedule_bps", totals.schedule_bps);
	set_whole(json, "liquid_bps", liquid);
	if (liquid > 0)
		set_real(json, "share", totals.throughput_bps / liquid);
	if (totals.packets)
		set_real(json, "late_share", (double)totals.late / (double)totals.packets);
	if (totals.clock_known)
		json_object_set_new(json, "clock_error_ns",
				    json_integer((json_int_t)totals.clock_error_ns));
	return json;
}
