// SPDX-License-Identifier: GPL-2.0-only
/* Reading input: fabrics, schedules, and the traffic that the options name. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "input/input.h"
#include "util/progress.h"

/* Processors that the tool may run on, as taskset and batch systems allow it */
static uint32_t count_processors(void)
{
	cpu_set_t allowed;

	return sched_getaffinity(0, sizeof(allowed), &allowed) ? 1 : (uint32_t)CPU_COUNT(&allowed);
}

static int input_fabric_by(const char *path, uint32_t threads, struct liquid_fabric **fabric,
			   struct liquid_error *err)
{
	struct progress progress;
	FILE *in, *shown;
	int status = input_open(path, &in, err);

	*fabric = NULL;
	if (status)
		return status;
	shown = progress_begin(&progress, in, input_label(path));
	status = liquid_fabric_read_by(shown, input_label(path), threads, fabric, err);
	progress_end(&progress, shown);
	close_input(in);
	return status;
}

int input_fabric(const char *path, struct liquid_fabric **fabric, struct liquid_error *err)
{
	return input_fabric_by(path, 1, fabric, err);
}

int read_fabric_by(const char *path, uint64_t threads, struct liquid_fabric **fabric)
{
	struct liquid_error err;
	int status = input_fabric_by(path, threads ? (uint32_t)threads : count_processors(),
				     fabric, &err);

	return status ? complain_of(status, &err) : EXIT_OK;
}

int read_fabric(const char *path, struct liquid_fabric **fabric)
{
	return read_fabric_by(path, 1, fabric);
}

int read_schedule(const char *path, const struct liquid_fabric *fabric,
		  struct liquid_schedule **schedule)
{
	struct liquid_error err;
	FILE *in;
	int status, code = open_input(path, &in);

	*schedule = NULL;
	if (code)
		return code;
	status = liquid_schedule_read_json(in, input_label(path), fabric, schedule, &err);
	close_input(in);
	return status ? complain_of(status, &err) : EXIT_OK;
}

static const char *host_name(const void *schedule, uint32_t host)
{
	return liquid_schedule_host_name(schedule, host);
}

const char *near_host(const struct liquid_schedule *schedule, const char *name,
		      char text[LIQUID_NEAR_TEXT])
{
	return liquid_near_names(name, host_name, schedule, liquid_schedule_host_count(schedule),
				 text, LIQUID_NEAR_TEXT);
}

/* ---- options ---- */

#define MEMBER(member) OPT_MEMBER(struct traffic_args, member)

static const char *const traffics[] = { "alltoall", "mpi:alltoall", "matrix:", NULL };
static const char *const distributions[] = { "block", "cyclic", NULL };

const struct opt traffic_opts[] = {
	{ "traffic", 0, KIND_TEXT, MEMBER(traffic), .words = traffics, .value = "TRAFFIC",
	  .help = "alltoall (the default), mpi:alltoall, matrix:FILE, or a file of transfers" },
	{ "hosts", 0, KIND_TEXT, MEMBER(hosts), .value = "LIST",
	  .help = "hosts of an all-to-all, or of a matrix" },
	{ "senders", 0, KIND_TEXT, MEMBER(senders), .value = "LIST",
	  .help = "each of these sends to each receiver" },
	{ "receivers", 0, KIND_TEXT, MEMBER(receivers), .value = "LIST",
	  .help = "the receivers of --senders" },
	{ "tasks-per-node", 0, KIND_NUMBER, MEMBER(tasks_per_node), .min = 1, .max = UINT32_MAX,
	  .value = "N", .help = "MPI ranks of each host" },
	{ "distribution", 0, KIND_WORD, MEMBER(distribution), .words = distributions,
	  .value = "HOW", .help = "how ranks are placed on hosts" },
	{ 0 }
};

bool traffic_args_given(const struct traffic_args *args)
{
	return args->traffic || args->hosts || args->senders || args->receivers ||
	       args->tasks_per_node;
}

static bool is_file(const struct traffic_args *args)
{
	return args->traffic && strcmp(args->traffic, "alltoall") && !is_rank_traffic(args);
}

int check_traffic_args(const struct traffic_args *args, const char *command)
{
	if (!args->senders != !args->receivers)
		return usage_error(command, "--senders and --receivers go together");
	if (args->senders && (args->hosts || args->traffic))
		return usage_error(command, "--senders and --receivers are a traffic themselves: "
				   "leave out --%s", args->hosts ? "hosts" : "traffic");
	if (args->hosts && is_file(args))
		return usage_error(command, "--hosts goes with alltoall, not with a traffic file");
	return check_rank_args(args, command);
}

/* ---- hosts ---- */

struct hosts {
	uint32_t *host;
	size_t count;
};

static int unknown_host(const struct liquid_fabric *fabric, const char *option, const char *name,
			size_t others)
{
	char near[LIQUID_NEAR_TEXT], more[64] = "";

	if (others)
		snprintf(more, sizeof(more), ", nor %zu others of the list", others);
	return complain(EXIT_BAD_INPUT, "--%s: fabric '%s' has no host '%s'%s%s", option,
			liquid_fabric_name(fabric), name, more,
			liquid_fabric_near_host(fabric, name, near));
}

static int find_hosts(const struct liquid_fabric *fabric, const char *option,
		      const struct liquid_names *names, struct hosts *hosts)
{
	const char *unknown = NULL;
	size_t unknowns = 0;

	for (size_t i = 0; i < names->count; i++) {
		uint32_t host = liquid_fabric_find_host(fabric, names->name[i]);

		if (host != LIQUID_NONE) {
			hosts->host[hosts->count++] = host;
			continue;
		}
		if (!unknowns++)
			unknown = names->name[i];
	}
	return unknowns ? unknown_host(fabric, option, unknown, unknowns - 1) : EXIT_OK;
}

static int read_hosts(const struct liquid_fabric *fabric, const char *option, const char *list,
		      struct hosts *hosts)
{
	struct liquid_names names = { 0 };
	struct liquid_error err;
	int status, code;

	status = liquid_hostlist_expand(list, &names, &err);
	if (status)
		return complain(exit_code_of(status), "--%s: %s", option, err.text);
	hosts->host = calloc(names.count + 1, sizeof(*hosts->host));
	if (hosts->host)
		code = find_hosts(fabric, option, &names, hosts);
	else
		code = no_memory();
	liquid_names_clear(&names);
	return code;
}

/* Hosts of the fabric that send, or receive, or both. */
static int choose_hosts(const struct liquid_fabric *fabric, bool senders, bool receivers,
			struct hosts *hosts)
{
	uint32_t count = liquid_fabric_host_count(fabric);

	hosts->host = calloc((size_t)count + 1, sizeof(*hosts->host));
	if (!hosts->host)
		return no_memory();
	for (uint32_t host = 0; host < count; host++) {
		bool sends = liquid_fabric_host_out(fabric, host) != LIQUID_NONE;
		bool receives = liquid_fabric_host_in(fabric, host) != LIQUID_NONE &&
				liquid_fabric_owner(fabric, host) == host;

		if ((sends || !senders) && (receives || !receivers))
			hosts->host[hosts->count++] = host;
	}
	return EXIT_OK;
}

int read_host_list(const struct liquid_fabric *fabric, const char *option, const char *list,
		   uint32_t **hosts, size_t *count)
{
	struct hosts found = { 0 };
	int code = list ? read_hosts(fabric, option, list, &found) :
		   choose_hosts(fabric, true, true, &found);

	if (code) {
		free(found.host);
		found = (struct hosts){ 0 };
	}
	*hosts = found.host;
	*count = found.count;
	return code;
}

/* ---- traffic ---- */

static int cross(const struct hosts *senders, const struct hosts *receivers,
		 struct liquid_traffic **traffic)
{
	struct liquid_error err;
	int status = liquid_traffic_cross(senders->host, senders->count, receivers->host,
					  receivers->count, traffic, &err);

	return status ? complain_of(status, &err) : EXIT_OK;
}

static int cross_lists(const struct traffic_args *args, const struct liquid_fabric *fabric,
		       struct liquid_traffic **traffic)
{
	struct hosts senders = { 0 }, receivers = { 0 };
	int code = read_hosts(fabric, "senders", args->senders, &senders);

	if (!code)
		code = read_hosts(fabric, "receivers", args->receivers, &receivers);
	if (!code)
		code = cross(&senders, &receivers, traffic);
	free(senders.host);
	free(receivers.host);
	return code;
}

/*
 * The hosts given, or all that both send and receive. If no host does both, as in the papers'
 * fabrics, every sender sends to every receiver.
 */
static int all_to_all(const struct traffic_args *args, const struct liquid_fabric *fabric,
		      struct liquid_traffic **traffic)
{
	struct hosts senders = { 0 }, receivers = { 0 };
	int code;

	if (args->hosts)
		code = read_hosts(fabric, "hosts", args->hosts, &senders);
	else
		code = choose_hosts(fabric, true, true, &senders);
	if (!code && (args->hosts || senders.count)) {
		struct liquid_error err;
		int status = liquid_traffic_alltoall(senders.host, senders.count, traffic, &err);

		code = status ? complain_of(status, &err) : EXIT_OK;
	} else if (!code) {
		free(senders.host);
		senders = (struct hosts){ 0 };
		code = choose_hosts(fabric, true, false, &senders);
		if (!code)
			code = choose_hosts(fabric, false, true, &receivers);
		if (!code)
			code = cross(&senders, &receivers, traffic);
	}
	free(senders.host);
	free(receivers.host);
	return code;
}

int read_traffic_file(const char *path, const struct liquid_fabric *fabric,
		      const struct liquid_ranks *ranks, struct liquid_traffic **traffic)
{
	struct liquid_error err;
	FILE *in;
	int status, code = open_input(path, &in);

	if (code)
		return code;
	status = ranks ? liquid_ranks_read_matrix(in, input_label(path), ranks, traffic, &err) :
		 liquid_traffic_read(in, input_label(path), fabric, traffic, &err);
	close_input(in);
	return status ? complain_of(status, &err) : EXIT_OK;
}

int read_all_pairs(const struct traffic_args *args, const struct liquid_fabric *fabric,
		   struct liquid_traffic **traffic)
{
	*traffic = NULL;
	if (is_rank_traffic(args))
		return read_rank_traffic(args, fabric, traffic);
	if (args->senders)
		return cross_lists(args, fabric, traffic);
	if (is_file(args))
		return read_traffic_file(args->traffic, fabric, NULL, traffic);
	return all_to_all(args, fabric, traffic);
}

#define PAIRS_NAMED 6

static int note_lost(const struct liquid_fabric *fabric, const struct liquid_traffic *lost,
		     size_t kept)
{
	char names[PAIRS_NAMED * (2 * LIQUID_NAME_MAX + 3) + 1] = "";
	const struct liquid_pair *pairs = liquid_traffic_pairs(lost);
	size_t count = liquid_traffic_pair_count(lost), used = 0;

	for (size_t i = 0; i < count && i < PAIRS_NAMED; i++)
		used += (size_t)sprintf(names + used, "%s%s>%s", i ? ", " : "",
					liquid_fabric_node_name(fabric, pairs[i].src),
					liquid_fabric_node_name(fabric, pairs[i].dst));
	complain(0, "note: %zu of %zu pairs have no route and are left out: %s%s", count,
		 kept + count, names, count > PAIRS_NAMED ? ", ..." : "");
	return kept ? EXIT_OK : complain(EXIT_BAD_INPUT, "no pair of the traffic has a route");
}

/* The traffic names hosts, not pairs: pairs without a route are left out. */
static int leave_out_lost(const struct liquid_fabric *fabric, struct liquid_traffic *traffic)
{
	struct liquid_traffic *lost;
	struct liquid_error err;
	int code = EXIT_OK, status = liquid_traffic_take_lost(traffic, fabric, &lost, &err);

	if (status)
		return complain_of(status, &err);
	if (lost)
		code = note_lost(fabric, lost, liquid_traffic_pair_count(traffic));
	liquid_traffic_free(lost);
	return code;
}

int read_traffic(const struct traffic_args *args, const struct liquid_fabric *fabric,
		 struct liquid_traffic **traffic)
{
	int code = read_all_pairs(args, fabric, traffic);

	if (code || is_file(args) || is_matrix_traffic(args))
		return code;
	return leave_out_lost(fabric, *traffic);
}
