/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An open file, as a compute rank knows it */
#ifndef LIQUID_SFIO_FILE_H
#define LIQUID_SFIO_FILE_H

#include "client/context.h"
#include "layout/layout.h"

struct sfio_file {
	uint32_t number;		/* the same on all ranks */
	struct layout layout;
	uint32_t *peer;			/* listener of each subfile */
	bool *uses;			/* by listener: it has one of them */
};

/* The sums over all listeners; see merror() */
int file_errors(unsigned long *errors, bool collective);

#endif
