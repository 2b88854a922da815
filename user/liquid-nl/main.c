// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl: the table of commands. Each is defined in its own file in cmd/. */
#include "cmd/cmd.h"

static const struct command *const commands[] = {
	&cmd_advise, &cmd_fabric, &cmd_solve, &cmd_verify, &cmd_slice, &cmd_plot, &cmd_simulate,
	&cmd_attach, &cmd_set, &cmd_detach, &cmd_push, &cmd_show, &cmd_stats, &cmd_monitor,
	&cmd_renew, &cmd_clear, &cmd_job, &cmd_gate, &cmd_ranks, &cmd_choose, &cmd_capillary,
	&cmd_route, &cmd_matrix, &cmd_clock, &cmd_doctor, &cmd_trial, &command_help,
	&command_complete, NULL
};

const struct program program = {
	"liquid-nl", "solve, verify and enforce liquid schedules", commands
};

int main(int argc, char **argv)
{
	return run_program(argc, argv);
}
