/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * doctor from within: checks of everything that a gated job needs
 *
 * A check is a function in the table of doctor/checks.c. It runs in a separate process, which may
 * change its user, and is killed and abandoned if it does not end in time, because it may touch a
 * file system that does not answer. It leaves its findings in memory shared with its parent.
 */
#ifndef LIQUID_NL_DOCTOR_H
#define LIQUID_NL_DOCTOR_H

#include "job/fabric.h"
#include "job/job.h"

enum verdict { VERDICT_OK, VERDICT_WARN, VERDICT_WRONG, VERDICT_UNCHECKED };

struct finding {
	enum verdict verdict;
	char text[640];			/* the finding; of VERDICT_UNCHECKED: why not */
	char fix[320];			/* how to fix it, or "" */
};

#define FINDINGS_MAX 12

/* The findings of one check, shared with its process */
struct findings {
	unsigned int count;
	struct finding finding[FINDINGS_MAX];
};

struct doctor {
	struct job_args job;		/* conf_path, node, conf, store, clock */
	const char *user;		/* --job-user: a name or a number, or NULL */
	uint64_t limit_ns;		/* of each check */
	bool no_users;			/* the user database does not answer */
	struct findings *findings;	/* of the check that this process runs */
};

struct check {
	const char *name;
	void (*run)(struct doctor *doctor);
	bool of_node;			/* needs --node */
	bool of_user;			/* needs --job-user */
	bool users;			/* needs the user database */
	const char *else_fix;		/* how to fix a check that does not end in time */
};

/* doctor/checks.c: the user database, then liquid.conf, then the others; ends without a name */
extern const struct check checks[];
#define CHECKS_MAX 16

/* doctor/examine.c: run all checks; findings[] is in the order of the table. Exit code */
int doctor_examine(struct doctor *doctor, struct findings *findings[CHECKS_MAX]);

/* doctor/print.c: @findings as text or JSON; an exit code, EXIT_BAD_INPUT if something is wrong */
int doctor_print(const struct doctor *doctor, struct findings *const *findings, bool json);

/* ---- for checks ---- */

/* Append a finding. @fix may be "". */
void find(struct doctor *doctor, enum verdict verdict, const char *fix, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Append a finding with the last line on stderr, or with @otherwise. */
void find_said(struct doctor *doctor, enum verdict verdict, const char *fix,
	       const char *otherwise);
/*
 * Become the keeper, as the prologue does. False after a finding: this user may not. @gates: keep
 * CAP_NET_ADMIN.
 */
bool become_keeper(struct doctor *doctor, bool gates);
/* Members of a question: the fabric of liquid.conf, and this node in it */
void doctor_ask_fabric(const struct doctor *doctor, struct ask *ask);
/* Is there no file of the fabric on this node, and need be none, since nodes agree by a service? */
bool fabric_is_elsewhere(const struct doctor *doctor);

#define USERS_HANG "sssd, or the directory that it asks; a number as `user` of liquid.conf needs " \
		   "no look-up. Meanwhile no job is gated"
void check_user_database(struct doctor *doctor);
void check_configuration(struct doctor *doctor);
void check_fabric(struct doctor *doctor);
void check_routes(struct doctor *doctor);
void check_addresses(struct doctor *doctor);
void check_module(struct doctor *doctor);
void check_gate(struct doctor *doctor);
void check_guard(struct doctor *doctor);
void check_clock(struct doctor *doctor);
void check_processor(struct doctor *doctor);
void check_store(struct doctor *doctor);
void check_slurm(struct doctor *doctor);
void check_job_user(struct doctor *doctor);

#endif
