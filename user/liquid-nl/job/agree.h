/* SPDX-License-Identifier: GPL-2.0-only */
/* A node within a round: what it has staged, and how far the round is. */
#ifndef LIQUID_NL_JOB_AGREE_H
#define LIQUID_NL_JOB_AGREE_H

#include "job/job.h"
#include "job/store/records.h"

struct agreement {
	struct job_args *args;
	struct job_spec spec;
	struct push push;
	char digest[LIQUID_DIGEST_HEX];
	bool idle;			/* the node sends in no frame */
	bool open;			/* push has its socket, and a transaction on it */
	bool replace;			/* a schedule of the job is in force */
	int64_t base_ns;		/* CLOCK_TAI */
	int64_t deadline_ns;		/* CLOCK_MONOTONIC: when it gives up for itself */
	int64_t until;			/* record_get_until() */
	size_t seen;			/* nodes, in the round's order, that have said what is awaited */
	long poll_ns;
	uint64_t random;
	bool told;			/* that the store takes no decision */
	bool cancelled;			/* by this node, as far as the store takes it */
	const char *alone;		/* why the node opens its gate without a verdict, or NULL */
	int guard_fd;			/* to the guardian, or -1 */
	pid_t guard_pid;
};

/* How a round has ended for the node. */
enum outcome { OUTCOME_GATED, OUTCOME_ABORTED, OUTCOME_CANCELLED };

/* job/agree.c: stage, be ready, follow the decisions; the reason is told on stderr */
enum outcome job_agree(struct job_args *args, const char *round, bool replace);

/* job/slice.c: solve, without privileges, and take the node's plan; exit code */
int slice_prepare(struct agreement *agreement);

/* ---- job/word.c: what a node says and reads in a round, and how often it looks ---- */

/* False: the store does not take the decision, which is told once. */
bool decide(struct agreement *agreement, enum record record, struct record_decision *decision);
/* Abort or cancel, with a reason. */
bool decide_against(struct agreement *agreement, enum record record, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* RECORD_READY or RECORD_COMMITTED. LIQUID_OK, or a status with the reason */
int say(const struct agreement *agreement, enum record word, struct liquid_error *err);

enum word { WORD_MISSING, WORD_SAME, WORD_OTHER };

/* All have said so, of the same schedule; @other has not, or of another. Each record is read once. */
enum word all_said(struct agreement *agreement, enum record record, const char **other);
/* "3 of 4 nodes were ready in time, not h4": how far it has come when time is over */
void tell_count(const struct agreement *agreement, enum record record, const char *were,
		char *text, size_t size);
bool job_is_over(const struct agreement *agreement);
bool is_late(const struct agreement *agreement);
/* What is awaited from now on has been said by nobody yet. */
void await_next(struct agreement *agreement);
/* Until the next look, but not beyond @left. */
void nap(struct agreement *agreement, int64_t left);
/* A while, in which the schedule in force does not end. */
void job_rest(struct job_args *args, int64_t ns);

/* job/guardian.c: a process that clears the gate if this one dies between commit and verdict */
int guardian_start(struct agreement *agreement);
void guardian_dismiss(struct agreement *agreement);

#endif
