// SPDX-License-Identifier: GPL-2.0-only
/* Counters and queues in Prometheus' text exposition format, for node_exporter's textfile collector. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "device.h"
#include "stats.h"

/* What a counter counts; one that is not named here is explained by its name. */
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

/* Backslash, quote and newline are what a label's value may not hold as they are. */
static void put_label(FILE *out, const char *value)
{
	for (; *value; value++) {
		if (*value == '\n') {
			fputs("\\n", out);
			continue;
		}
		if (*value == '\\' || *value == '"')
			fputc('\\', out);
		fputc(*value, out);
	}
}

static void put_head(FILE *out, const char *metric, const char *type, const char *text)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", metric, text, metric, type);
}

static void put_value(FILE *out, const char *metric, const struct gate *gate,
		      const struct gate_dest *dest, uint64_t value)
{
	char name[IF_NAMESIZE], address[ADDR_KEY_TEXT];

	fprintf(out, "%s{dev=\"", metric);
	put_label(out, device_name(gate->ifindex, name));
	if (dest) {
		fprintf(out, "\",destination=\"%u\",address=\"", dest->id);
		if (dest->key_count)
			put_label(out, addr_key_format(&dest->key[0], address));
	}
	fprintf(out, "\"} %" PRIu64 "\n", value);
}

/* A counter of the gate, or of a destination of it; its head stands before the first value. */
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

/* How gates stand, a gauge a member. */
static void put_gauges(FILE *out, const struct gate_list *gates)
{
	if (!gates->count)
		return;
	put_head(out, "liquid_mode", "gauge", "0: open, 1: gated, 2: hold.");
	for (size_t i = 0; i < gates->count; i++)
		put_value(out, "liquid_mode", &gates->gate[i], NULL, gates->gate[i].state.mode);
	put_head(out, "liquid_queue_packets", "gauge", "Packets that wait in all queues.");
	for (size_t i = 0; i < gates->count; i++)
		put_value(out, "liquid_queue_packets", &gates->gate[i], NULL,
			  gates->gate[i].state.qlen);
	put_head(out, "liquid_queue_bytes", "gauge", "Bytes that wait in all queues.");
	for (size_t i = 0; i < gates->count; i++)
		put_value(out, "liquid_queue_bytes", &gates->gate[i], NULL,
			  gates->gate[i].state.backlog);
	put_head(out, "liquid_tai_offset_seconds", "gauge", "TAI - UTC of the kernel; 0: not set.");
	for (size_t i = 0; i < gates->count; i++)
		put_value(out, "liquid_tai_offset_seconds", &gates->gate[i], NULL,
			  (uint32_t)gates->gate[i].state.tai_offset);
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

void stats_print_prometheus(FILE *out, const struct stats_sample *sample)
{
	put_gauges(out, &sample->gates);
	for (unsigned int attr = 1; attr <= stats_table.max; attr++)
		put_counter(out, sample, attr);
	put_dest_gauges(out, sample);
	for (unsigned int attr = 1; attr <= stats_table.max && sample->gates.count; attr++)
		put_dest_counter(out, sample, attr);
}
