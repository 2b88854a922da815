// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl ranks: the order of hosts that follows the fabric, as launchers read it. */
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "util/input.h"
#include "show/print.h"
#include "cmd/ranks.h"
#include "util/units.h"

enum { OPT_FORMAT = 256, OPT_CA_ORDER, OPT_CHECK, OPT_JSON };

static const struct option options[] = {
	{ "hosts", required_argument, NULL, OPT_HOSTS },
	{ "tasks-per-node", required_argument, NULL, OPT_TASKS_PER_NODE },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "ca-order", required_argument, NULL, OPT_CA_ORDER },
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "json", no_argument, NULL, OPT_JSON },
	{ 0 }
};

static int take_option(int option, struct ranks_args *args)
{
	uint64_t tasks;

	switch (option) {
	case OPT_HOSTS:
		args->hosts = optarg;
		return EXIT_OK;
	case OPT_TASKS_PER_NODE:
		if (!parse_number(optarg, 1u << 20, &tasks) || !tasks)
			return usage_error("ranks", "--tasks-per-node '%s': a number, 1 or more was "
					   "expected", optarg);
		args->tasks = tasks;
		return EXIT_OK;
	case OPT_FORMAT:
		args->format = ranks_format_of(optarg);
		return args->format == RANKS_FORMATS ?
		       usage_error("ranks", "--format '%s': hostfile, rankfile, hostlist or slurm was "
				   "expected", optarg) : EXIT_OK;
	case OPT_CA_ORDER:
		args->ca_order = optarg;
		return EXIT_OK;
	case OPT_CHECK:
		args->check = true;
		return EXIT_OK;
	default:
		args->json = true;
		return EXIT_OK;
	}
}

static int parse_ranks(int argc, char **argv, struct ranks_args *args)
{
	int option, code;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == ':' || option == '?')
			return option_error("ranks", option, argv[optind - 1]);
		code = take_option(option, args);
		if (code)
			return code;
	}
	if (optind + 1 != argc)
		return usage_error("ranks", optind == argc ? "a fabric is missing" :
				   "'%s' is one argument too many", argv[argc - 1]);
	args->fabric = argv[optind];
	return EXIT_OK;
}

/* What a shift exchange takes: as listed, and in the order found. */
struct shift_check {
	uint64_t before, after;
	uint32_t duration;		/* what no order can beat */
};

static int find_duration(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
			 uint32_t *duration, struct liquid_error *err)
{
	uint64_t *load = calloc((size_t)liquid_fabric_link_count(fabric) + 1, sizeof(*load));
	struct liquid_traffic *traffic = NULL;
	int status = load ? liquid_traffic_alltoall(hosts, count, &traffic, err) :
		     liquid_fail(err, LIQUID_NO_MEMORY, "no memory for loads");

	if (!status)
		status = liquid_traffic_loads(fabric, traffic, load, err);
	*duration = 0;
	for (uint32_t l = 0; !status && l < liquid_fabric_link_count(fabric); l++) {
		uint32_t capacity = liquid_fabric_capacity(fabric, l);
		uint64_t frames = (load[l] + capacity - 1) / capacity;

		*duration = frames > *duration ? frames : *duration;
	}
	liquid_traffic_free(traffic);
	free(load);
	return status;
}

static int check_order(const struct liquid_fabric *fabric, const uint32_t *listed,
		       const uint32_t *ordered, size_t count, struct shift_check *check)
{
	struct liquid_error err;
	int status = liquid_ranks_shift_frames(fabric, listed, count, &check->before, &err);

	if (!status)
		status = liquid_ranks_shift_frames(fabric, ordered, count, &check->after, &err);
	if (!status)
		status = find_duration(fabric, ordered, count, &check->duration, &err);
	return status ? complain(exit_code_of(status), "%s", err.text) : EXIT_OK;
}

static int show(const struct ranks_args *args, const struct liquid_fabric *fabric,
		const uint32_t *listed, const uint32_t *ordered, size_t count)
{
	struct shift_check check = { 0 };
	int code = EXIT_OK;

	if (args->check)
		code = check_order(fabric, listed, ordered, count, &check);
	if (code)
		return code;
	if (args->json)
		return print_json(ranks_json(args, fabric, ordered, count,
					     args->check ? &check.before : NULL, check.after,
					     check.duration));
	if (!args->check)
		return ranks_print(args, fabric, ordered, count);
	printf("shift exchange of %zu hosts: %" PRIu64 " frames as listed, %" PRIu64
	       " in this order, %u by a liquid schedule\n", count, check.before, check.after,
	       check.duration);
	return EXIT_OK;
}

static int order_hosts(const struct ranks_args *args, const struct liquid_fabric *fabric,
		       uint32_t *hosts, size_t *count)
{
	struct liquid_error err;
	int status;

	if (args->ca_order)
		return ranks_read_ca_order(args, fabric, hosts, count);
	status = liquid_ranks_order(fabric, hosts, *count, &err);
	return status ? complain(exit_code_of(status), "%s", err.text) : EXIT_OK;
}

static int run(const struct ranks_args *args, const struct liquid_fabric *fabric)
{
	uint32_t *listed, *ordered;
	size_t count;
	int code = read_host_list(fabric, "hosts", args->hosts, &listed, &count);

	if (code)
		return code;
	ordered = malloc((count + 1) * sizeof(*ordered));
	if (ordered) {
		memcpy(ordered, listed, count * sizeof(*ordered));
		code = order_hosts(args, fabric, ordered, &count);
	} else {
		code = complain(EXIT_IO, "no memory for the hosts");
	}
	if (!code)
		code = show(args, fabric, listed, ordered, count);
	free(ordered);
	free(listed);
	return code;
}

int cmd_ranks(int argc, char **argv)
{
	struct ranks_args args = { .tasks = 1 };
	struct liquid_fabric *fabric = NULL;
	int code = parse_ranks(argc, argv, &args);

	if (!code)
		code = read_fabric(args.fabric, &fabric);
	if (!code)
		code = run(&args, fabric);
	liquid_fabric_free(fabric);
	return code;
}
