/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs that run at the same time: shared nodes and links, and merging into one schedule. */
#ifndef LIQUID_NL_JOB_SHARING_H
#define LIQUID_NL_JOB_SHARING_H

#include "job/publish.h"

/* Functions of type int return an exit code, after a message. The caller holds the store's lock. */

/* The round that gates @job, or is about to; false: the job runs ungated. */
bool sharing_running(const struct job_args *args, const char *job, struct job_spec *spec);
/* Add those parts of @other whose jobs it gates, unless @spec has them already. */
int sharing_add_parts(const struct job_args *args, struct job_spec *spec,
		      const struct job_spec *other);
/* Let @spec keep the valid part of the schedule of @other, if the store has that schedule. */
int sharing_keep_from(const struct job_args *args, struct job_spec *spec,
		      const struct job_spec *other);
/*
 * Add the jobs that @spec must be merged with. @reason: why it must not be gated, or "". @facts:
 * of the round with them; fabric_clear() frees, also after a failure.
 */
int sharing_check(const struct job_args *args, struct job_spec *spec, struct publish_facts *facts,
		  char reason[512]);

#endif
