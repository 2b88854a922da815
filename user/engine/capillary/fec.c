// SPDX-License-Identifier: LGPL-2.1-or-later
/* How many packets a block needs so that enough of them arrive (thesis, section 4.3.2). */
#include <math.h>

#include "liquidsched.h"

#define SIZE_MAX_PACKETS (UINT32_MAX / 4)
/* DER is met also where rounding makes it a little more: p = 0.1, M = 1, 5 packets: 1e-5. */
#define TIE 1e-12

/* ln of the probability that exactly @arrived of @size packets arrive, each with 1 - @loss. */
static double log_exactly(double size, double arrived, double loss)
{
	int sign;

	return lgamma_r(size + 1, &sign) - lgamma_r(arrived + 1, &sign) -
	       lgamma_r(size - arrived + 1, &sign) + arrived * log1p(-loss) +
	       (size - arrived) * log(loss);
}

/*
 * Eq. 25: the probability that fewer than @block of @size packets arrive. Only for sizes of which
 * more than block - 1 arrive on the average: then the terms fall from block - 1 on.
 */
static double undecoded(uint32_t size, uint32_t block, double loss)
{
	double term = exp(log_exactly(size, block - 1, loss)), sum = term;

	for (uint32_t arrived = block - 1; arrived && term > sum * 1e-17; arrived--) {
		term *= arrived / (double)(size - arrived + 1) * loss / (1 - loss);
		sum += term;
	}
	return sum;
}

/*
 * The least size at which as many packets arrive on the average as are needed, or one less. With
 * fewer, more than half of the blocks fail: the median is the mean, rounded.
 */
static double least_size(uint32_t block, double loss)
{
	double size = floor((block - 1) / (1 - loss)) + 1;

	return size < block ? block : size;
}

static int check(double loss, uint32_t block, double der, struct liquid_error *err)
{
	if (!(loss >= 0 && loss < 1))
		return liquid_fail(err, LIQUID_BAD_INPUT, "a loss of %g: expected 0 to below 1",
				   loss);
	if (!block)
		return liquid_fail(err, LIQUID_BAD_INPUT, "a block has one packet or more");
	if (!(der > 0 && der < 0.5))
		return liquid_fail(err, LIQUID_BAD_INPUT, "a decoding error rate of %g: expected "
				   "above 0 and below 0.5", der);
	return LIQUID_OK;
}

/* @low is not enough, @high is. */
static uint32_t bisect(uint32_t low, uint32_t high, uint32_t block, double loss, double der)
{
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (undecoded(middle, block, loss) <= der)
			high = middle;
		else
			low = middle;
	}
	return high;
}

int liquid_fec_size(double loss, uint32_t block, double der, uint32_t *size,
		    struct liquid_error *err)
{
	int status = check(loss, block, der, err);
	double least = status ? 0 : least_size(block, loss);
	uint32_t low, high;

	*size = 0;
	if (status)
		return status;
	der *= 1 + TIE;
	*size = block;
	if (loss <= 0)
		return LIQUID_OK;
	for (high = low = least < SIZE_MAX_PACKETS ? (uint32_t)least : SIZE_MAX_PACKETS;
	     high < SIZE_MAX_PACKETS && undecoded(high, block, loss) > der; high *= 2)
		low = high;
	if (high >= SIZE_MAX_PACKETS) {
		*size = 0;
		return liquid_fail(err, LIQUID_LIMIT, "a loss of %.9g takes more than %u packets "
				   "for %u", loss, SIZE_MAX_PACKETS, block);
	}
	*size = bisect(low == high ? low - 1 : low, high, block, loss, der);
	return LIQUID_OK;
}
