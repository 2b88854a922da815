/* SPDX-License-Identifier: GPL-2.0-only */
/* Families of fabrics and of traffics, 10^3 to 10^5 transfers: the same numbers draw the same. */
#ifndef FAMILY_FIXTURES_H
#define FAMILY_FIXTURES_H

#include "fixtures.h"

#define FAMILIES 30
#define FAMILIES_USUAL 10		/* the first ones; no part of the engine knows the others */
#define TRAFFICS 16

const char *family_name(uint32_t family);
const char *traffic_name(uint32_t traffic);
struct liquid_fabric *draw_fabric(uint32_t family, uint32_t draw);
struct liquid_traffic *draw_traffic(const struct liquid_fabric *fabric, uint32_t traffic,
				    uint32_t draw);

#endif
