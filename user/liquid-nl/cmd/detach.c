// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl detach: remove a gate; the device gets its default qdisc back. */
#include <string.h>

#include "cmd/cmd.h"
#include "gate/device.h"

static int detach(struct netlink *nl, const char *device, uint32_t ifindex)
{
	struct root_qdisc root;

	if (qdisc_root(nl, ifindex, &root))
		return refused(nl, device);
	if (strcmp(root.kind, LIQUID_QDISC_KIND))
		return complain(EXIT_REFUSED, "%s: has no gate%s%s", device,
				root.kind[0] ? "; its root qdisc is " : "", root.kind);
	if (qdisc_detach(nl, ifindex))
		return refused(nl, device);
	return EXIT_OK;
}

struct detach {
	const char *device;
};

static const struct opt detach_opts[] = {
	{ "DEV", 0, KIND_TEXT, OPT_MEMBER(struct detach, device), .positional = true,
	  .required = true, .help = "the device of the gate" },
	{ 0 }
};

static int run_detach(int argc, char **argv)
{
	struct detach args = { 0 };
	struct netlink nl;
	uint32_t ifindex;
	int code = take_options(argc, argv, detach_opts, &args);

	if (!code)
		code = find_device(args.device, &ifindex);
	if (code)
		return code;
	if (netlink_open_route(&nl))
		return refused(&nl, args.device);
	code = detach(&nl, args.device, ifindex);
	netlink_close(&nl);
	return code;
}

const struct command cmd_detach = {
	"detach", "remove a gate", detach_opts, run_detach, NULL, NULL
};
