/* SPDX-License-Identifier: GPL-2.0-only */
/* liquid verify from within: its other checks than of a schedule. All return an exit code. */
#ifndef LIQUID_VERIFY_H
#define LIQUID_VERIFY_H

#include "liquidsched.h"

/* verify-routes.c; @path: of the fabric, and of the witness */
int verify_circles(const struct liquid_fabric *fabric, const char *path, bool json);
int verify_prices(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		  const char *path, bool json);

#endif
