/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A schedule's file: its frames, and a tree of all the rest. */
#ifndef LIQUID_SCHEDULE_LOAD_H
#define LIQUID_SCHEDULE_LOAD_H

#include <jansson.h>

#include "schedule/schedule.h"

struct schedule_file {
	json_t *root;			/* its "frames" are an empty array */
	uint32_t *first;		/* by frame, frame_count + 1 of them; NULL: no "frames" */
	uint32_t frame_count;
	struct liquid_transfer *transfers;
	char **names;			/* of hosts, in the order of their first appearance */
	uint32_t name_count;
	/*
	 * What is wrong with the frames, although they are JSON: a status and its text. Then @root
	 * has only what comes before them.
	 */
	int wrong;
	struct liquid_error reason;
};

/* Whatever the status, schedule_file_clear() frees what is left of it. */
int schedule_file_load(FILE *in, const char *label, struct schedule_file *file,
		       struct liquid_error *err);
void schedule_file_clear(struct schedule_file *file);

#endif
