/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of routes have in common: meshes, and what is true of routes. */
#ifndef ROUTE_FIXTURES_H
#define ROUTE_FIXTURES_H

#include "fixtures.h"
#include "problem/random.h"

/* Both directions; ports make the names of parallel links unique. */
void cable(struct liquid_fabric *fabric, uint32_t a, uint32_t b, uint32_t capacity);

/* @hosts hosts on @switches switches, a ring and @more cables at most, of capacities 1 to 3 */
struct liquid_fabric *make_mesh(struct random *random, uint32_t hosts, uint32_t switches,
				uint32_t more);

/* Of all hosts, 64 at most */
struct liquid_traffic *all_to_all(const struct liquid_fabric *fabric);

double greatest_load(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic);

/* As route --json prints it; to be freed */
char *witness_of(const struct liquid_fabric *fabric, const uint64_t *price);

bool has_circle(const struct liquid_fabric *fabric);

/* A copy without tables, and without the links between the ends of link @cable */
struct liquid_fabric *without(const struct liquid_fabric *fabric, uint32_t cable);

#endif
