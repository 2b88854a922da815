/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internals of the verifier. It must not include or call anything of the solver. */
#ifndef LIQUID_VERIFY_H
#define LIQUID_VERIFY_H

#include "liquidsched.h"

/* Most findings that are reported; more are only counted. */
#define VERIFY_FINDINGS_MAX 100

/* By link, or by class of links: what a frame uses of it; of another frame that counts as 0. */
struct counter {
	uint32_t frame, count;
	uint32_t limit;			/* of @count in a frame */
};

struct checker {
	const struct liquid_fabric *fabric;
	const struct liquid_traffic *traffic;	/* that the schedule must carry, in its parts */
	const struct liquid_traffic *whole;	/* the same in messages */
	const struct liquid_schedule *schedule;
	const struct liquid_schedule_info *info;
	liquid_verify_report report;
	void *context;
	struct liquid_error *err;
	uint64_t findings;			/* number of findings */
	struct orbits_proof *orbits;		/* NULL: the frames are lists */
	struct counter *counter;	/* by link, and after them what else orbits count */
	size_t counters;
	uint32_t turns;			/* of a base frame, if they are counted one by one; or 0 */
	const uint32_t *class;		/* by link: its class; NULL: each is one of its own */
	uint64_t *load;				/* of @traffic, or of a list's frames, by link */
	uint32_t duration;			/* of @traffic, frames */
	double fluid_bound;			/* of @traffic, frames */
};

static inline const char *verify_host_name(const struct checker *checker, uint32_t host)
{
	return liquid_fabric_node_name(checker->fabric, host);
}

/* Report a finding: something that is not valid. */
void verify_find(struct checker *checker, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Follow the forwarding tables; returns the number of links, or 0 if the route ends early. */
uint32_t verify_walk(const struct liquid_fabric *fabric, uint32_t src, uint32_t dst,
		     uint32_t path[LIQUID_PATH_MAX]);
/* Transfers that @link carries per frame; in version 1 always one for a host's link. */
uint32_t verify_capacity(const struct liquid_fabric *fabric, uint32_t link);

/* No frame overfills a link, or lets a host send too much. Fails only with LIQUID_NO_MEMORY. */
int verify_frames(struct checker *checker);

/*
 * Compute the bound that the schedule's witness proves; it may be 0. Returns LIQUID_INVALID if
 * the witness is refused (a finding says why), or LIQUID_NO_MEMORY.
 */
int verify_witness(struct checker *checker, uint32_t *bound);

/* Check what transfers are marked with, if any are. */
void verify_marks(struct checker *checker);

/* Check timeslots and wavelengths, if any. Fails only with LIQUID_NO_MEMORY. */
int verify_timeslots(struct checker *checker);

enum verify_answer { VERIFY_NO, VERIFY_YES, VERIFY_UNDECIDED, VERIFY_NO_MEMORY };
/* Can the traffic be carried in @frames frames? For small problems only. */
enum verify_answer verify_search(const struct liquid_fabric *fabric,
				 const struct liquid_traffic *traffic, uint32_t frames);

#endif
