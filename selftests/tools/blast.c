// SPDX-License-Identifier: GPL-2.0-only
/*
 * blast: real sockets from every sender to every receiver, and exact accounts of what arrived
 *
 *	blast udp|tcp [OPTION]... NETNS@ADDRESS... -- NETNS@ADDRESS...
 *	  --bytes N	payload of a flow (100000)
 *	  --size N	payload of a datagram (1000)
 *	  --rate BPS	payload rate of a flow; 0: as fast as the socket takes it (0)
 *	  --at TAI_NS	when to start (at once)
 *	  --linger MS	how long to wait for stragglers when all is sent (1000)
 *	  --limit S	give up after that time (60)
 *	  --mark N	SO_MARK of the senders
 *	  --tos N	IP_TOS of the senders, IPV6_TCLASS of those of IPv6
 *	  --user UID	the senders' options are set as this user, without privileges
 *	  --sndbuf N	SO_SNDBUF of the senders
 *	  --port N	(5000)
 *	  --verbose	a line a flow
 *	  --send-only	the receivers are another program's
 *	  --lossy	losses are counted, but no failure
 *
 * One socket a flow, so that one closed gate blocks no other. One process holds all sockets, so
 * that the sums are exact. A datagram carries its flow and number: lost, doubled and misordered
 * ones are distinguished. A stream carries a pattern that depends on flow and position.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include "netns.h"

#define HOSTS_MAX	64
#define CHUNK		16384
#define MAGIC		0x6c697175U

struct address {
	char netns[32];
	struct sockaddr_storage where;
	socklen_t size;
};

struct flow {
	int fd;
	unsigned int src, dst;
	uint64_t sent, received;		/* bytes */
	uint32_t next, expected;		/* datagrams */
	uint64_t datagrams, doubled, misordered, corrupt;
	unsigned char *seen;			/* a bit a datagram */
	bool open, done, armed;
	int64_t due;
};

/* Who an epoll event is about. */
enum role { SENDER, RECEIVER, LISTENER, STREAM };

struct source {
	enum role role;
	unsigned int number;
	int fd;
	uint64_t at;			/* of a stream */
	uint32_t flow;			/* of a stream, from its first bytes */
	unsigned char head[8];
};

struct datagram {
	uint32_t magic, flow, number;
};

static struct {
	bool tcp, verbose, lossy, send_only;
	uint64_t bytes, rate, size;
	int64_t at;
	unsigned int linger, limit, mark, tos, sndbuf, port;
	uid_t user;
} options = { .bytes = 100000, .size = 1000, .linger = 1000, .limit = 60, .port = 5000 };

static struct address senders[HOSTS_MAX], receivers[HOSTS_MAX];
static unsigned int sender_count, receiver_count, flow_count, waiting, unfinished;
static struct flow *flows;
static int epoll;
static int64_t begin, last_arrival;

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "blast: %s: %s\n", what, strerror(errno));
	exit(2);
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void watch(struct source *source, uint32_t events, int how)
{
	struct epoll_event event = { .events = events, .data.ptr = source };

	if (epoll_ctl(epoll, how, source->fd, &event))
		fail("epoll");
}

static struct source *new_source(enum role role, unsigned int number, int fd)
{
	struct source *source = calloc(1, sizeof(*source));

	if (!source)
		fail("memory");
	source->role = role;
	source->number = number;
	source->fd = fd;
	return source;
}

static unsigned char pattern(uint32_t flow, uint64_t at)
{
	return (unsigned char)(at ^ at >> 8 ^ at >> 16 ^ (uint64_t)flow * 37);
}

/* ---- set up ---- */

static void parse_address(char *text, struct address *address)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)&address->where;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&address->where;
	char *at = strchr(text, '@');

	errno = EINVAL;
	if (!at || (size_t)(at - text) >= sizeof(address->netns))
		fail(text);
	memcpy(address->netns, text, (size_t)(at - text));
	if (inet_pton(AF_INET, at + 1, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)options.port);
		address->size = sizeof(*v4);
	} else if (inet_pton(AF_INET6, at + 1, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((uint16_t)options.port);
		address->size = sizeof(*v6);
	} else {
		fail(text);
	}
}

static int new_socket(const struct address *address)
{
	int fd, one = 1, room = 16 << 20;

	netns_enter(address->netns);
	fd = socket(address->where.ss_family,
		    (options.tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		fail("socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!options.tcp)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	return fd;
}

static void open_receiver(unsigned int number)
{
	const struct address *address = &receivers[number];
	int fd = new_socket(address);

	if (bind(fd, (const struct sockaddr *)&address->where, address->size) ||
	    (options.tcp && listen(fd, HOSTS_MAX)))
		fail("bind");
	watch(new_source(options.tcp ? LISTENER : RECEIVER, number, fd), EPOLLIN, EPOLL_CTL_ADD);
}

/* Effective capabilities go with the user's id, and come back with root's. */
static void mark(int fd, bool ipv6)
{
	int level = ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, name = ipv6 ? IPV6_TCLASS : IP_TOS;

	if (options.user && seteuid(options.user))
		fail("user");
	if (options.mark && setsockopt(fd, SOL_SOCKET, SO_MARK, &options.mark, sizeof(int)))
		fail("mark");
	if (options.tos && setsockopt(fd, level, name, &options.tos, sizeof(int)))
		fail("tos");
	if (options.user && seteuid(0))
		fail("user 0");
}

static void open_flow(unsigned int number)
{
	struct flow *flow = &flows[number];
	const struct address *from = &senders[flow->src], *to = &receivers[flow->dst];
	struct sockaddr_storage bound = from->where;

	flow->fd = new_socket(from);
	((struct sockaddr_in *)&bound)->sin_port = 0;	/* the same place in sockaddr_in6 */
	if (bind(flow->fd, (struct sockaddr *)&bound, from->size))
		fail("bind a sender");
	mark(flow->fd, from->where.ss_family == AF_INET6);
	if (options.sndbuf)
		setsockopt(flow->fd, SOL_SOCKET, SO_SNDBUFFORCE, &options.sndbuf, sizeof(int));
	if (connect(flow->fd, (const struct sockaddr *)&to->where, to->size) &&
	    errno != EINPROGRESS)
		fail("connect");
	flow->seen = calloc(options.bytes / (options.size ? options.size : 1) / 8 + 2, 1);
	if (!flow->seen)
		fail("memory");
	flow->open = true;
	watch(new_source(SENDER, number, flow->fd), 0, EPOLL_CTL_ADD);
}

static bool same_host(const struct address *a, const struct address *b)
{
	return !strcmp(a->netns, b->netns) && !memcmp(&a->where, &b->where, a->size);
}

static void open_all(void)
{
	flows = calloc((size_t)sender_count * receiver_count + 1, sizeof(*flows));
	if (!flows)
		fail("memory");
	for (unsigned int i = 0; i < receiver_count && !options.send_only; i++)
		open_receiver(i);
	for (unsigned int s = 0; s < sender_count; s++)
		for (unsigned int r = 0; r < receiver_count; r++) {
			if (same_host(&senders[s], &receivers[r]))
				continue;
			flows[flow_count].src = s;
			flows[flow_count].dst = r;
			open_flow(flow_count++);
		}
	netns_enter("-");
	waiting = unfinished = flow_count;
}

/* ---- sending ---- */

static ssize_t send_datagram(struct flow *flow, unsigned int number)
{
	static unsigned char bytes[65536];
	uint64_t left = options.bytes - flow->sent;
	size_t size = left < options.size ? left : options.size;
	struct datagram head = { MAGIC, number, flow->next };
	ssize_t sent;

	if (size < sizeof(head))
		size = sizeof(head);
	memcpy(bytes, &head, sizeof(head));
	sent = send(flow->fd, bytes, size, MSG_DONTWAIT);
	if (sent > 0)
		flow->next++;
	return sent;
}

/* A stream begins with its flow's number, so that the receiver knows whose it is. */
static ssize_t send_stream(struct flow *flow, unsigned int number)
{
	unsigned char bytes[CHUNK];
	uint32_t head[2] = { MAGIC, number };
	uint64_t left = options.bytes - flow->sent, from = flow->sent;
	size_t size = left < sizeof(bytes) ? left : sizeof(bytes);

	for (size_t i = 0; i < size; i++)
		bytes[i] = pattern(number, from + i);
	for (size_t i = 0; i < size && from + i < sizeof(head); i++)
		bytes[i] = ((unsigned char *)head)[from + i];
	return send(flow->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void finish_sending(struct flow *flow)
{
	flow->done = true;
	waiting--;
	if (options.tcp)
		shutdown(flow->fd, SHUT_WR);
}

/* Send what is due; true: the socket is full and must be waited for. */
static bool pump(unsigned int number, int64_t now)
{
	struct flow *flow = &flows[number];
	ssize_t sent;

	while (!flow->done && flow->due <= now) {
		sent = options.tcp ? send_stream(flow, number) : send_datagram(flow, number);
		if (sent < 0 && (errno == EAGAIN || errno == EINPROGRESS || errno == ENOTCONN))
			return true;
		/*
		 * a qdisc that drops says so here, and so does a device that is down: it is lost
		 */
		if (sent < 0 && (errno == ENOBUFS || errno == ECONNREFUSED ||
				 errno == ENETUNREACH || errno == ENETDOWN)) {
			flow->due = now + 1000000;
			continue;
		}
		if (sent < 0)
			fail("send");
		flow->sent += (uint64_t)sent;
		if (options.rate)
			flow->due += sent * 8 * 1000000000LL / (int64_t)options.rate;
		if (flow->sent >= options.bytes)
			finish_sending(flow);
	}
	return false;
}

/* ---- receiving ---- */

static void count_datagram(unsigned int receiver, const unsigned char *bytes, size_t size)
{
	struct datagram head;
	struct flow *flow;

	if (size < sizeof(head))
		return;
	memcpy(&head, bytes, sizeof(head));
	if (head.magic != MAGIC || head.flow >= flow_count || flows[head.flow].dst != receiver ||
	    head.number >= flows[head.flow].next) {
		if (flow_count)
			flows[0].corrupt++;
		return;
	}
	flow = &flows[head.flow];
	flow->datagrams++;
	if (flow->seen[head.number / 8] & 1 << head.number % 8) {
		flow->doubled++;
		return;
	}
	flow->seen[head.number / 8] |= (unsigned char)(1 << head.number % 8);
	if (head.number < flow->expected)
		flow->misordered++;
	else
		flow->expected = head.number + 1;
	flow->received += size;
	if (flow->done && flow->received >= flow->sent)
		unfinished--;
}

static void receive_datagrams(struct source *source)
{
	static unsigned char bytes[65536];
	ssize_t got;

	while ((got = recv(source->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) >= 0) {
		last_arrival = clock_ns(CLOCK_MONOTONIC);
		count_datagram(source->number, bytes, (size_t)got);
	}
}

static void check_stream(struct source *source, const unsigned char *bytes, size_t size)
{
	size_t i = 0;

	for (; i < size && source->at < sizeof(source->head); i++)
		source->head[source->at++] = bytes[i];
	if (source->at < sizeof(source->head))
		return;
	memcpy(&source->flow, source->head + 4, sizeof(source->flow));
	if (source->flow >= flow_count || flows[source->flow].dst != source->number) {
		flows[0].corrupt++;
		source->flow = 0;
	}
	for (; i < size; i++, source->at++)
		if (bytes[i] != pattern(source->flow, source->at))
			flows[source->flow].corrupt++;
	flows[source->flow].received = source->at;
}

static void receive_stream(struct source *source)
{
	unsigned char bytes[CHUNK];
	ssize_t got;

	while ((got = recv(source->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
		last_arrival = clock_ns(CLOCK_MONOTONIC);
		check_stream(source, bytes, (size_t)got);
	}
	if (got < 0 && errno == EAGAIN)
		return;
	if (got < 0)
		flows[0].corrupt++;
	close(source->fd);
	unfinished--;
	free(source);
}

static void accept_stream(struct source *listener)
{
	int fd;

	while ((fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
		watch(new_source(STREAM, listener->number, fd), EPOLLIN, EPOLL_CTL_ADD);
}

/* ---- the loop ---- */

static void handle(struct source *source, int64_t now)
{
	switch (source->role) {
	case SENDER:
		flows[source->number].armed = pump(source->number, now);
		if (!flows[source->number].armed)
			watch(source, 0, EPOLL_CTL_MOD);
		break;
	case RECEIVER:
		receive_datagrams(source);
		break;
	case LISTENER:
		accept_stream(source);
		break;
	case STREAM:
		receive_stream(source);
		break;
	}
}

/* Pump the flows that wait for their time and not for room; the time of the next one. */
static int64_t pump_due(struct source **sources, int64_t now)
{
	int64_t next = INT64_MAX;

	for (unsigned int i = 0; i < flow_count; i++) {
		struct flow *flow = &flows[i];

		if (flow->done || flow->armed)
			continue;
		if (flow->due <= now && pump(i, now)) {
			flow->armed = true;
			watch(sources[i], EPOLLOUT, EPOLL_CTL_MOD);
		} else if (!flow->done && flow->due < next) {
			next = flow->due;
		}
	}
	return next;
}

static int wait_ms(int64_t next, int64_t now)
{
	if (next == INT64_MAX || next - now > 20000000)
		return 20;
	return next <= now ? 0 : (int)((next - now + 999999) / 1000000);
}

/* The epoll data of each sender, by flow. */
static struct source **sender_sources(void)
{
	struct source **sources = calloc(flow_count + 1, sizeof(*sources));

	for (unsigned int i = 0; sources && i < flow_count; i++) {
		sources[i] = new_source(SENDER, i, flows[i].fd);
		watch(sources[i], 0, EPOLL_CTL_MOD);
	}
	if (!sources)
		fail("memory");
	return sources;
}

static bool is_over(int64_t now, int64_t end)
{
	if (now > end || !unfinished)
		return true;
	if (waiting)
		return false;
	return !options.tcp && now - last_arrival > options.linger * 1000000LL;
}

static void run(void)
{
	struct source **sources = sender_sources();
	struct epoll_event events[64];
	int64_t now, end, next;
	int count;

	if (options.at > clock_ns(CLOCK_TAI)) {
		int64_t left = options.at - clock_ns(CLOCK_TAI);
		struct timespec rest = { left / 1000000000, left % 1000000000 };

		nanosleep(&rest, NULL);
	}
	now = begin = last_arrival = clock_ns(CLOCK_MONOTONIC);
	end = now + options.limit * 1000000000LL;
	for (unsigned int i = 0; i < flow_count; i++)
		flows[i].due = now;
	while (!is_over(now, end)) {
		next = pump_due(sources, now);
		count = epoll_wait(epoll, events, 64, wait_ms(next, now));
		now = clock_ns(CLOCK_MONOTONIC);
		for (int i = 0; i < count; i++)
			handle(events[i].data.ptr, now);
	}
}

static int report(int64_t took)
{
	uint64_t sent = 0, received = 0, doubled = 0, misordered = 0, corrupt = 0, packets = 0,
	lost = 0;

	for (unsigned int i = 0; i < flow_count; i++) {
		const struct flow *flow = &flows[i];

		if (options.verbose)
			printf("flow %s %s sent %" PRIu64 " received %" PRIu64 "\n",
			       senders[flow->src].netns, receivers[flow->dst].netns, flow->sent,
			       flow->received);
		sent += flow->sent;
		received += flow->received;
		doubled += flow->doubled;
		misordered += flow->misordered;
		corrupt += flow->corrupt;
		packets += flow->next;
		lost += options.tcp ? 0 : flow->next - (flow->datagrams - flow->doubled);
	}
	printf("flows=%u sent=%" PRIu64 " received=%" PRIu64 " packets=%" PRIu64 " lost=%" PRIu64
	       " doubled=%" PRIu64 " misordered=%" PRIu64 " corrupt=%" PRIu64 " unsent=%u "
	       "ms=%" PRId64
	       "\n", flow_count, sent, received, packets, lost, doubled, misordered, corrupt,
	       waiting,
	       took / 1000000);
	if (doubled || misordered || corrupt || !flow_count)
		return 1;
	return !options.lossy && (received != sent || sent != options.bytes * flow_count);
}

static int parse_option(char **argv, int i, int argc)
{
	const char *value = i + 1 < argc ? argv[i + 1] : "0";

	if (!strcmp(argv[i], "--verbose"))
		options.verbose = true;
	else if (!strcmp(argv[i], "--lossy"))
		options.lossy = true;
	else if (!strcmp(argv[i], "--send-only"))
		options.send_only = options.lossy = true;
	else if (!strcmp(argv[i], "--bytes"))
		options.bytes = strtoull(value, NULL, 0);
	else if (!strcmp(argv[i], "--size"))
		options.size = strtoull(value, NULL, 0);
	else if (!strcmp(argv[i], "--rate"))
		options.rate = strtoull(value, NULL, 0);
	else if (!strcmp(argv[i], "--at"))
		options.at = strtoll(value, NULL, 0);
	else if (!strcmp(argv[i], "--linger"))
		options.linger = (unsigned int)strtoul(value, NULL, 0);
	else if (!strcmp(argv[i], "--limit"))
		options.limit = (unsigned int)strtoul(value, NULL, 0);
	else if (!strcmp(argv[i], "--mark"))
		options.mark = (unsigned int)strtoul(value, NULL, 0);
	else if (!strcmp(argv[i], "--tos"))
		options.tos = (unsigned int)strtoul(value, NULL, 0);
	else if (!strcmp(argv[i], "--user"))
		options.user = (uid_t)strtoul(value, NULL, 0);
	else if (!strcmp(argv[i], "--sndbuf"))
		options.sndbuf = (unsigned int)strtoul(value, NULL, 0);
	else if (!strcmp(argv[i], "--port"))
		options.port = (unsigned int)strtoul(value, NULL, 0);
	else
		return -1;
	return i + (strcmp(argv[i], "--verbose") && strcmp(argv[i], "--lossy") &&
		    strcmp(argv[i], "--send-only"));
}

static void parse(int argc, char **argv)
{
	bool right = false;

	options.tcp = argc > 1 && !strcmp(argv[1], "tcp");
	for (int i = 2; i < argc; i++) {
		errno = E2BIG;
		if (!strcmp(argv[i], "--")) {
			right = true;
		} else if (!strncmp(argv[i], "--", 2)) {
			i = parse_option(argv, i, argc);
			if (i < 0)
				fail("unknown option");
		} else if ((right ? receiver_count : sender_count) == HOSTS_MAX) {
			fail(argv[i]);
		} else if (right) {
			parse_address(argv[i], &receivers[receiver_count++]);
		} else {
			parse_address(argv[i], &senders[sender_count++]);
		}
	}
	if (options.size > 65000)
		options.size = 65000;
}

int main(int argc, char **argv)
{
	struct rlimit files = { 8192, 8192 };

	if (argc < 2 || (strcmp(argv[1], "udp") && strcmp(argv[1], "tcp"))) {
		fputs("usage: blast udp|tcp [OPTION]... NETNS@ADDRESS... -- NETNS@ADDRESS...\n",
		      stderr);
		return 2;
	}
	setrlimit(RLIMIT_NOFILE, &files);
	parse(argc, argv);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	open_all();
	run();
	return report(last_arrival - begin);
}
