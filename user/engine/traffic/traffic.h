/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of a traffic that the parts of the library share. */
#ifndef LIQUID_TRAFFIC_H
#define LIQUID_TRAFFIC_H

/*
 * Transfers of one traffic. With it no sum of counts overflows 32 bits, so that
 * loads, durations and frame numbers all fit.
 */
#define LIQUID_TRANSFERS_MAX (UINT32_C(1) << 28)

#endif
