/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contents of the file of a schedule: the frames, and the rest as a JSON tree. */
#ifndef LIQUID_SCHEDULE_LOAD_H
#define LIQUID_SCHEDULE_LOAD_H

#include <jansson.h>

#include "schedule/schedule.h"

struct schedule_file {
	json_t *root;			/* the file with an empty array as "frames" */
	/* By frame, frame_count + 1 entries: index of its first transfer; NULL: no "frames" */
	uint32_t *first;
	uint32_t frame_count;
	struct liquid_transfer *transfers;
	char **names;			/* names of hosts in the order of their first appearance */
	uint32_t name_count;
	/*
	 * Status and error if the frames are JSON but invalid; then @root has only what comes
	 * before them. Else LIQUID_OK.
	 */
	int frames_status;
	struct liquid_error reason;
};

/* Errors of a reader: anything with the label of its file and an error to fill in */
#define bad_input(reader, format, ...) \
	liquid_fail((reader)->err, LIQUID_BAD_INPUT, "%s: " format, (reader)->label, ##__VA_ARGS__)
#define no_memory_for(reader) \
	liquid_fail((reader)->err, LIQUID_NO_MEMORY, "%s: no memory for the schedule", \
		    (reader)->label)

/* The figures and extras of a schedule, everything but its frames; NULL: no memory */
json_t *schedule_head_json(const struct liquid_schedule *schedule);
/* Call schedule_file_clear() afterwards, also on failure. */
int schedule_file_load(FILE *in, const char *label, struct schedule_file *file,
		       struct liquid_error *err);
void schedule_file_clear(struct schedule_file *file);

#endif
