// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl: the table of subcommands. Each lives in its own cmd-*.c. */
#include <stdarg.h>
#include <string.h>

#include "cmd/cmd.h"
#include "util/say.h"

const char program_name[] = "liquid-nl";

static const struct command commands[] = {
	{ "fabric", cmd_fabric,
	  "import --topo FILE --lft FILE [--name NAME] [--rail N] [--unit-rate RATE]\n"
	  "          [--leave-out LIST] [--allow-unreachable] [-o FABRIC]\n"
	  "       liquid-nl fabric make [NAME [KEY=VALUE]...] [--unit-rate RATE] [-o FABRIC]\n"
	  "       liquid-nl fabric show FABRIC [--routes | --route SRC DST] [--json]",
	  "import, make and show fabrics" },
	{ "solve", cmd_solve,
	  "FABRIC [--traffic alltoall|mpi:alltoall|matrix:FILE|FILE]\n"
	  "          [--hosts LIST | --senders LIST --receivers LIST]\n"
	  "          [--tasks-per-node N] [--distribution block|cyclic]\n"
	  "          [--method METHOD] [--seed N] [--work N] [--time-limit SECONDS] [--progress]\n"
	  "          [--unit-bytes BYTES] [--link-rate BPS] [--from SCHEDULE] [--explain]\n"
	  "          [--wavelengths N] [--json] [-o FILE]\n"
	  "       liquid-nl solve FABRIC [TRAFFIC] [--export-milp FILE] [--export-dimacs FILE]\n"
	  "          [--export-cnf FILE] [--frames N]",
	  "make a schedule for a traffic" },
	{ "verify", cmd_verify,
	  "FABRIC SCHEDULE [--traffic alltoall|mpi:alltoall|matrix:FILE|FILE]\n"
	  "          [--hosts LIST | --senders LIST --receivers LIST]\n"
	  "          [--tasks-per-node N] [--distribution block|cyclic] [--json]",
	  "check a schedule, and say what is wrong with it" },
	{ "plot", cmd_plot,
	  "SCHEDULE [--fabric FABRIC] -o FILE.svg|png|pdf|gp|csv\n"
	  "       liquid-nl plot --fabric FABRIC [--traffic alltoall|FILE]\n"
	  "          [--hosts LIST | --senders LIST --receivers LIST] -o FILE.svg|png|pdf|dot|csv",
	  "draw a schedule, or a fabric and its loads" },
	{ "simulate", cmd_simulate,
	  "FABRIC --schedule SCHEDULE | --order ORDER [--mapping linear|contention-aware]\n"
	  "          [--window PACKETS|auto] [--traffic alltoall|mpi:alltoall|matrix:FILE|FILE]\n"
	  "          [--hosts LIST | --senders LIST --receivers LIST]\n"
	  "          [--tasks-per-node N] [--distribution block|cyclic]\n"
	  "          [--switching wormhole|cut-through|packet] [--message BYTES] [--worm BYTES]\n"
	  "          [--packet BYTES] [--buffer BYTES] [--rate BPS] [--overhead BYTES]\n"
	  "          [--hop-latency TIME] [--frame-time TIME] [--guard TIME] [--cycles N]\n"
	  "          [--jitter KIND:TIME] [--clock-error TIME] [--seed N] [--progress] [--json]",
	  "carry a schedule, or an order, over a simulated fabric" },
	{ "attach", cmd_attach,
	  "DEV [--replace] [--rate BPS] [--overhead BYTES] [--mpu BYTES] [--ahead TIME]\n"
	  "          [--limit PACKETS] [--limit-bytes BYTES] [--dest-limit PACKETS]\n"
	  "          [--dest-limit-bytes BYTES] [--horizon TIME] [--policy share|idle|always|drop]\n"
	  "          [--reserve SHARE] [--control SHARE]\n"
	  "          [--select all|mark=VALUE[/MASK]|dscp=VALUE|RULE]\n"
	  "          [--match-mark|--no-match-mark] [--bypass RULE|none]...\n"
	  "          [--fabric FABRIC --node NAME [--unit-rate RATE]]",
	  "make a gate of a device's root qdisc" },
	{ "set", cmd_set,
	  "DEV [the options of attach that describe a gate]",
	  "change options of a gate" },
	{ "detach", cmd_detach, "DEV", "remove a gate" },
	{ "push", cmd_push,
	  "DEV --schedule FILE --node NAME --frame-time TIME [--fabric FABRIC]\n"
	  "          [--addr-map FILE] [--addr NAME=ADDR[,ADDR...]]... [--guard TIME]\n"
	  "          [--base-time NS|+TIME] [--cycles N] [--then open|hold] [--tai-offset S]\n"
	  "          [--replace] [--clock-error TIME] [--release-lag TIME] [--hops N]\n"
	  "          [--max-packet BYTES] [--unit-rate RATE] [--lease TIME]\n"
	  "          [--dry-run [--rate BPS]] [--json]",
	  "give a gate its node's slice of a schedule" },
	{ "show", cmd_show, "[DEV] [--dests] [--frames] [--json]", "show how gates stand" },
	{ "stats", cmd_stats,
	  "[DEV] [--json]\n"
	  "       liquid-nl stats [DEV] --watch[=TIME] [--count N]\n"
	  "       liquid-nl stats [DEV] --prometheus [-o FILE]",
	  "show what gates have counted" },
	{ "monitor", cmd_monitor, "[DEV] [--json]", "tell what happens to gates" },
	{ "renew", cmd_renew, "DEV [--lease TIME]", "renew the lease of a gate" },
	{ "clear", cmd_clear, "DEV [--dests]", "drop the schedules of a gate" },
	{ "job", cmd_job,
	  "start JOB --nodes LIST [--traffic NAME] [--partition NAME] [--comment TEXT]\n"
	  "          [--merge] [--until SECONDS] [--config FILE]\n"
	  "       liquid-nl job ready JOB --node NAME [--partition NAME] [--stay] [--dry-run]\n"
	  "          [--config FILE]\n"
	  "       liquid-nl job end JOB [--node NAME] [--dry-run] [--config FILE]\n"
	  "       liquid-nl job renew [JOB] --node NAME [--dry-run] [--config FILE]\n"
	  "       liquid-nl job reroute JOB --fabric FABRIC | --topo FILE --lft FILE\n"
	  "          [--leave-out LIST] [--unit-rate RATE] [--allow-unreachable] [--config FILE]\n"
	  "       liquid-nl job status [JOB] [--running] [--json] [--config FILE]\n"
	  "       liquid-nl job purge [--older-than TIME] [--config FILE]",
	  "a job's gates, on all of its nodes or on none" },
	{ "gate", cmd_gate,
	  "on|off DEV [--config FILE]\n"
	  "          [--select all|mark=VALUE[/MASK]|dscp=VALUE|RULE]\n"
	  "          [--policy share|idle|always|drop]",
	  "let a gate's schedule rest, and take it up again" },
	{ "ranks", cmd_ranks,
	  "FABRIC [--hosts LIST] [--tasks-per-node N] [--ca-order FILE]\n"
	  "          [--format hostfile|rankfile|hostlist|slurm] [--check] [--json]",
	  "the order of ranks that follows the fabric" },
	{ "clock", cmd_clock, "[--max-error TIME] [--ptp-socket PATH] [--json]",
	  "is this node's clock fit for gates?" },
};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static void print_usage(FILE *out)
{
	fputs("usage: liquid-nl COMMAND ...\n       liquid-nl --help | --version\n\n", out);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
	fputs("\n`liquid-nl COMMAND --help` shows the arguments of one.\n", out);
}

int usage_error(const char *name, const char *format, ...)
{
	const struct command *command = find_command(name);
	va_list args;

	if (format) {
		fprintf(stderr, "liquid-nl %s", name);
		va_start(args, format);
		vsay_line(stderr, ": ", format, args);
		va_end(args);
	}
	fprintf(stderr, "usage: liquid-nl %s %s\n", name, command ? command->usage : "");
	return EXIT_USAGE;
}

int option_error(const char *name, int option, const char *word)
{
	return option == ':' ? usage_error(name, "%s needs a value", word) :
	       usage_error(name, "no option '%s'", word);
}

static int run(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "show";
	const struct command *command;

	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
		print_usage(stdout);
		return EXIT_OK;
	}
	if (!strcmp(name, "--version")) {
		puts("liquid-nl " LIQUID_VERSION);
		return EXIT_OK;
	}
	command = find_command(name);
	if (!command) {
		complain(EXIT_USAGE, "no command '%s'", name);
		print_usage(stderr);
		return EXIT_USAGE;
	}
	for (int i = 2; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			printf("usage: liquid-nl %s %s\n", command->name, command->usage);
			return EXIT_OK;
		}
	return command->run(argc > 1 ? argc - 1 : argc, argc > 1 ? argv + 1 : argv);
}

int main(int argc, char **argv)
{
	return run_program(argc, argv, run);
}
