// SPDX-License-Identifier: GPL-2.0-only
/* liquid advise: the losses of an exchange on a fabric, and what to do about it, on a page. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "advise/advise.h"
#include "commands.h"
#include "util/json.h"
#include "util/output.h"

#define CLOCK_NS 5000u
#define WORK UINT64_C(10000000)
#define PAIR_BYTES_MAX (UINT64_C(1) << 40)	/* as the simulator takes them */

#define MEMBER(member) OPT_MEMBER(struct advise, member)

/* ADVISE_PAIRWISE and ADVISE_AT_ONCE */
static const char *const todays[] = { "pairwise", "all-at-once", NULL };

static const struct opt advise_opts[] = {
	{ "FABRIC|DUMP", 0, KIND_LIST, MEMBER(files), .positional = true,
	  .help = "the file of the fabric; or two dumps, in any order, as --topo and --lft" },
	OPT_DUMPS(struct advise, import),
	OPT_GROUP(struct advise, import, import_opts),
	OPT_GROUP(struct advise, traffic, traffic_opts),
	{ "message", 0, KIND_SIZE, MEMBER(message_bytes), .min = 1, .max = PAIR_BYTES_MAX,
	  .value = "BYTES", .help = "of a message, and a unit of a matrix; by default 128Ki" },
	{ "rate", 0, KIND_RATE, MEMBER(rate_bps), .min = 1, .max = UINT64_C(1) << 50,
	  .value = "BPS", .help = "of a link of capacity 1; by default the fabric's, or 100G" },
	{ "transport", 0, KIND_CHOICE, MEMBER(transport), .words = advise_transports,
	  .value = "NAME", .help = "that the exchange uses" },
	{ "token-latency", 0, KIND_TIME, MEMBER(token_ns), .min = 1, .max = 1000000000,
	  .value = "TIME", .help = "of a token on its way; by default 2us" },
	{ "clock-error", 0, KIND_TIME, MEMBER(clock_ns), .min = 1, .max = 1000000000,
	  .value = "TIME", .help = "of the hosts' clocks, for gates; by default 5us" },
	{ "work", 0, KIND_NUMBER, MEMBER(work), .min = 1, .value = "N",
	  .help = "of each simulation, in packets times links; by default 10000000" },
	{ "today", 0, KIND_CHOICE, MEMBER(today), .words = todays, .value = "ORDER",
	  .help = "in which programs send now: pairwise (the default), or all-at-once" },
	OPT_HTML(MEMBER(html)),
	OPT_JSON(struct advise),
	{ 0 }
};

/* ---- options ---- */

static bool is_matrix(const struct advise *advise)
{
	return advise->traffic.traffic && !strncmp(advise->traffic.traffic, "matrix:", 7);
}

/* Ranks of an all-to-all only make its messages longer: they go the same way, one by one. */
static void take_ranks(struct advise *advise)
{
	struct traffic_args *traffic = &advise->traffic;

	advise->tasks = 1;
	if (is_matrix(advise) || traffic->senders ||
	    (traffic->traffic && strcmp(traffic->traffic, "alltoall") &&
	     strcmp(traffic->traffic, "mpi:alltoall")))
		return;
	if (traffic->tasks_per_node)
		advise->tasks = traffic->tasks_per_node;
	traffic->traffic = NULL;
	traffic->tasks_per_node = 0;
	traffic->distribution = NULL;
}

/* Is it output of ibnetdiscover? By one of the lines that it begins with; an exit code */
static int find_topology(const char *path, bool *found)
{
	static const char *const begin[] = { "# Topology file", "vendid=", "Switch\t", "Ca\t",
					     NULL };
	struct stat st;
	char line[256];
	FILE *in;
	int code;

	/* What is no regular file can be read only once. */
	*found = false;
	if (!strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode)))
		return EXIT_OK;
	code = open_input(path, &in);
	if (code)
		return code;
	for (int i = 0; i < 20 && !*found && fgets(line, sizeof(line), in); i++)
		for (int j = 0; begin[j]; j++)
			*found |= !strncmp(line, begin[j], strlen(begin[j]));
	close_input(in);
	return EXIT_OK;
}

/* One is a fabric, or with the other of --topo and --lft a dump. Of two one is a topology. */
static int take_files(struct advise *advise)
{
	const struct opt_list *files = &advise->files;
	struct liquid_import *import = &advise->import;
	bool topology[2] = { false };
	int code = EXIT_OK;

	if (files->count > 2 ||
	    (files->count == 2 && (import->topo_label || import->lft_label)))
		return usage_error("advise", "more than a fabric, or two dumps");
	for (size_t i = 0; i < files->count && !code; i++)
		code = find_topology(files->text[i], &topology[i]);
	if (code)
		return code;
	if (files->count == 1 && (import->topo_label || import->lft_label || !topology[0]))
		advise->fabric = files->text[0];
	else if (files->count == 1)
		import->topo_label = files->text[0];
	if (files->count < 2)
		return EXIT_OK;
	if (topology[0] == topology[1])
		return complain(EXIT_BAD_INPUT, "of %s and %s one has to be ibnetdiscover's "
				"output, and the other forwarding tables", files->text[0],
				files->text[1]);
	import->topo_label = files->text[!topology[0]];
	import->lft_label = files->text[topology[0]];
	return EXIT_OK;
}

/* The fabric is a file, or is imported, with options that a file has kept. */
static int check_fabric(const struct advise *advise)
{
	const struct liquid_import *import = &advise->import;

	if (!advise->fabric && import->topo_label && !import->lft_label)
		return usage_error("advise", "missing the forwarding tables, the second dump");
	if (!advise->fabric && (!import->topo_label || !import->lft_label))
		return usage_error("advise", "missing FABRIC, or two dumps");
	if (advise->fabric && (import->topo_label || import->lft_label))
		return usage_error("advise", "FABRIC, or --topo and --lft, not both");
	if (advise->fabric && (import->name || import->rail_name || import->unit_bps ||
			       import->node_names_label || import->strip_domain ||
			       import->unknown_bps || import->leave_out ||
			       import->allow_unreachable))
		return usage_error("advise", "--name, --rail, --node-name-map, --strip-domain, "
				   "--unit-rate, --unknown-rate, --leave-out and "
				   "--allow-unreachable go with --topo and --lft");
	return EXIT_OK;
}

static int check(struct advise *advise)
{
	int code = take_files(advise);

	if (!code)
		code = check_fabric(advise);
	if (code)
		return code;
	take_ranks(advise);
	if (advise->tasks > 1 << 20 ||
	    advise->tasks * advise->tasks > PAIR_BYTES_MAX / advise->message_bytes)
		return usage_error("advise", "--tasks-per-node and --message make more than 2^40 "
				   "bytes from host to host");
	return check_traffic_args(&advise->traffic, "advise");
}

/* ---- inputs ---- */

static int read_inputs(struct advise *advise, struct liquid_fabric **fabric,
		       struct liquid_traffic **traffic)
{
	int code = advise->fabric ? read_fabric(advise->fabric, fabric) :
		import_dumps(&advise->import, fabric);

	if (code)
		return code;
	if (!advise->rate_bps)
		advise->rate_bps = simulate_rate(*fabric);
	advise->traffic.unit_bytes = advise->message_bytes;
	return read_traffic(&advise->traffic, *fabric, traffic);
}

/* ---- the page ---- */

static int tell(const struct advise *advise, const struct advise_facts *facts)
{
	struct advise_verdict verdict;
	struct advise_probes *probes = NULL;
	struct advise_scale scale;
	struct liquid_fabric *routed = NULL;
	struct advise_page page = { advise, facts, &scale, NULL, NULL, NULL };
	FILE *text = stdout;
	int code = advise_scale(advise, facts, &scale);

	if (!code)
		code = advise_probe(advise, facts, &scale, &probes, &routed);
	page.probes = probes;
	page.routed = routed;
	if (!code)
		advise_judge(&page, &verdict);
	if (!code && advise->html)
		code = advise_html(&page, &text);
	if (!code && advise->json)
		code = print_json("liquid-advice", 3, advise_json(&page));
	else if (!code && text == stdout)
		advise_print(&page);
	liquid_fabric_free(routed);
	advise_probes_free(probes);
	advise_scale_clear(&scale);
	return code;
}

static int run_advise(int argc, char **argv)
{
	struct advise advise = { .message_bytes = SIMULATE_MESSAGE_BYTES,
				 .token_ns = SIMULATE_TOKEN_NS, .clock_ns = CLOCK_NS,
				 .work = WORK };
	struct advise_facts facts = { 0 };
	struct liquid_traffic *traffic = NULL;
	struct liquid_fabric *fabric = NULL;
	int code = take_options(argc, argv, advise_opts, &advise);

	if (!code)
		code = check(&advise);
	if (!code && advise.html)
		code = output_check(&advise.html, 1);
	if (!code)
		code = read_inputs(&advise, &fabric, &traffic);
	if (!code)
		code = advise_facts(&facts, fabric, traffic);
	if (!code)
		code = tell(&advise, &facts);
	advise_facts_clear(&facts);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	free(advise.files.text);
	return code;
}

const struct command cmd_advise = {
	"advise", "show the losses of an exchange, and what to do", advise_opts, run_advise,
	NULL, NULL
};
