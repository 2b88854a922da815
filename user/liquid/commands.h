/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of liquid. */
#ifndef LIQUID_COMMANDS_H
#define LIQUID_COMMANDS_H

#include "util/command.h"

extern const struct command cmd_advise, cmd_answer, cmd_capillary, cmd_choose, cmd_fabric,
			    cmd_matrix, cmd_plot, cmd_ranks, cmd_route, cmd_simulate, cmd_slice,
			    cmd_solve, cmd_verify;

#endif
