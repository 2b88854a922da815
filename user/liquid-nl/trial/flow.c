// SPDX-License-Identifier: GPL-2.0-only
/*
 * Traffic between all nodes, as much as they can send
 *
 * Each two nodes have a connection, of TCP or UDP, which carries data both ways. On a node each
 * connection has a thread that sends and one that receives, so that no peer waits for another.
 */
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trial/trial.h"

#define CHUNK		(256 * 1024)
#define DATAGRAM_MOST	65507			/* bytes of datagrams that are sent at once */
#define SEGMENTS_MOST	44			/* of them */
#define CONNECT_NS	(10 * TRIAL_SECOND)

struct peer {
	struct trial_flow *flow;
	int fd;					/* -1: this node itself */
	bool sending, receiving;		/* its threads run */
	pthread_t sender, receiver;
	_Atomic int64_t sent, received;	/* bytes */
};

struct trial_flow {
	bool udp;
	size_t chunk, segment;			/* bytes of a call, and of a datagram */
	_Atomic bool over;
	_Atomic int error;			/* the first one of a thread */
	struct peer peer[TRIAL_NODES_MAX];
};

static bool open_datagrams(const struct trial_net *net, int bytes, int fd[TRIAL_NODES_MAX],
			   char why[TRIAL_WHY])
{
	for (unsigned int i = 0; i < net->count; i++) {
		if (i != net->self)
			fd[i] = trial_socket(net, SOCK_DGRAM, net->port, bytes);
		if (i == net->self || (fd[i] >= 0 && trial_connect(net, fd[i], i, net->port)))
			continue;
		snprintf(why, TRIAL_WHY, "cannot open a socket to node%u: %s", i, strerror(errno));
		trial_mesh_close(fd);
		return false;
	}
	return true;
}

struct trial_flow *trial_flow_open(const struct trial_net *net, bool udp, unsigned int mtu,
				   int bytes, char why[TRIAL_WHY])
{
	struct trial_flow *flow = calloc(1, sizeof(*flow));
	int fd[TRIAL_NODES_MAX] = { -1, -1, -1, -1, -1, -1, -1, -1 };
	size_t segment = mtu - (strchr(net->node[0].text, ':') ? 48 : 28);
	size_t count = DATAGRAM_MOST / segment;

	snprintf(why, TRIAL_WHY, "no memory");
	if (!flow || !(udp ? open_datagrams(net, bytes, fd, why) :
			     trial_mesh_open(net, bytes, CONNECT_NS, fd, why))) {
		free(flow);
		return NULL;
	}
	flow->udp = udp;
	flow->segment = segment;
	flow->chunk = udp ? segment * (count < SEGMENTS_MOST ? count : SEGMENTS_MOST) : CHUNK;
	for (unsigned int i = 0; i < TRIAL_NODES_MAX; i++)
		flow->peer[i] = (struct peer){ .flow = flow, .fd = fd[i] };
	return flow;
}

/* ---- threads ---- */

/* A datagram that was refused somewhere is lost, and counted as such. */
static bool is_over(struct trial_flow *flow, bool ended)
{
	int none = 0, error = ended ? ECONNRESET : errno;

	if (atomic_load(&flow->over))
		return true;
	if (error == EAGAIN || error == EINTR ||
	    (flow->udp && (ended || error == ENOBUFS || error == ECONNREFUSED)))
		return false;
	atomic_compare_exchange_strong(&flow->error, &none, error);
	return true;
}

/* Where the device cannot cut one write into datagrams, they are sent one by one. */
static size_t set_segment(const struct trial_flow *flow, int fd, bool cut)
{
	int segment = cut ? (int)flow->segment : 0;

	if (!flow->udp)
		return flow->chunk;
	return setsockopt(fd, SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment)) || !cut ?
	       flow->segment : flow->chunk;
}

static void *send_on(void *context)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct peer *peer = context;
	size_t chunk = set_segment(peer->flow, peer->fd, true);
	char *data = calloc(1, chunk);

	while (data) {
		ssize_t done = send(peer->fd, data, chunk, MSG_NOSIGNAL);

		if (done > 0)
			atomic_fetch_add(&peer->sent, done);
		else if (errno == EIO && peer->flow->udp && chunk > peer->flow->segment)
			chunk = set_segment(peer->flow, peer->fd, false);
		else if (is_over(peer->flow, false))
			break;
		else
			nanosleep(&pause, NULL);
	}
	free(data);
	return NULL;
}

/* Bytes of TCP are dropped in the kernel. */
static void *receive_on(void *context)
{
	struct peer *peer = context;
	bool udp = peer->flow->udp;
	char *data = malloc(CHUNK);
	int one = 1;

	if (udp)
		(void)setsockopt(peer->fd, SOL_UDP, UDP_GRO, &one, sizeof(one));
	while (data) {
		ssize_t got = recv(peer->fd, data, CHUNK, udp ? 0 : MSG_TRUNC);

		if (got > 0)
			atomic_fetch_add(&peer->received, got);
		else if (is_over(peer->flow, !got))
			break;
	}
	free(data);
	return NULL;
}

bool trial_flow_start(struct trial_flow *flow, char why[TRIAL_WHY])
{
	for (unsigned int i = 0; i < TRIAL_NODES_MAX; i++) {
		struct peer *peer = &flow->peer[i];

		if (peer->fd < 0)
			continue;
		peer->receiving = !pthread_create(&peer->receiver, NULL, receive_on, peer);
		peer->sending = peer->receiving &&
				!pthread_create(&peer->sender, NULL, send_on, peer);
		if (!peer->sending) {
			snprintf(why, TRIAL_WHY, "cannot create a thread");
			return false;
		}
	}
	return true;
}

int trial_flow_count(struct trial_flow *flow, int64_t figure[TRIAL_FIGURES])
{
	for (enum trial_figure i = TRIAL_SENT; i <= TRIAL_SENT_AGAIN; i++)
		figure[i] = 0;
	for (unsigned int i = 0; i < TRIAL_NODES_MAX; i++) {
		struct peer *peer = &flow->peer[i];
		struct tcp_info info = { 0 };
		socklen_t size = sizeof(info);

		figure[TRIAL_SENT] += atomic_load(&peer->sent);
		figure[TRIAL_RECEIVED] += atomic_load(&peer->received);
		if (flow->udp || peer->fd < 0 ||
		    getsockopt(peer->fd, IPPROTO_TCP, TCP_INFO, &info, &size))
			continue;
		figure[TRIAL_SEGMENTS] += info.tcpi_segs_out;
		figure[TRIAL_SENT_AGAIN] += info.tcpi_total_retrans;
	}
	return atomic_load(&flow->error);
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
	free(flow);
}
