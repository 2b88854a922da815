/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Graphs without tables: nodes and edges as they are read of a file. */
#ifndef LIQUID_IMPORT_GRAPH_H
#define LIQUID_IMPORT_GRAPH_H

#include "fabric/import/import.h"

enum graph_kind { GRAPH_UNKNOWN, GRAPH_HOST, GRAPH_SWITCH };

struct graph_edge {
	uint32_t from, to, capacity;
	bool directed;
};

struct graph {
	struct import *im;
	struct liquid_fabric *names;	/* each node as a switch: its names are found by hash */
	uint8_t *kind;			/* by node: enum graph_kind */
	struct graph_edge *edge;
	uint32_t edges, room, kinds;
	unsigned long line;		/* that is read; 0: not known */
};

/* graph.c: "LABEL:LINE: reason" */
int graph_fail(const struct graph *graph, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Find or add the node of a name that may be any text. */
int graph_node(struct graph *graph, const char *name, uint32_t *node);
int graph_edge(struct graph *graph, uint32_t from, uint32_t to, bool directed);
/* An attribute of a node, or (edge) of the edges from @first on; unknown ones are ignored. */
int graph_describe(struct graph *graph, uint32_t node, const char *key, const char *value);
int graph_describe_edges(struct graph *graph, uint32_t first, const char *key, const char *value);

/* graph-dot.c, graph-xml.c: read @text, which ends with a zero byte. */
int graph_read_dot(struct graph *graph, char *text);
int graph_read_graphml(struct graph *graph, char *text);

#endif
