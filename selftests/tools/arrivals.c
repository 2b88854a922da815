// SPDX-License-Identifier: GPL-2.0-only
/*
 * arrivals: datagrams at stated moments, and when the fabric says that they arrived
 *
 *	arrivals [--port N] [--wait MS] [--at TAI_NS] [--tai] FLOW...
 *
 * A FLOW is SRCNS@ADDRESS,DSTNS@ADDRESS,SIZE,COUNT,US: this many datagrams of SIZE bytes in one go,
 * US microseconds after the start, which --at states. A line for each that arrived, in the order of
 * arrival:
 *
 *	flow=F number=N at=NS
 *
 * NS is the receiver's hardware stamp less that of the first arrival, with --tai the stamp, of
 * CLOCK_TAI: times of the model, to which no instruction of anybody adds.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

#include "netns.h"

#define FLOWS_MAX	32
#define ARRIVALS_MAX	8192
#define MAGIC		0x6c666172U

struct flow {
	char from[64], to[64];		/* NETNS@ADDRESS */
	unsigned int size, count;
	long us;
	int out, in;
};

struct datagram {
	uint32_t magic, flow, number;
};

struct arrival {
	uint32_t flow, number;
	int64_t at;
};

static struct flow flows[FLOWS_MAX];
static unsigned int flow_count, arrival_count;
static struct arrival arrivals[ARRIVALS_MAX];
static unsigned int port = 6000, wait_ms = 2000;
static int64_t begin;
static bool tai;

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "arrivals: %s: %s\n", what, strerror(errno));
	exit(2);
}

static struct sockaddr_in enter(const char *where, unsigned int number)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(number) };
	char name[64];
	char *at;

	snprintf(name, sizeof(name), "%s", where);
	at = strchr(name, '@');
	if (!at || inet_pton(AF_INET, at + 1, &address.sin_addr) != 1) {
		errno = EINVAL;
		fail(where);
	}
	*at = 0;
	netns_enter(name);
	return address;
}

static void open_receiver(unsigned int i)
{
	struct sockaddr_in address = enter(flows[i].to, port + i);
	int what = SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE, room = 32 << 20;

	flows[i].in = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	if (flows[i].in < 0 || bind(flows[i].in, (struct sockaddr *)&address, sizeof(address)) ||
	    setsockopt(flows[i].in, SOL_SOCKET, SO_TIMESTAMPING, &what, sizeof(what)) ||
	    setsockopt(flows[i].in, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		fail(flows[i].to);
}

static void open_sender(unsigned int i)
{
	struct sockaddr_in to = enter(flows[i].to, port + i), from = enter(flows[i].from, 0);
	int room = 32 << 20;

	flows[i].out = socket(AF_INET, SOCK_DGRAM, 0);
	if (flows[i].out < 0 || bind(flows[i].out, (struct sockaddr *)&from, sizeof(from)) ||
	    connect(flows[i].out, (struct sockaddr *)&to, sizeof(to)) ||
	    setsockopt(flows[i].out, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)))
		fail(flows[i].from);
}

static void parse_flow(const char *text)
{
	struct flow *flow = &flows[flow_count];

	if (flow_count == FLOWS_MAX ||
	    sscanf(text, "%63[^,],%63[^,],%u,%u,%ld", flow->from, flow->to, &flow->size,
		   &flow->count, &flow->us) != 5 ||
	    flow->size < sizeof(struct datagram) || flow->size > 65507) {
		errno = EINVAL;
		fail(text);
	}
	flow_count++;
}

static void sleep_until_tai(int64_t ns)
{
	const struct timespec at = { ns / 1000000000, ns % 1000000000 };

	clock_nanosleep(CLOCK_TAI, TIMER_ABSTIME, &at, NULL);
}

static void sleep_until(const struct timespec *start, long us)
{
	struct timespec at = *start;

	at.tv_nsec += us % 1000000 * 1000;
	at.tv_sec += us / 1000000 + at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void send_flow(unsigned int i)
{
	static char bytes[65507];
	struct datagram head = { MAGIC, i, 0 };

	for (; head.number < flows[i].count; head.number++) {
		memcpy(bytes, &head, sizeof(head));
		if (send(flows[i].out, bytes, flows[i].size, 0) != (ssize_t)flows[i].size)
			fail("send");
	}
}

static void take(struct msghdr *message, const struct datagram *head)
{
	struct arrival *arrival = &arrivals[arrival_count];

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		struct scm_timestamping stamp;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPING)
			continue;
		memcpy(&stamp, CMSG_DATA(c), sizeof(stamp));
		arrival->at = stamp.ts[2].tv_sec * 1000000000LL + stamp.ts[2].tv_nsec;
		arrival->flow = head->flow;
		arrival->number = head->number;
		arrival_count++;
		return;
	}
	errno = ENODATA;
	fail("a datagram without a hardware stamp");
}

static void receive(int fd)
{
	static char bytes[65536];
	char control[256];
	struct iovec iov = { bytes, sizeof(bytes) };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
				  .msg_controllen = sizeof(control) };
	ssize_t got = recvmsg(fd, &message, 0);
	struct datagram head;

	if (got < (ssize_t)sizeof(head))
		return;
	memcpy(&head, bytes, sizeof(head));
	if (head.magic == MAGIC && arrival_count < ARRIVALS_MAX)
		take(&message, &head);
}

/* Until all have come, or none for a while. */
static void receive_all(void)
{
	struct pollfd wait[FLOWS_MAX];
	unsigned int expected = 0;

	for (unsigned int i = 0; i < flow_count; i++) {
		wait[i] = (struct pollfd){ .fd = flows[i].in, .events = POLLIN };
		expected += flows[i].count;
	}
	while (arrival_count < expected && poll(wait, flow_count, (int)wait_ms) > 0)
		for (unsigned int i = 0; i < flow_count; i++)
			if (wait[i].revents)
				receive(flows[i].in);
}

static int by_time(const void *a, const void *b)
{
	const struct arrival *left = a, *right = b;

	if (left->at != right->at)
		return left->at < right->at ? -1 : 1;
	return left->flow < right->flow ? -1 : left->flow > right->flow;
}

int main(int argc, char **argv)
{
	struct timespec start;

	for (int i = 1; i < argc; i++) {
		if (i + 1 < argc && !strcmp(argv[i], "--port"))
			port = (unsigned int)atoi(argv[++i]);
		else if (i + 1 < argc && !strcmp(argv[i], "--wait"))
			wait_ms = (unsigned int)atoi(argv[++i]);
		else if (i + 1 < argc && !strcmp(argv[i], "--at"))
			begin = atoll(argv[++i]);
		else if (!strcmp(argv[i], "--tai"))
			tai = true;
		else
			parse_flow(argv[i]);
	}
	for (unsigned int i = 0; i < flow_count; i++) {
		open_receiver(i);
		open_sender(i);
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	sleep_until(&start, 20000);
	if (begin)
		sleep_until_tai(begin);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (unsigned int i = 0; i < flow_count; i++) {
		sleep_until(&start, flows[i].us);
		send_flow(i);
	}
	receive_all();
	qsort(arrivals, arrival_count, sizeof(arrivals[0]), by_time);
	for (unsigned int i = 0; i < arrival_count; i++)
		printf("flow=%u number=%u at=%" PRId64 "\n", arrivals[i].flow, arrivals[i].number,
		       arrivals[i].at - (tai ? 0 : arrivals[0].at));
	return 0;
}
