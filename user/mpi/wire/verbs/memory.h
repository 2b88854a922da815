/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of an exchange, registered so that the device reads it and others write to it. */
#ifndef LIQUID_MPI_VERBS_MEMORY_H
#define LIQUID_MPI_VERBS_MEMORY_H

#include "wire/verbs/port.h"
#include "wire/wire.h"

struct cache;

/* A message: where the caller has it, and where the device reads or writes it */
struct place {
	unsigned char *caller, *at;
	uint64_t bytes;
	uint32_t key;			/* of bytes to send the local key, else the remote one */
};

/* All messages in one direction */
struct side {
	int access;			/* enum ibv_access_flags */
	struct place *place;		/* by rank */
	struct range *range;		/* registered for this exchange */
	uint32_t ranges;
	unsigned char *bounce;		/* mapped, NULL: none */
	uint64_t bounce_bytes;
	struct ibv_mr *bounce_mr;
};

/*
 * call: the caller's memory is registered for each exchange. bounce: messages are copied into and
 * out of memory that stays registered. cache: the caller's memory stays registered.
 */
enum memory_use { MEMORY_CALL, MEMORY_BOUNCE, MEMORY_CACHE };

struct memory {
	struct port *port;
	uint32_t ranks;
	enum memory_use use;
	struct cache *cache;
	struct side out, in;
};

int memory_open(struct memory *memory, struct port *port, uint32_t ranks, const char *use,
		struct liquid_error *err);
void memory_close(struct memory *memory);
/* Register the spans, by rank. After an error none remains registered. */
int memory_prepare(struct memory *memory, const struct span *out, const struct span *in,
		   struct liquid_error *err);
/* Bytes of the message to @peer: where the device reads them */
const unsigned char *memory_take(struct memory *memory, uint32_t peer, const unsigned char *from,
				 uint64_t offset, uint64_t bytes);
/* The message from @peer is there: the caller shall have it. */
void memory_give(struct memory *memory, uint32_t peer);
void memory_finish(struct memory *memory);

#endif
