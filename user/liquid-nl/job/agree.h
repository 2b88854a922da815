/* SPDX-License-Identifier: GPL-2.0-only */
/* A node's part in one round: its staged schedules, and the progress of the round. */
#ifndef LIQUID_NL_JOB_AGREE_H
#define LIQUID_NL_JOB_AGREE_H

#include "job/job.h"
#include "job/store/records.h"

/* One of the node's gates; without `rail all` there is no other */
struct rail {
	struct push push;
	char label[LIQUID_LABEL_MAX + 1];	/* of the schedule */
	char endpoint[LIQUID_NAME_MAX + 1];	/* in the fabric, or "" */
	bool idle;			/* it sends in no frame */
	bool open;			/* push has a socket with an open transaction */
};

struct agreement {
	struct job_args *args;
	struct job_spec spec;
	struct rail rail[CONF_RAILS_MAX];	/* in the order of liquid.conf's devices */
	size_t rails;
	char digest[LIQUID_DIGEST_HEX];
	bool replace;			/* a schedule of the job is already in force */
	int64_t base_ns;		/* base time, CLOCK_TAI */
	int64_t tai_offset;		/* of the clock that base_ns is by, s */
	char releaser[JOB_NAME_MAX + 1];	/* the node that has set both */
	struct job_clock clock;		/* as it was when the node became ready */
	int64_t deadline_ns;		/* end of the wait for the release, CLOCK_MONOTONIC */
	int64_t until;			/* the job's time limit, s since 1970; 0: none */
	struct record_words words;	/* the service's counts */
	long poll_ns;			/* time until the next look at the store */
	uint64_t random;		/* state of the generator that varies the polls */
	bool told;			/* a failed decision was reported */
	bool cancelled;			/* this node has tried to cancel the round */
	const char *alone;		/* why the gate opens without a verdict, or NULL */
	int guard_fd;			/* pipe to the guardian, or -1 */
	pid_t guard_pid;
};

/* How a round has ended for the node */
enum outcome { OUTCOME_GATED, OUTCOME_ABORTED, OUTCOME_CANCELLED };

/* job/agree.c: stage, be ready, follow the decisions; a failure is explained on stderr */
enum outcome job_agree(struct job_args *args, const char *round, bool replace);

/* The first rail that sends; NULL: the node sends in no frame. */
const struct rail *agreement_sender(const struct agreement *agreement);

/* job/slice.c: solve in a process without privileges, and read the node's plan; exit code */
int slice_prepare(struct agreement *agreement);

/* ---- job/word.c: a node's words in a round, the service's counts, its polls ---- */

/* Make a decision. False: the service has not taken it, which is reported once. */
bool decide(struct agreement *agreement, enum record record, struct record_decision *decision);
/* Print that @node has aborted or cancelled, and why. */
void tell_against(const struct agreement *agreement, enum record record, const char *node,
		  const char *reason);
/* Abort or cancel, with a reason, and its cause of CAUSE_*. The result is that of decide(). */
bool decide_against(struct agreement *agreement, enum record record, const char *cause,
		    const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Write this node's RECORD_READY or RECORD_COMMITTED; a status, with the reason in @err. */
int say(const struct agreement *agreement, enum record word, struct liquid_error *err);

/* What nodes have said: not all, for the same schedule as this node, or for another */
enum word { WORD_MISSING, WORD_SAME, WORD_OTHER };

/*
 * WORD_SAME when every node of the round has said @record for this node's schedule; WORD_OTHER if
 * node @other has said it for another.
 */
enum word all_said(struct agreement *agreement, enum record record, const char **other);
/* "3 of 4 nodes were ready in time, not h4": for the reason when the wait has timed out */
void tell_count(const struct agreement *agreement, enum record record, const char *were,
		char *text, size_t size);
bool job_is_over(const struct agreement *agreement);
bool is_late(const struct agreement *agreement);
/* Begin to wait for another record of all nodes. */
void await_next(struct agreement *agreement);
/* Sleep until the next poll, at most @left ns. */
void nap(struct agreement *agreement, int64_t left);
/* Sleep @ns, and renew the lease if that is due. */
void job_rest(struct job_args *args, int64_t ns);

/* job/guardian.c: a process that clears the gate if this one is killed before the verdict */
int guardian_start(struct agreement *agreement);
void guardian_dismiss(struct agreement *agreement);

#endif
