// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads graphs in DOT, the language of graphviz: nodes, edges and their attributes. */
#include <ctype.h>
#include <string.h>

#include "fabric/import/graph.h"

struct dot {
	struct graph *graph;
	char *at;
	char word[256];			/* the token: a name, or one of { } [ ] ; , = : -- -> */
	bool quoted;
	bool end;
};

static int skip_blanks(struct dot *dot)
{
	for (;; dot->at++) {
		bool comment = dot->at[0] == '/' && dot->at[1] == '*';

		if (*dot->at == '#' || (dot->at[0] == '/' && dot->at[1] == '/'))
			dot->at += strcspn(dot->at, "\n");
		for (; comment && (dot->at[0] != '*' || dot->at[1] != '/'); dot->at++) {
			if (!*dot->at)
				return graph_fail(dot->graph, "a comment has no end");
			dot->graph->line += *dot->at == '\n';
		}
		if (comment)
			dot->at++;
		else if (!isspace((unsigned char)*dot->at))
			return LIQUID_OK;
		dot->graph->line += *dot->at == '\n';
	}
}

static bool is_name(const char *at)
{
	return isalnum((unsigned char)*at) || *at == '_' || *at == '.' || *at & 0x80 ||
	       (*at == '-' && (isdigit((unsigned char)at[1]) || at[1] == '.'));
}

static int next_token(struct dot *dot)
{
	size_t length = 0;
	int status = skip_blanks(dot);

	if (status)
		return status;
	dot->quoted = *dot->at == '"';
	dot->end = !*dot->at;
	if (dot->quoted) {
		for (dot->at++; *dot->at != '"' && length < sizeof(dot->word) - 1; dot->at++) {
			dot->at += dot->at[0] == '\\' && dot->at[1] == '"';
			if (!*dot->at || *dot->at == '\n')
				return graph_fail(dot->graph, "a quote has no end in its line");
			dot->word[length++] = *dot->at;
		}
		dot->at += *dot->at == '"';
	} else if (is_name(dot->at)) {
		while (is_name(dot->at) && length < sizeof(dot->word) - 1) {
			/* a--b without blanks */
			if (*dot->at == '-' && length)
				break;
			dot->word[length++] = *dot->at++;
		}
	} else if (*dot->at) {
		dot->word[length++] = *dot->at++;
		if (*dot->word == '-' && (*dot->at == '-' || *dot->at == '>'))
			dot->word[length++] = *dot->at++;
	}
	dot->word[length] = '\0';
	return length < sizeof(dot->word) - 1 ? LIQUID_OK :
	       graph_fail(dot->graph, "a name of more than %zu bytes", sizeof(dot->word) - 2);
}

static bool is(const struct dot *dot, const char *token)
{
	return !dot->quoted && !strcmp(dot->word, token);
}

static bool is_id(const struct dot *dot)
{
	return !dot->end && (dot->quoted || is_name(dot->word));
}

static int expect(struct dot *dot, bool met, const char *what)
{
	return met ? next_token(dot) :
	       graph_fail(dot->graph, "expected %s, not '%.40s'%s", what, dot->word,
			  dot->end ? ": the file ends" : "");
}

/* [key=value, ...]: of @node, of the edges from @first on, or of neither */
static int read_attributes(struct dot *dot, uint32_t node, uint32_t first)
{
	char key[sizeof(dot->word)];
	int status = LIQUID_OK;

	while (is(dot, "[") && !status) {
		status = next_token(dot);
		while (!status && !is(dot, "]")) {
			memcpy(key, dot->word, sizeof(key));
			status = expect(dot, is_id(dot), "an attribute");
			if (!status)
				status = expect(dot, is(dot, "="), "'='");
			if (!status && node != LIQUID_NONE)
				status = graph_describe(dot->graph, node, key, dot->word);
			else if (!status)
				status = graph_describe_edges(dot->graph, first, key, dot->word);
			if (!status)
				status = expect(dot, is_id(dot), "a value (HTML is not read)");
			if (!status && (is(dot, ",") || is(dot, ";")))
				status = next_token(dot);
		}
		if (!status)
			status = next_token(dot);
	}
	return status;
}

static int read_node(struct dot *dot, uint32_t *node)
{
	int status = is_id(dot) ? graph_node(dot->graph, dot->word, node) : LIQUID_OK;

	if (!status)
		status = expect(dot, is_id(dot), "a node (subgraphs are no ends of edges)");
	while (!status && is(dot, ":")) {
		status = next_token(dot);
		if (!status)
			status = expect(dot, is_id(dot), "a port");
	}
	return status;
}

static int read_chain(struct dot *dot, uint32_t node)
{
	uint32_t first = dot->graph->edges, to;
	int status = LIQUID_OK;

	while (!status && (is(dot, "--") || is(dot, "->"))) {
		bool directed = dot->word[1] == '>';

		status = next_token(dot);
		if (!status)
			status = read_node(dot, &to);
		if (!status)
			status = graph_edge(dot->graph, node, to, directed);
		node = to;
	}
	if (!status && is(dot, "["))
		status = read_attributes(dot, first < dot->graph->edges ? LIQUID_NONE : node,
					 first);
	return status;
}

/* Defaults of nodes and edges, and attributes of the graph, say nothing of a fabric. */
static int read_statement(struct dot *dot, uint32_t *depth)
{
	bool defaults = is(dot, "graph") || is(dot, "node") || is(dot, "edge");
	bool opens = is(dot, "{"), closes = is(dot, "}");
	struct dot name = *dot;
	uint32_t node;
	int status;

	if (is(dot, "subgraph")) {
		status = next_token(dot);
		return status || !is_id(dot) ? status : next_token(dot);
	}
	*depth += opens;
	*depth -= closes;
	if (opens || closes)
		return *depth || opens ? next_token(dot) : LIQUID_OK;
	if (is(dot, ";"))
		return next_token(dot);
	status = expect(dot, is_id(dot), "a node, an edge or '}'");
	if (!status && is(dot, "=")) {
		status = next_token(dot);
		return status ? status : expect(dot, is_id(dot), "a value");
	}
	if (status || defaults)
		return status ? status : read_attributes(dot, LIQUID_NONE, dot->graph->edges);
	status = graph_node(dot->graph, name.word, &node);
	while (!status && is(dot, ":")) {
		status = next_token(dot);
		if (!status)
			status = expect(dot, is_id(dot), "a port");
	}
	return status ? status : read_chain(dot, node);
}

int graph_read_dot(struct graph *graph, char *text)
{
	struct dot dot = { .graph = graph, .at = text };
	uint32_t depth = 1;
	int status;

	graph->line = 1;
	status = next_token(&dot);
	if (!status && is(&dot, "strict"))
		status = next_token(&dot);
	if (!status)
		status = expect(&dot, is(&dot, "graph") || is(&dot, "digraph"),
				"'graph' or 'digraph'");
	if (!status && is_id(&dot))
		status = next_token(&dot);
	if (!status)
		status = expect(&dot, is(&dot, "{"), "'{'");
	while (!status && depth)
		status = read_statement(&dot, &depth);
	return status;
}
