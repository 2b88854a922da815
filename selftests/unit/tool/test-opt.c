// SPDX-License-Identifier: GPL-2.0-only
/* Unit tests: options from a table, each kind with good and bad values, and near misses. */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "util/command.h"
#include "util/opt.h"

struct inner {
	uint64_t present;
	uint32_t share;
};

struct args {
	const char *dev, *text, *word;
	bool flag, mark;
	uint32_t choice;
	uint8_t small;
	uint16_t port;
	uint32_t count;
	uint64_t big, time, rate, size, watch, other;
	struct inner inner;
	struct opt_list list, rest;
};

static const char *const words[] = { "one", "two", "three", NULL };

static const char *take_even(void *member, const char *text)
{
	uint64_t value = strtoull(text, NULL, 10);

	*(uint64_t *)member = value;
	return value % 2 ? "an even number" : NULL;
}

static const struct opt inner_opts[] = {
	{ "share", 0, KIND_SHARE, OPT_MEMBER(struct inner, share), .max = 1000, .bit = 3,
	  .given = offsetof(struct inner, present), .help = "x" },
	{ 0 }
};

#define MEMBER(member) OPT_MEMBER(struct args, member)

static const struct opt table[] = {
	{ "DEV", 0, KIND_TEXT, MEMBER(dev), .positional = true, .required = true },
	{ "REST", 0, KIND_LIST, MEMBER(rest), .positional = true },
	{ "text", 't', KIND_TEXT, MEMBER(text) },
	{ "word", 0, KIND_WORD, MEMBER(word), .words = words },
	{ "flag", 'f', KIND_FLAG, MEMBER(flag) },
	{ "mark", 0, KIND_FLAG, MEMBER(mark) },
	{ "no-mark", 0, KIND_UNFLAG, MEMBER(mark) },
	{ "choice", 0, KIND_CHOICE, MEMBER(choice), .words = words },
	{ "small", 0, KIND_NUMBER, MEMBER(small) },
	{ "port", 0, KIND_NUMBER, MEMBER(port), .min = 1 },
	{ "count", 'c', KIND_NUMBER, MEMBER(count), .min = 2, .max = 64 },
	{ "big", 0, KIND_NUMBER, MEMBER(big) },
	OPT_GROUP(struct args, inner, inner_opts),
	{ "time", 0, KIND_TIME, MEMBER(time), .min = 10000, .max = 10000000000 },
	{ "rate", 0, KIND_RATE, MEMBER(rate), .max = 10000000000000 },
	{ "size", 0, KIND_SIZE, MEMBER(size), .min = 1 },
	{ "watch", 0, KIND_TIME, MEMBER(watch), .without = 7 },
	{ "even", 0, KIND_OTHER, MEMBER(other), .take = take_even },
	{ "list", 0, KIND_LIST, MEMBER(list) },
	{ "old", 0, KIND_GONE, .help = "now --text" },
	{ 0 }
};

static struct args args;
static char why[OPT_WHY];

/* The words of @line, parted by spaces, after the command's name */
static int take(const char *line)
{
	static char copy[256], *argv[32];
	int argc = 1;

	free(args.list.text);
	free(args.rest.text);
	args = (struct args){ .mark = true };
	why[0] = 0;
	snprintf(copy, sizeof(copy), "%s", line);
	argv[0] = copy + sizeof(copy) - 1;
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	return opt_take(argc, argv, table, &args, why);
}

/* It is taken, and the condition holds. */
#define taken(line, condition) \
	ok(take(line) == EXIT_OK && (condition), "taken: %s%s%s", line, *why ? ": " : "", why)

static void refused(const char *line, const char *expected)
{
	int code = take(line);

	if (!ok(code == EXIT_USAGE && !strcmp(why, expected), "refused: %s", line))
		printf("# '%s' and not '%s'\n", why, expected);
}

static void test_kinds(void)
{
	taken("d", !strcmp(args.dev, "d") && !args.text && args.mark);
	taken("d --text x", !strcmp(args.text, "x"));
	taken("d --text=", !strcmp(args.text, ""));
	taken("d --word two", args.word == words[1]);
	refused("d --word four", "--word: expected one, two or three, got 'four'");
	taken("d --flag --no-mark", args.flag && !args.mark);
	refused("d --flag=1", "--flag takes no value");
	taken("d --choice three", args.choice == 2);
	refused("d --choice x", "--choice: expected one, two or three, got 'x'");
	taken("d --even 4", args.other == 4);
	refused("d --even 5", "--even: expected an even number, got '5'");
	taken("d --list a --list b", args.list.count == 2 && !strcmp(args.list.text[1], "b"));
	refused("d --old 3", "--old: now --text");
}

static void test_numbers(void)
{
	taken("d --small 255", args.small == 255 && !args.port);
	refused("d --small 256", "--small: expected a number, got '256'");
	taken("d --port 0xffff", args.port == 65535);
	refused("d --port 65536", "--port: expected a number, at least 1, got '65536'");
	refused("d --port 0", "--port: expected a number, at least 1, got '0'");
	taken("d --count 2", args.count == 2);
	taken("d --count 64", args.count == 64);
	refused("d --count 1", "--count: expected a number from 2 to 64, got '1'");
	refused("d --count 65", "--count: expected a number from 2 to 64, got '65'");
	refused("d --count 3x", "--count: expected a number from 2 to 64, got '3x'");
	taken("d --big 18446744073709551615", args.big == UINT64_MAX);
	refused("d --big 18446744073709551616",
		"--big: expected a number, got '18446744073709551616'");
	refused("d --big -1", "--big: expected a number, got '-1'");
}

static void test_units(void)
{
	taken("d --time 10us", args.time == 10000);
	taken("d --time 10s", args.time == 10000000000);
	refused("d --time 9999", "--time: expected a time from 10us to 10s, got '9999'");
	refused("d --time 10000000001",
		"--time: expected a time from 10us to 10s, got '10000000001'");
	refused("d --time soon", "--time: expected a time from 10us to 10s, got 'soon'");
	taken("d --rate 10T", args.rate == 10000000000000);
	refused("d --rate 10001G", "--rate: expected a rate up to 10T, got '10001G'");
	taken("d --size 64Ki", args.size == 65536);
	refused("d --size 0", "--size: expected a size such as 64Ki, got '0'");
	taken("d --share 2.5%", args.inner.share == 25 && args.inner.present == 8);
	taken("d --share 100%", args.inner.share == 1000);
	refused("d --share 101%", "--share: expected a share up to 100%, got '101%'");
	taken("d --watch", args.watch == 7);
	taken("d --watch=2s", args.watch == 2000000000 && !args.rest.count);
	taken("d --watch 2s", args.watch == 7 && args.rest.count == 1);
	refused("d --watch=x", "--watch: expected a time such as 10us, got 'x'");
}

static void test_words(void)
{
	taken("--text x d", !strcmp(args.dev, "d"));
	taken("d a --flag b", args.flag && args.rest.count == 2 && !strcmp(args.rest.text[1], "b"));
	taken("-- --flag", !args.flag && !strcmp(args.dev, "--flag"));
	taken("-", !strcmp(args.dev, "-"));
	taken("d --te x", !strcmp(args.text, "x"));
	taken("d --text 1 --text 2", !strcmp(args.text, "2"));
	taken("d -ft x", args.flag && !strcmp(args.text, "x"));
	taken("d -tx", !strcmp(args.text, "x"));
	refused("", "missing DEV");
	refused("d --s 3", "'--s' is ambiguous: '--share' or '--size'?");
	refused("d --text", "--text needs a value");
	refused("d -t", "-t needs a value");
	refused("d -fx", "unknown option '-x'");
}

static void test_near(void)
{
	refused("d --flga", "unknown option '--flga'; did you mean '--flag'?");
	refused("d --tmie=3", "unknown option '--tmie'; did you mean '--time'?");
	refused("d --rates 3", "unknown option '--rates'; did you mean '--rate'?");
	refused("d --frobnicate", "unknown option '--frobnicate'");
	refused("d --olf", "unknown option '--olf'");
	refused("d --DEV", "unknown option '--DEV'");
}

int main(void)
{
	test_kinds();
	test_numbers();
	test_units();
	test_words();
	test_near();
	free(args.list.text);
	free(args.rest.text);
	return tap_exit();
}
