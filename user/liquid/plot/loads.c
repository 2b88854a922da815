// SPDX-License-Identifier: GPL-2.0-only
/* Loads and bottlenecks, as both kinds of picture show them. */
#include <stdlib.h>

#include "input/input.h"
#include "plot/plot.h"

int plot_loads(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
	       struct plot_loads *loads, struct liquid_error *err)
{
	uint32_t links = liquid_fabric_link_count(fabric);
	double fluid;
	int status;

	*loads = (struct plot_loads){ .load = calloc((size_t)links + 1, sizeof(*loads->load)) };
	if (!loads->load)
		return liquid_no_memory(err);
	status = liquid_traffic_loads(fabric, traffic, loads->load, err);
	if (status) {
		free(loads->load);
		loads->load = NULL;
		return status;
	}
	loads->duration = loads_duration(fabric, loads->load, &fluid);
	return LIQUID_OK;
}
