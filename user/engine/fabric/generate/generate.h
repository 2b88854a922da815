/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parameters and helpers of the generators, which are one file per family of topologies. */
#ifndef LIQUID_GENERATE_H
#define LIQUID_GENERATE_H

#include "fabric/fabric.h"

struct gen_params {
	const char *const *word;	/* "key=value" */
	size_t count;
	uint64_t used;			/* bit i: the generator asked for word i */
};

typedef int (*generate_fn)(struct liquid_fabric *fabric, struct gen_params *params,
			   struct liquid_error *err);

/* Read a number into *@value, which stays as it is if the parameter is not given. */
int gen_number(struct gen_params *params, const char *key, uint32_t min, uint32_t max,
	       uint32_t *value, struct liquid_error *err);
/* Find the parameter's value in @choices (NULL-terminated); *@value is its index, by default 0. */
int gen_choice(struct gen_params *params, const char *key, const char *const *choices,
	       uint32_t *value, struct liquid_error *err);
/* Read "key=8x8x8" into @sizes: *@count numbers, at most @max_count. */
int gen_sizes(struct gen_params *params, const char *key, uint32_t min, uint32_t max,
	      uint32_t *sizes, uint32_t max_count, uint32_t *count, struct liquid_error *err);
/* Call after reading all parameters: any other is an error. */
int gen_params_done(const struct gen_params *params, struct liquid_error *err);

/* Add @count hosts or switches; @format makes their names from numbers that begin with 1. */
int gen_hosts(struct liquid_fabric *fabric, const char *format, uint32_t count,
	      struct liquid_error *err) __attribute__((format(printf, 2, 0)));
int gen_switches(struct liquid_fabric *fabric, const char *format, uint32_t count,
		 struct liquid_error *err) __attribute__((format(printf, 2, 0)));
/* Hash two numbers, for hashed routes. */
uint32_t gen_hash(uint32_t a, uint32_t b);

int generate_papers_5x5(struct liquid_fabric *, struct gen_params *, struct liquid_error *);
int generate_swiss_t1(struct liquid_fabric *, struct gen_params *, struct liquid_error *);
int generate_leaf_spine(struct liquid_fabric *, struct gen_params *, struct liquid_error *);
int generate_fat_tree(struct liquid_fabric *, struct gen_params *, struct liquid_error *);
int generate_torus(struct liquid_fabric *, struct gen_params *, struct liquid_error *);
int generate_mesh(struct liquid_fabric *, struct gen_params *, struct liquid_error *);
int generate_dragonfly(struct liquid_fabric *, struct gen_params *, struct liquid_error *);

#endif
