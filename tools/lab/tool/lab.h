/* SPDX-License-Identifier: GPL-2.0-only */
/* Fabrics without hardware: uapi/linux/liquid_lab.h as structures; requests; commands. */
#ifndef LIQUID_LAB_LAB_H
#define LIQUID_LAB_LAB_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include <linux/liquid_lab.h>

#include "net/netlink.h"
#include "util/command.h"

#define FABRIC_TEXT (LIQUID_LAB_LABEL_MAX + 1)

struct wire_fabric {
	uint64_t present;			/* bits of enum liquid_lab_attr */
	char name[FABRIC_TEXT];
	uint64_t rate_bps, age_ns, in_flight, deadlocks;
	uint32_t switching, overhead, hop_ns, worm_bytes, buffer_bytes;
	uint32_t ring, queues, switch_queues, unrouted, mtu, n_links, n_ports, n_paths;
};

struct wire_link {
	uint64_t present;			/* bits of enum liquid_lab_link_attr */
	char label[FABRIC_TEXT];
	uint64_t bytes, busy_ns, blocked_ns, waits, drops;
	uint32_t id, capacity;
	uint8_t to_switch, down;
};

struct wire_port {
	uint64_t present;			/* bits of enum liquid_lab_port_attr */
	char ifname[FABRIC_TEXT], host[FABRIC_TEXT], netns[FABRIC_TEXT];
	uint64_t counter[LIQUID_LAB_PORT_A_MAX + 1];	/* indexed by the attribute */
	uint32_t id, netns_fd;
};

struct wire_path {
	uint32_t src, dst, count;
	uint32_t link[LIQUID_LAB_PATH_MAX];
};

/* Contents of a dump's reply */
struct wire_fabrics {
	struct wire_fabric *fabric;
	size_t count, room;
};

struct wire_links {
	struct wire_link *link;
	size_t count, room;
};

struct wire_ports {
	struct wire_port *port;
	size_t count, room;
};

extern const struct attr_table fabric_table, fabric_link_table, fabric_port_table;
extern const char *const switching_names[], *const switch_queues_names[], *const unrouted_names[];

/* All return 0 or -errno with a text in nl->text. */
int lab_open(struct netlink *nl);
int lab_begin(struct netlink *nl, const struct wire_fabric *fabric);
int lab_links(struct netlink *nl, const struct wire_link *link, size_t count);
int lab_ports(struct netlink *nl, const struct wire_port *port, size_t count);
int lab_paths(struct netlink *nl, const struct wire_path *path, size_t count);
int lab_commit(struct netlink *nl);
/* Begin a transaction of paths for a fabric that works. */
int lab_reroute(struct netlink *nl, const char *name);
int lab_delete(struct netlink *nl, const char *name);
/* Of each link ID and DOWN */
int lab_set_links(struct netlink *nl, const char *name, const struct wire_link *link, size_t count);
int lab_dump(struct netlink *nl, struct wire_fabrics *fabrics);
int lab_dump_links(struct netlink *nl, const char *name, struct wire_links *links);
int lab_dump_ports(struct netlink *nl, const char *name, struct wire_ports *ports);
void wire_fabrics_clear(struct wire_fabrics *fabrics);
void wire_links_clear(struct wire_links *links);
void wire_ports_clear(struct wire_ports *ports);

/*
 * The fabric that --fabric names, or the only one of the namespace. Returns the exit code; the name
 * is the caller's to free.
 */
int choose_fabric(struct netlink *nl, const char *given, char **name);

extern const struct command lab_up, lab_down, lab_stats, lab_link, lab_new_routes;

#endif
