// SPDX-License-Identifier: GPL-2.0-only
/* Loads and bottlenecks, as both kinds of picture show them. */
#include <stdlib.h>

#include "plot.h"

bool plot_loads(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		struct plot_loads *loads, struct liquid_error *err)
{
	uint32_t links = liquid_fabric_link_count(fabric);

	*loads = (struct plot_loads){ .load = calloc((size_t)links + 1, sizeof(*loads->load)) };
	if (!loads->load) {
		liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
		return false;
	}
	if (liquid_traffic_loads(fabric, traffic, loads->load, err)) {
		free(loads->load);
		loads->load = NULL;
		return false;
	}
	for (uint32_t l = 0; l < links; l++) {
		uint64_t capacity = liquid_fabric_capacity(fabric, l);
		uint64_t frames = loads->load[l] / capacity + (loads->load[l] % capacity != 0);

		if (frames > loads->duration)
			loads->duration = frames;
	}
	return true;
}

bool plot_is_bottleneck(const struct liquid_fabric *fabric, const struct plot_loads *loads,
			uint32_t link)
{
	uint64_t capacity = liquid_fabric_capacity(fabric, link);

	return loads->load[link] > capacity * (loads->duration - (loads->duration != 0));
}
