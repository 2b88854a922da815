/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets in other network namespaces: one program then sees a whole network with one clock. */
#ifndef LIQUID_TEST_NETNS_H
#define LIQUID_TEST_NETNS_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "-" is the namespace that the program was started in. */
static inline void netns_enter(const char *name)
{
	static int home = -1;
	char path[128];
	int fd;

	if (home < 0)
		home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = strcmp(name, "-") ? open(path, O_RDONLY | O_CLOEXEC) : dup(home);
	if (fd < 0 || setns(fd, CLONE_NEWNET)) {
		fprintf(stderr, "network namespace %s: %s\n", name, strerror(errno));
		exit(2);
	}
	close(fd);
}

#endif
