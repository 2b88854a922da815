// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl trial: what gates do on a few nodes, in one tarball. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "trial/trial.h"
#include "util/output.h"

#define SECONDS		420
#define WAIT_NS		UINT64_C(120000000000)
#define PORT		7117

#define MEMBER(member) OPT_MEMBER(struct trial, member)

static const struct opt trial_opts[] = {
	{ "nodes", 0, KIND_TEXT, MEMBER(nodes), .value = "LIST",
	  .help = "two to eight hosts or addresses, the same list on each" },
	{ "key", 0, KIND_TEXT, MEMBER(key), .value = "TEXT",
	  .help = "the same on each node, secret; by default $LIQUID_TRIAL_KEY" },
	{ "node", 0, KIND_TEXT, MEMBER(node), .value = "NAME",
	  .help = "of --nodes, which this is; by default the one with an address of this machine" },
	{ "device", 0, KIND_TEXT, MEMBER(device), .value = "DEV",
	  .help = "the net device to try; by default the one that reaches the first node" },
	{ "rate", 0, KIND_RATE, MEMBER(rate_bps), .min = 1, .value = "RATE",
	  .help = "of the device's link; by default as it reports" },
	{ "frame-time", 0, KIND_TIME, MEMBER(frame_ns), .min = 10000, .max = 1000000000,
	  .value = "TIME", .help = "of a frame; by default twenty times the guard" },
	{ "seconds", 0, KIND_NUMBER, MEMBER(seconds), .min = 1, .max = 3600, .value = "N",
	  .help = "of each of the four measurements; 420 by default" },
	{ "wait", 0, KIND_TIME, MEMBER(wait_ns), .min = 1000000000, .max = 3600000000000,
	  .value = "TIME", .help = "for all nodes to come together; 120s by default" },
	{ "port", 0, KIND_NUMBER, MEMBER(port), .min = 1024, .max = 65500, .value = "N",
	  .help = "the first of eleven that the nodes use; 7117 by default" },
	{ "output", 'o', KIND_TEXT, MEMBER(output), .value = "FILE",
	  .help = "the tarball, on the first node; liquid-trial.tar by default" },
	{ "show", 0, KIND_TEXT, MEMBER(show), .value = "FILE",
	  .help = "print the summary of a tarball, and do nothing else" },
	OPT_JSON(struct trial),
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

static int check(struct trial *trial)
{
	if (trial->json)
		return usage_error("trial", "--json goes with --show");
	if (!trial->nodes)
		return usage_error("trial", "--nodes or --show is needed");
	if (!trial->key)
		trial->key = getenv("LIQUID_TRIAL_KEY");
	if (!trial->key || strlen(trial->key) < TRIAL_KEY_MIN)
		return usage_error("trial", "--key: expected at least %u characters, as `uuidgen` "
				   "prints them", TRIAL_KEY_MIN);
	return check_nodes(trial);
}

/* The first node's machine has two processes: the conductor, and a node as all others are. */
static int run_both(const struct trial *trial)
{
	int code, status = 0, listener = trial_listen(trial);
	pid_t node;

	if (listener < 0)
		return EXIT_IO;
	fflush(NULL);
	node = fork();
	if (!node) {
		close(listener);
		_exit(trial_node(trial));
	}
	code = node < 0 ? complain(EXIT_IO, "cannot create a process") :
			  trial_conduct(trial, listener);
	if (node > 0 && waitpid(node, &status, 0) == node && !code)
		code = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_IO;
	return code;
}

static int run_nodes(struct trial *trial)
{
	int code = trial_find_self(trial);

	if (code)
		return code;
	if (trial->self)
		return trial_node(trial);
	code = output_check(&trial->output, 1);
	return code ? code : run_both(trial);
}

static int run_trial(int argc, char **argv)
{
	struct trial trial = {
		.seconds = SECONDS, .wait_ns = WAIT_NS, .port = PORT,
		.output = "liquid-trial.tar",
	};
	int code = take_options(argc, argv, trial_opts, &trial);

	if (code)
		return code;
	if (trial.show)
		return trial_report_show(trial.show, trial.json);
	code = check(&trial);
	if (!code)
		code = run_nodes(&trial);
	liquid_names_clear(&trial.names);
	return code;
}

const struct command cmd_trial = {
	"trial", "try gates on a few nodes, and pack what was measured", trial_opts, run_trial,
	NULL, NULL
};
