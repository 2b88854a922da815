// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a host of a fabric is: the port of an adapter of a node
 *
 * An import tells it, and the file keeps it. Of other fabrics it is what names and links say.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"

int fabric_set_endpoint(struct liquid_fabric *fabric, uint32_t host,
			const struct fabric_endpoint *told, struct liquid_error *err)
{
	struct fabric_endpoint *endpoint = malloc(sizeof(*endpoint));

	if (!endpoint)
		return liquid_no_memory(err);
	*endpoint = *told;
	free(fabric->host[host].endpoint);
	fabric->host[host].endpoint = endpoint;
	fabric->several_rails |= endpoint->rail != 1;
	return LIQUID_OK;
}

int fabric_copy_endpoint(const struct liquid_fabric *from, uint32_t from_host,
			 struct liquid_fabric *to, uint32_t to_host, struct liquid_error *err)
{
	const struct fabric_endpoint *endpoint = from->host[from_host].endpoint;

	return endpoint ? fabric_set_endpoint(to, to_host, endpoint, err) : LIQUID_OK;
}

bool fabric_has_endpoints(const struct liquid_fabric *fabric)
{
	for (uint32_t h = 0; h < fabric->hosts; h++)
		if (fabric->host[h].endpoint)
			return true;
	return false;
}

/* The last two parts of NODE/ADAPTER/PORT; false: the name has another form */
static bool split_name(const char *name, struct liquid_endpoint *endpoint)
{
	const char *port = strrchr(name, '/'), *adapter;
	size_t length, digits = port ? strspn(port + 1, "0123456789") : 0;

	if (!digits || digits > 5 || port[1 + digits])
		return false;
	adapter = memrchr(name, '/', (size_t)(port - name));
	if (!adapter || adapter == name)
		return false;
	length = (size_t)(port - adapter - 1);
	snprintf(endpoint->node, sizeof(endpoint->node), "%.*s", (int)(adapter - name), name);
	snprintf(endpoint->adapter, sizeof(endpoint->adapter), "%.*s", (int)length, adapter + 1);
	endpoint->port = (uint32_t)strtoul(port + 1, NULL, 10);
	return true;
}

static void find_cable(const struct liquid_fabric *fabric, uint32_t host,
		       struct liquid_endpoint *endpoint)
{
	uint32_t out = fabric->host[host].out, in = fabric->host[host].in;
	uint32_t link = out == LIQUID_NONE ? in : out;

	endpoint->switch_node = LIQUID_NONE;
	if (link == LIQUID_NONE)
		return;
	endpoint->switch_node = out == LIQUID_NONE ? fabric->link[in].from : fabric->link[out].to;
	endpoint->switch_port = out == LIQUID_NONE ? fabric->link[in].from_port :
				fabric->link[out].to_port;
	endpoint->bps = fabric->unit_bps * liquid_fabric_capacity(fabric, link);
}

void liquid_fabric_endpoint(const struct liquid_fabric *fabric, uint32_t host,
			    struct liquid_endpoint *endpoint)
{
	const struct fabric_endpoint *told;

	host = liquid_fabric_owner(fabric, host);
	told = fabric->host[host].endpoint;
	*endpoint = (struct liquid_endpoint){ .told = told };
	find_cable(fabric, host, endpoint);
	if (!split_name(fabric->host[host].name, endpoint))
		snprintf(endpoint->node, sizeof(endpoint->node), "%s", fabric->host[host].name);
	if (!told)
		return;
	snprintf(endpoint->adapter, sizeof(endpoint->adapter), "%s", told->adapter);
	endpoint->port = told->port;
	endpoint->rail = told->rail;
	endpoint->lid = told->lid;
	endpoint->lids = told->lids;
	endpoint->bps = told->bps;
}

/* ---- the rails of a node ---- */

/* Does the name say that the host is a port of @node? */
static bool is_of(const struct liquid_fabric *fabric, uint32_t host, const char *node,
		  size_t length)
{
	const char *name = fabric->host[host].name;

	return !strncmp(name, node, length) && name[length] == '/' &&
	       fabric->host[host].owner == host;
}

/* Sorted by their numbers; one on no rail is only counted */
static void add_rail(const struct liquid_fabric *fabric, uint32_t host, struct liquid_rails *rails)
{
	const struct fabric_endpoint *told = fabric->host[fabric->host[host].owner].endpoint;
	uint32_t number = told ? told->rail : rails->endpoints + 1, at = rails->count;

	rails->endpoints++;
	if (!number || at == LIQUID_RAILS_MAX)
		return;
	for (rails->count++; at && rails->number[at - 1] > number; at--) {
		rails->host[at] = rails->host[at - 1];
		rails->number[at] = rails->number[at - 1];
	}
	rails->host[at] = host;
	rails->number[at] = number;
}

void liquid_fabric_rails(const struct liquid_fabric *fabric, const char *node,
			 struct liquid_rails *rails)
{
	uint32_t host = liquid_fabric_find_host(fabric, node);
	size_t length = strlen(node);

	*rails = (struct liquid_rails){ .only = host != LIQUID_NONE && !fabric->several_rails };
	if (host != LIQUID_NONE)
		add_rail(fabric, host, rails);
	for (uint32_t h = 0; h < fabric->hosts && host == LIQUID_NONE; h++)
		if (is_of(fabric, h, node, length))
			add_rail(fabric, h, rails);
}
