// SPDX-License-Identifier: LGPL-2.1-or-later
/* The importer of Ethernet: joins what the switches say of their neighbours. */
#include <stdlib.h>
#include <string.h>

#include "fabric/import/ethernet.h"

/* Where a host is */
struct ether_host {
	const char *name;
	size_t sw, port;		/* NOWHERE: not found yet */
	uint64_t mac;			/* 0: not known */
	uint32_t ipv4;
};

struct ether_making {
	struct import *im;
	struct ether_net net;
	struct ether_host *host;	/* by host of the fabric */
	uint32_t **out;			/* by switch and port: the link that leaves; LIQUID_NONE */
	bool any_rate;			/* some link's rate is known */
};

/* The switch that calls itself @name, or NOWHERE */
static size_t find_switch(const struct ether_making *making, const char *name)
{
	const struct liquid_fabric *fabric = making->im->fabric;
	uint32_t node = fabric_find_node(fabric, name);

	return node == LIQUID_NONE || node < fabric->hosts ? NOWHERE : node - fabric->hosts;
}

static struct ether_host *find_host(const struct ether_making *making, const char *name)
{
	uint32_t host = liquid_fabric_find_host(making->im->fabric, name);

	return host == LIQUID_NONE ? NULL : &making->host[host];
}

/* ---- hosts ---- */

static int place_host(struct ether_making *making, struct ether_host *host, size_t sw, size_t port)
{
	const struct ether_net *net = &making->net;

	if (host->sw != NOWHERE)
		return liquid_fail(making->im->err, LIQUID_BAD_INPUT, "host '%s' is at %s of %s "
				   "and at %s of %s: a fabric has a link to each host", host->name,
				   net->sw[host->sw].port[host->port].name, net->sw[host->sw].name,
				   net->sw[sw].port[port].name, net->sw[sw].name);
	host->sw = sw;
	host->port = port;
	if (!host->mac)
		host->mac = net->sw[sw].port[port].far_mac;
	return LIQUID_OK;
}

/* Another neighbour at the interface of this one */
static size_t find_other(const struct ether_switch *sw, size_t port)
{
	for (size_t p = 0; p < sw->ports; p++)
		if (p != port && !strcmp(sw->port[p].name, sw->port[port].name))
			return p;
	return NOWHERE;
}

/* Beside a host its adapter or a virtual machine may have its own lldpd. */
static int drop_unknown(struct ether_making *making, struct ether_switch *sw)
{
	for (size_t p = 0; p < sw->ports;) {
		const struct ether_port *port = &sw->port[p];
		size_t other = find_other(sw, p);
		bool known = fabric_find_node(making->im->fabric, port->neighbor) != LIQUID_NONE;

		if (!known)
			import_note(making->im, "%.*s at %s of %s is left out: it is not a switch, "
				    "and has no address", LIQUID_NAME_MAX, port->neighbor,
				    port->name, sw->name);
		else if (other < p)
			return liquid_fail(making->im->err, LIQUID_BAD_INPUT, "two neighbours at "
					   "%s of %s: %s and %s", port->name, sw->name,
					   sw->port[other].neighbor, port->neighbor);
		if (!known && other != NOWHERE)
			ether_drop_port(sw, p);
		else
			p++;
	}
	return LIQUID_OK;
}

static int place_hosts(struct ether_making *making)
{
	const struct ether_net *net = &making->net;
	int status = LIQUID_OK;

	for (size_t s = 0; s < net->switches && !status; s++)
		status = drop_unknown(making, &net->sw[s]);
	for (size_t s = 0; s < net->switches; s++)
		for (size_t p = 0; p < net->sw[s].ports && !status; p++) {
			struct ether_host *host = find_host(making, net->sw[s].port[p].neighbor);

			if (host)
				status = place_host(making, host, s, p);
		}
	for (uint32_t h = 0; h < making->im->fabric->hosts && !status; h++)
		if (making->host[h].sw == NOWHERE)
			status = liquid_fail(making->im->err, LIQUID_BAD_INPUT, "host '%s' is at "
					     "no port: LLDP knows no neighbour of that name",
					     making->host[h].name);
	return status;
}

/* ---- links ---- */

/*
 * The port of @far at the other end of @port of switch @near. Both ends report it; where several
 * cables join two switches, the names of ports say which is which.
 */
static size_t find_far(const struct ether_net *net, size_t near, const struct ether_port *port,
		       size_t far)
{
	const struct ether_switch *sw = &net->sw[far];
	size_t only = NOWHERE, named = NOWHERE, count = 0;

	for (size_t p = 0; p < sw->ports; p++) {
		if (strcmp(sw->port[p].neighbor, net->sw[near].name))
			continue;
		only = p;
		count++;
		if ((port->far_id && !strcmp(port->far_id, sw->port[p].name)) ||
		    (port->far_text && !strcmp(port->far_text, sw->port[p].name)))
			named = p;
	}
	return count == 1 ? only : named;
}

static int add_link(struct ether_making *making, uint32_t from, uint32_t to, size_t from_port,
		    size_t to_port, uint32_t mbps, uint32_t *link)
{
	struct liquid_link added = { from, to, (uint32_t)from_port + 1, (uint32_t)to_port + 1, 1 };
	struct import *im = making->im;

	*link = im->fabric->links;
	im->rate[*link] = mbps ? mbps : import_unknown_rate(im);
	making->any_rate |= im->rate[*link] != 0;
	return liquid_fabric_add_link(im->fabric, &added, im->err);
}

static int add_cable(struct ether_making *making, size_t s, size_t p)
{
	const struct ether_net *net = &making->net;
	const struct ether_port *port = &net->sw[s].port[p];
	const struct ether_host *host = find_host(making, port->neighbor);
	size_t far = find_switch(making, port->neighbor), far_port = 0;
	uint32_t hosts = making->im->fabric->hosts, node = hosts + (uint32_t)s, other, back;
	uint32_t mbps = port->mbps;
	int status;

	if (!host && far == NOWHERE)
		return LIQUID_OK;
	other = host ? (uint32_t)(host - making->host) : hosts + (uint32_t)far;
	if (!host)
		far_port = find_far(net, s, port, far);
	if (far_port == NOWHERE)
		return liquid_fail(making->im->err, LIQUID_BAD_INPUT, "%s of %s leads to %s, whose "
				   "LLDP does not tell by which port", port->name,
				   net->sw[s].name, net->sw[far].name);
	if (!mbps && !host)
		mbps = net->sw[far].port[far_port].mbps;
	status = add_link(making, node, other, p, far_port, mbps, &making->out[s][p]);
	if (!status && host)
		status = add_link(making, other, node, 0, p, mbps, &back);
	return status;
}

/* Without any speed all links count as one unit. */
static int add_links(struct ether_making *making)
{
	const struct ether_net *net = &making->net;
	struct import *im = making->im;
	int status = LIQUID_OK;
	size_t ports = 0;

	for (size_t s = 0; s < net->switches; s++)
		ports += net->sw[s].ports;
	im->rate = calloc(2 * ports + 1, sizeof(*im->rate));
	if (!im->rate)
		return liquid_no_memory(im->err);
	for (size_t s = 0; s < net->switches; s++)
		for (size_t p = 0; p < net->sw[s].ports && !status; p++)
			status = add_cable(making, s, p);
	im->all_alike = !making->any_rate;
	if (!status && im->all_alike && im->given->unit_bps)
		status = liquid_fail(im->err, LIQUID_BAD_INPUT, "no speeds of ports are reported: "
				     "--unit-rate measures them (--unknown-rate gives them)");
	return status;
}

/* ---- forwards ---- */

static int find_way(struct ether_making *making, const struct ether_tables *tables, size_t s,
		    const struct ether_host *host, size_t *port)
{
	const struct ether_switch *sw = tables->sw;
	struct liquid_error why;

	*port = host->port;
	if (host->sw != s && ether_forward(tables, host->mac, host->ipv4, port, &why))
		return liquid_fail(making->im->err, LIQUID_BAD_INPUT, "%s, to host '%s': %s",
				   sw->name, host->name, why.text);
	if (making->out[s][*port] == LIQUID_NONE)
		return liquid_fail(making->im->err, LIQUID_BAD_INPUT, "%s, to host '%s': %s leads "
				   "out of the fabric", sw->name, host->name, sw->port[*port].name);
	return LIQUID_OK;
}

static int forward(struct ether_making *making, const struct ether_tables *tables, size_t s,
		   uint32_t h)
{
	struct import *im = making->im;
	size_t port;
	int status = find_way(making, tables, s, &making->host[h], &port);

	if (status)
		return im->given->allow_unreachable || im->out[h] ||
		       im->out[im->fabric->hosts + s] ? LIQUID_OK : status;
	return liquid_fabric_set_forward(im->fabric, (uint32_t)s, h, making->out[s][port], im->err);
}

static int add_forwards(struct ether_making *making)
{
	int status = LIQUID_OK;

	for (size_t s = 0; s < making->net.switches && !status; s++) {
		struct ether_tables tables;

		status = ether_sort_tables(&making->net.sw[s], &tables, making->im->err);
		for (uint32_t h = 0; h < making->im->fabric->hosts && !status; h++)
			status = forward(making, &tables, s, h);
		ether_free_tables(&tables);
	}
	return status;
}

/* ---- the fabric ---- */

static int add_hosts(struct ether_making *making)
{
	const struct liquid_import *given = making->im->given;
	int status = LIQUID_OK;

	making->host = calloc(given->hosts, sizeof(*making->host));
	if (!making->host)
		return liquid_no_memory(making->im->err);
	for (size_t i = 0; i < given->hosts && !status; i++) {
		making->host[i] = (struct ether_host){ given->host[i].name, NOWHERE, NOWHERE,
						       given->host[i].mac, given->host[i].ipv4 };
		status = liquid_fabric_add_host(making->im->fabric, given->host[i].name,
						making->im->err);
	}
	return status;
}

static int add_switch(struct ether_making *making, const struct ether_switch *sw, uint32_t **out)
{
	*out = malloc((sw->ports + 1) * sizeof(**out));
	if (!*out)
		return liquid_no_memory(making->im->err);
	for (size_t p = 0; p < sw->ports; p++)
		(*out)[p] = LIQUID_NONE;
	return liquid_fabric_add_switch(making->im->fabric, sw->name, making->im->err);
}

static int add_switches(struct ether_making *making)
{
	int status = LIQUID_OK;

	making->out = calloc(making->net.switches + 1, sizeof(*making->out));
	if (!making->out)
		return liquid_no_memory(making->im->err);
	for (size_t s = 0; s < making->net.switches && !status; s++)
		status = add_switch(making, &making->net.sw[s], &making->out[s]);
	return status;
}

static int make_fabric(struct ether_making *making)
{
	int status = ether_read(&making->net, making->im->given->dir, making->im->err);

	if (!status)
		status = add_hosts(making);
	if (!status)
		status = add_switches(making);
	if (!status)
		status = place_hosts(making);
	if (!status)
		status = add_links(making);
	if (!status)
		status = import_leave_out(making->im);
	return status ? status : add_forwards(making);
}

int import_ethernet(struct import *im)
{
	const struct liquid_import *given = im->given;
	struct ether_making making = { .im = im };
	int status;

	if (!given->dir || !given->hosts || given->topo || given->lft || given->rail ||
	    given->rail_name || given->node_names || given->strip_domain)
		return import_misfit(im);
	status = make_fabric(&making);
	for (size_t s = 0; making.out && s < making.net.switches; s++)
		free(making.out[s]);
	free(making.out);
	free(making.host);
	ether_clear(&making.net);
	return status ? status : import_select(im);
}
