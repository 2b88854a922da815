/* SPDX-License-Identifier: GPL-2.0-only */
/* Gates as the tool sees them: uapi/linux/liquid.h in structures, and the requests. */
#ifndef LIQUID_NL_GATE_H
#define LIQUID_NL_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/liquid.h>

#include "gate/attrs-gen.h"
#include "util/addr-map.h"
#include "net/attrs.h"
#include "net/netlink.h"

struct gate_stats {
	uint64_t present;			/* bits of enum liquid_stats_attr */
	uint64_t counter[LIQUID_STATS_A_MAX + 1];	/* indexed by the attribute */
};

/* A histogram of times, see times.h */
struct gate_hist {
	uint64_t present;			/* bits of enum liquid_hist_attr */
	uint64_t sum_ns;
	uint64_t bucket[LIQUID_HIST_BUCKETS];
};

struct gate_times {
	uint64_t present;			/* 0: the module has no histograms */
	struct gate_hist wait, late, lag;	/* all 0 if empty */
	struct gate_hist xmit, overrun;		/* fine; of a gate only, as lag */
};

struct gate {
	uint64_t present;			/* bits of enum liquid_attr */
	uint32_t ifindex;
	struct gate_options options;
	struct gate_state state;
	struct gate_stats stats;
	struct gate_times times;
	struct gate_sched oper, admin;
};

struct gate_list {
	struct gate *gate;
	size_t count, room;
};

struct gate_dest {
	uint64_t present;			/* bits of enum liquid_dest_attr */
	uint32_t id, qlen, frames;
	uint64_t backlog;
	uint32_t key_count;
	struct addr_key key[LIQUID_DEST_KEYS_MAX];
	const char *name;			/* NULL: unknown; see gate_dests_name() */
	struct gate_stats stats;
	struct gate_times times;		/* without a gate's */
};

struct gate_dests {
	struct gate_dest *dest;			/* by id after a dump */
	size_t count, room;
};

/* A run of frames that send to the same destination, or to none */
struct gate_run {
	uint32_t run;
	uint32_t dest;				/* an id, or LIQUID_NONE; see struct push_plan */
};

struct gate_runs {
	struct gate_run *run;
	size_t count, room;
};

/* An event of a gate */
struct gate_event {
	uint64_t present;			/* bits of enum liquid_event_attr */
	int64_t time, due_time, step_ns;
	uint64_t count;
	uint32_t kind, ifindex;
	char label[LIQUID_LABEL_MAX + 1];	/* of the schedule */
};

/* gate/attrs.c; the tables of liquid's own attributes are in attrs-gen.h */
extern const struct attr_table route_table;	/* of a traffic-control request */

/* gate/encode.c: append to a request; no side effects */
void gate_put_options(struct nlmsghdr *nlh, uint16_t type, const struct gate_options *options);
/* Appends as many destinations as fit into one attribute; returns their number. */
size_t gate_put_dests(struct nlmsghdr *nlh, const struct gate_dest *dests, size_t count, bool keys);
size_t gate_put_runs(struct nlmsghdr *nlh, const struct gate_run *runs, size_t count);

/* gate/decode.c: replies as structures; 0 or -errno */
int gate_take(const struct nlmsghdr *nlh, void *list);		/* struct gate_list */
int gate_take_dests(const struct nlmsghdr *nlh, void *dests);	/* struct gate_dests */
int gate_take_runs(const struct nlmsghdr *nlh, void *runs);	/* struct gate_runs */
int gate_take_event(const struct nlmsghdr *nlh, void *event);	/* struct gate_event */
void gate_list_clear(struct gate_list *list);
void gate_dests_clear(struct gate_dests *dests);
void gate_runs_clear(struct gate_runs *runs);
/* Give destinations the names that @map, which must outlive them, has for their addresses. */
void gate_dests_name(struct gate_dests *dests, const struct addr_map *map);
/* Append @frames frames that send to @dest; joins runs with the same one. False: out of memory. */
bool gate_runs_append(struct gate_runs *runs, uint32_t dest, uint32_t frames);

/* gate/client.c: requests; 0 or -errno with nl->text */
int gate_open(struct netlink *nl);
int gate_get(struct netlink *nl, uint32_t ifindex, struct gate *gate);
int gate_dump(struct netlink *nl, struct gate_list *list);
int gate_set(struct netlink *nl, uint32_t ifindex, const struct gate_options *options);
int gate_dest_dump(struct netlink *nl, uint32_t ifindex, struct gate_dests *dests);
/* @done: the number of destinations set, also after a failure */
int gate_dest_set(struct netlink *nl, uint32_t ifindex, const struct gate_dest *dests,
		  size_t count, size_t *done);
int gate_dest_del(struct netlink *nl, uint32_t ifindex, const struct gate_dest *dests,
		  size_t count);
int gate_dest_flush(struct netlink *nl, uint32_t ifindex);
int gate_sched_begin(struct netlink *nl, uint32_t ifindex, const struct gate_sched *sched);
int gate_sched_entries(struct netlink *nl, uint32_t ifindex, const struct gate_runs *runs);
int gate_sched_commit(struct netlink *nl, uint32_t ifindex, int64_t base_time,
		      int32_t tai_offset, bool replace, uint64_t lease_ns);	/* 0: no lease */
/* @lease_ns 0: the same length as before */
int gate_lease_renew(struct netlink *nl, uint32_t ifindex, uint64_t lease_ns);
int gate_sched_abort(struct netlink *nl, uint32_t ifindex);
int gate_sched_clear(struct netlink *nl, uint32_t ifindex);
int gate_sched_dump(struct netlink *nl, uint32_t ifindex, uint32_t which, struct gate_runs *runs);

/* gate/events.c: events of gates; 0 or -errno with nl->text */
int gate_events_join(struct netlink *nl);
/*
 * Wait for messages and pass each to @reply. -ENOBUFS: some were lost, and more may follow.
 * -ENODEV: the module was removed, and no more follow.
 */
int gate_events_wait(struct netlink *nl, netlink_reply reply, void *context);

/* qdisc.c: the root qdisc of a device, over rtnetlink; 0 or -errno with nl->text */
struct root_qdisc {
	char kind[32];		/* name of the qdisc; "": there is none */
	uint32_t handle;	/* 0: the kernel's default qdisc */
};
int qdisc_root(struct netlink *nl, uint32_t ifindex, struct root_qdisc *root);
int qdisc_attach(struct netlink *nl, uint32_t ifindex, const struct gate_options *options,
		 bool replace);
int qdisc_detach(struct netlink *nl, uint32_t ifindex);

#endif
