// SPDX-License-Identifier: GPL-2.0-only
/* By the controller: publish a job's first round, or another after its routes have changed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "input.h"
#include "job.h"

static int bad_input(int status, const struct liquid_error *err)
{
	return complain(exit_code_of(status), "%s", err->text);
}

static int64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* ---- which traffic ---- */

/* A comment may only name a traffic that is configured: "liquid=NAME" among its words. */
static bool traffic_of_comment(const char *comment, char name[JOB_NAME_MAX + 1])
{
	const char *at = comment ? strstr(comment, "liquid=") : NULL;
	size_t length;

	if (!at || (at > comment && !strchr(" ,;", at[-1])))
		return false;
	at += strlen("liquid=");
	length = strcspn(at, " ,;");
	if (!length || length > JOB_NAME_MAX)
		return false;
	snprintf(name, JOB_NAME_MAX + 1, "%.*s", (int)length, at);
	return true;
}

/* EXIT_OK with *traffic NULL: this job is not to be gated. */
static int choose_traffic(const struct job_args *args, const struct conf_traffic **traffic)
{
	char named[JOB_NAME_MAX + 1];
	const char *name = args->traffic;

	*traffic = NULL;
	if (!name && traffic_of_comment(args->comment, named))
		name = named;
	if (!name && args->partition)
		name = conf_partition_traffic(&args->conf, args->partition);
	if (!name || !strcmp(name, "none"))
		return EXIT_OK;
	*traffic = conf_find_traffic(&args->conf, name);
	if (!*traffic)
		return complain(EXIT_BAD_INPUT, "%s: has no traffic '%s'", args->conf_path, name);
	return EXIT_OK;
}

/* ---- records ---- */

static int put(const struct job_store *store, const char *path, json_t *json)
{
	struct liquid_error err;
	int status = job_put(store, path, json, &err);

	if (status == JOB_PUT_LOST)
		return complain(EXIT_BAD_INPUT, "%s/%s: is there already", store->dir, path);
	return status ? bad_input(status, &err) : EXIT_OK;
}

static int make_dir(const struct job_store *store, const char *kind, const char *name)
{
	struct liquid_error err;
	char path[JOB_PATH_MAX];
	int status;

	snprintf(path, sizeof(path), "%s/%s", kind, name);
	status = job_make_dir(store, path, &err);
	return status ? bad_input(status, &err) : EXIT_OK;
}

/* The nodes of a job that is not gated need not wait for the deadline. */
static int skip_job(const struct job_args *args, const char *reason)
{
	char path[JOB_PATH_MAX];
	int code = make_dir(&args->store, "jobs", args->job);

	snprintf(path, sizeof(path), "jobs/%s/skip.json", args->job);
	if (!code)
		code = put(&args->store, path, json_pack("{s:s}", "reason", reason));
	if (!code)
		printf("job %s: not gated: %s\n", args->job, reason);
	return code;
}

/* A generation of each of its jobs leads to the round, which is whole by then. */
static int publish(const struct job_store *store, const struct job_spec *spec)
{
	char path[JOB_PATH_MAX], round[JOB_NAME_MAX + 16];
	int code;

	snprintf(path, sizeof(path), "rounds/%s/spec.json", spec->round);
	code = put(store, path, job_spec_json(spec));
	for (size_t i = 0; !code && i < spec->part_count; i++) {
		const char *job = spec->part[i].job;

		code = make_dir(store, "jobs", job);
		snprintf(path, sizeof(path), "jobs/%s/gen-%u.json", job,
			 job_generation(store, job, round) + 1);
		if (!code)
			code = put(store, path, json_pack("{s:s}", "round", spec->round));
	}
	if (!code)
		printf("job %s: round %s, %zu nodes, traffic %.12s on fabric %.12s\n",
		       spec->part[0].job, spec->round, job_spec_node_count(spec),
		       spec->traffic_digest, spec->fabric_digest);
	return code;
}

static int fill_spec(const struct job_args *args, const struct liquid_fabric *fabric,
		     struct job_spec *spec)
{
	const struct conf *conf = &args->conf;
	struct liquid_traffic *traffic;
	char digest[LIQUID_DIGEST_HEX];
	struct liquid_error err;
	int status = job_spec_traffic(spec, fabric, conf->rail, &traffic, &err);

	if (status)
		return bad_input(status, &err);
	status = liquid_traffic_digest(fabric, traffic, digest, &err);
	liquid_traffic_free(traffic);
	spec->traffic_digest = status ? NULL : strdup(digest);
	if (!status)
		status = liquid_fabric_digest(fabric, digest, &err);
	spec->fabric_digest = status ? NULL : strdup(digest);
	if (status)
		return bad_input(status, &err);
	if (!spec->traffic_digest || !spec->fabric_digest)
		return complain(EXIT_BAD_INPUT, "out of memory");
	spec->frame_ns = conf->frame_ns;
	spec->guard_ns = conf->guard_ns;
	spec->guard_given = conf->guard_given;
	spec->unit_bytes = conf->unit_bytes;
	spec->link_rate_bps = conf->link_rate_bps;
	spec->seed = conf->seed;
	spec->work = conf->work;
	spec->lead_ns = conf->lead_ns;
	spec->deadline_ns = realtime_ns() + (int64_t)conf->deadline_ns;
	return EXIT_OK;
}

static int name_round(const struct job_args *args, struct job_spec *spec)
{
	char round[JOB_NAME_MAX + 16];
	unsigned int number = job_generation(&args->store, args->job, round) + 1;

	if (asprintf(&spec->round, "%s-%u", args->job, number) < 0) {
		spec->round = NULL;
		return complain(EXIT_BAD_INPUT, "out of memory");
	}
	if (!job_name_fits(spec->round))
		return complain(EXIT_BAD_INPUT, "job '%s': the name is too long", args->job);
	return make_dir(&args->store, "rounds", spec->round);
}

/* ---- sharing ---- */

/* The newest round of a job that was not given up, as its spec; false: it runs ungated. */
static bool running_spec(const struct job_args *args, const char *job, struct job_spec *spec)
{
	char round[JOB_NAME_MAX + 16];
	struct liquid_error err;
	char *release, *go;
	bool given_up;

	if (job_ended(&args->store, job) || !job_generation(&args->store, job, round))
		return false;
	release = job_verdict(&args->store, round, "release", NULL);
	go = job_verdict(&args->store, round, "go", NULL);
	given_up = (release && strcmp(release, "commit")) || (go && strcmp(go, "keep"));
	free(release);
	free(go);
	/* A reroute that was given up before its release has left the earlier schedule in force. */
	return !given_up && !job_spec_read(&args->store, round, spec, &err);
}

static int loads_of(const struct job_args *args, const struct liquid_fabric *fabric,
		    const struct job_spec *spec, uint64_t *load)
{
	struct liquid_traffic *traffic;
	struct liquid_error err;
	int status = job_spec_traffic(spec, fabric, args->conf.rail, &traffic, &err);

	if (!status)
		status = liquid_traffic_loads(fabric, traffic, load, &err);
	liquid_traffic_free(traffic);
	return status ? bad_input(status, &err) : EXIT_OK;
}

static bool share_node(const struct job_spec *a, const struct job_spec *b)
{
	for (size_t i = 0; i < a->part_count; i++)
		for (size_t n = 0; n < a->part[i].nodes.count; n++)
			if (job_spec_has_node(b, a->part[i].nodes.name[n]))
				return true;
	return false;
}

/* The first link that both load, or LIQUID_NONE */
static uint32_t shared_link(const struct liquid_fabric *fabric, const uint64_t *a,
			    const uint64_t *b)
{
	for (uint32_t link = 0; link < liquid_fabric_link_count(fabric); link++)
		if (a[link] && b[link])
			return link;
	return LIQUID_NONE;
}

static bool has_job(const struct job_spec *spec, const char *job)
{
	for (size_t i = 0; i < spec->part_count; i++)
		if (!strcmp(spec->part[i].job, job))
			return true;
	return false;
}

/* Parts of jobs that still run, and are not there yet. */
static int add_parts(const struct job_args *args, struct job_spec *spec,
		     const struct job_spec *other)
{
	for (size_t i = 0; i < other->part_count; i++) {
		const struct job_part *part = &other->part[i];
		struct job_part *larger;

		if (has_job(spec, part->job) || job_ended(&args->store, part->job))
			continue;
		larger = reallocarray(spec->part, spec->part_count + 1, sizeof(*larger));
		if (!larger)
			return complain(EXIT_BAD_INPUT, "out of memory");
		spec->part = larger;
		if (job_part_set(&larger[spec->part_count++], part->job, part->what,
				 part->tasks_per_node, (const char *const *)part->nodes.name,
				 part->nodes.count))
			return complain(EXIT_BAD_INPUT, "out of memory");
	}
	return EXIT_OK;
}

struct sharing {
	const struct job_args *args;
	const struct liquid_fabric *fabric;
	struct job_spec *spec;
	uint64_t *own, *other;		/* loads */
	char reason[512];		/* "": nothing is shared that must not be */
};

/* What another running job has to do with ours: nothing, a reason to refuse, or a merger. */
static int meet_job(struct sharing *sharing, const char *job)
{
	char name[2 * LIQUID_NAME_MAX + 32];
	struct job_spec other;
	uint32_t link;
	int code;

	if (has_job(sharing->spec, job) || !running_spec(sharing->args, job, &other))
		return EXIT_OK;
	code = loads_of(sharing->args, sharing->fabric, &other, sharing->other);
	link = code ? LIQUID_NONE : shared_link(sharing->fabric, sharing->own, sharing->other);
	if (!code && share_node(sharing->spec, &other))
		snprintf(sharing->reason, sizeof(sharing->reason), "it shares a node with job %s", job);
	else if (link != LIQUID_NONE && !sharing->args->merge)
		snprintf(sharing->reason, sizeof(sharing->reason),
			 "it shares link %.300s with job %s (merge would gate both by one schedule)",
			 liquid_fabric_link_name(sharing->fabric, link, name, sizeof(name)), job);
	else if (link != LIQUID_NONE)
		code = add_parts(sharing->args, sharing->spec, &other);
	job_spec_clear(&other);
	return code;
}

/* What is merged may share links with more: again until nothing is added. */
static int meet_jobs(struct sharing *sharing, const struct liquid_names *jobs)
{
	size_t parts;
	int code;

	do {
		parts = sharing->spec->part_count;
		code = loads_of(sharing->args, sharing->fabric, sharing->spec, sharing->own);
		for (size_t i = 0; !code && !*sharing->reason && i < jobs->count; i++)
			code = meet_job(sharing, jobs->name[i]);
	} while (!code && !*sharing->reason && parts != sharing->spec->part_count);
	return code;
}

static int check_sharing(const struct job_args *args, const struct liquid_fabric *fabric,
			 struct job_spec *spec, char reason[512])
{
	size_t links = (size_t)liquid_fabric_link_count(fabric) + 1;
	struct sharing sharing = {
		.args = args, .fabric = fabric, .spec = spec,
		.own = calloc(links, sizeof(uint64_t)), .other = calloc(links, sizeof(uint64_t)),
	};
	struct liquid_names jobs = { 0 };
	struct liquid_error err;
	int code = EXIT_OK, status = job_list(&args->store, "jobs", &jobs, &err);

	if (status)
		code = bad_input(status, &err);
	else if (!sharing.own || !sharing.other)
		code = complain(EXIT_BAD_INPUT, "out of memory");
	else
		code = meet_jobs(&sharing, &jobs);
	strcpy(reason, sharing.reason);
	liquid_names_clear(&jobs);
	free(sharing.own);
	free(sharing.other);
	return code;
}

/* ---- start ---- */

/* A job that cannot be gated runs ungated, or fails. */
static int give_up(const struct job_args *args, const char *reason)
{
	int code = skip_job(args, reason);

	if (code || args->conf.on_failure != CONF_FAIL)
		return code;
	return complain(EXIT_BAD_INPUT, "job %s: %s", args->job, reason);
}

static int start_locked(struct job_args *args, const struct liquid_fabric *fabric,
			struct job_spec *spec)
{
	char round[JOB_NAME_MAX + 16], reason[512];
	int code;

	if (job_generation(&args->store, args->job, round) || job_ended(&args->store, args->job))
		return complain(EXIT_BAD_INPUT, "job %s was started before", args->job);
	code = check_sharing(args, fabric, spec, reason);
	if (code)
		return code;
	if (*reason)
		return give_up(args, reason);
	code = fill_spec(args, fabric, spec);
	if (!code)
		code = name_round(args, spec);
	return code ? code : publish(&args->store, spec);
}

static int with_lock(struct job_args *args, const struct liquid_fabric *fabric,
		     struct job_spec *spec,
		     int (*run)(struct job_args *, const struct liquid_fabric *, struct job_spec *))
{
	struct liquid_error err;
	int lock = job_lock(&args->store, &err);
	int code;

	if (lock < 0)
		return bad_input(LIQUID_IO, &err);
	code = run(args, fabric, spec);
	close(lock);
	return code;
}

static int start_gated(struct job_args *args, const struct conf_traffic *traffic,
		       const struct liquid_names *names)
{
	struct liquid_fabric *fabric = NULL;
	struct job_spec spec = { .part = calloc(1, sizeof(*spec.part)), .part_count = 1 };
	int code = read_fabric(args->conf.fabric, &fabric);

	if (!code && (!spec.part ||
		      job_part_set(&spec.part[0], args->job, traffic->what, traffic->tasks_per_node,
				   (const char *const *)names->name, names->count)))
		code = complain(EXIT_BAD_INPUT, "out of memory");
	if (!code)
		code = with_lock(args, fabric, &spec, start_locked);
	job_spec_clear(&spec);
	liquid_fabric_free(fabric);
	return code;
}

int job_start(struct job_args *args)
{
	const struct conf_traffic *traffic;
	struct liquid_names names = { 0 };
	struct liquid_error err;
	int code = choose_traffic(args, &traffic);

	if (code)
		return code;
	if (!traffic)
		return skip_job(args, "no traffic is configured for it");
	if (liquid_hostlist_expand(args->nodes, &names, &err))
		return complain(EXIT_BAD_INPUT, "--nodes: %s", err.text);
	for (size_t i = 0; !code && i < names.count; i++)
		if (!job_name_fits(names.name[i]))
			code = complain(EXIT_BAD_INPUT, "--nodes: '%s' is no node's name", names.name[i]);
	if (!code && names.count < 2)
		code = skip_job(args, "it has one node");
	else if (!code)
		code = start_gated(args, traffic, &names);
	liquid_names_clear(&names);
	return code;
}

/* ---- reroute ---- */

static int import_live(const struct job_args *args, struct liquid_fabric **fabric)
{
	struct liquid_import import = { .topo_label = args->live_topo, .lft_label = args->live_lft };
	struct liquid_error err;
	int status, code;

	*fabric = NULL;
	if (args->fabric)
		return read_fabric(args->fabric, fabric);
	code = open_input(args->live_topo, &import.topo);
	if (!code)
		code = open_input(args->live_lft, &import.lft);
	if (!code) {
		status = liquid_fabric_import(&import, fabric, &err);
		code = status ? bad_input(status, &err) : EXIT_OK;
	}
	close_input(import.topo);
	close_input(import.lft);
	return code;
}

/* A lost node is left out; one that is there but cannot reach the others is an error of the solver. */
static void drop_lost(const struct job_args *args, const struct liquid_fabric *fabric,
		      struct job_spec *spec)
{
	for (size_t i = 0; i < spec->part_count; i++) {
		struct liquid_names *nodes = &spec->part[i].nodes;
		size_t kept = 0;

		for (size_t n = 0; n < nodes->count; n++) {
			if (job_endpoint(fabric, nodes->name[n], args->conf.rail) != LIQUID_NONE) {
				nodes->name[kept++] = nodes->name[n];
				continue;
			}
			printf("job %s: node %s is lost\n", spec->part[i].job, nodes->name[n]);
			free(nodes->name[n]);
		}
		nodes->count = kept;
	}
}

static int copy_fabric(const struct job_args *args, const struct liquid_fabric *fabric,
		       const char *round)
{
	struct liquid_error err;
	char path[JOB_PATH_MAX];
	FILE *out;
	int status;

	snprintf(path, sizeof(path), "%s/rounds/%s/fabric", args->store.dir, round);
	out = fopen(path, "wxe");
	if (!out)
		return complain(EXIT_BAD_INPUT, "%s: %s", path, strerror(errno));
	status = liquid_fabric_write(fabric, out, &err);
	if (fflush(out) || fsync(fileno(out)))
		status = liquid_fail(&err, LIQUID_IO, "%s: %s", path, strerror(errno));
	fclose(out);
	return status ? bad_input(status, &err) : EXIT_OK;
}

static int reroute_locked(struct job_args *args, const struct liquid_fabric *fabric,
			  struct job_spec *spec)
{
	struct job_spec now;
	int code;

	if (!running_spec(args, args->job, &now))
		return complain(EXIT_BAD_INPUT, "job %s is not gated", args->job);
	code = add_parts(args, spec, &now);
	job_spec_clear(&now);
	if (!code) {
		drop_lost(args, fabric, spec);
		code = fill_spec(args, fabric, spec);
	}
	spec->own_fabric = true;
	if (!code)
		code = name_round(args, spec);
	if (!code)
		code = copy_fabric(args, fabric, spec->round);
	return code ? code : publish(&args->store, spec);
}

int job_reroute(struct job_args *args)
{
	struct job_spec spec = { 0 };
	struct liquid_fabric *fabric;
	int code = import_live(args, &fabric);

	if (!code)
		code = with_lock(args, fabric, &spec, reroute_locked);
	job_spec_clear(&spec);
	liquid_fabric_free(fabric);
	return code;
}
