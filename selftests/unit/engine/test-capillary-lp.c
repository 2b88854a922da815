// SPDX-License-Identifier: GPL-2.0-only
/* Capillary routing against the thesis' linear programs (sections 4.2.2 and 4.2.3), by glpsol. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "capillary/net.h"
#include "fixtures.h"
#include "tap.h"

#define NODES_MAX 24
#define LINKS_MAX (NODES_MAX * NODES_MAX)
#define FULL (1 - 1e-6)

static char model[] = "/tmp/liquid-capillary-XXXXXX", answer[64], command[256];

struct problem {
	uint32_t nodes, links;
	uint32_t from[LINKS_MAX], to[LINKS_MAX];
	bool gone[LINKS_MAX];
	double supply[NODES_MAX];
	double x[LINKS_MAX + 1];	/* of the last program; F behind the links */
};

/* @factor 0: maximise F; else keep it, and minimise the flow on @suspect. */
static void write_program(const struct problem *problem, double factor, const bool *suspect)
{
	FILE *out = fopen(model, "w");

	if (!out)
		exit(1);
	fprintf(out, "%s\n goal: %d F", factor > 0 ? "Minimize" : "Maximize", factor <= 0);
	for (uint32_t e = 0; e < problem->links; e++)
		fprintf(out, "\n + %d x%" PRIu32, suspect && suspect[e], e);
	fputs("\nSubject To\n", out);
	for (uint32_t v = 0; v < problem->nodes; v++) {
		fprintf(out, " n%" PRIu32 ": %+.17g F", v, 0 - problem->supply[v]);
		for (uint32_t e = 0; e < problem->links; e++)
			if (problem->from[e] == v || problem->to[e] == v)
				fprintf(out, "\n  %c x%" PRIu32, problem->from[e] == v ? '+' : '-',
					e);
		fputs(" = 0\n", out);
	}
	fputs("Bounds\n", out);
	if (factor > 0)
		fprintf(out, " F = %.17g\n", factor);
	for (uint32_t e = 0; e < problem->links; e++)
		fprintf(out, " 0 <= x%" PRIu32 " <= %d\n", e, !problem->gone[e]);
	fputs("End\n", out);
	fclose(out);
}

/* Columns are numbered as they come first: F, then the links. */
static void ask(struct problem *problem, double factor, const bool *suspect)
{
	char line[256];
	FILE *in;

	write_program(problem, factor, suspect);
	if (system(command)) {
		printf("Bail out! glpsol fails\n");
		exit(1);
	}
	in = fopen(answer, "r");
	while (in && fgets(line, sizeof(line), in)) {
		uint32_t column;
		double value;
		char state;

		if (sscanf(line, "j %" SCNu32 " %c %lf", &column, &state, &value) == 3)
			problem->x[column == 1 ? problem->links : column - 2] = value;
	}
	if (!in || fclose(in))
		exit(1);
}

/* The hunting loop; @suspect is the true bottlenecks then. Returns F. */
static double hunt(struct problem *problem, bool *suspect)
{
	double factor;
	bool dropped = true;

	ask(problem, 0, NULL);
	factor = problem->x[problem->links];
	for (uint32_t e = 0; e < problem->links; e++)
		suspect[e] = problem->x[e] > FULL;
	while (dropped && factor > 0) {
		dropped = false;
		ask(problem, factor, suspect);
		for (uint32_t e = 0; e < problem->links; e++)
			if (suspect[e] && problem->x[e] <= FULL) {
				suspect[e] = false;
				dropped = true;
			}
	}
	return factor;
}

/* Eqs. 16 to 18; true: something is left. */
static bool enclose(struct problem *problem, double factor, const bool *full)
{
	bool left = false;

	for (uint32_t v = 0; v < problem->nodes; v++)
		problem->supply[v] *= factor;
	for (uint32_t e = 0; e < problem->links; e++)
		if (full[e]) {
			problem->supply[problem->from[e]]--;
			problem->supply[problem->to[e]]++;
			problem->gone[e] = true;
		}
	for (uint32_t v = 0; v < problem->nodes; v++) {
		if (fabs(problem->supply[v]) < 1e-7)
			problem->supply[v] = 0;
		left |= problem->supply[v] != 0;
	}
	return left;
}

static void draw_links(struct dice *dice, struct problem *problem)
{
	uint32_t percent = 12 + roll(dice, 20);

	*problem = (struct problem){ .nodes = 10 + roll(dice, NODES_MAX - 9) };
	for (uint32_t a = 0; a < problem->nodes; a++)
		for (uint32_t b = 0; b < problem->nodes; b++)
			if (a != b && roll(dice, 100) < percent) {
				problem->from[problem->links] = a;
				problem->to[problem->links++] = b;
			}
}

/* ---- layers of a stream ---- */

static struct liquid_capillary *route(const struct problem *problem)
{
	struct liquid_capillary_options options = {
		.from = 1, .to = 2, .layers = 5,
	};
	struct liquid_capillary *capillary;
	struct liquid_fabric *fabric;
	struct liquid_error err;
	char name[16];

	must(liquid_fabric_new("network", &fabric, &err), &err);
	must(liquid_fabric_add_host(fabric, "h", &err), &err);
	for (uint32_t v = 0; v < problem->nodes; v++) {
		snprintf(name, sizeof(name), "n%" PRIu32, v);
		must(liquid_fabric_add_switch(fabric, name, &err), &err);
	}
	for (uint32_t e = 0; e < problem->links; e++)
		add_cable(fabric, problem->from[e] + 1, problem->to[e] + 1, 1);
	liquid_capillary(fabric, &options, &capillary, &err);
	liquid_fabric_free(fabric);
	return capillary;
}

static bool same_layer(const struct liquid_capillary_layer *layer, double factor,
		       const struct problem *problem, const bool *full)
{
	uint32_t count = 0, both = 0;

	for (uint32_t e = 0; e < problem->links; e++)
		count += full[e];
	for (uint32_t i = 0; i < layer->bottlenecks; i++)
		both += full[layer->bottleneck[i]];
	return count == layer->bottlenecks && both == count &&
	       fabs(layer->factor - factor) < 1e-6 * factor;
}

static void test_streams(uint32_t wanted)
{
	struct dice dice = { 200 };
	uint32_t layers = 0, same = 0, deep = 0;

	for (uint32_t done = 0; done < wanted; ) {
		struct liquid_capillary *capillary;
		struct problem problem;
		bool full[LINKS_MAX], more = true;

		draw_links(&dice, &problem);
		capillary = route(&problem);
		if (!capillary)
			continue;
		done++;
		problem.supply[0] = 1;
		problem.supply[1] = -1;
		for (uint32_t i = 0; i < capillary->layers && more; i++) {
			double factor = hunt(&problem, full);

			layers++;
			same += same_layer(&capillary->layer[i], factor, &problem, full);
			more = enclose(&problem, factor, full);
		}
		deep += capillary->layers > 2;
		liquid_capillary_free(capillary);
	}
	ok(same == layers && deep > wanted / 4, "%" PRIu32 " random networks: %" PRIu32 " of %"
	   PRIu32 " layers have the same factor and bottlenecks by the programs", wanted, same,
	   layers);
}

/* ---- several sources and sinks ---- */

static void draw_supplies(struct dice *dice, struct problem *problem)
{
	for (uint32_t i = 0; i < 6; i++) {
		uint32_t amount = 1 + roll(dice, 3);

		problem->supply[roll(dice, problem->nodes)] += amount;
		problem->supply[roll(dice, problem->nodes)] -= amount;
	}
}

static bool same_problem(struct problem *problem, double *factor)
{
	bool full[LINKS_MAX], found[LINKS_MAX];
	double other = hunt(problem, full);
	struct net net;

	if (!net_open(&net, problem->nodes, problem->links))
		exit(1);
	for (uint32_t e = 0; e < problem->links; e++) {
		net.from[e] = problem->from[e];
		net.to[e] = problem->to[e];
		net.capacity[e] = 1;
	}
	for (uint32_t v = 0; v < problem->nodes; v++)
		net.supply[v] = problem->supply[v];
	net_index(&net);
	*factor = net_grow(&net);
	net_bottlenecks(&net, found);
	net_close(&net);
	return fabs(*factor - other) < 1e-6 * fmax(1, other) &&
	       (other <= 0 || !memcmp(full, found, problem->links * sizeof(*full)));
}

static void test_many_sources(uint32_t wanted)
{
	struct dice dice = { 50 };
	uint32_t same = 0, done = 0;

	for (uint32_t i = 0; i < 10 * wanted && done < wanted; i++) {
		struct problem problem;
		double factor;
		bool agreed;

		draw_links(&dice, &problem);
		draw_supplies(&dice, &problem);
		agreed = same_problem(&problem, &factor);
		done += factor > 0;
		same += factor > 0 && agreed;
	}
	ok(done == wanted && same == wanted, "%" PRIu32 " problems of several sources and sinks: %"
	   PRIu32 " with the same factor and bottlenecks", done, same);
}

int main(void)
{
	int fd;

	if (system("glpsol --version >/dev/null 2>&1")) {
		ok(true, "# SKIP no glpsol");
		return tap_exit();
	}
	fd = mkstemp(model);
	if (fd < 0 || close(fd))
		return 1;
	snprintf(answer, sizeof(answer), "%s.answer", model);
	snprintf(command, sizeof(command), "glpsol --lp %s -w %s >/dev/null 2>&1", model, answer);
	test_streams(draws(80));
	test_many_sources(draws(24));
	unlink(model);
	unlink(answer);
	return tap_exit();
}
