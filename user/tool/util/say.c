// SPDX-License-Identifier: GPL-2.0-only
/* Printing text from outside, escaped. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/say.h"

__attribute__((format(printf, 2, 0)))
static void put_formatted(FILE *out, const char *format, va_list args, bool line)
{
	char *text = NULL;
	int length = vasprintf(&text, format, args);

	if (length < 0) {
		fputs("(out of memory)\n", out);
		return;
	}
	if (line && length && text[length - 1] == '\n')
		text[length - 1] = '\0';
	put_escaped(out, text);
	if (line)
		fputc('\n', out);
	free(text);
}

void put_text(const char *format, ...)
{
	size_t length = strlen(format);
	va_list args;

	va_start(args, format);
	put_formatted(stdout, format, args, length && format[length - 1] == '\n');
	va_end(args);
}

void put_marked(const char *text)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");
	bool colours = isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") &&
		       !(none && *none);

	printf(colours ? "\033[1;31m%s\033[0m" : "%s", text);
}

void vsay_line(FILE *out, const char *prefix, const char *format, va_list args)
{
	fputs(prefix, out);
	put_formatted(out, format, args, true);
}
