/* SPDX-License-Identifier: GPL-2.0-only */
/* On the controller, when a round is published: the addresses of its nodes, for the service. */
#ifndef LIQUID_NL_SERVICE_PLACES_H
#define LIQUID_NL_SERVICE_PLACES_H

#include "job/job.h"

/* Exit code, after a message */
int places_find(const struct job_args *args, const struct job_spec *spec);

#endif
