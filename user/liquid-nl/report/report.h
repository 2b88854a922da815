/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * job report: the work of a job's gates, as JSON, as text and as a page with pictures
 *
 * The process that reads the store is its keeper, and hands over the report as JSON; what prints it
 * is the caller's process, which may write where the caller may. All is printed from that JSON, as
 * `--json` prints it, and none of it is trusted: nodes have written it.
 */
#ifndef LIQUID_NL_REPORT_H
#define LIQUID_NL_REPORT_H

#include <stdio.h>

#include "gate/times.h"
#include "job/job.h"
#include "util/opt.h"
#include "util/units.h"

struct report_args {
	const char *job, *conf_path;
	const char *html;		/* file of the page, or NULL */
	const char *output;		/* of job metrics */
	struct opt_list mpi;		/* files of LIQUID_MPI_STATS */
	bool json;
};

/* command.c; @args: with conf. An exit code */
int report_run(const struct report_args *report, struct job_args *args);
/* The same with metrics for Prometheus, to @path or with NULL to stdout */
int report_metrics(const char *path, struct job_args *args);
/* metrics.c: jobs by state, outcome and cause, an array of objects; NULL after a message */
json_t *report_count_jobs(const struct job_args *args);
void report_print_metrics(FILE *out, const json_t *counts);
/* read.c: from the records of the store; NULL after a message */
json_t *report_read(const struct job_args *args);
/*
 * judge.c: the work of a node, or of one of its rails, between two samples, of which each may be
 * NULL
 */
json_t *report_node(const char *node, const json_t *first, const json_t *last);
/* judge.c: sums and extremes of the nodes of a round; nodes without both samples do not count */
json_t *report_totals(const json_t *nodes, double frames_per_duration);
/* mpi.c: add to @report what LIQUID_MPI_STATS has written; an exit code, after a message */
int report_add_mpi(json_t *report, const char *path);

/* ---- text.c ---- */

void report_print(const json_t *report);
/* A new array of the nodes: those without figures, then by the share of late packets */
json_t *report_sorted(const json_t *nodes);
enum report_column {
	REPORT_NODE, REPORT_THROUGHPUT, REPORT_SHARE, REPORT_LATE, REPORT_LATE_BY, REPORT_LAG,
	REPORT_IN_FLIGHT, REPORT_WAIT, REPORT_CLOCK, REPORT_MISSED, REPORT_DROPPED, REPORT_COLUMNS
};
extern const char *const report_columns[REPORT_COLUMNS];
/* A cell of the table, "-" if that is not known; in @text or in @node */
const char *report_cell(const json_t *node, enum report_column column, char text[TIMES_TEXT]);
/* A round in a word, as in job status */
const char *report_state(const json_t *round);
/* Meaning of a row of the table: "nodes", or "gates" where a node has several rails */
const char *report_rows(const json_t *round);
/* "48.1 GB in 120 s, 3.2 Gbit/s: 81 % of the liquid throughput, 4 Gbit/s" */
void report_totals_text(FILE *out, const json_t *round);
/* A remark on a node's figures; NULL: nothing */
const char *report_note(const json_t *node);

/* html.c: one page without anything from elsewhere */
void report_write_html(FILE *out, const json_t *report);

/* ---- svg.c: pictures within the page ---- */

/* Bars of a value by row, and lines to compare them with */
struct bars {
	const char *title;
	const json_t *rows;		/* objects, of which each has "node" */
	const char *value;		/* member: a number */
	const char *limit;		/* member: a mark at the bar, or NULL */
	const char *limit_text;		/* its meaning */
	const char *(*format)(uint64_t value, char text[UNIT_TEXT]);
};
void svg_bars(FILE *out, const struct bars *bars);
/* A histogram of each node as a row of cells, darker with more times in it */
void svg_times(FILE *out, const json_t *nodes, const char *name, const char *title,
	       enum times_scale scale);
/* How long packets have waited: senders by receivers */
void svg_waits(FILE *out, const json_t *nodes);

/*
 * ---- value.c: members of the report; a missing one, or one of another type, is 0, "" or NULL ----
 */

uint64_t value_of(const json_t *json, const char *name);
double real_of(const json_t *json, const char *name);
bool value_is_known(const json_t *json, const char *name);
const char *text_of(const json_t *json, const char *name);
const json_t *member_of(const json_t *json, const char *first, const char *second);
/* A histogram as a report or a sample has it */
struct gate_hist hist_of(const json_t *buckets);
/* "48.1 GB", powers of 1000 */
const char *format_bytes(uint64_t bytes, char text[UNIT_TEXT]);
/* "0.5 %" */
const char *format_share(double share, char text[UNIT_TEXT]);

#endif
