// SPDX-License-Identifier: GPL-2.0-only
/* The picture of a fabric by gnuplot, laid out as on pages: boxes, names, and links by load. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "input/input.h"
#include "plot/plot.h"

enum {
	HOSTS_MAX = 128,		/* for more, the hosts of a switch are one node */
	SWITCHES_MAX = 512,		/* for more, a picture would be too large to look at */
	LABELS_MAX = 400,		/* links between switches with their load; for more, none */
	WIDTH_MIN = 6400,		/* of the key, in tenths of a point as the layout is */
	HEAD = 100, KEY = 800,		/* above and below the map */
	LETTER = 52, LINE = 110,	/* of a load */
	BOX = 160,			/* from the middle of a switch to that of a load */
};

struct fabric_plot {
	const struct liquid_fabric *fabric;
	const struct liquid_layout *layout;
	uint64_t transfers;
	struct plot_loads loads;
	uint32_t hosts, switches, links;
	uint32_t *link;			/* by load / capacity, the least first */
	uint32_t *group;		/* by switch: how many hosts; and the last of them */
	uint32_t count[3];		/* links by look */
	bool capacities;		/* some are above 1 */
	bool labelled;			/* with loads as numbers */
};

enum look { UNUSED, SHADED, BOTTLENECK };

static bool is_between(const struct fabric_plot *plot, uint32_t l)
{
	const struct liquid_link *link = liquid_fabric_link(plot->fabric, l);

	return link->from >= plot->hosts && link->to >= plot->hosts;
}

static double share(const struct fabric_plot *plot, uint32_t link)
{
	uint64_t capacity = liquid_fabric_capacity(plot->fabric, link);

	if (!plot->loads.duration)
		return 0;
	return (double)plot->loads.load[link] / (double)capacity / (double)plot->loads.duration;
}

static enum look look_of(const struct fabric_plot *plot, uint32_t link)
{
	return !plot->loads.load[link] ? UNUSED :
		is_bottleneck(plot->fabric, plot->loads.load, plot->loads.duration, link) ?
		BOTTLENECK : SHADED;
}

static int by_share(const void *a, const void *b, void *context)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	double left = share(context, x), right = share(context, y);

	return left != right ? (left < right ? -1 : 1) : (x > y) - (x < y);
}

static bool rank_links(struct fabric_plot *plot)
{
	uint32_t between = 0;

	plot->link = calloc(plot->links + (size_t)1, sizeof(*plot->link));
	if (!plot->link)
		return false;
	for (uint32_t l = 0; l < plot->links; l++) {
		plot->link[l] = l;
		plot->count[look_of(plot, l)]++;
		between += is_between(plot, l);
		plot->capacities |= liquid_fabric_capacity(plot->fabric, l) > 1;
	}
	qsort_r(plot->link, plot->links, sizeof(*plot->link), by_share, plot);
	plot->labelled = between && between <= LABELS_MAX;
	return true;
}

/* ---- links and their loads ---- */

static void write_links(FILE *out, const struct fabric_plot *plot, enum look look)
{
	struct liquid_stroke stroke;

	fprintf(out, "$links%d << END\n", look);
	for (uint32_t i = 0; i < plot->links; i++) {
		if (look_of(plot, plot->link[i]) != look)
			continue;
		liquid_layout_stroke(plot->layout, plot->fabric, plot->link[i], &stroke);
		for (uint32_t k = 0; k < stroke.count; k++)
			fprintf(out, "%s%d %d %.4g\n", k && k == stroke.gap ? "\n" : "",
				stroke.point[k].x, stroke.point[k].y,
				share(plot, plot->link[i]) * (double)plot->loads.duration);
		fputc('\n', out);
	}
	fputs("END\n", out);
}

static bool overlaps(const struct liquid_place *a, const struct liquid_place *b, int32_t height)
{
	return 2 * abs(a->x - b->x) < a->width + b->width && abs(a->y - b->y) < height;
}

/* At the first place near the start of the link without another load; false if there is none */
static bool place_load(const struct fabric_plot *plot, uint32_t link, struct liquid_place *taken,
		       uint32_t count)
{
	const struct liquid_link *ends = liquid_fabric_link(plot->fabric, link);
	const struct liquid_place *place = plot->layout->place;
	struct liquid_place *at = &taken[count];
	struct liquid_stroke stroke;

	liquid_layout_stroke(plot->layout, plot->fabric, link, &stroke);
	for (uint32_t part = 24; part <= 48; part += 3) {
		bool bow = stroke.count > 4;
		uint32_t k = bow ? part * (stroke.count - 1) / 100 : 0, i = 0;
		const struct liquid_place *a = &stroke.point[k], *b = a + 1;
		int32_t along = bow ? 50 : (int32_t)part * (stroke.gap ? 2 : 1);

		at->x = a->x + (b->x - a->x) * along / 100;
		at->y = a->y + (b->y - a->y) * along / 100;
		while (i < count && !overlaps(at, &taken[i], LINE))
			i++;
		if (i == count && !overlaps(at, &place[ends->from], BOX) &&
		    !overlaps(at, &place[ends->to], BOX))
			return true;
	}
	return false;
}

/* Those of the largest loads first */
static void write_loads(FILE *out, const struct fabric_plot *plot)
{
	struct liquid_place taken[LABELS_MAX];
	uint32_t count = 0;

	for (uint32_t i = plot->links; i-- && plot->labelled;) {
		uint32_t l = plot->link[i];
		char text[64];
		int letters = snprintf(text, sizeof(text), "%" PRIu64, plot->loads.load[l]);

		if (!is_between(plot, l) || look_of(plot, l) == UNUSED)
			continue;
		if (plot->capacities)
			letters += snprintf(text + letters, sizeof(text) - (size_t)letters, "/%u",
					    liquid_fabric_capacity(plot->fabric, l));
		taken[count].width = letters * LETTER + 40;
		if (!place_load(plot, l, taken, count))
			continue;
		fprintf(out, "set label '%s' at %d,%d center boxed front font ',8'%s\n", text,
			taken[count].x, taken[count].y,
			look_of(plot, l) == BOTTLENECK ? " tc rgb '#c51b20'" : "");
		count++;
	}
}

/* ---- switches and hosts ---- */

static void write_switch(FILE *out, const struct fabric_plot *plot, uint32_t n)
{
	const struct liquid_place *place = &plot->layout->place[n];

	fprintf(out, "set object rectangle from %d,%d to %d,%d front fs solid fc rgb '#f2f2f2' "
		"lw 1\nset label ", place->x - place->width / 2, place->y - 100,
		place->x + place->width / 2, place->y + 100);
	plot_quote(out, liquid_fabric_node_name(plot->fabric, n));
	fprintf(out, " at %d,%d center front font ',9'\n", place->x, place->y);
}

/* An address of another host has no name. */
static void write_host(FILE *out, const struct fabric_plot *plot, uint32_t n)
{
	const struct liquid_place *place = &plot->layout->place[n];

	if (liquid_fabric_owner(plot->fabric, n) != n)
		return;
	fputs("set label ", out);
	plot_quote(out, liquid_fabric_node_name(plot->fabric, n));
	fprintf(out, " at %d,%d %s front font ',9'\n", place->x, place->y,
		plot->layout->upright ? "left rotate by -90" : "center");
}

/* The hosts of a switch have one place. */
static void write_host_groups(FILE *out, const struct fabric_plot *plot)
{
	uint32_t *hosts = plot->group, *at = plot->group + plot->switches;
	struct liquid_endpoint end;

	for (uint32_t n = 0; n < plot->hosts; n++) {
		liquid_fabric_endpoint(plot->fabric, n, &end);
		if (liquid_fabric_owner(plot->fabric, n) != n || end.switch_node == LIQUID_NONE ||
		    end.switch_node < plot->hosts)
			continue;
		hosts[end.switch_node - plot->hosts]++;
		at[end.switch_node - plot->hosts] = n;
	}
	for (uint32_t s = 0; s < plot->switches; s++)
		if (hosts[s])
			fprintf(out, "set label '%u host%s' at %d,%d center front font ',9'\n",
				hosts[s], hosts[s] == 1 ? "" : "s", plot->layout->place[at[s]].x,
				plot->layout->place[at[s]].y);
}

/* ---- the whole ---- */

static void write_key(FILE *out, const struct fabric_plot *plot, int32_t whole)
{
	const char *load = plot->capacities ? "load / capacity" : "load: transfers on a link";

	fprintf(out, "set palette defined (0 '#bee3f8', 1 '#1a365d')\nset cbrange [0:%" PRIu64 "]\n"
		"set colorbox horizontal user origin 0.33,%.5f size 0.4,%.5f\n"
		"set cbtics font ',9' offset 0,0.4 scale 0\n"
		"set label '%s' at screen 0.32,%.5f right font ',10'\n"
		"set key at screen 0.5,%.5f center maxrows 1 samplen 3 font ',10'\n",
		plot->loads.duration + !plot->loads.duration, 360. / whole, 80. / whole, load,
		400. / whole, 600. / whole);
	fprintf(out, "set label 'a line for each direction%s' at screen 0.5,%.5f center "
		"font ',10'\n", plot->labelled ? "; its load is near its start" : "",
		120. / whole);
}

static void write_head(FILE *out, const struct fabric_plot *plot, enum plot_kind kind)
{
	const struct liquid_layout *layout = plot->layout;
	int32_t width = layout->width > WIDTH_MIN ? layout->width : WIDTH_MIN;
	int32_t whole = layout->height + HEAD + KEY;
	char text[LIQUID_NAME_MAX + 128];

	plot_terminal(out, kind, (uint32_t)width / 10, (uint32_t)whole / 10);
	fprintf(out, "set xrange [%d:%d]\nset yrange [%d:%d]\nset lmargin 0\nset rmargin 0\n"
		"set tmargin 0\nset bmargin 0\nunset border\nunset tics\n"
		"set style textbox opaque noborder margins 0.3,0.3\n",
		-(width - layout->width) / 2, (width + layout->width) / 2, layout->height + KEY,
		-HEAD);
	snprintf(text, sizeof(text), "%s: %" PRIu64 " transfer%s, duration %" PRIu64 " frame%s",
		 liquid_fabric_name(plot->fabric), plot->transfers, plot->transfers == 1 ? "" : "s",
		 plot->loads.duration, plot->loads.duration == 1 ? "" : "s");
	fputs("set label ", out);
	plot_quote(out, text);
	fprintf(out, " at screen 0.5,%.5f center font ',12'\n", 1 - 200. / whole);
	write_key(out, plot, whole);
}

static void write_script(FILE *out, enum plot_kind kind, const void *data)
{
	static const char *const looks[] = {
		"lc rgb '#888888' dt (6,6) lw 1 title '%u link%s without load'",
		"lc palette lw 1.8 notitle", "lc rgb '#c51b20' lw 2.4 title '%u bottleneck%s'",
	};
	const struct fabric_plot *plot = data;
	const char *separator = "plot ";

	write_head(out, plot, kind);
	for (enum look look = UNUSED; look <= BOTTLENECK; look++)
		write_links(out, plot, look);
	for (uint32_t n = 0; n < plot->hosts + plot->switches; n++)
		if (n >= plot->hosts)
			write_switch(out, plot, n);
		else if (!plot->layout->folded)
			write_host(out, plot, n);
	if (plot->layout->folded)
		write_host_groups(out, plot);
	write_loads(out, plot);
	for (enum look look = UNUSED; look <= BOTTLENECK; look++) {
		if (!plot->count[look])
			continue;
		fprintf(out, "%s$links%d using 1:2%s with lines ", separator, look,
			look == SHADED ? ":3" : "");
		fprintf(out, looks[look], plot->count[look], plot->count[look] == 1 ? "" : "s");
		separator = ", ";
	}
	fputc('\n', out);
}

/* ---- CSV ---- */

static void write_csv(FILE *out, const void *data)
{
	const struct fabric_plot *plot = data;

	fputs("from,to,capacity,load,share,bottleneck\n", out);
	for (uint32_t l = 0; l < plot->links; l++) {
		const struct liquid_link *link = liquid_fabric_link(plot->fabric, l);

		plot_csv_text(out, liquid_fabric_node_name(plot->fabric, link->from));
		fputc(',', out);
		plot_csv_text(out, liquid_fabric_node_name(plot->fabric, link->to));
		fprintf(out, ",%u,%" PRIu64 ",%.6g,%d\n",
			liquid_fabric_capacity(plot->fabric, l), plot->loads.load[l],
			share(plot, l), look_of(plot, l) == BOTTLENECK);
	}
}

int plot_fabric(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		const char *path, enum plot_kind kind)
{
	struct fabric_plot plot = { .fabric = fabric,
				    .transfers = liquid_traffic_transfer_count(traffic),
				    .hosts = liquid_fabric_host_count(fabric),
				    .switches = liquid_fabric_switch_count(fabric),
				    .links = liquid_fabric_link_count(fabric) };
	struct liquid_error err;
	int status, code;

	if (plot.switches > SWITCHES_MAX && kind < PLOT_SCRIPT)
		return complain(EXIT_BAD_INPUT, "a picture shows up to %u switches, '%s' has %u; "
				".gp and .csv take all", SWITCHES_MAX, liquid_fabric_name(fabric),
				plot.switches);
	status = plot_loads(fabric, traffic, &plot.loads, &err);
	if (!status)
		status = liquid_layout_new(fabric, plot.hosts > HOSTS_MAX, &plot.layout, &err);
	plot.group = calloc(2 * (size_t)plot.switches + 1, sizeof(*plot.group));
	if (!status && (!plot.group || !rank_links(&plot)))
		status = liquid_no_memory(&err);
	code = status ? complain_of(status, &err) :
	       plot_write(path, kind, write_script, write_csv, &plot);
	liquid_layout_free(plot.layout);
	free(plot.loads.load);
	free(plot.link);
	free(plot.group);
	return code;
}
