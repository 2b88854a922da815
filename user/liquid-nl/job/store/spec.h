/* SPDX-License-Identifier: GPL-2.0-only */
/* The spec of a round: jobs, nodes and traffics, and everything that determines the schedule. */
#ifndef LIQUID_NL_JOB_SPEC_H
#define LIQUID_NL_JOB_SPEC_H

#include "job/store/store.h"

/* A job's share of the traffic */
struct job_part {
	char *job;
	char *what;			/* a traffic, as in struct conf_traffic */
	uint32_t tasks_per_node;
	struct liquid_names nodes;	/* names as Slurm has them */
};

struct job_spec {
	char *round;
	char *fabric_digest, *traffic_digest;
	bool own_fabric;		/* the fabric is rounds/ROUND/fabric */
	char *from_round, *from_digest;	/* former schedule, to keep its valid part, or NULL */
	uint64_t frame_ns, guard_ns, unit_bytes, link_rate_bps, seed, work;
	bool guard_given;
	int64_t deadline_ns;		/* end of the wait for all nodes, CLOCK_REALTIME */
	uint64_t lead_ns;		/* from the release to the base time */
	struct job_part *part;
	size_t part_count;
};

json_t *job_spec_json(const struct job_spec *spec);
int job_spec_read(const struct job_store *store, const char *round, struct job_spec *spec,
		  struct liquid_error *err);
void job_spec_clear(struct job_spec *spec);
/* The number of nodes in all parts */
size_t job_spec_node_count(const struct job_spec *spec);
const char *job_spec_first_node(const struct job_spec *spec);
bool job_spec_has_node(const struct job_spec *spec, const char *node);
int job_part_set(struct job_part *part, const char *job, const char *what, uint32_t tasks,
		 const char *const *nodes, size_t count);

#endif
