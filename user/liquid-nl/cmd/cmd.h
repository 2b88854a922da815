/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of liquid-nl. */
#ifndef LIQUID_NL_CMD_H
#define LIQUID_NL_CMD_H

#include "util/command.h"

extern const struct command cmd_attach, cmd_set, cmd_detach, cmd_push, cmd_show, cmd_stats,
			    cmd_monitor, cmd_renew, cmd_clear, cmd_job, cmd_gate, cmd_clock,
			    cmd_trial, cmd_doctor;

/* liquid.c: a command of liquid; instead of returning, exec_liquid() becomes it. */
bool is_of_liquid(int argc, char **argv);
int exec_liquid(char **argv);

#endif
