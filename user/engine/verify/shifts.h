/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shifts of a compact schedule on a fabric: that its tables keep them, and what they leave. */
#ifndef LIQUID_SHIFTS_H
#define LIQUID_SHIFTS_H

#include "liquidsched.h"

/* A shift, or several after each other, as a map of what the proof counts */
struct renaming {
	uint32_t *place, *link;		/* images; LIQUID_NONE: a link that no transfer uses */
};

/* Sets of links that renamings map to each other */
struct classes {
	uint32_t *of;			/* by link: one of its class */
	uint32_t *size;			/* by link, if it is the one of its class */
	uint32_t *to;			/* by phase: an element of the shifts that leads to it */
};

/* The shift @of_shape as a renaming, if the tables keep it on all entries; else LIQUID_INVALID. */
int shifts_check(const struct liquid_fabric *fabric, const struct liquid_shape *shape,
		 uint32_t shift, const uint32_t *host, struct renaming *renaming,
		 struct liquid_error *err);
void renaming_free(struct renaming *renaming);
/*
 * Classes under all shifts that take @kind to the same phase; NULL: under all shifts. @renaming: of
 * each shift
 */
int classes_new(const struct liquid_fabric *fabric, const struct liquid_shape *shape,
		const struct liquid_kind *kind, const struct renaming *renaming,
		struct classes *classes, struct liquid_error *err);
void classes_free(struct classes *classes);

#endif
