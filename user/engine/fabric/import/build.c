// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names, hosts, switches and links of an imported fabric.
 *
 * All are sorted by name, so that the result does not depend on the node on which
 * ibnetdiscover ran. The name of a node is the first word of its description. A node's only
 * endpoint has the name of the node; several are named node/adapter/port. The adapter is
 * the second word of the description, or the GUID if two adapters of the node share it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "fabric/import/import.h"

/* ---- endpoints ---- */

static int compare_endpoints(const void *a, const void *b, void *context)
{
	const struct topo *topo = context;
	const struct topo_port *p = &topo->port[*(const uint32_t *)a];
	const struct topo_port *q = &topo->port[*(const uint32_t *)b];
	const struct topo_node *n = &topo->node[p->node], *m = &topo->node[q->node];
	int order = fabric_compare_names(n->node, m->node);

	if (!order)
		order = fabric_compare_names(n->adapter, m->adapter);
	if (!order && n->guid != m->guid)
		order = n->guid < m->guid ? -1 : 1;
	return order ? order : (int)p->number - (int)q->number;
}

bool import_same_node(const struct topo *topo, uint32_t p, uint32_t q)
{
	return !strcmp(topo->node[topo->port[p].node].node, topo->node[topo->port[q].node].node);
}

static bool is_endpoint(const struct topo *topo, uint32_t p)
{
	const struct topo_node *node = &topo->node[topo->port[p].node];
	const struct topo_port *peer = &topo->port[topo->port[p].peer];

	return node->kind == TOPO_ADAPTER && !node->left_out && !topo->node[peer->node].left_out;
}

/* Use the GUID for adapters of a node that share the second word or have none. */
static void name_adapters(struct topo *topo, const uint32_t *port, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct topo_node *one = &topo->node[topo->port[port[i - 1]].node];
		struct topo_node *next = &topo->node[topo->port[port[i]].node];

		if (one != next && !strcmp(one->adapter, next->adapter))
			one->tie = next->tie = true;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct topo_node *node = &topo->node[topo->port[port[i]].node];

		node->unnamed |= !node->adapter[0];
		if (node->tie || node->unnamed)
			snprintf(node->adapter, sizeof(node->adapter), "%016llx",
				 (unsigned long long)node->guid);
	}
}

/* Pass on an error of a function that builds the fabric, with the node's @line before it. */
static int at_line(const struct import *im, unsigned long line, int status,
		   const struct liquid_error *why)
{
	if (status != LIQUID_BAD_INPUT)
		return status ? liquid_fail(im->err, status, "%s", why->text) : LIQUID_OK;
	return liquid_fail(im->err, status, "%s:%lu: %s", im->given->topo_label, line, why->text);
}

static int add_endpoint(struct import *im, uint32_t p, bool only)
{
	struct topo_port *port = &im->topo.port[p];
	const struct topo_node *node = &im->topo.node[port->node];
	char name[2 * TOPO_WORD + 16];
	struct liquid_error why;

	if (only)
		snprintf(name, sizeof(name), "%s", node->node);
	else
		snprintf(name, sizeof(name), "%s/%s/%u", node->node, node->adapter, port->number);
	port->host = liquid_fabric_host_count(im->fabric);
	return at_line(im, port->line, liquid_fabric_add_host(im->fabric, name, &why), &why);
}

/* Add all endpoints of a node, or only the one of the requested rail. */
static int add_node_endpoints(struct import *im, const uint32_t *port, uint32_t count,
			      const struct import_rail *rail, struct liquid_names *without)
{
	const char *node = im->topo.node[im->topo.port[port[0]].node].node;
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < count && rail; i++)
		if (import_on_rail(im, port[i], rail))
			return add_endpoint(im, port[i], true);
	if (rail)
		return names_add(without, node, strlen(node)) ? liquid_no_memory(im->err) :
								LIQUID_OK;
	for (uint32_t i = 0; i < count && !status; i++)
		status = add_endpoint(im, port[i], count == 1);
	return status;
}

static void note_without_rail(struct import *im, const struct liquid_names *without)
{
	char names[FAULT_NAMES + 32];

	import_list_names(without->name, without->count, names);
	import_note(im, "%zu node%s no rail %s and %s left out: %s", without->count,
		    without->count == 1 ? " has" : "s have", im->rail,
		    without->count == 1 ? "is" : "are", names);
}

/* The index after the last endpoint of the node of that at @first */
static uint32_t node_end(const struct topo *topo, const uint32_t *port, uint32_t first,
			 uint32_t count)
{
	uint32_t end = first + 1;

	while (end < count && import_same_node(topo, port[first], port[end]))
		end++;
	return end;
}

static int add_endpoints(struct import *im, uint32_t *port, uint32_t count)
{
	struct liquid_names without = { 0 };
	struct topo *topo = &im->topo;
	struct import_rail rail;
	char number[RAIL_NUMBER];
	bool one = import_rail(im, number);
	int status;
	uint32_t end;

	qsort_r(port, count, sizeof(*port), compare_endpoints, topo);
	for (uint32_t i = 0; i < count; i = end) {
		end = node_end(topo, port, i, count);
		name_adapters(topo, port + i, end - i);
	}
	import_note_ties(im, port, count);
	status = one ? import_find_rail(im, port, count, &rail) : LIQUID_OK;
	if (!status)
		status = import_number_rails(im, port, count);
	for (uint32_t i = 0; i < count && !status; i = end) {
		end = node_end(topo, port, i, count);
		status = add_node_endpoints(im, port + i, end - i, one ? &rail : NULL, &without);
	}
	if (!status && without.count)
		note_without_rail(im, &without);
	liquid_names_clear(&without);
	if (!status && !liquid_fabric_host_count(im->fabric))
		status = liquid_fail(im->err, LIQUID_BAD_INPUT, "%s: no adapter's port has a cable",
				     im->given->topo_label);
	return status;
}

static int name_hosts(struct import *im)
{
	const struct topo *topo = &im->topo;
	uint32_t *port = malloc((topo->ports + 1) * sizeof(*port));
	uint32_t count = 0, left_out = 0;
	int status;

	if (!port)
		return liquid_no_memory(im->err);
	for (uint32_t p = 0; p < topo->ports; p++)
		if (is_endpoint(topo, p))
			port[count++] = p;
	for (uint32_t n = 0; n < topo->nodes; n++)
		left_out += topo->node[n].left_out;
	if (left_out)
		import_note(im, "%u aggregation nodes or routers are left out", left_out);
	status = add_endpoints(im, port, count);
	free(port);
	return status;
}

/* ---- switches ---- */

static int compare_switches(const void *a, const void *b, void *context)
{
	const struct topo *topo = context;
	const struct topo_node *n = &topo->node[*(const uint32_t *)a];
	const struct topo_node *m = &topo->node[*(const uint32_t *)b];
	int order = fabric_compare_names(n->node, m->node);

	return order || n->guid == m->guid ? order : n->guid < m->guid ? -1 : 1;
}

static int add_switch(struct import *im, struct topo_node *node, bool tie)
{
	char name[TOPO_WORD + 32];
	struct liquid_error why;

	if (tie || fabric_find_node(im->fabric, node->node) != LIQUID_NONE)
		snprintf(name, sizeof(name), "%s/%016llx", node->node,
			 (unsigned long long)node->guid);
	else
		snprintf(name, sizeof(name), "%s", node->node);
	node->sw = node->read_sw = liquid_fabric_switch_count(im->fabric);
	return at_line(im, node->line, liquid_fabric_add_switch(im->fabric, name, &why), &why);
}

static int name_switches(struct import *im)
{
	struct topo *topo = &im->topo;
	uint32_t *sw = malloc((topo->nodes + 1) * sizeof(*sw));
	bool before = false, after;
	uint32_t count = 0;
	int status = LIQUID_OK;

	if (!sw)
		return liquid_no_memory(im->err);
	for (uint32_t n = 0; n < topo->nodes; n++)
		if (topo->node[n].kind == TOPO_SWITCH)
			sw[count++] = n;
	qsort_r(sw, count, sizeof(*sw), compare_switches, topo);
	for (uint32_t i = 0; i < count && !status; i++, before = after) {
		after = i + 1 < count &&
			!strcmp(topo->node[sw[i]].node, topo->node[sw[i + 1]].node);
		status = add_switch(im, &topo->node[sw[i]], before || after);
	}
	free(sw);
	return status;
}

int import_names(struct import *import)
{
	int status = import_rename(import);

	if (!status)
		status = name_hosts(import);
	return status ? status : name_switches(import);
}

/* ---- links ---- */

/* Node of the fabric to which a port belongs, or LIQUID_NONE if that was left out. */
static uint32_t node_of(const struct import *im, const struct topo_port *port)
{
	const struct topo_node *node = &im->topo.node[port->node];

	if (node->kind == TOPO_SWITCH)
		return liquid_fabric_host_count(im->fabric) + node->sw;
	return port->host;
}

uint32_t import_cable_rate(const struct import *im, const struct topo_port *port)
{
	uint32_t other = im->topo.port[port->peer].rate;

	if (!port->rate || !other)
		return port->rate ? : other ? : import_unknown_rate(im);
	return port->rate < other ? port->rate : other;
}

struct cable {
	uint32_t node, peer_node;
	const struct topo_port *port, *peer;
};

static int compare_cables(const void *a, const void *b)
{
	const struct cable *c = a, *d = b;

	if (c->node != d->node)
		return c->node < d->node ? -1 : 1;
	return (int)c->port->number - (int)d->port->number;
}

/* Collect each cable once, by its smaller node, unless one of its ends was left out. */
static uint32_t collect_cables(struct import *im, struct cable *cable)
{
	const struct topo *topo = &im->topo;
	uint32_t count = 0, loops = 0;

	for (uint32_t p = 0; p < topo->ports; p++) {
		const struct topo_port *port = &topo->port[p], *peer = &topo->port[port->peer];
		struct cable c = { node_of(im, port), node_of(im, peer), port, peer };

		if (c.node == LIQUID_NONE || c.peer_node == LIQUID_NONE)
			continue;
		loops += c.node == c.peer_node;
		if (c.node < c.peer_node)
			cable[count++] = c;
	}
	if (loops)
		import_note(im, "%u switch ports lead back to their own switch and are left out",
			    loops);
	qsort(cable, count, sizeof(*cable), compare_cables);
	return count;
}

static int add_cables(struct import *im, struct cable *cable)
{
	uint32_t count = collect_cables(im, cable);
	int status = LIQUID_OK;

	im->rate = malloc((2 * (size_t)count + 1) * sizeof(*im->rate));
	if (!im->rate)
		return liquid_no_memory(im->err);
	for (uint32_t i = 0; i < count && !status; i++) {
		im->rate[2 * i] = im->rate[2 * i + 1] = import_cable_rate(im, cable[i].port);
		status = fabric_add_cable(im->fabric, cable[i].node, cable[i].port->number,
					  cable[i].peer_node, cable[i].peer->number, 1, im->err);
	}
	return status;
}

int import_links(struct import *import)
{
	struct cable *cable = malloc((import->topo.ports + 1) * sizeof(*cable));
	int status;

	if (!cable)
		return liquid_no_memory(import->err);
	status = add_cables(import, cable);
	free(cable);
	return status;
}
