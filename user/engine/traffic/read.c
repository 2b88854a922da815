// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reading traffic files: lines "src dst [count]"; # begins a comment. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "liquidsched.h"
#include "traffic/traffic.h"

#define WORDS_MAX 3

struct reader {
	const char *label;
	unsigned long line;		/* line number, from 1 */
	const struct liquid_fabric *fabric;
	struct liquid_traffic *traffic;
	struct liquid_error *err;
};

#define fail_here(reader, format, ...) \
	liquid_fail((reader)->err, LIQUID_BAD_INPUT, "%s:%lu: " format, (reader)->label, \
		    (reader)->line, ##__VA_ARGS__)

/* Split @text in place. Returns the number of words, WORDS_MAX + 1 if there are more. */
static int split_words(char *text, char *words[WORDS_MAX])
{
	int count = 0;

	text[strcspn(text, "#")] = '\0';
	for (;;) {
		while (isspace((unsigned char)*text))
			text++;
		if (!*text)
			return count;
		if (count == WORDS_MAX)
			return count + 1;
		words[count++] = text;
		while (*text && !isspace((unsigned char)*text))
			text++;
		if (*text)
			*text++ = '\0';
	}
}

static int read_count(const struct reader *reader, const char *word, uint32_t *count)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = isdigit((unsigned char)*word) ? strtoull(word, &end, 10) : 0;
	if (!isdigit((unsigned char)*word) || *end)
		return fail_here(reader, "count '%.64s' is not a whole number", word);
	if (!value)
		return fail_here(reader, "count is 0; it must be at least 1");
	if (errno || value > LIQUID_TRANSFERS_MAX)
		return fail_here(reader, "count %.64s is more than %u", word, LIQUID_TRANSFERS_MAX);
	*count = (uint32_t)value;
	return LIQUID_OK;
}

static int read_host(const struct reader *reader, const char *name, uint32_t *host)
{
	char near[LIQUID_NEAR_TEXT];

	*host = liquid_fabric_find_host(reader->fabric, name);
	if (*host == LIQUID_NONE)
		return fail_here(reader, "the fabric has no host '%.*s'%.600s", LIQUID_NAME_MAX,
				 name, liquid_fabric_near_host(reader->fabric, name, near));
	return LIQUID_OK;
}

static int read_line(struct reader *reader, char *text)
{
	char *words[WORDS_MAX];
	int count = split_words(text, words);
	struct liquid_error reason;
	uint32_t src, dst, units = 1;
	int status;

	if (!count)
		return LIQUID_OK;
	if (count < 2 || count > WORDS_MAX)
		return fail_here(reader, "%s words; expected 'src dst [count]'",
				 count < 2 ? "too few" : "too many");
	status = read_host(reader, words[0], &src);
	if (!status)
		status = read_host(reader, words[1], &dst);
	if (!status && count == WORDS_MAX)
		status = read_count(reader, words[2], &units);
	if (status)
		return status;
	if (liquid_fabric_owner(reader->fabric, src) != src)
		return fail_here(reader, "'%s' is an alias, which sends nothing", words[0]);
	if (src == liquid_fabric_owner(reader->fabric, dst))
		return fail_here(reader, "'%s' sends to itself", words[0]);
	status = liquid_traffic_add(reader->traffic, src, dst, units, &reason);
	if (status)
		return liquid_fail(reader->err, status, "%s:%lu: %.900s", reader->label,
				   reader->line, reason.text);
	return LIQUID_OK;
}

static int read_lines(struct reader *reader, FILE *in)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t length;
	int status = LIQUID_OK;

	while (!status && (length = getline(&text, &room, in)) >= 0) {
		reader->line++;
		if (memchr(text, '\0', length))
			status = fail_here(reader, "a zero byte; this is not a traffic file");
		else
			status = read_line(reader, text);
	}
	if (!status && !feof(in))
		status = liquid_fail(reader->err, LIQUID_IO, "%s: %s", reader->label,
				     strerror(errno));
	free(text);
	return status;
}

int liquid_traffic_read(FILE *in, const char *label, const struct liquid_fabric *fabric,
			struct liquid_traffic **traffic, struct liquid_error *err)
{
	struct reader reader = { .label = label, .fabric = fabric, .err = err };
	int status;

	*traffic = NULL;
	status = liquid_traffic_new(&reader.traffic, err);
	if (status)
		return status;
	status = read_lines(&reader, in);
	if (status) {
		liquid_traffic_free(reader.traffic);
		return status;
	}
	*traffic = reader.traffic;
	return LIQUID_OK;
}
