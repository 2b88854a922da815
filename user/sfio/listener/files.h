/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The subfiles that a listener has, and how many calls of the system have failed */
#ifndef LIQUID_SFIO_FILES_H
#define LIQUID_SFIO_FILES_H

#include "wire/message.h"

struct open_file {
	uint32_t file, subfile;
	int fd;
};

struct files {
	struct open_file *open;
	uint32_t count, room;
	uint64_t error[ERRORS];		/* calls that have failed */
};

/* Names, in @bytes, are as in a request. All return 0 or the first -errno. */
int files_open(struct files *files, uint32_t file, const char *names, uint32_t bytes);
int files_close(struct files *files, uint32_t file);
int files_create(struct files *files, const char *names, uint32_t bytes);
int files_delete(struct files *files, const char *names, uint32_t bytes);
int files_resize(struct files *files, uint32_t file, const struct run *run, uint32_t runs);
void files_free(struct files *files);

/* A whole access. Bytes beyond the end of a subfile read as zeros. */
int files_write(struct files *files, uint32_t file, const struct run *run,
		const unsigned char *data);
int files_read(struct files *files, uint32_t file, const struct run *run, unsigned char *data);

#endif
