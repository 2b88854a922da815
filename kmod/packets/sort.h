/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting packets and a new schedule; root lock */
#ifndef LIQUID_SORT_H
#define LIQUID_SORT_H

struct liquid_gate;

void liquid_sort_begin(struct liquid_gate *gate);
bool liquid_sort_batch(struct liquid_gate *gate);

#endif /* LIQUID_SORT_H */
