/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internals of a schedule: figures, frames and names of hosts. */
#ifndef LIQUID_SCHEDULE_H
#define LIQUID_SCHEDULE_H

#include <pthread.h>

#include "liquidsched.h"

#define SCHEDULE_FORMAT "liquid-schedule"

struct orbits;

/* Timeslot and wavelength of a frame in a WDM network. */
struct schedule_wdm {
	uint32_t timeslot, wavelength;
};

struct liquid_schedule {
	struct liquid_schedule_info info;	/* its strings are the members below */
	char *fabric_name, *method, *witness;
	char fabric_digest[LIQUID_DIGEST_HEX], traffic_digest[LIQUID_DIGEST_HEX];
	/* By frame, info.length + 1 entries: index of its first transfer */
	uint32_t *first;
	struct liquid_transfer *transfers;	/* of all frames */
	struct orbits *orbits;			/* NULL: there is only the list */
	pthread_mutex_t lock;			/* of the list of @orbits, made when it is wanted */
	struct json_t *extras;			/* see liquid_schedule_attach(); NULL: none */
	struct schedule_wdm *wdm;		/* by frame; NULL: no wavelengths */
	struct liquid_mark *mark;		/* see marks.h; NULL: there are none */
	size_t marks;
	char **names;				/* by host; NULL: those of the orbits */
	uint32_t host_count;
};

/* Make a schedule with room for @transfers and @hosts. The caller fills in first[], now 0. */
struct liquid_schedule *schedule_new(uint32_t frames, uint32_t transfers, uint32_t hosts);
/* Its frames are those of @orbits from now on, and belong to it. */
void schedule_take(struct liquid_schedule *schedule, struct orbits *orbits);
/*
 * Keep only the list of a schedule whose hosts are numbered as those of @fabric: with the digest of
 * the list.
 */
int schedule_as_list(struct liquid_schedule *schedule, const struct liquid_fabric *fabric,
		     struct liquid_error *err);
/* Make one of @orbits, which it takes over; NULL if out of memory, and they are freed. */
struct liquid_schedule *schedule_of_orbits(struct orbits *orbits);
/* Take the names of the hosts from @fabric; false if out of memory. */
bool schedule_copy_names(struct liquid_schedule *schedule, const struct liquid_fabric *fabric);
/* Sort the transfers of @frame by (src, dst). */
void schedule_sort_frame(struct liquid_schedule *schedule, uint32_t frame);
/* Replace the string *@own and the pointer *@shown to it by a copy of @text (may be NULL). */
bool schedule_set_text(char **own, const char **shown, const char *text);

#endif
