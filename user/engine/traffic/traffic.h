/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The limit of the size of a traffic. */
#ifndef LIQUID_TRAFFIC_H
#define LIQUID_TRAFFIC_H

/*
 * Most transfers of a traffic. Sums of counts, and so loads, durations and frame numbers, fit
 * in 32 bits.
 */
#define LIQUID_TRANSFERS_MAX (UINT32_C(1) << 28)

#endif
