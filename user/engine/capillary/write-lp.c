// SPDX-License-Identifier: LGPL-2.1-or-later
/* A layer's problem as a linear program, for another solver (thesis, section 4.2.2). */
#include <errno.h>
#include <string.h>

#include "capillary/capillary.h"

/* What leaves a node less what comes in is its supply times F. */
static void write_node(const struct net *net, uint32_t v, FILE *out)
{
	fprintf(out, " n%u: %+.17g F", v, 0 - net->supply[v]);
	for (uint32_t k = net->first[v]; k < net->first[v + 1]; k++)
		if (net->capacity[net->arc[k] / 2] > 0)
			fprintf(out, "\n  %c x%u", net->arc[k] & 1 ? '-' : '+', net->arc[k] / 2);
	fputs(" = 0\n", out);
}

static void write_model(const struct net *net, FILE *out)
{
	fputs("Maximize\n factor: F\nSubject To\n", out);
	for (uint32_t v = 0; v < net->nodes; v++)
		write_node(net, v, out);
	fputs("Bounds\n", out);
	for (uint32_t e = 0; e < net->links; e++)
		if (net->capacity[e] > 0)
			fprintf(out, " 0 <= x%u <= %.17g\n", e, net->capacity[e]);
	fputs("End\n", out);
}

int liquid_capillary_write_lp(const struct liquid_capillary *shown, uint32_t layer, FILE *out,
			      struct liquid_error *err)
{
	struct net net;

	if (!layer || layer > shown->layers)
		return liquid_fail(err, LIQUID_BAD_INPUT, "layer %u: there are 1 to %u", layer,
				   shown->layers);
	if (!capillary_problem(capillary_of(shown), layer - 1, &net)) {
		net_close(&net);
		return liquid_no_memory(err);
	}
	fprintf(out, "\\ layer %u of a capillary routing: x by link, F how far the flow grows\n",
		layer);
	write_model(&net, out);
	net_close(&net);
	if (fflush(out) || ferror(out))
		return liquid_fail(err, LIQUID_IO, "writing the export: %s", strerror(errno));
	return LIQUID_OK;
}
