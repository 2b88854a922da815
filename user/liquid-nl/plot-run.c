// SPDX-License-Identifier: GPL-2.0-only
/* The programs that make pictures: run without a shell, fed by a pipe, heard when they fail. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "output.h"
#include "plot.h"

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
	FILE *input;
	FILE *complaints;		/* what it says on stderr */
};

/* Its own signals, and three open files: the pipe, the picture, the complaints. */
static int spawn(const struct plot_subject *subject, char *const argv[], int in, int out,
		 struct child *child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t signals;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(child->complaints), STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	sigemptyset(&signals);
	sigaddset(&signals, SIGPIPE);
	posix_spawnattr_setsigdefault(&attributes, &signals);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	error = posix_spawnp(&child->pid, subject->program, &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (error == ENOENT)
		return complain(EXIT_BAD_INPUT, "%s is not installed, which draws this: apt-get "
				"install %s, or choose a name in %s or .csv", subject->program,
				subject->package, subject->suffix);
	return error ? complain(EXIT_BAD_INPUT, "%s: %s", subject->program, strerror(error)) :
		       EXIT_OK;
}

static int start(const struct plot_subject *subject, enum plot_kind kind, int out,
		 struct child *child)
{
	char *argv[4] = { NULL };
	int ends[2], code;

	child->complaints = tmpfile();
	if (!child->complaints || pipe2(ends, O_CLOEXEC)) {
		code = complain(EXIT_BAD_INPUT, "%s: %s", subject->program, strerror(errno));
		if (child->complaints)
			fclose(child->complaints);
		return code;
	}
	subject->arguments(kind, argv);
	code = spawn(subject, argv, ends[0], out, child);
	close(ends[0]);
	child->input = code ? NULL : fdopen(ends[1], "w");
	if (child->input)
		return EXIT_OK;
	close(ends[1]);
	fclose(child->complaints);
	return code ? code : complain(EXIT_BAD_INPUT, "%s", strerror(errno));
}

/* The first line of what it said. */
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

static int finish(const struct plot_subject *subject, struct child *child)
{
	bool written = !ferror(child->input);
	int status, code = EXIT_OK;

	if (fclose(child->input))
		written = false;
	while (waitpid(child->pid, &status, 0) < 0)
		if (errno != EINTR) {
			status = -1;
			break;
		}
	if (status || !written)
		code = report_failure(subject, child, status);
	fclose(child->complaints);
	return code;
}

/* A program that ends early must not take us with it. */
static int draw(const struct plot_subject *subject, enum plot_kind kind, const void *data,
		FILE *out)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	struct child child = { 0 };
	int code = start(subject, kind, fileno(out), &child);

	if (!code) {
		subject->write_script(child.input, kind, data);
		code = finish(subject, &child);
	}
	signal(SIGPIPE, before);
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
