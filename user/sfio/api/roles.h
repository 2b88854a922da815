/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which rank is a listener, and on which host each rank is */
#ifndef LIQUID_SFIO_ROLES_H
#define LIQUID_SFIO_ROLES_H

#include <stdbool.h>

#include "client/context.h"
#include "order/exchange.h"
#include "api/settings.h"

struct roles {
	char (*host)[HOST_ROOM];	/* by rank of all */
	bool *listens;			/* by rank of all */
	int rank, ranks;		/* of all */
	uint32_t listeners;
};

/* Collective on @all. Returns 0, -ENOMEM, or -EINVAL: no rank would be left for one of the roles */
int roles_new(MPI_Comm all, const struct settings *settings, struct roles *roles);
void roles_free(struct roles *roles);
/* The listeners in their order; NULL: no memory */
struct peer *roles_peers(const struct roles *roles);
/* The hosts of all ranks, each once, as this rank's side sees them. Returns 0 or -ENOMEM. */
int roles_nodes(const struct roles *roles, struct nodes *nodes);
void nodes_free(struct nodes *nodes);
/* No host has two compute ranks, and none two listeners. */
bool roles_alone(const struct roles *roles);

#endif
