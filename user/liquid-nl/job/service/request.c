// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of a node
 *
 * A node says its own words, decides in rounds that it takes part in, and notes the end of jobs
 * that it belongs to. Nothing else is written for it.
 */
#include <string.h>

#include "util/command.h"
#include "util/digest.h"
#include "job/service/server.h"

static bool job_of(const struct session *session, const struct job *job)
{
	for (size_t i = 0; i < job->round_count; i++)
		if (round_place(job->rounds[i], session))
			return true;
	return false;
}

static struct job *find_job(const struct session *session, const char *name)
{
	for (size_t i = 0; i < session->job_count; i++)
		if (!strcmp(session->jobs[i]->name, name))
			return session->jobs[i];
	return NULL;
}

/* A round of a job that the session watches, in which it is a node */
static struct round *find_round(const struct session *session, const char *name,
				struct place **place)
{
	for (size_t i = 0; i < session->job_count; i++) {
		const struct job *job = session->jobs[i];

		for (size_t n = 0; n < job->round_count; n++) {
			if (strcmp(job->rounds[n]->spec.round, name))
				continue;
			*place = round_place(job->rounds[n], session);
			return *place ? job->rounds[n] : NULL;
		}
	}
	return NULL;
}

/* ---- watch ---- */

static void watch(struct session *session, const char *name)
{
	const char *only = session->server->job;
	struct job *job;

	if (*only && strcmp(name, only)) {
		session_refuse(session, REFUSED_JOB);
		return;
	}
	if (!job_name_fits(name) || session->job_count == SESSION_JOBS) {
		session_refuse(session, "it watches too many jobs, or one without a name");
		return;
	}
	if (find_job(session, name))
		return;
	job = jobs_watch(session->server, name);
	if (!job) {
		session_refuse(session, "out of memory");
		return;
	}
	session->jobs[session->job_count++] = job;
	jobs_tell(session, job);
	jobs_refuse_stranger(session, job);
	session_send(session, NULL, 0, "synced %s", name);
}

/* ---- words ---- */

void request_send_words(struct session *session, const struct round *round, enum record word)
{
	const struct tally *tally = &round->tally[word == RECORD_COMMITTED];
	char missing[256] = "";

	if (tally->said < round->count)
		round_missing(round, word, missing, sizeof(missing));
	session_send(session, missing, strlen(missing), "words %s %s %zu %zu %s %s",
		     channel_record_name(word), round->spec.round, tally->said, round->count,
		     *tally->digest ? tally->digest : "-", *tally->other ? tally->other : "-");
}

/* All nodes of the round learn when all have said the word, or when two differ. */
static void tell_words(struct server *server, const struct round *round, enum record word)
{
	const struct tally *tally = &round->tally[word == RECORD_COMMITTED];

	if (tally->said != round->count && !*tally->other)
		return;
	for (struct session *at = server->sessions; at; at = at->next)
		for (size_t i = 0; !at->dead && at->known && i < at->job_count; i++)
			if (jobs_has_round(at->jobs[i], round) && round_place(round, at)) {
				request_send_words(at, round, word);
				break;
			}
}

static void count(struct session *session, enum record word, const char *name)
{
	struct place *place;
	const struct round *round = find_round(session, name, &place);

	if (round)
		request_send_words(session, round, word);
	else
		session_refuse(session, "it asks for a round that it is not a node of");
}

/* ---- put ---- */

static void answer(struct session *session, int status, const struct liquid_error *err)
{
	const char *words = status < 0 ? "put failed" : status ? "put lost" : "put done";

	session_send(session, err->text, status < 0 ? strlen(err->text) : 0, "%s", words);
}

static int put_word(struct session *session, struct round *round, struct place *place,
		    enum record word, const json_t *json, struct liquid_error *err)
{
	const char *digest = json_string_value(json_object_get(json, "digest"));

	if (!is_hex(digest, LIQUID_DIGEST_HEX - 1))
		return liquid_fail(err, LIQUID_BAD_INPUT, "malformed word of a node");
	return round_say(round, place, session->hello.process, word, digest, err);
}

static int put_open(struct session *session, const struct round *round, const json_t *json,
		    struct liquid_error *err)
{
	const char *reason = json_string_value(json_object_get(json, "reason"));

	return record_put_reason(session->server->store, RECORD_OPEN, round->spec.round,
				 session->hello.node, reason ? reason : "", err);
}

/* The service does not look into a sample: `job report` judges it. */
static int put_sample(const struct session *session, const struct round *round,
		      enum record record, json_t *json, struct liquid_error *err)
{
	return record_put(session->server->store, record, round->spec.round, session->hello.node,
			  json_incref(json), err);
}

static void put_in_round(struct session *session, enum record record, const char *name,
			 json_t *json)
{
	struct server *server = session->server;
	struct liquid_error err = { "" };
	struct place *place;
	struct round *round = find_round(session, name, &place);
	bool word = record == RECORD_READY || record == RECORD_COMMITTED;
	int status;

	if (!round)
		status = liquid_fail(&err, LIQUID_BAD_INPUT, "%s is not a node of round %.64s",
				     session_name(session), name);
	else if (word)
		status = put_word(session, round, place, record, json, &err);
	else if (record == RECORD_OPEN)
		status = put_open(session, round, json, &err);
	else if (record == RECORD_FIRST || record == RECORD_LAST)
		status = put_sample(session, round, record, json, &err);
	else
		status = round_decide(server, round, place, record, json, &err);
	answer(session, status, &err);
	if (word && !status)
		tell_words(server, round, record);
}

static void put_end(struct session *session, const char *name)
{
	struct job_store *store = session->server->store;
	struct liquid_error err = { "" };
	struct job *job = find_job(session, name);
	int status = LIQUID_OK;

	/* A job without a round has nothing to end. The controller's own epilogue forgets it. */
	if (job && job->round_count && !job_of(session, job))
		status = liquid_fail(&err, LIQUID_BAD_INPUT, "%s is not a node of job %.64s",
				     session_name(session), name);
	else if (job && job->round_count)
		status = record_put(store, RECORD_END, name, NULL,
				    json_pack("{s:s}", "by", session->hello.node), &err);
	if (job && job->round_count && status >= 0) {
		record_forget_running(store, name);
		jobs_look(session->server, job);
	}
	answer(session, status, &err);
}

/* A newer node's */
static void answer_unknown(struct session *session, const char *name)
{
	struct liquid_error err;

	answer(session, liquid_fail(&err, LIQUID_BAD_INPUT, "it is older than the node, and does "
				    "not know the record '%.32s'", name), &err);
}

static void put(struct session *session, const struct message *message)
{
	int record = channel_record_of(message->word[1]);
	json_t *json = json_loadb(message->body, message->length, JSON_REJECT_DUPLICATES, NULL);

	if (json_is_object(json) && record == RECORD_END)
		put_end(session, message->word[2]);
	else if (json_is_object(json) && record < 0)
		answer_unknown(session, message->word[1]);
	else if (json_is_object(json) && (record == RECORD_READY || record == RECORD_COMMITTED ||
					  record == RECORD_RELEASE || record == RECORD_GO ||
					  record == RECORD_OPEN || record == RECORD_FIRST ||
					  record == RECORD_LAST))
		put_in_round(session, (enum record)record, message->word[2], json);
	else
		session_refuse(session, "it writes what no node writes");
	json_decref(json);
}

/* ---- slices ---- */

static void no_slice(struct session *session, const char *why)
{
	session->slice_of[0] = '\0';
	session_send(session, why, strlen(why), "slice - -");
}

/* As many pieces as go; the rest when there is room again */
void request_send_slice(struct session *session)
{
	struct place *place;
	struct round *round;
	const char *why;
	uint64_t size;

	while (!session->dead && *session->slice_of && !channel_waiting(&session->channel)) {
		static uint8_t piece[CHANNEL_PIECE];
		ssize_t got;

		round = find_round(session, session->slice_of, &place);
		if (!round || !round->slices) {
			no_slice(session, "the round is over");
			return;
		}
		switch (slices_find(round->slices, place->node, &size, &why)) {
		case TAKEN_NOTHING:
			return;
		case TAKEN_BAD:
			no_slice(session, why);
			return;
		case TAKEN_ONE:
			break;
		}
		got = slices_read(round->slices, place->node, session->slice_at, piece,
				  sizeof(piece));
		if (got <= 0) {
			no_slice(session, "the slice cannot be read");
			return;
		}
		session_send(session, piece, (size_t)got, "slice %llu %llu",
			     (unsigned long long)session->slice_at, (unsigned long long)size);
		session->slice_at += (uint64_t)got;
		if (session->slice_at >= size)
			session->slice_of[0] = '\0';
	}
}

static void slice(struct session *session, const char *name)
{
	struct place *place;
	struct round *round = find_round(session, name, &place);

	if (!round) {
		no_slice(session, "this node, or the address that it calls from, is not of the "
			 "round");
		return;
	}
	if (record_has(session->server->store, RECORD_RELEASE, name, NULL)) {
		no_slice(session, "the round is over");
		return;
	}
	if (!round->slices)
		round->slices = slices_start(session->server, round);
	if (!round->slices) {
		no_slice(session, "out of memory");
		return;
	}
	snprintf(session->slice_of, sizeof(session->slice_of), "%s", name);
	session->slice_at = 0;
	request_send_slice(session);
}

/* ---- running jobs ---- */

#define RUNNING_MAX 65536

/* Rounds of the session's node; they are few, and the client asks about each. */
static bool runs_there(struct session *session, const char *name)
{
	struct job *job = jobs_watch(session->server, name);
	bool there = job && job_of(session, job);

	if (job)
		jobs_unwatch(session->server, job);
	return there;
}

static void running(struct session *session)
{
	struct liquid_names jobs = { 0 };
	struct liquid_error err;
	char text[RUNNING_MAX] = "";
	size_t used = 0;

	if (!job_list_running(session->server->store, &jobs, &err))
		for (size_t i = 0; i < jobs.count && used < sizeof(text) - JOB_NAME_MAX - 2; i++)
			if (runs_there(session, jobs.name[i]))
				used += (size_t)snprintf(text + used, sizeof(text) - used, "%s\n",
							 jobs.name[i]);
	liquid_names_clear(&jobs);
	session_send(session, text, used, "running");
}

/* ---- */

void request_take(struct session *session, const struct message *message)
{
	const char *verb = message->word[0];
	int record = channel_record_of(message->word[1]);

	if (!strcmp(verb, "watch") && message->words == 2)
		watch(session, message->word[1]);
	else if (!strcmp(verb, "put") && message->words == 4)
		put(session, message);
	else if (!strcmp(verb, "count") && message->words == 3 &&
		 (record == RECORD_READY || record == RECORD_COMMITTED))
		count(session, (enum record)record, message->word[2]);
	else if (!strcmp(verb, "slice") && message->words == 2)
		slice(session, message->word[1]);
	else if (!strcmp(verb, "running") && message->words == 1)
		running(session);
	else if (!strcmp(verb, "place") && message->words == 1)
		lookup_start(session);
	else
		session_send(session, NULL, 0, "unknown %.32s", verb);
}
