// SPDX-License-Identifier: LGPL-2.1-or-later
/* Streams over files and memory: for programs that have no FILE, such as those in Python. */
#include <errno.h>
#include <string.h>

#include "liquidsched.h"

int liquid_stream_open(const char *path, const char *mode, struct liquid_bytes *bytes,
		       FILE **stream, struct liquid_error *err)
{
	if (path)
		*stream = fopen(path, mode);
	else if (*mode == 'w')
		*stream = open_memstream(&bytes->data, &bytes->size);
	else if (bytes->size)
		*stream = fmemopen(bytes->data, bytes->size, mode);
	else
		*stream = fopen("/dev/null", mode);
	return *stream ? LIQUID_OK :
	       liquid_fail(err, LIQUID_IO, "%s: %s", path ? path : "memory", strerror(errno));
}

int liquid_stream_close(FILE *stream, struct liquid_error *err)
{
	int failed = ferror(stream);

	if (fclose(stream) || failed)
		return liquid_fail(err, LIQUID_IO, "not all was written: %s", strerror(errno));
	return LIQUID_OK;
}
