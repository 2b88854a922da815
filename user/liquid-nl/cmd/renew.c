// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl renew: the lease of a gate begins anew, so that the gate does not open. */
#include <getopt.h>

#include "cmd/cmd.h"
#include "gate/device.h"
#include "util/units.h"

static int parse_renew(int argc, char **argv, const char **device, uint64_t *lease_ns)
{
	static const struct option options[] = {
		{ "lease", required_argument, NULL, 'l' },
		{ 0 }
	};
	int option;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option != 'l')
			return option_error(argv[0], option, argv[optind - 1]);
		if (!parse_lease(optarg, lease_ns))
			return usage_error(argv[0], "--lease '%s': " LEASE_EXPECTED " was expected",
					   optarg);
	}
	return take_device(argc, argv, argv[0], device);
}

int cmd_renew(int argc, char **argv)
{
	uint64_t lease_ns = 0;	/* as long as before */
	const char *device;
	struct netlink nl;
	uint32_t ifindex;
	int code = parse_renew(argc, argv, &device, &lease_ns);

	if (!code)
		code = open_gate(device, &nl, &ifindex);
	if (code)
		return code;
	if (gate_lease_renew(&nl, ifindex, lease_ns))
		code = refused(&nl, device);
	netlink_close(&nl);
	return code;
}
