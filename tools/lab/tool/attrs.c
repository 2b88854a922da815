// SPDX-License-Identifier: GPL-2.0-only
/* Tables of the attributes of liquid_lab.h; attrs.h has their form. */
#include "lab.h"

const char *const switching_names[] = { "wormhole", "cut-through", "packet", NULL };
const char *const switch_queues_names[] = { "fifo-speedup", "voq", "fifo", NULL };
const char *const unrouted_names[] = { "drop", "free", NULL };

#define TABLE(rows) { (rows), sizeof(rows) / sizeof((rows)[0]) - 1 }

#define TEXT(prefix, attr, object, member) \
	[prefix##attr] = { .name = #attr, .type = ATTR_TEXT, .size = FABRIC_TEXT, \
			   .offset = offsetof(struct object, member) }

#define LINK(attr, kind, member) \
	[LIQUID_LAB_LINK_A_##attr] = { .name = #attr, .type = ATTR_##kind, \
		.offset = offsetof(struct wire_link, member) }

static const struct attr_row link_rows[] = {
	LINK(CAPACITY, U32, capacity),
	LINK(TO_SWITCH, U8, to_switch),
	TEXT(LIQUID_LAB_LINK_A_, LABEL, wire_link, label),
	LINK(ID, U32, id),
	LINK(BYTES, U64, bytes),
	LINK(BUSY_NS, U64, busy_ns),
	LINK(BLOCKED_NS, U64, blocked_ns),
	LINK(WAITS, U64, waits),
	LINK(DROPS, U64, drops),
	LINK(DOWN, U8, down),
};
const struct attr_table fabric_link_table = TABLE(link_rows);

#define COUNTER(attr, kind) \
	[LIQUID_LAB_PORT_A_##attr] = { .name = #attr, .type = ATTR_##kind, \
		.offset = offsetof(struct wire_port, counter[LIQUID_LAB_PORT_A_##attr]) }

static const struct attr_row port_rows[] = {
	TEXT(LIQUID_LAB_PORT_A_, IFNAME, wire_port, ifname),
	[LIQUID_LAB_PORT_A_NETNS_FD] = { .name = "NETNS_FD", .type = ATTR_U32,
		.offset = offsetof(struct wire_port, netns_fd) },
	TEXT(LIQUID_LAB_PORT_A_, HOST, wire_port, host),
	TEXT(LIQUID_LAB_PORT_A_, NETNS, wire_port, netns),
	[LIQUID_LAB_PORT_A_ID] = { .name = "ID", .type = ATTR_U32,
		.offset = offsetof(struct wire_port, id) },
	COUNTER(TX_PACKETS, U64),
	COUNTER(TX_BYTES, U64),
	COUNTER(RX_PACKETS, U64),
	COUNTER(RX_BYTES, U64),
	COUNTER(WORMS, U64),
	COUNTER(HOL_NS, U64),
	COUNTER(STOPS, U64),
	COUNTER(FREE_TX_PACKETS, U64),
	COUNTER(FREE_RX_PACKETS, U64),
	COUNTER(DROP_NO_PORT, U64),
	COUNTER(DROP_NO_ROUTE, U64),
	COUNTER(DROP_TOO_BIG, U64),
	COUNTER(DROP_FULL, U64),
	COUNTER(DROP_DEADLOCK, U64),
	COUNTER(DROP_DOWN, U64),
	COUNTER(DROP_PEER_DOWN, U64),
	COUNTER(DROP_NO_MEMORY, U64),
	COUNTER(DROP_RX_FULL, U64),
	COUNTER(LAST_RX, S64),
	COUNTER(DROP_LINK_DOWN, U64),
};
const struct attr_table fabric_port_table = TABLE(port_rows);

static const struct attr_row path_rows[] = {
	[LIQUID_LAB_PATH_A_SRC] = { .name = "SRC", .type = ATTR_U32,
		.offset = offsetof(struct wire_path, src) },
	[LIQUID_LAB_PATH_A_DST] = { .name = "DST", .type = ATTR_U32,
		.offset = offsetof(struct wire_path, dst) },
	[LIQUID_LAB_PATH_A_LINKS] = { .name = "LINKS" },
};
static const struct attr_table path_table = TABLE(path_rows);

static const struct attr_row links_rows[] = {
	[LIQUID_LAB_A_LINK] = { .name = "LINK", .type = ATTR_NEST,
		.nest = &fabric_link_table },
};
static const struct attr_table links_table = TABLE(links_rows);

static const struct attr_row ports_rows[] = {
	[LIQUID_LAB_A_PORT] = { .name = "PORT", .type = ATTR_NEST,
		.nest = &fabric_port_table },
};
static const struct attr_table ports_table = TABLE(ports_rows);

static const struct attr_row paths_rows[] = {
	[LIQUID_LAB_A_PATH] = { .name = "PATH", .type = ATTR_NEST, .nest = &path_table },
};
static const struct attr_table paths_table = TABLE(paths_rows);

#define FABRIC(attr, kind, member) \
	[LIQUID_LAB_A_##attr] = { .name = #attr, .type = ATTR_##kind, \
		.offset = offsetof(struct wire_fabric, member) }

static const struct attr_row fabric_rows[] = {
	TEXT(LIQUID_LAB_A_, NAME, wire_fabric, name),
	[LIQUID_LAB_A_SWITCHING] = { .name = "SWITCHING", .type = ATTR_U32,
		.values = switching_names, .offset = offsetof(struct wire_fabric, switching) },
	FABRIC(RATE_BPS, U64, rate_bps),
	FABRIC(OVERHEAD, U32, overhead),
	FABRIC(HOP_NS, U32, hop_ns),
	FABRIC(WORM_BYTES, U32, worm_bytes),
	FABRIC(BUFFER_BYTES, U32, buffer_bytes),
	FABRIC(RING, U32, ring),
	FABRIC(QUEUES, U32, queues),
	[LIQUID_LAB_A_UNROUTED] = { .name = "UNROUTED", .type = ATTR_U32,
		.values = unrouted_names, .offset = offsetof(struct wire_fabric, unrouted) },
	FABRIC(MTU, U32, mtu),
	[LIQUID_LAB_A_LINKS] = { .name = "LINKS", .type = ATTR_NEST, .nest = &links_table },
	[LIQUID_LAB_A_PORTS] = { .name = "PORTS", .type = ATTR_NEST, .nest = &ports_table },
	[LIQUID_LAB_A_PATHS] = { .name = "PATHS", .type = ATTR_NEST, .nest = &paths_table },
	FABRIC(N_LINKS, U32, n_links),
	FABRIC(N_PORTS, U32, n_ports),
	FABRIC(N_PATHS, U32, n_paths),
	FABRIC(AGE_NS, U64, age_ns),
	FABRIC(IN_FLIGHT, U64, in_flight),
	FABRIC(DEADLOCKS, U64, deadlocks),
	[LIQUID_LAB_A_SWITCH_QUEUES] = { .name = "SWITCH_QUEUES", .type = ATTR_U32,
		.values = switch_queues_names,
		.offset = offsetof(struct wire_fabric, switch_queues) },
};
const struct attr_table fabric_table = TABLE(fabric_rows);
