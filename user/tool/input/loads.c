// SPDX-License-Identifier: GPL-2.0-only
/* What the loads of links say: the frames that they need, and which links are bottlenecks. */
#include "input/input.h"

uint64_t loads_duration(const struct liquid_fabric *fabric, const uint64_t *load, double *fluid)
{
	uint64_t duration = 0;

	*fluid = 0;
	for (uint32_t l = 0; l < liquid_fabric_link_count(fabric); l++) {
		uint64_t capacity = liquid_fabric_capacity(fabric, l);
		uint64_t frames = load[l] / capacity + (load[l] % capacity != 0);

		duration = frames > duration ? frames : duration;
		if ((double)load[l] / (double)capacity > *fluid)
			*fluid = (double)load[l] / (double)capacity;
	}
	return duration;
}

bool is_bottleneck(const struct liquid_fabric *fabric, const uint64_t *load, uint64_t duration,
		   uint32_t link)
{
	return duration && load[link] > liquid_fabric_capacity(fabric, link) * (duration - 1);
}
