// SPDX-License-Identifier: LGPL-2.1-or-later
/* Random delays of frames and messages; errors of clocks. */
#include <math.h>

#include "simulate/simulate.h"

/* In (0, 1] */
static double fraction(struct random *random)
{
	return ((double)(random_next(random) >> 11) + 1) * 0x1p-53;
}

static double normal(struct random *random)
{
	double radius = sqrt(-2 * log(fraction(random)));

	return radius * cos(2 * M_PI * fraction(random));
}

uint64_t sim_jitter(struct sim *sim, uint32_t port)
{
	struct random *random = &sim->random[port];
	double scale = (double)sim->options.jitter_ns;

	switch (sim->options.jitter) {
	case LIQUID_SIM_UNIFORM:
		return (uint64_t)floor(fraction(random) * scale + 0.5);
	case LIQUID_SIM_NORMAL:
		return (uint64_t)floor(fabs(normal(random)) * scale + 0.5);
	case LIQUID_SIM_EXPONENTIAL:
		return (uint64_t)floor(-log(fraction(random)) * scale + 0.5);
	default:
		return 0;
	}
}

uint64_t sim_late(struct sim *sim, uint32_t host)
{
	struct random *random = &sim->random[sim->first_port[host]];

	return (uint64_t)floor((double)(random_next(random) >> 11) * 0x1p-53 *
			       (double)sim->options.start_skew_ns + 0.5);
}

uint64_t sim_skewed(struct sim *sim, uint32_t host, uint64_t time)
{
	double error = 2 * fraction(&sim->random[sim->first_port[host]]) - 1;

	return (uint64_t)((double)time + error * (double)sim->options.clock_error_ns);
}

/* Uniform: all delays are below; normal: 99.7 %; exponential: 95 %. */
uint64_t sim_jitter_most(const struct liquid_sim_options *options)
{
	switch (options->jitter) {
	case LIQUID_SIM_UNIFORM:
		return options->jitter_ns;
	case LIQUID_SIM_NORMAL:
	case LIQUID_SIM_EXPONENTIAL:
		return 3 * options->jitter_ns;
	default:
		return 0;
	}
}

uint64_t sim_jitter_mean(const struct liquid_sim_options *options)
{
	double scale = (double)options->jitter_ns;

	switch (options->jitter) {
	case LIQUID_SIM_UNIFORM:
		return options->jitter_ns / 2;
	case LIQUID_SIM_NORMAL:
		return (uint64_t)(scale * sqrt(2 / M_PI));
	case LIQUID_SIM_EXPONENTIAL:
		return options->jitter_ns;
	default:
		return 0;
	}
}
