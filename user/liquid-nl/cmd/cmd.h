/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of liquid-nl, and what commands have in common. */
#ifndef LIQUID_NL_CMD_H
#define LIQUID_NL_CMD_H

#include "util/command.h"

extern const struct command cmd_fabric, cmd_solve, cmd_verify, cmd_plot, cmd_simulate, cmd_attach,
			    cmd_set, cmd_detach, cmd_push, cmd_show, cmd_stats, cmd_monitor,
			    cmd_renew, cmd_clear, cmd_job, cmd_gate, cmd_ranks, cmd_clock,
			    cmd_choose, cmd_advise, cmd_capillary, cmd_route, cmd_trial,
			    cmd_doctor, cmd_matrix, cmd_slice;

#endif
