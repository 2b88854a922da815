/* SPDX-License-Identifier: GPL-2.0-only */
/* Destinations: requests that change the table */
#ifndef LIQUID_DESTINATION_H
#define LIQUID_DESTINATION_H

struct liquid_gate;
struct netlink_ext_ack;
struct nlattr;

void liquid_table_destroy(struct liquid_gate *gate);
int liquid_dest_set(struct liquid_gate *gate, struct nlattr *dests,
		    struct netlink_ext_ack *extack);
int liquid_dest_del(struct liquid_gate *gate, struct nlattr *dests,
		    struct netlink_ext_ack *extack);

#endif /* LIQUID_DESTINATION_H */
