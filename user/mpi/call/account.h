/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes and times of a call: compared with its plan, and reported to the user */
#ifndef LIQUID_MPI_ACCOUNT_H
#define LIQUID_MPI_ACCOUNT_H

#include "call/machine.h"

/* Time of a frame: what its bytes take, and a tenth more. 1: the rate is not known. */
int64_t account_frame_ns(const struct call *call, const struct group_plan *plan);
/* Bytes that a link carries while a token is on its way */
uint64_t account_tail_bytes(const struct call *call);
/* Write a line of the report, if one is wanted. */
void account_report(const struct call *call);

#endif
