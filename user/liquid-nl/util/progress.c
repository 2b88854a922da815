// SPDX-License-Identifier: GPL-2.0-only
/* How much of a large file has been read, said on a terminal */
#include <sys/stat.h>
#include <unistd.h>

#include "util/progress.h"

#define LARGE_BYTES (32u << 20)		/* a fifth of a second, or more */

static void say(const struct progress *progress)
{
	/* At its end there may be messages */
	if (progress->percent < 100)
		fprintf(stderr, "\r%s: %u %% of %llu MB read\033[K", progress->label,
			progress->percent, (unsigned long long)progress->size / 1000000);
	else
		fputs("\r\033[K", stderr);
}

static ssize_t read_on(void *cookie, char *buffer, size_t size)
{
	struct progress *progress = cookie;
	size_t got = fread(buffer, 1, size, progress->in);
	unsigned int percent;

	progress->read += got;
	percent = (unsigned int)(100 * progress->read / progress->size);
	if (percent != progress->percent) {
		progress->percent = percent;
		say(progress);
	}
	return got || !ferror(progress->in) ? (ssize_t)got : -1;
}

FILE *progress_begin(struct progress *progress, FILE *in, const char *label)
{
	FILE *shown = NULL;
	struct stat st;

	*progress = (struct progress){ .in = in, .label = label };
	if (isatty(STDERR_FILENO) && !fstat(fileno(in), &st) && S_ISREG(st.st_mode) &&
	    st.st_size >= LARGE_BYTES) {
		progress->size = (uint64_t)st.st_size;
		shown = fopencookie(progress, "r", (cookie_io_functions_t){ .read = read_on });
	}
	return shown ? : in;
}

void progress_end(const struct progress *progress, FILE *shown)
{
	if (shown == progress->in)
		return;
	fclose(shown);
	if (progress->percent < 100)
		fputs("\r\033[K", stderr);
}
