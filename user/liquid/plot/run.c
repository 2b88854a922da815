// SPDX-License-Identifier: GPL-2.0-only
/* Running the programs that make pictures, without a shell; their errors are reported. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/command.h"
#include "util/output.h"
#include "plot/plot.h"

bool plot_kind_of(const char *path, const struct plot_subject *subject, enum plot_kind *kind)
{
	const struct {
		const char *suffix;
		enum plot_kind kind;
	} kinds[] = {
		{ ".svg", PLOT_SVG }, { ".png", PLOT_PNG }, { ".pdf", PLOT_PDF },
		{ subject->suffix, PLOT_SCRIPT }, { ".csv", PLOT_CSV },
	};
	const char *suffix = strrchr(path, '.');

	for (size_t i = 0; suffix && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(suffix, kinds[i].suffix)) {
			*kind = kinds[i].kind;
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

/* ---- one program at work ---- */

struct child {
	pid_t pid;
	FILE *script, *picture;		/* its stdin and its stdout */
	FILE *complaints;		/* its stderr */
};

static int failed(const struct plot_subject *subject)
{
	return complain(EXIT_IO, "%s: %s", subject->program, strerror(errno));
}

/* The child has three open files, and dies of signals that this process ignores. */
static int spawn(const struct plot_subject *subject, char *const argv[], int out,
		 struct child *child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t signals;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(child->script), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(child->complaints), STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	sigemptyset(&signals);
	sigaddset(&signals, SIGPIPE);
	sigaddset(&signals, SIGXFSZ);
	posix_spawnattr_setsigdefault(&attributes, &signals);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	errno = posix_spawnp(&child->pid, subject->program, &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (errno == ENOENT)
		return complain(EXIT_BAD_INPUT, "%s is not installed, which draws this: apt-get "
				"install %s, or choose a name in %s or .csv", subject->program,
				subject->package, subject->suffix);
	return errno ? failed(subject) : EXIT_OK;
}

static int start(const struct plot_subject *subject, enum plot_kind kind, struct child *child)
{
	char *argv[4] = { NULL };
	int ends[2], code;

	if (pipe2(ends, O_CLOEXEC))
		return failed(subject);
	child->picture = fdopen(ends[0], "r");
	subject->arguments(kind, argv);
	code = child->picture ? spawn(subject, argv, ends[1], child) : failed(subject);
	close(ends[1]);
	if (!child->picture)
		close(ends[0]);
	return code;
}

/*
 * gnuplot does not check its writes, so this process writes the file. After a failed write the rest
 * is dropped, and output_close() reports the error.
 */
static void copy_picture(struct child *child, FILE *out)
{
	char buffer[16384];
	size_t got;

	while (!ferror(out) && (got = fread(buffer, 1, sizeof(buffer), child->picture)))
		fwrite(buffer, 1, got, out);
	fclose(child->picture);
	child->picture = NULL;
}

/* Report the first line of the program's stderr. */
static int report_failure(const struct plot_subject *subject, struct child *child, int status)
{
	char line[256] = "";

	rewind(child->complaints);
	while (fgets(line, sizeof(line), child->complaints) && line[0] == '\n')
		;
	line[strcspn(line, "\n")] = 0;
	if (WIFSIGNALED(status))
		return complain(EXIT_BAD_INPUT, "%s was killed by signal %d", subject->program,
				WTERMSIG(status));
	return complain(EXIT_BAD_INPUT, "%s failed%s%s", subject->program, *line ? ": " : "", line);
}

static int finish(const struct plot_subject *subject, struct child *child, FILE *out)
{
	int status;

	copy_picture(child, out);
	while (waitpid(child->pid, &status, 0) < 0)
		if (errno != EINTR) {
			status = -1;
			break;
		}
	return status && !ferror(out) ? report_failure(subject, child, status) : EXIT_OK;
}

static int run(const struct plot_subject *subject, enum plot_kind kind, const void *data,
	       struct child *child, FILE *out)
{
	int code;

	subject->write_script(child->script, kind, data);
	if (fflush(child->script) || ferror(child->script) ||
	    lseek(fileno(child->script), 0, SEEK_SET))
		return failed(subject);
	code = start(subject, kind, child);
	if (!code)
		return finish(subject, child, out);
	if (child->picture)
		fclose(child->picture);
	return code;
}

static int draw(const struct plot_subject *subject, enum plot_kind kind, const void *data,
		FILE *out)
{
	struct child child = { .script = tmpfile(), .complaints = tmpfile() };
	int code = child.script && child.complaints ? run(subject, kind, data, &child, out) :
		   failed(subject);

	if (child.script)
		fclose(child.script);
	if (child.complaints)
		fclose(child.complaints);
	return code;
}

int plot_write(const char *path, enum plot_kind kind, const struct plot_subject *subject,
	       const void *data)
{
	struct output output;
	int code = output_open(&output, path);

	if (code)
		return code;
	if (kind == PLOT_SCRIPT)
		subject->write_script(output.file, kind, data);
	else if (kind == PLOT_CSV)
		subject->write_csv(output.file, data);
	else
		code = draw(subject, kind, data, output.file);
	return output_close(&output, code);
}
