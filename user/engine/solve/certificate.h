/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lower bounds above the duration, and their proofs. */
#ifndef LIQUID_CERTIFICATE_H
#define LIQUID_CERTIFICATE_H

#include "problem/solving.h"

/* Raise the lower bound by cliques and odd sets of links. */
int certificate_raise(struct solving *solving, struct liquid_error *err);
/* Returns JSON to be freed; NULL: out of memory. */
char *witness_json(const struct witness *witness, const struct solving *solving,
		   const struct liquid_fabric *fabric);

#endif
