/* SPDX-License-Identifier: GPL-2.0-only */
/* Can gates trust this node's CLOCK_TAI? What the kernel says of it, and who disciplines it. */
#ifndef LIQUID_NL_CLOCK_H
#define LIQUID_NL_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/timex.h>

struct clock_kernel {
	int32_t tai_offset;		/* s, TAI - UTC; 0: nobody has set it */
	bool synchronised;		/* no STA_UNSYNC */
	uint64_t max_error_ns;		/* grows by 500 ppm until somebody sets it anew */
	uint64_t estimate_ns;		/* of the error, by who disciplines the clock */
	int status;			/* STA_* */
};

enum clock_source_kind { CLOCK_SOURCE_NONE, CLOCK_SOURCE_PTP, CLOCK_SOURCE_CHRONY };

/* A time daemon that has answered. */
struct clock_source {
	enum clock_source_kind kind;
	bool locked;			/* it follows a reference */
	uint64_t error_ns;		/* its own measure; the text says of what */
	char text[256];
};

/* clock-kernel.c */
void clock_from_timex(const struct timex *timex, struct clock_kernel *clock);
/* 0 or -errno */
int clock_read_kernel(struct clock_kernel *clock);

/* clock-ptp.c: ptp4l over its UDS management socket; false: nobody answers there */
#define PTP_MESSAGE_MAX 256
size_t ptp_put_get(uint8_t *message, uint16_t id, uint16_t sequence);
/* The data of a response to that, or NULL. */
const uint8_t *ptp_take_response(const uint8_t *message, size_t length, uint16_t id,
				 uint16_t sequence, size_t *data_length);
bool clock_ask_ptp(const char *socket_path, struct clock_source *source);

/* clock-chrony.c: chronyd by `chronyc -c tracking`; false: nobody answers */
bool chrony_parse_tracking(const char *line, struct clock_source *source);
bool clock_ask_chrony(struct clock_source *source);

struct clock_report {
	struct clock_kernel kernel;
	struct clock_source source;
};
#define CLOCK_PTP_SOCKET "/var/run/ptp4l"
/* clock-judge.c: ask everyone; 0 or -errno */
int clock_read(const char *ptp_socket, struct clock_report *report);
/* The error that counts: the source's own where a locked one has answered, else the kernel's. */
uint64_t clock_error_ns(const struct clock_report *report);

#define CLOCK_FINDINGS_MAX 4
struct clock_findings {
	unsigned int count;
	char text[CLOCK_FINDINGS_MAX][384];	/* what is wrong, and how to mend it */
};
/* @max_error_ns 0: no bound. The clock is fit when nothing is found. */
void clock_judge(const struct clock_report *report, uint64_t max_error_ns,
		 struct clock_findings *findings);

#endif
