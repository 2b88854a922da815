// SPDX-License-Identifier: GPL-2.0-only
/* Output files that appear whole or not at all: written beside their place, then renamed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "output.h"

static bool is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

/* What is no regular file (/dev/stdout, a pipe) is written to as it is. */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

static mode_t default_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static FILE *open_temporary(struct output *output, const char *path)
{
	FILE *file;
	int fd;

	if (asprintf(&output->temporary, "%s.XXXXXX", path) < 0) {
		output->temporary = NULL;
		return NULL;
	}
	fd = mkstemp(output->temporary);
	if (fd < 0)
		return NULL;
	file = fchmod(fd, default_mode()) ? NULL : fdopen(fd, "w");
	if (!file) {
		close(fd);
		unlink(output->temporary);
	}
	return file;
}

int output_open(struct output *output, const char *path)
{
	*output = (struct output){ .file = stdout };
	if (is_stdout(path))
		return EXIT_OK;
	output->path = path;
	output->file = is_special(path) ? fopen(path, "w") : open_temporary(output, path);
	if (output->file)
		return EXIT_OK;
	complain(EXIT_BAD_INPUT, "%s: %s", path, strerror(errno));
	free(output->temporary);
	output->temporary = NULL;
	return EXIT_BAD_INPUT;
}

static bool finish_file(struct output *output)
{
	bool fine = !ferror(output->file) && !fflush(output->file);

	/* After a crash the name must not stand for an empty file */
	if (output->temporary)
		fine = fine && !fsync(fileno(output->file));
	if (output->path)
		fine = !fclose(output->file) && fine;
	return fine;
}

int output_close(struct output *output, int code)
{
	bool fine = finish_file(output);

	if (!fine && !code)
		code = complain(EXIT_BAD_INPUT, "%s: %s", output->path ? output->path : "stdout",
				strerror(errno));
	if (output->temporary && !code && rename(output->temporary, output->path))
		code = complain(EXIT_BAD_INPUT, "%s: %s", output->path, strerror(errno));
	if (output->temporary && code)
		unlink(output->temporary);
	free(output->temporary);
	output->temporary = NULL;
	return code;
}
