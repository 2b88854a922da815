// SPDX-License-Identifier: GPL-2.0-only
/* liquid-lab down: remove fabrics, and the namespaces that were made for them. */
#include <getopt.h>
#include <string.h>

#include "cmd/cmd.h"
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

int lab_down(int argc, char **argv)
{
	static const struct option none[] = { { 0 } };
	struct netlink nl;
	int code;

	opterr = 0;
	optind = 1;
	if (getopt_long(argc, argv, ":", none, NULL) != -1)
		return option_error("down", '?', argv[optind - 1]);
	if (argc - optind > 1)
		return usage_error("down", "takes one NAME, or none for all fabrics");
	if (lab_open(&nl))
		return complain(EXIT_REFUSED, "%s", nl.text);
	code = optind < argc ? take_down(&nl, argv[optind]) : take_down_all(&nl);
	netlink_close(&nl);
	return code;
}
