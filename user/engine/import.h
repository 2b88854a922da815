/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was read of an InfiniBand fabric, before it becomes a struct liquid_fabric. */
#ifndef LIQUID_IMPORT_H
#define LIQUID_IMPORT_H

#include "fabric.h"

/* Not for the library's users */
#pragma GCC visibility push(hidden)

#define TOPO_NODES_MAX (2 * FABRIC_HOSTS_MAX)
#define TOPO_PORTS_MAX (FABRIC_LINKS_MAX / 2)
#define TOPO_PORT_MAX 254		/* of a port's number */
#define TOPO_LIDS 65536
#define TOPO_WORD 128			/* bytes of a word of a node description that are kept */

enum topo_kind { TOPO_SWITCH = 'S', TOPO_ADAPTER = 'H', TOPO_ROUTER = 'R' };

struct topo_node {
	enum topo_kind kind;
	bool left_out;
	bool tie;			/* another adapter of its node has the same word */
	uint64_t guid;
	char node[TOPO_WORD];		/* first word of the description, fit to be a name */
	char adapter[TOPO_WORD];	/* second word, or the GUID where that is not unique */
	uint32_t lid;			/* of a switch */
	uint32_t first_port, ports;
	unsigned long line;
	uint32_t sw;			/* of the fabric, or LIQUID_NONE */
};

struct topo_port {
	uint32_t node, number;
	uint64_t guid;			/* of the port, of an adapter */
	enum topo_kind peer_kind;
	uint64_t peer_guid;
	uint32_t peer_number;
	uint32_t peer;			/* port, found by topo_join() */
	uint32_t lid, lmc;		/* of an adapter's port */
	uint32_t rate;			/* Mbit/s of data */
	unsigned long line;
	uint32_t host;			/* of the fabric, or LIQUID_NONE */
};

struct topo {
	struct topo_node *node;
	struct topo_port *port;
	uint32_t nodes, ports;
	uint32_t *by_guid;		/* nodes, sorted */
};

/* Read ibnetdiscover's output and join the two ends of each cable. */
int topo_read(struct topo *topo, FILE *in, const char *label, struct liquid_error *err);
void topo_free(struct topo *topo);

/* What a forwarding table's row is for. */
enum lid_use {
	LID_UNKNOWN,
	LID_HOST,			/* @owner is a port of the topology */
	LID_OTHER,			/* a switch, a node that was left out, an LMC alias */
};

struct lid_entry {
	enum lid_use use;
	bool seen;			/* a table has a row for it */
	uint32_t owner;			/* port, or LIQUID_NONE */
};

struct import {
	const struct liquid_import *given;
	struct topo topo;
	struct lid_entry *lid;		/* TOPO_LIDS */
	struct liquid_fabric *fabric;
	struct liquid_error *err;
};

void import_note(const struct import *import, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Name and number hosts and switches, add them and the links to the fabric. */
int import_names(struct import *import);
int import_links(struct import *import);
/* Read the forwarding tables into the fabric. */
int import_lft(struct import *import);

#pragma GCC visibility pop

#endif
