// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl job: gate a job from its start to its end, on all of its nodes or on none. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "job/agree.h"
#include "report/report.h"
#include "util/say.h"

#define PURGE_NS (UINT64_C(7) * 86400 * 1000000000)	/* a week */

struct job_command {
	int (*run)(struct job_args *args);
	const struct opt *opts;
	bool takes_routes;		/* has --fabric, --topo, --lft and options of an import */
	bool skips_ungated;		/* does nothing in a partition that is never gated */
	bool bounded;			/* has a time limit, because Slurm waits for it */
	bool agrees;			/* checks the clock; its limit is deadline + lead */
	bool opens_gate;		/* opens the gate before it touches the store */
	bool for_users;			/* prints the notice for the job's user */
	bool by_controller;		/* without a node: it is the controller that calls it */
	struct job_needs needs;
};

/* @name: the subcommand */
static int check_args(const char *name, const struct job_args *args)
{
	bool import = args->live_topo && args->live_lft;

	if (args->job && !job_name_fits(args->job))
		return usage_error(name, "'%s': a job's name is made of letters, digits, '.', '_' "
				   "and '-', up to %d", args->job, JOB_NAME_MAX);
	if (args->node && !job_name_fits(args->node))
		return usage_error(name, "--node: expected a node's name, got '%s'", args->node);
	if ((args->leave_out || args->unit_bps || args->allow_unreachable) && args->fabric)
		return usage_error(name, "--leave-out, --unit-rate and --allow-unreachable go with "
				   "--topo and --lft");
	if (args->command->takes_routes && !args->fabric == !import)
		return usage_error(name, "expected --fabric, or --topo and --lft");
	return EXIT_OK;
}

static int read_conf(struct job_args *args)
{
	struct liquid_error err;
	int status = conf_read_file(args->conf_path, &args->conf, &err);

	if (status)
		return complain_of(status, &err);
	args->merge |= args->conf.merge == CONF_YES;
	return job_find_store(args);
}

/* Open the sockets of the time daemons now: some can be opened only by root. */
static void open_clock(struct job_args *args, const struct job_command *command)
{
	if ((command->needs.gates || (command->opens_gate && args->node)) &&
	    args->conf.clock != CONF_OFF)
		clock_open(&args->clock);
}

/* A command that opens the gate does that first, and opens the store itself afterwards. */
static int open_store(struct job_args *args, const struct job_command *command)
{
	int code;

	open_clock(args, command);
	code = job_become_keeper(args, &command->needs);
	if (code && command->opens_gate && args->node)
		job_clear_gate(args);
	return code || command->opens_gate ? code : job_open_store(args, &command->needs);
}

static int serve(struct job_args *args)
{
	int code = open_store(args, args->command);

	if (code && args->command->agrees)
		job_tell_ungated(args);
	return code ? code : args->command->run(args);
}

/* If the store does not answer in time, the node does not gate, or its gate is opened. */
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

static int serve_asked(struct job_args *args)
{
	if (args->conf.first && args->command->by_controller && !args->node) {
		put_text("job %s: nothing to do here: with `agree first` its nodes do it\n",
			 args->job);
		return EXIT_OK;
	}
	if (!args->command->skips_ungated || !job_is_never_gated(args))
		return args->command->bounded ? serve_bounded(args) : serve(args);
	printf("job %s: not gated: its partition has no traffic\n", args->job);
	args->run.outcome.known = args->run.outcome.unasked = true;
	strcpy(args->run.outcome.reason, "its partition has no traffic");
	return EXIT_OK;
}

/* The user has the notice from the beginning on, and its outcome before the job's first task. */
static int serve_job(struct job_args *args)
{
	bool told = args->user != JOB_NO_USER;
	int code;

	if (told) {
		job_notice_put(args);
		job_notice_make_plan(args);
	}
	code = serve_asked(args);
	if (told && args->run.outcome.known)
		job_notice_put(args);
	return code;
}

/* ---- status, for the job's user ---- */

static bool take_names(struct job_args *args, char host[JOB_NAME_MAX + 1])
{
	if (!args->job)
		args->job = getenv("SLURM_JOB_ID");
	if (!args->node && job_own_name(host))
		args->node = host;
	return args->job && args->node && job_name_fits(args->job) && job_name_fits(args->node);
}

#define HET_MAX 128			/* what Slurm allows */

static unsigned long het_size(void)
{
	const char *size = getenv("SLURM_HET_SIZE");
	unsigned long count = size ? strtoul(size, NULL, 10) : 0;

	return count < HET_MAX ? count : HET_MAX;
}

/* Tasks have the number of the first component, and each component is a separate job. */
static json_t *read_component(struct job_args args, unsigned long number)
{
	char name[64];

	snprintf(name, sizeof(name), "SLURM_JOB_ID_HET_GROUP_%lu", number);
	args.job = getenv(name);
	return args.job && job_name_fits(args.job) && job_name_fits(args.node) ?
	       job_notice_read(&args) : NULL;
}

/*
 * Users may read neither liquid.conf nor the store: without --node they, and with it all, get
 * the text of the notice. False: the store is to be asked.
 */
static bool print_notice(const struct job_args *given, int *code)
{
	struct job_args args = *given;
	char host[JOB_NAME_MAX + 1] = "";
	json_t *json, *array;

	if (!given->node && (given->running || !geteuid()))
		return false;
	json = take_names(&args, host) ? job_notice_read(&args) : NULL;
	for (unsigned long i = 0; !json && !given->job && args.node && i < het_size(); i++)
		json = read_component(args, i);
	if (!json && given->node)
		*code = complain(EXIT_BAD_INPUT, "node %s has no notice of job %s that this user "
				 "may read", args.node, args.job ? args.job : "(none is named)");
	if (!json)
		return given->node;
	array = json_array();
	json_array_append_new(array, json);
	*code = job_print_states(array, args.json);
	return true;
}

static int run_job_command(int argc, char **argv, const struct job_command *command)
{
	struct job_args args = {
		.conf_path = CONF_PATH, .older_ns = PURGE_NS, .store = { .fd = -1 },
		.user = JOB_NO_USER, .run = { .order_fd = -1 },
		.clock = CLOCK_ASKER_CLOSED, .command = command,
	};
	int code = take_options(argc, argv, command->opts, &args);

	if (!code)
		code = check_args(argv[0], &args);
	if (!code && command->opens_gate && args.node)
		job_notice_remove(&args);
	if (!code && command->for_users && print_notice(&args, &code))
		return code;
	if (!code)
		code = read_conf(&args);
	if (!code)
		code = serve_job(&args);
	if (code && command->for_users && geteuid())
		complain(0, "who may not read the store asks about an own job on its nodes, or "
			 "finds AdminComment in `scontrol show job`");
	clock_close(&args.clock);
	free(args.first);
	json_decref(args.run.plan);
	json_decref(args.run.order);
	job_store_close(&args.store);
	conf_clear(&args.conf);
	return code;
}

/* ---- subcommands ---- */

#define MEMBER(member) OPT_MEMBER(struct job_args, member)
#define JOB(is_required) \
	{ "JOB", 0, KIND_TEXT, MEMBER(job), .positional = true, .required = (is_required), \
	  .help = "name of the job" }
#define NODE(is_required, text) \
	{ "node", 0, KIND_TEXT, MEMBER(node), .required = (is_required), \
	  .value = "NAME", .help = text }
#define DRY_RUN \
	{ "dry-run", 0, KIND_FLAG, MEMBER(dry_run), .help = "do everything but change the kernel" }
#define CONFIG \
	{ "config", 0, KIND_TEXT, MEMBER(conf_path), .value = "FILE", \
	  .help = "by default " CONF_PATH }
#define PARTITION(text) \
	{ "partition", 0, KIND_TEXT, MEMBER(partition), .value = "NAME", .help = text }

#define NODES(is_required, text) \
	{ "nodes", 0, KIND_TEXT, MEMBER(nodes), .required = (is_required), .value = "LIST", \
	  .help = text }
#define TRAFFIC \
	{ "traffic", 0, KIND_TEXT, MEMBER(traffic), .value = "NAME", \
	  .help = "a traffic of the configuration" }
#define COMMENT \
	{ "comment", 0, KIND_TEXT, MEMBER(comment), .value = "TEXT", \
	  .help = "the job's comment, which may name a traffic" }
#define UNTIL \
	{ "until", 0, KIND_NUMBER, MEMBER(until), .min = 1, .max = JOB_UNTIL_MAX, \
	  .value = "SECONDS", \
	  .expected = "seconds since 1970, as `date +%s` prints them", \
	  .help = "latest end of the job, in seconds since 1970" }

static const struct opt start_opts[] = {
	JOB(true),
	NODES(true, "nodes of the job"),
	TRAFFIC,
	PARTITION("use the traffic of this partition"),
	COMMENT,
	{ "merge", 0, KIND_FLAG, MEMBER(merge),
	  .help = "solve together with running jobs on the same links" },
	UNTIL,
	CONFIG,
	{ 0 }
};

static const struct opt prepare_opts[] = {
	{ "ROUND", 0, KIND_TEXT, MEMBER(job), .positional = true, .required = true,
	  .help = "name of the round" },
	NODE(false, "this node; all of them without it"),
	CONFIG,
	{ 0 }
};

static const struct opt ready_opts[] = {
	JOB(true),
	NODE(true, "this node"),
	NODES(false, "nodes of the job: with `agree first` its first one publishes it"),
	TRAFFIC,
	PARTITION("use its traffic; do not wait where that is none"),
	COMMENT,
	UNTIL,
	{ "user", 0, KIND_NUMBER, MEMBER(user), .max = JOB_NO_USER - 1, .value = "UID",
	  .expected = "the number of a user",
	  .help = "give this user fabric and host, for MPI, and let them read the gate" },
	{ "stay", 0, KIND_FLAG, MEMBER(stay),
	  .help = "keep a process that takes part in later rounds and renews the lease" },
	DRY_RUN,
	CONFIG,
	{ 0 }
};

static const struct opt end_opts[] = {
	JOB(true),
	NODE(false, "open the gate of this node"),
	DRY_RUN,
	CONFIG,
	{ 0 }
};

static const struct opt job_renew_opts[] = {
	JOB(false),
	NODE(true, "this node"),
	DRY_RUN,
	CONFIG,
	{ 0 }
};

static const struct opt reroute_opts[] = {
	JOB(true),
	{ "fabric", 0, KIND_TEXT, MEMBER(fabric), .value = "FABRIC",
	  .help = "the fabric as it is now" },
	{ "topo", 0, KIND_TEXT, MEMBER(live_topo), .value = "FILE",
	  .help = "or import it: output of ibnetdiscover" },
	{ "lft", 0, KIND_TEXT, MEMBER(live_lft), .value = "FILE",
	  .help = "and the forwarding tables" },
	{ "leave-out", 0, KIND_TEXT, MEMBER(leave_out), .value = "LIST",
	  .help = "with --topo: leave out these nodes, switches, cables, rails" },
	{ "unit-rate", 0, KIND_RATE, MEMBER(unit_bps), .min = 1, .value = "RATE",
	  .help = "with --topo: rate of a unit" },
	{ "allow-unreachable", 0, KIND_FLAG, MEMBER(allow_unreachable),
	  .help = "with --topo: leave out what cannot be reached" },
	CONFIG,
	{ 0 }
};

static const struct opt sweep_opts[] = {
	JOB(false),
	{ "fabric", 0, KIND_TEXT, MEMBER(fabric), .value = "FABRIC",
	  .help = "the fabric as it is now; by default live-topo and live-lft are imported" },
	CONFIG,
	{ 0 }
};

static const struct opt status_opts[] = {
	JOB(false),
	{ "running", 0, KIND_FLAG, MEMBER(running), .help = "leave out jobs that have ended" },
	NODE(false, "the notice of this node to the job's user; by default of Slurm's environment"),
	OPT_JSON(struct job_args),
	CONFIG,
	{ 0 }
};

static const struct opt purge_opts[] = {
	{ "older-than", 0, KIND_TIME, MEMBER(older_ns), .value = "TIME",
	  .help = "only jobs that ended longer ago; a week by default" },
	CONFIG,
	{ 0 }
};

static const struct opt serve_opts[] = {
	CONFIG,
	{ 0 }
};

static int prepare(struct job_args *args)
{
	return job_prepare(args, args->job);
}

/* Define a subcommand: how it is served, and its row in the table of commands. */
#define SUBCOMMAND(name, table, text, ...) \
	static const struct job_command name##_command = { .opts = table, __VA_ARGS__ }; \
	static int run_##name(int argc, char **argv) \
	{ \
		return run_job_command(argc, argv, &name##_command); \
	} \
	static const struct command cmd_job_##name = { \
		"job " #name, text, table, run_##name, NULL, NULL \
	}

SUBCOMMAND(start, start_opts, "publish a job for its nodes",
	   .run = job_start, .skips_ungated = true, .bounded = true, .by_controller = true,
	   .needs = { .writes = true, .makes = true });
SUBCOMMAND(prepare, prepare_opts, NULL,
	   .run = prepare, .needs = { .writes = true });
SUBCOMMAND(ready, ready_opts, "gate a node, when all nodes of the job can",
	   .run = job_ready, .skips_ungated = true, .bounded = true, .agrees = true,
	   .needs = { .writes = true, .gates = true, .calls = true });
SUBCOMMAND(end, end_opts, "open the gate of a node, and record the job's end",
	   .run = job_end, .bounded = true, .opens_gate = true, .by_controller = true,
	   .needs = { .writes = true, .gates = true, .calls = true });
SUBCOMMAND(renew, job_renew_opts, "renew the lease of a node's gate",
	   .run = job_renew, .needs = { .writes = true, .gates = true, .calls = true });
SUBCOMMAND(reroute, reroute_opts, "solve again for a fabric that has changed",
	   .run = job_reroute, .takes_routes = true, .needs = { .writes = true });
SUBCOMMAND(sweep, sweep_opts, "open the gates of jobs whose routes have changed",
	   .run = job_sweep, .needs = { .writes = true });
SUBCOMMAND(status, status_opts, "show the state of jobs",
	   .run = job_status, .for_users = true);
SUBCOMMAND(purge, purge_opts, "remove the records of jobs that have ended",
	   .run = job_purge, .needs = { .writes = true });

SUBCOMMAND(serve, serve_opts, "let nodes agree over the network, on the controller",
	   .run = job_serve, .needs = { .writes = true, .makes = true });

/* The report is read as the keeper and written as the caller, so it is served in its own way. */
static const struct opt report_opts[] = {
	{ "JOB", 0, KIND_TEXT, OPT_MEMBER(struct report_args, job), .positional = true,
	  .required = true, .help = "name of the job" },
	{ "html", 0, KIND_TEXT, OPT_MEMBER(struct report_args, html), .value = "FILE",
	  .help = "write a page with pictures" },
	{ "mpi", 0, KIND_LIST, OPT_MEMBER(struct report_args, mpi), .value = "FILE",
	  .help = "a file that LIQUID_MPI_STATS has named; may repeat" },
	OPT_JSON(struct report_args),
	{ "config", 0, KIND_TEXT, OPT_MEMBER(struct report_args, conf_path), .value = "FILE",
	  .help = "by default " CONF_PATH },
	{ 0 }
};

static int run_report(int argc, char **argv)
{
	struct report_args report = { .conf_path = CONF_PATH };
	struct job_args args = { .store = { .fd = -1 } };
	int code = take_options(argc, argv, report_opts, &report);

	if (!code && !job_name_fits(report.job))
		code = usage_error(argv[0], "'%s' is not the name of a job", report.job);
	if (!code && report.html && report.json)
		code = usage_error(argv[0], "--html and --json exclude each other");
	args.job = report.job;
	args.conf_path = report.conf_path;
	if (!code)
		code = read_conf(&args);
	if (!code)
		code = report_run(&report, &args);
	free(report.mpi.text);
	conf_clear(&args.conf);
	return code;
}

static const struct opt metrics_opts[] = {
	{ "output", 'o', KIND_TEXT, OPT_MEMBER(struct report_args, output), .value = "FILE",
	  .help = "write to this file" },
	{ "config", 0, KIND_TEXT, OPT_MEMBER(struct report_args, conf_path), .value = "FILE",
	  .help = "by default " CONF_PATH },
	{ 0 }
};

static int run_metrics(int argc, char **argv)
{
	struct report_args report = { .conf_path = CONF_PATH };
	struct job_args args = { .store = { .fd = -1 } };
	int code = take_options(argc, argv, metrics_opts, &report);

	args.conf_path = report.conf_path;
	if (!code)
		code = read_conf(&args);
	if (!code)
		code = report_metrics(report.output, &args);
	conf_clear(&args.conf);
	return code;
}

static const struct command cmd_job_metrics = {
	"job metrics", "numbers of jobs in the format of Prometheus", metrics_opts, run_metrics,
	NULL, NULL
};

static const struct command cmd_job_report = {
	"job report", "report the work of a job's gates", report_opts, run_report, NULL, NULL
};

static const struct command *const subcommands[] = {
	&cmd_job_start, &cmd_job_prepare, &cmd_job_ready, &cmd_job_end, &cmd_job_renew,
	&cmd_job_reroute, &cmd_job_sweep, &cmd_job_status, &cmd_job_report, &cmd_job_metrics,
	&cmd_job_purge, &cmd_job_serve, NULL
};

const struct command cmd_job = {
	"job", "the gates of a job, on all of its nodes or on none", NULL, NULL, subcommands, NULL
};
