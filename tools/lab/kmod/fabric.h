/* SPDX-License-Identifier: GPL-2.0-only */
/* A fabric in the kernel: the model, its clock, and a net device for each port */
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
 * struct lfab_config - the attributes of BEGIN
 * @name: the fabric's name
 * @switching: &enum liquid_lab_switching
 * @switch_queues: &enum liquid_lab_switch_queues
 * @rate_bps: rate of a lane, bit/s
 * @overhead: bytes that the wire adds to a packet
 * @hop_ns: hop latency, ns
 * @worm_bytes: limit of a worm, bytes on the wire
 * @buffer_bytes: a switch's buffer for one link, bytes on the wire
 * @ring: length of a TX queue's ring, packets
 * @queues: number of TX queues of a port
 * @unrouted: &enum liquid_lab_unrouted
 * @mtu: initial MTU of the ports, bytes
 */
struct lfab_config {
	char name[LIQUID_LAB_NAME_MAX + 1];
	u32 switching;
	u32 switch_queues;
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
 * struct lfab_slot - the part of a port that the model does not know
 *
 * Protected by the fabric's lock; the texts do not change.
 *
 * @dev: net device; NULL: it is deleted
 * @up: the net device is up, so packets can be delivered
 * @ring: array by TX queue: packets in its ring
 * @launch: bit per TX queue: it takes launch times
 * @ifname: initial name of the net device
 * @host: name of the host that the port represents, or NULL
 * @netns: name of a network namespace, stored for the tool, or NULL
 * @rx_packets: counter of packets received over links
 * @rx_bytes: counter of their bytes, from the Ethernet header on
 * @stops: counter of the times that a ring became full
 * @free_tx: counter of packets sent outside of the fabric
 * @free_rx: counter of packets received outside of the fabric
 * @drops: counters by &enum lfab_reason
 * @last_rx: time of the last delivery, ns of CLOCK_MONOTONIC; 0: none
 */
struct lfab_slot {
	struct net_device *dev;
	bool up;
	u32 *ring;
	u64 launch;
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
 * @lock: protects the model, the slots, the timer and the paths
 * @model: links and packets; its times are ns of CLOCK_MONOTONIC
 * @timer: expires at the model's next event
 * @late: events that are due remain, because the model's work is limited
 * @held: packets in rings that wait for their launch time, by that
 * @slot: array by port
 * @config: the attributes of BEGIN; constant
 * @id: third last byte of the ports' addresses; no other fabric of the namespace has it
 * @born: time of the commit, ns of CLOCK_MONOTONIC
 * @path_at: by source * ports + destination: where in @path_pool a path begins, counted
 *	from 1; 0: no path
 * @path_pool: of each path: source, destination, number of links, links
 * @paths: number of paths; RTNL
 * @rings: memory of the slots' rings
 * @queues: memory of the model's TX queues
 * @lanes: memory of the model's lanes
 * @label: array by link: its label, or NULL
 * @refs: references: one of the list, one of each net device
 * @list: entry in &lfab_net.fabrics; RTNL
 */
struct lfab_fabric {
	spinlock_t lock;	/* see above */
	struct lfab_model model;
	struct hrtimer timer;
	bool late;
	struct list_head held;
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
 * @fabric: the fabric, with a reference
 * @port: number of the port
 * @napi: passes the packets of @rx to the stack
 * @rx: delivered packets, at most %LFAB_RX_MAX; its lock nests inside the fabric's
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
 * @fabrics: list of &struct lfab_fabric; RTNL
 * @seq: changes with the list
 * @stages: list of &struct lfab_stage; stage.c has its lock
 */
struct lfab_net {
	struct list_head fabrics;
	u32 seq;
	struct list_head stages;
};

/**
 * struct lfab_new_port - a port of a transaction
 * @ifname: name of its net device
 * @net: network namespace of its net device; the stage holds a reference
 * @first: first link of its paths, if it has any
 * @paths: number of its paths
 * @host: name of the host that the port represents, or NULL
 * @netns: name of a network namespace, stored for the tool, or NULL
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
 * @list: entry in &lfab_net.stages
 * @net: network namespace of the socket
 * @portid: port ID of the socket
 * @busy: a request works on it: the others of its socket are refused
 * @config: the attributes of BEGIN, or those of the fabric that gets new paths
 * @reroutes: &lfab_fabric.born of that fabric; 0: it is a new one
 * @link: array of links
 * @links: number of links
 * @link_room: allocated length of @link
 * @lanes: sum of the links' capacities
 * @port: array of ports
 * @ports: number of ports
 * @port_room: allocated length of @port
 * @path_at: see &lfab_fabric.path_at; allocated with the first path
 * @pool: see &lfab_fabric.path_pool
 * @used: used length of @pool
 * @pool_room: allocated length of @pool
 * @paths: number of paths
 */
struct lfab_stage {
	struct list_head list;
	const struct net *net;
	u32 portid;
	bool busy;
	struct lfab_config config;
	u64 reroutes;
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
 * struct lfab_request - a request with links, ports or paths
 * @net: network namespace of the socket
 * @portid: port ID of the socket
 * @extack: the reason of a refusal
 */
struct lfab_request {
	struct net *net;
	u32 portid;
	struct netlink_ext_ack *extack;
};

/*
 * Work of the model at a time, with softirqs off. No more than a receiver takes when NAPI polls it
 * once: softirqs take turns, so receivers keep up with what is delivered to them.
 */
#define LFAB_WORK_MAX	NAPI_POLL_WEIGHT

/* As net.core.netdev_max_backlog is by default: no more waits for a receiver's stack. */
#define LFAB_RX_MAX	1000

/* In @path_pool before the links */
enum { LFAB_POOL_SRC, LFAB_POOL_DST, LFAB_POOL_COUNT, LFAB_POOL_HEAD };

/* fabric.c: with RTNL unless stated otherwise */
struct lfab_fabric *lfab_fabric_make(struct net *net, struct lfab_stage *stage,
				     struct netlink_ext_ack *extack);
void lfab_fabric_get(struct lfab_fabric *fabric);
void lfab_fabric_put(struct lfab_fabric *fabric);
/* Queue the net devices for unregister_netdevice_many(). */
void lfab_fabric_close(struct lfab_fabric *fabric, struct list_head *kill);
/* Swap the paths of the fabric and of the transaction. */
void lfab_fabric_reroute(struct lfab_fabric *fabric, struct lfab_stage *stage);
/* The lock is held: for as long as the path is used. */
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

/* classes.c */
extern const struct dcbnl_rtnl_ops lfab_dcb_ops;

/* ethtool.c */
extern const struct ethtool_ops lfab_ethtool_ops;

/* xmit.c */
netdev_tx_t lfab_start_xmit(struct sk_buff *skb, struct net_device *dev);
extern const struct lfab_ops lfab_model_ops;

/* launch.c: packets that their sender has stamped with a launch time; the lock is held */
int lfab_setup_tc(struct net_device *dev, enum tc_setup_type type, void *data);	/* takes the lock */
/* The rings of @port are made anew: none takes launch times. The lock is not held. */
void lfab_launch_forget(struct lfab_fabric *fabric, u32 port);
/* Hold @packet of @skb until its launch time, if it has one that is still to come. */
bool lfab_launch_hold(struct lfab_fabric *fabric, struct lfab_packet *packet, struct sk_buff *skb,
		      u64 now);
/* Send what is due by @now, as far as the budget goes; false: some of it remains. */
bool lfab_launch_run(struct lfab_fabric *fabric, u64 now, u32 budget);
/* Send all that @port holds, at @now. */
void lfab_launch_flush(struct lfab_fabric *fabric, u32 port, u64 now);
/* Lower @next to the earliest launch time; false: nothing is held. */
bool lfab_launch_next(struct lfab_fabric *fabric, u64 *next);

/* stage.c */
int lfab_stage_begin(const struct net *net, u32 portid, struct nlattr **attrs,
		     struct netlink_ext_ack *extack);
int lfab_stage_reroute(const struct net *net, u32 portid, const struct lfab_fabric *fabric,
		       struct netlink_ext_ack *extack);
int lfab_stage_links(const struct lfab_request *request, const struct nlattr *links);
int lfab_stage_ports(const struct lfab_request *request, const struct nlattr *ports);
int lfab_stage_paths(const struct lfab_request *request, const struct nlattr *paths);
int lfab_stage_commit(struct net *net, u32 portid, struct netlink_ext_ack *extack);
void lfab_stage_release(const struct net *net, u32 portid);
void lfab_stage_release_all(const struct net *net);
extern const struct nla_policy lfab_link_policy[LIQUID_LAB_LINK_A_MAX + 1];
extern const struct nla_policy lfab_port_policy[LIQUID_LAB_PORT_A_MAX + 1];
extern const struct nla_policy lfab_path_policy[LIQUID_LAB_PATH_A_MAX + 1];

/* links.c: with RTNL */
int lfab_set_links(struct lfab_fabric *fabric, const struct nlattr *links,
		   struct netlink_ext_ack *extack);
extern const struct nla_policy lfab_link_state_policy[LIQUID_LAB_LINK_A_MAX + 1];

/* netlink.c */
int __init lfab_netlink_init(void);
void lfab_netlink_exit(void);

/* main.c */
struct lfab_net *lfab_net_of(const struct net *net);
struct lfab_fabric *lfab_fabric_find(const struct net *net, const char *name);
void lfab_fabric_list(const struct net *net, struct lfab_fabric *fabric);
void lfab_fabric_delete(const struct net *net, struct lfab_fabric *fabric);

#endif /* LFAB_FABRIC_H */
