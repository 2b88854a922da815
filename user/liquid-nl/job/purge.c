// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records that nobody needs any more: of jobs that ended some time ago, and of rounds to which no
 * job leads
 *
 * A job's directory goes away under another name, so that a half removed one is not taken for a job
 * that has not ended. With the store's lock nobody publishes meanwhile.
 */
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "job/job.h"
#include "job/store/records.h"
#include "util/say.h"

#define DAY 86400

struct purge {
	const struct job_store *store;
	time_t limit;			/* what is older goes */
	struct liquid_names rounds;	/* to which a job leads, not sorted */
	unsigned int jobs_gone, rounds_gone;
	struct liquid_error err;
};

static bool older(const struct purge *purge, const char *path)
{
	time_t when;

	return job_made_at(purge->store, path, &when) && when < purge->limit;
}

/* Ended that long ago: noted, or when its time was over; or it was never published. */
static bool is_over(const struct purge *purge, const char *job)
{
	int64_t until = record_get_until(purge->store, job);
	char path[JOB_PATH_MAX];

	record_path(path, RECORD_END, job, NULL);
	if (job_has(purge->store, path))
		return older(purge, path);
	if (until > 0)
		return until < purge->limit;
	if (record_has(purge->store, RECORD_GENERATION, job, "1") ||
	    record_has(purge->store, RECORD_SKIP, job, NULL) ||
	    record_has(purge->store, RECORD_UNTIL, job, NULL))
		return false;
	return older(purge, record_path(path, RECORD_JOB, job, NULL));
}

static int purge_job(struct purge *purge, const char *job)
{
	char path[JOB_PATH_MAX];
	int status;

	record_path(path, RECORD_JOB, job, NULL);
	status = job_rename(purge->store, path, RECORDS_REMOVED, &purge->err);
	if (!status)
		status = job_remove_dir(purge->store, RECORDS_REMOVED, &purge->err);
	purge->jobs_gone += !status;
	record_forget_running(purge->store, job);
	return status;
}

static int note_rounds(struct purge *purge, const char *job)
{
	char round[JOB_ROUND_SIZE];
	unsigned int number = 0;

	while (record_get_generation(purge->store, job, ++number, round))
		if (!job_names_add(&purge->rounds, round))
			return liquid_fail(&purge->err, LIQUID_NO_MEMORY, "out of memory");
	return LIQUID_OK;
}

static int purge_jobs(struct purge *purge)
{
	struct liquid_names jobs;
	int status = job_remove_dir(purge->store, RECORDS_REMOVED, &purge->err);

	if (!status)
		status = job_list(purge->store, RECORDS_JOBS, &jobs, &purge->err);
	if (status)
		return status;
	for (size_t i = 0; !status && i < jobs.count; i++)
		status = is_over(purge, jobs.name[i]) ? purge_job(purge, jobs.name[i]) :
			 note_rounds(purge, jobs.name[i]);
	liquid_names_clear(&jobs);
	return status;
}

static bool leads_to(const struct purge *purge, const char *round)
{
	for (size_t i = 0; i < purge->rounds.count; i++)
		if (!strcmp(purge->rounds.name[i], round))
			return true;
	return false;
}

/* By its directory's time a round is as old as what was last written into it. */
static int purge_rounds(struct purge *purge)
{
	struct liquid_names rounds;
	int status = job_list(purge->store, RECORDS_ROUNDS, &rounds, &purge->err);

	if (status)
		return status;
	for (size_t i = 0; !status && i < rounds.count; i++) {
		char path[JOB_PATH_MAX];

		record_path(path, RECORD_ROUND, rounds.name[i], NULL);
		if (!older(purge, path) || leads_to(purge, rounds.name[i]))
			continue;
		status = job_remove_dir(purge->store, path, &purge->err);
		purge->rounds_gone += !status;
	}
	liquid_names_clear(&rounds);
	return status;
}

static int purge_all(const struct job_args *args, struct purge *purge)
{
	int lock, status;

	*purge = (struct purge){
		.store = &args->store,
		.limit = time(NULL) - (time_t)(args->older_ns / 1000000000),
	};
	lock = job_lock(&args->store, &purge->err);
	status = lock < 0 ? LIQUID_IO : purge_jobs(purge);
	if (!status)
		status = purge_rounds(purge);
	if (lock >= 0)
		close(lock);
	liquid_names_clear(&purge->rounds);
	return status;
}

/* By the clock of the storage. It is noted first: of several that come here one does it. */
void job_purge_daily(const struct job_args *args)
{
	struct liquid_error err;
	char path[JOB_PATH_MAX];
	struct purge purge;
	time_t last;

	record_path(path, RECORD_PURGED, NULL, NULL);
	if (job_made_at(&args->store, path, &last) && time(NULL) - last < DAY)
		return;
	job_remove(&args->store, path, &err);
	if (!job_put(&args->store, path, json_object(), &err))
		purge_all(args, &purge);
}

int job_purge(struct job_args *args)
{
	struct purge purge;
	int status = purge_all(args, &purge);

	put_text("%u jobs and %u rounds removed\n", purge.jobs_gone, purge.rounds_gone);
	return status ? complain(exit_code_of(status), "%s", purge.err.text) : EXIT_OK;
}
