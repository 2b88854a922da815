// SPDX-License-Identifier: GPL-2.0-only
/* netdev_queue_set_dql_min_limit() is there. */
#include <linux/netdevice.h>

void probe(struct netdev_queue *txq);
void probe(struct netdev_queue *txq)
{
	netdev_queue_set_dql_min_limit(txq, 1);
}
