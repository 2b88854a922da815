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

	fuzz_check(piece->peer < info->ranks && piece->peer != rank && piece->units);
	fuzz_check(piece->frame + piece->frames <= info->length);
	fuzz_check(piece->slot + piece->waits <= liquid_plan_slots(plan, rank));
	liquid_piece_cut(piece, 1000, 10, &cut);
	fuzz_check(cut.offset + cut.main + cut.tail <= 1000);
}

/* Without tokens, so that waits time out. */
static void run(const struct liquid_plan *plan, uint32_t rank)
{
	struct liquid_run_options options = { .size = sizeof(options), .timeout_ns = 1 };
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

	if (liquid_plan_read(bytes, size + DIGEST_BYTES, &plan, &err)) {
		fuzz_check(!plan && err.text[0]);
	} else {
		uint32_t rank = liquid_plan_info(plan)->rank;

		write_again(plan, rank, bytes, size + DIGEST_BYTES);
		run(plan, rank);
	}
	liquid_plan_free(plan);
	free(bytes);
	return 0;
}
