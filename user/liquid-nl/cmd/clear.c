// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl clear: drop the schedules of a gate, which opens it. */

#include "cmd/cmd.h"
#include "gate/device.h"

struct clear {
	const char *device;
	bool dests;
};

static const struct opt clear_opts[] = {
	{ "DEV", 0, KIND_TEXT, OPT_MEMBER(struct clear, device), .positional = true,
	  .required = true, .help = "the device of the gate" },
	{ "dests", 0, KIND_FLAG, OPT_MEMBER(struct clear, dests), .help = "and its destinations" },
	{ 0 }
};

static int run_clear(int argc, char **argv)
{
	struct clear args = { 0 };
	struct netlink nl;
	uint32_t ifindex;
	int code = take_options(argc, argv, clear_opts, &args);

	if (!code)
		code = open_gate(args.device, &nl, &ifindex);
	if (code)
		return code;
	if (gate_sched_clear(&nl, ifindex) || (args.dests && gate_dest_flush(&nl, ifindex)))
		code = refused(&nl, args.device);
	netlink_close(&nl);
	return code;
}

const struct command cmd_clear = {
	"clear", "drop the schedules of a gate", clear_opts, run_clear, NULL, NULL
};
