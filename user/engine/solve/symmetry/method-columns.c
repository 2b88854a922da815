// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * columns: receivers whose routes part from all senders alike, and frames by halves
 *
 * In a fat tree whose tables choose the way up by the receiver, the receivers with the same way up
 * form a *column*. A *row* of twin senders (those of a switch) has a link up for the columns that
 * begin alike, and the switches above have a link for each column: the capacities of rows and of
 * columns form two nests, and frames are found without a search (see halving.h). Every subset of
 * the hosts has these nests, even if its routes have no other regularity. Single hosts are named
 * in the end, as for other groups of twins.
 *
 * A receiver near the sender is reached without some of these links. Here it is taken to use all
 * links that its row uses for the column, so that receivers of a column are alike. If that needs as
 * many frames as the best schedule so far has, the method does nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "problem/union-find.h"
#include "solve/methods.h"
#include "solve/symmetry/halving.h"
#include "solve/symmetry/structure.h"

/* A table of rows and columns is not made larger. */
#define TABLE_MAX (UINT64_C(1) << 26)

/* Links are numbered: rows, columns, links between. */
struct columns {
	/* Of rows and receivers; its arrays belong to the problem */
	struct quotient rows;
	struct quotient both;		/* of rows and columns; the rows are those of @rows */
	uint32_t *column;		/* by receiver of @rows */
	uint32_t *number;		/* by row and column: its unit of @both + 1; 0: none */
	uint32_t *row_end, *receiver_end;	/* by link of @rows: its only one, or MANY */
	uint32_t links;
	uint32_t *begin, *end, *user;	/* by link, and the units of @both that use it */
	uint32_t *seen;			/* by unit of @both: the last link that had it, plus 1 */
	uint32_t sets, *set_link;	/* by set: its link */
	uint32_t *inner[2], *parent, *capacity;	/* of the nests */
};

#define MANY (LIQUID_NONE - 1)

static void *array(uint64_t count, size_t size)
{
	return calloc(count + 1, size);
}

static void columns_clear(struct columns *c)
{
	free(c->both.units.own_pairs);
	free(c->both.receiver_group);
	free(c->both.receiver_size);
	free(c->both.receiver_limit);
	free(c->both.self);
	free(c->column);
	free(c->number);
	free(c->row_end);
	free(c->receiver_end);
	free(c->begin);
	free(c->end);
	free(c->user);
	free(c->seen);
	free(c->set_link);
	free(c->inner[0]);
	free(c->inner[1]);
	free(c->parent);
	free(c->capacity);
}

/* ---- columns ---- */

static void note_end(uint32_t *end, uint32_t group)
{
	*end = *end == LIQUID_NONE || *end == group ? group : MANY;
}

static void find_ends(struct columns *c)
{
	const struct routes *units = &c->rows.units;

	memset(c->row_end, 0xff, units->link_count * sizeof(*c->row_end));
	memset(c->receiver_end, 0xff, units->link_count * sizeof(*c->receiver_end));
	for (uint32_t u = 0; u < units->pair_count; u++)
		for (uint32_t i = units->first[u]; i < units->first[u + 1]; i++) {
			note_end(&c->row_end[units->links[i]], units->pairs[u].src);
			note_end(&c->receiver_end[units->links[i]], units->pairs[u].dst);
		}
}

/* Receivers behind one link of several rows are of one column; @sample: by link, one of them. */
static void join_receivers(struct columns *c, uint32_t *sample)
{
	const struct routes *units = &c->rows.units;

	for (uint32_t r = 0; r < c->rows.receivers; r++)
		c->column[r] = r;
	for (uint32_t u = 0; u < units->pair_count; u++)
		for (uint32_t i = units->first[u] + 2; i < units->first[u + 1]; i++) {
			uint32_t link = units->links[i], to = units->pairs[u].dst;

			if (c->row_end[link] != MANY || c->receiver_end[link] != MANY)
				continue;
			if (sample[link])
				join(c->column, sample[link] - 1, to);
			sample[link] = to + 1;
		}
}

/* Fill in the receivers of c->both; false: those of a column differ in what they take. */
static bool group_receivers(struct columns *c)
{
	const struct quotient *rows = &c->rows;
	struct quotient *both = &c->both;

	for (uint32_t h = 0; h < rows->hosts; h++)
		both->receiver_group[h] = rows->receiver_group[h] == LIQUID_NONE ? LIQUID_NONE :
					  c->column[rows->receiver_group[h]];
	for (uint32_t r = 0; r < rows->receivers; r++) {
		uint32_t *limit = &both->receiver_limit[c->column[r]];

		both->receiver_size[c->column[r]] += rows->receiver_size[r];
		if (rows->receiver_size[r] != 1 || (*limit && *limit != rows->receiver_limit[r]))
			return false;
		*limit = rows->receiver_limit[r];
	}
	return true;
}

/* ---- units ---- */

/* Gather the units of rows and columns; @part: by unit, that of one receiver. */
static bool gather_units(struct columns *c, uint32_t *part)
{
	const struct quotient *rows = &c->rows;
	struct routes *units = &c->both.units;

	for (uint32_t u = 0; u < rows->units.pair_count; u++) {
		const struct liquid_pair *ends = &rows->units.pairs[u];
		uint32_t column = c->column[ends->dst], all = ends->count + rows->self[u];
		uint32_t *unit = &c->number[(size_t)ends->src * c->both.receivers + column];

		if (!*unit) {
			units->own_pairs[units->pair_count] =
				(struct liquid_pair){ ends->src, column, 0 };
			part[units->pair_count] = all;
			*unit = ++units->pair_count;
		}
		if (part[*unit - 1] != all)
			return false;
		units->own_pairs[*unit - 1].count += ends->count;
	}
	return true;
}

/*
 * Single hosts can be named only if all pairs of a row and a column are equally frequent, except
 * those of a host and itself.
 */
static bool are_complete(struct columns *c, const uint32_t *part)
{
	struct quotient *both = &c->both;

	for (uint32_t h = 0; h < both->hosts; h++) {
		uint32_t row = both->sender_group[h], column = both->receiver_group[h];

		if (row == LIQUID_NONE || column == LIQUID_NONE ||
		    !c->number[(size_t)row * both->receivers + column])
			continue;
		both->self[c->number[(size_t)row * both->receivers + column] - 1]++;
	}
	for (uint32_t u = 0; u < both->units.pair_count; u++) {
		const struct liquid_pair *ends = &both->units.pairs[u];
		uint64_t all = (uint64_t)part[u] * both->receiver_size[ends->dst];

		if (ends->count + (uint64_t)both->self[u] != all ||
		    (both->self[u] && part[u] != both->sender_size[ends->src]))
			return false;
	}
	return true;
}

/* ---- links ---- */

/* Whether one row or one receiver alone uses @link, and no more than the link has room for. */
static bool is_spare(const struct columns *c, uint32_t link)
{
	const struct routes *units = &c->rows.units;
	uint32_t row = c->row_end[link], receiver = c->receiver_end[link];

	return (row != MANY && units->capacity[link] >= units->capacity[row]) ||
	       (receiver != MANY &&
		units->capacity[link] >= units->capacity[c->rows.senders + receiver]);
}

/* The number of an inner link of @rows */
static uint32_t link_of(const struct columns *c, uint32_t link)
{
	return link - c->rows.receivers + c->both.receivers;
}

/* Call @add for each link that a unit uses for any of its receivers. */
static void each_use(struct columns *c,
		     void (*add)(struct columns *c, uint32_t link, uint32_t unit))
{
	const struct routes *units = &c->rows.units;

	for (uint32_t u = 0; u < units->pair_count; u++) {
		uint32_t row = units->pairs[u].src, column = c->column[units->pairs[u].dst];
		uint32_t unit = c->number[(size_t)row * c->both.receivers + column] - 1;

		add(c, row, unit);
		add(c, c->rows.senders + column, unit);
		for (uint32_t i = units->first[u] + 2; i < units->first[u + 1]; i++)
			if (!is_spare(c, units->links[i]))
				add(c, link_of(c, units->links[i]), unit);
	}
}

static void count_use(struct columns *c, uint32_t link, uint32_t unit)
{
	(void)unit;
	c->begin[link + 1]++;
}

static void place_use(struct columns *c, uint32_t link, uint32_t unit)
{
	c->user[c->end[link]++] = unit;
}

/* List the units of each link, each once. */
static void list_users(struct columns *c)
{
	each_use(c, count_use);
	for (uint32_t link = 0; link < c->links; link++) {
		c->begin[link + 1] += c->begin[link];
		c->end[link] = c->begin[link];
	}
	each_use(c, place_use);
	for (uint32_t link = 0; link < c->links; link++) {
		uint32_t kept = c->begin[link];

		for (uint32_t i = c->begin[link]; i < c->end[link]; i++)
			if (c->seen[c->user[i]] != link + 1) {
				c->seen[c->user[i]] = link + 1;
				c->user[kept++] = c->user[i];
			}
		c->end[link] = kept;
	}
}

static uint32_t capacity_of(const struct columns *c, uint32_t link)
{
	const struct quotient *both = &c->both;
	uint32_t column = link - c->rows.senders;

	if (link < c->rows.senders)
		return c->rows.units.capacity[link];
	if (column < both->receivers)
		return both->receiver_size[column] * both->receiver_limit[column];
	return c->rows.units.capacity[link - both->receivers + c->rows.receivers];
}

/* ---- nests ---- */

/* 0: all units of @link are of one row, 1: of one column, 2: neither. */
static int nest_of(const struct columns *c, uint32_t link)
{
	const struct liquid_pair *pairs = c->both.units.pairs, *first;
	bool row = true, column = true;

	first = &pairs[c->user[c->begin[link]]];
	for (uint32_t i = c->begin[link]; i < c->end[link]; i++) {
		row &= pairs[c->user[i]].src == first->src;
		column &= pairs[c->user[i]].dst == first->dst;
	}
	return row ? 0 : column ? 1 : 2;
}

static uint32_t size_of(const struct columns *c, uint32_t link)
{
	return c->end[link] - c->begin[link];
}

/* Number the sets: the links that units use, those of few units first (a counting sort). */
static bool order_sets(struct columns *c)
{
	uint32_t units = c->both.units.pair_count;
	uint32_t *first = array((uint64_t)units + 1, sizeof(*first));

	if (!first)
		return false;
	for (uint32_t link = 0; link < c->links; link++)
		if (size_of(c, link)) {
			first[size_of(c, link) + 1]++;
			c->sets++;
		}
	for (uint32_t size = 0; size < units; size++)
		first[size + 1] += first[size];
	for (uint32_t link = 0; link < c->links; link++)
		if (size_of(c, link))
			c->set_link[first[size_of(c, link)]++] = link;
	free(first);
	return true;
}

/*
 * Add a set to a nest; @top: by unit, the largest set so far that holds it. False: the set holds
 * some units of another set and not all.
 */
static bool add_set(struct columns *c, uint32_t set, uint32_t *top, uint32_t *inner)
{
	uint32_t link = c->set_link[set], covered = 0;

	for (uint32_t i = c->begin[link]; i < c->end[link]; i++) {
		uint32_t unit = c->user[i], child = top[unit];

		if (child == LIQUID_NONE) {
			inner[unit] = set;
			covered++;
		} else if (c->parent[child] == LIQUID_NONE) {
			c->parent[child] = set;
			covered += size_of(c, c->set_link[child]);
		}
		top[unit] = set;
	}
	c->parent[set] = LIQUID_NONE;
	c->capacity[set] = capacity_of(c, link);
	return covered == size_of(c, link);
}

/* Sets *@found to false if the links do not form two nests. */
static bool build_nests(struct columns *c, bool *found)
{
	uint32_t units = c->both.units.pair_count;
	uint32_t *top[2] = { array(units, sizeof(**top)), array(units, sizeof(**top)) };
	bool memory;

	c->inner[0] = array(units, sizeof(**c->inner));
	c->inner[1] = array(units, sizeof(**c->inner));
	memory = top[0] && top[1] && c->inner[0] && c->inner[1] && order_sets(c);
	*found = memory;
	if (memory) {
		memset(top[0], 0xff, units * sizeof(**top));
		memset(top[1], 0xff, units * sizeof(**top));
		memset(c->inner[0], 0xff, units * sizeof(**c->inner));
		memset(c->inner[1], 0xff, units * sizeof(**c->inner));
	}
	for (uint32_t set = 0; *found && set < c->sets; set++) {
		int nest = nest_of(c, c->set_link[set]);

		*found = nest < 2 && add_set(c, set, top[nest], c->inner[nest]);
	}
	free(top[0]);
	free(top[1]);
	return memory;
}

/* Frames that the fullest link needs. */
static uint32_t length_of(const struct columns *c)
{
	uint64_t length = 0;

	for (uint32_t set = 0; set < c->sets; set++) {
		uint32_t link = c->set_link[set];
		uint64_t load = 0, frames;

		for (uint32_t i = c->begin[link]; i < c->end[link]; i++)
			load += c->both.units.pairs[c->user[i]].count;
		frames = (load + c->capacity[set] - 1) / c->capacity[set];
		length = frames > length ? frames : length;
	}
	return length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
}

/* ---- the method ---- */

static bool columns_new(struct columns *c)
{
	const struct quotient *rows = &c->rows;
	uint32_t links = rows->units.link_count;
	size_t uses = rows->units.first[rows->units.pair_count];

	c->both.hosts = rows->hosts;
	c->both.senders = rows->senders;
	c->both.repeat = rows->repeat;
	c->both.sender_group = rows->sender_group;
	c->both.sender_size = rows->sender_size;
	c->both.sender_limit = rows->sender_limit;
	c->both.receiver_group = array(rows->hosts, sizeof(uint32_t));
	c->both.receiver_size = array(rows->receivers, sizeof(uint32_t));
	c->both.receiver_limit = array(rows->receivers, sizeof(uint32_t));
	c->both.self = array(rows->units.pair_count, sizeof(uint32_t));
	c->both.units.own_pairs = array(rows->units.pair_count, sizeof(struct liquid_pair));
	c->both.units.pairs = c->both.units.own_pairs;
	c->column = array(rows->receivers, sizeof(*c->column));
	c->row_end = array(links, sizeof(*c->row_end));
	c->receiver_end = array(links, sizeof(*c->receiver_end));
	c->begin = array(links, sizeof(*c->begin));
	c->end = array(links, sizeof(*c->end));
	c->user = array(uses, sizeof(*c->user));
	c->seen = array(rows->units.pair_count, sizeof(*c->seen));
	c->set_link = array(links, sizeof(*c->set_link));
	c->parent = array(links, sizeof(*c->parent));
	c->capacity = array(links, sizeof(*c->capacity));
	return c->both.receiver_group && c->both.receiver_size && c->both.receiver_limit &&
	       c->both.self && c->both.units.own_pairs && c->column && c->row_end &&
	       c->receiver_end && c->begin && c->end && c->user && c->seen && c->set_link &&
	       c->parent && c->capacity;
}

/*
 * Find the columns and their units; sets *@found to false if receivers of a column differ. In most
 * other fabrics all receivers are of one column, which says nothing of them.
 */
static bool find_columns(struct columns *c, bool *found)
{
	uint32_t *sample = array(c->rows.units.link_count, sizeof(*sample));
	uint32_t *part = array(c->rows.units.pair_count, sizeof(*part));
	bool memory = sample && part;

	*found = false;
	if (memory) {
		find_ends(c);
		join_receivers(c, sample);
		c->both.receivers = number_sets(c->column, c->rows.receivers);
		c->links = c->rows.units.link_count - c->rows.receivers + c->both.receivers;
		*found = (c->both.receivers > 1 || c->rows.receivers == 1) && group_receivers(c) &&
			 (uint64_t)c->rows.senders * c->both.receivers <= TABLE_MAX;
	}
	if (*found) {
		c->number = array((uint64_t)c->rows.senders * c->both.receivers,
				  sizeof(*c->number));
		memory = c->number;
	}
	*found = *found && memory && gather_units(c, part) && are_complete(c, part);
	free(sample);
	free(part);
	return memory;
}

static int solve(struct columns *c, struct solving *solving, struct liquid_error *err)
{
	uint32_t units = c->both.units.pair_count, length = length_of(c);
	uint32_t *count = array(units, sizeof(*count));
	struct halving halving = { .units = units, .sets = c->sets, .count = count,
				   .inner = { c->inner[0], c->inner[1] },
				   .parent = c->parent, .capacity = c->capacity };
	struct unit_plan plan = { 0 };
	bool found = false;
	int status = LIQUID_OK;

	if (!count)
		return liquid_no_memory(err);
	routes_counts(&c->both.units, count);
	if (!solving->length || (uint64_t)length * c->both.repeat < solving->length)
		status = halving_solve(&halving, length, solving->budget, &plan, &found, err);
	if (!status && found)
		status = quotient_offer(solving, &c->both, &plan, err);
	unit_plan_clear(&plan);
	free(count);
	return status;
}

static int run(struct columns *c, struct solving *solving, struct liquid_error *err)
{
	bool found = true, memory = columns_new(c) && find_columns(c, &found);

	if (memory && found) {
		list_users(c);
		memory = build_nests(c, &found);
	}
	if (!memory)
		return liquid_no_memory(err);
	if (!found)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "columns: the receivers have no columns whose links are nested");
	return solve(c, solving, err);
}

int method_columns(struct solving *solving, struct liquid_error *err)
{
	struct columns c = { 0 };
	const struct quotient *rows;
	int status = structure_twins(solving, &rows, err);

	if (status)
		return status;
	if (!rows)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "columns: the routes of the hosts do not fall into groups");
	c.rows = *rows;
	status = run(&c, solving, err);
	columns_clear(&c);
	return status;
}
