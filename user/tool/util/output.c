// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output files that appear whole or not at all, and keep the old file until then
 *
 * A file is written without a name, so that nothing stays behind if the tool is killed, even by
 * SIGKILL. At the end it gets a temporary name for the instant until it is renamed, since no
 * system call links a file in another's place. On a file system without unnamed files, it has the
 * temporary name from the beginning; a signal handler removes that.
 *
 * What replaces a file keeps its owner, mode, ACL and other extended attributes. Where these cannot
 * be kept, or the file has other names (hard links), the old file is overwritten with the finished
 * one. It stays the same file for all its names, but a crash at that moment may leave it half
 * written. Neither way keeps setuid, setgid or file capabilities.
 *
 * Anything but a regular file is written directly.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "util/command.h"
#include "util/output.h"

static int fail(const struct output *output)
{
	return complain(EXIT_IO, "%s: %s", output->path, strerror(errno));
}

/* ---- removing the temporary name on a signal ---- */

static const int fatal[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU };

static struct {
	int dir;
	char name[sizeof(((struct output *)0)->temporary)];
	struct sigaction before[sizeof(fatal) / sizeof(fatal[0])];
} litter;

/* The handler is reset when it is entered: the signal that is raised again ends the tool. */
static void remove_litter(int signal)
{
	int error = errno;

	unlinkat(litter.dir, litter.name, 0);
	raise(signal);
	errno = error;
}

static void watch_litter(const struct output *output)
{
	struct sigaction action = { .sa_handler = remove_litter, .sa_flags = SA_RESETHAND };

	litter.dir = output->place.dir;
	strcpy(litter.name, output->temporary);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++) {
		sigaction(fatal[i], NULL, &litter.before[i]);
		if (litter.before[i].sa_handler == SIG_DFL)
			sigaction(fatal[i], &action, NULL);
	}
}

static void forget_litter(struct output *output)
{
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		sigaction(fatal[i], &litter.before[i], NULL);
	output->temporary[0] = '\0';
}

static void remove_temporary(struct output *output)
{
	if (!output->temporary[0])
		return;
	unlinkat(output->place.dir, output->temporary, 0);
	forget_litter(output);
}

static bool choose_name(struct output *output)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return false;
	snprintf(output->temporary, sizeof(output->temporary), ".liquid-nl.%016" PRIx64, random);
	return true;
}

/* ---- opening ---- */

/* Only root may link a file by its descriptor alone; other users link it through /proc. */
static bool can_be_linked(void)
{
	return !geteuid() || !access("/proc/self/fd", X_OK);
}

/* The kernel applies the umask, and the directory's default ACL. */
static int create(struct output *output)
{
	mode_t mode = output->place.there ? 0600 : 0666;
	int fd = -1;

	if (can_be_linked())
		fd = openat(output->place.dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
	else
		errno = EOPNOTSUPP;
	/* The last two: errors of a file system that does not know O_TMPFILE */
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	if (!choose_name(output))
		return -1;
	watch_litter(output);
	fd = openat(output->place.dir, output->temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC,
		    mode);
	if (fd < 0)
		forget_litter(output);
	return fd;
}

/* A directory in which no file may be created may have one that may be written. */
static FILE *open_new(struct output *output)
{
	int fd = create(output);
	FILE *file;

	/* EROFS: the old file is a mount itself, and may be writable */
	if (fd < 0 && output->place.there &&
	    (errno == EACCES || errno == EPERM || errno == EROFS)) {
		output->elsewhere = true;
		return tmpfile();
	}
	file = fd < 0 ? NULL : fdopen(fd, "w+");
	if (fd >= 0 && !file)
		close(fd);
	return file;
}

static int open_file(struct output *output)
{
	output->file = open_new(output);
	return output->file ? EXIT_OK : fail(output);
}

static int open_stream(struct output *output)
{
	int fd, code = place_open(&output->place, output->path, &fd);

	if (code)
		return code;
	output->file = fdopen(fd, "w");
	if (output->file)
		return EXIT_OK;
	code = fail(output);
	close(fd);
	return code;
}

int output_open(struct output *output, const char *path)
{
	int code;

	*output = (struct output){ .file = stdout, .path = "stdout" };
	code = place_find(&output->place, path);
	if (code || place_is_stdout(&output->place))
		return code;
	output->path = path;
	code = output->place.kind == PLACE_FILE ? open_file(output) : open_stream(output);
	if (!code)
		return EXIT_OK;
	remove_temporary(output);
	place_close(&output->place);
	return code;
}

bool output_is_stdout(const struct output *output)
{
	return place_is_stdout(&output->place);
}

/* ---- attributes that a file keeps of the one that it replaces ---- */

/* Attributes that grant rights to the old contents or sign them: a write removes them. */
static bool is_of_contents(const char *name)
{
	return !strcmp(name, "security.ima") || !strcmp(name, "security.evm") ||
	       !strcmp(name, "security.capability");
}

/* A write also removes setuid and setgid. */
static mode_t mode_to_keep(const struct stat *st)
{
	return st->st_mode & 07777 & ~(S_ISUID | S_ISGID);
}

static bool copy_xattr(int to, int from, const char *name)
{
	ssize_t size = fgetxattr(from, name, NULL, 0);
	char *value = size < 0 ? NULL : malloc(size + 1);
	bool done;

	if (!value)
		return false;
	size = fgetxattr(from, name, value, size);
	done = size >= 0 && !fsetxattr(to, name, value, size, 0);
	free(value);
	return done;
}

static char *list_xattrs(int fd, ssize_t *size)
{
	char *list;

	*size = flistxattr(fd, NULL, 0);
	if (*size < 0 && errno == EOPNOTSUPP)
		*size = 0;
	list = *size < 0 ? NULL : malloc(*size + 1);
	if (list && *size)
		*size = flistxattr(fd, list, *size);
	return list;
}

/* Remove the attributes that the new file got from its directory, such as a default ACL. */
static bool drop_xattrs(int fd)
{
	ssize_t size;
	char *list = list_xattrs(fd, &size);
	bool done = list && size >= 0;

	for (const char *name = list; done && name < list + size; name += strlen(name) + 1)
		if (!strcmp(name, "system.posix_acl_access"))
			done = !fremovexattr(fd, name);
	free(list);
	return done;
}

static bool copy_xattrs(int to, int from)
{
	ssize_t size;
	char *list = list_xattrs(from, &size);
	bool done = list && size >= 0;

	for (const char *name = list; done && name < list + size; name += strlen(name) + 1)
		done = is_of_contents(name) || copy_xattr(to, from, name);
	free(list);
	return done;
}

static bool keep_attributes(int fd, const struct place *place)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	if ((st.st_uid != place->st.st_uid || st.st_gid != place->st.st_gid) &&
	    fchown(fd, place->st.st_uid, place->st.st_gid))
		return false;
	return drop_xattrs(fd) && copy_xattrs(fd, place->old) &&
	       !fchmod(fd, mode_to_keep(&place->st));
}

/* ---- putting it in place ---- */

static bool write_all(int fd, const char *data, size_t size, off_t offset)
{
	while (size) {
		ssize_t done = pwrite(fd, data, size, offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		data += done;
		offset += done;
		size -= done;
	}
	return true;
}

/* Allocate first: a full disk must not show when half of the old contents are overwritten. */
static bool overwrite(int to, int from)
{
	char buffer[1 << 14];
	struct stat st;
	off_t done = 0;
	ssize_t got;

	/* If this user is not the owner, the kernel does it at the first write. */
	if (fstat(to, &st))
		return false;
	if (mode_to_keep(&st) != (st.st_mode & 07777) && fchmod(to, mode_to_keep(&st)) &&
	    errno != EPERM)
		return false;
	if (fstat(from, &st))
		return false;
	if (st.st_size && fallocate(to, FALLOC_FL_KEEP_SIZE, 0, st.st_size) && errno != EOPNOTSUPP)
		return false;
	while ((got = pread(from, buffer, sizeof(buffer), done)) > 0) {
		if (!write_all(to, buffer, got, done))
			return false;
		done += got;
	}
	return !got && !ftruncate(to, done) && !fsync(to);
}

static bool link_as(const struct output *output, const char *name)
{
	int fd = fileno(output->file);
	char path[32];

	if (!linkat(fd, "", output->place.dir, name, AT_EMPTY_PATH))
		return true;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return !linkat(AT_FDCWD, path, output->place.dir, name, AT_SYMLINK_FOLLOW);
}

static bool give_name(struct output *output)
{
	if (output->temporary[0])
		return true;
	if (!choose_name(output))
		return false;
	watch_litter(output);
	if (link_as(output, output->temporary))
		return true;
	forget_litter(output);
	return false;
}

/* Sync the directory, so that a crash leaves the old file or the new one. Errors are ignored. */
static bool sync_dir(const struct place *place)
{
	int fd = openat(place->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool done = fd < 0 || !fsync(fd) || errno == EINVAL;

	if (fd >= 0)
		close(fd);
	return done;
}

/* EBUSY: a mount point cannot be replaced. */
static bool replace(struct output *output)
{
	const struct place *place = &output->place;
	bool done;

	if (!place->there && !output->temporary[0] && link_as(output, place->name))
		return sync_dir(place);
	if (!give_name(output))
		return false;
	done = !renameat(place->dir, output->temporary, place->dir, place->name);
	if (done)
		forget_litter(output);
	else if (errno == EBUSY && place->there)
		done = overwrite(place->old, fileno(output->file));
	return done && sync_dir(place);
}

static bool publish(struct output *output)
{
	const struct place *place = &output->place;
	int fd = fileno(output->file);

	if (place->there && (place->st.st_nlink > 1 || output->elsewhere ||
			     !keep_attributes(fd, place)))
		return overwrite(place->old, fd);
	/* After a crash the name must not belong to an empty file. */
	return !fsync(fd) && replace(output);
}

/* The errno of an earlier failed write is lost: write again, to a file that is dropped anyway. */
static bool is_written(const struct output *output)
{
	static const char block[8192];

	errno = 0;
	if (!fflush(output->file) && !ferror(output->file))
		return true;
	if (!errno && output->place.kind == PLACE_FILE &&
	    write(fileno(output->file), block, sizeof(block)) == sizeof(block))
		errno = EIO;
	errno = errno ? errno : EIO;
	return false;
}

int output_close(struct output *output, int code)
{
	bool fine = is_written(output);

	/* main() reports a failed write to stdout. */
	if (output_is_stdout(output))
		return code || fine ? code : EXIT_IO;
	if (fine && !code && output->place.kind == PLACE_FILE)
		fine = publish(output);
	if (!fine && !code)
		code = fail(output);
	remove_temporary(output);
	if (fclose(output->file) && !code)
		code = fail(output);
	place_close(&output->place);
	return code;
}
