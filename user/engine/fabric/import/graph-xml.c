// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reads GraphML: of its XML the tags of nodes, edges, keys and data
 *
 * No document type, no entities but the five of XML: nothing is fetched, nothing expands.
 */
#include <ctype.h>
#include <string.h>

#include "fabric/import/graph.h"

#define KEYS 16
#define XML_VALUE 256

struct xml {
	struct graph *graph;
	char *at;
	char *tag;			/* without its < and > */
	bool closes, empty;		/* </node>; <node/> */
	char key[KEYS][XML_VALUE];	/* ids of the keys "kind" and "capacity" */
	bool capacity[KEYS];
	uint32_t keys;
	bool directed;
	uint32_t node, edge;		/* that data is of; or LIQUID_NONE */
};

/* Put a text's entities into place. */
static void decode(char *text)
{
	static const char *const entity[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&apos;" };
	char *to = text;

	while (*text) {
		char c = *text;
		size_t length = 1;

		for (size_t i = 0; c == '&' && length == 1 && i < 5; i++)
			if (!strncmp(text, entity[i], strlen(entity[i]))) {
				c = "&<>\"'"[i];
				length = strlen(entity[i]);
			}
		*to++ = c;
		text += length;
	}
	*to = '\0';
}

static void count_lines(struct xml *xml, char *to)
{
	for (; xml->at < to; xml->at++)
		xml->graph->line += *xml->at == '\n';
}

/* The next tag. Returns 1, 0 at the end, or an error. @text: what is before it */
static int next_tag(struct xml *xml, char **text)
{
	char *open, *close;

	for (;;) {
		const char *ends = ">";

		*text = xml->at;
		open = strchr(xml->at, '<');
		if (!open)
			return 0;
		count_lines(xml, open);
		if (!strncmp(open, "<!--", 4))
			ends = "-->";
		else if (!strncmp(open, "<!", 2))
			return graph_fail(xml->graph, "a document type or CDATA is not read");
		else if (open[1] == '?')
			ends = "?>";
		close = strstr(open + 1, ends);
		if (!close)
			return graph_fail(xml->graph, "a tag has no end");
		xml->at = open;
		if (ends[1]) {
			count_lines(xml, close + strlen(ends));
			continue;
		}
		*open = '\0';
		xml->closes = open[1] == '/';
		xml->empty = close[-1] == '/';
		xml->tag = open + 1 + xml->closes;
		*close = '\0';
		close[-1] = xml->empty ? '\0' : close[-1];
		count_lines(xml, close + 1);
		return 1;
	}
}

static bool is_tag(const struct xml *xml, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(xml->tag, name, length) &&
	       (!xml->tag[length] || isspace((unsigned char)xml->tag[length]));
}

/* Copy the value of the tag's attribute; false: it has none, or it is too long. */
static bool attribute(const struct xml *xml, const char *name, char value[XML_VALUE])
{
	const char *at = xml->tag + strcspn(xml->tag, " \t\r\n"), *start, *end;
	size_t length;

	for (;; at = end + 1) {
		at += strspn(at, " \t\r\n");
		length = strcspn(at, "= \t\r\n");
		start = at + length + strspn(at + length, "= \t\r\n");
		if (!length || (*start != '"' && *start != '\''))
			return false;
		end = strchr(start + 1, *start);
		if (!end)
			return false;
		if (length == strlen(name) && !strncmp(at, name, length))
			break;
	}
	if (end - start > XML_VALUE)
		return false;
	memcpy(value, start + 1, (size_t)(end - start - 1));
	value[end - start - 1] = '\0';
	decode(value);
	return true;
}

static int read_key(struct xml *xml)
{
	char name[XML_VALUE];
	bool capacity;

	if (!attribute(xml, "attr.name", name))
		return LIQUID_OK;
	capacity = !strcmp(name, "capacity");
	if (!capacity && strcmp(name, "kind"))
		return LIQUID_OK;
	if (xml->keys == KEYS || !attribute(xml, "id", xml->key[xml->keys]))
		return graph_fail(xml->graph, "a key without an id, or more than %d", KEYS);
	xml->capacity[xml->keys++] = capacity;
	return LIQUID_OK;
}

/* What <data key="..."> says of the node or edge that it is in */
static int read_data(struct xml *xml, const char *key)
{
	char *text, value[XML_VALUE];
	uint32_t k = 0;
	int status = next_tag(xml, &text);

	if (status <= 0)
		return status ? status : graph_fail(xml->graph, "a tag has no end");
	while (k < xml->keys && strcmp(xml->key[k], key))
		k++;
	if (k == xml->keys)
		return LIQUID_OK;
	text += strspn(text, " \t\r\n");
	snprintf(value, sizeof(value), "%.*s", (int)strcspn(text, " \t\r\n"), text);
	decode(value);
	if (xml->capacity[k])
		return xml->edge == LIQUID_NONE ? LIQUID_OK :
		       graph_describe_edges(xml->graph, xml->edge, "capacity", value);
	return xml->node == LIQUID_NONE ? LIQUID_OK :
	       graph_describe(xml->graph, xml->node, "kind", value);
}

static int read_edge(struct xml *xml)
{
	char from[XML_VALUE], to[XML_VALUE], directed[XML_VALUE];
	uint32_t a, b;
	int status;

	if (!attribute(xml, "source", from) || !attribute(xml, "target", to))
		return graph_fail(xml->graph, "an edge without source or target");
	status = graph_node(xml->graph, from, &a);
	if (!status)
		status = graph_node(xml->graph, to, &b);
	xml->node = LIQUID_NONE;
	xml->edge = xml->graph->edges;
	if (attribute(xml, "directed", directed))
		return status ? status : graph_edge(xml->graph, a, b, *directed == 't');
	return status ? status : graph_edge(xml->graph, a, b, xml->directed);
}

static int read_tag(struct xml *xml)
{
	char value[XML_VALUE];

	if (xml->closes) {
		if (is_tag(xml, "node") || is_tag(xml, "edge"))
			xml->node = xml->edge = LIQUID_NONE;
		return LIQUID_OK;
	}
	if (is_tag(xml, "graph"))
		xml->directed = attribute(xml, "edgedefault", value) && !strcmp(value, "directed");
	else if (is_tag(xml, "hyperedge"))
		return graph_fail(xml->graph, "a hyperedge is no link");
	else if (is_tag(xml, "key"))
		return read_key(xml);
	else if (is_tag(xml, "edge"))
		return read_edge(xml);
	else if (is_tag(xml, "data") && !xml->empty && attribute(xml, "key", value))
		return read_data(xml, value);
	if (!is_tag(xml, "node"))
		return LIQUID_OK;
	xml->edge = LIQUID_NONE;
	return attribute(xml, "id", value) ? graph_node(xml->graph, value, &xml->node) :
	       graph_fail(xml->graph, "a node without an id");
}

int graph_read_graphml(struct graph *graph, char *text)
{
	struct xml xml = { .graph = graph, .at = text, .node = LIQUID_NONE, .edge = LIQUID_NONE };
	bool found = false;
	int status = 1;

	graph->line = 1;
	while (status > 0) {
		status = next_tag(&xml, &text);
		if (status <= 0)
			break;
		found |= is_tag(&xml, "graphml");
		if (!found)
			break;
		status = read_tag(&xml);
		status = status ? status : 1;
	}
	return status >= 0 && !found ? graph_fail(graph, "no <graphml>: not GraphML") : status;
}
