// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl attach, set: make a gate of a device's root qdisc; change its options. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "ask/ask.h"
#include "cmd/cmd.h"
#include "gate/device.h"
#include "gate/options.h"
#include "gate/unit-rate.h"

/* Options of attach in addition to a gate's */
struct attach_options {
	bool replace;
	const char *fabric, *node;	/* for a check of the gate's rate, or NULL */
	uint64_t unit_bps;		/* rate of a unit; 0: the fabric's */
};

static int explain_attach(const struct netlink *nl, int status, const char *device)
{
	if (status == -EEXIST)
		return complain(EXIT_REFUSED, "%s: another root qdisc was attached meanwhile: %s",
				device, nl->text);
	return refused(nl, device);
}

/* Refuse to replace a root qdisc that another has set up. */
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

/* The rate that the gate will use: --rate, or else the device's */
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

static int check_rate(const struct attach_options *attach, const json_t *answer,
		      const struct gate_options *options, const char *device)
{
	struct unit_rate unit = {
		.device = device, .what = attach->fabric, .stated_bps = attach->unit_bps,
	};
	uint64_t rate = rate_of(options, device);
	json_int_t bps, capacity;
	struct liquid_error err;

	if (json_unpack((json_t *)answer, "{s:I, s:I}", "unit_bps", &bps, "capacity", &capacity) ||
	    bps < 0 || capacity < 0 || capacity > UINT16_MAX)
		return complain_of(ask_malformed(&err), &err);
	if (!rate)
		return complain(EXIT_BAD_INPUT, "%s: does not report its rate: state it by --rate",
				device);
	unit.bps = (uint64_t)bps;
	unit.capacity = (uint32_t)capacity;
	if (unit_rate_check(&unit, rate, &err))
		return complain(EXIT_BAD_INPUT, "%s", err.text);
	return EXIT_OK;
}

static int check_fabric(const struct attach_options *attach, const struct gate_options *options,
			const char *device)
{
	struct liquid_error err;
	struct ask ask;
	json_t *answer;
	int status, code;

	if (!attach->fabric && !attach->node && !attach->unit_bps)
		return EXIT_OK;
	if (!attach->fabric || !attach->node)
		return usage_error("attach",
				   "--fabric and --node go together, --unit-rate with them");
	ask_begin(&ask, "hosts");
	ask_set_file(&ask, ask.question, "fabric", attach->fabric, NULL);
	ask_set_text(&ask, "host", attach->node);
	status = ask_answer(&ask, &answer, &err);
	ask_end(&ask);
	code = status ? complain_of(status, &err) : check_rate(attach, answer, options, device);
	json_decref(answer);
	return code;
}

/* ---- options ---- */

struct attach_args {
	const char *device;
	struct gate_options gate;
	struct attach_options attach;
};

#define MEMBER(member) OPT_MEMBER(struct attach_args, member)
#define DEVICE { "DEV", 0, KIND_TEXT, MEMBER(device), .positional = true, .required = true, \
		 .help = "the net device" }

static const struct opt attach_opts[] = {
	DEVICE,
	{ "replace", 0, KIND_FLAG, MEMBER(attach.replace),
	  .help = "replace another root qdisc by the gate" },
	OPT_GROUP(struct attach_args, gate, gate_opts),
	{ "fabric", 0, KIND_TEXT, MEMBER(attach.fabric), .value = "FABRIC",
	  .help = "check that the rate is that of --node in this fabric" },
	{ "node", 0, KIND_TEXT, MEMBER(attach.node), .value = "NAME", .help = "of this node" },
	{ "unit-rate", 0, KIND_RATE, MEMBER(attach.unit_bps), .min = 1, .value = "RATE",
	  .help = "rate of a unit, whatever the fabric says" },
	{ 0 }
};

#define OF_ATTACH(name) { name, 0, KIND_GONE, .help = "only `attach` takes it" }

static const struct opt set_opts[] = {
	DEVICE,
	OPT_GROUP(struct attach_args, gate, gate_opts),
	OF_ATTACH("replace"),
	OF_ATTACH("fabric"),
	OF_ATTACH("node"),
	OF_ATTACH("unit-rate"),
	{ 0 }
};

/* ---- commands ---- */

static int attach(struct netlink *nl, const struct attach_args *args, uint32_t ifindex)
{
	int status, code = check_root(nl, args->device, ifindex, args->attach.replace);

	if (code)
		return code;
	status = qdisc_attach(nl, ifindex, &args->gate, args->attach.replace);
	if (status)
		return explain_attach(nl, status, args->device);
	pass_warning(nl, args->device);
	return EXIT_OK;
}

static int run_attach(int argc, char **argv)
{
	struct attach_args args = { 0 };
	struct netlink nl;
	uint32_t ifindex;
	int code = take_options(argc, argv, attach_opts, &args);

	if (!code)
		code = find_device(args.device, &ifindex);
	if (!code)
		code = check_fabric(&args.attach, &args.gate, args.device);
	if (code)
		return code;
	if (netlink_open_route(&nl))
		return refused(&nl, args.device);
	code = attach(&nl, &args, ifindex);
	netlink_close(&nl);
	return code;
}

static int run_set(int argc, char **argv)
{
	struct attach_args args = { 0 };
	struct netlink nl;
	uint32_t ifindex;
	int code = take_options(argc, argv, set_opts, &args);

	if (!code && !args.gate.present)
		code = usage_error("set", "nothing to set");
	if (!code)
		code = open_gate(args.device, &nl, &ifindex);
	if (code)
		return code;
	if (gate_set(&nl, ifindex, &args.gate))
		code = refused(&nl, args.device);
	else
		pass_warning(&nl, args.device);
	netlink_close(&nl);
	return code;
}

const struct command cmd_attach = {
	"attach", "make a gate the root qdisc of a device", attach_opts, run_attach, NULL, NULL
};

const struct command cmd_set = {
	"set", "change options of a gate", set_opts, run_set, NULL, NULL
};
