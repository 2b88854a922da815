// SPDX-License-Identifier: GPL-2.0-only
/* The line on a terminal that shows progress, and how much of a large file is read */
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/progress.h"

#define LARGE_BYTES (32u << 20)		/* a fifth of a second, or more */

#define CLEAR "\r\033[K"

/* The handler is reset when it is entered: the signal that is raised again ends the tool. */
static void clear_and_end(int signal)
{
	if (write(STDERR_FILENO, CLEAR, sizeof(CLEAR) - 1) < 0)
		_exit(128 + signal);
	raise(signal);
}

void progress_handler(int signal, void (*from)(int), void (*to)(int))
{
	struct sigaction action;

	if (sigaction(signal, NULL, &action) || action.sa_handler != from)
		return;
	action = (struct sigaction){ .sa_handler = to, .sa_flags = SA_RESETHAND };
	sigaction(signal, &action, NULL);
}

void progress_say(const char *format, ...)
{
	va_list args;

	progress_handler(SIGINT, SIG_DFL, clear_and_end);
	progress_handler(SIGTERM, SIG_DFL, clear_and_end);
	va_start(args, format);
	fputc('\r', stderr);
	vfprintf(stderr, format, args);
	fputs("\033[K", stderr);
	va_end(args);
}

void progress_clear(void)
{
	fputs(CLEAR, stderr);
	progress_handler(SIGINT, clear_and_end, SIG_DFL);
	progress_handler(SIGTERM, clear_and_end, SIG_DFL);
}

static void say(const struct progress *progress)
{
	/* At its end there may be messages */
	if (progress->percent < 100)
		progress_say("%s: %u %% of %llu MB read", progress->label, progress->percent,
			     (unsigned long long)progress->size / 1000000);
	else
		progress_clear();
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
		progress_clear();
}
