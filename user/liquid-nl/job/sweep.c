// SPDX-License-Identifier: GPL-2.0-only
/*
 * job sweep, on the controller, after the subnet manager has swept: rounds whose transfers take
 * other routes now are void
 *
 * A record says so of each job of such a round. All of its nodes open their gates when they see it,
 * and withdraw the plans of ranks. What changes elsewhere in the fabric voids nothing. A later
 * `job reroute` publishes another round, in which the nodes take part as ever.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command.h"
#include "job/sharing.h"
#include "job/store/records.h"
#include "input/input.h"
#include "util/say.h"

#define REASON_MAX 512

/* ---- the links of two fabrics ---- */

struct named {
	char name[2 * LIQUID_NAME_MAX + 32];
	uint32_t link;
};

static int compare_named(const void *one, const void *other)
{
	return strcmp(((const struct named *)one)->name, ((const struct named *)other)->name);
}

static struct named *name_links(const struct liquid_fabric *fabric)
{
	uint32_t count = liquid_fabric_link_count(fabric);
	struct named *named = calloc((size_t)count + 1, sizeof(*named));

	for (uint32_t i = 0; named && i < count; i++) {
		char text[sizeof(named->name)];

		snprintf(named[i].name, sizeof(named[i].name), "%s",
			 liquid_fabric_link_name(fabric, i, text, sizeof(text)));
		named[i].link = i;
	}
	if (named)
		qsort(named, count, sizeof(*named), compare_named);
	return named;
}

/* By link of @before, the same one of @now: LIQUID_NONE if it is gone or has another capacity */
static uint32_t *match_links(const struct liquid_fabric *before, const struct liquid_fabric *now)
{
	uint32_t count = liquid_fabric_link_count(before), others = liquid_fabric_link_count(now);
	uint32_t *same = calloc((size_t)count + 1, sizeof(*same));
	struct named *theirs = name_links(now), wanted;

	for (uint32_t i = 0; same && theirs && i < count; i++) {
		const struct named *found;
		char text[sizeof(wanted.name)];

		snprintf(wanted.name, sizeof(wanted.name), "%s",
			 liquid_fabric_link_name(before, i, text, sizeof(text)));
		found = bsearch(&wanted, theirs, others, sizeof(*theirs), compare_named);
		same[i] = found && liquid_fabric_capacity(now, found->link) ==
			  liquid_fabric_capacity(before, i) ? found->link : LIQUID_NONE;
	}
	if (!theirs) {
		free(same);
		same = NULL;
	}
	free(theirs);
	return same;
}

static bool is_same_route(const struct liquid_fabric *before, const struct liquid_fabric *now,
			  const uint32_t *same, const struct liquid_pair *pair)
{
	uint32_t src = liquid_fabric_find_host(now, liquid_fabric_node_name(before, pair->src));
	uint32_t dst = liquid_fabric_find_host(now, liquid_fabric_node_name(before, pair->dst));
	uint32_t path[LIQUID_PATH_MAX], other[LIQUID_PATH_MAX];
	struct liquid_error err;
	int length = liquid_fabric_route(before, pair->src, pair->dst, path, &err);

	if (src == LIQUID_NONE || dst == LIQUID_NONE || length <= 0 ||
	    liquid_fabric_route(now, src, dst, other, &err) != length)
		return false;
	for (int i = 0; i < length; i++)
		if (same[path[i]] != other[i])
			return false;
	return true;
}

/* Why a traffic cannot go on by its schedule, or "". Exit code */
static int compare_routes(const struct liquid_fabric *before, const struct liquid_fabric *now,
			  const struct liquid_traffic *traffic, char reason[REASON_MAX])
{
	const struct liquid_pair *pair = liquid_traffic_pairs(traffic), *first = NULL;
	size_t count = liquid_traffic_pair_count(traffic), moved = 0;
	uint32_t *same = match_links(before, now);

	if (!same)
		return complain(EXIT_IO, "out of memory");
	for (size_t i = 0; i < count; i++) {
		if (is_same_route(before, now, same, &pair[i]))
			continue;
		if (!moved++)
			first = &pair[i];
	}
	free(same);
	if (liquid_fabric_unit_rate(before) != liquid_fabric_unit_rate(now))
		snprintf(reason, REASON_MAX, "a unit has another rate now");
	else if (moved)
		snprintf(reason, REASON_MAX, "routes have changed: %zu of %zu pairs of hosts have "
			 "another one, as from %.100s to %.100s", moved, count,
			 liquid_fabric_node_name(before, first->src),
			 liquid_fabric_node_name(before, first->dst));
	return EXIT_OK;
}

/* ---- a round ---- */

/* A fabric of rounds, and what has become of it */
struct sweep {
	const struct job_args *args;
	const struct liquid_fabric *given;	/* as it is now; NULL: import the dumps likewise */
	struct liquid_fabric *before, *now;	/* of liquid.conf, for most rounds; or NULL */
	char digest[LIQUID_DIGEST_HEX];		/* of @before */
};

static int read_own(const struct job_args *args, const char *round, struct liquid_fabric **fabric)
{
	char record[JOB_PATH_MAX], path[32];
	struct liquid_error err;
	int fd, code;

	fd = job_open(&args->store, record_path(record, RECORD_FABRIC, round, NULL), &err);
	if (fd < 0)
		return complain(EXIT_BAD_INPUT, "%s", err.text);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	code = read_fabric(path, fabric);
	close(fd);
	return code;
}

/* @round: of which the fabric is read; NULL: that of liquid.conf */
static int read_both(struct sweep *sweep, const char *round)
{
	const struct job_args *args = sweep->args;
	struct liquid_error err;
	int status, code = round ? read_own(args, round, &sweep->before) :
			   read_fabric(args->conf.fabric, &sweep->before);

	if (code)
		return code;
	status = liquid_fabric_digest(sweep->before, sweep->digest, &err);
	if (status)
		return complain_of(status, &err);
	return sweep->given ? EXIT_OK : job_read_live(&args->conf, sweep->before, &sweep->now);
}

static void clear(struct sweep *sweep)
{
	liquid_fabric_free(sweep->before);
	liquid_fabric_free(sweep->now);
	sweep->before = sweep->now = NULL;
}

static int judge(const struct sweep *sweep, const struct job_spec *spec, char reason[REASON_MAX])
{
	const struct job_args *args = sweep->args;
	struct liquid_traffic *traffic;
	struct liquid_error err;
	int status, code;

	if (strcmp(sweep->digest, spec->fabric_digest)) {
		snprintf(reason, REASON_MAX, "it is for fabric %.12s, and %.200s is %.12s now",
			 spec->fabric_digest, args->conf.fabric, sweep->digest);
		return EXIT_OK;
	}
	status = job_spec_traffic(spec, sweep->before, &args->conf, &traffic, &err);
	if (status)
		return complain_of(status, &err);
	code = compare_routes(sweep->before, sweep->given ? sweep->given : sweep->now, traffic,
			      reason);
	liquid_traffic_free(traffic);
	return code;
}

/* A round after a reroute has a fabric of its own. */
static int judge_round(struct sweep *sweep, const struct job_spec *spec, char reason[REASON_MAX])
{
	struct sweep own = { .args = sweep->args, .given = sweep->given };
	int code = EXIT_OK;

	reason[0] = '\0';
	if (!spec->own_fabric) {
		if (!sweep->before)
			code = read_both(sweep, NULL);
		if (code)
			clear(sweep);
		return code ? code : judge(sweep, spec, reason);
	}
	code = read_both(&own, spec->round);
	if (!code)
		code = judge(&own, spec, reason);
	clear(&own);
	return code;
}

static int sweep_job(struct sweep *sweep, const char *job)
{
	const struct job_args *args = sweep->args;
	char round[JOB_ROUND_SIZE], reason[REASON_MAX];
	unsigned int generation = job_in_force(&args->store, job, round);
	struct job_spec spec;
	struct liquid_error err;
	int status, code;

	if (record_get_void(&args->store, job, generation, reason, sizeof(reason)) ||
	    !sharing_running(args, job, &spec))
		return EXIT_OK;
	code = judge_round(sweep, &spec, reason);
	/* It may have been rerouted since it was listed: the record is of that generation alone. */
	if (!code && *reason && strcmp(spec.round, round))
		reason[0] = '\0';
	job_spec_clear(&spec);
	if (code || !*reason)
		return code;
	status = record_put_void(&args->store, job, generation, reason, &err);
	if (status < 0)
		return complain_of(status, &err);
	put_text("job %s: round %s is void: %s\n", job, round, reason);
	return EXIT_OK;
}

/* One job that cannot be judged does not keep others from it. */
static int sweep_jobs(struct sweep *sweep)
{
	const struct job_args *args = sweep->args;
	struct liquid_names jobs = { 0 };
	struct liquid_error err;
	int code = EXIT_OK, status = job_list_running(&args->store, &jobs, &err);

	if (status)
		return complain_of(status, &err);
	for (size_t i = 0; i < jobs.count; i++) {
		int own = args->job && strcmp(args->job, jobs.name[i]) ? EXIT_OK :
			  sweep_job(sweep, jobs.name[i]);

		code = code ? code : own;
	}
	liquid_names_clear(&jobs);
	return code;
}

/* Jobs begin meanwhile, so this takes no lock of the store. */
int job_sweep(struct job_args *args)
{
	struct liquid_fabric *given = NULL;
	struct sweep sweep = { .args = args };
	int code = EXIT_OK;

	if (args->fabric)
		code = read_fabric(args->fabric, &given);
	else if (!args->conf.live_topo)
		code = complain(EXIT_BAD_INPUT, "%s names no live-topo and live-lft, and --fabric "
				"is not given: nothing says which routes there are now",
				args->conf_path);
	else
		code = job_run_live(&args->conf);
	if (code)
		return code;
	sweep.given = given;
	code = sweep_jobs(&sweep);
	clear(&sweep);
	liquid_fabric_free(given);
	return code;
}
