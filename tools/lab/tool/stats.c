// SPDX-License-Identifier: GPL-2.0-only
/* liquid-lab stats: print the counters of links and ports. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"
#include "show/print.h"
#include "util/units.h"

struct fabric_stats {
	const struct wire_fabric *fabric;
	struct wire_links links;
	struct wire_ports ports;
};

static uint64_t counter(const struct wire_port *port, int attr)
{
	return port->counter[attr];
}

static bool is_drop(int attr)
{
	return attr == LIQUID_LAB_PORT_A_DROP_LINK_DOWN ||
	       (attr >= LIQUID_LAB_PORT_A_DROP_NO_PORT && attr <= LIQUID_LAB_PORT_A_DROP_RX_FULL);
}

static uint64_t drops(const struct wire_port *port)
{
	uint64_t sum = 0;

	for (int attr = 0; attr <= LIQUID_LAB_PORT_A_MAX; attr++)
		if (is_drop(attr))
			sum += port->counter[attr];
	return sum;
}

/* ---- text ---- */

/* Of the time since the fabric was made, by lane */
static double share(const struct fabric_stats *stats, const struct wire_link *link, uint64_t ns)
{
	double whole = (double)stats->fabric->age_ns * link->capacity;

	return whole > 0 ? 100.0 * (double)ns / whole : 0;
}

static int by_load(const void *a, const void *b)
{
	const struct wire_link *left = a, *right = b;

	/* busy time per lane; doubles, because a product of 2^64 ns and 2^18 lanes overflows */
	double x = (double)left->busy_ns / left->capacity;
	double y = (double)right->busy_ns / right->capacity;

	if (x != y)
		return x > y ? -1 : 1;
	return left->id < right->id ? -1 : left->id > right->id;
}

static void print_links(struct fabric_stats *stats)
{
	qsort(stats->links.link, stats->links.count, sizeof(*stats->links.link), by_load);
	printf("  %-32s %5s %16s %7s %8s %10s %8s\n", "link", "lanes", "bytes", "busy", "blocked",
	       "waits", "drops");
	for (size_t i = 0; i < stats->links.count; i++) {
		const struct wire_link *link = &stats->links.link[i];

		if (!link->bytes && !link->waits && !link->drops && !link->down)
			continue;
		printf("  %-32s %5u %16" PRIu64 " %6.1f%% %7.1f%% %10" PRIu64 " %8" PRIu64 "%s\n",
		       link->label, link->capacity, link->bytes,
		       share(stats, link, link->busy_ns), share(stats, link, link->blocked_ns),
		       link->waits, link->drops, link->down ? "  down" : "");
	}
}

static void print_drops(const struct wire_port *port)
{
	for (int attr = 0; attr <= LIQUID_LAB_PORT_A_MAX; attr++)
		if (is_drop(attr) && port->counter[attr])
			printf(" %s=%" PRIu64, fabric_port_table.row[attr].name,
			       port->counter[attr]);
}

static void print_ports(const struct fabric_stats *stats)
{
	char text[UNIT_TEXT];

	printf("  %-16s %-15s %12s %14s %12s %14s %9s %14s %8s\n", "port", "interface",
	       "sent", "bytes", "received", "bytes", "worms", "head of line", "drops");
	for (size_t i = 0; i < stats->ports.count; i++) {
		const struct wire_port *port = &stats->ports.port[i];

		printf("  %-16s %-15s %12" PRIu64 " %14" PRIu64 " %12" PRIu64 " %14" PRIu64
		       " %9" PRIu64 " %14s %8" PRIu64, port->host, port->ifname,
		       counter(port, LIQUID_LAB_PORT_A_TX_PACKETS),
		       counter(port, LIQUID_LAB_PORT_A_TX_BYTES),
		       counter(port, LIQUID_LAB_PORT_A_RX_PACKETS),
		       counter(port, LIQUID_LAB_PORT_A_RX_BYTES),
		       counter(port, LIQUID_LAB_PORT_A_WORMS),
		       format_time(counter(port, LIQUID_LAB_PORT_A_HOL_NS), text), drops(port));
		print_drops(port);
		putchar('\n');
	}
}

static void print_fabric(struct fabric_stats *stats)
{
	const struct wire_fabric *fabric = stats->fabric;
	char rate[UNIT_TEXT], age[UNIT_TEXT], hop[UNIT_TEXT];
	const char *switching = value_name(switching_names, fabric->switching);

	printf("%s: %s%s, %s a link, %u ports, %u links, %u paths\n", fabric->name,
	       switching ? switching : "?",
	       fabric->switch_queues == LIQUID_LAB_VOQ ? " with virtual output queues" :
	       fabric->switch_queues == LIQUID_LAB_FIFO ? " with input FIFOs" : "",
	       format_rate(fabric->rate_bps, rate), fabric->n_ports,
	       fabric->n_links, fabric->n_paths);
	printf("  overhead %u B, hop latency %s, worm %u B, buffer %u B, ring %u packets, "
	       "%u TX queues\n", fabric->overhead, format_time(fabric->hop_ns, hop),
	       fabric->worm_bytes, fabric->buffer_bytes, fabric->ring, fabric->queues);
	printf("  up for %s, %" PRIu64 " packets in flight, %" PRIu64 " deadlocks\n",
	       format_time(fabric->age_ns, age), fabric->in_flight, fabric->deadlocks);
	print_links(stats);
	print_ports(stats);
}

/* ---- JSON ---- */

static json_t *object_of(const struct attr_table *table, const void *object, const char *key,
			 const char *text)
{
	json_t *json = json_object();

	if (json && !json_object_set_new(json, key, json_string(text)) &&
	    attrs_json(json, table, object))
		return json;
	json_decref(json);
	return NULL;
}

static json_t *links_json(const struct wire_links *links)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < links->count; i++) {
		struct wire_link link = links->link[i];

		link.present &= ~(1ULL << LIQUID_LAB_LINK_A_LABEL);
		if (json_array_append_new(array, object_of(&fabric_link_table, &link, "name",
							   link.label))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *port_json(const struct wire_port *port)
{
	json_t *json = object_of(&fabric_port_table, port, "host", port->host);

	if (json && !json_object_set_new(json, "netns", port->netns[0] ? json_string(port->netns) :
				 json_null()))
		return json;
	json_decref(json);
	return NULL;
}

static json_t *ports_json(const struct wire_ports *ports)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < ports->count; i++)
		if (json_array_append_new(array, port_json(&ports->port[i]))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *fabric_json(const struct fabric_stats *stats)
{
	json_t *json = object_of(&fabric_table, stats->fabric, "name", stats->fabric->name);

	if (json && !json_object_set_new(json, "links", links_json(&stats->links)) &&
	    !json_object_set_new(json, "ports", ports_json(&stats->ports)))
		return json;
	json_decref(json);
	return NULL;
}

/* ---- the command ---- */

struct stats_args {
	const char *name;		/* NULL: every fabric */
	bool json;
};

static const struct opt stats_opts[] = {
	{ "NAME", 0, KIND_TEXT, OPT_MEMBER(struct stats_args, name), .positional = true,
	  .help = "of the fabric; without it all of this namespace" },
	OPT_JSON(struct stats_args),
	{ 0 }
};

static int stats_of_one(struct netlink *nl, const struct wire_fabric *fabric, json_t *all)
{
	struct fabric_stats stats = { .fabric = fabric };
	int code = EXIT_OK;

	if (lab_dump_links(nl, fabric->name, &stats.links) ||
	    lab_dump_ports(nl, fabric->name, &stats.ports))
		code = complain(EXIT_REFUSED, "%s: %s", fabric->name, nl->text);
	else if (!all)
		print_fabric(&stats);
	else if (json_array_append_new(all, fabric_json(&stats)))
		code = complain(EXIT_IO, "out of memory");
	wire_links_clear(&stats.links);
	wire_ports_clear(&stats.ports);
	return code;
}

static int stats_of_all(struct netlink *nl, const struct stats_args *args,
			const struct wire_fabrics *fabrics)
{
	json_t *all = args->json ? json_array() : NULL;
	int code = EXIT_OK;
	size_t found = 0;

	for (size_t i = 0; i < fabrics->count && !code; i++) {
		if (args->name && strcmp(args->name, fabrics->fabric[i].name))
			continue;
		code = stats_of_one(nl, &fabrics->fabric[i], all);
		found++;
	}
	if (!code && args->name && !found)
		code = complain(EXIT_REFUSED,
				"%s: no fabric of this name in this network namespace", args->name);
	if (!code && args->json)
		return print_json("liquid-lab-stats", 1, json_pack("{s:o}", "fabrics", all));
	json_decref(all);
	return code;
}

static int run_stats(int argc, char **argv)
{
	struct stats_args args = { 0 };
	struct wire_fabrics fabrics = { 0 };
	struct netlink nl;
	int code = take_options(argc, argv, stats_opts, &args);

	if (code)
		return code;
	if (lab_open(&nl))
		return complain(EXIT_REFUSED, "%s", nl.text);
	if (lab_dump(&nl, &fabrics))
		code = complain(EXIT_REFUSED, "%s", nl.text);
	else
		code = stats_of_all(&nl, &args, &fabrics);
	wire_fabrics_clear(&fabrics);
	netlink_close(&nl);
	return code;
}

const struct command lab_stats = {
	"stats", "show what links and ports have counted", stats_opts, run_stats, NULL, NULL
};
