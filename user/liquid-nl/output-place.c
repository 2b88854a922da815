// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where an output's name leads
 *
 * Links are followed one by one, each in the directory that the one before has led to, so that the
 * last name is known together with its directory: a file that replaces it is made there. Names of
 * this process's own descriptors end the way; they are written to as they are, because opening
 * them anew would begin at the file's start, and fails for a socket.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cmd.h"
#include "input.h"
#include "output.h"

#define LINKS_MAX 40		/* as in the kernel */

static int fail(const char *path, const char *reason)
{
	return complain(EXIT_IO, "%s: %s", path, reason);
}

static int fail_errno(const char *path)
{
	return fail(path, strerror(errno));
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * Where anybody may put names, a link, a FIFO or a file of another user may lie in wait for this
 * one; so may another name of a file that is none of that user's. The kernel's fs.protected_*
 * settings guard open() so, but are off by default and do not see readlink().
 */
static bool is_trap(const struct stat *dir, const struct stat *what)
{
	if (!(dir->st_mode & S_IWOTH))
		return false;
	if (what->st_uid != geteuid() && what->st_uid != dir->st_uid)
		return true;
	return S_ISREG(what->st_mode) && what->st_nlink > 1;
}

/* ---- following links ---- */

/* Enter the directory of @path, seen from the present one, and keep the last word. */
static bool enter(struct place *place, char *path)
{
	char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dir = !slash ? "." : slash == path ? "/" : path;
	int next;

	if (!*name || !strcmp(name, ".") || !strcmp(name, "..")) {
		errno = EISDIR;
		return false;
	}
	if (strlen(name) > NAME_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	strcpy(place->name, name);
	if (slash && slash != path)
		*slash = '\0';
	next = openat(place->dir, dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (next < 0)
		return false;
	if (place->dir >= 0)
		close(place->dir);
	place->dir = next;
	return true;
}

static bool is_own_descriptor(const struct place *place, const struct stat *dir)
{
	static const char *const own[] = { "/proc/self/fd", "/proc/thread-self/fd" };
	struct stat st;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!stat(own[i], &st) && same_file(&st, dir))
			return strspn(place->name, "0123456789") == strlen(place->name);
	return false;
}

static void take_descriptor(struct place *place, int descriptor)
{
	close(place->dir);
	place->dir = -1;
	place->kind = PLACE_DESCRIPTOR;
	place->descriptor = descriptor;
}

/* Where links lead to. In /proc they are no names: what is open is reached through them alone. */
static int follow(struct place *place, const char *path)
{
	char text[PATH_MAX];
	struct stat dir, link;
	struct statfs fs;
	ssize_t length;

	if (strlen(path) >= PATH_MAX)
		return fail(path, strerror(ENAMETOOLONG));
	strcpy(text, path);
	for (int links = 0; links <= LINKS_MAX; links++) {
		if (!enter(place, text) || fstat(place->dir, &dir) || fstatfs(place->dir, &fs))
			return fail_errno(path);
		if (fs.f_type == PROC_SUPER_MAGIC) {
			place->kind = PLACE_STREAM;
			if (is_own_descriptor(place, &dir))
				take_descriptor(place, (int)strtol(place->name, NULL, 10));
			return EXIT_OK;
		}
		length = readlinkat(place->dir, place->name, text, sizeof(text) - 1);
		if (length < 0)
			return errno == EINVAL || errno == ENOENT ? EXIT_OK : fail_errno(path);
		if (fstatat(place->dir, place->name, &link, AT_SYMLINK_NOFOLLOW))
			return fail_errno(path);
		if (is_trap(&dir, &link))
			return fail(path, "is another user's link, in a directory that anybody may "
				    "write to");
		text[length] = '\0';
	}
	return fail(path, strerror(ELOOP));
}

/* ---- what is there ---- */

/* Not the terminal, nor /dev/null: what goes there twice does not mix. */
static bool is_stdout(const struct stat *st)
{
	struct stat own;

	return !S_ISCHR(st->st_mode) && !fstat(STDOUT_FILENO, &own) && same_file(st, &own);
}

/* Opened at once: what open() refuses, such as a file that is read-only, is not replaced either. */
static int open_old(struct place *place, const char *path)
{
	place->old = openat(place->dir, place->name,
			    O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (place->old < 0 || fstat(place->old, &place->st))
		return fail_errno(path);
	if (!S_ISREG(place->st.st_mode))
		return fail(path, "is another file than a moment ago");
	if (input_was_read(&place->st))
		return complain(EXIT_USAGE, "%s: is read by this command too: name another file "
				"for the output", path);
	return EXIT_OK;
}

static int look(struct place *place, const char *path)
{
	int code = EXIT_OK;
	struct stat dir;

	if (fstat(place->dir, &dir))
		return fail_errno(path);
	if (fstatat(place->dir, place->name, &place->st,
		    place->kind == PLACE_STREAM ? 0 : AT_SYMLINK_NOFOLLOW)) {
		return errno == ENOENT && place->kind == PLACE_FILE ? EXIT_OK : fail_errno(path);
	}
	place->there = true;
	if (S_ISDIR(place->st.st_mode))
		return fail(path, strerror(EISDIR));
	if (S_ISSOCK(place->st.st_mode) && place->kind == PLACE_FILE)
		return fail(path, "is a socket, which cannot be opened");
	if (is_stdout(&place->st)) {
		take_descriptor(place, STDOUT_FILENO);
		return EXIT_OK;
	}
	if (place->kind == PLACE_FILE && S_ISREG(place->st.st_mode))
		code = open_old(place, path);
	else
		place->kind = PLACE_STREAM;
	/* Of a file, what has been opened is judged. */
	if (!code && is_trap(&dir, &place->st))
		code = fail(path, "is another user's, or has other names, in a directory that "
			    "anybody may write to");
	return code;
}

static int find(struct place *place, const char *path)
{
	int code = follow(place, path);

	if (!code && place->kind != PLACE_DESCRIPTOR)
		code = look(place, path);
	if (code || place->kind != PLACE_DESCRIPTOR)
		return code;
	if (fstat(place->descriptor, &place->st))
		return fail_errno(path);
	place->there = true;
	if (is_stdout(&place->st))
		place->descriptor = STDOUT_FILENO;
	return EXIT_OK;
}

int place_find(struct place *place, const char *path)
{
	int code;

	*place = (struct place){ .kind = PLACE_FILE, .dir = AT_FDCWD, .old = -1 };
	if (path && strcmp(path, "-")) {
		code = find(place, path);
		if (code)
			place_close(place);
		return code;
	}
	place->kind = PLACE_DESCRIPTOR;
	place->dir = -1;
	place->descriptor = STDOUT_FILENO;
	place->there = true;
	return fstat(STDOUT_FILENO, &place->st) ? fail_errno("stdout") : EXIT_OK;
}

void place_close(struct place *place)
{
	if (place->dir >= 0)
		close(place->dir);
	if (place->old >= 0)
		close(place->old);
	place->dir = -1;
	place->old = -1;
}

bool place_is_stdout(const struct place *place)
{
	return place->kind == PLACE_DESCRIPTOR && place->descriptor == STDOUT_FILENO;
}

/* ---- several at once ---- */

static bool same_place(const struct place *a, const struct place *b)
{
	struct stat dir_a, dir_b;

	if (a->there && b->there)
		return same_file(&a->st, &b->st) && !S_ISCHR(a->st.st_mode);
	return !a->there && !b->there && !strcmp(a->name, b->name) &&
	       !fstat(a->dir, &dir_a) && !fstat(b->dir, &dir_b) && same_file(&dir_a, &dir_b);
}

int output_check(const char *const *paths, size_t count)
{
	struct place *places = calloc(count, sizeof(*places));
	int code = places ? EXIT_OK : complain(EXIT_IO, "out of memory");
	size_t found;

	for (found = 0; !code && found < count; found++) {
		places[found] = (struct place){ .dir = -1, .old = -1 };
		if (paths[found])
			code = place_find(&places[found], paths[found]);
		for (size_t i = 0; !code && paths[found] && i < found; i++)
			if (paths[i] && same_place(&places[i], &places[found]))
				code = complain(EXIT_USAGE, "%s and %s are one file: name another "
						"for one of the outputs", paths[i], paths[found]);
	}
	while (found--)
		place_close(&places[found]);
	free(places);
	return code;
}
