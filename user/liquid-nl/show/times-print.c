// SPDX-License-Identifier: GPL-2.0-only
/* Histograms of times as text and as JSON. */
#include <inttypes.h>

#include "gate/times.h"
#include "show/print.h"
#include "util/units.h"

static void print_hist(FILE *out, const char *indent, const char *name,
		       enum times_scale scale, const struct gate_hist *hist, uint64_t zeros)
{
	char half[TIMES_TEXT], most[TIMES_TEXT], all[TIMES_TEXT];

	if (!times_count(hist) && !zeros)
		return;
	fprintf(out, "%s%s of 50, 99, 100 %%: %s, %s, %s\n", indent, name,
		times_format(scale, times_quantile(hist, zeros, 500), half),
		times_format(scale, times_quantile(hist, zeros, 990), most),
		times_format(scale, times_quantile(hist, zeros, 1000), all));
}

void print_times(FILE *out, const char *indent, const struct gate_times *times,
		 const struct gate_stats *stats)
{
	uint64_t packets = stats->counter[LIQUID_STATS_A_PACKETS];

	print_hist(out, indent, "wait time", TIMES_COARSE, &times->wait,
		   times_passed(&times->wait, packets));
	print_hist(out, indent, "late time", TIMES_COARSE, &times->late, 0);
	print_hist(out, indent, "lag time", TIMES_COARSE, &times->lag, 0);
	print_hist(out, indent, "release lag", TIMES_FINE, &times->xmit, 0);
	print_hist(out, indent, "in flight after a frame", TIMES_FINE, &times->overrun, 0);
}

static const char *most_of(const struct gate_hist *fine, char text[TIMES_TEXT])
{
	return times_format(TIMES_FINE, times_quantile(fine, 0, 999), text);
}

void print_release_lag(FILE *out, const struct gate *gate)
{
	const struct gate_times *times = &gate->times;
	uint64_t runs = times_count(&times->xmit), frames = times_count(&times->overrun);
	char text[TIMES_TEXT], guard[UNIT_TEXT];

	if (!runs)
		fprintf(out, "  lag    release lag not measured");
	else if (gate->oper.present)
		fprintf(out, "  lag    release lag p99.9 %s of guard %s, %" PRIu64 " runs",
			most_of(&times->xmit, text), format_time(gate->oper.guard_ns, guard), runs);
	else
		fprintf(out, "  lag    release lag p99.9 %s, %" PRIu64 " runs",
			most_of(&times->xmit, text), runs);
	if (frames)
		fprintf(out, "; in flight after a frame p99.9 %s, %" PRIu64 " frames\n",
			most_of(&times->overrun, text), frames);
	else
		fprintf(out, "; in flight after a frame not measured\n");
}

static json_t *buckets_json(const struct gate_hist *hist)
{
	json_t *array = json_array();

	for (unsigned int i = 0; array && i < LIQUID_HIST_BUCKETS; i++)
		if (json_array_append_new(array, json_integer(hist->bucket[i]))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

/* The bounds of all buckets but the last, which has none */
static json_t *bounds_json(enum times_scale scale)
{
	json_t *array = json_array();

	for (unsigned int i = 0; array && i < LIQUID_HIST_BUCKETS - 1; i++)
		if (json_array_append_new(array, json_integer(times_bound_ns(scale, i)))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *hist_json(const struct gate_hist *hist)
{
	json_t *json = json_object();

	if (!json || json_object_set_new(json, "count", json_integer(times_count(hist))) ||
	    json_object_set_new(json, "sum_ns", json_integer(hist->sum_ns)) ||
	    json_object_set_new(json, "buckets", buckets_json(hist))) {
		json_decref(json);
		return NULL;
	}
	return json;
}

/* The histograms that only a gate has */
static bool delays_json(json_t *json, const struct gate_times *times)
{
	return !json_object_set_new(json, "lag", hist_json(&times->lag)) &&
	       !json_object_set_new(json, "xmit", hist_json(&times->xmit)) &&
	       !json_object_set_new(json, "overrun", hist_json(&times->overrun)) &&
	       !json_object_set_new(json, "bounds_ns", bounds_json(TIMES_COARSE)) &&
	       !json_object_set_new(json, "fine_bounds_ns", bounds_json(TIMES_FINE));
}

/* What 99.9 % of the times do not exceed: between two bounds, of which the last bucket has one */
json_t *most_json(const struct gate_hist *fine)
{
	int bucket = times_quantile(fine, 0, 999);
	json_t *json = json_object();

	if (!json || json_object_set_new(json, "count", json_integer(times_count(fine))) ||
	    (bucket >= 0 && json_object_set_new(json, "above_ns",
						json_integer(times_exceeded_ns(fine)))) ||
	    (bucket >= 0 && bucket < (int)LIQUID_HIST_BUCKETS - 1 &&
	     json_object_set_new(json, "p999_ns",
				 json_integer(times_bound_ns(TIMES_FINE, bucket))))) {
		json_decref(json);
		return NULL;
	}
	return json;
}

json_t *times_json(const struct gate_times *times, const struct gate_stats *stats, bool gate)
{
	uint64_t packets = stats->counter[LIQUID_STATS_A_PACKETS];
	json_t *json = json_object();

	if (!json || json_object_set_new(json, "passed",
					 json_integer(times_passed(&times->wait, packets))) ||
	    json_object_set_new(json, "wait", hist_json(&times->wait)) ||
	    json_object_set_new(json, "late", hist_json(&times->late)) ||
	    (gate && !delays_json(json, times))) {
		json_decref(json);
		return NULL;
	}
	return json;
}
