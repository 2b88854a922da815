// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl trial: the gain of an exchange by gates on a few nodes. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "trial/trial.h"

#define SECONDS		420
#define WAIT_NS		UINT64_C(120000000000)
#define PORT		7117

#define MEMBER(member) OPT_MEMBER(struct trial, member)

static const struct opt trial_opts[] = {
	{ "FILE", 0, KIND_LIST, MEMBER(files), .positional = true,
	  .help = "records to summarise, instead of a trial" },
	{ "nodes", 0, KIND_TEXT, MEMBER(nodes), .value = "LIST",
	  .help = "two to eight hosts or addresses on the network to try, the same on each" },
	{ "rate", 0, KIND_RATE, MEMBER(rate_bps), .min = 1, .value = "RATE",
	  .help = "of the device's link; by default as it reports" },
	{ "frame-time", 0, KIND_TIME, MEMBER(frame_ns), .min = 10000, .max = 1000000000,
	  .value = "TIME", .help = "of a frame; by default twenty times the guard" },
	{ "seconds", 0, KIND_NUMBER, MEMBER(seconds), .min = 1, .max = 3600, .value = "N",
	  .help = "of each of the four measurements; 420 by default" },
	{ "wait", 0, KIND_TIME, MEMBER(wait_ns), .min = 1000000000, .max = 3600000000000,
	  .value = "TIME", .help = "for all nodes to come together; 120s by default" },
	{ "port", 0, KIND_NUMBER, MEMBER(port), .min = 1024, .max = 65500, .value = "N",
	  .help = "that the nodes use, and the one after it; 7117 by default" },
	{ 0 }
};

static int check_nodes(struct trial *trial)
{
	struct liquid_error err;
	int status = liquid_hostlist_expand(trial->nodes, &trial->names, &err);

	if (status)
		return complain_of(status, &err);
	if (trial->names.count < 2 || trial->names.count > TRIAL_NODES_MAX)
		return usage_error("trial", "--nodes: expected 2 to %u, got %zu", TRIAL_NODES_MAX,
				   trial->names.count);
	for (size_t i = 0; i < trial->names.count; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(trial->names.name[i], trial->names.name[k]))
				return usage_error("trial", "--nodes: '%s' is there twice",
						   trial->names.name[i]);
	return EXIT_OK;
}

static int run(struct trial *trial)
{
	int code;

	if (trial->files.count)
		return trial->nodes ? usage_error("trial", "either --nodes, or files") :
				      trial_show(&trial->files);
	if (!trial->nodes)
		return usage_error("trial", "--nodes or a file is needed");
	code = check_nodes(trial);
	return code ? code : trial_measure(trial);
}

static int run_trial(int argc, char **argv)
{
	struct trial trial = { .seconds = SECONDS, .wait_ns = WAIT_NS, .port = PORT };
	int code = take_options(argc, argv, trial_opts, &trial);

	if (!code)
		code = run(&trial);
	liquid_names_clear(&trial.names);
	free(trial.files.text);
	return code;
}

const struct command cmd_trial = {
	"trial", "try gates on a few nodes, and summarise the measurements", trial_opts, run_trial,
	NULL, NULL
};
