// SPDX-License-Identifier: GPL-2.0-only
/* Options and arguments of a command, as a table of rows. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "liquidsched.h"
#include "util/command.h"
#include "util/opt.h"
#include "util/units.h"

/* ---- tables ---- */

const struct opt *opt_next(struct opt_walk *walk)
{
	for (;;) {
		const struct opt *opt = walk->next++;

		if (!opt->name && !walk->after_group)
			return NULL;
		if (!opt->name) {
			walk->next = walk->after_group;
			walk->after_group = NULL;
			walk->base = 0;
		} else if (opt->kind == KIND_GROUP) {
			walk->after_group = walk->next;
			walk->next = opt->group;
			walk->base = opt->offset;
		} else {
			return opt;
		}
	}
}

bool opt_takes_value(const struct opt *opt)
{
	return opt->kind != KIND_FLAG && opt->kind != KIND_UNFLAG;
}

const char *opt_word(const struct opt *opt, size_t index)
{
	if (opt->word_at)
		return opt->word_at(index);
	return opt->words ? opt->words[index] : NULL;
}

/* ---- values ---- */

static bool parse_count(const char *text, uint64_t *value)
{
	return parse_number(text, UINT64_MAX, value);
}

static const struct {
	bool (*parse)(const char *text, uint64_t *value);
	const char *noun, *example;
} numbers[] = {
	[KIND_NUMBER] = { parse_count, "a number", "" },
	[KIND_TIME] = { parse_time, "a time", " such as 10us" },
	[KIND_RATE] = { parse_rate, "a rate", " such as 10G" },
	[KIND_SIZE] = { parse_size, "a size", " such as 64Ki" },
	[KIND_SHARE] = { parse_share, "a share", " such as 5%" },
};

static void store(void *at, size_t width, uint64_t value)
{
	switch (width) {
	case 1:
		*(uint8_t *)at = value;
		break;
	case 2:
		*(uint16_t *)at = value;
		break;
	case 4:
		*(uint32_t *)at = value;
		break;
	default:
		*(uint64_t *)at = value;
	}
}

static uint64_t greatest(const struct opt *opt)
{
	return opt->max ? opt->max : opt->width < 8 ? (1ULL << 8 * opt->width) - 1 : UINT64_MAX;
}

/* A value as written on the command line: "10us", "10T", "100%" */
static const char *format_bound(enum opt_kind kind, uint64_t value, char text[UNIT_TEXT])
{
	char *space;

	if (kind == KIND_TIME)
		format_time(value, text);
	else if (kind == KIND_RATE)
		format_rate(value, text);
	else if (kind == KIND_SHARE)
		snprintf(text, UNIT_TEXT, "%g%%", value / 10.0);
	else
		snprintf(text, UNIT_TEXT, "%llu", (unsigned long long)value);
	space = strchr(text, ' ');
	if (space)
		memmove(space, space + 1, strlen(space));
	text[strcspn(text, "b")] = 0;
	return text;
}

static const char *expected_number(const struct opt *opt, char why[OPT_WHY])
{
	const char *noun = numbers[opt->kind].noun;
	char min[UNIT_TEXT], max[UNIT_TEXT];
	/* The limits of the type need not be mentioned. */
	bool low = opt->min > (opt->kind != KIND_NUMBER);
	bool high = opt->max && opt->max < (opt->kind == KIND_NUMBER ? UINT32_MAX : INT64_MAX);

	format_bound(opt->kind, opt->min, min);
	format_bound(opt->kind, opt->max, max);
	if (low && high)
		snprintf(why, OPT_WHY, "%s from %s to %s", noun, min, max);
	else if (low)
		snprintf(why, OPT_WHY, "%s, at least %s", noun, min);
	else if (high)
		snprintf(why, OPT_WHY, "%s up to %s", noun, max);
	else
		snprintf(why, OPT_WHY, "%s%s", noun, numbers[opt->kind].example);
	return why;
}

static const char *set_number(const struct opt *opt, void *at, const char *text,
			      char why[OPT_WHY])
{
	uint64_t value;

	if (!numbers[opt->kind].parse(text, &value) || value < opt->min || value > greatest(opt))
		return expected_number(opt, why);
	store(at, opt->width, value);
	return NULL;
}

/* "a, b or c" */
static const char *expected_word(const struct opt *opt, char why[OPT_WHY])
{
	const char *word;
	size_t used = 0;

	for (size_t i = 0; (word = opt_word(opt, i)) && used < OPT_WHY; i++)
		used += snprintf(why + used, OPT_WHY - used, "%s%s",
				 !i ? "" : opt_word(opt, i + 1) ? ", " : " or ", word);
	return why;
}

static const char *set_word(const struct opt *opt, void *at, const char *text, char why[OPT_WHY])
{
	const char *word;

	for (unsigned int i = 0; (word = opt_word(opt, i)); i++) {
		if (strcmp(word, text))
			continue;
		if (opt->kind == KIND_CHOICE)
			store(at, opt->width, i);
		else
			*(const char **)at = word;
		return NULL;
	}
	return expected_word(opt, why);
}

static const char *set_member(const struct opt *opt, void *at, const char *text,
			      char why[OPT_WHY])
{
	switch (opt->kind) {
	case KIND_FLAG:
	case KIND_UNFLAG:
		store(at, opt->width, opt->kind == KIND_FLAG);
		return NULL;
	case KIND_TEXT:
		*(const char **)at = text;
		return NULL;
	case KIND_WORD:
	case KIND_CHOICE:
		return set_word(opt, at, text, why);
	case KIND_OTHER:
		return opt->take(at, text);
	default:
		return set_number(opt, at, text, why);
	}
}

const char *opt_set(const struct opt *opt, void *object, const char *text, char why[OPT_WHY])
{
	const char *expected = set_member(opt, (char *)object + opt->offset, text, why);

	if (expected)
		return opt->expected ? opt->expected : expected;
	if (opt->bit)
		*(uint64_t *)((char *)object + opt->given) |= 1ULL << opt->bit;
	return NULL;
}

/* ---- the command line ---- */

struct line {
	char **word;			/* left; ends with NULL */
	const struct opt *table;
	char *args;
	size_t positionals;		/* taken so far, a list as one */
	char *why;
};

__attribute__((format(printf, 2, 3)))
static int fail(struct line *line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(line->why, OPT_WHY, format, args);
	va_end(args);
	return EXIT_USAGE;
}

static int add_to_list(struct line *line, struct opt_list *list, const char *text)
{
	const char **larger = reallocarray(list->text, list->count + 1, sizeof(*larger));

	if (!larger) {
		fail(line, "out of memory");
		return EXIT_IO;
	}
	list->text = larger;
	larger[list->count++] = text;
	return EXIT_OK;
}

/* @base: of the row's group within the arguments */
static int take_value(struct line *line, const struct opt *opt, size_t base, const char *text)
{
	char *object = line->args + base;
	const char *expected;
	char why[OPT_WHY];

	if (opt->kind == KIND_LIST)
		return add_to_list(line, (struct opt_list *)(object + opt->offset), text);
	expected = opt_set(opt, object, text, why);
	if (!expected)
		return EXIT_OK;
	if (opt->positional)
		return fail(line, "expected %s, got '%s'", expected, text);
	return fail(line, "--%s: expected %s, got '%s'", opt->name, expected, text);
}

unsigned int near_limit(const char *name)
{
	size_t limit = (strlen(name) + 2) / 3;

	return limit < 3 ? limit : 3;
}

static const char *nearest_option(const struct opt *table, const char *name)
{
	unsigned int limit = near_limit(name), least = limit + 1;
	struct opt_walk walk = { .next = table };
	const char *nearest = NULL;
	const struct opt *opt;

	while ((opt = opt_next(&walk))) {
		unsigned int away = liquid_name_distance(name, opt->name, limit);

		if (opt->positional || opt->kind == KIND_GONE || away >= least)
			continue;
		least = away;
		nearest = opt->name;
	}
	return nearest;
}

const char *opt_did_you_mean(const struct opt *table, const char *name, char text[OPT_WHY])
{
	const char *nearest = nearest_option(table, name);

	text[0] = 0;
	if (nearest)
		snprintf(text, OPT_WHY, "; did you mean '--%s'?", nearest);
	return text;
}

struct found {
	const struct opt *opt, *other;	/* other: begins likewise */
	size_t base;
};

/* The option of this name, or all that begin so */
static struct found find_long(const struct opt *table, const char *name)
{
	struct opt_walk walk = { .next = table };
	struct found found = { 0 };
	const struct opt *opt;

	while ((opt = opt_next(&walk))) {
		if (opt->positional || strncmp(opt->name, name, strlen(name)))
			continue;
		if (!strcmp(opt->name, name))
			return (struct found){ opt, NULL, walk.base };
		if (opt->kind == KIND_GONE)
			continue;
		found.other = found.opt;
		found.opt = opt;
		found.base = walk.base;
	}
	return found;
}

static int not_found(struct line *line, const char *name, const struct found *found)
{
	char near[OPT_WHY];

	if (found->other)
		return fail(line, "'--%s' is ambiguous: '--%s' or '--%s'?", name,
			    found->other->name, found->opt->name);
	return fail(line, "unknown option '--%s'%s", name,
		    opt_did_you_mean(line->table, name, near));
}

/* @equals: what follows the name in the same word, or NULL */
static int take_found(struct line *line, const struct found *found, const char *equals)
{
	const struct opt *opt = found->opt;

	if (opt->kind == KIND_GONE)
		return fail(line, "--%s: %s", opt->name, opt->help);
	if (equals && !opt_takes_value(opt))
		return fail(line, "--%s takes no value", opt->name);
	if (equals)
		return take_value(line, opt, found->base, equals + 1);
	if (opt->without) {
		store(line->args + found->base + opt->offset, opt->width, opt->without);
		return EXIT_OK;
	}
	if (!opt_takes_value(opt))
		return take_value(line, opt, found->base, NULL);
	if (!*line->word)
		return fail(line, "--%s needs a value", opt->name);
	return take_value(line, opt, found->base, *line->word++);
}

static int take_long(struct line *line, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	struct found found;
	char name[64];

	if (length >= sizeof(name))
		return fail(line, "unknown option '--%s'", word);
	snprintf(name, sizeof(name), "%.*s", (int)length, word);
	found = find_long(line->table, name);
	return !found.opt || found.other ? not_found(line, name, &found) :
					   take_found(line, &found, equals);
}

/* Letters such as "-jo": the last one may have its value in the same word. */
static int take_letters(struct line *line, const char *letters)
{
	int code = EXIT_OK;

	while (*letters && !code) {
		struct opt_walk walk = { .next = line->table };
		const struct opt *opt;
		char letter = *letters++;

		do
			opt = opt_next(&walk);
		while (opt && opt->letter != letter);
		if (!opt)
			return fail(line, "unknown option '-%c'", letter);
		if (!opt_takes_value(opt)) {
			code = take_value(line, opt, walk.base, NULL);
			continue;
		}
		if (!*letters && !*line->word)
			return fail(line, "-%c needs a value", letter);
		return take_value(line, opt, walk.base, *letters ? letters : *line->word++);
	}
	return code;
}

static int take_positional(struct line *line, const char *word)
{
	struct opt_walk walk = { .next = line->table };
	const struct opt *opt;
	size_t place = 0;

	while ((opt = opt_next(&walk))) {
		if (!opt->positional || place++ < line->positionals)
			continue;
		line->positionals += opt->kind != KIND_LIST;
		return take_value(line, opt, walk.base, word);
	}
	return fail(line, "unexpected argument '%s'", word);
}

static bool is_zero(const char *at, size_t width)
{
	while (width && !*at++)
		width--;
	return !width;
}

static int check_required(struct line *line)
{
	struct opt_walk walk = { .next = line->table };
	const struct opt *opt;

	while ((opt = opt_next(&walk)))
		if (opt->required && is_zero(line->args + walk.base + opt->offset, opt->width))
			return fail(line, opt->positional ? "missing %s" : "missing --%s",
				    opt->name);
	return EXIT_OK;
}

int opt_take(int argc, char **argv, const struct opt *table, void *args, char why[OPT_WHY])
{
	struct line line = { .word = argv + 1, .table = table, .args = args, .why = why };
	bool options = true;
	int code = EXIT_OK;

	while (!code && line.word < argv + argc) {
		const char *word = *line.word++;

		if (options && !strcmp(word, "--"))
			options = false;
		else if (options && !strncmp(word, "--", 2))
			code = take_long(&line, word + 2);
		else if (options && word[0] == '-' && word[1])
			code = take_letters(&line, word + 1);
		else
			code = take_positional(&line, word);
	}
	return code ? code : check_required(&line);
}
