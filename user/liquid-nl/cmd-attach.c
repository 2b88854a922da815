// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl attach, set: make a gate of a device's root qdisc; change its options. */
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "device.h"
#include "gate-options.h"

static int explain_attach(const struct netlink *nl, int status, const char *device)
{
	if (status == -EEXIST)
		return complain(EXIT_REFUSED, "%s: another root qdisc came meanwhile: %s", device,
				nl->text);
	return refused(nl, device);
}

/* What stands at the root decides whether attaching would take something away. */
static int check_root(struct netlink *nl, const char *device, uint32_t ifindex, bool replace)
{
	struct root_qdisc root;

	if (qdisc_root(nl, ifindex, &root))
		return refused(nl, device);
	if (!strcmp(root.kind, LIQUID_QDISC_KIND))
		return complain(EXIT_REFUSED,
				"%s: has a gate already; `liquid-nl set %s ...` changes "
				"its options", device, device);
	if (root.handle && !replace)
		return complain(EXIT_REFUSED,
				"%s: has the root qdisc %s; --replace puts the gate in "
				"its place", device, root.kind);
	return EXIT_OK;
}

int cmd_attach(int argc, char **argv)
{
	struct gate_options options;
	bool replace = false;
	const char *device;
	struct netlink nl;
	uint32_t ifindex;
	int status, code = parse_gate_options(argc, argv, &device, &options, &replace);

	if (!code)
		code = find_device(device, &ifindex);
	if (code)
		return code;
	if (netlink_open_route(&nl))
		return refused(&nl, device);
	code = check_root(&nl, device, ifindex, replace);
	if (!code) {
		status = qdisc_attach(&nl, ifindex, &options, replace);
		if (status)
			code = explain_attach(&nl, status, device);
		else
			pass_warning(&nl, device);
	}
	netlink_close(&nl);
	return code;
}

int cmd_set(int argc, char **argv)
{
	struct gate_options options;
	const char *device;
	struct netlink nl;
	uint32_t ifindex;
	int code = parse_gate_options(argc, argv, &device, &options, NULL);

	if (!code && !options.present)
		code = usage_error(argv[0], "nothing to set");
	if (!code)
		code = open_gate(device, &nl, &ifindex);
	if (code)
		return code;
	if (gate_set(&nl, ifindex, &options))
		code = refused(&nl, device);
	else
		pass_warning(&nl, device);
	netlink_close(&nl);
	return code;
}
