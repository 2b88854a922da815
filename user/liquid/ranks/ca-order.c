// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order that OpenSM's ftree engine has computed: opensm-ftree-ca-order.dump
 *
 * One line per adapter: its LID in hex, a tab, and its node description, whose first word is the
 * node. DUMMY marks a position without an adapter.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "input/input.h"
#include "ranks/ranks.h"

struct ca_order {
	const struct liquid_fabric *fabric;
	const char *path;
	unsigned long line;
	uint32_t *hosts;		/* the result; the first @placed are in their final order */
	size_t count, placed;
};

/* Is @endpoint, such as "node" or "node/HCA-1/1", one of @node? */
static bool is_of_node(const char *endpoint, const char *node, size_t length)
{
	return !strncmp(endpoint, node, length) &&
	       (endpoint[length] == '\0' || endpoint[length] == '/');
}

/* Place all remaining endpoints of a node next. */
static void place_node(struct ca_order *order, const char *node, size_t length)
{
	for (size_t i = order->placed; i < order->count; i++) {
		uint32_t host = order->hosts[i];

		if (!is_of_node(liquid_fabric_node_name(order->fabric, host), node, length))
			continue;
		memmove(&order->hosts[order->placed + 1], &order->hosts[order->placed],
			(i - order->placed) * sizeof(*order->hosts));
		order->hosts[order->placed++] = host;
	}
}

static int take_line(struct ca_order *order, char *text)
{
	char *end, *node;

	text[strcspn(text, "\r\n")] = '\0';
	if (!*text)
		return EXIT_OK;
	errno = 0;
	if (strncmp(text, "0x", 2) || strtoul(text, &end, 16) > 0xffff || errno ||
	    !isspace((unsigned char)*end))
		return complain(EXIT_BAD_INPUT, "%s:%lu: expected a LID such as 0x0001 and a "
				"node's description", order->path, order->line);
	node = end + strspn(end, " \t");
	if (*node && strcmp(node, "DUMMY"))
		place_node(order, node, strcspn(node, " \t"));
	return EXIT_OK;
}

static int take_lines(struct ca_order *order, FILE *in)
{
	char *text = NULL;
	size_t room = 0;
	int code = EXIT_OK;

	while (!code && getline(&text, &room, in) >= 0) {
		order->line++;
		code = take_line(order, text);
	}
	if (!code && !feof(in))
		code = complain(EXIT_IO, "%s: %s", order->path, strerror(errno));
	free(text);
	return code;
}

int ranks_read_ca_order(const struct ranks_args *args, const struct liquid_fabric *fabric,
			uint32_t *hosts, size_t *count)
{
	struct ca_order order = { .fabric = fabric, .path = args->ca_order, .hosts = hosts,
				  .count = *count };
	FILE *in;
	int code = open_input(args->ca_order, &in);

	if (code)
		return code;
	code = take_lines(&order, in);
	close_input(in);
	if (!code && order.placed < order.count)
		code = complain(EXIT_BAD_INPUT, "%s: has no '%s', nor %zu other hosts",
				args->ca_order,
				liquid_fabric_node_name(fabric, hosts[order.placed]),
				order.count - order.placed - 1);
	return code;
}
