// SPDX-License-Identifier: GPL-2.0-only
/* The picture of a schedule by gnuplot: frames by links, frames by senders. */
#include <ctype.h>
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
	PIXELS_MAX = 1200,		/* width and height of a panel */
};

struct schedule_plot {
	const struct liquid_fabric *fabric;	/* or NULL */
	const struct liquid_schedule *schedule;
	const struct liquid_schedule_info *info;
	struct plot_loads loads;
	struct plot_matrix links, senders;
};

static void arguments(enum plot_kind kind, char *argv[4])
{
	(void)kind;
	argv[0] = (char *)"gnuplot";
	argv[1] = (char *)"-d";		/* ignore the user's settings */
	argv[2] = (char *)"-";
}

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

/*
 * In single quotes gnuplot interprets only a quote and a newline. Without its fabric, a schedule
 * may have any text as the name of a host.
 */
static void quote(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', out);
		fputc(iscntrl((unsigned char)*text) ? '?' : *text, out);
	}
	fputc('\'', out);
}

static uint32_t pixels(uint32_t cells, uint32_t least)
{
	uint32_t wanted = cells > PIXELS_MAX / 14 ? PIXELS_MAX : 14 * cells;

	return wanted < least ? least : wanted;
}

static uint32_t panel_height(const struct plot_matrix *matrix)
{
	return pixels(matrix->rows, 100) + 90;
}

static void set_terminal(FILE *out, enum plot_kind kind, uint32_t width, uint32_t height)
{
	if (kind == PLOT_PNG)
		fprintf(out, "set terminal pngcairo noenhanced size %u,%u\n", width, height);
	else if (kind == PLOT_PDF)
		fprintf(out, "set terminal pdfcairo noenhanced size %.2f,%.2f\n", width / 100.,
			height / 100.);
	else
		fprintf(out, "set terminal svg noenhanced size %u,%u\n", width, height);
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
		quote(out, name(plot, i, text));
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

static void write_matrix(FILE *out, const char *name, const struct plot_matrix *matrix)
{
	fprintf(out, "$%s << END\n", name);
	for (uint32_t r = 0; r < matrix->rows; r++)
		for (uint32_t c = 0; c < matrix->columns; c++) {
			write_cell(out, matrix, r, c);
			fputc(c + 1 < matrix->columns ? ' ' : '\n', out);
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
	bool vector = (uint64_t)matrix->rows * matrix->columns <= VECTOR_CELLS_MAX;

	fprintf(out, "plot $%s matrix using ($1*%u+%.1f):2:3 with image%s notitle\n", name,
		matrix->frame_fold, (matrix->frame_fold - 1) / 2., vector ? " pixels" : "");
}

/* The y coordinate, 0 to 1, of a point @above pixels below the picture's upper edge */
static void place(FILE *out, uint32_t above, uint32_t height, uint32_t whole)
{
	fprintf(out, "set size 1,%.5f\nset origin 0,%.5f\n", (double)height / whole,
		1 - (double)(above + height) / whole);
}

/* Can a cell be partly in use? */
static bool has_shares(const struct schedule_plot *plot)
{
	for (uint32_t i = 0; i < plot->links.items; i++)
		if (liquid_fabric_capacity(plot->fabric, plot->links.item[i]) > 1)
			return true;
	return plot_matrix_is_folded(&plot->links);
}

static void write_links(FILE *out, const struct schedule_plot *plot)
{
	const struct plot_matrix *links = &plot->links;

	fputs("set palette defined (0 '#eeeeee', 1 '#2b6cb0', 2 '#fbdcd6', 3 '#c51b20', "
	      "4 '#fdebc8', 5 '#dd8822')\nset cbrange [0:5]\n", out);
	fprintf(out, "set title 'links: red: %u bottlenecks of %u links; ", links->marked,
		links->items);
	if (links->emerging)
		fprintf(out, "orange: %u emerge; ", links->emerged);
	fprintf(out, "pale: idle%s'\n", has_shares(plot) ? "; shade: the share in use" : "");
	set_labels(out, plot, links, link_text);
	set_frames(out, links);
	write_panel(out, "links", links);
}

/* The range of hues is that of the receivers' numbers. */
static void set_hues(FILE *out, const struct plot_matrix *senders)
{
	uint32_t least = LIQUID_NONE, most = 0;

	for (size_t at = 0; at < (size_t)senders->rows * senders->columns; at++) {
		if (senders->to[at] == LIQUID_NONE)
			continue;
		least = senders->to[at] < least ? senders->to[at] : least;
		most = senders->to[at] > most ? senders->to[at] : most;
	}
	fprintf(out, "set palette model HSV functions gray, 0.55, 0.9\nset cbrange [%u:%u]\n",
		least, most + 1);
}

static void write_senders(FILE *out, const struct schedule_plot *plot)
{
	const struct plot_matrix *senders = &plot->senders;

	if (senders->to) {
		set_hues(out, senders);
		fputs("set title 'senders: a colour a receiver; white: idle'\n", out);
	} else {
		fputs("set palette model RGB defined (0 '#eeeeee', 1 '#276749')\n"
		      "set cbrange [0:1]\n"
		      "set title 'senders: the share of frames in which they send'\n", out);
	}
	set_labels(out, plot, senders, sender_text);
	set_frames(out, senders);
	write_panel(out, "senders", senders);
}

static void write_head(FILE *out, const struct schedule_plot *plot)
{
	const struct liquid_schedule_info *info = plot->info;
	char text[NAME_TEXT + 128], parts[64] = "";

	if (info->parts > 1)
		snprintf(parts, sizeof(parts), ", %g frames a message in %u parts",
			 (double)info->length / info->parts, info->parts);
	snprintf(text, sizeof(text), "%s: %" PRIu64 " transfers in %u frames (duration %u), %s%s",
		 info->fabric_name ? info->fabric_name : "schedule", info->transfers, info->length,
		 info->duration, liquid_certificate_name(info->certificate), parts);
	fputs("set multiplot title ", out);
	quote(out, text);
	fputs("\nunset colorbox\nset tics out nomirror\n", out);
	fprintf(out, "set lmargin %u\nset rmargin 3\n", margin(plot));
}

static void write_script(FILE *out, enum plot_kind kind, const void *data)
{
	const struct schedule_plot *plot = data;
	const struct plot_matrix *links = &plot->links, *senders = &plot->senders;
	uint32_t head = 30, upper = links->rows ? panel_height(links) : 0;
	uint32_t lower = panel_height(senders), height = head + upper + lower;

	set_terminal(out, kind, pixels(senders->columns, 480) + 8 * margin(plot) + 80, height);
	if (links->rows)
		write_matrix(out, "links", links);
	write_matrix(out, "senders", senders);
	write_head(out, plot);
	if (links->rows) {
		place(out, head, upper, height);
		write_links(out, plot);
	}
	place(out, head + upper, lower, height);
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

const struct plot_subject plot_schedule_subject = {
	.program = "gnuplot",
	.package = "gnuplot-nox",
	.suffix = ".gp",
	.arguments = arguments,
	.write_script = write_script,
	.write_csv = write_csv,
};

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
	if (!status && !plot_matrix_senders(schedule, &plot.senders))
		status = liquid_no_memory(&err);
	code = status ? complain_of(status, &err) :
	       plot_write(path, kind, &plot_schedule_subject, &plot);
	plot_matrix_clear(&plot.links);
	plot_matrix_clear(&plot.senders);
	free(plot.loads.load);
	return code;
}
