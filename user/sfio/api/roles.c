// SPDX-License-Identifier: LGPL-2.1-or-later
/* Chooses the listeners by number and host, and gathers who is where. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/roles.h"

/* The last rank of each host */
static bool last_of_host(const struct roles *roles, int rank)
{
	for (int i = rank + 1; i < roles->ranks; i++)
		if (!strcmp(roles->host[i], roles->host[rank]))
			return false;
	return true;
}

static void roles_assign(struct roles *roles, uint32_t listeners)
{
	for (int i = 0; i < roles->ranks; i++) {
		roles->listens[i] = listeners ? i >= roles->ranks - (int)listeners :
				    last_of_host(roles, i);
		roles->listeners += roles->listens[i];
	}
}

int roles_new(MPI_Comm all, const struct settings *settings, struct roles *roles)
{
	char own[HOST_ROOM] = "";

	*roles = (struct roles){ .host = NULL };
	MPI_Comm_rank(all, &roles->rank);
	MPI_Comm_size(all, &roles->ranks);
	roles->host = calloc((size_t)roles->ranks, sizeof(*roles->host));
	roles->listens = calloc((size_t)roles->ranks, sizeof(*roles->listens));
	if (!roles->host || !roles->listens)
		return -ENOMEM;
	settings_host(own, sizeof(own));
	if (MPI_Allgather(own, HOST_ROOM, MPI_CHAR, roles->host, HOST_ROOM, MPI_CHAR, all))
		return -EIO;
	roles_assign(roles, settings->listeners);
	return roles->listeners < (uint32_t)roles->ranks ? 0 : -EINVAL;
}

void roles_free(struct roles *roles)
{
	free(roles->host);
	free(roles->listens);
}

struct peer *roles_peers(const struct roles *roles)
{
	struct peer *peer = calloc(roles->listeners, sizeof(*peer));
	uint32_t count = 0;

	for (int i = 0; i < roles->ranks && peer; i++)
		if (roles->listens[i]) {
			peer[count].rank = i;
			memcpy(peer[count++].host, roles->host[i], HOST_ROOM);
		}
	return peer;
}

static uint32_t roles_find_node(struct nodes *nodes, const char *host)
{
	for (uint32_t i = 0; i < nodes->count; i++)
		if (!strcmp(nodes->host[i], host))
			return i;
	memcpy(nodes->host[nodes->count], host, HOST_ROOM);
	nodes->rank[nodes->count] = -1;
	return nodes->count++;
}

int roles_nodes(const struct roles *roles, struct nodes *nodes)
{
	size_t ranks = (size_t)roles->ranks;
	bool listens = roles->listens[roles->rank];
	uint32_t peers = 0;
	int own = 0;

	*nodes = (struct nodes){
		.host = calloc(ranks, sizeof(*nodes->host)),
		.of_rank = calloc(ranks, sizeof(*nodes->of_rank)),
		.of_peer = calloc(ranks, sizeof(*nodes->of_peer)),
		.rank = calloc(ranks, sizeof(*nodes->rank)),
	};
	if (!nodes->host || !nodes->of_rank || !nodes->of_peer || !nodes->rank)
		return -ENOMEM;
	for (int i = 0; i < roles->ranks; i++) {
		uint32_t node = roles_find_node(nodes, roles->host[i]);

		if (roles->listens[i] != listens) {
			nodes->of_peer[peers++] = node;
		} else {
			nodes->rank[node] = own;
			nodes->of_rank[own++] = node;
		}
	}
	return 0;
}

void nodes_free(struct nodes *nodes)
{
	free(nodes->host);
	free(nodes->of_rank);
	free(nodes->of_peer);
	free(nodes->rank);
	*nodes = (struct nodes){ .host = NULL };
}

bool roles_alone(const struct roles *roles)
{
	for (int i = 0; i < roles->ranks; i++)
		for (int k = 0; k < i; k++)
			if (roles->listens[i] == roles->listens[k] &&
			    !strcmp(roles->host[i], roles->host[k]))
				return false;
	return true;
}
