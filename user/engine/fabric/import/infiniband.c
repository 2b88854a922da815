// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The importer of InfiniBand: ibnetdiscover's output, or a net file of ibsim, and a dump of
 * forwarding tables, if there is one.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/import/import.h"

/* ---- lines that are not output ---- */

/* "ibwarn: [6931] ...", "ibpanic: ...", "src/query_smp.c:195; ..." */
bool import_is_diagnostic(const struct line_reader *lines, struct import_diagnostics *seen)
{
	const char *text = lines->text, *source = strstr(text, ".c:");
	const char *after = source ? source + 3 + strspn(source + 3, "0123456789") : NULL;

	if (strncmp(text, "ibwarn: ", 8) && strncmp(text, "ibpanic: ", 9) &&
	    (!source || *after != ';' || text + strcspn(text, " \t") < source))
		return false;
	if (!seen->count++)
		seen->first = lines->number;
	return true;
}

void import_note_diagnostics(struct import *im, const char *label,
			     const struct import_diagnostics *seen)
{
	if (seen->count)
		import_note(im, "%s:%lu: %u line%s of diagnostics, not of output: is the file "
			    "whole? Redirect only stdout to it", label, seen->first, seen->count,
			    seen->count == 1 ? "" : "s");
}

/* ---- LIDs ---- */

bool import_is_left_out(const struct import *im, const struct topo_port *port)
{
	return port->host == LIQUID_NONE || im->out[port->host];
}

/* Neither the tables nor the links say which of the two a LID leads to. */
static void share_lid(struct import *im, const struct topo_port *port, uint32_t lid)
{
	struct lid_entry *entry = &im->lid[lid];

	if (!im->shared_lid) {
		im->shared_lid = lid;
		im->shared_line = port->line;
	}
	entry->shared = true;
	im->lack[port->host] = LACK_OWN_LID;
	if (entry->use != LID_OTHER)
		im->lack[im->topo.port[entry->owner].host] = LACK_OWN_LID;
}

/* A port with an LMC has several LIDs. What is left out has those that nothing else has. */
static void reserve_lids(struct import *im, const struct topo_port *port, uint32_t owner)
{
	bool out = import_is_left_out(im, port);

	for (uint32_t i = 0; i < 1u << port->lmc && port->lid + i < TOPO_LIDS; i++) {
		struct lid_entry *entry = &im->lid[port->lid + i];

		if (entry->use == LID_UNKNOWN && out)
			*entry = (struct lid_entry){ .use = LID_OTHER, .owner = LIQUID_NONE };
		else if (entry->use == LID_UNKNOWN)
			*entry = (struct lid_entry){ .use = i ? LID_ALIAS : LID_HOST,
						     .owner = owner,
						     .alias = i ? im->aliases++ : 0 };
		else if (out)
			entry->shared = true;
		else
			share_lid(im, port, port->lid + i);
	}
}

static void reserve_ports(struct import *im, bool left_out)
{
	const struct topo *topo = &im->topo;

	for (uint32_t p = 0; p < topo->ports; p++) {
		const struct topo_port *port = &topo->port[p];

		if (topo->node[port->node].kind == TOPO_SWITCH ||
		    import_is_left_out(im, port) != left_out)
			continue;
		if (port->lid)
			reserve_lids(im, port, p);
		else if (!left_out)
			im->lack[port->host] = LACK_LID;
	}
}

/* Find the owner of each LID. LID 0 means that the subnet manager has not seen the port. */
static int index_lids(struct import *im)
{
	const struct topo *topo = &im->topo;

	im->read_switches = im->fabric->switches;
	im->lid = calloc(TOPO_LIDS, sizeof(*im->lid));
	if (!im->lid)
		return liquid_no_memory(im->err);
	for (uint32_t n = 0; n < topo->nodes; n++)
		if (topo->node[n].kind == TOPO_SWITCH && topo->node[n].lid)
			im->lid[topo->node[n].lid].use = LID_OTHER;
	reserve_ports(im, false);
	reserve_ports(im, true);
	im->alias_port = calloc((size_t)im->aliases * im->read_switches + 1, 1);
	return im->alias_port ? LIQUID_OK : liquid_no_memory(im->err);
}

const char *import_rail(const struct import *import, char number[RAIL_NUMBER])
{
	const struct liquid_import *given = import->given;

	if (given->rail_name)
		return given->rail_name;
	snprintf(number, RAIL_NUMBER, "%u", given->rail);
	if (given->rail)
		return number;
	return given->like ? given->like->import.rail : NULL;
}

/* ---- the whole import ---- */

/* ibsim's net files have no rates. */
static bool no_rate_known(const struct import *im)
{
	for (uint32_t l = 0; l < im->fabric->links; l++)
		if (im->rate[l])
			return false;
	return true;
}

int import_infiniband(struct import *im)
{
	int status;

	if (!im->given->topo || im->given->dir || im->given->hosts)
		return import_misfit(im);
	im->no_tables = im->topo.bare = !im->given->lft;
	status = topo_read(&im->topo, im->given->topo, im->given->topo_label, im->err);
	if (status)
		return status;
	import_note_diagnostics(im, im->given->topo_label, &im->topo.diagnostics);
	status = import_names(im);
	if (!status)
		status = import_links(im);
	if (!status && im->no_tables)
		im->all_alike = no_rate_known(im);
	if (!status)
		status = import_leave_out(im);
	if (!status && !im->no_tables)
		status = index_lids(im);
	if (!status && !im->no_tables)
		status = import_lft(im);
	if (!status)
		status = import_select(im);
	return status || im->no_tables ? status : import_aliases(im);
}
