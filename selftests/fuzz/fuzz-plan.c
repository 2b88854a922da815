// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz the reader of a plan's slices: what is read is written the same, and runs to its end
 *
 * The input is a slice without its digest, which no fuzzer would find by chance.
 */
#include <string.h>

#include "fuzz.h"
#include "liquidsched.h"

#define DIGEST_BYTES 8

/* FNV-1a over 64 bits */
static uint64_t digest_of(const uint8_t *data, size_t size)
{
	uint64_t digest = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		digest = (digest ^ data[i]) * UINT64_C(0x100000001b3);
	return digest;
}

static uint8_t *with_digest(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size + DIGEST_BYTES);
	uint64_t digest = digest_of(data, size);

	fuzz_check(bytes != NULL);
	if (size)
		memcpy(bytes, data, size);
	for (int i = 0; i < DIGEST_BYTES; i++)
		bytes[size + i] = (uint8_t)(digest >> 8 * i);
	return bytes;
}

static void write_again(const struct liquid_plan *plan, uint32_t rank, const uint8_t *bytes,
			size_t size)
{
	size_t again_size;
	void *again;

	fuzz_check(!liquid_plan_slice(plan, rank, &again, &again_size, NULL));
	fuzz_check(size == again_size && !memcmp(again, bytes, size));
	free(again);
}

static void check_piece(const struct liquid_plan *plan, uint32_t rank,
			const struct liquid_piece *piece)
{
	const struct liquid_plan_info *info = liquid_plan_info(plan);
	struct liquid_cut cut;
	uint32_t slots;

	liquid_plan_givers(plan, rank, &slots);
	fuzz_check(piece->peer < info->ranks && piece->peer != rank && piece->units);
	fuzz_check(piece->frame + piece->frames <= info->length);
	fuzz_check(piece->slot + piece->waits <= slots);
	liquid_piece_cut(piece, 1000, 10, &cut);
	fuzz_check(cut.offset + cut.main + cut.tail <= 1000);
}

/* Each peer sends one message. */
static void check_incoming(const struct liquid_plan *plan, uint32_t rank)
{
	const struct liquid_plan_info *info = liquid_plan_info(plan);
	uint32_t count;
	const struct liquid_incoming *message = liquid_plan_incoming(plan, rank, &count);

	for (uint32_t i = 0; i < count; i++) {
		fuzz_check(message[i].peer < info->ranks && message[i].peer != rank);
		fuzz_check(message[i].pieces && message[i].pieces <= message[i].parts);
		fuzz_check(message[i].frame < info->length);
		fuzz_check(!i || message[i].frame >= message[i - 1].frame);
		for (uint32_t j = 0; j < i && i < 100; j++)
			fuzz_check(message[i].peer != message[j].peer);
	}
}

/* Tokens of the rank for itself; each has a slot that the rank gives. */
static uint32_t own_tokens(const struct liquid_plan *plan, uint32_t rank)
{
	uint32_t pieces, slots, count, own = 0;
	const uint32_t *giver = liquid_plan_givers(plan, rank, &slots);

	liquid_plan_pieces(plan, rank, &pieces);
	for (uint32_t i = 0; i < pieces; i++) {
		const struct liquid_token *token = liquid_plan_tokens(plan, rank, i, &count);

		for (uint32_t j = 0; j < count; j++) {
			if (token[j].rank != rank)
				continue;
			fuzz_check(token[j].slot < slots && giver[token[j].slot] == rank);
			own++;
		}
	}
	return own;
}

static void check_givers(const struct liquid_plan *plan, uint32_t rank)
{
	uint32_t slots, own = own_tokens(plan, rank);
	const uint32_t *giver = liquid_plan_givers(plan, rank, &slots);

	for (uint32_t i = 0; i < slots; i++) {
		fuzz_check(giver[i] < liquid_plan_info(plan)->ranks);
		own -= giver[i] == rank;
	}
	fuzz_check(!own);
}

/* Without tokens, so that waits time out. */
static void run(const struct liquid_plan *plan, uint32_t rank)
{
	struct liquid_run_options options = { .timeout_ns = 1 };
	struct liquid_run *run;
	struct liquid_next next = { .step = LIQUID_RUN_SEND };
	uint32_t pieces, count;
	const struct liquid_piece *piece = liquid_plan_pieces(plan, rank, &pieces);

	for (uint32_t i = 0; i < pieces; i++)
		check_piece(plan, rank, &piece[i]);
	fuzz_check(!liquid_run_new(plan, rank, &options, &run, NULL));
	fuzz_check(!liquid_run_begin(run, 0, NULL));
	for (int64_t now = 0; next.step != LIQUID_RUN_DONE; now++) {
		liquid_run_next(run, now, &next);
		fuzz_check(next.step != LIQUID_RUN_WAIT_LEFT);
		if (next.step == LIQUID_RUN_SEND)
			liquid_run_left(run, next.piece, &count);
	}
	fuzz_check(liquid_run_stats(run)->sent == pieces);
	liquid_run_free(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = with_digest(data, size);
	struct liquid_plan *plan;
	struct liquid_error err = { "" };

	if (liquid_plan_read(bytes, size + DIGEST_BYTES, NULL, 0, &plan, &err)) {
		fuzz_check(!plan && err.text[0]);
	} else {
		uint32_t rank = liquid_plan_info(plan)->rank;

		write_again(plan, rank, bytes, size + DIGEST_BYTES);
		check_incoming(plan, rank);
		check_givers(plan, rank);
		run(plan, rank);
	}
	liquid_plan_free(plan);
	free(bytes);
	return 0;
}
