/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Slim routes: without the links that never matter
 *
 * If all transfers of a link also use another link of no larger capacity, the first has room
 * whenever the second has. In a fat tree half of the links are like that: a link towards the
 * last switch before a host carries only what the host's own link carries, too. The same frames
 * are possible without these links, and there is less to check.
 */
#ifndef LIQUID_ROUTES_SLIM_H
#define LIQUID_ROUTES_SLIM_H

#include "problem/routes.h"

/* Fills in @slim, to be cleared; its pairs and transfers are those of @routes. */
int slim_init(struct routes *slim, const struct routes *routes,
	      const struct routes_inverse *inverse, struct liquid_error *err);
void slim_clear(struct routes *slim);

#endif
