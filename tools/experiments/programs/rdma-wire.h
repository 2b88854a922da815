/* SPDX-License-Identifier: GPL-2.0-only */
/* Endpoints that write into each other's memory by RDMA, over reliable connections. */
#ifndef LIQUID_EXPERIMENTS_RDMA_WIRE_H
#define LIQUID_EXPERIMENTS_RDMA_WIRE_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

#define RANKS_MAX	64

/*
 * Each pair of endpoints has a queue pair for each direction and channel, so that neither words nor
 * acknowledgements stand behind data of the same queue pair.
 */
enum channel { CHANNEL_DATA, CHANNEL_WORD, CHANNELS };

/* What others need in order to write to an endpoint */
struct card {
	union ibv_gid gid;
	uint64_t address;		/* of its memory */
	uint32_t key;			/* of its memory */
	uint64_t messages_at[RANKS_MAX];	/* by sender, where in it its messages go */
	uint32_t out[CHANNELS][RANKS_MAX], in[CHANNELS][RANKS_MAX];	/* queue pairs by peer */
};

struct wire {
	uint32_t rank;
	struct card *cards;		/* of all ranks; this one fills in its own */
	unsigned char *memory;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t gid_index;
	struct ibv_qp *out[CHANNELS][RANKS_MAX], *in[CHANNELS][RANKS_MAX];
};

/*
 * Open the endpoint of wire->rank: soft-RoCE on @device with the IPv4 address @address. Others may
 * write into @memory. @writes is the number of writes that are not complete at any time, at most.
 */
void wire_open(struct wire *wire, const char *device, uint32_t address, void *memory, size_t bytes,
	       uint32_t writes);
/* Make the sender's end, for up to @writes writes to @peer, and the receiver's end. */
void wire_make_out(struct wire *wire, enum channel channel, uint32_t peer, uint32_t writes);
void wire_make_in(struct wire *wire, enum channel channel, uint32_t peer);
/*
 * Connect all ends, when all ranks have made theirs. A write that is not acknowledged for
 * 4.096 us * 2^@timeout is sent again, and fails after a few times.
 */
void wire_join(struct wire *wire, uint32_t ranks, uint8_t timeout);
/* Write @bytes at @from in this memory to @to in that of @peer; @id comes with the completion. */
void wire_write(struct wire *wire, enum channel channel, uint32_t peer, size_t from, size_t bytes,
		size_t to, uint64_t id);
void wire_write_word(struct wire *wire, enum channel channel, uint32_t peer, uint64_t word,
		     size_t to, uint64_t id);

#endif
