// SPDX-License-Identifier: GPL-2.0-only
/* Running gnuplot, which makes the pictures, without a shell; its errors are reported. */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/command.h"
#include "util/output.h"
#include "plot/plot.h"

bool plot_kind_of(const char *path, enum plot_kind *kind)
{
	static const char *const suffixes[] = { ".svg", ".png", ".pdf", ".gp", ".csv" };
	const char *suffix = strrchr(path, '.');

	for (size_t i = 0; suffix && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (!strcmp(suffix, suffixes[i])) {
			*kind = (enum plot_kind)i;
			return true;
		}
	return false;
}

void plot_csv_text(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/*
 * In single quotes gnuplot interprets only a quote and a newline. Without its fabric, a schedule
 * may have any text as the name of a host.
 */
void plot_quote(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', out);
		fputc(iscntrl((unsigned char)*text) ? '?' : *text, out);
	}
	fputc('\'', out);
}

/* Size in points, of which a PDF has 72 an inch */
void plot_terminal(FILE *out, enum plot_kind kind, uint32_t width, uint32_t height)
{
	if (kind == PLOT_PDF)
		fprintf(out, "set terminal pdfcairo noenhanced fontscale 0.8 lw 2 size %.3f,%.3f\n",
			width / 72., height / 72.);
	else
		fprintf(out, "set terminal %s noenhanced background '#ffffff' size %u,%u\n",
			kind == PLOT_PNG ? "pngcairo" : "svg", width, height);
}

/* ---- gnuplot at work ---- */

/* A file in memory: gnuplot does not check its writes, and a disk may be full. */
static FILE *memory(void)
{
	int fd = memfd_create("plot", MFD_CLOEXEC);

	return fd < 0 ? NULL : fdopen(fd, "w+");
}

/*
 * Run it with the three files, and without the user's settings (-d). It dies of signals that this
 * process ignores. Returns 0 or an errno
 */
static int run(FILE *const file[3], int *status)
{
	char *const argv[] = { (char *)"gnuplot", (char *)"-d", (char *)"-", NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t signals;
	pid_t child;
	int error;

	posix_spawn_file_actions_init(&actions);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&actions, fileno(file[i]), i);
	posix_spawnattr_init(&attributes);
	sigemptyset(&signals);
	sigaddset(&signals, SIGXFSZ);
	posix_spawnattr_setsigdefault(&attributes, &signals);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	error = posix_spawnp(&child, argv[0], &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	while (!error && waitpid(child, status, 0) < 0)
		error = errno == EINTR ? 0 : errno;
	return error;
}

/* Report the first line of its stderr. */
static int report_failure(FILE *complaints, int status)
{
	char line[256] = "";

	rewind(complaints);
	while (fgets(line, sizeof(line), complaints) && line[0] == '\n')
		;
	line[strcspn(line, "\n")] = 0;
	if (WIFSIGNALED(status))
		return complain(EXIT_BAD_INPUT, "gnuplot was killed by signal %d",
				WTERMSIG(status));
	return complain(EXIT_BAD_INPUT, "gnuplot failed%s%s", *line ? ": " : "", line);
}

static int draw(FILE *const file[3], FILE *out)
{
	char buffer[16384];
	int status = 0, error = fflush(file[0]) ? errno : 0;
	size_t got;

	rewind(file[0]);
	if (!error)
		error = run(file, &status);
	if (error == ENOENT)
		return complain(EXIT_BAD_INPUT, "gnuplot is not installed, which draws this: "
				"apt-get install gnuplot-nox, or choose a name in .gp or .csv");
	if (error)
		return complain(EXIT_IO, "gnuplot: %s", strerror(error));
	if (status)
		return report_failure(file[2], status);
	rewind(file[1]);
	while (!ferror(out) && (got = fread(buffer, 1, sizeof(buffer), file[1])))
		fwrite(buffer, 1, got, out);
	return EXIT_OK;
}

static int draw_script(plot_script write_script, enum plot_kind kind, const void *data, FILE *out)
{
	FILE *file[3] = { memory(), memory(), memory() };
	int code = file[0] && file[1] && file[2] ? EXIT_OK : no_memory();

	if (!code) {
		write_script(file[0], kind, data);
		code = draw(file, out);
	}
	for (int i = 0; i < 3; i++)
		if (file[i])
			fclose(file[i]);
	return code;
}

int plot_write(const char *path, enum plot_kind kind, plot_script write_script,
	       plot_csv write_csv, const void *data)
{
	struct output output;
	int code = output_open(&output, path);

	if (code)
		return code;
	if (kind == PLOT_SCRIPT)
		write_script(output.file, kind, data);
	else if (kind == PLOT_CSV)
		write_csv(output.file, data);
	else
		code = draw_script(write_script, kind, data, output.file);
	return output_close(&output, code);
}
