// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of a trial, from its files
 *
 * The files may come from anywhere, so nothing is taken for granted: what is missing, or of another
 * type, counts as 0, and texts are printed escaped.
 */
#include <inttypes.h>
#include <string.h>

#include "trial/trial.h"
#include "util/say.h"
#include "util/units.h"

#define BUCKETS_MAX	128
#define MEASUREMENTS_MAX 16
#define HISTOGRAMS_MAX	16

static const json_t *measurement(const struct trial_report *report, unsigned int node, size_t index)
{
	return json_array_get(json_object_get(report->node[node], "measurements"), index);
}

static const json_t *within(const json_t *json, const char *first, const char *second)
{
	return json_object_get(json_object_get(json, first), second);
}

static double sum_of(const json_t *array)
{
	double sum = 0;

	for (size_t i = 0; i < json_array_size(array); i++)
		sum += json_number_value(json_array_get(array, i));
	return sum;
}

/* ---- what all nodes together have sent ---- */

struct sums {
	double bits;			/* received in a second, on all nodes */
	double sent, received;		/* bytes */
	double segments, again;		/* of TCP: sent, and sent again */
	double busy, softirq;		/* processors, mean of the nodes */
	double instructions;		/* for each byte received; 0: not counted */
	double least, most;		/* of all parts of the time, share of the mean */
	bool wrong;
};

static double busy_of(const json_t *load)
{
	static const char *const names[] = { "user", "nice", "system", "irq", "softirq" };
	double sum = 0;

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		sum += json_number_value(within(load, "processor_ms", names[i]));
	return sum;
}

static void add_parts(struct sums *sums, const json_t *parts)
{
	double mean = sum_of(parts) / (double)(json_array_size(parts) + !json_array_size(parts));

	for (size_t i = 0; i < json_array_size(parts) && mean > 0; i++) {
		double share = json_number_value(json_array_get(parts, i)) / mean;

		if (sums->least < 0 || share < sums->least)
			sums->least = share;
		if (share > sums->most)
			sums->most = share;
	}
}

static void add_node(struct sums *sums, const json_t *run, unsigned int count)
{
	const json_t *load = json_object_get(run, "load");
	double ns = json_number_value(json_object_get(run, "ns"));
	double received = sum_of(json_object_get(run, "received"));

	if (ns <= 0)
		return;
	sums->bits += received * 8e9 / ns;
	sums->received += received;
	sums->sent += sum_of(json_object_get(run, "sent"));
	sums->segments += json_number_value(within(load, "network", "tcp_OutSegs"));
	sums->again += json_number_value(within(load, "network", "tcp_RetransSegs"));
	sums->busy += busy_of(load) * 1e6 / ns / count;
	sums->softirq += json_number_value(within(load, "processor_ms", "softirq")) * 1e6 / ns /
			 count;
	sums->instructions += json_number_value(json_object_get(load, "instructions"));
	sums->wrong |= json_is_string(json_object_get(run, "wrong"));
	add_parts(sums, json_object_get(run, "parts"));
}

static void add_up(struct sums *sums, const struct trial_report *report, size_t index)
{
	*sums = (struct sums){ .least = -1 };
	for (unsigned int i = 0; i < report->count; i++)
		add_node(sums, measurement(report, i, index), report->count);
}

/* Bytes on the wire for a byte that is received */
static double wire_factor(const json_t *trial, bool tcp)
{
	double mtu = json_number_value(json_object_get(trial, "mtu"));
	double headers = (json_is_true(json_object_get(trial, "ipv6")) ? 40 : 20) + (tcp ? 32 : 8);

	return mtu > headers ? (mtu + 38) / (mtu - headers) : 1;
}

static const char *lost_text(const struct sums *sums, bool tcp, char text[32])
{
	double lost = tcp ? sums->again : sums->sent - sums->received;
	double all = tcp ? sums->segments : sums->sent;

	if (all > 0)
		snprintf(text, 32, "%.3f %%", lost > 0 ? 100 * lost / all : 0);
	else
		snprintf(text, 32, "-");
	return text;
}

static void print_row(FILE *out, const struct trial_report *report, size_t index)
{
	const json_t *run = measurement(report, 0, index);
	bool tcp = !strcmp(trial_text(run, "transport"), "tcp");
	double links = json_number_value(json_object_get(report->trial, "rate_bps")) *
		       report->count;
	char name[32], lost[32], cost[32];
	struct sums sums;

	add_up(&sums, report, index);
	snprintf(name, sizeof(name), "%s with%s a gate", tcp ? "tcp" : "udp",
		 json_is_true(json_object_get(run, "gated")) ? "" : "out");
	snprintf(cost, sizeof(cost), "-");
	if (sums.instructions > 0 && sums.received > 0)
		snprintf(cost, sizeof(cost), "%.2f", sums.instructions / sums.received);
	fprintf(out, "%-20s %7.1f %% %9.4f Gbit/s %10s %7.2f %7.2f %7s %5.2f to %.2f%s\n", name,
		links > 0 ? 100 * sums.bits * wire_factor(report->trial, tcp) / links : 0,
		sums.bits / 1e9 / report->count, lost_text(&sums, tcp, lost), sums.busy,
		sums.softirq, cost, sums.least > 0 ? sums.least : 0, sums.most,
		sums.wrong ? "  (a node reports an error)" : "");
}

/* ---- what the gates say ---- */

struct histogram {
	char name[32];
	double bucket[BUCKETS_MAX];
	const json_t *bounds;
};

static void add_buckets(struct histogram *histogram, const json_t *before, const json_t *after)
{
	for (size_t i = 0; i < json_array_size(after) && i < BUCKETS_MAX; i++) {
		double more = json_number_value(json_array_get(after, i)) -
			      json_number_value(json_array_get(before, i));

		histogram->bucket[i] += more > 0 ? more : 0;
	}
}

static struct histogram *find_histogram(struct histogram list[HISTOGRAMS_MAX], const char *name)
{
	for (unsigned int i = 0; i < HISTOGRAMS_MAX; i++) {
		if (!list[i].name[0])
			snprintf(list[i].name, sizeof(list[i].name), "%s", name);
		if (!strncmp(list[i].name, name, sizeof(list[i].name) - 1))
			return &list[i];
	}
	return NULL;
}

/* Of the buckets of a histogram: its own, or those for all of its kind */
static const json_t *bounds_of(const json_t *times, const char *name)
{
	const json_t *own = within(times, name, "bounds_ns");
	const json_t *fine = json_object_get(times, "fine_bounds_ns");

	if (own)
		return own;
	return fine && (!strcmp(name, "xmit") || !strcmp(name, "overrun")) ? fine :
	       json_object_get(times, "bounds_ns");
}

/* All that the module has: each object with buckets is one. */
static void add_histograms(struct histogram list[HISTOGRAMS_MAX], const json_t *before,
			   const json_t *after)
{
	json_t *value, *times = json_object_get(after, "times");
	const char *name;

	json_object_foreach(times, name, value) {
		const json_t *buckets = json_object_get(value, "buckets");
		struct histogram *histogram;

		if (!json_is_array(buckets))
			continue;
		histogram = find_histogram(list, name);
		if (!histogram)
			return;
		histogram->bounds = bounds_of(times, name);
		add_buckets(histogram,
			    json_object_get(within(before, "times", name), "buckets"), buckets);
	}
}

static double count_of(const struct histogram *histogram)
{
	double count = 0;

	for (unsigned int i = 0; i < BUCKETS_MAX; i++)
		count += histogram->bucket[i];
	return count;
}

static const char *quantile(const struct histogram *histogram, double share, char text[UNIT_TEXT])
{
	double below = 0, wanted = share * count_of(histogram);
	size_t last = json_array_size(histogram->bounds), i = 0;
	char bound[UNIT_TEXT];
	json_int_t ns;

	while (i < BUCKETS_MAX - 1 && (below += histogram->bucket[i]) < wanted)
		i++;
	ns = json_integer_value(json_array_get(histogram->bounds, i < last ? i : last - !!last));
	snprintf(text, UNIT_TEXT, "%s%.24s", i < last ? "" : ">",
		 format_time(ns > 0 ? (uint64_t)ns : 0, bound));
	return text;
}

static void print_histograms(FILE *out, const struct histogram list[HISTOGRAMS_MAX])
{
	char half[UNIT_TEXT], most[UNIT_TEXT], nearly[UNIT_TEXT], all[UNIT_TEXT];

	for (unsigned int i = 0; i < HISTOGRAMS_MAX && list[i].name[0]; i++) {
		if (count_of(&list[i]) <= 0)
			continue;
		fputs("  ", out);
		put_escaped(out, list[i].name);
		fprintf(out, ": 50, 99, 99.9, 100 %% of %.0f below %s, %s, %s, %s\n",
			count_of(&list[i]), quantile(&list[i], 0.5, half),
			quantile(&list[i], 0.99, most), quantile(&list[i], 0.999, nearly),
			quantile(&list[i], 1, all));
	}
}

static double growth(const json_t *gate, const char *name)
{
	return json_number_value(json_object_get(within(gate, "after", "stats"), name)) -
	       json_number_value(json_object_get(within(gate, "before", "stats"), name));
}

static double drops(const json_t *gate)
{
	json_t *stats = json_object_get(json_object_get(gate, "after"), "stats"), *value;
	const char *name;
	double sum = 0;

	json_object_foreach(stats, name, value)
		if (!strncmp(name, "drop_", 5))
			sum += growth(gate, name);
	return sum;
}

static void print_counters(FILE *out, const struct trial_report *report, size_t index)
{
	double packets = 0, late = 0, used = 0, missed = 0, dropped = 0, requeues = 0;

	for (unsigned int i = 0; i < report->count; i++) {
		const json_t *gate = json_object_get(measurement(report, i, index), "gate");

		packets += growth(gate, "packets");
		late += growth(gate, "late");
		used += growth(gate, "frames_used");
		missed += growth(gate, "frames_missed");
		requeues += growth(gate, "requeues");
		dropped += drops(gate);
	}
	fprintf(out, "  packets %.0f, late %.0f, dropped %.0f, requeued %.0f; frames used %.0f, "
		"missed %.0f\n", packets, late, dropped, requeues, used, missed);
}

static void print_stamps(FILE *out, const struct trial_report *report, size_t index)
{
	double stamped = 0, inside = 0, in_guard = 0, outside = 0, worst = 0;
	const char *kind = "";
	char text[UNIT_TEXT];

	for (unsigned int i = 0; i < report->count; i++) {
		const json_t *stamps = json_object_get(measurement(report, i, index), "stamps");
		double node_worst = json_number_value(json_object_get(stamps, "worst_ns"));

		if (json_is_object(stamps))
			kind = trial_text(stamps, "kind");
		stamped += json_number_value(json_object_get(stamps, "stamped"));
		inside += json_number_value(json_object_get(stamps, "inside"));
		in_guard += json_number_value(json_object_get(stamps, "in_guard"));
		outside += json_number_value(json_object_get(stamps, "outside"));
		worst = node_worst > worst ? node_worst : worst;
	}
	if (stamped <= 0)
		return;
	fprintf(out, "  %s stamps: of %.0f packets %.0f left in their frame, %.0f in its guard, "
		"%.0f outside, at most %s after it\n",
		!strcmp(kind, "hardware") ? "hardware" : "software", stamped, inside, in_guard,
		outside, format_time(worst > 0 && worst < 1e18 ? (uint64_t)worst : 0, text));
}

static void print_locks(FILE *out, const struct trial_report *report, size_t index)
{
	double contentions = 0;
	bool known = false;

	for (unsigned int i = 0; i < report->count; i++) {
		const json_t *locks = within(measurement(report, i, index), "load", "locks");

		known |= json_is_array(locks);
		for (size_t k = 0; k < json_array_size(locks); k++)
			contentions += json_number_value(json_object_get(json_array_get(locks, k),
									 "contentions"));
	}
	if (known)
		fprintf(out, "  locks of sending: %.0f contentions\n", contentions);
}

static void print_gate(FILE *out, const struct trial_report *report, size_t index)
{
	struct histogram list[HISTOGRAMS_MAX] = { 0 };
	const json_t *run = measurement(report, 0, index);

	if (!json_is_true(json_object_get(run, "gated")))
		return;
	fprintf(out, "%s with a gate\n",
		!strcmp(trial_text(run, "transport"), "tcp") ? "tcp" : "udp");
	for (unsigned int i = 0; i < report->count; i++) {
		const json_t *gate = json_object_get(measurement(report, i, index), "gate");

		add_histograms(list, json_object_get(gate, "before"),
			       json_object_get(gate, "after"));
	}
	print_counters(out, report, index);
	print_histograms(out, list);
	print_stamps(out, report, index);
	print_locks(out, report, index);
}

/* ---- the whole ---- */

static uint64_t number(const json_t *json, const char *name)
{
	int64_t value = trial_integer(json, name, 0);

	return value > 0 ? (uint64_t)value : 0;
}

static void print_text(FILE *out, const json_t *json, const char *name)
{
	put_escaped(out, trial_text(json, name));
}

static void print_head(FILE *out, const struct trial_report *report)
{
	const json_t *trial = report->trial, *facts = json_object_get(report->node[0], "facts");
	char rate[UNIT_TEXT], error[UNIT_TEXT], guard[UNIT_TEXT], frame[UNIT_TEXT];
	uint64_t guard_ns = number(trial, "guard_ns"), frame_ns = number(trial, "frame_ns");

	fprintf(out, "liquid trial: %u nodes, %s a link, MTU %" PRIu64 ", %" PRIu64
		" s a measurement%s\n", report->count,
		format_rate(number(trial, "rate_bps"), rate), number(trial, "mtu"),
		number(trial, "seconds"),
		json_is_true(json_object_get(trial, "finished")) ? "" : "; not finished");
	fputs("node0: driver ", out);
	print_text(out, json_object_get(facts, "device"), "driver");
	fputs(", kernel ", out);
	print_text(out, json_object_get(facts, "kernel"), "release");
	fputs(", liquid-nl ", out);
	print_text(out, trial, "tool");
	fprintf(out, "\nclocks: off by %s at most; frames of %s, %" PRIu64
		" a cycle, with a guard of %s: a gate lets a node use %.1f %% of its link\n",
		format_time(number(trial, "clock_error_ns"), error), format_time(frame_ns, frame),
		number(trial, "frames"), format_time(guard_ns, guard),
		frame_ns > guard_ns ? 100.0 * (double)(frame_ns - guard_ns) / (double)frame_ns : 0);
}

static void print_left_out(FILE *out, const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		fputs("left out: ", out);
		print_text(out, json_array_get(list, i), "part");
		fputs(": ", out);
		print_text(out, json_array_get(list, i), "why");
		fputc('\n', out);
	}
}

void trial_summary(FILE *out, const struct trial_report *report)
{
	size_t count = json_array_size(json_object_get(report->node[0], "measurements"));

	if (count > MEASUREMENTS_MAX)
		count = MEASUREMENTS_MAX;
	print_head(out, report);
	fprintf(out, "\n%-20s %9s %16s %10s %15s %7s %s\n", "", "of the", "a node", "lost or",
		"processors", "instr.", "twentieths of the time,");
	fprintf(out, "%-20s %9s %16s %10s %7s %7s %7s %s\n", "all to all", "links", "receives",
		"sent again", "busy", "softirq", "a byte", "to the mean");
	for (size_t i = 0; i < count; i++)
		print_row(out, report, i);
	for (size_t i = 0; i < count; i++)
		print_gate(out, report, i);
	print_left_out(out, json_object_get(report->trial, "left_out"));
}
