/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * liquid-nl job from within: the records of jobs, and how nodes agree
 *
 * A job has generations: the schedule that it starts with, and one more each time that routes
 * change or another job is merged with it. A generation belongs to a round, in which all nodes of
 * all jobs of that round take part. A round has two decisions, each of which is made once:
 *
 *	release		commit (all have staged the same schedule; with the base time), or abort
 *	go		keep (all have committed), or cancel (clear before the base time)
 *
 * The first node that finds a decision due makes it. All others follow what the file says.
 */
#ifndef LIQUID_NL_JOB_H
#define LIQUID_NL_JOB_H

#include <jansson.h>
#include <stdatomic.h>
#include <time.h>

#include "clock/clock.h"
#include "job/conf.h"
#include "job/store/records.h"
#include "job/store/spec.h"
#include "push/push.h"

#define JOB_NODES_MAX 64		/* in one round, by `agree first` */
#define JOB_SERVICE_NODES_MAX 4096	/* the same by a controller */
#define JOB_UNTIL_MAX (INT64_MAX / 1000000000 / 2)	/* seconds since 1970 */
#define JOB_NO_USER UINT32_MAX

/* ---- arguments and state of the subcommands ---- */

/* What came of a job's first round on this node, for the job's user */
struct job_outcome {
	bool known, gated;
	bool unasked;			/* gates were not requested */
	int64_t base_ns;		/* base time of a gated job, CLOCK_TAI */
	char round[JOB_ROUND_SIZE], digest[LIQUID_DIGEST_HEX];
	char reason[512];		/* why it is not gated */
};

/* The clock by which the schedule in force began */
struct job_clock {
	bool known;			/* it was judged: not under `clock off` */
	bool answered;			/* a time daemon has answered */
	int64_t tai_ns;			/* CLOCK_TAI - CLOCK_BOOTTIME */
	int32_t tai_offset;		/* TAI - UTC, s */
	unsigned int unfit;		/* looks since the last one that found it fit for gates */
};

/* State of the process that serves a subcommand */
struct job_run {
	uint64_t lease_due_ns;		/* next renewal of the lease, CLOCK_BOOTTIME; 0: none */
	int64_t base_ns;		/* base time of the schedule in force, CLOCK_TAI */
	struct job_clock clock;
	struct job_bound *bound;	/* shared with the caller; NULL: not in a worker */
	pid_t caller;			/* parent of the worker */
	struct job_outcome outcome;	/* in the caller, after job_bounded() */
	json_t *plan;			/* facts of the schedule in force, by rail: job/sample.c */
	json_t *order;			/* the newest round's plan for ranks, see job/order.c */
	int order_fd;			/* the file that ranks read; -1: there is none */
};

struct job_args {
	const char *conf_path, *job, *nodes, *node, *traffic, *partition, *comment, *fabric;
	const char *live_topo, *live_lft;
	/* --leave-out, --unit-rate and --allow-unreachable, of reroute */
	const char *leave_out;
	uint64_t unit_bps;
	bool allow_unreachable;
	uint64_t older_ns;		/* --older-than */
	uint64_t until;			/* --until: the job's time limit, s since 1970, or 0 */
	uint64_t user;			/* --user: who has a notice, or JOB_NO_USER */
	struct conf conf;
	struct job_store store;
	char dir[4096];			/* of the store; with `agree first` each node has one */
	char *first;			/* the job's first node, if that is to serve it */
	struct clock_asker clock;
	bool merge, dry_run, json, stay, running;
	const struct job_command *command;
	struct job_run run;
};

/* ---- job/bound.c: a time limit on all that a prologue does ---- */

/* Memory that the caller and its worker share */
struct job_bound {
	_Atomic int64_t until_ns;	/* end of the caller's wait, CLOCK_MONOTONIC */
	_Atomic int64_t base_ns;	/* base time of a committed schedule, CLOCK_TAI; 0: none */
	struct job_outcome outcome;	/* written by the worker */
	char doing[128];		/* its step, if it may take long; for a message */
};

/*
 * Run @serve in a worker process, which is killed and abandoned when the limit has passed. The exit
 * code of @serve, or of the failure.
 */
int job_bounded(struct job_args *args, uint64_t limit_ns, int (*serve)(struct job_args *args),
		bool *abandoned);
/* In the worker: its next step, for the message where that takes too long; "": no more */
void job_doing(const struct job_args *args, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void job_die_with_caller(const struct job_args *args);
/* The position on stderr of a worker, in bytes */
off_t job_said(void);
/* The last line that was written to stderr after position @since; false: there is none. */
bool job_said_since(off_t since, char *line, size_t size);
/* The same of another file, which ends at @end */
bool job_last_line(int fd, off_t since, off_t end, char *line, size_t size);

/* ---- job/user.c: the one user who keeps the store ---- */

/* Work of a subcommand in addition to reading the store */
struct job_needs {
	bool writes;			/* writes records */
	bool makes;			/* creates a missing store */
	bool gates;			/* sends requests to the kernel */
	bool calls;			/* on a node: asks the service, if there is one */
};

struct job_keeper {
	uid_t uid;
	gid_t gid;
};
enum job_found { JOB_USER_FOUND, JOB_USER_UNKNOWN, JOB_USER_SILENT };
#define JOB_USER_NS INT64_C(5000000000)	/* for the look-up */
/* By name, or by a number, which is taken for the group's too and looked up nowhere. */
enum job_found job_find_user(const char *name, struct job_keeper *keeper);
/* Root becomes the keeper. Any user drops the privileges that @needs does not name. Exit code */
int job_become_keeper(struct job_args *args, const struct job_needs *needs);
/* Keep only descriptors for the wait for a worker; false with errno */
bool job_keep_waiting_caps(void);
/* To be called as the keeper; job_store_close() closes. Exit code */
int job_open_store(struct job_args *args, const struct job_needs *needs);
/* Where this node's store is, or the controller's; exit code, after a message */
int job_find_store(struct job_args *args);
/* Even a keeper who is root has no capabilities any more, nor have programs that it runs. */
bool job_drop_privileges(void);
/* Who publishes jobs, for messages: the controller, or this node */
const char *job_publisher(const struct job_args *args);

/* ---- the subcommands: all return an exit code ---- */

/* job/start.c, job/reroute.c, job/sweep.c, job/purge.c: on the controller */
int job_start(struct job_args *args);
int job_reroute(struct job_args *args);
int job_sweep(struct job_args *args);
int job_purge(struct job_args *args);
/* job/prepare.c: on a node, without privileges: check, solve, print the plan */
int job_prepare(struct job_args *args, const char *round);
/* Run the live-command, if there is one. Exit code */
int job_run_live(const struct conf *conf);
/* job/ready.c: on a node: stage, agree, commit; then watch for later generations */
int job_ready(struct job_args *args);
/* job/publish.c: record_put(), with an exit code, after a message */
int job_put_record(const struct job_store *store, enum record record, const char *of,
		   const char *part, json_t *json);
/* job/service/places.c: when a round is published, the addresses of its nodes, for the service */
int places_find(const struct job_args *args, const struct job_spec *spec);
/* job/service/server.c: on the controller, for as long as it lives */
int job_serve(struct job_args *args);
/* job/end.c, job/status.c */
int job_end(struct job_args *args);
int job_status(struct job_args *args);

/* job/end.c: open the gate of the node's device; does nothing under --dry-run. Exit code */
int job_clear_gate(const struct job_args *args);
/* The same, but leave the gate alone if it now has the schedule of another job. */
int job_clear_own(const struct job_args *args);
/* Record the job's end, unless that is done; @by: who has noticed it. Exit code */
int job_note_end(const struct job_args *args, const char *by);
/* job/status.c: the state of a job; NULL: out of memory */
json_t *job_status_json(const struct job_args *args, const char *job);
/* job/status.c: print an array of the states of jobs, and free it. Exit code */
int job_print_states(json_t *array, bool json);
/* job/ready.c: what on-failure asks for when the node does not gate. Exit code */
int job_ungated(const struct job_args *args);
/* In the worker: the node does not gate, for the last message on stderr. */
void job_tell_ungated(const struct job_args *args);
/* The job's partition has no traffic, which both controller and node know from liquid.conf. */
bool job_is_never_gated(const struct job_args *args);
/* job/purge.c: job_purge() at most once a day; a failure is not reported */
void job_purge_daily(const struct job_args *args);

/* ---- job/clock.c: the clock of gates ---- */

/*
 * Is it fit for gates, as `clock` of liquid.conf asks? Exit code. The sockets of time daemons were
 * opened before the change of user, where that was root.
 */
int job_clock_check(struct job_args *args, struct job_clock *clock);
/* False: args->run.clock is not to be trusted any more, for the reason in @text. */
bool job_clock_holds(struct job_args *args, char *text, size_t size);

/* ---- job/lease.c: a gate opens by itself when its lease is not renewed ---- */

/* Record why this node has opened its gate while the others keep theirs. */
void job_tell_open(const struct job_args *args, const char *round, const char *reason);
/* The length of the lease of this node's gate, ns; 0: no lease */
uint64_t job_lease_ns(const struct job_args *args);
/* Begin or end to renew the lease in job_lease_keep(). */
void job_lease_begin(struct job_args *args);
void job_lease_forget(struct job_args *args);
/* Renew the lease if that is due. To be called several times per lease. */
void job_lease_keep(struct job_args *args);
int job_renew(struct job_args *args);

/* ---- job/sample.c: the counters of a node's gate, for `job report` ---- */

/* Keep the part of a plan, which begins, for the first sample; @rail: from 0, one by one */
void job_sample_plan(struct job_args *args, size_t rail, const struct push *push,
		     const char *endpoint);
/* This process knows that the rail sends in no frame, so that its gate has no schedule. */
bool job_rail_idle(const struct job_args *args, size_t rail);
/*
 * The counters of the node's gates. NULL: there are none, or this process knows their schedule, and
 * they have another.
 */
json_t *job_sample_gate(const struct job_args *args);
/* Write RECORD_FIRST or RECORD_LAST, unless that is there. Takes @sample, which may be NULL. */
void job_sample_put(struct job_args *args, enum record record, const char *round,
		    json_t *sample);

/*
 * job/notice.c: inform the job's user of its fabric and host, and of args->run.outcome if that is
 * known. Not to be called by a process that has become the keeper. A failure is reported, and is no
 * reason not to gate.
 */
void job_notice_put(const struct job_args *args);
/* Likewise, before there is a plan for ranks: make args->run.order_fd, an empty file. */
void job_notice_make_plan(struct job_args *args);
void job_notice_remove(const struct job_args *args);
/*
 * The notice of args->job and args->node, in members of `job status --json`; NULL: there
 * is none that this user may read, or it is not root's.
 */
json_t *job_notice_read(const struct job_args *args);

#endif
