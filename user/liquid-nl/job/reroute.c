// SPDX-License-Identifier: GPL-2.0-only
/* job reroute, after routes have changed: publish the job's remaining nodes as another round. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command.h"
#include "input/input.h"
#include "job/publish.h"
#include "job/sharing.h"
#include "job/store/records.h"
#include "util/say.h"

static void print_note(void *context, const char *text)
{
	(void)context;
	complain(0, "note: %s", text);
}

/* Import with the settings of the fabric of liquid.conf, except those given as options. */
static int import_live(const struct job_args *args, struct liquid_fabric **fabric)
{
	struct liquid_import import = {
		.topo_label = args->live_topo, .lft_label = args->live_lft, .note = print_note,
		.unit_bps = args->unit_bps, .leave_out = args->leave_out,
		.allow_unreachable = args->allow_unreachable,
	};
	struct liquid_fabric *before;
	struct liquid_error err;
	int status, code;

	*fabric = NULL;
	if (args->fabric)
		return read_fabric(args->fabric, fabric);
	code = read_fabric(args->conf.fabric, &before);
	if (code)
		return code;
	import.like = before;
	code = open_input(args->live_topo, &import.topo);
	if (!code)
		code = open_input(args->live_lft, &import.lft);
	if (!code) {
		status = liquid_fabric_import(&import, fabric, &err);
		code = status ? complain_of(status, &err) : EXIT_OK;
	}
	close_input(import.topo);
	close_input(import.lft);
	liquid_fabric_free(before);
	return code;
}

/*
 * Drop the nodes that the new fabric does not have, or not with all of their rails: which one is
 * left would be a guess. A node that it has, but that cannot reach the others, is an error which
 * the solver reports.
 */
static void drop_lost(const struct job_args *args, const struct liquid_fabric *fabric,
		      struct job_spec *spec)
{
	for (size_t i = 0; i < spec->part_count; i++) {
		struct liquid_names *nodes = &spec->part[i].nodes;
		struct liquid_error err;
		struct job_rails rails;
		size_t kept = 0;

		for (size_t n = 0; n < nodes->count; n++) {
			if (!job_rails_find(&args->conf, fabric, nodes->name[n], &rails, &err)) {
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

static int copy_fabric(const struct job_args *args, const struct liquid_fabric *fabric,
		       const char *round)
{
	struct liquid_error err;
	FILE *out = tmpfile();
	int status;

	if (!out)
		return complain(EXIT_BAD_INPUT, "cannot store the fabric: %s", strerror(errno));
	status = liquid_fabric_write(fabric, out, &err);
	if (!status && fflush(out))
		status = liquid_fail(&err, LIQUID_IO, "cannot store the fabric: %s",
				     strerror(errno));
	if (!status)
		status = record_put_file(&args->store, RECORD_FABRIC, round, fileno(out), &err);
	fclose(out);
	return status ? complain_of(status, &err) : EXIT_OK;
}

static int collect_left(struct job_args *args, const struct liquid_fabric *fabric,
			struct job_spec *spec)
{
	struct job_spec now;
	int code;

	if (!sharing_running(args, args->job, &now))
		return complain(EXIT_BAD_INPUT, "job %s is not gated", args->job);
	code = sharing_add_parts(args, spec, &now);
	if (!code)
		code = sharing_keep_from(args, spec, &now);
	job_spec_clear(&now);
	if (code)
		return code;
	drop_lost(args, fabric, spec);
	if (job_spec_node_count(spec) < 2)
		return complain(EXIT_BAD_INPUT, "job %s: fewer than two nodes are left", args->job);
	return EXIT_OK;
}

static int reroute_locked(struct job_args *args, const struct liquid_fabric *fabric,
			  struct job_spec *spec)
{
	int code = collect_left(args, fabric, spec);

	spec->own_fabric = true;
	if (!code)
		code = publish_fill(args, fabric, spec);
	if (!code)
		code = publish_name(args, spec);
	if (!code)
		code = copy_fabric(args, fabric, spec->round);
	return code ? code : publish_round(args, spec);
}

int job_reroute(struct job_args *args)
{
	struct job_spec spec = { 0 };
	struct liquid_fabric *fabric = NULL;
	struct liquid_error err;
	int lock, code = args->conf.first ?
		complain(EXIT_BAD_INPUT, "%s: with `agree first` a job has one round: a later one "
			 "needs `agree service HOST`", args->conf_path) :
		import_live(args, &fabric);

	if (code) {
		liquid_fabric_free(fabric);
		return code;
	}
	lock = job_lock(&args->store, &err);
	code = lock < 0 ? complain_of(LIQUID_IO, &err) : reroute_locked(args, fabric, &spec);
	if (lock >= 0)
		close(lock);
	job_spec_clear(&spec);
	liquid_fabric_free(fabric);
	return code;
}
