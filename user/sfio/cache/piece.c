// SPDX-License-Identifier: LGPL-2.1-or-later
/* Arithmetic on pieces: from a block of the file, a part of one, its bytes to and fro. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache/piece.h"

/*
 * The bytes before a block, and those before its end, give its begin and end on a subfile,
 * because a file has no holes in its layout.
 */
struct piece piece_of_block(const struct layout *layout, uint32_t subfile,
			    const struct block *block)
{
	uint64_t begin = layout_size(layout, subfile, block->offset);
	uint64_t end = layout_size(layout, subfile, block->offset + block->size);
	uint64_t skip = begin % layout->unit;
	uint64_t first = layout_offset(layout, subfile, begin - skip);

	return (struct piece){
		.subfile = subfile, .at = begin, .length = end - begin, .skip = skip,
		.memory = (uintptr_t)block->memory + (first - block->offset),
		.chunk = layout->unit, .stride = layout->unit * layout->subfiles,
	};
}

struct piece piece_part(const struct piece *piece, uint64_t from, uint64_t length)
{
	struct piece part = *piece;
	uint64_t skip = piece->skip + from;

	part.at += from;
	part.length = length;
	part.memory += skip / piece->chunk * piece->stride;
	part.skip = skip % piece->chunk;
	return part;
}

unsigned char *piece_memory(const struct piece *piece, uint64_t from, uint64_t *bytes)
{
	uint64_t skip = piece->skip + from, inside = skip % piece->chunk;
	uint64_t left = piece->length - from;

	*bytes = left;
	if (piece->stride != piece->chunk && piece->chunk - inside < left)
		*bytes = piece->chunk - inside;
	return (unsigned char *)(piece->memory + skip / piece->chunk * piece->stride + inside);
}

void piece_gather(const struct piece *piece, unsigned char *to)
{
	uint64_t bytes;

	for (uint64_t from = 0; from < piece->length; from += bytes) {
		const unsigned char *memory = piece_memory(piece, from, &bytes);

		memcpy(to + from, memory, bytes);
	}
}

void piece_copy(const struct piece *to, const struct piece *from)
{
	uint64_t bytes, source_bytes;

	for (uint64_t at = 0; at < to->length; at += bytes) {
		unsigned char *memory = piece_memory(to, at, &bytes);
		const unsigned char *source = piece_memory(from, at, &source_bytes);

		if (source_bytes < bytes)
			bytes = source_bytes;
		memmove(memory, source, bytes);
	}
}

int pieces_add(struct pieces *pieces, const struct piece *piece)
{
	if (pieces->count == pieces->room) {
		size_t room = pieces->room * 2 + 16;
		struct piece *more = realloc(pieces->piece, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		pieces->piece = more;
		pieces->room = room;
	}
	pieces->piece[pieces->count++] = *piece;
	return 0;
}

void pieces_free(struct pieces *pieces)
{
	free(pieces->piece);
	*pieces = (struct pieces){ NULL, 0, 0 };
}
