// SPDX-License-Identifier: GPL-2.0-only
/* Counters and queues in Prometheus' text format, for node_exporter's textfile collector. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "gate/device.h"
#include "gate/label.h"
#include "gate/times.h"
#include "show/prometheus.h"
#include "show/stats.h"

/* Help texts of counters; the others are explained by their names. */
static const char *const help[LIQUID_STATS_A_MAX + 1] = {
	[LIQUID_STATS_A_PACKETS] = "Packets released.",
	[LIQUID_STATS_A_BYTES] = "Bytes released.",
	[LIQUID_STATS_A_WAITS] = "Packets that waited for their frame.",
	[LIQUID_STATS_A_LATE] = "Packets that left after their frame.",
	[LIQUID_STATS_A_FRAMES_USED] = "Frames in which something was sent.",
	[LIQUID_STATS_A_FRAMES_MISSED] = "Frames that the timer came too late for.",
	[LIQUID_STATS_A_DROP_LIMIT] = "Packets dropped because their queue was full.",
	[LIQUID_STATS_A_DROP_TOTAL_LIMIT] = "Packets dropped because all queues were full.",
	[LIQUID_STATS_A_DROP_HORIZON] = "Packets dropped because they had waited too long.",
	[LIQUID_STATS_A_DROP_TOO_BIG] = "Packets dropped because no frame can take them.",
	[LIQUID_STATS_A_CLOCK_STEPS] = "Steps of the clock.",
	[LIQUID_STATS_A_SWAPS] = "Schedules that came into force.",
	[LIQUID_STATS_A_LEASE_EXPIRED] = "Times that the gate opened because its lease was over.",
	[LIQUID_STATS_A_ACKS_THINNED] = "Acknowledgements that a newer one replaced.",
	[LIQUID_STATS_A_DROP_RESET] = "Packets dropped because the carrier or a TX queue went.",
	[LIQUID_STATS_A_DROP_LINK] = "Packets of the link's protocols dropped: queue full.",
	[LIQUID_STATS_A_DROP_CONTROL] = "Other control packets dropped: queue full.",
};

/* "DROP_LIMIT" as a part of a metric's name */
static const char *lower(const char *name, char text[64])
{
	size_t i;

	for (i = 0; name[i] && i < 63; i++)
		text[i] = tolower((unsigned char)name[i]);
	text[i] = '\0';
	return text;
}

/* Print a sample's name and labels, without the closing brace. */
static void put_labels(FILE *out, const char *metric, const char *suffix, const struct gate *gate,
		       const struct gate_dest *dest)
{
	char name[IF_NAMESIZE], address[ADDR_KEY_TEXT];

	fprintf(out, "%s%s{dev=\"", metric, suffix);
	put_label(out, device_name(gate->ifindex, name));
	if (dest) {
		fprintf(out, "\",destination=\"%u\",address=\"", dest->id);
		if (dest->key_count)
			put_label(out, addr_key_format(&dest->key[0], address));
		if (dest->name) {
			fputs("\",name=\"", out);
			put_label(out, dest->name);
		}
	}
}

static void put_value(FILE *out, const char *metric, const struct gate *gate,
		      const struct gate_dest *dest, uint64_t value)
{
	put_labels(out, metric, "", gate, dest);
	fprintf(out, "\"} %" PRIu64 "\n", value);
}

/* Print a counter of a gate or of a destination; HELP and TYPE come before its first value. */
static void put_count(FILE *out, unsigned int attr, const struct gate *gate,
		      const struct gate_dest *dest, bool *begun)
{
	const struct gate_stats *stats = dest ? &dest->stats : &gate->stats;
	char metric[96], text[64], plain[96];

	if (!stats_table.row[attr].name || !(stats->present >> attr & 1))
		return;
	lower(stats_table.row[attr].name, text);
	snprintf(metric, sizeof(metric), "liquid_%s%s_total", dest ? "destination_" : "", text);
	if (!*begun) {
		snprintf(plain, sizeof(plain), "Counter %s of %s.", text,
			 dest ? "a destination" : "the gate");
		put_head(out, metric, "counter", help[attr] ? help[attr] : plain);
	}
	*begun = true;
	put_value(out, metric, gate, dest, stats->counter[attr]);
}

static void put_counter(FILE *out, const struct stats_sample *sample, unsigned int attr)
{
	bool begun = false;

	for (size_t i = 0; i < sample->gates.count; i++)
		put_count(out, attr, &sample->gates.gate[i], NULL, &begun);
}

static void put_dest_counter(FILE *out, const struct stats_sample *sample, unsigned int attr)
{
	bool begun = false;

	for (size_t i = 0; i < sample->dests.count; i++)
		put_count(out, attr, &sample->gates.gate[0], &sample->dests.dest[i], &begun);
}

/* ---- gauges of gates ---- */

/* A value of a gate or of the schedule in force; false: there is none. */
struct gauge {
	const char *metric, *help;
	bool (*value)(const struct gate *gate, uint64_t *value);
	bool is_time;			/* the value is in ns, and the metric in seconds */
};

#define GAUGE_OF(name, present, expression) \
	static bool name##_of(const struct gate *gate, uint64_t *value) \
	{ \
		*value = (uint64_t)(expression); \
		return present; \
	}
#define IN_STATE(attr) (gate->state.present >> LIQUID_STATE_A_##attr & 1)

GAUGE_OF(mode, true, gate->state.mode)
GAUGE_OF(queue_packets, true, gate->state.qlen)
GAUGE_OF(queue_bytes, true, gate->state.backlog)
GAUGE_OF(tai_offset, true, (uint32_t)gate->state.tai_offset)
GAUGE_OF(rate, gate->options.rate_bps || gate->state.link_rate_bps,
	 (gate->options.rate_bps ? gate->options.rate_bps : gate->state.link_rate_bps) / 8)
GAUGE_OF(destinations, true, gate->state.dests)
GAUGE_OF(lease, IN_STATE(LEASE_NS), gate->state.lease_ns)
GAUGE_OF(lease_left, IN_STATE(LEASE_LEFT_NS), gate->state.lease_left_ns)
GAUGE_OF(frame, gate->oper.present, gate->oper.frame_ns)
GAUGE_OF(guard, gate->oper.present, gate->oper.guard_ns)
GAUGE_OF(cycle, gate->oper.present, gate->oper.frame_ns * gate->oper.frames)
GAUGE_OF(base_time, gate->oper.present, gate->oper.base_time)

static const struct gauge gauges[] = {
	{ "liquid_mode", "0: open, 1: gated, 2: hold.", mode_of, false },
	{ "liquid_queue_packets", "Packets that wait in all queues.", queue_packets_of, false },
	{ "liquid_queue_bytes", "Bytes that wait in all queues.", queue_bytes_of, false },
	{ "liquid_tai_offset_seconds", "TAI - UTC of the kernel; 0: not set.", tai_offset_of,
	  false },
	{ "liquid_destinations", "Destinations that the gate knows.", destinations_of, false },
	{ "liquid_rate_bytes_per_second", "Rate of the gate, or else of the link.", rate_of,
	  false },
	{ "liquid_lease_seconds", "Length of the lease of the schedule in force.", lease_of, true },
	{ "liquid_lease_left_seconds", "Time until the gate opens unless the lease is renewed.",
	  lease_left_of, true },
	{ "liquid_frame_seconds", "Length of a frame of the schedule in force.", frame_of, true },
	{ "liquid_guard_seconds", "End of a frame in which nothing starts.", guard_of, true },
	{ "liquid_cycle_seconds", "Length of all frames of the schedule in force.", cycle_of,
	  true },
	{ "liquid_base_time_seconds", "CLOCK_TAI when the schedule in force began.", base_time_of,
	  true },
};

static void put_gauge(FILE *out, const struct gauge *gauge, const struct gate_list *gates)
{
	bool begun = false;
	uint64_t value;

	for (size_t i = 0; i < gates->count; i++) {
		if (!gauge->value(&gates->gate[i], &value))
			continue;
		if (!begun)
			put_head(out, gauge->metric, "gauge", gauge->help);
		begun = true;
		if (!gauge->is_time) {
			put_value(out, gauge->metric, &gates->gate[i], NULL, value);
			continue;
		}
		put_labels(out, gauge->metric, "", &gates->gate[i], NULL);
		fputs("\"} ", out);
		put_seconds(out, value);
	}
}

/* Known without a gate: the software, and the clock */
static void put_node(FILE *out, const struct stats_node *node)
{
	if (!node->version)
		return;
	put_head(out, "liquid_up", "gauge", "0: the module is not loaded.");
	fprintf(out, "liquid_up %d\n", !node->down);
	put_head(out, "liquid_info", "gauge", "1; versions of liquid-nl and of the module.");
	fprintf(out, "liquid_info{version=\"%s\",module=\"", node->version);
	put_label(out, node->module);
	fprintf(out, "\"} 1\n");
	if (!node->clock_known)
		return;
	put_head(out, "liquid_clock_error_seconds", "gauge",
		 "Error of the clock, by a locked time daemon or else by the kernel.");
	fprintf(out, "liquid_clock_error_seconds ");
	put_seconds(out, node->clock_error_ns);
	put_head(out, "liquid_clock_findings", "gauge",
		 "Faults of the clock; see liquid-nl clock.");
	fprintf(out, "liquid_clock_findings %u\n", node->clock_findings);
}

/* A digest is a separate label, so that nodes can be compared by it. */
static void put_schedule_label(FILE *out, const char *label)
{
	const char *digest = label_digest(label);
	char text[LIQUID_LABEL_MAX + 1] = "";

	if (digest && digest > label)
		memcpy(text, label, (size_t)(digest - label) - 1);
	put_label(out, digest ? text : label);
	if (digest)
		fprintf(out, "\",digest=\"%s", digest + strlen(LABEL_DIGEST));
}

static void put_schedule(FILE *out, const struct gate *gate, const char *which,
			 const struct gate_sched *sched, bool *begun)
{
	if (!sched->label[0])
		return;
	if (!*begun)
		put_head(out, "liquid_schedule_info", "gauge", "1: the purpose of the schedule.");
	*begun = true;
	put_labels(out, "liquid_schedule_info", "", gate, NULL);
	fprintf(out, "\",which=\"%s\",label=\"", which);
	put_schedule_label(out, sched->label);
	fputs("\"} 1\n", out);
}

static void put_schedules(FILE *out, const struct gate_list *gates)
{
	bool begun = false;

	for (size_t i = 0; i < gates->count; i++) {
		put_schedule(out, &gates->gate[i], "oper", &gates->gate[i].oper, &begun);
		put_schedule(out, &gates->gate[i], "admin", &gates->gate[i].admin, &begun);
	}
}

static void put_dest_gauges(FILE *out, const struct stats_sample *sample)
{
	if (!sample->dests.count || !sample->gates.count)
		return;
	put_head(out, "liquid_destination_queue_packets", "gauge", "Packets that wait.");
	for (size_t i = 0; i < sample->dests.count; i++)
		put_value(out, "liquid_destination_queue_packets", &sample->gates.gate[0],
			  &sample->dests.dest[i], sample->dests.dest[i].qlen);
	put_head(out, "liquid_destination_queue_bytes", "gauge", "Bytes that wait.");
	for (size_t i = 0; i < sample->dests.count; i++)
		put_value(out, "liquid_destination_queue_bytes", &sample->gates.gate[0],
			  &sample->dests.dest[i], sample->dests.dest[i].backlog);
}

/* A family of histograms */
struct hist_family {
	const char *metric, *dest_metric, *help;
	size_t offset;			/* offset in struct gate_times, bytes */
	enum times_scale scale;
	bool passed;			/* packets that were in no queue count as 0 s */
};

/* Bounds and sum in seconds, to the last digit */
static void put_hist(FILE *out, const char *metric, const struct gate *gate,
		     const struct gate_dest *dest, const struct gate_hist *hist, uint64_t zeros,
		     enum times_scale scale)
{
	uint64_t count = zeros;

	for (unsigned int i = 0; i < LIQUID_HIST_BUCKETS; i++) {
		count += hist->bucket[i];
		put_labels(out, metric, "_bucket", gate, dest);
		if (i < LIQUID_HIST_BUCKETS - 1)
			fprintf(out, "\",le=\"%.10g\"} %" PRIu64 "\n",
				times_bound_ns(scale, i) / 1e9, count);
		else
			fprintf(out, "\",le=\"+Inf\"} %" PRIu64 "\n", count);
	}
	put_labels(out, metric, "_sum", gate, dest);
	fputs("\"} ", out);
	put_seconds(out, hist->sum_ns);
	put_labels(out, metric, "_count", gate, dest);
	fprintf(out, "\"} %" PRIu64 "\n", count);
}

static void put_family(FILE *out, const struct hist_family *family, const struct gate *gate,
		       const struct gate_dest *dest)
{
	const struct gate_stats *stats = dest ? &dest->stats : &gate->stats;
	const void *times = dest ? &dest->times : &gate->times;
	const struct gate_hist *hist = (const void *)((const char *)times + family->offset);
	uint64_t packets = stats->counter[LIQUID_STATS_A_PACKETS];

	put_hist(out, dest ? family->dest_metric : family->metric, gate, dest, hist,
		 family->passed ? times_passed(hist, packets) : 0, family->scale);
}

static void put_times(FILE *out, const struct hist_family *family,
		      const struct stats_sample *sample)
{
	bool begun = false;

	for (size_t i = 0; i < sample->gates.count; i++) {
		if (!sample->gates.gate[i].times.present)
			continue;
		if (!begun)
			put_head(out, family->metric, "histogram", family->help);
		begun = true;
		put_family(out, family, &sample->gates.gate[i], NULL);
	}
}

/* A destination without a late packet has no histogram, only the counter. */
static bool has_times(const struct hist_family *family, const struct gate_dest *dest)
{
	return family->passed || dest->stats.counter[LIQUID_STATS_A_LATE];
}

static void put_dest_times(FILE *out, const struct hist_family *family,
			   const struct stats_sample *sample)
{
	bool begun = false;

	if (!family->dest_metric || !sample->gates.count || !sample->gates.gate[0].times.present)
		return;
	for (size_t i = 0; i < sample->dests.count; i++) {
		if (!has_times(family, &sample->dests.dest[i]))
			continue;
		if (!begun)
			put_head(out, family->dest_metric, "histogram", family->help);
		begun = true;
		put_family(out, family, &sample->gates.gate[0], &sample->dests.dest[i]);
	}
}

static const struct hist_family families[] = {
	{ "liquid_wait_seconds", "liquid_destination_wait_seconds",
	  "How long released packets had waited in a queue.",
	  offsetof(struct gate_times, wait), TIMES_COARSE, true },
	{ "liquid_late_seconds", "liquid_destination_late_seconds",
	  "How long after the end of their frame packets left, of late packets.",
	  offsetof(struct gate_times, late), TIMES_COARSE, false },
	{ "liquid_frame_lag_seconds", NULL,
	  "From the opening of a frame to the first release of what waited for it.",
	  offsetof(struct gate_times, lag), TIMES_COARSE, false },
	{ "liquid_release_lag_seconds", NULL,
	  "From the dequeue of a run of packets to when the driver had all of it.",
	  offsetof(struct gate_times, xmit), TIMES_FINE, false },
	{ "liquid_frame_overrun_seconds", NULL,
	  "Wire time of bytes not reported as sent when the next frame began.",
	  offsetof(struct gate_times, overrun), TIMES_FINE, false },
};

void stats_print_prometheus(FILE *out, const struct stats_sample *sample)
{
	put_node(out, &sample->node);
	for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++)
		put_gauge(out, &gauges[i], &sample->gates);
	put_schedules(out, &sample->gates);
	for (unsigned int attr = 1; attr <= stats_table.max; attr++)
		put_counter(out, sample, attr);
	put_dest_gauges(out, sample);
	for (unsigned int attr = 1; attr <= stats_table.max && sample->gates.count; attr++)
		put_dest_counter(out, sample, attr);
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		put_times(out, &families[i], sample);
		put_dest_times(out, &families[i], sample);
	}
}
