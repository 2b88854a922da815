// SPDX-License-Identifier: GPL-2.0-only
/* liquid ranks: the order of hosts that follows the fabric, as launchers read it. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "input/input.h"
#include "util/json.h"
#include "ranks/ranks.h"

#define MEMBER(member) OPT_MEMBER(struct ranks_args, member)

static const char *const orders[] = { "fabric", "contention-aware", NULL };

static const struct opt ranks_opts[] = {
	{ "FABRIC", 0, KIND_TEXT, MEMBER(fabric), .positional = true, .required = true,
	  .help = "the file of the fabric" },
	{ "hosts", 0, KIND_TEXT, MEMBER(hosts), .value = "LIST",
	  .help = "these hosts; by default all that send and receive" },
	{ "tasks-per-node", 0, KIND_NUMBER, MEMBER(tasks), .min = 1, .max = 1 << 20, .value = "N",
	  .help = "ranks of each host" },
	{ "order", 0, KIND_CHOICE, MEMBER(contention_aware), .words = orders, .value = "ORDER",
	  .help = "by switches, or as listed if that is better (the default); or so that a "
		  "shift exchange contends least" },
	{ "ca-order", 0, KIND_TEXT, MEMBER(ca_order), .value = "FILE",
	  .help = "in the order of opensm-ftree-ca-order.dump" },
	{ "format", 0, KIND_CHOICE, MEMBER(format), .words = ranks_formats, .value = "FORMAT",
	  .help = "of the list" },
	{ "check", 0, KIND_FLAG, MEMBER(check),
	  .help = "print the frames of a shift exchange, as listed and in this order" },
	OPT_JSON(struct ranks_args),
	{ 0 }
};

/* The frames of a shift exchange, as listed and in the order found */
struct shift_check {
	uint64_t before, after;
	uint64_t duration;		/* lower bound of the frames of any order */
};

/* Frames of a liquid schedule, which no other one goes below */
static int find_duration(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			 uint64_t *duration, struct liquid_error *err)
{
	uint64_t *load = calloc((size_t)liquid_fabric_link_count(fabric) + 1, sizeof(*load));
	int status = load ? liquid_traffic_loads(fabric, traffic, load, err) :
		     liquid_no_memory(err);
	double fluid;

	*duration = status ? 0 : loads_duration(fabric, load, &fluid);
	free(load);
	return status;
}

static int find_all(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
		    uint64_t *duration, struct liquid_error *err)
{
	struct liquid_traffic *traffic = NULL;
	int status = liquid_traffic_alltoall(hosts, count, &traffic, err);

	if (!status)
		status = find_duration(fabric, traffic, duration, err);
	liquid_traffic_free(traffic);
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
		status = find_all(fabric, ordered, count, &check->duration, &err);
	return status ? complain_of(status, &err) : EXIT_OK;
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
		return print_json("liquid-ranks", 1,
				  ranks_json(args, fabric, ordered, count,
					     args->check ? &check.before : NULL, check.after,
					     check.duration));
	if (!args->check)
		return ranks_print(args, fabric, ordered, count);
	printf("shift of %zu hosts: %" PRIu64 " frames as listed, %" PRIu64
	       " in this order, %" PRIu64 " at best\n", count, check.before,
	       check.after, check.duration);
	return EXIT_OK;
}

/* ---- the better of two orders ---- */

#define COMPARED (1 << 20)	/* transfers: all steps of 1,024 hosts, the nearest ones of more */

/* The frames of step @step: the i-th host sends to the (i + @step)-th. */
static int step_frames(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
		       size_t step, uint64_t *frames, struct liquid_error *err)
{
	struct liquid_traffic *traffic = NULL;
	int status = liquid_traffic_new(&traffic, err);

	for (size_t i = 0; !status && i < count; i++)
		status = liquid_traffic_add(traffic, hosts[i], hosts[(i + step) % count], 1, err);
	if (!status)
		status = find_duration(fabric, traffic, frames, err);
	liquid_traffic_free(traffic);
	return status;
}

static bool near_frames(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
			size_t steps, uint64_t *frames)
{
	struct liquid_error err;
	uint64_t more;

	*frames = 0;
	for (size_t step = 1; step <= steps; step++) {
		if (step_frames(fabric, hosts, count, step, &more, &err))
			return false;
		*frames += more;
	}
	return true;
}

/* On tori and dragonflies the order of the fabric's file may be better than that by switches. */
static void keep_better(const struct liquid_fabric *fabric, const uint32_t *listed,
			uint32_t *ordered, size_t count)
{
	size_t steps = count * count <= COMPARED ? count - 1 : COMPARED / count;
	uint64_t before, after;

	if (!memcmp(listed, ordered, count * sizeof(*listed)) ||
	    !near_frames(fabric, listed, count, steps, &before) ||
	    !near_frames(fabric, ordered, count, steps, &after) || after <= before)
		return;
	memcpy(ordered, listed, count * sizeof(*listed));
	complain(0, "note: the order as listed is kept: the first %zu steps of a shift exchange "
		 "take %" PRIu64 " frames, and %" PRIu64 " in the order by switches", steps,
		 before, after);
}

static int order_hosts(const struct ranks_args *args, const struct liquid_fabric *fabric,
		       uint32_t *hosts, size_t *count)
{
	struct liquid_error err;
	int status;

	if (args->ca_order)
		return ranks_read_ca_order(args, fabric, hosts, count);
	status = liquid_ranks_order(fabric, hosts, *count, args->contention_aware ?
				    LIQUID_ORDER_SHIFT : LIQUID_ORDER_SWITCHES, &err);
	return status ? complain_of(status, &err) : EXIT_OK;
}

static int show_order(const struct ranks_args *args, const struct liquid_fabric *fabric)
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
		if (!code && !args->ca_order && !args->contention_aware)
			keep_better(fabric, listed, ordered, count);
	} else {
		code = no_memory();
	}
	if (!code)
		code = show(args, fabric, listed, ordered, count);
	free(ordered);
	free(listed);
	return code;
}

static int run_ranks(int argc, char **argv)
{
	struct ranks_args args = { .tasks = 1 };
	struct liquid_fabric *fabric = NULL;
	int code = take_options(argc, argv, ranks_opts, &args);

	if (!code && args.contention_aware && args.ca_order)
		code = usage_error("ranks", "--ca-order is an order itself: leave out --order");
	if (!code)
		code = read_fabric(args.fabric, &fabric);
	if (!code)
		code = show_order(&args, fabric);
	liquid_fabric_free(fabric);
	return code;
}

const struct command cmd_ranks = {
	"ranks", "the order of ranks that follows the fabric", ranks_opts, run_ranks, NULL, NULL
};
