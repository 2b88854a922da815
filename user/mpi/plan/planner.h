/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fabric and the solver, which the leader of a group alone has */
#ifndef LIQUID_MPI_PLANNER_H
#define LIQUID_MPI_PLANNER_H

#include "node/map.h"

struct planner;

/*
 * @path, and @plan, that of the job or NULL, are the caller's. @clock: plans have frames, and need
 * links' rate. NULL: no memory.
 */
struct planner *planner_new(const char *path, const char *plan, bool clock);
/* There is no file of a fabric, but the job has a plan (prepared.h). */
bool planner_is_prepared(const struct planner *planner);
/* Find what ranks have asked for (place.h), in the fabric or a plan for all rails; without either
 * all stay as they are. */
void planner_find_places(struct planner *planner, host_name *places, uint32_t ranks);
/* @names: places by rank; the caller's, as is @map. Returns false without memory. */
bool planner_take_map(struct planner *planner, const host_name *names, const struct map *map);
void planner_free(struct planner *planner);
/* Of the file of fabric or plan as it is now: changes with it. 0: there is none. */
uint64_t planner_stamp(const struct planner *planner);
/* Rate of a link of capacity 1 in bit/s; 0: not known */
uint64_t planner_rate(const struct planner *planner);
/* Is a rate known, if one is needed? Returns an enum cannot. */
int planner_check_rate(const struct planner *planner, uint64_t rate, struct liquid_error *err);
/*
 * Plan an exchange between nodes of @bytes, ranks x ranks, or with NULL of messages of a byte each.
 * The file is read if it has changed. Returns an enum cannot, and fills in @err then.
 */
int planner_plan(struct planner *planner, const uint64_t *bytes, struct liquid_plan **plan,
		 struct liquid_error *err);
/*
 * For the window shuffle: @id by rank (turns.h), and the packets that the busiest link out of a
 * switch gets in a step. By the fabric; without one, or if it does not have all hosts, by the nodes
 * alone: then *@by_fabric is false. Returns false without memory.
 */
bool planner_shuffle(struct planner *planner, uint32_t *id, double *load, bool *by_fabric);

#endif
