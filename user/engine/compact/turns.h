/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which turns of each base frame a link is full in, and blocks begin in. */
#ifndef LIQUID_TURNS_H
#define LIQUID_TURNS_H

#include "compact/group.h"

#define TURNS_MAX 12

/*
 * A window: turns of a base frame that follow each other, after the last the first again. Bit t of
 * a number is turn t. A place in time is told by base frame * turns + turn.
 */
struct turns {
	uint32_t turns, frames, most;	/* base frames: open, and there is memory for */
	size_t row;			/* numbers of a row: at least most */
	const uint32_t *room;		/* by link: units at a time; 0: it is not used */
	size_t *full_of;		/* by link: row of the turns in which it is full; ... */
	uint16_t *turn;			/* ... before it those with one unit less, and so on */
	uint16_t *begun;		/* by block and frame: turns in which its units begin */
	uint16_t *pattern[TURNS_MAX + 1];	/* by size that divides turns, and frame */
};

/* A unit and what it needs */
struct seeker {
	uint32_t unit, block, size;
	uint32_t link[LIQUID_PATH_MAX];
	uint32_t links;
};

/* @turns is at most TURNS_MAX; @room stays where it is. Then turns_free(), also after an error. */
int turns_new(struct turns *rows, uint32_t turns, uint32_t frames, uint32_t most, uint32_t blocks,
	      const uint32_t *room, uint32_t links, struct liquid_error *err);
void turns_free(struct turns *rows);

/* The window of @size turns from @start on */
uint16_t turns_of_window(const struct turns *rows, uint32_t start, uint32_t size);
/* The turns of @frame in which @link is full */
uint16_t turns_full(const struct turns *rows, uint32_t link, uint32_t frame);
/* Does a unit of @block begin at @at? Two in one turn would make its hosts send twice. */
bool turns_begun(const struct turns *rows, uint32_t block, uint32_t at);

void turns_put(struct turns *rows, const struct seeker *seeker, uint32_t at);
void turns_take_out(struct turns *rows, const struct seeker *seeker, uint32_t at);

/*
 * The first place for @seeker, or LIQUID_NONE. One is preferred that lies a multiple of its size
 * from where others of that size begin on its first link in that frame: so they fill it.
 */
uint32_t turns_find(const struct turns *rows, const struct seeker *seeker);

#endif
