// SPDX-License-Identifier: GPL-2.0-only
/* The store of jobs: as its keeper, is it there, trusted, quick, and not full? */
#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "doctor/doctor.h"
#include "job/service/client.h"
#include "util/units.h"

#define OWNED "all of it belongs to `user` of liquid.conf alone: `install -d -o USER -m 750`; if " \
	      "another user has made it, find out who"

/* The first job makes a store, if the directory above is there. */
static void tell_absent(struct doctor *doctor)
{
	const char *path = doctor->job.conf.store;
	char above[4096];
	struct stat st;

	snprintf(above, sizeof(above), "%s", path);
	if (stat(dirname(above), &st))
		find(doctor, VERDICT_WRONG, "make it, for root", "%s: no such directory, nor the "
		     "one above it", path);
	else
		find(doctor, VERDICT_OK, "", "%s: there is no store; the first job makes it",
		     path);
}

static bool open_store(struct doctor *doctor)
{
	const struct job_needs needs = { .writes = true };
	struct job_store *store = &doctor->job.store;
	struct liquid_error err;

	if (job_store_open(store, &err) == JOB_STORE_ABSENT) {
		tell_absent(doctor);
		return false;
	}
	job_store_close(store);
	if (!job_open_store(&doctor->job, &needs))
		return true;
	find_said(doctor, VERDICT_WRONG, OWNED, "the store cannot be opened");
	return false;
}

/* All records of an agreement must be seen in three quarters of the lead: see job/agree.c. */
#define WARN_SHARE 20
#define WRONG_SHARE 4

static void judge_time(struct doctor *doctor, int64_t took)
{
	uint64_t lead = doctor->job.conf.lead_ns;
	char text[UNIT_TEXT], allowed[UNIT_TEXT];
	enum verdict verdict = (uint64_t)took > lead / WRONG_SHARE ? VERDICT_WRONG :
			       (uint64_t)took > lead / WARN_SHARE ? VERDICT_WARN : VERDICT_OK;

	/* Microseconds are enough, of a time that is never the same. */
	format_time((uint64_t)took / 1000 * 1000, text);
	format_time(lead, allowed);
	if (verdict != VERDICT_OK)
		find(doctor, verdict, "quicker storage, or a longer lead in liquid.conf",
		     "%s: to write, sync and link a record took %s, and the lead is %s",
		     doctor->job.store.dir, text, allowed);
	else if (!doctor->findings->count)
		find(doctor, VERDICT_OK, "", "%s: a record took %s of a lead of %s",
		     doctor->job.store.dir, text, allowed);
}

/* No job's records are in the store's own directory, and no job's name begins with a dot. */
#define OWN_NAME ".doctor-"
#define OLD_S 600

/* Remove what runs have left that were killed when the store did not answer. */
static void sweep(const struct job_store *store, time_t now)
{
	int fd = job_open_dir(store, "");
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat st;

	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, OWN_NAME, strlen(OWN_NAME)) &&
		    !fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    st.st_mtime < now - OLD_S)
			unlinkat(fd, entry->d_name, 0);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

/* A record like a job's, except for its name */
static void write_record(struct doctor *doctor)
{
	const struct job_store *store = &doctor->job.store;
	int64_t took, began = clock_ns(CLOCK_MONOTONIC);
	struct liquid_error err;
	char path[64];
	time_t now;
	int status;

	snprintf(path, sizeof(path), OWN_NAME "%ld-%llx", (long)getpid(),
		 (unsigned long long)clock_ns(CLOCK_REALTIME));
	status = job_put(store, path, json_object(), &err);
	took = clock_ns(CLOCK_MONOTONIC) - began;
	/* The time of the storage */
	if (status == JOB_PUT_DONE && job_made_at(store, path, &now))
		sweep(store, now);
	if (status == JOB_PUT_DONE)
		status = job_remove(store, path, &err);
	if (status)
		find(doctor, VERDICT_WRONG, "space, quota, a mount that may be written",
		     "%s", err.text);
	else
		judge_time(doctor, took);
}

#define LITTLE_BYTES (UINT64_C(8) << 20)
#define LITTLE_FILES 4096

static void check_room(struct doctor *doctor)
{
	const struct job_store *store = &doctor->job.store;
	struct statvfs fs;

	if (fstatvfs(store->fd, &fs))
		return;
	if ((uint64_t)fs.f_bavail * fs.f_frsize < LITTLE_BYTES)
		find(doctor, VERDICT_WARN, "`liquid-nl job purge`, or more room", "%s: %llu KiB "
		     "are free", store->dir, (unsigned long long)fs.f_bavail * fs.f_frsize / 1024);
	/* File systems that make inodes as they need them report none. */
	if (fs.f_files && fs.f_favail < LITTLE_FILES)
		find(doctor, VERDICT_WARN, "`liquid-nl job purge`, or more inodes", "%s: %llu more "
		     "files can be made", store->dir, (unsigned long long)fs.f_favail);
}

/* The first network that the service's name leads to decides where a node calls from. */
static void judge_place(struct doctor *doctor)
{
	const char *service = doctor->job.conf.service, *node = doctor->job.node;
	struct service_place place;

	service_ask_place(&doctor->job.store, &place);
	if (!strcmp(place.verdict, "same"))
		find(doctor, VERDICT_OK, "", "the service of jobs at %s answers, and knows %s by "
		     "%s", service, node, place.from);
	else if (!strcmp(place.verdict, "other"))
		find(doctor, VERDICT_WRONG, "the controller's resolver must know the address that "
		     "the node calls from, or `agree service` must name an address of the other "
		     "network", "%s calls from %s; for %s the controller knows %s (getent ahosts "
		     "%s): the service refuses it", node, place.from, node, place.known, node);
	else if (!strcmp(place.verdict, "none"))
		find(doctor, VERDICT_WRONG, "DNS, or /etc/hosts of the controller", "%s calls from "
		     "%s; for %s the controller knows no address (getent ahosts %s)", node,
		     place.from, node, node);
	else
		find(doctor, VERDICT_OK, "", "the service of jobs at %s answers; it has not said "
		     "which address it knows for %s", service, node);
}

/* In place of a store: the controller has it, and checks it there. */
static void ask_service(struct doctor *doctor)
{
	const char *given = doctor->job.node;
	char own[JOB_NAME_MAX + 1] = "";
	int status;

	if (!become_keeper(doctor, false))
		return;
	/* All callers have names; without one the service refuses. */
	job_own_name(own);
	if (!given)
		doctor->job.node = own;
	status = service_open(&doctor->job, NULL);
	doctor->job.node = given;
	if (status)
		find_said(doctor, VERDICT_WRONG, "`systemctl status liquid-job` on its host, and "
			  "munge on both", "the service of jobs does not answer");
	else if (given)
		judge_place(doctor);
	else
		find(doctor, VERDICT_OK, "", "the service of jobs at %s answers",
		     doctor->job.conf.service);
}

void check_store(struct doctor *doctor)
{
	if (doctor->job.conf.service) {
		ask_service(doctor);
		return;
	}
	if (doctor->job.conf.first && !doctor->job.node) {
		find(doctor, VERDICT_OK, "", "with `agree first` nodes have a store each, and the "
		     "controller none");
		return;
	}
	if (!become_keeper(doctor, false) || !open_store(doctor))
		return;
	check_room(doctor);
	write_record(doctor);
	job_store_close(&doctor->job.store);
}
