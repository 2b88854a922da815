// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Aliases: further addresses of a host, each with its own routes
 *
 * An alias is numbered among the hosts, after all of them. It is a destination: it sends nothing,
 * and its routes end on the link of its host.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"

int fabric_add_alias(struct liquid_fabric *fabric, const char *name, uint32_t host,
			    struct liquid_error *err)
{
	int status;

	if (host >= fabric->hosts || fabric->host[host].owner != host)
		return liquid_fail(err, LIQUID_BAD_INPUT, "alias %.*s of %s, which is not a host",
				   LIQUID_NAME_MAX, name,
				   host < fabric->hosts ? fabric->host[host].name : "nothing");
	if (fabric->version == 1)
		return liquid_fail(err, LIQUID_BAD_INPUT, "a fabric of version 1 has no aliases");
	status = fabric_add_destination(fabric, "alias", name, err);
	if (status)
		return status;
	fabric->host[fabric->hosts - 1].owner = host;
	fabric->aliases++;
	return LIQUID_OK;
}

uint32_t liquid_fabric_owner(const struct liquid_fabric *fabric, uint32_t host)
{
	return host < fabric->hosts ? fabric->host[host].owner : LIQUID_NONE;
}

uint32_t liquid_fabric_alias_count(const struct liquid_fabric *fabric)
{
	return fabric->aliases;
}

/* An alias has no link, so its host must have one by which packets come. */
int fabric_check_aliases(const struct liquid_fabric *fabric, struct liquid_error *err)
{
	for (uint32_t h = fabric->hosts - fabric->aliases; h < fabric->hosts; h++)
		if (liquid_fabric_host_in(fabric, h) == LIQUID_NONE)
			return liquid_fail(err, LIQUID_BAD_INPUT,
					   "alias %s: host %s has no incoming link",
					   fabric->host[h].name,
					   fabric->host[fabric->host[h].owner].name);
	return LIQUID_OK;
}

bool fabric_alias_name(const struct liquid_fabric *fabric, uint32_t host, uint32_t number,
		       char name[LIQUID_NAME_MAX + 1])
{
	int length = snprintf(name, LIQUID_NAME_MAX + 1, "%s.%u",
			      fabric->host[host].name, number);

	return length <= LIQUID_NAME_MAX && fabric_find_node(fabric, name) == LIQUID_NONE;
}

/* ---- copies with other aliases ---- */

int fabric_begin_copy(const struct liquid_fabric *from, struct liquid_fabric **to,
		      struct liquid_error *err)
{
	int status = liquid_fabric_new(from->name, to, err);

	if (status)
		return status;
	(*to)->unit_bps = from->unit_bps;
	status = fabric_keep_names(*to, &from->import.node_names, from->import.domain, err);
	for (uint32_t h = 0; h < from->hosts - from->aliases && !status; h++) {
		status = liquid_fabric_add_host(*to, from->host[h].name, err);
		if (!status)
			status = fabric_copy_endpoint(from, h, *to, h, err);
	}
	return status;
}

static uint32_t node_of_copy(const struct liquid_fabric *from, const struct liquid_fabric *to,
			     uint32_t node)
{
	return node < from->hosts ? node : node - from->hosts + to->hosts;
}

int fabric_end_copy(const struct liquid_fabric *from, struct liquid_fabric *to,
		    struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t s = 0; s < from->switches && !status; s++)
		status = liquid_fabric_add_switch(to, from->sw[s].name, err);
	for (uint32_t l = 0; l < from->links && !status; l++) {
		struct liquid_link link = from->link[l];

		link.from = node_of_copy(from, to, link.from);
		link.to = node_of_copy(from, to, link.to);
		link.capacity = liquid_fabric_capacity(from, l);	/* as version 1 meant it */
		status = liquid_fabric_add_link(to, &link, err);
	}
	return status;
}

int fabric_copy_routes(const struct liquid_fabric *from, uint32_t from_host,
		       struct liquid_fabric *to, uint32_t to_host, struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t s = 0; s < from->switches && !status; s++) {
		uint32_t link = liquid_fabric_forward(from, s, from_host);

		if (link != LIQUID_NONE)
			status = liquid_fabric_set_forward(to, s, to_host, link, err);
	}
	return status;
}
