// SPDX-License-Identifier: LGPL-2.1-or-later
/* What goes for all processes */
#include <stdlib.h>
#include <string.h>

#include "shared.h"

/* A path that does not fit is none. */
void shared_take(struct shared *shared, const struct environment *env)
{
	memset(shared, 0, sizeof(*shared));
	shared->mode = env->mode;
	shared->wire = env->wire;
	shared->min_bytes = env->min_bytes;
	shared->tail_bytes = env->tail_bytes;
	shared->window = env->window;
	shared->packet_bytes = env->packet_bytes;
	shared->buffer_bytes = env->buffer_bytes;
	shared->verbose = env->verbose;
	shared->timeout_ns = env->timeout_ns;
	if (env->fabric && strlen(env->fabric) < sizeof(shared->fabric))
		strcpy(shared->fabric, env->fabric);
	else if (env->mode != MODE_SHUFFLE)
		shared->mode = MODE_OFF;
}

void shared_give(const struct shared *shared, int failed, struct environment *env)
{
	env->mode = failed == SHARED_NONE_FAILED ? (enum env_mode)shared->mode : MODE_OFF;
	env->wire = (enum env_wire)shared->wire;
	env->min_bytes = shared->min_bytes;
	env->tail_bytes = shared->tail_bytes;
	env->window = shared->window;
	env->packet_bytes = shared->packet_bytes;
	env->buffer_bytes = shared->buffer_bytes;
	env->verbose = shared->verbose;
	env->timeout_ns = shared->timeout_ns;
	free(env->fabric);
	env->fabric = shared->fabric[0] ? strdup(shared->fabric) : NULL;
}
