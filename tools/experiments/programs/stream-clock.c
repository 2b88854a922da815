// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock of failures of stream: takes links down and up by liquid-lab
 *
 * Failures of a link come by a Poisson clock, of which so many fall into the time of the run; then
 * their moments are uniform over it. With `overlap` one that would begin during another of its link
 * is drawn again. With `alone` the clock stands still while any link is down, so that failures come
 * one at a time. A failure is of both directions of a cable.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stream.h"

#define EVENTS_MAX 65536

static struct event events[EVENTS_MAX];
static uint32_t count;

static double draw(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(*state >> 11) / 9007199254740992.0;
}

static bool is_free(const char *link, uint64_t at, uint64_t lasting)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(events[i].link, link) && events[i].at < at + 2 * lasting &&
		    at < events[i].at + 2 * lasting)
			return false;
	return true;
}

static void add_failure(const char *link, uint64_t at, uint64_t lasting)
{
	if (count + 2 > EVENTS_MAX)
		die("too many failures");
	events[count++] = (struct event){ at, true, link };
	events[count++] = (struct event){ at + lasting, false, link };
}

static void plan_overlap(const char *link, uint32_t times, uint64_t whole, uint64_t lasting,
			 uint64_t *state)
{
	for (uint32_t made = 0; made < times;) {
		uint64_t at = (uint64_t)(draw(state) * (double)(whole - lasting));

		if (!is_free(link, at, lasting))
			continue;
		add_failure(link, at, lasting);
		made++;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct event *left = a, *right = b;

	return left->at < right->at ? -1 : left->at > right->at;
}

/* Moments in the time that no link is down, and then that time with the failures in it */
static void plan_alone(char **link, uint32_t times, uint64_t whole, uint64_t lasting,
		       uint64_t *state)
{
	static struct event moment[EVENTS_MAX / 2];
	uint32_t n = 0;

	for (; *link; link++)
		for (uint32_t i = 0; i < times && n < EVENTS_MAX / 2; i++)
			moment[n++] = (struct event){ .link = *link };
	if (whole < n * lasting)
		die("the failures take longer than the run");
	for (uint32_t i = 0; i < n; i++)
		moment[i].at = (uint64_t)(draw(state) * (double)(whole - n * lasting));
	qsort(moment, n, sizeof(*moment), by_time);
	for (uint32_t i = 0; i < n; i++)
		add_failure(moment[i].link, moment[i].at + i * lasting, lasting);
}

uint32_t plan_failures(char **argv, const struct event **planned)
{
	uint64_t whole = number_of(argv[1]), lasting = number_of(argv[2]);
	uint64_t state = number_of(argv[4]);
	uint32_t times = (uint32_t)number_of(argv[3]);

	if (!strcmp(argv[0], "alone"))
		plan_alone(argv + 5, times, whole, lasting, &state);
	else
		for (char **link = argv + 5; *link; link++)
			plan_overlap(*link, times, whole, lasting, &state);
	qsort(events, count, sizeof(*events), by_time);
	*planned = events;
	return count;
}

/* "x>y" and "y>x" */
static void set_cable(const struct event *event)
{
	char back[128], forth[128], *end;
	const char *command = event->down ? "down" : "up";
	int status;

	snprintf(forth, sizeof(forth), "%s", event->link);
	end = strchr(forth, '>');
	if (!end)
		die(event->link);
	snprintf(back, sizeof(back), "%s>%.*s", end + 1, (int)(end - forth), forth);
	if (!fork()) {
		execlp("liquid-lab", "liquid-lab", "link", command, forth, back, (char *)NULL);
		_exit(127);
	}
	if (wait(&status) < 0 || status)
		die("liquid-lab link");
}

static void wait_until(uint64_t when)
{
	struct timespec at = {
		.tv_sec = (time_t)(when / 1000000000), .tv_nsec = (long)(when % 1000000000),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
		;
}

int run_clock(char **argv)
{
	uint64_t begin = now_ns();
	const struct event *planned;

	plan_failures(argv, &planned);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t before;

		wait_until(begin + planned[i].at);
		before = now_ns();
		set_cable(&planned[i]);
		printf("%s %s %" PRIu64 " %" PRIu64 "\n", planned[i].down ? "down" : "up",
		       planned[i].link, before, now_ns());
	}
	return 0;
}
