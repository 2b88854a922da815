/* SPDX-License-Identifier: GPL-2.0-only */
/* Man pages: text in addition to the tables of commands and options. */
#ifndef LIQUID_TOOL_PAGES_H
#define LIQUID_TOOL_PAGES_H

#include <stdio.h>

#include "util/command.h"

struct page {
	const char *name;		/* of the command */
	const char *about, *example;	/* paragraphs, and lines */
};

/* Of the program: one for each command of its help; ends with a row without a name */
extern const struct page pages[];

/* `PROGRAM pages DIR` writes a page for each command, by which `make` has them */
extern const struct command command_pages;

/* help.c: " FABRIC [OPTION]..." */
void print_synopsis(FILE *out, const struct opt *opts);

#endif
