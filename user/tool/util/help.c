// SPDX-License-Identifier: GPL-2.0-only
/* Usage, help and completion, from the tables of commands and options. */
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "util/pages.h"

#define HELP_COLUMN 28
#define HELP_WIDTH 79

/* ---- usage ---- */

static const char *value_of(const struct opt *opt)
{
	return opt->value ? opt->value : "VALUE";
}

static void print_positional(FILE *out, const struct opt *opt)
{
	fprintf(out, opt->required ? " %s" : " [%s]", opt->name);
	if (opt->kind == KIND_LIST)
		fputs("...", out);
}

/* Required arguments come first, then optional ones, then "[OPTIONS]". */
void print_synopsis(FILE *out, const struct opt *opts)
{
	bool more = false;

	for (int required = 1; required >= 0; required--) {
		struct opt_walk walk = { .next = opts };
		const struct opt *opt;

		while ((opt = opt_next(&walk))) {
			more |= !opt->positional && !opt->required;
			if (opt->required != required)
				continue;
			if (opt->positional)
				print_positional(out, opt);
			else if (required)
				fprintf(out, " --%s %s", opt->name, value_of(opt));
		}
	}
	if (more)
		fputs(" [OPTION]...", out);
}

void print_usage(FILE *out, const struct command *command)
{
	fprintf(out, "usage: %s %s", program.name, command->name);
	if (command->sub)
		fputs(" SUBCOMMAND [ARGUMENT]...", out);
	else
		print_synopsis(out, command->opts);
	fputc('\n', out);
	if (out == stderr)
		fprintf(out, "See `%s %s --help`.\n", program.name, command->name);
}

/* ---- help ---- */

int print_words(const char *text, int at, int indent, int width, const char *end)
{
	bool begun = at > indent;	/* the line has a word that a blank follows */

	for (; *text; begun = true) {
		int length = (int)strcspn(text, " ");

		if (begun && at + 1 + length > width - (int)strlen(end)) {
			printf("%s\n%*s", end, indent, "");
			at = indent;
		} else if (begun) {
			at += printf(" ");
		}
		at += printf("%.*s", length, text);
		text += length + (text[length] == ' ');
	}
	return at;
}

static void print_choices(const struct opt *opt, int at)
{
	char words[OPT_WHY] = "(";
	const char *word;
	size_t used = 1;

	for (size_t i = 0; (word = opt_word(opt, i)) && used < sizeof(words); i++)
		used += snprintf(words + used, sizeof(words) - used, "%s%s", i ? ", " : "", word);
	if (used < sizeof(words) - 1)
		strcpy(words + used, ")");
	print_words(words, at, HELP_COLUMN, HELP_WIDTH, "");
}

static void print_option(const struct opt *opt)
{
	int at;

	if (opt->positional)
		at = printf("  %s", opt->name);
	else if (opt->letter)
		at = printf("  -%c, --%s", opt->letter, opt->name);
	else
		at = printf("      --%s", opt->name);
	if (!opt->positional && opt_takes_value(opt))
		at += printf(opt->without ? "[=%s]" : " %s", value_of(opt));
	if (at >= HELP_COLUMN - 1)
		at = printf("\n") - 1;
	printf("%*s", HELP_COLUMN - at, "");
	at = print_words(opt->help, HELP_COLUMN, HELP_COLUMN, HELP_WIDTH, "");
	if (!opt->positional && (opt->kind == KIND_WORD || opt->kind == KIND_CHOICE))
		print_choices(opt, at);
	putchar('\n');
}

static void print_options(const struct opt *opts)
{
	struct opt_walk walk = { .next = opts };
	const struct opt *opt;

	while ((opt = opt_next(&walk)))
		if (opt->help && opt->kind != KIND_GONE)
			print_option(opt);
	print_option(&(struct opt){ .name = "help", .letter = 'h', .kind = KIND_FLAG,
				    .help = "print this text" });
}

static void print_commands(const struct command *const *commands)
{
	for (; *commands; commands++)
		if ((*commands)->summary)
			printf("  %-10s %s\n", command_word(*commands), (*commands)->summary);
}

static void print_program_help(void)
{
	printf("usage: %s COMMAND [ARGUMENT]...\n       %s --help | --version\n\n%s\n\n",
	       program.name, program.name, program.summary);
	print_commands(program.commands);
	printf("\nSee `%s help COMMAND` for a command.\n", program.name);
	if (program.more)
		puts(program.more);
}

/* Of the page of @command, or of the command that it belongs to, the lines that run it */
static void print_examples(const struct command *command)
{
	const struct page *page = program.pages;
	size_t length = strcspn(command->name, " ");
	char run[64];

	while (page && page->name && (strncmp(page->name, command->name, length) ||
				      page->name[length]))
		page++;
	if (!page || !page->name)
		return;
	snprintf(run, sizeof(run), "%s %s", program.name, command->name);
	puts("\nFor example:");
	for (const char *line = page->example, *end; *line; line = *end ? end + 1 : end) {
		const char *found = strstr(line, run);

		end = strchrnul(line, '\n');
		while (*end && end[-1] == '\\')
			end = strchrnul(end + 1, '\n');
		if (found && found < end)
			printf("  %.*s\n", (int)(end - line), line);
	}
}

int print_help(const struct command *command)
{
	if (!command) {
		print_program_help();
		return EXIT_OK;
	}
	if (command->moved)
		return complain(EXIT_USAGE, "%s is now %s", command->name, command->moved);
	print_usage(stdout, command);
	printf("\n%s\n\n", command->summary ? command->summary : "for internal use");
	if (command->sub)
		print_commands(command->sub);
	else
		print_options(command->opts);
	print_examples(command);
	return EXIT_OK;
}

struct words {
	struct opt_list word;
};

static const struct opt help_opts[] = {
	{ "COMMAND", .kind = KIND_LIST, OPT_MEMBER(struct words, word), .positional = true,
	  .help = "a command, or a command and its subcommand" },
	{ 0 }
};

static int take_words(int argc, char **argv, struct words *args)
{
	int code = take_options(argc, argv, help_opts, args);

	if (code)
		free(args->word.text);
	return code;
}

static int run_help(int argc, char **argv)
{
	struct words args = { 0 };
	const struct command *command;
	int used, count, code = take_words(argc, argv, &args);

	if (code)
		return code;
	count = (int)args.word.count;
	command = find_command((char *const *)args.word.text, count, &used);
	if (count && !command)
		code = unknown_command(NULL, args.word.text[0]);
	else if (count > used)
		code = unknown_command(command, args.word.text[used]);
	else
		code = print_help(command);
	free(args.word.text);
	return code;
}

const struct command command_help = {
	"help", "show the options of a command", help_opts, run_help, NULL, NULL
};

/* ---- completion ---- */

static void complete_command(const struct command *const *commands)
{
	for (; *commands; commands++)
		if ((*commands)->summary)
			puts(command_word(*commands));
}

/* The shell itself completes the names of files and of devices. */
static void complete_value(const struct opt *opt, const char *first)
{
	static const char *const files[] = { "FILE", "FABRIC", "SCHEDULE", "TRAFFIC", NULL };
	const char *value = opt->positional ? opt->name : value_of(opt);

	for (size_t i = 0; opt_word(opt, i); i++)
		puts(opt_word(opt, i));
	for (size_t i = 0; first && opt->word_after && opt->word_after(first, i); i++)
		puts(opt->word_after(first, i));
	if (!strcmp(value, "COMMAND"))
		complete_command(program.commands);
	for (const char *const *name = files; *name; name++)
		if (!strcmp(value, *name))
			puts("<files>");
	if (!strcmp(value, "DEV"))
		puts("<devices>");
}

static void complete_options(const struct opt *opts)
{
	struct opt_walk walk = { .next = opts };
	const struct opt *opt;

	while ((opt = opt_next(&walk)))
		if (!opt->positional && opt->help && opt->kind != KIND_GONE)
			printf("--%s\n", opt->name);
	puts("--help");
}

/* The option whose value @word is, according to the word before it */
static const struct opt *option_before(const struct opt *opts, const char *word)
{
	struct opt_walk walk = { .next = opts };
	const struct opt *opt;

	while ((opt = opt_next(&walk))) {
		bool name = !strncmp(word, "--", 2) && !strcmp(word + 2, opt->name);
		bool letter = word[0] == '-' && word[1] && word[1] == opt->letter && !word[2];

		if (!opt->positional && opt_takes_value(opt) && !opt->without && (name || letter))
			return opt;
	}
	return NULL;
}

/* The argument that comes after those of @words */
static void complete_argument(const struct command *command, const char **words, int count)
{
	struct opt_walk walk = { .next = command->opts };
	const char *first = NULL;
	const struct opt *opt;
	int given = 0;

	for (int i = 0; i < count; i++) {
		if (option_before(command->opts, words[i]))
			i++;
		else if (words[i][0] != '-' && !given++)
			first = words[i];
	}
	while ((opt = opt_next(&walk)))
		if (opt->positional && (given-- <= 0 || opt->kind == KIND_LIST)) {
			complete_value(opt, first);
			return;
		}
}

/* The last of @words, which are those after the command */
static void complete_word(const struct command *command, const char **words, int count)
{
	const struct opt *opt = count ? option_before(command->opts, words[count - 1]) : NULL;

	if (opt)
		complete_value(opt, NULL);
	else if (words[count][0] == '-')
		complete_options(command->opts);
	else
		complete_argument(command, words, count);
}

/* The last word is the one to complete; it may be empty. */
static int run_complete(int argc, char **argv)
{
	struct words args = { 0 };
	const struct command *command;
	int used, count, code = take_words(argc, argv, &args);

	if (code)
		return code;
	count = (int)args.word.count - 1;
	command = count > 0 ? find_command((char *const *)args.word.text, count, &used) : NULL;
	if (count == 0) {
		complete_command(program.commands);
		puts("--help\n--version");
	} else if (command && command->sub) {
		complete_command(command->sub);
	} else if (command && !command->moved) {
		complete_word(command, args.word.text + used, count - used);
	}
	free(args.word.text);
	return EXIT_OK;
}

const struct command command_complete = { "complete", NULL, help_opts, run_complete, NULL, NULL };
