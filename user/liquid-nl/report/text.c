// SPDX-License-Identifier: GPL-2.0-only
/* The report as text: a line of totals, and a row for each node, the latest first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "show/print.h"
#include "util/say.h"

/* ---- order ---- */

static int by_lateness(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	double left = real_of(x, "late_share"), right = real_of(y, "late_share");
	bool counted = json_is_true(json_object_get(x, "counted"));

	/* Unknown values come first: they need a look. */
	if (counted != json_is_true(json_object_get(y, "counted")))
		return counted ? 1 : -1;
	if (left != right)
		return left < right ? 1 : -1;
	return strcmp(text_of(x, "node"), text_of(y, "node"));
}

json_t *report_sorted(const json_t *nodes)
{
	size_t count = json_array_size(nodes);
	json_t **node = calloc(count + 1, sizeof(json_t *)), *sorted = json_array();

	for (size_t i = 0; node && i < count; i++)
		node[i] = json_array_get(nodes, i);
	if (node)
		qsort(node, count, sizeof(*node), by_lateness);
	for (size_t i = 0; node && i < count; i++)
		json_array_append(sorted, node[i]);
	free(node);
	return sorted;
}

/* ---- cells ---- */

static const char *quantile(const json_t *node, const char *name, enum times_scale scale,
			    unsigned int permille, char text[TIMES_TEXT])
{
	const json_t *hist = member_of(node, "times", name);
	struct gate_hist times = hist_of(json_object_get(hist, "buckets"));

	return times_format(scale, times_quantile(&times, 0, permille), text);
}

const char *report_cell(const json_t *node, enum report_column column, char text[TIMES_TEXT])
{
	bool counted = json_is_true(json_object_get(node, "counted"));

	strcpy(text, "-");
	if (!counted && column != REPORT_NODE)
		return text;
	switch (column) {
	case REPORT_NODE:
		return text_of(node, "node");
	case REPORT_THROUGHPUT:
		return format_rate(value_of(node, "throughput_bps"), text);
	case REPORT_SHARE:
		return !value_of(node, "schedule_bps") ? text :
		       format_share((double)value_of(node, "throughput_bps") /
				    (double)value_of(node, "schedule_bps"), text);
	case REPORT_LATE:
		return format_share(real_of(node, "late_share"), text);
	case REPORT_LATE_BY:
		return quantile(node, "late", TIMES_COARSE, 990, text);
	case REPORT_LAG:
		return quantile(node, "xmit", TIMES_FINE, 999, text);
	case REPORT_IN_FLIGHT:
		return quantile(node, "overrun", TIMES_FINE, 999, text);
	case REPORT_WAIT:
		return quantile(node, "wait", TIMES_COARSE, 500, text);
	case REPORT_CLOCK:
		return !value_is_known(node, "clock_error_ns") ? text :
		       format_time(value_of(node, "clock_error_ns"), text);
	case REPORT_MISSED:
		snprintf(text, TIMES_TEXT, "%" PRIu64, value_of(node, "frames_missed"));
		return text;
	case REPORT_DROPPED:
		snprintf(text, TIMES_TEXT, "%" PRIu64, value_of(node, "dropped"));
		return text;
	case REPORT_COLUMNS:
		break;
	}
	return text;
}

const char *const report_columns[REPORT_COLUMNS] = {
	"node", "throughput", "of schedule", "late", "late p99", "lag p99.9", "in flight p99.9",
	"wait p50", "clock", "missed", "dropped",
};

/* ---- sentences ---- */

const char *report_note(const json_t *node)
{
	if (!strcmp(text_of(node, "missing"), "first"))
		return "no first sample: no process has stayed on it (job ready --stay)";
	if (*text_of(node, "missing"))
		return "no last sample: its epilogue has not run yet, or could not write";
	if (!json_is_true(json_object_get(node, "counted")))
		return "it has no gate";
	if (json_is_true(json_object_get(node, "new_gate")))
		return "its gate was attached anew meanwhile, and its counters are lost";
	if (value_of(node, "lease_expired"))
		return "its gate opened because its lease expired";
	if (value_of(node, "clock_steps"))
		return "its clock was set";
	return NULL;
}

const char *report_state(const json_t *round)
{
	static const char *const states[][2] = {
		{ "keep", "gated" }, { "cancel", "cancelled" }, { "abort", "aborted" },
		{ "commit", "released" },
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (!strcmp(text_of(round, "verdict"), states[i][0]))
			return states[i][1];
	return "preparing";
}

const char *report_rows(const json_t *round)
{
	const json_t *node;
	size_t index;

	json_array_foreach(json_object_get(round, "nodes"), index, node)
		if (value_of(node, "rail"))
			return "gates";
	return "nodes";
}

void report_totals_text(FILE *out, const json_t *round)
{
	const json_t *totals = json_object_get(round, "totals");
	char rate[UNIT_TEXT], liquid[UNIT_TEXT], share[UNIT_TEXT], bytes[UNIT_TEXT];

	fprintf(out, "%s in %.3g s, %s", format_bytes(value_of(totals, "bytes"), bytes),
		real_of(totals, "seconds"), format_rate(value_of(totals, "throughput_bps"), rate));
	if (value_of(totals, "liquid_bps"))
		fprintf(out, ": %s of the liquid throughput, %s",
			format_share(real_of(totals, "share"), share),
			format_rate(value_of(totals, "liquid_bps"), liquid));
}

static void print_header(const json_t *round)
{
	char time[UNIT_TEXT], text[TAI_TEXT];

	put_text("round %s: %s", text_of(round, "round"), report_state(round));
	if (value_of(round, "frames"))
		put_text(", %" PRIu64 " frames of %s (%s)", value_of(round, "frames"),
			 format_time(value_of(round, "frame_ns"), time),
			 text_of(round, "certificate"));
	if (*text_of(round, "digest"))
		put_text(", schedule %.12s from %s", text_of(round, "digest"),
			 format_tai((int64_t)value_of(round, "base_ns"), text));
	if (*text_of(round, "reason"))
		put_text(": %s: %s", text_of(round, "node"), text_of(round, "reason"));
	putchar('\n');
}

static void print_totals(const json_t *round)
{
	const json_t *totals = json_object_get(round, "totals");
	char text[UNIT_TEXT];

	if (!totals)
		return;
	if (!value_of(totals, "counted")) {
		printf("  no node has both samples of its gate\n");
		return;
	}
	printf("  throughput  ");
	report_totals_text(stdout, round);
	printf("\n  late        %s of %" PRIu64 " packets",
	       format_share(real_of(totals, "late_share"), text), value_of(totals, "packets"));
	if (*text_of(totals, "latest_node"))
		put_text("; the most on %s", text_of(totals, "latest_node"));
	putchar('\n');
	if (value_is_known(totals, "clock_error_ns"))
		put_text("  clock       error of at most %s, on %s\n",
			 format_time(value_of(totals, "clock_error_ns"), text),
			 text_of(totals, "clock_node"));
	printf("  dropped     %" PRIu64 " packets\n", value_of(totals, "dropped"));
	if (value_of(totals, "counted") < value_of(totals, "nodes"))
		printf("  counted     %" PRIu64 " of %" PRIu64 " %s\n",
		       value_of(totals, "counted"), value_of(totals, "nodes"),
		       report_rows(round));
}

static void print_table(const json_t *nodes)
{
	json_t *sorted = report_sorted(nodes);
	int width[REPORT_COLUMNS];
	char text[TIMES_TEXT];
	const json_t *node;
	size_t index;

	for (int c = 0; c < REPORT_COLUMNS; c++) {
		width[c] = (int)strlen(report_columns[c]);
		json_array_foreach(sorted, index, node) {
			int length = (int)strlen(report_cell(node, c, text));

			width[c] = length > width[c] ? length : width[c];
		}
	}
	for (int c = 0; c < REPORT_COLUMNS; c++)
		printf("  %*s", c ? width[c] : -width[c], report_columns[c]);
	putchar('\n');
	json_array_foreach(sorted, index, node) {
		for (int c = 0; c < REPORT_COLUMNS; c++)
			put_text("  %*s", c ? width[c] : -width[c], report_cell(node, c, text));
		putchar('\n');
	}
	json_decref(sorted);
}

static void print_notes(const json_t *nodes)
{
	const json_t *node;
	size_t index;

	json_array_foreach((json_t *)nodes, index, node) {
		if (report_note(node))
			put_text("  %s: %s\n", text_of(node, "node"), report_note(node));
		if (json_object_get(node, "opened"))
			put_text("  %s: opened its gate while the others kept theirs: %s\n",
				 text_of(node, "node"), text_of(node, "opened"));
	}
}

static void print_mpi(const json_t *mpi)
{
	char time[UNIT_TEXT], wait[UNIT_TEXT], share[UNIT_TEXT];
	const json_t *way;
	size_t index;

	json_array_foreach((json_t *)mpi, index, way) {
		put_text("MPI by %s: %" PRIu64 " calls, %s", text_of(way, "way"),
			 value_of(way, "calls"), format_time(value_of(way, "ns"), time));
		if (real_of(way, "share") > 0)
			printf(", %s of the liquid throughput",
			       format_share(real_of(way, "share"), share));
		if (value_of(way, "waits"))
			printf(", %" PRIu64 " waits for tokens, %s", value_of(way, "waits"),
			       format_time(value_of(way, "wait_ns"), wait));
		if (value_of(way, "timeouts"))
			printf(", %" PRIu64 " tokens that did not come in time",
			       value_of(way, "timeouts"));
		putchar('\n');
	}
}

void report_print(const json_t *report)
{
	const json_t *round;
	size_t index;

	put_text("job %s: %s", text_of(report, "job"), text_of(report, "state"));
	if (*text_of(report, "was"))
		put_text(" (%s)", text_of(report, "was"));
	if (*text_of(report, "reason"))
		put_text(": %s%s%s", text_of(report, "node"), *text_of(report, "node") ? ": " : "",
			 text_of(report, "reason"));
	putchar('\n');
	json_array_foreach(json_object_get(report, "rounds"), index, round) {
		const json_t *nodes = json_object_get(round, "nodes");

		print_header(round);
		print_totals(round);
		if (value_of(json_object_get(round, "totals"), "counted"))
			print_table(nodes);
		print_notes(nodes);
	}
	print_mpi(json_object_get(report, "mpi"));
}
