/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What moves the bytes of an exchange: data from rank to rank, and tokens
 *
 * A wire belongs to one group of ranks. It knows nothing of plans, and never blocks. Ranks here
 * are ranks of the communicator. All functions are called by one thread at a time.
 */
#ifndef LIQUID_MPI_WIRE_H
#define LIQUID_MPI_WIRE_H

#include <liquidsched.h>
#include <mpi.h>

/* A part of the memory of a caller. */
struct span {
	unsigned char *at;
	uint64_t bytes;
};

/* With which ranks a wire moves what. */
enum wire_use {
	WIRE_DATA = 1,			/* messages, in both directions */
	WIRE_TOKENS = 2,		/* tokens, in both directions */
};

struct wire_options {
	MPI_Comm comm;			/* the group's own duplicate, which no program knows */
	uint32_t rank, ranks;
	const uint8_t *use;		/* by rank: enum wire_use, ORed; 0: nothing, and itself */
	uint64_t *slots;		/* into which others' tokens are written */
	uint32_t slot_count;
	const struct environment *env;
};

/* Bytes @offset ... @offset + @bytes - 1 of the message to @peer, which are at @from */
struct wire_post {
	uint32_t peer;
	const unsigned char *from;
	uint64_t offset, bytes;
	bool tail;			/* the end of a piece, which may be under way afterwards */
	uint64_t ahead;			/* bytes that leave while an acknowledgement comes */
	uint64_t id;			/* comes back in an event */
};

/*
 * A post has left: what comes after it on its link follows at once. It may have to be sent again:
 * its memory is free when the exchange is complete.
 */
struct wire_event {
	uint64_t id;
};

struct wire;

/* Functions that return int return a liquid_status; an error of a wire is final for its group. */
struct wire_ops {
	const char *name;
	/* A rank's message to each other rank so that they can connect, bytes */
	size_t card_bytes;

	/* Has an earlier wire of this process proved nothing? NULL: that cannot be. */
	bool (*is_broken)(void);
	/*
	 * Open the local ends and write a card for each rank into @cards (ranks x card_bytes).
	 * Local: the caller exchanges the cards, and agrees with all that none failed.
	 */
	int (*open)(struct wire **wire, const struct wire_options *options, void *cards,
		    struct liquid_error *err);
	/* Connect, with the card that each rank has written for this one. Local. */
	int (*connect)(struct wire *wire, const void *cards, struct liquid_error *err);
	/*
	 * When all ranks have connected: find out whether messages reach each peer,
	 * in a bounded time and without its help. *@proved: it does. NULL: that needs no proof.
	 */
	int (*prove)(struct wire *wire, bool *proved, struct liquid_error *err);
	void (*close)(struct wire *wire);

	/*
	 * Make memory ready for exchange number @epoch: @out and @in by rank, of 0 bytes where
	 * nothing goes. Local, and may fail on one rank only (memory that cannot be registered):
	 * the others have not been informed then, and the caller agrees with all before it calls
	 * start().
	 */
	int (*prepare)(struct wire *wire, const struct span *out, const struct span *in,
		       uint64_t epoch, struct liquid_error *err);
	/* Let others send: send them addresses, or post receives. */
	int (*start)(struct wire *wire, struct liquid_error *err);
	/* Has @peer said that it can take data of this exchange? */
	bool (*may_send)(struct wire *wire, uint32_t peer);
	/* Posts to one peer come in the order of their offsets; all of a message is posted. */
	int (*send)(struct wire *wire, const struct wire_post *post, struct liquid_error *err);
	/* Write @epoch into @slot of @peer; it never waits behind this rank's own data. */
	int (*tell)(struct wire *wire, uint32_t peer, uint32_t slot, uint64_t epoch,
		    struct liquid_error *err);
	/* Go on; returns the number of events in @events, at most @max, in *@count. */
	int (*poll)(struct wire *wire, struct wire_event *events, uint32_t max, uint32_t *count,
		    struct liquid_error *err);
	/* Has every message of the exchange come, and has all that was sent left? */
	bool (*complete)(const struct wire *wire);
	/* Release the memory of the exchange, also when it was only prepared. */
	void (*finish)(struct wire *wire);
};

extern const struct wire_ops wire_p2p, wire_verbs;

#endif
