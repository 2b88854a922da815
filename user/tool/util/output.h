/* SPDX-License-Identifier: GPL-2.0-only */
/* Output files that appear whole or not at all, and keep the old file until then. */
#ifndef LIQUID_TOOL_OUTPUT_H
#define LIQUID_TOOL_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

/* output-place.c: the place that a path leads to after all symbolic links */
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
	bool there;			/* a file exists at the place */
	struct stat st;			/* state of that file */
};

/*
 * Find where @path leads (NULL and "-": stdout) and whether it may be written, without changing
 * anything. An exit code, after a message.
 */
int place_find(struct place *place, const char *path);
void place_close(struct place *place);
/* Open a place that is not a PLACE_FILE for writing. An exit code, after a message. */
int place_open(const struct place *place, const char *path, int *fd);
bool place_is_stdout(const struct place *place);

struct output {
	FILE *file;
	const char *path;		/* for messages */
	struct place place;
	char temporary[32];		/* name in the place's directory, or "" */
	bool elsewhere;			/* the file was created in another directory */
};

/* NULL and "-" mean stdout. Both return an exit code, after a message. */
int output_open(struct output *output, const char *path);
/* @code: the result of the writing; the file is dropped unless that is EXIT_OK. An exit code */
int output_close(struct output *output, int code);
bool output_is_stdout(const struct output *output);

/*
 * To be called before long work: check that all of @paths may be written and are different files.
 * NULL is ignored.
 */
int output_check(const char *const *paths, size_t count);

#endif
