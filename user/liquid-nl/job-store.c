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

int job_store_open(struct job_store *store, const char *dir, struct liquid_error *err)
{
	int status;

	store->dir = dir;
	status = job_make_dir(store, "", err);
	if (!status)
		status = job_make_dir(store, "jobs", err);
	if (!status)
		status = job_make_dir(store, "rounds", err);
	return status;
}

/* What is linked must survive a crash of the server. */
static bool write_record(int fd, const json_t *json)
{
	return !json_dumpfd(json, fd, JSON_COMPACT | JSON_PRESERVE_ORDER) && !fsync(fd);
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

int job_put(const struct job_store *store, const char *path, json_t *json,
	    struct liquid_error *err)
{
	char full[JOB_PATH_MAX], temporary[JOB_PATH_MAX + 8];
	int fd, status;

	status = json ? full_path(store, path, full, err) :
		 liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	if (status) {
		json_decref(json);
		return status;
	}
	snprintf(temporary, sizeof(temporary), "%s.XXXXXX", full);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		json_decref(json);
		return io_error(err, full);
	}
	status = fchmod(fd, 0640) || !write_record(fd, json) ? io_error(err, full) : LIQUID_OK;
	close(fd);
	if (!status)
		status = link_record(temporary, full, err);
	unlink(temporary);
	json_decref(json);
	return status;
}

bool job_has(const struct job_store *store, const char *path)
{
	char full[JOB_PATH_MAX];

	return !full_path(store, path, full, NULL) && !access(full, F_OK);
}

json_t *job_get(const struct job_store *store, const char *path, struct liquid_error *err)
{
	char full[JOB_PATH_MAX];
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
	json = json_loadfd(fd, JSON_REJECT_DUPLICATES, &where);
	close(fd);
	if (!json)
		liquid_fail(err, LIQUID_BAD_INPUT, "%s:%d: %s", full, where.line, where.text);
	return json;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_name(struct liquid_names *names, const char *name)
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
		return io_error(err, full);
	while (!status && (entry = readdir(dir)))
		if (job_name_fits(entry->d_name) && !add_name(names, entry->d_name))
			status = liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	closedir(dir);
	if (status)
		liquid_names_clear(names);
	else if (names->count)
		qsort(names->name, names->count, sizeof(*names->name), compare_names);
	return status;
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
