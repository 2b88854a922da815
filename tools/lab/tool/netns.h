/* SPDX-License-Identifier: GPL-2.0-only */
/* Named network namespaces, where `ip netns` has them. */
#ifndef LIQUID_LAB_NETNS_H
#define LIQUID_LAB_NETNS_H

#include <stdbool.h>

/* All complain by themselves. */

/* Open namespace @name, making it where there is none; a descriptor or -1. */
int netns_open(const char *name, bool *made);
/* Remove its name; it goes when nobody uses it any more. */
void netns_remove(const char *name);
/* Go into the namespace @fd; where the process began: -1. False: it cannot. */
bool netns_enter(int fd);

#endif
