/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Slim routes: without the links that never matter
 *
 * A link whose transfers all take another link too, of no more capacity, has room whenever
 * that one has. In a fat tree half of the links are like that: the last switches before a
 * host carry what goes to that host, and its own link does too. What is left schedules the
 * same transfers under the same conditions, with less to look at.
 */
#ifndef LIQUID_ROUTES_SLIM_H
#define LIQUID_ROUTES_SLIM_H

#include "problem/routes.h"

/* Into *@slim, to be cleared; pairs and transfers are those of @routes. */
int slim_init(struct routes *slim, const struct routes *routes,
	      const struct routes_inverse *inverse, struct liquid_error *err);
void slim_clear(struct routes *slim);

#endif
