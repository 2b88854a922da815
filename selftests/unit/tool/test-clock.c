// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel, ptp4l and chronyd say of a clock, and what is made of it. */
#include <errno.h>
#include <linux/ptp_clock.h>
#include <string.h>

#include "clock/clock.h"
#include "tap.h"

static void check_kernel(void)
{
	struct timex timex = { .tai = 37, .status = STA_PLL, .maxerror = 1500, .esterror = 3 };
	struct clock_kernel clock;

	clock_from_timex(&timex, &clock);
	ok(clock.tai_offset == 37 && clock.synchronised && clock.max_error_ns == 1500000 &&
	   clock.estimate_ns == 3000, "a synchronised kernel, microseconds to nanoseconds");
	timex.status = STA_UNSYNC;
	timex.maxerror = -1;
	clock_from_timex(&timex, &clock);
	ok(!clock.synchronised && !clock.max_error_ns, "an unsynchronised one, a negative error");
}

/* A response to @id with @data_length bytes of data: a GET with another action. */
static size_t make_response(uint8_t *message, uint16_t id, size_t data_length)
{
	size_t length = ptp_put_get(message, id, 7);

	message[34 + 12] = 2;
	message[length - 3] = 2 + data_length;
	memset(message + length, 0x5a, data_length);
	return length + data_length;
}

static void check_ptp(void)
{
	uint8_t message[PTP_MESSAGE_MAX];
	size_t length = ptp_put_get(message, 0x2004, 7), got = 0;
	const uint8_t *data;

	ok(length == 54 && message[0] == 0x0d && message[3] == 54 && message[52] == 0x20 &&
	   message[53] == 0x04, "a request has its length and its id");
	ok(!ptp_take_response(message, length, 0x2004, 7, &got), "a request is not a response");
	length = make_response(message, 0x2004, 26);
	data = ptp_take_response(message, length, 0x2004, 7, &got);
	ok(data == message + 54 && got == 26, "a response is taken");
	ok(!ptp_take_response(message, length, 0x2004, 8, &got), "not one to an earlier request");
	ok(!ptp_take_response(message, length, 0xc000, 7, &got), "not one to another question");
	ok(!ptp_take_response(message, length - 1, 0x2004, 7, &got), "not one that is cut off");
	ok(!ptp_take_response(message, 10, 0x2004, 7, &got), "not one without a whole header");
	message[51] = 1;
	ok(!ptp_take_response(message, length, 0x2004, 7, &got),
	   "not one whose length is not a length");
}

static void check_chrony(void)
{
	struct clock_source source;

	ok(chrony_parse_tracking("0A000001,10.0.0.1,3,1795248158.63,0.000010000,0.0,0.0,0.000,"
				 "0.000,0.000,0.000020000,0.000030000,64.2,Normal\n", &source) &&
	   source.locked && source.error_ns == 50000, "offset + delay / 2 + dispersion");
	ok(chrony_parse_tracking("00000000,,0,0.0,-0.5,0,0,0,0,0,1,1,0,Not synchronised\n",
				 &source) && !source.locked && source.error_ns == 2000000000,
	   "not synchronised; a negative offset");
	ok(!chrony_parse_tracking("506 Cannot talk to daemon\n", &source), "an error message");
	ok(!chrony_parse_tracking("0A000001,n,3,1,nan,0,0,0,0,0,1,1,0,Normal\n", &source),
	   "no number");
	ok(!chrony_parse_tracking("", &source), "nothing");
}

static void check_verdict(void)
{
	struct clock_report report = {
		.kernel = { .tai_offset = 37, .synchronised = true, .max_error_ns = 5000 },
	};
	struct clock_findings findings;

	clock_judge(&report, 5000, &findings);
	ok(!findings.count, "a clock that is fit");
	clock_judge(&report, 4999, &findings);
	ok(findings.count == 1 && strstr(findings.text[0], "off by 5 us"), "one that may be off");
	report.source = (struct clock_source){
		.kind = CLOCK_SOURCE_PTP, .locked = true, .error_ns = 200,
	};
	ok(clock_error_ns(&report) == 200, "a source that is locked knows better than the kernel");
	report.source.locked = false;
	clock_judge(&report, 0, &findings);
	ok(clock_error_ns(&report) == 5000 && findings.count == 1, "one that is not does not");
	report.kernel.tai_offset = 0;
	report.kernel.synchronised = false;
	clock_judge(&report, 1, &findings);
	ok(findings.count == 3, "all that can be wrong is reported");
}

static void check_tai(void)
{
	struct clock_report report = {
		.kernel = { .synchronised = true, .max_error_ns = 5000 },
		.source = { .kind = CLOCK_SOURCE_CHRONY, .locked = true, .error_ns = 5000 },
	};
	struct clock_findings findings;
	char note[CLOCK_TEXT];

	clock_judge(&report, 5000, &findings);
	clock_note_tai(&report, note);
	ok(!findings.count && strstr(note, "a job gates if all of its nodes have 0"),
	   "an offset of 0 is not a fault of a node, but noted");
	ok(strstr(note, "`leapseclist /usr/share/zoneinfo/leap-seconds.list` (chrony") &&
	   strstr(note, "`leapsectz right/UTC` (older"),
	   "under chrony a line for its release sets another");
	report.source.kind = CLOCK_SOURCE_PTP;
	clock_judge(&report, 5000, &findings);
	clock_note_tai(&report, note);
	ok(!findings.count && strstr(note, "`phc2sys -a -r`"), "under PTP phc2sys does");
	report.source.error_ns = UINT64_C(37000000020);
	clock_judge(&report, 5000, &findings);
	ok(findings.count == 1 && strstr(findings.text[0], "offset is 0, and the adapter's clock"),
	   "an adapter that is whole seconds off has TAI: that is the fault");
	report.kernel.tai_offset = 37;
	clock_judge(&report, 5000, &findings);
	clock_note_tai(&report, note);
	ok(findings.count == 1 && strstr(findings.text[0], "off by 37") && !*note,
	   "with an offset it is off for another reason");
}

static bool has(const struct clock_findings *findings, const char *text)
{
	for (unsigned int i = 0; i < findings->count; i++)
		if (strstr(findings->text[i], text))
			return true;
	return false;
}

/* A ptp4l that is locked says nothing of who carries its time to the system's clock. */
static void check_setting(void)
{
	struct clock_report report = {
		.kernel = { .tai_offset = 37, .synchronised = true, .max_error_ns = 16000000 },
		.source = { .kind = CLOCK_SOURCE_PTP, .locked = true, .follows = true,
			    .error_ns = 20 },
	};
	struct clock_findings findings;

	clock_judge(&report, 1000, &findings);
	ok(!findings.count, "locked, and the system's clock was set 32 s ago: fit");
	report.kernel.max_error_ns = 16500000;
	clock_judge(&report, 1000, &findings);
	ok(findings.count == 1 && has(&findings, "the system clock has not been set for 33 s"),
	   "33 s ago: phc2sys is dead");
	report.source.follows = false;
	clock_judge(&report, 1000, &findings);
	ok(!findings.count, "a grandmaster's clock is set by no other");
	strcpy(report.source.unknown, "/dev/ptp0: Permission denied");
	clock_judge(&report, 1000, &findings);
	ok(findings.count == 1 && has(&findings, "/dev/ptp0: Permission denied"),
	   "an adapter's clock that cannot be compared is not taken for right");
}

static void check_port(void)
{
	uint8_t data[32] = { [10] = 9, [11] = 1, [12] = 4, [13] = 'e', [14] = 't', [15] = 'h',
			     [16] = '0' };
	struct ptp_port port;

	ok(ptp_parse_port(data, 17, &port) && port.state == 9 && port.hardware &&
	   !strcmp(port.device, "eth0"), "a port, its stamps and its device");
	ok(!ptp_parse_port(data, 16, &port), "not a name that is cut off");
	ok(!ptp_parse_port(data, 12, &port), "not one without a name");
	data[12] = 16;
	ok(!ptp_parse_port(data, 32, &port), "not one that is longer than a device's");
	data[12] = 4;
	data[11] = 0;
	ok(ptp_parse_port(data, 17, &port) && !port.hardware, "stamps of software");
}

static struct ptp_clock_time at(int64_t ns)
{
	return (struct ptp_clock_time){ .sec = ns / 1000000000, .nsec = ns % 1000000000 };
}

static void check_compare(void)
{
	const int64_t s = 1800000000000000000;
	struct ptp_sys_offset readings = {
		.n_samples = 3,
		.ts = { at(s), at(s + 37000000100), at(s + 900), at(s + 37000000500), at(s + 1001),
			at(s + 37000009000), at(s + 5000) },
	};
	struct clock_difference difference;

	ok(clock_phc_compare(&readings, &difference) && difference.ns == 36999999550 &&
	   difference.doubt_ns == 51,
	   "the closest pair of readings counts, by half of what is between them");
	readings.n_samples = 0;
	ok(!clock_phc_compare(&readings, &difference), "no reading, no difference");
	readings.n_samples = 1;
	readings.ts[2] = at(s - 1);
	ok(!clock_phc_compare(&readings, &difference),
	   "no difference is measured by a clock that was set back meanwhile");
	ok(clock_phc_read(-1, &difference) == -EBADF, "what is not a clock cannot be read");
}

int main(void)
{
	check_kernel();
	check_ptp();
	check_chrony();
	check_verdict();
	check_tai();
	check_setting();
	check_port();
	check_compare();
	return tap_exit();
}
