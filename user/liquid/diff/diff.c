// SPDX-License-Identifier: GPL-2.0-only
/* liquid diff: what two fabrics, two schedules or two files of JSON differ in. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "diff/diff.h"
#include "input/input.h"
#include "util/json.h"
#include "util/say.h"

struct diff_args {
	const char *from, *to;
	uint64_t top;
	bool json;
};

#define MEMBER(member) OPT_MEMBER(struct diff_args, member)

static const struct opt diff_opts[] = {
	{ "BEFORE", 0, KIND_TEXT, MEMBER(from), .positional = true, .required = true,
	  .help = "a fabric, a schedule, or what a command printed with --json" },
	{ "AFTER", 0, KIND_TEXT, MEMBER(to), .positional = true, .required = true,
	  .help = "another of the same kind" },
	{ "top", 0, KIND_NUMBER, MEMBER(top), .min = 1, .max = UINT32_MAX, .value = "N",
	  .help = "print the first N changes; 20 by default. JSON has all" },
	OPT_JSON(struct diff_args),
	{ 0 }
};

void diff_add(struct diff *diff, const char *what, const char *name, json_t *from, json_t *to)
{
	json_t *change = json_pack("{s:s, s:s*, s:o*, s:o*}", "what", what, "name", name,
				   "from", from, "to", to);

	diff->failed |= json_array_append_new(diff->changes, change) != 0;
}

/* ---- schedules ---- */

static void add_moved(void *context, const char *src, const char *dst, uint32_t from, uint32_t to)
{
	char name[2 * LIQUID_NAME_MAX + 2];

	snprintf(name, sizeof(name), "%s>%s", src, dst);
	diff_add(context, "frame", name, from == LIQUID_NONE ? NULL : json_integer(from),
		 to == LIQUID_NONE ? NULL : json_integer(to));
}

static void add_info(struct diff *diff, const struct liquid_schedule_info *from,
		     const struct liquid_schedule_info *to)
{
	const char *a = liquid_certificate_name(from->certificate);
	const char *b = liquid_certificate_name(to->certificate);

	if (from->length != to->length)
		diff_add(diff, "length", NULL, json_integer(from->length),
			 json_integer(to->length));
	if (from->lower_bound != to->lower_bound)
		diff_add(diff, "lower bound", NULL, json_integer(from->lower_bound),
			 json_integer(to->lower_bound));
	if (strcmp(a, b))
		diff_add(diff, "certificate", NULL, json_string(a), json_string(b));
	if (strcmp(from->fabric_digest, to->fabric_digest))
		diff_add(diff, "digest of the fabric", NULL, json_string(from->fabric_digest),
			 json_string(to->fabric_digest));
}

static int diff_schedules(struct diff *diff, const struct diff_args *args)
{
	struct liquid_schedule *from = NULL, *to = NULL;
	struct liquid_change change;
	struct liquid_error err;
	int status, code = read_schedule(args->from, NULL, &from);

	if (!code)
		code = read_schedule(args->to, NULL, &to);
	if (!code) {
		add_info(diff, liquid_schedule_info(from), liquid_schedule_info(to));
		status = liquid_schedule_compare(from, to, &change, add_moved, diff, &err);
		code = status ? complain_of(status, &err) : EXIT_OK;
	}
	liquid_schedule_free(to);
	liquid_schedule_free(from);
	return code;
}

static int diff_fabric_files(struct diff *diff, const struct diff_args *args)
{
	struct liquid_fabric *from = NULL, *to = NULL;
	int code = read_fabric(args->from, &from);

	if (!code)
		code = read_fabric(args->to, &to);
	if (!code)
		code = diff_fabrics(diff, from, to);
	liquid_fabric_free(to);
	liquid_fabric_free(from);
	return code;
}

/* ---- JSON ---- */

static void diff_values(struct diff *diff, const char *name, const json_t *from, const json_t *to);

/* The members, or elements, of both; @of: as "name.member" or "name[3]" */
static void diff_members(struct diff *diff, const char *name, const json_t *from,
			 const json_t *to)
{
	const char *key;
	const json_t *value;
	char at[1024];

	json_object_foreach((json_t *)from, key, value) {
		snprintf(at, sizeof(at), "%s%s%s", name, *name ? "." : "", key);
		diff_values(diff, at, value, json_object_get(to, key));
	}
	json_object_foreach((json_t *)to, key, value) {
		snprintf(at, sizeof(at), "%s%s%s", name, *name ? "." : "", key);
		if (!json_object_get(from, key))
			diff_values(diff, at, NULL, value);
	}
	for (size_t i = 0; i < json_array_size(from) || i < json_array_size(to); i++) {
		snprintf(at, sizeof(at), "%s[%zu]", name, i);
		diff_values(diff, at, json_array_get(from, i), json_array_get(to, i));
	}
}

static void diff_values(struct diff *diff, const char *name, const json_t *from, const json_t *to)
{
	if (from && to && json_equal(from, to))
		return;
	if (from && to && json_typeof(from) == json_typeof(to) &&
	    (json_is_object(from) || json_is_array(from)))
		diff_members(diff, name, from, to);
	else
		diff_add(diff, "value", name, json_incref((json_t *)from),
			 json_incref((json_t *)to));
}

/* ---- files ---- */

/* *@json: NULL if the file is another kind of text */
static int read_json(const char *path, json_t **json)
{
	json_error_t error = { 0 };
	char kind[32];
	FILE *in;
	long at;
	int first, code = open_input(path, &in);

	*json = NULL;
	if (code)
		return code;
	do
		first = getc(in);
	while (first == ' ' || first == '\t' || first == '\r' || first == '\n');
	if (first == '{') {
		ungetc(first, in);
		at = ftell(in);
		/* A schedule says first what it is: it is not read twice. */
		if (at >= 0 && fscanf(in, "{ \"format\" : \"%31[^\"]", kind) == 1 &&
		    !strcmp(kind, "liquid-schedule")) {
			*json = json_pack("{s:s}", "format", kind);
		} else {
			if (at >= 0)
				fseek(in, at, SEEK_SET);
			*json = json_loadf(in, JSON_REJECT_DUPLICATES, &error);
		}
		if (!*json)
			code = complain(EXIT_BAD_INPUT, "%s:%d: %s", path, error.line, error.text);
	}
	close_input(in);
	return code;
}

/* "" of a fabric */
static const char *kind_of(const json_t *json)
{
	const char *format = json_string_value(json_object_get(json, "format"));

	return !json ? "" : format ? format : "JSON";
}

static int compare(struct diff *diff, const struct diff_args *args, const char **kind,
		   const json_t *from, const json_t *to)
{
	*kind = kind_of(from);
	if (strcmp(*kind, kind_of(to)))
		return complain(EXIT_BAD_INPUT, "%s is %s and %s is %s: give two of one kind",
				args->from, **kind ? *kind : "a fabric", args->to,
				*kind_of(to) ? kind_of(to) : "a fabric");
	if (!**kind)
		*kind = "liquid-fabric";
	if (!from)
		return diff_fabric_files(diff, args);
	if (!strcmp(*kind, "liquid-schedule"))
		return diff_schedules(diff, args);
	diff_values(diff, "", from, to);
	return EXIT_OK;
}

/* ---- output ---- */

static void print_value(const json_t *value)
{
	char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);

	put_text("%s", text ? text : json_string_value(value));
	free(text);
}

static void print_change(const json_t *change)
{
	const char *name = json_string_value(json_object_get(change, "name"));
	const json_t *from = json_object_get(change, "from"), *to = json_object_get(change, "to");

	put_text("%c %s%s%s", !from ? '+' : !to ? '-' : ' ',
		 json_string_value(json_object_get(change, "what")), name ? " " : "",
		 name ? name : "");
	if (!json_is_true(from ? from : to)) {
		put_text(": ");
		if (from)
			print_value(from);
		if (from && to)
			put_text(" -> ");
		if (to)
			print_value(to);
	}
	put_text("\n");
}

static int print_changes(const struct diff_args *args, const char *kind, const json_t *changes)
{
	size_t count = json_array_size(changes), top = args->top ? args->top : 20;

	if (args->json)
		return print_json("liquid-diff", 1, json_pack("{s:s, s:b, s:O}", "kind", kind,
							     "same", !count, "changes",
							     changes));
	for (size_t i = 0; i < count && i < top; i++)
		print_change(json_array_get(changes, i));
	if (count > top)
		put_text("and %zu more (--top N, --json)\n", count - top);
	return EXIT_OK;
}

static int run_diff(int argc, char **argv)
{
	struct diff diff = { .changes = json_array() };
	json_t *from = NULL, *to = NULL;
	struct diff_args args = { 0 };
	const char *kind;
	int code = take_options(argc, argv, diff_opts, &args);

	if (!code && (!strcmp(args.from, "-") || !strcmp(args.to, "-")))
		code = usage_error("diff", "the files are read twice: neither can be stdin");
	if (!code)
		code = read_json(args.from, &from);
	if (!code)
		code = read_json(args.to, &to);
	if (!code)
		code = compare(&diff, &args, &kind, from, to);
	if (!code && diff.failed)
		code = no_memory();
	if (!code)
		code = print_changes(&args, kind, diff.changes);
	if (!code && json_array_size(diff.changes))
		code = EXIT_BAD_INPUT;
	json_decref(from);
	json_decref(to);
	json_decref(diff.changes);
	return code;
}

const struct command cmd_diff = {
	"diff", "what two fabrics, schedules or JSON outputs differ in", diff_opts, run_diff,
	NULL, NULL
};
