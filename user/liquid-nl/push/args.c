// SPDX-License-Identifier: GPL-2.0-only
/* The options of push. */
#include <getopt.h>
#include <string.h>

#include "cmd/cmd.h"
#include "gate/device.h"
#include "push/push.h"
#include "util/units.h"

enum { OPT_SCHEDULE = 256, OPT_NODE, OPT_FABRIC, OPT_FRAME_TIME, OPT_GUARD, OPT_BASE_TIME,
       OPT_CYCLES, OPT_THEN, OPT_TAI_OFFSET, OPT_REPLACE, OPT_ADDR_MAP, OPT_ADDR,
       OPT_CLOCK_ERROR, OPT_RELEASE_LAG, OPT_HOPS, OPT_MAX_PACKET, OPT_RATE, OPT_DRY_RUN,
       OPT_LEASE, OPT_UNIT_RATE, OPT_JSON };

static const struct option options[] = {
	{ "schedule", required_argument, NULL, OPT_SCHEDULE },
	{ "node", required_argument, NULL, OPT_NODE },
	{ "fabric", required_argument, NULL, OPT_FABRIC },
	{ "frame-time", required_argument, NULL, OPT_FRAME_TIME },
	{ "guard", required_argument, NULL, OPT_GUARD },
	{ "base-time", required_argument, NULL, OPT_BASE_TIME },
	{ "cycles", required_argument, NULL, OPT_CYCLES },
	{ "then", required_argument, NULL, OPT_THEN },
	{ "tai-offset", required_argument, NULL, OPT_TAI_OFFSET },
	{ "replace", no_argument, NULL, OPT_REPLACE },
	{ "addr-map", required_argument, NULL, OPT_ADDR_MAP },
	{ "addr", required_argument, NULL, OPT_ADDR },
	{ "clock-error", required_argument, NULL, OPT_CLOCK_ERROR },
	{ "release-lag", required_argument, NULL, OPT_RELEASE_LAG },
	{ "hops", required_argument, NULL, OPT_HOPS },
	{ "max-packet", required_argument, NULL, OPT_MAX_PACKET },
	{ "rate", required_argument, NULL, OPT_RATE },
	{ "unit-rate", required_argument, NULL, OPT_UNIT_RATE },
	{ "lease", required_argument, NULL, OPT_LEASE },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "json", no_argument, NULL, OPT_JSON },
	{ 0 }
};

static int not_expected(const char *option, const char *expected)
{
	return usage_error("push", "--%s '%s': %s was expected", option, optarg, expected);
}

static int take_time(const char *option, uint64_t *ns)
{
	return parse_time(optarg, ns) ? EXIT_OK : not_expected(option, "a time (1ms, 250us, ns)");
}

static int take_number(const char *option, uint64_t max, uint64_t *value)
{
	return parse_number(optarg, max, value) ? EXIT_OK : not_expected(option, "a number");
}

static int take_base_time(struct push_args *args)
{
	args->base_relative = optarg[0] == '+';
	if (!parse_time(optarg + args->base_relative, &args->base_ns) ||
	    args->base_ns > INT64_MAX)
		return not_expected("base-time", "ns of CLOCK_TAI, or a time from now (+500ms)");
	return EXIT_OK;
}

static int take_then(struct push_args *args)
{
	int then = value_of_name(then_names, optarg);

	if (then < 0)
		return not_expected("then", "open or hold");
	args->then = then;
	return EXIT_OK;
}

static int take_lease(struct push_args *args)
{
	if (!parse_lease(optarg, &args->lease_ns))
		return not_expected("lease", LEASE_EXPECTED);
	return EXIT_OK;
}

static int take_addr(struct push_args *args)
{
	struct liquid_error err;
	int status = addr_map_add(&args->map, optarg, &err);

	return status ? complain(exit_code_of(status), "%s", err.text) : EXIT_OK;
}

static int take_u32(const char *option, uint64_t max, uint32_t *value)
{
	uint64_t number;
	int code = take_number(option, max, &number);

	if (!code)
		*value = number;
	return code;
}

/* What describes the frames. */
static int take_timing(int option, struct push_args *args)
{
	uint32_t offset = 0;
	int code;

	switch (option) {
	case OPT_FRAME_TIME:
		return take_time("frame-time", &args->frame_ns);
	case OPT_GUARD:
		args->guard_given = true;
		return take_time("guard", &args->guard_ns);
	case OPT_BASE_TIME:
		return take_base_time(args);
	case OPT_CYCLES:
		return take_number("cycles", UINT64_MAX, &args->cycles);
	case OPT_THEN:
		return take_then(args);
	case OPT_TAI_OFFSET:
		code = take_u32("tai-offset", 1000, &offset);
		args->tai_offset = offset;
		return code;
	case OPT_CLOCK_ERROR:
		return take_time("clock-error", &args->terms.clock_error_ns);
	case OPT_RELEASE_LAG:
		return take_time("release-lag", &args->terms.release_lag_ns);
	case OPT_HOPS:
		return take_u32("hops", LIQUID_PATH_MAX, &args->terms.hops);
	case OPT_RATE:
		return parse_rate(optarg, &args->rate_bps) ? EXIT_OK :
		       not_expected("rate", "a rate (10G, bit/s)");
	case OPT_UNIT_RATE:
		return parse_rate(optarg, &args->unit_bps) && args->unit_bps ? EXIT_OK :
		       not_expected("unit-rate", "a rate (10G, bit/s)");
	default:
		return take_u32("max-packet", UINT16_MAX, &args->max_packet);
	}
}

static int take_option(int option, struct push_args *args)
{
	switch (option) {
	case OPT_SCHEDULE:
		args->schedule = optarg;
		return EXIT_OK;
	case OPT_NODE:
		args->node = optarg;
		return EXIT_OK;
	case OPT_FABRIC:
		args->fabric = optarg;
		return EXIT_OK;
	case OPT_ADDR_MAP:
		args->map_file = optarg;
		return EXIT_OK;
	case OPT_ADDR:
		return take_addr(args);
	case OPT_LEASE:
		return take_lease(args);
	case OPT_REPLACE:
		args->replace = true;
		return EXIT_OK;
	case OPT_DRY_RUN:
		args->dry_run = true;
		return EXIT_OK;
	case OPT_JSON:
		args->json = true;
		return EXIT_OK;
	default:
		return take_timing(option, args);
	}
}

static int check_args(const struct push_args *args)
{
	if (!args->schedule || !args->node)
		return usage_error("push",
				   "%s is missing", args->schedule ? "--node" : "--schedule");
	if (!args->frame_ns)
		return usage_error("push", "--frame-time is missing, or zero");
	if (args->frame_ns < LIQUID_FRAME_NS_MIN || args->frame_ns > LIQUID_FRAME_NS_MAX)
		return usage_error("push", "--frame-time: from 10us to 10s");
	if (args->guard_given && args->guard_ns >= args->frame_ns)
		return usage_error("push", "--guard: shorter than the frame time");
	if (args->rate_bps && !args->dry_run)
		return usage_error("push",
				   "--rate goes with --dry-run; `liquid-nl set` changes a gate's");
	if (args->max_packet < 64)
		return usage_error("push", "--max-packet: from 64 to 65535 bytes");
	return EXIT_OK;
}

int push_parse(int argc, char **argv, struct push_args *args)
{
	int option, code = EXIT_OK;

	*args = (struct push_args){
		.base_relative = true, .tai_offset = 37, .max_packet = 1514,
		.terms = { .clock_error_ns = 1000, .release_lag_ns = 10000 },
	};
	opterr = 0;
	optind = 1;
	while (!code && (option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == ':' || option == '?')
			return option_error("push", option, argv[optind - 1]);
		code = take_option(option, args);
	}
	if (!code)
		code = take_device(argc, argv, "push", &args->device);
	return code ? code : check_args(args);
}
