// SPDX-License-Identifier: GPL-2.0-only
/*
 * event-builder: each rank sends a fragment of every event to each other one, over TCP, in the
 * order of a plan: a piece begins when the links of its path are free. See Documentation/plans.rst.
 *
 *	cc event-builder.c $(pkg-config --cflags --libs liquidsched) -o event-builder
 *	event-builder FABRIC RANK BYTES EVENTS ADDRESS:PORT...
 *
 * It is started once for each rank, with the same addresses, one for each host of the fabric in
 * order. Data goes over TCP, tokens over UDP, to the same port. Each wait has an end: a rank that
 * does not come or does not go on is named, and the exit code is 1.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <liquidsched.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define RANKS_MAX	1024
#define PATIENCE_S	10		/* for others to start, to go on and to end */
#define LOOK_NS		50000		/* between looks whether a piece has left */
#define TIMEOUT_NS	5000000000	/* for a token; then a piece goes without */

struct token {
	uint32_t slot, zero;
	uint64_t epoch;
};

static uint32_t ranks, me;
static uint64_t bytes, events;
static struct sockaddr_in address[RANKS_MAX];
static int out[RANKS_MAX], in[RANKS_MAX], tokens;
static uint64_t got[RANKS_MAX];		/* bytes, of all events */
static int64_t moved;			/* when bytes last went or came */
static int ready = -1;			/* a descriptor to wait for in addition */
static const struct liquid_piece *pieces;
static struct liquid_run *run;

static void fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "event-builder: rank %u: ", me);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void check(bool right, const char *what)
{
	if (!right)
		fail("%s: %s", what, strerror(errno));
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* ---- the beginning: a connection from each rank to each other one ---- */

static int new_socket(int type)
{
	struct timeval patience = { .tv_sec = PATIENCE_S };
	int one = 1, fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	check(fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	      !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) &&
	      !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), "socket");
	return fd;
}

static void connect_to(uint32_t rank, int64_t until)
{
	uint32_t hello = htobe32(me);
	int one = 1;

	for (;;) {
		out[rank] = new_socket(SOCK_STREAM);
		if (!connect(out[rank], (void *)&address[rank], sizeof(address[rank])))
			break;
		if (now() > until)
			fail("rank %u does not answer: %s", rank, strerror(errno));
		close(out[rank]);
		usleep(20000);
	}
	check(!setsockopt(out[rank], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)), "TCP_NODELAY");
	check(send(out[rank], &hello, sizeof(hello), MSG_NOSIGNAL) == sizeof(hello), "hello");
}

static void accept_one(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct timeval patience = { .tv_sec = PATIENCE_S };
	uint32_t hello;

	check(fd >= 0, "not all ranks have come: accept");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	check(recv(fd, &hello, sizeof(hello), MSG_WAITALL) == sizeof(hello), "hello");
	hello = be32toh(hello);
	if (hello >= ranks || hello == me || in[hello] >= 0)
		fail("a stranger has come as rank %u", hello);
	in[hello] = fd;
}

static void connect_all(void)
{
	int listener = new_socket(SOCK_STREAM);
	int64_t until = now() + PATIENCE_S * 1000000000LL;

	tokens = new_socket(SOCK_DGRAM);
	check(!bind(listener, (void *)&address[me], sizeof(address[me])) &&
	      !listen(listener, (int)ranks) &&
	      !bind(tokens, (void *)&address[me], sizeof(address[me])), "bind");
	memset(in, -1, sizeof(in));
	for (uint32_t rank = 0; rank < ranks; rank++)
		if (rank != me)
			connect_to(rank, until);
	for (uint32_t others = ranks - 1; others; others--)
		accept_one(listener);
	close(listener);
}

/* ---- an event ---- */

static char byte_of(uint32_t src, uint64_t at)
{
	return (char)(src * 31 + at / bytes * 7 + at % bytes);
}

static void take(uint32_t rank, const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++, got[rank]++)
		if (data[i] != byte_of(rank, got[rank]))
			fail("wrong data of rank %u at byte %llu", rank,
			     (unsigned long long)got[rank]);
}

#ifdef RDMA				/* by event-builder-rdma.c */
static void rdma_open(const struct liquid_plan *plan, char *message);
static void rdma_meet(void);
static void transport_receive(void);
static void transport_send(uint32_t peer, const char *message, struct liquid_cut *cut);
static bool transport_has_left(uint32_t peer);
#else
static void receive_from(uint32_t rank)
{
	static char data[65536];
	ssize_t size;

	for (; (size = recv(in[rank], data, sizeof(data), MSG_DONTWAIT)) > 0; moved = now())
		take(rank, data, (size_t)size);
	if (!size && got[rank] < events * bytes)
		fail("rank %u has ended", rank);
	check(!size || errno == EAGAIN, "receive");
}

static void transport_receive(void)
{
	for (uint32_t rank = 0; rank < ranks; rank++)
		if (rank != me && got[rank] < events * bytes)
			receive_from(rank);
}

static void transport_send(uint32_t peer, const char *message, struct liquid_cut *cut)
{
	while (cut->main) {
		ssize_t size = send(out[peer], message + cut->offset, cut->main,
				    MSG_DONTWAIT | MSG_NOSIGNAL);

		if (size < 0 && errno == EAGAIN)
			break;
		check(size >= 0, "send");
		cut->offset += (uint64_t)size;
		cut->main -= (uint64_t)size;
		moved = now();
	}
	ready = cut->main ? out[peer] : -1;
}

/* A piece has left when the peer's kernel has acknowledged all of it. */
static bool transport_has_left(uint32_t peer)
{
	int queued;

	check(!ioctl(out[peer], SIOCOUTQ, &queued), "SIOCOUTQ");
	return !queued;
}
#endif

static void take_tokens(void)
{
	struct token token;

	while (recv(tokens, &token, sizeof(token), MSG_DONTWAIT) == sizeof(token))
		liquid_run_token(run, be32toh(token.slot), be64toh(token.epoch));
}

static void give_tokens(uint32_t piece)
{
	uint32_t count;
	const struct liquid_token *give = liquid_run_left(run, piece, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct token token = { .slot = htobe32(give[i].slot),
				       .epoch = htobe64(liquid_run_stats(run)->epoch) };

		/* One that is lost costs the other rank a timeout. */
		sendto(tokens, &token, sizeof(token), MSG_NOSIGNAL,
		       (void *)&address[give[i].rank], sizeof(address[0]));
	}
}

/* Until something comes, something can go, or @ns have passed */
static void wait_for(int64_t ns)
{
	struct timespec time = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
	struct pollfd polled[RANKS_MAX + 1];

	for (uint32_t rank = 0; rank < ranks; rank++)
		polled[rank] = (struct pollfd){ .fd = got[rank] < events * bytes ? in[rank] : -1,
						.events = POLLIN };
	polled[me] = (struct pollfd){ .fd = tokens, .events = POLLIN };
	polled[ranks] = (struct pollfd){ .fd = ready, .events = POLLIN | POLLOUT };
	ppoll(polled, ranks + 1, &time, NULL);
}

/* The rank whose fragment of the event is not complete; ranks: all are here */
static uint32_t missing(uint64_t event)
{
	uint32_t rank = 0;

	while (rank < ranks && (rank == me || got[rank] >= (event + 1) * bytes))
		rank++;
	return rank;
}

static void exchange(uint64_t event, char *message)
{
	struct liquid_next next = { .step = LIQUID_RUN_WAIT_LEFT };
	struct liquid_cut cut = { 0 };
	bool sending = false;

	for (uint64_t at = 0; at < bytes; at++)
		message[at] = byte_of(me, event * bytes + at);
	while (sending || next.step != LIQUID_RUN_DONE || missing(event) < ranks) {
		int64_t time = now(), wait = 100000000;

		if (time > moved + PATIENCE_S * 1000000000LL)
			fail("event %llu: rank %u does not go on", (unsigned long long)event,
			     sending ? pieces[next.piece].peer : missing(event));
		take_tokens();
		transport_receive();
		if (!sending) {
			liquid_run_next(run, time, &next);
			sending = next.step == LIQUID_RUN_SEND;
			if (sending)
				liquid_piece_cut(&pieces[next.piece], bytes, 0, &cut);
			if (next.step == LIQUID_RUN_WAIT_TOKEN)
				wait = next.until_ns - time;
		}
		if (sending) {
			uint32_t peer = pieces[next.piece].peer;

			if (cut.main)
				transport_send(peer, message, &cut);
			if (!cut.main && transport_has_left(peer)) {
				give_tokens(next.piece);
				sending = false;
				continue;
			}
			if (!cut.main)
				wait = LOOK_NS;
		}
		if (next.step != LIQUID_RUN_DONE || missing(event) < ranks)
			wait_for(wait > 0 ? wait : 0);
	}
}

static void read_arguments(int argc, char **argv)
{
	if (argc < 7 || argc - 5 > RANKS_MAX) {
		fprintf(stderr, "usage: event-builder FABRIC RANK BYTES EVENTS ADDRESS:PORT...\n");
		exit(2);
	}
	ranks = (uint32_t)argc - 5;
	me = (uint32_t)strtoul(argv[2], NULL, 10);
	bytes = strtoull(argv[3], NULL, 10);
	events = strtoull(argv[4], NULL, 10);
	if (me >= ranks || !bytes || bytes > 1 << 30 || !events)
		fail("not a rank, or nothing to send");
	for (uint32_t rank = 0; rank < ranks; rank++) {
		char *colon = strchr(argv[5 + rank], ':');

		if (colon)
			*colon = '\0';
		address[rank].sin_family = AF_INET;
		address[rank].sin_port = htons((uint16_t)(colon ? atoi(colon + 1) : 0));
		if (inet_pton(AF_INET, argv[5 + rank], &address[rank].sin_addr) != 1 || !colon)
			fail("not ADDRESS:PORT: '%s'", argv[5 + rank]);
	}
}

/* The same input gives the same plan on every machine. */
static struct liquid_plan *make_plan(const char *path, struct liquid_error *err)
{
	struct liquid_plan_options options = { .cyclic = true };
	uint64_t *matrix = malloc((size_t)ranks * ranks * sizeof(*matrix));
	struct liquid_fabric *fabric = NULL;
	struct liquid_plan *plan = NULL;
	FILE *file = fopen(path, "r");

	check(file && matrix, path);
	for (size_t i = 0; i < (size_t)ranks * ranks; i++)
		matrix[i] = bytes;
	if (liquid_fabric_read(file, path, &fabric, err))
		fail("%s", err->text);
	if (liquid_fabric_host_count(fabric) != ranks)
		fail("the fabric has %u hosts", liquid_fabric_host_count(fabric));
	if (liquid_plan_make_matrix(fabric, matrix, &options, NULL, &plan, err))
		fail("%s", err->text);
	fclose(file);
	free(matrix);
	liquid_fabric_free(fabric);
	return plan;
}

int main(int argc, char **argv)
{
	struct liquid_run_options options = { .timeout_ns = TIMEOUT_NS };
	const struct liquid_run_stats *stats;
	struct liquid_plan *plan;
	struct liquid_error err;
	uint32_t count;
	int64_t begun;
	char *message;

	read_arguments(argc, argv);
	plan = make_plan(argv[1], &err);
	pieces = liquid_plan_pieces(plan, me, &count);
	message = malloc(bytes);
	check(message, "memory");
	if (liquid_run_new(plan, me, &options, &run, &err))
		fail("%s", err.text);
	connect_all();
#ifdef RDMA
	rdma_open(plan, message);
#endif
	begun = moved = now();
	for (uint64_t event = 0; event < events; event++) {
		if (liquid_run_begin(run, 0, &err))
			fail("%s", err.text);
		exchange(event, message);
	}
	stats = liquid_run_stats(run);
	printf("rank %u: %llu events in %lld ms, %llu pieces sent, %llu without a token\n", me,
	       (unsigned long long)events, (long long)(now() - begun) / 1000000,
	       (unsigned long long)stats->sent, (unsigned long long)stats->unsynchronised);
#ifdef RDMA			/* A rank that has ended acknowledges nothing. */
	rdma_meet();
#endif
	liquid_run_free(run);
	liquid_plan_free(plan);
	free(message);
	return 0;
}
