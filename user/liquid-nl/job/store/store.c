// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of jobs as small files
 *
 * A record is written to a temporary file and then linked to its name. link() fails if the name is
 * in use, so that of several writers one succeeds and the others learn of it.
 *
 * Root acts on these records, so nothing is read from a directory or a file that any user but the
 * keeper owns or may write. Each directory is opened relative to the one above it and then checked:
 * a path that is checked before it is opened may lead elsewhere by then.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/store/records.h"

bool job_name_fits(const char *name)
{
	size_t length = strlen(name);

	if (!length || length > JOB_NAME_MAX || *name == '.')
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("._-", name[i]))
			return false;
	return true;
}

bool job_own_name(char name[JOB_NAME_MAX + 1])
{
	const char *slurmd = getenv("SLURMD_NODENAME");
	char host[HOST_NAME_MAX + 1];

	if (!slurmd) {
		if (gethostname(host, sizeof(host)))
			return false;
		host[strcspn(host, ".")] = '\0';
	}
	if (!job_name_fits(slurmd ? slurmd : host))
		return false;
	snprintf(name, JOB_NAME_MAX + 1, "%s", slurmd ? slurmd : host);
	return true;
}

/* An error of @path below the store, from errno; "" is the store itself. */
static int io_error(const struct job_store *store, const char *path, struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_IO, "%s%s%s: %s", store->dir, *path ? "/" : "", path,
			   strerror(errno));
}

static int refuse(const struct job_store *store, const char *path, struct liquid_error *err,
		  const char *reason)
{
	return liquid_fail(err, LIQUID_BAD_INPUT, "%s%s%s: %s", store->dir, *path ? "/" : "", path,
			   reason);
}

/* ---- owner and mode ---- */

/* With an ACL the group bits are its mask, so they show whether another user may write. */
static int check_trust(const struct job_store *store, const struct stat *st, const char *path,
		       struct liquid_error *err)
{
	char reason[160];

	if (st->st_uid != store->keeper) {
		snprintf(reason, sizeof(reason),
			 "the store is kept by user %u, and this belongs to user %u",
			 (unsigned int)store->keeper, (unsigned int)st->st_uid);
		return refuse(store, path, err, reason);
	}
	if (!(st->st_mode & (S_IWGRP | S_IWOTH)))
		return LIQUID_OK;
	snprintf(reason, sizeof(reason),
		 "users other than its owner may write to it (mode %04o, or an ACL): "
		 "`setfacl -b` and `chmod go-w` prevent that", (unsigned int)st->st_mode & 07777);
	return refuse(store, path, err, reason);
}

/* -1 with errno and @err: missing, not a directory, or not trusted (EPERM) */
static int open_dir(const struct job_store *store, int at, const char *name, const char *path,
		    struct liquid_error *err)
{
	int error, fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st)) {
		if (!check_trust(store, &st, path, err))
			return fd;
		errno = EPERM;
	} else if (errno == ENOTDIR || errno == ELOOP) {
		refuse(store, path, err, "not a directory (a symbolic link is not followed)");
	} else {
		refuse(store, path, err, strerror(errno));
	}
	error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

/* The parent directory of @path, and the name in it; -1 as open_dir() */
static int open_parent(const struct job_store *store, const char *path, const char **name,
		       struct liquid_error *err)
{
	int above = store->fd, fd = store->fd;
	const char *slash;

	if (fd < 0) {
		errno = ENOENT;
		io_error(store, "", err);
		return -1;
	}
	for (*name = path; fd >= 0 && (slash = strchr(*name, '/')); *name = slash + 1) {
		char part[JOB_PATH_MAX], whole[JOB_PATH_MAX];

		snprintf(part, sizeof(part), "%.*s", (int)(slash - *name), *name);
		snprintf(whole, sizeof(whole), "%.*s", (int)(slash - path), path);
		fd = open_dir(store, above, part, whole, err);
		if (above != store->fd)
			close(above);
		above = fd;
	}
	return fd == store->fd ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : fd;
}

/* The status for the errno of open_dir() and open_parent() */
static int open_status(void)
{
	return errno == EPERM || errno == ENOTDIR || errno == ELOOP ? LIQUID_BAD_INPUT : LIQUID_IO;
}

static void close_quietly(int fd)
{
	int error = errno;

	close(fd);
	errno = error;
}

/* ---- directories ---- */

int job_store_open(struct job_store *store, struct liquid_error *err)
{
	store->fd = open_dir(store, AT_FDCWD, store->dir, "", err);
	if (store->fd >= 0)
		return LIQUID_OK;
	return errno == ENOENT ? JOB_STORE_ABSENT : LIQUID_BAD_INPUT;
}

void job_store_close(struct job_store *store)
{
	if (store->backend)
		store->backend->close(store);
	if (store->fd >= 0)
		close(store->fd);
	store->fd = -1;
}

/* The mode lets the keeper's group read the directory, whatever the caller's umask is. */
static int make_at(const struct job_store *store, int at, const char *name, const char *path,
		   struct liquid_error *err)
{
	bool made = !mkdirat(at, name, JOB_DIR_MODE);
	struct stat st;
	int fd, status;

	if (!made && errno != EEXIST)
		return io_error(store, path, err);
	fd = open_dir(store, at, name, path, err);
	if (fd < 0)
		return open_status();
	status = made && (fstat(fd, &st) || ((st.st_mode & 0777) != JOB_DIR_MODE &&
					     fchmod(fd, (st.st_mode & S_ISGID) | JOB_DIR_MODE))) ?
		 io_error(store, path, err) : LIQUID_OK;
	close(fd);
	return status;
}

int job_make_dir(const struct job_store *store, const char *path, struct liquid_error *err)
{
	const char *name;
	int status, at = open_parent(store, path, &name, err);

	if (at < 0)
		return open_status();
	status = make_at(store, at, name, path, err);
	close(at);
	return status;
}

int job_open_dir(const struct job_store *store, const char *path)
{
	struct liquid_error err;
	const char *name;
	int fd, at = *path ? open_parent(store, path, &name, &err) : store->fd;

	if (!*path)
		return at < 0 ? -1 : open_dir(store, at, ".", path, &err);
	if (at < 0)
		return -1;
	fd = open_dir(store, at, name, path, &err);
	close_quietly(at);
	return fd;
}

int job_store_make_dir(struct job_store *store, struct liquid_error *err)
{
	int status = make_at(store, AT_FDCWD, store->dir, "", err);

	return status ? status : job_store_open(store, err);
}

int job_store_make(struct job_store *store, struct liquid_error *err)
{
	int status = job_store_make_dir(store, err);

	if (!status)
		status = job_make_dir(store, RECORDS_JOBS, err);
	if (!status)
		status = job_make_dir(store, RECORDS_ROUNDS, err);
	if (!status)
		status = job_make_dir(store, RECORDS_RUNNING, err);
	return status;
}

/* ---- writing records ---- */

static int link_record(const struct job_store *store, int at, const char *temporary,
		       const char *name, const char *path, struct liquid_error *err)
{
	if (!linkat(at, temporary, at, name, 0))
		return JOB_PUT_DONE;
	return errno == EEXIST ? JOB_PUT_LOST : io_error(store, path, err);
}

/* The contents of a record */
struct source {
	const json_t *json;
	int fd;				/* used if json is NULL */
};

static bool copy_file(int to, int from)
{
	char buffer[65536];
	off_t done = 0;
	ssize_t got;

	while ((got = pread(from, buffer, sizeof(buffer), done)) > 0) {
		for (ssize_t put = 0, length; put < got; put += length) {
			length = write(to, buffer + put, got - put);
			if (length < 0)
				return false;
		}
		done += got;
	}
	return !got;
}

/* Sync before the record is linked: a record that exists must survive a crash of the server. */
static bool write_record(int fd, const struct source *source)
{
	if (fchmod(fd, 0640))
		return false;
	if (source->json ? json_dumpfd(source->json, fd, JSON_COMPACT | JSON_PRESERVE_ORDER) :
	    !copy_file(fd, source->fd))
		return false;
	return !fsync(fd);
}

/* Create a new file, and store its name in @temporary. */
static int open_temporary(int at, const char *name, char temporary[JOB_PATH_MAX])
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -1;
	snprintf(temporary, JOB_PATH_MAX, "%s.%016" PRIx64, name, random);
	return openat(at, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static int put_at(const struct job_store *store, int at, const char *name, const char *path,
		  const struct source *source, struct liquid_error *err)
{
	char temporary[JOB_PATH_MAX];
	int status, fd = open_temporary(at, name, temporary);

	if (fd < 0)
		return io_error(store, path, err);
	status = write_record(fd, source) ? LIQUID_OK : io_error(store, path, err);
	close(fd);
	if (!status)
		status = link_record(store, at, temporary, name, path, err);
	unlinkat(at, temporary, 0);
	if (!status && store->durable && fsync(at))
		status = io_error(store, path, err);
	return status;
}

static int put_source(const struct job_store *store, const char *path,
		      const struct source *source, struct liquid_error *err)
{
	const char *name;
	int status, at = open_parent(store, path, &name, err);

	if (at < 0)
		return open_status();
	status = put_at(store, at, name, path, source, err);
	close(at);
	return status;
}

int job_put(const struct job_store *store, const char *path, json_t *json,
	    struct liquid_error *err)
{
	const struct source source = { .json = json };
	int status = json ? put_source(store, path, &source, err) : liquid_no_memory(err);

	json_decref(json);
	return status;
}

int job_put_file(const struct job_store *store, const char *path, int fd, struct liquid_error *err)
{
	const struct source source = { .fd = fd };

	return put_source(store, path, &source, err);
}

/* ---- reading records ---- */

/* 0 or an errno; ENOENT only if the directory exists and does not have the file */
static int stat_at(const struct job_store *store, const char *path, struct stat *st)
{
	struct liquid_error err;
	const char *name;
	int at = open_parent(store, path, &name, &err), error;

	if (at < 0)
		return ENOTDIR;
	error = fstatat(at, name, st, AT_SYMLINK_NOFOLLOW) ? errno : 0;
	close(at);
	return error;
}

bool job_has(const struct job_store *store, const char *path)
{
	struct stat st;

	return !stat_at(store, path, &st);
}

bool job_lacks(const struct job_store *store, const char *path)
{
	struct stat st;

	return stat_at(store, path, &st) == ENOENT;
}

bool job_made_at(const struct job_store *store, const char *path, time_t *when)
{
	struct stat st;

	if (stat_at(store, path, &st))
		return false;
	*when = st.st_mtime;
	return true;
}

static int check_record(const struct job_store *store, int fd, const char *path, struct stat *st,
			struct liquid_error *err)
{
	if (fstat(fd, st))
		return io_error(store, path, err);
	if (!S_ISREG(st->st_mode))
		return refuse(store, path, err, "not a regular file");
	if (st->st_size > JOB_RECORD_MAX)
		return refuse(store, path, err, "too large for a record");
	return check_trust(store, st, path, err);
}

/* O_NONBLOCK: the kind of file is checked after open(), which would wait for a FIFO's writer. */
static int open_record(const struct job_store *store, const char *path, struct stat *st,
		       struct liquid_error *err)
{
	const char *name;
	int fd, at = open_parent(store, path, &name, err);

	if (at < 0)
		return -1;
	fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	close_quietly(at);
	if (fd < 0) {
		io_error(store, path, err);
		return -1;
	}
	if (!check_record(store, fd, path, st, err))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

int job_open(const struct job_store *store, const char *path, struct liquid_error *err)
{
	struct stat st;

	return open_record(store, path, &st, err);
}

/* NULL with errno */
static char *read_whole(int fd, size_t size)
{
	char *text = malloc(size + 1);
	size_t done = 0;
	ssize_t got = 1;

	while (text && done < size && (got = read(fd, text + done, size - done)) > 0)
		done += (size_t)got;
	/* Records never change, so a shorter file is an error. */
	if (text && done == size)
		return text;
	if (text && !got)
		errno = EIO;
	free(text);
	return NULL;
}

json_t *job_get(const struct job_store *store, const char *path, struct liquid_error *err)
{
	json_error_t where;
	struct stat st;
	json_t *json;
	char *text;
	int fd = open_record(store, path, &st, err);

	if (fd < 0) {
		if (errno == ENOENT)
			err->text[0] = '\0';
		return NULL;
	}
	text = read_whole(fd, (size_t)st.st_size);
	if (!text)
		io_error(store, path, err);
	close(fd);
	if (!text)
		return NULL;
	json = json_loadb(text, (size_t)st.st_size, JSON_REJECT_DUPLICATES, &where);
	free(text);
	if (!json)
		liquid_fail(err, LIQUID_BAD_INPUT, "%s/%s:%d: %s", store->dir, path, where.line,
			    where.text);
	else
		err->text[0] = '\0';
	return json;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool job_names_add(struct liquid_names *names, const char *name)
{
	char **larger = reallocarray(names->name, names->count + 1, sizeof(*larger));

	if (!larger)
		return false;
	names->name = larger;
	larger[names->count] = strdup(name);
	return larger[names->count] && ++names->count;
}

/* NULL with a status in *@status, which is LIQUID_OK if the directory does not exist. */
static DIR *open_list(const struct job_store *store, const char *path, int *status,
		      struct liquid_error *err)
{
	const char *name;
	int fd = -1, at = open_parent(store, path, &name, err);
	DIR *dir;

	if (at >= 0) {
		fd = open_dir(store, at, name, path, err);
		close_quietly(at);
	}
	*status = fd >= 0 || errno == ENOENT ? LIQUID_OK : open_status();
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (fd >= 0 && !dir) {
		*status = io_error(store, path, err);
		close(fd);
	}
	return dir;
}

int job_list(const struct job_store *store, const char *path, struct liquid_names *names,
	     struct liquid_error *err)
{
	struct dirent *entry;
	int status;
	DIR *dir = open_list(store, path, &status, err);

	*names = (struct liquid_names){ 0 };
	if (!dir)
		return status;
	while (!status && (entry = readdir(dir)))
		if (job_name_fits(entry->d_name) && !job_names_add(names, entry->d_name))
			status = liquid_no_memory(err);
	closedir(dir);
	if (status)
		liquid_names_clear(names);
	else if (names->count)
		qsort(names->name, names->count, sizeof(*names->name), compare_names);
	return status;
}

/* ---- removing and renaming ---- */

int job_remove(const struct job_store *store, const char *path, struct liquid_error *err)
{
	const char *name;
	int status = LIQUID_OK, at = open_parent(store, path, &name, err);

	if (at < 0)
		return open_status();
	if (unlinkat(at, name, 0) && errno != ENOENT)
		status = io_error(store, path, err);
	close(at);
	return status;
}

int job_rename(const struct job_store *store, const char *from, const char *to,
	       struct liquid_error *err)
{
	const char *old, *new = "";
	int below = -1, at = open_parent(store, from, &old, err);
	int status = LIQUID_IO;

	if (at >= 0)
		below = open_parent(store, to, &new, err);
	if (below >= 0)
		status = renameat(at, old, below, new) ? io_error(store, from, err) : LIQUID_OK;
	if (below >= 0)
		close(below);
	if (at >= 0)
		close(at);
	return status;
}

static bool remove_files(DIR *dir)
{
	struct dirent *entry;

	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    unlinkat(dirfd(dir), entry->d_name, 0))
			return false;
	return true;
}

int job_remove_dir(const struct job_store *store, const char *path, struct liquid_error *err)
{
	const char *name;
	int at, status;
	DIR *dir = open_list(store, path, &status, err);

	if (!dir)
		return status;
	at = open_parent(store, path, &name, err);
	if (at < 0)
		status = LIQUID_IO;
	else if (!remove_files(dir) || unlinkat(at, name, AT_REMOVEDIR))
		status = io_error(store, path, err);
	if (at >= 0)
		close(at);
	closedir(dir);
	return status;
}

/* Mode 0600: a user who may open the file could lock it, and keep all jobs waiting. */
int job_lock(const struct job_store *store, struct liquid_error *err)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct stat st;
	const char *name;
	int fd, at = open_parent(store, "lock", &name, err);

	if (at < 0)
		return -1;
	fd = openat(at, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	close_quietly(at);
	if (fd >= 0 && check_record(store, fd, "lock", &st, err)) {
		close(fd);
		return -1;
	}
	if (fd >= 0 && !fchmod(fd, 0600) && !fcntl(fd, F_SETLKW, &lock))
		return fd;
	io_error(store, "lock", err);
	if (fd >= 0)
		close(fd);
	return -1;
}
