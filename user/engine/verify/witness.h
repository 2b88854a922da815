/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the checks of the kinds of witnesses share. */
#ifndef LIQUID_VERIFY_WITNESS_H
#define LIQUID_VERIFY_WITNESS_H

#include <jansson.h>

#include "verify/verify.h"

#define MULTIPLIER_MAX (UINT32_C(1) << 30)

/* Refuse the witness. It then proves nothing, not even a bound of 0. */
#define refuse(checker, format, ...) \
	(verify_find(checker, "witness: " format, ##__VA_ARGS__), LIQUID_INVALID)

/* Read [["link",U],...] into @u, by link, which must be zero. */
int witness_read_links(struct checker *checker, json_t *links, uint64_t *u);
/* NULL: the traffic has no such pair. Hosts may be LIQUID_NONE. */
const struct liquid_pair *witness_find_pair(const struct checker *checker, uint32_t src,
					    uint32_t dst);
int witness_check_prices(struct checker *checker, json_t *witness, uint32_t *bound);

#endif
