/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The name of a striped file: "host/path;host/path", its subfiles in the order of the stripes */
#ifndef LIQUID_SFIO_NAME_H
#define LIQUID_SFIO_NAME_H

#include <stdint.h>

struct subfile_name {
	char *host, *path;		/* the path begins with the slash after the host */
};

struct file_name {
	struct subfile_name *subfile;
	uint32_t count;
};

/* A last ';' may be there. Returns 0, -EINVAL or -ENOMEM. */
int name_parse(const char *text, struct file_name *name);
void name_free(struct file_name *name);

#endif
