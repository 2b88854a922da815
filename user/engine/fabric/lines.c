// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lines of an untrusted text file, and errors that name the line. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/lines.h"

int line_open(struct line_reader *lines, FILE *in, const char *label, size_t room,
	      struct liquid_error *err)
{
	*lines = (struct line_reader){ .in = in, .label = label, .room = room };
	lines->block = malloc(room);
	return lines->block ? LIQUID_OK : liquid_no_memory(err);
}

void line_close(struct line_reader *lines)
{
	free(lines->block);
	lines->block = lines->text = NULL;
}

/* Move the beginning of a line to that of the block, and read what comes after it. */
static void read_block(struct line_reader *lines)
{
	size_t left = lines->used - lines->at, room = lines->room - left, more;

	if (lines->leave)
		lines->leave(lines->context);
	memmove(lines->block, lines->block + lines->at, left);
	more = fread(lines->block + left, 1, room, lines->in);
	lines->over = more < room;
	lines->error = ferror(lines->in) ? errno : 0;
	lines->at = 0;
	lines->used = left + more;
}

/* The end of the line that begins at @at, or NULL: it has none, or is longer than it may be. */
static char *find_end(struct line_reader *lines)
{
	size_t searched = 0;
	char *end;

	for (;;) {
		char *from = lines->block + lines->at + searched;

		end = memchr(from, '\n', lines->used - lines->at - searched);
		searched = lines->used - lines->at;
		if (end || lines->over || searched >= LINE_BYTES)
			return end;
		read_block(lines);
	}
}

/* What editors and shells of Windows write before a text */
static void skip_byte_order_mark(struct line_reader *lines)
{
	static const char mark[] = "\xef\xbb\xbf";

	if (lines->number == 1 && !strncmp(lines->text, mark, strlen(mark)))
		lines->text += strlen(mark);
}

int line_next(struct line_reader *lines, struct liquid_error *err)
{
	const char *end = find_end(lines);
	char *text = lines->block + lines->at;
	size_t length = (size_t)((end ? : lines->block + lines->used) - text);

	lines->number++;
	if (memchr(text, 0, length < LINE_BYTES ? length : LINE_BYTES))
		return line_fail(lines, err, "a zero byte: not a text file");
	if (length >= LINE_BYTES)
		return line_fail(lines, err, "line longer than %d bytes", LINE_BYTES - 1);
	if (!end && lines->error)
		return liquid_fail(err, LIQUID_IO, "%s: %s", lines->label, strerror(lines->error));
	text[length] = '\0';
	lines->text = text;
	lines->at += length + !!end;
	skip_byte_order_mark(lines);
	return end || length;
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
