/* SPDX-License-Identifier: GPL-2.0-only */
/* Output files that appear whole or not at all, and never cost what they name. */
#ifndef LIQUID_NL_OUTPUT_H
#define LIQUID_NL_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

/* output-place.c: where a name leads, once its links have been followed */
struct place {
	enum {
		PLACE_DESCRIPTOR,	/* opened by the caller: "-", /dev/stdout, /dev/fd/N */
		PLACE_STREAM,		/* no regular file: a device, a FIFO */
		PLACE_FILE,		/* a regular file, or none yet */
	} kind;
	int descriptor;
	int dir;			/* O_PATH; -1 with a descriptor */
	char name[NAME_MAX + 1];	/* in @dir, and no link */
	int old;			/* the regular file that is there, or -1 */
	bool in_proc;			/* @name may be a link, which only the kernel can follow */
	bool there;			/* is anything? */
	struct stat st;			/* of what is there */
};

/*
 * Find where @path leads (NULL and "-": stdout) and whether it may be written, without changing
 * anything. An exit code, after a message.
 */
int place_find(struct place *place, const char *path);
void place_close(struct place *place);
/* Open what is no PLACE_FILE, for writing. An exit code, after a message. */
int place_open(const struct place *place, const char *path, int *fd);
bool place_is_stdout(const struct place *place);

struct output {
	FILE *file;
	const char *path;		/* for messages */
	struct place place;
	char temporary[32];		/* a name in the place's directory; "": there is none */
	bool elsewhere;			/* the file was not made in that directory */
};

/* NULL and "-" stand for stdout. Both return an exit code, and complain by themselves. */
int output_open(struct output *output, const char *path);
/* @code: how the writing went; unless EXIT_OK the file is dropped. Returns the code that counts. */
int output_close(struct output *output, int code);
bool output_is_stdout(const struct output *output);

/*
 * Before long work: may all of @paths be written, and are they different files? Those that are
 * NULL are not asked for.
 */
int output_check(const char *const *paths, size_t count);

#endif
