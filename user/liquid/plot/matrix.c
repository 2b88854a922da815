// SPDX-License-Identifier: GPL-2.0-only
/* A schedule as a matrix: frames by links, and frames by senders; folded where it is large. */
#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "plot/plot.h"

static uint32_t divide_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

/* A row has bottlenecks alone or other links alone. */
static bool lay_out(struct plot_matrix *matrix, uint32_t frames)
{
	matrix->frames = frames;
	matrix->frame_fold = frames > PLOT_CELLS_MAX ? divide_up(frames, PLOT_CELLS_MAX) : 1;
	matrix->columns = divide_up(frames, matrix->frame_fold);
	matrix->fold = matrix->items > PLOT_CELLS_MAX ?
		       divide_up(matrix->items, PLOT_CELLS_MAX) : 1;
	matrix->marked_rows = divide_up(matrix->marked, matrix->fold);
	matrix->rows = matrix->marked_rows +
		       divide_up(matrix->items - matrix->marked, matrix->fold);
	matrix->cell = calloc((size_t)matrix->rows * matrix->columns + 1, sizeof(*matrix->cell));
	return matrix->cell;
}

static uint32_t row_of(const struct plot_matrix *matrix, uint32_t index)
{
	if (index < matrix->marked)
		return index / matrix->fold;
	return matrix->marked_rows + (index - matrix->marked) / matrix->fold;
}

bool plot_matrix_is_folded(const struct plot_matrix *matrix)
{
	return matrix->fold > 1 || matrix->frame_fold > 1;
}

void plot_matrix_clear(struct plot_matrix *matrix)
{
	free(matrix->item);
	free(matrix->cell);
	free(matrix->to);
	free(matrix->emerging);
	*matrix = (struct plot_matrix){ 0 };
}

/* Turn used capacity into shares; @capacity is the capacity of each row in one frame. */
static void divide_by_capacity(struct plot_matrix *matrix, const uint64_t *capacity)
{
	for (uint32_t r = 0; r < matrix->rows; r++)
		for (uint32_t c = 0; c < matrix->columns; c++) {
			uint32_t from = c * matrix->frame_fold;
			uint32_t frames = matrix->frames - from < matrix->frame_fold ?
					  matrix->frames - from : matrix->frame_fold;

			matrix->cell[(size_t)r * matrix->columns + c] /=
				(float)capacity[r] * (float)frames;
		}
}

/* ---- links ---- */

struct ranked {
	double share;
	uint32_t link;
};

static int by_share(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return (x->link > y->link) - (x->link < y->link);
}

/* The links in use, by falling load relative to the capacity: bottlenecks come first. */
static bool rank_links(const struct liquid_fabric *fabric, const struct plot_loads *loads,
		       struct plot_matrix *matrix)
{
	uint32_t links = liquid_fabric_link_count(fabric), count = 0;
	struct ranked *ranked = calloc((size_t)links + 1, sizeof(*ranked));

	matrix->item = calloc((size_t)links + 1, sizeof(*matrix->item));
	if (!ranked || !matrix->item) {
		free(ranked);
		return false;
	}
	for (uint32_t l = 0; l < links; l++)
		if (loads->load[l])
			ranked[count++] = (struct ranked){
				(double)loads->load[l] /
				(double)liquid_fabric_capacity(fabric, l), l };
	qsort(ranked, count, sizeof(*ranked), by_share);
	for (uint32_t i = 0; i < count; i++) {
		matrix->item[i] = ranked[i].link;
		matrix->marked += is_bottleneck(fabric, loads->load, loads->duration,
						ranked[i].link);
	}
	matrix->items = count;
	free(ranked);
	return true;
}

static int count_frame(const struct liquid_fabric *fabric, const struct liquid_schedule *schedule,
		       uint32_t frame, const uint32_t *row, struct plot_matrix *matrix,
		       struct liquid_error *err)
{
	uint32_t path[LIQUID_PATH_MAX], column = frame / matrix->frame_fold;
	const struct liquid_transfer *transfer;
	size_t count;
	int length;

	transfer = liquid_schedule_frame(schedule, frame, &count);
	for (size_t i = 0; i < count; i++) {
		length = liquid_fabric_route(fabric, transfer[i].src, transfer[i].dst, path, err);
		if (length < 0)
			return length;
		for (int k = 0; k < length; k++)
			matrix->cell[(size_t)row[path[k]] * matrix->columns + column]++;
	}
	return LIQUID_OK;
}

/* The duration of the rest of each row, by capacity. */
static uint64_t duration_left(const struct plot_matrix *matrix, const uint64_t *left,
			      const uint64_t *capacity)
{
	uint64_t duration = 0, frames;

	for (uint32_t r = 0; r < matrix->rows; r++) {
		frames = left[r] / capacity[r] + (left[r] % capacity[r] != 0);
		if (frames > duration)
			duration = frames;
	}
	return duration;
}

/* @left: by row, the load before the first frame. Each row is a link, and each column a frame. */
static void mark_emerging(struct plot_matrix *matrix, uint64_t *left, const uint64_t *capacity)
{
	for (uint32_t f = 0; f < matrix->frames; f++) {
		uint64_t duration = duration_left(matrix, left, capacity);

		for (uint32_t r = 0; r < matrix->rows; r++) {
			size_t at = (size_t)r * matrix->columns + f;

			matrix->emerging[at] = r >= matrix->marked && duration &&
					       left[r] > capacity[r] * (duration - 1);
			left[r] -= (uint64_t)matrix->cell[at];
		}
	}
	for (uint32_t r = 0; r < matrix->rows; r++)
		matrix->emerged += memchr(matrix->emerging + (size_t)r * matrix->columns, true,
					  matrix->columns) != NULL;
}

/* Before the cells become shares. */
static int find_emerging(const struct plot_loads *loads, struct plot_matrix *matrix,
			 const uint64_t *capacity, struct liquid_error *err)
{
	uint64_t *left = calloc((size_t)matrix->rows + 1, sizeof(*left));

	matrix->emerging = calloc((size_t)matrix->rows * matrix->columns + 1, 1);
	if (left && matrix->emerging) {
		for (uint32_t r = 0; r < matrix->rows; r++)
			left[r] = loads->load[matrix->item[r]];
		mark_emerging(matrix, left, capacity);
	}
	free(left);
	return left && matrix->emerging ? LIQUID_OK : liquid_no_memory(err);
}

static int count_links(const struct liquid_fabric *fabric, const struct plot_loads *loads,
		       const struct liquid_schedule *schedule, struct plot_matrix *matrix,
		       uint32_t *row, uint64_t *capacity, struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < matrix->items; i++) {
		row[matrix->item[i]] = row_of(matrix, i);
		capacity[row_of(matrix, i)] += liquid_fabric_capacity(fabric, matrix->item[i]);
	}
	for (uint32_t f = 0; f < matrix->frames && !status; f++)
		status = count_frame(fabric, schedule, f, row, matrix, err);
	if (!status && !plot_matrix_is_folded(matrix))
		status = find_emerging(loads, matrix, capacity, err);
	if (!status)
		divide_by_capacity(matrix, capacity);
	return status;
}

int plot_matrix_links(const struct liquid_fabric *fabric, const struct plot_loads *loads,
		      const struct liquid_schedule *schedule, struct plot_matrix *matrix,
		      struct liquid_error *err)
{
	size_t links = liquid_fabric_link_count(fabric);
	uint32_t *row = calloc(links + 1, sizeof(*row));
	uint64_t *capacity = calloc(links + 1, sizeof(*capacity));
	int status = LIQUID_NO_MEMORY;

	*matrix = (struct plot_matrix){ 0 };
	if (row && capacity && rank_links(fabric, loads, matrix) &&
	    lay_out(matrix, liquid_schedule_info(schedule)->length))
		status = count_links(fabric, loads, schedule, matrix, row, capacity, err);
	else
		liquid_fail(err, status, "out of memory");
	free(row);
	free(capacity);
	if (status)
		plot_matrix_clear(matrix);
	return status;
}

/* ---- senders ---- */

/*
 * The senders, sorted by number. By host, @index is its item, and @most the largest number of
 * transfers that it sends at once.
 */
static void find_senders(const struct liquid_schedule *schedule, struct plot_matrix *matrix,
			 uint32_t *index, uint32_t *most)
{
	uint32_t hosts = liquid_schedule_host_count(schedule);
	const struct liquid_transfer *transfer;
	uint32_t at_once = 0;
	size_t count;

	for (uint32_t f = 0; f < liquid_schedule_info(schedule)->length; f++) {
		transfer = liquid_schedule_frame(schedule, f, &count);
		for (size_t i = 0; i < count; i++) {		/* sorted by the sender */
			at_once = i && transfer[i].src == transfer[i - 1].src ? at_once + 1 : 1;
			if (at_once > most[transfer[i].src])
				most[transfer[i].src] = at_once;
			index[transfer[i].src] = 1;
		}
	}
	for (uint32_t h = 0; h < hosts; h++)
		if (index[h]) {
			index[h] = matrix->items;
			matrix->item[matrix->items++] = h;
		}
}

static void count_senders(const struct liquid_schedule *schedule, struct plot_matrix *matrix,
			  const uint32_t *index)
{
	const struct liquid_transfer *transfer;
	size_t count, at;

	for (uint32_t f = 0; f < matrix->frames; f++) {
		transfer = liquid_schedule_frame(schedule, f, &count);
		for (size_t i = 0; i < count; i++) {
			at = (size_t)row_of(matrix, index[transfer[i].src]) * matrix->columns +
			     f / matrix->frame_fold;
			matrix->cell[at]++;
			if (matrix->to)
				matrix->to[at] = transfer[i].dst;
		}
	}
}

static bool share_of_senders(struct plot_matrix *matrix, const uint32_t *most)
{
	uint64_t *senders = calloc((size_t)matrix->rows + 1, sizeof(*senders));

	if (!senders)
		return false;
	for (uint32_t i = 0; i < matrix->items; i++)
		senders[row_of(matrix, i)] += most[matrix->item[i]];
	divide_by_capacity(matrix, senders);
	free(senders);
	return true;
}

/* If each sender has one receiver per frame, the cell can have that receiver's colour. */
static bool send_one_by_one(const struct plot_matrix *matrix, const uint32_t *most)
{
	for (uint32_t i = 0; i < matrix->items; i++)
		if (most[matrix->item[i]] > 1)
			return false;
	return true;
}

bool plot_matrix_senders(const struct liquid_schedule *schedule, struct plot_matrix *matrix)
{
	size_t hosts = liquid_schedule_host_count(schedule), cells;
	uint32_t *index = calloc(hosts + 1, sizeof(*index));
	uint32_t *most = calloc(hosts + 1, sizeof(*most));
	bool fine = false;

	*matrix = (struct plot_matrix){ .item = calloc(hosts + 1, sizeof(*matrix->item)) };
	if (index && most && matrix->item) {
		find_senders(schedule, matrix, index, most);
		fine = lay_out(matrix, liquid_schedule_info(schedule)->length);
	}
	if (fine && !plot_matrix_is_folded(matrix) && send_one_by_one(matrix, most)) {
		cells = (size_t)matrix->rows * matrix->columns;
		matrix->to = malloc((cells + 1) * sizeof(*matrix->to));
		fine = matrix->to;
		if (fine)
			memset(matrix->to, 0xff, cells * sizeof(*matrix->to));
	}
	if (fine) {
		count_senders(schedule, matrix, index);
		fine = share_of_senders(matrix, most);
	}
	free(index);
	free(most);
	if (!fine)
		plot_matrix_clear(matrix);
	return fine;
}
