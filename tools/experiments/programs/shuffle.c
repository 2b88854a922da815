// SPDX-License-Identifier: GPL-2.0-only
/*
 * shuffle: the window shuffle by datagrams over a fabric that may lose them
 *
 *	shuffle xor|rotation [OPTION]... NODE...
 *	  --window N	packets of a sender that are under way to all its receivers (9)
 *	  --packets N	packets of a message (10)
 *	  --bytes N	bytes of a packet, without headers (1434)
 *	  --switches N	number of switches, each with as many nodes, one after the other (1)
 *	  --mapping M	linear; or contention-aware, by equation 6.3 of the text (linear)
 *	  --clock-error NS, --seed N	senders begin at times that differ by up to twice that:
 *			those of `liquid simulate` with the same options (0, 1)
 *	  --idle MS	silence after which all that is under way is lost (1000)
 *	  --steps 1	print to which switches the nodes of each switch send, step by step
 *
 * Node k is in namespace hk, sends and receives by device hk, and has 10.9.0.k, as by `liquid-lab
 * up --netns --addr 10.9.0.0/24`. In step i the sender with id r sends a packet to the one with id
 * r XOR i (of a power of two), or r + i, again and again through all steps. It halts while as many
 * packets as the window are neither acknowledged nor known to be lost.
 *
 * One process has all sockets, so an acknowledgement is a word from receiver to sender here, and
 * does not use the fabric. That a packet is lost the sender's device tells, whose counter this
 * program reads when a window is full. Both are so in `liquid simulate`. Packets of a pair have
 * numbers, in which gaps are counted, and must be as many as those that the devices have counted.
 *
 * Prints a line: when the last packet arrived, ns after the mean start; packets sent, arrived,
 * dropped by the counters, missing by the numbers. Returns 0 if all are accounted for.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netns.h"
#define NODES_MAX	64
#include "machine.h"

#define PORT		5000
#define BYTES_MAX	9000
#define MS		1000000LL
#define LEAD_NS		(100 * MS)	/* until all begin */

struct head {
	uint32_t src, number;		/* rank; of the packets of its pair, from 0 */
};

struct sender {
	int fd, counters;		/* socket; /proc/net/dev of its namespace */
	unsigned int id;
	unsigned int step;		/* the next one, 1 ... nodes - 1 */
	uint32_t number;		/* of the next packet to each receiver */
	int64_t begins;			/* by CLOCK_TAI, ns */
	uint64_t sent, arrived, dropped, dropped_before;
};

static struct {
	uint64_t window, packets, bytes, switches, idle, clock_error, seed;
	bool contention_aware, rotates, steps;
} options = { .window = 9, .packets = 10, .bytes = 1434, .switches = 1, .idle = 1000,
	      .seed = 1 };

static struct sender senders[NODES_MAX];
static unsigned int rank_of[NODES_MAX];		/* by id */
static uint32_t expected[NODES_MAX][NODES_MAX];	/* by receiver and sender: the next number */
static uint64_t missing, corrupt;
static int epoll;
static int64_t start, last;

/* ---- set up ---- */

static struct sockaddr_in address(unsigned int rank)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(PORT) };

	in.sin_addr.s_addr = htonl(10u << 24 | 9 << 16 | node[rank]);
	return in;
}

static void open_node(unsigned int rank)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = rank };
	int stamps = SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE;
	struct sender *sender = &senders[rank];
	struct sockaddr_in own = address(rank);
	int room = 64 << 20;
	char name[16];

	snprintf(name, sizeof(name), "h%u", node[rank]);
	netns_enter(name);
	sender->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	sender->counters = open("/proc/thread-self/net/dev", O_RDONLY | O_CLOEXEC);
	if (sender->fd < 0 || sender->counters < 0 ||
	    bind(sender->fd, (const struct sockaddr *)&own, sizeof(own)) ||
	    setsockopt(sender->fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(sender->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(sender->fd, SOL_SOCKET, SO_TIMESTAMPING, &stamps, sizeof(stamps)) ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, sender->fd, &event))
		fail(name);
}

/* Logical ids: with equation 6.3 those of one switch are as many apart as there are switches. */
static void find_ids(void)
{
	unsigned int switches = (unsigned int)options.switches, each = nodes / switches;

	for (unsigned int i = 0; i < nodes; i++) {
		senders[i].id = options.contention_aware ? i / each + i % each * switches : i;
		rank_of[senders[i].id] = i;
	}
}

/* Packets that the fabric has dropped of those that @sender's device has sent */
static uint64_t read_drops(const struct sender *sender, unsigned int rank)
{
	unsigned long long drops;
	char text[4096], name[16], *at;
	ssize_t size = pread(sender->counters, text, sizeof(text) - 1, 0);

	if (size <= 0)
		fail("/proc/net/dev");
	text[size] = '\0';
	snprintf(name, sizeof(name), "h%u:", node[rank]);
	at = strstr(text, name);
	errno = EINVAL;
	/* 8 counters of what was received, then bytes, packets, errors and drops */
	if (!at || sscanf(at + strlen(name), "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
			  &drops) != 1)
		fail(name);
	return drops;
}

/* ---- sending ---- */

static bool has_more(const struct sender *sender, int64_t now)
{
	return sender->number < options.packets && sender->begins <= now;
}

static uint64_t under_way(const struct sender *sender)
{
	return sender->sent - sender->arrived - sender->dropped;
}

static bool may_send(struct sender *sender, unsigned int rank, int64_t now)
{
	if (!has_more(sender, now))
		return false;
	if (under_way(sender) >= options.window)
		sender->dropped = read_drops(sender, rank) - sender->dropped_before;
	return under_way(sender) < options.window;
}

static unsigned int receiver_of(const struct sender *sender)
{
	return rank_of[options.rotates ? (sender->id + sender->step) % nodes :
					 sender->id ^ sender->step];
}

static void send_one(struct sender *sender, unsigned int rank)
{
	static unsigned char packet[BYTES_MAX];
	const struct head head = { rank, sender->number };
	struct sockaddr_in to = address(receiver_of(sender));

	memcpy(packet, &head, sizeof(head));
	if (sendto(sender->fd, packet, options.bytes, 0, (const struct sockaddr *)&to,
		   sizeof(to)) < 0)
		fail("send");
	sender->sent++;
	if (++sender->step == nodes) {
		sender->step = 1;
		sender->number++;
	}
}

/* Figures 6.3 and 6.4 of the text: a line for each step, and in it a word for each switch */
static void print_steps(void)
{
	unsigned int each = nodes / (unsigned int)options.switches;

	for (unsigned int step = 1; step < nodes; step++) {
		printf("%2u:", step);
		for (unsigned int i = 0; i < nodes; i++) {
			senders[i].step = step;
			printf("%s%u", i % each ? "," : " ", receiver_of(&senders[i]) / each);
		}
		puts("");
	}
}

/* One packet of each sender in turn, as they all send at the same time. False: none may. */
static bool send_turn(void)
{
	int64_t now = clock_ns(CLOCK_TAI);
	bool sent = false;

	for (unsigned int i = 0; i < nodes; i++)
		if (may_send(&senders[i], i, now)) {
			send_one(&senders[i], i);
			sent = true;
		}
	return sent;
}

/* ---- receiving ---- */

/* CLOCK_TAI by the device */
static int64_t stamp_of(struct msghdr *message)
{
	struct scm_timestamping stamps;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c))
		if (c->cmsg_type == SCM_TIMESTAMPING) {
			memcpy(&stamps, CMSG_DATA(c), sizeof(stamps));
			return stamps.ts[2].tv_sec * SECOND + stamps.ts[2].tv_nsec;
		}
	errno = ENODATA;
	fail("no time stamp");
}

static void count(unsigned int rank, const unsigned char *packet, size_t size, int64_t when)
{
	struct head head;

	memcpy(&head, packet, sizeof(head));
	if (size != options.bytes || head.src >= nodes || head.src == rank ||
	    head.number < expected[rank][head.src]) {
		corrupt++;
		return;
	}
	missing += head.number - expected[rank][head.src];
	expected[rank][head.src] = head.number + 1;
	senders[head.src].arrived++;
	last = when > last ? when : last;
}

static void receive(unsigned int rank)
{
	static unsigned char packet[BYTES_MAX];
	struct iovec place = { packet, sizeof(packet) };
	char control[256];
	struct msghdr message = { .msg_iov = &place, .msg_iovlen = 1, .msg_control = control };
	ssize_t size;

	for (;;) {
		message.msg_controllen = sizeof(control);
		size = recvmsg(senders[rank].fd, &message, MSG_DONTWAIT);
		if (size < 0)
			return;
		count(rank, packet, (size_t)size, stamp_of(&message));
	}
}

/* ---- the exchange ---- */

/* Time until the next sender begins; 0: all have begun */
static int64_t until_begin(void)
{
	int64_t now = clock_ns(CLOCK_TAI), rest = 0;

	for (unsigned int i = 0; i < nodes; i++)
		if (senders[i].begins > now && (!rest || senders[i].begins - now < rest))
			rest = senders[i].begins - now;
	return rest;
}

static void run(void)
{
	struct epoll_event events[NODES_MAX];
	int64_t rest = 1;
	int count = 1;

	while (count || rest) {
		struct timespec wait;

		while (send_turn())
			;
		rest = until_begin();
		wait.tv_sec = (rest ? rest : (int64_t)options.idle * MS) / SECOND;
		wait.tv_nsec = (rest ? rest : (int64_t)options.idle * MS) % SECOND;
		count = epoll_pwait2(epoll, events, NODES_MAX, &wait, NULL);
		for (int i = 0; i < count; i++)
			receive(events[i].data.u32);
	}
}

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014 */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Each host has its own numbers, of which the simulator takes the first for its clock. */
static void set_begins(void)
{
	uint64_t seeds = options.seed;

	start = clock_ns(CLOCK_TAI) + LEAD_NS;
	for (unsigned int i = 0; i < nodes; i++) {
		uint64_t own = draw(&seeds);
		double error = 2 * ((double)(draw(&own) >> 11) + 1) * 0x1p-53 - 1;

		senders[i].begins = start + (int64_t)(error * (double)options.clock_error);
	}
}

static int report(void)
{
	uint64_t sent = 0, arrived = 0, dropped = 0;

	for (unsigned int i = 0; i < nodes; i++) {
		sent += senders[i].sent;
		arrived += senders[i].arrived;
		dropped += read_drops(&senders[i], i) - senders[i].dropped_before;
		for (unsigned int k = 0; k < nodes; k++)
			missing += k == i ? 0 : options.packets - expected[i][k];
	}
	printf("ns=%" PRId64 " sent=%" PRIu64 " arrived=%" PRIu64 " dropped=%" PRIu64
	       " missing=%" PRIu64 " corrupt=%" PRIu64 "\n", last - start, sent, arrived, dropped,
	       missing, corrupt);
	return sent != (uint64_t)nodes * (nodes - 1) * options.packets || corrupt ||
	       arrived + dropped != sent || missing != dropped;
}

/* ---- arguments ---- */

static void parse_option(const char *name, const char *value)
{
	uint64_t number = strtoull(value, NULL, 10);

	if (!strcmp(name, "--mapping") && !strcmp(value, "contention-aware"))
		options.contention_aware = true;
	else if (!strcmp(name, "--mapping") && !strcmp(value, "linear"))
		options.contention_aware = false;
	else if (!strcmp(name, "--clock-error"))
		options.clock_error = number;
	else if (!number)
		fail(name);
	else if (!strcmp(name, "--steps"))
		options.steps = true;
	else if (!strcmp(name, "--seed"))
		options.seed = number;
	else if (!strcmp(name, "--window"))
		options.window = number;
	else if (!strcmp(name, "--packets"))
		options.packets = number;
	else if (!strcmp(name, "--bytes"))
		options.bytes = number;
	else if (!strcmp(name, "--switches"))
		options.switches = number;
	else if (!strcmp(name, "--idle"))
		options.idle = number;
	else
		fail(name);
}

int main(int argc, char **argv)
{
	if (argc < 3 || (strcmp(argv[1], "xor") && strcmp(argv[1], "rotation"))) {
		fputs("usage: shuffle xor|rotation [OPTION]... NODE...\n", stderr);
		return 2;
	}
	options.rotates = !strcmp(argv[1], "rotation");
	parse_rest(argc, argv, parse_option);
	if (nodes < 2 || (!options.rotates && nodes & (nodes - 1)) || nodes % options.switches ||
	    options.bytes < sizeof(struct head) || options.bytes > BYTES_MAX)
		fail("nodes or bytes");
	find_ids();
	if (options.steps) {
		print_steps();
		return 0;
	}
	epoll = epoll_create1(EPOLL_CLOEXEC);
	for (unsigned int i = 0; i < nodes; i++)
		open_node(i);
	netns_enter("-");
	for (unsigned int i = 0; i < nodes; i++) {
		senders[i].step = 1;
		senders[i].dropped_before = read_drops(&senders[i], i);
	}
	set_begins();
	run();
	return report();
}
