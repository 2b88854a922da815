/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns of the window shuffle: in which order a rank sends to the others, and how many packets it
 * may have under way (Documentation/mpi.rst)
 */
#ifndef LIQUID_MPI_TURNS_H
#define LIQUID_MPI_TURNS_H

#include "node/map.h"

/*
 * Logical ids, such that ranks with consecutive ids are on different switches, and on different
 * nodes: the first rank of each switch, then the second of each, and so on. @sw: switch by node;
 * NULL: not known. Returns false without memory.
 */
bool turns_ids(const struct map *map, const uint32_t *sw, uint32_t *id);
/*
 * Peers of rank @self in the order of their turns, ranks - 1 in all: by XOR of the ids if their
 * number is a power of two, else by their distance. So in each step each rank sends to one and
 * takes from one. Returns false without memory.
 */
bool turns_order(const uint32_t *id, uint32_t ranks, uint32_t self, uint32_t *peer);
/* Packets for the link of the busiest node in a step: what can be said without a fabric */
double turns_load(const struct map *map);
/* How many packets a rank may have under way where a link gets @load of them in a step */
uint64_t turns_window(uint64_t buffer_bytes, uint64_t packet_bytes, double load);

#endif
