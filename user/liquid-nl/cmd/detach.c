// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl detach: remove a gate; the device gets its default qdisc back. */
#include <getopt.h>
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

int cmd_detach(int argc, char **argv)
{
	static const struct option none[] = { { 0 } };
	const char *device;
	struct netlink nl;
	uint32_t ifindex;
	int code;

	opterr = 0;
	optind = 1;
	if (getopt_long(argc, argv, ":", none, NULL) != -1)
		return usage_error(argv[0], "no option '%s'", argv[optind - 1]);
	code = take_device(argc, argv, argv[0], &device);
	if (!code)
		code = find_device(device, &ifindex);
	if (code)
		return code;
	if (netlink_open_route(&nl))
		return refused(&nl, device);
	code = detach(&nl, device, ifindex);
	netlink_close(&nl);
	return code;
}
