// SPDX-License-Identifier: GPL-2.0-only
/*
 * The store's mount: does a look-up find a new record at once?
 *
 * Nodes agree by looking for records that do not exist yet. An NFS client caches that a name does
 * not exist for as long as it trusts its copy of the directory, half a minute by default. It asks
 * the server each time only if mounted with lookupcache=positive or none. Shorter times (actimeo,
 * noac) do not help: the client then asks whether the directory has changed, and a server with
 * coarse time stamps may deny the second of two changes in quick succession.
 */
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "job/store/store.h"

/* The mount id of an open file; -1: unknown. Bind mounts and autofs mounts have their own ids. */
static int mount_of(int fd)
{
	char path[64], line[128];
	int id = -1;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	in = fopen(path, "re");
	while (in && id < 0 && fgets(line, sizeof(line), in))
		sscanf(line, "mnt_id: %d", &id);
	if (in)
		fclose(in);
	return id;
}

/*
 * A line of mountinfo is "ID PARENT DEVICE ROOT PLACE OPTIONS [TAG...] - TYPE SOURCE
 * SUPER-OPTIONS". Only the last field counts here: has it one of @wanted?
 */
static bool line_has(char *line, const char *const *wanted)
{
	char *options = strstr(line, " - "), *rest = NULL;

	for (int word = 0; options && word < 3; word++)
		options = strchr(options + 1, ' ');
	for (char *at = options ? strtok_r(options, " ,\n", &rest) : NULL; at;
	     at = strtok_r(NULL, ",\n", &rest))
		for (const char *const *option = wanted; *option; option++)
			if (!strcmp(at, *option))
				return true;
	return false;
}

static bool mount_has(int fd, const char *const *options)
{
	int id, wanted = mount_of(fd);
	FILE *in = wanted < 0 ? NULL : fopen("/proc/self/mountinfo", "re");
	bool has = false, found = false;
	char *line = NULL;
	size_t room = 0;

	while (in && !found && getline(&line, &room, in) >= 0) {
		found = sscanf(line, "%d", &id) == 1 && id == wanted;
		has = found && line_has(line, options);
	}
	free(line);
	if (in)
		fclose(in);
	return has;
}

/* as the kernel prints the two options */
static const char *const asking[] = { "lookupcache=pos", "lookupcache=none", NULL };
static const char *const soft[] = { "soft", "softerr", NULL };

/* A directory that cannot be opened counts as fresh: its first use fails with its own message. */
static bool is_fresh(const struct job_store *store, const char *path)
{
	int fd = job_open_dir(store, path);
	struct statfs fs;
	bool fresh = fd < 0 || fstatfs(fd, &fs) || fs.f_type != NFS_SUPER_MAGIC ||
		     mount_has(fd, asking);

	if (fd >= 0)
		close(fd);
	return fresh;
}

bool job_store_fresh(const struct job_store *store, struct liquid_error *err)
{
	static const char *const parts[] = { "", "jobs", "rounds" };

	for (size_t i = 0; !store->backend && i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (is_fresh(store, parts[i]))
			continue;
		liquid_fail(err, LIQUID_BAD_INPUT, "%s%s%s is on NFS that caches for up to a "
			    "minute which records do not exist: mount it with "
			    "lookupcache=positive", store->dir, *parts[i] ? "/" : "", parts[i]);
		return false;
	}
	return true;
}

bool job_store_soft(const struct job_store *store)
{
	int fd = job_open_dir(store, "");
	struct statfs fs;
	bool is_soft = fd >= 0 && !fstatfs(fd, &fs) && fs.f_type == NFS_SUPER_MAGIC &&
		       mount_has(fd, soft);

	if (fd >= 0)
		close(fd);
	return is_soft;
}
