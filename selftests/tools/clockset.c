// SPDX-License-Identifier: GPL-2.0-only
/*
 * clockset: what an operator or a time daemon does to the clock
 *
 *	clockset step SECONDS		CLOCK_REALTIME (and CLOCK_TAI with it) jumps
 *	clockset tai SECONDS		sets the TAI - UTC offset
 *	clockset sync USEC		claims that the clock is synchronised, off by USEC at most
 *	clockset until TAI_NS		sleeps until CLOCK_TAI says so
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>

static int step(long seconds)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += seconds;
	return clock_settime(CLOCK_REALTIME, &now);
}

static int set_tai(long seconds)
{
	struct timex request = { .modes = ADJ_TAI, .constant = seconds };

	return adjtimex(&request) < 0 ? -1 : 0;
}

static int set_sync(long error)
{
	struct timex request = { .modes = ADJ_STATUS | ADJ_MAXERROR | ADJ_ESTERROR,
				 .maxerror = error, .esterror = error };

	return adjtimex(&request) < 0 ? -1 : 0;
}

/* clock_nanosleep() knows no CLOCK_TAI everywhere: reckon the way on CLOCK_MONOTONIC. */
static int sleep_until(int64_t tai_ns)
{
	struct timespec now, rest;
	int64_t left;

	clock_gettime(CLOCK_TAI, &now);
	left = tai_ns - (now.tv_sec * 1000000000LL + now.tv_nsec);
	if (left <= 0)
		return 0;
	rest = (struct timespec){ left / 1000000000, left % 1000000000 };
	return clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, NULL) ? -1 : 0;
}

int main(int argc, char **argv)
{
	int error = -1;

	errno = EINVAL;
	if (argc == 3 && !strcmp(argv[1], "step"))
		error = step(strtol(argv[2], NULL, 0));
	else if (argc == 3 && !strcmp(argv[1], "tai"))
		error = set_tai(strtol(argv[2], NULL, 0));
	else if (argc == 3 && !strcmp(argv[1], "sync"))
		error = set_sync(strtol(argv[2], NULL, 0));
	else if (argc == 3 && !strcmp(argv[1], "until"))
		error = sleep_until(strtoll(argv[2], NULL, 0));
	if (error)
		perror("clockset");
	return error ? 1 : 0;
}
