/* SPDX-License-Identifier: GPL-2.0-only */
/* The differences between the kernels that are built for, found by looking for the feature */
#ifndef LIQUID_COMPAT_H
#define LIQUID_COMPAT_H

#include <linux/module.h>
#include <net/pkt_sched.h>

#ifdef LIQUID_HAVE_NET_GSO_H
#include <net/gso.h>
#endif

/* Kernels without the macro load a qdisc by this alias. */
#ifndef MODULE_ALIAS_NET_SCH
#define MODULE_ALIAS_NET_SCH(id) MODULE_ALIAS("sch_" id)
#endif

#endif /* LIQUID_COMPAT_H */
