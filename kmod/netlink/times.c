// SPDX-License-Identifier: GPL-2.0-only
/* Dumps of histograms */
#include <linux/string.h>
#include <net/netlink.h>

#include "netlink/times.h"

/* Number of buckets up to the last that is not empty */
static u32 liquid_hist_used(const struct liquid_hist *hist)
{
	u32 used = LIQUID_HIST_BUCKETS;

	while (used && !hist->bucket[used - 1])
		used--;
	return used;
}

/* Add @hist as nest @attr; an empty histogram is left out. */
static int liquid_hist_fill(struct sk_buff *skb, int attr, const struct liquid_hist *hist)
{
	struct nlattr *nest;

	if (!memchr_inv(hist, 0, sizeof(*hist)))
		return 0;
	nest = nla_nest_start(skb, attr);
	if (!nest ||
	    nla_put_u64_64bit(skb, LIQUID_HIST_A_SUM_NS, hist->sum, LIQUID_HIST_A_PAD) ||
	    nla_put(skb, LIQUID_HIST_A_BUCKETS, liquid_hist_used(hist) * sizeof(hist->bucket[0]),
		    hist->bucket))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int liquid_delays_fill(struct sk_buff *skb, const struct liquid_delays *delays)
{
	return liquid_hist_fill(skb, LIQUID_TIMES_A_LAG, &delays->lag) ?:
	       liquid_hist_fill(skb, LIQUID_TIMES_A_XMIT, &delays->xmit) ?:
	       liquid_hist_fill(skb, LIQUID_TIMES_A_OVERRUN, &delays->overrun);
}

/* Add @times as nest @attr; without @delays (of a gate), only if they are not empty. */
int liquid_times_fill(struct sk_buff *skb, int attr, const struct liquid_times *times,
		      const struct liquid_delays *delays)
{
	struct nlattr *nest;

	if (!delays && !memchr_inv(times, 0, sizeof(*times)))
		return 0;
	nest = nla_nest_start(skb, attr);
	if (!nest || liquid_hist_fill(skb, LIQUID_TIMES_A_WAIT, &times->wait) ||
	    liquid_hist_fill(skb, LIQUID_TIMES_A_LATE, &times->late) ||
	    (delays && liquid_delays_fill(skb, delays)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}
