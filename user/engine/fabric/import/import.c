// SPDX-License-Identifier: LGPL-2.1-or-later
/* The table of importers, and what all of them use. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "fabric/import/import.h"

void import_note(struct import *import, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* If memory is short, the note is passed on but not kept in the fabric. */
	(void)names_add(&import->notes, text, strlen(text));
	if (import->given->note)
		import->given->note(import->given->context, text);
}

uint32_t import_unknown_rate(const struct import *import)
{
	const struct liquid_fabric *like = import->given->like;
	uint64_t bps = import->given->unknown_bps;

	return (uint32_t)((bps || !like ? bps : like->import.unknown_bps) / 1000000);
}

static void free_import(struct import *im)
{
	topo_free(&im->topo);
	free(im->lid);
	free(im->alias_port);
	free(im->lack);
	free(im->out);
	free(im->cut);
	free(im->rate);
	liquid_names_clear(&im->notes);
	liquid_names_clear(&im->names);
}

/* ---- the importers ---- */

struct importer {
	const char *name, *reads;
	/* Adds nodes, links and forwards to im->fabric, and selects what stays */
	int (*run)(struct import *im);
};

/* The first is the default. */
static const struct importer importers[] = {
	{ "infiniband", "ibnetdiscover's output and forwarding tables",
	  import_infiniband },
	{ "ethernet", "a directory of each switch, and the addresses of hosts",
	  import_ethernet },
	{ "edges", "lines A B [CAPACITY]", import_edges },
	{ "networkx", "JSON of node_link_data()", import_networkx },
	{ "dot", "a graph of graphviz", import_dot },
	{ "graphml", "a graph in GraphML", import_graphml },
};

#define IMPORTERS (sizeof(importers) / sizeof(importers[0]))

const char *liquid_importer_name(size_t index)
{
	return index < IMPORTERS ? importers[index].name : NULL;
}

static const struct importer *find_importer(const char *name)
{
	size_t i = 0;

	while (name && i < IMPORTERS && strcmp(importers[i].name, name))
		i++;
	return i < IMPORTERS ? &importers[i] : NULL;
}

int import_misfit(const struct import *im)
{
	const struct importer *importer = find_importer(im->given->from);

	return liquid_fail(im->err, LIQUID_BAD_INPUT, "import from %s: it reads %s, all of "
			   "that and nothing else", importer->name, importer->reads);
}

static int import_all(struct import *im)
{
	const struct importer *importer = find_importer(im->given->from);
	struct liquid_error why;
	int status;

	if (!importer)
		return liquid_fail(im->err, LIQUID_BAD_INPUT, "unknown importer '%s'",
				   im->given->from);
	status = liquid_fabric_new(im->given->name ? im->given->name : "imported", &im->fabric,
				   im->err);
	if (!status)
		status = importer->run(im);
	if (status)
		return status;
	status = liquid_fabric_finish(im->fabric, &why);
	return status ? liquid_fail(im->err, status, "%s: %s", im->given->lft_label, why.text) :
	       LIQUID_OK;
}

int liquid_fabric_import(const struct liquid_import *import, struct liquid_fabric **fabric,
			 struct liquid_error *err)
{
	struct liquid_import given = *import;
	struct import im = { .given = &given, .like = import->like, .err = err };
	int status;

	if (given.dir)
		given.topo_label = given.lft_label = given.dir;
	if (!given.lft)
		given.lft_label = given.topo_label;
	status = import_all(&im);
	free_import(&im);
	if (status) {
		liquid_fabric_free(im.fabric);
		im.fabric = NULL;
	}
	*fabric = im.fabric;
	return status;
}
