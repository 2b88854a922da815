// SPDX-License-Identifier: GPL-2.0-only
/* What holds up this node's frames: its clock, and processors that sleep */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "util/units.h"

/* ---- the clock ---- */

/* As the prologue: the time daemons are asked by root, and the rest by the keeper. */
void check_clock(struct doctor *doctor)
{
	const struct conf *conf = &doctor->job.conf;
	enum verdict verdict = conf->clock == CONF_REFUSE ? VERDICT_WRONG : VERDICT_WARN;
	char error[UNIT_TEXT], allowed[UNIT_TEXT];
	struct clock_findings found;
	struct clock_report report;
	int status;

	if (conf->clock == CONF_OFF) {
		find(doctor, VERDICT_UNCHECKED, "", "liquid.conf has `clock off`");
		return;
	}
	clock_open(&doctor->job.clock);
	if (!become_keeper(doctor, false))
		return;
	status = clock_read(&doctor->job.clock, &report);
	if (status) {
		find(doctor, verdict, "", "the clock cannot be read: %s", strerror(-status));
		return;
	}
	clock_judge(&report, conf->clock_error_ns, &found);
	for (unsigned int i = 0; i < found.count; i++)
		find(doctor, verdict, "see `liquid-nl clock`; key clock-error of "
		     "liquid.conf", "%s", found.text[i]);
	if (conf->tai_offset != CONF_TAI_KERNEL &&
	    (int64_t)conf->tai_offset != report.kernel.tai_offset)
		find(doctor, VERDICT_WRONG, "a grandmaster with the right utc_offset, current "
		     "leap seconds, or key tai-offset", "the kernel's TAI - UTC offset is %d s, "
		     "and liquid.conf has %" PRIu64 " s", report.kernel.tai_offset,
		     conf->tai_offset);
	if (!doctor->findings->count)
		find(doctor, VERDICT_OK, "", "its error is %s, and %s is allowed%s%s; TAI - UTC is "
		     "%d s: good if all nodes of a job have the same",
		     format_time(clock_error_ns(&report), error),
		     format_time(conf->clock_error_ns, allowed), *report.source.text ? ": " : "",
		     report.source.text, report.kernel.tai_offset);
	clock_close(&doctor->job.clock);
}

/* ---- processors ---- */

#define CPUS "/sys/devices/system/cpu/cpu[0-9]*/"

/* The first line of a file; false: it cannot be read. */
static bool read_line(const char *path, char *line, int size)
{
	FILE *in = fopen(path, "re");
	bool got = in && fgets(line, size, in);

	if (in)
		fclose(in);
	if (got)
		line[strcspn(line, "\n")] = '\0';
	return got;
}

static bool find_files(const char *pattern, glob_t *files)
{
	bool any = !glob(pattern, GLOB_NOSORT, NULL, files);

	if (!any)
		globfree(files);
	return any;
}

/* False: the kernel does not scale frequencies. */
static bool check_governors(struct doctor *doctor)
{
	unsigned int others = 0, all;
	char line[64], other[64];
	glob_t files;

	if (!find_files(CPUS "cpufreq/scaling_governor", &files))
		return false;
	all = (unsigned int)files.gl_pathc;
	for (size_t i = 0; i < all; i++)
		if (read_line(files.gl_pathv[i], line, sizeof(line)) &&
		    strcmp(line, "performance") && !others++)
			strcpy(other, line);
	globfree(&files);
	if (others)
		find(doctor, VERDICT_WARN, "`cpupower frequency-set -g performance`, or measure "
		     "(gates.rst, The guard)", "the frequency governor of %u of %u "
		     "processors is %s: the release lag varies", others, all, other);
	return true;
}

/* What programs have asked for by /dev/cpu_dma_latency, us; only root can read it. */
static uint64_t latency_limit_us(void)
{
	int fd = open("/dev/cpu_dma_latency", O_RDONLY | O_CLOEXEC);
	int32_t us;
	bool got = fd >= 0 && read(fd, &us, sizeof(us)) == sizeof(us) && us >= 0;

	if (fd >= 0)
		close(fd);
	return got ? (uint64_t)us : UINT64_MAX;
}

/* The exit latency of an idle state, us; 0 if it is disabled */
static uint64_t exit_latency_us(const char *latency_path)
{
	const char *end = strrchr(latency_path, '/');
	char path[256], line[64];

	snprintf(path, sizeof(path), "%.*s/disable", (int)(end - latency_path), latency_path);
	if ((read_line(path, line, sizeof(line)) && strcmp(line, "0")) ||
	    !read_line(latency_path, line, sizeof(line)))
		return 0;
	return strtoull(line, NULL, 10);
}

/* A sleeping processor opens its frames late by its time to wake up. */
#define SHARE 20

static bool check_idle(struct doctor *doctor)
{
	uint64_t limit = latency_limit_us(), deepest = 0;
	char wake[UNIT_TEXT], frame[UNIT_TEXT];
	glob_t files;

	if (!find_files(CPUS "cpuidle/state*/latency", &files))
		return false;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		uint64_t us = exit_latency_us(files.gl_pathv[i]);

		if (us <= limit && us > deepest)
			deepest = us;
	}
	globfree(&files);
	if (deepest * 1000 > doctor->job.conf.frame_ns / SHARE)
		find(doctor, VERDICT_WARN, "`cpupower idle-set -D`, `tuned-adm profile "
		     "network-latency`, or longer frames", "processors may sleep so deeply that "
		     "they take %s to wake up, and a frame is %s: frames begin late",
		     format_time(deepest * 1000, wake),
		     format_time(doctor->job.conf.frame_ns, frame));
	return true;
}

void check_processor(struct doctor *doctor)
{
	bool governors = check_governors(doctor), idle = check_idle(doctor);

	if (!governors && !idle)
		find(doctor, VERDICT_UNCHECKED, "", "the kernel shows nothing of frequencies and "
		     "idle states");
	else if (!doctor->findings->count)
		find(doctor, VERDICT_OK, "", "frequencies and idle states suit the frames");
}
