// SPDX-License-Identifier: GPL-2.0-only
/* Unit test: lines read by blocks are those read byte by byte, wherever a block ends. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/lines.h"
#include "tap.h"

#define BLOCK LINE_BLOCK		/* the cases are about its end */

/* A file in memory, which ends in an error or not */
struct text {
	char *byte;
	size_t size, read;
	bool fails;
};

static ssize_t read_on(void *cookie, char *buffer, size_t size)
{
	struct text *text = cookie;
	size_t left = text->size - text->read, count = size < left ? size : left;

	if (!left && text->fails) {
		errno = EIO;
		return -1;
	}
	/* As a pipe: not all at once */
	count = count > 5000 ? 5000 : count;
	memcpy(buffer, text->byte + text->read, count);
	text->read += count;
	return (ssize_t)count;
}

/*
 * What line_next() does, byte by byte: the line from @at on. Returns 1, 0 at the end, or an error
 * with its @reason; @at moves on.
 */
static int next_slowly(const struct text *text, size_t *at, size_t *length, const char **reason)
{
	const char *line = text->byte + *at;

	for (*length = 0; *at < text->size && text->byte[*at] != '\n'; ++*at, ++*length) {
		*reason = !text->byte[*at] ? "a zero byte: not a text file" :
			  *length == LINE_BYTES - 1 ? "line longer than 65535 bytes" : NULL;
		if (*reason)
			return LIQUID_BAD_INPUT;
	}
	if (*at < text->size) {
		++*at;
		return 1;
	}
	*reason = strerror(EIO);
	return text->fails ? LIQUID_IO : text->byte + *at > line;
}

static bool is_error(int status, unsigned long number, const char *reason, const char *told)
{
	char expected[128];

	if (status == LIQUID_IO)
		snprintf(expected, sizeof(expected), "f: %s", reason);
	else
		snprintf(expected, sizeof(expected), "f:%lu: %s", number, reason);
	return !strcmp(told, expected);
}

/* Read @text, which has no byte order mark; false: it differs from what next_slowly() reads. */
static bool reads_alike(struct text *text, const char *what)
{
	FILE *in = fopencookie(text, "r", (cookie_io_functions_t){ .read = read_on });
	struct line_reader lines;
	struct liquid_error err = { "" };
	unsigned long number = 0;
	const char *reason = NULL;
	size_t at = 0, length;
	bool alike = true;
	int status, more = 1;

	text->read = 0;
	line_open(&lines, in, "f", BLOCK, &err);
	while (alike && more > 0) {
		size_t start = at;

		status = next_slowly(text, &at, &length, &reason);
		more = line_next(&lines, &err);
		alike = more == status && lines.number == ++number;
		if (alike && more > 0)
			alike = strlen(lines.text) == length &&
				!memcmp(lines.text, text->byte + start, length);
		else if (alike && more < 0)
			alike = is_error(status, number, reason, err.text);
	}
	if (!alike)
		printf("# %s: line %lu: %d %s\n", what, number, more, err.text);
	line_close(&lines);
	fclose(in);
	return alike;
}

/* Short lines of @size bytes in all, then one of @length bytes, and what comes after it */
static void fill(struct text *text, size_t size, size_t length, const char *after)
{
	memset(text->byte, 'x', size + length);
	for (size_t i = 0; i < size; i++)
		if (i % 1000 == 999 || i == size - 1)
			text->byte[i] = '\n';
	strcpy(text->byte + size + length, after);
	text->size = size + length + strlen(after);
}

static const size_t lengths[] = { 0, 1, 2, LINE_BYTES - 2, LINE_BYTES - 1, LINE_BYTES,
				  LINE_BYTES + 1, BLOCK - 1, BLOCK, BLOCK + 1 };
static const char *const ends[] = { "", "\n", "\r\nlast\n", "\n\nlast" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A line of @length bytes that begins at @size, before each of the ends */
static uint32_t read_ends(struct text *text, size_t size, size_t length)
{
	uint32_t wrong = 0;
	char what[128];

	for (size_t e = 0; e < COUNT(ends); e++) {
		fill(text, size, length, ends[e]);
		snprintf(what, sizeof(what), "%zu bytes after %zu, end %zu%s", length, size, e,
			 text->fails ? ", then an error" : "");
		wrong += !reads_alike(text, what);
	}
	return wrong;
}

/* A line of each length begins, and one ends, just before, at, and just after a block's end. */
static uint32_t read_all(struct text *text)
{
	uint32_t wrong = 0;

	for (size_t l = 0; l < COUNT(lengths); l++)
		for (size_t d = 0; d < 5; d++) {
			wrong += read_ends(text, d, lengths[l]);
			wrong += read_ends(text, BLOCK + d - 2, lengths[l]);
			if (lengths[l] < LINE_BYTES)
				wrong += read_ends(text, BLOCK + d - 2 - lengths[l], lengths[l]);
		}
	return wrong;
}

/* A zero byte, or a byte of another kind, at each place that a block could make special */
static uint32_t read_zeros(struct text *text, char byte)
{
	static const size_t places[] = { 0, 1, 999, LINE_BYTES - 2, LINE_BYTES - 1, LINE_BYTES,
					 BLOCK - 2, BLOCK - 1, BLOCK, BLOCK + 1 };
	uint32_t wrong = 0;
	char what[64];

	for (size_t size = 0; size <= 2 * BLOCK; size += BLOCK)
		for (size_t i = 0; i < COUNT(places); i++) {
			fill(text, size, BLOCK + 2, "\nlast");
			text->byte[places[i]] = byte;
			snprintf(what, sizeof(what), "byte %d at %zu, lines of %zu", byte,
				 places[i], size);
			wrong += !reads_alike(text, what);
		}
	return wrong;
}

static void test_marks(void)
{
	static const char *const expected[] = { "abc", "\xef\xbb\xbf" "def", "\xef\xbb" };
	char bytes[] = "\xef\xbb\xbf" "abc\n" "\xef\xbb\xbf" "def\n" "\xef\xbb";
	struct text text = { .byte = bytes, .size = strlen(bytes) };
	FILE *in = fopencookie(&text, "r", (cookie_io_functions_t){ .read = read_on });
	struct line_reader lines;
	struct liquid_error err;
	uint32_t right = 0;

	line_open(&lines, in, "f", BLOCK, &err);
	while (line_next(&lines, &err) == 1 && lines.number <= COUNT(expected))
		right += !strcmp(lines.text, expected[lines.number - 1]);
	ok(right == COUNT(expected), "a byte order mark is left out before the first line only");
	line_close(&lines);
	fclose(in);
}

int main(void)
{
	struct text text = { .byte = malloc(4 * BLOCK) };

	ok(!read_all(&text), "lines at the end of a block");
	text.fails = true;
	ok(!read_all(&text), "lines before an error of reading, and then the error");
	text.fails = false;
	ok(!read_zeros(&text, 0), "a zero byte before or after a line is too long");
	ok(!read_zeros(&text, '\r'), "a carriage return is a byte of the line");
	test_marks();
	free(text.byte);
	return tap_exit();
}
