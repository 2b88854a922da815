/* SPDX-License-Identifier: GPL-2.0-only */
/* Destinations: requests and dumps */
#ifndef LIQUID_DESTINATION_H
#define LIQUID_DESTINATION_H

#include <linux/liquid.h>
#include <net/netlink.h>

struct liquid_gate;
struct liquid_reader;
struct sk_buff;

void liquid_table_destroy(struct liquid_gate *gate);
int liquid_dest_set(struct liquid_gate *gate, struct nlattr *dests,
		    struct netlink_ext_ack *extack);
int liquid_dest_del(struct liquid_gate *gate, struct nlattr *dests,
		    struct netlink_ext_ack *extack);
int liquid_dest_del_all(struct liquid_gate *gate, struct netlink_ext_ack *extack);
bool liquid_dest_first(const struct liquid_gate *gate, const struct liquid_reader *reader,
		       long *id);
int liquid_dests_fill(struct sk_buff *skb, struct liquid_gate *gate,
		      const struct liquid_reader *reader, long *next);

#endif /* LIQUID_DESTINATION_H */
