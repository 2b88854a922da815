/* SPDX-License-Identifier: GPL-2.0-only */
/* What push is asked for, and what it is going to tell the kernel. */
#ifndef LIQUID_NL_PUSH_H
#define LIQUID_NL_PUSH_H

#include "gate/gate.h"
#include "gate/guard.h"
#include "util/opt.h"

struct push_args {
	const char *device, *schedule, *node, *fabric, *map_file;
	struct addr_map map;
	uint64_t frame_ns, guard_ns, base_ns, cycles;
	uint64_t lease_ns;			/* 0: none */
	uint64_t rate_bps;			/* --dry-run only; 0: as the schedule says */
	uint64_t unit_bps;			/* of a unit, whatever the schedule says; 0: as it says */
	uint32_t then, max_packet;
	int32_t tai_offset;
	struct guard_terms terms;		/* hops 0: from the fabric */
	bool guard_given, base_relative, replace, dry_run, json;
};

extern const struct opt push_opts[];
/* push-args.c; EXIT_OK, or the exit code after a message. The map stays to be cleared. */
int push_parse(int argc, char **argv, struct push_args *args);

/* A node's slice of a schedule, made of files alone. */
struct push_plan {
	struct gate_runs runs;			/* dest: place in dests */
	struct gate_dest *dests;		/* keys; ids once they are assigned */
	char **names;				/* of dests */
	size_t count;
	uint32_t frames;			/* of the schedule */
	uint32_t parts;				/* frames of the gate in each; runs are of these */
	uint32_t capacity;			/* of the node's link; 0: no fabric */
	uint32_t hops;				/* links of the longest path; 0: no fabric */
	uint64_t unit_bytes, link_rate_bps;	/* 0: the schedule says nothing */
};

/* push-plan.c */
int push_plan_read(struct push_args *args, struct push_plan *plan, struct liquid_error *err);
void push_plan_clear(struct push_plan *plan);
/* push-fold.c: do the parts fit frames of @frame_ns, and the gate? */
int push_plan_check_parts(const struct push_plan *plan, uint64_t frame_ns,
			  struct liquid_error *err);
/*
 * push-fold.c: run-length code dst[], of hosts or LIQUID_NONE, in @frames frames of the gate;
 * destinations are numbered as they appear.
 */
int push_plan_fold(struct push_plan *plan, const uint32_t *dst, uint32_t frames,
		   uint32_t host_count, uint32_t *hosts, struct liquid_error *err);

/* push-check.c: the guard, and warnings */
#define PUSH_WARNINGS_MAX 4
struct push_check {
	uint64_t guard_ns, guard_needed_ns;
	uint32_t hops;
	unsigned int warning_count;
	char warning[PUSH_WARNINGS_MAX][256];
};
int push_check(const struct push_args *args, const struct push_plan *plan,
	       const struct gate_options *options, uint64_t rate_bps,
	       struct push_check *check, struct liquid_error *err);

/* dest-ids.c: which ids the destinations get beside those that a gate has already */
struct dest_changes {
	struct gate_dest *fresh, *changed, *former;	/* former: changed as they were */
	size_t fresh_count, changed_count;
};
/* Gives each of @wanted its id. @present is sorted by id. */
int dest_ids_assign(struct gate_dest *wanted, char *const *names, size_t count,
		    const struct gate_dests *present, struct dest_changes *changes,
		    struct liquid_error *err);
void dest_changes_clear(struct dest_changes *changes);

/* push-upload.c: a slice on its way into the kernel */
struct push {
	struct push_args args;
	struct push_plan plan;
	struct gate_runs runs;		/* of the plan, for the kernel: dest is an id */
	struct push_check check;
	struct gate_sched sched;
	struct dest_changes changes;
	struct netlink nl;
	uint32_t ifindex;
	size_t added, changed;		/* of changes, already in the kernel */
};
/* Those that return int return an exit code, and complain by themselves. */
int push_open(struct push *push);	/* the netlink socket, on which the transaction lives */
int push_stage(struct push *push);	/* an open transaction, or nothing changed */
int push_commit(struct push *push);	/* at sched.base_time, or nothing changed */
void push_undo(struct push *push);	/* what was staged and not committed; nl.text stays */
/* The base time that the arguments say, rounded up to the cycle where it is relative. */
int push_base_time(const struct push_args *args, uint64_t cycle, int64_t *base);
void push_describe(struct push *push);	/* sched, but for its base time */
int push_number_runs(struct push *push);	/* the plan's runs, by the ids of its destinations */
int push_print(const struct push *push);	/* push/print.c; sched with its base time */
void push_clear(struct push *push);

/* base-time.c: the first boundary of the cycle at or after @now + @delta; false: out of range */
bool base_time_after(int64_t now, uint64_t delta, uint64_t cycle, int64_t *base);

#endif
