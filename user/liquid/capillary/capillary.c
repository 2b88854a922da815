// SPDX-License-Identifier: GPL-2.0-only
/* liquid capillary: a stream over many ways, and what redundancy failures of links take. */
#include <stdlib.h>
#include <string.h>

#include "capillary/capillary.h"
#include "commands.h"
#include "util/json.h"
#include "input/input.h"
#include "util/output.h"

#define BLOCK_DEFAULT 20
#define DER_DEFAULT 1e-5

struct capillary {
	const char *fabric, *from, *to, *lp;
	uint32_t layers, paths, block;
	uint32_t tolerance;		/* permille */
	uint64_t every, lasting;	/* ns */
	double der;
	bool large, json;
};

#define MEMBER(member) OPT_MEMBER(struct capillary, member)

static const char *take_rate(void *member, const char *text)
{
	char *end;
	double rate = strtod(text, &end);

	if (end == text || *end || !(rate > 0 && rate < 0.5))
		return "a rate above 0 and below 0.5, such as 1e-5";
	*(double *)member = rate;
	return NULL;
}

static const struct opt capillary_opts[] = {
	{ "FABRIC", 0, KIND_TEXT, MEMBER(fabric), .positional = true, .required = true,
	  .help = "the file of the fabric" },
	{ "from", 0, KIND_TEXT, MEMBER(from), .required = true, .value = "HOST",
	  .help = "where the stream begins: a host or a switch" },
	{ "to", 0, KIND_TEXT, MEMBER(to), .required = true, .value = "HOST",
	  .help = "where it ends" },
	{ "layers", 0, KIND_NUMBER, MEMBER(layers), .min = 1, .value = "N",
	  .help = "the number of layers to build; by default all" },
	{ "tolerance", 0, KIND_SHARE, MEMBER(tolerance), .max = 999, .value = "SHARE",
	  .help = "loss that the stream always bears; by default 5.1%" },
	{ "block", 0, KIND_NUMBER, MEMBER(block), .min = 1, .max = 1 << 20, .value = "N",
	  .help = "source packets of a block; by default 20" },
	{ "der", 0, KIND_OTHER, MEMBER(der), .take = take_rate, .value = "RATE",
	  .help = "rate of blocks that may fail to decode; by default 1e-5" },
	{ "large-blocks", 0, KIND_FLAG, MEMBER(large),
	  .help = "blocks so large that losses are as on the average" },
	{ "fail-every", 0, KIND_TIME, MEMBER(every), .min = 1, .value = "TIME",
	  .help = "mean time between failures of a link: count failures of two at a time" },
	{ "fail-for", 0, KIND_TIME, MEMBER(lasting), .min = 1, .value = "TIME",
	  .help = "duration of a failure" },
	{ "paths", 0, KIND_NUMBER, MEMBER(paths), .min = 1, .max = LIQUID_WAYS_MAX, .value = "N",
	  .help = "the most ways to print, with their weights" },
	{ "export-lp", 0, KIND_TEXT, MEMBER(lp), .value = "FILE",
	  .help = "write the last layer's linear program, for another solver" },
	OPT_JSON(struct capillary),
	{ 0 }
};

static int check(const struct capillary *args)
{
	if (args->large && args->block)
		return usage_error("capillary", "--block and --large-blocks exclude each other");
	if (!args->every != !args->lasting)
		return usage_error("capillary", "--fail-every and --fail-for go together");
	if (args->lasting > args->every)
		return usage_error("capillary", "--fail-for is longer than --fail-every");
	return EXIT_OK;
}

/* ---- ends ---- */

static const char *name_of(const void *fabric, uint32_t node)
{
	return liquid_fabric_node_name(fabric, node);
}

static int find_end(const struct liquid_fabric *fabric, const char *option, const char *name,
		    uint32_t *node)
{
	uint32_t nodes = liquid_fabric_host_count(fabric) + liquid_fabric_switch_count(fabric);
	char near[LIQUID_NEAR_TEXT];

	for (*node = 0; *node < nodes; ++*node)
		if (!strcmp(liquid_fabric_node_name(fabric, *node), name))
			return EXIT_OK;
	liquid_near_names(name, name_of, fabric, nodes, near, sizeof(near));
	return complain(EXIT_BAD_INPUT, "--%s: fabric '%s' has no host or switch '%s'%s", option,
			liquid_fabric_name(fabric), name, near);
}

static int route(const struct capillary *args, struct capillary_view *view)
{
	struct liquid_capillary_options options = {
		.layers = args->layers,
	};
	struct liquid_error err;
	int status, code = find_end(view->fabric, "from", args->from, &options.from);

	if (!code)
		code = find_end(view->fabric, "to", args->to, &options.to);
	if (code)
		return code;
	status = liquid_capillary(view->fabric, &options, &view->capillary, &err);
	return status ? complain_of(status, &err) : EXIT_OK;
}

/* ---- ratings ---- */

static int rate_share(const struct capillary_view *view, const double *share,
		      const struct liquid_ror_options *stream, struct liquid_ror *ror)
{
	struct liquid_error err;
	int status;

	status = liquid_ror(view->fabric, share, stream, ror, &err);
	return status ? complain_of(status, &err) : EXIT_OK;
}

static int rate_layers(struct capillary_view *view)
{
	uint32_t layers = view->capillary->layers;
	double *share = calloc((size_t)liquid_fabric_link_count(view->fabric) + 1, sizeof(*share));
	struct liquid_error err;
	int code = EXIT_OK;

	view->layer = calloc((size_t)layers + 1, sizeof(*view->layer));
	if (!share || !view->layer)
		code = no_memory();
	for (uint32_t layer = 0; layer < layers && !code; layer++) {
		int status = liquid_capillary_pattern(view->capillary, layer + 1, share, &err);

		code = status ? complain_of(status, &err) :
		       rate_share(view, share, &view->stream, &view->layer[layer]);
	}
	free(share);
	return code;
}

/* Ways may split again where they meet, so only failures of one link at a time are rated. */
static int rate_ways(const struct capillary_view *view, uint32_t most, struct rated_ways *rated)
{
	struct liquid_ror_options stream = view->stream;
	struct liquid_error err;
	int status = liquid_capillary_ways(view->capillary, most, &rated->ways, &err);

	stream.fail_every_ns = stream.fail_for_ns = 0;
	return status ? complain_of(status, &err) :
	       rate_share(view, rated->ways->share, &stream, &rated->ror);
}

static int rate_all(const struct capillary *args, struct capillary_view *view)
{
	int code = rate_layers(view);

	for (uint32_t lmc = 0; lmc <= CAPILLARY_LMC_MAX && !code; lmc++)
		code = rate_ways(view, 1u << lmc, &view->lmc[lmc]);
	if (!code && args->paths)
		code = rate_ways(view, args->paths, &view->asked);
	return code;
}

/* ---- output ---- */

static int export_lp(const struct capillary *args, const struct capillary_view *view)
{
	struct liquid_error err;
	struct output output;
	int status, code = output_open(&output, args->lp);

	if (code)
		return code;
	status = liquid_capillary_write_lp(view->capillary, view->capillary->layers, output.file,
					   &err);
	if (status)
		code = complain(exit_code_of(status), "%s: %s", output.path, err.text);
	return output_close(&output, code);
}

static int show(const struct capillary *args, const struct capillary_view *view)
{
	int code = args->lp ? export_lp(args, view) : EXIT_OK;

	if (code || (args->lp && !strcmp(args->lp, "-")))
		return code;
	if (args->json)
		return print_json("liquid-capillary", 1, capillary_json(view));
	capillary_print(view);
	return EXIT_OK;
}

static void clear(struct capillary_view *view)
{
	for (uint32_t lmc = 0; lmc <= CAPILLARY_LMC_MAX; lmc++)
		liquid_ways_free(view->lmc[lmc].ways);
	liquid_ways_free(view->asked.ways);
	free(view->layer);
	liquid_capillary_free(view->capillary);
}

static int run_capillary(int argc, char **argv)
{
	struct capillary args = { .tolerance = 51, .der = DER_DEFAULT };
	struct liquid_fabric *fabric = NULL;
	struct capillary_view view = { 0 };
	int code = take_options(argc, argv, capillary_opts, &args);

	if (!code)
		code = check(&args);
	if (!code)
		code = read_fabric(args.fabric, &fabric);
	view.fabric = fabric;
	view.stream = (struct liquid_ror_options){
		.tolerance = args.tolerance / 1000.0,
		.block = args.large ? 0 : args.block ? args.block : BLOCK_DEFAULT,
		.der = args.der, .fail_every_ns = args.every, .fail_for_ns = args.lasting,
	};
	if (!code)
		code = route(&args, &view);
	if (!code)
		code = rate_all(&args, &view);
	if (!code)
		code = show(&args, &view);
	clear(&view);
	liquid_fabric_free(fabric);
	return code;
}

const struct command cmd_capillary = {
	"capillary", "spread a stream over many ways", capillary_opts, run_capillary, NULL, NULL
};
