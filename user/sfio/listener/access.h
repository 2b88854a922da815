/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Accesses of subfiles: the parts of one or more requests are sorted, and those which overlap or
 * follow each other become one access, whichever client asked for them.
 */
#ifndef LIQUID_SFIO_ACCESS_H
#define LIQUID_SFIO_ACCESS_H

#include <stdbool.h>

#include "listener/files.h"

struct part {
	struct run run;
	unsigned char *data;
};

struct access {
	struct part *part;
	size_t parts, room;
	unsigned char *joined;		/* data of parts that are one access */
	uint64_t joined_room;
};

/* Functions that can fail return 0 or -errno. */
int access_add(struct access *access, const struct run *run, unsigned char *data);
/*
 * Write or read all parts that were added, and forget them. *@accesses: how many it were. Of parts
 * that overlap in a write, any may win.
 */
int access_do(struct access *access, struct files *files, uint32_t file, bool writes,
	      uint32_t *accesses);
void access_free(struct access *access);

#endif
