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
	bool follows;			/* another clock of the network, so somebody must set the kernel's */
	uint64_t error_ns;		/* its own measure; the text says of what */
	char text[256];
	char unknown[160];		/* what of its error could not be found out; "": all is known */
};

/*
 * What root may open, and whoever it becomes later may go on to use: so the clock can be judged by a
 * process that is no longer root.
 */
struct clock_asker {
	const char *ptp_socket;
	int ptp_fd;			/* connected to ptp4l, or -1 */
	int phc_fd;			/* the hardware clock that ptp4l keeps, or -1 */
	char phc[32];			/* its name; "": ptp4l keeps the system's clock */
	int phc_error;			/* errno of opening it */
};
#define CLOCK_PTP_SOCKET "/var/run/ptp4l"
#define CLOCK_ASKER_CLOSED { .ptp_socket = CLOCK_PTP_SOCKET, .ptp_fd = -1, .phc_fd = -1 }

/* clock-kernel.c */
void clock_from_timex(const struct timex *timex, struct clock_kernel *clock);
/* 0 or -errno */
int clock_read_kernel(struct clock_kernel *clock);

/* clock-ptp.c: ptp4l over its management socket */
#define PTP_MESSAGE_MAX 256
size_t ptp_put_get(uint8_t *message, uint16_t id, uint16_t sequence);
/* The data of a response to that, or NULL. */
const uint8_t *ptp_take_response(const uint8_t *message, size_t length, uint16_t id,
				 uint16_t sequence, size_t *data_length);
struct ptp_port {
	uint8_t state;			/* IEEE 1588, 8.2.5.3.1 */
	bool hardware;			/* it is stamped by a clock of the device */
	char device[16];
};
/* Of PORT_PROPERTIES_NP */
bool ptp_parse_port(const uint8_t *data, size_t length, struct ptp_port *port);
void clock_ptp_open(struct clock_asker *asker);
void clock_ptp_close(struct clock_asker *asker);
/* false: nobody answers there */
bool clock_ask_ptp(struct clock_asker *asker, struct clock_source *source);

/* clock-phc.c: the clock of a network adapter. Opened for a net device, or asker->phc_error says why not. */
void clock_phc_open(struct clock_asker *asker, const char *device);
void clock_phc_close(struct clock_asker *asker);
struct ptp_sys_offset;
struct clock_difference {
	int64_t ns;			/* the adapter's clock - CLOCK_REALTIME */
	uint64_t doubt_ns;		/* by at most as much it is another */
};
/* By the closest pair of readings; false: there is none */
bool clock_phc_compare(const struct ptp_sys_offset *readings, struct clock_difference *difference);
/* 0 or -errno */
int clock_phc_read(int phc_fd, struct clock_difference *difference);

/* clock-chrony.c: chronyd by `chronyc -c tracking`; false: nobody answers */
bool chrony_parse_tracking(const char *line, struct clock_source *source);
bool clock_ask_chrony(struct clock_source *source);

struct clock_report {
	struct clock_kernel kernel;
	struct clock_source source;
};
/* clock-judge.c: as who may open what is there to ask; clock_close() closes it. */
void clock_open(struct clock_asker *asker);
void clock_close(struct clock_asker *asker);
/* Ask everyone; 0 or -errno */
int clock_read(struct clock_asker *asker, struct clock_report *report);
/* The error that counts: the source's own where a locked one has answered, else the kernel's. */
uint64_t clock_error_ns(const struct clock_report *report);

#define CLOCK_FINDINGS_MAX 6
struct clock_findings {
	unsigned int count;
	char text[CLOCK_FINDINGS_MAX][384];	/* what is wrong, and how to mend it */
};
/* @max_error_ns 0: no bound. The clock is fit when nothing is found. */
void clock_judge(const struct clock_report *report, uint64_t max_error_ns,
		 struct clock_findings *findings);

#endif
