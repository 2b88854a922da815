// SPDX-License-Identifier: GPL-2.0-only
/* The reasons that the module gives. */
#include <linux/skbuff.h>

const int probe[] = {
	SKB_DROP_REASON_QDISC_DROP,
	SKB_DROP_REASON_PKT_TOO_BIG,
	SKB_DROP_REASON_SKB_GSO_SEG,
};
