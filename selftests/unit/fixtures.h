/* SPDX-License-Identifier: GPL-2.0-only */
/* Fabrics and traffics for the tests of traffic, solver and verifier. */
#ifndef FIXTURES_H
#define FIXTURES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "liquidsched.h"

/* What a fixture needs must not fail: the test would tell nothing. */
void must(int status, const struct liquid_error *err);

/* The same for what @method does, which the message names; NULL: auto */
void must_by(const char *method, int status, const struct liquid_error *err);

/* s that this process has run: of the processor, so that other processes add little */
double cpu_seconds(void);

/* A file that holds @text. */
FILE *file_of(const char *text, size_t size);

struct liquid_fabric *make_fabric(const char *name, const char *const *params, size_t count);

/* A fabric of hosts h0 ... and switches s0 ... without links, to which the caller adds */
struct liquid_fabric *begin_fabric(const char *name, uint32_t hosts, uint32_t switches);

void add_cable(struct liquid_fabric *fabric, uint32_t from, uint32_t to, uint32_t capacity);

/*
 * The network of the 2006 paper's Fig. 11: three switches in a ring, a -> b -> c -> a,
 * and three transfers of which each takes two of the ring's links.
 */
struct liquid_fabric *make_triangle(uint32_t capacity);

/* t1>r1, t2>r2, t3>r3 */
struct liquid_traffic *triangle_traffic(uint32_t count);

/* s1 ... on switch a, r1 ... on b, as many; @cables of @capacity go from a to b, one is used. */
struct liquid_fabric *make_dumbbell(uint32_t senders, uint32_t capacity, uint32_t cables);

/* Every pair of hosts that has a route. */
struct liquid_traffic *all_routes(const struct liquid_fabric *fabric);

/* A stencil: each of x * y * z processes, in this order on the hosts, to its six neighbours. */
struct liquid_traffic *make_stencil(uint32_t x, uint32_t y, uint32_t z);

/* The list of a schedule's transfers, and no shape; NULL: there is none */
struct liquid_schedule *listed_copy(const struct liquid_fabric *fabric,
				    const struct liquid_schedule *schedule);

/* ---- random small fabrics ---- */

struct dice {
	uint64_t state;
};

uint32_t roll(struct dice *dice, uint32_t sides);

/* The same in version 2 of the file, where the capacities at hosts count. Frees @fabric. */
struct liquid_fabric *as_version_2(struct liquid_fabric *fabric);

/* Hosts send and receive up to @ends at once, in version 2 of the file where that is not 1. */
struct liquid_fabric *make_mixed(struct dice *dice, uint32_t hosts, uint32_t capacity,
				 uint32_t ends);

struct liquid_fabric *make_random(struct dice *dice, uint32_t hosts, uint32_t capacity);

/* Half of them send no host twice, so that the links between switches decide. */
struct liquid_traffic *random_traffic(struct dice *dice, uint32_t hosts, uint32_t transfers);

/* ---- the shortest length by trying everything: the frames of one transfer after another ---- */

#define BRUTE_TRANSFERS_MAX 12

uint32_t brute_length(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic);

/* ---- schedules as text ---- */

char *json_of(const struct liquid_schedule *schedule, const struct liquid_fabric *fabric);

int read_text(const char *text, const struct liquid_fabric *fabric,
	      struct liquid_schedule **schedule, struct liquid_error *err);

/* A copy of @text with the first @from made @to; the test must find it. */
char *replaced(const char *text, const char *from, const char *to);

/* By the solver's defaults */
struct liquid_schedule *solve(const struct liquid_fabric *fabric,
			      const struct liquid_traffic *traffic);

/* With less work, which is enough for a dozen transfers, or where any schedule will do */
struct liquid_schedule *solve_small(const struct liquid_fabric *fabric,
				    const struct liquid_traffic *traffic);

const struct liquid_schedule_info *info_of(const struct liquid_schedule *schedule);

/* Prints why where it is not valid. */
bool verifies(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
	      const struct liquid_schedule *schedule);

#endif
