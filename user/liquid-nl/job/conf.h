/* SPDX-License-Identifier: GPL-2.0-only */
/* /etc/liquid/liquid.conf, see liquid.conf(5): the configuration of a cluster. */
#ifndef LIQUID_NL_CONF_H
#define LIQUID_NL_CONF_H

#include "liquidsched.h"

#define CONF_PATH "/etc/liquid/liquid.conf"
#define CONF_JOURNAL "/var/lib/liquid"	/* the store, if none is given */
#define CONF_JOB_PORTS 4		/* of `agree first` for one job */

enum conf_choice {
	CONF_NO = 0, CONF_YES = 1,		/* merge, force-guard: no, yes */
	CONF_UNGATED = 0, CONF_FAIL = 1,	/* on-failure */
	CONF_OFF = 0, CONF_WARN = 1, CONF_REFUSE = 2,	/* clock */
};

#define CONF_RAIL_ALL 0
#define CONF_TAI_KERNEL UINT64_MAX	/* whatever the kernels have, if they agree */
#define CONF_RAILS_MAX 8		/* gated devices of a node */

/* The gated devices of some nodes: one, or with `rail all` one for each rail, in their order */
struct conf_device {
	char *name[CONF_RAILS_MAX];
	size_t count;
	char *nodes;			/* a hostlist; NULL: all nodes that no other row names */
};

/* A traffic that a partition or a job may name */
struct conf_traffic {
	char *name;
	char *what;			/* alltoall, mpi:alltoall, file:PATH, schedule:PATH */
	uint32_t tasks_per_node;
};

struct conf_partition {
	char *name;			/* "*": all partitions that no other row names */
	char *traffic;			/* a name, or "none" */
};

struct conf {
	char *fabric, *addresses, *store, *user;
	char *service;			/* HOST[:PORT] of `job serve`, or NULL */
	bool first;			/* the first node of a job serves while it begins */
	uint64_t port, ports;		/* from which it takes some, and how many there are */
	char *munge_socket;		/* NULL: munge's own */
	char *live_topo, *live_lft, *live_command;
	char *select, *policy;		/* options of gates in jobs, valid; NULL: left unchanged */
	uint64_t frame_ns, guard_ns, clock_error_ns, release_lag_ns;
	uint64_t deadline_ns;		/* from a job's start until all its nodes are ready */
	uint64_t lead_ns;		/* from the release to the base time */
	uint64_t lease_ns;		/* lease of gates in jobs; 0: none */
	uint64_t longest_ns;		/* life of a job without a recorded end; 0: for ever */
	uint64_t unit_bytes, link_rate_bps, seed, work;
	uint64_t rail;			/* from 1, or CONF_RAIL_ALL */
	uint64_t hops, max_packet;
	uint64_t tai_offset;		/* of all nodes, s, or CONF_TAI_KERNEL */
	bool guard_given, lease_given;
	unsigned int on_failure, merge, clock, force_guard;	/* enum conf_choice */
	struct conf_device *device;
	struct conf_traffic *traffic;
	struct conf_partition *partition;
	size_t device_count, traffic_count, partition_count;
};

/* Errors are "label:line: reason". conf_clear() frees. */
int conf_read(FILE *in, const char *label, struct conf *conf, struct liquid_error *err);
/* The same for the file @path; LIQUID_BAD_INPUT also if it cannot be opened. */
int conf_read_file(const char *path, struct conf *conf, struct liquid_error *err);
void conf_clear(struct conf *conf);
/* All look-ups return NULL if there is none. */
const struct conf_device *conf_devices_of(const struct conf *conf, const char *node);
const struct conf_traffic *conf_find_traffic(const struct conf *conf, const char *name);
const char *conf_partition_traffic(const struct conf *conf, const char *partition);

#endif
