// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writing the mixed integer program of the paper's Appendix B as an LP file
 *
 * The printed program minimises T, but no constraint relates T to the frames. Here, the
 * binary variable y_f is 1 if frame f is in use, the sum of y is minimised, and frames are
 * used in order. If the number of frames is fixed, there are no y, and any solution is a
 * schedule. The binary variable x_p_f is 1 if pair p has a transfer in frame f. If all links
 * of a pair have capacities above 1, it is several pairs here (routes.h), each with at most
 * one transfer in a frame. The load of a link in a frame is at most its capacity.
 */
#include "export/export.h"

#define LINE_TERMS 8

struct milp {
	struct export export;
	bool fixed;			/* the number of frames is fixed; false: minimise it */
};

static void write_head(struct milp *milp)
{
	struct export *export = &milp->export;
	const struct routes *routes = export->routes;

	export_origin(export);
	if (milp->fixed) {
		export_note(export, "feasibility in %u frames: any solution is a schedule",
			    export->frames);
	} else {
		export_note(export, "fewest frames: y_f = 1 where frame f is in use; frames come "
			    "into use in order");
		export_note(export, "the first %u (the duration) are in use; %u are enough, "
			    "because such a schedule is known", routes->duration, export->frames);
	}
	export_note(export, "x_p_f = 1 where pair p has a transfer in frame f");
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		export_note(export, "pair %u: %s to %s, %u", pair,
			    liquid_fabric_node_name(export->fabric, routes->pairs[pair].src),
			    liquid_fabric_node_name(export->fabric, routes->pairs[pair].dst),
			    routes->pairs[pair].count);
}

static void write_term(FILE *out, const char *sign, uint32_t *terms)
{
	fputs((*terms)++ % LINE_TERMS ? " " : "\n ", out);
	if (*terms > 1)
		fputs(sign, out);
}

static void write_objective(struct milp *milp)
{
	FILE *out = milp->export.out;
	uint32_t terms = 0;

	fputs("Minimize\n obj:", out);
	if (milp->fixed || !milp->export.frames) {
		fputs(" 0 nothing\n", out);
		return;
	}
	for (uint32_t frame = 0; frame < milp->export.frames; frame++) {
		write_term(out, "+ ", &terms);
		fprintf(out, "y_%u", frame);
	}
	putc('\n', out);
}

static void write_pairs(struct milp *milp)
{
	const struct routes *routes = milp->export.routes;
	FILE *out = milp->export.out;

	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		uint32_t terms = 0;

		fprintf(out, " pair_%u:", pair);
		for (uint32_t frame = 0; frame < milp->export.frames; frame++) {
			write_term(out, "+ ", &terms);
			fprintf(out, "x_%u_%u", pair, frame);
		}
		fprintf(out, " = %u\n", routes->pairs[pair].count);
	}
}

static void write_link(struct milp *milp, uint32_t link, uint32_t frame)
{
	const struct routes_inverse *inverse = &milp->export.inverse;
	uint32_t capacity = milp->export.routes->capacity[link], terms = 0;
	FILE *out = milp->export.out;

	fprintf(out, " link_%u_%u:", link, frame);
	for (uint32_t i = inverse->first[link]; i < inverse->first[link + 1]; i++) {
		write_term(out, "+ ", &terms);
		fprintf(out, "x_%u_%u", inverse->pairs[i], frame);
	}
	if (milp->fixed)
		fprintf(out, " <= %u\n", capacity);
	else
		fprintf(out, " - %u y_%u <= 0\n", capacity, frame);
}

/* Links that cannot be overfull are written too: these constraints also set y_f. */
static void write_links(struct milp *milp)
{
	char name[2 * LIQUID_NAME_MAX + 32];

	for (uint32_t link = 0; link < milp->export.routes->link_count; link++) {
		export_note(&milp->export, "link %u: %s", link,
			    liquid_fabric_link_name(milp->export.fabric,
						    milp->export.routes->origin[link], name,
						    sizeof(name)));
		for (uint32_t frame = 0; frame < milp->export.frames; frame++)
			write_link(milp, link, frame);
	}
}

static void write_order(struct milp *milp)
{
	for (uint32_t frame = 1; !milp->fixed && frame < milp->export.frames; frame++) {
		if (frame < milp->export.routes->duration)
			fprintf(milp->export.out, " used_%u: y_%u = 1\n", frame - 1, frame - 1);
		else
			fprintf(milp->export.out, " order_%u: y_%u - y_%u >= 0\n", frame,
				frame - 1, frame);
	}
}

static void write_binaries(struct milp *milp)
{
	FILE *out = milp->export.out;

	fputs("Binary\n", out);
	for (uint32_t frame = 0; !milp->fixed && frame < milp->export.frames; frame++)
		fprintf(out, " y_%u\n", frame);
	for (uint32_t pair = 0; pair < milp->export.routes->pair_count; pair++)
		for (uint32_t frame = 0; frame < milp->export.frames; frame++)
			fprintf(out, " x_%u_%u\n", pair, frame);
}

/* Readers of LP files need a variable and a constraint even if there is no transfer. */
static void write_nothing(struct milp *milp)
{
	if (milp->fixed || !milp->export.frames)
		fputs(" none: nothing <= 0\n", milp->export.out);
}

static int write_model(struct milp *milp, struct liquid_error *err)
{
	int status = export_check_size(&milp->export, err);

	if (status)
		return status;
	write_head(milp);
	write_objective(milp);
	fputs("Subject To\n", milp->export.out);
	write_nothing(milp);
	write_pairs(milp);
	write_links(milp);
	write_order(milp);
	write_binaries(milp);
	fputs("End\n", milp->export.out);
	return export_flush(&milp->export, err);
}

/* Let the model have as many frames as a schedule that is made quickly. */
static int enough_frames(struct milp *milp, const struct liquid_traffic *traffic,
			 struct liquid_error *err)
{
	struct liquid_solve_options options = { .method = "first-fit" };
	struct liquid_schedule *schedule;
	int status = liquid_solve(milp->export.fabric, traffic, &options, &schedule, err);

	if (status)
		return status;
	milp->export.frames = liquid_schedule_info(schedule)->length;
	liquid_schedule_free(schedule);
	return LIQUID_OK;
}

int export_milp(const struct export *export, const struct liquid_traffic *traffic,
		struct liquid_error *err)
{
	struct milp milp = { .export = *export, .fixed = export->frames };
	int status = milp.fixed ? LIQUID_OK : enough_frames(&milp, traffic, err);

	return status ? status : write_model(&milp, err);
}
