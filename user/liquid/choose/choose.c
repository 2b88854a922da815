// SPDX-License-Identifier: GPL-2.0-only
/* liquid choose: which nodes a job should get, so that its exchange is fast. */
#include <stdlib.h>
#include <string.h>

#include "choose/choose.h"
#include "commands.h"
#include "util/json.h"
#include "input/input.h"

#define MATRIX "matrix:"
#define LIST_NONE UINT32_MAX

struct choose {
	const char *fabric, *free, *traffic;
	uint64_t tasks, unit_bytes;
	uint32_t list;			/* enum ranks_format, or LIST_NONE: print all */
	struct liquid_choose_options options;
	bool json;
};

#define MEMBER(member) OPT_MEMBER(struct choose, member)

static const char *const traffics[] = { "alltoall", "mpi:alltoall", MATRIX, NULL };

static const struct opt choose_opts[] = {
	{ "FABRIC", 0, KIND_TEXT, MEMBER(fabric), .positional = true, .required = true,
	  .help = "the file of the fabric" },
	{ "count", 0, KIND_NUMBER, MEMBER(options.count), .min = 1, .required = true, .value = "N",
	  .help = "the number of nodes" },
	{ "free", 0, KIND_TEXT, MEMBER(free), .value = "LIST",
	  .help = "among these; by default among all" },
	{ "traffic", 0, KIND_TEXT, MEMBER(traffic), .words = traffics, .value = "TRAFFIC",
	  .help = "alltoall (the default), mpi:alltoall, or matrix:FILE" },
	{ "tasks-per-node", 0, KIND_NUMBER, MEMBER(tasks), .min = 1, .max = 1 << 16, .value = "N",
	  .help = "MPI ranks of each node" },
	{ "unit-bytes", 0, KIND_SIZE, MEMBER(unit_bytes), .min = 1, .value = "SIZE",
	  .help = "of a transfer, for a matrix" },
	{ "seed", 0, KIND_NUMBER, MEMBER(options.seed), .value = "N",
	  .help = "seed of the random choices" },
	{ "work", 0, KIND_NUMBER, MEMBER(options.work), .min = 1, .value = "N",
	  .help = "budget of the search, in steps along routes; by default 40000000" },
	{ "format", 0, KIND_CHOICE, MEMBER(list), .words = ranks_formats, .value = "FORMAT",
	  .help = "print only the nodes, as launchers read them" },
	OPT_JSON(struct choose),
	{ 0 }
};

static bool is_matrix(const struct choose *choose)
{
	return choose->traffic && !strncmp(choose->traffic, MATRIX, strlen(MATRIX));
}

static int check(const struct choose *choose)
{
	if (choose->traffic && !is_matrix(choose) && strcmp(choose->traffic, "alltoall") &&
	    strcmp(choose->traffic, "mpi:alltoall"))
		return usage_error("choose", "--traffic: expected alltoall, mpi:alltoall or "
				   "matrix:FILE, got '%s': a file of transfers names hosts that "
				   "are chosen already", choose->traffic);
	if (choose->unit_bytes && !is_matrix(choose))
		return usage_error("choose", "--unit-bytes goes with --traffic matrix:FILE");
	if (choose->json && choose->list != LIST_NONE)
		return usage_error("choose", "--json and --format exclude each other");
	return EXIT_OK;
}

/* ---- traffic: its hosts are places ---- */

static int read_places(const struct choose *choose, struct liquid_traffic **traffic)
{
	const char *path = choose->traffic + strlen(MATRIX);
	struct liquid_ranks ranks = {
		.count = choose->options.count, .tasks_per_host = choose->tasks,
		.unit_bytes = choose->unit_bytes,
	};
	struct liquid_error err;
	FILE *in;
	int status, code = open_input(path, &in);

	if (code)
		return code;
	status = liquid_ranks_read_matrix(in, input_label(path), &ranks, traffic, &err);
	close_input(in);
	return status ? complain_of(status, &err) : EXIT_OK;
}

/* ---- the choice ---- */

static int show(const struct choose *choose, const struct choice_view *view)
{
	struct ranks_args args = { .tasks = choose->tasks, .format = choose->list };

	if (choose->json)
		return print_json("liquid-choice", 1, choice_json(view));
	if (choose->list != LIST_NONE)
		return ranks_print(&args, view->fabric, view->choice->senders, view->choice->count);
	choice_print(view);
	return EXIT_OK;
}

static int choose_nodes(struct choose *choose, const struct liquid_fabric *fabric,
			const struct nodes *nodes)
{
	struct choice_view view = { .fabric = fabric };
	struct liquid_choice *choice;
	struct liquid_error err;
	int status, code;

	choose->options.senders = nodes->senders;
	choose->options.receivers = nodes->receivers;
	choose->options.candidates = nodes->count;
	status = liquid_choose(fabric, &choose->options, &choice, &err);
	if (status)
		return complain_of(status, &err);
	view.choice = choice;
	view.scale = is_matrix(choose) ? 1 : choose->tasks * choose->tasks;
	code = show(choose, &view);
	liquid_choice_free(choice);
	return code;
}

static int run_choose(int argc, char **argv)
{
	struct choose choose = { .tasks = 1,
				 .list = LIST_NONE };
	struct liquid_traffic *traffic = NULL;
	struct liquid_fabric *fabric = NULL;
	struct nodes nodes = { 0 };
	int code = take_options(argc, argv, choose_opts, &choose);

	if (!code)
		code = check(&choose);
	if (!code)
		code = read_fabric(choose.fabric, &fabric);
	if (!code)
		code = nodes_read(fabric, choose.free, &nodes);
	if (!code && is_matrix(&choose))
		code = read_places(&choose, &traffic);
	choose.options.traffic = traffic;
	if (!code)
		code = choose_nodes(&choose, fabric, &nodes);
	nodes_clear(&nodes);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	return code;
}

const struct command cmd_choose = {
	"choose", "choose nodes for a job", choose_opts, run_choose, NULL, NULL
};
