/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state of a frame-by-frame search: the rest of the traffic, and the frame
 * that is being filled
 *
 * With K frames left, the frame must become a K-team: every link carries at most
 * its capacity c, and at least load - c (K - 1) of the load that is left.
 */
#ifndef LIQUID_TEAMS_H
#define LIQUID_TEAMS_H

#include "problem/random.h"
#include "problem/routes.h"

struct team {
	const struct routes *routes;
	const struct routes_inverse *inverse;
	uint32_t left;			/* K */
	uint32_t transfers_left;
	uint32_t *count;		/* by pair: transfers left */
	uint32_t *load;			/* by link: of the rest */
	/* of the frame: */
	uint32_t *taken;		/* by pair: its transfers; NULL: at most one each */
	uint32_t *used, *need;		/* by link: transfers; least number in a K-team */
	uint32_t *choice;		/* by link: pairs that are still open */
	uint64_t *open;			/* pairs that may join the frame, a bit each */
	uint32_t words;			/* of open[] */
	uint32_t *trail;		/* closed pairs, in order */
	uint32_t trail_length;
	uint32_t *needy;		/* links with a need */
	uint32_t needy_count;
	bool dead;			/* some need can no longer be met */
	uint64_t work;			/* operations not yet charged to the budget */
};

/* @many: a frame may have several transfers of a pair; then team->dead says nothing. */
bool team_new(struct team *team, const struct routes *routes,
	      const struct routes_inverse *inverse, bool many);
void team_clear(struct team *team);

static inline bool team_is_open(const struct team *team, uint32_t pair)
{
	return team->open[pair / 64] >> pair % 64 & 1;
}

/* Start again: the whole traffic is left, and @frames frames. */
void team_reset(struct team *team, uint32_t frames);
/* Open an empty frame for the rest of the traffic. */
void team_open_frame(struct team *team);
void team_take(struct team *team, uint32_t pair);
/* Keep @pair out of the frame. */
void team_close_pair(struct team *team, uint32_t pair);
/* Undo the take of @pair (LIQUID_NONE: of none), and reopen the pairs of trail[@mark] on. */
void team_undo(struct team *team, uint32_t pair, uint32_t mark);
/* Remove (or put back) the transfers of a frame, @times times. */
void team_remove(struct team *team, const uint32_t *pairs, uint32_t count, uint32_t times);
void team_restore(struct team *team, const uint32_t *pairs, uint32_t count, uint32_t times);
/* How often the frame can be used and is a K-team of the rest each time; >= 1. */
uint32_t team_repeats(const struct team *team, const uint32_t *pairs, uint32_t count);
/* Whether @pair is left and its links have room in the frame. */
bool team_fits(const struct team *team, uint32_t pair);
/* The link with the fewest spare pairs to meet its need; LIQUID_NONE: all needs are met. */
uint32_t team_tightest(struct team *team, struct random *random);
/* Priority of @pair for this frame: grows with the load that is left on its links. */
uint64_t team_urgency(const struct team *team, uint32_t pair);

#endif
