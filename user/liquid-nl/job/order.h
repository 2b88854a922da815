/* SPDX-License-Identifier: GPL-2.0-only */
/* The order of a job's exchange, for its ranks: a plan, which the service gives each node. */
#ifndef LIQUID_NL_JOB_ORDER_H
#define LIQUID_NL_JOB_ORDER_H

#include "job/job.h"

/* On a node: keep what came with its slice, or NULL, until the schedule is in force. */
void job_order_keep(struct job_args *args, json_t *json);
/* The schedule is in force: let ranks follow its plan. */
void job_order_put(const struct job_args *args);
/* It is not any more: ranks go their own way. */
void job_order_void(const struct job_args *args);

#endif
