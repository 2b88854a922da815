/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internals of a compact schedule. */
#ifndef LIQUID_COMPACT_H
#define LIQUID_COMPACT_H

#include "schedule/schedule.h"

#define COMPACT_PLACES_MAX 65536u
#define COMPACT_UNITS_MAX (1u << 26)	/* classes x blocks */
#define COMPACT_FRAMES_MAX (1u << 24)

struct liquid_compact {
	struct liquid_schedule *head;		/* the figures of one without frames */
	struct liquid_shape shape;		/* its arrays are the members below */
	uint32_t *first, *frame;
	char **names;				/* by place */
	uint32_t *by_name;			/* places in the order of their names */
	uint32_t *block;			/* by place */
	uint32_t *class;			/* by place: its class of receivers */
	bool *out;				/* by place; shape.out is this or NULL */
};

/*
 * Make a schedule of this shape, whose arrays are copied if they are there. Checks that the shape
 * is one, not that the schedule is valid. The caller fills in names, figures and frames, then calls
 * compact_sort_names().
 */
int compact_new(const struct liquid_shape *shape, struct liquid_compact **compact,
		struct liquid_error *err);
/* Refuses names that are there twice. */
int compact_sort_names(struct liquid_compact *compact, struct liquid_error *err);
/* The place of the host @name, also of one that is left out; LIQUID_NONE: there is none. */
uint32_t compact_place(const struct liquid_compact *compact, const char *name);
/* From now on these places are left out. Refuses to leave out all but one. */
int compact_leave_out(struct liquid_compact *compact, const bool *out, struct liquid_error *err);
/* Transfers of those that are not left out */
uint64_t compact_transfers(const struct liquid_compact *compact);
/* The digest of the traffic by its names */
int compact_traffic_digest(const struct liquid_compact *compact, char hex[LIQUID_DIGEST_HEX],
			   struct liquid_error *err);
/* All but the figures from the JSON of a file; @head is taken over. */
int compact_from_json(struct json_t *root, const char *label, struct liquid_schedule **head,
		      struct liquid_compact **compact, struct liquid_error *err);

#endif
