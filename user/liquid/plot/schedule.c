// SPDX-License-Identifier: GPL-2.0-only
/* The picture of a schedule by gnuplot: frames by links, frames by senders. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "plot/plot.h"

#define NAME_TEXT	(2 * LIQUID_NAME_MAX + 32)

enum {
	LABELS_MAX = 100,		/* rows with a label each; for more, none has one */
	LABEL_WIDTH = 40,		/* characters of a label */
	VECTOR_CELLS_MAX = 20000,	/* cells drawn as shapes; for more, a panel is an image */
	IMAGE_PIXELS = 300000,		/* so that its cells have sharp edges, if there are few */
	PIXELS_MAX = 1200,		/* width and height of a panel */
	NAMED_MAX = 16,			/* receivers whose names are in the cells */
	CELL = 14, LETTER = 6,		/* points */
	TITLE = 40, AXIS = 70,		/* above and below a panel */
	KEY = 900,			/* its width in one row */
};

struct schedule_plot {
	const struct liquid_fabric *fabric;	/* or NULL */
	const struct liquid_schedule *schedule;
	const struct liquid_schedule_info *info;
	struct plot_loads loads;
	struct plot_matrix links, senders;
	uint8_t *receives;		/* by host; NULL: cells have no receiver */
	uint32_t first, last, receivers;
	uint32_t letters;		/* of the longest name of a receiver */
	bool named;			/* each cell has its receiver's name */
};

static const char *link_text(const struct schedule_plot *plot, uint32_t index, char text[NAME_TEXT])
{
	return liquid_fabric_link_name(plot->fabric, plot->links.item[index], text, NAME_TEXT);
}

static const char *sender_text(const struct schedule_plot *plot, uint32_t index,
			       char text[NAME_TEXT])
{
	snprintf(text, NAME_TEXT, "%s",
		 liquid_schedule_host_name(plot->schedule, plot->senders.item[index]));
	return text;
}

/* ---- gnuplot ---- */

static uint32_t pixels(uint32_t cells, uint32_t least)
{
	uint32_t wanted = cells > PIXELS_MAX / CELL ? PIXELS_MAX : CELL * cells;

	return wanted < least ? least : wanted;
}

static uint32_t panel_height(const struct plot_matrix *matrix)
{
	return pixels(matrix->rows, 70) + TITLE + AXIS;
}

static uint32_t panel_width(const struct schedule_plot *plot)
{
	uint32_t width = pixels(plot->senders.columns, 480);
	uint32_t names = plot->senders.columns * (LETTER * plot->letters + 4);

	return plot->named && names > width ? names : width;
}

typedef const char *(*text_of)(const struct schedule_plot *plot, uint32_t index,
			       char text[NAME_TEXT]);

static void set_labels(FILE *out, const struct schedule_plot *plot,
		       const struct plot_matrix *matrix, text_of name)
{
	char text[NAME_TEXT];

	if (matrix->fold > 1 || matrix->rows > LABELS_MAX) {
		fputs("unset ytics\n", out);
		return;
	}
	fputs("set ytics scale 0 font ',9' ()\n", out);
	for (uint32_t i = 0; i < matrix->rows; i++) {
		fputs("set ytics add (", out);
		plot_quote(out, name(plot, i, text));
		fprintf(out, " %u)\n", i);
	}
}

/* The margin fits the longest name of both panels, so that their frames are aligned. */
static uint32_t margin(const struct schedule_plot *plot)
{
	char text[NAME_TEXT];
	size_t most = 4;

	for (uint32_t i = 0; i < plot->links.rows && plot->links.rows <= LABELS_MAX; i++)
		if (strlen(link_text(plot, i, text)) > most)
			most = strlen(text);
	for (uint32_t i = 0; i < plot->senders.rows && plot->senders.rows <= LABELS_MAX; i++)
		if (strlen(sender_text(plot, i, text)) > most)
			most = strlen(text);
	return (uint32_t)(most < LABEL_WIDTH ? most : LABEL_WIDTH) + 4;
}

/* 1: a bottleneck of the traffic, 2: one of the rest from this frame on, 0: neither */
static int bottleneck(const struct plot_matrix *matrix, uint32_t row, size_t at)
{
	if (row < matrix->marked_rows)
		return 1;
	return matrix->emerging && matrix->emerging[at] ? 2 : 0;
}

/* One palette has three scales: 2 to 3 for bottlenecks, 4 to 5 if they emerge, 0 to 1 else. */
static void write_cell(FILE *out, const struct plot_matrix *matrix, uint32_t row, uint32_t column)
{
	size_t at = (size_t)row * matrix->columns + column;

	if (!matrix->to)
		fprintf(out, "%.4g", matrix->cell[at] + 2 * bottleneck(matrix, row, at));
	else if (matrix->to[at] == LIQUID_NONE)
		fputs("NaN", out);
	else
		fprintf(out, "%" PRIu32, matrix->to[at]);
}

/* Pixels of a cell in each direction; 0: cells are drawn as shapes */
static uint32_t fineness(const struct plot_matrix *matrix)
{
	uint64_t cells = (uint64_t)matrix->rows * matrix->columns;
	uint32_t fine = cells > VECTOR_CELLS_MAX;

	while (fine && cells * (fine + 1) * (fine + 1) <= IMAGE_PIXELS)
		fine++;
	return fine;
}

static void write_matrix(FILE *out, const char *name, const struct plot_matrix *matrix)
{
	uint32_t fine = fineness(matrix) ? fineness(matrix) : 1;

	fprintf(out, "$%s << END\n", name);
	for (uint32_t r = 0; r < matrix->rows * fine; r++)
		for (uint32_t c = 0; c < matrix->columns * fine; c++) {
			write_cell(out, matrix, r / fine, c / fine);
			fputc(c + 1 < matrix->columns * fine ? ' ' : '\n', out);
		}
	fputs("END\n", out);
}

static void set_frames(FILE *out, const struct plot_matrix *matrix)
{
	fprintf(out, "set xrange [-0.5:%" PRIu64 ".5]\nset yrange [%u.5:-0.5]\n",
		(uint64_t)matrix->columns * matrix->frame_fold - 1, matrix->rows - 1);
	fprintf(out, "set xtics %s\n", matrix->columns <= 10 ? "1" : "autofreq");
	if (matrix->frame_fold > 1)
		fprintf(out, "set xlabel 'frame (%u a column)'\n", matrix->frame_fold);
	else
		fputs("set xlabel 'frame'\n", out);
}

static void write_panel(FILE *out, const char *name, const struct plot_matrix *matrix)
{
	uint32_t fine = fineness(matrix) ? fineness(matrix) : 1;

	fprintf(out, "plot $%s matrix using (($1+.5)/%u*%u-.5):(($2+.5)/%u-.5):3 with image%s "
		"notitle", name, fine, matrix->frame_fold, fine, fineness(matrix) ? "" : " pixels");
}

/* A panel that begins @above points below the picture's upper edge, with its title and axis */
static void place(FILE *out, uint32_t above, uint32_t height, uint32_t whole)
{
	fprintf(out, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
		1 - (above + TITLE) / (double)whole, 1 - (above + height - AXIS) / (double)whole);
}

/* Can a cell be partly in use? */
static bool has_shares(const struct schedule_plot *plot)
{
	for (uint32_t i = 0; i < plot->links.items; i++)
		if (liquid_fabric_capacity(plot->fabric, plot->links.item[i]) > 1)
			return true;
	return plot_matrix_is_folded(&plot->links);
}

/* A row of the key below a panel; @text has the number, and an s if that is not 1. */
static void add_key(FILE *out, const char *colour, uint32_t count, const char *text)
{
	if (!count)
		return;
	fprintf(out, ", NaN with points pt 5 ps 1.5 lc rgb '%s' title '", colour);
	fprintf(out, text, count, count == 1 ? "" : "s");
	fputc('\'', out);
}

/* @below: where the key is, as a share of the height */
static void write_links(FILE *out, const struct schedule_plot *plot, double below)
{
	const struct plot_matrix *links = &plot->links;

	fputs("set palette defined (0 '#eeeeee', 1 '#2b6cb0', 2 '#fbdcd6', 3 '#c51b20', "
	      "4 '#fdebc8', 5 '#dd8822')\nset cbrange [0:5]\n", out);
	fprintf(out, "set title 'links%s'\nset key at graph 0.5, screen %.5f center maxrows %d "
		"font ',10' samplen 1\n", has_shares(plot) ? ", by the share that is in use" : "",
		below, panel_width(plot) > KEY ? 1 : 2);
	set_labels(out, plot, links, link_text);
	set_frames(out, links);
	fputs("unset xlabel\n", out);	/* the key is there; the panel below has the same */
	write_panel(out, "links", links);
	add_key(out, "#c51b20", links->marked, "%u bottleneck%s");
	add_key(out, "#2b6cb0", links->items - links->marked, "%u other link%s");
	add_key(out, "#dd8822", links->emerged, "%u bottleneck%s of the rest");
	add_key(out, "#e4e4e4", 1, "pale: idle");
	fputs("\nunset key\n", out);
}

/* ---- receivers ---- */

static bool find_receivers(struct schedule_plot *plot)
{
	const struct plot_matrix *senders = &plot->senders;
	uint32_t hosts = liquid_schedule_host_count(plot->schedule);

	if (!senders->to)
		return true;
	plot->receives = calloc(hosts + (size_t)1, 1);
	if (!plot->receives)
		return false;
	for (size_t at = 0; at < (size_t)senders->rows * senders->columns; at++)
		if (senders->to[at] != LIQUID_NONE)
			plot->receives[senders->to[at]] = 1;
	plot->first = hosts;
	for (uint32_t h = 0; h < hosts; h++) {
		size_t letters = strlen(liquid_schedule_host_name(plot->schedule, h));

		if (!plot->receives[h])
			continue;
		plot->receivers++;
		plot->first = h < plot->first ? h : plot->first;
		plot->last = h;
		plot->letters = letters > plot->letters ? (uint32_t)letters : plot->letters;
	}
	plot->named = plot->receivers <= NAMED_MAX && plot->letters <= LABEL_WIDTH &&
		senders->columns * plot->letters * LETTER <= 2 * PIXELS_MAX;
	return true;
}

static void write_names(FILE *out, const struct schedule_plot *plot)
{
	const struct plot_matrix *senders = &plot->senders;

	for (uint32_t r = 0; r < senders->rows; r++)
		for (uint32_t c = 0; c < senders->columns; c++) {
			uint32_t to = senders->to[(size_t)r * senders->columns + c];

			if (to == LIQUID_NONE)
				continue;
			fputs("set label ", out);
			plot_quote(out, liquid_schedule_host_name(plot->schedule, to));
			fprintf(out, " at %u,%u center front font ',9'\n", c, r);
		}
}

/* The box of colours has the names of as many receivers as there is room for. */
static void write_key(FILE *out, const struct schedule_plot *plot)
{
	uint32_t range = plot->last - plot->first + 1, room = pixels(plot->senders.rows, 70) / 12;
	uint32_t step = (plot->receivers + room - 1) / room, nth = 0;

	fputs("set cbtics scale 0 font ',9' ()\n", out);
	for (uint32_t i = 0; i < range; i++)
		if (plot->receives[plot->first + i] && nth++ % step == 0) {
			fputs("set cbtics add (", out);
			plot_quote(out, liquid_schedule_host_name(plot->schedule, plot->first + i));
			fprintf(out, " %u.5)\n", plot->first + i);
		}
}

/* Neighbours differ by hue and brightness. */
static void set_colours(FILE *out, const struct schedule_plot *plot)
{
	uint32_t range = plot->last - plot->first + 1;

	fprintf(out, "nth(gray) = ceil(gray * %u - 0.001)\nset palette model HSV functions "
		"nth(gray) / %u., 0.45 + 0.1 * (int(nth(gray)) %% 2), "
		"0.95 - 0.12 * (int(nth(gray)) %% 3)\n"
		"set cbrange [%u:%u]\n", range, range, plot->last + 1, plot->first);
}

static void write_senders(FILE *out, const struct schedule_plot *plot)
{
	const struct plot_matrix *senders = &plot->senders;

	if (plot->receives) {
		set_colours(out, plot);
		fprintf(out, "set title 'senders: %s; white: idle'\n", plot->named ?
			"in each cell the receiver" : "a colour for each receiver");
		if (plot->named)
			write_names(out, plot);
		else
			write_key(out, plot);
	} else {
		fputs("set palette model RGB defined (0 '#eeeeee', 1 '#276749')\n"
		      "set cbrange [0:1]\nset cbtics autofreq\n"
		      "set title 'senders: the share of frames in which they send'\n", out);
	}
	set_labels(out, plot, senders, sender_text);
	set_frames(out, senders);
	write_panel(out, "senders", senders);
	fputc('\n', out);
}

/* Characters beside the panels, for the key of colours */
static uint32_t right_margin(const struct schedule_plot *plot)
{
	return plot->named ? 3 : plot->receives && plot->letters < LABEL_WIDTH ?
		plot->letters + 8 : 12;
}

static void write_head(FILE *out, const struct schedule_plot *plot, uint32_t width)
{
	const struct liquid_schedule_info *info = plot->info;
	char text[NAME_TEXT + 128], parts[64] = "";

	if (info->parts > 1)
		snprintf(parts, sizeof(parts), ", %g frames a message in %u parts",
			 (double)info->length / info->parts, info->parts);
	snprintf(text, sizeof(text), "%s: %" PRIu64 " transfer%s in %u frame%s (duration %u), %s%s",
		 info->fabric_name ? info->fabric_name : "schedule", info->transfers,
		 info->transfers == 1 ? "" : "s", info->length, info->length == 1 ? "" : "s",
		 info->duration, liquid_certificate_name(info->certificate), parts);
	fputs("set multiplot title ", out);
	plot_quote(out, text);
	fputs("\nunset colorbox\nset tics out nomirror\n", out);
	fprintf(out, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n",
		8. * margin(plot) / width, 1 - 8. * right_margin(plot) / width);
}

static void write_script(FILE *out, enum plot_kind kind, const void *data)
{
	const struct schedule_plot *plot = data;
	const struct plot_matrix *links = &plot->links, *senders = &plot->senders;
	uint32_t head = 30, upper = links->rows ? panel_height(links) : 0;
	uint32_t lower = panel_height(senders), height = head + upper + lower;
	uint32_t width = panel_width(plot) + 8 * (margin(plot) + right_margin(plot));

	plot_terminal(out, kind, width, height);
	if (links->rows)
		write_matrix(out, "links", links);
	write_matrix(out, "senders", senders);
	write_head(out, plot, width);
	if (links->rows) {
		place(out, head, upper, height);
		write_links(out, plot, 1 - (head + upper - 20.) / height);
	}
	place(out, head + upper, lower, height);
	if (!plot->named)
		fprintf(out, "set colorbox user origin %.5f,%.5f size %.5f,%.5f\n",
			1 - (8. * right_margin(plot) - 16) / width, (double)AXIS / height,
			14. / width, (lower - TITLE - AXIS) / (double)height);
	write_senders(out, plot);
	fputs("unset multiplot\n", out);
}

/* ---- CSV ---- */

static void csv_panel(FILE *out, const struct schedule_plot *plot, const char *kind,
		      const struct plot_matrix *matrix, text_of name)
{
	char text[NAME_TEXT];

	for (uint32_t r = 0; r < matrix->rows; r++)
		for (uint32_t c = 0; c < matrix->columns; c++) {
			size_t at = (size_t)r * matrix->columns + c;

			if (!(matrix->cell[at] > 0))
				continue;
			fprintf(out, "%s,%u,", kind, c * matrix->frame_fold);
			if (matrix->fold == 1)
				plot_csv_text(out, name(plot, r, text));
			else
				fprintf(out, "row %u", r);
			fprintf(out, ",%.6g,%d,", matrix->cell[at], bottleneck(matrix, r, at));
			if (matrix->to)
				plot_csv_text(out, liquid_schedule_host_name(plot->schedule,
									matrix->to[at]));
			fputc('\n', out);
		}
}

static void write_csv(FILE *out, const void *data)
{
	const struct schedule_plot *plot = data;

	fputs("kind,frame,name,share,bottleneck,to\n", out);
	csv_panel(out, plot, "link", &plot->links, link_text);
	csv_panel(out, plot, "sender", &plot->senders, sender_text);
}

/* ---- the picture ---- */

/* The traffic is counted from the frames, not taken from the schedule's header. */
static int make_links(struct schedule_plot *plot, struct liquid_error *err)
{
	struct liquid_traffic *traffic;
	int status;

	if (!plot->fabric)
		return LIQUID_OK;
	status = liquid_schedule_traffic(plot->schedule, NULL, &traffic, err);
	if (status)
		return status;
	status = plot_loads(plot->fabric, traffic, &plot->loads, err);
	if (!status)
		status = plot_matrix_links(plot->fabric, &plot->loads, plot->schedule,
					   &plot->links, err);
	liquid_traffic_free(traffic);
	return status;
}

int plot_schedule(const struct liquid_fabric *fabric, const struct liquid_schedule *schedule,
		  const char *path, enum plot_kind kind)
{
	struct schedule_plot plot = { .fabric = fabric, .schedule = schedule,
				      .info = liquid_schedule_info(schedule) };
	struct liquid_error err;
	int status, code;

	if (!plot.info->length)
		return complain(EXIT_BAD_INPUT, "the schedule has no frames: nothing to draw");
	status = make_links(&plot, &err);
	if (!status && (!plot_matrix_senders(schedule, &plot.senders) || !find_receivers(&plot)))
		status = liquid_no_memory(&err);
	code = status ? complain_of(status, &err) :
	       plot_write(path, kind, write_script, write_csv, &plot);
	plot_matrix_clear(&plot.links);
	plot_matrix_clear(&plot.senders);
	free(plot.loads.load);
	free(plot.receives);
	return code;
}
