// SPDX-License-Identifier: GPL-2.0-only
/* The records of the store as paths and as JSON, see records.h. */
#include <string.h>

#include "job/store/records.h"

const char *record_path(char path[JOB_PATH_MAX], enum record record, const char *of,
			const char *part)
{
	static const char *const patterns[] = {
		[RECORD_PURGED] = "purged",
		[RECORD_RUNNING] = RECORDS_RUNNING "/%s",
		[RECORD_JOB] = RECORDS_JOBS "/%s",
		[RECORD_GENERATION] = RECORDS_JOBS "/%s/gen-%s.json",
		[RECORD_SKIP] = RECORDS_JOBS "/%s/skip.json",
		[RECORD_UNTIL] = RECORDS_JOBS "/%s/until.json",
		[RECORD_END] = RECORDS_JOBS "/%s/end.json",
		[RECORD_VOID] = RECORDS_JOBS "/%s/void-%s.json",
		[RECORD_AT] = RECORDS_JOBS "/%s/first.json",
		[RECORD_UNASKED] = RECORDS_JOBS "/.unasked-%s",
		[RECORD_FORMER] = RECORDS_JOBS "/%s.before-%s",
		[RECORD_ROUND] = RECORDS_ROUNDS "/%s",
		[RECORD_SPEC] = RECORDS_ROUNDS "/%s/spec.json",
		[RECORD_FABRIC] = RECORDS_ROUNDS "/%s/fabric",
		[RECORD_SCHEDULE] = RECORDS_ROUNDS "/%s/schedule.json",
		[RECORD_FIGURES] = RECORDS_ROUNDS "/%s/figures.json",
		[RECORD_PLACES] = RECORDS_ROUNDS "/%s/places.json",
		[RECORD_RELEASE] = RECORDS_ROUNDS "/%s/release.json",
		[RECORD_GO] = RECORDS_ROUNDS "/%s/go.json",
		[RECORD_READY] = RECORDS_ROUNDS "/%s/ready.%s.json",
		[RECORD_COMMITTED] = RECORDS_ROUNDS "/%s/committed.%s.json",
		[RECORD_OPEN] = RECORDS_ROUNDS "/%s/open.%s.json",
		[RECORD_FIRST] = RECORDS_ROUNDS "/%s/first.%s.json",
		[RECORD_LAST] = RECORDS_ROUNDS "/%s/last.%s.json",
		[RECORD_REFUSED] = RECORDS_ROUNDS "/%s/refused.%s.json",
	};

	snprintf(path, JOB_PATH_MAX, patterns[record], of, part);
	return path;
}

bool record_has(const struct job_store *store, enum record record, const char *of,
		const char *part)
{
	char path[JOB_PATH_MAX];

	if (store->backend)
		return store->backend->look(store, record, of, part) == RECORD_PRESENT;
	return job_has(store, record_path(path, record, of, part));
}

bool record_lacks(const struct job_store *store, enum record record, const char *of)
{
	char path[JOB_PATH_MAX];

	if (store->backend)
		return store->backend->look(store, record, of, NULL) == RECORD_ABSENT;
	return job_lacks(store, record_path(path, record, of, NULL));
}

json_t *record_get(const struct job_store *store, enum record record, const char *of,
		   const char *part, struct liquid_error *err)
{
	char path[JOB_PATH_MAX];

	if (store->backend)
		return store->backend->get(store, record, of, part, err);
	return job_get(store, record_path(path, record, of, part), err);
}

const char *record_number(unsigned int number, char text[16])
{
	snprintf(text, 16, "%u", number);
	return text;
}

static int tell_lost(const struct job_store *store, const char *path, int status,
		     struct liquid_error *err)
{
	return status != JOB_PUT_LOST ? status :
	       liquid_fail(err, status, "%s/%s: already exists", store->dir, path);
}

int record_put(const struct job_store *store, enum record record, const char *of,
	       const char *part, json_t *json, struct liquid_error *err)
{
	char path[JOB_PATH_MAX];

	record_path(path, record, of, part);
	return tell_lost(store, path, store->backend ?
			 store->backend->put(store, record, of, part, json, err) :
			 job_put(store, path, json, err), err);
}

int record_put_file(const struct job_store *store, enum record record, const char *of, int fd,
		    struct liquid_error *err)
{
	char path[JOB_PATH_MAX];

	record_path(path, record, of, NULL);
	return tell_lost(store, path, job_put_file(store, path, fd, err), err);
}

int record_make_dir(const struct job_store *store, enum record record, const char *of,
		    struct liquid_error *err)
{
	char path[JOB_PATH_MAX];

	return job_make_dir(store, record_path(path, record, of, NULL), err);
}

/* Text that is too long was not written by this program, and counts as missing. */
static void copy_text(const json_t *json, const char *name, char *text, size_t size)
{
	const char *value = json_string_value(json_object_get(json, name));

	snprintf(text, size, "%s", value && strlen(value) < size ? value : "");
}

static bool get_integer(const json_t *json, const char *name, int64_t *value)
{
	const json_t *member = json_object_get(json, name);

	if (json_is_integer(member))
		*value = json_integer_value(member);
	return json_is_integer(member);
}

/* ---- of a job ---- */

bool record_get_generation(const struct job_store *store, const char *job, unsigned int number,
			   char round[JOB_ROUND_SIZE])
{
	struct liquid_error err;
	char text[16];
	json_t *json = record_get(store, RECORD_GENERATION, job, record_number(number, text), &err);
	const char *name;
	bool found = json && !json_unpack(json, "{s:s}", "round", &name) && job_name_fits(name);

	if (found)
		snprintf(round, JOB_ROUND_SIZE, "%s", name);
	json_decref(json);
	return found;
}

json_t *record_skip_json(bool asked, const char *cause, const char *reason)
{
	return json_pack("{s:s, s:b, s:s}", "reason", reason, "asked", asked, "cause", cause);
}

bool record_get_skip(const struct job_store *store, const char *job, struct record_skip *skip)
{
	struct liquid_error err;
	json_t *json = record_get(store, RECORD_SKIP, job, NULL, &err);

	if (!json)
		return false;
	copy_text(json, "reason", skip->reason, sizeof(skip->reason));
	skip->asked = !json_is_false(json_object_get(json, "asked"));
	json_decref(json);
	return true;
}

int64_t record_get_until(const struct job_store *store, const char *job)
{
	struct liquid_error err;
	json_t *json = record_get(store, RECORD_UNTIL, job, NULL, &err);
	int64_t until = 0;

	get_integer(json, "until", &until);
	json_decref(json);
	return until;
}

bool record_get_void(const struct job_store *store, const char *job, unsigned int number,
		     char *reason, size_t size)
{
	struct liquid_error err;
	char text[16];
	json_t *json = record_get(store, RECORD_VOID, job, record_number(number, text), &err);
	const char *value = json_string_value(json_object_get(json, "reason"));
	bool found = json;

	snprintf(reason, size, "%s", value ? value : "");
	json_decref(json);
	return found;
}

void record_forget_running(const struct job_store *store, const char *job)
{
	struct liquid_error err;
	char path[JOB_PATH_MAX];

	job_remove(store, record_path(path, RECORD_RUNNING, job, NULL), &err);
}

/* ---- of a round ---- */

bool record_get_deadline(const struct job_store *store, const char *round, int64_t *deadline_ns)
{
	struct liquid_error err;
	json_t *json = record_get(store, RECORD_SPEC, round, NULL, &err);
	bool found = get_integer(json, "deadline_ns", deadline_ns);

	json_decref(json);
	return found;
}

int record_put_reason(const struct job_store *store, enum record record, const char *round,
		      const char *node, const char *reason, struct liquid_error *err)
{
	return record_put(store, record, round, node,
			  json_pack("{s:s, s:s}", "node", node, "reason", reason), err);
}

static const char *verdict_of(enum record record, bool positive)
{
	if (record == RECORD_RELEASE)
		return positive ? "commit" : "abort";
	return positive ? "keep" : "cancel";
}

int record_put_decision(const struct job_store *store, enum record record, const char *round,
			const struct record_decision *decision, struct liquid_error *err)
{
	json_t *base = decision->base_given ? json_integer(decision->base_ns) : NULL;
	json_t *tai = decision->base_given ? json_integer(decision->tai_offset) : NULL;
	json_t *json = json_pack("{s:s, s:s, s:s*, s:o*, s:o*, s:s*, s:s*}",
				 "verdict", verdict_of(record, decision->positive),
				 "node", decision->node,
				 "digest", *decision->digest ? decision->digest : NULL,
				 "base_ns", base, "tai_offset", tai,
				 "reason", *decision->reason ? decision->reason : NULL,
				 "cause", *decision->cause ? decision->cause : NULL);
	int status = record_put(store, record, round, NULL, json, err);

	return status == JOB_PUT_LOST ? LIQUID_OK : status;
}

void record_read_decision(const json_t *json, enum record record,
			  struct record_decision *decision)
{
	const char *verdict = json_string_value(json_object_get(json, "verdict"));

	*decision = (struct record_decision){ .made = verdict, .tai_offset = RECORD_TAI_OFFSET };
	if (!verdict)
		return;
	decision->positive = !strcmp(verdict, verdict_of(record, true));
	decision->base_given = get_integer(json, "base_ns", &decision->base_ns);
	get_integer(json, "tai_offset", &decision->tai_offset);
	copy_text(json, "node", decision->node, sizeof(decision->node));
	copy_text(json, "digest", decision->digest, sizeof(decision->digest));
	copy_text(json, "reason", decision->reason, sizeof(decision->reason));
	copy_text(json, "cause", decision->cause, sizeof(decision->cause));
}

bool record_get_decision(const struct job_store *store, enum record record, const char *round,
			 struct record_decision *decision)
{
	struct liquid_error err;
	json_t *json = record_get(store, record, round, NULL, &err);

	record_read_decision(json, record, decision);
	json_decref(json);
	return decision->made;
}
