/* SPDX-License-Identifier: GPL-2.0-only */
/* For kernels without this header: there linux/netdevice.h has skb_gso_segment() */
#include <linux/netdevice.h>
