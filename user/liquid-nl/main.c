// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl: the table of commands. Each is defined in its own file in cmd/. */
#include "cmd/cmd.h"
#include "util/pages.h"

static const struct command *const commands[] = {
	&cmd_attach, &cmd_set, &cmd_detach, &cmd_push, &cmd_show, &cmd_stats, &cmd_monitor,
	&cmd_renew, &cmd_clear, &cmd_job, &cmd_gate, &cmd_clock, &cmd_doctor, &cmd_trial,
	&command_help, &command_complete, &command_pages, NULL
};

const struct program program = {
	"liquid-nl", "enforce liquid schedules on nodes and for jobs", commands,
	"It also runs liquid's commands: fabric, solve, verify and more (`liquid help`).", pages
};

int main(int argc, char **argv)
{
	if (is_of_liquid(argc, argv))
		return exec_liquid(argv);
	return run_program(argc, argv);
}
