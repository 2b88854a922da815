/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answers of reads, in the order of a schedule. They wait here for their turn; every other answer
 * goes at once.
 */
#ifndef LIQUID_SFIO_ANSWERS_H
#define LIQUID_SFIO_ANSWERS_H

#include <stdbool.h>

#include "listener/slot.h"
#include "order/exchange.h"

struct answers {
	struct exchange *exchange;	/* NULL: in no order */
	uint32_t clients;
	struct queue *alone, *rounds;	/* by client; rounds go by tokens */
	int64_t timeout_ns, moved_ns;
};

/* Returns 0 or -ENOMEM. */
int answers_new(struct answers *answers, struct exchange *exchange, uint32_t clients,
		int64_t timeout_ns);
void answers_free(struct answers *answers);
/* Returns false for an answer that is to be sent now. */
bool answers_hold(struct answers *answers, struct slot *slot);
/* An answer whose turn it is, or NULL */
struct slot *answers_next(struct answers *answers);
/* The client has the answer. */
void answers_left(struct answers *answers, const struct slot *slot);

#endif
