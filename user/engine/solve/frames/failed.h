/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* States that an exhaustive search has refuted: remaining counts and frames. */
#ifndef LIQUID_FAILED_H
#define LIQUID_FAILED_H

#include "solve/frames/team.h"

struct failed_set;

struct failed_set *failed_new(uint32_t pair_count);
void failed_free(struct failed_set *set);
bool failed_has(const struct failed_set *set, const struct team *team);
/* Add the state of @team if there is room. */
void failed_add(struct failed_set *set, const struct team *team);

#endif
