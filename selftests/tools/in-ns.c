// SPDX-License-Identifier: GPL-2.0-only
/*
 * in-ns: runs a program in a network namespace
 *
 *	in-ns NETNS PROGRAM [ARGUMENT...]
 *
 * /sys stays that of the caller's namespace. `ip netns exec` mounts it anew, which takes ten times
 * as long; tests start thousands of programs.
 */
#include "netns.h"

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: in-ns NETNS PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	netns_enter(argv[1]);
	execvp(argv[2], argv + 2);
	fprintf(stderr, "in-ns: %s: %s\n", argv[2], strerror(errno));
	return 127;
}
