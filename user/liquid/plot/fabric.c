// SPDX-License-Identifier: GPL-2.0-only
/* The picture of a fabric by graphviz: switches, hosts, and links shaded by load. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "plot/plot.h"

enum {
	HOSTS_MAX = 128,		/* for more, the hosts of a switch are one node */
	SWITCHES_MAX = 512,		/* for more, graphviz would take too long */
	LABELS_MAX = 60,		/* labelled links between switches; for more, none is */
	NEATO_MAX = 200,		/* nodes that neato lays out; sfdp takes more */
};

/* The link or the two opposite links between two nodes */
struct edge {
	uint32_t a, b;			/* nodes, a < b */
	uint32_t link[2];		/* a to b and b to a, or LIQUID_NONE */
};

struct fabric_plot {
	const struct liquid_fabric *fabric;
	uint64_t transfers;
	struct plot_loads loads;
	uint32_t hosts, switches;
	struct edge *edge;
	size_t edges;
	uint32_t *level;		/* steps from the nearest switch with a host, by switch */
	bool layered;			/* no link within a level */
	bool collapsed;			/* the hosts of a switch are one node */
};

static void arguments(enum plot_kind kind, char *argv[4])
{
	argv[0] = (char *)"dot";
	argv[1] = (char *)(kind == PLOT_PNG ? "-Tpng" : kind == PLOT_PDF ? "-Tpdf" : "-Tsvg");
}

static bool is_host(const struct fabric_plot *plot, uint32_t node)
{
	return node < plot->hosts;
}

/* ---- edges and levels ---- */

/* Sort by nodes, direction, number: so parallel links are paired in order. */
static int by_nodes(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	if (x->b != y->b)
		return x->b < y->b ? -1 : 1;
	if ((x->link[0] == LIQUID_NONE) != (y->link[0] == LIQUID_NONE))
		return x->link[0] == LIQUID_NONE ? 1 : -1;
	if (x->link[0] != LIQUID_NONE)
		return x->link[0] < y->link[0] ? -1 : 1;
	return x->link[1] < y->link[1] ? -1 : 1;
}

/* Join the links of a group, of which @forward go one way and the rest the other. */
static size_t join_group(const struct edge *group, size_t count, size_t forward, struct edge *out)
{
	size_t backward = count - forward, edges = forward > backward ? forward : backward;

	for (size_t i = 0; i < edges; i++) {
		struct edge edge = group[0];

		edge.link[0] = i < forward ? group[i].link[0] : LIQUID_NONE;
		edge.link[1] = i < backward ? group[forward + i].link[1] : LIQUID_NONE;
		out[i] = edge;
	}
	return edges;
}

static size_t join_edges(const struct edge *single, size_t count, struct edge *out)
{
	size_t edges = 0;

	for (size_t from = 0, to; from < count; from = to) {
		size_t forward = 0;

		for (to = from; to < count && single[to].a == single[from].a &&
		     single[to].b == single[from].b; to++)
			forward += single[to].link[0] != LIQUID_NONE;
		edges += join_group(single + from, to - from, forward, out + edges);
	}
	return edges;
}

static bool make_edges(struct fabric_plot *plot)
{
	size_t links = liquid_fabric_link_count(plot->fabric);
	struct edge *single = calloc(links + 1, sizeof(*single));

	plot->edge = calloc(links + 1, sizeof(*plot->edge));
	if (!single || !plot->edge) {
		free(single);
		return false;
	}
	for (uint32_t l = 0; l < links; l++) {
		const struct liquid_link *link = liquid_fabric_link(plot->fabric, l);
		bool up = link->from < link->to;

		single[l] = (struct edge){ up ? link->from : link->to, up ? link->to : link->from,
					   { up ? l : LIQUID_NONE, up ? LIQUID_NONE : l } };
	}
	qsort(single, links, sizeof(*single), by_nodes);
	plot->edges = join_edges(single, links, plot->edge);
	free(single);
	return true;
}

/* One step of a breadth-first search over all edges; true: a new switch was reached. */
static bool spread_level(struct fabric_plot *plot, uint32_t level)
{
	bool more = false;

	for (size_t i = 0; i < plot->edges; i++) {
		const struct edge *edge = &plot->edge[i];
		uint32_t *a, *b;

		if (is_host(plot, edge->a))
			continue;
		a = &plot->level[edge->a - plot->hosts];
		b = &plot->level[edge->b - plot->hosts];
		if (*a == level && *b == LIQUID_NONE) {
			*b = level + 1;
			more = true;
		} else if (*b == level && *a == LIQUID_NONE) {
			*a = level + 1;
			more = true;
		}
	}
	return more;
}

static bool make_levels(struct fabric_plot *plot)
{
	plot->level = malloc((plot->switches + (size_t)1) * sizeof(*plot->level));
	if (!plot->level)
		return false;
	memset(plot->level, 0xff, (plot->switches + (size_t)1) * sizeof(*plot->level));
	for (size_t i = 0; i < plot->edges; i++)
		if (is_host(plot, plot->edge[i].a) && !is_host(plot, plot->edge[i].b))
			plot->level[plot->edge[i].b - plot->hosts] = 0;
	for (uint32_t level = 0; spread_level(plot, level); level++)
		;
	plot->layered = true;
	for (size_t i = 0; i < plot->edges; i++)
		if (!is_host(plot, plot->edge[i].a) &&
		    plot->level[plot->edge[i].a - plot->hosts] ==
		    plot->level[plot->edge[i].b - plot->hosts])
			plot->layered = false;
	return true;
}

/* ---- dot ---- */

static void quote(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static double share(const struct fabric_plot *plot, uint32_t link)
{
	uint64_t capacity = liquid_fabric_capacity(plot->fabric, link);

	if (!plot->loads.duration)
		return 0;
	return (double)plot->loads.load[link] / (double)capacity / (double)plot->loads.duration;
}

/* The values that determine how a link is drawn */
struct look {
	double share;
	bool there, bottleneck;
};

static void add_look(const struct fabric_plot *plot, uint32_t link, struct look *look)
{
	if (link == LIQUID_NONE)
		return;
	look->there = true;
	if (share(plot, link) > look->share)
		look->share = share(plot, link);
	if (plot_is_bottleneck(plot->fabric, &plot->loads, link))
		look->bottleneck = true;
}

/* Grey without load, then from pale to dark blue; bottlenecks are red. */
static void write_colour(FILE *out, const struct look *look)
{
	static const int pale[3] = { 0xbe, 0xe3, 0xf8 }, dark[3] = { 0x1a, 0x36, 0x5d };

	if (look->bottleneck) {
		fputs("#c51b20", out);
	} else if (!(look->share > 0)) {
		fputs("#d5d5d5", out);
	} else {
		fputc('#', out);
		for (int i = 0; i < 3; i++)
			fprintf(out, "%02x",
				(unsigned int)(pale[i] + (dark[i] - pale[i]) * look->share));
	}
}

/* Attributes of an edge whose links go there (0) and back (1); not closed yet. */
static void write_look(FILE *out, const struct look look[2])
{
	bool both = look[0].there && look[1].there;

	fprintf(out, "dir=%s, color=\"", both ? "both" : look[0].there ? "forward" : "back");
	if (look[0].there)
		write_colour(out, &look[0]);
	if (both)
		fputc(':', out);
	if (look[1].there)
		write_colour(out, &look[1]);
	fputc('"', out);
	if (look[0].bottleneck || look[1].bottleneck)
		fputs(", penwidth=2.5", out);
}

static void write_edge(FILE *out, const struct fabric_plot *plot, const struct edge *edge,
		       bool labelled)
{
	struct look look[2] = { { 0 } };
	bool turn = false;

	/* With this rankdir, dot places the start of an edge below its end. */
	if (!is_host(plot, edge->a))
		turn = plot->level[edge->a - plot->hosts] > plot->level[edge->b - plot->hosts];
	add_look(plot, edge->link[turn], &look[0]);
	add_look(plot, edge->link[!turn], &look[1]);
	fprintf(out, "  n%u -> n%u [", turn ? edge->b : edge->a, turn ? edge->a : edge->b);
	write_look(out, look);
	if (!is_host(plot, edge->a))
		fputs(", len=3", out);
	if (labelled && !is_host(plot, edge->a)) {
		fputs(", label=\"", out);
		for (int i = 0; i < 2; i++)
			if (edge->link[turn ^ i] != LIQUID_NONE)
				fprintf(out, "%s%" PRIu64, i && look[0].there ? "/" : "",
					plot->loads.load[edge->link[turn ^ i]]);
		fputc('"', out);
	}
	fputs("];\n", out);
}

/* Draw all hosts of a switch as one node, with the largest load of their links. */
static void write_host_group(FILE *out, const struct fabric_plot *plot, uint32_t sw)
{
	struct look look[2] = { { 0 } };
	uint32_t hosts = 0;

	for (size_t i = 0; i < plot->edges; i++)
		if (plot->edge[i].b == sw && is_host(plot, plot->edge[i].a)) {
			add_look(plot, plot->edge[i].link[0], &look[0]);
			add_look(plot, plot->edge[i].link[1], &look[1]);
			hosts++;
		}
	if (!hosts)
		return;
	fprintf(out, "  h%u [label=\"%u host%s\", shape=ellipse, fontsize=8];\n", sw, hosts,
		hosts == 1 ? "" : "s");
	fprintf(out, "  h%u -> n%u [", sw, sw);
	write_look(out, look);
	fputs("];\n", out);
}

static void write_nodes(FILE *out, const struct fabric_plot *plot)
{
	uint32_t first = plot->collapsed ? plot->hosts : 0;

	for (uint32_t n = first; n < plot->hosts + plot->switches; n++) {
		if (is_host(plot, n) && liquid_fabric_owner(plot->fabric, n) != n)
			continue;	/* an address of another host */
		fprintf(out, "  n%u [label=", n);
		quote(out, liquid_fabric_node_name(plot->fabric, n));
		fputs(is_host(plot, n) ? ", shape=plaintext, fontsize=8, width=0, height=0, "
		      "margin=\"0.02,0.02\"];\n" :
		      ", shape=box, style=filled, fillcolor=\"#f2f2f2\"];\n", out);
	}
	for (uint32_t n = plot->hosts; plot->collapsed && n < plot->hosts + plot->switches; n++)
		write_host_group(out, plot, n);
}

static void write_title(FILE *out, const struct fabric_plot *plot)
{
	uint32_t bottlenecks = 0;
	char text[LIQUID_NAME_MAX + 256];

	for (uint32_t l = 0; l < liquid_fabric_link_count(plot->fabric); l++)
		bottlenecks += plot_is_bottleneck(plot->fabric, &plot->loads, l);
	snprintf(text, sizeof(text), "%s: %" PRIu64 " transfers, duration %" PRIu64
		 "; red: %u bottlenecks; blue: the darker, the more load; grey: none",
		 liquid_fabric_name(plot->fabric), plot->transfers, plot->loads.duration,
		 bottlenecks);
	fputs("  label=", out);
	quote(out, text);
	fputs(";\n", out);
}

/* Lay out by levels from the hosts upwards if there are levels, else by forces. */
static void write_layout(FILE *out, const struct fabric_plot *plot)
{
	uint32_t nodes = plot->switches + (plot->collapsed ? plot->switches : plot->hosts);

	if (plot->layered)
		fputs("  layout=dot; rankdir=BT; ranksep=1.2; splines=line;\n", out);
	else
		fprintf(out, "  layout=%s; overlap=false; splines=true; outputorder=edgesfirst;\n",
			nodes > NEATO_MAX ? "sfdp" : "neato");
}

static void write_script(FILE *out, enum plot_kind kind, const void *data)
{
	const struct fabric_plot *plot = data;
	size_t between = 0;

	(void)kind;
	fputs("digraph fabric {\n", out);
	write_layout(out, plot);
	write_title(out, plot);
	fputs("  fontname=\"Helvetica\"; fontsize=12;\n"
	      "  node [fontname=\"Helvetica\", fontsize=10];\n"
	      "  edge [fontname=\"Helvetica\", fontsize=8, arrowsize=0.5];\n", out);
	write_nodes(out, plot);
	for (size_t i = 0; i < plot->edges; i++)
		between += !is_host(plot, plot->edge[i].a);
	for (size_t i = 0; i < plot->edges; i++)
		if (!plot->collapsed || !is_host(plot, plot->edge[i].a))
			write_edge(out, plot, &plot->edge[i], between <= LABELS_MAX);
	fputs("}\n", out);
}

/* ---- CSV ---- */

static void write_csv(FILE *out, const void *data)
{
	const struct fabric_plot *plot = data;

	fputs("from,to,capacity,load,share,bottleneck\n", out);
	for (uint32_t l = 0; l < liquid_fabric_link_count(plot->fabric); l++) {
		const struct liquid_link *link = liquid_fabric_link(plot->fabric, l);

		plot_csv_text(out, liquid_fabric_node_name(plot->fabric, link->from));
		fputc(',', out);
		plot_csv_text(out, liquid_fabric_node_name(plot->fabric, link->to));
		fprintf(out, ",%u,%" PRIu64 ",%.6g,%d\n",
			liquid_fabric_capacity(plot->fabric, l), plot->loads.load[l],
			share(plot, l), plot_is_bottleneck(plot->fabric, &plot->loads, l));
	}
}

const struct plot_subject plot_fabric_subject = {
	.program = "dot",
	.package = "graphviz",
	.suffix = ".dot",
	.arguments = arguments,
	.write_script = write_script,
	.write_csv = write_csv,
};

/* ---- the picture ---- */

int plot_fabric(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		const char *path, enum plot_kind kind)
{
	struct fabric_plot plot = { .fabric = fabric,
				    .transfers = liquid_traffic_transfer_count(traffic),
				    .hosts = liquid_fabric_host_count(fabric),
				    .switches = liquid_fabric_switch_count(fabric) };
	struct liquid_error err;
	int status, code;

	plot.collapsed = plot.hosts > HOSTS_MAX;
	if (plot.switches > SWITCHES_MAX && kind < PLOT_SCRIPT)
		return complain(EXIT_BAD_INPUT, "a picture shows up to %u switches, '%s' has %u; "
				".dot and .csv take all", SWITCHES_MAX, liquid_fabric_name(fabric),
				plot.switches);
	status = plot_loads(fabric, traffic, &plot.loads, &err);
	if (!status && (!make_edges(&plot) || !make_levels(&plot)))
		status = liquid_no_memory(&err);
	code = status ? complain_of(status, &err) :
	       plot_write(path, kind, &plot_fabric_subject, &plot);
	free(plot.loads.load);
	free(plot.edge);
	free(plot.level);
	return code;
}
