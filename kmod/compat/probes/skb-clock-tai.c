// SPDX-License-Identifier: GPL-2.0-only
/* skb_set_delivery_time() takes the clock of the time. */
#include <linux/skbuff.h>

void probe(struct sk_buff *skb);
void probe(struct sk_buff *skb)
{
	skb_set_delivery_time(skb, 1, SKB_CLOCK_TAI);
}
