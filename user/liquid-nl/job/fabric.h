/* SPDX-License-Identifier: GPL-2.0-only */
/* What `liquid` says of a fabric: the questions of jobs have these members in common. */
#ifndef LIQUID_NL_JOB_FABRIC_H
#define LIQUID_NL_JOB_FABRIC_H

#include "ask/ask.h"
#include "job/conf.h"
#include "job/store/spec.h"

/* A node's endpoints that are gated: that of the rail of liquid.conf, or by `rail all` each */
struct job_rail {
	char name[LIQUID_NAME_MAX + 1];
	uint32_t capacity;		/* of its link, units */
	uint32_t hops;			/* links of the longest path; 0: not asked for */
};

struct job_rails {
	struct job_rail rail[CONF_RAILS_MAX];	/* in the order of rails */
	size_t count;
};

struct job_fabric {
	json_t *answer;
	char name[LIQUID_NAME_MAX + 1];
	char digest[LIQUID_DIGEST_HEX];
	uint64_t unit_bps;		/* 0: not known */
	uint32_t hosts;
};

/* ---- members of questions ---- */

void fabric_ask_rail(struct ask *ask, const struct conf *conf);
/* The next of the nodes whose endpoints are asked for */
void fabric_ask_node(struct ask *ask, const struct conf *conf, const char *node);
/* The jobs of a round, as a member, or as the next one of an array; their files are opened. */
void fabric_ask_round(struct ask *ask, const char *key, const struct job_spec *spec,
		      const struct conf *conf);
json_t *fabric_ask_next(struct ask *ask, const char *key, const struct job_spec *spec,
			const struct conf *conf);
/* The file of a ready-made schedule; NULL: the nodes must solve. */
const char *job_spec_schedule(const struct job_spec *spec);

/* ---- answers ---- */

/* Ask the question "hosts". fabric_clear() frees, also after a failure. */
int fabric_ask(struct ask *ask, struct job_fabric *fabric, struct liquid_error *err);
void fabric_clear(struct job_fabric *fabric);
/*
 * The node that was asked for as number @index. LIQUID_BAD_INPUT: the fabric does not have its
 * endpoints, or not as many as liquid.conf has devices of it; then *@rails has those that there
 * are.
 */
int fabric_node(const struct job_fabric *fabric, size_t index, struct job_rails *rails,
		struct liquid_error *err);
/* The rate of a unit, from the fabric or else from liquid.conf */
int job_unit_rate(const struct conf *conf, const struct job_fabric *fabric, uint64_t *bps,
		  struct liquid_error *err);
/* A digest in an answer; false: it is malformed */
bool fabric_digest(const json_t *json, const char *key, char digest[LIQUID_DIGEST_HEX]);

#endif
