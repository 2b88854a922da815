// SPDX-License-Identifier: GPL-2.0-only
/*
 * When packets really leave
 *
 * A packet of the trial's own is sent now and then, and the device, or else its driver, says when
 * it left. That time lies in a frame of the packet's destination, or the gate, the guard or a clock
 * is wrong. Hardware stamps are used only if they are on already, as ptp4l needs them.
 */
#include <errno.h>
#include <time.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock/clock-ns.h"
#include "clock/clock.h"
#include "trial/trial.h"

#define SECOND_NS	1000000000
#define PAUSE_NS	4700000		/* between packets: no multiple of usual frames */
#define PAYLOAD		256
#define BUCKETS		24		/* bucket k: below 2^k us */

struct trial_stamps {
	struct trial_stamps_args args;
	int fd;
	pthread_t thread;
	_Atomic bool over;
	struct clock_asker asker;
	int64_t from_tai;		/* the stamps' clock - CLOCK_TAI */
	uint64_t doubt_ns;		/* largest error of that */
	int64_t compared;		/* CLOCK_MONOTONIC when the clocks were compared */
	uint64_t sent, stamped, inside, in_guard, outside, worst_ns, lost_clock;
	uint64_t since_begin[BUCKETS], since_end[BUCKETS];
};

static void put_bucket(uint64_t bucket[BUCKETS], uint64_t ns)
{
	unsigned int k = 0;

	while (k < BUCKETS - 1 && ns >= UINT64_C(1000) << k)
		k++;
	bucket[k]++;
}

static void judge(struct trial_stamps *stamps, int64_t stamp)
{
	struct trial_place place = trial_plan_place(&stamps->args.cycle, stamp - stamps->from_tai);

	stamps->stamped++;
	stamps->inside += place.inside;
	stamps->in_guard += place.in_guard;
	if (place.inside || place.in_guard) {
		put_bucket(stamps->since_begin, place.offset_ns);
		return;
	}
	stamps->outside++;
	put_bucket(stamps->since_end, place.offset_ns);
	if (place.offset_ns > stamps->worst_ns)
		stamps->worst_ns = place.offset_ns;
}

/* ---- clocks: software stamps are of CLOCK_REALTIME, hardware's of the adapter ---- */

static bool compare_clocks(struct trial_stamps *stamps)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);
	struct clock_difference difference = { 0 };

	if (stamps->compared && now - stamps->compared < SECOND_NS)
		return true;
	if (stamps->args.hardware && clock_phc_read(stamps->asker.phc_fd, &difference))
		return false;
	stamps->compared = now;
	stamps->from_tai = difference.ns - (int64_t)stamps->args.tai_offset * SECOND_NS;
	if (difference.doubt_ns > stamps->doubt_ns)
		stamps->doubt_ns = difference.doubt_ns;
	return true;
}

/* ---- packets ---- */

static int64_t stamp_of(struct msghdr *message, bool hardware)
{
	for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at; at = CMSG_NXTHDR(message, at)) {
		struct scm_timestamping stamps;

		if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_TIMESTAMPING)
			continue;
		memcpy(&stamps, CMSG_DATA(at), sizeof(stamps));
		return stamps.ts[hardware ? 2 : 0].tv_sec * INT64_C(1000000000) +
		       stamps.ts[hardware ? 2 : 0].tv_nsec;
	}
	return 0;
}

static void take_stamps(struct trial_stamps *stamps)
{
	char control[512], data[PAYLOAD];

	for (;;) {
		struct iovec part = { data, sizeof(data) };
		struct msghdr message = {
			.msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
			.msg_controllen = sizeof(control),
		};
		int64_t stamp;

		if (recvmsg(stamps->fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return;
		stamp = stamp_of(&message, stamps->args.hardware);
		if (stamp)
			judge(stamps, stamp);
	}
}

static void *stamp_on(void *context)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct trial_stamps *stamps = context;
	struct sockaddr_storage peer;
	static const char data[PAYLOAD];
	socklen_t size;

	if (!trial_address(stamps->args.peer, stamps->args.port, &peer, &size))
		return NULL;
	while (!atomic_load(&stamps->over)) {
		if (!compare_clocks(stamps))
			stamps->lost_clock++;
		else if (sendto(stamps->fd, data, sizeof(data), MSG_DONTWAIT,
				(struct sockaddr *)&peer, size) > 0)
			stamps->sent++;
		nanosleep(&pause, NULL);
		take_stamps(stamps);
	}
	return NULL;
}

/* ---- beginning and end ---- */

static bool open_socket(struct trial_stamps *stamps)
{
	const struct trial_stamps_args *args = &stamps->args;
	char address[1][TRIAL_ADDRESS];
	const struct trial_flow_args flow = {
		.device = args->device, .address = address, .buffer_bytes = 1 << 18,
	};
	int flags = SOF_TIMESTAMPING_OPT_TSONLY | SOF_TIMESTAMPING_OPT_CMSG;

	flags |= args->hardware ? SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE :
				  SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
	snprintf(address[0], sizeof(address[0]), "%s", args->own);
	stamps->fd = trial_socket(&flow, SOCK_DGRAM, args->port, false);
	return stamps->fd >= 0 && !setsockopt(stamps->fd, SOL_SOCKET, SO_TIMESTAMPING, &flags,
					      sizeof(flags));
}

static bool begin(struct trial_stamps *stamps, char why[TRIAL_WHY])
{
	if (!open_socket(stamps)) {
		snprintf(why, TRIAL_WHY, "no socket with time stamps: %s", strerror(errno));
		return false;
	}
	if (stamps->args.hardware)
		clock_phc_open(&stamps->asker, stamps->args.device);
	if (!compare_clocks(stamps)) {
		snprintf(why, TRIAL_WHY, "the adapter's clock cannot be read");
		return false;
	}
	errno = pthread_create(&stamps->thread, NULL, stamp_on, stamps);
	if (errno)
		snprintf(why, TRIAL_WHY, "no thread: %s", strerror(errno));
	return !errno;
}

static void stamps_free(struct trial_stamps *stamps)
{
	if (stamps->fd >= 0)
		close(stamps->fd);
	clock_phc_close(&stamps->asker);
	free(stamps);
}

struct trial_stamps *trial_stamps_start(const struct trial_stamps_args *args,
					char why[TRIAL_WHY])
{
	struct trial_stamps *stamps = calloc(1, sizeof(*stamps));

	snprintf(why, TRIAL_WHY, "no memory");
	if (!stamps)
		return NULL;
	stamps->args = *args;
	stamps->fd = -1;
	stamps->asker = (struct clock_asker)CLOCK_ASKER_CLOSED;
	if (begin(stamps, why))
		return stamps;
	stamps_free(stamps);
	return NULL;
}

static json_t *buckets_json(const uint64_t bucket[BUCKETS])
{
	json_t *array = json_array();

	for (unsigned int k = 0; k < BUCKETS; k++)
		json_array_append_new(array, json_integer((json_int_t)bucket[k]));
	return array;
}

json_t *trial_stamps_end(struct trial_stamps *stamps)
{
	json_t *json;

	atomic_store(&stamps->over, true);
	pthread_join(stamps->thread, NULL);
	json = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}",
			 "kind", stamps->args.hardware ? "hardware" : "software",
			 "sent", (json_int_t)stamps->sent,
			 "stamped", (json_int_t)stamps->stamped,
			 "inside", (json_int_t)stamps->inside,
			 "in_guard", (json_int_t)stamps->in_guard,
			 "outside", (json_int_t)stamps->outside,
			 "worst_ns", (json_int_t)stamps->worst_ns,
			 "clock_doubt_ns", (json_int_t)stamps->doubt_ns,
			 "clock_unread", (json_int_t)stamps->lost_clock,
			 "since_begin", buckets_json(stamps->since_begin),
			 "since_end", buckets_json(stamps->since_end));
	stamps_free(stamps);
	return json;
}
