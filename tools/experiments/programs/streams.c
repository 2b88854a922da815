// SPDX-License-Identifier: GPL-2.0-only
/*
 * streams: send messages over TCP from every sender to every receiver, like exchange by UDP
 *
 *	streams gated|pairwise [OPTION]... NODE...
 *	  --cycles N	messages of each sender to each receiver (5)
 *	  --message N	bytes of a message (116000)
 *	  --at TAI_NS	base time
 *	  --limit S	time after the base time to give up (100)
 *
 * Node k sends by device tk of namespace tx (10.1.0.k) and receives by rk of rx (10.2.0.k), over
 * one connection for each pair, which is made before the base time. Gated: sockets are kept full,
 * also before the base time. Pairwise: in step i the sender of rank r sends to the receiver of
 * rank r + i, and waits until a message has arrived before it sends the next. Every byte is
 * checked. Prints one line of results. Returns 0 if all bytes have arrived.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "netns.h"
#define NODES_MAX	64
#include "plan.h"

#define CHUNK		65536
#define PORT		5000

struct flow {
	int out, in;
	unsigned int src, dst;		/* ranks */
	uint64_t given;			/* bytes that are to be sent so far */
	uint64_t sent, received;	/* bytes: written to the socket, received */
	bool watched;			/* epoll waits for room in the socket */
};

static unsigned int step[NODES_MAX];	/* by sender: messages given */
static struct flow flows[NODES_MAX * NODES_MAX];
static int epoll;
static uint64_t expected, arrived, corrupt;
static int64_t last_arrival;

/* Retransmitted segments of namespace tx */
static uint64_t retransmissions(void)
{
	unsigned long long again = 0;
	char line[1024];
	FILE *in;

	netns_enter("tx");
	in = fopen("/proc/thread-self/net/snmp", "r");
	if (!in)
		fail("snmp");
	while (fgets(line, sizeof(line), in))
		sscanf(line, "Tcp: %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %llu", &again);
	fclose(in);
	netns_enter("-");
	return again;
}

/* Generate @size bytes of flow @number from byte @start on, at @bytes + start % 8. */
static void pattern(unsigned int number, uint64_t start, size_t size, unsigned char *bytes)
{
	uint64_t word, first = start / 8, last = (start + size + 7) / 8;

	for (uint64_t i = first; i < last; i++) {
		word = ((uint64_t)number << 40 | i) * 0x9e3779b97f4a7c15ULL;
		memcpy(bytes + (i - first) * 8, &word, sizeof(word));
	}
}

/* ---- set up ---- */

static struct sockaddr_in address(unsigned int net, unsigned int rank, unsigned int port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	in.sin_addr.s_addr = htonl(10u << 24 | net << 16 | node[rank]);
	return in;
}

static int open_socket(char side, unsigned int rank, const struct sockaddr_in *here)
{
	int fd, on = 1;
	int room = (int)plan.message, much = 4 * room;	/* the kernel doubles these */
	char device[16];

	snprintf(device, sizeof(device), "%c%u", side, node[rank]);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, sizeof(device)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &much, sizeof(much)) ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ||
	    bind(fd, (const struct sockaddr *)here, sizeof(*here)))
		fail(device);
	return fd;
}

static void watch(int fd, uint32_t events, uint32_t number, int how)
{
	struct epoll_event event = { .events = events, .data.u32 = number };

	if (epoll_ctl(epoll, how, fd, &event))
		fail("epoll");
}

static void connect_flow(unsigned int src, unsigned int dst, int listener)
{
	struct sockaddr_in from = address(1, src, 0), to = address(2, dst, PORT);
	struct flow *flow = &flows[src * nodes + dst];

	*flow = (struct flow){ .src = src, .dst = dst };
	netns_enter("tx");
	flow->out = open_socket('t', src, &from);
	if (connect(flow->out, (const struct sockaddr *)&to, sizeof(to)))
		fail("connect");
	flow->in = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (flow->in < 0 || fcntl(flow->out, F_SETFL, O_NONBLOCK))
		fail("accept");
	watch(flow->in, EPOLLIN, nodes * nodes + src * nodes + dst, EPOLL_CTL_ADD);
}

/* Make one connection at a time, so that accept4() returns the one that was just made. */
static void open_all(void)
{
	struct sockaddr_in here;
	int listener;

	for (unsigned int dst = 0; dst < nodes; dst++) {
		netns_enter("rx");
		here = address(2, dst, PORT);
		listener = open_socket('r', dst, &here);
		if (listen(listener, 4))
			fail("listen");
		for (unsigned int src = 0; src < nodes; src++)
			connect_flow(src, dst, listener);
		close(listener);
	}
	netns_enter("-");
	expected = nodes * nodes * plan.cycles * plan.message;
}

/* ---- sending ---- */

static void watch_room(struct flow *flow, bool wanted)
{
	if (flow->watched == wanted)
		return;
	watch(flow->out, EPOLLOUT, (uint32_t)(flow - flows),
	      wanted ? EPOLL_CTL_ADD : EPOLL_CTL_DEL);
	flow->watched = wanted;
}

static void fill(struct flow *flow)
{
	static unsigned char bytes[CHUNK + 16];
	ssize_t sent;
	size_t size;

	while (flow->sent < flow->given) {
		size = flow->given - flow->sent < CHUNK ? flow->given - flow->sent : CHUNK;
		pattern((unsigned int)(flow - flows), flow->sent, size, bytes);
		sent = send(flow->out, bytes + flow->sent % 8, size, MSG_NOSIGNAL);
		if (sent < 0 && errno != EAGAIN)
			fail("send");
		if (sent < 0)
			break;
		flow->sent += (uint64_t)sent;
	}
	watch_room(flow, flow->sent < flow->given);
}

static void next_message(unsigned int rank)
{
	struct flow *flow;

	if (step[rank] == plan.cycles * nodes)
		return;
	flow = &flows[rank * nodes + (rank + step[rank]++) % nodes];
	flow->given += plan.message;
	fill(flow);
}

/* ---- receiving ---- */

static void receive(struct flow *flow)
{
	static unsigned char bytes[CHUNK], should[CHUNK + 16];
	ssize_t got = recv(flow->in, bytes, sizeof(bytes), 0);
	uint64_t before = flow->received;

	if (got < 0 && errno == EAGAIN)
		return;
	if (got <= 0)
		fail("receive");
	pattern((unsigned int)(flow - flows), before, (size_t)got, should);
	if (memcmp(bytes, should + before % 8, (size_t)got))
		corrupt++;
	flow->received += (uint64_t)got;
	arrived += (uint64_t)got;
	last_arrival = clock_ns(CLOCK_TAI);
	if (!plan.gated && flow->received / plan.message != before / plan.message)
		next_message(flow->src);
}

/* ---- the loop ---- */

static void run(void)
{
	struct epoll_event events[64];
	uint32_t number;
	int count;

	while (arrived < expected && clock_ns(CLOCK_TAI) < plan_end()) {
		count = epoll_wait(epoll, events, 64, 100);
		for (int i = 0; i < count; i++) {
			number = events[i].data.u32;
			if (number < nodes * nodes)
				fill(&flows[number]);
			else
				receive(&flows[number - nodes * nodes]);
		}
	}
}

static void start(void)
{
	for (unsigned int i = 0; plan.gated && i < nodes * nodes; i++) {
		flows[i].given = plan.cycles * plan.message;
		fill(&flows[i]);
	}
	await_base(plan.at);
	for (unsigned int i = 0; !plan.gated && i < nodes; i++)
		next_message(i);
}

static int report(uint64_t again, uint64_t idle)
{
	printf("nodes=%u expected=%" PRIu64 " arrived=%" PRIu64 " corrupt=%" PRIu64 " "
	       "retransmitted=%" PRIu64
	       " ns=%" PRId64 " idle_permille=%" PRIu64 "\n", nodes, expected, arrived, corrupt,
	       again,
	       last_arrival - plan.at, idle);
	return arrived != expected || corrupt;
}

int main(int argc, char **argv)
{
	struct rlimit files = { 8192, 8192 };
	uint64_t again, idle;
	struct load before;

	setrlimit(RLIMIT_NOFILE, &files);
	parse_plan(argc, argv, 5);
	if (plan.message > 1 << 28)
		fail("a message too large");
	give_way();
	epoll = epoll_create1(EPOLL_CLOEXEC);
	open_all();
	again = retransmissions();
	start();
	before = read_load();
	run();
	idle = idle_permille(&before);
	return report(retransmissions() - again, idle);
}
