/* SPDX-License-Identifier: GPL-2.0-only */
/* How a round is published, which a job's start and its reroute share. */
#ifndef LIQUID_NL_JOB_PUBLISH_H
#define LIQUID_NL_JOB_PUBLISH_H

#include "job/job.h"

/* All return an exit code and complain by themselves; the store's lock is held. */

/* Digests, frame, deadline: all of a round but its name and its parts. */
int publish_fill(const struct job_args *args, const struct liquid_fabric *fabric,
		 struct job_spec *spec);
/* A name that no round has had, and its directory. */
int publish_name(const struct job_args *args, struct job_spec *spec);
/* A generation of each of its jobs leads to the round, which is whole by then. */
int publish_round(const struct job_store *store, const struct job_spec *spec);
/* ---- job/sharing.c: what jobs have to do with each other ---- */

/* The round that gates @job, or is about to; false: it runs ungated. */
bool sharing_running(const struct job_args *args, const char *job, struct job_spec *spec);
/* The parts of a round whose jobs are gated by it, unless they are there. */
int sharing_add_parts(const struct job_args *args, struct job_spec *spec,
		      const struct job_spec *other);
/* What holds of the schedule of another round shall stay, if the store has it. */
int sharing_keep_from(const struct job_args *args, struct job_spec *spec,
		      const struct job_spec *other);
/* "", or why the job must not be gated; what it is merged with is added. */
int sharing_check(const struct job_args *args, const struct liquid_fabric *fabric,
		  struct job_spec *spec, char reason[512]);

#endif
