// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl renew: restart the lease of a gate, so that the gate does not open. */

#include "cmd/cmd.h"
#include "gate/device.h"
#include "gate/options.h"

struct renew {
	const char *device;
	uint64_t lease_ns;		/* new length; 0: unchanged */
};

static const struct opt renew_opts[] = {
	{ "DEV", 0, KIND_TEXT, OPT_MEMBER(struct renew, device), .positional = true,
	  .required = true, .help = "the device of the gate" },
	{ "lease", 0, KIND_TIME, OPT_MEMBER(struct renew, lease_ns), OPT_LEASE,
	  .help = "its new length; by default the same" },
	{ 0 }
};

static int run_renew(int argc, char **argv)
{
	struct renew args = { 0 };
	struct netlink nl;
	uint32_t ifindex;
	int code = take_options(argc, argv, renew_opts, &args);

	if (!code)
		code = open_gate(args.device, &nl, &ifindex);
	if (code)
		return code;
	if (gate_lease_renew(&nl, ifindex, args.lease_ns))
		code = refused(&nl, args.device);
	netlink_close(&nl);
	return code;
}

const struct command cmd_renew = {
	"renew", "renew the lease of a gate", renew_opts, run_renew, NULL, NULL
};
