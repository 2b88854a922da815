/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Explaining why a schedule is longer than the duration, in sentences and as JSON. */
#ifndef LIQUID_EXPLAIN_H
#define LIQUID_EXPLAIN_H

#include <jansson.h>

#include "problem/budget.h"
#include "problem/routes.h"

#define EXPLAIN_NAMED_MAX 8		/* most links or transfers that a sentence names */
#define EXPLAIN_LISTED_MAX 1000		/* most links or transfers that a JSON list has */
/* About half a second on a machine of 2020. */
#define EXPLAIN_WORK_DEFAULT UINT64_C(500000000)

struct explaining {
	const struct liquid_fabric *fabric;
	const struct liquid_schedule *schedule;
	const struct liquid_schedule_info *info;
	const struct routes *routes;
	struct routes_inverse inverse;
	struct budget budget;
	FILE *text;			/* the sentences */
	json_t *root;			/* the same as JSON */
	bool failed;			/* out of memory for the JSON */
};

/* Set a key or append an element; @value is taken over. */
void explain_set(struct explaining *explaining, json_t *object, const char *key, json_t *value);
void explain_add(struct explaining *explaining, json_t *array, json_t *value);
json_t *explain_link(const struct explaining *explaining, uint32_t link);
json_t *explain_pair(const struct explaining *explaining, uint32_t pair);
/* Append the name of the link or pair to the sentence. */
void explain_say_link(struct explaining *explaining, uint32_t link);
void explain_say_pair(struct explaining *explaining, uint32_t pair);

/* Each of these adds a part of the explanation. They fail only with LIQUID_NO_MEMORY. */
int explain_witness(struct explaining *explaining, struct liquid_error *err);
int explain_teams(struct explaining *explaining, struct liquid_error *err);
int explain_left_over(struct explaining *explaining, struct liquid_error *err);

static inline bool explain_is_bottleneck(const struct routes *routes, uint32_t link)
{
	return routes->load[link] > (uint64_t)routes->capacity[link] * (routes->duration - 1);
}

#endif
