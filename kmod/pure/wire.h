/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wire arithmetic: bytes on the wire and their duration; pure, also compiled for tests on the host
 *
 * Durations are rounded up, so that a packet that fits by calculation really fits.
 */
#ifndef LIQUID_WIRE_H
#define LIQUID_WIRE_H

#include "pure/slot.h"

#define LIQUID_BIT_NS	8000000000ULL	/* bits of a byte x ns of a second */

/* A link rate, prepared for multiplication */
struct liquid_rate {
	u64 bps;		/* bit/s */
	u64 mult;		/* ns a byte, times 2^@shift, rounded up */
	u32 shift;		/* the largest for which @mult fits */
};

/* 8e9 / @bps by long division, bit by bit to avoid overflow. @bps < 2^62 */
static inline void liquid_rate_set(struct liquid_rate *rate, u64 bps)
{
	u64 rest, quotient = div64_u64_rem(LIQUID_BIT_NS, bps, &rest);
	u32 shift = 0;

	while (quotient < (1ULL << 31)) {
		quotient <<= 1;
		rest <<= 1;
		if (rest >= bps) {
			rest -= bps;
			quotient++;
		}
		shift++;
	}
	rate->bps = bps;
	rate->mult = quotient + (rest ? 1 : 0);
	rate->shift = shift;
}

/* ns that @bytes take on the wire, rounded up, at most S64_MAX */
static inline u64 liquid_wire_ns(const struct liquid_rate *rate, u64 bytes)
{
	u64 low = (u64)(u32)bytes * rate->mult, round = (1ULL << rate->shift) - 1, ns;

	if (bytes <= 0x7fffffffULL)	/* mult <= 2^33: the product fits */
		return (low + round) >> rate->shift;
	/* Much larger than a packet: round up to a multiple of 2^30 bytes. */
	ns = ((rate->mult << 30) + round) >> rate->shift;
	if ((bytes >> 30) + 1 > div64_u64((u64)S64_MAX, ns))
		return (u64)S64_MAX;
	return ns * ((bytes >> 30) + 1);
}

/* Wire time of a packet by one multiplication, with overhead and minimum size */
struct liquid_cost {
	u64 mult;		/* of the rate */
	u64 base;		/* overhead and rounding */
	u32 shift;		/* of the rate */
	u32 least;		/* bytes; shorter packets take as long as this */
};

static inline void liquid_cost_set(struct liquid_cost *cost, const struct liquid_rate *rate,
				   s32 overhead, u32 mpu)
{
	s64 least = (s64)mpu - overhead;

	cost->mult = rate->mult;
	cost->shift = rate->shift;
	cost->least = least > 0 ? (u32)least : 0;
	cost->base = (u64)(s64)overhead * rate->mult + (1ULL << rate->shift) - 1;
}

/* liquid_wire_ns() of liquid_wire_bytes(@len, overhead, mpu), for @len below 2^30 */
static inline u64 liquid_cost_ns(const struct liquid_cost *cost, u32 len)
{
	return ((len > cost->least ? len : cost->least) * cost->mult + cost->base) >> cost->shift;
}

/* Bytes that the wire carries in @ns, rounded down. Both are within the limits of the uapi. */
static inline u64 liquid_wire_bytes_in(u64 bps, u64 ns)
{
	u64 second = div64_u64(bps, 8), rest, whole;

	whole = div64_u64_rem(second, 1000000000ULL, &rest);
	return whole * ns + div64_u64(rest * ns, 1000000000ULL);
}

/* @permille of @bytes, rounded up, so that a share of a small frame is not 0 */
static inline u64 liquid_permille(u64 bytes, u32 permille)
{
	u64 rest, whole = div64_u64_rem(bytes, 1000, &rest);

	return whole * permille + div64_u64(rest * permille + 999, 1000);
}

/* Wire size of a packet that has @len bytes to the kernel */
static inline u32 liquid_wire_bytes(u32 len, s32 overhead, u32 mpu)
{
	s64 size = (s64)len + overhead;

	if (size < (s64)mpu)
		size = mpu;
	return size > 0 ? (u32)size : 0;
}

/*
 * Wire size of a GSO packet of @len bytes, @header of them headers. Each segment is a packet with
 * its own headers.
 */
static inline u64 liquid_wire_bytes_gso(u32 len, u32 header, u32 gso_size, s32 overhead, u32 mpu)
{
	u32 payload = len > header ? len - header : 0, full, last;

	if (!gso_size)
		return liquid_wire_bytes(len, overhead, mpu);
	full = payload / gso_size;
	last = payload % gso_size;
	return (u64)full * liquid_wire_bytes(header + gso_size, overhead, mpu) +
	       (last || !full ? liquid_wire_bytes(header + last, overhead, mpu) : 0);
}

/* End of a transmission of @ns that is released at @now, behind one that ends at @vfinish */
static inline s64 liquid_vfinish(s64 now, s64 vfinish, u64 ns)
{
	return liquid_time_add(now > vfinish ? now : vfinish, ns);
}

#endif /* LIQUID_WIRE_H */
