// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capillary routing on random networks of moving nodes, and the other numbers of chapter 4 of
 * Gabrielyan's thesis (2006), as CSV
 *
 * usage: manet fec                     packets of a block by block and loss (Fig. 59)
 *        manet overlap                 probability that failures overlap, by duration (Fig. 67)
 *        manet footprint               links at which that is 5 % (eq. 43)
 *        manet small                   layers of a small network (Figs. 44 to 46, 48 to 53)
 *        manet layers NODES NETWORKS RANGE     bottlenecks of independent networks (Figs. 47, 58)
 *        manet hunt NODES NETWORKS RANGE       the thesis' hunting loop as well, by glpsol
 *        manet ror NODES FRAMES SETS RANGE     ROR by set, tolerance and layer (Figs. 60, 61)
 *
 * The thesis gives the number of nodes and links, a rectangle, a random walk and one pair of ends.
 * The rest is chosen here: a unit square at whose borders the walk is reflected; steps of up to
 * 0.02 in any direction; two nodes have a link each way if they are nearer than RANGE; the ends are
 * the pair whose distance in the first frame is nearest to 0.6.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capillary/capillary.h"

#define DISTANCE 0.6
#define STEP 0.02
#define LAYERS 10
#define TOLERANCES 15
#define BLOCK 20
#define DER 1e-5
#define FULL (1 - 1e-6)

static struct liquid_error err;

static void must(int status)
{
	if (!status)
		return;
	fprintf(stderr, "manet: %s\n", err.text);
	exit(1);
}

static void *need(void *memory)
{
	if (memory)
		return memory;
	fputs("manet: no memory\n", stderr);
	exit(1);
}

/* ---- nodes that move ---- */

struct manet {
	uint32_t nodes;
	double range;
	double *x, *y;
	uint32_t from, to;
	uint64_t random;
};

static double uniform(struct manet *manet)
{
	manet->random ^= manet->random << 13;
	manet->random ^= manet->random >> 7;
	manet->random ^= manet->random << 17;
	return (double)(manet->random >> 11) * 0x1p-53;
}

static double distance(const struct manet *manet, uint32_t a, uint32_t b)
{
	return hypot(manet->x[a] - manet->x[b], manet->y[a] - manet->y[b]);
}

static void choose_ends(struct manet *manet)
{
	double best = INFINITY;

	for (uint32_t a = 0; a < manet->nodes; a++)
		for (uint32_t b = a + 1; b < manet->nodes; b++) {
			double off = fabs(distance(manet, a, b) - DISTANCE);

			if (off < best) {
				best = off;
				manet->from = a;
				manet->to = b;
			}
		}
}

static void place(struct manet *manet)
{
	for (uint32_t v = 0; v < manet->nodes; v++) {
		manet->x[v] = uniform(manet);
		manet->y[v] = uniform(manet);
	}
	choose_ends(manet);
}

static void open_manet(struct manet *manet, uint32_t nodes, double range)
{
	*manet = (struct manet){ .nodes = nodes, .range = range, .random = 2006 };
	manet->x = need(calloc(nodes, sizeof(*manet->x)));
	manet->y = need(calloc(nodes, sizeof(*manet->y)));
	place(manet);
}

static void close_manet(struct manet *manet)
{
	free(manet->x);
	free(manet->y);
}

static double reflected(double at)
{
	return at < 0 ? -at : at > 1 ? 2 - at : at;
}

static void walk(struct manet *manet)
{
	for (uint32_t v = 0; v < manet->nodes; v++) {
		double step = STEP * uniform(manet), angle = 2 * M_PI * uniform(manet);

		manet->x[v] = reflected(manet->x[v] + step * cos(angle));
		manet->y[v] = reflected(manet->y[v] + step * sin(angle));
	}
}

static struct liquid_fabric *fabric_of(const struct manet *manet)
{
	struct liquid_fabric *fabric;
	char name[16];

	must(liquid_fabric_new("manet", &fabric, &err));
	for (uint32_t v = 0; v < manet->nodes; v++) {
		snprintf(name, sizeof(name), "n%" PRIu32, v);
		must(liquid_fabric_add_switch(fabric, name, &err));
	}
	for (uint32_t a = 0; a < manet->nodes; a++)
		for (uint32_t b = 0; b < manet->nodes; b++) {
			struct liquid_link link = { .from = a, .to = b, .capacity = 1 };

			if (a != b && distance(manet, a, b) < manet->range)
				must(liquid_fabric_add_link(fabric, &link, &err));
		}
	return fabric;
}

/* NULL: no path, a single one (which the thesis leaves out), or so few that layers are fewer. */
static struct liquid_capillary *route(const struct manet *manet, const struct liquid_fabric *fabric)
{
	struct liquid_capillary_options options = {
		.from = manet->from, .to = manet->to, .layers = LAYERS,
	};
	struct liquid_capillary *capillary;

	if (liquid_capillary(fabric, &options, &capillary, &err))
		return NULL;
	if (capillary->layer[0].factor > 1.5 && capillary->layers == LAYERS)
		return capillary;
	liquid_capillary_free(capillary);
	return NULL;
}

/* ---- Figs. 47 and 58 ---- */

/* Place the nodes anew until there is a routing. */
static struct liquid_capillary *next_network(struct manet *manet, struct liquid_fabric **fabric)
{
	struct liquid_capillary *capillary = NULL;

	while (!capillary) {
		place(manet);
		*fabric = fabric_of(manet);
		capillary = route(manet, *fabric);
		if (!capillary)
			liquid_fabric_free(*fabric);
	}
	return capillary;
}

static void print_layers(uint32_t nodes, uint32_t networks, double range)
{
	struct manet manet;

	open_manet(&manet, nodes, range);
	puts("network,links,layer,factor,bottlenecks");
	for (uint32_t i = 1; i <= networks; i++) {
		struct liquid_fabric *fabric;
		struct liquid_capillary *capillary = next_network(&manet, &fabric);

		for (uint32_t k = 0; k < LAYERS; k++)
			printf("%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%.9g,%" PRIu32 "\n", i,
			       liquid_fabric_link_count(fabric), k + 1, capillary->layer[k].factor,
			       capillary->layer[k].bottlenecks);
		liquid_capillary_free(capillary);
		liquid_fabric_free(fabric);
	}
	close_manet(&manet);
}

/* ---- the small network, as far as its numbers tell: s, t, a, b, c, d ---- */

static struct liquid_fabric *make_small(void)
{
	static const uint8_t ends[][2] = {
		{ 0, 2 }, { 0, 3 }, { 2, 4 }, { 2, 5 }, { 3, 4 }, { 3, 5 }, { 3, 1 }, { 4, 1 },
		{ 5, 1 },
	};
	struct manet six = { .nodes = 6, .x = (double[6]){ 0 }, .y = (double[6]){ 0 } };
	struct liquid_fabric *fabric = fabric_of(&six);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct liquid_link link = {
			.from = ends[i][0], .to = ends[i][1], .capacity = 1,
		};

		must(liquid_fabric_add_link(fabric, &link, &err));
	}
	return fabric;
}

static void print_small(void)
{
	struct liquid_capillary_options options = { .from = 0, .to = 1 };
	struct liquid_fabric *fabric = make_small();
	uint32_t left = liquid_fabric_link_count(fabric);
	struct liquid_capillary *capillary;

	must(liquid_capillary(fabric, &options, &capillary, &err));
	puts("layer,links_left,factor,bottlenecks,share");
	for (uint32_t k = 0; k < capillary->layers; k++) {
		const struct liquid_capillary_layer *layer = &capillary->layer[k];

		printf("%" PRIu32 ",%" PRIu32 ",%.9g,%" PRIu32 ",%.9g\n", k + 1, left,
		       layer->factor, layer->bottlenecks, 1 / layer->product);
		left -= layer->bottlenecks;
	}
	liquid_capillary_free(capillary);
	liquid_fabric_free(fabric);
}

/* ---- the hunting loop, by glpsol ---- */

struct hunt {
	struct net net;			/* a layer's problem */
	double factor;
	double *x;			/* by link: of the last program */
	bool *suspect;
	char model[64], answer[80], command[256];
};

/* Minimise the flow on the suspects; with none yet, maximise F. */
static void write_program(const struct hunt *hunt)
{
	const struct net *net = &hunt->net;
	FILE *out = need(fopen(hunt->model, "w"));

	fprintf(out, "%s\n goal: %d F", hunt->factor > 0 ? "Minimize" : "Maximize",
		hunt->factor <= 0);
	for (uint32_t e = 0; e < net->links; e++)
		fprintf(out, "\n + %d x%" PRIu32, hunt->suspect[e], e);
	fputs("\nSubject To\n", out);
	for (uint32_t v = 0; v < net->nodes; v++) {
		fprintf(out, " n%" PRIu32 ": %+.17g F", v, 0 - net->supply[v]);
		for (uint32_t k = net->first[v]; k < net->first[v + 1]; k++)
			fprintf(out, "\n  %c x%" PRIu32, net->arc[k] & 1 ? '-' : '+',
				net->arc[k] / 2);
		fputs(" = 0\n", out);
	}
	fputs("Bounds\n", out);
	if (hunt->factor > 0)
		fprintf(out, " F = %.17g\n", hunt->factor);
	for (uint32_t e = 0; e < net->links; e++)
		fprintf(out, " 0 <= x%" PRIu32 " <= %.17g\n", e, net->capacity[e]);
	fputs("End\n", out);
	if (fclose(out))
		exit(1);
}

/* Columns are numbered as they come first: F, then the links. */
static void solve(struct hunt *hunt)
{
	char line[256];
	FILE *in;

	write_program(hunt);
	if (system(hunt->command)) {
		fputs("manet: glpsol fails\n", stderr);
		exit(1);
	}
	in = need(fopen(hunt->answer, "r"));
	while (fgets(line, sizeof(line), in)) {
		uint32_t column;
		double value;
		char state;

		if (sscanf(line, "j %" SCNu32 " %c %lf", &column, &state, &value) != 3)
			continue;
		if (column == 1)
			hunt->factor = value;
		else
			hunt->x[column - 2] = value;
	}
	fclose(in);
}

/* Keep as suspects those that are full; returns how many are. */
static uint32_t keep_full(struct hunt *hunt, bool first)
{
	uint32_t count = 0;

	for (uint32_t e = 0; e < hunt->net.links; e++) {
		bool full = hunt->net.capacity[e] > 0 && hunt->x[e] > FULL;

		hunt->suspect[e] = full && (first || hunt->suspect[e]);
		count += hunt->suspect[e];
	}
	return count;
}

static bool same_set(const struct hunt *hunt, const struct liquid_capillary_layer *layer,
		     uint32_t count)
{
	uint32_t both = 0;

	for (uint32_t i = 0; i < layer->bottlenecks; i++)
		both += hunt->suspect[layer->bottleneck[i]];
	return both == count && count == layer->bottlenecks;
}

static void hunt_layer(struct hunt *hunt, const struct liquid_capillary *capillary,
		       uint32_t network, uint32_t layer)
{
	uint32_t before = UINT32_MAX, count;

	if (!capillary_problem(capillary_of(capillary), layer, &hunt->net))
		need(NULL);
	hunt->factor = 0;
	memset(hunt->suspect, 0, hunt->net.links * sizeof(*hunt->suspect));
	for (uint32_t iteration = 0; ; iteration++) {
		solve(hunt);
		count = keep_full(hunt, !iteration);
		if (count == before)
			break;
		printf("%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",\n", network, layer + 1,
		       iteration, count);
		before = count;
	}
	printf("%" PRIu32 ",%" PRIu32 ",end,%" PRIu32 ",%s\n", network, layer + 1, count,
	       same_set(hunt, &capillary->layer[layer], count) ? "same" : "different");
	net_close(&hunt->net);
}

static void hunt_network(struct hunt *hunt, const struct liquid_capillary *capillary,
			 uint32_t links, uint32_t network)
{
	hunt->x = need(calloc(links, sizeof(*hunt->x)));
	hunt->suspect = need(calloc(links, sizeof(*hunt->suspect)));
	for (uint32_t layer = 0; layer < LAYERS; layer++)
		hunt_layer(hunt, capillary, network, layer);
	free(hunt->x);
	free(hunt->suspect);
}

static void print_hunt(uint32_t nodes, uint32_t networks, double range)
{
	struct hunt hunt = { .model = "/tmp/liquid-manet-XXXXXX" };
	struct manet manet;
	int fd = mkstemp(hunt.model);

	if (fd < 0 || close(fd))
		exit(1);
	snprintf(hunt.answer, sizeof(hunt.answer), "%s.answer", hunt.model);
	snprintf(hunt.command, sizeof(hunt.command), "glpsol --lp %s -w %s >/dev/null 2>&1",
		 hunt.model, hunt.answer);
	open_manet(&manet, nodes, range);
	puts("network,layer,iteration,suspects,bottlenecks");
	for (uint32_t i = 1; i <= networks; i++) {
		struct liquid_fabric *fabric;
		struct liquid_capillary *capillary = next_network(&manet, &fabric);

		hunt_network(&hunt, capillary, liquid_fabric_link_count(fabric), i);
		liquid_capillary_free(capillary);
		liquid_fabric_free(fabric);
	}
	close_manet(&manet);
	unlink(hunt.model);
	unlink(hunt.answer);
}

/* ---- Figs. 60 and 61 ---- */

struct sums {
	uint32_t frames;
	uint64_t links;
	double small[TOLERANCES][LAYERS], large[TOLERANCES][LAYERS];
};

static double tolerance_of(uint32_t i)
{
	return .036 + .003 * i;
}

static double rate(const struct liquid_fabric *fabric, const double *share, double tolerance,
		   uint32_t block)
{
	struct liquid_ror_options options = {
		.tolerance = tolerance, .block = block, .der = DER,
	};
	struct liquid_ror ror = { 0 };

	must(liquid_ror(fabric, share, &options, &ror, &err));
	return ror.ror;
}

static void add_frame(const struct liquid_fabric *fabric, const struct liquid_capillary *capillary,
		      struct sums *sums)
{
	uint32_t links = liquid_fabric_link_count(fabric);
	double *share = need(calloc(links, sizeof(*share)));

	for (uint32_t k = 0; k < LAYERS; k++) {
		must(liquid_capillary_pattern(capillary, k + 1, share, &err));
		for (uint32_t i = 0; i < TOLERANCES; i++) {
			sums->small[i][k] += rate(fabric, share, tolerance_of(i), BLOCK);
			sums->large[i][k] += rate(fabric, share, tolerance_of(i), 0);
		}
	}
	sums->frames++;
	sums->links += links;
	free(share);
}

static void print_set(uint32_t set, const struct sums *sums)
{
	for (uint32_t i = 0; i < TOLERANCES && sums->frames; i++)
		for (uint32_t k = 0; k < LAYERS; k++)
			printf("%" PRIu32 ",%" PRIu32 ",%.0f,%.3f,%" PRIu32 ",%.6g,%.6g\n", set,
			       sums->frames, (double)sums->links / sums->frames, tolerance_of(i),
			       k + 1, sums->small[i][k] / sums->frames,
			       sums->large[i][k] / sums->frames);
}

static void print_ror(uint32_t nodes, uint32_t frames, uint32_t sets, double range)
{
	struct manet manet;

	open_manet(&manet, nodes, range);
	puts("set,frames,links,tolerance,layer,ror,ror_large");
	for (uint32_t set = 0; set < sets; set++) {
		struct sums sums = { 0 };

		for (uint32_t i = frames * set / sets; i < frames * (set + 1) / sets; i++) {
			struct liquid_fabric *fabric = fabric_of(&manet);
			struct liquid_capillary *capillary = route(&manet, fabric);

			if (capillary)
				add_frame(fabric, capillary, &sums);
			liquid_capillary_free(capillary);
			liquid_fabric_free(fabric);
			walk(&manet);
		}
		print_set(set + 1, &sums);
	}
	close_manet(&manet);
}

/* ---- Figs. 59 and 67 ---- */

static void print_fec(void)
{
	uint32_t size;

	puts("block,loss,packets");
	for (uint32_t block = 1; block <= 10; block++)
		for (uint32_t percent = 2; percent <= 90; percent += 2) {
			must(liquid_fec_size(percent / 100., block, DER, &size, &err));
			printf("%" PRIu32 ",%.2f,%" PRIu32 "\n", block, percent / 100., size);
		}
	for (uint32_t i = 0; i < TOLERANCES; i++) {
		must(liquid_fec_size(tolerance_of(i), BLOCK, DER, &size, &err));
		printf("%d,%.3f,%" PRIu32 "\n", BLOCK, tolerance_of(i), size);
	}
	for (uint32_t parts = 4; parts > 1; parts--) {
		must(liquid_fec_size(1. / parts, BLOCK, DER, &size, &err));
		printf("%d,%.9g,%" PRIu32 "\n", BLOCK, 1. / parts, size);
	}
}

/* The probability that failures of @links links, each of which fails every @every, overlap. */
static double overlap(uint32_t links, uint64_t every, uint64_t lasting)
{
	struct liquid_ror_options options = {
		.fail_every_ns = every, .fail_for_ns = lasting,
	};
	struct manet two = { .nodes = 2, .x = (double[2]){ 0, 1 }, .y = (double[2]){ 0 } };
	struct liquid_fabric *fabric = fabric_of(&two);
	struct liquid_link link = { .from = 0, .to = 1, .capacity = 1 };
	double *share = need(calloc(links, sizeof(*share)));
	struct liquid_ror ror = { 0 };

	for (uint32_t i = 0; i < links; i++) {
		must(liquid_fabric_add_link(fabric, &link, &err));
		share[i] = 1. / links;
	}
	must(liquid_ror(fabric, share, &options, &ror, &err));
	free(share);
	liquid_fabric_free(fabric);
	return ror.overlap;
}

/* A link fails once an hour, 50 links: ns do not matter, the ratio does. */
static void print_overlap(void)
{
	puts("seconds,probability");
	for (uint32_t seconds = 1; seconds <= 60; seconds++)
		printf("%" PRIu32 ",%.6f\n", seconds, overlap(50, 3600, seconds));
}

static void print_footprint(void)
{
	uint32_t links = 1;

	while (overlap(links + 1, 86400, 5) <= .05)
		links++;
	printf("links\n%" PRIu32 "\n", links);
}

static int usage(void)
{
	fputs("usage: manet fec | overlap | footprint | small | layers NODES NETWORKS RANGE |\n"
	      "             hunt NODES NETWORKS RANGE | ror NODES FRAMES SETS RANGE\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	uint32_t number[3] = { 0 };

	for (int i = 2; i < argc && i < 5; i++)
		number[i - 2] = (uint32_t)atoi(argv[i]);
	if (argc == 2 && !strcmp(argv[1], "fec"))
		print_fec();
	else if (argc == 2 && !strcmp(argv[1], "overlap"))
		print_overlap();
	else if (argc == 2 && !strcmp(argv[1], "footprint"))
		print_footprint();
	else if (argc == 2 && !strcmp(argv[1], "small"))
		print_small();
	else if (argc == 5 && !strcmp(argv[1], "layers"))
		print_layers(number[0], number[1], atof(argv[4]));
	else if (argc == 5 && !strcmp(argv[1], "hunt"))
		print_hunt(number[0], number[1], atof(argv[4]));
	else if (argc == 6 && !strcmp(argv[1], "ror"))
		print_ror(number[0], number[1], number[2], atof(argv[5]));
	else
		return usage();
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
