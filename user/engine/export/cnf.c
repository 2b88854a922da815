// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writing "are K frames enough?" as a DIMACS CNF file
 *
 * Variable 1 + p K + f: pair p has a transfer in frame f. A link carries at most its
 * capacity in a frame; a pair has at least as many frames as it has units. Both are
 * encoded by sequential counters (Sinz, Towards an Optimal CNF Encoding of Boolean
 * Cardinality Constraints, 2005). Frames are interchangeable, so the transfers of the
 * fullest link of capacity 1, which need different frames, get the first frames in order.
 * Any SAT solver can prove that K frames are not enough, and any checker can check its
 * proof.
 */
#include <stdlib.h>

#include "export/export.h"

#define PAIRWISE_MAX 5			/* most literals to encode "at most one" pair by pair */

struct cnf {
	struct export export;
	bool writing;			/* false: only count */
	uint64_t variables, clauses;
	int64_t *literals;		/* literals of the current constraint */
};

static void put_literal(struct cnf *cnf, int64_t literal)
{
	if (cnf->writing)
		fprintf(cnf->export.out, "%lld ", (long long)literal);
}

static void end_clause(struct cnf *cnf)
{
	cnf->clauses++;
	if (cnf->writing)
		fputs("0\n", cnf->export.out);
}

/* Write a clause of up to three literals; @b and @c may be 0: no literal. */
static void put_clause(struct cnf *cnf, int64_t a, int64_t b, int64_t c)
{
	put_literal(cnf, a);
	if (b)
		put_literal(cnf, b);
	if (c)
		put_literal(cnf, c);
	end_clause(cnf);
}

static int64_t variable(const struct cnf *cnf, uint32_t pair, uint32_t frame)
{
	return 1 + (int64_t)pair * cnf->export.frames + frame;
}

static void at_most_one_pairwise(struct cnf *cnf, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < i; j++)
			put_clause(cnf, -cnf->literals[i], -cnf->literals[j], 0);
}

/*
 * At most @most of @count literals are true. Variable s(i, j), i < count - 1, j < most: of the
 * literals 0 ... i more than j are true. These are new variables, numbered row by row.
 */
static void count_up(struct cnf *cnf, uint32_t count, uint32_t most)
{
	int64_t base = (int64_t)cnf->variables + 1;

	cnf->variables += (uint64_t)(count - 1) * most;
	for (uint32_t i = 0; i < count; i++) {
		int64_t row = base + (int64_t)i * most, above = row - most;

		if (i)		/* literal i would be one too many */
			put_clause(cnf, -cnf->literals[i], -(above + most - 1), 0);
		if (i == count - 1)
			break;
		put_clause(cnf, -cnf->literals[i], row, 0);
		for (uint32_t j = 0; i && j < most; j++) {
			put_clause(cnf, -(above + j), row + j, 0);
			if (j)
				put_clause(cnf, -cnf->literals[i], -(above + j - 1), row + j);
		}
	}
}

/* At most @most of literals[0 ... count - 1] are true. */
static void at_most(struct cnf *cnf, uint32_t count, uint32_t most)
{
	if (most >= count)
		return;
	if (!most)
		for (uint32_t i = 0; i < count; i++)
			put_clause(cnf, -cnf->literals[i], 0, 0);
	else if (most == 1 && count <= PAIRWISE_MAX)
		at_most_one_pairwise(cnf, count);
	else
		count_up(cnf, count, most);
}

/* A pair of one unit: a clause with all frames. More units: limit the frames without the pair. */
static void place_pair(struct cnf *cnf, uint32_t pair)
{
	uint32_t frames = cnf->export.frames, count = cnf->export.routes->pairs[pair].count;

	if (count == 1 || count > frames) {
		for (uint32_t frame = 0; count == 1 && frame < frames; frame++)
			put_literal(cnf, variable(cnf, pair, frame));
		end_clause(cnf);	/* the empty clause if the pair needs too many frames */
		return;
	}
	for (uint32_t frame = 0; frame < frames; frame++)
		cnf->literals[frame] = -variable(cnf, pair, frame);
	at_most(cnf, frames, frames - count);
}

static void confine_link(struct cnf *cnf, uint32_t link, uint32_t frame)
{
	const struct routes_inverse *inverse = &cnf->export.inverse;
	uint32_t count = 0;

	for (uint32_t i = inverse->first[link]; i < inverse->first[link + 1]; i++)
		cnf->literals[count++] = variable(cnf, inverse->pairs[i], frame);
	at_most(cnf, count, cnf->export.routes->capacity[link]);
}

static void break_symmetry(struct cnf *cnf)
{
	const struct routes_inverse *inverse = &cnf->export.inverse;
	uint32_t link = export_fullest(&cnf->export), frame = 0;

	if (link == LIQUID_NONE)
		return;
	for (uint32_t i = inverse->first[link]; i < inverse->first[link + 1]; i++) {
		uint32_t pair = inverse->pairs[i];

		for (uint32_t unit = 0; unit < cnf->export.routes->pairs[pair].count; unit++) {
			if (frame == cnf->export.frames)
				return;
			put_clause(cnf, variable(cnf, pair, frame++), 0, 0);
		}
	}
}

static void put_formula(struct cnf *cnf, bool writing)
{
	const struct routes *routes = cnf->export.routes;

	cnf->writing = writing;
	cnf->variables = (uint64_t)routes->pair_count * cnf->export.frames;
	cnf->clauses = 0;
	break_symmetry(cnf);
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		place_pair(cnf, pair);
	for (uint32_t link = 0; link < routes->link_count; link++)
		for (uint32_t frame = 0; frame < cnf->export.frames; frame++)
			confine_link(cnf, link, frame);
}

static void write_head(struct cnf *cnf)
{
	struct export *export = &cnf->export;
	const struct routes *routes = export->routes;

	export_origin(export);
	export_note(export, "satisfiable if and only if %u frames are enough", export->frames);
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		export_note(export, "variables %lld ... %lld: %s>%s (%u) in frame 0 ... %u",
			    (long long)variable(cnf, pair, 0),
			    (long long)variable(cnf, pair, export->frames - 1),
			    liquid_fabric_node_name(export->fabric, routes->pairs[pair].src),
			    liquid_fabric_node_name(export->fabric, routes->pairs[pair].dst),
			    routes->pairs[pair].count, export->frames - 1);
	fprintf(export->out, "p cnf %llu %llu\n", (unsigned long long)cnf->variables,
		(unsigned long long)cnf->clauses);
}

static int write_formula(struct cnf *cnf, struct liquid_error *err)
{
	put_formula(cnf, false);
	if (cnf->variables > INT32_MAX || cnf->clauses > INT32_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%llu variables in %llu clauses are more than SAT solvers read",
				   (unsigned long long)cnf->variables,
				   (unsigned long long)cnf->clauses);
	write_head(cnf);
	put_formula(cnf, true);
	return export_flush(&cnf->export, err);
}

int export_cnf(const struct export *export, const struct liquid_traffic *traffic,
	       struct liquid_error *err)
{
	struct cnf cnf = { .export = *export };
	int status = export_check_size(export, err);

	(void)traffic;
	if (!export->frames)
		return liquid_fail(err, LIQUID_BAD_INPUT, "a CNF model needs at least 1 frame");
	if (status)
		return status;
	cnf.literals = calloc((size_t)export->routes->pair_count + export->frames + 1,
			      sizeof(*cnf.literals));
	status = cnf.literals ? write_formula(&cnf, err) : liquid_no_memory(err);
	free(cnf.literals);
	return status;
}
