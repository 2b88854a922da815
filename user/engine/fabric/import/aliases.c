// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Aliases of an imported fabric: the LIDs above the base LID of ports with an LMC
 *
 * An alias is named by its number among the LIDs of its port: HOST.1 has the LID after the base
 * LID. A LID that is routed as a lower one is not an alias: it adds nothing. One whose routes are
 * not complete, where those of the base LID are, is left out with a note.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/import/import.h"

/* An alias that stays */
struct kept {
	uint32_t host, number;
	char name[LIQUID_NAME_MAX + 1];
	uint32_t *link;			/* by switch: its routes */
};

struct aliases {
	struct import *import;
	const struct liquid_fabric *from;	/* the fabric that was selected */
	struct kept *kept;
	uint32_t count, first;		/* first: of the present host */
	uint32_t left_out;
	char left_name[LIQUID_NAME_MAX + 1];	/* one of them */
};

static uint32_t base_link(const struct aliases *aliases, uint32_t s, uint32_t host)
{
	return liquid_fabric_forward(aliases->from, s, host);
}

/* Does link[] lead from switch @s to @host? A loop leads on, until the whole fabric is checked. */
static bool leads(const struct aliases *aliases, const uint32_t *link, uint32_t s, uint32_t host)
{
	const struct liquid_fabric *from = aliases->from;

	for (uint32_t steps = 0; steps < LIQUID_PATH_MAX; steps++) {
		uint32_t to;

		if (link[s] == LIQUID_NONE)
			return false;
		to = from->link[link[s]].to;
		if (to < from->hosts)
			return to == host;
		s = to - from->hosts;
	}
	return true;
}

/* Switches without hosts need no route. */
static bool is_complete(const struct aliases *aliases, const uint32_t *link, uint32_t host)
{
	const struct liquid_fabric *from = aliases->from;

	for (uint32_t h = 0; h < from->hosts; h++) {
		uint32_t to = from->link[from->host[h].out].to;

		if (h != host && to >= from->hosts &&
		    base_link(aliases, to - from->hosts, host) != LIQUID_NONE &&
		    !leads(aliases, link, to - from->hosts, host))
			return false;
	}
	return true;
}

/* Fill in link[] by switch; false: some route is missing. */
static bool find_routes(const struct aliases *aliases, const struct lid_entry *entry,
			uint32_t host, uint32_t *link)
{
	const struct liquid_fabric *from = aliases->from;
	const struct import *im = aliases->import;

	for (uint32_t s = 0; s < from->switches; s++)
		link[s] = LIQUID_NONE;
	for (uint32_t n = 0; n < im->topo.nodes; n++) {
		const struct topo_node *node = &im->topo.node[n];
		uint32_t port;

		if (node->kind != TOPO_SWITCH || node->sw == LIQUID_NONE)
			continue;
		port = im->alias_port[(size_t)entry->alias * im->read_switches + node->read_sw];
		if (port)
			link[node->sw] = fabric_find_link(from, from->hosts + node->sw, port);
	}
	return is_complete(aliases, link, host);
}

/* Are these the routes of the base LID, or of another alias of the host? */
static bool is_known(const struct aliases *aliases, uint32_t host, const uint32_t *link)
{
	uint32_t switches = aliases->from->switches;
	bool base = true;

	for (uint32_t s = 0; s < switches; s++)
		base &= link[s] == base_link(aliases, s, host);
	for (uint32_t i = aliases->first; i < aliases->count && !base; i++)
		base = !memcmp(aliases->kept[i].link, link, switches * sizeof(*link));
	return base;
}

static int keep(struct aliases *aliases, const struct topo_port *port, uint32_t number)
{
	const struct lid_entry *entry = &aliases->import->lid[port->lid + number];
	struct kept *kept = &aliases->kept[aliases->count];
	bool named = fabric_alias_name(aliases->from, port->host, number, kept->name);

	kept->host = port->host;
	kept->number = number;
	kept->link = malloc(((size_t)aliases->from->switches + 1) * sizeof(*kept->link));
	if (!kept->link)
		return liquid_no_memory(aliases->import->err);
	if (find_routes(aliases, entry, port->host, kept->link) && named) {
		if (!is_known(aliases, port->host, kept->link)) {
			aliases->count++;
			return LIQUID_OK;
		}
	} else {
		aliases->left_out++;
		memcpy(aliases->left_name, kept->name, sizeof(kept->name));
	}
	free(kept->link);
	kept->link = NULL;
	return LIQUID_OK;
}

static int keep_all(struct aliases *aliases)
{
	const struct import *im = aliases->import;
	int status = LIQUID_OK;

	for (uint32_t p = 0; p < im->topo.ports && !status; p++) {
		const struct topo_port *port = &im->topo.port[p];

		if (port->host == LIQUID_NONE || !port->lid)
			continue;
		aliases->first = aliases->count;
		for (uint32_t i = 1; i < 1u << port->lmc && !status; i++)
			if (port->lid + i < TOPO_LIDS && im->lid[port->lid + i].use == LID_ALIAS)
				status = keep(aliases, port, i);
	}
	return status;
}

/* In the order of the hosts, whatever that of the topology is: files of a fabric are alike then. */
static int compare_kept(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* ---- the fabric with them ---- */

static int set_routes(const struct aliases *aliases, struct liquid_fabric *to)
{
	const struct import *im = aliases->import;
	struct liquid_error why;
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < aliases->count && !status; i++) {
		const uint32_t *link = aliases->kept[i].link;

		for (uint32_t s = 0; s < to->switches && !status; s++)
			if (link[s] != LIQUID_NONE)
				status = liquid_fabric_set_forward(to, s, aliases->from->hosts + i,
								   link[s], &why);
	}
	return status ? liquid_fail(im->err, status, "%s: %s", im->given->lft_label, why.text) :
	       LIQUID_OK;
}

static int make_fabric(const struct aliases *aliases)
{
	struct liquid_fabric *from = aliases->import->fabric, *to;
	struct liquid_error *err = aliases->import->err;
	struct fabric_import kept;
	int status = fabric_begin_copy(from, &to, err);

	for (uint32_t i = 0; i < aliases->count && !status; i++)
		status = fabric_add_alias(to, aliases->kept[i].name,
						 aliases->kept[i].host, err);
	if (!status)
		status = fabric_end_copy(from, to, err);
	for (uint32_t h = 0; h < from->hosts && !status; h++)
		status = fabric_copy_routes(from, h, to, h, err);
	if (!status)
		status = set_routes(aliases, to);
	if (status) {
		liquid_fabric_free(to);
		return status;
	}
	kept = to->import;
	to->import = from->import;
	to->notes = from->notes;
	from->import = kept;
	from->notes = (struct liquid_names){ 0 };
	liquid_fabric_free(from);
	aliases->import->fabric = to;
	return LIQUID_OK;
}

static int note_left_out(const struct aliases *aliases)
{
	struct import *im = aliases->import;
	char text[LIQUID_NAME_MAX + 128];

	if (!aliases->left_out)
		return LIQUID_OK;
	snprintf(text, sizeof(text), "%u LIDs above base LIDs have no complete routes and are left "
		 "out, such as %s", aliases->left_out, aliases->left_name);
	import_note(im, "%s", text);
	return im->fabric->notes.count < FABRIC_NOTES_MAX ?
	       fabric_add_note(im->fabric, text, im->err) : LIQUID_OK;
}

int import_aliases(struct import *import)
{
	struct aliases aliases = { .import = import, .from = import->fabric };
	int status;

	/* Version 1 has no aliases, and an import like one gives one of version 1. */
	if (!import->aliases || import->fabric->version == 1)
		return LIQUID_OK;
	aliases.kept = calloc((size_t)import->aliases + 1, sizeof(*aliases.kept));
	status = aliases.kept ? keep_all(&aliases) : liquid_no_memory(import->err);
	if (!status)
		status = note_left_out(&aliases);
	if (aliases.count)
		qsort(aliases.kept, aliases.count, sizeof(*aliases.kept), compare_kept);
	if (!status && aliases.count)
		status = make_fabric(&aliases);
	for (uint32_t i = 0; aliases.kept && i < aliases.count; i++)
		free(aliases.kept[i].link);
	free(aliases.kept);
	return status;
}
