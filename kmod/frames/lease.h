/* SPDX-License-Identifier: GPL-2.0-only */
/* Leases: a gate opens unless it is renewed */
#ifndef LIQUID_LEASE_H
#define LIQUID_LEASE_H

#include <linux/types.h>

struct liquid_gate;
struct netlink_ext_ack;
struct nlattr;

void liquid_lease_init(struct liquid_gate *gate);
void liquid_lease_destroy(struct liquid_gate *gate);
int liquid_lease_check(const struct nlattr *attr, struct netlink_ext_ack *extack);
void liquid_lease_set(struct liquid_gate *gate, u64 ns);
int liquid_lease_renew(struct liquid_gate *gate, const struct nlattr *attr,
		       struct netlink_ext_ack *extack);
u64 liquid_lease_left(const struct liquid_gate *gate);

#endif /* LIQUID_LEASE_H */
