// SPDX-License-Identifier: GPL-2.0-only
/*
 * liquid-nl gate on|off: a schedule for the exchange alone
 *
 * Off, nothing is selected and what is not selected may go whenever the link is free; the
 * schedule runs on, so that on puts the node back in phase with the others at once.
 */
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "job/conf.h"
#include "gate/device.h"
#include "gate/options.h"

struct gate_switch {
	const char *config, *device, *select, *policy;
	bool on;
};

static int parse_switch(int argc, char **argv, struct gate_switch *args)
{
	static const struct option options[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "select", required_argument, NULL, 's' },
		{ "policy", required_argument, NULL, 'p' },
		{ 0 }
	};
	int option;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == ':' || option == '?')
			return option_error("gate", option, argv[optind - 1]);
		*(option == 'c' ? &args->config : option == 's' ? &args->select : &args->policy) = optarg;
	}
	if (argc - optind != 2 || (strcmp(argv[optind], "on") && strcmp(argv[optind], "off")))
		return usage_error("gate", "on or off, and a device were expected");
	args->on = !strcmp(argv[optind], "on");
	args->device = argv[optind + 1];
	if (!args->on && (args->select || args->policy))
		return usage_error("gate", "--select and --policy go with on");
	return EXIT_OK;
}

/* Without a file of that name, and none was asked for, the defaults hold. */
static int read_conf(const struct gate_switch *args, struct conf *conf)
{
	const char *path = args->config ? args->config : CONF_PATH;
	struct liquid_error err;
	FILE *in;
	int status;

	if (!args->config && access(path, F_OK))
		return EXIT_OK;
	in = fopen(path, "re");
	if (!in)
		return complain(EXIT_BAD_INPUT, "%s: %m", path);
	status = conf_read(in, path, conf, &err);
	fclose(in);
	return status ? complain(exit_code_of(status), "%s", err.text) : EXIT_OK;
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
		return usage_error("gate", "--select '%s': %s", select, wrong);
	wrong = parse_policy(policy, options);
	return wrong ? usage_error("gate", "--policy '%s': %s", policy, wrong) : EXIT_OK;
}

int cmd_gate(int argc, char **argv)
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
