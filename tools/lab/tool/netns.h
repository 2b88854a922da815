/* SPDX-License-Identifier: GPL-2.0-only */
/* Named network namespaces, in the directory that `ip netns` uses */
#ifndef LIQUID_LAB_NETNS_H
#define LIQUID_LAB_NETNS_H

#include <stdbool.h>

/* All functions print their errors. */

/* Open namespace @name, and make it if it does not exist; returns a descriptor or -1. */
int netns_open(const char *name, bool *made);
/* Remove the namespace's name; the namespace is freed when it is no longer used. */
void netns_remove(const char *name);
/* Enter the namespace @fd, or with -1 that in which the process began; false: failed. */
bool netns_enter(int fd);

#endif
