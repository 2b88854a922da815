// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The importers of graphs: edge lists, networkx's JSON, DOT and GraphML
 *
 * A node is a host if its attribute "kind" says so, or if it says nothing and the node has one
 * link. There are no tables: `route` makes them.
 */
#include <ctype.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/import/graph.h"

#define GRAPH_BYTES_MAX (256u << 20)

int graph_fail(const struct graph *graph, const char *format, ...)
{
	const char *label = graph->im->given->topo_label;
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!graph->line)
		return liquid_fail(graph->im->err, LIQUID_BAD_INPUT, "%s: %s", label, text);
	return liquid_fail(graph->im->err, LIQUID_BAD_INPUT, "%s:%lu: %s", label, graph->line,
			   text);
}

/* ---- what is read ---- */

/* A line that makes a list longer by one; rooms double. */
static bool grow(void **list, uint32_t count, uint32_t *room, size_t size)
{
	void *more;

	if (count < *room)
		return true;
	more = realloc(*list, (size_t)(*room * 2 + 64) * size);
	if (more) {
		*list = more;
		*room = *room * 2 + 64;
	}
	return more;
}

int graph_node(struct graph *graph, const char *name, uint32_t *node)
{
	struct liquid_error why;
	int status = LIQUID_OK;

	*node = fabric_find_node(graph->names, name);
	if (*node != LIQUID_NONE)
		return LIQUID_OK;
	*node = liquid_fabric_switch_count(graph->names);
	if (!grow((void **)&graph->kind, *node, &graph->kinds, sizeof(*graph->kind)))
		return liquid_no_memory(graph->im->err);
	graph->kind[*node] = GRAPH_UNKNOWN;
	status = liquid_fabric_add_switch(graph->names, name, &why);
	return status ? graph_fail(graph, "%s", why.text) : LIQUID_OK;
}

int graph_edge(struct graph *graph, uint32_t from, uint32_t to, bool directed)
{
	if (from == to)
		return graph_fail(graph, "a link from %s to itself",
				  liquid_fabric_node_name(graph->names, from));
	if (graph->edges >= FABRIC_LINKS_MAX / 2)
		return graph_fail(graph, "more than %u links", FABRIC_LINKS_MAX / 2);
	if (!grow((void **)&graph->edge, graph->edges, &graph->room, sizeof(*graph->edge)))
		return liquid_no_memory(graph->im->err);
	graph->edge[graph->edges++] = (struct graph_edge){ from, to, 1, directed };
	return LIQUID_OK;
}

int graph_describe(struct graph *graph, uint32_t node, const char *key, const char *value)
{
	if (strcmp(key, "kind"))
		return LIQUID_OK;
	if (strcmp(value, "host") && strcmp(value, "switch"))
		return graph_fail(graph, "node %s: its kind is 'host' or 'switch', not '%.40s'",
				  liquid_fabric_node_name(graph->names, node), value);
	graph->kind[node] = *value == 'h' ? GRAPH_HOST : GRAPH_SWITCH;
	return LIQUID_OK;
}

int graph_describe_edges(struct graph *graph, uint32_t first, const char *key, const char *value)
{
	char *end;
	double number;

	if (strcmp(key, "capacity"))
		return LIQUID_OK;
	number = isdigit((unsigned char)*value) ? strtod(value, &end) : 0;
	if (!(number >= 1 && number <= FABRIC_CAPACITY_MAX) || *end ||
	    (uint32_t)number != number)
		return graph_fail(graph, "the capacity '%.40s' is not a whole number of 1 to %u: "
				  "it is in units, and --unit-rate says what that is", value,
				  FABRIC_CAPACITY_MAX);
	for (; first < graph->edges; first++)
		graph->edge[first].capacity = (uint32_t)number;
	return LIQUID_OK;
}

/* ---- an edge list: "A B [CAPACITY]", or as networkx writes it: "A B {'capacity': 4}" ---- */

static int read_edge(struct graph *graph, char *text)
{
	static const char separators[] = " \t\r,;";
	char *rest, *a = strtok_r(text, separators, &rest), *b, *more;
	uint32_t from, to;
	int status;

	if (!a || *a == '#')
		return LIQUID_OK;
	b = strtok_r(NULL, separators, &rest);
	more = b ? strtok_r(NULL, separators, &rest) : NULL;
	if (!b)
		return graph_fail(graph, "expected the two ends of a link, A B [CAPACITY]");
	if (more && *more == '{') {
		more = strcmp(more, "{'capacity':") ? NULL : strtok_r(NULL, " \t\r,;}", &rest);
	} else if (more && strtok_r(NULL, separators, &rest)) {
		return graph_fail(graph, "more than A B [CAPACITY]");
	}
	status = graph_node(graph, a, &from);
	if (!status)
		status = graph_node(graph, b, &to);
	if (!status)
		status = graph_edge(graph, from, to, false);
	return status || !more ? status :
	       graph_describe_edges(graph, graph->edges - 1, "capacity", more);
}

static int read_edges(struct graph *graph, char *text)
{
	int status = LIQUID_OK;

	for (char *line; (line = strsep(&text, "\n")) && !status;) {
		graph->line++;
		status = read_edge(graph, line);
	}
	return status;
}

/* ---- JSON as networkx's node_link_data() ---- */

/* A name or value as text; NULL: neither a string nor a number */
static const char *text_of(const json_t *json, char number[32])
{
	if (json_is_integer(json))
		snprintf(number, 32, "%lld", (long long)json_integer_value(json));
	else if (json_is_real(json))
		snprintf(number, 32, "%.10g", json_real_value(json));
	else
		return json_string_value(json);
	return number;
}

static int json_node(struct graph *graph, const json_t *json, const char *of, size_t index,
		     const char *key, uint32_t *node)
{
	char number[32];
	const char *name = text_of(json_object_get(json, key), number);

	if (!name)
		return graph_fail(graph, "%s[%zu]: no '%s' that is a string or a number", of, index,
				  key);
	return graph_node(graph, name, node);
}

static int read_json(struct graph *graph, char *text)
{
	json_error_t wrong;
	json_t *json = json_loads(text, 0, &wrong), *nodes, *links, *one;
	bool directed = json_is_true(json_object_get(json, "directed"));
	const char *list = "links", *kind;
	uint32_t from, to;
	int status = LIQUID_OK;
	char number[32];
	size_t i;

	graph->line = json ? 0 : (unsigned long)wrong.line;
	if (!json)
		return graph_fail(graph, "%s", wrong.text);
	nodes = json_object_get(json, "nodes");
	links = json_object_get(json, list);
	if (!links)
		links = json_object_get(json, list = "edges");
	if (!json_is_array(nodes) || !json_is_array(links))
		status = graph_fail(graph, "no 'nodes' and 'links' (or 'edges'): is it of "
				    "networkx.node_link_data()?");
	for (i = 0; !status && (one = json_array_get(nodes, i)); i++) {
		status = json_node(graph, one, "nodes", i, "id", &from);
		kind = json_string_value(json_object_get(one, "kind"));
		if (!status && kind)
			status = graph_describe(graph, from, "kind", kind);
	}
	for (i = 0; !status && (one = json_array_get(links, i)); i++) {
		status = json_node(graph, one, list, i, "source", &from);
		if (!status)
			status = json_node(graph, one, list, i, "target", &to);
		if (!status)
			status = graph_edge(graph, from, to, directed);
		one = json_object_get(one, "capacity");
		if (!status && one)
			status = graph_describe_edges(graph, graph->edges - 1, "capacity",
						      text_of(one, number) ? : "?");
	}
	json_decref(json);
	return status;
}

/* ---- the fabric ---- */

struct made {
	struct graph *graph;
	uint32_t *order;		/* nodes of the graph, sorted by name */
	uint32_t *number;		/* by node: its node of the fabric */
	uint32_t *out, *in;		/* by node: links of it so far */
};

static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct graph *graph = context;

	return fabric_compare_names(
		liquid_fabric_node_name(graph->names, *(const uint32_t *)a),
		liquid_fabric_node_name(graph->names, *(const uint32_t *)b));
}

static int add_nodes(struct made *made, uint32_t nodes, bool hosts)
{
	struct graph *graph = made->graph;
	struct liquid_fabric *fabric = graph->im->fabric;
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < nodes && !status; i++) {
		uint32_t n = made->order[i];
		const char *name = liquid_fabric_node_name(graph->names, n);

		if ((graph->kind[n] == GRAPH_HOST) != hosts)
			continue;
		made->number[n] = fabric->hosts + fabric->switches;
		status = hosts ? liquid_fabric_add_host(fabric, name, graph->im->err) :
			 liquid_fabric_add_switch(fabric, name, graph->im->err);
	}
	return status;
}

static int add_link(struct made *made, uint32_t from, uint32_t to, uint32_t from_port,
		    uint32_t to_port, uint32_t capacity)
{
	struct liquid_link link = { made->number[from], made->number[to], from_port, to_port,
				    capacity };
	struct liquid_error why;
	int status = liquid_fabric_add_link(made->graph->im->fabric, &link, &why);

	return status ? graph_fail(made->graph, "%s", why.text) : LIQUID_OK;
}

/* An edge is a cable, with a port at each end; one that is directed is half of one. */
static int add_links(struct made *made)
{
	int status = LIQUID_OK;

	for (uint32_t e = 0; e < made->graph->edges && !status; e++) {
		const struct graph_edge *edge = &made->graph->edge[e];
		uint32_t a = edge->from, b = edge->to;
		uint32_t a_port = ++made->out[a], b_port = ++made->in[b];

		if (!edge->directed) {
			b_port = ++made->out[b];
			made->in[a] = a_port;
			made->in[b] = b_port;
			status = add_link(made, b, a, b_port, a_port, edge->capacity);
		}
		if (!status)
			status = add_link(made, a, b, a_port, b_port, edge->capacity);
	}
	return status;
}

static int check_hosts(const struct graph *graph)
{
	const struct liquid_fabric *fabric = graph->im->fabric;

	for (uint32_t h = 0; h < fabric->hosts; h++)
		if (fabric->host[h].out == LIQUID_NONE || fabric->host[h].in == LIQUID_NONE)
			return graph_fail(graph, "host %s needs a link in both directions",
					  fabric->host[h].name);
	return LIQUID_OK;
}

static void find_hosts(struct made *made, uint32_t nodes)
{
	struct graph *graph = made->graph;

	for (uint32_t e = 0; e < graph->edges; e++) {
		made->out[graph->edge[e].from]++;
		made->in[graph->edge[e].to]++;
	}
	for (uint32_t n = 0; n < nodes; n++) {
		uint32_t out = made->out[n], in = made->in[n];
		bool one = graph->edges && graph->edge[0].directed ? out <= 1 && in <= 1 :
			   out + in == 1;

		if (graph->kind[n] == GRAPH_UNKNOWN && one)
			graph->kind[n] = GRAPH_HOST;
	}
	memset(made->out, 0, 2 * (size_t)nodes * sizeof(*made->out));
}

static int make_fabric(struct graph *graph)
{
	uint32_t nodes = liquid_fabric_switch_count(graph->names), *memory;
	struct made made = { .graph = graph };
	int status;

	memory = calloc(4 * (size_t)nodes + 1, sizeof(*memory));
	if (!memory)
		return liquid_no_memory(graph->im->err);
	made.out = memory;
	made.in = made.out + nodes;
	made.order = made.in + nodes;
	made.number = made.order + nodes;
	for (uint32_t n = 0; n < nodes; n++)
		made.order[n] = n;
	qsort_r(made.order, nodes, sizeof(*made.order), compare_nodes, graph);
	find_hosts(&made, nodes);
	graph->line = 0;
	status = add_nodes(&made, nodes, true);
	if (!status && !graph->im->fabric->hosts)
		status = graph_fail(graph, "no host: each node has several links, and none says "
				    "kind=host");
	if (!status)
		status = add_nodes(&made, nodes, false);
	if (!status)
		status = add_links(&made);
	free(memory);
	return status ? status : check_hosts(graph);
}

/* ---- the importers ---- */

static int read_all(struct graph *graph, char **text)
{
	size_t size = 0, room = 65536, got = 1;
	char *more;

	*text = malloc(room);
	while (*text && got) {
		if (size > GRAPH_BYTES_MAX)
			return graph_fail(graph, "more than %u bytes", GRAPH_BYTES_MAX);
		if (room - size < 2) {
			more = realloc(*text, room *= 2);
			if (!more)
				return liquid_no_memory(graph->im->err);
			*text = more;
		}
		got = fread(*text + size, 1, room - size - 1, graph->im->given->topo);
		size += got;
	}
	if (!*text)
		return liquid_no_memory(graph->im->err);
	(*text)[size] = '\0';
	if (ferror(graph->im->given->topo))
		return liquid_fail(graph->im->err, LIQUID_IO, "%s: reading failed",
				   graph->im->given->topo_label);
	return memchr(*text, '\0', size) ? graph_fail(graph, "a zero byte: not a text file") :
	       LIQUID_OK;
}

static int import_graph(struct import *im, int (*read)(struct graph *graph, char *text))
{
	const struct liquid_import *given = im->given;
	struct graph graph = { .im = im };
	char *text = NULL;
	int status;

	if (!given->topo || given->lft || given->dir || given->hosts || given->rail ||
	    given->rail_name || given->node_names || given->strip_domain || given->unknown_bps)
		return import_misfit(im);
	im->all_alike = im->no_tables = true;
	status = liquid_fabric_new("names", &graph.names, im->err);
	if (!status)
		status = read_all(&graph, &text);
	if (!status)
		status = read(&graph, text);
	if (!status)
		status = make_fabric(&graph);
	liquid_fabric_free(graph.names);
	free(graph.kind);
	free(graph.edge);
	free(text);
	if (!status)
		status = import_leave_out(im);
	if (!status)
		status = import_select(im);
	return status || !given->unit_bps ? status :
	       liquid_fabric_set_unit_rate(im->fabric, given->unit_bps, im->err);
}

int import_edges(struct import *im)
{
	return import_graph(im, read_edges);
}

int import_networkx(struct import *im)
{
	return import_graph(im, read_json);
}

int import_dot(struct import *im)
{
	return import_graph(im, graph_read_dot);
}

int import_graphml(struct import *im)
{
	return import_graph(im, graph_read_graphml);
}
