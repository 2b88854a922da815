// SPDX-License-Identifier: GPL-2.0-only
/* job reroute, after routes have changed: publish the job's remaining nodes as another round. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/command.h"
#include "job/publish.h"
#include "job/sharing.h"
#include "job/store/records.h"
#include "util/say.h"

/* The fabric now, in a file that has no other name than @path */
struct rerouted {
	int fd;
	char path[32];
};

/* Import with the settings of the fabric of liquid.conf, except those given as options. */
static void ask_import(const struct job_args *args, struct ask *ask)
{
	ask_set_file(ask, ask->question, "fabric", args->fabric ? args->fabric : args->conf.fabric,
		     NULL);
	if (args->fabric)
		return;
	ask_set_file(ask, ask->question, "topo", args->live_topo, NULL);
	ask_set_file(ask, ask->question, "lft", args->live_lft, NULL);
	ask_set_text(ask, "leave_out", args->leave_out);
	ask_set_number(ask, "unit_bps", args->unit_bps);
	ask_set(ask, ask->question, "allow_unreachable", json_boolean(args->allow_unreachable));
}

static int import_live(const struct job_args *args, struct rerouted *live)
{
	struct liquid_error err;
	json_t *answer;
	struct ask ask;
	int status;

	live->fd = memfd_create("fabric", MFD_CLOEXEC);
	if (live->fd < 0)
		return complain(EXIT_BAD_INPUT, "cannot store the fabric: %s", strerror(errno));
	snprintf(live->path, sizeof(live->path), "/proc/self/fd/%d", live->fd);
	ask_begin(&ask, "import");
	ask_import(args, &ask);
	ask_set_out(&ask, "out", live->fd);
	status = ask_answer(&ask, &answer, &err);
	json_decref(answer);
	ask_end(&ask);
	return status ? complain_of(status, &err) : EXIT_OK;
}

/* Ask for the endpoints of all nodes. */
static int find_nodes(const struct job_args *args, const struct rerouted *live,
		      const struct job_spec *spec, struct job_fabric *fabric)
{
	struct liquid_error err;
	struct ask ask;
	int status;

	ask_begin(&ask, "hosts");
	ask_set_file(&ask, ask.question, "fabric", live->path, NULL);
	fabric_ask_rail(&ask, &args->conf);
	for (size_t i = 0; i < spec->part_count; i++)
		for (size_t n = 0; n < spec->part[i].nodes.count; n++)
			fabric_ask_node(&ask, &args->conf, spec->part[i].nodes.name[n]);
	status = fabric_ask(&ask, fabric, &err);
	ask_end(&ask);
	return status ? complain_of(status, &err) : EXIT_OK;
}

/*
 * Drop the nodes that the new fabric does not have, or not with all of their rails: which one is
 * left would be a guess. A node that it has, but that cannot reach the others, is an error which
 * the solver reports.
 */
static void drop_lost(const struct job_fabric *fabric, struct job_spec *spec)
{
	size_t index = 0;

	for (size_t i = 0; i < spec->part_count; i++) {
		struct liquid_names *nodes = &spec->part[i].nodes;
		struct liquid_error err;
		struct job_rails rails;
		size_t kept = 0;

		for (size_t n = 0; n < nodes->count; n++) {
			if (!fabric_node(fabric, index++, &rails, &err)) {
				nodes->name[kept++] = nodes->name[n];
				continue;
			}
			put_text("job %s: node %s is lost%s%s\n", spec->part[i].job,
				 nodes->name[n], rails.count ? ": " : "",
				 rails.count ? err.text : "");
			free(nodes->name[n]);
		}
		nodes->count = kept;
	}
}

static int keep_found(const struct job_args *args, const struct rerouted *live,
		      struct job_spec *spec)
{
	struct job_fabric fabric;
	int code = find_nodes(args, live, spec, &fabric);

	if (!code)
		drop_lost(&fabric, spec);
	fabric_clear(&fabric);
	return code;
}

static int collect_left(struct job_args *args, const struct rerouted *live,
			struct job_spec *spec)
{
	struct job_spec former;
	int code;

	if (!sharing_running(args, args->job, &former))
		return complain(EXIT_BAD_INPUT, "job %s is not gated", args->job);
	code = sharing_add_parts(args, spec, &former);
	if (!code)
		code = sharing_keep_from(args, spec, &former);
	job_spec_clear(&former);
	if (!code)
		code = keep_found(args, live, spec);
	if (code)
		return code;
	if (job_spec_node_count(spec) < 2)
		return complain(EXIT_BAD_INPUT, "job %s: fewer than two nodes are left", args->job);
	return EXIT_OK;
}

static int publish_on(struct job_args *args, const struct rerouted *live,
		      const struct publish_facts *facts, struct job_spec *spec)
{
	struct liquid_error err;
	int status, code = publish_fill(args, facts, spec);

	if (!code)
		code = publish_name(args, spec);
	if (code)
		return code;
	status = record_put_file(&args->store, RECORD_FABRIC, spec->round, live->fd, &err);
	return status ? complain_of(status, &err) : publish_round(args, spec);
}

static int reroute_locked(struct job_args *args, const struct rerouted *live, struct job_spec *spec)
{
	struct publish_facts facts = { 0 };
	int code = collect_left(args, live, spec);

	spec->own_fabric = true;
	if (!code)
		code = publish_ask(args, live->path, spec, NULL, 0, &facts);
	if (!code)
		code = publish_on(args, live, &facts, spec);
	fabric_clear(&facts.fabric);
	return code;
}

static int reroute(struct job_args *args, const struct rerouted *live)
{
	struct job_spec spec = { 0 };
	struct liquid_error err;
	int lock = job_lock(&args->store, &err), code;

	code = lock < 0 ? complain_of(LIQUID_IO, &err) : reroute_locked(args, live, &spec);
	if (lock >= 0)
		close(lock);
	job_spec_clear(&spec);
	return code;
}

int job_reroute(struct job_args *args)
{
	struct rerouted live = { .fd = -1 };
	int code = args->conf.first ?
		complain(EXIT_BAD_INPUT, "%s: with `agree first` a job has one round: a later one "
			 "needs `agree service HOST`", args->conf_path) :
		import_live(args, &live);

	if (!code)
		code = reroute(args, &live);
	if (live.fd >= 0)
		close(live.fd);
	return code;
}
