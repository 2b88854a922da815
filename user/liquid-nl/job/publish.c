// SPDX-License-Identifier: GPL-2.0-only
/* On the controller: publish a round. */
#include <stdlib.h>
#include <string.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "job/publish.h"
#include "util/say.h"

int job_put_record(const struct job_store *store, enum record record, const char *of,
		   const char *part, json_t *json)
{
	struct liquid_error err;
	int status = record_put(store, record, of, part, json, &err);

	return status ? complain_of(status, &err) : EXIT_OK;
}

int publish_dir(const struct job_store *store, enum record record, const char *name)
{
	struct liquid_error err;
	int status = record_make_dir(store, record, name, &err);

	return status ? complain_of(status, &err) : EXIT_OK;
}

/* Make the round the job's next generation, and list the job as running. */
static int publish_job(const struct job_store *store, const char *job, const char *round)
{
	char last[JOB_ROUND_SIZE], number[16];
	struct liquid_error err;
	int status, code = publish_dir(store, RECORD_JOB, job);

	record_number(job_generation(store, job, last) + 1, number);
	if (!code)
		code = job_put_record(store, RECORD_GENERATION, job, number,
				      json_pack("{s:s}", "round", round));
	if (code)
		return code;
	status = record_put(store, RECORD_RUNNING, job, NULL, json_object(), &err);
	return status < 0 ? complain_of(status, &err) : EXIT_OK;
}

int publish_round(const struct job_args *args, const struct job_spec *spec)
{
	const struct job_store *store = &args->store;
	int code = places_find(args, spec);

	if (!code)
		code = job_put_record(store, RECORD_SPEC, spec->round, NULL, job_spec_json(spec));
	for (size_t i = 0; !code && i < spec->part_count; i++)
		code = publish_job(store, spec->part[i].job, spec->round);
	if (!code)
		put_text("job %s: round %s, %zu nodes, traffic %.12s on fabric %.12s\n",
			 spec->part[0].job, spec->round, job_spec_node_count(spec),
			 spec->traffic_digest, spec->fabric_digest);
	return code;
}

static int take_facts(struct publish_facts *facts, struct liquid_error *err)
{
	json_int_t transfers;

	if (json_unpack(facts->fabric.answer, "{s:I}", "transfers", &transfers) || transfers < 0 ||
	    !fabric_digest(facts->fabric.answer, "traffic_digest", facts->traffic_digest))
		return ask_malformed(err);
	facts->transfers = (uint64_t)transfers;
	return LIQUID_OK;
}

int publish_ask(const struct job_args *args, const char *path, const struct job_spec *spec,
		const struct job_spec *others, size_t count, struct publish_facts *facts)
{
	struct liquid_error err;
	struct ask ask;
	int status;

	ask_begin(&ask, "hosts");
	ask_set_file(&ask, ask.question, "fabric", path, NULL);
	fabric_ask_rail(&ask, &args->conf);
	fabric_ask_round(&ask, "round", spec, &args->conf);
	for (size_t i = 0; i < count; i++)
		fabric_ask_next(&ask, "others", &others[i], &args->conf);
	status = fabric_ask(&ask, &facts->fabric, &err);
	ask_end(&ask);
	if (!status)
		status = take_facts(facts, &err);
	return status ? complain_of(status, &err) : EXIT_OK;
}

int publish_fill(const struct job_args *args, const struct publish_facts *facts,
		 struct job_spec *spec)
{
	const struct conf *conf = &args->conf;
	struct liquid_error err;
	int status = LIQUID_OK;

	if (!facts->transfers)
		return complain(EXIT_BAD_INPUT, "job %s: its traffic is empty", args->job);
	spec->traffic_digest = strdup(facts->traffic_digest);
	spec->fabric_digest = strdup(facts->fabric.digest);
	/* A ready-made schedule states the rate of its unit itself. */
	if (!job_spec_schedule(spec))
		status = job_unit_rate(conf, &facts->fabric, &spec->link_rate_bps, &err);
	if (status)
		return complain_of(status, &err);
	if (!spec->traffic_digest || !spec->fabric_digest)
		return complain(EXIT_IO, "out of memory");
	spec->frame_ns = conf->frame_ns;
	spec->guard_ns = conf->guard_ns;
	spec->guard_given = conf->guard_given;
	spec->unit_bytes = conf->unit_bytes;
	spec->seed = conf->seed;
	spec->work = conf->work;
	spec->lead_ns = conf->lead_ns;
	spec->deadline_ns = clock_ns(CLOCK_REALTIME) + (int64_t)conf->deadline_ns;
	return EXIT_OK;
}

int publish_name(const struct job_args *args, struct job_spec *spec)
{
	char round[JOB_ROUND_SIZE];
	unsigned int number = job_generation(&args->store, args->job, round);

	/* A requeued job keeps its name, and its earlier run has left rounds behind. */
	do
		snprintf(round, sizeof(round), "%s-%u", args->job, ++number);
	while (record_has(&args->store, RECORD_ROUND, round, NULL));
	if (!job_name_fits(round))
		return complain(EXIT_BAD_INPUT, "job '%s': the name is too long", args->job);
	spec->round = strdup(round);
	return spec->round ? publish_dir(&args->store, RECORD_ROUND, round) :
	       complain(EXIT_IO, "out of memory");
}
