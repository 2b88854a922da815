// SPDX-License-Identifier: GPL-2.0-only
/*
 * Information for a job's own user: the notice, a file of each job and node
 *
 * The store is the operators'. A job's user reads this file in its place: the prologue writes it,
 * the epilogue removes it, and MPI programs find the fabric and their host in it. Root owns the
 * file and its directory, and an ACL lets one user read it, so that other users neither read nor
 * forge it. Nothing is asked of the store, which may not answer.
 *
 * Where a service serves the job there is a second file, the plan of its exchange (job/order.c).
 * It is written through a descriptor from before the change of user, so that its owner is root,
 * too, and the keeper can change no other file there.
 *
 * A line is a key and its value. When the prologue knows what came of the agreement, it writes the
 * notice anew, with members of `job status --json`.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "util/command.h"
#include "job/job.h"

/* user/mpi/notice.c reads there */
#define NOTICES "/run/liquid-jobs"
#define DIR_MODE 0711			/* a user who knows the name of his file may open it */
#define PLAN "@plan"			/* behind the notice's name: no node has it in its own */
#define NAME_SIZE (2 * JOB_NAME_MAX + sizeof(".@" PLAN))

static void file_name(const struct job_args *args, const char *before, const char *after,
		      char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "%s%s@%s%s", before, args->job, args->node, after);
}

/* -1 with errno: there is none, or another user may put files there (EPERM) */
static int open_dir(int flags)
{
	int fd = open(NOTICES, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && !st.st_uid && !(st.st_mode & (S_IWGRP | S_IWOTH))))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

static int make_dir(void)
{
	bool made = !mkdir(NOTICES, 0700);
	int fd = open_dir(O_RDONLY);

	/* mkdir() is subject to the umask. */
	if (made && fd >= 0 && fchmod(fd, DIR_MODE)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ---- who may read ---- */

static struct posix_acl_xattr_entry entry(uint16_t tag, uint16_t perm, uint32_t id)
{
	return (struct posix_acl_xattr_entry){ htole16(tag), htole16(perm), htole32(id) };
}

static bool let_read(int fd, uint32_t user)
{
	const struct {
		struct posix_acl_xattr_header head;
		struct posix_acl_xattr_entry entry[5];
	} acl = {
		{ htole32(POSIX_ACL_XATTR_VERSION) },
		{ entry(ACL_USER_OBJ, ACL_READ, ACL_UNDEFINED_ID), entry(ACL_USER, ACL_READ, user),
		  entry(ACL_GROUP_OBJ, 0, ACL_UNDEFINED_ID),
		  entry(ACL_MASK, ACL_READ, ACL_UNDEFINED_ID),
		  entry(ACL_OTHER, 0, ACL_UNDEFINED_ID) },
	};

	return !fsetxattr(fd, "system.posix_acl_access", &acl, sizeof(acl), 0);
}

/* ---- the file ---- */

static bool write_outcome(int fd, const struct job_outcome *outcome)
{
	if (!outcome->known)
		return true;
	if (!outcome->gated)
		return dprintf(fd, "state %s\nreason %s\n", outcome->unasked ? "unasked" :
			       "ungated", outcome->reason) > 0;
	return dprintf(fd, "state gated\nround %s\ndigest %s\nbase_ns %" PRId64 "\n",
		       outcome->round, outcome->digest, outcome->base_ns) > 0;
}

static bool write_text(int fd, const struct job_args *args)
{
	const struct conf *conf = &args->conf;

	char rail[24] = "all";

	if (conf->rail != CONF_RAIL_ALL)
		snprintf(rail, sizeof(rail), "%" PRIu64, conf->rail);
	return dprintf(fd, "fabric %s\nhost %s\nrail %s\n", conf->fabric, args->node, rail) > 0 &&
	       write_outcome(fd, &args->run.outcome);
}

/* It appears whole, and readable by its user alone. */
static bool put(int dir, const struct job_args *args)
{
	char name[NAME_SIZE], draft[NAME_SIZE];
	bool done;
	int fd;

	file_name(args, "", "", name);
	file_name(args, ".", "", draft);
	unlinkat(dir, draft, 0);
	fd = openat(dir, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
	if (fd < 0)
		return false;
	done = write_text(fd, args) && let_read(fd, (uint32_t)args->user) &&
	       !renameat(dir, draft, dir, name);
	if (!done) {
		int error = errno;

		unlinkat(dir, draft, 0);
		errno = error;
	}
	close(fd);
	return done;
}

void job_notice_put(const struct job_args *args)
{
	int dir = make_dir();

	if (dir < 0 || !put(dir, args))
		complain(0, "job %s: no notice for its user in %s: %s", args->job, NOTICES,
			 strerror(errno));
	if (dir >= 0)
		close(dir);
}

static int make_plan(int dir, const struct job_args *args)
{
	char name[NAME_SIZE];
	int fd;

	file_name(args, "", PLAN, name);
	unlinkat(dir, name, 0);
	fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
	if (fd < 0 || let_read(fd, (uint32_t)args->user))
		return fd;
	unlinkat(dir, name, 0);
	close(fd);
	return -1;
}

void job_notice_make_plan(struct job_args *args)
{
	int dir = make_dir();

	if (dir >= 0)
		args->run.order_fd = make_plan(dir, args);
	if (args->run.order_fd < 0)
		complain(0, "job %s: no plan for its ranks in %s: %s", args->job, NOTICES,
			 strerror(errno));
	if (dir >= 0)
		close(dir);
}

void job_notice_remove(const struct job_args *args)
{
	char name[NAME_SIZE];
	int dir = open_dir(O_RDONLY);

	if (dir < 0)
		return;
	file_name(args, "", "", name);
	unlinkat(dir, name, 0);
	file_name(args, "", PLAN, name);
	unlinkat(dir, name, 0);
	close(dir);
}

/* ---- reading ---- */

/* The directory cannot be listed by users, so O_RDONLY would not open it. */
static FILE *open_notice(const struct job_args *args)
{
	int dir = open_dir(O_PATH), fd = -1;
	char name[NAME_SIZE];
	struct stat st;

	if (dir < 0)
		return NULL;
	file_name(args, "", "", name);
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	close(dir);
	if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_uid))
		return fd < 0 ? NULL : fdopen(fd, "r");
	close(fd);
	return NULL;
}

static void take_line(json_t *json, char *line)
{
	static const char *const members[] = { "state", "round", "digest", "reason", NULL };
	char *value = strchr(line, ' ');

	line[strcspn(line, "\n")] = '\0';
	if (!value)
		return;
	*value++ = '\0';
	if (!strcmp(line, "base_ns"))
		json_object_set_new(json, line, json_integer(strtoll(value, NULL, 10)));
	for (const char *const *member = members; *member; member++)
		if (!strcmp(line, *member))
			json_object_set_new(json, line, json_string(value));
}

json_t *job_notice_read(const struct job_args *args)
{
	FILE *in = open_notice(args);
	char line[1024];
	json_t *json;

	if (!in)
		return NULL;
	/* Until the prologue knows more */
	json = json_pack("{s:s, s:s}", "job", args->job, "state", "preparing");
	while (json && fgets(line, sizeof(line), in))
		take_line(json, line);
	fclose(in);
	return json;
}
