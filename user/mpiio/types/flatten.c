// SPDX-License-Identifier: LGPL-2.1-or-later
/* Walks a type by MPI_Type_get_contents, constructor after constructor. */
#include <stdlib.h>

#include "types/flatten.h"

/* The parts of a type */
struct contents {
	int combiner, ints, addresses, types;	/* counts of those */
	int *i;
	MPI_Aint *a;
	MPI_Datatype *d;
};

/* One call of a type's constructor, as the walk below needs it */
struct walk {
	struct flat *flat;
	const struct flat *old;
	int64_t extent;			/* of the old type, bytes */
};

/* ---- named types ---- */

static bool is_leaf(int combiner)
{
	return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
	       combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

/* Of the pairs for MINLOC one alone has a hole. */
static bool add_leaf(struct flat *flat, MPI_Datatype type)
{
	MPI_Aint low, extent;
	int size;

	if (type == MPI_SHORT_INT)
		return flat_add(flat, 0, sizeof(short)) &&
		       flat_add(flat, offsetof(struct { short s; int i; }, i), sizeof(int));
	return !PMPI_Type_size(type, &size) && !PMPI_Type_get_true_extent(type, &low, &extent) &&
	       !low && size == extent && flat_add(flat, 0, size);
}

/* ---- contents ---- */

/* False also for types made by large counts, whose contents MPI returns in another form. */
static bool read_envelope(MPI_Datatype type, struct contents *c)
{
#if MPI_VERSION >= 4
	MPI_Count ints, addresses, large, types;

	if (PMPI_Type_get_envelope_c(type, &ints, &addresses, &large, &types, &c->combiner) ||
	    large)
		return false;
#endif
	return !PMPI_Type_get_envelope(type, &c->ints, &c->addresses, &c->types, &c->combiner);
}

static void free_contents(struct contents *c)
{
	for (int i = 0; c->d && i < c->types; i++) {
		struct contents old = { 0 };

		if (c->d[i] != MPI_DATATYPE_NULL &&
		    (!read_envelope(c->d[i], &old) || !is_leaf(old.combiner)))
			PMPI_Type_free(&c->d[i]);
	}
	free(c->i);
	free(c->a);
	free(c->d);
}

static bool read_contents(MPI_Datatype type, struct contents *c)
{
	c->i = calloc((size_t)c->ints + 1, sizeof(c->i[0]));
	c->a = calloc((size_t)c->addresses + 1, sizeof(c->a[0]));
	c->d = calloc((size_t)c->types + 1, sizeof(c->d[0]));
	if (c->i && c->a && c->d && !PMPI_Type_get_contents(type, c->ints, c->addresses, c->types,
							    c->i, c->a, c->d))
		return true;
	free(c->d);
	c->d = NULL;
	return false;
}

/* ---- constructors ---- */

static bool add_blocks(const struct walk *w, int64_t at, int64_t count)
{
	return flat_add_copies(w->flat, w->old, at, count, w->extent);
}

/* @stride in bytes */
static bool add_vector(const struct walk *w, const int *i, int64_t stride)
{
	for (int64_t n = 0; n < i[0]; n++)
		if (!add_blocks(w, n * stride, i[1]))
			return false;
	return true;
}

/* Places in extents, or in bytes if there are addresses; one length for all blocks, or one each */
static bool add_indexed(const struct walk *w, const struct contents *c, bool even)
{
	const int *lengths = c->i + 1, *places = c->i + (even ? 2 : 1 + c->i[0]);

	for (int n = 0; n < c->i[0]; n++) {
		int64_t at = c->addresses ? (int64_t)c->a[n] : places[n] * w->extent;

		if (!add_blocks(w, at, lengths[even ? 0 : n]))
			return false;
	}
	return true;
}

/* A part of an array: in each dimension, from the slowest on, some of the indices */
struct array {
	const struct walk *walk;
	int dims;
	bool c_order;
	const int *sizes;
	/* A part of MPI_Type_create_subarray: */
	const int *part, *start;
	/* Or of MPI_Type_create_darray: blocks dealt to the processes of a grid by turns */
	int64_t block[64], turn[64], own[64];
};

static bool has_index(const struct array *a, int dim, int64_t index)
{
	if (a->part)
		return index >= a->start[dim] && index < a->start[dim] + a->part[dim];
	return index / a->block[dim] % a->turn[dim] == a->own[dim];
}

/* @at: index of all dimensions before @level, as if the array had one; @level 0 is the slowest. */
static bool add_array(const struct array *a, int level, int64_t at)
{
	int dim = a->c_order ? level : a->dims - 1 - level;

	for (int64_t n = 0; n < a->sizes[dim]; n++) {
		int64_t here = at * a->sizes[dim] + n;

		if (!has_index(a, dim, n))
			continue;
		if (level + 1 < a->dims ? !add_array(a, level + 1, here) :
		    !add_blocks(a->walk, here * a->walk->extent, 1))
			return false;
	}
	return true;
}

static bool add_subarray(const struct walk *w, const int *i)
{
	struct array array = {
		.walk = w, .dims = i[0], .sizes = i + 1, .part = i + 1 + i[0],
		.start = i + 1 + 2 * i[0], .c_order = i[1 + 3 * i[0]] == MPI_ORDER_C,
	};

	return add_array(&array, 0, 0);
}

/* Block N of a dimension belongs to process N modulo the grid's size in it. */
static void deal(struct array *a, int dim, int how, int arg, int64_t size, int64_t own)
{
	int64_t block = how == MPI_DISTRIBUTE_CYCLIC ? 1 : (a->sizes[dim] + size - 1) / size;

	a->block[dim] = arg == MPI_DISTRIBUTE_DFLT_DARG || how == MPI_DISTRIBUTE_NONE ? block : arg;
	a->turn[dim] = size;
	a->own[dim] = own;
}

/* The grid's processes are counted as C's indices are, in both orders. */
static bool add_darray(const struct walk *w, const int *i)
{
	struct array array = { .walk = w, .dims = i[2], .sizes = i + 3 };
	const int *how = i + 3 + i[2], *args = how + i[2], *grid = args + i[2];
	int64_t rank = i[1];

	if (array.dims > 64)
		return false;
	array.c_order = grid[array.dims] == MPI_ORDER_C;
	for (int dim = array.dims - 1; dim >= 0; dim--) {
		deal(&array, dim, how[dim], args[dim], grid[dim], rank % grid[dim]);
		rank /= grid[dim];
	}
	return add_array(&array, 0, 0);
}

static bool add_one_type(const struct walk *w, const struct contents *c)
{
	switch (c->combiner) {
	case MPI_COMBINER_DUP:
	case MPI_COMBINER_RESIZED:
		return add_blocks(w, 0, 1);
	case MPI_COMBINER_CONTIGUOUS:
		return add_blocks(w, 0, c->i[0]);
	case MPI_COMBINER_VECTOR:
		return add_vector(w, c->i, c->i[2] * w->extent);
	case MPI_COMBINER_HVECTOR:
		return add_vector(w, c->i, c->a[0]);
	case MPI_COMBINER_INDEXED:
	case MPI_COMBINER_HINDEXED:
		return add_indexed(w, c, false);
	case MPI_COMBINER_INDEXED_BLOCK:
	case MPI_COMBINER_HINDEXED_BLOCK:
		return add_indexed(w, c, true);
	case MPI_COMBINER_SUBARRAY:
		return add_subarray(w, c->i);
	case MPI_COMBINER_DARRAY:
		return add_darray(w, c->i);
	default:
		return false;
	}
}

/* ---- types ---- */

static bool add_struct(struct flat *flat, const struct contents *c)
{
	bool good = true;

	for (int n = 0; n < c->i[0] && good; n++) {
		struct flat *old = flatten(c->d[n]);

		good = old && flat_add_copies(flat, old, c->a[n], c->i[1 + n], old->extent);
		flat_free(old);
	}
	return good;
}

static bool add_derived(struct flat *flat, const struct contents *c)
{
	struct flat *old;
	bool good;

	if (c->combiner == MPI_COMBINER_STRUCT)
		return add_struct(flat, c);
	old = c->types == 1 ? flatten(c->d[0]) : NULL;
	good = old && add_one_type(&(struct walk){ flat, old, old->extent }, c);
	flat_free(old);
	return good;
}

static bool add_type(struct flat *flat, MPI_Datatype type)
{
	struct contents c = { 0 };
	bool good;

	if (!read_envelope(type, &c))
		return false;
	if (is_leaf(c.combiner))
		return add_leaf(flat, type);
	good = read_contents(type, &c) && add_derived(flat, &c);
	free_contents(&c);
	return good;
}

struct flat *flatten(MPI_Datatype type)
{
	struct flat *flat = flat_make();
	MPI_Aint low, extent;

	if (flat && add_type(flat, type) && !PMPI_Type_get_extent(type, &low, &extent) &&
	    flat_finish(flat, extent))
		return flat;
	flat_free(flat);
	return NULL;
}
