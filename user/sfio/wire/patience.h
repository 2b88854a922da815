/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting that ends: naps that grow, and an error when nothing has moved for too long */
#ifndef LIQUID_SFIO_PATIENCE_H
#define LIQUID_SFIO_PATIENCE_H

#include <stdint.h>

struct patience {
	int64_t timeout_ns;		/* 0: without end */
	int64_t moved_ns;		/* when something moved last */
	uint32_t idle;			/* rests since then */
};

int64_t now_ns(void);
struct patience patience_new(int64_t timeout_ns);
void patience_moved(struct patience *patience);
/* Give up the processor for a moment. Returns -ETIMEDOUT when nothing has moved in the time. */
int patience_rest(struct patience *patience);

#endif
