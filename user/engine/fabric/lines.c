// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lines of an untrusted text file, and errors that name the line. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/lines.h"

int line_open(struct line_reader *lines, FILE *in, const char *label, struct liquid_error *err)
{
	*lines = (struct line_reader){ .in = in, .label = label };
	lines->text = malloc(LINE_BYTES);
	if (!lines->text)
		return liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	return LIQUID_OK;
}

void line_close(struct line_reader *lines)
{
	free(lines->text);
	lines->text = NULL;
}

/* What editors and shells of Windows write before a text */
static void skip_byte_order_mark(struct line_reader *lines)
{
	static const char mark[] = "\xef\xbb\xbf";

	if (lines->number == 1 && !strncmp(lines->text, mark, strlen(mark)))
		memmove(lines->text, lines->text + strlen(mark), strlen(lines->text + 3) + 1);
}

int line_next(struct line_reader *lines, struct liquid_error *err)
{
	size_t length = 0;
	int c;

	lines->number++;
	while ((c = getc_unlocked(lines->in)) != EOF && c != '\n') {
		if (!c)
			return line_fail(lines, err, "a zero byte: not a text file");
		if (length == LINE_BYTES - 1)
			return line_fail(lines, err, "line longer than %d bytes", LINE_BYTES - 1);
		lines->text[length++] = (char)c;
	}
	lines->text[length] = '\0';
	skip_byte_order_mark(lines);
	if (ferror(lines->in))
		return liquid_fail(err, LIQUID_IO, "%s: %s", lines->label, strerror(errno));
	return length || c == '\n';
}

int line_fail(const struct line_reader *lines, struct liquid_error *err, const char *format, ...)
{
	char reason[sizeof(err->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return liquid_fail(err, LIQUID_BAD_INPUT, "%s:%lu: %s", lines->label, lines->number,
			   reason);
}
