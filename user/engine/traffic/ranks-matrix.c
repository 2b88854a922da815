// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading communication matrices: a row per sender with the bytes to each receiver
 *
 * Cells are separated by commas, semicolons or white space; # begins a comment. The number of
 * rows and columns is that of the hosts or that of the ranks. Rows and columns may be labelled by
 * their numbers, or by names of hosts, which then tell their order.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "fabric/lines.h"
#include "traffic/ranks.h"
#include "traffic/traffic.h"

enum line { ROW = 1, COLUMN = 2 };

struct matrix {
	const struct liquid_ranks *ranks;
	const struct line_reader *lines;
	uint64_t *sum;			/* bytes from host to host, count x count */
	bool labels;			/* of rows and columns: numbers, or with @column names */
	uint32_t *index;		/* by host: 1 + its index in ranks->hosts; 0: none */
	uint8_t *seen;			/* by index: enum line, ORed */
	size_t *column, row;		/* indices of those that labels name, or NULL */
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
	size_t from = matrix->column ? matrix->row : host_of(matrix, matrix->rows);
	size_t to = matrix->column ? matrix->column[column] : host_of(matrix, column);
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
	if (ranks->named && !matrix->column && columns != ranks->count)
		return line_fail(matrix->lines, matrix->err, "%" PRIu64 " columns, without names; "
				 "the fabric has %zu hosts: a matrix of others needs --hosts, or "
				 "labels that name them", columns, ranks->count);
	if (!ranks->named && columns != ranks->count && columns != all)
		return line_fail(matrix->lines, matrix->err, "%" PRIu64
				 " columns; there are %zu hosts and %" PRIu64 " ranks", columns,
				 ranks->count, all);
	matrix->columns = columns;
	return LIQUID_OK;
}

/* Count the cells of a row: their number says whether rows and columns are hosts or ranks. */
static uint64_t count_cells(const char *at)
{
	uint64_t cells = 0;

	for (at = skip_separator(at); *at; at = skip_separator(at + cell_length(at)))
		cells++;
	return cells;
}

/* The name in a label, which R puts in quotes; "": it is too long */
static void take_name(const char *at, char name[LIQUID_NAME_MAX + 1])
{
	size_t length = cell_length(at);

	if (length > 1 && *at == '"' && at[length - 1] == '"') {
		at++;
		length -= 2;
	}
	if (length > LIQUID_NAME_MAX)
		length = 0;
	memcpy(name, at, length);
	name[length] = '\0';
}

/* The host that a label names. LIQUID_NONE: none */
static uint32_t find_host(const struct matrix *matrix, const char *at)
{
	char name[LIQUID_NAME_MAX + 1];

	if (!matrix->ranks->fabric)
		return LIQUID_NONE;
	take_name(at, name);
	return liquid_fabric_find_host(matrix->ranks->fabric, name);
}

/* The name that labels a row or column. Returns the text after it, or NULL. */
static const char *read_name(const struct matrix *matrix, const char *at, enum line line,
			     size_t *index)
{
	uint32_t host = find_host(matrix, at);
	int length = (int)cell_length(at);
	const char *fault = host == LIQUID_NONE ? "is not a host of the fabric" :
			    !matrix->index[host] ? "is not among the hosts of --hosts" : NULL;
	char name[LIQUID_NAME_MAX + 1], near[LIQUID_NEAR_TEXT] = "";

	*index = fault ? 0 : matrix->index[host] - 1;
	if (!fault && matrix->seen[*index] & line)
		fault = line == ROW ? "labels two rows" : "labels two columns";
	if (fault) {
		take_name(at, name);
		if (host == LIQUID_NONE)
			liquid_fabric_near_host(matrix->ranks->fabric, name, near);
		line_fail(matrix->lines, matrix->err, "'%.*s' %s%.600s",
			  length < 40 ? length : 40, at, fault, near);
		return NULL;
	}
	matrix->seen[*index] |= line;
	return skip_separator(at + length);
}

/* The label @index of a row or column: its number. Returns the text after it, or NULL. */
static const char *read_label(const struct matrix *matrix, const char *at, uint64_t index)
{
	size_t length = cell_length(at);
	char *end;

	if (length && isdigit((unsigned char)*at) && strtoull(at, &end, 10) == index &&
	    end == at + length)
		return skip_separator(end);
	line_fail(matrix->lines, matrix->err, "the label '%.*s' should be %" PRIu64 ": labels "
		  "number the hosts of --hosts, or %s", (int)(length < 40 ? length : 40), at, index,
		  matrix->ranks->fabric ? "name hosts of the fabric" :
		  "are left out (pandas: header=False, index=False)");
	return NULL;
}

static bool is_name(const struct matrix *matrix, const char *at)
{
	uint64_t number;

	return !read_decimal(at, cell_length(at), &number) &&
	       find_host(matrix, at) != LIQUID_NONE;
}

/*
 * The labels of the columns, or NULL. A first row has them if it begins with an empty cell, as that
 * of pandas' to_csv(), or if its first cell names a host, or the second: then that is the first.
 */
static const char *find_labels(const struct matrix *matrix, const char *at)
{
	const char *second;

	while (isspace((unsigned char)*at))
		at++;
	second = skip_separator(at + cell_length(at));
	if (matrix->columns)
		return NULL;
	if (*at == ',' || *at == ';')
		return skip_separator(at);
	return is_name(matrix, at) ? at : is_name(matrix, second) ? second : NULL;
}

static int read_labels(struct matrix *matrix, const char *at)
{
	uint64_t columns = count_cells(at);
	int status;

	matrix->labels = true;
	if (find_host(matrix, at) != LIQUID_NONE) {
		matrix->column = calloc(columns, sizeof(*matrix->column));
		if (!matrix->column)
			return liquid_no_memory(matrix->err);
	}
	status = take_columns(matrix, columns);
	for (uint64_t column = 0; *at && !status; column++) {
		at = matrix->column ? read_name(matrix, at, COLUMN, &matrix->column[column]) :
		     read_label(matrix, at, column);
		if (!at)
			return LIQUID_BAD_INPUT;
	}
	return status;
}

static int read_row(struct matrix *matrix)
{
	const char *at = matrix->lines->text;
	uint64_t bytes, column = 0;
	int status;

	while (isspace((unsigned char)*at))
		at++;
	if (matrix->labels)
		at = matrix->column ? read_name(matrix, at, ROW, &matrix->row) :
		     read_label(matrix, at, matrix->rows);
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
	const char *labels;
	int status = 1;

	while (status > 0) {
		status = line_next(lines, matrix->err);
		if (status <= 0)
			break;
		lines->text[strcspn(lines->text, "#")] = '\0';
		if (!count_cells(lines->text))
			continue;
		labels = find_labels(matrix, lines->text);
		status = labels ? read_labels(matrix, labels) : read_row(matrix);
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
		status = liquid_traffic_add(traffic, host_at(ranks->hosts, cell / count),
					    host_at(ranks->hosts, cell % count), units,
					    matrix->err);
		if (status)
			return status;
	}
	return LIQUID_OK;
}

static bool take_memory(struct matrix *matrix)
{
	const struct liquid_ranks *ranks = matrix->ranks;
	uint32_t hosts = ranks->fabric ? liquid_fabric_host_count(ranks->fabric) : 0;

	matrix->sum = calloc(ranks->count * ranks->count, sizeof(*matrix->sum));
	matrix->index = calloc((size_t)hosts + 1, sizeof(*matrix->index));
	matrix->seen = calloc(ranks->count, sizeof(*matrix->seen));
	for (size_t i = 0; i < ranks->count && matrix->index; i++)
		if (host_at(ranks->hosts, i) < hosts)
			matrix->index[host_at(ranks->hosts, i)] = (uint32_t)i + 1;
	return matrix->sum && matrix->index && matrix->seen;
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
	status = line_open(&lines, in, label, LINE_BLOCK, err);
	if (status)
		return status;
	status = take_memory(&matrix) ? read_rows(&matrix, &lines) :
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
	free(matrix.index);
	free(matrix.seen);
	free(matrix.column);
	line_close(&lines);
	return status;
}
