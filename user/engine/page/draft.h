/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A layout in the making: the graph of the switches, and the shapes that are tried in turn. */
#ifndef LIQUID_PAGE_DRAFT_H
#define LIQUID_PAGE_DRAFT_H

#include "liquidsched.h"

#define LAYOUT_LETTER 62		/* width of a letter */
#define LAYOUT_GAP 120			/* between boxes */
#define GRID_AXES 3

struct draft_layout {
	struct liquid_layout layout;	/* what the caller sees */
	struct liquid_place *place;
	uint32_t *order, *level;
	uint32_t *nth;			/* by link: its number among parallel ones */
	uint32_t (*at)[GRID_AXES];	/* of a grid, by switch: its coordinates */
	uint64_t *group;		/* by switch: its group, and its place on the circle */
	uint32_t size[GRID_AXES];
	bool ring[GRID_AXES];
};

struct draft {
	const struct liquid_fabric *fabric;
	struct draft_layout *made;
	uint32_t hosts, switches;
	/* The switches next to switch s, each once: peer[first[s]] ... peer[first[s + 1] - 1] */
	uint32_t *first, *peer;
	uint32_t *home;			/* by host: its switch, or LIQUID_NONE */
	/* Hosts by switch, and by port there: guest[stay[s]] ... guest[stay[s + 1] - 1] */
	uint32_t *stay, *guest;
	void *scratch;			/* of a shape */
};

static inline const char *draft_name(const struct draft *draft, uint32_t sw)
{
	return liquid_fabric_node_name(draft->fabric, draft->hosts + sw);
}

static inline struct liquid_place *draft_place(const struct draft *draft, uint32_t sw)
{
	return &draft->made->place[draft->hosts + sw];
}

static inline uint32_t draft_guests(const struct draft *draft, uint32_t sw)
{
	return draft->stay[sw + 1] - draft->stay[sw];
}

uint32_t draft_find(uint32_t *parent, uint32_t a);
void draft_join(uint32_t *parent, uint32_t a, uint32_t b);

/* Each places all, and returns 1 if the fabric has this shape, 0 if not, LIQUID_NO_MEMORY. */
int draft_levels(struct draft *draft);
int draft_grid(struct draft *draft);
int draft_groups(struct draft *draft);

#endif
