/* SPDX-License-Identifier: GPL-2.0-only */
/* A node within a round: what it has staged, and how far the round is. */
#ifndef LIQUID_NL_JOB_AGREE_H
#define LIQUID_NL_JOB_AGREE_H

#include "job.h"

struct agreement {
	struct job_args *args;
	struct job_spec spec;
	struct push push;
	char digest[LIQUID_DIGEST_HEX];
	bool idle;			/* the node sends in no frame */
	bool open;			/* push has its socket, and a transaction on it */
	bool replace;			/* a schedule of the job is in force */
	int64_t base_ns;		/* CLOCK_TAI */
	int guard_fd;			/* to the guardian, or -1 */
	pid_t guard_pid;
};

/* How a round has ended for the node. */
enum outcome { OUTCOME_GATED, OUTCOME_ABORTED, OUTCOME_CANCELLED };

/* job-agree.c: stage, be ready, follow the decisions; the reason is told on stderr */
enum outcome job_agree(struct job_args *args, const char *round, bool replace);

/* job-slice.c: solve, without privileges, and take the node's plan; exit code */
int slice_prepare(struct agreement *agreement);

/* job-guardian.c: a process that clears the gate if this one dies between commit and verdict */
int guardian_start(struct agreement *agreement);
void guardian_dismiss(struct agreement *agreement);
/* Open the gate of the node's device; nothing under --dry-run. Exit code. */
int job_clear_gate(const struct job_args *args);
/* The same, unless the gate has the schedule of another job by now. */
int job_clear_own(const struct job_args *args);

#endif
