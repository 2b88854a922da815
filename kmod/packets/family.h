/* SPDX-License-Identifier: GPL-2.0-only */
/* The gates of a device with several TX queues */
#ifndef LIQUID_FAMILY_H
#define LIQUID_FAMILY_H

#include "gate.h"

int liquid_gate_init(struct liquid_gate *gate);
void liquid_gate_destroy(struct liquid_gate *gate);
int liquid_family_make(struct liquid_gate *root, struct netlink_ext_ack *extack);
void liquid_family_attach(struct Qdisc *sch);
void liquid_family_set_txqs(struct Qdisc *sch, unsigned int txqs);
void liquid_family_keep(struct liquid_gate *gate);
void liquid_family_sum(struct liquid_gate *root);
void liquid_family_end(struct liquid_gate *root);

extern const struct Qdisc_class_ops liquid_class_ops;

#endif /* LIQUID_FAMILY_H */
