// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The wire by RDMA: separate queue pairs, and memory into which others write
 *
 * A pair of ranks has up to three queue pairs: one for the data in each direction, so that
 * acknowledgements do not wait behind data, and one for tokens, so that these do not either.
 * An exchange goes like this:
 *
 *	receiver	posts a receive; then a note: address and key of the memory for a message,
 *			and the epoch
 *	sender		the message, in one or more writes; then an empty write with the epoch as
 *			immediate, which takes the receive
 *
 * When the receive completes, the whole message is there, however its packets came and in
 * whatever order the device has placed them. A word in memory would prove nothing about other
 * writes. Words in memory are polled only where nothing else depends on them: tokens, and notes,
 * which go into the control memory of the other rank and have a sum by which an incomplete one is
 * recognised.
 *
 * A rank that is dead is noticed by writes to it that fail: where none are to be made, an empty
 * one is made now and then.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "wire/pages.h"
#include "wire/verbs/memory.h"
#include "wire/verbs/pipe.h"

#define PROOF_BYTES	4096		/* a packet of the longest MTU */
#define CARD_VERSION	0x6c717602	/* "lqv", 2 */
#define BATCH		16		/* completions that are taken at a time */
#define PROOFS		2		/* writes on each queue pair */
#define WRITES		3		/* of a message at a time: a main part, a tail, the end */

enum { PIPE_OUT, PIPE_IN, PIPE_TOKENS, PIPES };

/* Writes in progress on a queue pair of each kind. Queues have 2^n entries; soft-RoCE needs one. */
static const uint32_t depths[PIPES] = { 15, 3, 15 };
/* A sender announces a message after its note, and the next note follows that. */
static const uint32_t receives[PIPES] = { [PIPE_IN] = 1 };
static const char *const pipe_names[PIPES] = { "data", "a note", "a token" };

/* Where a sender writes: by the receiver, in the control memory of the sender */
struct note {
	uint64_t at, key;		/* of the receiver's memory */
	uint64_t epoch;
	uint64_t sum;			/* see verbs_sum_of() */
};

/* A rank's message to another one. Its addresses are for that one alone. */
struct card {
	uint32_t version, psn;
	union ibv_gid gid;
	uint16_t lid;
	uint8_t mtu, ethernet;
	uint32_t qp[PIPES];
	uint64_t note, proof, slots;
	uint32_t control_key, slots_key, slot_count;
};

struct peer {
	struct pipe pipe[PIPES];
	struct card card;
	bool missing;			/* its message has not come */
};

struct wire {
	struct wire_options options;
	struct port port;
	struct memory memory;
	struct peer *peer;		/* by rank */
	uint32_t psn;
	struct note *note;		/* by receiver */
	unsigned char *proof;		/* PROOF_BYTES, into which all may write */
	struct ibv_mr *control_mr, *slots_mr;
	void *control;
	size_t control_bytes;
	uint64_t epoch;
	uint32_t missing;		/* peers whose message has not come */
	int64_t last_ns;		/* when something came last, or peers were asked */
	uint32_t suspect;		/* pipe of the work request that has failed */
	int status;			/* a permanent failure */
	struct liquid_error err;
};

static int64_t verbs_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* ---- set up ---- */

static bool has_pipe(const struct wire *wire, uint32_t rank, int kind)
{
	uint8_t wanted = kind == PIPE_TOKENS ? WIRE_TOKENS : WIRE_DATA;

	return rank != wire->options.rank && (wire->options.use[rank] & wanted);
}

/* Of all pipes together; @most has what one of each kind may have. */
static uint32_t count_work(const struct wire *wire, const uint32_t *most)
{
	uint32_t work = 0;

	for (uint32_t r = 0; r < wire->options.ranks; r++)
		for (int kind = 0; kind < PIPES; kind++)
			work += has_pipe(wire, r, kind) ? most[kind] : 0;
	return work;
}

static struct ibv_mr *let_write(struct wire *wire, void *at, size_t bytes, struct liquid_error *err)
{
	struct ibv_mr *mr = ibv_reg_mr(wire->port.pd, at, bytes,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);

	if (!mr)
		liquid_fail(err, LIQUID_IO, "device %s: control memory of %zu bytes cannot be "
			    "registered: %s", wire->port.name, bytes, strerror(errno));
	return mr;
}

static int open_control(struct wire *wire, struct liquid_error *err)
{
	size_t notes = wire->options.ranks * sizeof(struct note), bytes = notes + PROOF_BYTES;
	uint64_t *slots = wire->options.slots;
	uint32_t count = wire->options.slot_count;

	wire->control_bytes = bytes;
	wire->control = pages_new(bytes);
	if (!wire->control)
		return liquid_no_memory(err);
	wire->note = wire->control;
	wire->proof = (unsigned char *)wire->control + notes;
	wire->control_mr = let_write(wire, wire->control, bytes, err);
	if (wire->control_mr && count)
		wire->slots_mr = let_write(wire, slots, count * sizeof(*slots), err);
	return wire->control_mr && (wire->slots_mr || !count) ? LIQUID_OK : LIQUID_IO;
}

static int open_pipes(struct wire *wire, struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < wire->options.ranks * PIPES && !status; i++)
		if (has_pipe(wire, i / PIPES, i % PIPES))
			status = pipe_open(&wire->peer[i / PIPES].pipe[i % PIPES], &wire->port, i,
					   depths[i % PIPES], receives[i % PIPES], err);
	return status;
}

static void write_card(const struct wire *wire, uint32_t rank, struct card *card)
{
	*card = (struct card){
		.version = CARD_VERSION, .psn = wire->psn, .gid = wire->port.gid,
		.lid = wire->port.lid, .mtu = (uint8_t)wire->port.mtu,
		.ethernet = wire->port.ethernet, .note = (uintptr_t)&wire->note[rank],
		.proof = (uintptr_t)wire->proof, .control_key = wire->control_mr->rkey,
		.slots = (uintptr_t)wire->options.slots,
		.slots_key = wire->slots_mr ? wire->slots_mr->rkey : 0,
		.slot_count = wire->options.slot_count,
	};
	for (int kind = 0; kind < PIPES; kind++)
		if (wire->peer[rank].pipe[kind].qp)
			card->qp[kind] = wire->peer[rank].pipe[kind].qp->qp_num;
}

/*
 * A cache keeps the program's own pages registered. After a fork() the device must not be left with
 * the child's pages: the kernel copies them, or libibverbs keeps them from children if it is asked
 * before any memory is registered. Where another library was first, only memory of the wire's own
 * is safe.
 */
static const char *choose_registration(const struct wire_options *options)
{
	const char *wanted = options->env->registration;
	int error;

	if (!wanted || strcmp(wanted, "cache") || ibv_is_fork_initialized() != IBV_FORK_DISABLED)
		return wanted;
	error = ibv_fork_init();
	if (!error)
		return wanted;
	if (options->env->verbose)
		fprintf(stderr, "liquid: rank %u of %u: LIQUID_MPI_REGISTRATION=bounce, not cache: "
			"a fork() would take registered memory away, and ibv_fork_init() fails: %s "
			"(set RDMAV_FORK_SAFE=1)\n", options->rank, options->ranks,
			strerror(error));
	return "bounce";
}

/* Some peer has not received a message. */
static bool is_broken;

static bool verbs_is_broken(void)
{
	return __atomic_load_n(&is_broken, __ATOMIC_RELAXED);
}

static int open_parts(struct wire *wire, struct liquid_error *err)
{
	const struct wire_options *options = &wire->options;
	const char *registration = choose_registration(options);
	int status = port_open(&wire->port, options->env, count_work(wire, depths),
			       count_work(wire, receives), err);

	if (!status)
		status = memory_open(&wire->memory, &wire->port, options->ranks,
				     registration, err);
	if (!status)
		status = open_control(wire, err);
	return status ? status : open_pipes(wire, err);
}

static void verbs_close(struct wire *wire)
{
	if (!wire)
		return;
	for (uint32_t i = 0; wire->peer && i < wire->options.ranks * PIPES; i++)
		pipe_close(&wire->peer[i / PIPES].pipe[i % PIPES]);
	memory_close(&wire->memory);
	if (wire->slots_mr)
		ibv_dereg_mr(wire->slots_mr);
	if (wire->control_mr)
		ibv_dereg_mr(wire->control_mr);
	port_close(&wire->port);
	pages_free(wire->control, wire->control_bytes);
	free(wire->peer);
	free(wire);
}

static int verbs_open(struct wire **out, const struct wire_options *options, void *cards,
		      struct liquid_error *err)
{
	struct wire *wire = calloc(1, sizeof(*wire));
	int status = LIQUID_NO_MEMORY;

	*out = NULL;
	if (wire) {
		wire->options = *options;
		wire->peer = calloc(options->ranks, sizeof(*wire->peer));
		/* Late packets of earlier queue pairs must not be taken for packets of these. */
		if (getrandom(&wire->psn, sizeof(wire->psn), 0) < 0)
			wire->psn = 0;
	}
	if (!wire || !wire->peer)
		liquid_fail(err, status, "out of memory");
	else
		status = open_parts(wire, err);
	if (status) {
		verbs_close(wire);
		return status;
	}
	wire->options.use = NULL;
	for (uint32_t r = 0; r < options->ranks; r++)
		write_card(wire, r, (struct card *)cards + r);
	*out = wire;
	return LIQUID_OK;
}

/* ---- connect ---- */

/* What goes out here comes in there. */
static int other_kind(int kind)
{
	return kind == PIPE_OUT ? PIPE_IN : kind == PIPE_IN ? PIPE_OUT : kind;
}

static int connect_peer(struct wire *wire, uint32_t rank, struct liquid_error *err)
{
	struct peer *peer = &wire->peer[rank];
	struct far_end far = {
		.gid = peer->card.gid, .lid = peer->card.lid, .mtu = peer->card.mtu,
		.ethernet = peer->card.ethernet, .psn = peer->card.psn,
	};
	struct liquid_error cause;
	int status = LIQUID_OK;

	/* A rank that could not open its wire has sent zeros, and says why itself. */
	for (int kind = 0; kind < PIPES && peer->card.version && !status; kind++) {
		far.qp = peer->card.qp[other_kind(kind)];
		if (!peer->pipe[kind].qp)
			continue;
		if (peer->card.version != CARD_VERSION || !far.qp)
			return liquid_fail(err, LIQUID_IO, "rank %u has sent a card of another "
					   "wire", rank);
		status = pipe_join(&peer->pipe[kind], &wire->port, &far, wire->psn, &cause);
		/* The proofs then fail for no other reason than the network. */
		if (!status && !pipe_reserve(&wire->port, wire->port.spares + PROOFS))
			status = liquid_no_memory(&cause);
	}
	return status ? liquid_fail(err, status, "rank %u: %s", rank, cause.text) : LIQUID_OK;
}

static int verbs_connect(struct wire *wire, const void *cards, struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t r = 0; r < wire->options.ranks && !status; r++) {
		wire->peer[r].card = ((const struct card *)cards)[r];
		status = connect_peer(wire, r, err);
	}
	return status;
}

/* ---- writes ---- */

static int wire_fail(struct wire *wire, int status, const struct liquid_error *err)
{
	if (!wire->status) {
		wire->status = status;
		wire->err = *err;
	}
	return wire->status;
}

/* After an error nothing goes on. */
static int verdict(const struct wire *wire, struct liquid_error *err)
{
	return wire->status ? liquid_fail(err, wire->status, "%s", wire->err.text) : LIQUID_OK;
}

static int write_to(struct wire *wire, uint32_t rank, int kind, const struct write *write,
		    struct liquid_error *err)
{
	struct liquid_error cause;
	int status;

	if (!wire->status) {
		status = pipe_write(&wire->peer[rank].pipe[kind], &wire->port, write, &cause);
		if (status)
			wire_fail(wire, status, &cause);
	}
	return verdict(wire, err);
}

static int write_words(struct wire *wire, uint32_t rank, int kind, uint64_t to, uint32_t key,
		       const uint64_t *word, uint32_t words, struct liquid_error *err)
{
	struct write write = { .to = to, .rkey = key, .bytes = words * sizeof(*word) };

	memcpy(write.words, word, words * sizeof(*word));
	return write_to(wire, rank, kind, &write, err);
}

static int verbs_tell(struct wire *wire, uint32_t peer, uint32_t slot, uint64_t epoch,
		      struct liquid_error *err)
{
	const struct card *card = &wire->peer[peer].card;

	if (slot >= card->slot_count || !wire->peer[peer].pipe[PIPE_TOKENS].qp)
		return liquid_fail(err, LIQUID_BAD_INPUT, "rank %u has no slot %u for this one",
				   peer, slot);
	/* The other rank waits for it, but not for ever. */
	if (!pipe_reserve(&wire->port, 1))
		return verdict(wire, err);
	return write_words(wire, peer, PIPE_TOKENS, card->slots + slot * sizeof(uint64_t),
			   card->slots_key, &epoch, 1, err);
}

static int verbs_send(struct wire *wire, const struct wire_post *post, struct liquid_error *err)
{
	const struct write announcement = { .announces = true, .words = { wire->epoch } };
	const struct place *place = &wire->memory.out.place[post->peer];
	struct write write = {
		.from = memory_take(&wire->memory, post->peer, post->from, post->offset,
				    post->bytes),
		.lkey = place->key, .to = wire->note[post->peer].at + post->offset,
		.rkey = (uint32_t)wire->note[post->peer].key, .bytes = post->bytes,
		.ahead = post->ahead, .is_told = true, .id = post->id,
	};
	int status = write_to(wire, post->peer, PIPE_OUT, &write, err);

	if (status || post->offset + post->bytes < place->bytes)
		return status;
	return write_to(wire, post->peer, PIPE_OUT, &announcement, err);
}

/* ---- an exchange ---- */

static int verbs_prepare(struct wire *wire, const struct span *out, const struct span *in,
			 uint64_t epoch, struct liquid_error *err)
{
	int status = verdict(wire, err);
	uint32_t writes = 0;

	if (!status)
		status = memory_prepare(&wire->memory, out, in, err);
	if (status)
		return status;
	wire->epoch = epoch;
	wire->missing = 0;
	for (uint32_t r = 0; r < wire->options.ranks; r++) {
		wire->peer[r].missing = in[r].bytes;
		wire->missing += wire->peer[r].missing;
		writes += wire->peer[r].missing + (out[r].bytes ? WRITES : 0);
	}
	return pipe_reserve(&wire->port, writes) ? LIQUID_OK : liquid_no_memory(err);
}

/* Notes of different exchanges, and parts of them, have different sums. */
static uint64_t verbs_sum_of(const struct note *note)
{
	uint64_t sum = note->at * 0x9e3779b97f4a7c15ULL;

	sum = (sum ^ sum >> 29 ^ note->key) * 0xbf58476d1ce4e5b9ULL;
	return (sum ^ sum >> 32 ^ note->epoch) * 0x94d049bb133111ebULL;
}

static int invite(struct wire *wire, uint32_t rank, struct liquid_error *err)
{
	const struct place *place = &wire->memory.in.place[rank];
	const struct card *card = &wire->peer[rank].card;
	struct note note = { (uintptr_t)place->at, place->key, wire->epoch, 0 };
	struct pipe *pipe = &wire->peer[rank].pipe[PIPE_IN];
	int status;

	if (!pipe->qp)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the wire takes no messages of rank %u",
				   rank);
	status = pipe_receive(pipe, &wire->port, err);
	if (status)
		return status;
	note.sum = verbs_sum_of(&note);
	return write_words(wire, rank, PIPE_IN, card->note, card->control_key,
			   (const uint64_t *)&note, sizeof(note) / sizeof(uint64_t), err);
}

static int verbs_start(struct wire *wire, struct liquid_error *err)
{
	int status = LIQUID_OK;

	wire->last_ns = verbs_now_ns();
	for (uint32_t r = 0; r < wire->options.ranks && !status; r++)
		if (wire->peer[r].missing)
			status = invite(wire, r, err);
	return status;
}

static bool verbs_may_send(struct wire *wire, uint32_t peer)
{
	const volatile struct note *place = &wire->note[peer];
	const struct note note = { place->at, place->key, place->epoch, place->sum };

	return note.epoch == wire->epoch && note.sum == verbs_sum_of(&note);
}

/* ---- go on ---- */

static struct pipe *pipe_of(struct wire *wire, uint64_t id)
{
	return &wire->peer[pipe_number(id) / PIPES].pipe[pipe_number(id) % PIPES];
}

static void work_failed(struct wire *wire, const struct ibv_wc *done)
{
	uint32_t rank = pipe_number(done->wr_id) / PIPES;
	const char *name = pipe_names[pipe_number(done->wr_id) % PIPES];
	const char *reason = ibv_wc_status_str(done->status);
	struct liquid_error err;

	if (pipe_is_receive(done->wr_id))
		liquid_fail(&err, LIQUID_IO, "device %s: data of rank %u cannot be received: %s "
			    "(%d)", wire->port.name, rank, reason, (int)done->status);
	else
		liquid_fail(&err, LIQUID_IO, "device %s: %s to rank %u was not sent: %s (%d)",
			    wire->port.name, name, rank, reason, (int)done->status);
	wire->suspect = pipe_number(done->wr_id);
	wire_fail(wire, LIQUID_IO, &err);
}

/* A message is there. */
static void take_message(struct wire *wire, const struct ibv_wc *done)
{
	uint32_t rank = pipe_number(done->wr_id) / PIPES;
	struct peer *peer = &wire->peer[rank];
	struct liquid_error err;

	if (!peer->missing || ntohl(done->imm_data) != (uint32_t)wire->epoch) {
		liquid_fail(&err, LIQUID_IO, "device %s: rank %u has announced message %u, and "
			    "%u was expected", wire->port.name, rank, ntohl(done->imm_data),
			    (uint32_t)wire->epoch);
		wire_fail(wire, LIQUID_IO, &err);
		return;
	}
	memory_give(&wire->memory, rank);
	peer->missing = false;
	wire->missing--;
}

static void take_completion(struct wire *wire, const struct ibv_wc *done)
{
	struct pipe *pipe = pipe_of(wire, done->wr_id);
	struct liquid_error err;
	int status;

	if (done->status != IBV_WC_SUCCESS) {
		work_failed(wire, done);
		return;
	}
	if (pipe_is_receive(done->wr_id)) {
		take_message(wire, done);
		return;
	}
	pipe_acked(pipe, &wire->port, done->wr_id);
	status = pipe_post(pipe, &wire->port, &err);
	if (status)
		wire_fail(wire, status, &err);
}

/* That found no room in the completion queue */
static void post_starved(struct wire *wire)
{
	struct liquid_error err;
	int status = LIQUID_OK;

	wire->port.starved = false;
	for (uint32_t i = 0; i < wire->options.ranks * PIPES && !status; i++)
		status = pipe_post(&wire->peer[i / PIPES].pipe[i % PIPES], &wire->port, &err);
	if (status)
		wire_fail(wire, status, &err);
}

static bool take_completions(struct wire *wire)
{
	struct ibv_wc done[BATCH];
	int count = ibv_poll_cq(wire->port.cq, BATCH, done);
	struct liquid_error err;

	if (count < 0)
		wire_fail(wire, liquid_fail(&err, LIQUID_IO, "device %s: its completion queue has "
					    "failed", wire->port.name), &err);
	for (int i = 0; i < count && !wire->status; i++)
		take_completion(wire, &done[i]);
	if (count > 0 && wire->port.starved)
		post_starved(wire);
	return count > 0;
}

/* An empty write: it fails without a peer. */
static void verbs_ask(struct wire *wire, uint32_t rank, int kind)
{
	const struct write nothing = { 0 };
	struct liquid_error err;

	if (!wire->status && !wire->peer[rank].pipe[kind].in_progress &&
	    pipe_reserve(&wire->port, 1))
		write_to(wire, rank, kind, &nothing, &err);
}

/* All whose message is missing, or whose note, without which nothing is sent to them */
static void ask_missing(struct wire *wire)
{
	for (uint32_t r = 0; r < wire->options.ranks; r++) {
		if (wire->peer[r].missing)
			verbs_ask(wire, r, PIPE_IN);
		if (wire->memory.out.place[r].bytes && !verbs_may_send(wire, r))
			verbs_ask(wire, r, PIPE_OUT);
	}
}

static void look_after_peers(struct wire *wire, bool busy)
{
	int64_t now = verbs_now_ns();

	if (!busy && now - wire->last_ns < wire->options.env->timeout_ns / 4)
		return;
	wire->last_ns = now;
	if (!busy)
		ask_missing(wire);
}

/* ---- prove that messages arrive ---- */

/*
 * Pipes may take different paths through the network. A write that is acknowledged has arrived, and
 * the way back is open; the other end's processor takes no part in that.
 */
static int send_proofs(struct wire *wire, uint32_t rank, struct liquid_error *err)
{
	const struct card *card = &wire->peer[rank].card;
	const struct write packet = {
		.from = wire->proof, .lkey = wire->control_mr->lkey, .to = card->proof,
		.rkey = card->control_key, .bytes = PROOF_BYTES,
	};
	const uint64_t word = 0;
	int status = LIQUID_OK;

	for (int kind = 0; kind < PIPES && !status; kind++) {
		if (!wire->peer[rank].pipe[kind].qp)
			continue;
		status = write_words(wire, rank, kind, card->proof, card->control_key, &word, 1,
				     err);
		if (!status)
			status = write_to(wire, rank, kind, &packet, err);
	}
	return status;
}

static int begin_proof(struct wire *wire, struct liquid_error *err)
{
	uint32_t ranks = wire->options.ranks;
	int status = LIQUID_OK;

	wire->last_ns = verbs_now_ns();
	/* Not all to the same one at a time. */
	for (uint32_t i = 1; i < ranks && !status; i++)
		status = send_proofs(wire, (wire->options.rank + i) % ranks, err);
	return status;
}

/* The first pipe with something that is not acknowledged */
static void find_suspect(struct wire *wire)
{
	struct liquid_error err;
	uint32_t i = 0;

	while (!wire->peer[i / PIPES].pipe[i % PIPES].first)
		i++;
	wire->suspect = i;
	liquid_fail(&err, LIQUID_IO, "device %s: no acknowledgement within %lld ms",
		    wire->port.name, (long long)wire->options.env->timeout_ns / 1000000);
	wire_fail(wire, LIQUID_IO, &err);
}

static int not_proved(const struct wire *wire, struct liquid_error *err)
{
	uint32_t rank = wire->suspect / PIPES;
	const struct pipe *pipe = &wire->peer[rank].pipe[wire->suspect % PIPES];

	__atomic_store_n(&is_broken, true, __ATOMIC_RELAXED);
	return liquid_fail(err, LIQUID_IO, "%s from rank %u to rank %u by RDMA: %s",
			   pipe->acked ? "a word gets through, but no packet of 4,096 bytes (MTU),"
			   : "nothing gets through", wire->options.rank, rank, wire->err.text);
}

static int verbs_prove(struct wire *wire, bool *proved, struct liquid_error *err)
{
	int status = wire->last_ns ? LIQUID_OK : begin_proof(wire, err);

	/* Each comes a while after the one before; this process may have been away for longer. */
	while (!status && !wire->status && take_completions(wire))
		wire->last_ns = verbs_now_ns();
	*proved = !wire->port.in_progress && !wire->port.starved;
	if (status || (*proved && !wire->status))
		return status;
	if (!wire->status && verbs_now_ns() - wire->last_ns >= wire->options.env->timeout_ns)
		find_suspect(wire);
	return wire->status ? not_proved(wire, err) : LIQUID_OK;
}

/* ---- poll ---- */

static uint32_t hand_out(struct port *port, struct wire_event *events, uint32_t max)
{
	uint32_t count = 0;

	while (port->ready && count < max) {
		struct write *write = port->ready;

		port->ready = write->next;
		events[count++].id = write->id;
		pipe_release(port, write);
	}
	return count;
}

static int verbs_poll(struct wire *wire, struct wire_event *events, uint32_t max, uint32_t *count,
		      struct liquid_error *err)
{
	bool busy;

	*count = 0;
	if (wire->status)
		return verdict(wire, err);
	busy = take_completions(wire);
	look_after_peers(wire, busy);
	*count = hand_out(&wire->port, events, max);
	return verdict(wire, err);
}

static bool verbs_complete(const struct wire *wire)
{
	return !wire->missing && !wire->port.in_progress && !wire->port.starved &&
	       !wire->port.ready;
}

static void verbs_finish(struct wire *wire)
{
	memory_finish(&wire->memory);
	for (uint32_t r = 0; r < wire->options.ranks; r++)
		wire->peer[r].missing = false;
	wire->missing = 0;
}

const struct wire_ops wire_verbs = {
	.name = "verbs",
	.card_bytes = sizeof(struct card),
	.is_broken = verbs_is_broken,
	.open = verbs_open,
	.connect = verbs_connect,
	.prove = verbs_prove,
	.close = verbs_close,
	.prepare = verbs_prepare,
	.start = verbs_start,
	.may_send = verbs_may_send,
	.send = verbs_send,
	.tell = verbs_tell,
	.poll = verbs_poll,
	.complete = verbs_complete,
	.finish = verbs_finish,
};
