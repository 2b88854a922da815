// SPDX-License-Identifier: LGPL-2.1-or-later
/* What of a fabric is still connected, by a new run of ibnetdiscover */
#include <stdlib.h>

#include "fabric/import/import.h"

/* Whether @now has a link between the same ports of nodes with the same names. */
static bool is_there(const struct liquid_fabric *now, const struct liquid_fabric *before,
		     const struct liquid_link *link)
{
	uint32_t from = fabric_find_node(now, liquid_fabric_node_name(before, link->from));
	uint32_t to = fabric_find_node(now, liquid_fabric_node_name(before, link->to)), found;

	if (from == LIQUID_NONE || to == LIQUID_NONE)
		return false;
	found = fabric_find_link(now, from, link->from_port);
	return found != LIQUID_NONE && liquid_fabric_link(now, found)->to == to &&
	       liquid_fabric_link(now, found)->to_port == link->to_port;
}

static int copy_nodes(const struct liquid_fabric *before, struct liquid_fabric *after,
		      struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t node = 0; node < before->hosts + before->switches && !status; node++) {
		const char *name = liquid_fabric_node_name(before, node);

		if (node >= before->hosts)
			status = liquid_fabric_add_switch(after, name, err);
		else if (before->host[node].owner == node)
			status = liquid_fabric_add_host(after, name, err);
		else
			status = fabric_add_alias(after, name, before->host[node].owner,
							 err);
		if (!status && node < before->hosts) {
			after->host[node].lane = before->host[node].lane;
			status = fabric_copy_endpoint(before, node, after, node, err);
		}
	}
	return status;
}

/* Links of hosts stay: a host that is switched off needs routes when it comes back. */
static int copy_links(const struct liquid_fabric *before, const struct liquid_fabric *now,
		      struct liquid_fabric *after, uint32_t *lost, struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < before->links && !status; i++) {
		struct liquid_link link = before->link[i];

		if (link.from >= before->hosts && link.to >= before->hosts &&
		    !is_there(now, before, &link)) {
			++*lost;
			continue;
		}
		link.capacity = liquid_fabric_capacity(before, i);
		status = liquid_fabric_add_link(after, &link, err);
	}
	return status;
}

static int make_after(const struct liquid_fabric *before, const struct liquid_fabric *now,
		      struct liquid_fabric **after, uint32_t *lost, struct liquid_error *err)
{
	int status = liquid_fabric_new(before->name, after, err);

	if (status)
		return status;
	(*after)->unit_bps = before->unit_bps;
	status = fabric_keep_names(*after, &before->import.node_names, before->import.domain, err);
	if (!status)
		status = copy_nodes(before, *after, err);
	if (!status)
		status = copy_links(before, now, *after, lost, err);
	return status ? status : liquid_fabric_finish(*after, err);
}

int liquid_fabric_living(const struct liquid_fabric *before, const struct liquid_import *import,
			 struct liquid_fabric **after, uint32_t *lost, struct liquid_error *err)
{
	struct import im = { .given = import, .like = before, .err = err };
	int status = topo_read(&im.topo, import->topo, import->topo_label, err);

	*after = NULL;
	*lost = 0;
	if (!status)
		status = liquid_fabric_new("now", &im.fabric, err);
	if (!status)
		status = import_names(&im);
	if (!status)
		status = import_links(&im);
	if (!status)
		status = make_after(before, im.fabric, after, lost, err);
	topo_free(&im.topo);
	free(im.rate);
	liquid_names_clear(&im.notes);
	liquid_names_clear(&im.names);
	liquid_fabric_free(im.fabric);
	if (status) {
		liquid_fabric_free(*after);
		*after = NULL;
	}
	return status;
}
