/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plan of the exchange between compute ranks and listeners, whatever their files */
#ifndef LIQUID_SFIO_PLAN_H
#define LIQUID_SFIO_PLAN_H

#include "order/exchange.h"

/*
 * Because a file is finely striped, every access is the same exchange: equal shares from each
 * compute rank to each listener. So one plan serves all. @method is the solver's, NULL for its own
 * choice. Returns a liquid_status.
 */
int plan_make(const char *fabric, const struct nodes *nodes, int ranks, uint32_t peers,
	      const char *method, struct liquid_plan **plan, struct liquid_error *err);

#endif
