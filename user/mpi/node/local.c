// SPDX-License-Identifier: LGPL-2.1-or-later
/* Messages between ranks of one machine */
#include <stdlib.h>
#include <string.h>

#include "node/local.h"

enum { TAG_LOCAL = 6 };

/* MPI counts in int: longer messages are several. */
#define CHUNK	(UINT64_C(1) << 30)

static bool is_local(const struct node *node, uint32_t rank)
{
	return rank != node->rank && map_is_near(node->map, rank, node->rank);
}

static size_t count_chunks(const struct node *node, const struct span *span)
{
	size_t count = 0;

	for (uint32_t i = 0; i < node->map->ranks; i++)
		if (is_local(node, i))
			count += (span[i].bytes + CHUNK - 1) / CHUNK;
	return count;
}

bool local_new(struct local *local, const struct node *node, const struct span *out,
	       const struct span *in)
{
	local->request = calloc(count_chunks(node, out) + count_chunks(node, in) + 1,
				sizeof(*local->request));
	return local->request;
}

static MPI_Request *next_request(struct local *local)
{
	local->request[local->requests] = MPI_REQUEST_NULL;
	return &local->request[local->requests++];
}

static int local_begin(struct local *local, const struct span *span, uint32_t peer, bool send,
		       MPI_Comm comm)
{
	int error = MPI_SUCCESS;

	for (uint64_t at = 0; at < span->bytes && !error; at += CHUNK) {
		int bytes = (int)(span->bytes - at < CHUNK ? span->bytes - at : CHUNK);
		MPI_Request *request = next_request(local);

		if (send)
			error = PMPI_Isend(span->at + at, bytes, MPI_BYTE, (int)peer, TAG_LOCAL,
					   comm, request);
		else
			error = PMPI_Irecv(span->at + at, bytes, MPI_BYTE, (int)peer, TAG_LOCAL,
					   comm, request);
	}
	return error;
}

/* With the other ranks of the machine */
static int begin_all(struct local *local, const struct node *node, const struct span *span,
		     bool send)
{
	int error = MPI_SUCCESS;

	for (uint32_t i = 0; i < node->map->ranks && !error; i++)
		if (is_local(node, i))
			error = local_begin(local, &span[i], i, send, node->comm);
	return error;
}

int local_start(struct local *local, const struct node *node, const struct span *out,
		const struct span *in)
{
	int error;

	if (out[node->rank].bytes)
		memmove(in[node->rank].at, out[node->rank].at, out[node->rank].bytes);
	error = begin_all(local, node, in, false);
	local->receives = local->requests;
	return error ? error : begin_all(local, node, out, true);
}

int local_step(struct local *local, bool *done, bool *moved)
{
	int arrived, error;

	*done = !local->requests;
	if (*done)
		return MPI_SUCCESS;
	error = PMPI_Testall(local->requests, local->request, &arrived, MPI_STATUSES_IGNORE);
	if (error || !arrived)
		return error;
	local->requests = 0;
	*done = *moved = true;
	return MPI_SUCCESS;
}

void local_clear(struct local *local)
{
	for (int i = 0; i < local->requests; i++) {
		if (local->request[i] == MPI_REQUEST_NULL)
			continue;
		if (i >= local->receives) {
			PMPI_Request_free(&local->request[i]);
			continue;
		}
		PMPI_Cancel(&local->request[i]);
		PMPI_Wait(&local->request[i], MPI_STATUS_IGNORE);
	}
	free(local->request);
	*local = (struct local){ 0 };
}
