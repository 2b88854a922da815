// SPDX-License-Identifier: GPL-2.0-only
/* The child that answers for `liquid`: who it is, and what becomes of one that hangs or lies. */
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/ask.h"
#include "tap.h"
#include "util/command.h"

/* ---- messages that are passed on ---- */

static char said[4096];

int complain(int code, const char *format, ...)
{
	size_t used = strlen(said);
	va_list args;

	va_start(args, format);
	vsnprintf(said + used, sizeof(said) - used, format, args);
	va_end(args);
	return code;
}

int complain_of(int status, const struct liquid_error *err)
{
	return complain(status, "%s", err->text);
}

/* ---- a program in place of liquid, beside this one ---- */

static char stand_in[PATH_MAX];

/*
 * The stand-in is a script, so its user must reach it by its name: run a copy of this test, with
 * the directory as its argument, where all can. Returns only if that fails.
 */
static int run_copy(void)
{
	char directory[] = "/tmp/liquid-ask-XXXXXX";	/* mkdtemp() fills in its end */
	char copy[64], command[128];

	if (!mkdtemp(directory) || chmod(directory, 0755))
		return 1;
	snprintf(copy, sizeof(copy), "%s/test", directory);
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", (int)getpid(), copy);
	if (!system(command))
		execl(copy, copy, directory, NULL);
	return 1;
}

static void leave_place(const char *directory)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s/test", directory);
	unlink(copy);
	rmdir(directory);
}

static void put_program(const char *script)
{
	FILE *out = fopen(stand_in, "w");

	if (out) {
		fprintf(out, "#!/bin/sh\n%s\n", script);
		fclose(out);
	}
	chmod(stand_in, 0755);
}

static json_t *answer;

static int ask_it(const char *script, int64_t limit_ns, struct liquid_error *err)
{
	struct ask ask;
	int status;

	said[0] = '\0';
	json_decref(answer);
	put_program(script);
	ask_begin(&ask, "slice");
	ask_set_file(&ask, ask.question, "file", stand_in, "a file");
	ask.limit_ns = limit_ns;
	status = ask_answer(&ask, &answer, err);
	ask_end(&ask);
	return status;
}

static bool ask_fails(const char *script, int64_t limit_ns, const char *text)
{
	struct liquid_error err;
	int status = ask_it(script, limit_ns, &err);

	if (status && !answer && strstr(err.text, text))
		return true;
	printf("# status %d: %s\n", status, status ? err.text : "");
	return false;
}

#define SECOND INT64_C(1000000000)

/* What the shell itself can read: it may create no process. */
#define STATUS_LINE(name) "while read -r word value rest; do [ \"$word\" != " name ": ] || " \
		     "text=\"$value\"; done </proc/self/status; " \
		     "echo \"{\\\"text\\\": \\\"$text\\\"}\""

static const char *line_of(const char *script)
{
	struct liquid_error err;

	return ask_it(script, 60 * SECOND, &err) ? err.text[0] ? "failed" : "" :
	       json_string_value(json_object_get(answer, "text"));
}

static void check_child(void)
{
	const char *uids = geteuid() ? "" : "65534", *line;

	line = line_of(STATUS_LINE("Uid"));
	ok(*line && strstr(line, uids), "root's child is nobody: %s", line);
	ok(!strtoull(line_of(STATUS_LINE("CapEff")), NULL, 16) &&
	   !strtoull(line_of(STATUS_LINE("CapPrm")), NULL, 16), "it has no capabilities");
	ok(line_of(STATUS_LINE("NoNewPrivs"))[0] == '1', "it can gain none");
	line = line_of("set -- /proc/self/fd/*; n=0; for f; do [ ! -e $f ] || n=$((n + 1)); done; "
		       "echo \"{\\\"text\\\": \\\"$n\\\"}\"");
	/* The three, the file of the question, and what the shell reads the script from */
	ok(!strcmp(line, "5"), "its descriptors are those of the question: %s", line);
	line = line_of("echo \"{\\\"text\\\": \\\"$HOME\\\"}\"");
	ok(!*line, "it has no environment of the caller");
}

static void check_failures(void)
{
	struct liquid_error err;

	ok(ask_fails("echo 'liquid: no host h9' >&2; exit 1", 60 * SECOND, "no host h9"),
	   "its last message is the error");
	ok(ask_it("echo 'liquid: one' >&2; echo 'liquid: two' >&2; exit 4", 60 * SECOND, &err) ==
	   LIQUID_LIMIT && !strcmp(said, "one") && !strcmp(err.text, "two"),
	   "the others are passed on, with its exit code");
	ok(ask_fails("while :; do :; done", SECOND / 2, "has not answered in 0 s"),
	   "one that hangs is ended");
	ok(ask_fails("kill -9 $$", 60 * SECOND, "ended by signal 9"), "one that is killed");
	ok(ask_fails("exit 1", 60 * SECOND, "said nothing"), "one that fails silently");
	ok(ask_fails("echo hello", 60 * SECOND, "malformed answer"), "an answer that is not JSON");
	ok(ask_fails("echo '[]'", 60 * SECOND, "malformed answer"), "one that is not an object");
	ok(ask_fails("echo '{\"a\":1,\"a\":2}'", 60 * SECOND, "malformed answer"),
	   "one that says the same twice");
	unlink(stand_in);
	{
		struct ask ask;

		ask_begin(&ask, "slice");
		ok(ask_answer(&ask, &answer, &err) == LIQUID_IO &&
		   strstr(err.text, "the program `liquid` is needed with liquid-nl"),
		   "no program: %s", err.text);
		ask_end(&ask);
		ask_begin(&ask, "slice");
		ask_set_file(&ask, ask.question, "file", "/nonexistent", NULL);
		ok(ask_answer(&ask, &answer, &err) == LIQUID_IO &&
		   strstr(err.text, "/nonexistent: No such file"), "no file: nothing is run");
		ask_end(&ask);
	}
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return run_copy();
	snprintf(stand_in, sizeof(stand_in), "%s/liquid", argv[1]);
	check_child();
	check_failures();
	json_decref(answer);
	leave_place(argv[1]);
	return tap_exit();
}
