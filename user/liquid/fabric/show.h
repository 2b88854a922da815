/* SPDX-License-Identifier: GPL-2.0-only */
/* The output of `liquid fabric show`. */
#ifndef LIQUID_FABRIC_SHOW_H
#define LIQUID_FABRIC_SHOW_H

#include "liquidsched.h"

struct fabric_show {
	bool json;
	bool routes;			/* print the routes of all pairs */
	bool endpoints;			/* print what each host is, and no loads */
	uint32_t top;			/* print as many links; 0: all */
	enum { SHOW_BY_LOAD, SHOW_BY_NAME } sort;	/* of these */
	bool one_route;			/* print the route of @src to @dst, and nothing else */
	uint32_t src, dst;
};

/* slurm.c: the lines of topology.conf, or topology.yaml. An exit code, as of the other */
int fabric_show_slurm(const struct liquid_fabric *fabric, bool yaml);
int fabric_show(const struct liquid_fabric *fabric, const struct fabric_show *show);

#endif
