// SPDX-License-Identifier: GPL-2.0-only
/*
 * pkt: puts single packets of every kind on a device, also such as no stack would send
 *
 *	pkt DEV [--count N] [--vlan ID] [--mark N] [--priority N] [--dscp N] [--ecn N]
 *		[--linear BYTES] [--gso BYTES] [--launch MS] [--dst ADDRESS] [--mac MAC]
 *		[--port N] [--seq N] [--ack N] [--window N] [--flags N] [--times N] [--sack N]
 *		[--tail BYTES] KIND...
 *
 * KIND is one of the names below. ADDRESS (IPv4 or IPv6) is the packets' destination. Of a packet
 * that is larger than a page only the first BYTES, if they are given, are in its linear part. With
 * --gso it is UDP over IPv4, to be cut behind the gate into packets of this many BYTES. With
 * --launch the socket asks to send MS from now by CLOCK_TAI, as every user may (SO_TXTIME). The
 * options from --port on are of the TCP segments "bare" and "bare6": source port, flags beside ACK,
 * timestamps, a selective acknowledgement from N on, bytes of payload.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static struct {
	unsigned int count, vlan, mark, priority, dscp, ecn, linear, gso, launch;
	unsigned int port, seq, ack, window, flags, times, sack, tail;
	struct in_addr v4;
	struct in6_addr v6;
	unsigned char mac[6];
} options = { .count = 1, .port = 4000, .mac = { 2, 0, 0, 0, 0, 2 } };

struct frame {
	unsigned char bytes[8192];
	size_t size;
};

static void add(struct frame *frame, const void *bytes, size_t size)
{
	memcpy(frame->bytes + frame->size, bytes, size);
	frame->size += size;
}

static void add16(struct frame *frame, unsigned int value)
{
	unsigned char bytes[2] = { (unsigned char)(value >> 8), (unsigned char)value };

	add(frame, bytes, 2);
}

static void add32(struct frame *frame, unsigned int value)
{
	add16(frame, value >> 16);
	add16(frame, value & 0xffff);
}

static void add_zeros(struct frame *frame, size_t count)
{
	memset(frame->bytes + frame->size, 0, count);
	frame->size += count;
}

static void add_ether(struct frame *frame, unsigned int protocol)
{
	static const unsigned char source[6] = { 2, 0, 0, 0, 0, 1 };

	add(frame, options.mac, 6);
	add(frame, source, 6);
	if (options.vlan) {
		add16(frame, ETH_P_8021Q);
		add16(frame, options.vlan);
	}
	add16(frame, protocol);
}

/* The kernel's qdiscs do not look at the checksum of the header, nor does this test. */
static void add_ipv4(struct frame *frame, unsigned int protocol, size_t payload,
		     unsigned int fragment)
{
	unsigned char head[20] = { 0x45, 0, 0, 0, 0, 1, 0, 0, 64, 0, 0, 0, 10, 99, 0, 1 };

	add_ether(frame, ETH_P_IP);
	head[1] = (unsigned char)(options.dscp << 2 | options.ecn);
	head[2] = (unsigned char)((20 + payload) >> 8);
	head[3] = (unsigned char)(20 + payload);
	head[6] = (unsigned char)(fragment >> 8);
	head[7] = (unsigned char)fragment;
	head[9] = (unsigned char)protocol;
	memcpy(head + 16, &options.v4, 4);
	add(frame, head, sizeof(head));
}

static void add_ipv6(struct frame *frame, unsigned int protocol, size_t payload)
{
	unsigned char head[40] = { 0x60 };

	add_ether(frame, ETH_P_IPV6);
	head[0] |= (unsigned char)(options.dscp >> 2);
	head[1] = (unsigned char)(options.dscp << 6 | options.ecn << 4);
	head[4] = (unsigned char)(payload >> 8);
	head[5] = (unsigned char)payload;
	head[6] = (unsigned char)protocol;
	head[7] = 255;
	head[8] = 0xfd;
	head[23] = 1;
	memcpy(head + 24, &options.v6, 16);
	add(frame, head, sizeof(head));
}

static void add_tcp(struct frame *frame, unsigned int flags, size_t payload)
{
	add16(frame, 4000);
	add16(frame, 4001);
	add_zeros(frame, 8);
	add16(frame, 0x5000 | flags);
	add_zeros(frame, 6 + payload);
}

static void add_udp(struct frame *frame, unsigned int port, size_t payload)
{
	add16(frame, 4000);
	add16(frame, port);
	add16(frame, (unsigned int)(8 + payload));
	add_zeros(frame, 2 + payload);
}

static void udp4(struct frame *frame, unsigned int port)
{
	add_ipv4(frame, IPPROTO_UDP, 108, 0);
	add_udp(frame, port, 100);
}

/* A long one, longer than BFD can be */
static void long4(struct frame *frame, unsigned int port)
{
	add_ipv4(frame, IPPROTO_UDP, 1008, 0);
	add_udp(frame, port, 1000);
}

static void long6(struct frame *frame, unsigned int port)
{
	add_ipv6(frame, IPPROTO_UDP, 1008);
	add_udp(frame, port, 1000);
}

static void bfd_size(struct frame *frame, unsigned int size)
{
	add_ipv4(frame, IPPROTO_UDP, 8 + size, 0);
	add_udp(frame, 3784, size);
}

static void udp6(struct frame *frame, unsigned int port)
{
	add_ipv6(frame, IPPROTO_UDP, 108);
	add_udp(frame, port, 100);
}

static void tcp4(struct frame *frame, unsigned int flags)
{
	size_t payload = flags & 0x100 ? 100 : 0;

	add_ipv4(frame, IPPROTO_TCP, 20 + payload, 0);
	add_tcp(frame, flags & 0x3f, payload);
	if (frame->size < ETH_ZLEN)	/* what a driver pads must not look like payload */
		add_zeros(frame, ETH_ZLEN - frame->size);
}

static void tcp6(struct frame *frame, unsigned int flags)
{
	size_t payload = flags & 0x100 ? 100 : 0;

	add_ipv6(frame, IPPROTO_TCP, 20 + payload);
	add_tcp(frame, flags & 0x3f, payload);
}

/* A segment of TCP as the options have it; what follows its header and options is payload. */
static void add_bare(struct frame *frame, unsigned int header)
{
	add16(frame, options.port);
	add16(frame, 4001);
	add32(frame, options.seq);
	add32(frame, options.ack);
	add16(frame, header / 4 << 12 | 0x10 | options.flags);
	add16(frame, options.window);
	add_zeros(frame, 4);
	if (options.times) {
		add32(frame, 0x0101080a);
		add32(frame, options.times);
		add32(frame, options.times);
	}
	if (options.sack) {
		add32(frame, 0x0101050a);
		add32(frame, options.sack);
		add32(frame, options.sack + 1000);
	}
	add_zeros(frame, options.tail);
}

static void bare_segment(struct frame *frame, unsigned int version)
{
	unsigned int header = 20 + (options.times ? 12 : 0) + (options.sack ? 12 : 0);

	if (version == 4)
		add_ipv4(frame, IPPROTO_TCP, header + options.tail, 0);
	else
		add_ipv6(frame, IPPROTO_TCP, header + options.tail);
	add_bare(frame, header);
}

static void bare_fragment(struct frame *frame, unsigned int offset)
{
	add_ipv4(frame, IPPROTO_TCP, 20, offset);
	add_bare(frame, 20);
}

static void roce(struct frame *frame, unsigned int opcode)
{
	add_ipv4(frame, IPPROTO_UDP, 8 + 12 + 80, 0);
	add_udp(frame, 4791, 92);
	frame->bytes[frame->size - 92] = (unsigned char)opcode;
}

static void icmp6(struct frame *frame, unsigned int type)
{
	add_ipv6(frame, IPPROTO_ICMPV6, 32);
	frame->bytes[frame->size] = (unsigned char)type;
	frame->size++;
	add_zeros(frame, 31);
}

/* A report of multicast listeners is behind a router alert. */
static void mld(struct frame *frame, unsigned int type)
{
	static const unsigned char alert[8] = { IPPROTO_ICMPV6, 0, 5, 2, 0, 0, 1, 0 };

	add_ipv6(frame, IPPROTO_HOPOPTS, sizeof(alert) + 32);
	add(frame, alert, sizeof(alert));
	frame->bytes[frame->size] = (unsigned char)type;
	frame->size++;
	add_zeros(frame, 31);
}

/* Any protocol over IPv4, behind a router alert as IGMP has it */
static void alert4(struct frame *frame, unsigned int protocol)
{
	size_t at = frame->size;

	add_ipv4(frame, protocol, 4 + 32, 0);
	frame->bytes[at + 14 + (options.vlan ? 4 : 0)] = 0x46;
	add(frame, "\x94\x04\0\0", 4);
	add_zeros(frame, 32);
}

static void plain4(struct frame *frame, unsigned int protocol)
{
	add_ipv4(frame, protocol, 32, 0);
	add_zeros(frame, 32);
}

static void plain6(struct frame *frame, unsigned int protocol)
{
	add_ipv6(frame, protocol, 32);
	add_zeros(frame, 32);
}

/* 802.2 for a service access point: a length in place of the ethertype */
static void llc(struct frame *frame, unsigned int sap)
{
	add_ether(frame, 38);
	add16(frame, sap << 8 | sap);
	frame->bytes[frame->size++] = 3;
	add_zeros(frame, 43);
}

static void bare(struct frame *frame, unsigned int protocol)
{
	add_ether(frame, protocol);
	add_zeros(frame, 60);
}

/* A TCP segment with data to a port */
static void tcp_port(struct frame *frame, unsigned int port)
{
	size_t at = frame->size;

	tcp4(frame, 0x110);
	at += 14 + 20 + 2 + (options.vlan ? 4 : 0);
	frame->bytes[at] = (unsigned char)(port >> 8);
	frame->bytes[at + 1] = (unsigned char)port;
}

/* A fragment that is not the first has no ports: the bytes of one look like PTP's. */
static void fragment4(struct frame *frame, unsigned int offset)
{
	add_ipv4(frame, IPPROTO_UDP, 108, offset);
	add_udp(frame, 319, 100);
}

/* The same behind a fragment header; @offset as it has it, in eights with the flag below them */
static void fragment6(struct frame *frame, unsigned int offset)
{
	add_ipv6(frame, IPPROTO_FRAGMENT, 116);
	add16(frame, IPPROTO_UDP << 8);
	add16(frame, offset);
	add_zeros(frame, 4);
	add_udp(frame, 4001, 100);
}

/* One byte of padding in each of @words words of options; the ports come behind them. */
static void options4(struct frame *frame, unsigned int words)
{
	size_t at = frame->size;

	add_ipv4(frame, IPPROTO_UDP, 4 * words + 108, 0);
	frame->bytes[at + 14 + (options.vlan ? 4 : 0)] = (unsigned char)(0x45 + words);
	for (; words; words--)
		add(frame, "\1\1\1", 4);
	add_udp(frame, 4001, 100);
}

/* Headers that lie: all of them end before they say so. */
static void short_ip(struct frame *frame, unsigned int size)
{
	add_ipv4(frame, IPPROTO_TCP, 1000, 0);
	frame->size = 14 + size;
}

static void short_ip6(struct frame *frame, unsigned int size)
{
	add_ipv6(frame, IPPROTO_ICMPV6, 1000);
	frame->size = 14 + size;
}

static void header_length(struct frame *frame, unsigned int words)
{
	udp4(frame, 319);
	frame->bytes[14] = (unsigned char)(0x40 | words);
}

static void big(struct frame *frame, unsigned int size)
{
	add_ipv4(frame, IPPROTO_UDP, size - 34, 0);
	add_udp(frame, 4001, size - 42);
}

static const struct {
	const char *name;
	void (*build)(struct frame *frame, unsigned int argument);
	unsigned int argument;
} kinds[] = {
	{ "arp", bare, ETH_P_ARP },
	{ "ptp", bare, 0x88f7 },
	{ "lldp", bare, 0x88cc },
	{ "lacp", bare, 0x8809 },
	{ "eapol", bare, 0x888e },
	{ "near-lldp", bare, 0x88cd },
	{ "near-lacp", bare, 0x880a },
	{ "near-eapol", bare, 0x888d },
	{ "stp", llc, 0x42 },
	{ "near-stp", llc, 0x43 },
	{ "snap", llc, 0xaa },
	{ "igmp", alert4, IPPROTO_IGMP },
	{ "igmp-plain", plain4, IPPROTO_IGMP },
	{ "near-igmp", alert4, 3 },
	{ "igmp6", plain6, IPPROTO_IGMP },
	{ "vrrp", plain4, 112 },
	{ "vrrp6", plain6, 112 },
	{ "near-vrrp", plain4, 113 },
	{ "near-vrrp6", plain6, 111 },
	{ "mld-query", mld, 130 },
	{ "mld-report", mld, 131 },
	{ "mld-done", mld, 132 },
	{ "mld2-report", mld, 143 },
	{ "near-mld", mld, 129 },
	{ "near-nd", icmp6, 138 },
	{ "near-mld2", mld, 142 },
	{ "near-mld2b", mld, 144 },
	{ "bfd", udp4, 3784 },
	{ "bfd-echo", udp4, 3785 },
	{ "bfd-multihop", udp4, 4784 },
	{ "bfd-lag", udp4, 6784 },
	{ "bfd6", udp6, 3784 },
	{ "bfd-255", bfd_size, 255 },
	{ "bfd-256", bfd_size, 256 },
	{ "long-bfd", long4, 3784 },
	{ "long-bfd-echo", long4, 3785 },
	{ "long-bfd-multihop", long4, 4784 },
	{ "long-bfd-lag", long4, 6784 },
	{ "long-bfd6", long6, 3784 },
	{ "near-bfd", udp4, 3783 },
	{ "near-bfd-echo", udp4, 3786 },
	{ "near-bfd-multihop", udp4, 4785 },
	{ "near-bfd-lag", udp4, 6785 },
	{ "near-bfd6", udp6, 4783 },
	{ "tcp-bfd", tcp_port, 3784 },
	{ "unknown", bare, 0x88b5 },
	{ "ptp-event", udp4, 319 },
	{ "ptp-general", udp4, 320 },
	{ "ptp-event6", udp6, 319 },
	{ "dhcp-server", udp4, 67 },
	{ "dhcp-client", udp4, 68 },
	{ "dhcp6-server", udp6, 547 },
	{ "dhcp6-client", udp6, 546 },
	{ "nd-rs", icmp6, 133 },
	{ "nd-ra", icmp6, 134 },
	{ "nd-ns", icmp6, 135 },
	{ "nd-na", icmp6, 136 },
	{ "nd-redirect", icmp6, 137 },
	{ "ping6", icmp6, 128 },
	{ "syn", tcp4, 0x02 },
	{ "syn-ack", tcp4, 0x12 },
	{ "ack", tcp4, 0x10 },
	{ "fin", tcp4, 0x11 },
	{ "rst", tcp4, 0x04 },
	{ "bare", bare_segment, 4 },
	{ "bare6", bare_segment, 6 },
	{ "bare-fragment", bare_fragment, 0x2000 },
	{ "data", tcp4, 0x110 },
	{ "syn6", tcp6, 0x02 },
	{ "ack6", tcp6, 0x10 },
	{ "fin6", tcp6, 0x11 },
	{ "data6", tcp6, 0x110 },
	{ "roce-ack", roce, 0x11 },
	{ "roce-atomic-ack", roce, 0x12 },
	{ "roce-cnp", roce, 0x81 },
	{ "roce-send", roce, 0x04 },
	{ "roce-read-response", roce, 0x10 },
	{ "udp", udp4, 4001 },
	{ "udp6", udp6, 4001 },
	{ "fragment", fragment4, 5 },
	{ "first-fragment", fragment4, 0x2000 },
	{ "fragment6", fragment6, 5 << 3 },
	{ "first-fragment6", fragment6, 1 },
	{ "options", options4, 2 },
	{ "ip-20", short_ip, 20 },
	{ "ip-19", short_ip, 19 },
	{ "ip-1", short_ip, 1 },
	{ "ip-33", short_ip, 33 },
	{ "ip6-40", short_ip6, 40 },
	{ "ip6-39", short_ip6, 39 },
	{ "ihl-4", header_length, 4 },
	{ "ihl-15", header_length, 15 },
	{ "big", big, 1514 },
	{ "jumbo", big, 6000 },
};

/* Ask for the time of --launch; @control has room for it. */
static void add_launch(struct msghdr *message, char *control)
{
	struct cmsghdr *part = (struct cmsghdr *)control;
	struct timespec now;
	uint64_t ns;

	clock_gettime(CLOCK_TAI, &now);
	ns = ((uint64_t)now.tv_sec * 1000 + options.launch) * 1000000 + (uint64_t)now.tv_nsec;
	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_TXTIME;
	part->cmsg_len = CMSG_LEN(sizeof(ns));
	memcpy(CMSG_DATA(part), &ns, sizeof(ns));
	message->msg_control = control;
	message->msg_controllen = CMSG_SPACE(sizeof(ns));
}

static ssize_t send_frame(int fd, const struct sockaddr_ll *where, struct frame *frame)
{
	struct virtio_net_hdr head = { .hdr_len = (uint16_t)options.linear };
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(uint64_t))] = "";
	bool with_head = options.linear || options.gso;
	struct iovec part[2] = { { &head, sizeof(head) }, { frame->bytes, frame->size } };
	struct msghdr message = { .msg_name = (void *)(uintptr_t)where,
				  .msg_namelen = sizeof(*where),
				  .msg_iov = with_head ? part : part + 1,
				  .msg_iovlen = with_head ? 2 : 1 };

	if (options.launch)
		add_launch(&message, control);
	if (options.gso) {
		head.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
		head.gso_type = VIRTIO_NET_HDR_GSO_UDP;
		head.gso_size = (uint16_t)options.gso;
		head.csum_start = 14 + 20;
		head.csum_offset = 6;
		head.hdr_len = 14 + 20 + 8;
	}
	return sendmsg(fd, &message, 0);
}

static void send_kind(int fd, const struct sockaddr_ll *where, const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct frame frame = { .size = 0 };

		if (strcmp(kinds[i].name, name))
			continue;
		kinds[i].build(&frame, kinds[i].argument);
		for (unsigned int n = 0; n < options.count; n++)
			if (send_frame(fd, where, &frame) < 0 && errno != ENOBUFS) {
				fprintf(stderr, "pkt: %s: %s\n", name, strerror(errno));
				exit(1);
			}
		return;
	}
	fprintf(stderr, "pkt: no kind '%s'\n", name);
	exit(2);
}

static const struct {
	const char *name;
	unsigned int *value;
} numbers[] = {
	{ "--count", &options.count }, { "--vlan", &options.vlan }, { "--mark", &options.mark },
	{ "--dscp", &options.dscp }, { "--ecn", &options.ecn }, { "--linear", &options.linear },
	{ "--launch", &options.launch }, { "--gso", &options.gso }, { "--port", &options.port },
	{ "--seq", &options.seq }, { "--ack", &options.ack }, { "--window", &options.window },
	{ "--flags", &options.flags }, { "--times", &options.times }, { "--sack", &options.sack },
	{ "--tail", &options.tail }, { "--priority", &options.priority },
};

static void parse_option(const char *name, const char *value)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(name, numbers[i].name)) {
			*numbers[i].value = (unsigned int)strtoul(value, NULL, 0);
			return;
		}
	if (!strcmp(name, "--mac"))
		sscanf(value, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &options.mac[0], &options.mac[1],
		       &options.mac[2], &options.mac[3], &options.mac[4], &options.mac[5]);
	else if (strcmp(name, "--dst") || (inet_pton(AF_INET, value, &options.v4) != 1 &&
					   inet_pton(AF_INET6, value, &options.v6) != 1))
		exit(2);
}

int main(int argc, char **argv)
{
	struct sockaddr_ll where = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
				     .sll_halen = 6 };
	struct sock_txtime txtime = { .clockid = CLOCK_MONOTONIC };
	int fd = socket(AF_PACKET, SOCK_RAW, 0), room = 64 << 20, one = 1, i;

	if (argc < 3 || fd < 0) {
		fputs("usage: pkt DEV [OPTION VALUE]... KIND...\n", stderr);
		return 2;
	}
	/* A packet that a gate holds must not block the sender. */
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	where.sll_ifindex = (int)if_nametoindex(argv[1]);
	for (i = 2; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2)
		parse_option(argv[i], argv[i + 1]);
	if (options.launch)
		setsockopt(fd, SOL_SOCKET, SO_TXTIME, &txtime, sizeof(txtime));
	if (options.priority)
		setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &options.priority,
			   sizeof(options.priority));
	if (options.mark)
		setsockopt(fd, SOL_SOCKET, SO_MARK, &options.mark, sizeof(options.mark));
	if ((options.linear || options.gso) &&
	    setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof(one))) {
		fprintf(stderr, "pkt: PACKET_VNET_HDR: %s\n", strerror(errno));
		return 1;
	}
	for (; i < argc; i++)
		send_kind(fd, &where, argv[i]);
	return 0;
}
