// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Selecting the nodes and links that stay in an imported fabric.
 *
 * A large fabric in use always has faults. Faulty links that no route uses are left out with a
 * note. Other faults are reported in one error, unless the user leaves out what has them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "fabric/import/import.h"

enum { STAYS = 0, ASKED = 1, WITH_SWITCH, LACKING, ISOLATED };

struct selection {
	struct import *import;
	bool allow_unreachable;
	uint8_t *out;			/* the import's */
	struct import_walk walk;
	struct import_rates rates;
};

/* ---- what the user leaves out ---- */

/* Mark NAME, or all endpoints NAME/... of a node. Returns their number. */
static uint32_t mark_name(struct import *im, const char *name)
{
	const struct liquid_fabric *fabric = im->fabric;
	uint32_t node = fabric_find_node(fabric, name), found = 0;
	size_t length = strlen(name);

	if (node != LIQUID_NONE) {
		im->out[node] = ASKED;
		return 1;
	}
	for (uint32_t n = 0; n < fabric->hosts + fabric->switches; n++) {
		const char *other = liquid_fabric_node_name(fabric, n);

		if (strncmp(other, name, length) || other[length] != '/')
			continue;
		im->out[n] = ASKED;
		found++;
	}
	return found;
}

/* NODE:PORT, a cable between switches. If it is a host's, that host is left out. */
static bool mark_cable(struct import *im, const char *name)
{
	const struct liquid_fabric *fabric = im->fabric;
	const char *colon = strrchr(name, ':'), *port = colon ? colon + 1 : "";
	char node[LIQUID_NAME_MAX + 1];
	const struct liquid_link *link;
	uint32_t from, l;

	if (!*port || strlen(port) > 3 || port[strspn(port, "0123456789")] ||
	    colon - name > LIQUID_NAME_MAX)
		return false;
	snprintf(node, sizeof(node), "%.*s", (int)(colon - name), name);
	from = fabric_find_node(fabric, node);
	l = from == LIQUID_NONE ? LIQUID_NONE :
	    fabric_find_link(fabric, from, (uint32_t)strtoul(port, NULL, 10));
	if (l == LIQUID_NONE)
		return false;
	link = &fabric->link[l];
	if (link->from < fabric->hosts)
		im->out[link->from] = ASKED;
	if (link->to < fabric->hosts)
		im->out[link->to] = ASKED;
	if (link->from < fabric->hosts || link->to < fabric->hosts)
		return true;
	im->cut[l] = true;
	im->cut[fabric_find_link(fabric, link->to, link->to_port)] = true;
	return true;
}

/* rail:NAME, the endpoints of adapters of this name, or rail:N of the rail of this number */
static bool mark_rail(struct import *im, const char *name)
{
	bool number = !name[strspn(name, "0123456789")], found = false;

	for (uint32_t p = 0; p < im->topo.ports; p++) {
		const struct topo_port *port = &im->topo.port[p];

		if (port->host == LIQUID_NONE || !port->rail ||
		    (number ? port->rail != strtoul(name, NULL, 10) :
		     strcmp(im->topo.node[port->node].adapter, name)))
			continue;
		im->out[port->host] = ASKED;
		found = true;
	}
	return found;
}

static bool mark(struct import *im, const char *name)
{
	return mark_name(im, name) || mark_cable(im, name) ||
	       (!strncmp(name, "rail:", 5) && mark_rail(im, name + 5));
}

struct unknown {
	char names[FAULT_NAMES];	/* names to leave out that the fabric does not have */
	uint32_t count;
};

static void name_unknown(struct unknown *unknown, const char *name)
{
	size_t length = strlen(unknown->names);

	if (length + strlen(name) + 3 < sizeof(unknown->names))
		snprintf(unknown->names + length, sizeof(unknown->names) - length, "%s%s",
			 length ? "," : "", name);
	unknown->count++;
}

static int mark_list(struct import *im, const char *list)
{
	struct unknown unknown = { "", 0 };
	struct liquid_error why;
	struct liquid_names names;
	int status = liquid_hostlist_expand(list, &names, &why);

	if (status)
		return liquid_fail(im->err, status, "leave-out list: %s", why.text);
	for (size_t i = 0; i < names.count; i++)
		if (!mark(im, names.name[i]))
			name_unknown(&unknown, names.name[i]);
	liquid_names_clear(&names);
	if (unknown.count)
		return liquid_fail(im->err, LIQUID_BAD_INPUT,
				   "%s: cannot leave out unknown hosts, switches, cables or rails: "
				   "%s%s",
				   im->given->topo_label, unknown.names,
				   unknown.count > 1 ? " ..." : "");
	return LIQUID_OK;
}

/* Leave out hosts whose switch is left out. */
static void mark_with_switch(struct import *im)
{
	const struct liquid_fabric *fabric = im->fabric;

	for (uint32_t h = 0; h < fabric->hosts; h++)
		if (!im->out[h] && im->out[fabric->link[fabric->host[h].out].to] == ASKED)
			im->out[h] = WITH_SWITCH;
}

static void note_cut(struct import *im)
{
	const struct liquid_fabric *fabric = im->fabric;
	char name[LIQUID_NAME_MAX + 16], names[FAULT_NAMES + 32];
	struct liquid_names cut = { 0 };

	for (uint32_t l = 0; l < fabric->links; l++) {
		const struct liquid_link *link = &fabric->link[l];

		if (!im->cut[l] || link->from > link->to)
			continue;
		snprintf(name, sizeof(name), "%s:%u", liquid_fabric_node_name(fabric, link->from),
			 link->from_port);
		/* if memory is short, only the note is lost */
		(void)names_add(&cut, name, strlen(name));
	}
	import_list_names(cut.name, cut.count, names);
	if (cut.count)
		import_note(im, "%zu cable%s left out as asked: %s", cut.count,
			    cut.count == 1 ? "" : "s", names);
	liquid_names_clear(&cut);
}

/* Names that an earlier import left out need not exist any more, those given now must. */
int import_leave_out(struct import *im)
{
	const struct liquid_import *given = im->given;
	const struct liquid_names *before = given->like ? &given->like->import.left_out : NULL;
	char names[FAULT_NAMES + 32];
	int status;

	im->out = calloc(im->fabric->hosts + im->fabric->switches + 1, 1);
	im->lack = calloc(im->fabric->hosts + im->fabric->switches + 1, 1);
	im->cut = calloc((size_t)im->fabric->links + 1, sizeof(*im->cut));
	if (!im->out || !im->lack || !im->cut)
		return liquid_no_memory(im->err);
	for (size_t i = 0; before && i < before->count; i++)
		mark(im, before->name[i]);
	status = given->leave_out ? mark_list(im, given->leave_out) : LIQUID_OK;
	if (status)
		return status;
	mark_with_switch(im);
	if (import_list(im, im->out, ASKED, names))
		import_note(im, "left out as asked: %s", names);
	if (import_list(im, im->out, WITH_SWITCH, names))
		import_note(im, "left out with the switch of their cable: %s", names);
	note_cut(im);
	return LIQUID_OK;
}

/* ---- nodes without routes ---- */

/* Leave out hosts without a LID or a row before routes are followed. */
static void mark_lacking(struct selection *s)
{
	struct import *im = s->import;

	for (uint32_t h = 0; h < im->fabric->hosts; h++) {
		if (s->out[h])
			im->lack[h] = LACK_NOTHING;
		else if (im->lack[h] != LACK_NOTHING)
			s->out[h] = LACKING;
	}
}

static void note_lacking(struct selection *s)
{
	struct import *im = s->import;
	char names[FAULT_NAMES + 32];

	if (import_list(im, im->lack, LACK_LID, names))
		import_note(im, "left out because they have no lid: %s", names);
	if (import_list(im, im->lack, LACK_OWN_LID, names))
		import_note(im, "left out because they share a lid: %s", names);
	if (import_list(im, im->lack, LACK_ROW, names))
		import_note(im, "left out because no table has their lid: %s", names);
	if (import_list(im, s->walk.blamed, 1, names))
		import_note(im, "not used by routes because they have no table: %s", names);
}

static bool mark_isolated(struct selection *s)
{
	struct import *im = s->import;
	char names[FAULT_NAMES + 32];

	for (uint32_t h = 0; h < im->fabric->hosts; h++)
		if (!s->out[h] && !s->walk.from[h] && !s->walk.to[h] && s->walk.pairs)
			s->out[h] = ISOLATED;
	if (!import_list(im, s->out, ISOLATED, names))
		return false;
	import_note(im, "left out because no route leads from or to them: %s", names);
	return true;
}

static int check_left(const struct selection *s)
{
	const struct liquid_fabric *fabric = s->import->fabric;

	for (uint32_t h = 0; h < fabric->hosts; h++)
		if (!s->out[h] || (s->out[h] == LACKING && !s->allow_unreachable))
			return LIQUID_OK;
	return liquid_fail(s->import->err, LIQUID_BAD_INPUT, "%s: no host is left",
			   s->import->given->topo_label);
}

/* ---- capacities ---- */

static void note_slow(struct selection *s, const uint8_t *is, uint32_t fast, uint64_t common,
		      const char *names)
{
	double gain = import_price(s->import, is, 1, s->rates.unit_bps,
				   UINT64_C(1000000) * s->rates.common);
	char price[96] = "";

	if (gain > 1.005)
		snprintf(price, sizeof(price), "; without (--leave-out) an all-to-all is x%.2f as "
			 "fast", gain);
	import_note(s->import, "slower than the %u hosts of capacity %llu: %s%s", fast,
		    (unsigned long long)common, names, price);
}

/* Note the hosts whose capacity differs from that of most hosts. */
static void note_fast(struct selection *s)
{
	struct import *im = s->import;
	uint32_t hosts = im->fabric->hosts, fast = 0, nodes = hosts + im->fabric->switches;
	uint64_t common = UINT64_C(1000000) * s->rates.common / (s->rates.unit_bps ? : 1);
	uint8_t *is = calloc(nodes + 1, 1);
	char names[FAULT_NAMES + 32];

	if (!is || s->rates.slowest || im->all_alike) {
		free(is);
		return;		/* if memory is short, only the note is lost */
	}
	for (uint32_t h = 0; h < hosts; h++) {
		uint32_t capacity = import_capacity(im, &s->rates, im->fabric->host[h].out);

		if (s->out[h])
			continue;
		is[h] = capacity < common ? 1 : capacity > common ? 2 : 0;
		fast += capacity == common;
	}
	if (import_list(im, is, 1, names))
		note_slow(s, is, fast, common, names);
	if (import_list(im, is, 2, names))
		import_note(im, "faster than the %u hosts of capacity %llu: %s", fast,
			    (unsigned long long)common, names);
	free(is);
}

static void set_capacities(struct selection *s)
{
	struct import *im = s->import;
	uint64_t rate, rounded = 0, idle = 0;
	char unit[RATE_TEXT];

	for (uint32_t l = 0; l < im->fabric->links; l++) {
		rate = UINT64_C(1000000) * im->rate[l];
		im->fabric->link[l].capacity = import_capacity(im, &s->rates, l);
		if (im->cut[l] || s->out[im->fabric->link[l].from] ||
		    s->out[im->fabric->link[l].to])
			continue;
		if (!im->fabric->link[l].capacity)
			idle++;
		else if (im->fabric->link[l].to >= im->fabric->hosts || !s->rates.slowest)
			rounded += rate % s->rates.unit_bps != 0;
	}
	import_rate_text(s->rates.unit_bps, unit);
	if (rounded)
		import_note(im, "the rates of %llu cables are not multiples of a unit, %s bit/s; "
			    "their capacity is rounded down", (unsigned long long)rounded / 2,
			    unit);
	if (idle)
		import_note(im, "%llu cables that no route uses are slower than a unit, %s bit/s, "
			    "and are left out", (unsigned long long)idle / 2, unit);
}

/* ---- the fabric of what stays ---- */

static bool stays(const struct selection *s, uint32_t link)
{
	const struct liquid_link *l = &s->import->fabric->link[link];

	return l->capacity && !s->import->cut[link] && !s->out[l->from] && !s->out[l->to];
}

static bool all_stay(const struct selection *s)
{
	const struct liquid_fabric *fabric = s->import->fabric;

	for (uint32_t n = 0; n < fabric->hosts + fabric->switches; n++)
		if (s->out[n])
			return false;
	for (uint32_t l = 0; l < fabric->links; l++)
		if (!stays(s, l))
			return false;
	return true;
}

/* New numbers of nodes and links; LIQUID_NONE: left out */
struct renumbering {
	uint32_t *node, *link;
};

static int copy_nodes(const struct selection *s, struct liquid_fabric *to, uint32_t *number)
{
	const struct liquid_fabric *from = s->import->fabric;
	int status = LIQUID_OK;

	for (uint32_t n = 0; n < from->hosts + from->switches && !status; n++) {
		const char *name = liquid_fabric_node_name(from, n);

		number[n] = LIQUID_NONE;
		if (s->out[n])
			continue;
		number[n] = to->hosts + to->switches;
		status = n < from->hosts ? liquid_fabric_add_host(to, name, s->import->err) :
					   liquid_fabric_add_switch(to, name, s->import->err);
	}
	return status;
}

static int copy_links(const struct selection *s, struct liquid_fabric *to,
		      const struct renumbering *new)
{
	const struct liquid_fabric *from = s->import->fabric;
	int status = LIQUID_OK;

	for (uint32_t l = 0; l < from->links && !status; l++) {
		struct liquid_link link = from->link[l];

		new->link[l] = LIQUID_NONE;
		if (!stays(s, l))
			continue;
		link.from = new->node[link.from];
		link.to = new->node[link.to];
		new->link[l] = to->links;
		status = liquid_fabric_add_link(to, &link, s->import->err);
	}
	return status;
}

static int copy_table(const struct selection *s, uint32_t sw, struct liquid_fabric *to,
		      const struct renumbering *new)
{
	const struct liquid_fabric *from = s->import->fabric;
	uint32_t number = new->node[from->hosts + sw], link;
	int status = LIQUID_OK;

	for (uint32_t h = 0; h < from->hosts && !status; h++) {
		link = liquid_fabric_forward(from, sw, h);
		if (link != LIQUID_NONE && new->link[link] != LIQUID_NONE &&
		    new->node[h] != LIQUID_NONE)
			status = liquid_fabric_set_forward(to, number - to->hosts, new->node[h],
							   new->link[link], s->import->err);
	}
	return status;
}

static int copy_all(const struct selection *s, struct liquid_fabric *to,
		    const struct renumbering *new)
{
	const struct liquid_fabric *from = s->import->fabric;
	int status = copy_nodes(s, to, new->node);

	if (!status)
		status = copy_links(s, to, new);
	for (uint32_t sw = 0; sw < from->switches && !status; sw++)
		if (new->node[from->hosts + sw] != LIQUID_NONE)
			status = copy_table(s, sw, to, new);
	return status;
}

/* The topology names the nodes of the fabric that is left. */
static void renumber_topo(struct topo *topo, const struct liquid_fabric *from,
			  const struct liquid_fabric *to, const uint32_t *number)
{
	for (uint32_t p = 0; p < topo->ports; p++)
		if (topo->port[p].host != LIQUID_NONE)
			topo->port[p].host = number[topo->port[p].host];
	for (uint32_t n = 0; n < topo->nodes; n++) {
		struct topo_node *node = &topo->node[n];

		if (node->sw != LIQUID_NONE)
			node->sw = number[from->hosts + node->sw];
		if (node->sw != LIQUID_NONE)
			node->sw -= to->hosts;
	}
}

static int copy_rest(const struct selection *s)
{
	const struct liquid_fabric *from = s->import->fabric;
	struct liquid_fabric *to;
	struct renumbering new = {
		.node = malloc((from->hosts + from->switches + 1) * sizeof(*new.node)),
		.link = malloc((from->links + 1) * sizeof(*new.link)),
	};
	int status = liquid_fabric_new(from->name, &to, s->import->err);

	if (!status && (!new.node || !new.link))
		status = liquid_no_memory(s->import->err);
	if (!status)
		status = copy_all(s, to, &new);
	if (!status)
		renumber_topo(&s->import->topo, from, to, new.node);
	free(new.node);
	free(new.link);
	if (status) {
		liquid_fabric_free(to);
		return status;
	}
	liquid_fabric_free(s->import->fabric);
	s->import->fabric = to;
	return LIQUID_OK;
}

/* ---- keeping the options in the fabric, so that the import can be repeated ---- */

static int record_left_out(const struct selection *s)
{
	const struct liquid_import *given = s->import->given;
	const struct liquid_names *before = given->like ? &given->like->import.left_out : NULL;
	struct liquid_fabric *fabric = s->import->fabric;
	struct liquid_names names = { 0 };
	int status = given->leave_out ?
		     liquid_hostlist_expand(given->leave_out, &names, s->import->err) : LIQUID_OK;

	for (size_t i = 0; i < names.count && !status; i++)
		status = fabric_leave_out(fabric, names.name[i], s->import->err);
	liquid_names_clear(&names);
	for (size_t i = 0; before && i < before->count && !status; i++)
		status = fabric_leave_out(fabric, before->name[i], s->import->err);
	fabric_sort_left_out(fabric);
	return status;
}

static int record_endpoint(const struct import *im, const struct topo_port *port)
{
	const struct topo_node *node = &im->topo.node[port->node];
	struct fabric_endpoint endpoint = {
		.port = port->number, .rail = port->rail, .lid = port->lid,
		.lids = port->lid ? 1u << port->lmc : 0,
		.bps = UINT64_C(1000000) * import_cable_rate(im, port),
	};

	if (port->lid + endpoint.lids > TOPO_LIDS)
		endpoint.lids = TOPO_LIDS - port->lid;
	snprintf(endpoint.adapter, sizeof(endpoint.adapter), "%s", node->adapter);
	return fabric_set_endpoint(im->fabric, port->host, &endpoint, im->err);
}

static int record_endpoints(const struct selection *s)
{
	const struct topo *topo = &s->import->topo;
	int status = LIQUID_OK;

	for (uint32_t p = 0; p < topo->ports && !status && !s->rates.slowest; p++)
		if (topo->port[p].host != LIQUID_NONE)
			status = record_endpoint(s->import, &topo->port[p]);
	return status;
}

static int record(const struct selection *s)
{
	struct liquid_fabric *fabric = s->import->fabric;
	int status = record_left_out(s);

	if (!status)
		status = record_endpoints(s);
	if (!status)
		status = fabric_keep_names(fabric, &s->import->names, s->import->domain,
					   s->import->err);
	if (s->import->rail[0])
		fabric->import.rail = strdup(s->import->rail);
	if (s->import->rail[0] && !fabric->import.rail)
		return liquid_no_memory(s->import->err);
	fabric->import.allow_unreachable = s->allow_unreachable;
	fabric->import.unknown_bps = UINT64_C(1000000) * import_unknown_rate(s->import);
	if (s->rates.slowest)
		fabric->version = 1;
	else if (!status && !s->import->all_alike)
		status = liquid_fabric_set_unit_rate(fabric, s->rates.unit_bps, s->import->err);
	for (size_t i = 0; i < s->import->notes.count && i < FABRIC_NOTES_MAX && !status; i++)
		status = fabric_add_note(fabric, s->import->notes.name[i], s->import->err);
	return status;
}

/* ---- the whole selection ---- */

static int select_routes(struct selection *s)
{
	const struct import_walk *walk = &s->walk;
	int status = import_walk(s->import, s->out, &s->walk);

	if (status || !s->allow_unreachable)
		return status;
	note_lacking(s);
	/* Follow the routes again, so that the isolated hosts do not count as pairs. */
	if (mark_isolated(s)) {
		import_walk_free(&s->walk);
		status = import_walk(s->import, s->out, &s->walk);
	}
	if (walk->lost && !status)
		import_note(s->import, "%llu of %llu pairs have no route%s%s%s",
			    (unsigned long long)walk->lost, (unsigned long long)walk->pairs,
			    walk->names[0] ? ":" : "", walk->names,
			    walk->names[0] && walk->lost > 6 ? ", ..." : "");
	return status;
}

static int select_all(struct selection *s)
{
	int status;

	mark_lacking(s);
	status = check_left(s);
	if (!status)
		status = select_routes(s);
	if (!status)
		status = check_left(s);
	if (!status)
		status = import_rates(s->import, s->out, s->walk.used, &s->rates);
	if (!status)
		status = import_faults(s->import, &s->walk, &s->rates, s->allow_unreachable);
	if (status)
		return status;
	if (s->import->no_tables)
		import_note(s->import, "no forwarding tables: `liquid route` makes them");
	note_fast(s);
	if (!s->import->all_alike)
		set_capacities(s);
	if (!all_stay(s))
		status = copy_rest(s);
	return status ? status : record(s);
}

int import_select(struct import *import)
{
	const struct liquid_fabric *like = import->given->like;
	struct selection s = {
		.import = import,
		.out = import->out,
		.allow_unreachable = import->given->allow_unreachable ||
				     (like && like->import.allow_unreachable),
	};
	int status = select_all(&s);

	free(s.rates.slow);
	import_walk_free(&s.walk);
	return status;
}
