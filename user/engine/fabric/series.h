/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hosts of a list by their numbers: where names count up, by arithmetic and not by name */
#ifndef LIQUID_SERIES_H
#define LIQUID_SERIES_H

#include "fabric/fabric.h"
#include "base/hostlist.h"

/* Hosts that follow one another, whose names are one stem and numbers that count up */
struct series {
	uint32_t host, count;		/* the first of them */
	uint64_t first;			/* its number */
	int digits;			/* of that number */
	size_t length;			/* of the stem */
};

struct host_series {
	const struct liquid_fabric *fabric;
	struct series *series;
	uint32_t *of;			/* by host: its series */
	uint32_t known, count;		/* hosts that have one, and series */
	uint32_t latest;		/* the series of the host that was found before */
	uint32_t *host, hosts;		/* those of the latest list */
};

/* Call series_free() also on failure. */
int series_new(const struct liquid_fabric *fabric, struct host_series *all,
	       struct liquid_error *err);
void series_free(struct host_series *all);
/* Hosts and aliases of @list into all->host[]: as many as the list names, twice if it does. */
int series_expand(struct host_series *all, const char *list, struct liquid_error *err);

#endif
