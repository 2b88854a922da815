/* SPDX-License-Identifier: GPL-2.0-only */
/* What a round is about: the jobs, their nodes and traffics, and all that decides the schedule. */
#ifndef LIQUID_NL_JOB_SPEC_H
#define LIQUID_NL_JOB_SPEC_H

#include "job/store/store.h"

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

#endif
