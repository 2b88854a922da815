/* SPDX-License-Identifier: GPL-2.0-only */
/* Pictures of schedules and fabrics, made by gnuplot. */
#ifndef LIQUID_PLOT_H
#define LIQUID_PLOT_H

#include <stdio.h>

#include "liquidsched.h"

enum plot_kind { PLOT_SVG, PLOT_PNG, PLOT_PDF, PLOT_SCRIPT, PLOT_CSV };

/* The kind for the suffix of @path; false if there is none. */
bool plot_kind_of(const char *path, enum plot_kind *kind);
/* A field of a CSV file, RFC 4180; text for gnuplot; and the lines that begin its script */
void plot_csv_text(FILE *out, const char *text);
void plot_quote(FILE *out, const char *text);
void plot_terminal(FILE *out, enum plot_kind kind, uint32_t width, uint32_t height);

typedef void (*plot_script)(FILE *out, enum plot_kind kind, const void *data);
typedef void (*plot_csv)(FILE *out, const void *data);
/* All of the following return an exit code, after a message. */
int plot_write(const char *path, enum plot_kind kind, plot_script write_script,
	       plot_csv write_csv, const void *data);

/* @fabric may be NULL: then the picture has no links. */
int plot_schedule(const struct liquid_fabric *fabric, const struct liquid_schedule *schedule,
		  const char *path, enum plot_kind kind);
int plot_fabric(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		const char *path, enum plot_kind kind);

/* ---- loads, which pictures of both kinds show ---- */

struct plot_loads {
	uint64_t *load;			/* by link */
	uint64_t duration;
};

int plot_loads(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
	       struct plot_loads *loads, struct liquid_error *err);

/* ---- a schedule as matrices ---- */

/* Rows or columns of a matrix, roughly: if there are more, several are folded into one. */
#define PLOT_CELLS_MAX 1000

/* Frames from left to right; links or senders from top to bottom. */
struct plot_matrix {
	uint32_t items;			/* links or senders */
	uint32_t *item;			/* in the order of the rows, before folding */
	uint32_t marked;		/* number of bottlenecks, which are the first items */
	uint32_t fold;			/* items per row */
	uint32_t rows, marked_rows;
	uint32_t frames, frame_fold, columns;
	float *cell;			/* share in use, rows x columns */
	uint32_t *to;			/* receivers by cell, or LIQUID_NONE; NULL if folded */
	/*
	 * By cell: the link is a bottleneck of the rest from this frame on, but not of the
	 * whole traffic. NULL if folded, and for senders
	 */
	uint8_t *emerging;
	uint32_t emerged;		/* number of links that have such a cell */
};

int plot_matrix_links(const struct liquid_fabric *fabric, const struct plot_loads *loads,
		      const struct liquid_schedule *schedule, struct plot_matrix *matrix,
		      struct liquid_error *err);
bool plot_matrix_senders(const struct liquid_schedule *schedule, struct plot_matrix *matrix);
void plot_matrix_clear(struct plot_matrix *matrix);
bool plot_matrix_is_folded(const struct plot_matrix *matrix);

#endif
