/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bare acknowledgements of TCP: when a newer one says all that an older one says; pure, also
 * compiled for tests on the host
 *
 * The rules are those of sch_cake's filter, and stricter: whatever is not known to be harmless
 * stays. Both packets are of the same flow and traffic class, and have no mark of congestion. ACK
 * is their only flag, so that echoes of such marks (ECE, CWR) stay. They have no options but
 * timestamps, so that selective acknowledgements stay. Their sequence number is the same, so that
 * neither is a probe and no data was sent between them. The newer one acknowledges more, so that
 * duplicates and updates of the window stay; and its timestamps are not older.
 */
#ifndef LIQUID_ACK_H
#define LIQUID_ACK_H

#ifndef __KERNEL__
#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>
#endif
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/types.h>

#define ACK_IPV4_PLAIN		0x45	/* first byte of a header without options */
#define ACK_IPV4_FRAGMENT	0x3fff	/* more fragments, or an offset */
#define ACK_ECN			3	/* bits of the traffic class; all set: congestion was met */
#define ACK_TCP_FLAGS		0x0fff0000 /* all flags, and the reserved bits */
#define ACK_TCP_WORDS		5	/* of a header without options */
#define ACK_TCP_WORDS_TIME	8	/* of one with timestamps */
#define ACK_OPTIONS_TIME	0x0101080a /* no-operation twice, timestamps of 10 bytes */

/* A bare ACK that may be thinned, by its headers in place */
struct liquid_ack {
	const struct tcphdr *tcp;
	const u8 *addrs;	/* source and destination address */
	u32 addrs_len;		/* bytes of both */
	u32 class;		/* version and traffic class; of IPv6 also the flow label */
};

/* No flag but ACK, no payload, and no options but timestamps; @len: bytes of the segment */
static inline bool liquid_ack_is_plain(const struct tcphdr *tcp, int len)
{
	const __be32 *options = (const void *)(tcp + 1);

	if ((tcp_flag_word(tcp) & htonl(ACK_TCP_FLAGS)) != TCP_FLAG_ACK || tcp->doff * 4 != len)
		return false;
	return tcp->doff == ACK_TCP_WORDS ||
	       (tcp->doff == ACK_TCP_WORDS_TIME && *options == htonl(ACK_OPTIONS_TIME));
}

static inline bool liquid_ack_read_ipv4(struct liquid_ack *ack, const u8 *header, u32 len)
{
	const struct iphdr *ip = (const void *)header;

	if (len < sizeof(*ip) + sizeof(*ack->tcp) || header[0] != ACK_IPV4_PLAIN ||
	    len < ntohs(ip->tot_len) || ip->protocol != IPPROTO_TCP ||
	    ip->frag_off & htons(ACK_IPV4_FRAGMENT) || (ip->tos & ACK_ECN) == ACK_ECN)
		return false;
	ack->tcp = (const void *)(ip + 1);
	ack->addrs = header + offsetof(struct iphdr, saddr);
	ack->addrs_len = 2 * sizeof(ip->saddr);
	ack->class = (u32)header[0] << 8 | ip->tos;
	return liquid_ack_is_plain(ack->tcp, ntohs(ip->tot_len) - (int)sizeof(*ip));
}

static inline bool liquid_ack_read_ipv6(struct liquid_ack *ack, const u8 *header, u32 len)
{
	const struct ipv6hdr *ip = (const void *)header;

	if (len < sizeof(*ip) + sizeof(*ack->tcp) || header[0] >> 4 != 6 ||
	    len < sizeof(*ip) + ntohs(ip->payload_len) || ip->nexthdr != IPPROTO_TCP ||
	    (header[1] >> 4 & ACK_ECN) == ACK_ECN)
		return false;
	ack->tcp = (const void *)(ip + 1);
	ack->addrs = header + offsetof(struct ipv6hdr, saddr);
	ack->addrs_len = 2 * sizeof(ip->saddr);
	ack->class = (u32)header[0] << 24 | header[1] << 16 | header[2] << 8 | header[3];
	return liquid_ack_is_plain(ack->tcp, ntohs(ip->payload_len));
}

/*
 * Read a packet with the ethertype @proto, whose network header is at @header, with @len bytes in
 * one piece. false: it is something else, or must not be thinned.
 */
static inline bool liquid_ack_read(struct liquid_ack *ack, __be16 proto, const u8 *header, u32 len)
{
	if (proto == htons(ETH_P_IP))
		return liquid_ack_read_ipv4(ack, header, len);
	return proto == htons(ETH_P_IPV6) && liquid_ack_read_ipv6(ack, header, len);
}

static inline bool liquid_ack_same_flow(const struct liquid_ack *a, const struct liquid_ack *b)
{
	return a->addrs_len == b->addrs_len && !memcmp(a->addrs, b->addrs, a->addrs_len) &&
	       a->tcp->source == b->tcp->source && a->tcp->dest == b->tcp->dest;
}

/* How far @a is ahead of @b, in sequence numbers or timestamps */
static inline s32 liquid_ack_ahead(__be32 a, __be32 b)
{
	return (s32)(ntohl(a) - ntohl(b));
}

/* Of two of the same flow, @ack makes @old superfluous. */
static inline bool liquid_ack_replaces(const struct liquid_ack *ack, const struct liquid_ack *old)
{
	const __be32 *time = (const void *)(ack->tcp + 1), *old_time = (const void *)(old->tcp + 1);

	if (ack->class != old->class || ack->tcp->doff != old->tcp->doff ||
	    ack->tcp->seq != old->tcp->seq ||
	    liquid_ack_ahead(ack->tcp->ack_seq, old->tcp->ack_seq) <= 0)
		return false;
	return ack->tcp->doff == ACK_TCP_WORDS ||
	       (liquid_ack_ahead(time[1], old_time[1]) >= 0 &&
		liquid_ack_ahead(time[2], old_time[2]) >= 0);
}

#endif /* LIQUID_ACK_H */
