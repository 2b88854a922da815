/* SPDX-License-Identifier: GPL-2.0-only */
/* The job of rdma-alltoall, and the endpoints that do it. */
#ifndef LIQUID_EXPERIMENTS_RDMA_ALLTOALL_H
#define LIQUID_EXPERIMENTS_RDMA_ALLTOALL_H

#include <liquidsched.h>

#include "rdma-wire.h"

/* The first three are runs of the plan. */
enum order {
	ORDER_TOKENS, ORDER_CLOCK, ORDER_ORDER, ORDER_ALL_AT_ONCE, ORDER_WINDOW, ORDER_PAIRWISE,
};

/* What one rank has done, in memory that all processes share */
struct result {
	int64_t end;			/* ns; 0: not to the end */
	uint64_t failed;		/* writes */
	uint64_t tokens;		/* sent */
	uint64_t token_us, token_min_us;	/* until these were acknowledged: sum, least */
	struct liquid_run_stats run;
};

struct job {
	/* arguments */
	enum order order;
	uint32_t window;		/* messages in flight, of orders without a run */
	uint64_t message;		/* bytes, whole words */
	uint64_t tail, ahead;		/* bytes, see rdma-alltoall.c */
	uint32_t exchanges;
	int64_t frame, nap, patience, limit;	/* ns */
	uint8_t ack_timeout;		/* 4.096 us * 2^ack_timeout */
	bool process_per_node;
	uint32_t die;			/* rank, or LIQUID_NONE */
	int64_t die_after;		/* ns */

	/* what is to be done */
	struct liquid_fabric *fabric;
	struct liquid_plan *plan;
	uint32_t ranks;
	uint32_t host_of_rank[RANKS_MAX];
	uint32_t address[RANKS_MAX];	/* IPv4, in network order */
	uint32_t parts[RANKS_MAX][RANKS_MAX];	/* of the message from one to another; 0: none */

	/* an endpoint's memory: flags by sender, slots, messages that come, messages that go */
	size_t slots_at, in_at, out_at, memory_bytes;
	unsigned char *memory[RANKS_MAX];
	struct shared *shared;
};

struct shared {
	uint32_t ready, joined;		/* processes */
	int64_t start;			/* ns of CLOCK_MONOTONIC; 0: not yet known */
	struct card cards[RANKS_MAX];
	struct result results[RANKS_MAX];
};

/* What a message of @src to @dst has at @place, in words */
uint64_t job_word(uint32_t src, uint32_t dst, uint64_t exchange, uint64_t place);

/* An endpoint on its way through the exchanges */
struct endpoint {
	const struct job *job;
	uint32_t rank;
	struct wire wire;
	struct liquid_plan *slice;
	struct liquid_run *run;
	const struct liquid_piece *piece;
	uint32_t pieces;
	const struct liquid_incoming *incoming;
	uint32_t senders;
	uint32_t parts[RANKS_MAX];	/* by receiver: of the message to it; 0: none */
	uint32_t tokens[RANKS_MAX];	/* by receiver, in an exchange */
	uint64_t *flags;		/* by sender: exchanges whose message is there */
	uint32_t sent[RANKS_MAX];	/* by receiver: units of this exchange */
	uint64_t epoch;
	uint64_t in_progress;		/* writes */
	bool all_sent;
	int64_t last;			/* when something happened last, ns */
	uint64_t arrived;		/* messages */
	struct result *result;

	/* orders without a run */
	uint32_t *sequence;		/* pieces */
	uint32_t next, in_flight;
};

void endpoint_open(struct endpoint *endpoint, const struct job *job, uint32_t rank);
/* Do what can be done at @now. Returns false if there was nothing. */
bool endpoint_step(struct endpoint *endpoint, int64_t now);
bool endpoint_done(const struct endpoint *endpoint);

#endif
