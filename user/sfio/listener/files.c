// SPDX-License-Identifier: LGPL-2.1-or-later
/* Opens, resizes, reads and writes subfiles, and counts the errors of the system's calls. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "listener/files.h"

/* Count a call that has failed. */
static int files_failed(struct files *files, int which)
{
	int error = -errno;

	files->error[which]++;
	return error;
}

/* ---- names of a request ---- */

/* The next name of *@names, and its subfile; NULL after the last */
static const char *next_name(const char **names, const char *end, uint32_t *subfile)
{
	const char *name = *names + sizeof(*subfile);
	const char *last = name < end ? memchr(name, 0, (size_t)(end - name)) : NULL;

	if (!last)
		return NULL;
	memcpy(subfile, *names, sizeof(*subfile));
	*names = last + 1;
	return name;
}

/* ---- open and close ---- */

static int files_add(struct files *files, uint32_t file, uint32_t subfile, int fd)
{
	if (files->count == files->room) {
		uint32_t room = files->room * 2 + 8;
		struct open_file *more = realloc(files->open, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		files->open = more;
		files->room = room;
	}
	files->open[files->count++] = (struct open_file){ file, subfile, fd };
	return 0;
}

static int open_one(struct files *files, uint32_t file, uint32_t subfile, const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666), error;

	if (fd < 0)
		return files_failed(files, ERROR_OPEN);
	error = files_add(files, file, subfile, fd);
	if (error)
		close(fd);
	return error;
}

int files_open(struct files *files, uint32_t file, const char *names, uint32_t bytes)
{
	const char *end = names + bytes, *name;
	uint32_t subfile;
	int error = 0;

	while (!error && (name = next_name(&names, end, &subfile)))
		error = open_one(files, file, subfile, name);
	if (error)
		files_close(files, file);
	return error;
}

int files_close(struct files *files, uint32_t file)
{
	uint32_t kept = 0;
	int error = 0;

	for (uint32_t i = 0; i < files->count; i++) {
		struct open_file open = files->open[i];

		if (open.file != file)
			files->open[kept++] = open;
		else if (close(open.fd))
			error = files_failed(files, ERROR_CLOSE);
	}
	files->count = kept;
	return error;
}

void files_free(struct files *files)
{
	for (uint32_t i = 0; i < files->count; i++)
		close(files->open[i].fd);
	free(files->open);
	*files = (struct files){ .open = NULL };
}

/* ---- files that are not open ---- */

static int create_one(struct files *files, const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0)
		return files_failed(files, ERROR_CREAT);
	return close(fd) ? files_failed(files, ERROR_CLOSE) : 0;
}

int files_create(struct files *files, const char *names, uint32_t bytes)
{
	const char *end = names + bytes, *name;
	uint32_t subfile;
	int error = 0;

	while (!error && (name = next_name(&names, end, &subfile)))
		error = create_one(files, name);
	return error;
}

/* All are removed that can be. */
int files_delete(struct files *files, const char *names, uint32_t bytes)
{
	const char *end = names + bytes, *name;
	uint32_t subfile;
	int error = 0;

	while ((name = next_name(&names, end, &subfile)))
		if (unlink(name)) {
			int now = files_failed(files, ERROR_UNLINK);

			error = error ? error : now;
		}
	return error;
}

/* ---- open files ---- */

static int fd_of(const struct files *files, uint32_t file, uint32_t subfile)
{
	for (uint32_t i = 0; i < files->count; i++)
		if (files->open[i].file == file && files->open[i].subfile == subfile)
			return files->open[i].fd;
	return -1;
}

int files_resize(struct files *files, uint32_t file, const struct run *run, uint32_t runs)
{
	int error = 0;

	for (uint32_t i = 0; i < runs && !error; i++)
		if (ftruncate(fd_of(files, file, run[i].subfile), (off_t)run[i].at))
			error = files_failed(files, ERROR_FTRUNCATE);
	return error;
}

int files_write(struct files *files, uint32_t file, const struct run *run,
		const unsigned char *data)
{
	int fd = fd_of(files, file, run->subfile);
	uint64_t done = 0;

	while (done < run->length) {
		ssize_t bytes = pwrite(fd, data + done, run->length - done,
				       (off_t)(run->at + done));

		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes < 0)
			return files_failed(files, ERROR_WRITE);
		done += (uint64_t)bytes;
	}
	return 0;
}

int files_read(struct files *files, uint32_t file, const struct run *run, unsigned char *data)
{
	int fd = fd_of(files, file, run->subfile);
	uint64_t done = 0;

	while (done < run->length) {
		ssize_t bytes = pread(fd, data + done, run->length - done, (off_t)(run->at + done));

		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes < 0)
			return files_failed(files, ERROR_READ);
		if (!bytes)
			break;
		done += (uint64_t)bytes;
	}
	memset(data + done, 0, run->length - done);
	return 0;
}
