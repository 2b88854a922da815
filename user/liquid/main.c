// SPDX-License-Identifier: GPL-2.0-only
/* liquid: the table of commands. Each is in the room of its name, or of what it works on. */
#include "commands.h"
#include "util/pages.h"

#define ROW(name) &cmd_##name,

static const struct command *const commands[] = {
	OF_LIQUID(ROW) &cmd_answer, &command_help, &command_complete, &command_pages, NULL
};

const struct program program = {
	"liquid", "find, verify and explain liquid schedules", commands,
	"liquid-nl has the commands of gates, nodes and jobs.", pages
};

int main(int argc, char **argv)
{
	return run_program(argc, argv);
}
