/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes from each host to each other: the sums of a network's flows or packets. */
#ifndef LIQUID_FLOWS_H
#define LIQUID_FLOWS_H

#include <stdio.h>

#include "liquidsched.h"
#include "util/addr-map.h"

struct flow_key;

struct flows {
	uint32_t hosts;
	uint64_t *bytes;		/* from host (row) to host, of all inputs: hosts x hosts */
	uint64_t left_out;		/* bytes from or to addresses that no host has */
	uint64_t unmeasured;		/* flows without a count of bytes */
	/* Within */
	struct flow_key *key;		/* sorted */
	size_t keys;
	uint64_t *input;		/* as @bytes, of the input that is read */
};

/*
 * flows.c: @host has the names of the rows, which @map must know. flows_close(), also after an
 * error. A status of the library.
 */
int flows_open(struct flows *flows, const struct addr_map *map, const struct liquid_names *host,
	       struct liquid_error *err);
void flows_close(struct flows *flows);
/* Bytes within a host are left out silently. False: more than 2^64 bytes. */
bool flows_add(struct flows *flows, const struct addr_key *src, const struct addr_key *dst,
	       uint64_t bytes);
/*
 * The input ends. Inputs see the same traffic at several places: of a pair of hosts that counts
 * which has seen most; with @sum they are of several times, and all count. False: more than 2^64
 * bytes.
 */
bool flows_end_input(struct flows *flows, bool sum);

/*
 * conntrack.c: lines of `conntrack -L`, `conntrack -E -e DESTROY` or /proc/net/nf_conntrack. Errors
 * name @label and the line.
 */
int flows_read_conntrack(struct flows *flows, FILE *in, const char *label,
			 struct liquid_error *err);
/* pcap.c: captured packets; the bytes of IP packets on the wire */
int flows_read_pcap(struct flows *flows, FILE *in, const char *label, struct liquid_error *err);

#endif
