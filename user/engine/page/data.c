// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the script of a page reads: names, links, loads, who uses them, and the frames. */
#include <inttypes.h>

#include "base/escape.h"
#include "page/page.h"

#define FILM_MAX 150000u		/* uses of links in the frames that are shown */

static void put_users(const struct page_view *view, FILE *out, uint32_t l)
{
	const struct liquid_transfer *user = view->user[l];

	fputc('[', out);
	for (uint32_t i = 0; i < PAGE_USERS && user[i].src != LIQUID_NONE; i++)
		fprintf(out, "%s%u,%u", i ? "," : "", user[i].src, user[i].dst);
	fputc(']', out);
}

/* A frame is a list of transfers, and each a list of links; returns how many these are. */
static uint32_t put_frame(const struct page_view *view, FILE *out, uint32_t frame)
{
	size_t count;
	const struct liquid_transfer *transfer =
		liquid_schedule_frame(view->given->schedule, frame, &count);
	uint32_t path[LIQUID_PATH_MAX], uses = 0;

	fputc('[', out);
	for (size_t i = 0; transfer && i < count; i++) {
		int links = liquid_fabric_route(view->given->fabric, transfer[i].src,
						transfer[i].dst, path, NULL);

		fputs(i ? ",[" : "[", out);
		for (int k = 0; k < links; k++)
			fprintf(out, "%s%u", k ? "," : "", path[k]);
		uses += links > 0 ? (uint32_t)links : 0;
		fputc(']', out);
	}
	fputc(']', out);
	return uses;
}

/* As many of the first frames as there is room for */
static void put_frames(const struct page_view *view, FILE *out)
{
	const struct liquid_schedule *schedule = view->given->schedule;
	uint32_t length = schedule ? liquid_schedule_info(schedule)->length : 0, uses = 0;

	fprintf(out, "\"length\":%u,\"frames\":[", length);
	for (uint32_t f = 0; f < length && uses < FILM_MAX; f++) {
		fputs(f ? ",\n" : "", out);
		uses += put_frame(view, out, f);
	}
	fputs("]", out);
}

static void put_view(const struct page_sheet *sheet, FILE *out, const struct page_view *view)
{
	fputs("{\"label\":", out);
	html_json(out, view->given->label);
	fputs(",\"unit\":", out);
	html_json(out, view->given->unit);
	fputs(",\"load\":[", out);
	for (uint32_t l = 0; l < sheet->links; l++)
		fprintf(out, "%s%" PRIu64, l ? "," : "", view->load[l]);
	fputs("],\n\"look\":[", out);
	for (uint32_t l = 0; l < sheet->links; l++)
		fprintf(out, "%s\"%s\"", l ? "," : "", view->look[l]);
	fputs("],\n\"users\":[", out);
	for (uint32_t l = 0; view->user && l < sheet->links; l++) {
		fputs(l ? "," : "", out);
		put_users(view, out, l);
	}
	fputs("],\n", out);
	put_frames(view, out);
	fputs("}", out);
}

void page_write_data(const struct page_sheet *sheet, FILE *out)
{
	fprintf(out, "{\"hosts\":%u,\"nodes\":[", sheet->hosts);
	for (uint32_t n = 0; n < sheet->nodes; n++) {
		fputs(n ? "," : "", out);
		html_json(out, liquid_fabric_node_name(sheet->fabric, n));
	}
	fputs("],\n\"links\":[", out);
	for (uint32_t l = 0; l < sheet->links; l++) {
		const struct liquid_link *link = liquid_fabric_link(sheet->fabric, l);

		fprintf(out, "%s[%u,%u,%u,%u,%u]", l ? "," : "", link->from, link->to,
			link->from_port, link->to_port, liquid_fabric_capacity(sheet->fabric, l));
	}
	fputs("],\n\"views\":[", out);
	for (size_t v = 0; v < sheet->page->views; v++) {
		fputs(v ? ",\n" : "", out);
		put_view(sheet, out, &sheet->view[v]);
	}
	fputs("]}", out);
}
