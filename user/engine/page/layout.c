// SPDX-License-Identifier: LGPL-2.1-or-later
/* Where the nodes and links of a fabric are drawn: by levels, as a grid, or by groups. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/draft.h"

#define BESIDE 16			/* from the middle of a cable to the link of a direction */
#define NEXT 44				/* from a cable to a parallel one */
#define BEFORE_NAME 90			/* from the end of a link to the middle of a host's name */
#define STUB 380			/* of a link around a torus */

uint32_t draft_find(uint32_t *parent, uint32_t a)
{
	while (parent[a] != a)
		a = parent[a] = parent[parent[a]];
	return a;
}

/* The root is the least of a set. */
void draft_join(uint32_t *parent, uint32_t a, uint32_t b)
{
	a = draft_find(parent, a);
	b = draft_find(parent, b);
	parent[a < b ? b : a] = a < b ? a : b;
}

/* ---- the graph ---- */

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Links between switches, both ways, as a list of pairs that is sorted and has each once */
static bool list_peers(struct draft *draft)
{
	uint32_t links = liquid_fabric_link_count(draft->fabric);
	uint64_t *pair = calloc(2 * (size_t)links + 1, sizeof(*pair));
	size_t count = 0, kept = 0;

	draft->peer = calloc(2 * (size_t)links + 1, sizeof(*draft->peer));
	draft->first = calloc(draft->switches + (size_t)2, sizeof(*draft->first));
	if (!pair || !draft->peer || !draft->first) {
		free(pair);
		return false;
	}
	for (uint32_t l = 0; l < links; l++) {
		const struct liquid_link *link = liquid_fabric_link(draft->fabric, l);

		if (link->from < draft->hosts || link->to < draft->hosts)
			continue;
		pair[count++] = (uint64_t)(link->from - draft->hosts) << 32 |
			(link->to - draft->hosts);
		pair[count++] = (uint64_t)(link->to - draft->hosts) << 32 |
			(link->from - draft->hosts);
	}
	qsort(pair, count, sizeof(*pair), by_number);
	for (size_t i = 0; i < count; i++) {
		if (i && pair[i] == pair[i - 1])
			continue;
		draft->peer[kept++] = (uint32_t)pair[i];
		draft->first[(pair[i] >> 32) + 1]++;
	}
	for (uint32_t s = 0; s < draft->switches; s++)
		draft->first[s + 1] += draft->first[s];
	free(pair);
	return true;
}

/* Hosts by switch, port and number; aliases are at their hosts. */
static bool list_guests(struct draft *draft)
{
	uint64_t *port = calloc(draft->hosts + (size_t)1, sizeof(*port));
	uint32_t *end;

	draft->home = calloc(draft->hosts + (size_t)1, sizeof(*draft->home));
	draft->guest = calloc(draft->hosts + (size_t)1, sizeof(*draft->guest));
	draft->stay = calloc(draft->switches + (size_t)2, sizeof(*draft->stay));
	if (!port || !draft->home || !draft->guest || !draft->stay) {
		free(port);
		return false;
	}
	for (uint32_t h = 0; h < draft->hosts; h++) {
		struct liquid_endpoint end_of;

		liquid_fabric_endpoint(draft->fabric, h, &end_of);
		draft->home[h] = end_of.switch_node == LIQUID_NONE ||
			end_of.switch_node < draft->hosts ||
			liquid_fabric_owner(draft->fabric, h) != h ? LIQUID_NONE :
			end_of.switch_node - draft->hosts;
		port[h] = (uint64_t)end_of.switch_port << 32 | h;
		if (draft->home[h] != LIQUID_NONE)
			draft->stay[draft->home[h] + 1]++;
	}
	for (uint32_t s = 0; s < draft->switches; s++)
		draft->stay[s + 1] += draft->stay[s];
	qsort(port, draft->hosts, sizeof(*port), by_number);
	end = calloc(draft->switches + (size_t)1, sizeof(*end));
	for (uint32_t i = 0; end && i < draft->hosts; i++) {
		uint32_t h = (uint32_t)port[i], s = draft->home[h];

		if (s != LIQUID_NONE)
			draft->guest[draft->stay[s] + end[s]++] = h;
	}
	free(port);
	free(end);
	return end;
}

/* Of parallel links each has a number, so that they are drawn beside each other. */
static bool count_parallels(struct draft *draft)
{
	uint32_t links = liquid_fabric_link_count(draft->fabric), nodes = draft->hosts +
		draft->switches;
	uint32_t *seen = calloc(nodes + (size_t)1, sizeof(*seen));
	uint32_t *from = calloc(nodes + (size_t)2, sizeof(*from));
	uint32_t *of = calloc(links + (size_t)1, sizeof(*of));

	draft->made->nth = calloc(links + (size_t)1, sizeof(*draft->made->nth));
	for (uint32_t l = 0; seen && from && of && l < links; l++)
		from[liquid_fabric_link(draft->fabric, l)->from + 1]++;
	for (uint32_t n = 0; seen && from && of && n < nodes; n++)
		from[n + 1] += from[n];
	for (uint32_t l = links; seen && from && of && draft->made->nth && l--;)
		of[--from[liquid_fabric_link(draft->fabric, l)->from + 1]] = l;
	for (uint32_t i = 0; seen && from && of && draft->made->nth && i < links; i++) {
		const struct liquid_link *link = liquid_fabric_link(draft->fabric, of[i]);

		if (i && liquid_fabric_link(draft->fabric, of[i - 1])->from != link->from)
			memset(seen, 0, (nodes + (size_t)1) * sizeof(*seen));
		draft->made->nth[of[i]] = seen[link->to]++;
	}
	free(of);
	free(seen);
	free(from);
	return draft->made->nth && seen && from && of;
}

/* ---- links ---- */

static struct liquid_place along(double x, double y, double dx, double dy, double part)
{
	return (struct liquid_place){ .x = (int32_t)lround(x + part * dx),
				      .y = (int32_t)lround(y + part * dy) };
}

/* A link around the torus leaves the grid at its end and comes back at the other one. */
static void stub(struct liquid_stroke *stroke, const struct liquid_place *a,
		 const struct liquid_place *b, double x, double y)
{
	double dx = b->x - a->x, dy = b->y - a->y, length = hypot(dx, dy);

	stroke->count = 4;
	stroke->gap = 2;
	stroke->point[0] = along(a->x + x, a->y + y, dx, dy, 0);
	stroke->point[1] = along(a->x + x, a->y + y, dx, dy, -STUB / length);
	stroke->point[2] = along(b->x + x, b->y + y, dx, dy, STUB / length);
	stroke->point[3] = along(b->x + x, b->y + y, dx, dy, 0);
}

static void bow(struct liquid_stroke *stroke, const struct liquid_place *a,
		const struct liquid_place *b, double x, double y, double high)
{
	stroke->count = LIQUID_STROKE_MAX;
	for (int i = 0; i < LIQUID_STROKE_MAX; i++) {
		double t = i / (LIQUID_STROKE_MAX - 1.), up = high * 4 * t * (1 - t);

		stroke->point[i] = along(a->x + x * (1 + up), a->y + y * (1 + up), b->x - a->x,
					 b->y - a->y, t);
	}
}

/* 0: next to each other, 1: around the grid, 2: farther apart */
static int apart(const struct draft_layout *made, uint32_t a, uint32_t b)
{
	uint32_t axes = 0;
	int how = 0;

	for (int i = 0; i < GRID_AXES; i++) {
		uint32_t x = made->at[a][i], y = made->at[b][i], far = x < y ? y - x : x - y;

		axes += far > 0;
		if (far > 1)
			how = made->ring[i] && far + 1 == made->size[i] ? 1 : 2;
	}
	return axes > 1 ? 2 : how;
}

/* Two of a group that are not next to each other on the circle */
static bool within_group(const struct draft_layout *made, uint32_t a, uint32_t b)
{
	uint32_t x = (uint32_t)made->group[a], y = (uint32_t)made->group[b];

	return made->group[a] >> 32 == made->group[b] >> 32 && (x < y ? y - x : x - y) > 1;
}

/* The height of the bow in times of @side, to the middle of the picture if that is a circle */
static double bow_height(const struct draft_layout *made, const struct liquid_link *link,
			 const double side[2])
{
	const struct liquid_place *a = &made->place[link->from], *b = &made->place[link->to];
	double length = hypot(b->x - a->x, b->y - a->y), high = length / hypot(side[0], side[1]);
	double x = made->layout.width / 2. - (a->x + b->x) / 2.;
	double y = made->layout.height / 2. - (a->y + b->y) / 2.;

	if (made->group)
		return (x * side[0] + y * side[1] > 0 ? high : -high) / 3;
	return (link->from < link->to ? high : -high) / 6;
}

void liquid_layout_stroke(const struct liquid_layout *layout, const struct liquid_fabric *fabric,
			  uint32_t l, struct liquid_stroke *stroke)
{
	const struct draft_layout *made = (const struct draft_layout *)layout;
	const struct liquid_link *link = liquid_fabric_link(fabric, l);
	uint32_t hosts = liquid_fabric_host_count(fabric);
	uint32_t u = link->from - hosts, v = link->to - hosts;
	const struct liquid_place *a = &layout->place[link->from], *b = &layout->place[link->to];
	double dx = b->x - a->x, dy = b->y - a->y, length = hypot(dx, dy) > 1 ? hypot(dx, dy) : 1;
	double aside = (BESIDE + NEXT * (double)made->nth[l]) / length;
	double side[2] = { -aside * dy, aside * dx }, ends[2] = { 0, 1 };
	bool switches = link->from >= hosts && link->to >= hosts;
	int how = switches && made->at ? apart(made, u, v) :
		switches && made->group && within_group(made, u, v) ? 2 : 0;

	*stroke = (struct liquid_stroke){ .count = 2 };
	if (how == 1)
		stub(stroke, a, b, side[0], side[1]);
	if (how == 2)
		bow(stroke, a, b, side[0], side[1], bow_height(made, link, side));
	if (how)
		return;
	/* The name of a host is at its end of the link. */
	if (link->from < hosts && !layout->upright)
		ends[0] = BEFORE_NAME / length;
	if (link->to < hosts && !layout->upright)
		ends[1] = 1 - BEFORE_NAME / length;
	stroke->point[0] = along(a->x + side[0], a->y + side[1], dx, dy, ends[0]);
	stroke->point[1] = along(a->x + side[0], a->y + side[1], dx, dy, ends[1]);
}

/* ---- the whole ---- */

static void draft_clear(struct draft *draft)
{
	free(draft->first);
	free(draft->peer);
	free(draft->home);
	free(draft->stay);
	free(draft->guest);
	free(draft->scratch);
}

static bool begin(struct draft *draft)
{
	struct draft_layout *made = draft->made;

	made->place = calloc(draft->hosts + (size_t)draft->switches + 1, sizeof(*made->place));
	made->order = calloc(draft->switches + (size_t)1, sizeof(*made->order));
	made->level = calloc(draft->switches + (size_t)1, sizeof(*made->level));
	made->layout.place = made->place;
	made->layout.order = made->order;
	made->layout.level = made->level;
	if (!made->place || !made->order || !made->level || !list_peers(draft) ||
	    !list_guests(draft) || !count_parallels(draft))
		return false;
	for (uint32_t s = 0; s < draft->switches; s++) {
		made->order[s] = draft->hosts + s;
		draft_place(draft, s)->width = (int32_t)strlen(draft_name(draft, s)) *
			LAYOUT_LETTER + 80;
	}
	return true;
}

/* Hosts without a switch, and aliases, are where their host is or in the corner. */
static void place_the_rest(const struct draft *draft)
{
	for (uint32_t h = 0; h < draft->hosts; h++) {
		uint32_t owner = liquid_fabric_owner(draft->fabric, h);

		if (owner != h)
			draft->made->place[h] = draft->made->place[owner];
		else if (draft->home[h] == LIQUID_NONE)
			draft->made->place[h] = (struct liquid_place){ 100, 100, 0 };
	}
}

static int shape(struct draft *draft)
{
	static int (*const shapes[])(struct draft *) = { draft_levels, draft_grid, draft_groups };
	int found = begin(draft) ? 0 : LIQUID_NO_MEMORY;

	for (int i = 0; !found && i < 3; i++) {
		found = shapes[i](draft);
		free(draft->scratch);
		draft->scratch = NULL;
	}
	if (found > 0)
		place_the_rest(draft);
	return found;
}

int liquid_layout_new(const struct liquid_fabric *fabric, bool folded,
		      const struct liquid_layout **layout, struct liquid_error *err)
{
	struct draft draft = { .fabric = fabric, .made = calloc(1, sizeof(*draft.made)),
			       .hosts = liquid_fabric_host_count(fabric),
			       .switches = liquid_fabric_switch_count(fabric) };
	int found = LIQUID_NO_MEMORY;

	*layout = NULL;
	if (!draft.made)
		return liquid_no_memory(err);
	draft.made->layout.folded = folded;
	found = shape(&draft);
	draft_clear(&draft);
	if (found < 0) {
		liquid_layout_free(&draft.made->layout);
		return liquid_no_memory(err);
	}
	*layout = &draft.made->layout;
	return LIQUID_OK;
}

void liquid_layout_free(const struct liquid_layout *layout)
{
	struct draft_layout *made = (struct draft_layout *)layout;

	if (!made)
		return;
	free(made->place);
	free(made->order);
	free(made->level);
	free(made->nth);
	free(made->at);
	free(made->group);
	free(made);
}
