// SPDX-License-Identifier: GPL-2.0-only
/* Commands of liquid, which liquid-nl runs with the same arguments. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "ask/ask.h"
#include "cmd/cmd.h"
#include "util/of-liquid.h"

#define NAME(name) #name,

static const char *const of_liquid[] = { OF_LIQUID(NAME) NULL };

/* As the first word, or the first after `help` or `complete --` */
bool is_of_liquid(int argc, char **argv)
{
	int at = 1;

	if (at < argc && (!strcmp(argv[at], "help") || !strcmp(argv[at], "complete")))
		at++;
	if (at > 1 && at < argc && !strcmp(argv[at], "--"))
		at++;
	for (const char *const *name = of_liquid; at < argc && *name; name++)
		if (!strcmp(argv[at], *name))
			return true;
	return false;
}

/* The one in the directory of this program, else that of PATH */
int exec_liquid(char **argv)
{
	char path[PATH_MAX];

	if (ask_program(path))
		execv(path, argv);
	execvp("liquid", argv);
	return complain(EXIT_IO, "%s is a command of liquid, which does not start: %s", argv[1],
			strerror(errno));
}
