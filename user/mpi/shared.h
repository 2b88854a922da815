/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Settings that the first process of MPI_COMM_WORLD found in its environment, for all processes
 *
 * mpirun may not pass variables on, or a user may set them on some nodes only: processes that go
 * different ways would wait for each other forever.
 */
#ifndef LIQUID_MPI_SHARED_H
#define LIQUID_MPI_SHARED_H

#include <limits.h>

#include "settings/environment.h"

/* As bytes from process to process */
struct shared {
	uint64_t mode, wire, min_bytes, tail_bytes, window, packet_bytes, buffer_bytes, verbose;
	int64_t timeout_ns;
	char fabric[PATH_MAX];		/* "": none */
};

#define SHARED_NONE_FAILED INT_MAX

void shared_take(struct shared *shared, const struct environment *env);
/*
 * The other members of @env stay: its host and devices are this process's own. All are off if a
 * process could not read its environment: @failed is the first of them.
 */
void shared_give(const struct shared *shared, int failed, struct environment *env);

#endif
