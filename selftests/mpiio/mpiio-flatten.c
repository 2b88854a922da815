// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types as runs, judged by the MPI: what MPI_Pack() packs is what a cursor walks over, and what
 * MPI_Unpack() writes of ones into zeros, as SFIO found it out, is where the runs of a view are.
 *
 * usage: mpiio-flatten TYPES SEED
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "types/flatten.h"
#include "random-type.h"

#define COPIES 3
#define ROOM (1 << 22)

static char memory[ROOM], packed[ROOM], walked[ROOM];

/* The runs of @flat, walked by cursors that begin anew at random bytes */
static void walk(const struct flat *flat, uint64_t *state)
{
	int64_t all = flat->size * COPIES, at = 0;

	while (at < all) {
		int64_t end = at + 1 + (int64_t)draw(state, (uint64_t)(all - at));
		struct cursor cursor;

		cursor_seek(&cursor, flat, 0, at);
		while (at < end) {
			struct run run = cursor_next(&cursor, end - at);

			memcpy(walked + at, memory + run.offset, (size_t)run.length);
			at += run.length;
		}
	}
}

static int differs_from_pack(const struct flat *flat, MPI_Datatype type, uint64_t *state)
{
	int place = 0, size;

	MPI_Type_size(type, &size);
	if (size != flat->size)
		return 1;
	MPI_Pack(memory, COPIES, type, packed, ROOM, &place, MPI_COMM_SELF);
	walk(flat, state);
	return place != flat->size * COPIES || memcmp(walked, packed, (size_t)place) != 0;
}

static int differs_from_unpack(const struct flat *flat, MPI_Datatype type)
{
	static char ones[ROOM], found[ROOM];
	int64_t end = flat->runs[flat->count - 1].offset + flat->runs[flat->count - 1].length;
	int place = 0;

	memset(ones, 1, (size_t)flat->size);
	memset(found, 0, (size_t)end + 1);
	MPI_Unpack(ones, (int)flat->size, &place, found, 1, type, MPI_COMM_SELF);
	for (size_t i = 0; i < flat->count; i++) {
		int64_t from = i ? flat->runs[i - 1].offset + flat->runs[i - 1].length : 0;

		for (int64_t at = from; at < flat->runs[i].offset; at++)
			if (found[at])
				return 1;
		for (int64_t n = 0; n < flat->runs[i].length; n++)
			if (!found[flat->runs[i].offset + n])
				return 1;
	}
	return found[end];
}

/* Is flat_below() of a random offset not where cursors come to it? */
static int is_misplaced(const struct flat *flat, uint64_t state)
{
	int64_t base = (int64_t)draw(&state, 1000);
	int64_t limit = base + (int64_t)draw(&state, (uint64_t)(COPIES * flat->extent) + 100);
	int64_t at = flat_below(flat, base, limit);
	struct cursor cursor;

	cursor_seek(&cursor, flat, base, at);
	if (cursor_offset(&cursor) < limit)
		return 1;
	cursor_seek(&cursor, flat, base, at - (at > 0));
	return at > 0 && cursor_offset(&cursor) >= limit;
}

/* Returns false for a type that is too long for the memory here. */
static int fits(MPI_Datatype type)
{
	MPI_Aint low, extent, true_low, true_extent;

	MPI_Type_get_extent(type, &low, &extent);
	MPI_Type_get_true_extent(type, &true_low, &true_extent);
	return (COPIES - 1) * extent + true_low + true_extent < ROOM;
}

int main(int argc, char **argv)
{
	static const MPI_Datatype bases[] = { MPI_BYTE, MPI_INT, MPI_DOUBLE, MPI_SHORT_INT,
					      MPI_DOUBLE_INT };
	uint64_t state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	int types = argc > 1 ? atoi(argv[1]) : 1000, wrong = 0, views = 0, tried = 0, unknown = 0;

	MPI_Init(&argc, &argv);
	for (int i = 0; i < ROOM; i++)
		memory[i] = (char)draw(&state, 256);
	while (tried < types) {
		MPI_Datatype type = random_type(&state, bases[draw(&state, 5)], 4);
		struct flat *flat;

		MPI_Type_commit(&type);
		if (fits(type)) {
			tried++;
			flat = flatten(type);
			unknown += !flat;
			wrong += flat && differs_from_pack(flat, type, &state);
			if (flat && flat_is_view(flat)) {
				views++;
				wrong += differs_from_unpack(flat, type) ||
					 is_misplaced(flat, state);
			}
			flat_free(flat);
		}
		MPI_Type_free(&type);
	}
	printf("types=%d views=%d unknown=%d\nwrong=%d\n", tried, views, unknown, wrong);
	MPI_Finalize();
	return wrong || unknown;
}
