/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What searches by simulated annealing have in common
 *
 * Numbers of double, by the four operations alone: IEEE 754 fixes their results to the last bit,
 * but not those of exp() and pow(), which differ between libraries and even between processors.
 * So the same routes are found everywhere.
 */
#ifndef LIQUID_ROUTE_ANNEAL_H
#define LIQUID_ROUTE_ANNEAL_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "problem/random.h"

#if FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2
#error "sums of double must have no more bits than a double: on i386, -msse2 -mfpmath=sse"
#endif

#define ANNEAL_ROUNDS 60

/* e to the power of @x, to about a unit of the last bit; from -700 to 700, 0 below */
static inline double anneal_exp(double x)
{
	static const double root[] = {	/* 2 to the power of 0/8 ... 7/8 */
		1, 0x1.172b83c7d517bp+0, 0x1.306fe0a31b715p+0, 0x1.4bfdad5362a27p+0,
		0x1.6a09e667f3bcdp+0, 0x1.8ace5422aa0dbp+0, 0x1.ae89f995ad3adp+0,
		0x1.d5818dcfba487p+0
	};
	double rest, sum;
	union {
		uint64_t bits;
		double value;
	} twos;
	int eighths;

	if (x < -700)
		return 0;
	x = x > 700 ? 700 : x;
	eighths = (int)(x * 0x1.71547652b82fep+3 + (x < 0 ? -.5 : .5));
	rest = x - eighths * 0x1.62e42fef00000p-4 - eighths * 0x1.473de6af278edp-37;
	sum = 1. / 720 + rest * (1. / 5040 + rest / 40320);
	sum = 1. / 6 + rest * (1. / 24 + rest * (1. / 120 + rest * sum));
	sum = 1 + rest * (1 + rest * (1. / 2 + rest * sum));
	twos.bits = (uint64_t)(1023 + (eighths >> 3)) << 52;
	return sum * root[eighths & 7] * twos.value;
}

/* The factor of loads in exponents: it grows from round to round. @most: the greatest load */
static inline double anneal_beta(uint32_t round, double most)
{
	return (8 + 82.0 * round / (ANNEAL_ROUNDS - 1)) / (0.35 * fmax(most, 1e-9));
}

/* The temperature, which falls; 0 in the last round: nothing becomes worse. */
static inline double anneal_heat(uint32_t round)
{
	return round == ANNEAL_ROUNDS - 1 ? 0 : 2 * anneal_exp(-(double)round / 4);
}

static inline bool anneal_accepts(struct random *random, double change, double heat)
{
	return change <= 0 || (heat > 0 && (double)(random_next(random) >> 11) * 0x1p-53 <
					   anneal_exp(-change / heat));
}

#endif
