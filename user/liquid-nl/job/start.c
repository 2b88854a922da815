// SPDX-License-Identifier: GPL-2.0-only
/* job start, on the controller: choose a job's traffic, and publish its first round. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "job/publish.h"
#include "job/service/first.h"
#include "job/sharing.h"
#include "job/store/records.h"
#include "util/say.h"

/* ---- the traffic ---- */

/* The NAME of "liquid=NAME" among the words of a job's comment */
static bool traffic_of_comment(const char *comment, char name[JOB_NAME_MAX + 1])
{
	static const char key[] = "liquid=", between[] = " \t\r\n,;";
	const size_t before = strlen(key);
	size_t length;

	for (const char *at = comment; at && *at; at += length) {
		at += strspn(at, between);
		length = strcspn(at, between);
		if (length <= before || length - before > JOB_NAME_MAX || strncmp(at, key, before))
			continue;
		snprintf(name, JOB_NAME_MAX + 1, "%.*s", (int)(length - before), at + before);
		return true;
	}
	return false;
}

#define REASON_MAX 512

/* The traffic by which a job is to be gated */
struct wish {
	const struct conf_traffic *traffic;	/* NULL: the job is not gated */
	bool asked;			/* the job names a traffic, even one that is unknown */
	char reason[REASON_MAX];	/* why there is no traffic */
	struct liquid_names nodes;
};

/* The reason becomes a record, and the name may be any bytes: escape it. */
static void name_no_traffic(const char *name, char reason[REASON_MAX])
{
	FILE *out = fmemopen(reason, REASON_MAX, "w");

	if (!out)
		return;
	fputs("its comment names traffic '", out);
	put_escaped(out, name);
	fputs("', which is not configured", out);
	fclose(out);
}

/*
 * EXIT_OK without a traffic: the job is not to be gated. An unknown name in a job's comment is the
 * user's mistake, not a failure of the cluster. As an error, it would drain the node or requeue the
 * job, which would then fail again.
 */
static int choose_traffic(const struct job_args *args, struct wish *wish)
{
	char named[JOB_NAME_MAX + 1];
	bool by_user = !args->traffic && traffic_of_comment(args->comment, named);
	const char *name = by_user ? named : args->traffic;

	strcpy(wish->reason, "no traffic is configured for it");
	if (!name && args->partition)
		name = conf_partition_traffic(&args->conf, args->partition);
	if (!name || !strcmp(name, "none"))
		return EXIT_OK;
	wish->asked = true;
	wish->traffic = conf_find_traffic(&args->conf, name);
	if (!wish->traffic && by_user)
		name_no_traffic(name, wish->reason);
	else if (!wish->traffic)
		return complain(EXIT_BAD_INPUT, "%s: unknown traffic '%s'", args->conf_path, name);
	return EXIT_OK;
}

/* ---- start ---- */

/* Record that the job is not gated, so that its nodes need not wait. @asked: it was meant to be. */
static int skip_job(const struct job_args *args, bool asked, const char *cause,
		    const char *reason)
{
	int code = publish_dir(&args->store, RECORD_JOB, args->job);

	if (!code)
		code = job_put_record(&args->store, RECORD_SKIP, args->job, NULL,
				      record_skip_json(asked, cause, reason));
	if (code)
		return code;
	/* `job ready` reports its own. */
	if (!args->conf.first)
		put_text("job %s: not gated: %s\n", args->job, reason);
	return EXIT_OK;
}

static bool has_record(const struct job_args *args, enum record record)
{
	return record_has(&args->store, record, args->job, NULL);
}

/* A job that cannot be gated runs ungated or fails, as on-failure says. */
static int give_up(const struct job_args *args, const char *cause, const char *reason)
{
	int code = skip_job(args, true, cause, reason);

	if (code || args->conf.on_failure != CONF_FAIL)
		return code;
	return complain(EXIT_BAD_INPUT, "job %s: %s", args->job, reason);
}

/*
 * A requeued job starts again under the same name. The records of its earlier run are kept as
 * JOB.before-N until they are purged.
 */
static int put_aside(const struct job_args *args)
{
	char from[JOB_PATH_MAX], to[JOB_PATH_MAX], part[16];
	struct liquid_error err;
	unsigned int number = 0;
	int status;

	/* A new job has only the directory that job_start() has created. */
	if (!record_has(&args->store, RECORD_GENERATION, args->job, "1") &&
	    !has_record(args, RECORD_SKIP) && !has_record(args, RECORD_END))
		return EXIT_OK;
	record_path(from, RECORD_JOB, args->job, NULL);
	do {
		snprintf(part, sizeof(part), "%u", ++number);
		record_path(to, RECORD_FORMER, args->job, part);
	} while (job_has(&args->store, to));
	if (!job_name_fits(to + strlen(RECORDS_JOBS "/")))
		return complain(EXIT_BAD_INPUT, "job '%s': the name is too long to requeue",
				args->job);
	status = record_put(&args->store, RECORD_END, args->job, NULL,
			    json_pack("{s:s}", "by", "start"), &err);
	if (status >= 0)
		status = job_rename(&args->store, from, to, &err);
	if (!status)
		record_forget_running(&args->store, args->job);
	return status ? complain_of(status, &err) : EXIT_OK;
}

/* Time for Slurm to kill a job at its time limit */
#define GRACE_NS UINT64_C(30000000000)

/*
 * The epilogues record the end of a job. If none of them ever runs, the job ends at its time limit,
 * if that is known, and at the latest when the `longest` of liquid.conf has passed.
 */
static int put_until(const struct job_args *args)
{
	const struct conf *conf = &args->conf;
	uint64_t grace = (conf->deadline_ns + conf->lead_ns + GRACE_NS) / 1000000000;
	uint64_t longest = (clock_ns(CLOCK_REALTIME) + conf->longest_ns) / 1000000000;
	uint64_t until = args->until ? args->until + grace : longest;
	int code = publish_dir(&args->store, RECORD_JOB, args->job);

	if (conf->longest_ns && until > longest)
		until = longest;
	if (code || (!args->until && !conf->longest_ns))
		return code;
	return job_put_record(&args->store, RECORD_UNTIL, args->job, NULL,
			      json_pack("{s:I}", "until", (json_int_t)until));
}

static int publish(struct job_args *args, const struct publish_facts *facts, struct job_spec *spec)
{
	int code = publish_fill(args, facts, spec);

	if (!code)
		code = publish_name(args, spec);
	if (!code)
		code = put_until(args);
	return code ? code : publish_round(args, spec);
}

static int start_locked(struct job_args *args, struct job_spec *spec, struct publish_facts *facts)
{
	const size_t most = args->conf.service ? JOB_SERVICE_NODES_MAX : JOB_NODES_MAX;
	char reason[512];
	int code = sharing_check(args, spec, facts, reason);

	if (code)
		return code;
	if (*reason)
		return give_up(args, CAUSE_SHARED, reason);
	if (job_spec_node_count(spec) > most) {
		snprintf(reason, sizeof(reason), "its round would have %zu nodes, and the limit is "
			 "%zu", job_spec_node_count(spec), most);
		return give_up(args, CAUSE_SIZE, reason);
	}
	return publish(args, facts, spec);
}

static int start_gated(struct job_args *args, const struct conf_traffic *traffic,
		       const struct liquid_names *names)
{
	struct job_spec spec = { .part = calloc(1, sizeof(*spec.part)), .part_count = 1 };
	struct publish_facts facts = { 0 };
	int code = EXIT_OK;

	if (!spec.part ||
	    job_part_set(&spec.part[0], args->job, traffic->what, traffic->tasks_per_node,
			 (const char *const *)names->name, names->count))
		code = complain(EXIT_IO, "out of memory");
	if (!code)
		code = start_locked(args, &spec, &facts);
	job_spec_clear(&spec);
	fabric_clear(&facts.fabric);
	return code;
}

static int expand_nodes(const struct job_args *args, struct liquid_names *names)
{
	struct liquid_error err;

	if (liquid_hostlist_expand(args->nodes, names, &err))
		return complain(EXIT_BAD_INPUT, "--nodes: %s", err.text);
	for (size_t i = 0; i < names->count; i++)
		if (!job_name_fits(names->name[i]))
			return complain(EXIT_BAD_INPUT, "--nodes: invalid node name '%s'",
					names->name[i]);
	return EXIT_OK;
}

/* With `agree first` each node finds out who that is. */
static int set_first(struct job_args *args, const struct liquid_names *nodes)
{
	for (size_t i = 0; i < nodes->count; i++)
		if (!strcmp(nodes->name[i], args->node))
			args->first = strdup(nodes->name[0]);
	return args->first ? EXIT_OK :
	       complain(EXIT_BAD_INPUT, "node '%s' is none of the nodes %s", args->node,
			args->nodes);
}

static int read_wish(struct job_args *args, struct wish *wish)
{
	int code = choose_traffic(args, wish);

	if (!code && wish->traffic)
		code = expand_nodes(args, &wish->nodes);
	return !code && wish->traffic && args->conf.first ? set_first(args, &wish->nodes) : code;
}

/* Another node publishes the job. This one's records of it are in the other's store too. */
static int start_elsewhere(const struct job_args *args)
{
	int code = put_until(args);

	return code ? code : job_put_record(&args->store, RECORD_AT, args->job, NULL,
					    json_pack("{s:s}", "node", args->first));
}

/* The other nodes of the job may call before it is published. */
static int start_first(struct job_args *args, const struct wish *wish)
{
	char reason[512] = "";
	off_t said = job_said();

	if (!first_serve(args))
		return start_gated(args, wish->traffic, &wish->nodes);
	job_said_since(said, reason, sizeof(reason));
	return give_up(args, CAUSE_NETWORK, reason);
}

static int start(struct job_args *args, const struct wish *wish)
{
	if (!wish->traffic)
		return skip_job(args, wish->asked, CAUSE_TRAFFIC, wish->reason);
	if (wish->nodes.count < 2)
		return skip_job(args, false, CAUSE_SIZE, "it has one node");
	if (!args->conf.first)
		return start_gated(args, wish->traffic, &wish->nodes);
	return strcmp(args->node, args->first) ? start_elsewhere(args) : start_first(args, wish);
}

/* Record the last message on stderr as the reason, for `job status`. */
static int give_up_failed(const struct job_args *args, off_t since)
{
	char reason[600], line[512];
	bool told = job_said_since(since, line, sizeof(line));

	snprintf(reason, sizeof(reason), "it could not be started%s%s", told ? ": " : "",
		 told ? line : "");
	return give_up(args, CAUSE_SCHEDULE, reason);
}

static int start_alone(struct job_args *args, const struct wish *wish, off_t said, int code)
{
	char round[JOB_ROUND_SIZE];

	if (!job_ended(&args->store, args->job) && job_in_force(&args->store, args->job, round))
		return complain(EXIT_BAD_INPUT, "job %s was already started", args->job);
	if (!code)
		code = put_aside(args);
	if (!code)
		code = start(args, wish);
	return code && !has_record(args, RECORD_SKIP) ? give_up_failed(args, said) : code;
}

int job_start(struct job_args *args)
{
	struct wish wish = { 0 };
	struct liquid_error err;
	off_t said = job_said();
	int lock, code = read_wish(args, &wish);

	/*
	 * Nodes wait only a few seconds for the job's directory. Once it exists, they wait for
	 * the round until the deadline.
	 */
	record_make_dir(&args->store, RECORD_JOB, args->job, &err);
	lock = job_lock(&args->store, &err);
	code = lock < 0 ? complain_of(LIQUID_IO, &err) : start_alone(args, &wish, said, code);
	if (lock >= 0)
		close(lock);
	liquid_names_clear(&wish.nodes);
	return code;
}
