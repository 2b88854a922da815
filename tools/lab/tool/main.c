// SPDX-License-Identifier: GPL-2.0-only
/* liquid-lab: the table of commands. Each is in the file of its name. */
#include <stdarg.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lab.h"
#include "util/say.h"

const char program_name[] = "liquid-lab";

static const struct command commands[] = {
	{ "up", lab_up,
	  "FABRIC --rate BPS [--ports LIST|HOST=IFNAME,...] [--netns]\n"
	  "          [--switching wormhole|cut-through|packet] [--worm BYTES] [--buffer BYTES]\n"
	  "          [--overhead BYTES] [--hop-latency TIME] [--ring N] [--queues N]\n"
	  "          [--unrouted drop|free] [--mtu N] [--addr NETWORK/BITS] [--name NAME]",
	  "make net devices that are joined by a fabric's links" },
	{ "down", lab_down, "[NAME]", "remove fabrics and their net devices" },
	{ "stats", lab_stats, "[NAME] [--json]", "show what links and ports have counted" },
};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int print_usage(FILE *out, int code)
{
	fputs("usage: liquid-lab COMMAND ...\n       liquid-lab --help | --version\n\n", out);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
	fputs("\n`liquid-lab COMMAND --help` shows the arguments of one.\n", out);
	return code;
}

int usage_error(const char *name, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "liquid-lab %s", name);
	va_start(args, format);
	vsay_line(stderr, ": ", format, args);
	va_end(args);
	fprintf(stderr, "usage: liquid-lab %s %s\n", name, find_command(name)->usage);
	return EXIT_USAGE;
}

int option_error(const char *name, int option, const char *word)
{
	return option == ':' ? usage_error(name, "%s needs a value", word) :
	       usage_error(name, "no option '%s'", word);
}

static bool asks_for_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h");
}

static int run(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "stats";
	const struct command *command = find_command(name);

	if (asks_for_help(name) || !strcmp(name, "help"))
		return print_usage(stdout, EXIT_OK);
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		puts("liquid-lab " LIQUID_VERSION);
		return EXIT_OK;
	}
	if (!command)
		return print_usage(stderr, complain(EXIT_USAGE, "no command '%s'", name));
	for (int i = 2; i < argc; i++)
		if (asks_for_help(argv[i])) {
			printf("usage: liquid-lab %s %s\n", name, command->usage);
			return EXIT_OK;
		}
	return command->run(argc > 1 ? argc - 1 : argc, argc > 1 ? argv + 1 : argv);
}

int main(int argc, char **argv)
{
	return run_program(argc, argv, run);
}
