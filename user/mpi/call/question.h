/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This rank's part of the agreement on a call, and its questions to all */
#ifndef LIQUID_MPI_QUESTION_H
#define LIQUID_MPI_QUESTION_H

#include "call/machine.h"

/* State this rank's abilities, with its memory made ready if that is likely to be used. */
int question_ask(struct call *call);
/* The MPI's own way is timed from when all ranks have come to the call. */
int question_ask_nothing(struct call *call);
/* Release the memory of the call. */
void question_unprepare(struct call *call);

#endif
