/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing lists of hosts in Slurm's syntax, and collecting names. */
#ifndef LIQUID_HOSTLIST_H
#define LIQUID_HOSTLIST_H

#include "liquidsched.h"

#define HOSTLIST_WIDTH 96

/* Writes names as host lists in lines of limited length. */
struct hostlist_writer {
	FILE *out;
	const char *lead;		/* text at the beginning of each line */
	size_t column;
	/* Prefix and runs of numbers that are not yet written: "node" and "1-3,7" */
	char prefix[LIQUID_NAME_MAX + 1];
	char runs[HOSTLIST_WIDTH + 64];
	bool pending;			/* an item is not written yet */
	bool single;			/* that item is one name */
	/* The last run, which may still grow and is not in @runs yet */
	uint64_t first, last;
	int digits;			/* 0: @prefix is the whole name */
};

void hostlist_begin(struct hostlist_writer *writer, FILE *out, const char *lead);
void hostlist_put(struct hostlist_writer *writer, const char *name);
void hostlist_end(struct hostlist_writer *writer);
/* Returns LIQUID_OK, LIQUID_BAD_INPUT (too many names) or LIQUID_NO_MEMORY. */
int names_add(struct liquid_names *names, const char *name, size_t length);

#endif
