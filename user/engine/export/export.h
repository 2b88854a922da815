/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the exports to other solvers: the problem as sets of links, and the output. */
#ifndef LIQUID_EXPORT_H
#define LIQUID_EXPORT_H

#include "problem/routes.h"

/* Most variables of a model; known solvers cannot solve larger ones. */
#define EXPORT_VARIABLES_MAX (UINT32_C(1) << 26)

struct export {
	const struct liquid_fabric *fabric;
	struct routes *routes;
	struct routes_inverse inverse;
	uint32_t frames;		/* frames of the model */
	FILE *out;
	const char *comment;		/* text at the beginning of a comment line */
};

/* Write a model of the traffic; of one kind each. */
int export_milp(const struct export *export, const struct liquid_traffic *traffic,
		struct liquid_error *err);
int export_dimacs(const struct export *export, const struct liquid_traffic *traffic,
		  struct liquid_error *err);
int export_cnf(const struct export *export, const struct liquid_traffic *traffic,
	       struct liquid_error *err);
/* Refuse a model with more than EXPORT_VARIABLES_MAX pairs x frames. */
int export_check_size(const struct export *export, struct liquid_error *err);
/* Flush the output; fails if not everything was written. */
int export_flush(const struct export *export, struct liquid_error *err);

/* Write a comment line. */
void export_note(const struct export *export, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Write comments that name the fabric and its traffic. */
void export_origin(const struct export *export);

/* The link of capacity 1 with the largest load, or LIQUID_NONE without a transfer. */
uint32_t export_fullest(const struct export *export);

#endif
