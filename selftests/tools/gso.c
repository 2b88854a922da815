// SPDX-License-Identifier: GPL-2.0-only
/*
 * gso: puts large TCP packets on a device, which its driver or the core must yet cut into segments
 *
 *	gso DEV [--dst IPV4] [--mac MAC] [--segs N] [--mss BYTES] [--count N] [--port N]
 *	    [--doff WORDS]
 *
 * Each has Ethernet, IPv4 and TCP headers without options (54 bytes; 40 on a device without link
 * headers) and SEGS times MSS bytes of payload, as a stack hands them over. No kernel can cut one
 * whose TCP header claims to have fewer than 5 WORDS.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define HEADERS	(sizeof(struct virtio_net_hdr) + ETH_HLEN + sizeof(struct iphdr) + \
		 sizeof(struct tcphdr))

static struct {
	unsigned int segs, mss, count, port, doff;
	struct in_addr dst;
	unsigned char mac[6];
} options = { .segs = 10, .mss = 1446, .count = 1, .port = 4001, .doff = 5,
	      .mac = { 2, 0, 0, 0, 0, 2 } };

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "gso: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* One's complement sum, not yet inverted: what the core expects where it is to do the rest. */
static uint16_t sum(const void *bytes, size_t size, uint32_t start)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < size; i += 2)
		start += (uint32_t)byte[i] << 8 | byte[i + 1];
	while (start >> 16)
		start = (start & 0xffff) + (start >> 16);
	return htons((uint16_t)start);
}

static size_t put_ether(unsigned char *at)
{
	static const unsigned char source[6] = { 2, 0, 0, 0, 0, 1 };
	uint16_t protocol = htons(ETH_P_IP);

	memcpy(at, options.mac, 6);
	memcpy(at + 6, source, 6);
	memcpy(at + 12, &protocol, 2);
	return ETH_HLEN;
}

static size_t put_ip_tcp(unsigned char *at, size_t payload)
{
	struct iphdr ip = { .version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_TCP,
			    .saddr = htonl(0x0a000001), .daddr = options.dst.s_addr };
	struct tcphdr tcp = { .source = htons(4000), .dest = htons((uint16_t)options.port),
			      .doff = options.doff & 15, .ack = 1, .psh = 1,
			      .window = htons(1000) };

	ip.tot_len = htons((uint16_t)(sizeof(ip) + sizeof(tcp) + payload));
	ip.check = (uint16_t)~sum(&ip, sizeof(ip), 0);
	tcp.check = sum(&ip.saddr, 8, (uint32_t)(IPPROTO_TCP + sizeof(tcp) + payload));
	memcpy(at, &ip, sizeof(ip));
	memcpy(at + sizeof(ip), &tcp, sizeof(tcp));
	return sizeof(ip) + sizeof(tcp);
}

static size_t put_packet(unsigned char *at, int ether)
{
	size_t payload = (size_t)options.segs * options.mss, link = ether ? ETH_HLEN : 0;
	struct virtio_net_hdr head = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = VIRTIO_NET_HDR_GSO_TCPV4,
		.hdr_len = (uint16_t)(link + sizeof(struct iphdr) + sizeof(struct tcphdr)),
		.gso_size = (uint16_t)options.mss,
		.csum_start = (uint16_t)(link + sizeof(struct iphdr)),
		.csum_offset = offsetof(struct tcphdr, check),
	};
	size_t size = sizeof(head);

	memcpy(at, &head, sizeof(head));
	if (ether)
		size += put_ether(at + size);
	size += put_ip_tcp(at + size, payload);
	return size + payload;
}

static void parse_option(const char *name, const char *value)
{
	unsigned int number = (unsigned int)strtoul(value, NULL, 0);

	if (!strcmp(name, "--segs"))
		options.segs = number;
	else if (!strcmp(name, "--mss"))
		options.mss = number;
	else if (!strcmp(name, "--count"))
		options.count = number;
	else if (!strcmp(name, "--port"))
		options.port = number;
	else if (!strcmp(name, "--doff"))
		options.doff = number;
	else if (!strcmp(name, "--mac"))
		sscanf(value, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &options.mac[0], &options.mac[1],
		       &options.mac[2], &options.mac[3], &options.mac[4], &options.mac[5]);
	else if (strcmp(name, "--dst") || inet_pton(AF_INET, value, &options.dst) != 1)
		exit(2);
}

/* Whether the device's packets begin with an Ethernet header. */
static int is_ether(int fd, const char *dev)
{
	struct ifreq request = { 0 };

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", dev);
	if (ioctl(fd, SIOCGIFHWADDR, &request))
		fail(dev);
	return request.ifr_hwaddr.sa_family == ARPHRD_ETHER;
}

int main(int argc, char **argv)
{
	struct sockaddr_ll where = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP),
				     .sll_halen = 6 };
	int fd = socket(AF_PACKET, SOCK_RAW, 0), on = 1, room = 64 << 20;
	static unsigned char packet[HEADERS + 65536];
	size_t size;

	if (argc < 2 || argc % 2) {
		fputs("usage: gso DEV [OPTION VALUE]...\n", stderr);
		return 2;
	}
	for (int i = 2; i < argc; i += 2)
		parse_option(argv[i], argv[i + 1]);
	if (!options.segs || !options.mss || options.segs > 65000 / options.mss)
		return 2;
	if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)))
		fail("packet socket");
	/* A packet that a gate holds must not block the sender. */
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	where.sll_ifindex = (int)if_nametoindex(argv[1]);
	size = put_packet(packet, is_ether(fd, argv[1]));
	for (unsigned int i = 0; i < options.count; i++)
		if (sendto(fd, packet, size, 0, (const struct sockaddr *)&where,
			   sizeof(where)) < 0 &&
		    errno != ENOBUFS)
			fail(argv[1]);
	return 0;
}
