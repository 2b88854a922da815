/* SPDX-License-Identifier: GPL-2.0-only */
/* How deeply processors may sleep while there is a schedule */
#ifndef LIQUID_LATENCY_H
#define LIQUID_LATENCY_H

struct liquid_gate;

void liquid_latency_init(struct liquid_gate *root);
void liquid_latency_destroy(struct liquid_gate *root);
void liquid_latency_change(struct liquid_gate *root);
void liquid_latency_look(struct liquid_gate *gate);

#endif /* LIQUID_LATENCY_H */
