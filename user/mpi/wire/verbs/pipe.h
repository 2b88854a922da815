/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A queue pair with one other rank, and the writes that go through it, in order
 *
 * A write is reported as complete when it has been acknowledged: a round trip after its last bytes
 * have left. So a write whose caller waits for that is cut, and it counts as left when the first
 * part has been acknowledged: then its last bytes are just leaving.
 */
#ifndef LIQUID_MPI_VERBS_PIPE_H
#define LIQUID_MPI_VERBS_PIPE_H

#include "wire/verbs/port.h"

struct write {
	struct write *next;
	const unsigned char *from;	/* NULL: @words */
	uint64_t words[4];
	bool announces;			/* by the first word as immediate */
	uint64_t to;			/* address there */
	uint32_t lkey, rkey;
	uint64_t bytes, posted;
	uint64_t ahead;			/* last bytes that do not hold up what comes after, bytes */
	uint64_t end;			/* in the bytes of the pipe */
	bool is_told;			/* comes back when it has left */
	uint64_t id;
};

struct pipe {
	struct ibv_qp *qp;
	uint32_t number;		/* in ids of work requests */
	uint32_t depth, in_progress;	/* work requests */
	struct write *first, *last;	/* that have not left */
	struct write *unposted;		/* the first of these of which a part is not posted */
	uint64_t queued, acked;		/* bytes, of all writes so far */
};

/* The other end of a pipe */
struct far_end {
	union ibv_gid gid;
	uint16_t lid;
	uint8_t mtu, ethernet;
	uint32_t qp, psn;
};

int pipe_open(struct pipe *pipe, struct port *port, uint32_t number, uint32_t depth,
	      uint32_t receives, struct liquid_error *err);
int pipe_join(struct pipe *pipe, const struct port *port, const struct far_end *far, uint32_t psn,
	      struct liquid_error *err);
void pipe_close(struct pipe *pipe);

/* Allocate for at most @writes writes, which then allocate nothing. Returns false without it. */
bool pipe_reserve(struct port *port, uint32_t writes);
/* A write of port->ready is no longer needed. */
void pipe_release(struct port *port, struct write *write);
/* Queue a copy of @write, and post what can be. */
int pipe_write(struct pipe *pipe, struct port *port, const struct write *write,
	       struct liquid_error *err);
/* Post as much as there is room for. */
int pipe_post(struct pipe *pipe, struct port *port, struct liquid_error *err);
/* Work request @id of this pipe has been acknowledged: writes that have left go to port->ready. */
void pipe_acked(struct pipe *pipe, struct port *port, uint64_t id);
/* Post a receive, for a write from the other end that announces. */
int pipe_receive(struct pipe *pipe, const struct port *port, struct liquid_error *err);
/* The pipe's number in the id of a work request, and whether that is a receive */
uint32_t pipe_number(uint64_t id);
bool pipe_is_receive(uint64_t id);

#endif
