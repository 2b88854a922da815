// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock of a job's gates: judged before a round, and at each renewal of their lease
 *
 * CLOCK_TAI - CLOCK_BOOTTIME is constant while a clock is only slewed, also over a leap second and
 * a suspend. So a change of it is a step, or another TAI - UTC offset: the frames of this node are
 * then different from all other nodes'.
 */
#include <stdlib.h>
#include <string.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "job/job.h"
#include "util/say.h"
#include "util/units.h"

#define READINGS 5		/* one of them is hardly interrupted */

static int64_t tai_since_boot(void)
{
	int64_t best = INT64_MAX, since = 0;

	for (int i = 0; i < READINGS; i++) {
		int64_t before = clock_ns(CLOCK_BOOTTIME), tai = clock_ns(CLOCK_TAI);
		int64_t took = clock_ns(CLOCK_BOOTTIME) - before;

		if (took < best) {
			best = took;
			since = tai - before - took / 2;
		}
	}
	return since;
}

/* Without a report, @findings has why there is none. */
static bool judge(struct job_args *args, uint64_t more_ns, struct clock_report *report,
		  struct clock_findings *findings)
{
	if (clock_read(&args->clock, report)) {
		*findings = (struct clock_findings){ .count = 1 };
		strcpy(findings->text[0], "the clock cannot be read");
		return false;
	}
	/* A daemon that was started anew is out of reach, and yet may set the clock. */
	if (report->source.kind != CLOCK_SOURCE_NONE || !args->run.clock.answered)
		more_ns = 0;
	clock_judge(report, args->conf.clock_error_ns + more_ns, findings);
	return true;
}

/* The offset of this node's kernel, which must be that of liquid.conf if it states one */
static int read_tai(const struct job_args *args, struct job_clock *clock)
{
	uint64_t stated = args->conf.tai_offset;
	struct clock_kernel kernel;

	if (clock_read_kernel(&kernel))
		return complain(EXIT_REFUSED, "the clock cannot be read");
	*clock = (struct job_clock){ .tai_offset = kernel.tai_offset };
	if (stated == CONF_TAI_KERNEL || (int64_t)stated == kernel.tai_offset)
		return EXIT_OK;
	return complain(EXIT_BAD_INPUT, "the kernel's TAI - UTC offset is %d s, and `tai-offset` "
			"of %s is %d s: `liquid-nl clock` says what sets it", kernel.tai_offset,
			args->conf_path, (int)stated);
}

int job_clock_check(struct job_args *args, struct job_clock *clock)
{
	struct clock_findings findings;
	struct clock_report report;
	int code = read_tai(args, clock);

	if (code || args->conf.clock == CONF_OFF)
		return code;
	if (judge(args, 0, &report, &findings))
		*clock = (struct job_clock){
			.known = true, .tai_ns = tai_since_boot(),
			.tai_offset = report.kernel.tai_offset,
			.answered = report.source.kind != CLOCK_SOURCE_NONE,
		};
	for (unsigned int i = 0; i < findings.count; i++)
		complain(0, "%s", findings.text[i]);
	if (!clock->known)
		return EXIT_REFUSED;
	return findings.count && args->conf.clock == CONF_REFUSE ? EXIT_BAD_INPUT : EXIT_OK;
}

/* By more than two errors: of the clock before and of the clock now */
static bool has_moved(const struct job_args *args, int64_t *by_ns)
{
	*by_ns = tai_since_boot() - args->run.clock.tai_ns;
	return (uint64_t)llabs(*by_ns) > 2 * args->conf.clock_error_ns;
}

static void tell_moved(const struct job_clock *clock, int64_t by_ns, char *text, size_t size)
{
	struct clock_kernel now = { .tai_offset = clock->tai_offset };
	char by[UNIT_TEXT];

	clock_read_kernel(&now);
	if (now.tai_offset != clock->tai_offset)
		snprintf(text, size, "the kernel's TAI - UTC offset was %d s, and is %d s now",
			 clock->tai_offset, now.tai_offset);
	else
		snprintf(text, size, "the clock was stepped by %s%s", by_ns < 0 ? "-" : "",
			 format_time((uint64_t)llabs(by_ns), by));
}

/*
 * A daemon may be between two sources at one look, so it takes two that a clock is not fit for
 * gates. A clock that has moved is wrong at once.
 */
bool job_clock_holds(struct job_args *args, char *text, size_t size)
{
	struct job_clock *clock = &args->run.clock;
	struct clock_findings findings;
	struct clock_report report;
	int64_t by_ns;

	if (!clock->known)
		return true;
	if (has_moved(args, &by_ns)) {
		tell_moved(clock, by_ns, text, size);
		return false;
	}
	if (args->conf.clock != CONF_REFUSE)
		return true;
	judge(args, CLOCK_SILENCE_NS, &report, &findings);
	clock->unfit = findings.count ? clock->unfit + 1 : 0;
	snprintf(text, size, "%s", findings.text[0]);
	return clock->unfit < 2;
}
