/* SPDX-License-Identifier: GPL-2.0-only */
/* liquid capillary from within: a routing with its ratings, and how it is shown. */
#ifndef LIQUID_CAPILLARY_H
#define LIQUID_CAPILLARY_H

#include <jansson.h>

#include "liquidsched.h"

#define CAPILLARY_LMC_MAX 4		/* the table has 2^0 ... 2^this ways */

struct rated_ways {
	struct liquid_ways *ways;
	struct liquid_ror ror;
};

struct capillary_view {
	const struct liquid_fabric *fabric;
	struct liquid_ror_options stream;
	struct liquid_capillary *capillary;
	struct liquid_ror *layer;	/* by layer */
	struct rated_ways lmc[CAPILLARY_LMC_MAX + 1];
	struct rated_ways asked;	/* by --paths; or without ways */
};

/* capillary-print.c */
void capillary_print(const struct capillary_view *view);
json_t *capillary_json(const struct capillary_view *view);

#endif
