// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who takes part in a trial, and the connections between all of them
 *
 * Where the nodes are root's, a connection is taken only from the address of a node that is missing
 * and a port that only root can use there: so no user can take a node's place.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "trial/trial.h"

#define ANSWER_S	15		/* for a word: others may still connect, CONNECT_NS */
#define CONNECT_S	1
#define ROOT_PORTS	400		/* below 1024; an earlier connection may still block one */

/* ---- addresses ---- */

static bool text_of(const struct sockaddr *address, char text[TRIAL_ADDRESS])
{
	socklen_t size = address->sa_family == AF_INET ? sizeof(struct sockaddr_in) :
							 sizeof(struct sockaddr_in6);

	return !getnameinfo(address, size, text, TRIAL_ADDRESS, NULL, 0, NI_NUMERICHOST);
}

static bool resolve(const char *name, int family, struct trial_node *node)
{
	const struct addrinfo hints = { .ai_family = family, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;

	if (getaddrinfo(name, NULL, &hints, &found))
		return false;
	memcpy(&node->at, found->ai_addr, found->ai_addrlen);
	node->size = found->ai_addrlen;
	freeaddrinfo(found);
	return text_of((struct sockaddr *)&node->at, node->text) &&
	       strncmp(node->text, "127.", 4) && strcmp(node->text, "::1");
}

/* How many nodes have an address of this machine: should be one, which then is self */
static unsigned int find_self(struct trial_net *net)
{
	char text[TRIAL_ADDRESS];
	unsigned int found = 0;
	struct ifaddrs *list;

	if (getifaddrs(&list))
		return 0;
	for (struct ifaddrs *at = list; at; at = at->ifa_next)
		for (unsigned int i = 0; i < net->count; i++) {
			if (!at->ifa_addr || at->ifa_addr->sa_family != net->node[i].at.ss_family ||
			    !text_of(at->ifa_addr, text) || strcmp(text, net->node[i].text))
				continue;
			net->self = i;
			snprintf(net->device, sizeof(net->device), "%s", at->ifa_name);
			found++;
		}
	freeifaddrs(list);
	return found;
}

bool trial_net_find(struct trial_net *net, const struct trial *trial, char why[TRIAL_WHY])
{
	unsigned int found;

	*net = (struct trial_net){ .count = (unsigned int)trial->names.count, .port = trial->port };
	for (unsigned int i = 0; i < net->count; i++)
		if (!resolve(trial->names.name[i], i ? net->node[0].at.ss_family : AF_UNSPEC,
			     &net->node[i])) {
			snprintf(why, TRIAL_WHY, "%s: no address that other nodes can reach; give "
				 "addresses in --nodes", trial->names.name[i]);
			return false;
		}
	found = find_self(net);
	if (found != 1)
		snprintf(why, TRIAL_WHY, "%u of --nodes have an address of this machine: it must "
			 "be one, on the device that is to be tried", found);
	return found == 1;
}

/* ---- sockets ---- */

/* Buffer and mark need privileges that a trial without a gate can do without. */
static bool set_options(int fd, int bytes)
{
	const struct timeval limit = { .tv_sec = CONNECT_S }, answer = { .tv_sec = ANSWER_S };
	int one = 1, mark = TRIAL_MARK;

	if (bytes) {
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
		(void)setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark));
	}
	return !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	       !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) &&
	       !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &answer, sizeof(answer));
}

/* In an address of IPv4 or IPv6 */
static uint16_t *port_of(struct sockaddr_storage *address)
{
	_Static_assert(offsetof(struct sockaddr_in, sin_port) ==
		       offsetof(struct sockaddr_in6, sin6_port), "ports are at the same place");
	return &((struct sockaddr_in *)address)->sin_port;
}

static bool bind_to(const struct trial_net *net, int fd, uint16_t port)
{
	struct trial_node own = net->node[net->self];

	*port_of(&own.at) = htons(port);
	return !bind(fd, (struct sockaddr *)&own.at, own.size);
}

int trial_socket(const struct trial_net *net, int type, uint16_t port, int bytes)
{
	int fd = socket(net->node[net->self].at.ss_family, type | SOCK_CLOEXEC, 0);

	if (fd < 0 || (set_options(fd, bytes) && (!port || bind_to(net, fd, port)) &&
		       !setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, net->device,
				   strlen(net->device))))
		return fd;
	close(fd);
	return -1;
}

bool trial_connect(const struct trial_net *net, int fd, unsigned int node, uint16_t port)
{
	struct trial_node peer = net->node[node];

	*port_of(&peer.at) = htons(port);
	return !connect(fd, (struct sockaddr *)&peer.at, peer.size);
}

/* ---- the mesh: nodes connect to those with lower numbers ---- */

/* A descriptor, or -1: it does not answer yet. Each try is from another port that is root's. */
static int reach(const struct trial_net *net, unsigned int i, int bytes)
{
	static uint16_t tries;
	int fd = trial_socket(net, SOCK_STREAM, 0, bytes);

	if (fd < 0)
		return -1;
	(void)bind_to(net, fd, IPPORT_RESERVED - 1 - tries++ % ROOT_PORTS);
	if (trial_connect(net, fd, i, net->port))
		return fd;
	close(fd);
	return -1;
}

/* Where it belongs in fds[]; NULL: it is from no node that is missing. */
static int *place_of(const struct trial_net *net, int fd, int fds[TRIAL_NODES_MAX])
{
	struct trial_node peer = { .size = sizeof(peer.at) };

	if (getpeername(fd, (struct sockaddr *)&peer.at, &peer.size) ||
	    !text_of((struct sockaddr *)&peer.at, peer.text) ||
	    (!geteuid() && ntohs(*port_of(&peer.at)) >= IPPORT_RESERVED))
		return NULL;
	for (unsigned int i = net->self + 1; i < net->count; i++)
		if (!strcmp(peer.text, net->node[i].text) && fds[i] < 0)
			return &fds[i];
	return NULL;
}

static void take(const struct trial_net *net, int listener, int bytes, int fds[TRIAL_NODES_MAX])
{
	struct pollfd poll_fd = { .fd = listener, .events = POLLIN };
	int fd, *place;

	if (poll(&poll_fd, 1, 1000) <= 0)
		return;
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	place = fd >= 0 ? place_of(net, fd, fds) : NULL;
	if (place && set_options(fd, bytes))
		*place = fd;
	else if (fd >= 0)
		close(fd);
}

static bool gather(const struct trial_net *net, int listener, int bytes, int64_t deadline,
		   int fds[TRIAL_NODES_MAX], char why[TRIAL_WHY])
{
	const struct timespec pause = { .tv_nsec = 100000000 };

	for (;;) {
		unsigned int missing = 0;

		while (missing < net->count && (fds[missing] >= 0 || missing == net->self))
			missing++;
		if (missing == net->count)
			return true;
		snprintf(why, TRIAL_WHY, "node%u, %s, has not come in time", missing,
			 net->node[missing].text);
		if (clock_ns(CLOCK_MONOTONIC) >= deadline)
			return false;
		if (missing > net->self)
			take(net, listener, bytes, fds);
		else if ((fds[missing] = reach(net, missing, bytes)) < 0)
			nanosleep(&pause, NULL);
	}
}

bool trial_mesh_open(const struct trial_net *net, int bytes, uint64_t wait_ns,
		     int fd[TRIAL_NODES_MAX], char why[TRIAL_WHY])
{
	int64_t deadline = clock_ns(CLOCK_MONOTONIC) + (int64_t)wait_ns;
	int listener = trial_socket(net, SOCK_STREAM, net->port, bytes);
	bool whole = false;

	snprintf(why, TRIAL_WHY, "cannot listen on port %u of the device: %s", net->port,
		 strerror(errno));
	for (unsigned int i = 0; i < TRIAL_NODES_MAX; i++)
		fd[i] = -1;
	if (listener >= 0 && !listen(listener, 4 * TRIAL_NODES_MAX))
		whole = gather(net, listener, bytes, deadline, fd, why);
	if (listener >= 0)
		close(listener);
	if (!whole)
		trial_mesh_close(fd);
	return whole;
}

void trial_mesh_close(int fd[TRIAL_NODES_MAX])
{
	for (unsigned int i = 0; i < TRIAL_NODES_MAX; i++) {
		if (fd[i] >= 0)
			close(fd[i]);
		fd[i] = -1;
	}
}

/* ---- words ---- */

bool trial_exchange(const struct trial_net *net, const int fd[TRIAL_NODES_MAX],
		    struct trial_word word[TRIAL_NODES_MAX], char why[TRIAL_WHY])
{
	bool good;

	for (unsigned int i = 0; i < net->count; i++)
		if (fd[i] >= 0)
			(void)send(fd[i], &word[net->self], sizeof(word[i]), MSG_NOSIGNAL);
	for (unsigned int i = 0; i < net->count; i++) {
		if (fd[i] < 0)
			continue;
		good = recv(fd[i], &word[i], sizeof(word[i]), MSG_WAITALL) == sizeof(word[i]);
		if (good && word[i].step == word[net->self].step)
			continue;
		snprintf(why, TRIAL_WHY, "node%u, %s, %s", i, net->node[i].text, good ?
			 "has another version, or does another step" :
			 "has gone, or has not answered in time");
		return false;
	}
	return true;
}
