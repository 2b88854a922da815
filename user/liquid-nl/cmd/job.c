// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl job: from a job's start to its end, on all of its nodes or on none. */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "cmd/cmd.h"
#include "job/job.h"
#include "util/units.h"

#define PURGE_NS (UINT64_C(7) * 86400 * 1000000000)	/* a week */

enum { OPT_CONFIG = 256, OPT_NODES, OPT_NODE, OPT_TRAFFIC, OPT_PARTITION, OPT_COMMENT, OPT_FABRIC,
       OPT_TOPO, OPT_LFT, OPT_MERGE, OPT_RUNNING, OPT_STAY, OPT_DRY_RUN, OPT_JSON, OPT_OLDER, OPT_UNTIL,
       OPT_LEAVE_OUT, OPT_UNIT_RATE, OPT_UNREACHABLE };

static const struct option options[] = {
	{ "config", required_argument, NULL, OPT_CONFIG },
	{ "nodes", required_argument, NULL, OPT_NODES },
	{ "node", required_argument, NULL, OPT_NODE },
	{ "traffic", required_argument, NULL, OPT_TRAFFIC },
	{ "partition", required_argument, NULL, OPT_PARTITION },
	{ "comment", required_argument, NULL, OPT_COMMENT },
	{ "fabric", required_argument, NULL, OPT_FABRIC },
	{ "topo", required_argument, NULL, OPT_TOPO },
	{ "lft", required_argument, NULL, OPT_LFT },
	{ "merge", no_argument, NULL, OPT_MERGE },
	{ "stay", no_argument, NULL, OPT_STAY },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "running", no_argument, NULL, OPT_RUNNING },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "older-than", required_argument, NULL, OPT_OLDER },
	{ "until", required_argument, NULL, OPT_UNTIL },
	{ "leave-out", required_argument, NULL, OPT_LEAVE_OUT },
	{ "unit-rate", required_argument, NULL, OPT_UNIT_RATE },
	{ "allow-unreachable", no_argument, NULL, OPT_UNREACHABLE },
	{ 0 }
};

/* Exit code */
static int take_option(struct job_args *args, int option)
{
	const char **const texts[] = {
		[OPT_CONFIG - OPT_CONFIG] = &args->conf_path, [OPT_NODES - OPT_CONFIG] = &args->nodes,
		[OPT_NODE - OPT_CONFIG] = &args->node, [OPT_TRAFFIC - OPT_CONFIG] = &args->traffic,
		[OPT_PARTITION - OPT_CONFIG] = &args->partition,
		[OPT_COMMENT - OPT_CONFIG] = &args->comment, [OPT_FABRIC - OPT_CONFIG] = &args->fabric,
		[OPT_TOPO - OPT_CONFIG] = &args->live_topo, [OPT_LFT - OPT_CONFIG] = &args->live_lft,
	};

	switch (option) {
	case OPT_MERGE:
		args->merge = true;
		break;
	case OPT_STAY:
		args->stay = true;
		break;
	case OPT_DRY_RUN:
		args->dry_run = true;
		break;
	case OPT_RUNNING:
		args->running = true;
		break;
	case OPT_JSON:
		args->json = true;
		break;
	case OPT_OLDER:
		if (!parse_time(optarg, &args->older_ns))
			return usage_error("job", "--older-than '%s': a time (86400s) was expected", optarg);
		break;
	case OPT_UNTIL:
		if (!parse_number(optarg, JOB_UNTIL_MAX, &args->until) || !args->until)
			return usage_error("job", "--until '%s': seconds since 1970 (date +%%s) were expected",
					   optarg);
		break;
	case OPT_LEAVE_OUT:
		args->leave_out = optarg;
		break;
	case OPT_UNIT_RATE:
		if (!parse_rate(optarg, &args->unit_bps) || !args->unit_bps)
			return usage_error("job", "--unit-rate '%s': a rate (100G) was expected", optarg);
		break;
	case OPT_UNREACHABLE:
		args->allow_unreachable = true;
		break;
	default:
		*texts[option - OPT_CONFIG] = optarg;
	}
	return EXIT_OK;
}

struct job_command {
	const char *name;
	int (*run)(struct job_args *args);
	bool needs_job, needs_node, needs_nodes;
	bool takes_routes;		/* --fabric, --topo and --lft, and what goes with them */
	bool skips_ungated;		/* nothing to do in a partition that is never gated */
	bool bounded;			/* Slurm waits for it */
	bool agrees;			/* judges the clock; has the lead beyond the deadline */
	bool opens_gate;		/* first of all, whatever the store is like */
	struct job_needs needs;
};

static int prepare(struct job_args *args)
{
	return job_prepare(args, args->job);
}

static const struct job_command commands[] = {
	{ .name = "start", .run = job_start, .needs_job = true, .needs_nodes = true,
	  .skips_ungated = true, .needs = { .writes = true, .makes = true } },
	{ .name = "prepare", .run = prepare, .needs_job = true, .needs_node = true,
	  .needs = { .writes = true } },
	{ .name = "ready", .run = job_ready, .needs_job = true, .needs_node = true,
	  .skips_ungated = true, .bounded = true, .agrees = true,
	  .needs = { .writes = true, .waits = true, .gates = true } },
	{ .name = "end", .run = job_end, .needs_job = true, .bounded = true, .opens_gate = true,
	  .needs = { .writes = true, .gates = true } },
	{ .name = "renew", .run = job_renew, .needs_node = true,
	  .needs = { .writes = true, .gates = true } },
	{ .name = "reroute", .run = job_reroute, .needs_job = true, .takes_routes = true,
	  .needs = { .writes = true } },
	{ .name = "status", .run = job_status },
	{ .name = "purge", .run = job_purge, .needs = { .writes = true } },
};

static const struct job_command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int check_args(const struct job_command *command, const struct job_args *args)
{
	if (command->needs_job && !args->job)
		return usage_error("job", "%s: the job's name is missing", command->name);
	if (args->job && !job_name_fits(args->job))
		return usage_error("job", "'%s': letters, digits, '.', '_' and '-' make a job's name, up "
				   "to %d", args->job, JOB_NAME_MAX);
	if (command->needs_nodes && !args->nodes)
		return usage_error("job", "%s: --nodes is missing", command->name);
	if (command->needs_node && !args->node)
		return usage_error("job", "%s: --node is missing", command->name);
	if (args->node && !job_name_fits(args->node))
		return usage_error("job", "--node '%s': is no node's name", args->node);
	if ((args->leave_out || args->unit_bps || args->allow_unreachable) &&
	    (!command->takes_routes || args->fabric))
		return usage_error("job", "--leave-out, --unit-rate and --allow-unreachable go with "
				   "reroute --topo --lft");
	if (command->takes_routes && !args->fabric == !(args->live_topo && args->live_lft))
		return usage_error("job", "reroute takes --fabric, or --topo and --lft");
	return EXIT_OK;
}

static int parse_job(int argc, char **argv, struct job_args *args)
{
	int option, code;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == ':' || option == '?')
			return option_error("job", option, argv[optind - 1]);
		code = take_option(args, option);
		if (code)
			return code;
	}
	if (optind < argc)
		args->job = argv[optind++];
	if (optind < argc)
		return usage_error("job", "'%s' is one argument too many", argv[optind]);
	return EXIT_OK;
}

static int read_conf(struct job_args *args)
{
	FILE *in = fopen(args->conf_path, "re");
	struct liquid_error err;
	int status;

	if (!in)
		return complain(EXIT_BAD_INPUT, "%s: %s", args->conf_path, strerror(errno));
	status = conf_read(in, args->conf_path, &args->conf, &err);
	fclose(in);
	args->merge |= args->conf.merge == CONF_YES;
	args->store.dir = args->conf.store;
	return status ? complain(exit_code_of(status), "%s", err.text) : EXIT_OK;
}

/* What only root may ask is opened while we are root. */
static void open_clock(struct job_args *args, const struct job_command *command)
{
	if (command->agrees && args->conf.clock != CONF_OFF)
		clock_open(&args->clock);
}

/* A command that opens the gate opens the store itself, after that. */
static int open_store(struct job_args *args, const struct job_command *command)
{
	int code;

	open_clock(args, command);
	code = job_become_keeper(args, &command->needs);
	return code || command->opens_gate ? code : job_open_store(args, &command->needs);
}

static int serve(struct job_args *args)
{
	int code = open_store(args, args->command);

	return code ? code : args->command->run(args);
}

/* Whatever the store does: a node does not gate, and a gate is opened. */
static int serve_bounded(struct job_args *args)
{
	const struct job_command *command = args->command;
	uint64_t limit = args->conf.deadline_ns + (command->agrees ? args->conf.lead_ns : 0);
	bool abandoned;
	int code = job_bounded(args, limit, serve, &abandoned);

	if (abandoned && command->agrees)
		return job_ungated(args);
	if (abandoned && command->opens_gate && args->node)
		job_clear_gate(args);
	return code;
}

static int serve_job(struct job_args *args)
{
	if (!args->command->skips_ungated || !job_is_never_gated(args))
		return args->command->bounded ? serve_bounded(args) : serve(args);
	printf("job %s: not gated: its partition has no traffic\n", args->job);
	return EXIT_OK;
}

int cmd_job(int argc, char **argv)
{
	struct job_args args = {
		.conf_path = CONF_PATH, .older_ns = PURGE_NS, .store = { .fd = -1 },
		.clock = CLOCK_ASKER_CLOSED,
	};
	const struct job_command *command;
	int code;

	if (argc < 2)
		return usage_error("job", "what to do is missing");
	command = find_command(argv[1]);
	if (!command)
		return usage_error("job", "no '%s'", argv[1]);
	code = parse_job(argc - 1, argv + 1, &args);
	if (!code)
		code = check_args(command, &args);
	if (!code)
		code = read_conf(&args);
	args.command = command;
	if (!code)
		code = serve_job(&args);
	clock_close(&args.clock);
	job_store_close(&args.store);
	conf_clear(&args.conf);
	return code;
}
