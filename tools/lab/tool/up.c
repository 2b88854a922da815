// SPDX-License-Identifier: GPL-2.0-only
/* liquid-lab up: net devices joined by the links of a fabric file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net.h"
#include "lab.h"
#include "input/input.h"
#include "netns.h"
#include "routes.h"

struct up_port {
	uint32_t host;
	char *ifname;
	bool made;			/* liquid-lab made the namespace for this port */
};

struct up {
	const char *file, *list;
	struct wire_fabric wire;
	struct addr_base addr;
	bool netns;
	struct liquid_fabric *fabric;
	struct up_port *port;
	size_t count, room;
	struct netlink nl;
};

/* A text that is too long is cut off. */
static void set_text(char text[FABRIC_TEXT], const char *from)
{
	size_t length = strnlen(from, FABRIC_TEXT - 1);

	memcpy(text, from, length);
	text[length] = 0;
}

/* ---- options ---- */

static const char *take_addr(void *member, const char *text)
{
	return parse_addr_base(text, member) ? NULL : "NETWORK/BITS";
}

static const char *take_name(void *member, const char *text)
{
	set_text(member, text);
	return *text && strlen(text) <= LIQUID_LAB_NAME_MAX ? NULL : "a name that is not so long";
}

#define MEMBER(member) OPT_MEMBER(struct up, member)
/* A member of the request, and the attribute whose bit is set if it was given */
#define WIRE(member, attr) \
	MEMBER(wire.member), .bit = LIQUID_LAB_A_##attr, .given = offsetof(struct up, wire.present)

static const struct opt up_opts[] = {
	{ "FABRIC", 0, KIND_TEXT, MEMBER(file), .positional = true, .required = true,
	  .help = "the file of the fabric" },
	{ "rate", 0, KIND_RATE, WIRE(rate_bps, RATE_BPS), .required = true, .min = 1,
	  .value = "RATE", .help = "of a link, for each unit of its capacity" },
	{ "ports", 0, KIND_TEXT, MEMBER(list), .value = "LIST",
	  .help = "only these hosts; HOST=IFNAME names the device" },
	{ "netns", 0, KIND_FLAG, MEMBER(netns),
	  .help = "put each device into the network namespace of its host's name" },
	{ "addr", 0, KIND_OTHER, MEMBER(addr), .take = take_addr, .value = "NETWORK/BITS",
	  .help = "give the ports addresses, and each other's as neighbours" },
	{ "switching", 0, KIND_CHOICE, WIRE(switching, SWITCHING), .words = switching_names,
	  .value = "HOW", .help = "how packets take the links" },
	{ "queues", 0, KIND_CHOICE, WIRE(switch_queues, SWITCH_QUEUES),
	  .words = switch_queues_names, .value = "QUEUES",
	  .expected = "fifo-speedup, voq or fifo (the number of TX queues is --tx-queues)",
	  .help = "of a switch with cut-through: input FIFOs, or virtual output queues" },
	{ "worm", 0, KIND_SIZE, WIRE(worm_bytes, WORM_BYTES), .value = "SIZE",
	  .help = "end a worm at this size; 1 MiB by default" },
	{ "buffer", 0, KIND_SIZE, WIRE(buffer_bytes, BUFFER_BYTES), .value = "SIZE",
	  .help = "of a switch for each link; 256 KiB by default" },
	{ "overhead", 0, KIND_SIZE, WIRE(overhead, OVERHEAD), .value = "BYTES",
	  .help = "that the wire adds to a packet; 24 by default" },
	{ "hop-latency", 0, KIND_TIME, WIRE(hop_ns, HOP_NS), .value = "TIME",
	  .help = "of a header from link to link; 0 by default" },
	{ "ring", 0, KIND_NUMBER, WIRE(ring, RING), .value = "N",
	  .help = "packets of a TX queue's ring; 256 by default" },
	{ "tx-queues", 0, KIND_NUMBER, WIRE(queues, QUEUES), .value = "N",
	  .help = "TX queues of a device; 1 by default" },
	{ "unrouted", 0, KIND_CHOICE, WIRE(unrouted, UNROUTED), .words = unrouted_names,
	  .value = "WHAT", .help = "drop packets without a path, or carry them past the fabric" },
	{ "mtu", 0, KIND_NUMBER, WIRE(mtu, MTU), .value = "N",
	  .help = "of the devices; 1500 by default" },
	{ "name", 0, KIND_OTHER, MEMBER(wire.name), .take = take_name, .value = "NAME",
	  .help = "of the fabric; by default as in the file" },
	{ 0 }
};

/* ---- which ports ---- */

static int add_port(struct up *up, const char *host, const char *ifname)
{
	char near[LIQUID_NEAR_TEXT];
	struct up_port *port;

	if (up->count == up->room) {
		size_t room = up->room ? 2 * up->room : 64;

		port = reallocarray(up->port, room, sizeof(*port));
		if (!port)
			return complain(EXIT_IO, "out of memory");
		up->port = port;
		up->room = room;
	}
	port = &up->port[up->count];
	*port = (struct up_port){ .host = liquid_fabric_find_host(up->fabric, host) };
	if (port->host == LIQUID_NONE)
		return complain(EXIT_BAD_INPUT, "no host '%s' in fabric %s%s", host,
				liquid_fabric_name(up->fabric),
				liquid_fabric_near_host(up->fabric, host, near));
	for (size_t i = 0; i < up->count; i++)
		if (up->port[i].host == port->host)
			return complain(EXIT_BAD_INPUT, "host '%s' is named twice", host);
	if (strlen(ifname) >= IFNAMSIZ || strpbrk(ifname, "/: %\t"))
		return complain(EXIT_BAD_INPUT,
				"'%s' is not a valid interface name (at most %d characters, "
				"without / : %% or space): say --ports %s=IFNAME,...",
				ifname, IFNAMSIZ - 1, host);
	port->ifname = strdup(ifname);
	if (!port->ifname)
		return complain(EXIT_IO, "out of memory");
	up->count++;
	return EXIT_OK;
}

/* "HOST=IFNAME", or a list of hosts */
static int add_item(struct up *up, char *item)
{
	char *equals = strchr(item, '=');
	struct liquid_names names = { 0 };
	struct liquid_error err;
	int status, code = EXIT_OK;

	if (equals) {
		*equals = 0;
		return add_port(up, item, equals + 1);
	}
	status = liquid_hostlist_expand(item, &names, &err);
	if (status)
		return complain(exit_code_of(status), "--ports: %s", err.text);
	for (size_t i = 0; i < names.count && !code; i++)
		code = add_port(up, names.name[i], names.name[i]);
	liquid_names_clear(&names);
	return code;
}

/* The end of the item: the next comma outside brackets, or the end of the text. */
static char *item_end(char *item)
{
	int depth = 0;

	for (; *item && (*item != ',' || depth); item++)
		depth += (*item == '[') - (*item == ']');
	return item;
}

static int add_list(struct up *up)
{
	char *list = strdup(up->list), *item = list, *end;
	int code = list ? EXIT_OK : complain(EXIT_IO, "out of memory");
	bool last = false;

	for (; !code && !last; item = end + 1) {
		end = item_end(item);
		last = !*end;
		*end = 0;
		code = add_item(up, item);
	}
	free(list);
	return code;
}

static int add_all(struct up *up)
{
	int code = EXIT_OK;

	for (uint32_t h = 0; h < liquid_fabric_host_count(up->fabric) && !code; h++) {
		const char *name = liquid_fabric_node_name(up->fabric, h);

		code = add_port(up, name, name);
	}
	return code;
}

static int find_ports(struct up *up)
{
	int code = up->list ? add_list(up) : add_all(up);

	if (!code && up->addr.family && !addr_base_fits(&up->addr, up->count))
		code = complain(EXIT_BAD_INPUT, "--addr: too few addresses for %zu ports",
				up->count);
	return code;
}

/* ---- requests to the module ---- */

static int refused(const struct up *up)
{
	return complain(EXIT_REFUSED, "%s: %s", up->wire.name, up->nl.text);
}

static int send_links(struct up *up)
{
	uint32_t count = liquid_fabric_link_count(up->fabric);
	uint32_t hosts = liquid_fabric_host_count(up->fabric);
	struct wire_link *link = calloc(count + 1, sizeof(*link));
	char name[2 * LIQUID_NAME_MAX + 32];
	int code = EXIT_OK;

	if (!link)
		return complain(EXIT_IO, "out of memory");
	for (uint32_t l = 0; l < count; l++) {
		const struct liquid_link *from = liquid_fabric_link(up->fabric, l);

		link[l].present = 1ULL << LIQUID_LAB_LINK_A_CAPACITY |
				  1ULL << LIQUID_LAB_LINK_A_TO_SWITCH;
		link[l].to_switch = from->to >= hosts;
		link[l].capacity = liquid_fabric_capacity(up->fabric, l);
		liquid_fabric_link_name(up->fabric, l, name, sizeof(name));
		set_text(link[l].label, name);
	}
	if (lab_links(&up->nl, link, count))
		code = refused(up);
	free(link);
	return code;
}

static int send_port(struct up *up, struct up_port *from)
{
	const char *host = liquid_fabric_node_name(up->fabric, from->host);
	struct wire_port port = { 0 };
	int fd = -1, code = EXIT_OK;

	set_text(port.ifname, from->ifname);
	set_text(port.host, host);
	if (up->netns) {
		fd = netns_open(host, &from->made);
		if (fd < 0)
			return EXIT_BAD_INPUT;
		port.present = 1ULL << LIQUID_LAB_PORT_A_NETNS_FD;
		port.netns_fd = (uint32_t)fd;
		if (from->made)
			set_text(port.netns, host);
	}
	if (lab_ports(&up->nl, &port, 1))
		code = refused(up);
	if (fd >= 0)
		close(fd);
	return code;
}

static int send_paths(struct up *up)
{
	uint32_t *host = calloc(up->count + 1, sizeof(*host));
	struct ends ends = { .fabric = up->fabric, .host = host, .count = (uint32_t)up->count };
	int code;

	if (!host)
		return complain(EXIT_IO, "out of memory");
	for (size_t i = 0; i < up->count; i++)
		host[i] = up->port[i].host;
	code = send_routes(&up->nl, up->wire.name, &ends);
	free(host);
	return code;
}

static int tell_module(struct up *up)
{
	int code = lab_begin(&up->nl, &up->wire) ? refused(up) : EXIT_OK;

	if (!code)
		code = send_links(up);
	for (size_t i = 0; i < up->count && !code; i++)
		code = send_port(up, &up->port[i]);
	if (!code)
		code = send_paths(up);
	if (!code && lab_commit(&up->nl))
		code = refused(up);
	return code;
}

/* ---- after the fabric is made ---- */

static int make_ready(struct up *up)
{
	struct net_port *port = calloc(up->count, sizeof(*port));
	char text[64];
	int code;

	if (!port)
		return complain(EXIT_IO, "out of memory");
	for (size_t i = 0; i < up->count; i++) {
		port[i].ifname = up->port[i].ifname;
		if (up->netns)
			port[i].netns = liquid_fabric_node_name(up->fabric, up->port[i].host);
	}
	code = net_ports_up(port, up->count, &up->addr);
	for (size_t i = 0; i < up->count && !code && up->addr.family; i++)
		printf("%s %s\n", liquid_fabric_node_name(up->fabric, up->port[i].host),
		       format_addr(&up->addr, i, text));
	free(port);
	return code;
}

/* A port of the module has one worm at a time, whatever the capacity of its link. */
static void tell_fast_senders(const struct up *up)
{
	uint32_t fast = 0;

	for (uint32_t host = 0; host < liquid_fabric_host_count(up->fabric); host++)
		fast += liquid_fabric_host_capacity(up->fabric, host) > 1;
	if (fast)
		complain(0, "note: %u host%s of %s send%s several transfers at once in a schedule; "
			 "here a host sends one at a time", fast, fast == 1 ? "" : "s", up->file,
			 fast == 1 ? "s" : "");
}

static void undo(struct up *up, bool made)
{
	if (made)
		lab_delete(&up->nl, up->wire.name);
	for (size_t i = 0; i < up->count; i++)
		if (up->port[i].made)
			netns_remove(liquid_fabric_node_name(up->fabric, up->port[i].host));
}

static int bring_up(struct up *up)
{
	int code;

	if (lab_open(&up->nl))
		return complain(EXIT_REFUSED, "%s", up->nl.text);
	code = tell_module(up);
	if (code) {
		undo(up, false);
	} else {
		code = make_ready(up);
		if (code)
			undo(up, true);
	}
	netlink_close(&up->nl);
	return code;
}

static int run_up(int argc, char **argv)
{
	struct up up = { 0 };
	int code = take_options(argc, argv, up_opts, &up);

	if (!code)
		code = read_lab_fabric(up.file, &up.fabric);
	if (code)
		return code;
	if (!up.wire.name[0]) {
		set_text(up.wire.name, liquid_fabric_name(up.fabric));
		up.wire.name[LIQUID_LAB_NAME_MAX] = 0;
	}
	code = find_ports(&up);
	if (!code)
		tell_fast_senders(&up);
	if (!code)
		code = bring_up(&up);
	for (size_t i = 0; i < up.count; i++)
		free(up.port[i].ifname);
	free(up.port);
	liquid_fabric_free(up.fabric);
	return code;
}

const struct command lab_up = {
	"up", "make net devices that are joined by a fabric's links", up_opts, run_up, NULL, NULL
};
