// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writing forwarding tables as OpenSM reads them (opensm -R file -U FILE), and lanes as its quality
 * of service does (opensm -Q -Y FILE -F OPTIONS). LIDs and GUIDs are those of ibnetdiscover.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/import/import.h"
#include "route/routing.h"

struct writer {
	const struct routing *routing;
	struct import import;
	uint32_t *host;			/* by port of the topology: our host, or LIQUID_NONE */
	uint32_t *sw;			/* by node of the topology: our switch, or LIQUID_NONE */
	uint32_t *to_switch;		/* of routing_to_switches() */
	uint32_t *owner;		/* by LID: port of an adapter, or LIQUID_NONE */
	uint32_t *address;		/* by LID: our host or alias, or LIQUID_NONE */
	uint32_t aliases;		/* that have a LID */
	uint32_t *owner_switch;		/* by LID: switch node, or LIQUID_NONE */
	uint32_t highest;		/* LID */
	FILE *out;
	struct liquid_error *err;
};

/* ---- what has which LID ---- */

static uint32_t *all_none(size_t count)
{
	uint32_t *value = malloc((count + 1) * sizeof(*value));

	for (size_t i = 0; value && i <= count; i++)
		value[i] = LIQUID_NONE;
	return value;
}

static void own(struct writer *writer, uint32_t *owner, uint32_t lid, uint32_t who)
{
	owner[lid] = who;
	writer->highest = lid > writer->highest ? lid : writer->highest;
}

/* Alias HOST.1 has the LID after the base LID, and so on; others have the routes of the host. */
static uint32_t find_address(struct writer *writer, uint32_t port, uint32_t number)
{
	const struct liquid_fabric *ours = writer->routing->shown.fabric;
	uint32_t host = writer->host[port], alias;
	char name[LIQUID_NAME_MAX + 16];

	if (host == LIQUID_NONE || !number)
		return host;
	snprintf(name, sizeof(name), "%s.%u", ours->host[host].name, number);
	alias = liquid_fabric_find_host(ours, name);
	if (alias == LIQUID_NONE || liquid_fabric_owner(ours, alias) != host)
		return host;
	writer->aliases++;
	return alias;
}

/* Of two ports with a LID, that of a host of the fabric has it. */
static bool is_owned(const struct writer *writer, uint32_t lid)
{
	return writer->owner[lid] != LIQUID_NONE;
}

static void find_owners(struct writer *writer)
{
	const struct topo *topo = &writer->import.topo;

	for (uint32_t n = 0; n < topo->nodes; n++)
		if (topo->node[n].kind == TOPO_SWITCH && topo->node[n].lid)
			own(writer, writer->owner_switch, topo->node[n].lid, n);
	for (uint32_t p = 0; p < topo->ports; p++) {
		const struct topo_port *port = &topo->port[p];

		if (topo->node[port->node].kind == TOPO_SWITCH || !port->lid)
			continue;
		for (uint32_t i = 0; i < 1u << port->lmc && port->lid + i < TOPO_LIDS; i++) {
			if (writer->host[p] == LIQUID_NONE && is_owned(writer, port->lid + i))
				continue;
			own(writer, writer->owner, port->lid + i, p);
			writer->address[port->lid + i] = find_address(writer, p, i);
		}
	}
}

/* Our nodes have the names that an import gives. */
static void find_nodes(struct writer *writer)
{
	const struct liquid_fabric *all = writer->import.fabric;
	const struct liquid_fabric *ours = writer->routing->shown.fabric;
	const struct topo *topo = &writer->import.topo;

	for (uint32_t p = 0; p < topo->ports; p++)
		if (topo->port[p].host != LIQUID_NONE)
			writer->host[p] = liquid_fabric_find_host(ours,
					liquid_fabric_node_name(all, topo->port[p].host));
	for (uint32_t n = 0; n < topo->nodes; n++) {
		uint32_t node;

		if (topo->node[n].kind != TOPO_SWITCH || topo->node[n].sw == LIQUID_NONE)
			continue;
		node = fabric_find_node(ours, liquid_fabric_node_name(all, all->hosts +
								      topo->node[n].sw));
		if (node != LIQUID_NONE && node >= ours->hosts)
			writer->sw[n] = node - ours->hosts;
	}
}

static int check_aliases(const struct writer *writer)
{
	uint32_t aliases = liquid_fabric_alias_count(writer->routing->shown.fabric);

	if (writer->aliases == aliases)
		return LIQUID_OK;
	return liquid_fail(writer->err, LIQUID_BAD_INPUT, "%s: %u of %u aliases HOST.N have no "
			   "LID: run the subnet manager with their LMC first",
			   writer->import.given->topo_label, aliases - writer->aliases, aliases);
}

static int open_topo(struct writer *writer)
{
	struct import *im = &writer->import;
	int status = topo_read(&im->topo, im->given->topo, im->given->topo_label, im->err);

	if (!status)
		status = liquid_fabric_new("tables", &im->fabric, im->err);
	if (!status)
		status = import_names(im);
	if (status)
		return status;
	writer->host = all_none(im->topo.ports);
	writer->sw = all_none(im->topo.nodes);
	writer->owner = all_none(TOPO_LIDS);
	writer->owner_switch = all_none(TOPO_LIDS);
	writer->address = all_none(TOPO_LIDS);
	writer->to_switch = routing_to_switches(writer->routing);
	if (!writer->host || !writer->sw || !writer->owner || !writer->owner_switch ||
	    !writer->address ||
	    !writer->to_switch)
		return liquid_no_memory(writer->err);
	find_nodes(writer);
	find_owners(writer);
	return check_aliases(writer);
}

/* ---- rows ---- */

static uint32_t port_of(const struct writer *writer, uint32_t link)
{
	return link == LIQUID_NONE ? LIQUID_NONE :
	       liquid_fabric_link(writer->routing->graph.fabric, link)->from_port;
}

static uint32_t port_to_switch(const struct writer *writer, uint32_t from, uint32_t to)
{
	if (to == LIQUID_NONE)
		return LIQUID_NONE;
	return port_of(writer, writer->to_switch[(size_t)writer->routing->graph.switches * to +
						 from]);
}

/* By which port switch node @n sends to an adapter's @lid; LIQUID_NONE: there is no way. */
static uint32_t port_to_adapter(const struct writer *writer, uint32_t n, uint32_t lid)
{
	const struct topo *topo = &writer->import.topo;
	uint32_t peer = topo->port[writer->owner[lid]].peer, host = writer->address[lid];
	uint32_t home = peer == LIQUID_NONE ? LIQUID_NONE : topo->port[peer].node;

	if (home == n)
		return topo->port[peer].number;
	if (host != LIQUID_NONE)
		return port_of(writer, liquid_fabric_forward(writer->routing->shown.fabric,
							     writer->sw[n], host));
	/* A host that the fabric leaves out: as to its switch */
	return home == LIQUID_NONE ? LIQUID_NONE :
	       port_to_switch(writer, writer->sw[n], writer->sw[home]);
}

static uint32_t write_row(const struct writer *writer, uint32_t n, uint32_t lid)
{
	const struct topo *topo = &writer->import.topo;
	uint32_t p = writer->owner[lid], other = writer->owner_switch[lid];
	uint32_t port;

	if (other != LIQUID_NONE) {
		port = other == n ? 0 : port_to_switch(writer, writer->sw[n], writer->sw[other]);
		if (port != LIQUID_NONE)
			fprintf(writer->out,
				"0x%04x %03u # Switch portguid 0x%016" PRIx64 ": '%s'\n", lid,
				port, topo->node[other].guid, topo->node[other].node);
		return port != LIQUID_NONE;
	}
	if (p == LIQUID_NONE)
		return 0;
	port = port_to_adapter(writer, n, lid);
	if (port == LIQUID_NONE)
		return 0;
	fprintf(writer->out, "0x%04x %03u # Channel Adapter portguid 0x%016" PRIx64 ": '%s'\n", lid,
		port, topo->port[p].guid, topo->node[topo->port[p].node].node);
	return 1;
}

static void write_table(const struct writer *writer, uint32_t n)
{
	const struct topo_node *node = &writer->import.topo.node[n];
	uint32_t rows = 0;

	fprintf(writer->out, "Unicast lids [0-%u] of switch Lid %u guid 0x%016" PRIx64 " ('%s'):\n",
		writer->highest, node->lid, node->guid, node->node);
	for (uint32_t lid = 1; lid <= writer->highest; lid++)
		rows += write_row(writer, n, lid);
	fprintf(writer->out, "%u lids dumped\n", rows);
}

/* ---- files ---- */

/* InfiniBand has 15 lanes for data; the sixteenth is the subnet manager's, and drops data. */
#define DATA_LANES 15

static int check_lanes(const struct liquid_routing *routing, struct liquid_error *err)
{
	if (routing->lanes <= DATA_LANES)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_BAD_INPUT, "the routes need %u lanes, and InfiniBand has %d "
			   "for data", routing->lanes, DATA_LANES);
}

static int written(const struct writer *writer)
{
	if (!fflush(writer->out) && !ferror(writer->out))
		return LIQUID_OK;
	return liquid_fail(writer->err, LIQUID_IO, "writing the tables failed: %s",
			   errno ? strerror(errno) : "I/O error");
}

static int write_tables(struct writer *writer)
{
	int status = open_topo(writer);

	for (uint32_t n = 0; n < writer->import.topo.nodes && !status; n++)
		if (writer->sw[n] != LIQUID_NONE)
			write_table(writer, n);
	return status ? status : written(writer);
}

/*
 * A rule for each adapter port that has another lane than 0. The service level is the number of the
 * lane: see write_options().
 */
static int write_policy(struct writer *writer)
{
	const struct topo *topo = &writer->import.topo;
	int status = open_topo(writer);

	if (status)
		return status;
	fputs("qos-ulps\n    default : 0\n", writer->out);
	for (uint32_t p = 0; p < topo->ports; p++)
		if (writer->host[p] != LIQUID_NONE && writer->routing->lane[writer->host[p]])
			fprintf(writer->out, "    any, target-port-guid 0x%016" PRIx64 " : %u\n",
				topo->port[p].guid, writer->routing->lane[writer->host[p]]);
	fputs("end-qos-ulps\n", writer->out);
	return written(writer);
}

/* Each service level has the lane of its number, all with the same share of a link. */
static int write_options(struct writer *writer)
{
	uint32_t lanes = writer->routing->shown.lanes;
	FILE *out = writer->out;

	fprintf(out, "qos TRUE\nqos_max_vls %u\nqos_high_limit 0\n", lanes);
	for (uint32_t lane = 0; lane < lanes; lane++)
		fprintf(out, "%s%u:64", lane ? "," : "qos_vlarb_low ", lane);
	fputs("\nqos_vlarb_high 0:0\n", out);
	for (uint32_t level = 0; level < LIQUID_LANES_MAX; level++)
		fprintf(out, "%s%u", level ? "," : "qos_sl2vl ", level < lanes ? level : 0);
	fputc('\n', out);
	return written(writer);
}

int liquid_routing_write(const struct liquid_routing *routing, enum liquid_opensm file,
			 const struct liquid_import *import, FILE *out, struct liquid_error *err)
{
	struct writer writer = {
		.routing = routing_of(routing), .import.given = import, .out = out, .err = err,
	};
	int status = check_lanes(routing, err);

	if (status)
		return status;
	writer.import.like = writer.routing->shown.fabric;
	writer.import.err = err;
	status = file == LIQUID_OPENSM_TABLES ? write_tables(&writer) :
		 file == LIQUID_OPENSM_QOS_POLICY ? write_policy(&writer) : write_options(&writer);
	topo_free(&writer.import.topo);
	liquid_fabric_free(writer.import.fabric);
	liquid_names_clear(&writer.import.notes);
	liquid_names_clear(&writer.import.names);
	free(writer.host);
	free(writer.sw);
	free(writer.to_switch);
	free(writer.owner);
	free(writer.owner_switch);
	free(writer.address);
	return status;
}
