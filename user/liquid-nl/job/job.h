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
#include "push/push.h"

#define JOB_NODES_MAX 64		/* of a round: each reads the records of all */
#define JOB_NAME_MAX 64			/* letters, digits, . _ - */

#define JOB_PATH_MAX 512
#define JOB_KEPT_MAX 3
struct job_store {
	const char *dir;		/* for messages */
	int fd;				/* the directory itself, whatever its name leads to now; -1: closed */
	uid_t keeper;			/* owns all that is trusted */
	struct job_kept {		/* directories in it that are looked at again and again */
		char path[JOB_PATH_MAX];
		int fd;
	} kept[JOB_KEPT_MAX];
	size_t kept_count;
};

/* ---- job/store/store.c: small JSON files, each of which appears whole or not at all ---- */

#define JOB_RECORD_MAX (64 << 20)	/* bytes */
#define JOB_DIR_MODE 0750

/* LIQUID_OK, JOB_STORE_ABSENT or an error, also where others than the keeper may write. */
#define JOB_STORE_ABSENT 1
int job_store_open(struct job_store *store, struct liquid_error *err);
void job_store_close(struct job_store *store);
/* The same, and makes what is missing. */
int job_store_make(struct job_store *store, struct liquid_error *err);
/* Is @name fit for a file's name? */
bool job_name_fits(const char *name);
enum job_put { JOB_PUT_DONE = 0, JOB_PUT_LOST = 1 };	/* lost: another was first */
/* Creates @path (within the store); never replaces. JOB_PUT_* or a status. Takes @json. */
int job_put(const struct job_store *store, const char *path, json_t *json,
	    struct liquid_error *err);
/* NULL where there is none (err->text is "" then), or it cannot be read. */
json_t *job_get(const struct job_store *store, const char *path, struct liquid_error *err);
bool job_has(const struct job_store *store, const char *path);
/* Is it surely not there? A store that cannot be read neither has a record nor lacks it. */
bool job_lacks(const struct job_store *store, const char *path);
/* A record's file to read, a regular one of the keeper's; -1 with err. */
int job_open(const struct job_store *store, const char *path, struct liquid_error *err);
/* As job_put(), of what @fd has from its beginning. */
int job_put_file(const struct job_store *store, const char *path, int fd,
		 struct liquid_error *err);
int job_remove(const struct job_store *store, const char *path, struct liquid_error *err);
/* "" is the store itself; -1 with errno */
int job_open_dir(const struct job_store *store, const char *path);
/*
 * To walk to a directory and to check it costs a server more than the look-up in it: it is open until
 * job_store_forget(). One that has got another name meanwhile is still the same.
 */
void job_store_keep(struct job_store *store, const char *path);
void job_store_forget(struct job_store *store);
/* What is remembered of a directory is out of date: on NFS the server is asked whether it has changed. */
void job_refresh(const struct job_store *store, const char *path);
int job_rename(const struct job_store *store, const char *from, const char *to,
	       struct liquid_error *err);
/* A directory and the files in it; LIQUID_OK when it is not there. */
int job_remove_dir(const struct job_store *store, const char *path, struct liquid_error *err);
/* When a record was made, by the clock of the storage; false: there is none. */
bool job_made_at(const struct job_store *store, const char *path, time_t *when);
int job_make_dir(const struct job_store *store, const char *path, struct liquid_error *err);
/* Names in a directory of the store, sorted; none where it is not there. liquid_names_clear() frees. */
int job_list(const struct job_store *store, const char *path, struct liquid_names *names,
	     struct liquid_error *err);
bool job_names_add(struct liquid_names *names, const char *name);
/* One publisher at a time; the descriptor is closed to unlock. -1 with err. */
int job_lock(const struct job_store *store, struct liquid_error *err);

/* job/store/mount.c: does a look at the store tell how it is now? The option that helps is in @err. */
bool job_store_fresh(const struct job_store *store, struct liquid_error *err);

/* ---- job/store/spec.c: what a round is about ---- */

struct job_part {			/* a job's share of the traffic */
	char *job, *what;		/* as conf_traffic */
	uint32_t tasks_per_node;
	struct liquid_names nodes;	/* as Slurm names them */
};

struct job_spec {
	char *round;
	char *fabric_digest, *traffic_digest;
	bool own_fabric;		/* the round brings its fabric: rounds/ROUND/fabric */
	char *from_round, *from_digest;	/* whose schedule to keep as far as it holds; NULL: none */
	uint64_t frame_ns, guard_ns, unit_bytes, link_rate_bps, seed, work;
	bool guard_given;
	int64_t deadline_ns;		/* CLOCK_REALTIME */
	uint64_t lead_ns;
	struct job_part *part;
	size_t part_count;
};

json_t *job_spec_json(const struct job_spec *spec);
int job_spec_read(const struct job_store *store, const char *round, struct job_spec *spec,
		  struct liquid_error *err);
void job_spec_clear(struct job_spec *spec);
/* All nodes of all parts. */
size_t job_spec_node_count(const struct job_spec *spec);
const char *job_spec_first_node(const struct job_spec *spec);
bool job_spec_has_node(const struct job_spec *spec, const char *node);
int job_part_set(struct job_part *part, const char *job, const char *what, uint32_t tasks,
		 const char *const *nodes, size_t count);

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
	uint64_t lease_due_ns;		/* CLOCK_BOOTTIME; next renewal of the lease; 0: none is due */
	int64_t base_ns;		/* CLOCK_TAI; base time of the schedule that the node gates by */
	struct job_bound *bound;	/* shared by the worker and its caller; NULL: not a worker */
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
/* job/purge.c: at most once a day, what ended longer ago than --older-than says; nobody minds if not */
void job_purge_daily(const struct job_args *args);
int job_status(struct job_args *args);

/* job/lease.c: the others go on without this node; whoever asks how the job stands shall see why. */
void job_tell_open(const struct job_args *args, const char *round, const char *reason);
/* A gate opens when nobody renews its lease. How long it is; 0: none. */
uint64_t job_lease_ns(const struct job_args *args);
/* From now on, or no longer. */
void job_lease_begin(struct job_args *args);
void job_lease_forget(struct job_args *args);
/* Renew it if that is due: to be called now and then. */
void job_lease_keep(struct job_args *args);
int job_renew(struct job_args *args);

/* job/store/round.c: the newest generation; 0: none. The round's name in @round. */
unsigned int job_generation(const struct job_store *store, const char *job,
			    char round[JOB_NAME_MAX + 16]);
/*
 * The newest that was not aborted: the one that gates the job, or is about to. 0: none, or it was
 * cancelled, which opens all gates.
 */
unsigned int job_in_force(const struct job_store *store, const char *job,
			  char round[JOB_NAME_MAX + 16]);
/* Its end is noted, its time is over, or it has no record: it was purged, or never published. */
bool job_ended(const struct job_store *store, const char *job);
/* The same, where record_get_until() is known: for who asks again and again. */
bool job_ended_by(const struct job_store *store, const char *job, int64_t until);
/* Jobs that were gated and may still be, sorted; one that has ended is forgotten in time. */
int job_list_running(const struct job_store *store, struct liquid_names *names,
		     struct liquid_error *err);
#define JOB_UNTIL_MAX (INT64_MAX / 1000000000 / 2)	/* seconds since 1970 */

/* job/unit.c: in which unit it is scheduled, as fabric and liquid.conf say */
int job_unit_rate(const struct conf *conf, const struct liquid_fabric *fabric, uint64_t *bps,
		  struct liquid_error *err);

/* job/plan.c: a node's slice, between two processes */
json_t *job_plan_json(const struct push_plan *plan, const char *digest);
int job_plan_read(const json_t *json, struct push_plan *plan, struct liquid_error *err);


#endif
