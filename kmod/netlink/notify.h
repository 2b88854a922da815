/* SPDX-License-Identifier: GPL-2.0-only */
/* Notifications: events of gates, for listeners */
#ifndef LIQUID_NOTIFY_H
#define LIQUID_NOTIFY_H

#include <linux/types.h>

struct liquid_gate;

void liquid_notify_init(struct liquid_gate *gate);
void liquid_notify_destroy(struct liquid_gate *gate);
void liquid_notify_schedule(struct liquid_gate *gate);
void liquid_notify(struct liquid_gate *gate, u32 kind, u64 count, s64 value);

#endif /* LIQUID_NOTIFY_H */
