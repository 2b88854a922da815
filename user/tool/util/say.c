// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text from outside is escaped before it is printed, so that it stays visible and within its line
 *
 * Messages end up in the logs of a cluster. A newline in a job's comment would start another line
 * of the log, in the tool's name. An escape sequence would act on the reader's terminal.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/say.h"

/* The length of a well-formed UTF-8 character in bytes; 0: it is malformed. */
static size_t take_utf8(const unsigned char *at, uint32_t *point)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 :
			at[0] < 0xf5 ? 4 : 0;

	if (length < 2) {
		*point = at[0];
		return length;
	}
	*point = at[0] & (0x7f >> length);
	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		*point = *point << 6 | (at[i] & 0x3f);
	}
	return *point < least[length] || *point > 0x10ffff ||
	       (*point >= 0xd800 && *point < 0xe000) ? 0 : length;
}

/* Characters that are invisible, but act on a terminal */
static bool acts(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x061c ||
	       (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2060 && point <= 0x206f) || point == 0xfeff || point >= 0xe0000;
}

void put_escaped(FILE *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		uint32_t point;
		size_t length = take_utf8(at, &point);

		if (length && !acts(point)) {
			fwrite(at, 1, length, out);
			at += length;
			continue;
		}
		for (length = length ? length : 1; length; length--)
			fprintf(out, "\\x%02x", *at++);
	}
}

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

void vsay_line(FILE *out, const char *prefix, const char *format, va_list args)
{
	fputs(prefix, out);
	put_formatted(out, format, args, true);
}
