// SPDX-License-Identifier: LGPL-2.1-or-later
/* Naps grow with the time waited, from none at all to a hundredth of it. */
#include <errno.h>
#include <sched.h>
#include <time.h>

#include "wire/patience.h"

#define YIELDS		200		/* before the first nap */
#define NAP_NS		20000
#define NAP_SHORT_NS	2000000
#define NAP_LONG_NS	20000000

int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

struct patience patience_new(int64_t timeout_ns)
{
	return (struct patience){ .timeout_ns = timeout_ns, .moved_ns = now_ns() };
}

void patience_moved(struct patience *patience)
{
	patience->moved_ns = now_ns();
	patience->idle = 0;
}

static int64_t patience_least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/*
 * A nap of a tenth of the time waited so far costs no one much while it is short; later one of a
 * hundredth. Behind gates many ranks wait for seconds, mostly in naps.
 */
static void nap(int64_t waited_ns)
{
	int64_t early_ns = patience_least(waited_ns / 10, NAP_SHORT_NS);
	int64_t late_ns = patience_least(waited_ns / 100, NAP_LONG_NS);
	struct timespec nap = { .tv_nsec = early_ns > late_ns ? early_ns : late_ns };

	if (nap.tv_nsec < NAP_NS)
		nap.tv_nsec = NAP_NS;
	nanosleep(&nap, NULL);
}

int patience_rest(struct patience *patience)
{
	int64_t waited_ns;

	if (patience->idle++ < YIELDS) {
		sched_yield();
		return 0;
	}
	waited_ns = now_ns() - patience->moved_ns;
	nap(waited_ns);
	return patience->timeout_ns && waited_ns > patience->timeout_ns ? -ETIMEDOUT : 0;
}
