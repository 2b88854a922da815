/* SPDX-License-Identifier: GPL-2.0-only */
/* The order of a job's exchange, for its ranks: a plan, which the service gives each node. */
#ifndef LIQUID_NL_JOB_ORDER_H
#define LIQUID_NL_JOB_ORDER_H

#include "job/job.h"

#define JOB_ORDER_RANKS_MAX 2048	/* a plan takes memory for each pair of them */

/* The first members are what it is made of. */
struct job_order {
	const struct job_spec *spec;
	const struct liquid_fabric *fabric;
	const struct liquid_traffic *traffic;
	const char *schedule;		/* a file */
	const struct conf *conf;
	struct liquid_plan *plan;	/* NULL: there is none */
	uint32_t *host;			/* by rank of the plan */
	uint32_t *first;		/* by node, and nodes: rank of its first rail */
	json_t *names;			/* by rank */
};

/*
 * Make the plan of a round's schedule, whose ranks are the rails of the job's nodes in their order:
 * one of each, or by `rail all` each. There is none if the round has several jobs or too many
 * ranks, if its traffic is not all nodes with all, or after a message.
 */
void job_order_make(struct job_order *order);
void job_order_clear(struct job_order *order);
/* The slices of a node's rails, by its number; NULL: there is none */
json_t *job_order_json(const struct job_order *order, size_t node);

/* On a node: keep what came with its slice, or NULL, until the schedule is in force. */
void job_order_keep(struct job_args *args, json_t *json);
/* The schedule is in force: let ranks go by its plan. */
void job_order_put(const struct job_args *args);
/* It is not any more: ranks go their own way. */
void job_order_void(const struct job_args *args);

#endif
