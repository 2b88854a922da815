// SPDX-License-Identifier: GPL-2.0-only
/* liquid-lab: fabrics without hardware; each command is in a file of its name. */
#include "lab.h"

static const struct command *const commands[] = {
	&lab_up, &lab_down, &lab_stats, &lab_link, &lab_new_routes, &command_help,
	&command_complete, NULL
};

const struct program program = {
	"liquid-lab", "net devices joined by a simulated fabric", commands, NULL, NULL
};

int main(int argc, char **argv)
{
	return run_program(argc, argv);
}
