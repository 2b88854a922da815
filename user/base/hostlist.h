/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walking and writing lists of hosts in Slurm's syntax, and collecting names */
#ifndef LIQUID_HOSTLIST_H
#define LIQUID_HOSTLIST_H

#include "liquidsched.h"

#define HOSTLIST_WIDTH 96

/* Characters that need no quotes in a file, a list or a command line. */
bool name_char(unsigned char c);

/* The number at the end of a name: its digits, with zeros before it, and the bytes before them */
struct hostlist_number {
	size_t length;
	uint64_t value;
	int digits;			/* 0: there is none */
};

struct hostlist_number hostlist_number(const char *name);
/* Is @value printed alike in at least @digits and in at least @other digits? */
bool hostlist_prints_alike(uint64_t value, int digits, int other);

/* Names of a list: @stem and the numbers @first ... @last, each in at least @digits digits */
struct hostlist_part {
	char stem[LIQUID_NAME_MAX + 1];	/* not terminated */
	size_t length;			/* of the stem */
	uint64_t first, last;
	int digits;			/* 0: the stem is the only name */
	/*
	 * The text after these numbers, "" without brackets. A part that is taken too, by moving
	 * this on to another ',' or to the ']', does not come again.
	 */
	const char *more;
};

/* Call @take for the names of @list in their order; an error of it ends the walk. */
int hostlist_walk(const char *list,
		  int (*take)(void *context, struct hostlist_part *part, struct liquid_error *err),
		  void *context, struct liquid_error *err);
/* Print a name of @part, which has no more than LIQUID_NAME_MAX bytes. */
void hostlist_print(const struct hostlist_part *part, uint64_t value,
		    char name[LIQUID_NAME_MAX + 1]);

/* Writes names as host lists in lines of limited length. */
struct hostlist_writer {
	FILE *out;
	const char *lead;		/* text at the beginning of each line; NULL: one line */
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
