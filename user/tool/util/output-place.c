// SPDX-License-Identifier: GPL-2.0-only
/*
 * The place to which the path of an output leads
 *
 * The path is resolved name by name, and so are symbolic links in it. So every link is checked
 * before it is followed, and at the end both the last name and its directory are known: a file
 * that replaces it is created there. A name of one of this process's descriptors ends the
 * resolution. That descriptor is used as it is, because opening it again would start at the
 * beginning of the file, and fails for a socket.
 *
 * A directory of another user is entered: that user decides its contents.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/command.h"
#include "util/open.h"
#include "util/output.h"

#define LINKS_MAX 40		/* as in the kernel */

static int fail(const char *path, const char *reason)
{
	return complain(EXIT_IO, "%s: %s", path, reason);
}

static const char changed[] = "was replaced by another file meanwhile";

static int fail_errno(const char *path)
{
	return fail(path, strerror(errno));
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * In a directory that all users may write, such as /tmp, another user may have put a link, a FIFO,
 * a file, or a hard link to a third user's file under the name. The kernel's fs.protected_*
 * settings protect open() against these, but they are off by default and do not cover readlink().
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

/* Enter @dir, relative to the present directory. */
static bool enter(struct place *place, const char *dir, int flags)
{
	int next = openat(place->dir, dir, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);

	if (next < 0)
		return false;
	if (place->dir >= 0)
		close(place->dir);
	place->dir = next;
	return true;
}

/* Take the first word off @path. */
static bool take_word(struct place *place, char *path, bool *last)
{
	size_t length = strcspn(path, "/");
	size_t next = length + strspn(path + length, "/");

	*last = !path[next];
	if (length > NAME_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(place->name, path, length);
	place->name[length] = '\0';
	if (*last && (!length || next > length || !strcmp(place->name, ".") ||
		      !strcmp(place->name, ".."))) {
		errno = EISDIR;
		return false;
	}
	memmove(path, path + next, strlen(path + next) + 1);
	return true;
}

/* Open the directory at which @path begins: the root or the present one. */
static bool begin(struct place *place, char *path)
{
	size_t slashes = strspn(path, "/");

	if (!slashes)
		return place->dir >= 0 || enter(place, ".", 0);
	memmove(path, path + slashes, strlen(path + slashes) + 1);
	return enter(place, "/", 0);
}

/* Open the link, then check and read the open file: the name may be another link by then. */
static bool read_link(int fd, const struct stat *dir, char *text, bool *trap)
{
	struct stat st;
	ssize_t length;

	if (fstat(fd, &st))
		return false;
	errno = EINVAL;
	if (!S_ISLNK(st.st_mode))
		return false;
	*trap = is_trap(dir, &st);
	length = readlinkat(fd, "", text, PATH_MAX);
	if (length == PATH_MAX)
		errno = ENAMETOOLONG;
	if (length < 0 || length == PATH_MAX)
		return false;
	text[length] = '\0';
	return true;
}

/* If the name is a link, go to the start of its target, and put that before @rest. False: errno */
static bool take_link(struct place *place, const struct stat *dir, char *rest, bool *trap)
{
	char text[PATH_MAX];
	int error, fd = openat(place->dir, place->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return false;
	done = read_link(fd, dir, text, trap);
	error = errno;
	close(fd);
	errno = error;
	if (!done || *trap)
		return done;
	if (strlen(text) + 1 + strlen(rest) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	if (*rest)
		strcat(strcat(text, "/"), rest);
	strcpy(rest, text);
	return begin(place, rest);
}

/* The number of a descriptor as the kernel writes it: no sign, no leading zero */
static bool is_number(const char *name, int *number)
{
	char again[16];

	*number = (int)strtol(name, NULL, 10);
	snprintf(again, sizeof(again), "%d", *number);
	return *number >= 0 && !strcmp(name, again);
}

static bool is_own_descriptor(const struct place *place, const struct stat *dir, int *number)
{
	static const char *const own[] = { "/proc/self/fd", "/proc/thread-self/fd" };
	struct stat st;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!stat(own[i], &st) && same_file(&st, dir))
			return is_number(place->name, number);
	return false;
}

static void take_descriptor(struct place *place, int descriptor)
{
	close(place->dir);
	place->dir = -1;
	place->kind = PLACE_DESCRIPTOR;
	place->descriptor = descriptor;
}

static void take_proc(struct place *place, const struct stat *dir)
{
	int number;

	place->kind = PLACE_STREAM;
	place->in_proc = true;
	if (is_own_descriptor(place, dir, &number))
		take_descriptor(place, number);
}

/* Follow links, except in /proc: only the kernel can follow links of open files. */
static int follow(struct place *place, const char *path)
{
	bool in_proc, last, trap = false;
	char rest[PATH_MAX];
	struct statfs fs;
	struct stat dir;
	int links = 0;

	if (strlen(path) >= PATH_MAX)
		return fail(path, strerror(ENAMETOOLONG));
	strcpy(rest, path);
	if (!begin(place, rest))
		return fail_errno(path);
	while (links <= LINKS_MAX) {
		if (!take_word(place, rest, &last) || fstat(place->dir, &dir) ||
		    fstatfs(place->dir, &fs))
			return fail_errno(path);
		in_proc = fs.f_type == PROC_SUPER_MAGIC;
		if (in_proc && last) {
			take_proc(place, &dir);
			return EXIT_OK;
		}
		if (!last && enter(place, place->name, in_proc ? 0 : O_NOFOLLOW))
			continue;
		if (!last && (in_proc || errno != ENOTDIR))
			return fail_errno(path);
		if (!take_link(place, &dir, rest, &trap)) {
			if (last && (errno == EINVAL || errno == ENOENT))
				return EXIT_OK;
			return fail(path, strerror(errno == EINVAL ? ENOTDIR : errno));
		}
		if (trap)
			return fail(path, "is another user's link or leads through one, in a "
				    "directory that anybody may write to");
		links++;
	}
	return fail(path, strerror(ELOOP));
}

/* ---- the file at the place ---- */

/* Two outputs to a terminal or to /dev/null do not conflict. */
static bool is_stdout(const struct stat *st)
{
	struct stat own;

	return !S_ISCHR(st->st_mode) && !fstat(STDOUT_FILENO, &own) && same_file(st, &own);
}

/* Open the file for writing: one that open() refuses, as read-only, must not be replaced either. */
static int open_old(struct place *place, const char *path)
{
	place->old = openat(place->dir, place->name,
			    O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (place->old < 0 || fstat(place->old, &place->st))
		return fail_errno(path);
	return S_ISREG(place->st.st_mode) ? EXIT_OK : fail(path, changed);
}

static int look(struct place *place, const char *path)
{
	int code = EXIT_OK;
	struct stat dir;

	if (fstat(place->dir, &dir))
		return fail_errno(path);
	if (fstatat(place->dir, place->name, &place->st,
		    place->in_proc ? 0 : AT_SYMLINK_NOFOLLOW)) {
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
	/* A regular file is checked by its descriptor. */
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

static int find_stdout(struct place *place)
{
	place->kind = PLACE_DESCRIPTOR;
	place->dir = -1;
	place->descriptor = STDOUT_FILENO;
	place->there = true;
	return fstat(STDOUT_FILENO, &place->st) ? fail_errno("stdout") : EXIT_OK;
}

int place_find(struct place *place, const char *path)
{
	bool named = path && strcmp(path, "-");
	int code;

	*place = (struct place){ .kind = PLACE_FILE, .dir = AT_FDCWD, .old = -1 };
	code = named ? find(place, path) : find_stdout(place);
	if (!code && place->there && input_was_read(&place->st))
		code = complain(EXIT_USAGE, "%s: is read by this command too: name another file "
				"for the output", named ? path : "stdout");
	if (code)
		place_close(place);
	return code;
}

/*
 * The name may have been given to another file since the check, and that file must not be
 * truncated. So the new descriptor is checked first. Only a link in /proc/PID/fd leads to a
 * regular file here.
 */
static int check_opened(const struct place *place, const char *path, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return fail_errno(path);
	if (!same_file(&st, &place->st))
		return fail(path, changed);
	return S_ISREG(st.st_mode) && ftruncate(fd, 0) ? fail_errno(path) : EXIT_OK;
}

int place_open(const struct place *place, const char *path, int *fd)
{
	int code, flags = O_WRONLY | O_NOCTTY | O_CLOEXEC | (place->in_proc ? 0 : O_NOFOLLOW);

	if (place->kind == PLACE_DESCRIPTOR)
		*fd = fcntl(place->descriptor, F_DUPFD_CLOEXEC, 3);
	else
		*fd = openat(place->dir, place->name, flags);
	if (*fd < 0)
		return errno == ELOOP ? fail(path, changed) : fail_errno(path);
	code = place->kind == PLACE_DESCRIPTOR ? EXIT_OK : check_opened(place, path, *fd);
	if (code)
		close(*fd);
	return code;
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
	int code = places ? EXIT_OK : no_memory();
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
