/* SPDX-License-Identifier: GPL-2.0-only */
/* liquid ranks from within: orders of hosts, and the files in which launchers read them. */
#ifndef LIQUID_RANKS_H
#define LIQUID_RANKS_H

#include <jansson.h>

#include "liquidsched.h"

enum ranks_format { RANKS_HOSTFILE, RANKS_RANKFILE, RANKS_HOSTLIST, RANKS_SLURM,
		    RANKS_MPICH };

struct ranks_args {
	const char *fabric, *hosts, *ca_order;
	uint32_t tasks;
	enum ranks_format format;
	bool contention_aware;
	bool check, json;
};

/* The names of the formats; ends with NULL */
extern const char *const ranks_formats[];
/* Exit codes. A node with several endpoints in @hosts is printed once, for its first one. */
int ranks_print(const struct ranks_args *args, const struct liquid_fabric *fabric,
		const uint32_t *hosts, size_t count);
/* @before NULL: without the frames of a shift exchange */
json_t *ranks_json(const struct ranks_args *args, const struct liquid_fabric *fabric,
		   const uint32_t *hosts, size_t count, const uint64_t *before, uint64_t after,
		   uint64_t duration);
/*
 * ranks-ca-order.c: put @hosts into the order of opensm-ftree-ca-order.dump; hosts that are not in
 * the file are an error.
 */
int ranks_read_ca_order(const struct ranks_args *args, const struct liquid_fabric *fabric,
			uint32_t *hosts, size_t *count);

#endif
