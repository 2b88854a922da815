// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl attach, set: make a gate of a device's root qdisc; change its options. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/cmd.h"
#include "gate/device.h"
#include "gate/options.h"
#include "util/input.h"
#include "gate/unit-rate.h"

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

/* ---- against the fabric, before anything changes ---- */

/* What the gate is going to take as its rate: what is said, or what the device says. */
static uint64_t rate_of(const struct gate_options *options, const char *device)
{
	char path[128];
	int64_t mbps = 0;
	FILE *in;

	if (options->present >> LIQUID_GATE_A_RATE_BPS & 1)
		return options->rate_bps;
	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", device);
	in = fopen(path, "re");
	if (!in)
		return 0;
	if (fscanf(in, "%" SCNd64, &mbps) != 1 || mbps < 0)
		mbps = 0;
	fclose(in);
	return 1000000 * (uint64_t)mbps;
}

static int check_rate(const struct attach_options *attach, const struct liquid_fabric *fabric,
		      const struct gate_options *options, const char *device)
{
	uint32_t host = liquid_fabric_find_host(fabric, attach->node);
	struct unit_rate unit = {
		.device = device, .what = attach->fabric, .bps = liquid_fabric_unit_rate(fabric),
		.stated_bps = attach->unit_bps,
	};
	uint64_t rate = rate_of(options, device);
	struct liquid_error err;

	if (host == LIQUID_NONE)
		return complain(EXIT_BAD_INPUT, "%s: has no host '%s'", attach->fabric, attach->node);
	if (!rate)
		return complain(EXIT_BAD_INPUT, "%s: does not say its rate: --rate does", device);
	unit.capacity = liquid_fabric_host_capacity(fabric, host);
	if (unit_rate_check(&unit, rate, &err))
		return complain(EXIT_BAD_INPUT, "%s", err.text);
	return EXIT_OK;
}

static int check_fabric(const struct attach_options *attach, const struct gate_options *options,
			const char *device)
{
	struct liquid_fabric *fabric;
	int code;

	if (!attach->fabric && !attach->node && !attach->unit_bps)
		return EXIT_OK;
	if (!attach->fabric || !attach->node)
		return usage_error("attach", "--fabric and --node go together, --unit-rate with them");
	code = read_fabric(attach->fabric, &fabric);
	if (code)
		return code;
	code = check_rate(attach, fabric, options, device);
	liquid_fabric_free(fabric);
	return code;
}

int cmd_attach(int argc, char **argv)
{
	struct attach_options attach = { 0 };
	struct gate_options options;
	const char *device;
	struct netlink nl;
	uint32_t ifindex;
	int status, code = parse_gate_options(argc, argv, &device, &options, &attach);

	if (!code)
		code = find_device(device, &ifindex);
	if (!code)
		code = check_fabric(&attach, &options, device);
	if (code)
		return code;
	if (netlink_open_route(&nl))
		return refused(&nl, device);
	code = check_root(&nl, device, ifindex, attach.replace);
	if (!code) {
		status = qdisc_attach(&nl, ifindex, &options, attach.replace);
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
