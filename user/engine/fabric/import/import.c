// SPDX-License-Identifier: LGPL-2.1-or-later
/* From ibnetdiscover's output and a dump of forwarding tables to a fabric. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "fabric/import/import.h"

bool import_is_left_out(const struct import *im, const struct topo_port *port)
{
	return port->host == LIQUID_NONE || im->out[port->host];
}

/* Neither the tables nor the links tell which of the two a LID leads to. */
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
		return import_no_memory(im);
	for (uint32_t n = 0; n < topo->nodes; n++)
		if (topo->node[n].kind == TOPO_SWITCH && topo->node[n].lid)
			im->lid[topo->node[n].lid].use = LID_OTHER;
	reserve_ports(im, false);
	reserve_ports(im, true);
	im->alias_port = calloc((size_t)im->aliases * im->read_switches + 1, 1);
	return im->alias_port ? LIQUID_OK : import_no_memory(im);
}

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

int import_no_memory(const struct import *import)
{
	return liquid_fail(import->err, LIQUID_NO_MEMORY, "out of memory");
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

uint32_t import_unknown_rate(const struct import *import)
{
	const struct liquid_fabric *like = import->given->like;
	uint64_t bps = import->given->unknown_bps;

	return (uint32_t)((bps || !like ? bps : like->import.unknown_bps) / 1000000);
}

/* ---- the whole import ---- */

static int import_all(struct import *im)
{
	struct liquid_error why;
	int status = topo_read(&im->topo, im->given->topo, im->given->topo_label, im->err);

	if (!status)
		status = liquid_fabric_new(im->given->name ? im->given->name : "imported",
					   &im->fabric, im->err);
	if (!status) {
		import_note_diagnostics(im, im->given->topo_label, &im->topo.diagnostics);
		status = import_names(im);
	}
	if (!status) {
		im->lack = calloc(im->fabric->hosts + im->fabric->switches + 1, 1);
		status = im->lack ? import_links(im) : import_no_memory(im);
	}
	if (!status)
		status = import_leave_out(im);
	if (!status)
		status = index_lids(im);
	if (!status)
		status = import_lft(im);
	if (!status)
		status = import_select(im);
	if (!status)
		status = import_aliases(im);
	if (status)
		return status;
	status = liquid_fabric_finish(im->fabric, &why);
	return status ? liquid_fail(im->err, status, "%s: %s", im->given->lft_label, why.text) :
	       LIQUID_OK;
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

static int take_rates(struct import *im, const uint32_t *rate)
{
	uint32_t links = im->fabric->links;

	im->lack = calloc(im->fabric->hosts + im->fabric->switches + 1, 1);
	im->rate = malloc(((size_t)links + 1) * sizeof(*im->rate));
	if (!im->lack || !im->rate)
		return import_no_memory(im);
	for (uint32_t l = 0; l < links && rate; l++)
		im->rate[l] = rate[l] ? rate[l] : import_unknown_rate(im);
	im->all_alike = !rate;
	return LIQUID_OK;
}

int liquid_fabric_choose_unit(struct liquid_fabric **fabric, const uint32_t *rate_mbps,
			      const struct liquid_import *import, struct liquid_error *err)
{
	struct liquid_import given = *import;
	struct import im = { .given = &given, .fabric = *fabric, .err = err };
	int status = take_rates(&im, rate_mbps);

	given.lft_label = given.topo_label;
	if (!status)
		status = import_leave_out(&im);
	if (!status)
		status = import_select(&im);
	free_import(&im);
	*fabric = im.fabric;
	return status;
}

int liquid_fabric_import(const struct liquid_import *import, struct liquid_fabric **fabric,
			 struct liquid_error *err)
{
	struct import im = { .given = import, .like = import->like, .err = err };
	int status = import_all(&im);

	free_import(&im);
	if (status) {
		liquid_fabric_free(im.fabric);
		im.fabric = NULL;
	}
	*fabric = im.fabric;
	return status;
}
