/* SPDX-License-Identifier: GPL-2.0-only */
/* What tap writes and judge reads: one record a captured packet. */
#ifndef LIQUID_TEST_RECORD_H
#define LIQUID_TEST_RECORD_H

#include <stdint.h>

#define TAP_SNAP	120

struct tap_record {
	int64_t tai_ns;		/* when the core handed the packet to the driver */
	uint32_t host;		/* which of tap's devices, from 0 */
	uint32_t length;	/* with the link-layer header */
	uint16_t gso_size;	/* payload of a segment; 0: one packet */
	uint16_t captured;	/* bytes below */
	uint16_t header;	/* bytes of the link-layer header: 14 or 0 */
	uint16_t protocol;	/* EtherType */
	unsigned char bytes[TAP_SNAP];
};

#endif
