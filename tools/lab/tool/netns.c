// SPDX-License-Identifier: GPL-2.0-only
/* Named network namespaces: files in /run/netns on which they are mounted. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/command.h"
#include "netns.h"

#define NETNS_DIR "/run/netns"
#define NETNS_PATH 512

static bool netns_path(const char *name, char path[NETNS_PATH])
{
	if (!*name || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	return snprintf(path, NETNS_PATH, NETNS_DIR "/%s", name) < NETNS_PATH;
}

static int failed(const char *name, const char *what)
{
	complain(EXIT_BAD_INPUT, "network namespace %s: %s: %s", name, what, strerror(errno));
	return -1;
}

bool netns_enter(int fd)
{
	static int home = -1;

	if (home < 0)
		home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (!setns(fd < 0 ? home : fd, CLONE_NEWNET))
		return true;
	complain(EXIT_BAD_INPUT, "cannot enter a network namespace: %s", strerror(errno));
	return false;
}

/* The directory is a shared mount, so that a name removed in one mount namespace goes in all. */
static bool share_dir(void)
{
	if (mkdir(NETNS_DIR, 0755) && errno != EEXIST)
		return false;
	if (!mount("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL))
		return true;
	if (errno != EINVAL || mount(NETNS_DIR, NETNS_DIR, "none", MS_BIND | MS_REC, NULL))
		return false;
	return !mount("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL);
}

static bool make_there(const char *path)
{
	bool mounted;

	if (!netns_enter(-1) || unshare(CLONE_NEWNET))
		return false;
	mounted = !mount("/proc/self/ns/net", path, "none", MS_BIND, NULL);
	return netns_enter(-1) && mounted;
}

static int make(const char *name, const char *path)
{
	int fd;

	if (!share_dir())
		return failed(name, NETNS_DIR " cannot be created");
	fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (fd < 0)
		return failed(name, "cannot create its file");
	close(fd);
	if (!make_there(path)) {
		failed(name, "cannot be created");
		unlink(path);
		return -1;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? failed(name, "cannot be opened") : fd;
}

int netns_open(const char *name, bool *made)
{
	char path[NETNS_PATH];
	int fd;

	*made = false;
	if (!netns_path(name, path)) {
		complain(EXIT_BAD_INPUT, "'%s' is not a valid name of a network namespace", name);
		return -1;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	if (errno != ENOENT)
		return failed(name, "cannot be opened");
	fd = make(name, path);
	*made = fd >= 0;
	return fd;
}

void netns_remove(const char *name)
{
	char path[NETNS_PATH];

	if (!netns_path(name, path))
		return;
	umount2(path, MNT_DETACH);
	if (unlink(path) && errno != ENOENT)
		failed(name, "cannot be removed");
}
