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

#include "problem/random.h"

#if FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2
#error "sums of double must have no more bits than a double: on i386, -msse2 -mfpmath=sse"
#endif

#define ANNEAL_ROUNDS 60

/* e to the power of @x, to a few units of the last bit; 0 below -700 */
static inline double anneal_exp(double x)
{
	static const double part[] = { 1, 1. / 2, 1. / 3, 1. / 4, 1. / 5, 1. / 6, 1. / 7, 1. / 8,
				       1. / 9, 1. / 10, 1. / 11, 1. / 12, 1. / 13 };
	double sum = 1, rest;
	int twos;

	if (x < -700)
		return 0;
	twos = (int)(fmin(x, 700) * 1.4426950408889634 + (x < 0 ? -.5 : .5));
	rest = fmin(x, 700) - twos * 0.69314718055994531;
	for (int i = sizeof(part) / sizeof(*part) - 1; i >= 0; i--)
		sum = 1 + rest * part[i] * sum;
	return ldexp(sum, twos);
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
