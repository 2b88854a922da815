/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options and arguments of a command, as a table of rows
 *
 * Accepted values, the usage, a line of help for each option and the completion come from the
 * same row. Nothing here keeps state or prints.
 */
#ifndef LIQUID_TOOL_OPT_H
#define LIQUID_TOOL_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum opt_kind {
	KIND_FLAG,		/* true; takes no value */
	KIND_UNFLAG,		/* false; takes no value */
	KIND_TEXT,		/* const char *, not copied */
	KIND_WORD,		/* const char *, one of the words */
	KIND_CHOICE,		/* unsigned, the index of the word */
	KIND_NUMBER,		/* unsigned of 1, 2, 4 or 8 bytes, and so are the next four */
	KIND_TIME,		/* ns */
	KIND_RATE,		/* bit/s */
	KIND_SIZE,		/* bytes */
	KIND_SHARE,		/* permille */
	KIND_LIST,		/* struct opt_list; may repeat */
	KIND_OTHER,		/* parsed by @take */
	KIND_GROUP,		/* no option, but the rows of @group, in a member at @offset */
	KIND_GONE,		/* refused; @help says what to use instead */
};

struct opt_list {
	const char **text;	/* to be freed; the texts are not copied */
	size_t count;
};

struct opt {
	const char *name;	/* "rate" of --rate; of an argument as in the usage, "DEV" */
	char letter;		/* 'r' of -r; 0: none */
	enum opt_kind kind;
	size_t offset, width;	/* of the member */
	bool positional;	/* an argument; a KIND_LIST takes all that are left */
	bool required;		/* the member must not stay zero */
	uint64_t without;	/* value of --name without =VALUE; 0: it needs a value */
	uint8_t bit;		/* set in the uint64_t at @given with the option; 0: none */
	size_t given;
	uint64_t min, max;	/* range of a number; max 0: the largest of the member's type */
	const char *const *words;	/* valid ones, ends with NULL; others: for the completion */
	const char *(*word_at)(size_t index);	/* instead of @words; NULL after the last */
	/* Of an argument: those offered after the first one, @first */
	const char *(*word_after)(const char *first, size_t index);
	const char *expected;	/* text for errors, instead of one made of kind and range */
	/* KIND_OTHER: NULL, or the form expected instead of @text */
	const char *(*take)(void *member, const char *text);
	const struct opt *group;
	const char *value;	/* name of the value in usage and help */
	const char *help;
};

/* A table ends with a row without a name. */
#define OPT_MEMBER(type, member) \
	.offset = offsetof(type, member), .width = sizeof(((type *)NULL)->member)
#define OPT_GROUP(type, member, rows) \
	{ "", .kind = KIND_GROUP, .offset = offsetof(type, member), .group = (rows) }
#define OPT_JSON(type) \
	{ "json", 'j', KIND_FLAG, OPT_MEMBER(type, json), .help = "print JSON" }

/* An iterator over the rows of a table and of its groups, in order */
struct opt_walk {
	const struct opt *next, *after_group;
	size_t base;			/* what offsets in the last row are relative to */
};
const struct opt *opt_next(struct opt_walk *walk);
bool opt_takes_value(const struct opt *opt);
/* The words of a row, from index 0; NULL after the last. */
const char *opt_word(const struct opt *opt, size_t index);

#define OPT_WHY 1024	/* bytes of a reason */

/*
 * Store what @text says in the member of @opt within @object. NULL, or the form expected instead,
 * which may be in @why.
 */
const char *opt_set(const struct opt *opt, void *object, const char *text, char why[OPT_WHY]);
/*
 * Store all of argv[1 ...] in @args. EXIT_OK; EXIT_USAGE or EXIT_IO with the reason in @why. Lists
 * must be freed, also after an error.
 */
int opt_take(int argc, char **argv, const struct opt *table, void *args, char why[OPT_WHY]);
/* The largest distance at which a word is suggested for @name */
unsigned int near_limit(const char *name);
/* "; did you mean '--rate'?", or "" when none is near */
const char *opt_did_you_mean(const struct opt *table, const char *name, char text[OPT_WHY]);

#endif
