// SPDX-License-Identifier: GPL-2.0-only
/*
 * burst: the cost of a backlog: processor time per packet for queueing and for sending
 *
 *	burst DEV DESTINATIONS PACKETS LAUNCH_MS DRAIN_MS
 *
 * Sends PACKETS of 60 bytes on DEV to DESTINATIONS addresses from 10.9.0.0 on, one after the other.
 * It uses a packet socket, which unlike pktgen does not wait until packets are sent. All packets
 * have the same launch time for fq, LAUNCH_MS from now; 0: none. Prints two times per packet in ns:
 * that of the system call, and the busy time of the processor in the following DRAIN_MS. From the
 * latter, the busy time of an equal period without packets is subtracted.
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SIZE	60
#define BATCH	64
#define NS	1000000000ULL

struct batch {
	unsigned char frame[BATCH][SIZE];
	struct iovec vector[BATCH];
	struct mmsghdr message[BATCH];
	struct sockaddr_ll where;
	union {
		char bytes[CMSG_SPACE(sizeof(uint64_t))];
		struct cmsghdr align;
	} control;
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * NS + (uint64_t)time.tv_nsec;
}

/* Busy time of the processor since boot, ns */
static uint64_t busy(void)
{
	unsigned long long clock = 0, idle = 0;
	FILE *list = fopen("/proc/timer_list", "r");
	char line[256];

	if (!list)
		fail("/proc/timer_list");
	while (fgets(line, sizeof(line), list)) {
		sscanf(line, "now at %llu", &clock);
		if (sscanf(line, " .idle_sleeptime : %llu", &idle) == 1)
			break;
	}
	fclose(list);
	return clock - idle;
}

static void build_frame(unsigned char *frame)
{
	static const unsigned char head[42] = {
		2, 0, 0, 0, 0, 0x99, 2, 0, 0, 0, 0, 1, 8, 0,
		0x45, 0, 0, SIZE - 14, 0, 0, 0, 0, 64, 17, 0, 0, 10, 8, 0, 1, 10, 9, 0, 0,
		0x0f, 0xa0, 0x0f, 0xa1, 0, SIZE - 34,
	};

	memset(frame, 0, SIZE);
	memcpy(frame, head, sizeof(head));
}

static void build_batch(struct batch *batch, const char *dev, uint64_t launch)
{
	struct cmsghdr *control = &batch->control.align;

	batch->where = (struct sockaddr_ll){ .sll_family = AF_PACKET, .sll_protocol = htons(0x0800),
					     .sll_halen = 6,
					     .sll_ifindex = (int)if_nametoindex(dev) };
	control->cmsg_level = SOL_SOCKET;
	control->cmsg_type = SCM_TXTIME;
	control->cmsg_len = CMSG_LEN(sizeof(launch));
	memcpy(CMSG_DATA(control), &launch, sizeof(launch));
	for (int i = 0; i < BATCH; i++) {
		build_frame(batch->frame[i]);
		batch->vector[i] = (struct iovec){ .iov_base = batch->frame[i], .iov_len = SIZE };
		batch->message[i].msg_hdr = (struct msghdr){
			.msg_name = &batch->where, .msg_namelen = sizeof(batch->where),
			.msg_iov = &batch->vector[i], .msg_iovlen = 1,
			.msg_control = launch ? &batch->control : NULL,
			.msg_controllen = launch ? sizeof(batch->control) : 0,
		};
	}
}

static void aim(unsigned char *frame, unsigned int dest)
{
	frame[32] = (unsigned char)(dest >> 8);
	frame[33] = (unsigned char)dest;
}

static void send_all(int fd, struct batch *batch, unsigned int dests, unsigned int packets)
{
	for (unsigned int sent = 0; sent < packets;) {
		unsigned int count = packets - sent < BATCH ? packets - sent : BATCH;
		int done;

		for (unsigned int i = 0; i < count; i++)
			aim(batch->frame[i], (sent + i) % dests);
		done = sendmmsg(fd, batch->message, count, 0);
		if (done <= 0)
			fail("sendmmsg");
		sent += (unsigned int)done;
	}
}

static int open_socket(int with_launch)
{
	struct sock_txtime txtime = { .clockid = CLOCK_MONOTONIC };
	int fd = socket(AF_PACKET, SOCK_RAW, 0), room = 1 << 30;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    (with_launch && setsockopt(fd, SOL_SOCKET, SO_TXTIME, &txtime, sizeof(txtime))))
		fail("socket");
	return fd;
}

static uint64_t busy_for(unsigned int ms)
{
	uint64_t before = busy();

	usleep(ms * 1000);
	return busy() - before;
}

int main(int argc, char **argv)
{
	static struct batch batch;
	unsigned int packets, drain_ms, launch_ms;
	uint64_t start, sent, drained, nothing;
	int fd;

	if (argc != 6) {
		fputs("usage: burst DEV DESTINATIONS PACKETS LAUNCH_MS DRAIN_MS\n", stderr);
		return 2;
	}
	packets = (unsigned int)atoi(argv[3]);
	launch_ms = (unsigned int)atoi(argv[4]);
	drain_ms = (unsigned int)atoi(argv[5]);
	fd = open_socket(launch_ms > 0);
	build_batch(&batch, argv[1], launch_ms ? now() + launch_ms * 1000000ULL : 0);
	start = now();
	send_all(fd, &batch, (unsigned int)atoi(argv[2]), packets);
	sent = now() - start;
	drained = busy_for(drain_ms);
	nothing = busy_for(drain_ms);
	printf("%.1f %.1f\n", (double)sent / packets,
	       ((double)drained - (double)nothing) / packets);
	return 0;
}
