// SPDX-License-Identifier: GPL-2.0-only
/* Is the clock good enough for gates, and if not, how to fix it? */
#include <stdarg.h>
#include <stdio.h>

#include "clock/clock.h"
#include "util/units.h"

/* Asking opens all descriptors that can be opened. */
void clock_open(struct clock_asker *asker)
{
	struct clock_source source;

	clock_ask_ptp(asker, &source);
}

void clock_close(struct clock_asker *asker)
{
	clock_ptp_close(asker);
	clock_phc_close(asker);
}

int clock_read(struct clock_asker *asker, struct clock_report *report)
{
	int status;

	*report = (struct clock_report){ 0 };
	status = clock_read_kernel(&report->kernel);
	if (status)
		return status;
	if (!clock_ask_ptp(asker, &report->source))
		clock_ask_chrony(&report->source);
	return 0;
}

uint64_t clock_error_ns(const struct clock_report *report)
{
	if (report->source.kind != CLOCK_SOURCE_NONE && report->source.locked)
		return report->source.error_ns;
	return report->kernel.max_error_ns;
}

__attribute__((format(printf, 2, 3)))
static void find(struct clock_findings *findings, const char *format, ...)
{
	va_list args;

	if (findings->count == CLOCK_FINDINGS_MAX)
		return;
	va_start(args, format);
	vsnprintf(findings->text[findings->count++], sizeof(findings->text[0]), format, args);
	va_end(args);
}

/* Older releases of chrony refuse the first line; newer ones of tzdata lack the second's file. */
#define LEAP_LINES \
	"`leapseclist /usr/share/zoneinfo/leap-seconds.list` (chrony >= 4.6) or " \
	"`leapsectz right/UTC` (older; its file is in tzdata-legacy where tzdata lacks it)"

static const char *tai_setter(enum clock_source_kind kind)
{
	switch (kind) {
	case CLOCK_SOURCE_PTP:
		return "`phc2sys -a -r` (or -w) sets it from the grandmaster, which must announce "
		       "a valid one (utc_offset)";
	case CLOCK_SOURCE_CHRONY:
		return "chronyd sets it with " LEAP_LINES " in chrony.conf";
	default:
		return "ptp4l with `phc2sys -w` sets it, or chronyd with " LEAP_LINES;
	}
}

void clock_note_tai(const struct clock_report *report, char note[CLOCK_TEXT])
{
	*note = '\0';
	if (!report->kernel.tai_offset)
		snprintf(note, CLOCK_TEXT, "the kernel's TAI - UTC offset is 0: a job gates if all "
			 "of its nodes have 0, and `push` needs --tai-offset 0; to have 37: %s",
			 tai_setter(report->source.kind));
}

/* PTP knows the offset: without it, CLOCK_TAI is whole seconds off the adapter's clock. */
static bool lacks_tai(const struct clock_report *report, struct clock_findings *findings)
{
	if (report->kernel.tai_offset || report->source.kind != CLOCK_SOURCE_PTP ||
	    report->source.error_ns < UINT64_C(1000000000))
		return false;
	find(findings, "the kernel's TAI - UTC offset is 0, and the adapter's clock has TAI: %s",
	     tai_setter(CLOCK_SOURCE_PTP));
	return true;
}

static void judge_sync(const struct clock_report *report, struct clock_findings *findings)
{
	if (report->kernel.synchronised)
		return;
	if (report->source.kind == CLOCK_SOURCE_PTP)
		find(findings, "the kernel's clock is not synchronised (STA_UNSYNC) although ptp4l "
		     "runs: phc2sys carries its time to the system clock (`phc2sys -a -r`)");
	else
		find(findings, "the kernel's clock is not synchronised (STA_UNSYNC): no daemon has "
		     "disciplined it since it started or was stepped; run chronyd, or ptp4l with "
		     "phc2sys (and `rtcsync` in chrony.conf)");
}

static void judge_source(const struct clock_report *report, struct clock_findings *findings)
{
	if (report->source.kind == CLOCK_SOURCE_NONE || report->source.locked)
		return;
	find(findings, "no reference: %s; see `%s`", report->source.text,
	     report->source.kind == CLOCK_SOURCE_PTP ? "pmc -u -b 0 'GET PORT_DATA_SET'" :
	     "chronyc sources");
}

/*
 * A daemon that sets the kernel's clock also sets the bound of its error to 0. From then on the
 * bound grows by 500 us per second. So it shows how long ago the clock was last set, even by
 * phc2sys, which answers no questions.
 */
#define GROWTH_NS 500000

static void judge_setting(const struct clock_report *report, struct clock_findings *findings)
{
	if (report->source.kind != CLOCK_SOURCE_PTP)
		return;
	if (*report->source.unknown)
		find(findings, "cannot measure how far the system clock is from the adapter's, "
		     "which ptp4l keeps: %s (as root?)", report->source.unknown);
	if (report->source.follows && report->kernel.synchronised &&
	    report->kernel.max_error_ns > CLOCK_SILENCE_NS)
		find(findings, "the system clock has not been set for %llu s although ptp4l runs: "
		     "phc2sys carries its time there (`phc2sys -a -r`)",
		     (unsigned long long)report->kernel.max_error_ns / GROWTH_NS);
}

void clock_judge(const struct clock_report *report, uint64_t max_error_ns,
		 struct clock_findings *findings)
{
	uint64_t error = clock_error_ns(report);
	char found[UNIT_TEXT], allowed[UNIT_TEXT];

	*findings = (struct clock_findings){ 0 };
	judge_sync(report, findings);
	judge_source(report, findings);
	judge_setting(report, findings);
	if (!lacks_tai(report, findings) && max_error_ns && error > max_error_ns)
		find(findings, "the clock may be off by %s, and %s is allowed: wait until it has "
		     "settled, use PTP with hardware stamps, or allow more and lengthen the guard "
		     "by twice as much", format_time(error, found),
		     format_time(max_error_ns, allowed));
}
