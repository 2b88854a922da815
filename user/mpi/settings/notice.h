/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The notice of `liquid-nl job`'s prologue to the job's user on this node */
#ifndef LIQUID_MPI_NOTICE_H
#define LIQUID_MPI_NOTICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* liquid-nl writes there */
#define NOTICES "/run/liquid-jobs"

struct notice {
	char *fabric, *host;		/* NULL: not given */
	char *plan;			/* where the job's plan would be (plan/prepared.h) */
	/* endpoint of the host, from 1, or RAIL_ALL; 0: not given */
	uint64_t rail;
};

/*
 * Read the notice of @job on @node in directory @dir. Returns false if there is none that may be
 * read, or if it or the directory is not @owner's alone. notice_clear() frees it.
 */
bool notice_read(struct notice *notice, const char *dir, uid_t owner, const char *job,
		 const char *node);
void notice_clear(struct notice *notice);

#endif
