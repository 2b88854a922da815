// SPDX-License-Identifier: GPL-2.0-only
/*
 * exchange: send messages of datagrams from every sender to every receiver, by connected sockets
 *
 *	exchange gated|pairwise|random [OPTION]... NODE...
 *	  --cycles N	messages of each sender to each receiver (5)
 *	  --datagrams N	datagrams of a message, 65,507 bytes each (2)
 *	  --at TAI_NS	base time
 *	  --frame NS	length of a frame, to compute how late messages start (gated)
 *	  --datagram NS	time of a datagram on the wire, for the same purpose
 *	  --seed N	seed of the random order (1)
 *	  --limit S	time after the base time to give up (100)
 *	  --tell NS	print the arrived datagrams every NS, and a line per sender at the end
 *
 * Node k sends by device tk of namespace tx (10.1.0.k) and receives by rk of rx (10.2.0.k). One
 * process has all sockets, so all times are of one clock. Gated: each socket always has two
 * messages to send, also before the base time. Pairwise: in step i the sender of rank r sends
 * to the receiver of rank r + i, and waits until a message has arrived before it sends the next.
 * Random: the same with a random order for each sender. Prints one line of results. Returns 0 if
 * every datagram has arrived once.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "netns.h"
#define NODES_MAX	64
#include "machine.h"

#define PAYLOAD		65507		/* the largest datagram of IPv4 */
#define TRUESIZE	(72 * 1024)	/* most bytes of a datagram in a socket's buffer */
#define MAGIC		0x6c786368U
#define PORT		5000

enum order { GATED, PAIRWISE, RANDOM };

struct head {
	uint32_t magic, flow, number;
};

struct flow {
	int fd;
	unsigned int src, dst;		/* ranks */
	uint32_t sent, received;	/* datagrams */
	int64_t first;			/* arrival of the first datagram of the current message */
};

struct sender {
	unsigned int step;		/* messages given to the sockets */
	unsigned int messages, outside;	/* messages: arrived, of these not within one frame */
	unsigned int order[NODES_MAX];	/* ranks of the receivers */
};

static struct {
	enum order order;
	unsigned int cycles, datagrams, limit;
	int64_t at, frame, datagram, tell;
	uint64_t seed;
} options = { .cycles = 5, .datagrams = 2, .limit = 100, .seed = 1 };

static struct flow flows[NODES_MAX * NODES_MAX];
static struct sender senders[NODES_MAX];
static int receivers[NODES_MAX];
static int epoll;
static uint64_t expected, arrived, corrupt;
static int64_t last_arrival, told;
static uint64_t messages, outside, lag_sum;
static int64_t lag_most;

/* Datagrams that sockets in namespace @netns dropped because their buffers were full */
static uint64_t udp_errors(const char *netns)
{
	char names[1024] = "", values[1024], *name, *value, *name_end, *value_end;
	uint64_t sum = 0;
	FILE *in;

	netns_enter(netns);
	in = fopen("/proc/thread-self/net/snmp", "r");
	if (!in)
		fail("snmp");
	while (fgets(values, sizeof(values), in)) {
		if (strncmp(values, "Udp:", 4))
			continue;
		if (!*names) {
			strcpy(names, values);
			continue;
		}
		name = strtok_r(names, " \n", &name_end);
		value = strtok_r(values, " \n", &value_end);
		for (; name && value; name = strtok_r(NULL, " \n", &name_end),
		     value = strtok_r(NULL, " \n", &value_end))
			if (!strcmp(name, "InErrors"))	/* RcvbufErrors are among them */
				sum += strtoull(value, NULL, 10);
		break;
	}
	fclose(in);
	netns_enter("-");
	return sum;
}

/* ---- set up ---- */

static struct sockaddr_in address(unsigned int net, unsigned int rank, unsigned int port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	in.sin_addr.s_addr = htonl(10u << 24 | net << 16 | node[rank]);
	return in;
}

static int open_socket(const char *netns, char side, unsigned int rank,
		       const struct sockaddr_in *at)
{
	char device[16];
	int fd;

	netns_enter(netns);
	snprintf(device, sizeof(device), "%c%u", side, node[rank]);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, sizeof(device)) ||
	    bind(fd, (const struct sockaddr *)at, sizeof(*at)))
		fail(device);
	return fd;
}

static void watch(int fd, uint32_t events, uint32_t number, int how)
{
	struct epoll_event event = { .events = events, .data.u32 = number };

	if (epoll_ctl(epoll, how, fd, &event))
		fail("epoll");
}

/* In the epoll set, the numbers of receivers follow those of flows. */
static void open_receiver(unsigned int rank)
{
	struct sockaddr_in at = address(2, rank, PORT);
	int room = (int)(nodes * options.datagrams * TRUESIZE), on = 1;
	int fd = open_socket("rx", 'r', rank, &at);

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)))
		fail("a receiver's options");
	receivers[rank] = fd;
	watch(fd, EPOLLIN, nodes * nodes + rank, EPOLL_CTL_ADD);
}

/* The kernel doubles the size of the buffer, which then has room for two messages. */
static void open_flow(unsigned int src, unsigned int dst)
{
	struct sockaddr_in from = address(1, src, 0), to = address(2, dst, PORT);
	int room = (int)(options.datagrams * TRUESIZE);
	struct flow *flow = &flows[src * nodes + dst];

	*flow = (struct flow){ .fd = open_socket("tx", 't', src, &from), .src = src, .dst = dst };
	if (setsockopt(flow->fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    connect(flow->fd, (const struct sockaddr *)&to, sizeof(to)))
		fail("a sender");
	if (options.order == GATED)
		watch(flow->fd, EPOLLOUT, src * nodes + dst, EPOLL_CTL_ADD);
}

/* xorshift64* (Vigna, 2016) */
static uint64_t draw(void)
{
	options.seed ^= options.seed >> 12;
	options.seed ^= options.seed << 25;
	options.seed ^= options.seed >> 27;
	return options.seed * 0x2545f4914f6cdd1dULL;
}

static void make_order(unsigned int rank)
{
	unsigned int *order = senders[rank].order;

	for (unsigned int i = 0; i < nodes; i++)
		order[i] = (rank + i) % nodes;
	for (unsigned int i = nodes; options.order == RANDOM && i > 1; i--) {
		unsigned int other = (unsigned int)(draw() % i), taken = order[i - 1];

		order[i - 1] = order[other];
		order[other] = taken;
	}
}

static void open_all(void)
{
	for (unsigned int i = 0; i < nodes; i++)
		open_receiver(i);
	for (unsigned int i = 0; i < nodes; i++) {
		make_order(i);
		for (unsigned int k = 0; k < nodes; k++)
			open_flow(i, k);
	}
	netns_enter("-");
	expected = (uint64_t)nodes * nodes * options.cycles * options.datagrams;
}

/* ---- sending ---- */

/* Send a datagram; false if the socket is full or all were sent. */
static bool send_one(struct flow *flow)
{
	static unsigned char bytes[PAYLOAD];
	struct head head = { MAGIC, (uint32_t)(flow - flows), flow->sent };

	if (flow->sent == options.cycles * options.datagrams)
		return false;
	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + PAYLOAD - sizeof(head), &head, sizeof(head));
	if (send(flow->fd, bytes, PAYLOAD, MSG_DONTWAIT) < 0) {
		if (errno != EAGAIN)
			fail("send");
		return false;
	}
	flow->sent++;
	return true;
}

static void fill(struct flow *flow)
{
	while (send_one(flow))
		;
	if (flow->sent == options.cycles * options.datagrams)
		watch(flow->fd, 0, 0, EPOLL_CTL_DEL);
}

static void next_message(unsigned int rank)
{
	struct sender *sender = &senders[rank];
	struct flow *flow;

	if (sender->step == options.cycles * nodes)
		return;
	flow = &flows[rank * nodes + sender->order[sender->step++ % nodes]];
	for (unsigned int i = 0; i < options.datagrams; i++)
		if (!send_one(flow))
			fail("a message has no room in its socket");
}

/* ---- receiving ---- */

/* A message has arrived: was it within one frame, and how late in the frame did it begin? */
static void count_message(const struct flow *flow, int64_t last)
{
	int64_t from_base = flow->first - options.at, lag;

	messages++;
	senders[flow->src].messages++;
	if (options.order != GATED || !options.frame)
		return;
	lag = from_base % options.frame - options.datagram;
	lag_sum += (uint64_t)(lag > 0 ? lag : 0);
	if (lag > lag_most)
		lag_most = lag;
	if (from_base / options.frame != (last - options.at) / options.frame) {
		outside++;
		senders[flow->src].outside++;
	}
}

/* Print the time since the base time and the datagrams that have arrived. */
static void tell(void)
{
	if (!options.tell || last_arrival - options.at < told + options.tell)
		return;
	told = (last_arrival - options.at) / options.tell * options.tell;
	printf("at ns=%" PRId64 " arrived=%" PRIu64 "\n", told, arrived);
	fflush(stdout);
}

static void count_datagram(unsigned int rank, const unsigned char *bytes, size_t size, int64_t when)
{
	struct head head, tail;
	struct flow *flow;

	if (size != PAYLOAD) {
		corrupt++;
		return;
	}
	memcpy(&head, bytes, sizeof(head));
	memcpy(&tail, bytes + PAYLOAD - sizeof(tail), sizeof(tail));
	if (head.magic != MAGIC || memcmp(&head, &tail, sizeof(head)) ||
	    head.flow >= nodes * nodes || flows[head.flow].dst != rank) {
		corrupt++;
		return;
	}
	flow = &flows[head.flow];
	if (head.number != flow->received) {	/* a flow's datagrams arrive in order */
		corrupt++;
		return;
	}
	if (flow->received++ % options.datagrams == 0)
		flow->first = when;
	last_arrival = when;
	tell();
	arrived++;
	if (flow->received % options.datagrams)
		return;
	count_message(flow, when);
	if (options.order != GATED)
		next_message(flow->src);
}

/* Time of CLOCK_TAI at which the device passed the datagram to the stack */
static int64_t arrival(struct msghdr *message, int64_t tai_offset)
{
	struct timespec stamp;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
			memcpy(&stamp, CMSG_DATA(c), sizeof(stamp));
			return stamp.tv_sec * SECOND + stamp.tv_nsec + tai_offset;
		}
	errno = ENODATA;
	fail("no time stamp");
}

static void receive(unsigned int rank)
{
	static unsigned char bytes[65536];
	int64_t offset = clock_ns(CLOCK_TAI) - clock_ns(CLOCK_REALTIME);
	char control[256];
	struct iovec place = { bytes, sizeof(bytes) };
	struct msghdr message = { .msg_iov = &place, .msg_iovlen = 1, .msg_control = control };
	ssize_t got;

	offset = (offset + SECOND / 2) / SECOND * SECOND;
	for (;;) {
		message.msg_controllen = sizeof(control);
		got = recvmsg(receivers[rank], &message, MSG_DONTWAIT);
		if (got < 0)
			break;
		count_datagram(rank, bytes, (size_t)got, arrival(&message, offset));
	}
	if (errno != EAGAIN)
		fail("receive");
}

/* ---- the loop ---- */

static void handle(uint32_t number)
{
	if (number < nodes * nodes)
		fill(&flows[number]);
	else
		receive(number - nodes * nodes);
}

static void run(void)
{
	int64_t end = options.at + options.limit * SECOND;
	struct epoll_event events[64];
	int count;

	while (arrived + corrupt < expected && clock_ns(CLOCK_TAI) < end) {
		count = epoll_wait(epoll, events, 64, 100);
		for (int i = 0; i < count; i++)
			handle(events[i].data.u32);
	}
}

static void start(void)
{
	if (options.order == GATED)
		for (unsigned int i = 0; i < nodes * nodes; i++)
			fill(&flows[i]);
	await_base(options.at);
	for (unsigned int i = 0; options.order != GATED && i < nodes; i++)
		next_message(i);
}

static int report(uint64_t errors, uint64_t idle)
{
	for (unsigned int i = 0; options.tell && i < nodes; i++)
		printf("sender node=%u messages=%u outside=%u\n", node[i], senders[i].messages,
		       senders[i].outside);
	printf("nodes=%u messages=%" PRIu64 " datagrams=%" PRIu64 " arrived=%" PRIu64
	       " corrupt=%" PRIu64 " errors=%" PRIu64 " ns=%" PRId64 " lag_mean=%" PRIu64
	       " lag_most=%" PRId64 " outside=%" PRIu64 " idle_permille=%" PRIu64 "\n", nodes,
	       messages, expected, arrived, corrupt, errors, last_arrival - options.at,
	       messages ? lag_sum / messages : 0, lag_most, outside, idle);
	return arrived != expected || corrupt || errors;
}

/* ---- arguments ---- */

static void parse_order(const char *text)
{
	errno = EINVAL;
	if (!strcmp(text, "gated"))
		options.order = GATED;
	else if (!strcmp(text, "pairwise"))
		options.order = PAIRWISE;
	else if (!strcmp(text, "random"))
		options.order = RANDOM;
	else
		fail(text);
}

static void parse_option(const char *name, const char *value)
{
	if (!strcmp(name, "--cycles"))
		options.cycles = (unsigned int)strtoul(value, NULL, 10);
	else if (!strcmp(name, "--datagrams"))
		options.datagrams = (unsigned int)strtoul(value, NULL, 10);
	else if (!strcmp(name, "--limit"))
		options.limit = (unsigned int)strtoul(value, NULL, 10);
	else if (!strcmp(name, "--at"))
		options.at = strtoll(value, NULL, 10);
	else if (!strcmp(name, "--frame"))
		options.frame = strtoll(value, NULL, 10);
	else if (!strcmp(name, "--datagram"))
		options.datagram = strtoll(value, NULL, 10);
	else if (!strcmp(name, "--tell"))
		options.tell = strtoll(value, NULL, 10);
	else if (!strcmp(name, "--seed"))
		options.seed = strtoull(value, NULL, 10);
	else
		fail(name);
}

static void parse(int argc, char **argv)
{
	parse_order(argv[1]);
	parse_rest(argc, argv, parse_option);
	if (!nodes || !options.cycles || !options.datagrams || !options.seed)
		fail("a count is 0");
}

int main(int argc, char **argv)
{
	struct rlimit files = { 8192, 8192 };
	uint64_t errors, idle;
	struct load before;

	if (argc < 3) {
		fputs("usage: exchange gated|pairwise|random [OPTION]... NODE...\n", stderr);
		return 2;
	}
	setrlimit(RLIMIT_NOFILE, &files);
	give_way();
	parse(argc, argv);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	errors = udp_errors("tx") + udp_errors("rx");
	open_all();
	start();
	before = read_load();
	run();
	idle = idle_permille(&before);
	errors = udp_errors("tx") + udp_errors("rx") - errors;
	return report(errors, idle);
}
