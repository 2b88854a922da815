// SPDX-License-Identifier: GPL-2.0-only
/* Joins what the switches say of their neighbours to links, hosts and routes of a fabric. */
#include <stdlib.h>
#include <string.h>

#include "liquid/ethernet/ethernet.h"

/* Where a host is, and where each direction of its cable is in the fabric */
struct place {
	const struct addr_entry *entry;
	size_t sw, port;		/* LIQUID_NONE: not found yet */
	struct addr_key mac, ip;
};

struct making {
	struct ether_net *net;
	const struct addr_map *map;
	const struct liquid_import *options;
	struct place *host;
	size_t hosts;
	uint32_t **out;			/* by switch and port: the link that leaves; LIQUID_NONE */
	uint32_t *rate;			/* by link, Mbit/s; 0: not told */
	bool told;			/* some rate is */
	struct liquid_names left_out;	/* names to which no way is needed */
	struct liquid_fabric *fabric;
	struct liquid_error *err;
};

static size_t find_switch(const struct ether_net *net, const char *name)
{
	for (size_t i = 0; i < net->switches; i++)
		if (!strcmp(net->sw[i].name, name))
			return i;
	return NOWHERE;
}

static struct place *find_host(const struct making *making, const char *name)
{
	const struct addr_entry *entry = addr_map_find(making->map, name);

	return entry ? &making->host[entry - making->map->entry] : NULL;
}

static bool is_known(const struct making *making, const char *name)
{
	return find_host(making, name) || find_switch(making->net, name) != NOWHERE;
}

/* ---- hosts ---- */

static int place_host(struct making *making, struct place *host, size_t sw, size_t port)
{
	const struct ether_net *net = making->net;

	if (host->sw != NOWHERE)
		return liquid_fail(making->err, LIQUID_BAD_INPUT, "host '%s' is at %s of %s and at "
				   "%s of %s: a fabric has a link to each host", host->entry->name,
				   net->sw[host->sw].port[host->port].name, net->sw[host->sw].name,
				   net->sw[sw].port[port].name, net->sw[sw].name);
	host->sw = sw;
	host->port = port;
	if (!host->mac.kind)
		host->mac = net->sw[sw].port[port].far_mac;
	return LIQUID_OK;
}

static void take_addresses(struct place *host)
{
	for (unsigned int k = 0; k < host->entry->key_count; k++) {
		const struct addr_key *key = &host->entry->key[k];

		if (key->kind == LIQUID_KEY_A_ETHER && !host->mac.kind)
			host->mac = *key;
		if (key->kind == LIQUID_KEY_A_IPV4 && !host->ip.kind)
			host->ip = *key;
	}
}

static int list_hosts(struct making *making)
{
	const struct addr_map *map = making->map;

	making->host = calloc(map->count + 1, sizeof(*making->host));
	if (!making->host)
		return liquid_fail(making->err, LIQUID_NO_MEMORY, "out of memory");
	for (; making->hosts < map->count; making->hosts++) {
		struct place *host = &making->host[making->hosts];

		*host = (struct place){ .entry = &map->entry[making->hosts], .sw = NOWHERE };
		take_addresses(host);
	}
	return LIQUID_OK;
}

static void note_unknown(const struct making *making, const struct ether_switch *sw,
			 const struct ether_port *port)
{
	char text[LIQUID_NAME_MAX + 100];

	snprintf(text, sizeof(text), "%.*s at %s of %s is left out: it is no switch, and has no "
		 "address", LIQUID_NAME_MAX, port->neighbor, port->name, sw->name);
	making->options->note(making->options->context, text);
}

/* Another neighbour at the interface of this one */
static size_t find_other(const struct ether_switch *sw, size_t port)
{
	for (size_t p = 0; p < sw->ports; p++)
		if (p != port && !strcmp(sw->port[p].name, sw->port[port].name))
			return p;
	return NOWHERE;
}

/* Beside a host its adapter or a virtual machine may have an lldpd of its own. */
static int drop_unknown(struct making *making, struct ether_switch *sw)
{
	for (size_t p = 0; p < sw->ports;) {
		const struct ether_port *port = &sw->port[p];
		size_t other = find_other(sw, p);
		bool known = is_known(making, port->neighbor);

		if (!known)
			note_unknown(making, sw, port);
		else if (other < p)
			return liquid_fail(making->err, LIQUID_BAD_INPUT, "two neighbours at %s of "
					   "%s: %s and %s", port->name, sw->name,
					   sw->port[other].neighbor, port->neighbor);
		if (!known && other != NOWHERE)
			ether_drop_port(sw, p);
		else
			p++;
	}
	return LIQUID_OK;
}

static int place_hosts(struct making *making)
{
	const struct ether_net *net = making->net;
	int status = list_hosts(making);

	for (size_t s = 0; s < net->switches && !status; s++)
		status = drop_unknown(making, &net->sw[s]);
	for (size_t s = 0; s < net->switches; s++)
		for (size_t p = 0; p < net->sw[s].ports && !status; p++) {
			struct place *host = find_host(making, net->sw[s].port[p].neighbor);

			if (host)
				status = place_host(making, host, s, p);
		}
	for (size_t i = 0; i < making->hosts && !status; i++)
		if (making->host[i].sw == NOWHERE)
			status = liquid_fail(making->err, LIQUID_BAD_INPUT, "host '%s' is at no "
					     "port: LLDP knows no neighbour of that name",
					     making->host[i].entry->name);
	return status;
}

/* ---- links ---- */

/*
 * The port of @far at the other end of @port of switch @near. Both ends tell of it; where several
 * cables join two switches, the names of ports tell which is which.
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

static int add_link(struct making *making, uint32_t from, uint32_t to, size_t from_port,
		    size_t to_port, uint64_t bps, uint32_t *link)
{
	struct liquid_link added = { from, to, (uint32_t)from_port + 1, (uint32_t)to_port + 1, 1 };

	*link = liquid_fabric_link_count(making->fabric);
	making->rate[*link] = (uint32_t)(bps / 1000000);
	making->told |= bps != 0;
	return liquid_fabric_add_link(making->fabric, &added, making->err);
}

static int add_cable(struct making *making, size_t s, size_t p)
{
	const struct ether_net *net = making->net;
	const struct ether_port *port = &net->sw[s].port[p];
	const struct place *host = find_host(making, port->neighbor);
	size_t far = find_switch(net, port->neighbor), far_port = 0;
	uint32_t node = (uint32_t)(making->hosts + s), other, back;
	uint64_t bps = port->bps;
	int status;

	if (!host && far == NOWHERE)
		return LIQUID_OK;
	other = host ? (uint32_t)(host - making->host) : (uint32_t)(making->hosts + far);
	if (!host)
		far_port = find_far(net, s, port, far);
	if (far_port == NOWHERE)
		return liquid_fail(making->err, LIQUID_BAD_INPUT, "%s of %s leads to %s, whose "
				   "LLDP does not tell by which port", port->name,
				   net->sw[s].name, net->sw[far].name);
	if (!bps && !host)
		bps = net->sw[far].port[far_port].bps;
	status = add_link(making, node, other, p, far_port, bps, &making->out[s][p]);
	if (!status && host)
		status = add_link(making, other, node, 0, p, bps, &back);
	return status;
}

static int add_links(struct making *making)
{
	const struct ether_net *net = making->net;
	size_t ports = 0;
	int status = LIQUID_OK;

	for (size_t s = 0; s < net->switches; s++)
		ports += net->sw[s].ports;
	making->rate = calloc(2 * ports + 1, sizeof(*making->rate));
	if (!making->rate)
		return liquid_fail(making->err, LIQUID_NO_MEMORY, "out of memory");
	for (size_t s = 0; s < net->switches; s++)
		for (size_t p = 0; p < net->sw[s].ports && !status; p++)
			status = add_cable(making, s, p);
	return status;
}

/* Without any speed all links count as one unit. */
static int choose_unit(struct making *making)
{
	bool told = making->told || making->options->unknown_bps;

	if (!told && making->options->unit_bps)
		return liquid_fail(making->err, LIQUID_BAD_INPUT, "no speeds of ports are told: "
				   "--unit-rate measures them (--unknown-rate gives them)");
	return liquid_fabric_choose_unit(&making->fabric, told ? making->rate : NULL,
					 making->options, making->err);
}

/* ---- forwards ---- */

static bool needs_no_way(const struct making *making, const char *name)
{
	for (size_t i = 0; i < making->left_out.count; i++)
		if (!strcmp(making->left_out.name[i], name))
			return true;
	return making->options->allow_unreachable;
}

static int find_way(struct making *making, const struct ether_tables *tables, size_t s,
		    const struct place *host, size_t *port)
{
	const struct ether_switch *sw = tables->sw;
	struct liquid_error why;

	*port = host->port;
	if (host->sw != s && ether_forward(tables, &host->mac, &host->ip, port, &why))
		return liquid_fail(making->err, LIQUID_BAD_INPUT, "%s, to host '%s': %s",
				   sw->name, host->entry->name, why.text);
	if (making->out[s][*port] == LIQUID_NONE)
		return liquid_fail(making->err, LIQUID_BAD_INPUT, "%s, to host '%s': %s leads out "
				   "of the fabric", sw->name, host->entry->name,
				   sw->port[*port].name);
	return LIQUID_OK;
}

static int forward(struct making *making, const struct ether_tables *tables, size_t s, size_t h)
{
	const struct place *host = &making->host[h];
	size_t port;
	int status = find_way(making, tables, s, host, &port);

	if (status)
		return needs_no_way(making, host->entry->name) ||
		       needs_no_way(making, tables->sw->name) ? LIQUID_OK : status;
	return liquid_fabric_set_forward(making->fabric, (uint32_t)s, (uint32_t)h,
					 making->out[s][port], making->err);
}

static int add_forwards(struct making *making)
{
	const char *leave_out = making->options->leave_out;
	int status = leave_out ? liquid_hostlist_expand(leave_out, &making->left_out, making->err) :
				 LIQUID_OK;

	for (size_t s = 0; s < making->net->switches && !status; s++) {
		struct ether_tables tables;

		status = ether_sort_tables(&making->net->sw[s], &tables, making->err);
		for (size_t h = 0; h < making->hosts && !status; h++)
			status = forward(making, &tables, s, h);
		ether_free_tables(&tables);
	}
	return status;
}

/* ---- the fabric ---- */

static int add_nodes(struct making *making)
{
	int status = LIQUID_OK;

	making->out = calloc(making->net->switches + 1, sizeof(*making->out));
	for (size_t i = 0; i < making->hosts && !status; i++)
		status = liquid_fabric_add_host(making->fabric, making->host[i].entry->name,
						making->err);
	for (size_t s = 0; s < making->net->switches && !status; s++) {
		size_t ports = making->net->sw[s].ports;

		status = liquid_fabric_add_switch(making->fabric, making->net->sw[s].name,
						  making->err);
		if (making->out)
			making->out[s] = malloc((ports + 1) * sizeof(**making->out));
		if (!status && (!making->out || !making->out[s]))
			status = liquid_fail(making->err, LIQUID_NO_MEMORY, "out of memory");
		for (size_t p = 0; p < ports && !status; p++)
			making->out[s][p] = LIQUID_NONE;
	}
	return status;
}

static void clear_making(struct making *making)
{
	for (size_t s = 0; making->out && s < making->net->switches; s++)
		free(making->out[s]);
	free(making->out);
	free(making->rate);
	liquid_names_clear(&making->left_out);
	free(making->host);
}

int ether_make_fabric(struct ether_net *net, const struct addr_map *map,
		      const struct liquid_import *options, struct liquid_fabric **fabric,
		      struct liquid_error *err)
{
	struct making making = { .net = net, .map = map, .options = options, .err = err };
	int status = liquid_fabric_new(options->name ? options->name : "ethernet",
				       &making.fabric, err);

	*fabric = NULL;
	if (status)
		return status;
	status = place_hosts(&making);
	if (!status)
		status = add_nodes(&making);
	if (!status)
		status = add_links(&making);
	if (!status)
		status = add_forwards(&making);
	if (!status)
		status = choose_unit(&making);
	if (!status)
		status = liquid_fabric_finish(making.fabric, err);
	clear_making(&making);
	if (status)
		liquid_fabric_free(making.fabric);
	else
		*fabric = making.fabric;
	return status;
}
