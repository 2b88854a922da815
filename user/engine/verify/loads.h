/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What links carry in an exchange. */
#ifndef LIQUID_LOADS_H
#define LIQUID_LOADS_H

#include "liquidsched.h"

/*
 * Add to @load, by link, the transfers among the places that take part, from their first switch on.
 * All of them must have routes. @host: by place; @receiver: only what is sent to these places, one
 * of each class, or NULL
 */
int loads_add(const struct liquid_fabric *fabric, const struct liquid_shape *shape,
	      const uint32_t *host, const uint32_t *receiver, uint64_t *load,
	      struct liquid_error *err);

#endif
