// SPDX-License-Identifier: GPL-2.0-only
/* The ways of stream: a UDP socket at either end of each, and the clock */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>

#include "netns.h"
#include "stream.h"

#define PORT 5000

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct sockaddr_in place_of(const char *address)
{
	struct sockaddr_in place = { .sin_family = AF_INET, .sin_port = htons(PORT) };

	if (inet_pton(AF_INET, address, &place.sin_addr) != 1)
		die(address);
	return place;
}

static int open_way(const char *netns, const char *here, const char *there)
{
	struct sockaddr_in own = place_of(here), other = place_of(there);
	int fd, room = 1 << 20;

	netns_enter(netns);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    bind(fd, (struct sockaddr *)&own, sizeof(own)) ||
	    connect(fd, (struct sockaddr *)&other, sizeof(other)))
		die(here);
	return fd;
}

void read_ways(const char *path, bool sends, struct ways *ways)
{
	char netns[2][64], address[2][64];
	FILE *file = fopen(path, "r");
	double weight;

	if (!file)
		die(path);
	while (fscanf(file, "%lf %63s %63s %63s %63s", &weight, netns[0], address[0], netns[1],
		      address[1]) == 5) {
		if (ways->count == WAYS_MAX)
			die("too many ways");
		ways->way[ways->count++] = (struct way){
			weight, open_way(netns[!sends], address[!sends], address[sends]),
		};
	}
	if (!ways->count || !feof(file))
		die(path);
	fclose(file);
}

void send_on(const struct way *way, const void *data, uint32_t size)
{
	if (send(way->fd, data, size, 0) < 0 && errno != EAGAIN && errno != ENOBUFS &&
	    errno != ECONNREFUSED)
		die("send");
}

static bool take_packet(const struct ways *ways, struct packet *packet, uint32_t *way)
{
	for (*way = 0; *way < ways->count; ++*way)
		if (recv(ways->way[*way].fd, packet, sizeof(*packet), 0) >=
		    (ssize_t)sizeof(packet->head) && packet->head.magic == MAGIC)
			return true;
	return false;
}

bool wait_packet(const struct ways *ways, uint64_t until, struct packet *packet, uint32_t *way)
{
	struct pollfd polled[WAYS_MAX];

	for (uint32_t i = 0; i < ways->count; i++)
		polled[i] = (struct pollfd){ .fd = ways->way[i].fd, .events = POLLIN };
	for (;;) {
		uint64_t now = now_ns(), left = until > now ? until - now : 0;
		struct timespec rest = {
			.tv_sec = (time_t)(left / 1000000000), .tv_nsec = (long)(left % 1000000000),
		};

		if (take_packet(ways, packet, way))
			return true;
		if (!left)
			return false;
		if (ppoll(polled, ways->count, &rest, NULL) < 0)
			die("ppoll");
	}
}
