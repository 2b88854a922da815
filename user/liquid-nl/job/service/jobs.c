// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs that are watched
 *
 * The records of a job are read when the first session watches it, and again when inotify reports
 * a change in its directory. New ones are sent to all who watch.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/command.h"
#include "job/service/server.h"

#define GENERATIONS_MAX 999
#define ROUNDS_KEPT 2			/* the newest ones of a job */

/* ---- records to be sent ---- */

static struct blob *find_blob(struct blob *blob, enum record record, const char *of,
			      const char *part)
{
	while (blob && (blob->record != record || strcmp(blob->of, of) || strcmp(blob->part, part)))
		blob = blob->next;
	return blob;
}

static void free_blobs(struct job *job)
{
	while (job->blobs) {
		struct blob *blob = job->blobs;

		job->blobs = blob->next;
		free(blob->text);
		free(blob);
	}
}

static void send_blob(struct session *session, const struct blob *blob)
{
	session_send(session, blob->text, blob->length, "record %s %s %s",
		     channel_record_name(blob->record), blob->of, blob->part);
}

/* A round's records go to its nodes only, and a job's to the nodes of its rounds. */
static bool may_see(const struct session *session, const struct job *job, const struct blob *blob)
{
	if (!job->round_count)
		return true;
	for (size_t i = 0; i < job->round_count; i++) {
		const struct round *round = job->rounds[i];
		bool about = blob->record < RECORD_ROUND || !strcmp(round->spec.round, blob->of);

		if (about && round_place(round, session))
			return true;
	}
	return false;
}

/* An end is first, so that no node begins with a job that has ended. */
void jobs_tell(struct session *session, const struct job *job)
{
	for (const struct blob *blob = job->blobs; blob && !session->dead; blob = blob->next)
		if (may_see(session, job, blob))
			send_blob(session, blob);
	for (size_t i = 0; i < job->round_count; i++)
		for (int word = 0; word < 2; word++)
			if (!session->dead && job->rounds[i]->tally[word].said &&
			    round_place(job->rounds[i], session))
				request_send_words(session, job->rounds[i],
						   word ? RECORD_COMMITTED : RECORD_READY);
}

static void tell_all(struct server *server, const struct job *job, const struct blob *blob)
{
	for (struct session *at = server->sessions; at; at = at->next)
		if (!at->dead && session_watches(at, job) && may_see(at, job, blob))
			send_blob(at, blob);
}

/* Read a record, unless it is known: records never change. True: there is one. */
static bool take_record(struct server *server, struct job *job, enum record record, const char *of,
			const char *part)
{
	struct liquid_error err;
	struct blob *blob = find_blob(job->blobs, record, of, part ? part : "-");
	struct blob **end = &job->blobs;
	json_t *json;

	if (blob)
		return true;
	json = record == RECORD_JOB ? json_object() :
	       record_get(server->store, record, of, part, &err);
	blob = json ? calloc(1, sizeof(*blob)) : NULL;
	if (blob)
		blob->text = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(json);
	if (!blob || !blob->text) {
		free(blob);
		return false;
	}
	blob->length = strlen(blob->text);
	blob->record = record;
	snprintf(blob->of, sizeof(blob->of), "%s", of);
	snprintf(blob->part, sizeof(blob->part), "%s", part ? part : "-");
	while (*end)
		end = &(*end)->next;
	*end = blob;
	tell_all(server, job, blob);
	return true;
}

/* ---- rounds ---- */

struct round *jobs_round(const struct server *server, const char *name)
{
	struct round *round = server->rounds;

	while (round && strcmp(round->spec.round, name))
		round = round->next;
	return round;
}

bool jobs_has_round(const struct job *job, const struct round *round)
{
	for (size_t i = 0; i < job->round_count; i++)
		if (job->rounds[i] == round)
			return true;
	return false;
}

static void leave_rounds(struct server *server, struct job *job)
{
	while (job->round_count)
		round_close(server, job->rounds[--job->round_count]);
	free(job->rounds);
	job->rounds = NULL;
}

static void add_round(struct server *server, struct job *job, const char *name)
{
	struct liquid_error err;
	struct round *round, **larger;

	for (size_t i = 0; i < job->round_count; i++)
		if (!strcmp(job->rounds[i]->spec.round, name))
			return;
	round = round_open(server, name, &err);
	if (!round) {
		complain(0, "job %s: %s", job->name, err.text);
		return;
	}
	larger = reallocarray(job->rounds, job->round_count + 1, sizeof(*larger));
	if (!larger) {
		round_close(server, round);
		return;
	}
	job->rounds = larger;
	larger[job->round_count++] = round;
}

/* When a decision was made, no node asks for a slice any more. */
static void take_round(struct server *server, struct job *job, const char *name)
{
	struct round *round;

	take_record(server, job, RECORD_SPEC, name, NULL);
	if (take_record(server, job, RECORD_RELEASE, name, NULL)) {
		round = jobs_round(server, name);
		if (round && round->slices) {
			slices_free(server, round->slices);
			round->slices = NULL;
		}
	}
	take_record(server, job, RECORD_GO, name, NULL);
}

static void take_generations(struct server *server, struct job *job)
{
	char round[JOB_ROUND_SIZE], part[16];
	unsigned int last = 0, first;

	while (last < GENERATIONS_MAX &&
	       record_get_generation(server->store, job->name, last + 1, round))
		last++;
	first = last > ROUNDS_KEPT ? last - ROUNDS_KEPT + 1 : 1;
	/* A round that is known lets its nodes see the job's records. */
	for (unsigned int i = first; i <= last; i++)
		if (record_get_generation(server->store, job->name, i, round))
			add_round(server, job, round);
	for (unsigned int i = first; i <= last; i++)
		if (record_get_generation(server->store, job->name, i, round))
			take_round(server, job, round);
	for (unsigned int i = 1; i <= last; i++) {
		snprintf(part, sizeof(part), "%u", i);
		take_record(server, job, RECORD_GENERATION, job->name, part);
		take_record(server, job, RECORD_VOID, job->name, part);
	}
}

/* ---- jobs ---- */

/* The job's directory has gone, or is another one: its records are not those any more. */
static void forget(struct server *server, struct job *job)
{
	if (job->watch >= 0)
		inotify_rm_watch(server->inotify, job->watch);
	job->watch = -1;
	job->directory = 0;
	leave_rounds(server, job);
	free_blobs(job);
	for (struct session *at = server->sessions; at; at = at->next)
		if (!at->dead && session_watches(at, job))
			session_send(at, NULL, 0, "forget %s", job->name);
}

static ino_t directory_of(const struct server *server, const struct job *job, char *path,
			  size_t size)
{
	char below[JOB_PATH_MAX];
	struct stat st;

	snprintf(path, size, "%s/%s", server->store->dir,
		 record_path(below, RECORD_JOB, job->name, NULL));
	return lstat(path, &st) || !S_ISDIR(st.st_mode) ? 0 : st.st_ino;
}

/* A node that is of no round of the job would wait for nothing: send it the reason. */
static void refuse_strangers(struct server *server, const struct job *job)
{
	for (struct session *at = server->sessions; job->round_count && at; at = at->next)
		if (!at->dead && session_watches(at, job))
			jobs_refuse_stranger(at, job);
}

/* A job that has ended may be about to run again, on other nodes. */
void jobs_refuse_stranger(struct session *session, const struct job *job)
{
	char reason[300];

	for (size_t i = 0; i < job->round_count; i++)
		if (round_place(job->rounds[i], session))
			return;
	if (!job->round_count || find_blob(job->blobs, RECORD_END, job->name, "-"))
		return;
	round_tell_stranger(session->server, job->rounds[job->round_count - 1], job->name, session,
			    reason, sizeof(reason));
	session_refuse_stranger(session, reason);
}

/* The watch comes before the look, so that nothing falls between them. */
void jobs_look(struct server *server, struct job *job)
{
	char path[4096];
	ino_t directory = directory_of(server, job, path, sizeof(path));

	if (job->directory && directory != job->directory)
		forget(server, job);
	if (!directory)
		return;
	job->directory = directory;
	if (job->watch < 0)
		job->watch = inotify_add_watch(server->inotify, path,
					       IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
	take_record(server, job, RECORD_END, job->name, NULL);
	take_record(server, job, RECORD_UNTIL, job->name, NULL);
	take_generations(server, job);
	refuse_strangers(server, job);
	take_record(server, job, RECORD_JOB, job->name, NULL);
	take_record(server, job, RECORD_SKIP, job->name, NULL);
}

struct job *jobs_watch(struct server *server, const char *name)
{
	struct job *job = server->jobs;

	while (job && strcmp(job->name, name))
		job = job->next;
	if (!job) {
		job = calloc(1, sizeof(*job));
		if (!job)
			return NULL;
		job->watch = -1;
		job->next = server->jobs;
		server->jobs = job;
		snprintf(job->name, sizeof(job->name), "%s", name);
		jobs_look(server, job);
	}
	job->watchers++;
	return job;
}

void jobs_unwatch(struct server *server, struct job *job)
{
	struct job **link = &server->jobs;

	if (--job->watchers)
		return;
	while (*link != job)
		link = &(*link)->next;
	*link = job->next;
	if (job->watch >= 0)
		inotify_rm_watch(server->inotify, job->watch);
	leave_rounds(server, job);
	free_blobs(job);
	free(job);
}

void jobs_decided(struct server *server, const struct round *round)
{
	for (struct job *job = server->jobs; job; job = job->next)
		if (jobs_has_round(job, round))
			jobs_look(server, job);
}

static void take_event(struct server *server, const struct inotify_event *event)
{
	for (struct job *job = server->jobs; job; job = job->next)
		if (event->mask & IN_Q_OVERFLOW || (event->wd == job->watch && job->watch >= 0) ||
		    (event->wd == server->jobs_watch && event->len &&
		     !strcmp(event->name, job->name)))
			jobs_look(server, job);
}

void jobs_notified(struct source *source, uint32_t events)
{
	struct server *server = (struct server *)((char *)source -
			       offsetof(struct server, notifier));
	char buffer[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t got;

	(void)events;
	while ((got = read(source->fd, buffer, sizeof(buffer))) > 0)
		for (char *at = buffer; at < buffer + got;) {
			const struct inotify_event *event = (const struct inotify_event *)at;

			take_event(server, event);
			at += sizeof(*event) + event->len;
		}
}
