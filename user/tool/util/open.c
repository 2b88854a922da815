// SPDX-License-Identifier: GPL-2.0-only
/* Opening of input files, in one place that remembers which files were read. */
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/command.h"
#include "util/open.h"

/* Regular files that were opened, which no output may replace. No command reads more. */
static struct input_id {
	dev_t dev;
	ino_t ino;
} inputs[16];
static size_t input_count;
static bool stdin_taken;

static struct input_id *find_input(const struct stat *st)
{
	for (size_t i = 0; i < input_count; i++)
		if (inputs[i].dev == st->st_dev && inputs[i].ino == st->st_ino)
			return &inputs[i];
	return NULL;
}

static void note_input(const struct stat *st)
{
	if (S_ISREG(st->st_mode) && !find_input(st) &&
	    input_count < sizeof(inputs) / sizeof(inputs[0]))
		inputs[input_count++] = (struct input_id){ st->st_dev, st->st_ino };
}

bool input_was_read(const struct stat *st)
{
	return find_input(st);
}

void input_may_be_replaced(FILE *in)
{
	struct input_id *id;
	struct stat st;

	id = fstat(fileno(in), &st) ? NULL : find_input(&st);
	if (id)
		*id = inputs[--input_count];
}

/* "-", or another name of stdin, except of a regular file: that can be opened again. */
static bool is_stdin(FILE *in, const struct stat *st)
{
	struct stat own;

	return in == stdin || (!S_ISREG(st->st_mode) && !fstat(STDIN_FILENO, &own) &&
			       own.st_dev == st->st_dev && own.st_ino == st->st_ino);
}

static int open_failed(const char *path, int error, struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_IO, "%s: %s", path, strerror(error));
}

static int look(const char *path, FILE *in, struct liquid_error *err)
{
	struct stat st;

	if (fstat(fileno(in), &st))
		return open_failed(path, errno, err);
	if (S_ISDIR(st.st_mode) && in != stdin)
		return open_failed(path, EISDIR, err);
	if (is_stdin(in, &st)) {
		if (stdin_taken)
			return liquid_fail(err, LIQUID_BAD_INPUT, "%s: only one of the files can "
					   "be stdin", path);
		stdin_taken = true;
	}
	note_input(&st);
	return LIQUID_OK;
}

/* ---- what gzip has compressed ---- */

static bool is_compressed(FILE *in)
{
	unsigned char magic[2];
	struct stat st;

	return !fstat(fileno(in), &st) && S_ISREG(st.st_mode) &&
	       pread(fileno(in), magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

static bool decompress(FILE *in, FILE *out)
{
	char *const argv[] = { (char *)"gzip", (char *)"-dc", NULL };
	posix_spawn_file_actions_t files;
	int how = -1;
	pid_t child;

	if (posix_spawn_file_actions_init(&files))
		return false;
	if (!posix_spawn_file_actions_adddup2(&files, fileno(in), STDIN_FILENO) &&
	    !posix_spawn_file_actions_adddup2(&files, fileno(out), STDOUT_FILENO) &&
	    !posix_spawnp(&child, argv[0], &files, NULL, argv, environ))
		while (waitpid(child, &how, 0) < 0 && errno == EINTR)
			;
	posix_spawn_file_actions_destroy(&files);
	rewind(out);
	return !how;
}

/* *@in becomes a temporary file with what it has compressed. */
static int take_compressed(const char *path, FILE **in, struct liquid_error *err)
{
	FILE *out = tmpfile();
	bool done = out && decompress(*in, out);

	if (!done && out)
		fclose(out);
	if (!done)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: gzip -d cannot decompress it", path);
	close_input(*in);
	*in = out;
	return LIQUID_OK;
}

int input_open(const char *path, FILE **in, struct liquid_error *err)
{
	int status;

	*in = strcmp(path, "-") ? fopen(path, "re") : stdin;
	if (!*in)
		return open_failed(path, errno, err);
	status = look(path, *in, err);
	if (!status && is_compressed(*in))
		status = take_compressed(path, in, err);
	if (status) {
		close_input(*in);
		*in = NULL;
	}
	return status;
}

void close_input(FILE *in)
{
	if (in && in != stdin)
		fclose(in);
}

const char *input_label(const char *path)
{
	return strcmp(path, "-") ? path : "stdin";
}

int open_input(const char *path, FILE **in)
{
	struct liquid_error err;
	int status = input_open(path, in, &err);

	return status ? complain_of(status, &err) : EXIT_OK;
}
