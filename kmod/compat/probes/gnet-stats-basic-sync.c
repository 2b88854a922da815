// SPDX-License-Identifier: GPL-2.0-only
/* The counters of a qdisc are u64_stats_t. */
#include <net/gen_stats.h>

u64 probe(const struct gnet_stats_basic_sync *stats);
u64 probe(const struct gnet_stats_basic_sync *stats)
{
	return u64_stats_read(&stats->packets) + u64_stats_read(&stats->bytes);
}
