/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * liquid-nl job from within: records on shared storage, and how nodes agree
 *
 * A job has generations: the schedule that it starts with, and one for each time that routes or
 * its neighbours change. A generation belongs to a round, in which all nodes of all its jobs
 * take part. A round has two decisions, each a file that only one writer can create:
 *
 *	release		commit (all have staged the same schedule; with the base time), or abort
 *	go		keep (all have committed), or cancel (clear before the base time)
 *
 * Whoever sees that a decision is due makes it; all others follow what the file says.
 */
#ifndef LIQUID_NL_JOB_H
#define LIQUID_NL_JOB_H

#include <jansson.h>
#include <stdatomic.h>
#include <time.h>

#include "clock/clock.h"
#include "job/conf.h"
#include "job/store/round.h"
#include "job/store/spec.h"
#include "push/push.h"

#define JOB_NODES_MAX 64		/* of a round: each reads the records of all */
#define JOB_UNTIL_MAX (INT64_MAX / 1000000000 / 2)	/* seconds since 1970 */

/* ---- job/traffic.c: what it sends, on a fabric ---- */

/* A node's endpoint: the one of its rail among those of the fabric; LIQUID_NONE. */
uint32_t job_endpoint(const struct liquid_fabric *fabric, const char *node, uint64_t rail);
/* The sum of the parts. With a fabric of its own, what is to be sent by or to lost nodes is left out. */
int job_spec_traffic(const struct job_spec *spec, const struct liquid_fabric *fabric,
		     uint64_t rail, struct liquid_traffic **traffic, struct liquid_error *err);
const char *job_spec_schedule(const struct job_spec *spec);	/* a file, or NULL: to be solved */

/* ---- what the subcommands get ---- */

/* What a process knows of the job that it is at */
struct job_run {
	uint64_t lease_due_ns;		/* next renewal of the lease, CLOCK_BOOTTIME; 0: none is due */
	int64_t base_ns;		/* base time of the schedule in force, CLOCK_TAI */
	struct job_bound *bound;	/* shared with the caller; NULL: this is not a worker */
	pid_t caller;			/* of the worker */
};

struct job_args {
	const char *conf_path, *job, *nodes, *node, *traffic, *partition, *comment, *fabric;
	const char *live_topo, *live_lft;
	const char *leave_out;		/* --leave-out, --unit-rate, --allow-unreachable of reroute */
	uint64_t unit_bps;
	bool allow_unreachable;
	uint64_t older_ns;		/* --older-than */
	uint64_t until;			/* --until: when the job is over at the latest; 0: not known */
	struct conf conf;
	struct job_store store;
	struct clock_asker clock;
	bool merge, dry_run, json, stay, running;
	const struct job_command *command;
	struct job_run run;
};

/* ---- job/bound.c: who waits for the store, and for how long ---- */

struct job_bound {
	_Atomic int64_t until_ns;	/* CLOCK_MONOTONIC: when the caller goes */
	_Atomic int64_t base_ns;	/* CLOCK_TAI: of what is committed; 0: nothing */
};

/* @serve, in a process that is abandoned when its time is over. Its exit code */
int job_bounded(struct job_args *args, uint64_t limit_ns, int (*serve)(struct job_args *args),
		bool *abandoned);
void job_die_with_caller(const struct job_args *args);
/* How much a worker has said on stderr; the last line since then, false: there is none. */
off_t job_said(void);
bool job_said_since(off_t since, char *line, size_t size);

/* ---- job/user.c: the one user who keeps the store ---- */

/* What a subcommand does beside reading the store */
struct job_needs {
	bool writes, makes;		/* makes: the store, where it is not there */
	bool waits;			/* for who makes it */
	bool gates;			/* speaks to the kernel */
};

/* Root becomes that user, and whoever we are keeps no privilege but what @needs says. Exit code */
int job_become_keeper(struct job_args *args, const struct job_needs *needs);
/* Who waits for a worker keeps what it needs for that; false with errno */
bool job_keep_waiting_caps(void);
/* As that user; job_store_close() closes it. Exit code */
int job_open_store(struct job_args *args, const struct job_needs *needs);

/* Exit codes. job/publish.c, job/reroute.c, job/purge.c: by the controller */
int job_start(struct job_args *args);
int job_reroute(struct job_args *args);
int job_purge(struct job_args *args);
/* job/prepare.c: on a node, without privileges: check, solve, print the plan */
int job_prepare(struct job_args *args, const char *round);
/* job/ready.c: on a node: stage, agree, commit; then watch for other generations */
int job_ready(struct job_args *args);
/* job/end.c, job/status.c */
int job_end(struct job_args *args);
/* Open the gate of the node's device; nothing under --dry-run. Exit code. */
int job_clear_gate(const struct job_args *args);
/* The same, unless the gate has the schedule of another job by now. */
int job_clear_own(const struct job_args *args);
/* Unless it is noted. */
int job_note_end(const struct job_args *args, const char *by);
/* job/ready.c: the node does not gate, and on-failure says what that is. Exit code */
int job_ungated(const struct job_args *args);
/* By its partition, of which both controller and node know. */
bool job_is_never_gated(const struct job_args *args);
/* job/purge.c: job_purge(), at most once a day; its failure is not reported */
void job_purge_daily(const struct job_args *args);
int job_status(struct job_args *args);

/* job/lease.c: record why this node has opened its gate while the others go on. */
void job_tell_open(const struct job_args *args, const char *round, const char *reason);
/* A gate opens when nobody renews its lease. How long it is; 0: none. */
uint64_t job_lease_ns(const struct job_args *args);
/* From now on, or no longer. */
void job_lease_begin(struct job_args *args);
void job_lease_forget(struct job_args *args);
/* Renew it if that is due: to be called now and then. */
void job_lease_keep(struct job_args *args);
int job_renew(struct job_args *args);

/* job/unit.c: in which unit it is scheduled, as fabric and liquid.conf say */
int job_unit_rate(const struct conf *conf, const struct liquid_fabric *fabric, uint64_t *bps,
		  struct liquid_error *err);

/* job/plan.c: a node's slice, between two processes */
json_t *job_plan_json(const struct push_plan *plan, const char *digest);
int job_plan_read(const json_t *json, struct push_plan *plan, struct liquid_error *err);


#endif
