// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "ethernet/ethernet.h"

/* Where a host is, and where each direction of its cable is in the fabric */
struct place {
	const struct addr_entry *entry;
	size_t sw, port;		/* LIQUID_NONE: not found yet */
	struct addr_key mac, ip;
};

struct making {
	const struct ether_net *net;
	const struct ether_options *options;
	struct place *host;
	size_t hosts;
	uint32_t **out;			/* by switch and port: the link that leaves; LIQUID_NONE */
	uint64_t unit;
	struct liquid_fabric *fabric;
	struct liquid_error *err;
};

#define NOWHERE SIZE_MAX

static size_t find_switch(const struct ether_net *net, const char *name)
{
	for (size_t i = 0; i < net->switches; i++)
		if (!strcmp(net->sw[i].name, name))
			return i;
	return NOWHERE;
}

static struct place *find_host(const struct making *making, const char *name)
{
	for (size_t i = 0; i < making->hosts; i++)
		if (!strcmp(making->host[i].entry->name, name))
			return &making->host[i];
	return NULL;
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

static int place_hosts(struct making *making, const struct addr_map *map)
{
	const struct ether_net *net = making->net;
	char text[LIQUID_NAME_MAX + 100];
	int status = LIQUID_OK;

	making->host = calloc(map->count + 1, sizeof(*making->host));
	if (!making->host)
		return liquid_fail(making->err, LIQUID_NO_MEMORY, "out of memory");
	for (; making->hosts < map->count; making->hosts++) {
		struct place *host = &making->host[making->hosts];

		*host = (struct place){ .entry = &map->entry[making->hosts], .sw = NOWHERE };
		take_addresses(host);
	}
	for (size_t s = 0; s < net->switches; s++)
		for (size_t p = 0; p < net->sw[s].ports && !status; p++) {
			const char *name = net->sw[s].port[p].neighbor;
			struct place *host = find_host(making, name);

			if (host) {
				status = place_host(making, host, s, p);
			} else if (find_switch(net, name) == NOWHERE) {
				snprintf(text, sizeof(text), "%.*s at %s of %s is left out: it is "
					 "no switch, and has no address", LIQUID_NAME_MAX, name,
					 net->sw[s].port[p].name, net->sw[s].name);
				making->options->note(text);
			}
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

static int capacity_of(struct making *making, uint64_t bps, const char *sw, const char *port,
		       uint32_t *capacity)
{
	*capacity = 1;
	if (!making->unit)
		return LIQUID_OK;
	if (bps < making->unit || bps / making->unit > UINT32_MAX)
		return liquid_fail(making->err, LIQUID_BAD_INPUT, "%s of %s has %llu bit/s, and a "
				   "link of capacity 1 has %llu", port, sw,
				   (unsigned long long)bps, (unsigned long long)making->unit);
	*capacity = (uint32_t)(bps / making->unit);
	return LIQUID_OK;
}

static int add_link(struct making *making, uint32_t from, uint32_t to, size_t from_port,
		    size_t to_port, uint32_t capacity, uint32_t *link)
{
	struct liquid_link added = { from, to, (uint32_t)from_port + 1, (uint32_t)to_port + 1,
				     capacity };

	*link = liquid_fabric_link_count(making->fabric);
	return liquid_fabric_add_link(making->fabric, &added, making->err);
}

static int add_cable(struct making *making, size_t s, size_t p)
{
	const struct ether_net *net = making->net;
	const struct ether_port *port = &net->sw[s].port[p];
	const struct place *host = find_host(making, port->neighbor);
	size_t far = find_switch(net, port->neighbor), far_port = 0;
	uint32_t node = (uint32_t)(making->hosts + s), other, back, capacity;
	int status;

	if (!host && far == NOWHERE)
		return LIQUID_OK;
	status = capacity_of(making, port->bps, net->sw[s].name, port->name, &capacity);
	if (status)
		return status;
	other = host ? (uint32_t)(host - making->host) : (uint32_t)(making->hosts + far);
	if (!host)
		far_port = find_far(net, s, port, far);
	if (far_port == NOWHERE)
		return liquid_fail(making->err, LIQUID_BAD_INPUT, "%s of %s leads to %s, whose "
				   "LLDP does not tell by which port", port->name,
				   net->sw[s].name, net->sw[far].name);
	status = add_link(making, node, other, p, far_port, capacity, &making->out[s][p]);
	if (!status && host)
		status = add_link(making, other, node, 0, p, capacity, &back);
	return status;
}

/* A unit is what the slowest host's link has; without any speed all links count as one unit. */
static int find_unit(struct making *making)
{
	uint64_t slowest = UINT64_MAX, fastest = 0;

	making->unit = making->options->unit_bps;
	for (size_t i = 0; i < making->hosts; i++) {
		const struct place *host = &making->host[i];
		uint64_t bps = making->net->sw[host->sw].port[host->port].bps;

		slowest = bps < slowest ? bps : slowest;
		fastest = bps > fastest ? bps : fastest;
	}
	if (!fastest && making->unit)
		return liquid_fail(making->err, LIQUID_BAD_INPUT,
				   "no speeds of ports are told: --unit-rate measures them");
	if (fastest && !slowest)
		return liquid_fail(making->err, LIQUID_BAD_INPUT,
				   "the speeds of some hosts' ports are told, and of others not");
	if (fastest && !making->unit)
		making->unit = slowest;
	return making->unit ? liquid_fabric_set_unit_rate(making->fabric, making->unit,
							  making->err) : LIQUID_OK;
}

static int add_links(struct making *making)
{
	int status = find_unit(making);

	for (size_t s = 0; s < making->net->switches; s++)
		for (size_t p = 0; p < making->net->sw[s].ports && !status; p++)
			status = add_cable(making, s, p);
	return status;
}

/* ---- forwards ---- */

static size_t find_port(const struct ether_switch *sw, const char *name)
{
	for (size_t p = 0; p < sw->ports; p++)
		if (!strcmp(sw->port[p].name, name))
			return p;
	return NOWHERE;
}

static int forward(struct making *making, size_t s, size_t h)
{
	const struct ether_switch *sw = &making->net->sw[s];
	const struct place *host = &making->host[h];
	struct liquid_error why;
	const char *name;
	size_t port = host->port;

	if (host->sw != s) {
		if (ether_forward(sw, &host->mac, &host->ip, &name, &why))
			return liquid_fail(making->err, LIQUID_BAD_INPUT, "%s, to host '%s': %s",
					   sw->name, host->entry->name, why.text);
		port = find_port(sw, name);
	}
	if (making->out[s][port] == LIQUID_NONE)
		return liquid_fail(making->err, LIQUID_BAD_INPUT, "%s, to host '%s': %s leads out "
				   "of the fabric", sw->name, host->entry->name,
				   sw->port[port].name);
	return liquid_fabric_set_forward(making->fabric, (uint32_t)s, (uint32_t)h,
					 making->out[s][port], making->err);
}

static int add_forwards(struct making *making)
{
	int status = LIQUID_OK;

	for (size_t s = 0; s < making->net->switches; s++)
		for (size_t h = 0; h < making->hosts && !status; h++)
			status = forward(making, s, h);
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
	free(making->host);
}

int ether_make_fabric(const struct ether_net *net, const struct addr_map *map,
		      const struct ether_options *options, struct liquid_fabric **fabric,
		      struct liquid_error *err)
{
	struct making making = { .net = net, .options = options, .err = err };
	int status = liquid_fabric_new(options->name ? options->name : "ethernet",
				       &making.fabric, err);

	*fabric = NULL;
	if (status)
		return status;
	status = place_hosts(&making, map);
	if (!status)
		status = add_nodes(&making);
	if (!status)
		status = add_links(&making);
	if (!status)
		status = add_forwards(&making);
	if (!status)
		status = liquid_fabric_finish(making.fabric, err);
	clear_making(&making);
	if (status)
		liquid_fabric_free(making.fabric);
	else
		*fabric = making.fabric;
	return status;
}
