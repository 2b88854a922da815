// SPDX-License-Identifier: GPL-2.0-only
/*
 * tap: records what leaves net devices, with the time of release
 *
 *	tap FILE SECONDS NETNS:DEV...
 *
 * Writes "ready" when it listens; ends after SECONDS or on SIGTERM. A packet socket sees an
 * outgoing packet where the core hands it to the driver, behind the qdisc: the stamp is taken
 * there, and not when this program gets to read it.
 */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

#include "netns.h"
#include "record.h"

#define DEVICES_MAX	64
#define IPOIB_HLEN	24	/* a pseudo header of 20 bytes, and 4 */
#define BATCH		64

static volatile sig_atomic_t stop;
static int64_t tai_minus_real;
static unsigned long long lost;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static void fail(const char *what)
{
	fprintf(stderr, "tap: %s: %s\n", what, strerror(errno));
	exit(2);
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* The offset is whole seconds; the two readings are some ns apart. */
static int64_t read_offset(void)
{
	int64_t apart = clock_ns(CLOCK_TAI) - clock_ns(CLOCK_REALTIME);

	return (apart + (apart < 0 ? -500000000 : 500000000)) / 1000000000 * 1000000000;
}

static int open_device(const char *name)
{
	struct sockaddr_ll where = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0), one = 1, room = 64 << 20;

	where.sll_ifindex = (int)if_nametoindex(name);
	if (fd < 0 || !where.sll_ifindex)
		fail(name);
	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof(one)) ||
	    bind(fd, (struct sockaddr *)&where, sizeof(where)))
		fail(name);
	return fd;
}

static int64_t stamp_of(struct msghdr *head)
{
	struct timespec stamp;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(head); c; c = CMSG_NXTHDR(head, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
			memcpy(&stamp, CMSG_DATA(c), sizeof(stamp));
			return stamp.tv_sec * 1000000000LL + stamp.tv_nsec + tai_minus_real;
		}
	return 0;
}

struct slot {
	struct virtio_net_hdr vnet;
	unsigned char bytes[TAP_SNAP];
	char control[CMSG_SPACE(sizeof(struct timespec))];
	struct sockaddr_ll from;
	struct iovec part[2];
};

static void prepare(struct mmsghdr *heads, struct slot *slots)
{
	for (int i = 0; i < BATCH; i++) {
		struct slot *slot = &slots[i];

		slot->part[0] = (struct iovec){ &slot->vnet, sizeof(slot->vnet) };
		slot->part[1] = (struct iovec){ slot->bytes, sizeof(slot->bytes) };
		heads[i].msg_hdr = (struct msghdr){
			.msg_name = &slot->from, .msg_namelen = sizeof(slot->from),
			.msg_iov = slot->part, .msg_iovlen = 2,
			.msg_control = slot->control, .msg_controllen = sizeof(slot->control),
		};
	}
}

static void write_record(FILE *out, uint32_t host, struct mmsghdr *head, const struct slot *slot)
{
	struct tap_record record = { .host = host };

	if (slot->from.sll_pkttype != PACKET_OUTGOING || head->msg_len < sizeof(slot->vnet))
		return;
	record.tai_ns = stamp_of(&head->msg_hdr);
	record.length = head->msg_len - (uint32_t)sizeof(slot->vnet);
	record.captured = record.length < TAP_SNAP ? (uint16_t)record.length : TAP_SNAP;
	record.gso_size = slot->vnet.gso_type == VIRTIO_NET_HDR_GSO_NONE ? 0 : slot->vnet.gso_size;
	record.header = slot->from.sll_hatype == ARPHRD_ETHER ? ETH_HLEN :
			slot->from.sll_hatype == ARPHRD_INFINIBAND ? IPOIB_HLEN : 0;
	record.protocol = ntohs(slot->from.sll_protocol);
	memcpy(record.bytes, slot->bytes, record.captured);
	if (fwrite(&record, sizeof(record), 1, out) != 1)
		fail("write");
}

static void drain(FILE *out, uint32_t host, int fd)
{
	static struct slot slots[BATCH];
	static struct mmsghdr heads[BATCH];
	int got;

	do {
		prepare(heads, slots);
		got = recvmmsg(fd, heads, BATCH, MSG_TRUNC, NULL);
		for (int i = 0; i < got; i++)
			write_record(out, host, &heads[i], &slots[i]);
	} while (got == BATCH);
}

static void count_lost(int fd)
{
	struct tpacket_stats stats = { 0 };
	socklen_t size = sizeof(stats);

	if (!getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size))
		lost += stats.tp_drops;
}

static int open_all(struct pollfd *polls, char **where, int count)
{
	for (int i = 0; i < count; i++) {
		char *dev = strrchr(where[i], ':');

		if (!dev) {
			fprintf(stderr, "tap: %s is not NETNS:DEV\n", where[i]);
			exit(2);
		}
		*dev++ = 0;
		netns_enter(where[i]);
		polls[i] = (struct pollfd){ .fd = open_device(dev), .events = POLLIN };
	}
	netns_enter("-");
	return count;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct pollfd polls[DEVICES_MAX];
	int64_t end;
	FILE *out;
	int count;

	if (argc < 4 || argc - 3 > DEVICES_MAX) {
		fputs("usage: tap FILE SECONDS NETNS:DEV...\n", stderr);
		return 2;
	}
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	out = fopen(argv[1], "w");
	if (!out)
		fail(argv[1]);
	tai_minus_real = read_offset();
	end = clock_ns(CLOCK_MONOTONIC) + (int64_t)(atof(argv[2]) * 1e9);
	count = open_all(polls, argv + 3, argc - 3);
	/* Stamping is turned on by a work item; without it the stamp would be that of the read. */
	usleep(50000);
	puts("ready");
	fflush(stdout);
	while (!stop && clock_ns(CLOCK_MONOTONIC) < end) {
		poll(polls, (nfds_t)count, 100);
		for (int i = 0; i < count; i++)
			drain(out, (uint32_t)i, polls[i].fd);
	}
	for (int i = 0; i < count; i++)
		count_lost(polls[i].fd);
	if (fclose(out))
		fail(argv[1]);
	if (lost)
		fprintf(stderr, "tap: %llu packets were lost\n", lost);
	return lost ? 1 : 0;
}
