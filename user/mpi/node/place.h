/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a rank is: an endpoint of the fabric, which is a host's only one, or one of its rails
 *
 * A place is a name. A rank asks for "HOST#N", its host's endpoint on rail N, or
 * "HOST#all", the ranks of that host in turn on all of them. The leader, who has the fabric or a
 * plan for all rails, makes of it "ENDPOINT#N" where the host has several, as in "n1/mlx5_1/1#2",
 * else "HOST".
 */
#ifndef LIQUID_MPI_PLACE_H
#define LIQUID_MPI_PLACE_H

#include "node/map.h"
#include "settings/environment.h"

#define PLACE_TEXT (LIQUID_NAME_MAX + 32)

/* Where endpoints are looked up: a fabric, or, without one, some names */
struct place_book {
	const struct liquid_fabric *fabric;
	const char *const *name;
	uint32_t names;
};

void place_ask(host_name place, const char *host, uint32_t rail);
/* A host that the book does not have, or not that rail of it, stays as it was asked for. */
void place_find(host_name *places, uint32_t ranks, const struct place_book *book);
/* The name in the fabric, without "#N" */
void place_endpoint(const char *place, host_name endpoint);
/* For messages */
void place_tell(const char *place, char text[PLACE_TEXT]);
/* Are both endpoints of one machine? */
bool place_is_same_machine(const char *a, const char *b);
/*
 * Choose this rank's device in @env: that of LIQUID_MPI_DEVICE for its rail, else the one that the
 * endpoint's name contains. Returns false if LIQUID_MPI_DEVICE has none for it, or without memory.
 */
bool place_choose_device(const char *place, struct environment *env);

#endif
