/* SPDX-License-Identifier: GPL-2.0-only */
/* The subcommands of liquid-nl, and what they have in common. */
#ifndef LIQUID_NL_CMD_H
#define LIQUID_NL_CMD_H

#include <stdbool.h>
#include <stdio.h>

#include "liquidsched.h"

/* Documentation/man/liquid-nl.8, EXIT STATUS */
enum exit_code {
	EXIT_OK = 0,
	EXIT_BAD_INPUT = 1,
	EXIT_USAGE = 2,
	EXIT_REFUSED = 3,	/* by the kernel */
	EXIT_NO_SCHEDULE = 4,	/* within the limits given */
	EXIT_IO = 5,		/* what could not be read or written, or had no memory */
};

struct command {
	const char *name;
	int (*run)(int argc, char **argv);	/* argv[0] is the subcommand */
	const char *usage;			/* after "liquid-nl NAME " */
	const char *summary;
};

int cmd_fabric(int argc, char **argv);
int cmd_solve(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_simulate(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_attach(int argc, char **argv);
int cmd_set(int argc, char **argv);
int cmd_detach(int argc, char **argv);
int cmd_push(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_clear(int argc, char **argv);
int cmd_renew(int argc, char **argv);
int cmd_monitor(int argc, char **argv);
int cmd_clock(int argc, char **argv);
int cmd_ranks(int argc, char **argv);
int cmd_job(int argc, char **argv);
int cmd_gate(int argc, char **argv);

/* "liquid-nl", or "liquid-lab": main.c of each says which. */
extern const char program_name[];
/* What main() does. */
int run_program(int argc, char **argv, int (*run)(int argc, char **argv));
/* "PROGRAM: ..." on stderr; returns @code so that a caller can return it. */
int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The usage of @name on stderr, after a reason where there is one; returns EXIT_USAGE. */
int usage_error(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What getopt_long() means by ':' or '?' at @word: no value, or no such option. */
int option_error(const char *name, int option, const char *word);
/* stdout takes no more, as errno tells; returns EXIT_IO. Where nobody looks, main() does. */
int stdout_lost(void);
/* The exit code that belongs to a status of the library. */
int exit_code_of(int status);
/* Complains with the text of @err, and returns the exit code of @status. */
int complain_of(int status, const struct liquid_error *err);

#endif
