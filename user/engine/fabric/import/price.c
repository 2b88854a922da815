// SPDX-License-Identifier: LGPL-2.1-or-later
/* What slow hosts cost: how much faster an all-to-all is without them. */
#include <stdlib.h>
#include <string.h>

#include "fabric/import/import.h"

/* Of an all-to-all, a bit of each pair: seconds at least; 0: a link is slower than a unit. */
static double time_of(const struct import *im, const uint64_t *load, uint64_t unit_bps)
{
	uint64_t frames = 0;

	for (uint32_t l = 0; l < im->fabric->links; l++) {
		uint64_t capacity = UINT64_C(1000000) * im->rate[l] / unit_bps, needs;

		if (!load[l])
			continue;
		if (!capacity)
			return 0;
		needs = (load[l] + capacity - 1) / capacity;
		frames = frames < needs ? needs : frames;
	}
	return (double)frames / (double)unit_bps;
}

/* Of the hosts that stay and are not marked in slow[] as @skip */
static double duration(const struct import *im, const uint8_t *slow, int skip, uint64_t unit_bps)
{
	const struct liquid_fabric *fabric = im->fabric;
	uint64_t *load = calloc((size_t)fabric->links + 1, sizeof(*load));
	uint32_t *host = malloc(((size_t)fabric->hosts + 1) * sizeof(*host)), count = 0;
	struct liquid_loads loads;
	double seconds = 0;

	for (uint32_t h = 0; host && h < fabric->hosts; h++)
		if (!im->out[h] && slow[h] != skip)
			host[count++] = h;
	if (host && load && !liquid_fabric_loads(fabric, host, count, load, &loads, NULL))
		seconds = time_of(im, load, unit_bps);
	free(host);
	free(load);
	return seconds;
}

double import_price(const struct import *im, const uint8_t *slow, int is, uint64_t unit_bps,
		    uint64_t without_bps)
{
	double without = duration(im, slow, is, without_bps);

	return without > 0 ? duration(im, slow, -1, unit_bps) / without : 0;
}
