// SPDX-License-Identifier: GPL-2.0-only
/* Net devices by name, and refusals. */
#include <errno.h>
#include <string.h>

#include "util/command.h"
#include "gate/device.h"

int find_device(const char *name, uint32_t *ifindex)
{
	*ifindex = if_nametoindex(name);
	if (!*ifindex)
		return complain(EXIT_BAD_INPUT,
				"%s: no such device in this network namespace", name);
	return EXIT_OK;
}

int open_gate(const char *device, struct netlink *nl, uint32_t *ifindex)
{
	int code = find_device(device, ifindex);

	if (!code && gate_open(nl))
		code = refused(nl, device);
	return code;
}

const char *device_name(uint32_t ifindex, char name[IF_NAMESIZE])
{
	if (!if_indextoname(ifindex, name))
		snprintf(name, IF_NAMESIZE, "if%u", ifindex);
	/* Any user can name a device, in a network namespace of their own. */
	for (char *at = name; *at; at++)
		if (*at <= ' ' || *at > '~')
			*at = '?';
	return name;
}

int refused(const struct netlink *nl, const char *device)
{
	if (device)
		return complain(EXIT_REFUSED, "%s: %s", device, nl->text);
	return complain(EXIT_REFUSED, "%s", nl->text);
}

void pass_warning(const struct netlink *nl, const char *device)
{
	if (nl->warning[0])
		complain(0, "%s: note: %s", device, nl->warning);
}
