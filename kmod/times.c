// SPDX-License-Identifier: GPL-2.0-only
/* Dumps of histograms */
#include <linux/string.h>
#include <net/netlink.h>

#include "times.h"

/* Add @hist as nest @attr; empty buckets and an empty histogram are left out. */
static int liquid_hist_fill(struct sk_buff *skb, int attr, const struct liquid_hist *hist)
{
	struct nlattr *nest;
	u32 i;

	if (!memchr_inv(hist, 0, sizeof(*hist)))
		return 0;
	nest = nla_nest_start(skb, attr);
	if (!nest ||
	    nla_put_u64_64bit(skb, LIQUID_HIST_A_SUM_NS, hist->sum, LIQUID_HIST_A_PAD))
		return -EMSGSIZE;
	for (i = 0; i < LIQUID_HIST_BUCKETS; i++) {
		if (hist->bucket[i] &&
		    nla_put_u64_64bit(skb, LIQUID_HIST_A_BUCKET + i, hist->bucket[i],
				      LIQUID_HIST_A_PAD))
			return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

/* Add @times as nest @attr; without @lag (of a gate), only if they are not empty. */
int liquid_times_fill(struct sk_buff *skb, int attr, const struct liquid_times *times,
		      const struct liquid_hist *lag)
{
	struct nlattr *nest;

	if (!lag && !memchr_inv(times, 0, sizeof(*times)))
		return 0;
	nest = nla_nest_start(skb, attr);
	if (!nest || liquid_hist_fill(skb, LIQUID_TIMES_A_WAIT, &times->wait) ||
	    liquid_hist_fill(skb, LIQUID_TIMES_A_LATE, &times->late) ||
	    (lag && liquid_hist_fill(skb, LIQUID_TIMES_A_LAG, lag)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}
