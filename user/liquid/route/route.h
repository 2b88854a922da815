/* SPDX-License-Identifier: GPL-2.0-only */
/* liquid route from within: its result, and how it is shown. */
#ifndef LIQUID_ROUTE_H
#define LIQUID_ROUTE_H

#include <jansson.h>

#include "liquidsched.h"

struct route_view {
	const struct liquid_fabric *fabric;	/* as it was read */
	const struct liquid_routing *routing;
	bool circles;			/* are allowed */
	bool repaired;			/* routes of before were kept where they work */
	bool bound_only;		/* nothing but the bound is shown */
	bool has_present;
	double present;			/* the load of the tables that the fabric has */
};

/* route-print.c */
void route_print(const struct route_view *view);
json_t *route_json(const struct route_view *view);

#endif
