// SPDX-License-Identifier: GPL-2.0-only
/*
 * The keeper of the store: one user on the controller and on all nodes, who need not be root
 *
 * Slurm's controller often runs as its own user, and the nodes run this program as root. So root
 * becomes the keeper, `user` of liquid.conf, before it calls the service, or reads or writes the
 * store. It keeps only CAP_NET_ADMIN, and that only to set a gate; so does a keeper who is root.
 * The owner of the store is not taken for the keeper, because any user may have been the first to
 * create a directory there.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <linux/capability.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "job/job.h"
#include "job/service/client.h"

static bool keep_caps(uint32_t caps)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &head, data))
		return false;
	/* Capabilities that the caller did not have are not an error: --dry-run needs none. */
	data[0] = (struct __user_cap_data_struct){ .effective = data[0].permitted & caps,
						   .permitted = data[0].permitted & caps };
	data[1] = (struct __user_cap_data_struct){ 0 };
	return !syscall(SYS_capset, &head, data);
}

/* Its own group alone: to ask for others, a directory may be needed that does not answer. */
static bool change_user(const struct job_keeper *keeper)
{
	return !setgroups(1, &keeper->gid) &&
	       !prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) &&
	       !setresgid(keeper->gid, keeper->gid, keeper->gid) &&
	       !setresuid(keeper->uid, keeper->uid, keeper->uid);
}

/* The change is final: NO_NEW_PRIVS ignores setuid bits and file capabilities of later programs. */
static bool become(const struct job_keeper *keeper, bool gates)
{
	return (geteuid() == keeper->uid || change_user(keeper)) &&
	       keep_caps(gates ? 1u << CAP_NET_ADMIN : 0) &&
	       !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* The caller needs them to open the gate, and to kill the worker, which is another user by then. */
bool job_keep_waiting_caps(void)
{
	return keep_caps(1u << CAP_NET_ADMIN | 1u << CAP_KILL) &&
	       !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

bool job_drop_privileges(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	return !prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) &&
	       !syscall(SYS_capset, &head, none) && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* ---- a store that only root can create ---- */

/* Only root can replace what root has just created in this directory. */
static bool is_safe_parent(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && !st.st_uid && (!(st.st_mode & (S_IWGRP | S_IWOTH)) ||
						 st.st_mode & S_ISVTX);
}

static void make_at(int parent, const char *name, const struct job_keeper *keeper)
{
	int fd;

	if (mkdirat(parent, name, 0700))
		return;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* The mode comes first: without CAP_FOWNER only the owner may change it. */
	if (fd < 0 || fchmod(fd, JOB_DIR_MODE) || fchown(fd, keeper->uid, keeper->gid))
		unlinkat(parent, name, AT_REMOVEDIR);
	if (fd >= 0)
		close(fd);
}

/* A failure is not reported here: opening the store then fails with its own message. */
static void make_for(const struct job_args *args, const struct job_keeper *keeper)
{
	char *copy = strdup(args->conf.store), *above = strdup(args->conf.store);
	int parent = copy && above ? open(dirname(above), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (parent >= 0 && is_safe_parent(parent))
		make_at(parent, basename(copy), keeper);
	if (parent >= 0)
		close(parent);
	free(copy);
	free(above);
}

/* ---- the keeper ---- */

static void look_up(const char *name, int fd)
{
	const struct passwd *user = getpwnam(name);
	struct job_keeper keeper = { 0 };

	if (user)
		keeper = (struct job_keeper){ user->pw_uid, user->pw_gid };
	if (write(fd, &keeper, user ? sizeof(keeper) : 1) < 0)
		_exit(EXIT_IO);
	_exit(EXIT_OK);
}

static enum job_found await_user(int fd, struct job_keeper *keeper)
{
	int64_t until = clock_ns(CLOCK_MONOTONIC) + JOB_USER_NS, left;
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	ssize_t got;

	do {
		left = until - clock_ns(CLOCK_MONOTONIC);
		if (left <= 0)
			return JOB_USER_SILENT;
	} while (poll(&wait, 1, (int)(left / 1000000) + 1) <= 0);
	got = read(fd, keeper, sizeof(*keeper));
	return got == sizeof(*keeper) ? JOB_USER_FOUND :
	       got == 1 ? JOB_USER_UNKNOWN : JOB_USER_SILENT;
}

/* A process apart asks, because a directory that does not answer cannot be interrupted. */
static enum job_found ask_for_user(const char *name, struct job_keeper *keeper)
{
	enum job_found found;
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return JOB_USER_SILENT;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		look_up(name, ends[1]);
	}
	close(ends[1]);
	found = child < 0 ? JOB_USER_SILENT : await_user(ends[0], keeper);
	close(ends[0]);
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, found == JOB_USER_SILENT ? WNOHANG : 0);
	}
	return found;
}

enum job_found job_find_user(const char *name, struct job_keeper *keeper)
{
	char *end;
	unsigned long number = strtoul(name, &end, 10);

	if (!isdigit((unsigned char)*name) || *end)
		return ask_for_user(name, keeper);
	*keeper = (struct job_keeper){ (uid_t)number, (gid_t)number };
	return number < JOB_NO_USER ? JOB_USER_FOUND : JOB_USER_UNKNOWN;
}

/* A node makes its own store when its first job begins. */
static bool does_make(const struct job_args *args, const struct job_needs *needs)
{
	return needs->makes || (args->conf.first && needs->writes);
}

int job_become_keeper(struct job_args *args, const struct job_needs *needs)
{
	struct job_keeper found, *keeper = &found;

	switch (job_find_user(args->conf.user, keeper)) {
	case JOB_USER_FOUND:
		break;
	case JOB_USER_UNKNOWN:
		return complain(EXIT_BAD_INPUT, "%s: unknown user '%s'", args->conf_path,
				args->conf.user);
	case JOB_USER_SILENT:
		return complain(EXIT_BAD_INPUT, "gave up after 5 s, while looking up user '%s' "
				"(sssd? LDAP?); a number in its place, as `user 64030`, needs no "
				"look-up", args->conf.user);
	}
	args->store.keeper = keeper->uid;
	if (geteuid() && geteuid() != keeper->uid)
		return !needs->writes ? EXIT_OK :
		       complain(EXIT_BAD_INPUT, "%s: the store is kept by user '%s', and this is "
				"user %u: run it as that user or as root", args->conf_path,
				args->conf.user, (unsigned int)geteuid());
	if (does_make(args, needs) && !geteuid() && keeper->uid)
		make_for(args, keeper);
	return become(keeper, needs->gates) ? EXIT_OK :
	       complain(EXIT_BAD_INPUT, "cannot become user '%s', who keeps the store %s: %s",
			args->conf.user, args->conf.store, strerror(errno));
}

/* ---- the store ---- */

const char *job_publisher(const struct job_args *args)
{
	return args->conf.first ? args->node : "the controller";
}

int job_find_store(struct job_args *args)
{
	char own[JOB_NAME_MAX + 1] = "";
	const char *node = args->node ? args->node : own;

	args->store.dir = args->conf.store;
	if (!args->conf.first)
		return EXIT_OK;
	if (!args->node && !job_own_name(own))
		return complain(EXIT_BAD_INPUT, "this node's name is not known: --node, or "
				"SLURMD_NODENAME");
	if ((size_t)snprintf(args->dir, sizeof(args->dir), "%s/%s", args->conf.store, node) >=
	    sizeof(args->dir))
		return complain(EXIT_BAD_INPUT, "%s: the store's path is too long",
				args->conf_path);
	args->store.dir = args->dir;
	return EXIT_OK;
}

/* The directory of all nodes is one too: a node's name may be that of several processes. */
static int make_store(struct job_args *args, struct liquid_error *err)
{
	struct job_store above = args->store;
	int status = LIQUID_OK;

	above.dir = args->conf.store;
	if (args->conf.first) {
		status = job_store_make_dir(&above, err);
		job_store_close(&above);
	}
	return status ? status : job_store_make(&args->store, err);
}

/* The message names the keeper and the setting, because the store may belong to another user. */
static int refuse_store(const struct job_args *args, const struct liquid_error *err)
{
	return complain(EXIT_BAD_INPUT,
			"%s (user %u; the store is kept by '%s', which is 'user' of %s)",
			err->text, (unsigned int)geteuid(), args->conf.user, args->conf_path);
}

int job_open_store(struct job_args *args, const struct job_needs *needs)
{
	struct liquid_error err;
	int status;

	if (needs->calls && args->conf.service && args->node)
		return service_open(args, NULL);
	status = does_make(args, needs) ? make_store(args, &err) :
		 job_store_open(&args->store, &err);

	/* To a reader a missing store is one without jobs. */
	if (status == JOB_STORE_ABSENT && !needs->writes)
		return EXIT_OK;
	if (status)
		return refuse_store(args, &err);
	if (!needs->writes || !faccessat(args->store.fd, ".", R_OK | W_OK | X_OK, AT_EACCESS))
		return EXIT_OK;
	liquid_fail(&err, LIQUID_IO, "%s: %s", args->conf.store, strerror(errno));
	return refuse_store(args, &err);
}
