/* SPDX-License-Identifier: GPL-2.0-only */
/* Can gates trust this node's CLOCK_TAI? The state of the kernel's clock and of time daemons. */
#ifndef LIQUID_NL_CLOCK_H
#define LIQUID_NL_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/timex.h>

struct clock_kernel {
	int32_t tai_offset;		/* TAI - UTC, s; 0: not set */
	bool synchronised;		/* STA_UNSYNC is not set */
	uint64_t max_error_ns;		/* bound of the error; grows by 500 ppm until set again */
	uint64_t estimate_ns;		/* the time daemon's estimate of the error */
	int status;			/* STA_* */
};

enum clock_source_kind { CLOCK_SOURCE_NONE, CLOCK_SOURCE_PTP, CLOCK_SOURCE_CHRONY };

/* The answer of a time daemon */
struct clock_source {
	enum clock_source_kind kind;
	bool locked;			/* synchronised to a reference */
	bool follows;			/* synchronised to another clock of the network */
	uint64_t error_ns;		/* error as the daemon measures it */
	char text[256];			/* state and error in words */
	char unknown[160];		/* why a part of the error is unknown, or "" */
};

/*
 * Descriptors that root opens before it changes its user: so a process that is no longer root can
 * judge the clock.
 */
struct clock_asker {
	const char *ptp_socket;
	int ptp_fd;			/* connected to ptp4l, or -1 */
	int phc_fd;			/* the hardware clock that ptp4l synchronises, or -1 */
	char phc[32];			/* its name; "": ptp4l synchronises the system clock */
	int phc_error;			/* errno of the failure to open it */
};
#define CLOCK_PTP_SOCKET "/var/run/ptp4l"
#define CLOCK_ASKER_CLOSED { .ptp_socket = CLOCK_PTP_SOCKET, .ptp_fd = -1, .phc_fd = -1 }

/* clock/kernel.c */
void clock_from_timex(const struct timex *timex, struct clock_kernel *clock);
/* 0 or -errno */
int clock_read_kernel(struct clock_kernel *clock);

/* clock/ptp.c: ptp4l over its management socket */
#define PTP_MESSAGE_MAX 256
size_t ptp_put_get(uint8_t *message, uint16_t id, uint16_t sequence);
/* The data of a response to such a message, or NULL */
const uint8_t *ptp_take_response(const uint8_t *message, size_t length, uint16_t id,
				 uint16_t sequence, size_t *data_length);
struct ptp_port {
	uint8_t state;			/* IEEE 1588, 8.2.5.3.1 */
	bool hardware;			/* time stamps are taken by the device */
	char device[16];
};
/* Parse the data of PORT_PROPERTIES_NP. */
bool ptp_parse_port(const uint8_t *data, size_t length, struct ptp_port *port);
void clock_ptp_open(struct clock_asker *asker);
void clock_ptp_close(struct clock_asker *asker);
/* False: ptp4l does not answer. */
bool clock_ask_ptp(struct clock_asker *asker, struct clock_source *source);

/* clock/phc.c: open the clock of a net device's adapter; a failure is in asker->phc_error. */
void clock_phc_open(struct clock_asker *asker, const char *device);
void clock_phc_close(struct clock_asker *asker);
struct ptp_sys_offset;
struct clock_difference {
	int64_t ns;			/* adapter's clock - CLOCK_REALTIME */
	uint64_t doubt_ns;		/* largest error of ns */
};
/* Use the closest pair of readings; false: there is none. */
bool clock_phc_compare(const struct ptp_sys_offset *readings, struct clock_difference *difference);
/* 0 or -errno */
int clock_phc_read(int phc_fd, struct clock_difference *difference);

/* clock/chrony.c: chronyd, by `chronyc -c tracking`; false: it does not answer. */
bool chrony_parse_tracking(const char *line, struct clock_source *source);
bool clock_ask_chrony(struct clock_source *source);

struct clock_report {
	struct clock_kernel kernel;
	struct clock_source source;
};
/* clock/judge.c: to be called as root, where that is possible; clock_close() closes. */
void clock_open(struct clock_asker *asker);
void clock_close(struct clock_asker *asker);
/* Ask the kernel and the time daemons; 0 or -errno */
int clock_read(struct clock_asker *asker, struct clock_report *report);
/* The error that counts: that of a locked source that has answered, else the kernel's bound. */
uint64_t clock_error_ns(const struct clock_report *report);

/* By then the kernel's bound of the error has grown for 32 s without a daemon that sets it. */
#define CLOCK_SILENCE_NS UINT64_C(16000000)
#define CLOCK_FINDINGS_MAX 6
#define CLOCK_TEXT 448
struct clock_findings {
	unsigned int count;
	char text[CLOCK_FINDINGS_MAX][CLOCK_TEXT];	/* problems, and how to fix them */
};
/* Without findings the clock is good enough for gates. @max_error_ns 0: any error is. */
void clock_judge(const struct clock_report *report, uint64_t max_error_ns,
		 struct clock_findings *findings);
/*
 * The meaning of an offset of 0, which one node cannot judge, and how to set another; "" for others
 */
void clock_note_tai(const struct clock_report *report, char note[CLOCK_TEXT]);

#endif
