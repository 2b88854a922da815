// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl clear: drop the schedules of a gate, which then stands open. */
#include <getopt.h>

#include "cmd/cmd.h"
#include "gate/device.h"

static int parse_clear(int argc, char **argv, const char **device, bool *dests)
{
	static const struct option options[] = {
		{ "dests", no_argument, NULL, 'd' },
		{ 0 }
	};
	int option;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option != 'd')
			return usage_error(argv[0], "no option '%s'", argv[optind - 1]);
		*dests = true;
	}
	return take_device(argc, argv, argv[0], device);
}

int cmd_clear(int argc, char **argv)
{
	const char *device;
	bool dests = false;
	struct netlink nl;
	uint32_t ifindex;
	int code = parse_clear(argc, argv, &device, &dests);

	if (!code)
		code = open_gate(device, &nl, &ifindex);
	if (code)
		return code;
	if (gate_sched_clear(&nl, ifindex) || (dests && gate_dest_flush(&nl, ifindex)))
		code = refused(&nl, device);
	netlink_close(&nl);
	return code;
}
