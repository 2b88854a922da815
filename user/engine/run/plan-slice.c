// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A rank's slice of a plan as bytes
 *
 * "LQPL", the version, then numbers of 7 bits a byte, the lowest first: whose slice of what plan
 * it is, and for each piece its members and its tokens.
 * The last 8 bytes are a digest of all before. What is read is checked against that, and then
 * each number by itself, for the digest is no secret.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "run/plan.h"

#define SLICE_MAGIC "LQPL"
#define SLICE_VERSION 1
#define DIGEST_BYTES 8
#define NUMBER_BYTES_MAX 10		/* of 64 bits */
#define PIECE_NUMBERS 9			/* of a piece without its tokens */
#define HEAD_NUMBERS 9
/* A piece waits for one user of each link of its path at most, and for one in the epoch before. */
#define WAITS_MAX (2 * LIQUID_PATH_MAX)

struct writer {
	uint8_t *at;
};

struct reader {
	const uint8_t *at, *end;
	bool invalid;
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

	for (uint32_t i = 0; i < pieces; i++) {
		const struct liquid_token *token = liquid_plan_tokens(plan, rank, i, &count);

		put_piece(writer, &piece[i], i ? &piece[i - 1] : NULL);
		put(writer, count);
		for (uint32_t j = 0; j < count; j++) {
			put(writer, token[j].rank);
			put(writer, token[j].slot);
		}
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
	put(writer, SLICE_VERSION);
	put(writer, plan->info.id);
	put(writer, plan->info.ranks);
	put(writer, rank);
	put(writer, plan->info.length);
	put(writer, plan->info.cyclic);
	put(writer, plan->info.unit_bytes);
	put(writer, own->pieces);
	put(writer, tokens_of(plan, own));
}

/* More than a slice can take */
static size_t room_for(const struct liquid_plan *plan, const struct plan_rank *own)
{
	size_t numbers = HEAD_NUMBERS + (size_t)own->pieces * PIECE_NUMBERS +
		2 * (size_t)tokens_of(plan, own);

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
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for a slice");
	writer.at = begin;
	put_head(&writer, plan, rank);
	put_pieces(&writer, plan, rank);
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
static void get_tokens(struct reader *reader, struct liquid_plan *plan, size_t room,
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
	piece->slot = plan->rank->slots;
	plan->rank->slots += piece->waits;
	reader->invalid |= piece->peer == plan->info.rank || !piece->frames ||
		(uint64_t)piece->part + piece->units > piece->parts ||
		plan->rank->slots < piece->waits;
}

static void get_pieces(struct reader *reader, struct liquid_plan *plan, uint32_t tokens)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < plan->rank->pieces && !reader->invalid; i++) {
		get_piece(reader, plan, &plan->piece[i], i ? &plan->piece[i - 1] : NULL);
		plan->rank->lanes = plan->piece[i].lane + 1;
		get_tokens(reader, plan, tokens, &used);
		plan->first_token[i + 1] = used;
	}
	reader->invalid |= used != tokens || reader->at != reader->end;
}

static int refuse(struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_BAD_INPUT, "the slice of a plan is invalid: what it says "
			   "does not agree with itself");
}

static int get_plan(struct reader *reader, struct liquid_plan **plan, struct liquid_error *err)
{
	struct liquid_plan_info info = { .id = 0 };
	uint64_t left, pieces, tokens;

	get_info(reader, &info);
	left = (uint64_t)(reader->end - reader->at);
	pieces = get(reader, left / PIECE_NUMBERS);
	tokens = get(reader, left / 2);
	if (reader->invalid || pieces > UINT32_MAX || tokens > UINT32_MAX)
		return refuse(err);
	*plan = plan_new(info.rank, 1, pieces, tokens);
	if (!*plan)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for a slice");
	info.pieces = pieces;
	info.memory_bytes = (*plan)->info.memory_bytes;
	(*plan)->info = info;
	(*plan)->rank->pieces = (uint32_t)pieces;
	get_pieces(reader, *plan, (uint32_t)tokens);
	return reader->invalid ? refuse(err) : LIQUID_OK;
}

int liquid_plan_read(const void *bytes, size_t size, struct liquid_plan **plan,
		     struct liquid_error *err)
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
	if (version != SLICE_VERSION)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the slice of a plan has version %llu; "
				   "this library reads version %d", (unsigned long long)version,
				   SLICE_VERSION);
	status = get_plan(&reader, plan, err);
	if (status) {
		liquid_plan_free(*plan);
		*plan = NULL;
	}
	return status;
}
