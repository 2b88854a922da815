// SPDX-License-Identifier: GPL-2.0-only
/*
 * job purge: remove the records of jobs that ended some time ago, and of rounds without a job
 *
 * A job's directory is renamed before it is removed, so that a half removed one is not taken for a
 * job that has not ended. The store's lock keeps publishers away meanwhile.
 */
#include <string.h>
#include <unistd.h>

#include "util/command.h"
#include "job/job.h"
#include "job/store/records.h"
#include "util/say.h"

#define DAY 86400

struct purge {
	const struct job_store *store;
	time_t limit;			/* s since 1970; older records are removed */
	struct liquid_names rounds;	/* rounds of the jobs that stay, not sorted */
	unsigned int jobs_gone, rounds_gone;	/* numbers of removed ones */
	struct liquid_error err;
};

static bool older(const struct purge *purge, const char *path)
{
	time_t when;

	return job_made_at(purge->store, path, &when) && when < purge->limit;
}

/*
 * The job's end is older than the limit: by its record, or else by its time limit. A job that was
 * never published is as old as its directory.
 */
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
			return liquid_no_memory(&purge->err);
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

/* A round is as old as its newest record, which set the time of its directory. */
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

/*
 * The purge is recorded before it is done. Several processes may come here at once, and only the
 * one that creates the record purges. The record's time is by the clock of the storage.
 */
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
