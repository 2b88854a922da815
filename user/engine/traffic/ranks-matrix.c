// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading communication matrices: a row per sender with the bytes to each receiver
 *
 * Cells are separated by commas, semicolons or white space; # begins a comment. The number of
 * rows and columns is that of the hosts or that of the ranks. Rows and columns may be labelled by
 * their numbers.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/lines.h"
#include "traffic/ranks.h"
#include "traffic/traffic.h"

struct matrix {
	const struct liquid_ranks *ranks;
	const struct line_reader *lines;
	uint64_t *sum;			/* bytes from host to host, count x count */
	bool labels;			/* of rows and columns: their numbers */
	uint64_t rows, columns;		/* read so far; @columns is 0 before the first row */
	struct liquid_error *err;
};

static bool is_separator(unsigned char c)
{
	return isspace(c) || c == ',' || c == ';';
}

static size_t cell_length(const char *at)
{
	size_t length = 0;

	while (at[length] && !is_separator(at[length]))
		length++;
	return length;
}

#define EXACT 9007199254740992.0	/* 2^53: beyond that a double does not hold each integer */

/* A whole number in the form of a decimal fraction, as 1.000e+00 of numpy's savetxt() */
static bool read_decimal(const char *at, size_t length, uint64_t *bytes)
{
	double value;
	char *end;

	if (strspn(at, "0123456789.eE+-") < length || *at == '-' || *at == '+')
		return false;
	value = strtod(at, &end);
	if (end != at + length || !(value >= 0 && value < EXACT))
		return false;
	*bytes = (uint64_t)value;
	return (double)*bytes == value;
}

/* Read a cell. Returns the text after it, or NULL after an error. An empty cell is an error. */
static const char *read_cell(const struct matrix *matrix, const char *start, uint64_t column,
			     uint64_t *bytes)
{
	size_t length = cell_length(start);
	const char *at = start;

	*bytes = 0;
	for (; isdigit((unsigned char)*at); at++)
		if (__builtin_mul_overflow(*bytes, 10, bytes) ||
		    __builtin_add_overflow(*bytes, *at - '0', bytes)) {
			line_fail(matrix->lines, matrix->err, "column %" PRIu64
				  ": the number of bytes exceeds 64 bits", column + 1);
			return NULL;
		}
	if (length && (at == start + length || read_decimal(start, length, bytes)))
		return start + length;
	line_fail(matrix->lines, matrix->err, "column %" PRIu64
		  ": '%.*s' is not a whole number of bytes", column + 1,
		  (int)(length < 40 ? length : 40), start);
	return NULL;
}

/* Skip white space and at most one comma or semicolon. */
static const char *skip_separator(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	if (*at == ',' || *at == ';')
		at++;
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* Index in ranks->hosts of the host of a row or column. */
static size_t host_of(const struct matrix *matrix, uint64_t index)
{
	return matrix->columns == matrix->ranks->count ? index :
	       ranks_host(matrix->ranks, index);
}

static int add_cell(struct matrix *matrix, uint64_t column, uint64_t bytes)
{
	size_t count = matrix->ranks->count;
	size_t from = host_of(matrix, matrix->rows), to = host_of(matrix, column);
	uint64_t *sum = &matrix->sum[from * count + to];

	/* Ranks of one host do not use the network. */
	if (from == to)
		return LIQUID_OK;
	if (__builtin_add_overflow(*sum, bytes, sum))
		return line_fail(matrix->lines, matrix->err, "column %" PRIu64
				 ": the sum of the bytes exceeds 64 bits", column + 1);
	return LIQUID_OK;
}

static int take_columns(struct matrix *matrix, uint64_t columns)
{
	const struct liquid_ranks *ranks = matrix->ranks;
	uint64_t all = (uint64_t)ranks->count * ranks->tasks_per_host;

	if (matrix->columns)
		return matrix->columns == columns ? LIQUID_OK :
		       line_fail(matrix->lines, matrix->err, "%" PRIu64
				 " columns; the first row has %" PRIu64, columns,
				 matrix->columns);
	if (columns != ranks->count && columns != all)
		return line_fail(matrix->lines, matrix->err, "%" PRIu64
				 " columns; there are %zu hosts and %" PRIu64 " ranks", columns,
				 ranks->count, all);
	matrix->columns = columns;
	return LIQUID_OK;
}

/* Count the cells of a row: their number tells whether rows and columns are hosts or ranks. */
static uint64_t count_cells(const char *at)
{
	uint64_t cells = 0;

	for (at = skip_separator(at); *at; at = skip_separator(at + cell_length(at)))
		cells++;
	return cells;
}

/* The label @index of a row or column: its number. Returns the text after it, or NULL. */
static const char *read_label(const struct matrix *matrix, const char *at, uint64_t index)
{
	size_t length = cell_length(at);
	char *end;

	if (length && isdigit((unsigned char)*at) && strtoull(at, &end, 10) == index &&
	    end == at + length)
		return skip_separator(end);
	line_fail(matrix->lines, matrix->err, "the label '%.*s' should be %" PRIu64 ": labels number "
		  "the hosts of --hosts; leave out names (pandas: header=False, index=False)",
		  (int)(length < 40 ? length : 40), at, index);
	return NULL;
}

/* A first row that begins with an empty cell labels the columns, as that of pandas' to_csv(). */
static bool has_labels(struct matrix *matrix, const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return !matrix->columns && !matrix->labels && (*at == ',' || *at == ';');
}

static int read_labels(struct matrix *matrix)
{
	const char *at = skip_separator(matrix->lines->text);

	matrix->labels = true;
	for (uint64_t column = 0; *at; column++) {
		at = read_label(matrix, at, column);
		if (!at)
			return LIQUID_BAD_INPUT;
	}
	return LIQUID_OK;
}

static int read_row(struct matrix *matrix)
{
	const char *at = matrix->lines->text;
	uint64_t bytes, column = 0;
	int status;

	while (isspace((unsigned char)*at))
		at++;
	if (matrix->labels)
		at = read_label(matrix, at, matrix->rows);
	if (!at)
		return LIQUID_BAD_INPUT;
	status = take_columns(matrix, count_cells(at));
	if (!status && matrix->rows == matrix->columns)
		status = line_fail(matrix->lines, matrix->err, "more rows than the %" PRIu64
				   " columns", matrix->columns);
	for (; *at && !status; column++) {
		at = read_cell(matrix, at, column, &bytes);
		if (!at)
			return LIQUID_BAD_INPUT;
		at = skip_separator(at);
		status = column < matrix->columns ? add_cell(matrix, column, bytes) :
			 line_fail(matrix->lines, matrix->err, "too many cells");
	}
	matrix->rows++;
	return status;
}

static int read_rows(struct matrix *matrix, struct line_reader *lines)
{
	int status = 1;

	while (status > 0) {
		status = line_next(lines, matrix->err);
		if (status <= 0)
			break;
		lines->text[strcspn(lines->text, "#")] = '\0';
		if (!count_cells(lines->text))
			continue;
		status = has_labels(matrix, lines->text) ? read_labels(matrix) : read_row(matrix);
		status = status ? status : 1;
	}
	if (!status && (!matrix->rows || matrix->rows != matrix->columns))
		status = line_fail(lines, matrix->err, "the file ends after %" PRIu64
				   " rows of %" PRIu64, matrix->rows, matrix->columns);
	return status;
}

static int make_traffic(const struct matrix *matrix, struct liquid_traffic *traffic)
{
	const struct liquid_ranks *ranks = matrix->ranks;
	size_t count = ranks->count;

	for (size_t cell = 0; cell < count * count; cell++) {
		uint64_t bytes = matrix->sum[cell];
		uint64_t units = bytes / ranks->unit_bytes + !!(bytes % ranks->unit_bytes);
		int status;

		if (!units)
			continue;
		if (units > LIQUID_TRANSFERS_MAX)
			return liquid_fail(matrix->err, LIQUID_BAD_INPUT, "%s: %" PRIu64
					   " bytes in units of %" PRIu64
					   " are more than %u transfers",
					   matrix->lines->label, bytes, ranks->unit_bytes,
					   LIQUID_TRANSFERS_MAX);
		status = liquid_traffic_add(traffic, ranks->hosts[cell / count],
					    ranks->hosts[cell % count], units, matrix->err);
		if (status)
			return status;
	}
	return LIQUID_OK;
}

int liquid_ranks_read_matrix(FILE *in, const char *label, const struct liquid_ranks *given,
			     struct liquid_traffic **traffic, struct liquid_error *err)
{
	struct liquid_ranks ranks;
	struct line_reader lines;
	struct matrix matrix = { .ranks = &ranks, .lines = &lines, .err = err };
	int status;

	*traffic = NULL;
	status = ranks_take(given, &ranks, err);
	if (status)
		return status;
	if (!ranks.unit_bytes)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s: a matrix of bytes needs the size of a unit (--unit-bytes)",
				   label);
	if (ranks.count > 1u << 14)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: a matrix of more than %u hosts",
				   label, 1u << 14);
	status = line_open(&lines, in, label, err);
	if (status)
		return status;
	matrix.sum = calloc(ranks.count * ranks.count, sizeof(*matrix.sum));
	status = matrix.sum ? read_rows(&matrix, &lines) :
		 liquid_fail(err, LIQUID_NO_MEMORY, "no memory for a matrix of %zu hosts",
			     ranks.count);
	if (!status)
		status = liquid_traffic_new(traffic, err);
	if (!status)
		status = make_traffic(&matrix, *traffic);
	if (status) {
		liquid_traffic_free(*traffic);
		*traffic = NULL;
	}
	free(matrix.sum);
	line_close(&lines);
	return status;
}
