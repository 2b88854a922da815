/* SPDX-License-Identifier: GPL-2.0-only */
/* For kernels without this header: there linux/netdevice.h has napi_gro_receive() */
#include <linux/netdevice.h>
