// SPDX-License-Identifier: GPL-2.0-only
/*
 * job prepare, in a process without privileges: check that the round is for the fabric that is
 * there, solve, and print the slice of this node, or for the service the slices of all nodes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/command.h"
#include "util/digest.h"
#include "input/input.h"
#include "job/order.h"
#include "job/store/records.h"

/* The path of an open file, which may have no other name */
#define FD_PATH "/proc/self/fd/%d"
#define FD_PATH_MAX 32

/* ---- the fabric ---- */

static int check_digest(const struct liquid_fabric *fabric, const char *what, const char *digest)
{
	char found[LIQUID_DIGEST_HEX];
	struct liquid_error err;
	int status = liquid_fabric_digest(fabric, found, &err);

	if (status)
		return complain_of(status, &err);
	if (strcmp(found, digest))
		return complain(EXIT_BAD_INPUT, "%s: not the round's fabric, but another version "
				"of it (digest %.12s instead of %.12s): import it anew, and copy "
				"it to the controller and all nodes", what, found, digest);
	return EXIT_OK;
}

#define LIVE_LINES 32

/* Report what the live-command has printed, one message per line. */
static void tell_output(int fd)
{
	FILE *out = fd < 0 || lseek(fd, 0, SEEK_SET) ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t room = 0;

	for (int i = 0; out && i < LIVE_LINES && getline(&line, &room, out) >= 0; i++)
		complain(0, "live-command: %s", line);
	free(line);
	if (out)
		fclose(out);
}

/*
 * The output of the command goes to a file. On stdout it would mix with the plan, and a process
 * that the command leaves running would keep the pipe to the reader open.
 */
static int run_live(const char *command)
{
	int fd = memfd_create("live-command", MFD_CLOEXEC), status;
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (fd < 0 || out < 0 || err < 0 ||
	    dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
		return -1;
	status = system(command);
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		status = -1;
	close(out);
	close(err);
	tell_output(fd);
	return status;
}

static int import_live(const struct conf *conf, const struct liquid_fabric *like, bool partly,
		       struct liquid_fabric **fabric)
{
	struct liquid_import import = {
		.allow_unreachable = partly,
		.topo_label = conf->live_topo, .lft_label = conf->live_lft, .like = like,
	};
	struct liquid_error err;
	int status, code = open_input(conf->live_topo, &import.topo);

	*fabric = NULL;
	if (!code)
		code = open_input(conf->live_lft, &import.lft);
	if (!code) {
		status = liquid_fabric_import(&import, fabric, &err);
		code = status ? complain_of(status, &err) : EXIT_OK;
	}
	close_input(import.topo);
	close_input(import.lft);
	return code;
}

int job_read_routes(const struct conf *conf, const struct liquid_fabric *like,
		    struct liquid_fabric **fabric)
{
	return import_live(conf, like, false, fabric);
}

int job_read_live(const struct conf *conf, const struct liquid_fabric *like,
		  struct liquid_fabric **fabric)
{
	return import_live(conf, like, true, fabric);
}

int job_run_live(const struct conf *conf)
{
	return conf->live_command && run_live(conf->live_command) ?
	       complain(EXIT_BAD_INPUT, "live-command failed: %s", conf->live_command) : EXIT_OK;
}

/* The fabric that the subnet manager has now must be the one that the round is for. */
static int check_live(const struct conf *conf, const struct liquid_fabric *like,
		      const char *digest)
{
	struct liquid_fabric *fabric;
	int code = job_run_live(conf);

	if (code || !conf->live_topo)
		return code;
	code = job_read_routes(conf, like, &fabric);
	if (!code)
		code = check_digest(fabric, conf->live_topo, digest);
	liquid_fabric_free(fabric);
	return code;
}

/* ---- the schedule ---- */

/* Write the schedule to an unnamed file, whose path is stored in @path. */
static int write_schedule(const struct liquid_schedule *schedule,
			  const struct liquid_fabric *fabric, char path[FD_PATH_MAX])
{
	int fd = memfd_create("schedule", 0), copy = fd < 0 ? -1 : dup(fd);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
	struct liquid_error err;
	int status;

	if (!out)
		return complain(EXIT_IO, "cannot store the schedule: %s", strerror(errno));
	status = liquid_schedule_write_json(schedule, fabric, out, &err);
	if (fclose(out))
		return complain(EXIT_IO, "cannot store the schedule: %s", strerror(errno));
	snprintf(path, FD_PATH_MAX, FD_PATH, fd);
	return status ? complain_of(status, &err) : EXIT_OK;
}

static int check_traffic(const struct job_spec *spec, const struct liquid_fabric *fabric,
			 const struct liquid_traffic *traffic)
{
	char digest[LIQUID_DIGEST_HEX];
	struct liquid_error err;
	int status = liquid_traffic_digest(fabric, traffic, digest, &err);

	if (status)
		return complain_of(status, &err);
	if (strcmp(digest, spec->traffic_digest))
		return complain(EXIT_BAD_INPUT, "the traffic differs from that of the controller: "
				"digest %.12s instead of %.12s", digest, spec->traffic_digest);
	return EXIT_OK;
}

/* SHA-256 of the schedule's file, which the nodes compare */
static int digest_file(const char *path, char hex[LIQUID_DIGEST_HEX])
{
	uint8_t buffer[16384];
	struct sha256_ctx sha;
	FILE *in = fopen(path, "re");
	size_t got;

	if (!in)
		return complain(EXIT_BAD_INPUT, "%s: %s", path, strerror(errno));
	sha256_init(&sha);
	while ((got = fread(buffer, 1, sizeof(buffer), in)))
		sha256_update(&sha, got, buffer);
	fclose(in);
	digest_hex(&sha, hex);
	return EXIT_OK;
}

/* Open a record's file; @path is the name by which it can be read. */
static int open_record(const struct job_args *args, const char *record, int *fd,
		       char path[FD_PATH_MAX])
{
	struct liquid_error err;

	*fd = job_open(&args->store, record, &err);
	snprintf(path, FD_PATH_MAX, FD_PATH, *fd);
	return *fd < 0 ? complain(EXIT_BAD_INPUT, "%s", err.text) : EXIT_OK;
}

/* The schedule that was in force before, if this round is to keep its valid part; else NULL */
static int read_former(const struct job_args *args, const struct job_spec *spec,
		       struct liquid_schedule **former)
{
	char record[JOB_PATH_MAX], path[FD_PATH_MAX], digest[LIQUID_DIGEST_HEX];
	int fd, code;

	*former = NULL;
	if (!spec->from_round)
		return EXIT_OK;
	record_path(record, RECORD_SCHEDULE, spec->from_round, NULL);
	code = open_record(args, record, &fd, path);
	if (code)
		return code;
	code = digest_file(path, digest);
	if (!code && strcmp(digest, spec->from_digest))
		code = complain(EXIT_BAD_INPUT, "%s/%s: not the schedule in force: digest %.12s "
				"instead of %.12s", args->store.dir, record, digest,
				spec->from_digest);
	if (!code)
		code = read_schedule(path, NULL, former);
	close(fd);
	return code;
}

/* Record what `job status` shows: how good the schedule is, and how much of the former it keeps. */
static int put_figures(const struct job_args *args, const char *round,
		       const struct liquid_schedule *schedule, const struct liquid_schedule *former)
{
	struct liquid_change change = { 0 };
	struct record_figures figures = {
		.info = liquid_schedule_info(schedule), .change = former ? &change : NULL,
	};
	struct liquid_error err;
	int status = LIQUID_OK;

	if (former)
		status = liquid_schedule_compare(former, schedule, &change, NULL, NULL, &err);
	if (!status)
		status = record_put_figures(&args->store, round, &figures, &err);
	return status < 0 ? complain_of(status, &err) : EXIT_OK;
}

/* All nodes have the same schedule, so it is enough that the first one records it. */
static bool keeps_for_all(const struct job_args *args, const struct job_spec *spec)
{
	return !args->node || !strcmp(args->node, job_spec_first_node(spec));
}

static int solve_from(const struct job_args *args, const struct job_spec *spec,
		      const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		      const struct liquid_schedule *former, char path[FD_PATH_MAX])
{
	const struct liquid_solve_options options = {
		.seed = spec->seed, .work = spec->work, .unit_bytes = spec->unit_bytes,
		.link_rate_bps = spec->link_rate_bps, .from = former,
	};
	struct liquid_schedule *schedule;
	struct liquid_error err;
	int code, status = liquid_solve(fabric, traffic, &options, &schedule, &err);

	if (status)
		return complain_of(status, &err);
	code = write_schedule(schedule, fabric, path);
	if (!code && keeps_for_all(args, spec))
		code = put_figures(args, spec->round, schedule, former);
	liquid_schedule_free(schedule);
	return code;
}

static int solve(const struct job_args *args, const struct job_spec *spec,
		 const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		 char path[FD_PATH_MAX])
{
	struct liquid_schedule *former;
	int code = read_former(args, spec, &former);

	if (!code)
		code = solve_from(args, spec, fabric, traffic, former, path);
	liquid_schedule_free(former);
	return code;
}

/* Record the schedule for a later reroute, which keeps its valid part. */
static int keep_schedule(const struct job_args *args, const struct job_spec *spec,
			 const char *schedule)
{
	int fd = open(schedule, O_RDONLY | O_CLOEXEC);
	struct liquid_error err;
	int status;

	if (fd < 0)
		return complain(EXIT_BAD_INPUT, "%s: %s", schedule, strerror(errno));
	status = record_put_file(&args->store, RECORD_SCHEDULE, spec->round, fd, &err);
	close(fd);
	return status < 0 ? complain_of(status, &err) : EXIT_OK;
}

/* ---- the slice ---- */

/* The plan goes to the parent through a pipe, where no other process can change it. */
static int print_plan(json_t *json)
{
	int failed = !json || json_dumpf(json, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);

	json_decref(json);
	return failed ? complain(EXIT_IO, "cannot write the plan") : EXIT_OK;
}

/* What slices are made of. The schedule is read when the first is asked for. */
struct slicer {
	const struct job_args *args;
	const struct liquid_fabric *fabric;
	const char *digest;		/* of the schedule */
	bool *sending;			/* by host */
	struct push_args *push;
	struct push_source source;
};

static bool *senders(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	bool *sending = calloc(liquid_fabric_host_count(fabric) + (size_t)1, sizeof(*sending));

	for (size_t i = 0; sending && i < liquid_traffic_pair_count(traffic); i++)
		sending[pairs[i].src] = true;
	return sending;
}

static bool is_open(const struct slicer *slicer)
{
	return slicer->source.schedule;
}

static int make_slice(struct slicer *slicer, uint32_t host, json_t **slice,
		      struct liquid_error *err)
{
	struct push_plan plan = { 0 };
	int status = LIQUID_OK;

	slicer->push->node = liquid_fabric_node_name(slicer->fabric, host);
	if (!is_open(slicer))
		status = push_source_open(slicer->push, &slicer->source, err);
	if (!status)
		status = push_source_plan(slicer->push, &slicer->source, &plan, err);
	if (!status && !plan.link_rate_bps)
		plan.link_rate_bps = slicer->args->conf.link_rate_bps;
	if (!status)
		*slice = job_plan_json(&plan, slicer->digest);
	push_plan_clear(&plan);
	return status;
}

/* A rail that only receives takes part in the round, but has nothing to push. */
static int rail_slice(struct slicer *slicer, uint32_t host, bool several, json_t **slice)
{
	const char *name = liquid_fabric_node_name(slicer->fabric, host);
	struct liquid_error err;
	int status = LIQUID_OK;

	*slice = NULL;
	if (slicer->sending[host])
		status = make_slice(slicer, host, slice, &err);
	else
		*slice = json_pack("{s:s, s:b}", "digest", slicer->digest, "idle", 1);
	if (status && several)
		complain(0, "%s: %s", name, err.text);
	else if (status)
		complain(0, "%s", err.text);
	else if (!*slice || (several && json_object_set_new(*slice, "endpoint", json_string(name))))
		return complain(EXIT_IO, "out of memory");
	return status ? exit_code_of(status) : EXIT_OK;
}

/* The first rail's slice has those of the others in "more". */
static void add_rail(json_t **node, json_t *slice)
{
	json_t *more = json_object_get(*node, "more");

	if (!*node)
		*node = slice;
	else if (more)
		json_array_append_new(more, slice);
	else
		json_object_set_new(*node, "more", json_pack("[o]", slice));
}

/* The slices of a node's rails */
static int node_slice(struct slicer *slicer, const char *name, json_t **node)
{
	struct job_rails rails;
	struct liquid_error err;
	int status = job_rails_find(&slicer->args->conf, slicer->fabric, name, &rails, &err);
	int code = status ? complain_of(status, &err) : EXIT_OK;
	json_t *slice;

	*node = NULL;
	for (size_t i = 0; !code && i < rails.count; i++) {
		code = rail_slice(slicer, rails.host[i], rails.count > 1, &slice);
		if (!code)
			add_rail(node, slice);
	}
	return code;
}

/* @order: job/order.c, which this takes, or NULL */
static int print_node(struct slicer *slicer, const char *name, json_t *order)
{
	json_t *node;
	int code = node_slice(slicer, name, &node);

	if (!code && order)
		json_object_set(node, "order", order);
	json_decref(order);
	if (!code)
		return print_plan(node);
	json_decref(node);
	return code;
}

/* ---- the slices of all nodes, see job/service/slices.c ---- */

/* What is printed begins at *@at, which becomes its end. */
static int print_indexed(struct slicer *slicer, const char *node, json_t *order, json_t *index,
			 long *at)
{
	int code = print_node(slicer, node, order);
	long end = ftell(stdout);

	if (code)
		return code;
	if (end < 0 || json_object_set_new(index, node, json_pack("[I, I]", (json_int_t)*at,
								  (json_int_t)(end - *at))))
		return complain(EXIT_IO, "cannot write the plan");
	*at = end;
	return EXIT_OK;
}

static int print_all(struct slicer *slicer, const struct job_order *order)
{
	const struct job_spec *spec = order->spec;
	json_t *index = json_object();
	int code = EXIT_OK;
	long at = 0;

	for (size_t i = 0; i < spec->part_count; i++)
		for (size_t n = 0; !code && n < spec->part[i].nodes.count; n++) {
			const char *node = spec->part[i].nodes.name[n];

			if (!json_object_get(index, node))
				code = print_indexed(slicer, node, job_order_json(order, n),
						     index, &at);
		}
	if (!code)
		code = print_plan(json_incref(index));
	if (!code && printf("%020ld\n", at) < 0)
		code = complain(EXIT_IO, "cannot write the plan");
	json_decref(index);
	return code;
}

static int print_slices(struct slicer *slicer, const struct job_spec *spec,
			const struct liquid_traffic *traffic)
{
	struct job_order order = {
		.spec = spec, .fabric = slicer->fabric, .traffic = traffic,
		.schedule = slicer->push->schedule, .conf = &slicer->args->conf,
	};
	int code;

	job_order_make(&order);
	code = print_all(slicer, &order);
	job_order_clear(&order);
	return code;
}

static int print_with(const struct job_args *args, const struct job_spec *spec,
		      const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		      struct push_args *push, const char *digest)
{
	struct slicer slicer = {
		.args = args, .fabric = fabric, .digest = digest, .push = push,
		.sending = senders(fabric, traffic),
	};
	int code = !slicer.sending ? complain(EXIT_IO, "out of memory") :
		   args->node ? print_node(&slicer, args->node, NULL) :
		   print_slices(&slicer, spec, traffic);

	push_source_close(&slicer.source);
	free(slicer.sending);
	return code;
}

static int prepare_on(const struct job_args *args, const struct job_spec *spec,
		      const char *fabric_path, const struct liquid_fabric *fabric,
		      const struct liquid_traffic *traffic)
{
	struct push_args push = {
		.fabric = fabric_path, .map_file = args->conf.addresses,
		.frame_ns = spec->frame_ns, .schedule = job_spec_schedule(spec),
	};
	char digest[LIQUID_DIGEST_HEX], path[FD_PATH_MAX];
	int code = check_traffic(spec, fabric, traffic);

	if (!code && !push.schedule) {
		code = solve(args, spec, fabric, traffic, path);
		push.schedule = path;
	}
	if (!code)
		code = digest_file(push.schedule, digest);
	if (!code && keeps_for_all(args, spec))
		code = keep_schedule(args, spec, push.schedule);
	if (!code)
		code = print_with(args, spec, fabric, traffic, &push, digest);
	addr_map_clear(&push.map);
	return code;
}

static int prepare_with(const struct job_args *args, const struct job_spec *spec, const char *path,
			const char *label)
{
	struct liquid_fabric *fabric = NULL;
	struct liquid_traffic *traffic = NULL;
	struct liquid_error err;
	int status, code = read_fabric(path, &fabric);

	if (!code)
		code = check_digest(fabric, label, spec->fabric_digest);
	if (!code)
		code = check_live(&args->conf, fabric, spec->fabric_digest);
	if (!code) {
		status = job_spec_traffic(spec, fabric, &args->conf, &traffic, &err);
		code = status ? complain_of(status, &err) : EXIT_OK;
	}
	if (!code)
		code = prepare_on(args, spec, path, fabric, traffic);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	return code;
}

/* A round after a reroute brings its own fabric; others use that of liquid.conf. */
static int prepare_spec(const struct job_args *args, const struct job_spec *spec)
{
	char record[JOB_PATH_MAX], path[FD_PATH_MAX];
	int fd, code;

	if (!spec->own_fabric)
		return prepare_with(args, spec, args->conf.fabric, args->conf.fabric);
	record_path(record, RECORD_FABRIC, spec->round, NULL);
	code = open_record(args, record, &fd, path);
	if (code)
		return code;
	code = prepare_with(args, spec, path, record);
	close(fd);
	return code;
}

int job_prepare(struct job_args *args, const char *round)
{
	struct liquid_error err;
	struct job_spec spec;
	int code, status = job_spec_read(&args->store, round, &spec, &err);

	if (status)
		return complain_of(status, &err);
	code = !args->node || job_spec_has_node(&spec, args->node) ? prepare_spec(args, &spec) :
	       complain(EXIT_BAD_INPUT, "round %s has no node '%s'", round, args->node);
	job_spec_clear(&spec);
	return code;
}
