// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * product: schedule each dimension separately
 *
 * A *line* is a set of points that differ in one dimension only. Its all-to-all, in which each
 * point also sends to itself, is scheduled into phases. A frame of the whole consists of one
 * phase for each dimension, used by all lines of that dimension at the same time. No point
 * sends or receives twice in a phase; so the transfers of a frame are at different points after
 * each dimension, a line carries each pair of its phase at most once, and every pair of points
 * gets a frame. The length is the product of the numbers of phases. It equals the duration if
 * at most one dimension needs more phases than it has points. If several do, their phases may be
 * folded (fold.h), as in a mesh of rows of 8, where the length is the duration again; or else all
 * dimensions from the first to the last of them are merged into one.
 */
#include <stdlib.h>
#include <string.h>

#include "solve/methods.h"
#include "solve/symmetry/fold.h"
#include "solve/symmetry/product.h"
#include "traffic/traffic.h"

/* The lines of one shape get 1 / LINE_PARTS of the work that is left. */
#define LINE_PARTS 4

struct line {
	uint32_t size;			/* points */
	bool self;			/* each point also sends to itself, over its end links */
	uint32_t fold;			/* its links are wider by this factor; see fold.h */
	struct routes routes;
	uint32_t *host;			/* by point: a host of the fabric that has its routes */
	uint32_t *number;		/* by resource of the product's units: its link in routes */
	uint32_t *frame;		/* by pair of the line: its phase * fold + colour */
	uint32_t length;
};

struct factor {
	uint32_t size, stride;		/* as those of a dimension in struct product */
	uint32_t length;		/* number of phases */
	bool self;			/* as in struct line; else phase 0 has all self pairs */
	uint32_t *phase;		/* by line, sender, receiver: phase * fold + colour */
};

struct product_method {
	struct solving *solving;
	struct product product;
	struct factor factor[PRODUCT_DIMENSIONS_MAX];
	uint32_t factors;
	uint32_t fold;			/* frames of a combination of phases */
};

/* ---- lines ---- */

static void line_clear(struct line *line)
{
	routes_clear(&line->routes);
	free(line->host);
	free(line->number);
	free(line->frame);
	*line = (struct line){ 0 };
}

static bool line_new(struct line *line, const struct product *product, uint32_t size, bool self,
		     uint32_t fold)
{
	size_t pairs = (size_t)size * size, links = product->quotient.units.link_count;

	struct routes *routes = &line->routes;

	*line = (struct line){ .size = size, .self = self, .fold = fold };
	routes->first = calloc(pairs + 1, sizeof(*routes->first));
	routes->first_transfer = calloc(pairs + 1, sizeof(*routes->first_transfer));
	routes->links = calloc(pairs * LIQUID_PATH_MAX, sizeof(*routes->links));
	routes->capacity = calloc(2 * (size_t)size + links, sizeof(*routes->capacity));
	routes->load = calloc(2 * (size_t)size + links, sizeof(*routes->load));
	routes->own_pairs = calloc(pairs + 1, sizeof(*routes->own_pairs));
	routes->pairs = routes->own_pairs;
	line->host = calloc((size_t)size + 1, sizeof(*line->host));
	line->number = calloc(links + 1, sizeof(*line->number));
	line->frame = calloc(pairs + 1, sizeof(*line->frame));
	return routes->first && routes->first_transfer && routes->links && routes->capacity &&
	       routes->load && routes->own_pairs && line->host && line->number &&
	       line->frame;
}

/* The point at @coordinate of line @number. */
static uint32_t point_on(const struct product *product, const struct factor *factor,
			 uint32_t number, uint32_t coordinate)
{
	uint32_t low = number % factor->stride, high = number / factor->stride;

	return product->at[(high * factor->size + coordinate) * factor->stride + low];
}

static uint32_t line_of(const struct product *product, const struct factor *factor, uint32_t point)
{
	uint32_t place = product->place[point];

	return place / factor->stride / factor->size * factor->stride + place % factor->stride;
}

/* Links are numbered in order of their first use, so that lines of one shape are equal. */
static void add_links(struct line *line, const struct product *product, uint32_t from, uint32_t to)
{
	const struct routes *units = &product->quotient.units;
	uint32_t unit = product->unit[(size_t)from * product->points + to];
	struct routes *routes = &line->routes;
	uint32_t *end = &routes->first[routes->pair_count + 1];

	for (uint32_t i = units->first[unit] + 2; i < units->first[unit + 1]; i++) {
		uint32_t link = units->links[i];

		if (line->number[link] == LIQUID_NONE) {
			routes->capacity[routes->link_count] = units->capacity[link] * line->fold;
			line->number[link] = routes->link_count++;
		}
		routes->links[(*end)++] = line->number[link];
	}
}

static void add_pair(struct line *line, const struct product *product, const uint32_t *point,
		     uint32_t i, uint32_t j)
{
	struct routes *routes = &line->routes;
	uint32_t at = routes->pair_count, *end = &routes->first[at + 1];

	routes->own_pairs[at] = (struct liquid_pair){ i, line->self ? line->size + j : j, 1 };
	*end = routes->first[at];
	routes->links[(*end)++] = i;
	routes->links[(*end)++] = line->size + j;
	if (i != j)
		add_links(line, product, point[i], point[j]);
	routes->pair_count++;
}

static void make_line(struct line *line, const struct product *product, const struct factor *factor,
		      uint32_t number)
{
	struct routes *routes = &line->routes;
	uint32_t point[PRODUCT_POINTS_MAX];

	memset(line->number, 0xff, product->quotient.units.link_count * sizeof(*line->number));
	routes->pair_count = 0;
	routes->link_count = 2 * line->size;
	for (uint32_t i = 0; i < line->size; i++) {
		point[i] = point_on(product, factor, number, i);
		line->host[i] = product->host[point[i]];
		routes->capacity[i] = routes->capacity[line->size + i] = 1;
	}
	for (uint32_t i = 0; i < line->size; i++)
		for (uint32_t j = 0; j < line->size; j++)
			if (i != j || line->self)
				add_pair(line, product, point, i, j);
	routes_measure(routes);
}

static bool same_shape(const struct line *a, const struct line *b)
{
	const struct routes *left = &a->routes, *right = &b->routes;
	size_t links = left->first[left->pair_count];

	return left->pair_count == right->pair_count && left->link_count == right->link_count &&
	       !memcmp(left->first, right->first, (left->pair_count + 1) * sizeof(*left->first)) &&
	       !memcmp(left->links, right->links, links * sizeof(*left->links)) &&
	       !memcmp(left->capacity, right->capacity, left->link_count * sizeof(*left->capacity));
}

/* Are the routes of the line just those of its hosts in the fabric? */
static bool has_hosts(const struct product_method *m, const struct line *line)
{
	return m->solving->fabric && !line->self && line->fold == 1;
}

/* Fill in line->frame[] and line->length; the length stays 0 if no schedule is found. */
static int solve_line(struct product_method *m, struct line *line, struct liquid_error *err)
{
	struct solving sub = { .routes = &line->routes, .budget = m->solving->budget,
			       .seed = m->solving->seed, .lower_bound = line->routes.duration,
			       .frame = line->frame };
	struct budget *budget = m->solving->budget;
	uint64_t outer = budget_narrow(budget, budget_left(budget) / LINE_PARTS);
	bool found;
	int status;

	if (has_hosts(m, line)) {
		sub.fabric = m->solving->fabric;
		sub.hosts = line->host;
	}
	status = method_run(method_find("auto"), &sub, err);
	budget_widen(budget, outer);
	budget->state.total = m->solving->routes->transfer_count;
	budget->state.best_length = m->solving->length;
	line->length = sub.length;
	solving_drop(&sub);
	if (status || !line->length || line->fold == 1)
		return status;
	status = fold_phases(m->solving, &line->routes, 2 * line->size, line->fold, line->frame,
			     &found, err);
	line->length = found ? line->length : 0;
	return status;
}

/* ---- factors ---- */

/* Store the phases of @line for line @number. */
static void note_phases(struct factor *factor, const struct line *line, uint32_t number)
{
	uint32_t *phase = factor->phase + (size_t)number * factor->size * factor->size;
	uint32_t length = line->length + !factor->self, pair = 0;

	for (uint32_t i = 0; i < factor->size; i++)
		for (uint32_t j = 0; j < factor->size; j++)
			phase[i * factor->size + j] =
				i == j && !factor->self ? 0 :
				line->frame[pair++] + !factor->self * line->fold;
	factor->length = length > factor->length ? length : factor->length;
}

/* Solve all lines; @line has the solution of the first one. */
static int solve_others(struct product_method *m, struct factor *factor, struct line *line,
			struct liquid_error *err)
{
	uint32_t lines = m->product.points / factor->size, number;
	int status = LIQUID_OK;
	struct line next, swap;

	if (!line_new(&next, &m->product, factor->size, factor->self, m->fold))
		status = liquid_no_memory(err);
	for (number = 0; !status && line->length && number < lines; number++) {
		make_line(&next, &m->product, factor, number);
		budget_spend(m->solving->budget, next.routes.first[next.routes.pair_count]);
		if (!same_shape(line, &next)) {
			status = solve_line(m, &next, err);
			swap = *line;
			*line = next;
			next = swap;
		}
		if (line->length)
			note_phases(factor, line, number);
	}
	if (!line->length)
		factor->length = 0;
	line_clear(&next);
	return status;
}

/* The first line of @factor; @self: transfers from points to themselves are included. */
static int make_first(const struct product_method *m, const struct factor *factor, bool self,
		      struct line *line, struct liquid_error *err)
{
	if (!line_new(line, &m->product, factor->size, self, m->fold))
		return liquid_no_memory(err);
	make_line(line, &m->product, factor, 0);
	return LIQUID_OK;
}

/* The first frame of @line, of one colour each, in which @point neither sends nor receives */
static uint32_t idle_frame(const struct line *line, uint32_t point, bool *busy)
{
	uint32_t frame = 0, pair = 0;

	memset(busy, 0, line->length * sizeof(*busy));
	for (uint32_t i = 0; i < line->size; i++)
		for (uint32_t j = 0; j < line->size; j++) {
			if (i == j)
				continue;
			busy[line->frame[pair]] |= i == point || j == point;
			pair++;
		}
	while (frame < line->length && busy[frame])
		frame++;
	return frame;
}

/* Let the points of @line send to themselves where they are idle, in @other, if all are once. */
static int add_selves(const struct line *line, struct line *other, struct liquid_error *err)
{
	bool *busy = calloc((size_t)line->length + 1, sizeof(*busy));
	uint32_t length = line->length, pair = 0;

	if (!busy)
		return liquid_no_memory(err);
	for (uint32_t i = 0; length && i < line->size; i++)
		for (uint32_t j = 0; length && j < line->size; j++) {
			uint32_t *frame = &other->frame[i * line->size + j];

			*frame = i == j ? idle_frame(line, i, busy) : line->frame[pair++];
			if (*frame == line->length)
				length = 0;
		}
	other->length = length;
	free(busy);
	return LIQUID_OK;
}

/* The first line of @factor as @line, with transfers from points to themselves */
static int solve_self(struct product_method *m, struct factor *factor, const struct line *line,
		      struct line *other, struct liquid_error *err)
{
	int status = make_first(m, factor, true, other, err);

	if (!status && m->fold == 1)
		status = add_selves(line, other, err);
	if (!status && !other->length)
		status = solve_line(m, other, err);
	factor->self = !status && other->length && other->length <= line->length;
	return status;
}

/*
 * A phase in which all points send to themselves costs nothing if all dimensions have one: then
 * one frame is empty. Otherwise these transfers may fit into the other phases. factor->length
 * stays 0 if no schedule is found.
 */
static int solve_factor(struct product_method *m, struct factor *factor, struct liquid_error *err)
{
	struct line line, other = { 0 };
	int status = make_first(m, factor, false, &line, err);

	if (!status)
		status = solve_line(m, &line, err);
	if (!status && line.length && line.length >= line.size &&
	    line.length + 1 > line.routes.duration)
		status = solve_self(m, factor, &line, &other, err);
	factor->phase = malloc(((size_t)m->product.points * factor->size + 1) *
			       sizeof(*factor->phase));
	if (!status && !factor->phase)
		status = liquid_no_memory(err);
	if (!status)
		status = solve_others(m, factor, factor->self ? &other : &line, err);
	line_clear(&line);
	line_clear(&other);
	return status;
}

/* The least number of phases of a line of @factor, folded; 0: out of memory. */
static uint32_t fewest_phases(const struct product *product, const struct factor *factor,
			      uint32_t fold)
{
	uint32_t phases = 0;
	struct line line;

	if (line_new(&line, product, factor->size, false, fold)) {
		make_line(&line, product, factor, 0);
		phases = line.routes.duration > factor->size ? line.routes.duration : factor->size;
	}
	line_clear(&line);
	return phases;
}

static struct factor factor_of(const struct product *product, uint32_t dimension)
{
	return (struct factor){ product->size[dimension], product->stride[dimension], 0, false,
				NULL };
}

/* The first and last dimension that needs more phases than points; false: out of memory. */
static bool find_tight(const struct product *product, uint32_t *first, uint32_t *last)
{
	*first = LIQUID_NONE;
	*last = 0;
	for (uint32_t d = 0; d < product->dimensions; d++) {
		struct factor factor = factor_of(product, d);
		uint32_t phases = fewest_phases(product, &factor, 1);

		if (!phases)
			return false;
		if (phases == factor.size)
			continue;
		*first = *first == LIQUID_NONE ? d : *first;
		*last = d;
	}
	return true;
}

static uint64_t copies_of(const struct product_method *m)
{
	const struct quotient *quotient = &m->product.quotient;

	return (uint64_t)routes_largest_count(&quotient->units) * quotient->repeat;
}

/* Whether one factor for each dimension, folded, may give as few frames as are possible. */
static bool fold_suits(const struct product_method *m, uint32_t fold)
{
	uint64_t length = copies_of(m) * fold;

	for (uint32_t d = 0; d < m->product.dimensions; d++) {
		struct factor factor = factor_of(&m->product, d);

		length *= fewest_phases(&m->product, &factor, fold);
		if (!length || length > m->solving->lower_bound)
			return false;
	}
	return true;
}

static bool fold_factors(struct product_method *m)
{
	uint64_t least = copies_of(m) * m->product.points;

	for (m->fold = 1; m->fold * least <= m->solving->lower_bound; m->fold++)
		if (m->fold <= FOLD_MAX && fold_suits(m, m->fold)) {
			for (uint32_t d = 0; d < m->product.dimensions; d++)
				m->factor[m->factors++] = factor_of(&m->product, d);
			return true;
		}
	m->fold = 1;
	return false;
}

/*
 * One factor for each dimension; those from the first tight dimension to the last are merged. If
 * that would merge three or more into a single factor, the last dimension is kept separate.
 */
static bool merge_factors(struct product_method *m)
{
	const struct product *product = &m->product;
	uint32_t first, last, d;

	if (!find_tight(product, &first, &last))
		return false;
	if (!first && last == product->dimensions - 1 && last > 1)
		last--;
	for (d = 0; d < product->dimensions; d++)
		if (d > first && d <= last)
			m->factor[m->factors - 1].size *= product->size[d];
		else
			m->factor[m->factors++] = factor_of(product, d);
	return true;
}

/* Whether there may be a shorter schedule than the best so far. */
static bool is_promising(const struct product_method *m)
{
	uint64_t most = m->solving->length ? m->solving->length : LIQUID_TRANSFERS_MAX;
	uint64_t length = copies_of(m) * m->fold;

	for (uint32_t f = 0; f < m->factors && length < most; f++)
		length *= fewest_phases(&m->product, &m->factor[f], m->fold);
	return length <= most;
}

/* ---- frames ---- */

/* Frames of the whole for one copy of each unit. */
static uint64_t frames_of(const struct product_method *m)
{
	uint64_t frames = m->fold;

	for (uint32_t f = 0; f < m->factors && frames <= UINT32_MAX; f++)
		frames *= m->factor[f].length;
	return frames;
}

static uint32_t frame_of(const struct product_method *m, uint32_t from, uint32_t to)
{
	const struct product *product = &m->product;
	uint32_t frame = 0, colours = 0, phase;

	for (uint32_t f = 0; f < m->factors; f++) {
		const struct factor *factor = &m->factor[f];
		uint32_t i = product->place[from] / factor->stride % factor->size;
		uint32_t j = product->place[to] / factor->stride % factor->size;
		uint32_t line = line_of(product, factor, from);

		phase = factor->phase[((size_t)line * factor->size + i) * factor->size + j];
		frame = frame * factor->length + phase / m->fold;
		colours += phase % m->fold;
		from = point_on(product, factor, line, j);
	}
	return frame * m->fold + colours % m->fold;
}

static bool make_plan(const struct product_method *m, struct unit_plan *plan)
{
	const struct product *product = &m->product;
	const struct routes *units = &product->quotient.units;
	uint32_t copies = routes_largest_count(units);

	plan->frames = (uint32_t)frames_of(m) * copies;
	for (uint32_t from = 0; from < product->points; from++)
		for (uint32_t to = 0; to < product->points; to++) {
			uint32_t unit = product->unit[(size_t)from * product->points + to], frame;

			if (unit == LIQUID_NONE)
				continue;
			frame = frame_of(m, from, to) * copies;
			for (uint32_t i = 0; i < units->pairs[unit].count; i++)
				if (!unit_plan_add(plan, frame + i, unit, 1))
					return false;
		}
	return true;
}

static int offer(struct product_method *m, struct liquid_error *err)
{
	struct unit_plan plan = { 0 };
	int status;

	if (make_plan(m, &plan))
		status = quotient_offer(m->solving, &m->product.quotient, &plan, err);
	else
		status = liquid_no_memory(err);
	unit_plan_clear(&plan);
	return status;
}

static int solve_factors(struct product_method *m, struct liquid_error *err)
{
	uint64_t frames;
	int status = LIQUID_OK;

	for (uint32_t f = 0; !status && f < m->factors; f++)
		status = solve_factor(m, &m->factor[f], err);
	frames = frames_of(m);
	if (status || !frames || frames > LIQUID_TRANSFERS_MAX / copies_of(m))
		return status;
	return offer(m, err);
}

/* Without merged dimensions, where the length may then be the lower bound */
static int list_factors(struct product_method *m, struct liquid_error *err)
{
	if (fold_factors(m) || merge_factors(m))
		return LIQUID_OK;
	return liquid_no_memory(err);
}

int method_product(struct solving *solving, struct liquid_error *err)
{
	struct product_method m = { .solving = solving };
	bool found;
	int status = product_find(solving, &m.product, &found, err);

	budget_spend(solving->budget, m.product.work);
	if (!status && found)
		status = list_factors(&m, err);
	if (!status && m.factors > 1 && is_promising(&m))
		status = solve_factors(&m, err);
	else if (!status)
		status = liquid_fail(err, LIQUID_BAD_INPUT,
				     "product: no dimensions that promise a shorter schedule");
	for (uint32_t f = 0; f < m.factors; f++)
		free(m.factor[f].phase);
	product_clear(&m.product);
	return status;
}
