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

#include "cmd/cmd.h"
#include "job/sharing.h"
#include "job/store/records.h"
#include "util/input.h"
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

static int read_before(const struct job_args *args, const struct job_spec *spec,
		       struct liquid_fabric **fabric)
{
	char record[JOB_PATH_MAX], path[32];
	struct liquid_error err;
	int fd, code;

	if (!spec->own_fabric)
		return read_fabric(args->conf.fabric, fabric);
	fd = job_open(&args->store, record_path(record, RECORD_FABRIC, spec->round, NULL), &err);
	if (fd < 0)
		return complain(EXIT_BAD_INPUT, "%s", err.text);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	code = read_fabric(path, fabric);
	close(fd);
	return code;
}

/* @given: the fabric as it is now; NULL: import the dumps likewise */
static int compare_now(const struct job_args *args, const struct job_spec *spec,
		       const struct liquid_fabric *before, const struct liquid_fabric *given,
		       char reason[REASON_MAX])
{
	struct liquid_fabric *now = NULL;
	struct liquid_traffic *traffic;
	struct liquid_error err;
	int status, code = given ? EXIT_OK : job_read_live(&args->conf, before, &now);

	if (code)
		return code;
	status = job_spec_traffic(spec, before, args->conf.rail, &traffic, &err);
	code = status ? complain_of(status, &err) :
	       compare_routes(before, given ? given : now, traffic, reason);
	liquid_traffic_free(traffic);
	liquid_fabric_free(now);
	return code;
}

static int judge(const struct job_args *args, const struct job_spec *spec,
		 const struct liquid_fabric *given, char reason[REASON_MAX])
{
	char digest[LIQUID_DIGEST_HEX];
	struct liquid_fabric *before;
	struct liquid_error err;
	int status, code = read_before(args, spec, &before);

	reason[0] = '\0';
	if (code)
		return code;
	status = liquid_fabric_digest(before, digest, &err);
	if (status)
		code = complain_of(status, &err);
	else if (strcmp(digest, spec->fabric_digest))
		snprintf(reason, REASON_MAX, "it is for fabric %.12s, and %.200s is %.12s now",
			 spec->fabric_digest, args->conf.fabric, digest);
	else
		code = compare_now(args, spec, before, given, reason);
	liquid_fabric_free(before);
	return code;
}

static int sweep_job(const struct job_args *args, const char *job,
		     const struct liquid_fabric *given)
{
	char round[JOB_ROUND_SIZE], reason[REASON_MAX];
	unsigned int generation = job_in_force(&args->store, job, round);
	struct job_spec spec;
	struct liquid_error err;
	int status, code;

	if (record_get_void(&args->store, job, generation, reason, sizeof(reason)) ||
	    !sharing_running(args, job, &spec))
		return EXIT_OK;
	code = judge(args, &spec, given, reason);
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
static int sweep_jobs(const struct job_args *args, const struct liquid_fabric *given)
{
	struct liquid_names jobs = { 0 };
	struct liquid_error err;
	int code = EXIT_OK, status = job_list_running(&args->store, &jobs, &err);

	if (status)
		return complain_of(status, &err);
	for (size_t i = 0; i < jobs.count; i++) {
		int own = args->job && strcmp(args->job, jobs.name[i]) ? EXIT_OK :
			  sweep_job(args, jobs.name[i], given);

		code = code ? code : own;
	}
	liquid_names_clear(&jobs);
	return code;
}

int job_sweep(struct job_args *args)
{
	struct liquid_fabric *given = NULL;
	struct liquid_error err;
	int lock, code = EXIT_OK;

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
	/* A job that is rerouted meanwhile is judged by its new round, or not at all. */
	lock = job_lock(&args->store, &err);
	code = lock < 0 ? complain_of(LIQUID_IO, &err) : sweep_jobs(args, given);
	if (lock >= 0)
		close(lock);
	liquid_fabric_free(given);
	return code;
}
