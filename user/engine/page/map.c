// SPDX-License-Identifier: LGPL-2.1-or-later
/* The map of a page, or its heat map of switches by ports, as SVG. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/escape.h"
#include "page/page.h"

#define CELL 120			/* of a heat map */
#define LEVEL_GAP 80			/* between levels */

static void begin(const struct page_sheet *sheet, FILE *out, int32_t width, int32_t height)
{
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"map\" class=\"%s\" "
		"role=\"img\" tabindex=\"0\" viewBox=\"0 0 %d %d\" style=\"min-width:%dpx; "
		"max-width:%dpx\" aria-label=\"Map of the fabric; arrow "
		"keys go from link to link\">\n<g class=\"links\">\n",
		sheet->heat ? "heat" : "net", width, height, width / 14, width / 8);
}

/* ---- by links ---- */

static void put_link(const struct page_sheet *sheet, FILE *out, uint32_t l,
		     struct liquid_place *middle)
{
	struct liquid_stroke stroke;

	liquid_layout_stroke(sheet->layout, sheet->fabric, l, &stroke);
	fprintf(out, "<path class=\"%s\" d=\"", sheet->view[0].look[l]);
	for (uint32_t i = 0; i < stroke.count; i++)
		fprintf(out, "%c%d %d", !i || i == stroke.gap ? 'M' : 'L', stroke.point[i].x,
			stroke.point[i].y);
	fputs("\"/>\n", out);
	middle->x = (stroke.point[0].x + stroke.point[1].x) / 2;
	middle->y = (stroke.point[0].y + stroke.point[1].y) / 2;
}

static void put_mark(const struct page_sheet *sheet, FILE *out, uint32_t l,
		     const struct liquid_place *middle)
{
	if (sheet->view[0].look[l][0] == 'x')
		fprintf(out, "<text class=\"m\" x=\"%d\" y=\"%d\">✕</text>\n", middle->x,
			middle->y + 60);
}

static void put_node(const struct page_sheet *sheet, FILE *out, uint32_t n)
{
	const struct liquid_place *place = &sheet->layout->place[n];
	bool host = n < sheet->hosts;

	fputs("<g>", out);
	if (!host)
		fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"200\" rx=\"40\"/>",
			place->x - place->width / 2, place->y - 100, place->width);
	if (host && liquid_fabric_owner(sheet->fabric, n) != n) {
		fputs("</g>\n", out);
		return;
	}
	if (host && sheet->layout->upright)
		fprintf(out, "<text class=\"up\" transform=\"translate(%d %d) rotate(90)\">",
			place->x - 35, place->y + 20);
	else
		fprintf(out, "<text x=\"%d\" y=\"%d\">", place->x, place->y + 37);
	html_text(out, liquid_fabric_node_name(sheet->fabric, n));
	fputs("</text></g>\n", out);
}

static int write_net(const struct page_sheet *sheet, FILE *out, struct liquid_error *err)
{
	struct liquid_place *middle = calloc(sheet->links + (size_t)1, sizeof(*middle));

	if (!middle)
		return liquid_no_memory(err);
	begin(sheet, out, sheet->layout->width, sheet->layout->height);
	for (uint32_t l = 0; l < sheet->links; l++)
		put_link(sheet, out, l, &middle[l]);
	fputs("</g>\n<g class=\"nodes\">\n", out);
	for (uint32_t n = 0; n < sheet->nodes; n++)
		put_node(sheet, out, n);
	fputs("</g>\n", out);
	for (uint32_t l = 0; l < sheet->links; l++)
		put_mark(sheet, out, l, &middle[l]);
	fputs("</svg>\n", out);
	free(middle);
	return LIQUID_OK;
}

/* ---- switches by ports ---- */

struct heat {
	const struct page_sheet *sheet;
	int32_t *top;			/* of a switch's row */
	uint32_t *column;		/* by link that leaves a switch */
	uint32_t *used;			/* columns by switch */
	uint32_t *list;			/* links by switch and port */
	int32_t left, width, height;
};

static int by_port(const void *a, const void *b, void *context)
{
	const struct liquid_fabric *fabric = context;
	const struct liquid_link *x = liquid_fabric_link(fabric, *(const uint32_t *)a);
	const struct liquid_link *y = liquid_fabric_link(fabric, *(const uint32_t *)b);

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->from_port != y->from_port)
		return x->from_port < y->from_port ? -1 : 1;
	return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static void place_cells(struct heat *heat)
{
	const struct page_sheet *sheet = heat->sheet;
	const struct liquid_layout *layout = sheet->layout;
	uint32_t level = LIQUID_NONE, most = 1;
	int32_t y = 200;

	for (uint32_t l = 0; l < sheet->links; l++)
		heat->list[l] = l;
	qsort_r(heat->list, sheet->links, sizeof(*heat->list), by_port, (void *)sheet->fabric);
	for (uint32_t i = 0; i < sheet->links; i++) {
		const struct liquid_link *link = liquid_fabric_link(sheet->fabric, heat->list[i]);

		if (link->from < sheet->hosts)
			continue;
		heat->column[heat->list[i]] = heat->used[link->from - sheet->hosts]++;
		most = heat->column[heat->list[i]] + 1 > most ? heat->column[heat->list[i]] + 1 :
			most;
	}
	for (uint32_t i = 0; i < sheet->nodes - sheet->hosts; i++) {
		uint32_t sw = layout->order[i] - sheet->hosts;

		if (layout->level[sw] != level && level != LIQUID_NONE)
			y += LEVEL_GAP;
		level = layout->level[sw];
		heat->top[sw] = y;
		y += CELL;
		if (layout->place[layout->order[i]].width + 60 > heat->left)
			heat->left = layout->place[layout->order[i]].width + 60;
	}
	heat->width = heat->left + (int32_t)most * CELL + 100;
	heat->height = y + 100;
}

/* A cell of a switch's port; the lower half is what a host sends there. */
static void put_cell(const struct heat *heat, FILE *out, uint32_t l)
{
	const struct page_sheet *sheet = heat->sheet;
	const struct liquid_link *link = liquid_fabric_link(sheet->fabric, l);
	bool sends = link->from < sheet->hosts, half = sends || link->to < sheet->hosts;
	uint32_t at = l, sw = sends ? link->to : link->from;

	if (sends && liquid_fabric_host_in(sheet->fabric, link->from) != LIQUID_NONE)
		at = liquid_fabric_host_in(sheet->fabric, link->from);
	if (sw < sheet->hosts) {
		fputs("<rect/>\n", out);
		return;
	}
	fprintf(out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		sheet->view[0].look[l], heat->left + (int32_t)heat->column[at] * CELL,
		heat->top[sw - sheet->hosts] + (sends ? 53 : 0), CELL - 16, half ? 48 : CELL - 16);
}

static void put_row_name(const struct heat *heat, FILE *out, uint32_t n)
{
	if (n < heat->sheet->hosts) {
		fputs("<g/>", out);
		return;
	}
	fprintf(out, "<g><text class=\"row\" x=\"%d\" y=\"%d\">", heat->left - 40,
		heat->top[n - heat->sheet->hosts] + 85);
	html_text(out, liquid_fabric_node_name(heat->sheet->fabric, n));
	fputs("</text></g>\n", out);
}

static int write_heat(const struct page_sheet *sheet, FILE *out, struct liquid_error *err)
{
	size_t switches = sheet->nodes - sheet->hosts, links = sheet->links;
	struct heat heat = { .sheet = sheet, .left = 300,
			     .top = calloc(2 * (switches + links) + 1, sizeof(*heat.top)) };

	if (!heat.top)
		return liquid_no_memory(err);
	heat.used = (uint32_t *)heat.top + switches;
	heat.column = heat.used + switches;
	heat.list = heat.column + links;
	place_cells(&heat);
	begin(sheet, out, heat.width, heat.height);
	for (uint32_t l = 0; l < sheet->links; l++)
		put_cell(&heat, out, l);
	fputs("</g>\n<g class=\"nodes\">\n", out);
	for (uint32_t n = 0; n < sheet->nodes; n++)
		put_row_name(&heat, out, n);
	fputs("</g>\n</svg>\n", out);
	free(heat.top);
	return LIQUID_OK;
}

int page_write_map(const struct page_sheet *sheet, FILE *out, struct liquid_error *err)
{
	return sheet->heat ? write_heat(sheet, out, err) : write_net(sheet, out, err);
}
