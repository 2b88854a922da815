// SPDX-License-Identifier: GPL-2.0-only
/*
 * An endpoint of rdma-alltoall: a liquid_run (or another order), and the writes that it asks for
 *
 * A piece is up to three writes: the main part, the tail, and the last bytes of the tail. Tokens go
 * when the main part has been acknowledged. An acknowledgement comes later than the bytes have
 * left, so the next piece begins when the tail is acknowledged without those last bytes.
 */
#define NODES_MAX	1
#include "machine.h"
#include "rdma-alltoall.h"

#define WORD		0ULL		/* ids of writes: words, and parts of a piece */
#define PART		(1ULL << 32)
#define TELL		(1ULL << 33)	/* with it the main part has left */
#define LEFT		(1ULL << 34)	/* with it the piece has left */
#define TOKEN		(1ULL << 35)	/* the lower half is when it was sent */

static void check(int status, const struct liquid_error *err)
{
	if (!status)
		return;
	fprintf(stderr, "rdma-alltoall: %s\n", err->text);
	exit(2);
}

/* ---- set up ---- */

/* Writes that may be in progress at once: all of an exchange, and those of the one before. */
static uint32_t data_writes(const struct endpoint *e, uint32_t peer)
{
	return 2 * (4 * e->parts[peer] + 1);
}

static void make_outs(struct endpoint *e)
{
	for (uint32_t peer = 0; peer < e->job->ranks; peer++) {
		if (e->parts[peer])
			wire_make_out(&e->wire, CHANNEL_DATA, peer, data_writes(e, peer));
		if (e->tokens[peer])
			wire_make_out(&e->wire, CHANNEL_WORD, peer, 2 * e->tokens[peer]);
	}
}

static void make_ins(struct endpoint *e)
{
	uint32_t slots;
	const uint32_t *giver = liquid_plan_givers(e->slice, e->rank, &slots);

	for (uint32_t i = 0; i < e->senders; i++)
		wire_make_in(&e->wire, CHANNEL_DATA, e->incoming[i].peer);
	for (uint32_t i = 0; i < slots; i++)
		if (giver[i] != e->rank && !e->wire.in[CHANNEL_WORD][giver[i]])
			wire_make_in(&e->wire, CHANNEL_WORD, giver[i]);
}

static void open_wire(struct endpoint *e)
{
	const struct job *job = e->job;
	uint32_t writes = 0;
	char device[LIQUID_NAME_MAX + 2];

	for (uint32_t peer = 0; peer < job->ranks; peer++)
		writes += data_writes(e, peer) + 2 * e->tokens[peer];
	snprintf(device, sizeof(device), "r%s",
		 liquid_fabric_node_name(job->fabric, job->host_of_rank[e->rank]));
	wire_open(&e->wire, device, job->address[e->rank], job->memory[e->rank],
		  job->memory_bytes, writes);
	make_outs(e);
	make_ins(e);
}

/* Tell each sender where its messages go, one for each exchange. */
static void tell_places(struct endpoint *e)
{
	struct card *card = &e->job->shared->cards[e->rank];

	for (uint32_t i = 0; i < e->senders; i++)
		card->messages_at[e->incoming[i].peer] =
			e->job->in_at + (size_t)i * e->job->exchanges * e->job->message;
}

/* Where the message to @dst lies; @exchange from 0 on */
static size_t out_at(const struct endpoint *e, uint32_t dst, uint64_t exchange)
{
	uint64_t place = 0;

	for (uint32_t peer = 0; peer < dst; peer++)
		place += e->parts[peer] > 0;
	return e->job->out_at + (place * e->job->exchanges + exchange) * e->job->message;
}

static void fill(struct endpoint *e)
{
	const struct job *job = e->job;

	for (uint32_t dst = 0; dst < job->ranks; dst++)
		for (uint64_t x = 0; e->parts[dst] && x < job->exchanges; x++) {
			uint64_t *word = (void *)(job->memory[e->rank] + out_at(e, dst, x));

			for (uint64_t i = 0; i < job->message / sizeof(*word); i++)
				word[i] = job_word(e->rank, dst, x, i);
		}
}

static void make_run(struct endpoint *e)
{
	const struct job *job = e->job;
	struct liquid_run_options options = {
		.timeout_ns = job->patience, .frame_ns = job->frame,
		.slots = (void *)(job->memory[e->rank] + job->slots_at),
	};
	struct liquid_error err;

	if (job->order > ORDER_ORDER)
		return;
	options.sync = job->order == ORDER_TOKENS ? LIQUID_SYNC_TOKENS :
		       job->order == ORDER_CLOCK ? LIQUID_SYNC_CLOCK : LIQUID_SYNC_ORDER;
	check(liquid_run_new(e->slice, e->rank, &options, &e->run, &err), &err);
}

/*
 * Without a run, sender number i begins with receiver number i and goes on in turn: the rotation
 * that MPI libraries use.
 */
static uint32_t turn(const struct job *job, uint32_t src, uint32_t dst)
{
	uint32_t senders_before = 0, receivers_before = 0, receivers = 0;

	for (uint32_t a = 0; a < job->ranks; a++) {
		bool sends = false, receives = false;

		for (uint32_t b = 0; b < job->ranks; b++) {
			sends |= job->parts[a][b] > 0;
			receives |= job->parts[b][a] > 0;
		}
		senders_before += sends && a < src;
		receivers_before += receives && a < dst;
		receivers += receives;
	}
	return (receivers_before + receivers - senders_before % receivers) % receivers;
}

static void make_sequence(struct endpoint *e)
{
	const struct job *job = e->job;
	uint32_t count = 0;

	e->sequence = calloc((size_t)e->pieces + 1, sizeof(*e->sequence));
	if (!e->sequence)
		fail("memory");
	for (uint32_t t = 0; t < job->ranks; t++)
		for (uint32_t i = 0; i < e->pieces; i++)
			if (turn(job, e->rank, e->piece[i].peer) == t)
				e->sequence[count++] = i;
}

static void count_out(struct endpoint *e)
{
	uint32_t count;

	for (uint32_t i = 0; i < e->pieces; i++) {
		const struct liquid_token *token =
			liquid_plan_tokens(e->slice, e->rank, i, &count);

		e->parts[e->piece[i].peer] = e->piece[i].parts;
		for (uint32_t k = 0; k < count; k++)
			e->tokens[token[k].rank] += token[k].rank != e->rank;
	}
}

/*
 * An endpoint knows its slice alone, as it would on a machine of its own; only the orders without
 * a run look at the whole matrix.
 */
static void take_slice(struct endpoint *e)
{
	struct liquid_error err;
	void *bytes;
	size_t size;

	check(liquid_plan_slice(e->job->plan, e->rank, &bytes, &size, &err), &err);
	check(liquid_plan_read(bytes, size, NULL, 0, &e->slice, &err), &err);
	free(bytes);
	e->piece = liquid_plan_pieces(e->slice, e->rank, &e->pieces);
	e->incoming = liquid_plan_incoming(e->slice, e->rank, &e->senders);
	count_out(e);
}

void endpoint_open(struct endpoint *e, const struct job *job, uint32_t rank)
{
	*e = (struct endpoint){
		.job = job, .rank = rank, .flags = (void *)job->memory[rank],
		.result = &job->shared->results[rank],
		.wire = { .rank = rank, .cards = job->shared->cards },
	};
	take_slice(e);
	make_run(e);
	make_sequence(e);
	open_wire(e);
	tell_places(e);
	fill(e);
}

/* ---- the exchange ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void cut(const struct endpoint *e, uint32_t piece, size_t *at, uint64_t part[3])
{
	struct liquid_cut cut;
	uint64_t last;

	liquid_piece_cut(&e->piece[piece], e->job->message, e->run ? e->job->tail : 0, &cut);
	last = least(e->job->ahead, cut.tail);
	*at = cut.offset;
	part[0] = cut.main;
	part[1] = cut.tail - last;
	part[2] = last;
}

/* Tell the receiver that a message is there. It goes after the data, by the same queue pair. */
static void raise_flag(struct endpoint *e, uint32_t peer)
{
	e->sent[peer] = 0;
	wire_write_word(&e->wire, CHANNEL_DATA, peer, e->epoch, e->rank * sizeof(uint64_t), WORD);
	e->in_progress++;
}

static void send_piece(struct endpoint *e, uint32_t number)
{
	const struct liquid_piece *piece = &e->piece[number];
	const struct job *job = e->job;
	size_t out = out_at(e, piece->peer, e->epoch - 1), at;
	size_t in = job->shared->cards[piece->peer].messages_at[e->rank] +
		(e->epoch - 1) * job->message;
	uint64_t part[3], tell = TELL;
	int left;

	cut(e, number, &at, part);
	left = part[1] ? 1 : part[0] ? 0 : 2;
	for (int i = 0; i < 3; i++) {
		if (!part[i])
			continue;
		wire_write(&e->wire, CHANNEL_DATA, piece->peer, out + at, part[i], in + at,
			   PART | number | tell | (i == left ? LEFT : 0));
		tell = 0;
		at += part[i];
		e->in_progress++;
	}
	e->sent[piece->peer] += piece->units;
	if (e->sent[piece->peer] == piece->parts)
		raise_flag(e, piece->peer);
}

/* Time of the exchange, which fits into the half of an id, us */
static uint32_t clock_us(const struct endpoint *e)
{
	return (uint32_t)((clock_ns(CLOCK_MONOTONIC) - e->job->shared->start) / 1000);
}

static void give(struct endpoint *e, const struct liquid_token *token, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		wire_write_word(&e->wire, CHANNEL_WORD, token[i].rank, e->epoch,
				e->job->slots_at + token[i].slot * sizeof(uint64_t),
				TOKEN | clock_us(e));
	e->in_progress += count;
	e->result->tokens += count;
}

static void time_token(struct result *result, uint32_t us)
{
	if (!result->token_us || us < result->token_min_us)
		result->token_min_us = us;
	result->token_us += us;
}

/* What a write's completion means, also that of one that has failed: there is no other. */
static void complete(struct endpoint *e, const struct ibv_wc *done)
{
	uint32_t piece = (uint32_t)done->wr_id, count;
	const struct liquid_token *token;

	e->in_progress--;
	e->result->failed += done->status != IBV_WC_SUCCESS;
	if (done->wr_id & TOKEN) {
		time_token(e->result, clock_us(e) - (uint32_t)done->wr_id);
		return;
	}
	if (!e->run) {
		e->in_flight -= (done->wr_id & LEFT) != 0;
		return;
	}
	if (done->wr_id & TELL) {
		token = liquid_run_main_left(e->run, piece, &count);
		give(e, token, count);
	}
	if (done->wr_id & LEFT) {
		token = liquid_run_left(e->run, piece, &count);
		give(e, token, count);
	}
}

static bool reap(struct endpoint *e)
{
	struct ibv_wc done[16];
	int count = ibv_poll_cq(e->wire.cq, 16, done);

	for (int i = 0; i < count; i++)
		complete(e, &done[i]);
	return count > 0;
}

/* The next exchange, or the end of the last one. Returns true. */
static bool begin(struct endpoint *e)
{
	int64_t cycle = e->job->frame * liquid_plan_info(e->slice)->length;
	struct liquid_error err;

	if (e->epoch == e->job->exchanges) {
		e->all_sent = true;
		return true;
	}
	if (e->run)
		check(liquid_run_begin(e->run, e->job->shared->start + cycle * (int64_t)e->epoch,
				       &err), &err);
	e->epoch++;
	e->next = 0;
	return true;
}

static bool follow_run(struct endpoint *e, int64_t now)
{
	struct liquid_next next = { .step = LIQUID_RUN_DONE };

	if (e->epoch)
		liquid_run_next(e->run, now, &next);
	if (next.step == LIQUID_RUN_DONE)
		return begin(e);
	if (next.step != LIQUID_RUN_SEND)
		return false;
	send_piece(e, next.piece);
	return true;
}

/* Has the message come that another rank sends here in the same step as this one sends @piece? */
static bool has_received(const struct endpoint *e, uint32_t piece)
{
	const struct job *job = e->job;
	uint32_t step = turn(job, e->rank, e->piece[piece].peer);

	for (uint32_t src = 0; src < job->ranks; src++)
		if (job->parts[src][e->rank] && turn(job, src, e->rank) == step)
			return __atomic_load_n(&e->flags[src], __ATOMIC_ACQUIRE) >= e->epoch;
	return true;
}

static bool follow_sequence(struct endpoint *e)
{
	if (!e->epoch || (e->next == e->pieces && !e->in_flight))
		return begin(e);
	if (e->next == e->pieces || e->in_flight == e->job->window)
		return false;
	if (e->job->order == ORDER_PAIRWISE && e->next &&
	    !has_received(e, e->sequence[e->next - 1]))
		return false;
	e->in_flight++;
	send_piece(e, e->sequence[e->next++]);
	return true;
}

static uint64_t count_arrived(const struct endpoint *e)
{
	uint64_t arrived = 0;

	for (uint32_t i = 0; i < e->senders; i++)
		arrived += __atomic_load_n(&e->flags[e->incoming[i].peer], __ATOMIC_ACQUIRE);
	return arrived;
}

/* All is sent and has arrived, or nothing has happened for as long as a rank is patient. */
static void look_for_end(struct endpoint *e, int64_t now)
{
	uint64_t expected = (uint64_t)e->senders * e->job->exchanges, arrived = count_arrived(e);

	if (arrived != e->arrived)
		e->last = now;
	e->arrived = arrived;
	if ((e->in_progress || arrived < expected) && now - e->last < e->job->patience)
		return;
	e->result->end = now;
	if (e->run)
		e->result->run = *liquid_run_stats(e->run);
}

bool endpoint_step(struct endpoint *e, int64_t now)
{
	bool busy = reap(e);

	if (!e->last)
		e->last = now;
	if (!e->all_sent)
		busy |= e->run ? follow_run(e, now) : follow_sequence(e);
	if (busy)
		e->last = now;
	if (e->all_sent)
		look_for_end(e, now);
	return busy;
}

bool endpoint_done(const struct endpoint *e)
{
	return e->result->end != 0;
}
