/* SPDX-License-Identifier: GPL-2.0-only */
/* liquid-nl stats from within: counters read once, watched, or for Prometheus. */
#ifndef LIQUID_NL_STATS_H
#define LIQUID_NL_STATS_H

#include <stdio.h>

#include "gate/gate.h"

struct stats {
	const char *device;	/* NULL: every gate, without its destinations */
	bool json, prometheus, watch;
	uint64_t interval_ns;	/* --watch: time between samples */
	uint64_t count;		/* --watch: number of samples; 0: until interrupted */
	const char *output;	/* --prometheus: file; NULL: stdout */
	const char *map_file;	/* NULL: that of liquid.conf */
	struct addr_map map;	/* names of destinations */
};

/* Metrics of the node in addition to its gates */
struct stats_node {
	const char *version;	/* of liquid-nl; NULL: none of this is reported */
	bool down;		/* the module is not loaded */
	char module[64];	/* version of the module; "": unknown */
	bool clock_known;
	uint64_t clock_error_ns;
	unsigned int clock_findings;
};

/* The counters at one time, of all gates or of one gate with its destinations */
struct stats_sample {
	struct gate_list gates;
	struct gate_dests dests;	/* destinations, if one gate was asked for */
	bool dests_hidden;		/* they are not for this reader */
	uint64_t time_ns;		/* CLOCK_MONOTONIC */
	struct stats_node node;		/* with --prometheus */
};

/* cmd/stats.c; exit codes */
int stats_read(struct netlink *nl, const struct stats *stats, struct stats_sample *sample);
void stats_clear(struct stats_sample *sample);

/* stats-prometheus.c: text exposition format 0.0.4 */
void stats_print_prometheus(FILE *out, const struct stats_sample *sample);

/* stats-watch.c: rates between two samples */
int stats_watch(struct netlink *nl, const struct stats *stats);
/* stats-rate.c: growth per second; a counter that is smaller than before is of a new gate. */
double stats_rate(uint64_t before, uint64_t after, uint64_t ns);

#endif
