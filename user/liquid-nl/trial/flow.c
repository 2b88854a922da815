// SPDX-License-Identifier: GPL-2.0-only
/*
 * Traffic between all nodes, as much as they can send
 *
 * Each two nodes share a connection, of TCP or UDP, which carries data both ways. On a node each
 * connection has a thread that sends and one that receives, so that no peer waits for another.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "clock/clock-ns.h"
#include "trial/trial.h"

#define CHUNK		(256 * 1024)
#define DATAGRAM_MOST	65000		/* bytes of datagrams that are sent at once, and received */
#define SEGMENTS_MOST	44		/* of them */
#define CONNECT_NS	20000000000	/* time for all connections */
#define PAUSE_NS	20000000	/* between two tries to connect */
#define ROUSE_US	200000		/* a thread looks that often whether it is to end */

const char *const trial_transports[] = { "tcp", "udp", NULL };

struct peer {
	struct trial_flow *flow;
	int fd;				/* -1: none */
	bool sending, receiving;	/* its threads run */
	pthread_t sender, receiver;
	_Atomic uint64_t sent, received;
};

struct trial_flow {
	struct trial_flow_args args;
	int listener;
	size_t chunk, segment;		/* bytes of a call, and of a datagram */
	_Atomic bool over;
	_Atomic int error;		/* the first one of a thread */
	struct peer peer[TRIAL_NODES_MAX];
};

static bool fail(char why[TRIAL_WHY], const char *what)
{
	snprintf(why, TRIAL_WHY, "%s: %s", what, strerror(errno));
	return false;
}

/* ---- sockets ---- */

/* What only root may set is not needed by all; a device that it is not bound to would be. */
static bool set_options(int fd, const struct trial_flow_args *args)
{
	const struct timeval rouse = { .tv_usec = ROUSE_US };
	int one = 1, bytes = (int)args->buffer_bytes, mark = TRIAL_MARK;

	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	(void)setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark));
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	return !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &rouse, sizeof(rouse)) &&
	       !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &rouse, sizeof(rouse)) &&
	       !setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, args->device, strlen(args->device));
}

int trial_socket(const struct trial_flow_args *args, int type, uint16_t port, bool listening)
{
	struct sockaddr_storage own;
	socklen_t size;
	int fd;

	errno = EINVAL;
	if (!trial_address(args->address[args->self], port, &own, &size))
		return -1;
	fd = socket(own.ss_family, type | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (set_options(fd, args) && !bind(fd, (struct sockaddr *)&own, size) &&
	    (!listening || !listen(fd, TRIAL_NODES_MAX)))
		return fd;
	close(fd);
	return -1;
}

static int connect_to(const struct trial_flow_args *args, int fd, unsigned int peer, uint16_t port)
{
	struct sockaddr_storage address;
	socklen_t size;

	errno = EINVAL;
	return trial_address(args->address[peer], port, &address, &size) ?
	       connect(fd, (struct sockaddr *)&address, size) : -1;
}

static bool open_datagrams(struct trial_flow *flow)
{
	const struct trial_flow_args *args = &flow->args;
	uint16_t port = args->port + TRIAL_PORT_UDP;

	for (unsigned int i = 0; i < args->count; i++) {
		if (i == args->self)
			continue;
		flow->peer[i].fd = trial_socket(args, SOCK_DGRAM, port + i, false);
		if (flow->peer[i].fd < 0 ||
		    connect_to(args, flow->peer[i].fd, i, port + args->self))
			return false;
	}
	return true;
}

static void set_sizes(struct trial_flow *flow)
{
	bool ipv6 = strchr(flow->args.address[flow->args.self], ':');

	flow->chunk = CHUNK;
	if (flow->args.transport != TRIAL_UDP)
		return;
	flow->segment = flow->args.mtu - (ipv6 ? 48 : 28);
	flow->chunk = DATAGRAM_MOST / flow->segment;
	if (flow->chunk > SEGMENTS_MOST)
		flow->chunk = SEGMENTS_MOST;
	flow->chunk = flow->chunk ? flow->chunk * flow->segment : flow->segment;
}

struct trial_flow *trial_flow_open(const struct trial_flow_args *args, char why[TRIAL_WHY])
{
	struct trial_flow *flow = calloc(1, sizeof(*flow));
	bool opened;

	if (!flow) {
		fail(why, "no memory");
		return NULL;
	}
	flow->args = *args;
	flow->listener = -1;
	for (unsigned int i = 0; i < TRIAL_NODES_MAX; i++) {
		flow->peer[i].flow = flow;
		flow->peer[i].fd = -1;
	}
	set_sizes(flow);
	if (args->transport == TRIAL_UDP)
		opened = open_datagrams(flow);
	else
		opened = (flow->listener = trial_socket(args, SOCK_STREAM,
							args->port + TRIAL_PORT_TCP, true)) >= 0;
	if (opened)
		return flow;
	fail(why, "cannot open a socket on the device");
	trial_flow_close(flow);
	return NULL;
}

/* ---- connections of TCP: nodes connect to those with lower numbers ---- */

struct greeting {
	char session[TRIAL_HEX];
	uint8_t from;
};

static bool reach(struct trial_flow *flow, unsigned int peer, int64_t deadline)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	const struct trial_flow_args *args = &flow->args;
	struct greeting hello = { .from = (uint8_t)args->self };
	int fd = trial_socket(args, SOCK_STREAM, 0, false);

	snprintf(hello.session, sizeof(hello.session), "%s", args->session);
	if (fd < 0)
		return false;
	/* The device's queue may be full of others' packets. */
	while (connect_to(args, fd, peer, args->port + TRIAL_PORT_TCP)) {
		if ((errno != EINPROGRESS && errno != EALREADY && errno != EAGAIN) ||
		    clock_ns(CLOCK_MONOTONIC) > deadline) {
			close(fd);
			return false;
		}
		nanosleep(&pause, NULL);
	}
	flow->peer[peer].fd = fd;
	return send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) == sizeof(hello);
}

/* A stranger's connection is closed. */
static bool take_greeting(struct trial_flow *flow, int fd)
{
	struct greeting hello = { .from = TRIAL_NODES_MAX };
	const struct timeval limit = { .tv_sec = 5 };

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (recv(fd, &hello, sizeof(hello), MSG_WAITALL) != sizeof(hello) ||
	    hello.session[TRIAL_HEX - 1] || !trial_same(hello.session, flow->args.session) ||
	    hello.from <= flow->args.self || hello.from >= flow->args.count ||
	    flow->peer[hello.from].fd >= 0 || !set_options(fd, &flow->args))
		return false;
	flow->peer[hello.from].fd = fd;
	return true;
}

static bool accept_one(struct trial_flow *flow, int64_t deadline)
{
	struct pollfd listener = { .fd = flow->listener, .events = POLLIN };
	int64_t left = (deadline - clock_ns(CLOCK_MONOTONIC)) / 1000000;
	int fd;

	errno = ETIMEDOUT;
	if (left <= 0 || poll(&listener, 1, (int)left) <= 0)
		return false;
	fd = accept4(flow->listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0 && !take_greeting(flow, fd))
		close(fd);
	return true;
}

static bool is_missing(const struct trial_flow *flow)
{
	for (unsigned int i = flow->args.self + 1; i < flow->args.count; i++)
		if (flow->peer[i].fd < 0)
			return true;
	return false;
}

bool trial_flow_connect(struct trial_flow *flow, char why[TRIAL_WHY])
{
	int64_t deadline = trial_deadline(CONNECT_NS);

	if (flow->args.transport == TRIAL_UDP)
		return true;
	for (unsigned int i = 0; i < flow->args.self; i++)
		if (!reach(flow, i, deadline)) {
			snprintf(why, TRIAL_WHY, "node%u is not reached over the device: %s", i,
				 strerror(errno));
			return false;
		}
	while (is_missing(flow))
		if (!accept_one(flow, deadline))
			return fail(why, "not all nodes have connected over the device");
	close(flow->listener);
	flow->listener = -1;
	return true;
}

/* ---- threads ---- */

static void note(struct trial_flow *flow, int error)
{
	int none = 0;

	atomic_compare_exchange_strong(&flow->error, &none, error);
}

/* A datagram that was refused somewhere is lost, and counted as such. */
static bool is_fatal(const struct trial_flow *flow, int error)
{
	if (error == EAGAIN || error == EINTR)
		return false;
	if (flow->args.transport == TRIAL_TCP)
		return true;
	return error != ENOBUFS && error != ECONNREFUSED;
}

/* Where the device cannot cut what is sent at once into datagrams, they are sent one by one. */
static size_t first_chunk(const struct trial_flow *flow, int fd)
{
	int segment = (int)flow->segment;

	if (flow->args.transport == TRIAL_UDP &&
	    setsockopt(fd, SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment)))
		return flow->segment;
	return flow->chunk;
}

static size_t smaller_chunk(const struct trial_flow *flow, int fd)
{
	int none = 0;

	(void)setsockopt(fd, SOL_UDP, UDP_SEGMENT, &none, sizeof(none));
	return flow->segment;
}

static void *send_on(void *context)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct peer *peer = context;
	struct trial_flow *flow = peer->flow;
	size_t chunk = first_chunk(flow, peer->fd);
	char *data = calloc(1, chunk);

	while (data && !atomic_load(&flow->over)) {
		ssize_t done = send(peer->fd, data, chunk, MSG_NOSIGNAL);

		if (done > 0) {
			atomic_fetch_add(&peer->sent, (uint64_t)done);
		} else if (errno == EIO && chunk > flow->segment && flow->segment) {
			chunk = smaller_chunk(flow, peer->fd);
		} else if (is_fatal(flow, errno)) {
			if (!atomic_load(&flow->over))
				note(flow, errno);
			break;
		} else {
			nanosleep(&pause, NULL);
		}
	}
	free(data);
	return NULL;
}

/* TCP's bytes are dropped in the kernel: nobody reads them. */
static void *receive_on(void *context)
{
	struct peer *peer = context;
	struct trial_flow *flow = peer->flow;
	bool tcp = flow->args.transport == TRIAL_TCP;
	char *data = malloc(CHUNK);
	int one = 1;

	if (!tcp)
		(void)setsockopt(peer->fd, SOL_UDP, UDP_GRO, &one, sizeof(one));
	while (data && !atomic_load(&flow->over)) {
		ssize_t got = recv(peer->fd, data, CHUNK, tcp ? MSG_TRUNC : 0);

		if (got > 0) {
			atomic_fetch_add(&peer->received, (uint64_t)got);
			continue;
		}
		if (tcp && !got)
			errno = ECONNRESET;
		if (got && !is_fatal(flow, errno))
			continue;
		if (tcp && !atomic_load(&flow->over))
			note(flow, errno);
		if (tcp)
			break;
	}
	free(data);
	return NULL;
}

bool trial_flow_start(struct trial_flow *flow, char why[TRIAL_WHY])
{
	for (unsigned int i = 0; i < flow->args.count; i++) {
		struct peer *peer = &flow->peer[i];

		if (i == flow->args.self)
			continue;
		peer->receiving = !pthread_create(&peer->receiver, NULL, receive_on, peer);
		peer->sending = peer->receiving &&
				!pthread_create(&peer->sender, NULL, send_on, peer);
		if (!peer->sending)
			return fail(why, "cannot create a thread");
	}
	return true;
}

void trial_flow_count(struct trial_flow *flow, struct trial_counts *counts)
{
	for (unsigned int i = 0; i < TRIAL_NODES_MAX; i++) {
		counts->sent[i] = atomic_load(&flow->peer[i].sent);
		counts->received[i] = atomic_load(&flow->peer[i].received);
	}
}

const char *trial_flow_wrong(const struct trial_flow *flow)
{
	int error = atomic_load(&((struct trial_flow *)flow)->error);

	return error ? strerror(error) : NULL;
}

void trial_flow_close(struct trial_flow *flow)
{
	if (!flow)
		return;
	atomic_store(&flow->over, true);
	for (unsigned int i = 0; i < TRIAL_NODES_MAX; i++) {
		struct peer *peer = &flow->peer[i];

		if (peer->fd >= 0)
			shutdown(peer->fd, SHUT_RDWR);
		if (peer->sending)
			pthread_join(peer->sender, NULL);
		if (peer->receiving)
			pthread_join(peer->receiver, NULL);
		if (peer->fd >= 0)
			close(peer->fd);
	}
	if (flow->listener >= 0)
		close(flow->listener);
	free(flow);
}
