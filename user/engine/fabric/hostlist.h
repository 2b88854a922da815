/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of hosts in Slurm's syntax: written, and gathered name by name. */
#ifndef LIQUID_HOSTLIST_H
#define LIQUID_HOSTLIST_H

#include "liquidsched.h"

#define HOSTLIST_WIDTH 96

/* Names one after the other into a hostlist; a line is broken where it grows too long. */
struct hostlist_writer {
	FILE *out;
	const char *lead;		/* what each line begins with */
	size_t column;
	/* Runs of one prefix that are not yet written: "1-3,7" */
	char prefix[LIQUID_NAME_MAX + 1];
	char runs[HOSTLIST_WIDTH + 64];
	bool pending, single;		/* something waits; it is one name */
	/* The last of them, which may still grow; it is not in @runs */
	uint64_t first, last;
	int digits;			/* 0: @prefix is the whole name */
};

void hostlist_begin(struct hostlist_writer *writer, FILE *out, const char *lead);
void hostlist_put(struct hostlist_writer *writer, const char *name);
void hostlist_end(struct hostlist_writer *writer);
/* LIQUID_OK, LIQUID_BAD_INPUT where there are too many, or LIQUID_NO_MEMORY */
int names_add(struct liquid_names *names, const char *name, size_t length);

#endif
