// SPDX-License-Identifier: GPL-2.0-only
/* Files that a job's own user can reach on this node: the fabric, and the notice of a job */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor.h"

/* No job's name begins with a dot. */
#define NO_JOB ".doctor"

static const struct passwd *find_user(const char *text)
{
	char *end;
	unsigned long uid = strtoul(text, &end, 10);

	return isdigit((unsigned char)*text) && !*end ? getpwuid((uid_t)uid) : getpwnam(text);
}

static bool act_as(const struct passwd *user)
{
	return !initgroups(user->pw_name, user->pw_gid) && !setegid(user->pw_gid) &&
	       !seteuid(user->pw_uid);
}

static bool can_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* As that user, until root is root again */
static void read_as(struct doctor *doctor, const struct passwd *user)
{
	const char *fabric = doctor->job.conf.fabric;
	bool elsewhere = fabric_is_elsewhere(doctor);
	json_t *notice = job_notice_read(&doctor->job);

	if (!elsewhere && !can_read(fabric))
		find(doctor, VERDICT_WARN, "chmod go+r, and go+x of its directories", "%s: user %s "
		     "cannot read it: %s; MPI programs go their own way", fabric, user->pw_name,
		     strerror(errno));
	if (!notice)
		find(doctor, VERDICT_WRONG, "/run of root, on a file system with ACLs", "user %s "
		     "cannot read the notice of a job", user->pw_name);
	json_decref(notice);
	if (!faccessat(AT_FDCWD, doctor->job.conf.store, W_OK, AT_EACCESS) && user->pw_uid &&
	    strcmp(user->pw_name, doctor->job.conf.user))
		find(doctor, VERDICT_WRONG, "chmod go-w, setfacl -b", "%s: user %s may write to it",
		     doctor->job.conf.store, user->pw_name);
}

void check_job_user(struct doctor *doctor)
{
	const struct passwd *user = find_user(doctor->user);

	if (!user) {
		find(doctor, VERDICT_WRONG, "a user of the cluster, known on all nodes",
		     "unknown user '%s'", doctor->user);
		return;
	}
	if (geteuid()) {
		find(doctor, VERDICT_UNCHECKED, "", "needs root");
		return;
	}
	doctor->job.job = NO_JOB;
	doctor->job.user = user->pw_uid;
	job_notice_put(&doctor->job);
	if (act_as(user))
		read_as(doctor, user);
	else
		find(doctor, VERDICT_UNCHECKED, "", "cannot become user %s: %s", user->pw_name,
		     strerror(errno));
	if (!seteuid(0))
		job_notice_remove(&doctor->job);
	if (!doctor->findings->count)
		find(doctor, VERDICT_OK, "", "user %s can read %sthe notice of a job",
		     user->pw_name, fabric_is_elsewhere(doctor) ? "" : "the fabric and ");
}
