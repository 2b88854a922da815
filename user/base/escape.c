// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Text from outside is escaped before it is printed, so that it stays visible and within its line
 *
 * Messages end up in the logs of a cluster. A newline in a job's comment would start another line
 * of the log, in the tool's name. An escape sequence would act on the reader's terminal. In a page,
 * a name could be an element that loads or runs something.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

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

/* ---- pages ---- */

/* Escaped, and then what @replace says for a character; NULL: the character itself */
static void put_replaced(FILE *out, const char *text, const char *(*replace)(char character))
{
	char *escaped = NULL;
	size_t length = 0;
	FILE *memory = open_memstream(&escaped, &length);

	if (!memory)
		return;
	put_escaped(memory, text);
	if (!fclose(memory))
		for (const char *at = escaped; *at; at++) {
			const char *other = replace(*at);

			if (other)
				fputs(other, out);
			else
				fputc(*at, out);
		}
	free(escaped);
}

static const char *in_html(char character)
{
	switch (character) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static const char *in_json(char character)
{
	switch (character) {
	case '&':
		return "\\u0026";
	case '<':
		return "\\u003c";
	case '>':
		return "\\u003e";
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	default:
		return NULL;
	}
}

void html_text(FILE *out, const char *text)
{
	put_replaced(out, text, in_html);
}

void html_json(FILE *out, const char *text)
{
	fputc('"', out);
	put_replaced(out, text, in_json);
	fputc('"', out);
}

/* Colours are named here, for light and dark: bars and cells, what is wrong, what is usual. */
static const char style_of_all[] =
	":root { color-scheme: light dark; --ink: #222; --paper: #fff; --faint: #ddd; "
	"--full: #2b6cb0; --wrong: #c51b20 }\n"
	"@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #16181c; "
	"--faint: #3a3f47; --full: #6aa9e9; --wrong: #ff6b66 } }\n"
	"body { font: 15px/1.5 sans-serif; color: var(--ink); background: var(--paper); "
	"max-width: 62em; margin: 2em auto; padding: 0 1em }\n"
	"table { border-collapse: collapse; margin: 1em 0; display: block; overflow-x: auto; "
	"font-size: 13px }\n"
	"th, td { text-align: right; padding: 2px 7px; white-space: nowrap; "
	"border-bottom: 1px solid var(--faint) }\n"
	"th:first-child, td:first-child { text-align: left }\n"
	"figure { margin: 1.5em 0; overflow-x: auto }\n"
	"figcaption { font-weight: bold }\n"
	"svg text { font: 12px sans-serif; fill: var(--ink) }\n"
	".bar, .cell { fill: var(--full) }\n"
	".mark { fill: var(--wrong) }\n"
	".wrong { color: var(--wrong) }\n";

void html_head(FILE *out, const char *style, const char *script)
{
	fputs("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head>\n"
	      "<meta charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" "
	      "content=\"default-src 'none'; style-src 'unsafe-inline'", out);
	if (script)
		fprintf(out, "; script-src '%s'", script);
	fprintf(out, "\"/>\n<meta name=\"viewport\" content=\"width=device-width\"/>\n"
		"<style>\n%s%s</style>\n<title>", style_of_all, style);
}
