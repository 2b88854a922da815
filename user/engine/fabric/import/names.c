// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of nodes that the user gives: by OpenSM's node-name-map, and without a domain. The fabric
 * keeps them, so that the import can be repeated where that file is not.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "fabric/import/import.h"

/* GUID "NAME", or without quotes; false: it is not of this form */
static bool split(char *text, uint64_t *guid, char **name)
{
	char *end = text;

	if (isxdigit((unsigned char)*text))
		*guid = strtoull(text, &end, 16);
	if (end == text || !isspace((unsigned char)*end))
		return false;
	*name = end + strspn(end, " \t");
	if (**name != '"') {
		(*name)[strcspn(*name, "#\r")] = '\0';
	} else {
		end = strchr(++*name, '"');
		if (!end)
			return false;
		*end = '\0';
	}
	return (*name)[strspn(*name, " \t")];
}

static int rename_node(struct import *im, uint64_t guid, const char *name)
{
	struct topo_node *node = topo_find(&im->topo, guid);
	char line[2 * TOPO_WORD + 20];

	if (!node)
		return LIQUID_OK;
	topo_describe(node, name, name + strlen(name));
	snprintf(line, sizeof(line), "%016llx %s%s%s", (unsigned long long)guid, node->node,
		 node->adapter[0] ? " " : "", node->adapter);
	return names_add(&im->names, line, strlen(line)) ? liquid_no_memory(im->err) : LIQUID_OK;
}

/* Nodes that the fabric does not have are in the file of a whole site, too. */
static int read_map(struct import *im)
{
	const char *label = im->given->node_names_label;
	struct line_reader lines;
	int more, status = line_open(&lines, im->given->node_names, label, LINE_BLOCK, im->err);
	char *name, *text;
	uint64_t guid;

	while (!status && (more = line_next(&lines, im->err))) {
		text = lines.text + strspn(lines.text, " \t\r");
		if (more < 0)
			status = more;
		else if (*text && *text != '#')
			status = split(text, &guid, &name) ? rename_node(im, guid, name) :
				 line_fail(&lines, im->err, "expected GUID \"NAME\", as "
					   "0x0002c903000a1b2c \"node001 mlx5_0\"");
	}
	line_close(&lines);
	if (!status && !im->names.count)
		import_note(im, "%s names no node of the fabric: it takes the GUIDs of nodes, not "
			    "of ports", label);
	return status;
}

static int repeat_names(struct import *im, const struct liquid_names *names)
{
	int status = LIQUID_OK;

	for (size_t i = 0; i < names->count && !status; i++) {
		char *line = strdup(names->name[i]), *name;
		uint64_t guid;

		if (!line)
			return liquid_no_memory(im->err);
		if (split(line, &guid, &name))
			status = rename_node(im, guid, name);
		free(line);
	}
	return status;
}

static uint32_t strip_domain(struct import *im)
{
	size_t end = strlen(im->domain);
	uint32_t stripped = 0;

	for (uint32_t n = 0; n < im->topo.nodes; n++) {
		struct topo_node *node = &im->topo.node[n];
		size_t length = strlen(node->node);

		if (node->kind != TOPO_ADAPTER || length <= end ||
		    strcmp(node->node + length - end, im->domain))
			continue;
		node->node[length - end] = '\0';
		stripped++;
	}
	return stripped;
}

int import_rename(struct import *im)
{
	const struct liquid_import *given = im->given;
	int status = im->like ? repeat_names(im, &im->like->import.node_names) : LIQUID_OK;

	im->domain = given->strip_domain ? given->strip_domain :
		     im->like ? im->like->import.domain : NULL;
	if (!status && given->node_names)
		status = read_map(im);
	if (!status && im->domain && !strip_domain(im) && given->strip_domain)
		status = liquid_fail(im->err, LIQUID_BAD_INPUT, "%s: no node's name ends with '%s'",
				     given->topo_label, given->strip_domain);
	return status;
}

int fabric_keep_names(struct liquid_fabric *fabric, const struct liquid_names *names,
		      const char *domain, struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (size_t i = 0; i < names->count && !status; i++)
		status = names_add(&fabric->import.node_names, names->name[i],
				   strlen(names->name[i]));
	if (!status && domain) {
		fabric->import.domain = strdup(domain);
		status = fabric->import.domain ? LIQUID_OK : LIQUID_NO_MEMORY;
	}
	return status ? liquid_fail(err, status, "out of memory") : LIQUID_OK;
}
