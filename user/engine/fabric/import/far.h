/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What ibdiagnet's dump of adaptive routing (ibdiagnet2.far) has beside forwarding tables. */
#ifndef LIQUID_IMPORT_FAR_H
#define LIQUID_IMPORT_FAR_H

#include "fabric/import/import.h"

#define FAR_GROUPS 65536

enum far_part {
	FAR_NONE,			/* no switch yet, or another kind of dump */
	FAR_SWITCH,			/* its settings */
	FAR_PORTS,			/* its groups of ports */
	FAR_TABLE,
};

struct far {
	enum far_part part;
	uint8_t *ports;			/* by group: how many it has, 255 for more than 254 */
	uint8_t *port;			/* and the first of them */
};

/* Is this how the dump's lines for a new switch begin? */
bool far_begins(const char *line);
/* LIQUID_OK, or LIQUID_NO_MEMORY: a new switch, without groups. */
int far_begin(struct far *far);
/*
 * A line that is neither a switch's first nor a row of its table: NULL, or what is wrong with it.
 * *known is false where no such dump has this line.
 */
const char *far_line(struct far *far, const char *line, bool *known);
/* What follows LID and @port in a row of the table: NULL where packets take that port and no other. */
const char *far_row(const struct far *far, const char *rest, unsigned long port);
void far_free(struct far *far);

#endif
