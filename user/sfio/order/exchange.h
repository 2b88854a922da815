/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * In which order a rank sends to its peers: that of a schedule, by a run of its plan. A compute
 * rank's peers are the listeners, to which it sends requests; a listener's are the compute ranks,
 * to which it sends the data that they read. Each epoch has at most one message for each peer. All
 * functions take NULL: no order.
 */
#ifndef LIQUID_SFIO_EXCHANGE_H
#define LIQUID_SFIO_EXCHANGE_H

#include <liquidsched.h>
#include <mpi.h>

/*
 * Hosts of compute ranks and listeners, each once: the ranks of the plan. One side sends by it, the
 * other are its peers.
 */
struct nodes {
	char (*host)[256];
	uint32_t count;
	uint32_t *of_rank, *of_peer;	/* node of each rank of the side and of each peer */
	int *rank;			/* rank of the side on each node, or -1 */
};

struct exchange_options {
	MPI_Comm comm;			/* of the side's ranks; used for tokens */
	const struct nodes *nodes;
	uint32_t self;			/* node */
	uint32_t peers;
	struct liquid_plan *plan;	/* slice of this node; the exchange's from then on */
	enum liquid_sync sync;		/* of collective calls; others are in order alone */
	int64_t timeout_ns;		/* longest wait for a token */
};

struct exchange;

/* Returns a liquid_status. */
int exchange_new(const struct exchange_options *options, struct exchange **exchange,
		 struct liquid_error *err);
void exchange_free(struct exchange *exchange);
/* Whether the ranks have to agree on the number of rounds of a collective call. */
bool exchange_needs_rounds(const struct exchange *exchange);
/* A collective call of @rounds begins, as on all ranks. */
void exchange_rounds(struct exchange *exchange, uint64_t rounds);

/* Begin an epoch if none is under way and @pending. Returns false if there is no order. */
bool exchange_begin(struct exchange *exchange, bool pending);
/* An epoch is under way, or has to come. */
bool exchange_busy(const struct exchange *exchange);
/* The epoch under way is one of a collective call. */
bool exchange_collective(const struct exchange *exchange);
/* It is @peer's turn. Say exchange_sent() when its message is sent. */
bool exchange_next(struct exchange *exchange, uint32_t *peer);
void exchange_sent(struct exchange *exchange, uint32_t peer);
/* The peer has the message. */
void exchange_left(struct exchange *exchange, uint32_t peer);
/* Of both runs; 0 without an order */
void exchange_stats(const struct exchange *exchange, uint64_t *epochs, uint64_t *unsynchronised);
/* After an error: there is no order any more. */
void exchange_stop(struct exchange *exchange);

#endif
