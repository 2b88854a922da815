/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of the store: where each is, and its contents
 *
 *	lock				locked while a process publishes or purges
 *	purged				{}; its time is that of the last daily purge
 *	running/JOB			{}; the job is gated, and its end has not been seen yet
 *	jobs/JOB/			created first of all by `job start`
 *		gen-N.json		round: the round of the job's generation N
 *		skip.json		reason, cause: why it is not gated; asked: it should be
 *		until.json		until: its latest end, s since 1970
 *		void-N.json		reason: why the schedule of generation N is void
 *		end.json		by: who has noticed its end
 *		first.json		node: the job's first one, which has all that is known of it
 *	jobs/JOB.before-N/		an earlier run of a requeued job
 *	jobs/.unasked-JOB/		about to be removed, as is jobs/.removed/
 *	rounds/ROUND/
 *		spec.json		struct job_spec
 *		fabric			the round's fabric, if not that of liquid.conf
 *		schedule.json		written by the round's first node, for later rounds
 *		figures.json		frames, lower_bound, certificate, [kept, moved]; likewise
 *		places.json		of the service: the addresses of each node
 *		ready.NODE.json		node, digest: it has staged the schedule with this digest
 *		release.json		verdict: commit, abort; node, [digest, base_ns,
 *					tai_offset], [reason, cause]
 *		committed.NODE.json	node, digest
 *		go.json			verdict: keep, cancel; node, [reason, cause]
 *		open.NODE.json		node, reason: it has opened its gate, and the others gate
 *		refused.NODE.json	of the service: node, reason: another address has called by
 *					this name
 *		first.NODE.json		what its gate had counted when it began (job/sample.c)
 *		last.NODE.json		the same, when the gate was opened; with several rails both
 *					are of the first, and have the others' in "more"
 *
 * The first process to create a record wins, and the record never changes after that. Nodes of one
 * cluster may run different versions of liquid-nl, so old records must stay readable, and a new
 * member must be optional. A node's plan (job/plan.c) is not a record: it goes through a pipe.
 */
#ifndef LIQUID_NL_RECORDS_H
#define LIQUID_NL_RECORDS_H

#include "job/store/store.h"
#include "job/store/round.h"

enum record {
	RECORD_PURGED,
	/* of a job */
	RECORD_RUNNING, RECORD_JOB, RECORD_GENERATION, RECORD_SKIP, RECORD_UNTIL, RECORD_END,
	RECORD_FORMER, RECORD_UNASKED, RECORD_VOID, RECORD_AT,
	/* of a round */
	RECORD_ROUND, RECORD_SPEC, RECORD_FABRIC, RECORD_SCHEDULE, RECORD_FIGURES, RECORD_PLACES,
	RECORD_RELEASE, RECORD_GO, RECORD_READY, RECORD_COMMITTED, RECORD_OPEN,
	RECORD_FIRST, RECORD_LAST, RECORD_REFUSED,
};

/* The directories of jobs, of rounds and of running jobs */
#define RECORDS_JOBS "jobs"
#define RECORDS_ROUNDS "rounds"
#define RECORDS_RUNNING "running"
#define RECORDS_REMOVED RECORDS_JOBS "/.removed"

/* @of: a job or a round; @part: a node, the number of a generation or of a former run, or NULL */
const char *record_path(char path[JOB_PATH_MAX], enum record record, const char *of,
			const char *part);
const char *record_number(unsigned int number, char text[16]);
bool record_has(const struct job_store *store, enum record record, const char *of,
		const char *part);
/* True only if it is certain that there is no such record */
bool record_lacks(const struct job_store *store, enum record record, const char *of);
/* As job_get(). */
json_t *record_get(const struct job_store *store, enum record record, const char *of,
		   const char *part, struct liquid_error *err);
/* As job_put(), but @err has a reason also for JOB_PUT_LOST. */
int record_put(const struct job_store *store, enum record record, const char *of,
	       const char *part, json_t *json, struct liquid_error *err);
int record_put_file(const struct job_store *store, enum record record, const char *of, int fd,
		    struct liquid_error *err);
int record_make_dir(const struct job_store *store, enum record record, const char *of,
		    struct liquid_error *err);

/* ---- another place than files: job/service/ ---- */

/* How many nodes of a round have said "ready" or "committed" */
struct record_words {
	size_t said, of;
	char digest[LIQUID_DIGEST_HEX];	/* the schedule of all that have; "" if they differ */
	char other[JOB_NAME_MAX + 1];	/* a node that differs from another, or "" */
	char missing[300];		/* names of some that have not, for a message */
};

enum record_state { RECORD_ABSENT, RECORD_PRESENT, RECORD_UNKNOWN };

struct record_backend {
	enum record_state (*look)(const struct job_store *store, enum record record,
				  const char *of, const char *part);
	/* As record_get() and record_put(). */
	json_t *(*get)(const struct job_store *store, enum record record, const char *of,
		       const char *part, struct liquid_error *err);
	int (*put)(const struct job_store *store, enum record record, const char *of,
		   const char *part, json_t *json, struct liquid_error *err);
	int (*list_running)(const struct job_store *store, struct liquid_names *names,
			    struct liquid_error *err);
	/* @ask: now, not when it was last reported. False: not known */
	bool (*words)(const struct job_store *store, enum record word, const char *round,
		      bool ask, struct record_words *words);
	/* Wait @ns, or until there is news. */
	void (*rest)(const struct job_store *store, int64_t ns);
	/* This process is a copy of the one that has opened the store. */
	void (*forked)(const struct job_store *store);
	/* Time limit of record_put(), ns */
	void (*patience)(const struct job_store *store, int64_t ns);
	/* This node is refused for good, which was said: nothing will come. */
	bool (*refused)(const struct job_store *store);
	void (*close)(struct job_store *store);
};

/* ---- records of a job; the result for a missing or malformed one is 0 or false ---- */

bool record_get_generation(const struct job_store *store, const char *job, unsigned int number,
			   char round[JOB_ROUND_SIZE]);

/* Why a job is not gated, in a word: a label of metrics, so that there are few of them */
#define RECORD_CAUSE_MAX 16
#define CAUSE_TRAFFIC "traffic"		/* none, or an unknown one, is named for it */
#define CAUSE_SIZE "size"		/* it has too few or too many nodes */
#define CAUSE_SHARED "shared"		/* it shares a node or a link with another job */
#define CAUSE_STORE "store"		/* the store, or the service, does not serve */
#define CAUSE_CLOCK "clock"
#define CAUSE_SCHEDULE "schedule"	/* fabric, addresses, routes, or the solver */
#define CAUSE_GATE "gate"		/* the kernel has refused */
#define CAUSE_DIFFERS "differs"		/* two nodes have different schedules */
#define CAUSE_LATE "late"		/* not all nodes have answered in time */
#define CAUSE_ENDED "ended"		/* the job has ended meanwhile */
#define CAUSE_KILLED "killed"		/* a process of the node was killed */
#define CAUSE_ADDRESS "address"		/* nodes call from addresses that are not theirs */
#define CAUSE_NETWORK "network"		/* its first node cannot be reached */
#define CAUSE_ROUTES "routes"		/* routes have changed since */

struct record_skip {
	char reason[1024];
	bool asked;			/* the job was meant to be gated */
};
json_t *record_skip_json(bool asked, const char *cause, const char *reason);
bool record_get_skip(const struct job_store *store, const char *job, struct record_skip *skip);

int64_t record_get_until(const struct job_store *store, const char *job);

/* The reason is copied as far as there is room. */
bool record_get_void(const struct job_store *store, const char *job, unsigned int number,
		     char *reason, size_t size);

void record_forget_running(const struct job_store *store, const char *job);

/* ---- records of a round; its spec is in job/store/spec.c ---- */

/* The deadline for all nodes to be ready, CLOCK_REALTIME; false: the round has no spec. */
bool record_get_deadline(const struct job_store *store, const char *round, int64_t *deadline_ns);

/* RECORD_OPEN and RECORD_REFUSED */
int record_put_reason(const struct job_store *store, enum record record, const char *round,
		      const char *node, const char *reason, struct liquid_error *err);

/* RECORD_RELEASE and RECORD_GO; members that are "" or not given are left out of the record */
#define RECORD_TAI_OFFSET 37		/* of a release by versions that do not state it */
struct record_decision {
	bool made;
	bool positive;			/* commit or keep, not abort or cancel */
	bool base_given;
	int64_t base_ns;		/* base time, CLOCK_TAI */
	int64_t tai_offset;		/* TAI - UTC of the clock that it is by, s */
	char node[JOB_NAME_MAX + 1];	/* the node that has decided */
	char digest[LIQUID_DIGEST_HEX];
	char reason[1024];
	char cause[RECORD_CAUSE_MAX];
};
void record_read_decision(const json_t *json, enum record record,
			  struct record_decision *decision);
/* Decide, unless another process has decided before. A status */
int record_put_decision(const struct job_store *store, enum record record, const char *round,
			const struct record_decision *decision, struct liquid_error *err);
/* False: nothing is decided yet. */
bool record_get_decision(const struct job_store *store, enum record record, const char *round,
			 struct record_decision *decision);

#endif
