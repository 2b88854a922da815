// SPDX-License-Identifier: GPL-2.0-only
/* liquid-lab down: remove fabrics and the namespaces that liquid-lab up made for them. */
#include <string.h>

#include "lab.h"
#include "netns.h"

static int take_down(struct netlink *nl, const char *name)
{
	struct wire_ports ports = { 0 };
	int code = EXIT_OK;

	if (lab_dump_ports(nl, name, &ports) || lab_delete(nl, name))
		code = complain(EXIT_REFUSED, "%s: %s", name, nl->text);
	for (size_t i = 0; i < ports.count && !code; i++)
		if (ports.port[i].netns[0])
			netns_remove(ports.port[i].netns);
	wire_ports_clear(&ports);
	return code;
}

static int take_down_all(struct netlink *nl)
{
	struct wire_fabrics fabrics = { 0 };
	int code = EXIT_OK;

	if (lab_dump(nl, &fabrics))
		code = complain(EXIT_REFUSED, "%s", nl->text);
	for (size_t i = 0; i < fabrics.count && !code; i++)
		code = take_down(nl, fabrics.fabric[i].name);
	wire_fabrics_clear(&fabrics);
	return code;
}

struct down {
	const char *name;		/* NULL: every fabric */
};

static const struct opt down_opts[] = {
	{ "NAME", 0, KIND_TEXT, OPT_MEMBER(struct down, name), .positional = true,
	  .help = "of the fabric; without it all of this namespace" },
	{ 0 }
};

static int run_down(int argc, char **argv)
{
	struct down args = { 0 };
	struct netlink nl;
	int code = take_options(argc, argv, down_opts, &args);

	if (code)
		return code;
	if (lab_open(&nl))
		return complain(EXIT_REFUSED, "%s", nl.text);
	code = args.name ? take_down(&nl, args.name) : take_down_all(&nl);
	netlink_close(&nl);
	return code;
}

const struct command lab_down = {
	"down", "remove fabrics and their net devices", down_opts, run_down, NULL, NULL
};
