// SPDX-License-Identifier: GPL-2.0-only
/* Which fabric a command is for. */
#include <stdlib.h>
#include <string.h>

#include "lab.h"

static int choose_only(const struct wire_fabrics *fabrics, char **name)
{
	if (!fabrics->count)
		return complain(EXIT_REFUSED, "no fabric in this network namespace");
	if (fabrics->count > 1)
		return complain(EXIT_BAD_INPUT, "%zu fabrics in this network namespace: choose one "
				"by --fabric", fabrics->count);
	*name = strdup(fabrics->fabric[0].name);
	return *name ? EXIT_OK : complain(EXIT_IO, "out of memory");
}

int choose_fabric(struct netlink *nl, const char *given, char **name)
{
	struct wire_fabrics fabrics = { 0 };
	int code;

	*name = NULL;
	if (given) {
		*name = strdup(given);
		return *name ? EXIT_OK : complain(EXIT_IO, "out of memory");
	}
	if (lab_dump(nl, &fabrics))
		code = complain(EXIT_REFUSED, "%s", nl->text);
	else
		code = choose_only(&fabrics, name);
	wire_fabrics_clear(&fabrics);
	return code;
}
