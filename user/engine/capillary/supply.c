// SPDX-License-Identifier: LGPL-2.1-or-later
/* Supplies as exact fractions: whole numbers of as many words as they need. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capillary/supply.h"

#define WORD_BITS 64

/* ---- whole numbers ---- */

static uint64_t sign_of(const uint64_t *number, uint32_t words)
{
	return number[words - 1] >> (WORD_BITS - 1) ? UINT64_MAX : 0;
}

/* Without the sign; a negative number may be counted as one bit too few. */
static uint32_t bits_of(const uint64_t *number, uint32_t words)
{
	uint64_t sign = sign_of(number, words);

	while (words && number[words - 1] == sign)
		words--;
	return words ? words * WORD_BITS - (uint32_t)__builtin_clzll(number[words - 1] ^ sign) : 0;
}

static bool is_zero(const uint64_t *number, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		if (number[i])
			return false;
	return true;
}

/* @to += @factor x @number */
static void add(uint64_t *to, const uint64_t *number, uint64_t factor, uint32_t words)
{
	unsigned __int128 carry = 0;

	for (uint32_t i = 0; i < words; i++) {
		carry += (unsigned __int128)number[i] * factor + to[i];
		to[i] = (uint64_t)carry;
		carry >>= WORD_BITS;
	}
}

static void negate(uint64_t *number, uint32_t words)
{
	bool carry = true;

	for (uint32_t i = 0; i < words; i++) {
		number[i] = ~number[i] + carry;
		carry = carry && !number[i];
	}
}

/* The number is the result times 2 to the power of @exponent. */
static double mantissa(const uint64_t *number, uint32_t words, int *exponent)
{
	uint64_t sign = sign_of(number, words);
	uint32_t top = (bits_of(number, words) + WORD_BITS - 1) / WORD_BITS;
	double value = 0;

	/* Two words have more bits than a double, even if the upper one has one only. */
	for (uint32_t i = top; i && top - i < 2; i--)
		value = ldexp(value, WORD_BITS) + (double)(number[i - 1] ^ sign);
	*exponent = top > 2 ? (int)(top - 2) * WORD_BITS : 0;
	return sign ? -(value + 1) : value;
}

/* ---- supplies ---- */

static uint64_t *number_of(const struct supplies *supplies, uint32_t i)
{
	return supplies->number + (size_t)i * supplies->words;
}

static uint64_t *denominator(const struct supplies *supplies)
{
	return number_of(supplies, supplies->nodes);
}

static uint64_t *scratch(const struct supplies *supplies)
{
	return number_of(supplies, supplies->nodes + 1);
}

static bool alloc(struct supplies *supplies, uint32_t nodes, uint32_t words)
{
	supplies->nodes = nodes;
	supplies->words = words;
	supplies->number = calloc(((size_t)nodes + 2) * words, sizeof(*supplies->number));
	return supplies->number;
}

bool supplies_open(struct supplies *supplies, uint32_t nodes, uint32_t from, uint32_t to)
{
	if (!alloc(supplies, nodes, 1))
		return false;
	*number_of(supplies, from) = 1;
	*number_of(supplies, to) = UINT64_MAX;
	*denominator(supplies) = 1;
	return true;
}

void supplies_close(struct supplies *supplies)
{
	free(supplies->number);
}

/* The words that all numbers need if they grow by @more bits, and have a sign. */
static uint32_t words_needed(const struct supplies *supplies, uint32_t more)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < supplies->nodes + 2; i++) {
		uint32_t own = bits_of(number_of(supplies, i), supplies->words);

		bits = own > bits ? own : bits;
	}
	return (bits + more) / WORD_BITS + 1;
}

static bool reserve(struct supplies *supplies, uint32_t more)
{
	uint32_t words = words_needed(supplies, more);
	struct supplies wider;

	if (words <= supplies->words)
		return true;
	if (!alloc(&wider, supplies->nodes, words))
		return false;
	for (uint32_t i = 0; i < supplies->nodes + 2; i++) {
		const uint64_t *number = number_of(supplies, i);
		uint64_t *copy = number_of(&wider, i);

		memset(copy, (int)sign_of(number, supplies->words), words * sizeof(*copy));
		memcpy(copy, number, supplies->words * sizeof(*copy));
	}
	supplies_close(supplies);
	*supplies = wider;
	return true;
}

/* Into the scratch number */
static void add_side(struct supplies *supplies, const bool *side)
{
	memset(scratch(supplies), 0, supplies->words * sizeof(uint64_t));
	for (uint32_t v = 0; v < supplies->nodes; v++)
		if (side[v])
			add(scratch(supplies), number_of(supplies, v), 1, supplies->words);
}

/* @number = @room x @number - @taken x scratch */
static void grow(struct supplies *supplies, uint64_t *number, uint64_t room, int64_t taken)
{
	uint32_t words = supplies->words;
	uint64_t amount = taken < 0 ? 0 - (uint64_t)taken : (uint64_t)taken;

	/* room - 1, as one of it is there */
	if (room)
		add(number, number, room - 1, words);
	if (taken > 0)
		negate(number, words);
	add(number, scratch(supplies), amount, words);
	if (taken > 0)
		negate(number, words);
}

bool supplies_grow(struct supplies *supplies, const bool *side, uint64_t room, const int64_t *taken)
{
	/* The sum of as many as there are nodes; then two products with a word. */
	if (!reserve(supplies, WORD_BITS / 2))
		return false;
	add_side(supplies, side);
	if (!reserve(supplies, WORD_BITS + 2))
		return false;
	for (uint32_t v = 0; v < supplies->nodes; v++)
		grow(supplies, number_of(supplies, v), room, taken[v]);
	memcpy(denominator(supplies), scratch(supplies), supplies->words * sizeof(uint64_t));
	return true;
}

/* ---- balance ---- */

/* @number of @supplies is farther from 0 than @other. */
static bool is_greater(const uint64_t *number, const uint64_t *other, uint32_t words)
{
	return bits_of(number, words) > bits_of(other, words);
}

/* Add up each part in @sum, and find the greatest supply of each. */
static void add_parts(const struct supplies *supplies, const uint32_t *part,
		      struct supplies *sum, uint32_t *greatest)
{
	uint32_t words = supplies->words;

	for (uint32_t v = 0; v < supplies->nodes; v++) {
		const uint64_t *number = number_of(supplies, v);
		uint32_t *most = &greatest[part[v]];

		add(number_of(sum, part[v]), number, 1, words);
		if (is_greater(number, number_of(supplies, *most), words) || part[*most] != part[v])
			*most = v;
	}
}

uint32_t supplies_balance(struct supplies *supplies, const uint32_t *part)
{
	uint32_t *greatest = calloc(supplies->nodes, sizeof(*greatest)), corrected = 0;
	struct supplies sum = { 0 };

	if (!alloc(&sum, supplies->nodes, supplies->words) || !greatest)
		corrected = UINT32_MAX;
	else
		add_parts(supplies, part, &sum, greatest);
	for (uint32_t i = 0; i < supplies->nodes && corrected != UINT32_MAX; i++) {
		uint64_t *number = number_of(&sum, i);

		if (is_zero(number, sum.words))
			continue;
		negate(number, sum.words);
		add(number_of(supplies, greatest[i]), number, 1, sum.words);
		corrected++;
	}
	free(greatest);
	supplies_close(&sum);
	return corrected;
}

/* ---- as numbers ---- */

bool supplies_tell(const struct supplies *supplies, double *supply)
{
	int below_exponent, exponent;
	double below = mantissa(denominator(supplies), supplies->words, &below_exponent);
	bool some = false;

	for (uint32_t v = 0; v < supplies->nodes; v++) {
		double above = mantissa(number_of(supplies, v), supplies->words, &exponent);

		supply[v] = ldexp(above / below, exponent - below_exponent);
		some |= above != 0;
	}
	return some;
}
