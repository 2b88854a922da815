/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hosts of an exchange as places and blocks, and the shifts that the tables keep. */
#ifndef LIQUID_GROUP_H
#define LIQUID_GROUP_H

#include "problem/budget.h"
#include "problem/shifts.h"

struct group {
	const struct liquid_fabric *fabric;
	uint32_t places, turns, blocks;
	uint32_t *host;			/* by place */
	uint32_t *place;		/* by host of the fabric, or LIQUID_NONE */
	uint32_t *first, *home;		/* by block: its first place, its switch */
	uint32_t *block;		/* by place */
	uint32_t pool;			/* hosts of each switch that take turns, see receivers.h */
	uint32_t shifts;
	struct liquid_shift shift[LIQUID_SHIFTS_MAX];
	uint32_t *link_to[LIQUID_SHIFTS_MAX];	/* by link: its image; LIQUID_NONE: not used */
};

/* Number the hosts switch by switch. Checks that each is fit for a compact schedule. */
int group_make(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
	       struct group *group, struct liquid_error *err);
void group_drop(struct group *group);
/* Cut the hosts of each switch into blocks of at most @turns; 0: of as many as any switch has. */
int group_cut(struct group *group, uint32_t turns, struct liquid_error *err);
/* Find shifts; none if the switches have different numbers of hosts. */
int group_find_shifts(struct group *group, struct liquid_error *err);
/*
 * order.c: if there are no shifts of blocks, number places such that there are, if that is found.
 * @budget: NULL, or what it counts as work in
 */
int group_reorder(struct group *group, struct budget *budget, struct liquid_error *err);
/* Has each switch as many hosts? */
bool group_is_even(const struct group *group);
/* The product of the counts of all shifts */
uint32_t group_order(const struct group *group);

/* The last link to the host of @place */
uint32_t group_last_link(const struct group *group, uint32_t place);

/* The links from the switch of @block to the host of @place, its last link among them; @path has
 * room for LIQUID_PATH_MAX. Returns how many, or -1: there is no route. */
int group_path(const struct group *group, uint32_t block, uint32_t place, uint32_t *path);

#endif
