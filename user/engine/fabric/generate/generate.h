/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the generators have in common: one file per family of topologies. */
#ifndef LIQUID_GENERATE_H
#define LIQUID_GENERATE_H

#include "fabric/fabric.h"

struct gen_params {
	const char *const *word;	/* "key=value" */
	size_t count;
	uint64_t used;			/* words that a generator asked for */
};

typedef int (*generate_fn)(struct liquid_fabric *fabric, struct gen_params *params,
			   struct liquid_error *err);

/* @value keeps what it holds where the parameter is not given. */
int gen_number(struct gen_params *params, const char *key, uint32_t min, uint32_t max,
	       uint32_t *value, struct liquid_error *err);
/* The index of the parameter's value in @choices (NULL-terminated); the first is the default. */
int gen_choice(struct gen_params *params, const char *key, const char *const *choices,
	       uint32_t *value, struct liquid_error *err);
/* "key=8x8x8": @count numbers, at most @max_count. */
int gen_sizes(struct gen_params *params, const char *key, uint32_t min, uint32_t max,
	      uint32_t *sizes, uint32_t max_count, uint32_t *count, struct liquid_error *err);
/* After the last parameter: those that nobody asked for are errors. */
int gen_params_done(const struct gen_params *params, struct liquid_error *err);

/* @count hosts or switches named by @format with numbers from 1. */
int gen_hosts(struct liquid_fabric *fabric, const char *format, uint32_t count,
	      struct liquid_error *err) __attribute__((format(printf, 2, 0)));
int gen_switches(struct liquid_fabric *fabric, const char *format, uint32_t count,
		 struct liquid_error *err) __attribute__((format(printf, 2, 0)));
/* A fixed mixing of two numbers, for routes that are spread by a hash. */
uint32_t gen_hash(uint32_t a, uint32_t b);

int generate_papers_5x5(struct liquid_fabric *, struct gen_params *, struct liquid_error *);
int generate_swiss_t1(struct liquid_fabric *, struct gen_params *, struct liquid_error *);
int generate_leaf_spine(struct liquid_fabric *, struct gen_params *, struct liquid_error *);
int generate_fat_tree(struct liquid_fabric *, struct gen_params *, struct liquid_error *);
int generate_torus(struct liquid_fabric *, struct gen_params *, struct liquid_error *);
int generate_dragonfly(struct liquid_fabric *, struct gen_params *, struct liquid_error *);

#endif
