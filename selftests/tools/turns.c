// SPDX-License-Identifier: GPL-2.0-only
/*
 * turns: messages from every sender to every receiver of a fabric, one after the other, or all at
 * once
 *
 *	turns [--all] [--at TAI_NS] [--think NS] [--seed N] [--bytes N] [--cycles N] NODES
 *
 * Node k sends by device tk of namespace tx (10.1.0.k) and receives by rk of rx (10.2.0.k). A
 * message is one datagram of this many bytes. In step i the sender of rank r sends to the receiver
 * of rank r + i; the next message a drawn time (0 ... --think) after the last one was delivered.
 * The draws are those of `liquid simulate --jitter uniform:NS --seed N`, so that both know the same
 * delays, which are long beside what a program takes to wake up. --all: everything is sent at once,
 * for gates that hold it until the time --at. Prints
 *
 *	ns=TIME messages=NUMBER
 *
 * where TIME is that of the last arrival by the fabric's stamps, from the first start on.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

#include "netns.h"

#define NODES_MAX	64
#define PORT		5000
#define SECOND		1000000000LL
#define WAKE_NS		200000		/* sleep until so long before; then wait awake */
#define SEND_NS		9000		/* what a send takes until the device has it */
#define SILENCE_MS	20000		/* nothing arrives for so long: something is lost */

struct sender {
	int fd;
	uint64_t random;
	unsigned int step;		/* messages given */
	int64_t next;			/* when to give the next one; 0: not known yet */
};

static struct sender senders[NODES_MAX];
static int receivers[NODES_MAX];
static unsigned int nodes, cycles = 1, bytes = 1434;
static uint64_t think, seed;
static int64_t at, last;
static bool all;
static int epoll;
static uint64_t arrived;

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "turns: %s: %s\n", what, strerror(errno));
	exit(2);
}

static int64_t tai(void)
{
	struct timespec now;

	clock_gettime(CLOCK_TAI, &now);
	return now.tv_sec * SECOND + now.tv_nsec;
}

/* ---- the simulator's draws ---- */

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014 */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static int64_t delay(struct sender *sender)
{
	double fraction = ((double)(draw(&sender->random) >> 11) + 1) * 0x1p-53;

	return (int64_t)(fraction * (double)think + 0.5);
}

/* Each host's own numbers; the first is for the error of its clock. */
static void seed_senders(void)
{
	for (unsigned int i = 0; i < nodes; i++) {
		senders[i].random = draw(&seed);
		draw(&senders[i].random);
	}
}

/* ---- sockets ---- */

static struct sockaddr_in address(unsigned int net, unsigned int rank)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(PORT) };

	in.sin_addr.s_addr = htonl(10u << 24 | net << 16 | (rank + 1));
	return in;
}

static int open_socket(const char *netns, char side, unsigned int net, unsigned int rank)
{
	struct sockaddr_in own = address(net, rank);
	int room = 64 << 20, fd;
	char device[16];

	netns_enter(netns);
	snprintf(device, sizeof(device), "%c%u", side, rank + 1);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, sizeof(device)) ||
	    bind(fd, (const struct sockaddr *)&own, sizeof(own)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		fail(device);
	return fd;
}

static void open_all(void)
{
	int stamps = SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE;

	epoll = epoll_create1(EPOLL_CLOEXEC);
	for (unsigned int i = 0; i < nodes; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.u32 = i };

		senders[i].fd = open_socket("tx", 't', 1, i);
		receivers[i] = open_socket("rx", 'r', 2, i);
		if (setsockopt(receivers[i], SOL_SOCKET, SO_TIMESTAMPING, &stamps,
			       sizeof(stamps)) ||
		    epoll_ctl(epoll, EPOLL_CTL_ADD, receivers[i], &event))
			fail("a receiver's options");
	}
	netns_enter("-");
}

/* ---- sending ---- */

static void send_next(unsigned int rank)
{
	static unsigned char datagram[65507];
	struct sender *sender = &senders[rank];
	struct sockaddr_in to = address(2, (rank + sender->step++) % nodes);

	memcpy(datagram, &rank, sizeof(rank));
	sender->next = 0;
	if (sendto(sender->fd, datagram, bytes, 0, (const struct sockaddr *)&to, sizeof(to)) < 0)
		fail("send");
}

static void plan_next(struct sender *sender, int64_t from)
{
	if (sender->step < cycles * nodes)
		sender->next = from + delay(sender);
}

static struct sender *earliest(void)
{
	struct sender *first = NULL;

	for (unsigned int i = 0; i < nodes; i++)
		if (senders[i].next && (!first || senders[i].next < first->next))
			first = &senders[i];
	return first;
}

/* ---- receiving ---- */

static int64_t stamp_of(struct msghdr *message)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c))
		if (c->cmsg_type == SCM_TIMESTAMPING) {
			struct scm_timestamping stamps;

			memcpy(&stamps, CMSG_DATA(c), sizeof(stamps));
			return stamps.ts[2].tv_sec * SECOND + stamps.ts[2].tv_nsec;
		}
	errno = ENODATA;
	fail("no time stamp");
}

static void receive(int fd)
{
	static unsigned char datagram[65536];
	char control[256];
	struct iovec place = { datagram, sizeof(datagram) };
	struct msghdr message = { .msg_iov = &place, .msg_iovlen = 1, .msg_control = control };
	unsigned int rank;

	for (;;) {
		int64_t when;

		message.msg_controllen = sizeof(control);
		if (recvmsg(fd, &message, MSG_DONTWAIT) < 0)
			break;
		memcpy(&rank, datagram, sizeof(rank));
		when = stamp_of(&message);
		last = when > last ? when : last;
		arrived++;
		if (!all && rank < nodes)
			plan_next(&senders[rank], when);
	}
}

/* Until something has arrived, or it is nearly time to send. False: there is silence. */
static bool wait_and_receive(const struct sender *first)
{
	int64_t rest = first ? first->next - tai() - WAKE_NS : SILENCE_MS * 1000000LL;
	struct timespec timeout = { 0, 0 };
	struct epoll_event events[64];
	int count;

	if (rest > 0)
		timeout = (struct timespec){ rest / SECOND, rest % SECOND };
	count = epoll_pwait2(epoll, events, 64, &timeout, NULL);
	if (count < 0)
		fail("epoll");
	for (int i = 0; i < count; i++)
		receive(receivers[events[i].data.u32]);
	return count || first;
}

static void run(void)
{
	uint64_t expected = (uint64_t)nodes * nodes * cycles;

	while (arrived < expected) {
		struct sender *first = earliest();

		if (first && first->next - SEND_NS <= tai())
			send_next((unsigned int)(first - senders));
		else if (!wait_and_receive(first))
			return;
	}
}

static void begin(void)
{
	if (!at)
		at = tai() + SECOND / 10;
	for (unsigned int i = 0; i < nodes; i++) {
		if (!all)
			plan_next(&senders[i], at);
		while (all && senders[i].step < cycles * nodes)
			send_next(i);
	}
	if (tai() > at) {
		errno = ETIME;
		fail("the start is past");
	}
}

static uint64_t number(char **argument, const char *what)
{
	char *end;
	uint64_t value;

	if (!*argument) {
		errno = EINVAL;
		fail(what);
	}
	errno = 0;
	value = strtoull(*argument, &end, 10);
	if (errno || *end || end == *argument) {
		errno = EINVAL;
		fail(what);
	}
	return value;
}

static void parse(char **argument)
{
	for (; *argument && **argument == '-'; argument++) {
		const char *option = *argument;

		if (!strcmp(option, "--all"))
			all = true;
		else if (!strcmp(option, "--at"))
			at = (int64_t)number(++argument, option);
		else if (!strcmp(option, "--think"))
			think = number(++argument, option);
		else if (!strcmp(option, "--seed"))
			seed = number(++argument, option);
		else if (!strcmp(option, "--bytes"))
			bytes = (unsigned int)number(++argument, option);
		else if (!strcmp(option, "--cycles"))
			cycles = (unsigned int)number(++argument, option);
		else
			number((char *[]){ NULL }, option);
	}
	nodes = (unsigned int)number(argument, "nodes");
	if (!nodes || nodes > NODES_MAX || bytes < sizeof(unsigned int) || bytes > 65507) {
		errno = ERANGE;
		fail("nodes or bytes");
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	parse(argv + 1);
	seed_senders();
	open_all();
	begin();
	run();
	printf("ns=%" PRId64 " messages=%" PRIu64 "\n", last - at, arrived);
	return arrived != (uint64_t)nodes * nodes * cycles;
}
