// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A rank's slice of a plan as bytes
 *
 * "LQPL", the version, then numbers of 7 bits a byte, the lowest first: whose slice of what plan
 * it is; for each piece its members, the givers of its slots, and its tokens; and
 * what comes in.
 * The last 8 bytes are a digest of all before. What is read is checked against that, and then
 * each number by itself, for the digest is not a secret.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "run/plan.h"

#define SLICE_MAGIC "LQPL"
#define SLICE_VERSION 1
#define SLICE_MARKED 2			/* version of one whose pieces have member and after, too */
#define DIGEST_BYTES 8
#define NUMBER_BYTES_MAX 10		/* of 64 bits */
#define HEAD_NUMBERS 11
#define PIECE_NUMBERS 9			/* of a piece without slots and tokens */
#define MARK_NUMBERS 2			/* more, in a slice with marks */
#define TOKEN_NUMBERS 2
#define INCOMING_NUMBERS 4
/* A piece waits for one user of each link of its path at most, and for one in the epoch before. */
#define WAITS_MAX (2 * LIQUID_PATH_MAX)

struct writer {
	uint8_t *at;
};

struct reader {
	const uint8_t *at, *end;
	bool invalid, marked;
};

/* What a slice has, as its head tells */
struct counts {
	uint32_t pieces, tokens, slots, peers;
};

static void put(struct writer *writer, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		*writer->at++ = (uint8_t)(number | 0x80);
	*writer->at++ = (uint8_t)number;
}

/* A number up to @most; what comes after one that is invalid is 0. */
static uint64_t get(struct reader *reader, uint64_t most)
{
	uint64_t number = 0;

	for (unsigned int shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
		uint8_t byte = *reader->at++;

		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			/* One way to write each number: nothing is cut off, no zeros lead. */
			if (number <= most && number >> shift == byte && (byte || !shift))
				return number;
			break;
		}
	}
	reader->invalid = true;
	reader->at = reader->end;
	return 0;
}

static void put_digest(uint8_t *to, const uint8_t *bytes, size_t size)
{
	uint64_t digest = PLAN_DIGEST_BEGIN;

	for (size_t i = 0; i < size; i++)
		digest = plan_digest(digest, bytes[i]);
	for (int i = 0; i < DIGEST_BYTES; i++)
		to[i] = (uint8_t)(digest >> 8 * i);
}

/* The first frame that @piece can begin in; @before is the piece before it, or NULL. */
static uint32_t earliest(const struct liquid_piece *before, uint32_t lane)
{
	return before && before->lane == lane ? before->frame + before->frames : 0;
}

static void put_piece(struct writer *writer, const struct liquid_piece *piece,
		      const struct liquid_piece *before)
{
	put(writer, piece->lane - (before ? before->lane : 0));
	put(writer, piece->peer);
	put(writer, piece->part);
	put(writer, piece->parts);
	put(writer, piece->frame - earliest(before, piece->lane));
	put(writer, piece->frames);
	put(writer, piece->waits);
	put(writer, piece->again);
}

static void put_pieces(struct writer *writer, const struct liquid_plan *plan, uint32_t rank)
{
	uint32_t pieces, count;
	const struct liquid_piece *piece = liquid_plan_pieces(plan, rank, &pieces);
	const uint32_t *giver = liquid_plan_givers(plan, rank, &count);

	for (uint32_t i = 0; i < pieces; i++) {
		const struct liquid_token *token = liquid_plan_tokens(plan, rank, i, &count);

		put_piece(writer, &piece[i], i ? &piece[i - 1] : NULL);
		if (plan->marked) {
			put(writer, piece[i].member);
			put(writer, piece[i].after);
		}
		for (uint32_t j = 0; j < piece[i].waits; j++)
			put(writer, giver[piece[i].slot + j]);
		put(writer, count);
		for (uint32_t j = 0; j < count; j++) {
			put(writer, token[j].rank);
			put(writer, token[j].slot);
		}
	}
}

static void put_incoming(struct writer *writer, const struct liquid_plan *plan, uint32_t rank)
{
	uint32_t count, frame = 0;
	const struct liquid_incoming *incoming = liquid_plan_incoming(plan, rank, &count);

	for (uint32_t i = 0; i < count; i++) {
		put(writer, incoming[i].frame - frame);
		put(writer, incoming[i].peer);
		put(writer, incoming[i].pieces);
		put(writer, incoming[i].parts);
		frame = incoming[i].frame;
	}
}

static uint32_t tokens_of(const struct liquid_plan *plan, const struct plan_rank *own)
{
	const uint32_t *first = plan->first_token + own->first;

	return first[own->pieces] - first[0];
}

static void put_head(struct writer *writer, const struct liquid_plan *plan, uint32_t rank)
{
	const struct plan_rank *own = plan_rank(plan, rank);

	memcpy(writer->at, SLICE_MAGIC, strlen(SLICE_MAGIC));
	writer->at += strlen(SLICE_MAGIC);
	put(writer, plan->marked ? SLICE_MARKED : SLICE_VERSION);
	put(writer, plan->info.id);
	put(writer, plan->info.ranks);
	put(writer, rank);
	put(writer, plan->info.length);
	put(writer, plan->info.cyclic);
	put(writer, plan->info.unit_bytes);
	put(writer, own->pieces);
	put(writer, tokens_of(plan, own));
	put(writer, own->slots);
	put(writer, own->peers);
}

/* More than a slice can take */
static size_t room_for(const struct liquid_plan *plan, const struct plan_rank *own)
{
	size_t numbers = HEAD_NUMBERS + (size_t)own->pieces * (PIECE_NUMBERS + MARK_NUMBERS) +
		(size_t)tokens_of(plan, own) * TOKEN_NUMBERS + own->slots +
		(size_t)own->peers * INCOMING_NUMBERS;

	return strlen(SLICE_MAGIC) + NUMBER_BYTES_MAX * numbers + DIGEST_BYTES;
}

int liquid_plan_slice(const struct liquid_plan *plan, uint32_t rank, void **bytes, size_t *size,
		      struct liquid_error *err)
{
	const struct plan_rank *own = plan_rank(plan, rank);
	struct writer writer;
	uint8_t *begin;

	*bytes = NULL;
	*size = 0;
	if (!own)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the plan does not have rank %u", rank);
	begin = malloc(room_for(plan, own));
	if (!begin)
		return liquid_no_memory(err);
	writer.at = begin;
	put_head(&writer, plan, rank);
	put_pieces(&writer, plan, rank);
	put_incoming(&writer, plan, rank);
	put_digest(writer.at, begin, (size_t)(writer.at - begin));
	*size = (size_t)(writer.at - begin) + DIGEST_BYTES;
	*bytes = realloc(begin, *size);
	if (!*bytes)
		*bytes = begin;
	return LIQUID_OK;
}

static bool digest_holds(const uint8_t *bytes, size_t size)
{
	uint8_t digest[DIGEST_BYTES];

	if (size < strlen(SLICE_MAGIC) + DIGEST_BYTES)
		return false;
	put_digest(digest, bytes, size - DIGEST_BYTES);
	return !memcmp(bytes, SLICE_MAGIC, strlen(SLICE_MAGIC)) &&
		!memcmp(bytes + size - DIGEST_BYTES, digest, DIGEST_BYTES);
}

static void get_info(struct reader *reader, struct liquid_plan_info *info)
{
	info->id = get(reader, UINT64_MAX);
	info->ranks = (uint32_t)get(reader, PLAN_RANKS_MAX);
	info->rank = (uint32_t)get(reader, info->ranks ? info->ranks - 1 : 0);
	info->length = (uint32_t)get(reader, UINT32_MAX - 1);
	info->cyclic = get(reader, 1);
	info->unit_bytes = get(reader, INT64_MAX);
	reader->invalid |= !info->ranks;
}

/* The tokens of a piece: those for other ranks, then those for its own. */
static void get_tokens(struct reader *reader, struct liquid_plan *plan, uint32_t room,
		       uint32_t *tokens)
{
	uint64_t count = get(reader, room - *tokens);
	bool own = false;

	for (; count && !reader->invalid; count--) {
		struct liquid_token *token = &plan->token[(*tokens)++];

		token->rank = (uint32_t)get(reader, plan->info.ranks - 1);
		token->slot = (uint32_t)get(reader, UINT32_MAX);
		reader->invalid |= own && token->rank != plan->info.rank;
		own = token->rank == plan->info.rank;
		plan->info.tokens += !own;
	}
}

static void get_piece(struct reader *reader, struct liquid_plan *plan, struct liquid_piece *piece,
		      const struct liquid_piece *before)
{
	uint32_t length = plan->info.length, lane = before ? before->lane : 0, frame;
	bool may_be_next = before && lane + 1 < FABRIC_CAPACITY_MAX;

	piece->lane = lane + (uint32_t)get(reader, may_be_next ? 1 : 0);
	piece->peer = (uint32_t)get(reader, plan->info.ranks - 1);
	piece->part = (uint32_t)get(reader, UINT32_MAX);
	piece->parts = (uint32_t)get(reader, UINT32_MAX);
	frame = earliest(before, piece->lane);
	piece->frame = frame + (uint32_t)get(reader, length - frame);
	piece->frames = (uint32_t)get(reader, length - piece->frame);
	piece->waits = (uint32_t)get(reader, WAITS_MAX);
	piece->again = (uint32_t)get(reader, plan->info.cyclic ? piece->waits : 0);
	piece->units = piece->frames;
	if (reader->marked) {
		piece->member = (uint32_t)get(reader, UINT32_MAX);
		piece->after = (uint32_t)get(reader, piece->frame);
	}
	plan->marked |= reader->marked;
	reader->invalid |= piece->peer == plan->info.rank || !piece->frames ||
		(uint64_t)piece->part + piece->units > piece->parts;
}

/* The slots of @piece, each with the rank that gives its token; @room: slots of the rank */
static void get_slots(struct reader *reader, struct liquid_plan *plan, uint32_t room,
		      struct liquid_piece *piece)
{
	uint32_t *slots = &plan->rank->slots;

	piece->slot = *slots;
	reader->invalid |= piece->waits > room - *slots;
	for (uint32_t i = 0; i < piece->waits && !reader->invalid; i++)
		plan->giver[(*slots)++] = (uint32_t)get(reader, plan->info.ranks - 1);
}

static void get_pieces(struct reader *reader, struct liquid_plan *plan,
		       const struct counts *counts)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < counts->pieces && !reader->invalid; i++) {
		get_piece(reader, plan, &plan->piece[i], i ? &plan->piece[i - 1] : NULL);
		plan->rank->lanes = plan->piece[i].lane + 1;
		get_slots(reader, plan, counts->slots, &plan->piece[i]);
		get_tokens(reader, plan, counts->tokens, &used);
		plan->first_token[i + 1] = used;
	}
	reader->invalid |= used != counts->tokens || plan->rank->slots != counts->slots;
}

/* A message of another rank; they are in order, so that there is one way to write them. */
static void get_message(struct reader *reader, const struct liquid_plan *plan,
			struct liquid_incoming *message, const struct liquid_incoming *before)
{
	uint32_t frame = before ? before->frame : 0;

	message->frame = frame + (uint32_t)get(reader, plan->info.length - frame);
	message->peer = (uint32_t)get(reader, plan->info.ranks - 1);
	message->pieces = (uint32_t)get(reader, UINT32_MAX);
	message->parts = (uint32_t)get(reader, UINT32_MAX);
	reader->invalid |= message->frame >= plan->info.length ||
		message->peer == plan->info.rank || !message->pieces ||
		message->pieces > message->parts ||
		(before && message->frame == frame && message->peer <= before->peer);
}

/* @sends: by rank, whether it has a message here already */
static void get_incoming(struct reader *reader, struct liquid_plan *plan, uint32_t peers,
			 bool *sends)
{
	struct liquid_incoming *message = plan->incoming;

	for (uint32_t i = 0; i < peers && !reader->invalid; i++) {
		get_message(reader, plan, &message[i], i ? &message[i - 1] : NULL);
		reader->invalid |= sends[message[i].peer];
		sends[message[i].peer] = true;
	}
	plan->rank->peers = peers;
	reader->invalid |= reader->at != reader->end;
}

/* Does the rank fill the slots that it gives to itself, each once, and no other? */
static bool own_tokens_fit(const struct liquid_plan *plan)
{
	uint32_t rank = plan->info.rank, *giver = plan->giver;
	uint32_t tokens = plan->first_token[plan->rank->pieces];
	bool fit = true;

	for (uint32_t i = 0; i < tokens; i++) {
		const struct liquid_token *token = &plan->token[i];

		if (token->rank != rank)
			continue;
		if (token->slot >= plan->rank->slots || giver[token->slot] != rank)
			return false;
		giver[token->slot] = LIQUID_NONE;
	}
	for (uint32_t i = 0; i < plan->rank->slots; i++) {
		fit &= giver[i] != rank;
		if (giver[i] == LIQUID_NONE)
			giver[i] = rank;
	}
	return fit;
}

static int refuse(struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_BAD_INPUT, "the slice of a plan is invalid: what it says "
			   "does not agree with itself");
}

/* A count of things that take @bytes or more each, out of the *@left that are there. */
static uint32_t get_count(struct reader *reader, uint32_t bytes, uint64_t *left)
{
	uint64_t most = *left / bytes, count = get(reader, most < UINT32_MAX ? most : UINT32_MAX);

	*left -= count * bytes;
	return (uint32_t)count;
}

static void get_counts(struct reader *reader, struct counts *counts)
{
	uint64_t left = (uint64_t)(reader->end - reader->at);

	counts->pieces = get_count(reader, PIECE_NUMBERS, &left);
	counts->tokens = get_count(reader, TOKEN_NUMBERS, &left);
	counts->slots = get_count(reader, 1, &left);
	counts->peers = get_count(reader, INCOMING_NUMBERS, &left);
}

static int get_parts(struct reader *reader, struct liquid_plan *plan, const struct counts *counts,
		     struct liquid_error *err)
{
	bool *sends = calloc(plan->info.ranks, sizeof(*sends));

	if (!sends)
		return liquid_no_memory(err);
	get_pieces(reader, plan, counts);
	get_incoming(reader, plan, counts->peers, sends);
	free(sends);
	return reader->invalid || !own_tokens_fit(plan) ? refuse(err) : LIQUID_OK;
}

static int get_plan(struct reader *reader, struct liquid_plan **plan, struct liquid_error *err)
{
	struct liquid_plan_info info = { .id = 0 };
	struct counts counts;

	get_info(reader, &info);
	get_counts(reader, &counts);
	if (reader->invalid)
		return refuse(err);
	*plan = plan_new(info.rank, 1, counts.pieces, counts.tokens);
	if (!*plan || !plan_new_incoming(*plan, counts.peers, counts.slots))
		return liquid_no_memory(err);
	info.pieces = counts.pieces;
	info.memory_bytes = (*plan)->info.memory_bytes;
	(*plan)->info = info;
	(*plan)->rank->pieces = counts.pieces;
	return get_parts(reader, *plan, &counts, err);
}

int liquid_plan_read(const void *bytes, size_t size, const uint32_t *number, uint32_t ranks,
		     struct liquid_plan **plan, struct liquid_error *err)
{
	struct reader reader = { .at = bytes };
	uint64_t version;
	int status;

	*plan = NULL;
	if (!digest_holds(bytes, size))
		return liquid_fail(err, LIQUID_BAD_INPUT, "no slice of a plan, or it was cut short "
				   "or changed on its way");
	reader.at += strlen(SLICE_MAGIC);
	reader.end = (const uint8_t *)bytes + size - DIGEST_BYTES;
	version = get(&reader, UINT64_MAX);
	if (version != SLICE_VERSION && version != SLICE_MARKED)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the slice of a plan has version %llu; "
				   "this library reads versions %d and %d",
				   (unsigned long long)version, SLICE_VERSION, SLICE_MARKED);
	reader.marked = version == SLICE_MARKED;
	status = get_plan(&reader, plan, err);
	if (!status && number)
		status = plan_renumber(*plan, number, ranks, err);
	if (status) {
		liquid_plan_free(*plan);
		*plan = NULL;
	}
	return status;
}
