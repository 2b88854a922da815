// SPDX-License-Identifier: GPL-2.0-only
/* What liquid-nl and liquid-lab do alike: complaints, exit codes, and a stdout that must arrive. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "util/say.h"

int complain(int code, const char *format, ...)
{
	char prefix[32];
	va_list args;

	snprintf(prefix, sizeof(prefix), "%s: ", program_name);
	va_start(args, format);
	vsay_line(stderr, prefix, format, args);
	va_end(args);
	return code;
}

int exit_code_of(int status)
{
	switch (status) {
	case LIQUID_OK:
		return EXIT_OK;
	case LIQUID_LIMIT:
	case LIQUID_CANCELLED:
		return EXIT_NO_SCHEDULE;
	case LIQUID_IO:
	case LIQUID_NO_MEMORY:
		return EXIT_IO;
	default:
		return EXIT_BAD_INPUT;
	}
}

int complain_of(int status, const struct liquid_error *err)
{
	return complain(exit_code_of(status), "%s", err->text);
}

int stdout_lost(void)
{
	return complain(EXIT_IO, "stdout: the output could not be written%s%s", errno ? ": " : "",
			errno ? strerror(errno) : "");
}

/* What was printed must have arrived for the command to have done its work. */
static int close_stdout(int code)
{
	bool lost = ferror(stdout);

	errno = 0;
	if (!fclose(stdout) && !lost)
		return code;
	if (code != EXIT_IO)	/* which was told with its reason */
		stdout_lost();
	return code ? code : EXIT_IO;
}

/*
 * A file must not get the number of a closed stdin, stdout or stderr: messages would be written
 * into it. What takes the number can be neither read nor written.
 */
static bool hold_descriptors(void)
{
	int fd;

	do
		fd = open("/", O_PATH);
	while (fd >= 0 && fd <= STDERR_FILENO);
	return fd >= 0 && !close(fd);
}

int run_program(int argc, char **argv, int (*run)(int argc, char **argv))
{
	if (!hold_descriptors())
		return EXIT_IO;
	/* A file that grows too large is an error of write() then, as a full disk is. */
	signal(SIGXFSZ, SIG_IGN);
	return close_stdout(run(argc, argv));
}
