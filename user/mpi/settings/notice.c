// SPDX-License-Identifier: LGPL-2.1-or-later
/* Opens each directory on the way only if its owner alone may write there, then reads lines. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings/environment.h"
#include "settings/notice.h"

/* With an ACL the group's bits are its mask, so they show whether another user may write. */
static bool is_trusted(int fd, uid_t owner, mode_t type)
{
	struct stat st;

	return !fstat(fd, &st) && (st.st_mode & S_IFMT) == type && st.st_uid == owner &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* -1: there is none, or it is not trusted. O_NONBLOCK: a pipe has no writer to wait for. */
static int open_trusted(int at, const char *name, uid_t owner, mode_t type)
{
	int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || is_trusted(fd, owner, type))
		return fd;
	close(fd);
	return -1;
}

/* The directory cannot be listed, so O_RDONLY would not open it. */
static int open_dir(const char *dir, uid_t owner)
{
	int fd = open(dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || is_trusted(fd, owner, S_IFDIR))
		return fd;
	close(fd);
	return -1;
}

/* -1 also for names that lead elsewhere: they come from the environment. */
static int open_notice(const char *dir, uid_t owner, const char *job, const char *node)
{
	char name[NAME_MAX + 1];
	int at, fd = -1;

	if (strchr(job, '/') || strchr(node, '/') ||
	    (size_t)snprintf(name, sizeof(name), "%s@%s", job, node) >= sizeof(name))
		return -1;
	at = open_dir(dir, owner);
	if (at < 0)
		return -1;
	fd = open_trusted(at, name, owner, S_IFREG);
	close(at);
	return fd;
}

static void notice_take_line(struct notice *notice, char *line)
{
	char *value = strchr(line, ' ');

	line[strcspn(line, "\n")] = '\0';
	if (!value)
		return;
	*value++ = '\0';
	if (!strcmp(line, "fabric") && !notice->fabric)
		notice->fabric = strdup(value);
	else if (!strcmp(line, "host") && !notice->host)
		notice->host = strdup(value);
	else if (!strcmp(line, "rail"))
		notice->rail = !strcmp(value, "all") ? RAIL_ALL : strtoull(value, NULL, 10);
}

/* Next to the notice, with a name that no job or node has. NULL: without memory */
static char *plan_path(const char *dir, const char *job, const char *node)
{
	size_t size = strlen(dir) + strlen(job) + strlen(node) + sizeof("/@@plan");
	char *path = malloc(size);

	if (path)
		snprintf(path, size, "%s/%s@%s@plan", dir, job, node);
	return path;
}

bool notice_read(struct notice *notice, const char *dir, uid_t owner, const char *job,
		 const char *node)
{
	int fd = open_notice(dir, owner, job, node);
	char line[PATH_MAX + 16];
	FILE *in;

	*notice = (struct notice){ 0 };
	in = fd < 0 ? NULL : fdopen(fd, "r");
	if (!in) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (fgets(line, sizeof(line), in))
		notice_take_line(notice, line);
	fclose(in);
	notice->plan = plan_path(dir, job, node);
	return true;
}

void notice_clear(struct notice *notice)
{
	free(notice->fabric);
	free(notice->host);
	free(notice->plan);
	*notice = (struct notice){ 0 };
}
