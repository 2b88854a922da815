// SPDX-License-Identifier: LGPL-2.1-or-later
/* From ibnetdiscover's output and a dump of forwarding tables to a fabric. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/growth.h"
#include "fabric/hostlist.h"
#include "fabric/import/import.h"

static int reserve_lids(struct import *im, const struct topo_port *port, uint32_t owner)
{
	uint32_t lids = 1u << port->lmc;

	for (uint32_t i = 0; i < lids && port->lid + i < TOPO_LIDS; i++) {
		struct lid_entry *entry = &im->lid[port->lid + i];

		if (entry->use != LID_UNKNOWN)
			return liquid_fail(im->err, LIQUID_BAD_INPUT,
					   "%s:%lu: lid %u belongs to two ports",
					   im->given->topo_label, port->line, port->lid + i);
		*entry = (struct lid_entry){ LID_OTHER, false, LIQUID_NONE, 0 };
		/* A port with an LMC has several LIDs. */
		if (port->host != LIQUID_NONE)
			*entry = (struct lid_entry){ i ? LID_ALIAS : LID_HOST, false, owner,
						     i ? im->aliases++ : 0 };
	}
	return LIQUID_OK;
}

/* Find the owner of each LID. LID 0 means that the subnet manager has not seen the port. */
static int index_lids(struct import *im)
{
	const struct topo *topo = &im->topo;
	int status = LIQUID_OK;

	im->read_switches = im->fabric->switches;
	im->lid = calloc(TOPO_LIDS, sizeof(*im->lid));
	if (!im->lid)
		return import_no_memory(im);
	for (uint32_t n = 0; n < topo->nodes; n++)
		if (topo->node[n].kind == TOPO_SWITCH)
			im->lid[topo->node[n].lid].use = LID_OTHER;
	for (uint32_t p = 0; p < topo->ports && !status; p++) {
		const struct topo_port *port = &topo->port[p];

		if (topo->node[port->node].kind == TOPO_SWITCH)
			continue;
		if (port->lid)
			status = reserve_lids(im, port, p);
		else if (port->host != LIQUID_NONE)
			im->lack[port->host] = LACK_LID;
	}
	if (!status && im->aliases) {
		im->alias_port = calloc((size_t)im->aliases * im->read_switches + 1, 1);
		status = im->alias_port ? LIQUID_OK : import_no_memory(im);
	}
	return status;
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

int import_no_memory(const struct import *import)
{
	return liquid_fail(import->err, LIQUID_NO_MEMORY, "out of memory");
}

uint32_t import_rail(const struct import *import)
{
	const struct liquid_fabric *like = import->given->like;

	return import->given->rail || !like ? import->given->rail : like->import.rail;
}

/* ---- the whole import ---- */

static int import_all(struct import *im)
{
	struct liquid_error why;
	int status = topo_read(&im->topo, im->given->topo, im->given->topo_label, im->err);

	if (!status)
		status = liquid_fabric_new(im->given->name ? im->given->name : "imported",
					   &im->fabric, im->err);
	if (!status)
		status = import_names(im);
	if (!status) {
		im->lack = calloc(im->fabric->hosts + im->fabric->switches + 1, 1);
		status = im->lack ? import_links(im) : import_no_memory(im);
	}
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

int liquid_fabric_import(const struct liquid_import *import, struct liquid_fabric **fabric,
			 struct liquid_error *err)
{
	struct liquid_import given;
	struct import im = { .given = &given, .err = err };
	int status = growth_take(import, &given, sizeof(given), "liquid_import", err);

	if (!status)
		status = import_all(&im);
	topo_free(&im.topo);
	free(im.lid);
	free(im.alias_port);
	free(im.lack);
	free(im.rate);
	liquid_names_clear(&im.notes);
	if (status) {
		liquid_fabric_free(im.fabric);
		im.fabric = NULL;
	}
	*fabric = im.fabric;
	return status;
}
