/* SPDX-License-Identifier: GPL-2.0-only */
/* A fabric as the kernel sees it: the model, its clock, and a net device for each port */
#ifndef LFAB_FABRIC_H
#define LFAB_FABRIC_H

#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/liquid_lab.h>
#include <linux/netdevice.h>
#include <linux/spinlock.h>
#include <net/netlink.h>

#include "model.h"

/**
 * struct lfab_config - what BEGIN says
 * @name: of the fabric
 * @switching: &enum liquid_lab_switching
 * @rate_bps: of a lane
 * @overhead: bytes that the wire adds
 * @hop_ns: hop latency
 * @worm_bytes: limit of a worm
 * @buffer_bytes: of a link
 * @ring: packets of a TX queue
 * @queues: TX queues of a port
 * @unrouted: &enum liquid_lab_unrouted
 * @mtu: of the ports at first
 */
struct lfab_config {
	char name[LIQUID_LAB_NAME_MAX + 1];
	u32 switching;
	u64 rate_bps;
	u32 overhead;
	u32 hop_ns;
	u32 worm_bytes;
	u32 buffer_bytes;
	u32 ring;
	u32 queues;
	u32 unrouted;
	u32 mtu;
};

/**
 * struct lfab_slot - what a port has besides the model's
 *
 * Under the fabric's lock, but for the texts, which do not change.
 *
 * @dev: its net device; NULL: it is gone
 * @up: packets can be delivered
 * @ring: packets in the ring of each TX queue
 * @ifname: at first
 * @host: whom it stands for, or NULL
 * @netns: kept for the tool, or NULL
 * @rx_packets: counter, as all below
 * @rx_bytes: from the Ethernet header on
 * @stops: how often a ring was full
 * @free_tx: sent beside the fabric
 * @free_rx: received beside the fabric
 * @drops: by &enum lfab_reason
 * @last_rx: when the last packet was delivered, CLOCK_MONOTONIC; 0: none
 */
struct lfab_slot {
	struct net_device *dev;
	bool up;
	u32 *ring;
	char ifname[IFNAMSIZ];
	char *host;
	char *netns;
	u64 rx_packets;
	u64 rx_bytes;
	u64 stops;
	u64 free_tx;
	u64 free_rx;
	u64 drops[LFAB_DROP_REASONS];
	u64 last_rx;
};

/**
 * struct lfab_fabric - a fabric
 * @lock: of the model, the slots and the timer
 * @model: what happens; its times are ns of CLOCK_MONOTONIC
 * @timer: when it happens
 * @late: a portion of work did not bring the model to the present
 * @slot: of each port
 * @config: does not change
 * @id: third last byte of the ports' addresses; no other fabric of the namespace has it
 * @born: CLOCK_MONOTONIC
 * @path_at: by source * ports + destination: where in @path_pool a path begins, counted
 *	from 1; 0: no path
 * @path_pool: of each path: source, destination, number of links, links
 * @paths: number of them
 * @rings: memory of the slots' rings
 * @queues: memory of the model's TX queues
 * @lanes: memory of the model's lanes
 * @label: of each link, or NULL
 * @refs: the list's, and one of each net device
 * @list: in &struct lfab_net; RTNL
 */
struct lfab_fabric {
	spinlock_t lock;	/* see above */
	struct lfab_model model;
	struct hrtimer timer;
	bool late;
	struct lfab_slot *slot;
	struct lfab_config config;
	u8 id;
	u64 born;
	u32 *path_at;
	u32 *path_pool;
	u32 paths;
	u32 *rings;
	struct list_head *queues;
	struct lfab_lane *lanes;
	char **label;
	struct kref refs;
	struct list_head list;
};

/**
 * struct lfab_netdev - private part of a port's net device
 * @fabric: it holds a reference
 * @port: number
 * @napi: brings @rx to the stack
 * @rx: what was delivered, at most %LFAB_RX_MAX packets; its lock is inside of the fabric's
 */
struct lfab_netdev {
	struct lfab_fabric *fabric;
	u32 port;
	struct napi_struct napi;
	struct sk_buff_head rx;
};

/**
 * struct lfab_net - what belongs to a network namespace
 *
 * Its numbers are limited, so that no namespace can use up what another needs.
 *
 * @fabrics: list of &struct lfab_fabric; RTNL
 * @seq: changes with the list
 * @stages: list of &struct lfab_stage; stage.c has its lock
 * @stage_count: length of that list
 */
struct lfab_net {
	struct list_head fabrics;
	u32 seq;
	struct list_head stages;
	u32 stage_count;
};

/**
 * struct lfab_new_port - a port that is to be made
 * @ifname: of its net device
 * @net: where; the stage holds a reference
 * @first: the link with which its paths begin, if it has any
 * @paths: number of them
 * @host: whom it stands for, or NULL
 * @netns: kept for the tool, or NULL
 */
struct lfab_new_port {
	char ifname[IFNAMSIZ];
	struct net *net;
	u32 first;
	u32 paths;
	char *host;
	char *netns;
};

struct lfab_new_link {
	u32 capacity;
	bool to_switch;
	char *label;
};

/**
 * struct lfab_stage - a transaction
 * @list: in &struct lfab_net
 * @net: the socket's
 * @portid: the socket's
 * @config: from BEGIN
 * @link: array
 * @links: number of them
 * @link_room: allocated
 * @lanes: sum of their capacities
 * @port: array
 * @ports: number of them
 * @port_room: allocated
 * @path_at: see &lfab_fabric.path_at; allocated with the first path
 * @pool: see &lfab_fabric.path_pool
 * @used: of @pool
 * @pool_room: allocated
 * @paths: number of them
 */
struct lfab_stage {
	struct list_head list;
	const struct net *net;
	u32 portid;
	struct lfab_config config;
	struct lfab_new_link *link;
	u32 links;
	u32 link_room;
	u32 lanes;
	struct lfab_new_port *port;
	u32 ports;
	u32 port_room;
	u32 *path_at;
	u32 *pool;
	u32 used;
	u32 pool_room;
	u32 paths;
};

/**
 * struct lfab_request - what brings pieces of a fabric
 * @skb: the message, for its sender's privileges
 * @net: the socket's
 * @portid: the socket's
 * @extack: why it is refused
 */
struct lfab_request {
	struct sk_buff *skb;
	struct net *net;
	u32 portid;
	struct netlink_ext_ack *extack;
};

/*
 * Work of the model at a time, with softirqs off. Less than net.core.netdev_budget, 300: so
 * receivers keep up with what is delivered to them.
 */
#define LFAB_WORK_MAX	256

/* As net.core.netdev_max_backlog is by default: no more waits for a receiver's stack. */
#define LFAB_RX_MAX	1000

/* In @path_pool before the links */
enum { LFAB_POOL_SRC, LFAB_POOL_DST, LFAB_POOL_COUNT, LFAB_POOL_HEAD };

/* fabric.c: RTNL, but for what says otherwise */
struct lfab_fabric *lfab_fabric_make(struct net *net, struct lfab_stage *stage,
				     struct netlink_ext_ack *extack);
void lfab_fabric_get(struct lfab_fabric *fabric);
void lfab_fabric_put(struct lfab_fabric *fabric);
/* Queue the net devices for unregister_netdevice_many(). */
void lfab_fabric_close(struct lfab_fabric *fabric, struct list_head *kill);
const u32 *lfab_path(const struct lfab_fabric *fabric, u32 src, u32 dst);
/*
 * The lock is held. The model is brought to now, or as far as one portion of work brings it; its
 * time is returned. It is left with its timer set, which goes on with what is still due.
 */
u64 lfab_enter(struct lfab_fabric *fabric);
void lfab_leave(struct lfab_fabric *fabric);

/* device.c */
extern struct rtnl_link_ops lfab_link_ops;
struct net_device *lfab_device_make(struct lfab_fabric *fabric, u32 port, struct net *net,
				    struct netlink_ext_ack *extack);
bool lfab_is_port_address(const struct lfab_fabric *fabric, const u8 *address, u32 *port);

/* ethtool.c */
extern const struct ethtool_ops lfab_ethtool_ops;

/* xmit.c */
int __init lfab_xmit_init(void);
void lfab_xmit_exit(void);
netdev_tx_t lfab_start_xmit(struct sk_buff *skb, struct net_device *dev);
extern const struct lfab_ops lfab_model_ops;

/* stage.c */
int lfab_stage_begin(const struct net *net, u32 portid, struct nlattr **attrs,
		     struct netlink_ext_ack *extack);
int lfab_stage_links(const struct lfab_request *request, const struct nlattr *links);
int lfab_stage_ports(const struct lfab_request *request, const struct nlattr *ports);
int lfab_stage_paths(const struct lfab_request *request, const struct nlattr *paths);
int lfab_stage_commit(struct net *net, u32 portid, struct netlink_ext_ack *extack);
void lfab_stage_release(const struct net *net, u32 portid);
extern const struct nla_policy lfab_link_policy[LIQUID_LAB_LINK_A_MAX + 1];
extern const struct nla_policy lfab_port_policy[LIQUID_LAB_PORT_A_MAX + 1];
extern const struct nla_policy lfab_path_policy[LIQUID_LAB_PATH_A_MAX + 1];

/* netlink.c */
int __init lfab_netlink_init(void);
void lfab_netlink_exit(void);

/* main.c */
struct lfab_net *lfab_net_of(const struct net *net);
struct lfab_fabric *lfab_fabric_find(const struct net *net, const char *name);
void lfab_fabric_list(const struct net *net, struct lfab_fabric *fabric);
void lfab_fabric_delete(const struct net *net, struct lfab_fabric *fabric);

#endif /* LFAB_FABRIC_H */
