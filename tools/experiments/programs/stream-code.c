// SPDX-License-Identifier: GPL-2.0-only
/*
 * The erasure code of stream: Cauchy's matrices over GF(2^8), by ISA-L
 *
 * Any SOURCE packets of a block give the others. That holds for Cauchy's matrices alone: those of
 * gf_gen_rs_matrix() have rows from which a block cannot be decoded.
 */
#include <isa-l.h>
#include <string.h>

#include "stream.h"

#define TABLE (32 * SOURCE)		/* bytes of a row's tables */

static uint8_t matrix[CODED_MAX * SOURCE];
static uint8_t tables[(CODED_MAX - SOURCE) * TABLE];

void code_begin(void)
{
	gf_gen_cauchy1_matrix(matrix, CODED_MAX, SOURCE);
	ec_init_tables(SOURCE, CODED_MAX - SOURCE, &matrix[SOURCE * SOURCE], tables);
}

void code_source(uint32_t block, uint32_t index, uint8_t data[LENGTH])
{
	uint64_t state = (block + 1) * 0x9e3779b97f4a7c15ULL + index;

	for (uint32_t i = 0; i < LENGTH; i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		data[i] = (uint8_t)(state >> 56);
	}
}

void code_make(uint8_t data[CODED_MAX][LENGTH], uint32_t from, uint32_t to)
{
	uint8_t *source[SOURCE], *coded[CODED_MAX];

	if (from < SOURCE)
		from = SOURCE;
	if (to <= from)
		return;
	for (uint32_t i = 0; i < SOURCE; i++)
		source[i] = data[i];
	for (uint32_t i = from; i < to; i++)
		coded[i - from] = data[i];
	ec_encode_data(LENGTH, SOURCE, (int)(to - from), &tables[(from - SOURCE) * TABLE], source,
		       coded);
}

bool code_check(uint32_t block, const uint32_t index[SOURCE], uint8_t data[SOURCE][LENGTH])
{
	uint8_t rows[SOURCE * SOURCE], inverse[SOURCE * SOURCE], table[SOURCE * TABLE];
	uint8_t *from[SOURCE], *to[SOURCE], decoded[SOURCE][LENGTH], sent[LENGTH];

	for (uint32_t i = 0; i < SOURCE; i++) {
		memcpy(&rows[i * SOURCE], &matrix[index[i] * SOURCE], SOURCE);
		from[i] = data[i];
		to[i] = decoded[i];
	}
	if (gf_invert_matrix(rows, inverse, SOURCE))
		return false;
	ec_init_tables(SOURCE, SOURCE, inverse, table);
	ec_encode_data(LENGTH, SOURCE, SOURCE, table, from, to);
	for (uint32_t i = 0; i < SOURCE; i++) {
		code_source(block, i, sent);
		if (memcmp(sent, decoded[i], LENGTH))
			return false;
	}
	return true;
}
