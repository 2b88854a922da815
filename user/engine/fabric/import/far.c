// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Forwarding tables of switches that may route adaptively, written by ibdiagnet (ibdiagnet2.far):
 *
 *	File version: 1
 *	Switch 0x0002c90000000001 - ...
 *	...
 *	Groups Definition:
 *	Group  Sub Group  WHBF  Ports
 *	------------------------------
 *	3      0          0     5,6,7,
 *	LFT Definition: PLFT_NUM: 0, top:0x28
 *	LID    Static Port  Lid State  Group
 *	------------------------------------
 *	0x0003 6            Static     0
 *	0x0004 6            Free       3
 *
 * For a LID in state Free, the switch chooses a port of the group by load; in state HBF, by a
 * hash of the packet. The path is then unknown, and so are the transfers that share a link.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/import/far.h"

static bool starts(const char *line, const char *word)
{
	return !strncmp(line, word, strlen(word));
}

bool far_begins(const char *line)
{
	return starts(line, "Switch 0x") && isxdigit((unsigned char)line[9]);
}

int far_begin(struct far *far)
{
	if (!far->ports) {
		far->ports = malloc(FAR_GROUPS);
		far->port = malloc(FAR_GROUPS);
		if (!far->ports || !far->port)
			return LIQUID_NO_MEMORY;
	}
	memset(far->ports, 0, FAR_GROUPS);
	far->part = FAR_SWITCH;
	return LIQUID_OK;
}

void far_free(struct far *far)
{
	free(far->ports);
	free(far->port);
}

/* Read group, sub group, weight, and ports with commas. The ports of sub groups are added up. */
static const char *read_group(struct far *far, const char *line)
{
	unsigned long group, port;
	char *at;

	group = strtoul(line, &at, 10);
	if (group >= FAR_GROUPS || !isspace((unsigned char)*at))
		return "expected GROUP SUBGROUP WHBF PORT,...";
	for (int i = 0; i < 2; i++) {
		at += strspn(at, " \t");
		if (!isdigit((unsigned char)*at))
			return "expected GROUP SUBGROUP WHBF PORT,...";
		at += strspn(at, "0123456789");
	}
	for (at += strspn(at, " \t"); isdigit((unsigned char)*at); at += strspn(at, ", \t")) {
		port = strtoul(at, &at, 10);
		if (!port || port > TOPO_PORT_MAX)
			return "expected ports from 1 to 254";
		if (!far->ports[group])
			far->port[group] = (uint8_t)port;
		if (far->ports[group] < 255)
			far->ports[group]++;
	}
	at += strspn(at, "\r");
	return *at ? "expected ports and commas" : NULL;
}

const char *far_line(struct far *far, const char *line, bool *known)
{
	*known = true;
	if (starts(line, "File version:") || far->part == FAR_NONE) {
		*known = starts(line, "File version:");
		return NULL;
	}
	if (starts(line, "Groups Definition:")) {
		far->part = FAR_PORTS;
		return NULL;
	}
	if (starts(line, "LFT Definition:")) {
		if (far->part == FAR_TABLE)
			return "a second forwarding table of the same switch: its routes depend "
			       "on more than where a packet goes";
		far->part = FAR_TABLE;
		return NULL;
	}
	if (far->part == FAR_PORTS && isdigit((unsigned char)*line))
		return read_group(far, line);
	*known = far->part == FAR_SWITCH || *line == '-' || starts(line, "Group ") ||
		 starts(line, "LID ") || starts(line, "PLFT_NUM:");
	return NULL;
}

const char *far_row(const struct far *far, const char *rest, unsigned long port)
{
	unsigned long group;
	size_t length;
	char *end;

	rest += strspn(rest, " \t");
	length = strcspn(rest, " \t");
	if (length == 6 && starts(rest, "Static"))
		return NULL;
	if (!(length == 4 && starts(rest, "Free")) && !(length == 3 && starts(rest, "HBF")))
		return "expected Static, Free or HBF and a group after the port";
	group = strtoul(rest + length, &end, 10);
	if (end == rest + length || group >= FAR_GROUPS || !far->ports[group])
		return "expected a group that the switch has";
	if (far->ports[group] > 1)
		return "this switch routes adaptively: packets to this lid may take any port of a "
		       "group, so there is no one path to schedule";
	return far->port[group] == port ? NULL :
	       "the group has another port than the static one, so the path is unknown";
}
