// SPDX-License-Identifier: GPL-2.0-only
/*
 * The difference between the clock of a network adapter (PHC) and the system clock
 *
 * ptp4l synchronises the PHC, and phc2sys the system clock to the PHC. phc2sys answers no
 * questions, so the two clocks are compared here.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/ptp_clock.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock/clock.h"

#define READINGS 9

/* The number of a device's PHC; -1: it has none, or with errno */
static int phc_of(const char *device)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };
	struct ifreq request = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), failed;

	if (fd < 0)
		return -1;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", device);
	request.ifr_data = (char *)&info;
	errno = ENODEV;
	failed = ioctl(fd, SIOCETHTOOL, &request);
	close(fd);
	return failed ? -1 : info.phc_index;
}

void clock_phc_open(struct clock_asker *asker, const char *device)
{
	int number = phc_of(device);

	if (number < 0)
		snprintf(asker->phc, sizeof(asker->phc), "the clock of %.15s", device);
	else
		snprintf(asker->phc, sizeof(asker->phc), "/dev/ptp%d", number);
	asker->phc_fd = number < 0 ? -1 : open(asker->phc, O_RDONLY | O_CLOEXEC);
	asker->phc_error = asker->phc_fd < 0 ? errno : 0;
}

void clock_phc_close(struct clock_asker *asker)
{
	if (asker->phc_fd >= 0)
		close(asker->phc_fd);
	asker->phc_fd = -1;
	asker->phc[0] = '\0';
}

static int64_t ns_of(const struct ptp_clock_time *time)
{
	return time->sec * INT64_C(1000000000) + time->nsec;
}

/* Each reading of the adapter's clock was taken between two readings of the system clock. */
bool clock_phc_compare(const struct ptp_sys_offset *readings, struct clock_difference *difference)
{
	int64_t least = INT64_MAX;

	for (unsigned int i = 0; i < readings->n_samples && i < PTP_MAX_SAMPLES; i++) {
		int64_t before = ns_of(&readings->ts[2 * i]);
		int64_t after = ns_of(&readings->ts[2 * i + 2]);

		if (after < before || after - before >= least)
			continue;
		least = after - before;
		*difference = (struct clock_difference){
			.ns = ns_of(&readings->ts[2 * i + 1]) - (before + least / 2),
			.doubt_ns = (uint64_t)(least + 1) / 2,
		};
	}
	return least != INT64_MAX;
}

int clock_phc_read(int phc_fd, struct clock_difference *difference)
{
	struct ptp_sys_offset_extended close_by = { .n_samples = READINGS };
	struct ptp_sys_offset readings = { .n_samples = READINGS };

	/* Most drivers read the two clocks closer together than the PTP core can. */
	if (!ioctl(phc_fd, PTP_SYS_OFFSET_EXTENDED, &close_by)) {
		readings.n_samples = 1;
		for (unsigned int i = 0; i < READINGS; i++) {
			struct clock_difference one;

			memcpy(readings.ts, close_by.ts[i], sizeof(close_by.ts[i]));
			if (clock_phc_compare(&readings, &one) &&
			    (!i || one.doubt_ns < difference->doubt_ns))
				*difference = one;
		}
		return 0;
	}
	if (ioctl(phc_fd, PTP_SYS_OFFSET, &readings))
		return -errno;
	return clock_phc_compare(&readings, difference) ? 0 : -ERANGE;
}
