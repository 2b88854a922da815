// SPDX-License-Identifier: GPL-2.0-only
/*
 * liquid-nl gate on|off: gate only the exchange, not the job's other traffic
 *
 * When off, no packet is selected, and all may leave whenever the link is free. The schedule keeps
 * running, so that the node is in phase with the others as soon as the gate is on again.
 */
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "job/conf.h"
#include "gate/device.h"
#include "gate/options.h"

struct gate_switch {
	const char *config, *device, *select, *policy, *state;
	bool on;
};

#define MEMBER(member) OPT_MEMBER(struct gate_switch, member)

static const char *const states[] = { "off", "on", NULL };

static const struct opt gate_cmd_opts[] = {
	{ "on|off", 0, KIND_WORD, MEMBER(state), .words = states, .positional = true,
	  .required = true, .help = "off: all packets may go; on: the schedule is kept again" },
	{ "DEV", 0, KIND_TEXT, MEMBER(device), .positional = true, .required = true,
	  .help = "the device of the gate" },
	{ "select", 0, KIND_TEXT, MEMBER(select), .value = "WHAT",
	  .help = "with on: packets that are scheduled, as with attach" },
	{ "policy", 0, KIND_WORD, MEMBER(policy), .words = policy_names, .value = "POLICY",
	  .help = "with on: for packets that are not scheduled" },
	{ "config", 0, KIND_TEXT, MEMBER(config), .value = "FILE",
	  .help = "by default /etc/liquid/liquid.conf" },
	{ 0 }
};

static int parse_switch(int argc, char **argv, struct gate_switch *args)
{
	int code = take_options(argc, argv, gate_cmd_opts, args);

	args->on = !code && !strcmp(args->state, "on");
	if (!code && !args->on && (args->select || args->policy))
		return usage_error("gate", "--select and --policy go with on");
	return code;
}

/* Without --config, a missing file means the defaults. */
static int read_conf(const struct gate_switch *args, struct conf *conf)
{
	const char *path = args->config ? args->config : CONF_PATH;
	struct liquid_error err;
	int status;

	if (!args->config && access(path, F_OK))
		return EXIT_OK;
	status = conf_read_file(path, conf, &err);
	return status ? complain_of(status, &err) : EXIT_OK;
}

static int find_options(const struct gate_switch *args, const struct conf *conf,
			struct gate_options *options)
{
	const char *select = args->select ? args->select : conf->select ? conf->select : "all";
	const char *policy = args->policy ? args->policy : conf->policy ? conf->policy : "share";
	const char *wrong;

	*options = (struct gate_options){ 0 };
	if (!args->on) {
		gate_rest(options);
		return EXIT_OK;
	}
	wrong = parse_select(select, options);
	if (wrong)
		return usage_error("gate", "--select: expected %s, got '%s'", wrong, select);
	parse_policy(policy, options);		/* cannot fail: it was checked before */
	return EXIT_OK;
}

static int run_gate(int argc, char **argv)
{
	struct gate_switch args = { 0 };
	struct gate_options options;
	struct conf conf = { 0 };
	struct netlink nl;
	uint32_t ifindex;
	int code = parse_switch(argc, argv, &args);

	if (!code)
		code = read_conf(&args, &conf);
	if (!code)
		code = find_options(&args, &conf, &options);
	if (!code)
		code = open_gate(args.device, &nl, &ifindex);
	if (!code) {
		if (gate_set(&nl, ifindex, &options))
			code = refused(&nl, args.device);
		netlink_close(&nl);
	}
	conf_clear(&conf);
	return code;
}

const struct command cmd_gate = {
	"gate", "suspend a gate's schedule, and resume it", gate_cmd_opts, run_gate, NULL, NULL
};
