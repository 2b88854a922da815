/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The verifier from within. Nothing here may include or call the solver's files. */
#ifndef LIQUID_VERIFY_H
#define LIQUID_VERIFY_H

#include "liquidsched.h"

/* Findings that are told one by one; of the rest only the number. */
#define VERIFY_FINDINGS_MAX 100

struct checker {
	const struct liquid_fabric *fabric;
	const struct liquid_traffic *traffic;	/* what should be carried */
	const struct liquid_schedule *schedule;
	const struct liquid_schedule_info *info;
	liquid_verify_report report;
	void *context;
	struct liquid_error *err;
	uint64_t findings;
	uint64_t *load;				/* by the fabric's link, of @traffic */
	uint32_t duration;
	double fluid_bound;
};

void verify_find(struct checker *checker, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The forwarding tables walked from @src to @dst; the number of links, or 0 where the way ends. */
uint32_t verify_walk(const struct liquid_fabric *fabric, uint32_t src, uint32_t dst,
		     uint32_t path[LIQUID_PATH_MAX]);
/* Transfers that @link takes a frame: in version 1 an endpoint's link takes one, whatever its rate. */
uint32_t verify_capacity(const struct liquid_fabric *fabric, uint32_t link);

/*
 * The bound that the schedule's witness proves, which may be 0. LIQUID_INVALID where it is
 * refused (a finding says why); LIQUID_NO_MEMORY.
 */
int verify_witness(struct checker *checker, uint32_t *bound);

/* Timeslots and wavelengths, where there are any. LIQUID_NO_MEMORY is the only failure. */
int verify_rounds(struct checker *checker);

enum verify_answer { VERIFY_NO, VERIFY_YES, VERIFY_UNDECIDED, VERIFY_NO_MEMORY };
/* Can the traffic be carried in @frames frames? Answers small questions only. */
enum verify_answer verify_search(const struct liquid_fabric *fabric,
				 const struct liquid_traffic *traffic, uint32_t frames);

#endif
