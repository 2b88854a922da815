// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reading and writing lists of hosts in Slurm's syntax: "node[001-032,040],gpu7/HCA-1/1". */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "fabric/hostlist.h"

#define LIST_NAMES_MAX FABRIC_HOSTS_MAX
#define DIGITS_MAX 18			/* of a number in a range; such a number fits in uint64_t */

/* ---- expanding ---- */

struct expansion {
	const char *list;
	struct liquid_names *names;
	struct liquid_error *err;
	char name[LIQUID_NAME_MAX + 1];
};

static int bad_list(const struct expansion *ex, const char *at, const char *reason)
{
	return liquid_fail(ex->err, LIQUID_BAD_INPUT, "host list, character %zu: %s",
			   (size_t)(at - ex->list) + 1, reason);
}

int names_add(struct liquid_names *names, const char *name, size_t length)
{
	size_t count = names->count;
	char **larger;

	if (count >= LIST_NAMES_MAX)
		return LIQUID_BAD_INPUT;
	if (!(count & (count - 1))) {
		larger = realloc(names->name, (count ? 2 * count : 1) * sizeof(*larger));
		if (!larger)
			return LIQUID_NO_MEMORY;
		names->name = larger;
	}
	names->name[count] = strndup(name, length);
	if (!names->name[count])
		return LIQUID_NO_MEMORY;
	names->count++;
	return LIQUID_OK;
}

static int add_name(struct expansion *ex, size_t length)
{
	int status = names_add(ex->names, ex->name, length);

	if (status == LIQUID_BAD_INPUT)
		return liquid_fail(ex->err, status, "host list: more than %u names",
				   LIST_NAMES_MAX);
	return status ? liquid_fail(ex->err, status, "out of memory") : LIQUID_OK;
}

static const char *parse_number(const char *at, uint64_t *value, int *digits)
{
	*value = 0;
	for (*digits = 0; isdigit((unsigned char)*at) && *digits <= DIGITS_MAX; at++, ++*digits)
		*value = 10 * *value + (uint64_t)(*at - '0');
	return at;
}

/* Parse "first" or "first-last". Returns the text after it, or NULL after an error. */
static const char *parse_range(const struct expansion *ex, const char *at, uint64_t *first,
			       uint64_t *last, int *digits)
{
	const char *start = at;
	int more;

	at = parse_number(at, first, digits);
	*last = *first;
	more = *digits;
	if (more && *at == '-')
		at = parse_number(at + 1, last, &more);
	if (!more)
		bad_list(ex, at, "expected a number");
	else if (*digits > DIGITS_MAX || more > DIGITS_MAX)
		bad_list(ex, start, "number too long");
	else if (*last < *first)
		bad_list(ex, start, "range runs backwards");
	else if (*last - *first >= LIST_NAMES_MAX)
		bad_list(ex, start, "range too long");
	else if (*at != ',' && *at != ']')
		bad_list(ex, at, "expected ',' or ']'");
	else
		return at;
	return NULL;
}

static int expand_from(struct expansion *ex, size_t length, const char *at);

static int expand_range(struct expansion *ex, size_t length, const char *range, const char *rest)
{
	uint64_t first, last;
	int digits, status = LIQUID_OK;
	char number[32];
	size_t size;

	if (!parse_range(ex, range, &first, &last, &digits))
		return LIQUID_BAD_INPUT;
	for (uint64_t n = first; n <= last && !status; n++) {
		size = (size_t)snprintf(number, sizeof(number), "%0*" PRIu64, digits, n);
		if (length + size > LIQUID_NAME_MAX)
			return bad_list(ex, range, "name too long");
		memcpy(ex->name + length, number, size);
		status = expand_from(ex, length + size, rest);
	}
	return status;
}

static int expand_bracket(struct expansion *ex, size_t length, const char *at)
{
	const char *close = strchr(at, ']');
	int status = LIQUID_OK;

	if (!close)
		return bad_list(ex, at - 1, "'[' is not closed");
	for (;;) {
		status = expand_range(ex, length, at, close + 1);
		if (status)
			return status;
		at += strcspn(at, ",]");
		if (*at++ == ']')
			return LIQUID_OK;
	}
}

/* Expand the rest of an item; the first @length bytes of the name are already in @ex. */
static int expand_from(struct expansion *ex, size_t length, const char *at)
{
	for (; *at && *at != ','; at++) {
		if (*at == '[')
			return expand_bracket(ex, length, at + 1);
		if (!fabric_name_char((unsigned char)*at))
			return bad_list(ex, at, "invalid character in a host name");
		if (length == LIQUID_NAME_MAX)
			return bad_list(ex, at, "name too long");
		ex->name[length++] = *at;
	}
	if (!length)
		return bad_list(ex, at, "expected a host name");
	return add_name(ex, length);
}

/* Skip an item. Commas in brackets do not end it. */
static const char *skip_item(const char *at)
{
	bool inside = false;

	for (; *at && (*at != ',' || inside); at++)
		if (*at == '[' || *at == ']')
			inside = *at == '[';
	return at;
}

int liquid_hostlist_expand(const char *list, struct liquid_names *names, struct liquid_error *err)
{
	struct expansion ex = { .list = list, .names = names, .err = err };
	int status;

	*names = (struct liquid_names){ NULL, 0 };
	for (;;) {
		status = expand_from(&ex, 0, list);
		if (status)
			break;
		list = skip_item(list);
		if (!*list++)
			return LIQUID_OK;
	}
	liquid_names_clear(names);
	return status;
}

void liquid_names_clear(struct liquid_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->name[i]);
	free(names->name);
	*names = (struct liquid_names){ NULL, 0 };
}

/* ---- compressing ---- */

/* Split @name before the number at its end, if it has one; else *@digits is 0. */
static void split_name(const char *name, char *prefix, uint64_t *value, int *digits)
{
	size_t length = strlen(name), at = length;

	while (at && isdigit((unsigned char)name[at - 1]) && length - at < DIGITS_MAX)
		at--;
	*digits = (int)(length - at);
	*value = *digits ? strtoull(name + at, NULL, 10) : 0;
	memcpy(prefix, name, at);
	prefix[at] = '\0';
}

static int digits_of(uint64_t value)
{
	int digits = 1;

	for (; value >= 10; value /= 10)
		digits++;
	return digits;
}

void hostlist_begin(struct hostlist_writer *writer, FILE *out, const char *lead)
{
	*writer = (struct hostlist_writer){ .out = out, .lead = lead };
}

/* Append the last run to @runs. */
static void close_run(struct hostlist_writer *w)
{
	size_t length = strlen(w->runs);

	if (!w->digits)
		return;
	if (length)
		w->runs[length++] = ',';
	length += (size_t)snprintf(w->runs + length, sizeof(w->runs) - length, "%0*" PRIu64,
				   w->digits, w->first);
	if (w->last > w->first)
		snprintf(w->runs + length, sizeof(w->runs) - length, "-%0*" PRIu64, w->digits,
			 w->last);
}

/* Write the pending prefix and runs as an item of the list. */
static void put_item(struct hostlist_writer *w)
{
	if (!w->pending)
		return;
	close_run(w);
	if (w->column && w->column + strlen(w->prefix) + strlen(w->runs) > HOSTLIST_WIDTH) {
		fputc('\n', w->out);
		w->column = 0;
	}
	w->column += (size_t)fprintf(w->out, "%s%s", w->column ? "," : w->lead, w->prefix);
	w->column += (size_t)fprintf(w->out, w->single ? "%s" : "[%s]", w->runs);
	w->pending = false;
	w->runs[0] = '\0';
}

static bool extends_run(const struct hostlist_writer *w, uint64_t value, int digits)
{
	int natural = digits_of(value);

	return value == w->last + 1 && digits == (natural > w->digits ? natural : w->digits);
}

void hostlist_put(struct hostlist_writer *w, const char *name)
{
	char prefix[LIQUID_NAME_MAX + 1];
	uint64_t value;
	int digits;
	bool same;

	split_name(name, prefix, &value, &digits);
	same = w->pending && w->digits && digits && !strcmp(prefix, w->prefix);
	if (same && extends_run(w, value, digits)) {
		w->last = value;
		w->single = false;
		return;
	}
	if (same && strlen(w->runs) < HOSTLIST_WIDTH - 2 * DIGITS_MAX) {
		close_run(w);
		w->single = false;
	} else {
		put_item(w);
		strcpy(w->prefix, prefix);
		w->single = true;
	}
	w->first = w->last = value;
	w->digits = digits;
	w->pending = true;
}

void hostlist_end(struct hostlist_writer *w)
{
	put_item(w);
	if (w->column)
		fputc('\n', w->out);
	w->column = 0;
}
