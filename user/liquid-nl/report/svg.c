// SPDX-License-Identifier: GPL-2.0-only
/* Pictures of the page: bars and cells in SVG, drawn without any program. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/report.h"
#include "util/say.h"

#define LABEL 150			/* width of the text left of a row */
#define PLOT 480			/* of the row */
#define VALUE 170			/* of the text right of it */
#define ROW 18
#define CELL 14				/* of a matrix */
#define NAME_SHOWN 20			/* characters of a node's name; the whole is its title */

static void begin(FILE *out, const char *title, unsigned int width, unsigned int height)
{
	fprintf(out, "<figure><figcaption>");
	html_text(out, title);
	fprintf(out, "</figcaption>\n<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
		"viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\">\n<title>", width, height, width,
		height);
	html_text(out, title);
	fprintf(out, "</title>\n");
}

static void end(FILE *out)
{
	fprintf(out, "</svg></figure>\n");
}

/* Cut after a whole character; the title has all of it. */
static void put_name(FILE *out, const char *name)
{
	char shown[4 * NAME_SHOWN + 4];
	size_t length = 0;

	for (int i = 0; i < NAME_SHOWN && name[length] && length < sizeof(shown) - 8; i++)
		do
			length++;
		while ((name[length] & 0xc0) == 0x80);
	snprintf(shown, sizeof(shown), "%.*s", (int)length, name);
	html_text(out, shown);
	if (name[length])
		fputs("…", out);
	fputs("<title>", out);
	html_text(out, name);
	fputs("</title>", out);
}

static void put_label(FILE *out, const char *name, unsigned int y)
{
	fprintf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\">", LABEL - 8, y);
	put_name(out, name);
	fprintf(out, "</text>");
}

/* ---- bars ---- */

static uint64_t largest(const json_t *rows, const char *value, const char *limit)
{
	uint64_t most = 0;
	const json_t *row;
	size_t index;

	json_array_foreach((json_t *)rows, index, row) {
		if (value_of(row, value) > most)
			most = value_of(row, value);
		if (limit && value_of(row, limit) > most)
			most = value_of(row, limit);
	}
	return most;
}

static void put_bar(FILE *out, const struct bars *bars, const json_t *row, unsigned int y,
		    uint64_t most)
{
	double scale = (double)PLOT / (double)most;
	char text[UNIT_TEXT];

	put_label(out, text_of(row, "node"), y + 13);
	if (value_is_known(row, bars->value)) {
		fprintf(out, "<rect class=\"bar\" x=\"%d\" y=\"%u\" width=\"%.1f\" height=\"%d\"/>",
			LABEL, y + 2, scale * (double)value_of(row, bars->value), ROW - 4);
		fprintf(out, "<text x=\"%d\" y=\"%u\">", LABEL + PLOT + 8, y + 13);
		html_text(out, bars->format(value_of(row, bars->value), text));
		if (bars->limit && value_of(row, bars->limit)) {
			fputs(" of ", out);
			html_text(out, bars->format(value_of(row, bars->limit), text));
		}
		fprintf(out, "</text>");
	}
	if (bars->limit && value_of(row, bars->limit)) {
		fprintf(out, "<rect class=\"mark\" x=\"%.1f\" y=\"%u\" width=\"2\" height=\"%d\">"
			"<title>", LABEL + scale * (double)value_of(row, bars->limit) - 1, y, ROW);
		html_text(out, bars->limit_text);
		fputs(": ", out);
		html_text(out, bars->format(value_of(row, bars->limit), text));
		fprintf(out, "</title></rect>");
	}
	fputc('\n', out);
}

void svg_bars(FILE *out, const struct bars *bars)
{
	uint64_t most = largest(bars->rows, bars->value, bars->limit);
	const json_t *row;
	size_t index;

	if (!most)
		return;
	begin(out, bars->title, LABEL + PLOT + VALUE,
	      ROW * (unsigned int)json_array_size(bars->rows));
	json_array_foreach((json_t *)bars->rows, index, row)
		put_bar(out, bars, row, ROW * (unsigned int)index, most);
	end(out);
}

/* ---- cells ---- */

/* Few among many are interesting: so the shade is of the logarithm. */
static double shade(double value, double most)
{
	return value > 0 && most > 0 ? 0.08 + 0.92 * log1p(value) / log1p(most) : 0;
}

static void put_cell(FILE *out, unsigned int x, unsigned int y, unsigned int width,
		     unsigned int height, double dark)
{
	fprintf(out, "<rect class=\"cell\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" "
		"fill-opacity=\"%.2f\">", x, y, width, height, dark);
}

static uint64_t most_times(const json_t *nodes, const char *name)
{
	const json_t *node;
	uint64_t most = 0;
	size_t index;

	json_array_foreach((json_t *)nodes, index, node) {
		struct gate_hist hist = hist_of(json_object_get(member_of(node, "times", name),
								"buckets"));

		for (unsigned int i = 0; i < LIQUID_HIST_BUCKETS; i++)
			most = hist.bucket[i] > most ? hist.bucket[i] : most;
	}
	return most;
}

static void put_times(FILE *out, const json_t *node, const char *name, enum times_scale scale,
		      unsigned int y, uint64_t most)
{
	struct gate_hist hist = hist_of(json_object_get(member_of(node, "times", name), "buckets"));
	const unsigned int width = PLOT / LIQUID_HIST_BUCKETS;
	char text[TIMES_TEXT];

	put_label(out, text_of(node, "node"), y + 13);
	for (unsigned int i = 0; i < LIQUID_HIST_BUCKETS; i++) {
		put_cell(out, LABEL + i * width, y + 1, width - 1, ROW - 2,
			 shade((double)hist.bucket[i], (double)most));
		fprintf(out, "<title>%" PRIu64 " %s", hist.bucket[i],
			i < LIQUID_HIST_BUCKETS - 1 ? "up to " : "");
		html_text(out, times_format(scale, (int)i, text));
		fprintf(out, "</title></rect>");
	}
	fputc('\n', out);
}

void svg_times(FILE *out, const json_t *nodes, const char *name, const char *title,
	       enum times_scale scale)
{
	const unsigned int width = PLOT / LIQUID_HIST_BUCKETS;
	unsigned int rows = (unsigned int)json_array_size(nodes);
	uint64_t most = most_times(nodes, name);
	char text[TIMES_TEXT];
	const json_t *node;
	size_t index;

	if (!most)
		return;
	begin(out, title, LABEL + PLOT + VALUE, ROW * (rows + 1));
	json_array_foreach((json_t *)nodes, index, node)
		put_times(out, node, name, scale, ROW * (unsigned int)index, most);
	for (unsigned int i = 0; i < LIQUID_HIST_BUCKETS; i += 3) {
		fprintf(out, "<text x=\"%u\" y=\"%u\">", LABEL + i * width, ROW * rows + 13);
		html_text(out, times_format(scale, (int)i, text));
		fprintf(out, "</text>");
	}
	end(out);
}

/* ---- senders by receivers ---- */

/* Mean wait of the packets from @node to a destination, ns */
static double wait_of(const json_t *dest)
{
	double packets = (double)value_of(dest, "packets");

	return packets > 0 ? (double)value_of(dest, "wait_ns") / packets : 0;
}

static double most_wait(const json_t *nodes)
{
	const json_t *node, *dest;
	size_t index, at;
	double most = 0;

	json_array_foreach((json_t *)nodes, index, node)
		json_array_foreach(json_object_get(node, "dests"), at, dest)
			most = wait_of(dest) > most ? wait_of(dest) : most;
	return most;
}

static void put_wait(FILE *out, const json_t *node, const json_t *dest, unsigned int x,
		     unsigned int y, double most)
{
	char text[UNIT_TEXT];

	put_cell(out, x, y, CELL - 1, CELL - 1, wait_of(dest) / most);
	fputs("<title>", out);
	html_text(out, text_of(node, "node"));
	fputs(" to ", out);
	html_text(out, text_of(dest, "node"));
	fprintf(out, ": %" PRIu64 " packets, ", value_of(dest, "packets"));
	html_text(out, format_time((uint64_t)wait_of(dest), text));
	fputs(" each</title></rect>", out);
}

/* Receivers that are not senders of the picture have no column. */
static void put_waits(FILE *out, const json_t *nodes, const json_t *node, unsigned int row,
		      double most)
{
	const json_t *dests = json_object_get(node, "dests"), *dest, *to;
	size_t column, at;

	put_label(out, text_of(node, "node"), CELL * row + 11);
	json_array_foreach((json_t *)nodes, column, to)
		json_array_foreach((json_t *)dests, at, dest)
			if (!strcmp(text_of(dest, "node"), text_of(to, "node")))
				put_wait(out, node, dest, LABEL + CELL * (unsigned int)column,
					 CELL * row, most);
	fputc('\n', out);
}

void svg_waits(FILE *out, const json_t *nodes)
{
	unsigned int rows = (unsigned int)json_array_size(nodes);
	double most = most_wait(nodes);
	const json_t *node;
	size_t index;

	if (most <= 0)
		return;
	begin(out, "How long a packet has waited for its frame: senders by receivers, in the same "
	      "order from the left", LABEL + CELL * rows, CELL * rows);
	json_array_foreach((json_t *)nodes, index, node)
		put_waits(out, nodes, node, (unsigned int)index, most);
	end(out);
}
