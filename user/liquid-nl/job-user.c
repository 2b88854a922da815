// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who keeps the store: one user on the controller and on all nodes, who needs not be root
 *
 * Slurm's controller often runs as a user of its own, nodes call us as root, and on storage that
 * several machines share root is often nobody. So root becomes the user of liquid.conf, or the
 * store's owner where none is named, before it reads or writes there, and keeps CAP_NET_ADMIN alone,
 * where a gate is to be set.
 */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "job.h"

struct keeper {
	const char *name;		/* NULL: no more than the number is known */
	uid_t uid;
	gid_t gid;
};

static bool owner_of(const char *dir, struct keeper *keeper)
{
	struct stat st;

	if (stat(dir, &st))
		return false;
	*keeper = (struct keeper){ .uid = st.st_uid, .gid = st.st_gid };
	return true;
}

/* A user of whom nothing is known stays who it is. */
static int find_keeper(const struct job_args *args, struct keeper *keeper)
{
	const char *name = args->conf.user;
	struct passwd *user = name ? getpwnam(name) : NULL;

	*keeper = (struct keeper){ .uid = geteuid(), .gid = getegid() };
	if (name && !user)
		return complain(EXIT_BAD_INPUT, "%s: there is no user '%s'", args->conf_path, name);
	if (user)
		*keeper = (struct keeper){ name, user->pw_uid, user->pw_gid };
	else if (!geteuid())
		owner_of(args->conf.store, keeper);
	return EXIT_OK;
}

static bool keep_caps(uint32_t caps)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &head, data))
		return false;
	/* What the script that has called us did not let us have is not missed under --dry-run. */
	data[0] = (struct __user_cap_data_struct){ .effective = data[0].permitted & caps,
						   .permitted = data[0].permitted & caps };
	data[1] = (struct __user_cap_data_struct){ 0 };
	return !syscall(SYS_capset, &head, data);
}

static bool become(const struct keeper *keeper, bool gates)
{
	int groups = keeper->name ? initgroups(keeper->name, keeper->gid) : setgroups(0, NULL);

	return !groups && !prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) &&
	       !setresgid(keeper->gid, keeper->gid, keeper->gid) &&
	       !setresuid(keeper->uid, keeper->uid, keeper->uid) &&
	       keep_caps(gates ? 1u << CAP_NET_ADMIN : 0);
}

#define STORE_NS UINT64_C(3000000000)

/* It is made when the first job starts, maybe a moment from now. */
static void await_store(const struct job_args *args)
{
	const struct timespec rest = { 0, 100000000 };
	struct keeper keeper;

	for (uint64_t waited = 0; waited < STORE_NS && !owner_of(args->conf.store, &keeper);
	     waited += rest.tv_nsec)
		nanosleep(&rest, NULL);
}

/* Where only root may make it; if it cannot be made, the store's own errors tell. */
static void make_for(const struct job_args *args, const struct keeper *keeper)
{
	if (!mkdir(args->conf.store, 0770) && chown(args->conf.store, keeper->uid, keeper->gid))
		rmdir(args->conf.store);
}

int job_become_keeper(const struct job_args *args, const struct job_needs *needs)
{
	struct keeper keeper;
	int code;

	if (needs->waits)
		await_store(args);
	code = find_keeper(args, &keeper);
	if (code || keeper.uid == geteuid())
		return code;
	if (geteuid() && !needs->writes)
		return EXIT_OK;
	if (geteuid())
		return complain(EXIT_BAD_INPUT, "%s: the store is kept by user '%s', and this is user %u: "
				"call it as that user or as root", args->conf_path, keeper.name,
				(unsigned int)geteuid());
	if (needs->makes)
		make_for(args, &keeper);
	return become(&keeper, needs->gates) ? EXIT_OK :
	       complain(EXIT_BAD_INPUT, "cannot become user %u, who keeps the store %s: %s",
			(unsigned int)keeper.uid, args->conf.store, strerror(errno));
}

int job_check_store(const struct job_args *args)
{
	const char *store = args->conf.store;
	struct keeper owner;

	if (!access(store, R_OK | W_OK | X_OK))
		return EXIT_OK;
	if (errno == EACCES && owner_of(store, &owner))
		return complain(EXIT_BAD_INPUT, "%s: the store belongs to user %u, and user %u may not write "
				"to it: one user keeps it, on the controller and on all nodes ('user' of %s)",
				store, (unsigned int)owner.uid, (unsigned int)geteuid(), args->conf_path);
	return complain(EXIT_BAD_INPUT, "%s: %s (user %u)", store, strerror(errno),
			(unsigned int)geteuid());
}
