/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of orbits: see struct liquid_shape */
#ifndef LIQUID_ORBITS_H
#define LIQUID_ORBITS_H

#include "schedule/schedule.h"

#define ORBITS_PLACES_MAX 65536u
#define ORBITS_UNITS_MAX (1u << 26)	/* classes x blocks */
#define ORBITS_FRAMES_MAX (1u << 24)

struct orbits {
	struct liquid_shape shape;		/* its arrays are the members below */
	uint32_t *first, *frame;
	char **names;				/* by place */
	uint32_t *by_name;			/* places in the order of their names */
	uint32_t *block;			/* by place */
	uint32_t *class;			/* by place: its class of receivers */
	bool *out;				/* by place; shape.out is this or NULL */
	/*
	 * By place its host, shape.host, and by host its place, LIQUID_NONE: it has none. Both
	 * NULL: hosts are numbered as places.
	 */
	uint32_t *host, *place;
};

/*
 * Make orbits of this shape, whose arrays are copied if they are there. Checks that the shape is
 * one, not that the schedule is valid. The caller fills in names and frames, then calls
 * orbits_sort_names().
 */
int orbits_new(const struct liquid_shape *shape, struct orbits **orbits, struct liquid_error *err);
void orbits_free(struct orbits *orbits);
/* Refuses names that are there twice. */
int orbits_sort_names(struct orbits *orbits, struct liquid_error *err);
/* Number the hosts as @fabric does. */
int orbits_bind(struct orbits *orbits, const struct liquid_fabric *fabric,
		struct liquid_error *err);
/* The place of the host @name, also of one that is left out; LIQUID_NONE: there is none. */
uint32_t orbits_find(const struct orbits *orbits, const char *name);
/* The place of @host, if it takes part; else LIQUID_NONE */
uint32_t orbits_place(const struct orbits *orbits, uint32_t host);

static inline uint32_t digit_of(const struct liquid_shift *shift, uint32_t place)
{
	return place / shift->stride % shift->count;
}

static inline void digits_of(const struct liquid_shape *shape, uint32_t place, uint32_t *digit)
{
	for (uint32_t i = 0; i < shape->shifts; i++)
		digit[i] = digit_of(&shape->shift[i], place);
}

static inline uint32_t orbits_host(const struct orbits *orbits, uint32_t place)
{
	return orbits->host ? orbits->host[place] : place;
}

/* From now on these places are left out. Refuses to leave out all but one. */
int orbits_leave_out(struct orbits *orbits, const bool *out, struct liquid_error *err);
/* Transfers of those that are not left out */
uint64_t orbits_transfers(const struct orbits *orbits);
/* The digest of the traffic by its names */
int orbits_traffic_digest(const struct orbits *orbits, char hex[LIQUID_DIGEST_HEX],
			  struct liquid_error *err);
/*
 * The all-to-all of those that take part; with @fabric by its numbers, without hosts that it does
 * not have
 */
int orbits_traffic(const struct orbits *orbits, const struct liquid_fabric *fabric,
		   struct liquid_traffic **traffic, struct liquid_error *err);
/*
 * The frame in which the host of place @src sends to that of @dst, in constant time; LIQUID_NONE if
 * they are the same, or none, or one is left out
 */
uint32_t orbits_frame(const struct orbits *orbits, uint32_t src, uint32_t dst);
/*
 * Rows of frames: of a sender, the frame in which it sends to each place. What all senders share is
 * worked out once.
 */
struct orbit_unit {
	uint32_t start;			/* the first frame of its base frame */
	uint32_t slot;			/* in it, as if its block began at place 0, modulo 2^32 */
	uint32_t phase, phases;
	uint32_t add;			/* where its kind begins in orbit_rows.add */
};

struct orbit_rows {
	const struct orbits *orbits;
	uint32_t elements;		/* of the shifts */
	uint32_t *element;		/* by place: that which leads to it from its origin */
	uint32_t *add;			/* by kind and element: phases later */
	struct orbit_unit *unit;
	uint32_t *back;			/* by element, of one sender: where it comes from */
};

/* Call orbit_rows_close() also on failure. */
int orbit_rows_open(struct orbit_rows *rows, const struct orbits *orbits, struct liquid_error *err);
void orbit_rows_close(struct orbit_rows *rows);
/* By place, what orbits_frame() says */
void orbit_rows_of(struct orbit_rows *rows, uint32_t src, uint32_t *frame);
/* The place to which @src sends in each of @length frames; LIQUID_NONE in an idle frame. */
int orbits_slice(const struct orbits *orbits, uint32_t length, uint32_t src, uint32_t *dst,
		 struct liquid_error *err);
/* Read them from the JSON of the file of @schedule, which has its figures. */
int orbits_from_json(struct json_t *root, const char *label, struct liquid_schedule *schedule,
		     struct liquid_error *err);
int orbits_write_json(const struct liquid_schedule *schedule, FILE *out, struct liquid_error *err);

#endif
