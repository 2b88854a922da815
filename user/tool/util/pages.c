// SPDX-License-Identifier: GPL-2.0-only
/* A man page for each command, from the tables of commands and options. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "util/pages.h"

static void put_text(FILE *out, const char *text)
{
	for (char last = '\n'; *text; last = *text++) {
		if (!strncmp(text, "\n\n", 2)) {
			fputs("\n.PP", out);
			continue;
		}
		if (last == '\n' && strchr(".'", *text))
			fputs("\\&", out);
		if (*text == '-' || *text == '\\')
			fputs(*text == '-' ? "\\-" : "\\e", out);
		else
			fputc(*text, out);
	}
}

static void put_option(FILE *out, const struct opt *opt)
{
	const char *word;

	fputs(".TP\n.BI \"", out);
	if (opt->letter)
		fprintf(out, "\\-%c\\fR, \\fP", opt->letter);
	put_text(out, opt->positional ? "" : "--");
	put_text(out, opt->name);
	if (!opt->positional && opt_takes_value(opt)) {
		fputs(opt->without ? "\\fR[\\fP=\" \"" : " \" \"", out);
		put_text(out, opt->value ? opt->value : "VALUE");
		fputs(opt->without ? "\\fR]\\fP" : "", out);
	}
	fputs("\"\n", out);
	put_text(out, opt->help);
	if (!opt->positional && (opt->kind == KIND_WORD || opt->kind == KIND_CHOICE))
		for (size_t i = 0; (word = opt_word(opt, i)); i++) {
			fputs(i ? ", " : " (", out);
			put_text(out, word);
		}
	fputs(opt_word(opt, 0) && !opt->positional && opt->kind != KIND_TEXT ? ")\n" : "\n", out);
}

static void put_options(FILE *out, const struct opt *opts)
{
	struct opt_walk walk = { .next = opts };
	const struct opt *opt;

	while ((opt = opt_next(&walk)))
		if (opt->help && opt->kind != KIND_GONE)
			put_option(out, opt);
	put_option(out, &(struct opt){ .name = "help", .letter = 'h', .kind = KIND_FLAG,
				       .help = "print the options" });
}

static void put_synopsis(FILE *out, const struct command *command)
{
	fputs(".br\n\\fB", out);
	put_text(out, program.name);
	fprintf(out, " %s\\fP", command->name);
	print_synopsis(out, command->opts);
	fputc('\n', out);
}

static void put_command(FILE *out, const struct command *command)
{
	const struct command *const *sub = command->sub;

	fputs(".SH SYNOPSIS\n", out);
	if (!sub)
		put_synopsis(out, command);
	for (; sub && *sub; sub++)
		if ((*sub)->summary)
			put_synopsis(out, *sub);
}

static void put_all_options(FILE *out, const struct command *command)
{
	const struct command *const *sub = command->sub;

	fputs(".SH OPTIONS\n", out);
	if (!sub)
		put_options(out, command->opts);
	for (; sub && *sub; sub++) {
		if (!(*sub)->summary)
			continue;
		fputs(".SS ", out);
		put_text(out, (*sub)->name);
		fputc('\n', out);
		put_text(out, (*sub)->summary);
		fputc('\n', out);
		put_options(out, (*sub)->opts);
	}
}

static void put_head(FILE *out, const char *title, const char *summary, int section)
{
	fputs(".\\\" SPDX-License-Identifier: GPL-2.0-only\n.TH ", out);
	for (const char *at = title; *at; at++)
		fputc(toupper((unsigned char)*at), out);
	fprintf(out, " %d \"\" \"liquid %s\"\n.SH NAME\n", section, LIQUID_VERSION);
	put_text(out, title);
	fprintf(out, " \\- %s\n", summary);
}

static void put_page(FILE *out, const struct command *command, const struct page *page)
{
	put_command(out, command);
	fputs(".SH DESCRIPTION\n", out);
	put_text(out, page->about);
	fputc('\n', out);
	put_all_options(out, command);
	fputs(".SH EXAMPLE\n.EX\n", out);
	put_text(out, page->example);
	fputs("\n.EE\n", out);
}

/* The page of the program: its commands */
static void put_overview(FILE *out, int section)
{
	int used;

	fprintf(out, ".SH SYNOPSIS\n.B %s\n.I COMMAND\n.RI [ ARGUMENT ]...\n.SH COMMANDS\n",
		program.name);
	for (const struct page *page = pages; page->name; page++) {
		fprintf(out, ".TP\n.BR %s\\-%s (%d)\n", program.name, page->name, section);
		put_text(out, find_command((char *const *)&page->name, 1, &used)->summary);
		fputc('\n', out);
	}
}

/* Of @command, or without one of the program */
static int write_page(const char *dir, const struct command *command, const struct page *page)
{
	int section = strcmp(program.name, "liquid") ? 8 : 1;
	char path[PATH_MAX], title[64];
	FILE *out;
	bool lost;

	snprintf(title, sizeof(title), "%s%s%s", program.name, command ? "-" : "",
		 command ? command->name : "");
	snprintf(path, sizeof(path), "%s/%s.%d", dir, title, section);
	out = fopen(path, "we");
	if (!out)
		return complain(EXIT_IO, "%s: %s", path, strerror(errno));
	put_head(out, title, command ? command->summary : program.summary, section);
	if (command)
		put_page(out, command, page);
	else
		put_overview(out, section);
	fputs(".SH SEE ALSO\n.BR liquid (1),\n.BR liquid\\-nl (8)\n(numbers, files, exit status),"
	      "\n.BR liquid (7),\n.BR liquid.conf (5)\n", out);
	lost = ferror(out);
	return fclose(out) || lost ? complain(EXIT_IO, "%s: not written", path) : EXIT_OK;
}

struct pages_args {
	const char *dir;
};

static const struct opt pages_opts[] = {
	{ "DIR", .kind = KIND_TEXT, OPT_MEMBER(struct pages_args, dir), .positional = true,
	  .required = true, .help = "where the pages are written" },
	{ 0 }
};

static int run_pages(int argc, char **argv)
{
	struct pages_args args = { 0 };
	int code = take_options(argc, argv, pages_opts, &args);

	for (const struct page *page = pages; page->name && !code; page++) {
		const struct command *command;
		int used;

		command = find_command((char *const *)&page->name, 1, &used);
		code = command ? write_page(args.dir, command, page) :
		       unknown_command(NULL, page->name);
	}
	/* liquid-nl(8) is written by hand: it has what both programs share. */
	if (!code && !strcmp(program.name, "liquid"))
		code = write_page(args.dir, NULL, NULL);
	return code;
}

const struct command command_pages = { "pages", NULL, pages_opts, run_pages, NULL, NULL };
