// SPDX-License-Identifier: LGPL-2.1-or-later
/* From ibnetdiscover's output and a dump of forwarding tables to a fabric. */
#include <stdarg.h>
#include <stdlib.h>

#include "import.h"

#define PAIRS_NAMED 6			/* of those without a route */

static int reserve_lids(struct import *im, const struct topo_port *port, uint32_t owner)
{
	uint32_t lids = 1u << port->lmc;

	for (uint32_t i = 0; i < lids && port->lid + i < TOPO_LIDS; i++) {
		struct lid_entry *entry = &im->lid[port->lid + i];

		if (entry->use != LID_UNKNOWN)
			return liquid_fail(im->err, LIQUID_BAD_INPUT,
					   "%s:%lu: lid %u belongs to two ports",
					   im->given->topo_label, port->line, port->lid + i);
		*entry = (struct lid_entry){ LID_OTHER, false, LIQUID_NONE };
		/* With an LMC the base LID's route counts */
		if (!i && port->host != LIQUID_NONE)
			*entry = (struct lid_entry){ LID_HOST, false, owner };
	}
	return LIQUID_OK;
}

/* Who answers to each LID. LID 0 is a port that the subnet manager has not seen. */
static int index_lids(struct import *im)
{
	const struct topo *topo = &im->topo;
	int status = LIQUID_OK;

	im->lid = calloc(TOPO_LIDS, sizeof(*im->lid));
	if (!im->lid)
		return liquid_fail(im->err, LIQUID_NO_MEMORY, "out of memory");
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
			status = liquid_fail(im->err, LIQUID_BAD_INPUT,
					     "%s:%lu: %s has no lid: has a subnet manager run?",
					     im->given->topo_label, port->line,
					     liquid_fabric_node_name(im->fabric, port->host));
	}
	return status;
}

void import_note(const struct import *import, const char *format, ...)
{
	char text[512];
	va_list args;

	if (!import->given->note)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	import->given->note(import->given->context, text);
}

/* ---- pairs without a route ---- */

struct unreachable {
	uint64_t pairs, all;
	char names[700];
	size_t length;
};

static void name_pair(struct unreachable *found, const char *src, const char *dst)
{
	size_t room = sizeof(found->names) - found->length;

	if (found->pairs++ >= PAIRS_NAMED || room < 64)
		return;
	found->length += (size_t)snprintf(found->names + found->length, room, "%s %.100s>%.100s",
					  found->length ? "," : "", src, dst);
	if (found->length >= sizeof(found->names))
		found->length = sizeof(found->names) - 1;
}

static int check_reachable(const struct import *im)
{
	const struct liquid_fabric *fabric = im->fabric;
	struct unreachable found = { 0 };
	uint32_t path[LIQUID_PATH_MAX];

	for (uint32_t src = 0; src < fabric->hosts; src++)
		for (uint32_t dst = 0; dst < fabric->hosts; dst++) {
			if (src == dst)
				continue;
			found.all++;
			if (liquid_fabric_route(fabric, src, dst, path, NULL) < 0)
				name_pair(&found, fabric->host[src].name, fabric->host[dst].name);
		}
	if (!found.pairs)
		return LIQUID_OK;
	return liquid_fail(im->err, LIQUID_BAD_INPUT, "%s: %llu of %llu pairs have no route:%s%s",
			   im->given->lft_label, (unsigned long long)found.pairs,
			   (unsigned long long)found.all, found.names,
			   found.pairs > PAIRS_NAMED ? ", ..." : "");
}

/* ---- the whole way ---- */

static int import_all(struct import *im)
{
	struct liquid_error why;
	int status = topo_read(&im->topo, im->given->topo, im->given->topo_label, im->err);

	if (!status)
		status = liquid_fabric_new(im->given->name ? im->given->name : "imported",
					   &im->fabric, im->err);
	if (!status)
		status = import_names(im);
	if (!status)
		status = import_links(im);
	if (!status)
		status = index_lids(im);
	if (!status)
		status = import_lft(im);
	if (status)
		return status;
	status = liquid_fabric_finish(im->fabric, &why);
	if (status)
		return liquid_fail(im->err, status, "%s: %s", im->given->lft_label, why.text);
	return check_reachable(im);
}

int liquid_fabric_import(const struct liquid_import *import, struct liquid_fabric **fabric,
			 struct liquid_error *err)
{
	struct import im = { .given = import, .err = err };
	int status = import_all(&im);

	topo_free(&im.topo);
	free(im.lid);
	if (status) {
		liquid_fabric_free(im.fabric);
		im.fabric = NULL;
	}
	*fabric = im.fabric;
	return status;
}
