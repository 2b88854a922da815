/* SPDX-License-Identifier: GPL-2.0-only */
/* What two files differ in, as a list of changes. */
#ifndef LIQUID_DIFF_H
#define LIQUID_DIFF_H

#include <jansson.h>

#include "liquidsched.h"

struct diff {
	json_t *changes;	/* objects {what, name, from, to}; a missing one is not there */
	bool failed;		/* out of memory */
};

/* @what of @name is @from and now @to; NULL: it is not there. Both are then owned by the list. */
void diff_add(struct diff *diff, const char *what, const char *name, json_t *from, json_t *to);
/* Exit code, after a message */
int diff_fabrics(struct diff *diff, const struct liquid_fabric *from,
		 const struct liquid_fabric *to);

#endif
