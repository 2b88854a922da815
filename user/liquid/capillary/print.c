// SPDX-License-Identifier: GPL-2.0-only
/* A capillary routing and its ratings, as text and as JSON. */
#include "capillary/capillary.h"

#define LINK_TEXT (2 * LIQUID_NAME_MAX + 32)
/* Of one link with a greater share most of the redundancy is. */
#define SHARE_LARGE 0.99

static bool counts_pairs(const struct capillary_view *view)
{
	return view->stream.fail_for_ns;
}

static void print_links(const struct capillary_view *view, const uint32_t *links, uint32_t count)
{
	char name[LINK_TEXT];

	for (uint32_t i = 0; i < count; i++)
		printf("%s%s", i ? "," : "",
		       liquid_fabric_link_name(view->fabric, links[i], name, sizeof(name)));
	putchar('\n');
}

/* ---- the rating ---- */

static void print_stream(const struct capillary_view *view)
{
	const struct liquid_ror *first = &view->layer[0];

	printf("%-12s %s to %s\n", "stream",
	       liquid_fabric_node_name(view->fabric, view->capillary->from),
	       liquid_fabric_node_name(view->fabric, view->capillary->to));
	printf("%-12s %.4g%% of loss at all times", "tolerance", view->stream.tolerance * 100);
	if (view->stream.block)
		printf(": %u packets for %u, DER %.3g\n", first->fec, view->stream.block,
		       view->stream.der);
	else
		puts(", in large blocks");
}

/* ---- layers ---- */

static void print_layer(const struct capillary_view *view, uint32_t i)
{
	const struct liquid_capillary_layer *layer = &view->capillary->layer[i];
	const struct liquid_ror *ror = &view->layer[i];

	printf("%5u  %8.5g  %11u  %10.4g  %6u  %8u  %9.4g", i + 1, layer->factor,
	       layer->bottlenecks, 1 / layer->product, ror->footprint, ror->critical, ror->single);
	if (counts_pairs(view))
		printf("  %10.4g  %6.3g%%", ror->ror, ror->overlap * 100);
	putchar('\n');
}

static void print_layers(const struct capillary_view *view)
{
	uint32_t layers = view->capillary->layers;

	printf("\nlayer         F  bottlenecks       share   links  critical        ROR%s\n",
	       counts_pairs(view) ? "  with pairs  overlap" : "");
	for (uint32_t i = 0; i < layers; i++)
		print_layer(view, i);
	if (!view->capillary->complete)
		puts("(more layers follow)");
	if (view->layer[layers - 1].greatest > SHARE_LARGE)
		printf("(a link has %.6g of the stream: ROR is mostly of that one)\n",
		       view->layer[layers - 1].greatest);
	putchar('\n');
	for (uint32_t i = 0; i < layers; i++) {
		printf("bottlenecks of layer %u: ", i + 1);
		print_links(view, view->capillary->layer[i].bottleneck,
			    view->capillary->layer[i].bottlenecks);
	}
}

/* ---- ways ---- */

static void print_lmc(const struct capillary_view *view)
{
	puts("\n  LMC  ways   links  critical        ROR");
	for (uint32_t lmc = 0; lmc <= CAPILLARY_LMC_MAX; lmc++) {
		const struct rated_ways *rated = &view->lmc[lmc];

		printf("%5u  %4u  %6u  %8u  %9.4g\n", lmc, rated->ways->count,
		       rated->ror.footprint, rated->ror.critical, rated->ror.ror);
	}
}

static void print_ways(const struct capillary_view *view)
{
	const struct liquid_ways *ways = view->asked.ways;

	if (!ways)
		return;
	printf("\n%u ways: %u links, %u critical, ROR %.4g\n", ways->count,
	       view->asked.ror.footprint, view->asked.ror.critical, view->asked.ror.ror);
	for (uint32_t i = 0; i < ways->count; i++) {
		printf("%8.4g  ", ways->way[i].weight);
		print_links(view, ways->way[i].link, ways->way[i].links);
	}
}

void capillary_print(const struct capillary_view *view)
{
	print_stream(view);
	print_layers(view);
	print_lmc(view);
	print_ways(view);
}

/* ---- JSON ---- */

static json_t *links_json(const struct capillary_view *view, const uint32_t *links, uint32_t count)
{
	json_t *array = json_array();
	char name[LINK_TEXT];

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array, json_string(liquid_fabric_link_name(
					view->fabric, links[i], name, sizeof(name))));
	return array;
}

static json_t *layer_json(const struct capillary_view *view, uint32_t i)
{
	const struct liquid_capillary_layer *layer = &view->capillary->layer[i];
	const struct liquid_ror *ror = &view->layer[i];
	json_t *object = json_pack("{s:f, s:f, s:o, s:I, s:I, s:I, s:f, s:f}",
			"factor", layer->factor, "share", 1 / layer->product,
			"bottlenecks", links_json(view, layer->bottleneck, layer->bottlenecks),
			"links", (json_int_t)ror->footprint,
			"critical", (json_int_t)ror->critical,
			"tolerated", (json_int_t)ror->tolerated,
			"greatest", ror->greatest, "ror", ror->single);

	if (object && counts_pairs(view)) {
		json_object_set_new(object, "ror_with_pairs", json_real(ror->ror));
		json_object_set_new(object, "overlap", json_real(ror->overlap));
	}
	return object;
}

static json_t *layers_json(const struct capillary_view *view)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < view->capillary->layers; i++)
		json_array_append_new(array, layer_json(view, i));
	return array;
}

static json_t *lmc_json(const struct capillary_view *view)
{
	json_t *array = json_array();

	for (uint32_t lmc = 0; lmc <= CAPILLARY_LMC_MAX; lmc++) {
		const struct rated_ways *rated = &view->lmc[lmc];

		json_array_append_new(array, json_pack("{s:I, s:I, s:I, s:I, s:f}",
				"lmc", (json_int_t)lmc, "ways", (json_int_t)rated->ways->count,
				"links", (json_int_t)rated->ror.footprint,
				"critical", (json_int_t)rated->ror.critical,
				"ror", rated->ror.ror));
	}
	return array;
}

static json_t *paths_json(const struct capillary_view *view)
{
	const struct liquid_ways *ways = view->asked.ways;
	json_t *array = json_array();

	for (uint32_t i = 0; i < ways->count; i++)
		json_array_append_new(array, json_pack("{s:f, s:o}",
				"weight", ways->way[i].weight, "links",
				links_json(view, ways->way[i].link, ways->way[i].links)));
	return json_pack("{s:f, s:o}", "ror", view->asked.ror.ror, "ways", array);
}

json_t *capillary_json(const struct capillary_view *view)
{
	const struct liquid_capillary *capillary = view->capillary;
	json_t *object = json_pack("{s:s, s:s, s:s, s:f, s:I, s:f, s:I, s:b, s:o, s:o}",
			"fabric", liquid_fabric_name(view->fabric),
			"from", liquid_fabric_node_name(view->fabric, capillary->from),
			"to", liquid_fabric_node_name(view->fabric, capillary->to),
			"tolerance", view->stream.tolerance,
			"block", (json_int_t)view->stream.block, "der", view->stream.der,
			"fec", (json_int_t)view->layer[0].fec,
			"complete", capillary->complete,
			"layers", layers_json(view), "lmc", lmc_json(view));

	if (object && view->asked.ways)
		json_object_set_new(object, "paths", paths_json(view));
	return object;
}
