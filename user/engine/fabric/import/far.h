/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines on adaptive routing in a dump of forwarding tables by ibdiagnet (ibdiagnet2.far). */
#ifndef LIQUID_IMPORT_FAR_H
#define LIQUID_IMPORT_FAR_H

#include "fabric/import/import.h"

#define FAR_GROUPS 65536

enum far_part {
	FAR_NONE,			/* no switch yet, or another kind of dump */
	FAR_SWITCH,			/* settings of the switch */
	FAR_PORTS,			/* groups of ports of the switch */
	FAR_TABLE,			/* forwarding table of the switch */
};

struct far {
	enum far_part part;
	uint8_t *ports;			/* by group: number of ports; 255: more than 254 */
	uint8_t *port;			/* by group: first port */
};

/* Is @line the first line of a switch? */
bool far_begins(const char *line);
/* Begin a switch, which has no groups yet. Returns LIQUID_OK or LIQUID_NO_MEMORY. */
int far_begin(struct far *far);
/*
 * Read a line that is neither the first of a switch nor a row of its table. Returns NULL, or the
 * reason why it is invalid. *@known is false if the format has no such line.
 */
const char *far_line(struct far *far, const char *line, bool *known);
/* Read what follows LID and @port in a row: NULL, or why packets may not take only that port. */
const char *far_row(const struct far *far, const char *rest, unsigned long port);
void far_free(struct far *far);

#endif
