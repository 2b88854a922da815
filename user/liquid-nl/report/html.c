// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report as one page: nothing from elsewhere, no script
 *
 * All text goes through html_text(), and the page forbids its reader to load or run anything, so
 * that a hostile name or reason stays text. The page is well-formed XML as well.
 */
#include <inttypes.h>
#include <string.h>

#include "report/report.h"
#include "show/print.h"
#include "util/say.h"

#define PICTURE_NODES 200		/* rows of a picture */
#define MATRIX_NODES 64			/* rows and columns of a matrix */

/* ---- the parts of a round ---- */

static void put_sentence(FILE *out, const json_t *round)
{
	char time[UNIT_TEXT], text[TAI_TEXT];

	fputs("<h2>Round ", out);
	html_text(out, text_of(round, "round"));
	fputs("</h2>\n<p>", out);
	fputs(report_state(round), out);
	if (value_of(round, "frames")) {
		fprintf(out, ", %" PRIu64 " frames of %s (", value_of(round, "frames"),
			format_time(value_of(round, "frame_ns"), time));
		html_text(out, text_of(round, "certificate"));
		fputc(')', out);
	}
	if (*text_of(round, "digest")) {
		fputs(", schedule ", out);
		html_text(out, text_of(round, "digest"));
		fprintf(out, " from %s", format_tai((int64_t)value_of(round, "base_ns"), text));
	}
	if (*text_of(round, "reason")) {
		fputs(": <span class=\"wrong\">", out);
		html_text(out, text_of(round, "node"));
		fputs(": ", out);
		html_text(out, text_of(round, "reason"));
		fputs("</span>", out);
	}
	fputs("</p>\n", out);
}

static void put_totals(FILE *out, const json_t *round)
{
	const json_t *totals = json_object_get(round, "totals");
	char text[UNIT_TEXT];

	if (!value_of(totals, "counted"))
		return;
	fputs("<p><b>", out);
	report_totals_text(out, round);
	fprintf(out, ".</b> %s of %" PRIu64 " packets were late, %" PRIu64 " were dropped; "
		"%" PRIu64 " of %" PRIu64 " %s are counted.",
		format_share(real_of(totals, "late_share"), text), value_of(totals, "packets"),
		value_of(totals, "dropped"), value_of(totals, "counted"),
		value_of(totals, "nodes"), report_rows(round));
	if (value_is_known(totals, "clock_error_ns")) {
		fprintf(out, " The clocks were off by at most %s, on ",
			format_time(value_of(totals, "clock_error_ns"), text));
		html_text(out, text_of(totals, "clock_node"));
		fputc('.', out);
	}
	fputs("</p>\n", out);
}

static void put_notes(FILE *out, const json_t *nodes)
{
	const json_t *node;
	bool any = false;
	size_t index;

	json_array_foreach((json_t *)nodes, index, node) {
		const char *note = report_note(node);
		bool opened = json_object_get(node, "opened");

		if (!note && !opened)
			continue;
		fputs(any ? "<li>" : "<ul class=\"wrong\">\n<li>", out);
		any = true;
		html_text(out, text_of(node, "node"));
		fprintf(out, ": %s%s", note ? note : "", note && opened ? "; " : "");
		if (opened) {
			fputs("it opened its gate while the others kept theirs: ", out);
			html_text(out, text_of(node, "opened"));
		}
		fputs("</li>\n", out);
	}
	if (any)
		fputs("</ul>\n", out);
}

/* At most @rows; then the latest nodes. A new reference */
static json_t *shown(const json_t *nodes, size_t rows)
{
	json_t *sorted;

	if (json_array_size(nodes) <= rows)
		return json_incref((json_t *)nodes);
	sorted = report_sorted(nodes);
	while (json_array_size(sorted) > rows)
		json_array_remove(sorted, json_array_size(sorted) - 1);
	return sorted;
}

static void put_pictures(FILE *out, const json_t *all)
{
	json_t *nodes = shown(all, PICTURE_NODES), *few = shown(all, MATRIX_NODES);
	const struct bars pictures[] = {
		{ "Throughput, and a mark for the node's share of the schedule", nodes,
		  "throughput_bps", "schedule_bps", "schedule", format_rate },
		{ "Release lag that 99.9 % of runs did not exceed, and the mark of the guard",
		  nodes, "release_lag_ns", "guard_ns", "guard", format_time },
		{ "Error of the clock", nodes, "clock_error_ns", NULL, NULL, format_time },
	};

	if (json_array_size(all) > PICTURE_NODES)
		fprintf(out, "<p>The pictures have the %d nodes with the most late packets.</p>\n",
			PICTURE_NODES);
	svg_bars(out, &pictures[0]);
	svg_times(out, nodes, "late", "How late packets were after the end of their frame",
		  TIMES_COARSE);
	svg_bars(out, &pictures[1]);
	svg_times(out, nodes, "overrun", "Bytes in flight when the next frame began",
		  TIMES_FINE);
	svg_bars(out, &pictures[2]);
	svg_waits(out, few);
	json_decref(nodes);
	json_decref(few);
}

static void put_table(FILE *out, const json_t *nodes)
{
	json_t *sorted = report_sorted(nodes);
	char text[TIMES_TEXT];
	const json_t *node;
	size_t index;

	fputs("<table><thead><tr>", out);
	for (int c = 0; c < REPORT_COLUMNS; c++)
		fprintf(out, "<th>%s</th>", report_columns[c]);
	fputs("</tr></thead><tbody>\n", out);
	json_array_foreach(sorted, index, node) {
		fputs("<tr>", out);
		for (int c = 0; c < REPORT_COLUMNS; c++) {
			fputs("<td>", out);
			html_text(out, report_cell(node, c, text));
			fputs("</td>", out);
		}
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table>\n", out);
	json_decref(sorted);
}

static void put_round(FILE *out, const json_t *round)
{
	const json_t *nodes = json_object_get(round, "nodes");

	put_sentence(out, round);
	put_totals(out, round);
	if (!json_array_size(nodes))
		return;
	put_notes(out, nodes);
	if (!value_of(json_object_get(round, "totals"), "counted"))
		return;
	put_table(out, nodes);
	put_pictures(out, nodes);
}

/* ---- MPI ---- */

static void put_way(FILE *out, const json_t *way)
{
	char time[UNIT_TEXT], before[UNIT_TEXT], wait[UNIT_TEXT], share[UNIT_TEXT] = "-";

	if (real_of(way, "share") > 0)
		format_share(real_of(way, "share"), share);
	fputs("<tr><td>", out);
	html_text(out, text_of(way, "way"));
	fprintf(out, "</td><td>%" PRIu64 "</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td>"
		"<td>%" PRIu64 "</td></tr>\n", value_of(way, "calls"),
		format_time(value_of(way, "ns"), time),
		format_time(value_of(way, "before_ns"), before), share,
		format_time(value_of(way, "wait_ns"), wait), value_of(way, "timeouts"));
}

static void put_mpi(FILE *out, const json_t *mpi)
{
	const json_t *way;
	size_t index;

	if (!json_array_size(mpi))
		return;
	fputs("<h2>MPI</h2>\n<table><thead><tr><th>way</th><th>calls</th><th>time</th>"
	      "<th>of it before</th><th>of liquid</th><th>waits for tokens</th>"
	      "<th>tokens missed</th></tr></thead><tbody>\n", out);
	json_array_foreach((json_t *)mpi, index, way)
		put_way(out, way);
	fputs("</tbody></table>\n", out);
}

void report_write_html(FILE *out, const json_t *report)
{
	const json_t *round;
	size_t index;

	html_head(out, "", NULL);
	fputs("job ", out);
	html_text(out, text_of(report, "job"));
	fputs("</title></head><body>\n<h1>Job ", out);
	html_text(out, text_of(report, "job"));
	fputs("</h1>\n<p>", out);
	html_text(out, text_of(report, "state"));
	if (*text_of(report, "was")) {
		fputs(", ", out);
		html_text(out, text_of(report, "was"));
	}
	if (*text_of(report, "reason")) {
		fputs(": <span class=\"wrong\">", out);
		html_text(out, text_of(report, "reason"));
		fputs("</span>", out);
	}
	fputs("</p>\n", out);
	json_array_foreach(json_object_get(report, "rounds"), index, round)
		put_round(out, round);
	put_mpi(out, json_object_get(report, "mpi"));
	fputs("</body></html>\n", out);
}
