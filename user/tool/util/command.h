/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of a program, and their common parts. */
#ifndef LIQUID_TOOL_COMMAND_H
#define LIQUID_TOOL_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "liquidsched.h"
#include "util/opt.h"

/* Documentation/man/liquid-nl.8, EXIT STATUS */
enum exit_code {
	EXIT_OK = 0,
	EXIT_BAD_INPUT = 1,
	EXIT_USAGE = 2,
	EXIT_REFUSED = 3,	/* by the kernel */
	EXIT_NO_SCHEDULE = 4,	/* within the limits given */
	EXIT_IO = 5,		/* a failed read or write, or out of memory */
};

struct page;

struct command {
	const char *name;			/* "push"; of a subcommand "fabric import" */
	const char *summary;			/* NULL: not listed */
	const struct opt *opts;			/* ends with a row without a name */
	int (*run)(int argc, char **argv);	/* argv[0] is @name */
	const struct command *const *sub;	/* subcommands instead, ends with NULL; or NULL */
	const char *moved;			/* the command to use instead, or NULL */
};

/* Each program that is built of these parts defines its own. */
struct program {
	const char *name, *summary;
	const struct command *const *commands;	/* ends with NULL */
	const char *more;			/* the last line of its help, or NULL */
	const struct page *pages;		/* util/pages.h: with examples; or NULL */
};
extern const struct program program;

/* `PROGRAM help [COMMAND...]`, and the command that the shell's completion calls, for @commands */
extern const struct command command_help, command_complete;

/* What main() does; returns an exit code. */
int run_program(int argc, char **argv);

/* The command, or subcommand, that the first words name, and how many these are; NULL: none. */
const struct command *find_command(char *const *words, int count, int *used);
/* A command's last word: "import" */
const char *command_word(const struct command *command);
/* "usage: ..." and where to find more */
void print_usage(FILE *out, const struct command *command);
/*
 * Words of @text from column @at on; each further line begins at @indent, and each but the last
 * ends with @end. Returns the column.
 */
int print_words(const char *text, int at, int indent, int width, const char *end);
/* The whole help of a command, or with NULL of the program. Exit code */
int print_help(const struct command *command);
/* No such command, or with @parent no such subcommand; returns EXIT_USAGE. */
int unknown_command(const struct command *parent, const char *word);

/* Take the options of the command argv[0]; EXIT_OK, or an exit code after a message. */
int take_options(int argc, char **argv, const struct opt *opts, void *args);

/* "PROGRAM: ..." on stderr; returns @code so that a caller can return it. */
int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The usage of the command @name on stderr, after a reason; returns EXIT_USAGE. */
int usage_error(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Report a failed write to stdout, with errno; returns EXIT_IO. main() reports the others. */
int stdout_lost(void);
/* The exit code that belongs to a status of the library. */
int exit_code_of(int status);
/* Complains with the text of @err, and returns the exit code of @status. */
int complain_of(int status, const struct liquid_error *err);
/* Complains, and returns EXIT_IO. */
int no_memory(void);

#endif
