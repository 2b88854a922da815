// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz capillary routing by networks: each layer fills links, and nothing of the stream is lost. */
#include <math.h>

#include "fuzz.h"

#define NODES 12
#define LINKS_MAX 400

/* A link for every three bytes; the third one's upper half begins near the greatest capacity. */
static struct liquid_fabric *make_network(const uint8_t *data, size_t size)
{
	struct liquid_fabric *fabric;
	char name[16];

	fuzz_check(!liquid_fabric_new("network", &fabric, NULL));
	for (uint32_t v = 0; v < NODES; v++) {
		snprintf(name, sizeof(name), "n%u", (unsigned int)v);
		fuzz_check(!liquid_fabric_add_switch(fabric, name, NULL));
	}
	for (size_t i = 0; i + 2 < size && i < LINKS_MAX * 3; i += 3) {
		struct liquid_link link = {
			.from = data[i] % NODES, .to = data[i + 1] % NODES,
			.capacity = data[i + 2] < 128 ? data[i + 2] + 1u : 65280u + data[i + 2],
		};

		if (link.from != link.to)
			fuzz_check(!liquid_fabric_add_link(fabric, &link, NULL));
	}
	return fabric;
}

/* The stream leaves node 0, comes to node 1, and keeps its amount between. */
static void check_kept(const struct liquid_fabric *fabric, const double *share)
{
	double balance[NODES] = { -1, 1 };

	for (uint32_t e = 0; e < liquid_fabric_link_count(fabric); e++) {
		fuzz_check(share[e] >= 0 && share[e] < 1 + 1e-9);
		balance[liquid_fabric_link(fabric, e)->from] += share[e];
		balance[liquid_fabric_link(fabric, e)->to] -= share[e];
	}
	for (uint32_t v = 0; v < NODES; v++)
		fuzz_check(fabs(balance[v]) < 1e-7);
}

static void check_rated(const struct liquid_fabric *fabric, const double *share)
{
	struct liquid_ror_options options = {
		.tolerance = .05, .fail_every_ns = 1000, .fail_for_ns = 10,
	};
	struct liquid_ror ror = { 0 };

	fuzz_check(!liquid_ror(fabric, share, &options, &ror, NULL));
	fuzz_check(ror.ror >= 0 && ror.footprint >= 1);
}

static void check_layers(const struct liquid_fabric *fabric,
			 const struct liquid_capillary *capillary)
{
	double *share = calloc(liquid_fabric_link_count(fabric), sizeof(*share));

	for (uint32_t k = 1; share && k <= capillary->layers; k++) {
		const struct liquid_capillary_layer *layer = &capillary->layer[k - 1];

		fuzz_check(layer->bottlenecks && (k == 1 || layer->factor > 1 - 1e-9));
		fuzz_check(!liquid_capillary_pattern(capillary, k, share, NULL));
		check_kept(fabric, share);
	}
	if (share)
		check_rated(fabric, share);
	free(share);
}

static void check_ways(const struct liquid_fabric *fabric, const struct liquid_capillary *capillary)
{
	struct liquid_ways *ways;
	double sum = 0;

	fuzz_check(!liquid_capillary_ways(capillary, 8, &ways, NULL));
	for (uint32_t i = 0; i < ways->count; i++)
		sum += ways->way[i].weight;
	fuzz_check(ways->count && ways->count <= 8 && fabs(sum - 1) < 1e-9);
	check_kept(fabric, ways->share);
	liquid_ways_free(ways);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct liquid_fabric *fabric = make_network(data, size);
	struct liquid_capillary_options options = { .from = 0, .to = 1 };
	struct liquid_capillary *capillary;
	struct liquid_error err;

	if (liquid_capillary(fabric, &options, &capillary, &err)) {
		fuzz_check(!capillary && strstr(err.text, "no links lead"));
	} else {
		fuzz_check(capillary->complete);
		check_layers(fabric, capillary);
		check_ways(fabric, capillary);
	}
	liquid_capillary_free(capillary);
	liquid_fabric_free(fabric);
	return 0;
}
