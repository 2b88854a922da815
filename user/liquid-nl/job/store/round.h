/* SPDX-License-Identifier: GPL-2.0-only */
/* Which round a job is in, and whether the job has ended. */
#ifndef LIQUID_NL_JOB_ROUND_H
#define LIQUID_NL_JOB_ROUND_H

#include "job/store/store.h"

#define JOB_ROUND_SIZE (JOB_NAME_MAX + 16)	/* of a round's name */

/* The newest generation of a job; 0: none. The round's name in @round. */
unsigned int job_generation(const struct job_store *store, const char *job,
			    char round[JOB_ROUND_SIZE]);
/*
 * The newest that was not aborted: the one that gates the job, or is about to. 0: none, or it was
 * cancelled, which opens all gates.
 */
unsigned int job_in_force(const struct job_store *store, const char *job,
			  char round[JOB_ROUND_SIZE]);
/* Its end is noted, its time is over, or it has no record: it was purged, or never published. */
bool job_ended(const struct job_store *store, const char *job);
/* The same, where record_get_until() is known: for who asks again and again. */
bool job_ended_by(const struct job_store *store, const char *job, int64_t until);
/* Jobs that were gated and may still be, sorted; one that has ended is forgotten in time. */
int job_list_running(const struct job_store *store, struct liquid_names *names,
		     struct liquid_error *err);

#endif
