/* SPDX-License-Identifier: GPL-2.0-only */
/* push from within: its arguments, a node's plan, and the upload to the kernel. */
#ifndef LIQUID_NL_PUSH_H
#define LIQUID_NL_PUSH_H

#include <signal.h>

#include "ask/ask.h"
#include "gate/gate.h"
#include "gate/guard.h"
#include "util/opt.h"

#define PUSH_NO_USER UINT32_MAX

struct push_args {
	const char *device, *schedule, *node, *fabric, *map_file;
	const char *label;			/* NULL: none */
	uint32_t user;				/* or PUSH_NO_USER */
	struct addr_map map;
	uint64_t frame_ns, guard_ns, base_ns, cycles;
	uint64_t lease_ns;			/* 0: none */
	uint64_t rate_bps;			/* the gate's, for --dry-run; 0: the schedule's */
	uint64_t unit_bps;			/* rate of a unit; 0: the schedule's */
	uint32_t then, max_packet;
	int32_t tai_offset;
	struct guard_terms terms;		/* hops 0: from the fabric */
	bool guard_given, base_relative, replace, dry_run, json, stay;
	bool force;				/* whatever release lag was measured */
};

extern const struct opt push_opts[];
/*
 * push/args.c; EXIT_OK, or an exit code after a message. The map must be cleared, also after an
 * error.
 */
int push_parse(int argc, char **argv, struct push_args *args);

/* A node's slice of a schedule, from files alone */
struct push_plan {
	struct gate_runs runs;			/* dest is an index into dests */
	struct gate_dest *dests;		/* with keys, and later with ids */
	char **names;				/* names of dests */
	size_t count;
	uint32_t frames;			/* frames of the schedule */
	uint32_t parts;				/* frames of the gate per frame of the schedule */
	uint32_t capacity;			/* units of the node's link; 0: no fabric */
	uint32_t hops;				/* links of the longest path; 0: no fabric */
	uint64_t unit_bytes, link_rate_bps;	/* 0: the schedule does not state it */
	char digest[LIQUID_DIGEST_HEX];		/* SHA-256 of the schedule's file, or "" */
};

/* push/plan.c */
int push_read_map(struct push_args *args, struct liquid_error *err);	/* into args->map */
int push_plan_read(struct push_args *args, struct push_plan *plan, struct liquid_error *err);
/* The members that `liquid` needs to know of addresses */
void push_ask_addresses(struct ask *ask, const struct push_args *args);
/* The same from JSON, which may be anything: from `liquid`, or the process that has asked it */
int push_plan_take(const json_t *json, struct push_plan *plan, struct liquid_error *err);
void push_plan_clear(struct push_plan *plan);

/* push/tcp.c: what TCP needs on the routes to the destinations */
struct push_tcp {
	uint32_t cwnd;			/* initcwnd and initrwnd, packets */
	uint64_t rto_min_ms;
};
/* @open_ns: the part of a frame of the gate in which packets may be sent */
int push_tcp_needs(const struct push_args *args, const struct push_plan *plan,
		   const struct wire *wire, uint64_t open_ns, struct push_tcp *tcp,
		   struct liquid_error *err);

/* push/check.c: the guard, and warnings */
#define PUSH_WARNINGS_MAX 5
struct push_check {
	uint64_t guard_ns, guard_needed_ns;
	uint32_t hops;
	uint64_t lag_runs;		/* runs whose release lag was measured */
	uint64_t lag_ns;		/* what 1 in 1000 of them exceeded; 0 if they are too few */
	struct push_tcp tcp;
	unsigned int warning_count;
	char warning[PUSH_WARNINGS_MAX][256];
};
int push_check(const struct push_args *args, const struct push_plan *plan,
	       const struct gate_options *options, uint64_t rate_bps,
	       struct push_check *check, struct liquid_error *err);
/* The guard of @check against the release lag that a gate has measured */
int push_check_lag(const struct push_args *args, const struct gate *gate, struct push_check *check,
		   struct liquid_error *err);

/* dest-ids.c: ids of destinations, given those that a gate has already */
struct dest_changes {
	struct gate_dest *fresh, *changed, *former;	/* former: state of changed before */
	size_t fresh_count, changed_count;
};
/* Give each of @wanted an id. @present is sorted by id. */
int dest_ids_assign(struct gate_dest *wanted, char *const *names, size_t count,
		    const struct gate_dests *present, struct dest_changes *changes,
		    struct liquid_error *err);
void dest_changes_clear(struct dest_changes *changes);

/* push/upload.c: the upload of a slice to the kernel */
struct push {
	struct push_args args;
	struct push_plan plan;
	struct gate_runs runs;		/* runs of the plan; dest is an id */
	struct push_check check;
	struct gate_sched sched;
	struct dest_changes changes;
	struct netlink nl;
	uint32_t ifindex;
	size_t added, changed;		/* numbers of changes that the kernel has already */
};
/* Functions of type int return an exit code, after a message. */
int push_open(struct push *push);	/* the netlink socket, to which the transaction belongs */
int push_stage(struct push *push);	/* open a transaction; on failure nothing has changed */
int push_commit(struct push *push);	/* for sched.base_time; on failure nothing has changed */
void push_undo(struct push *push);	/* undo push_stage(); nl.text stays */
/* The base time of the arguments; a relative one is rounded up to a boundary of the cycle. */
int push_base_time(const struct push_args *args, uint64_t cycle, int64_t *base);
void push_describe(struct push *push);	/* fill in sched, except its base time */
int push_number_runs(struct push *push);	/* fill in runs */
/* push/print.c */
void push_print_tcp(const struct push_tcp *tcp);
int push_print(const struct push *push);	/* needs sched with its base time */
void push_clear(struct push *push);

/* push/stay.c: keep the lease until a signal comes; the socket and sched stay from the commit */
void push_stay_begin(sigset_t *signals);
int push_stay(struct push *push, const sigset_t *signals);

/* base-time.c: first boundary of the cycle at or after @now + @delta; false: out of range */
bool base_time_after(int64_t now, uint64_t delta, uint64_t cycle, int64_t *base);

#endif
