// SPDX-License-Identifier: LGPL-2.1-or-later
/* Builds an MPI struct type of vectors and bytes from the spans and pieces of a message. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "wire/type.h"

/* What MPI_Type_create_struct() takes */
struct parts {
	int *count;
	MPI_Aint *at;
	MPI_Datatype *type;
	int parts;
	bool vectors;
};

static bool parts_new(struct parts *parts, size_t room)
{
	parts->count = malloc(room * sizeof(*parts->count));
	parts->at = malloc(room * sizeof(*parts->at));
	parts->type = malloc(room * sizeof(*parts->type));
	return parts->count && parts->at && parts->type;
}

static void parts_free(struct parts *parts)
{
	for (int i = 0; i < parts->parts; i++)
		if (parts->type[i] != MPI_BYTE)
			MPI_Type_free(&parts->type[i]);
	free(parts->count);
	free(parts->at);
	free(parts->type);
}

static void type_add(struct parts *parts, const void *from, int count, MPI_Datatype type)
{
	if (!count)
		return;
	parts->count[parts->parts] = count;
	MPI_Get_address(from, &parts->at[parts->parts]);
	parts->type[parts->parts++] = type;
}

static int add_vector(struct parts *parts, const struct piece *piece, uint64_t from,
		      uint64_t chunks)
{
	MPI_Datatype vector;
	uint64_t bytes;

	if (MPI_Type_create_hvector((int)chunks, (int)piece->chunk, (MPI_Aint)piece->stride,
				    MPI_BYTE, &vector))
		return -EIO;
	type_add(parts, piece_memory(piece, from, &bytes), 1, vector);
	parts->vectors = true;
	return 0;
}

/* The rest of the first chunk, then whole chunks, then the begin of the last one */
static int add_piece(struct parts *parts, const struct piece *piece)
{
	uint64_t head, chunks, from, tail;
	const void *memory = piece_memory(piece, 0, &head);
	int error = 0;

	type_add(parts, memory, (int)head, MPI_BYTE);
	if (head == piece->length)
		return 0;
	chunks = (piece->length - head) / piece->chunk;
	if (chunks)
		error = add_vector(parts, piece, head, chunks);
	from = head + chunks * piece->chunk;
	if (from < piece->length && !error) {
		memory = piece_memory(piece, from, &tail);
		type_add(parts, memory, (int)tail, MPI_BYTE);
	}
	return error;
}

static int commit(const struct parts *parts, MPI_Datatype *type)
{
	int code;

	if (parts->vectors)
		code = MPI_Type_create_struct(parts->parts, parts->count, parts->at, parts->type,
					      type);
	else
		code = MPI_Type_create_hindexed(parts->parts, parts->count, parts->at, MPI_BYTE,
						type);
	return code || MPI_Type_commit(type) ? -EIO : 0;
}

int type_new(const struct span *span, size_t spans, const struct pieces *pieces,
	     MPI_Datatype *type)
{
	struct parts parts = { .parts = 0 };
	size_t count = pieces ? pieces->count : 0;
	int error = parts_new(&parts, spans + 3 * count + 1) ? 0 : -ENOMEM;

	*type = MPI_DATATYPE_NULL;
	for (size_t i = 0; i < spans && !error; i++)
		type_add(&parts, span[i].from, (int)span[i].bytes, MPI_BYTE);
	for (size_t i = 0; i < count && !error; i++)
		error = add_piece(&parts, &pieces->piece[i]);
	if (!error)
		error = commit(&parts, type);
	parts_free(&parts);
	return error;
}
