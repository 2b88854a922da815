// SPDX-License-Identifier: GPL-2.0-only
/*
 * alltoall: a rank of an exchange, one process on each node
 *
 *	alltoall --map FILE --self NODE [OPTION]... NODE...
 *	  --map FILE	lines "NODE ADDRESS"
 *	  --bytes N	to each other node (100000)
 *	  --rounds N	exchanges, one after the other (1)
 *	  --pause MS	between them (0)
 *	  --port N	(7000)
 *	  --dscp N	the code point of what it sends (0)
 *	  --limit S	give up after that time (60)
 *
 * A stream from each rank to each other one. A round is over when all its bytes have come in from
 * all, and no rank begins another one before that. What comes in is compared with what the other
 * must have sent. Ends with the TAI times of its first and last byte, and 0 when all is right.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define RANKS_MAX	64
#define CHUNK		16384

struct peer {
	struct sockaddr_in address;
	int out, in;
	uint64_t sent, received;
};

static struct peer peers[RANKS_MAX];
static unsigned int rank_count, self = RANKS_MAX;
static uint64_t bytes = 100000, rounds = 1;
static unsigned int pause_ms, port = 7000, limit = 60, dscp;

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "alltoall: rank %u: %s: %s\n", self, what, strerror(errno));
	exit(1);
}

static int64_t tai_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_TAI, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static unsigned char pattern(unsigned int from, unsigned int to, uint64_t at)
{
	return (unsigned char)(at ^ at >> 8 ^ at >> 16 ^ from * 37 ^ to * 101);
}

/* ---- who takes part ---- */

static struct in_addr address_of(const char *map, const char *node)
{
	char line[256], name[128], text[64];
	struct in_addr address = { 0 };
	FILE *in = fopen(map, "re");

	if (!in)
		fail(map);
	while (fgets(line, sizeof(line), in))
		if (sscanf(line, "%127s %63s", name, text) == 2 && !strcmp(name, node) &&
		    inet_aton(text, &address)) {
			fclose(in);
			return address;
		}
	errno = ENOENT;
	fail(node);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 10);

	errno = EINVAL;
	if (*end || end == text)
		fail(text);
	return value;
}

static void read_arguments(int argc, char **argv)
{
	const char *map = "", *own = "";

	for (int i = 1; i < argc; i++) {
		bool more = i + 1 < argc;

		if (more && !strcmp(argv[i], "--map"))
			map = argv[++i];
		else if (more && !strcmp(argv[i], "--self"))
			own = argv[++i];
		else if (more && !strcmp(argv[i], "--bytes"))
			bytes = number(argv[++i]);
		else if (more && !strcmp(argv[i], "--rounds"))
			rounds = number(argv[++i]);
		else if (more && !strcmp(argv[i], "--pause"))
			pause_ms = (unsigned int)number(argv[++i]);
		else if (more && !strcmp(argv[i], "--port"))
			port = (unsigned int)number(argv[++i]);
		else if (more && !strcmp(argv[i], "--dscp"))
			dscp = (unsigned int)number(argv[++i]);
		else if (more && !strcmp(argv[i], "--limit"))
			limit = (unsigned int)number(argv[++i]);
		else if (rank_count == RANKS_MAX || argv[i][0] == '-')
			fail(argv[i]);
		else {
			peers[rank_count].address.sin_family = AF_INET;
			peers[rank_count].address.sin_port = htons((uint16_t)port);
			peers[rank_count].address.sin_addr = address_of(map, argv[i]);
			if (!strcmp(argv[i], own))
				self = rank_count;
			rank_count++;
		}
	}
	errno = EINVAL;
	if (self == RANKS_MAX)
		fail("--self is none of the nodes");
}

/* ---- connections ---- */

static int new_socket(void)
{
	int one = 1, tos = (int)dscp << 2, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos)))
		fail("socket");
	return fd;
}

static int listen_here(void)
{
	int fd = new_socket();

	if (bind(fd, (struct sockaddr *)&peers[self].address, sizeof(peers[self].address)) ||
	    listen(fd, RANKS_MAX))
		fail("listen");
	return fd;
}

/* The other may not listen yet. */
static int connect_to(const struct peer *peer)
{
	const struct timespec rest = { 0, 20000000 };
	struct sockaddr_in own = peers[self].address;
	int fd;

	own.sin_port = 0;
	for (;;) {
		fd = new_socket();
		if (bind(fd, (struct sockaddr *)&own, sizeof(own)))
			fail("bind");
		if (!connect(fd, (const struct sockaddr *)&peer->address, sizeof(peer->address)))
			return fd;
		if (errno != ECONNREFUSED)
			fail("connect");
		close(fd);
		nanosleep(&rest, NULL);
	}
}

static void accept_one(int listener)
{
	struct sockaddr_in from;
	socklen_t size = sizeof(from);
	int fd = accept4(listener, (struct sockaddr *)&from, &size, SOCK_CLOEXEC);

	if (fd < 0)
		fail("accept");
	for (unsigned int i = 0; i < rank_count; i++)
		if (i != self && !peers[i].in &&
		    from.sin_addr.s_addr == peers[i].address.sin_addr.s_addr) {
			peers[i].in = fd;
			return;
		}
	errno = EINVAL;
	fail("a connection of a stranger");
}

static void connect_all(void)
{
	int listener = listen_here();

	for (unsigned int i = 0; i < rank_count; i++)
		if (i != self)
			peers[i].out = connect_to(&peers[i]);
	for (unsigned int i = 1; i < rank_count; i++)
		accept_one(listener);
	close(listener);
	for (unsigned int i = 0; i < rank_count; i++)
		if (i != self && (fcntl(peers[i].out, F_SETFL, O_NONBLOCK) ||
				  fcntl(peers[i].in, F_SETFL, O_NONBLOCK)))
			fail("sockets that do not block");
}

/* ---- a round ---- */

static void pump(unsigned int to, uint64_t until)
{
	struct peer *peer = &peers[to];
	unsigned char chunk[CHUNK];
	size_t size = until - peer->sent < CHUNK ? until - peer->sent : CHUNK;
	ssize_t done;

	for (size_t i = 0; i < size; i++)
		chunk[i] = pattern(self, to, peer->sent + i);
	done = send(peer->out, chunk, size, MSG_NOSIGNAL);
	if (done > 0)
		peer->sent += (uint64_t)done;
	else if (errno != EAGAIN)
		fail("send");
}

static void take(unsigned int from, uint64_t until)
{
	struct peer *peer = &peers[from];
	unsigned char chunk[CHUNK];
	size_t size = until - peer->received < CHUNK ? until - peer->received : CHUNK;
	ssize_t got = recv(peer->in, chunk, size, 0);

	if (!got)
		errno = ECONNRESET;
	if (got <= 0 && errno != EAGAIN)
		fail("receive");
	errno = EBADMSG;
	for (ssize_t i = 0; i < got; i++, peer->received++)
		if (chunk[i] != pattern(from, self, peer->received))
			fail("other bytes than were sent");
}

/* What there is to wait for; 0: the round is over */
static unsigned int want(struct pollfd polls[2 * RANKS_MAX], uint64_t until)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < rank_count; i++) {
		bool out = i != self && peers[i].sent < until, in = i != self &&
		peers[i].received < until;

		polls[2 * i] = (struct pollfd){ .fd = out ? peers[i].out : -1, .events = POLLOUT };
		polls[2 * i + 1] = (struct pollfd){ .fd = in ? peers[i].in : -1, .events = POLLIN };
		count += (unsigned int)out + in;
	}
	return count;
}

static void exchange(uint64_t until)
{
	struct pollfd polls[2 * RANKS_MAX];

	while (want(polls, until)) {
		if (poll(polls, 2 * rank_count, -1) < 0)
			fail("poll");
		for (unsigned int i = 0; i < rank_count; i++) {
			if (polls[2 * i].revents)
				pump(i, until);
			if (polls[2 * i + 1].revents)
				take(i, until);
		}
	}
}

/* Until the ends of all streams have come in: then no one has anything left on its way. */
static void finish(void)
{
	unsigned char byte;

	for (unsigned int i = 0; i < rank_count; i++)
		if (i != self && shutdown(peers[i].out, SHUT_WR))
			fail("shutdown");
	for (unsigned int i = 0; i < rank_count; i++) {
		struct pollfd in = { .fd = peers[i].in, .events = POLLIN };

		if (i == self)
			continue;
		errno = EBADMSG;
		if (poll(&in, 1, -1) < 0 || recv(peers[i].in, &byte, 1, 0))
			fail("the end of a stream");
	}
}

int main(int argc, char **argv)
{
	int64_t first, last;

	read_arguments(argc, argv);
	alarm(limit);
	connect_all();
	first = tai_ns();
	for (uint64_t round = 1; round <= rounds; round++) {
		exchange(round * bytes);
		if (round < rounds && pause_ms)
			poll(NULL, 0, (int)pause_ms);
	}
	last = tai_ns();
	finish();
	printf("alltoall: rank %u of %u: %" PRIu64 " bytes from each, from %" PRId64 " to %" PRId64
	       "\n", self, rank_count, rounds * bytes, first, last);
	return 0;
}
