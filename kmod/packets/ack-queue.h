/* SPDX-License-Identifier: GPL-2.0-only */
/* The bare acknowledgements of TCP in a destination's queue */
#ifndef LIQUID_ACK_QUEUE_H
#define LIQUID_ACK_QUEUE_H

#include "gate.h"

bool liquid_ack_thin(struct liquid_gate *gate, struct liquid_queue *queue, struct sk_buff *skb);
void liquid_ack_add(struct liquid_gate *gate, struct liquid_queue *queue, struct sk_buff *skb);

#endif /* LIQUID_ACK_QUEUE_H */
