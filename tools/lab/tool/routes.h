/* SPDX-License-Identifier: GPL-2.0-only */
/* The routes of a fabric file, as paths of the module. */
#ifndef LIQUID_LAB_ROUTES_H
#define LIQUID_LAB_ROUTES_H

#include <stdint.h>

#include "util/command.h"
#include "lab.h"

struct ends {
	const struct liquid_fabric *fabric;
	const uint32_t *host;		/* by port */
	const uint32_t *link;		/* ID in the module by link of the file; NULL: the same */
	uint32_t count;			/* of ports */
};

/*
 * Add a path for each route between two ports to the open transaction for fabric @name. Returns the
 * exit code.
 */
int send_routes(struct netlink *nl, const char *name, const struct ends *ends);

/* Read a fabric that the lab can have: without aliases, as a port has one address. Exit code */
int read_lab_fabric(const char *file, struct liquid_fabric **fabric);

#endif
