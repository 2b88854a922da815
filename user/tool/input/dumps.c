// SPDX-License-Identifier: GPL-2.0-only
/* Importing a fabric from files, with the options that say how. */
#include "util/command.h"
#include "input/input.h"
#include "util/progress.h"

#define MEMBER(member) OPT_MEMBER(struct liquid_import, member)

const struct opt import_opts[] = {
	{ "name", 0, KIND_TEXT, MEMBER(name), .value = "NAME", .help = "of the fabric" },
	OPT_UNIT_RATE(MEMBER(unit_bps)),
	OPT_UNKNOWN_RATE(MEMBER(unknown_bps)),
	{ "leave-out", 0, KIND_TEXT, MEMBER(leave_out), .value = "LIST",
	  .help = "leave out these hosts, nodes, switches, cables (NODE:PORT) and rails "
		  "(rail:RAIL)" },
	{ "allow-unreachable", 0, KIND_FLAG, MEMBER(allow_unreachable),
	  .help = "leave out hosts that cannot be reached" },
	{ 0 }
};

static void print_note(void *context, const char *text)
{
	(void)context;
	complain(0, "note: %s", text);
}

int import_dumps(struct liquid_import *import, struct liquid_fabric **fabric)
{
	struct progress progress;
	struct liquid_error err;
	FILE *lft = NULL;
	int status, code = EXIT_OK;

	import->note = print_note;
	if (import->topo_label)
		code = open_input(import->topo_label, &import->topo);
	if (!code && import->lft_label)
		code = open_input(import->lft_label, &lft);
	if (!code && import->node_names_label)
		code = open_input(import->node_names_label, &import->node_names);
	if (!code) {
		import->lft = lft ? progress_begin(&progress, lft, import->lft_label) : NULL;
		status = liquid_fabric_import(import, fabric, &err);
		if (lft)
			progress_end(&progress, import->lft);
		code = status ? complain_of(status, &err) : EXIT_OK;
	}
	close_input(import->topo);
	close_input(lft);
	close_input(import->node_names);
	import->node_names = NULL;
	return code;
}
