// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of jobs as small files on storage that all nodes share
 *
 * A record is written beside its place and then linked there: link() refuses a name that is
 * taken, also over NFS, so that of several writers one is first and the others learn of it.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job.h"

#define RECORD_BYTES_MAX (64u << 20)

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

static int full_path(const struct job_store *store, const char *path, char full[JOB_PATH_MAX],
		     struct liquid_error *err)
{
	int length = snprintf(full, JOB_PATH_MAX, "%s/%s", store->dir, path);

	if (length < 0 || length >= JOB_PATH_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: the path is too long", store->dir);
	return LIQUID_OK;
}

static int io_error(struct liquid_error *err, const char *path)
{
	return liquid_fail(err, LIQUID_IO, "%s: %s", path, strerror(errno));
}

int job_make_dir(const struct job_store *store, const char *path, struct liquid_error *err)
{
	char full[JOB_PATH_MAX];
	int status = full_path(store, path, full, err);

	if (!status && mkdir(full, 0770) && errno != EEXIST)
		status = io_error(err, full);
	return status;
}

int job_store_make(const struct job_store *store, struct liquid_error *err)
{
	int status = job_make_dir(store, "", err);

	if (!status)
		status = job_make_dir(store, "jobs", err);
	if (!status)
		status = job_make_dir(store, "rounds", err);
	if (!status)
		status = job_make_dir(store, "running", err);
	return status;
}

static int link_record(const char *temporary, const char *full, struct liquid_error *err)
{
	struct stat st;

	if (!link(temporary, full))
		return JOB_PUT_DONE;
	/* Over NFS a link whose reply was lost has been made all the same. */
	if (errno == EEXIST && !stat(temporary, &st) && st.st_nlink == 2)
		return JOB_PUT_DONE;
	return errno == EEXIST ? JOB_PUT_LOST : io_error(err, full);
}

/* What a record is made of. */
struct source {
	const json_t *json;		/* or, where that is NULL: */
	int fd;
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

/* What is linked must survive a crash of the server. */
static bool write_record(int fd, const struct source *source)
{
	if (fchmod(fd, 0640))
		return false;
	if (source->json ? json_dumpfd(source->json, fd, JSON_COMPACT | JSON_PRESERVE_ORDER) :
	    !copy_file(fd, source->fd))
		return false;
	return !fsync(fd);
}

static int put_source(const struct job_store *store, const char *path,
		      const struct source *source, struct liquid_error *err)
{
	char full[JOB_PATH_MAX], temporary[JOB_PATH_MAX + 8];
	int fd, status = full_path(store, path, full, err);

	if (status)
		return status;
	snprintf(temporary, sizeof(temporary), "%s.XXXXXX", full);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return io_error(err, full);
	status = write_record(fd, source) ? LIQUID_OK : io_error(err, full);
	close(fd);
	if (!status)
		status = link_record(temporary, full, err);
	unlink(temporary);
	return status;
}

int job_put(const struct job_store *store, const char *path, json_t *json,
	    struct liquid_error *err)
{
	const struct source source = { .json = json };
	int status = json ? put_source(store, path, &source, err) :
		     liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");

	json_decref(json);
	return status;
}

int job_put_file(const struct job_store *store, const char *path, int fd, struct liquid_error *err)
{
	const struct source source = { .fd = fd };

	return put_source(store, path, &source, err);
}

bool job_has(const struct job_store *store, const char *path)
{
	char full[JOB_PATH_MAX];

	return !full_path(store, path, full, NULL) && !access(full, F_OK);
}

/* At once: a read of each byte is one of the server's, on some storage. NULL: errno */
static char *read_whole(int fd, size_t size)
{
	char *text = malloc(size + 1);
	size_t done = 0;
	ssize_t got = 1;

	while (text && done < size && (got = read(fd, text + done, size - done)) > 0)
		done += (size_t)got;
	/* A record does not change, so it is as long as it was. */
	if (text && done == size)
		return text;
	if (text && !got)
		errno = EIO;
	free(text);
	return NULL;
}

json_t *job_get(const struct job_store *store, const char *path, struct liquid_error *err)
{
	char full[JOB_PATH_MAX], *text;
	json_error_t where;
	struct stat st;
	json_t *json;
	int fd;

	err->text[0] = '\0';
	if (full_path(store, path, full, err))
		return NULL;
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		if (errno != ENOENT)
			io_error(err, full);
		return NULL;
	}
	if (fstat(fd, &st) || st.st_size > RECORD_BYTES_MAX) {
		liquid_fail(err, LIQUID_BAD_INPUT, "%s: too large for a record", full);
		close(fd);
		return NULL;
	}
	text = read_whole(fd, (size_t)st.st_size);
	if (!text)
		io_error(err, full);
	close(fd);
	if (!text)
		return NULL;
	json = json_loadb(text, (size_t)st.st_size, JSON_REJECT_DUPLICATES, &where);
	free(text);
	if (!json)
		liquid_fail(err, LIQUID_BAD_INPUT, "%s:%d: %s", full, where.line, where.text);
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

int job_list(const struct job_store *store, const char *path, struct liquid_names *names,
	     struct liquid_error *err)
{
	char full[JOB_PATH_MAX];
	struct dirent *entry;
	int status = full_path(store, path, full, err);
	DIR *dir = status ? NULL : opendir(full);

	*names = (struct liquid_names){ 0 };
	if (status)
		return status;
	if (!dir)
		return errno == ENOENT ? LIQUID_OK : io_error(err, full);
	while (!status && (entry = readdir(dir)))
		if (job_name_fits(entry->d_name) && !job_names_add(names, entry->d_name))
			status = liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	closedir(dir);
	if (status)
		liquid_names_clear(names);
	else if (names->count)
		qsort(names->name, names->count, sizeof(*names->name), compare_names);
	return status;
}

/* Opening a directory asks the server, even where the client remembers it (close-to-open consistency). */
void job_refresh(const struct job_store *store, const char *path)
{
	char full[JOB_PATH_MAX];
	int fd = full_path(store, path, full, NULL) ? -1 :
		 open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
}

/* ---- what is no longer needed ---- */

int job_remove(const struct job_store *store, const char *path, struct liquid_error *err)
{
	char full[JOB_PATH_MAX];
	int status = full_path(store, path, full, err);

	if (!status && unlink(full) && errno != ENOENT)
		status = io_error(err, full);
	return status;
}

int job_rename(const struct job_store *store, const char *from, const char *to,
	       struct liquid_error *err)
{
	char full[JOB_PATH_MAX], target[JOB_PATH_MAX];
	int status = full_path(store, from, full, err);

	if (!status)
		status = full_path(store, to, target, err);
	if (!status && rename(full, target))
		status = io_error(err, full);
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
	char full[JOB_PATH_MAX];
	int status = full_path(store, path, full, err);
	DIR *dir;

	if (status)
		return status;
	dir = opendir(full);
	if (!dir)
		return errno == ENOENT ? LIQUID_OK : io_error(err, full);
	if (!remove_files(dir) || rmdir(full))
		status = io_error(err, full);
	closedir(dir);
	return status;
}

bool job_made_at(const struct job_store *store, const char *path, time_t *when)
{
	char full[JOB_PATH_MAX];
	struct stat st;

	if (full_path(store, path, full, NULL) || stat(full, &st))
		return false;
	*when = st.st_mtime;
	return true;
}

int job_lock(const struct job_store *store, struct liquid_error *err)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char full[JOB_PATH_MAX];
	int fd;

	if (full_path(store, "lock", full, err))
		return -1;
	fd = open(full, O_RDWR | O_CREAT | O_CLOEXEC, 0660);
	if (fd >= 0 && !fcntl(fd, F_SETLKW, &lock))
		return fd;
	io_error(err, full);
	if (fd >= 0)
		close(fd);
	return -1;
}
