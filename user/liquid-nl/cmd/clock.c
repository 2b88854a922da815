// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl clock: is this node's clock good enough for gates? */
#include <errno.h>
#include <string.h>

#include "clock/clock.h"
#include "cmd/cmd.h"
#include "show/print.h"
#include "util/say.h"
#include "util/units.h"

struct clock_args {
	uint64_t max_error_ns;
	struct clock_asker asker;
	bool json;
};

#define MEMBER(member) OPT_MEMBER(struct clock_args, member)

static const struct opt clock_opts[] = {
	{ "max-error", 0, KIND_TIME, MEMBER(max_error_ns), .min = 1, .value = "TIME",
	  .help = "largest error that is fit for gates" },
	{ "ptp-socket", 0, KIND_TEXT, MEMBER(asker.ptp_socket), .value = "PATH",
	  .help = "of ptp4l; by default /var/run/ptp4l" },
	OPT_JSON(struct clock_args),
	{ 0 }
};

static const char *source_name(const struct clock_source *source)
{
	static const char *const names[] = { "none", "ptp4l", "chrony" };

	return names[source->kind];
}

static json_t *findings_json(const struct clock_findings *findings)
{
	json_t *array = json_array();

	for (unsigned int i = 0; array && i < findings->count; i++)
		if (json_array_append_new(array, json_string(findings->text[i]))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *source_json(const struct clock_source *source)
{
	if (source->kind == CLOCK_SOURCE_NONE)
		return json_null();
	return json_pack("{s:s, s:b, s:I, s:s}", "name", source_name(source), "locked",
			 source->locked, "error_ns", (json_int_t)source->error_ns, "text",
			 source->text);
}

static int print_as_json(const struct clock_report *report, const struct clock_findings *findings,
			 const char *note)
{
	const struct clock_kernel *kernel = &report->kernel;

	return print_json("liquid-clock", 1,
			  json_pack("{s:b, s:i, s:b, s:I, s:I, s:i, s:I, s:o, s:o, s:s*}",
				    "fit", !findings->count, "tai_offset", kernel->tai_offset,
				    "synchronised", kernel->synchronised,
				    "max_error_ns", (json_int_t)kernel->max_error_ns,
				    "estimate_ns", (json_int_t)kernel->estimate_ns,
				    "status", kernel->status,
				    "error_ns", (json_int_t)clock_error_ns(report),
				    "source", source_json(&report->source),
				    "findings", findings_json(findings),
				    "note", *note ? note : NULL));
}

static void print_as_text(const struct clock_report *report, const struct clock_findings *findings)
{
	const struct clock_kernel *kernel = &report->kernel;
	char most[UNIT_TEXT], guess[UNIT_TEXT], error[UNIT_TEXT];

	put_text("%-12s TAI - UTC %d s, %s, error at most %s, estimated %s\n", "kernel",
		 kernel->tai_offset, kernel->synchronised ? "synchronised" : "not synchronised",
		 format_time(kernel->max_error_ns, most), format_time(kernel->estimate_ns, guess));
	put_text("%-12s %s\n", "source", report->source.kind == CLOCK_SOURCE_NONE ?
		 "neither ptp4l nor chronyd answers" : report->source.text);
	put_text("%-12s %s, as %s says\n", "error", format_time(clock_error_ns(report), error),
		 report->source.locked ? source_name(&report->source) : "the kernel");
	put_text("%-12s %s\n", "verdict", findings->count ? "not fit for gates" : "fit for gates");
}

static int run_clock(int argc, char **argv)
{
	struct clock_args args = { .asker = CLOCK_ASKER_CLOSED };
	struct clock_findings findings;
	struct clock_report report;
	char note[CLOCK_TEXT];
	int status, code = take_options(argc, argv, clock_opts, &args);

	if (code)
		return code;
	status = clock_read(&args.asker, &report);
	clock_close(&args.asker);
	if (status)
		return complain(EXIT_REFUSED, "the clock cannot be read: %s", strerror(-status));
	clock_judge(&report, args.max_error_ns, &findings);
	clock_note_tai(&report, note);
	if (args.json) {
		code = print_as_json(&report, &findings, note);
	} else {
		print_as_text(&report, &findings);
		fflush(stdout);
	}
	for (unsigned int i = 0; i < findings.count; i++)
		complain(0, "%s", findings.text[i]);
	if (*note)
		complain(0, "note: %s", note);
	return code ? code : findings.count ? EXIT_BAD_INPUT : EXIT_OK;
}

const struct command cmd_clock = {
	"clock", "is this node's clock fit for gates?", clock_opts, run_clock, NULL, NULL
};
