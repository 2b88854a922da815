// SPDX-License-Identifier: GPL-2.0-only
/* A packet is dropped with a reason. */
#include <linux/skbuff.h>

void probe(struct sk_buff *skb, enum skb_drop_reason reason);
void probe(struct sk_buff *skb, enum skb_drop_reason reason)
{
	kfree_skb_reason(skb, reason ?: SKB_DROP_REASON_NOT_SPECIFIED);
}
