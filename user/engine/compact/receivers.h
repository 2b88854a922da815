/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hosts of a switch that take turns
 *
 * Where routes depend on the receiver's switch alone, its hosts are twins as receivers too: units
 * to them need only be packed such that a switch receives no more than it has hosts. Which of them
 * receives each is found afterwards, by edge colouring. So are the senders, where each host is a
 * block: units are then as small as can be.
 */
#ifndef LIQUID_RECEIVERS_H
#define LIQUID_RECEIVERS_H

#include "compact/pack.h"

/* May the hosts of a block be pooled? @origin: the places of all @classes */
bool receivers_may_pool(const struct group *group, const uint32_t *origin, uint32_t classes);
/* Give the units of each switch, which are all placed, one sender and receiver in each frame. */
int receivers_assign(struct pack *pack, struct liquid_error *err);

#endif
