// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The redundancy that failures of links take, as one number (thesis, section 4.3 and appendix G)
 *
 * For failures of two links at a time the thesis leaves open the weights and what both lose. Both
 * have closed forms. A link fails for t every d in the mean: with x = t / d and a = N x, failures
 * of N links are single in k1 = 1 / (1 + a / 2) of the time in which any fails, and double in the
 * rest, k2. A given link has k1 / N of that time, a given pair k2 2 / (N (N - 1)): eqs. 45 and 54
 * lack the factor 2 / (N - 1). That time, 1 - (1 + x)^-N, is less than the times of failure of all
 * links together, N x / (1 + x), which D counts: so the weights are multiplied by the ratio of
 * both.
 *
 * The loss of two links is the sum of their shares less what passes through both, which is what
 * arrives at the second of a flow put into the first.
 */
#include <math.h>
#include <stdlib.h>

#include "capillary/net.h"

/* Shares this near to 1 are 1, and so near to the tolerance, as a share of it, reach it. */
#define TIE 1e-9

struct rating {
	struct liquid_ror_options options;
	struct net net;			/* the pattern is its flow */
	double fec_tolerance;		/* FEC_t, or of large blocks that over M */
	struct liquid_ror ror;
};

/* Packets sent for each one of the source at a loss of @loss, times the block if there is one */
static int fec_of(const struct rating *rating, double loss, double *fec, struct liquid_error *err)
{
	uint32_t size = 0;
	int status = LIQUID_OK;

	if (rating->options.block)
		status = liquid_fec_size(loss, rating->options.block, rating->options.der, &size,
					 err);
	*fec = rating->options.block ? size : 1 / (1 - loss);
	return status;
}

static bool is_critical(double loss)
{
	return loss > 1 - TIE;
}

/* Add what is sent more at @loss: a term of eq. 23, 29 or 53. */
static int add_term(const struct rating *rating, double loss, double *sum,
		    struct liquid_error *err)
{
	double fec;
	int status;

	if (is_critical(loss) || loss < rating->options.tolerance * (1 - TIE))
		return LIQUID_OK;
	status = fec_of(rating, loss, &fec, err);
	if (!status)
		*sum += fec / rating->fec_tolerance - 1;
	return status;
}

/* ---- one failure at a time ---- */

static int rate_links(struct rating *rating, struct liquid_error *err)
{
	struct liquid_ror *ror = &rating->ror;
	int status = LIQUID_OK;

	for (uint32_t e = 0; e < rating->net.links && !status; e++) {
		double share = rating->net.flow[e];

		if (share <= 0)
			continue;
		ror->footprint++;
		ror->critical += is_critical(share);
		ror->tolerated += share < rating->options.tolerance * (1 - TIE);
		if (!is_critical(share))
			ror->greatest = fmax(ror->greatest, share);
		status = add_term(rating, share, &ror->single, err);
	}
	return status;
}

/* ---- two at a time ---- */

/* Links of the pattern, those that the stream comes to first before the others. */
static uint32_t sort_links(struct net *net, uint32_t *sorted)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < net->nodes; i++) {
		uint32_t v = net->queue[i];

		net->left[v] = 0;
		for (uint32_t k = net->first[v]; k < net->first[v + 1]; k++)
			if (!(net->arc[k] & 1) && net->flow[net->arc[k] / 2] > 0) {
				sorted[count++] = net->arc[k] / 2;
				net->left[v] += net->flow[net->arc[k] / 2];
			}
	}
	return count;
}

/* Put the flow of sorted[@i] into its far end, and pair it with the links that come after it. */
static int rate_pairs_of(struct rating *rating, const uint32_t *sorted, uint32_t count, uint32_t i,
			 struct liquid_error *err)
{
	struct net *net = &rating->net;
	uint32_t e = sorted[i];
	int status = LIQUID_OK;

	for (uint32_t v = 0; v < net->nodes; v++)
		net->worth[v] = 0;
	net->worth[net->to[e]] = net->flow[e];
	for (uint32_t j = i + 1; j < count && !status; j++) {
		uint32_t later = sorted[j], v = net->from[later];
		double both = net->worth[v] * net->flow[later] / net->left[v];

		net->worth[net->to[later]] += both;
		status = add_term(rating, net->flow[e] + net->flow[later] - both,
				  &rating->ror.pairs, err);
	}
	return status;
}

static int rate_pairs(struct rating *rating, struct liquid_error *err)
{
	uint32_t *sorted = calloc((size_t)rating->net.links + 1, sizeof(*sorted));
	int status = LIQUID_OK;
	uint32_t count;

	if (!sorted)
		return liquid_no_memory(err);
	if (net_sort(&rating->net) < rating->net.nodes)
		status = liquid_fail(err, LIQUID_BAD_INPUT, "the shares go round in a circle");
	count = status ? 0 : sort_links(&rating->net, sorted);
	for (uint32_t i = 0; i < count && !status; i++)
		status = rate_pairs_of(rating, sorted, count, i, err);
	free(sorted);
	return status;
}

static void combine(struct liquid_ror *ror, const struct liquid_ror_options *options)
{
	double odds = (double)options->fail_for_ns / (double)options->fail_every_ns;
	double links = ror->footprint, failing = links * odds;
	double any = -expm1(-links * log1p(odds)) / (failing / (1 + odds));
	double single = 1 / (1 + failing / 2);

	ror->overlap = -expm1(-failing);
	ror->single_weight = any * single;
	ror->pair_weight = links > 1 ? any * (1 - single) * 2 / (links - 1) : 0;
	ror->ror = ror->single_weight * ror->single + ror->pair_weight * ror->pairs;
}

/* ---- both ---- */

static int rate(struct rating *rating, struct liquid_error *err)
{
	const struct liquid_ror_options *options = &rating->options;
	int status = fec_of(rating, options->tolerance, &rating->fec_tolerance, err);

	if (!status)
		status = rate_links(rating, err);
	rating->ror.fec = options->block ? (uint32_t)rating->fec_tolerance : 0;
	rating->ror.ror = rating->ror.single;
	if (status || !options->fail_for_ns)
		return status;
	status = rate_pairs(rating, err);
	if (!status)
		combine(&rating->ror, options);
	return status;
}

static int check(const struct liquid_ror_options *options, struct liquid_error *err)
{
	if (!(options->tolerance >= 0 && options->tolerance < 1))
		return liquid_fail(err, LIQUID_BAD_INPUT, "a tolerance of %g: expected 0 to below "
				   "1", options->tolerance);
	if (!options->fail_for_ns != !options->fail_every_ns)
		return liquid_fail(err, LIQUID_BAD_INPUT, "how often links fail and for how long "
				   "go together");
	return LIQUID_OK;
}

static int take_shares(struct rating *rating, const struct liquid_fabric *fabric,
		       const double *share, struct liquid_error *err)
{
	/* The pattern says itself which hosts relay: capacities do not matter. */
	if (!net_open_fabric(&rating->net, fabric, LIQUID_NONE, LIQUID_NONE))
		return liquid_no_memory(err);
	for (uint32_t e = 0; e < rating->net.links; e++) {
		if (!(share[e] >= 0 && share[e] <= 1 + TIE))
			return liquid_fail(err, LIQUID_BAD_INPUT, "link %u has a share of %g: "
					   "expected 0 to 1", e, share[e]);
		rating->net.flow[e] = share[e] > NET_TINY ? share[e] : 0;
	}
	return LIQUID_OK;
}

int liquid_ror(const struct liquid_fabric *fabric, const double *share,
	       const struct liquid_ror_options *options, struct liquid_ror *ror,
	       struct liquid_error *err)
{
	struct rating rating = { .options = *options };
	int status = check(&rating.options, err);

	if (status)
		return status;
	status = take_shares(&rating, fabric, share, err);
	if (!status)
		status = rate(&rating, err);
	net_close(&rating.net);
	if (!status)
		*ror = rating.ror;
	return status;
}
