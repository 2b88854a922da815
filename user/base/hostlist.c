// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reading and writing lists of hosts in Slurm's syntax: "node[001-032,040],gpu7/HCA-1/1". */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"

#define LIST_NAMES_MAX 65536u		/* the hosts of a fabric, at most */
#define DIGITS_MAX 18			/* of a number in a range; such a number fits in uint64_t */

/* Printable ASCII except the delimiters of words, list items, ranges and comments. */
bool name_char(unsigned char c)
{
	return c > ' ' && c < 0x7f && !strchr("#,[]\"'\\", c);
}

/* ---- numbers of names ---- */

static int digits_of(uint64_t value)
{
	int digits = 1;

	for (uint64_t bound = 10; value >= bound && digits < DIGITS_MAX; bound *= 10)
		digits++;
	return digits;
}

bool hostlist_prints_alike(uint64_t value, int digits, int other)
{
	return digits == other || digits_of(value) >= (digits > other ? digits : other);
}

struct hostlist_number hostlist_number(const char *name)
{
	size_t length = strlen(name), at = length;

	while (at && isdigit((unsigned char)name[at - 1]) && length - at < DIGITS_MAX)
		at--;
	return (struct hostlist_number){
		.length = at, .value = at < length ? strtoull(name + at, NULL, 10) : 0,
		.digits = (int)(length - at),
	};
}

/* ---- walking ---- */

struct walk {
	const char *list, *end;		/* end: of the item */
	struct hostlist_part part;
	int (*take)(void *context, struct hostlist_part *part, struct liquid_error *err);
	void *context;
	struct liquid_error *err;
};

static int bad_list(const struct walk *walk, const char *at, const char *reason)
{
	return liquid_fail(walk->err, LIQUID_BAD_INPUT, "host list, character %zu: %s",
			   (size_t)(at - walk->list) + 1, reason);
}

static const char *parse_number(const char *at, uint64_t *value, int *digits)
{
	*value = 0;
	for (*digits = 0; isdigit((unsigned char)*at) && *digits <= DIGITS_MAX; at++, ++*digits)
		*value = 10 * *value + (uint64_t)(*at - '0');
	return at;
}

/* Parse "first" or "first-last". Returns the text after it, or NULL after an error. */
static const char *parse_range(const struct walk *walk, const char *at, uint64_t *first,
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
		bad_list(walk, at, "expected a number");
	else if (*digits > DIGITS_MAX || more > DIGITS_MAX)
		bad_list(walk, start, "number too long");
	else if (*last < *first)
		bad_list(walk, start, "range runs backwards");
	else if (*last - *first >= LIST_NAMES_MAX)
		bad_list(walk, start, "range too long");
	else if (*at != ',' && *at != ']')
		bad_list(walk, at, "expected ',' or ']'");
	else
		return at;
	return NULL;
}

static int walk_from(struct walk *walk, size_t length, const char *at);

/* Numbers at the end of an item are taken together; @more comes after them, @end after the item. */
static int take_range(struct walk *walk, size_t length, uint64_t first, uint64_t last, int digits,
		      const char *more, const char *end)
{
	walk->end = end;
	walk->part.length = length;
	walk->part.first = first;
	walk->part.last = last;
	walk->part.digits = digits;
	walk->part.more = more;
	return walk->take(walk->context, &walk->part, walk->err);
}

/* Take the names of the range at *@at, which moves to the text after it. */
static int walk_range(struct walk *walk, size_t length, const char **at, const char *rest)
{
	const char *range = *at;
	uint64_t first, last;
	int digits, most, status = LIQUID_OK;
	char number[32];
	size_t size;

	*at = parse_range(walk, range, &first, &last, &digits);
	if (!*at)
		return LIQUID_BAD_INPUT;
	most = last == first ? digits : digits_of(last);
	if (length + (size_t)(most > digits ? most : digits) > LIQUID_NAME_MAX)
		return bad_list(walk, range, "name too long");
	if (!*rest || *rest == ',') {
		status = take_range(walk, length, first, last, digits, *at, rest);
		*at = walk->part.more;
		return status;
	}
	for (uint64_t n = first; n <= last && !status; n++) {
		size = (size_t)snprintf(number, sizeof(number), "%0*" PRIu64, digits, n);
		memcpy(walk->part.stem + length, number, size);
		status = walk_from(walk, length + size, rest);
	}
	return status;
}

static int walk_bracket(struct walk *walk, size_t length, const char *at)
{
	const char *close = strchr(at, ']');
	int status = LIQUID_OK;

	if (!close)
		return bad_list(walk, at - 1, "'[' is not closed");
	for (;;) {
		status = walk_range(walk, length, &at, close + 1);
		if (status)
			return status;
		if (*at++ == ']')
			return LIQUID_OK;
	}
}

/* Walk the rest of an item; the first @length bytes of the name are already in the stem. */
static int walk_from(struct walk *walk, size_t length, const char *at)
{
	for (; *at && *at != ','; at++) {
		if (*at == '[')
			return walk_bracket(walk, length, at + 1);
		if (!name_char((unsigned char)*at))
			return bad_list(walk, at, "invalid character in a host name");
		if (length == LIQUID_NAME_MAX)
			return bad_list(walk, at, "name too long");
		walk->part.stem[length++] = *at;
	}
	if (!length)
		return bad_list(walk, at, "expected a host name");
	return take_range(walk, length, 0, 0, 0, "", at);
}

int hostlist_walk(const char *list,
		  int (*take)(void *context, struct hostlist_part *part, struct liquid_error *err),
		  void *context, struct liquid_error *err)
{
	struct walk walk;		/* whose part has no name yet, which is long */
	int status;

	walk.list = list;
	walk.take = take;
	walk.context = context;
	walk.err = err;

	for (;;) {
		status = walk_from(&walk, 0, list);
		if (status)
			return status;
		list = walk.end;
		if (!*list++)
			return LIQUID_OK;
	}
}

void hostlist_print(const struct hostlist_part *part, uint64_t value,
		    char name[LIQUID_NAME_MAX + 1])
{
	memcpy(name, part->stem, part->length);
	name[part->length] = '\0';
	if (part->digits)
		snprintf(name + part->length, LIQUID_NAME_MAX + 1 - part->length, "%0*" PRIu64,
			 part->digits, value);
}

/* ---- expanding ---- */

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

static int add_names(void *context, struct hostlist_part *part, struct liquid_error *err)
{
	struct liquid_names *names = context;
	char name[LIQUID_NAME_MAX + 1];
	int status = LIQUID_OK;

	for (uint64_t n = part->first; n <= part->last && !status; n++) {
		hostlist_print(part, n, name);
		status = names_add(names, name, strlen(name));
	}
	if (status == LIQUID_BAD_INPUT)
		return liquid_fail(err, status, "host list: more than %u names", LIST_NAMES_MAX);
	return status ? liquid_fail(err, status, "out of memory") : LIQUID_OK;
}

int liquid_hostlist_expand(const char *list, struct liquid_names *names, struct liquid_error *err)
{
	int status;

	*names = (struct liquid_names){ NULL, 0 };
	status = hostlist_walk(list, add_names, names, err);
	if (status)
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
	if (w->lead && w->column &&
	    w->column + strlen(w->prefix) + strlen(w->runs) > HOSTLIST_WIDTH) {
		fputc('\n', w->out);
		w->column = 0;
	}
	w->column += (size_t)fprintf(w->out, "%s%s", w->column ? "," : w->lead ? : "",
				     w->prefix);
	w->column += (size_t)fprintf(w->out, w->single ? "%s" : "[%s]", w->runs);
	w->pending = false;
	w->runs[0] = '\0';
}

static bool extends_run(const struct hostlist_writer *w, const struct hostlist_number *number)
{
	return number->value == w->last + 1 &&
	       hostlist_prints_alike(number->value, w->digits, number->digits);
}

void hostlist_put(struct hostlist_writer *w, const char *name)
{
	struct hostlist_number number = hostlist_number(name);
	bool same = w->pending && w->digits && number.digits &&
		    !strncmp(name, w->prefix, number.length) && !w->prefix[number.length];

	if (same && extends_run(w, &number)) {
		w->last = number.value;
		w->single = false;
		return;
	}
	if (same && strlen(w->runs) < HOSTLIST_WIDTH - 2 * DIGITS_MAX) {
		close_run(w);
		w->single = false;
	} else {
		put_item(w);
		memcpy(w->prefix, name, number.length);
		w->prefix[number.length] = '\0';
		w->single = true;
	}
	w->first = w->last = number.value;
	w->digits = number.digits;
	w->pending = true;
}

void hostlist_end(struct hostlist_writer *w)
{
	put_item(w);
	if (w->column)
		fputc('\n', w->out);
	w->column = 0;
}
