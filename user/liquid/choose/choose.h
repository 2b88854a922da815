/* SPDX-License-Identifier: GPL-2.0-only */
/* liquid choose from within: the candidates, and how a choice is shown. */
#ifndef LIQUID_CHOOSE_H
#define LIQUID_CHOOSE_H

#include <jansson.h>

#include "ranks/ranks.h"
#include "liquidsched.h"

/* Nodes: host senders[i] sends and host receivers[i] receives, mostly the same one. */
struct nodes {
	uint32_t *senders, *receivers;
	size_t count;
};

/*
 * choose-nodes.c: the nodes of the fabric, or of the host list @free. Of a node with several
 * endpoints the first one counts. Where no host both sends and receives, the i-th that sends and
 * the i-th that receives are a node. An exit code.
 */
int nodes_read(const struct liquid_fabric *fabric, const char *free, struct nodes *nodes);
void nodes_clear(struct nodes *nodes);

/* choose-print.c; @scale: units of a pair of nodes */
struct choice_view {
	const struct liquid_fabric *fabric;
	const struct liquid_choice *choice;
	uint64_t scale;
};
void choice_print(const struct choice_view *view);
json_t *choice_json(const struct choice_view *view);

#endif
