/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The limit of the size of a traffic, multiples of one, and all-to-alls that are not listed. */
#ifndef LIQUID_TRAFFIC_H
#define LIQUID_TRAFFIC_H

#include "base/kept-digest.h"
#include "liquidsched.h"

/*
 * Most transfers of a traffic. Sums of counts, and so loads, durations and frame numbers, fit
 * in 32 bits.
 */
#define LIQUID_TRANSFERS_MAX (UINT32_C(1) << 28)

/* The hosts of what liquid_traffic_alltoall() has made, sorted; NULL: it is not a such traffic. */
const uint32_t *traffic_hosts(const struct liquid_traffic *traffic, size_t *count);
/*
 * List the pairs of an all-to-all, as liquid_traffic_pairs() does where they are not listed yet.
 * LIQUID_LIMIT: more than LIQUID_TRANSFERS_MAX
 */
int traffic_list(const struct liquid_traffic *traffic, struct liquid_error *err);
/* Where its digest is kept, though it is constant; it is forgotten when pairs are added. */
struct kept_digest *traffic_digest(const struct liquid_traffic *traffic);
/* SHA-256 of the all-to-all among hosts of these names, in a form that does not list it. */
int traffic_alltoall_digest(const char *const *names, size_t count, char hex[LIQUID_DIGEST_HEX],
			    struct liquid_error *err);
/*
 * List @traffic, and make of it one whose counts are @times as large, or a @divisor-th of
 * them, rounded up; both are at most LIQUID_PARTS_MAX. The caller frees it, also on failure.
 */
int traffic_scale(const struct liquid_traffic *traffic, uint32_t times, uint32_t divisor,
		  struct liquid_traffic **scaled, struct liquid_error *err);

#endif
