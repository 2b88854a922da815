// SPDX-License-Identifier: GPL-2.0-only
/* Histograms of times as text and as JSON. */
#include "show/print.h"
#include "gate/times.h"

static void print_hist(FILE *out, const char *indent, const char *name,
		       const struct gate_hist *hist, uint64_t zeros)
{
	char half[TIMES_TEXT], most[TIMES_TEXT], all[TIMES_TEXT];

	if (!times_count(hist) && !zeros)
		return;
	fprintf(out, "%s%s of 50, 99, 100 %%: %s, %s, %s\n", indent, name,
		times_format(times_quantile(hist, zeros, 500), half),
		times_format(times_quantile(hist, zeros, 990), most),
		times_format(times_quantile(hist, zeros, 1000), all));
}

void print_times(FILE *out, const char *indent, const struct gate_times *times,
		 const struct gate_stats *stats)
{
	uint64_t packets = stats->counter[LIQUID_STATS_A_PACKETS];

	print_hist(out, indent, "wait time", &times->wait, times_passed(&times->wait, packets));
	print_hist(out, indent, "late time", &times->late, 0);
	print_hist(out, indent, "lag time", &times->lag, 0);
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
static json_t *bounds_json(void)
{
	json_t *array = json_array();

	for (unsigned int i = 0; array && i < LIQUID_HIST_BUCKETS - 1; i++)
		if (json_array_append_new(array, json_integer(times_bound_ns(i)))) {
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

json_t *times_json(const struct gate_times *times, const struct gate_stats *stats, bool gate)
{
	uint64_t packets = stats->counter[LIQUID_STATS_A_PACKETS];
	json_t *json = json_object();

	if (!json || json_object_set_new(json, "passed",
					 json_integer(times_passed(&times->wait, packets))) ||
	    json_object_set_new(json, "wait", hist_json(&times->wait)) ||
	    json_object_set_new(json, "late", hist_json(&times->late)) ||
	    (gate && json_object_set_new(json, "lag", hist_json(&times->lag))) ||
	    (gate && json_object_set_new(json, "bounds_ns", bounds_json()))) {
		json_decref(json);
		return NULL;
	}
	return json;
}
