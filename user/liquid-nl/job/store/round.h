/* SPDX-License-Identifier: GPL-2.0-only */
/* The round that a job is in, and whether the job has ended. */
#ifndef LIQUID_NL_JOB_ROUND_H
#define LIQUID_NL_JOB_ROUND_H

#include "job/store/store.h"

#define JOB_ROUND_SIZE (JOB_NAME_MAX + 16)	/* bytes of a round's name */

/* The newest generation of a job, and its round; 0: none. */
unsigned int job_generation(const struct job_store *store, const char *job,
			    char round[JOB_ROUND_SIZE]);
/*
 * The newest generation that was not aborted, and its round, which gates the job or is about to. 0:
 * there is none, or it was cancelled, which opens all gates.
 */
unsigned int job_in_force(const struct job_store *store, const char *job,
			  char round[JOB_ROUND_SIZE]);
/* True if the end is recorded, the time limit has passed, or the job was purged or never begun. */
bool job_ended(const struct job_store *store, const char *job);
/* The same with a known record_get_until(), for callers that poll. */
bool job_ended_by(const struct job_store *store, const char *job, int64_t until);
/* Jobs that were gated and may still be, sorted; some of them may have ended. */
int job_list_running(const struct job_store *store, struct liquid_names *names,
		     struct liquid_error *err);

#endif
