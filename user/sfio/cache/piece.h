/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A piece: bytes that are contiguous in a subfile and, in the user's memory, in chunks at equal
 * distances. A block's part of a subfile is one piece, of any number of units: sorting and
 * merging take no time for them, and MPI gets a vector.
 */
#ifndef LIQUID_SFIO_PIECE_H
#define LIQUID_SFIO_PIECE_H

#include <stddef.h>
#include <stdint.h>

#include "layout/layout.h"

/* The user's request: bytes of the file, contiguous there and in memory */
struct block {
	uint64_t offset, size;
	unsigned char *memory;
};

struct piece {
	uint32_t subfile;
	uint32_t request;		/* number of its block in the call */
	uint64_t at, length;		/* in the subfile */
	uintptr_t memory;		/* begin of the chunk in which the first byte is */
	uint64_t skip;			/* bytes of that chunk before the first byte */
	uint64_t chunk, stride;		/* size of a chunk; from one to the next */
};

/* A list of pieces, in the order of subfile and position once it was sorted */
struct pieces {
	struct piece *piece;
	size_t count, room;
};

/* What @block has on @subfile; a length of 0: nothing */
struct piece piece_of_block(const struct layout *layout, uint32_t subfile,
			    const struct block *block);
/* The @length bytes of @piece from its byte @from on */
struct piece piece_part(const struct piece *piece, uint64_t from, uint64_t length);
/* Memory of byte @from, and in *@bytes how many bytes are contiguous from there on */
unsigned char *piece_memory(const struct piece *piece, uint64_t from, uint64_t *bytes);
/* Copy @piece into contiguous memory. */
void piece_gather(const struct piece *piece, unsigned char *to);
/* Copy what @from and @to, of one length, have in memory. */
void piece_copy(const struct piece *to, const struct piece *from);

/* Returns 0 or -ENOMEM. */
int pieces_add(struct pieces *pieces, const struct piece *piece);
void pieces_free(struct pieces *pieces);

#endif
