// SPDX-License-Identifier: GPL-2.0-only
/* Draws nested MPI types by a seed, up to a depth, and the runs of bytes that they must have. */
#include "random-type.h"

#define MOST 4

uint64_t draw(uint64_t *state, uint64_t limit)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*state >> 33) % limit;
}

/* Places that grow, or are shuffled; none of the blocks overlap. */
struct blocks {
	int count, even;		/* even: the length of each, where all have one */
	int lengths[MOST], places[MOST];
	MPI_Aint bytes[MOST];
};

static void draw_blocks(uint64_t *state, MPI_Aint extent, struct blocks *b)
{
	int place = (int)draw(state, 3), swap;

	b->count = 1 + (int)draw(state, MOST);
	b->even = 1 + (int)draw(state, 3);
	for (int i = 0; i < b->count; i++) {
		b->lengths[i] = 1 + (int)draw(state, 3);
		b->places[i] = place;
		place += 3 + (int)draw(state, 3);
	}
	swap = (int)draw(state, 2 * (uint64_t)b->count);
	if (swap < b->count) {
		int first = b->places[0];

		b->places[0] = b->places[swap];
		b->places[swap] = first;
	}
	for (int i = 0; i < b->count; i++)
		b->bytes[i] = b->places[i] * extent;
}

static void make_subarray(uint64_t *state, MPI_Datatype old, MPI_Datatype *type)
{
	int dims = 1 + (int)draw(state, 3), sizes[3], parts[3], starts[3];

	for (int i = 0; i < dims; i++) {
		sizes[i] = 1 + (int)draw(state, 5);
		parts[i] = 1 + (int)draw(state, (uint64_t)sizes[i]);
		starts[i] = (int)draw(state, (uint64_t)(sizes[i] - parts[i]) + 1);
	}
	MPI_Type_create_subarray(dims, sizes, parts, starts,
				 draw(state, 2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, old, type);
}

static void make_darray(uint64_t *state, MPI_Datatype old, MPI_Datatype *type)
{
	int dims = 1 + (int)draw(state, 3), sizes[3], how[3], args[3], grid[3], ranks = 1;

	for (int i = 0; i < dims; i++) {
		int kind = (int)draw(state, 4);

		grid[i] = kind == 3 ? 1 : 1 + (int)draw(state, 3);
		sizes[i] = grid[i] * (1 + (int)draw(state, 3));
		how[i] = kind == 3 ? MPI_DISTRIBUTE_NONE : kind == 2 ? MPI_DISTRIBUTE_BLOCK :
			 MPI_DISTRIBUTE_CYCLIC;
		args[i] = kind != 1 ? MPI_DISTRIBUTE_DFLT_DARG : sizes[i] / grid[i];
		ranks *= grid[i];
	}
	MPI_Type_create_darray(ranks, (int)draw(state, (uint64_t)ranks), dims, sizes, how, args,
			       grid, draw(state, 2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, old, type);
}

static void make_struct(uint64_t *state, MPI_Datatype old, const struct blocks *b,
			MPI_Datatype *type)
{
	MPI_Datatype types[MOST], twice;

	MPI_Type_contiguous(2, old, &twice);
	for (int i = 0; i < b->count; i++)
		types[i] = i && draw(state, 4) == 0 ? twice : old;
	/* twice the length might reach the next block: it is laid behind all others */
	MPI_Aint bytes[MOST];

	for (int i = 0; i < b->count; i++)
		bytes[i] = b->bytes[i] * 2;
	MPI_Type_create_struct(b->count, b->lengths, bytes, types, type);
	MPI_Type_free(&twice);
}

static void make_resized(uint64_t *state, MPI_Datatype old, MPI_Datatype *type)
{
	MPI_Aint low, extent;
	int size;

	MPI_Type_size(old, &size);
	MPI_Type_get_extent(old, &low, &extent);
	MPI_Type_create_resized(old, 0, low + extent + size * (MPI_Aint)draw(state, 3), type);
}

static MPI_Datatype wrap(uint64_t *state, MPI_Datatype old)
{
	MPI_Aint low, extent;
	MPI_Datatype type;
	struct blocks b;
	int n = 1 + (int)draw(state, 3), stride = n + (int)draw(state, 3);

	MPI_Type_get_extent(old, &low, &extent);
	draw_blocks(state, extent, &b);
	switch (draw(state, 12)) {
	case 0: MPI_Type_contiguous(n, old, &type); break;
	case 1: MPI_Type_vector(b.count, n, stride, old, &type); break;
	case 2: MPI_Type_create_hvector(b.count, n, stride * extent, old, &type); break;
	case 3: MPI_Type_indexed(b.count, b.lengths, b.places, old, &type); break;
	case 4: MPI_Type_create_hindexed(b.count, b.lengths, b.bytes, old, &type); break;
	case 5: MPI_Type_create_indexed_block(b.count, b.even, b.places, old, &type); break;
	case 6: MPI_Type_create_hindexed_block(b.count, b.even, b.bytes, old, &type); break;
	case 7: make_struct(state, old, &b, &type); break;
	case 8: make_subarray(state, old, &type); break;
	case 9: make_darray(state, old, &type); break;
	case 10: make_resized(state, old, &type); break;
	default: MPI_Type_dup(old, &type); break;
	}
	return type;
}

MPI_Datatype random_type(uint64_t *state, MPI_Datatype base, int depth)
{
	MPI_Datatype type, next;

	MPI_Type_dup(base, &type);
	for (int i = (int)draw(state, (uint64_t)depth + 1); i > 0; i--) {
		next = wrap(state, type);
		MPI_Type_free(&type);
		type = next;
	}
	return type;
}
