/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The variables LIQUID_MPIIO*: the values of a file's first rank count for all its ranks. */
#ifndef LIQUID_MPIIO_SETTINGS_H
#define LIQUID_MPIIO_SETTINGS_H

#include <stdint.h>

struct settings {
	int64_t mode;			/* MODE_AUTO, MODE_OFF, or MODE_ORDER for "on" */
	int64_t buffer;			/* bytes of a window */
	int64_t verbose;
	char wrong[160];		/* their error; "": none */
};

void settings_read(struct settings *settings);

#endif
