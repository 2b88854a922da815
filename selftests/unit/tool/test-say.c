// SPDX-License-Identifier: GPL-2.0-only
/* What others have written is one line of visible characters. */
#include <stdlib.h>
#include <string.h>

#include "util/say.h"
#include "tap.h"

static void becomes(const char *text, const char *wanted, const char *name)
{
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	put_escaped(out, text);
	fclose(out);
	if (!ok(!strcmp(got, wanted), "%s", name))
		printf("# %s\n", got);
	free(got);
}

static void line(const char *wanted, const char *format, ...)
{
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);
	va_list args;

	va_start(args, format);
	vsay_line(out, "p: ", format, args);
	va_end(args);
	fclose(out);
	if (!ok(!strcmp(got, wanted), "one line"))
		printf("# %s\n", got);
	free(got);
}

int main(void)
{
	char all[256], *got = NULL;
	size_t size, acting = 0;
	FILE *out;

	becomes("a 'b' \"c\" \\ ~", "a 'b' \"c\" \\ ~", "ASCII stays");
	becomes("x\nliquid-nl: y", "x\\x0aliquid-nl: y", "no second line");
	becomes("\033[31mred\a\r\t\177", "\\x1b[31mred\\x07\\x0d\\x09\\x7f",
		"no control characters");
	becomes("na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80",
		"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80",
		"letters of others stay");
	becomes("\xc2\x9b""31m", "\\xc2\\x9b31m", "no control characters of Unicode");
	becomes("\x9b""31m \xff \xe2\x82 \xc3", "\\x9b31m \\xff \\xe2\\x82 \\xc3",
		"invalid UTF-8 is escaped");
	becomes("\xc0\x8a \xe0\x80\x8a \xed\xa0\x80 \xf4\x90\x80\x80 \xf8\x88\x80\x80\x80",
		"\\xc0\\x8a \\xe0\\x80\\x8a \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80 "
		"\\xf8\\x88\\x80\\x80\\x80",
		"in none of the ways to write it");
	becomes("\xe2\x80\xae""cba \xe2\x80\xa8 \xef\xbb\xbf",
		"\\xe2\\x80\\xaecba \\xe2\\x80\\xa8 \\xef\\xbb\\xbf",
		"nothing that turns the line round, or ends it");
	for (int c = 1; c < 256; c++)
		all[c - 1] = c;
	all[255] = '\0';
	out = open_memstream(&got, &size);
	put_escaped(out, all);
	fclose(out);
	for (size_t i = 0; i < size; i++)
		acting += got[i] < ' ' || got[i] > '~';
	ok(!acting, "of all single bytes none acts");
	free(got);
	line("p: a\\x0ab\n", "%s", "a\nb");
	line("p: a\n", "%s\n", "a");
	return tap_exit();
}
