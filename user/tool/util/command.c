// SPDX-License-Identifier: GPL-2.0-only
/* From a command line to the command that it names. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "liquidsched.h"
#include "util/command.h"
#include "util/json.h"
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

static bool as_json;		/* --json was given: messages are objects, too */

static bool asks_for_json(const struct command *command, int argc, char **argv)
{
	const struct opt *opt = command->opts;

	while (opt && opt->name && strcmp(opt->name, "json"))
		opt++;
	for (int i = 0; opt && opt->name && i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--json") || !strcmp(argv[i], "-j"))
			return true;
	return false;
}

/* One line on stderr, from @command or NULL; @code: 0 of a note */
__attribute__((format(printf, 3, 0)))
static void report(int code, const char *command, const char *format, va_list args)
{
	char *text = NULL, prefix[64];
	size_t size;
	FILE *memory = as_json ? open_memstream(&text, &size) : NULL;
	json_t *json;

	snprintf(prefix, sizeof(prefix), "%s%s%s: ", program.name, command ? " " : "",
		 command ? command : "");
	vsay_line(memory ? memory : stderr, memory ? "" : prefix, format, args);
	if (!memory || fclose(memory))
		return;
	text[strcspn(text, "\n")] = '\0';
	json = json_headed("liquid-message", 1, json_pack("{s:s, s:i, s:s}", "program",
			   program.name, "exit", code, "text", text));
	if (!json_dumpf(json, stderr, 0))
		fputc('\n', stderr);
	json_decref(json);
	free(text);
}

int complain(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(code, NULL, format, args);
	va_end(args);
	return code;
}

int usage_error(const char *name, const char *format, ...)
{
	const struct command *command = command_named(name);
	va_list args;

	va_start(args, format);
	report(EXIT_USAGE, name, format, args);
	va_end(args);
	if (command && !as_json)
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
	as_json = asks_for_json(command, argc - used, argv + used);
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
