// SPDX-License-Identifier: GPL-2.0-only
/* kmod/pure/ack.h: which bare acknowledgement another makes superfluous, by a table of cases */
#include "pure/ack.h"
#include "tap.h"

#define PACKET_MAX	128

/* What is put together to a packet; the usual one is all zero but for @ack. */
struct spec {
	u32 ack, seq, tsval, tsecr;
	u32 flags;		/* beside ACK */
	u32 payload;		/* bytes */
	u32 words;		/* of other options */
	u32 option;		/* the first of them */
	u32 tos;		/* or traffic class */
	u32 label;		/* flow label */
	u32 window, port, host, fragment, cut;
	bool times, no_ack, other_proto, ip_options;
};

struct packet {
	u32 words[PACKET_MAX / 4];
	u32 len;
	__be16 proto;
};

static void put16(u8 *at, u32 value)
{
	at[0] = value >> 8;
	at[1] = value;
}

static void put32(u8 *at, u32 value)
{
	put16(at, value >> 16);
	put16(at + 2, value);
}

static u32 tcp_words(const struct spec *spec)
{
	return 5 + (spec->times ? 3 : 0) + spec->words;
}

static void put_tcp(u8 *tcp, const struct spec *spec)
{
	u8 *option = tcp + 20;

	put16(tcp, 4000 + spec->port);
	put16(tcp + 2, 5000);
	put32(tcp + 4, spec->seq);
	put32(tcp + 8, spec->ack);
	put16(tcp + 12, tcp_words(spec) << 12 | (spec->no_ack ? 0 : 0x10) | spec->flags);
	put16(tcp + 14, spec->window);
	if (spec->times) {
		put32(option, 0x0101080a);
		put32(option + 4, spec->tsval);
		put32(option + 8, spec->tsecr);
		option += 12;
	}
	if (spec->words)
		put32(option, spec->option);
}

static void make_ipv4(struct packet *packet, const struct spec *spec)
{
	u8 *ip = (u8 *)packet->words;
	u32 head = spec->ip_options ? 24 : 20;

	packet->proto = htons(ETH_P_IP);
	packet->len = head + tcp_words(spec) * 4 + spec->payload;
	ip[0] = 0x40 | head / 4;
	ip[1] = spec->tos;
	put16(ip + 2, packet->len);
	put16(ip + 6, 0x4000 | spec->fragment);
	ip[9] = spec->other_proto ? IPPROTO_SCTP : IPPROTO_TCP;
	put32(ip + 12, 0x0a000001);
	put32(ip + 16, 0x0a000002 + spec->host);
	put_tcp(ip + head, spec);
}

static void make_ipv6(struct packet *packet, const struct spec *spec)
{
	u8 *ip = (u8 *)packet->words;

	packet->proto = htons(ETH_P_IPV6);
	packet->len = 40 + tcp_words(spec) * 4 + spec->payload;
	put32(ip, 0x60000000 | spec->tos << 20 | spec->label);
	put16(ip + 4, packet->len - 40);
	ip[6] = spec->other_proto ? IPPROTO_SCTP : IPPROTO_TCP;
	ip[39] = 2 + spec->host;
	put_tcp(ip + 40, spec);
}

static struct packet make(const struct spec *spec, bool ipv6)
{
	struct packet packet = { .len = 0 };

	if (ipv6)
		make_ipv6(&packet, spec);
	else
		make_ipv4(&packet, spec);
	packet.len -= spec->cut;
	return packet;
}

static bool read_packet(struct liquid_ack *ack, const struct packet *packet)
{
	return liquid_ack_read(ack, packet->proto, (const u8 *)packet->words, packet->len);
}

enum verdict { OTHER, STAYS, GOES };

/* The fate of @old when @newer arrives. OTHER: one is of another flow, or none to be thinned. */
static enum verdict judge(const struct spec *old, const struct spec *newer, bool ipv6)
{
	struct packet first = make(old, ipv6), second = make(newer, ipv6);
	struct liquid_ack a, b;

	if (!read_packet(&a, &first) || !read_packet(&b, &second) || !liquid_ack_same_flow(&b, &a))
		return OTHER;
	return liquid_ack_replaces(&b, &a) ? GOES : STAYS;
}

#define NEW	.ack = 200
#define OLD	.ack = 100
#define TIMES	.times = true, .tsval = 70, .tsecr = 80

static const struct {
	const char *name;
	enum verdict verdict;
	struct spec old, newer;
} cases[] = {
	{ "one that acknowledges more", GOES, { OLD }, { NEW } },
	{ "by one byte", GOES, { OLD }, { .ack = 101 } },
	{ "across the end of the numbers", GOES, { .ack = 0xfffffff0 }, { .ack = 5 } },
	{ "with another window", GOES, { OLD, .window = 900 }, { NEW, .window = 800 } },
	{ "with timestamps", GOES, { OLD, TIMES }, { NEW, TIMES } },
	{ "with later timestamps", GOES, { OLD, TIMES },
	  { NEW, .times = true, .tsval = 71, .tsecr = 81 } },
	{ "with timestamps across the end", GOES,
	  { OLD, .times = true, .tsval = 0xffffffff, .tsecr = 0xfffffffe },
	  { NEW, .times = true, .tsval = 0, .tsecr = 0 } },
	{ "a duplicate", STAYS, { OLD }, { OLD } },
	{ "an update of the window", STAYS, { OLD, .window = 1 }, { OLD, .window = 2 } },
	{ "one that acknowledges less", STAYS, { NEW }, { OLD } },
	{ "less, across the end", STAYS, { .ack = 5 }, { .ack = 0xfffffff0 } },
	{ "after data", STAYS, { OLD }, { NEW, .seq = 1 } },
	{ "a probe", STAYS, { OLD, .seq = 1 }, { NEW } },
	{ "an earlier timestamp", STAYS, { OLD, TIMES },
	  { NEW, .times = true, .tsval = 69, .tsecr = 80 } },
	{ "an earlier echo", STAYS, { OLD, TIMES },
	  { NEW, .times = true, .tsval = 70, .tsecr = 79 } },
	{ "timestamps that cease", STAYS, { OLD, TIMES }, { NEW } },
	{ "timestamps that begin", STAYS, { OLD }, { NEW, TIMES } },
	{ "another traffic class", STAYS, { OLD, .tos = 4 }, { NEW } },
	{ "both able to carry a mark of congestion", GOES, { OLD, .tos = 2 }, { NEW, .tos = 2 } },
	{ "a mark of congestion in the old one's header", OTHER, { OLD, .tos = 3 }, { NEW } },
	{ "in both headers", OTHER, { OLD, .tos = 3 }, { NEW, .tos = 3 } },
	{ "in both headers, next to a class", OTHER, { OLD, .tos = 39 }, { NEW, .tos = 39 } },
	{ "another port", OTHER, { OLD, .port = 1 }, { NEW } },
	{ "another host", OTHER, { OLD, .host = 1 }, { NEW } },
	{ "ECE in the old one", OTHER, { OLD, .flags = 0x40 }, { NEW } },
	{ "ECE in the newer one", OTHER, { OLD }, { NEW, .flags = 0x40 } },
	{ "ECE in both", OTHER, { OLD, .flags = 0x40 }, { NEW, .flags = 0x40 } },
	{ "CWR", OTHER, { OLD, .flags = 0x80 }, { NEW } },
	{ "a reserved flag", OTHER, { OLD, .flags = 0x100 }, { NEW } },
	{ "the last reserved flag", OTHER, { OLD, .flags = 0x800 }, { NEW } },
	{ "FIN", OTHER, { OLD, .flags = 1 }, { NEW } },
	{ "FIN in the newer one", OTHER, { OLD }, { NEW, .flags = 1 } },
	{ "SYN", OTHER, { OLD, .flags = 2 }, { NEW } },
	{ "RST", OTHER, { OLD }, { NEW, .flags = 4 } },
	{ "PSH", OTHER, { OLD, .flags = 8 }, { NEW } },
	{ "URG", OTHER, { OLD, .flags = 0x20 }, { NEW } },
	{ "no ACK", OTHER, { OLD, .no_ack = true }, { NEW } },
	{ "data in the old one", OTHER, { OLD, .payload = 1 }, { NEW } },
	{ "data in the newer one", OTHER, { OLD }, { NEW, .payload = 1 } },
	{ "SACK in the old one", OTHER, { OLD, TIMES, .words = 3, .option = 0x0101050a },
	  { NEW, TIMES } },
	{ "SACK in the newer one", OTHER, { OLD, TIMES },
	  { NEW, TIMES, .words = 3, .option = 0x0101050a } },
	{ "SACK instead of timestamps", OTHER, { OLD, .words = 3, .option = 0x0101050a },
	  { NEW, .words = 3, .option = 0x0101050a } },
	{ "an unknown option", OTHER, { OLD, .words = 1, .option = 0x1e040000 }, { NEW } },
	{ "padding behind timestamps", OTHER, { OLD, TIMES, .words = 1 }, { NEW, TIMES } },
	{ "another protocol", OTHER, { OLD, .other_proto = true }, { NEW } },
	{ "headers beyond the linear part", OTHER, { OLD, .cut = 1 }, { NEW } },
	{ "options beyond the linear part", OTHER, { OLD, TIMES, .cut = 12 }, { NEW, TIMES } },
};

/* Fields that IPv6 does not have, and that IPv4 does not have */
static void test_versions(void)
{
	struct spec old = { OLD }, newer = { NEW };
	struct packet four = make(&old, false), six = make(&newer, true);
	struct liquid_ack a, b;

	ok(read_packet(&a, &four) && read_packet(&b, &six) && !liquid_ack_same_flow(&b, &a),
	   "IPv4 and IPv6 are two flows");
	four.proto = htons(ETH_P_IPV6);
	six.proto = htons(ETH_P_IP);
	ok(!read_packet(&a, &four) && !read_packet(&b, &six), "the version is the ethertype's");
	six.proto = htons(ETH_P_8021Q);
	ok(!read_packet(&b, &six), "other ethertypes are not read");
	old.ip_options = true;
	ok(judge(&old, &newer, false) == OTHER, "options of IPv4");
	old = (struct spec){ OLD, .fragment = 0x2000 };
	ok(judge(&old, &newer, false) == OTHER, "the first fragment");
	old = (struct spec){ OLD, .fragment = 1 };
	ok(judge(&old, &newer, false) == OTHER, "a later fragment");
	old = (struct spec){ OLD, .label = 7 };
	ok(judge(&old, &newer, true) == STAYS, "another flow label");
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ok(judge(&cases[i].old, &cases[i].newer, false) == cases[i].verdict, "IPv4: %s",
		   cases[i].name);
		ok(judge(&cases[i].old, &cases[i].newer, true) == cases[i].verdict, "IPv6: %s",
		   cases[i].name);
	}
	test_versions();
	return tap_exit();
}
