// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of a trial as text
 *
 * They may come from anywhere, so values that are missing, or of another type, count as 0, and
 * texts are printed escaped.
 */
#include <string.h>

#include "util/command.h"
#include "trial/trial.h"
#include "util/open.h"
#include "util/say.h"
#include "util/units.h"

static double number(const json_t *json, const char *name)
{
	return json_number_value(json_object_get(json, name));
}

static bool is_true(const json_t *json, const char *name)
{
	return json_is_true(json_object_get(json, name));
}

static const char *text(const json_t *json, const char *name)
{
	const char *found = json_string_value(json_object_get(json, name));

	return found ? found : "";
}

/* The measurement of a node; NULL: it has none */
static const json_t *measurement(const json_t *node, bool udp, bool gated)
{
	const json_t *run;
	size_t i;

	json_array_foreach(json_object_get(node, "measurements"), i, run)
		if (is_true(run, "udp") == udp && is_true(run, "gated") == gated)
			return run;
	return NULL;
}

/* ---- what all nodes together have sent ---- */

struct sums {
	double bits;			/* received in a second, on all nodes */
	double all, lost;		/* bytes, or segments of TCP */
	double busy, softirq;		/* processors */
	double least;			/* bits a second of the slowest node */
	bool wrong;
};

static struct sums add_up(const json_t *nodes, bool udp, bool gated)
{
	struct sums sums = { 0 };
	const json_t *node;
	size_t i;

	json_array_foreach(nodes, i, node) {
		const json_t *run = measurement(node, udp, gated);
		double ns = number(run, "ns"), received = number(run, "received");
		double bits = ns > 0 ? received * 8e9 / ns : 0;

		sums.least = sums.bits > 0 && sums.least < bits ? sums.least : bits;
		sums.bits += bits;
		sums.all += number(run, udp ? "sent" : "segments");
		sums.lost += udp ? number(run, "sent") - received : number(run, "sent_again");
		sums.busy += ns > 0 ? number(run, "busy_ms") * 1e6 / ns : 0;
		sums.softirq += ns > 0 ? number(run, "softirq_ms") * 1e6 / ns : 0;
		sums.wrong |= json_is_string(json_object_get(run, "error"));
	}
	return sums;
}

/* Bytes on the wire for a byte that is received */
static double wire_factor(const json_t *first, bool udp)
{
	double mtu = number(first, "mtu");
	double headers = (is_true(first, "ipv6") ? 40 : 20) + (udp ? 8 : 32);

	return mtu > headers ? (mtu + 38) / (mtu - headers) : 1;
}

static void print_row(FILE *out, const json_t *nodes, bool udp, bool gated)
{
	const json_t *first = json_array_get(nodes, 0);
	double count = (double)json_array_size(nodes), links = number(first, "rate_bps") * count;
	struct sums sums = add_up(nodes, udp, gated), before = add_up(nodes, udp, false);
	char gain[32] = "";

	if (sums.bits <= 0)
		return;
	if (gated && before.bits > 0)
		snprintf(gain, sizeof(gain), "%.2f", sums.bits / before.bits);
	fprintf(out, "%s %-14s %6.1f %% %10.4f %10.4f %6s %8.3f %% %6.2f %7.2f%s\n",
		udp ? "udp" : "tcp", gated ? "with a gate" : "without a gate",
		links > 0 ? 100 * sums.bits * wire_factor(first, udp) / links : 0,
		sums.bits / 1e9 / count, sums.least / 1e9, gain,
		sums.all > 0 && sums.lost > 0 ? 100 * sums.lost / sums.all : 0, sums.busy / count,
		sums.softirq / count, sums.wrong ? "  (an error of a node)" : "");
}

/* ---- gates ---- */

static double drops(const json_t *stats)
{
	json_t *value;
	const char *name;
	double sum = 0;

	json_object_foreach((json_t *)stats, name, value)
		if (!strncmp(name, "drop_", 5))
			sum += json_number_value(value);
	return sum;
}

static uint64_t whole(const json_t *json, const char *name)
{
	double value = number(json, name);

	return value > 0 && value < 1e18 ? (uint64_t)value : 0;
}

static void print_gate(FILE *out, const json_t *node, bool udp)
{
	const json_t *gate = json_object_get(measurement(node, udp, true), "gate");
	const json_t *stats = json_object_get(gate, "stats");
	const json_t *in_flight = json_object_get(gate, "in_flight");
	bool measured = number(in_flight, "count") > 0;
	char lag[UNIT_TEXT], flight[UNIT_TEXT];

	if (!json_is_object(gate))
		return;
	fprintf(out, "%s, node%.0f: %.0f packets, %.0f late, %.0f dropped; of %.0f frames %.0f "
		"missed; 1 in 1000 release lags over %s, in flight after a frame %s%s\n",
		udp ? "udp" : "tcp", number(node, "node"), number(stats, "packets"),
		number(stats, "late"), drops(stats), number(stats, "frames_used"),
		number(stats, "frames_missed"),
		format_time(whole(json_object_get(gate, "release_lag"), "above_ns"), lag),
		measured ? "over " : "not measured",
		measured ? format_time(whole(in_flight, "above_ns"), flight) : "");
}

static void print_left_out(FILE *out, const json_t *node)
{
	const json_t *part;
	size_t i;

	json_array_foreach(json_object_get(node, "left_out"), i, part) {
		fputs("left out: ", out);
		put_escaped(out, text(part, "part"));
		fprintf(out, ": node%.0f: ", number(node, "node"));
		put_escaped(out, text(part, "why"));
		fputc('\n', out);
	}
}

/* ---- the whole ---- */

static void print_head(FILE *out, const json_t *first)
{
	uint64_t guard_ns = whole(first, "guard_ns"), frame_ns = whole(first, "frame_ns");
	char rate[UNIT_TEXT], error[UNIT_TEXT], guard[UNIT_TEXT], frame[UNIT_TEXT];

	fprintf(out, "liquid trial: %.0f nodes, %s a link, MTU %.0f, %.0f s a measurement%s\n",
		number(first, "nodes"), format_rate(whole(first, "rate_bps"), rate),
		number(first, "mtu"), number(first, "seconds"),
		is_true(first, "finished") ? "" : "; not finished");
	if (frame_ns > guard_ns)
		fprintf(out, "clocks: off by %s at most; frames of %s with a guard of %s: a gate "
			"lets a node use %.1f %% of its link\n",
			format_time(whole(first, "clock_error_ns"), error),
			format_time(frame_ns, frame), format_time(guard_ns, guard),
			100.0 - 100.0 * (double)guard_ns / (double)frame_ns);
	fprintf(out, "\n%-18s %8s %21s %6s %10s %14s\n%-18s %8s %10s %10s %6s %10s %6s %7s\n", "",
		"of the", "a node gets, Gbit/s", "", "lost or", "processors", "all to all",
		"links", "mean", "slowest", "gain", "sent again", "busy", "softirq");
}

/* Which nodes have a record, as bits; 0: these are not the records of one trial. */
static unsigned int seen_in(const json_t *nodes)
{
	double count = number(json_array_get(nodes, 0), "nodes");
	unsigned int seen = 0;
	const json_t *node;
	size_t i;

	json_array_foreach(nodes, i, node) {
		double self = number(node, "node");

		if (strcmp(text(node, "format"), "liquid-trial") || number(node, "version") != 2 ||
		    number(node, "nodes") != count || count > TRIAL_NODES_MAX || self < 0 ||
		    self >= count || seen & 1U << (unsigned int)self)
			return 0;
		seen |= 1U << (unsigned int)self;
	}
	return seen;
}

bool trial_summary(FILE *out, const json_t *nodes)
{
	unsigned int seen = seen_in(nodes);
	const json_t *node;
	size_t i;

	if (!seen)
		return false;
	print_head(out, json_array_get(nodes, 0));
	for (i = 0; i < 4; i++)
		print_row(out, nodes, i % 2, i / 2);
	for (i = 0; i < 2 * json_array_size(nodes); i++)
		print_gate(out, json_array_get(nodes, i / 2), i % 2);
	json_array_foreach(nodes, i, node)
		print_left_out(out, node);
	for (i = 0; i < number(json_array_get(nodes, 0), "nodes"); i++)
		if (!(seen & 1U << i))
			fprintf(out, "no record of node%zu\n", i);
	return true;
}

/* A file may have the lines of several nodes. */
static int read_records(const char *path, json_t *nodes)
{
	json_error_t error;
	json_t *record;
	FILE *in;
	int code = open_input(path, &in);

	if (code)
		return code;
	while ((record = json_loadf(in, JSON_DISABLE_EOF_CHECK, &error)))
		json_array_append_new(nodes, record);
	if (json_error_code(&error) != json_error_premature_end_of_input)
		code = complain(EXIT_BAD_INPUT, "%s:%d: %s", input_label(path), error.line,
				error.text);
	close_input(in);
	return code;
}

int trial_show(const struct opt_list *files)
{
	json_t *nodes = json_array();
	int code = EXIT_OK;

	for (size_t i = 0; i < files->count && !code; i++)
		code = read_records(files->text[i], nodes);
	if (!code && !trial_summary(stdout, nodes))
		code = complain(EXIT_BAD_INPUT, "%s: not the records of one trial, each once",
				input_label(files->text[0]));
	json_decref(nodes);
	return code;
}
