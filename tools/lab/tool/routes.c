// SPDX-License-Identifier: GPL-2.0-only
/* Add the routes of a fabric file to a transaction. */
#include <stdlib.h>

#include "routes.h"
#include "input/input.h"

/* A destination without a route gets no path: what is sent there is unrouted. */
static bool find_path(const struct ends *ends, uint32_t src, uint32_t dst, struct wire_path *path)
{
	int length = liquid_fabric_route(ends->fabric, ends->host[src], ends->host[dst], path->link,
					 NULL);

	if (length < 1)
		return false;
	path->src = src;
	path->dst = dst;
	path->count = (uint32_t)length;
	for (uint32_t i = 0; ends->link && i < path->count; i++)
		path->link[i] = ends->link[path->link[i]];
	return true;
}

int send_routes(struct netlink *nl, const char *name, const struct ends *ends)
{
	struct wire_path *path = calloc(ends->count, sizeof(*path));
	int status = 0;

	if (!path)
		return complain(EXIT_IO, "out of memory");
	for (uint32_t src = 0; src < ends->count && !status; src++) {
		uint32_t count = 0;

		for (uint32_t dst = 0; dst < ends->count; dst++)
			count += dst != src && find_path(ends, src, dst, &path[count]);
		status = lab_paths(nl, path, count);
	}
	free(path);
	return status ? complain(EXIT_REFUSED, "%s: %s", name, nl->text) : EXIT_OK;
}

int read_lab_fabric(const char *file, struct liquid_fabric **fabric)
{
	int code = read_fabric(file, fabric);

	if (code || !liquid_fabric_alias_count(*fabric))
		return code;
	liquid_fabric_free(*fabric);
	*fabric = NULL;
	return complain(EXIT_BAD_INPUT, "%s has aliases: a host of the lab has one address", file);
}
