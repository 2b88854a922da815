// SPDX-License-Identifier: GPL-2.0-only
/* From a command line to the command that it names. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "liquidsched.h"
#include "util/command.h"
#include "util/opt.h"
#include "util/say.h"

/* ---- finding commands ---- */

const char *command_word(const struct command *command)
{
	const char *space = strchr(command->name, ' ');

	return space ? space + 1 : command->name;
}

static const struct command *find_in(const struct command *const *commands, const char *word)
{
	for (; *commands; commands++)
		if (!strcmp(command_word(*commands), word))
			return *commands;
	return NULL;
}

const struct command *find_command(char *const *words, int count, int *used)
{
	const struct command *command = count ? find_in(program.commands, words[0]) : NULL;
	const struct command *sub = command && command->sub && count > 1 ?
				    find_in(command->sub, words[1]) : NULL;

	*used = sub ? 2 : 1;
	return sub ? sub : command;
}

/* By its whole name */
static const struct command *command_named(const char *name)
{
	const struct command *command;
	size_t length = strcspn(name, " ");

	for (const struct command *const *at = program.commands; (command = *at); at++) {
		if (strncmp(command->name, name, length) || command->name[length])
			continue;
		return name[length] && command->sub ? find_in(command->sub, name + length + 1) :
						      command;
	}
	return NULL;
}

/* "; did you mean 'show'?", or "" when none is near */
static const char *did_you_mean(const struct command *const *commands, const char *word,
				char text[OPT_WHY])
{
	unsigned int limit = near_limit(word), least = limit + 1;

	text[0] = 0;
	for (; *commands; commands++) {
		unsigned int away = liquid_name_distance(word, command_word(*commands), limit);

		if (!(*commands)->summary || away >= least)
			continue;
		least = away;
		snprintf(text, OPT_WHY, "; did you mean '%s'?", command_word(*commands));
	}
	return text;
}

/* ---- messages ---- */

int complain(int code, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program.name);
	va_start(args, format);
	vsay_line(stderr, "", format, args);
	va_end(args);
	return code;
}

int usage_error(const char *name, const char *format, ...)
{
	const struct command *command = command_named(name);
	va_list args;

	fprintf(stderr, "%s %s", program.name, name);
	va_start(args, format);
	vsay_line(stderr, ": ", format, args);
	va_end(args);
	if (command)
		print_usage(stderr, command);
	return EXIT_USAGE;
}

int exit_code_of(int status)
{
	switch (status) {
	case LIQUID_OK:
		return EXIT_OK;
	case LIQUID_LIMIT:
	case LIQUID_CANCELLED:
		return EXIT_NO_SCHEDULE;
	case LIQUID_IO:
	case LIQUID_NO_MEMORY:
		return EXIT_IO;
	default:
		return EXIT_BAD_INPUT;
	}
}

int complain_of(int status, const struct liquid_error *err)
{
	return complain(exit_code_of(status), "%s", err->text);
}

int no_memory(void)
{
	return complain(EXIT_IO, "out of memory");
}

int stdout_lost(void)
{
	return complain(EXIT_IO, "stdout: the output could not be written%s%s", errno ? ": " : "",
			errno ? strerror(errno) : "");
}

int take_options(int argc, char **argv, const struct opt *opts, void *args)
{
	char why[OPT_WHY];
	int code = opt_take(argc, argv, opts, args, why);

	if (code == EXIT_USAGE)
		usage_error(argv[0], "%s", why);
	else if (code)
		complain(code, "%s", why);
	return code;
}

/* ---- running them ---- */

int unknown_command(const struct command *parent, const char *word)
{
	char near[OPT_WHY];

	if (parent && parent->sub)
		return usage_error(parent->name, "unknown subcommand '%s'%s", word,
				   did_you_mean(parent->sub, word, near));
	if (parent)
		return usage_error(parent->name, "no subcommands: '%s' is unexpected", word);
	complain(EXIT_USAGE, "unknown command '%s'%s", word,
		 did_you_mean(program.commands, word, near));
	fprintf(stderr, "`%s help` lists the commands.\n", program.name);
	return EXIT_USAGE;
}

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static int run_command(int argc, char **argv)
{
	const struct command *command;
	int used;

	command = find_command(argv, argc, &used);
	if (!command)
		return unknown_command(NULL, argv[0]);
	if (command->moved || asks_for_help(argc - used, argv + used))
		return print_help(command);
	if (command->sub && argc < 2)
		return usage_error(command->name, "missing subcommand");
	if (command->sub)
		return unknown_command(command, argv[1]);
	argv[used - 1] = (char *)command->name;
	return command->run(argc - used + 1, argv + used - 1);
}

static int run(int argc, char **argv)
{
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_help(NULL);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("%s %s\n", program.name, LIQUID_VERSION);
		return EXIT_OK;
	}
	return run_command(argc - 1, argv + 1);
}

/* The command has done its work only if its output has arrived. */
static int close_stdout(int code)
{
	bool lost = ferror(stdout);

	errno = 0;
	if (!fclose(stdout) && !lost)
		return code;
	if (code != EXIT_IO)	/* an I/O error was reported before */
		stdout_lost();
	return code ? code : EXIT_IO;
}

/*
 * A file must not get the number of a closed stdin, stdout or stderr: messages would be written to
 * it. So these numbers are given to a descriptor that can be neither read nor written.
 */
static bool hold_descriptors(void)
{
	int fd;

	do
		fd = open("/", O_PATH);
	while (fd >= 0 && fd <= STDERR_FILENO);
	return fd >= 0 && !close(fd);
}

int run_program(int argc, char **argv)
{
	if (!hold_descriptors())
		return EXIT_IO;
	/* Then write() fails for a file that grows too large, as it does for a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	return close_stdout(run(argc, argv));
}
