/* SPDX-License-Identifier: GPL-2.0-only */
/* The publication of a round, which start and reroute share. */
#ifndef LIQUID_NL_JOB_PUBLISH_H
#define LIQUID_NL_JOB_PUBLISH_H

#include "job/fabric.h"
#include "job/job.h"
#include "job/store/records.h"

/* All return an exit code, after a message. The caller holds the store's lock. */

/* What `liquid` says of a round on a fabric */
struct publish_facts {
	struct job_fabric fabric;
	char traffic_digest[LIQUID_DIGEST_HEX];
	uint64_t transfers;
};

/*
 * Ask for it, and of each of @others for a link that both use: "shared" of fabric.answer is in
 * their order. @path: the fabric's file. fabric_clear() frees.
 */
int publish_ask(const struct job_args *args, const char *path, const struct job_spec *spec,
		const struct job_spec *others, size_t count, struct publish_facts *facts);
/* Fill in digests, frame, deadline: all of a round except its name and its parts. */
int publish_fill(const struct job_args *args, const struct publish_facts *facts,
		 struct job_spec *spec);
/* Give the round an unused name, and create its directory. */
int publish_name(const struct job_args *args, struct job_spec *spec);
/* Create the directory of a job or a round. */
int publish_dir(const struct job_store *store, enum record record, const char *name);
/* Write the round's spec, then make the round the next generation of each of its jobs. */
int publish_round(const struct job_args *args, const struct job_spec *spec);

#endif
