// SPDX-License-Identifier: GPL-2.0-only
/* skb_set_delivery_time() is there, and takes whether the time is of CLOCK_MONOTONIC. */
#include <linux/skbuff.h>

void probe(struct sk_buff *skb);
void probe(struct sk_buff *skb)
{
	skb_set_delivery_time(skb, 1, false);
}
