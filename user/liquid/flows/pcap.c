// SPDX-License-Identifier: GPL-2.0-only
/*
 * Captured packets, as tcpdump -w writes them (draft-ietf-opsawg-pcap)
 *
 * What counts is the IP packet on the wire, however much of it was captured: the headers suffice
 * (tcpdump -s 96). The form is two fixed headers; libpcap, which reads it too, would bring D-Bus
 * and systemd's libraries into a tool that runs on every node.
 */
#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flows/flows.h"

/* Of the file, in the byte order of its writer */
struct file_header {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t reserved[2];
	uint32_t snap;
	uint32_t link;
};

struct packet_header {
	uint32_t seconds, fraction;
	uint32_t captured, length;	/* bytes in the file, and on the wire */
};

#define MAGIC_US	0xa1b2c3d4
#define MAGIC_NS	0xa1b23c4d
#define MAGIC_NG	0x0a0d0d0a	/* of pcapng, in either order */
#define CAPTURED_MAX	262144		/* as libpcap */

/* Link types, and the bytes of their headers */
#define LINK_ETHERNET	1
#define LINK_RAW	101
#define LINK_SLL	113
#define LINK_SLL2	276

#define TYPE_IPV4	0x0800
#define TYPE_IPV6	0x86dd
#define TYPE_VLAN	0x8100
#define TYPE_QINQ	0x88a8
#define TAG_BYTES	4

struct capture {
	struct flows *flows;
	FILE *in;
	bool swapped;
	uint32_t link;
	uint64_t packets;
	uint8_t *packet;
};

static uint32_t in_order(const struct capture *capture, uint32_t value)
{
	return capture->swapped ? bswap_32(value) : value;
}

static uint32_t type_at(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

/* The bytes before the IP header; *type is that of what follows, or 0 */
static uint32_t skip_link(const struct capture *capture, uint32_t captured, uint32_t *type)
{
	const uint8_t *at = capture->packet;
	uint32_t bytes = 0, type_place = 0;

	switch (capture->link) {
	case LINK_ETHERNET:
		bytes = 14;
		type_place = 12;
		break;
	case LINK_SLL:
		bytes = 16;
		type_place = 14;
		break;
	case LINK_SLL2:
		bytes = 20;
		break;
	}
	*type = 0;
	if (captured <= bytes)
		return bytes;
	if (!bytes)
		*type = at[0] >> 4 == 4 ? TYPE_IPV4 : TYPE_IPV6;
	else
		*type = type_at(at + type_place);
	while ((*type == TYPE_VLAN || *type == TYPE_QINQ) && captured >= bytes + TAG_BYTES) {
		*type = type_at(at + bytes + 2);
		bytes += TAG_BYTES;
	}
	return bytes;
}

static void put_key(struct addr_key *key, uint32_t kind, const uint8_t *at)
{
	*key = (struct addr_key){ .kind = kind, .length = addr_key_length(kind) };
	memcpy(key->value, at, key->length);
}

/* Packets that are not IP belong to no host. False: more than 2^64 bytes. */
static bool add_packet(const struct capture *capture, uint32_t captured, uint32_t length)
{
	uint32_t type, before = skip_link(capture, captured, &type);
	const uint8_t *at = capture->packet + before;
	struct addr_key src, dst;

	if (captured < before || length <= before)
		return true;
	captured -= before;
	if (type == TYPE_IPV4 && captured >= 20 && at[0] >> 4 == 4) {
		put_key(&src, LIQUID_KEY_A_IPV4, at + 12);
		put_key(&dst, LIQUID_KEY_A_IPV4, at + 16);
	} else if (type == TYPE_IPV6 && captured >= 40 && at[0] >> 4 == 6) {
		put_key(&src, LIQUID_KEY_A_IPV6, at + 8);
		put_key(&dst, LIQUID_KEY_A_IPV6, at + 24);
	} else {
		return true;
	}
	return flows_add(capture->flows, &src, &dst, length - before);
}

static const char *take_file_header(struct capture *capture)
{
	struct file_header header;

	if (fread(&header, sizeof(header), 1, capture->in) != 1)
		return "no capture: shorter than its header";
	if (header.magic == MAGIC_NG)
		return "a capture in pcapng's form: 'tcpdump -r FILE -w OTHER' writes the one that "
		       "is read";
	capture->swapped = header.magic == bswap_32(MAGIC_US) ||
			   header.magic == bswap_32(MAGIC_NS);
	if (!capture->swapped && header.magic != MAGIC_US && header.magic != MAGIC_NS)
		return "no capture: it does not begin with pcap's number";
	/* The upper bits are set for a checksum at the end of each packet. */
	capture->link = in_order(capture, header.link) & 0xffff;
	if (capture->link != LINK_ETHERNET && capture->link != LINK_RAW &&
	    capture->link != LINK_SLL && capture->link != LINK_SLL2)
		return "only packets of Ethernet, of Linux's device 'any' and of raw IP are read";
	return NULL;
}

/* NULL with *end at the end of the file */
static const char *take_packet(struct capture *capture, bool *end)
{
	struct packet_header header;
	size_t got = fread(&header, 1, sizeof(header), capture->in);
	uint32_t captured;

	*end = !got && feof(capture->in);
	if (*end)
		return NULL;
	capture->packets++;
	captured = in_order(capture, header.captured);
	if (got != sizeof(header))
		return "cut off";
	if (captured > CAPTURED_MAX)
		return "more bytes than a packet can have";
	if (fread(capture->packet, 1, captured, capture->in) != captured)
		return "cut off";
	return add_packet(capture, captured, in_order(capture, header.length)) ? NULL :
	       "more than 2^64 bytes in all";
}

static int read_capture(struct capture *capture, const char *label, struct liquid_error *err)
{
	const char *why = take_file_header(capture);
	bool end = false;

	if (why)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: %s", label, why);
	while (!end && !why)
		why = take_packet(capture, &end);
	if (ferror(capture->in))
		return liquid_fail(err, LIQUID_IO, "%s: %s", label, strerror(errno));
	if (why)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: packet %llu: %s", label,
				   (unsigned long long)capture->packets, why);
	return LIQUID_OK;
}

int flows_read_pcap(struct flows *flows, FILE *in, const char *label, struct liquid_error *err)
{
	struct capture capture = { .flows = flows, .in = in, .packet = malloc(CAPTURED_MAX) };
	int status = capture.packet ? read_capture(&capture, label, err) : liquid_no_memory(err);

	free(capture.packet);
	return status;
}
