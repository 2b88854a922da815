// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A page about a fabric: its map, what takes how long, and the same as tables
 *
 * It is one file that loads nothing, and runs only the script that is in it, by its digest. Names
 * go through html_text() or html_json(). Without its script the page shows the first view.
 */
#include <inttypes.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "page/page.h"

#define ROWS_MAX 100			/* links of a table */
#define LINK_TEXT (2 * LIQUID_NAME_MAX + 32)

static const char style[] =
#include "page/page.css.inc"
;

static const char script[] = "/*<![CDATA[*/\n"
#include "page/page.js.inc"
"/*]]>*/";

static void put_head(const struct page_sheet *sheet, FILE *out)
{
	char text[16 + BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE)] = "sha256-";
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, sizeof(script) - 1, (const uint8_t *)script);
	sha256_digest(&sha, sizeof(digest), digest);
	base64_encode_raw(text + strlen(text), sizeof(digest), digest);
	html_head(out, style, text);
	html_text(out, sheet->page->title);
	fputs("</title></head><body>\n<h1>", out);
	html_text(out, sheet->page->title);
	fputs("</h1>\n", out);
}

/* A paragraph for each line of the text */
static void put_text(const struct page_sheet *sheet, FILE *out)
{
	const char *end, *at = sheet->page->text;

	for (; at && *at; at = *end ? end + 1 : end) {
		char *line;

		end = strchrnul(at, '\n');
		line = strndup(at, (size_t)(end - at));
		fputs("<p>", out);
		html_text(out, line ? line : "");
		fputs("</p>\n", out);
		free(line);
	}
}

/* ---- what is to be operated; the script shows it ---- */

static void put_tools(const struct page_sheet *sheet, FILE *out)
{
	fputs("<div class=\"tools\" hidden=\"hidden\">\n<label>Search <input id=\"find\" "
	      "type=\"search\" placeholder=\"name of a host or switch\" "
	      "aria-keyshortcuts=\"/\"/></label>\n", out);
	for (size_t v = 0; sheet->page->views > 1 && v < sheet->page->views; v++) {
		fprintf(out, "<label><input type=\"radio\" name=\"view\" value=\"%zu\"%s/> ", v,
			v ? "" : " checked=\"checked\"");
		html_text(out, sheet->page->view[v].label);
		fputs("</label>\n", out);
	}
	if (sheet->page->views > 1)
		fputs("<label><input type=\"checkbox\" id=\"beside\"/> side by side</label>\n",
		      out);
	fputs("<span id=\"film\"><label>Frame <input id=\"frame\" type=\"range\" min=\"0\" "
	      "max=\"0\" value=\"0\"/></label> <button id=\"play\" type=\"button\">Play</button> "
	      "<span id=\"which\"></span></span>\n</div>\n", out);
}

static void put_key(const struct page_sheet *sheet, FILE *out)
{
	static const struct {
		const char *look, *text;
	} keys[] = {
		{ "s1", "little load" }, { "s6", "much load" }, { "b", "bottleneck" },
		{ "u", "carries nothing" }, { "x", "broken" },
	};

	fputs("<p class=\"key\">", out);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		fprintf(out, sheet->heat ?
			"<span><svg class=\"heat\" viewBox=\"0 0 110 110\"><rect class=\"%s\" "
			"x=\"5\" y=\"5\" width=\"100\" height=\"100\"/></svg>%s</span>\n" :
			"<span><svg class=\"net\" viewBox=\"0 0 300 100\"><path class=\"%s\" "
			"d=\"M0 50L300 50\"/></svg>%s</span>\n", keys[i].look, keys[i].text);
	fputs(sheet->heat ? "<span>A row for each switch, a cell for each port; upper half: to the "
	      "host, lower half: from it</span></p>\n" :
	      "<span>The two directions of a cable are beside each other</span></p>\n", out);
}

/* ---- tables ---- */

static void put_views(const struct page_sheet *sheet, FILE *out)
{
	fputs("<table><thead><tr><th>routes</th><th>largest load</th><th>bottlenecks</th>"
	      "<th>links that carry nothing</th><th>broken</th></tr></thead><tbody>\n", out);
	for (size_t v = 0; v < sheet->page->views; v++) {
		const struct page_view *view = &sheet->view[v];

		fputs("<tr><td>", out);
		html_text(out, view->given->label);
		fprintf(out, "</td><td>%" PRIu64 " ", sheet->links ? view->load[view->most] : 0);
		html_text(out, view->given->unit);
		if (sheet->links && liquid_fabric_capacity(sheet->fabric, view->most) > 1)
			fprintf(out, ", capacity %u",
				liquid_fabric_capacity(sheet->fabric, view->most));
		fprintf(out, "</td><td>%u</td><td>%u of %u</td><td>%u</td></tr>\n",
			view->bottlenecks, view->unused, sheet->links, view->broken);
	}
	fputs("</tbody></table>\n", out);
}

/* The time of a bar, and by how much it is shorter than the first */
static void put_time(const struct liquid_bar *first, const struct liquid_bar *bar, int kind,
		     FILE *out)
{
	uint64_t ns = bar->ns[kind], gain;

	if (!ns) {
		fputs("<td>-</td>", out);
		return;
	}
	gain = first->ns[kind] / (double)ns * 100 + .5;
	fprintf(out, "<td>%" PRIu64 ".%" PRIu64 " µs", (ns + 50) / 1000,
		(ns + 50) / 100 % 10);
	if (bar != first && first->ns[kind])
		fprintf(out, ", x%" PRIu64 ".%02" PRIu64, gain / 100, gain % 100);
	fputs("</td>", out);
}

static void put_bar(const struct liquid_page *page, const struct liquid_bar *bar, uint64_t most,
		    int kinds, FILE *out)
{
	fprintf(out, "<tr%s><td>", bar == page->bar ? " class=\"now\"" : "");
	html_text(out, bar->label);
	fputs("</td><td class=\"t\">", out);
	for (int kind = 0; kind < kinds; kind++) {
		uint64_t part = bar->ns[kind] * 1000 / most;

		fprintf(out, "<span style=\"width:%" PRIu64 ".%" PRIu64 "%%\"></span>", part / 10,
			part % 10);
	}
	fputs("</td>", out);
	for (int kind = 0; kind < kinds; kind++)
		put_time(page->bar, bar, kind, out);
	fputs("</tr>\n", out);
	if (bar->command) {
		fprintf(out, "<tr class=\"do\"><td colspan=\"%d\"><code>", kinds + 2);
		html_text(out, bar->command);
		fputs("</code></td></tr>\n", out);
	}
}

static void put_bars(const struct liquid_page *page, FILE *out)
{
	int kinds = page->kind[1] ? 2 : 1;
	uint64_t most = 1;

	for (size_t i = 0; i < page->bars; i++)
		for (int kind = 0; kind < kinds; kind++)
			most = page->bar[i].ns[kind] > most ? page->bar[i].ns[kind] : most;
	if (!page->bars)
		return;
	fputs("<h2>How long it takes</h2>\n<table class=\"bars\"><thead><tr><th>way</th><th></th>",
	      out);
	for (int kind = 0; kind < kinds; kind++) {
		fputs("<th>", out);
		html_text(out, page->kind[kind] ? page->kind[kind] : "time");
		fputs("</th>", out);
	}
	fputs("</tr></thead><tbody>\n", out);
	for (size_t i = 0; i < page->bars; i++)
		put_bar(page, &page->bar[i], most, kinds, out);
	fputs("</tbody></table>\n", out);
}

static int by_load(const void *a, const void *b, void *context)
{
	const struct page_sheet *sheet = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t left = sheet->view->load[x] * liquid_fabric_capacity(sheet->fabric, y);
	uint64_t right = sheet->view->load[y] * liquid_fabric_capacity(sheet->fabric, x);

	return left != right ? (left < right ? 1 : -1) : x < y ? -1 : 1;
}

static const char *look_text(char look)
{
	return look == 'b' ? "bottleneck" : look == 'u' ? "carries nothing" :
		look == 'x' ? "broken" : "";
}

static void put_row(const struct page_sheet *sheet, uint32_t l, FILE *out)
{
	char name[LINK_TEXT];

	fputs("<tr><td>", out);
	html_text(out, liquid_fabric_link_name(sheet->fabric, l, name, sizeof(name)));
	fprintf(out, "</td><td>%" PRIu64 "</td><td>%u</td><td>%s</td></tr>\n",
		sheet->view->load[l], liquid_fabric_capacity(sheet->fabric, l),
		look_text(sheet->view->look[l][0]));
}

/* The links with the largest loads, and those that carry nothing or are broken */
static int put_links(const struct page_sheet *sheet, FILE *out, struct liquid_error *err)
{
	uint32_t *link = calloc(sheet->links + (size_t)1, sizeof(*link)), rows = 0, shown = 0;

	if (!link)
		return liquid_no_memory(err);
	for (uint32_t l = 0; l < sheet->links; l++)
		link[l] = l;
	qsort_r(link, sheet->links, sizeof(*link), by_load, (void *)sheet);
	fprintf(out, "<details><summary>The links as a table</summary>\n<table><thead><tr>"
		"<th>link</th><th>%s</th><th>capacity</th><th></th></tr></thead><tbody>\n",
		"load");
	for (; rows < sheet->links && rows < ROWS_MAX; rows++)
		put_row(sheet, link[rows], out);
	for (uint32_t i = rows; i < sheet->links && shown < ROWS_MAX; i++)
		if (strchr("ux", sheet->view->look[link[i]][0])) {
			put_row(sheet, link[i], out);
			shown++;
		}
	fputs("</tbody></table>\n", out);
	if (rows + shown < sheet->links)
		fprintf(out, "<p>These are %u of %u links: those with the largest loads first, and "
			"then those that carry nothing or are broken.</p>\n", rows + shown,
			sheet->links);
	fputs("</details>\n", out);
	free(link);
	return LIQUID_OK;
}

/* What was left out of the fabric, rounded or not understood */
static void put_notes(const struct page_sheet *sheet, FILE *out)
{
	const char *note;

	for (size_t i = 0; (note = liquid_fabric_note(sheet->fabric, i)); i++) {
		fputs(i ? "<li>" : "<h2>Notes of the import</h2>\n<ul>\n<li>", out);
		html_text(out, note);
		fputs("</li>\n", out);
	}
	if (liquid_fabric_note(sheet->fabric, 0))
		fputs("</ul>\n", out);
}

/* ---- the whole ---- */

static int write_page(const struct page_sheet *sheet, FILE *out, struct liquid_error *err)
{
	int status;

	put_head(sheet, out);
	put_text(sheet, out);
	put_bars(sheet->page, out);
	fputs("<h2>The fabric</h2>\n", out);
	put_views(sheet, out);
	put_tools(sheet, out);
	put_key(sheet, out);
	fputs("<div class=\"maps\"><figure><figcaption></figcaption>\n", out);
	status = page_write_map(sheet, out, err);
	fputs("</figure></div>\n<p id=\"tip\" role=\"status\"></p>\n", out);
	if (!status)
		status = put_links(sheet, out, err);
	put_notes(sheet, out);
	fputs("<script type=\"application/json\" id=\"data\">", out);
	page_write_data(sheet, out);
	fprintf(out, "</script>\n<script>%s</script>\n</body></html>\n", script);
	return status;
}

int liquid_page_write(const struct liquid_page *page, FILE *out, struct liquid_error *err)
{
	const struct liquid_fabric *fabric = page->view[0].fabric;
	struct page_sheet sheet = { .page = page, .fabric = fabric,
				    .hosts = liquid_fabric_host_count(fabric),
				    .links = liquid_fabric_link_count(fabric),
				    .view = calloc(page->views, sizeof(*sheet.view)) };
	int status = sheet.view ? liquid_layout_new(fabric, false, &sheet.layout, err) :
		     liquid_no_memory(err);

	sheet.nodes = sheet.hosts + liquid_fabric_switch_count(fabric);
	sheet.heat = sheet.links > PAGE_DRAWN_MAX;
	for (size_t v = 0; !status && v < page->views; v++)
		status = page_view_make(&sheet, &page->view[v], &sheet.view[v], err);
	if (!status)
		status = write_page(&sheet, out, err);
	if (!status && ferror(out))
		status = liquid_fail(err, LIQUID_IO, "the page could not be written");
	for (size_t v = 0; sheet.view && v < page->views; v++)
		page_view_clear(&sheet.view[v]);
	liquid_layout_free(sheet.layout);
	free(sheet.view);
	return status;
}
