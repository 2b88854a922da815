/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * liquid_lab: the wire between userspace and the fabric without hardware
 * (generic netlink family "liquid_lab")
 *
 * This header is the manual of the wire; the words are those of
 * tools/lab/model.rst. A fabric belongs to the network namespace of the
 * socket that made it, and is seen from there alone; its ports may be in any.
 * Requests that change something need CAP_NET_ADMIN in the first user namespace; those
 * that only read do not. All integers are in host byte order. An unknown attribute is
 * refused. A refused request has changed nothing, and its extended ack says what to do.
 *
 * A fabric is made by one transaction on one socket: BEGIN, LINKS and PORTS and PATHS
 * as often as they need, COMMIT. Links and ports are numbered from 0 in the order in
 * which they come. Nothing is visible before the commit, and all is dropped when the
 * socket closes. A fabric that works gets new paths by a transaction too: REROUTE, PATHS
 * as often as they need, COMMIT.
 *
 * A port's Ethernet address is 02:6c:66, a byte for the fabric, two for the port's number.
 */
#ifndef _UAPI_LINUX_LIQUID_LAB_H
#define _UAPI_LINUX_LIQUID_LAB_H

#include <linux/types.h>

#define LIQUID_LAB_GENL_NAME		"liquid_lab"
#define LIQUID_LAB_GENL_VERSION	1
#define LIQUID_LAB_KIND		"liquid_lab"	/* of the net devices */

/* Limits */
#define LIQUID_LAB_FABRICS_MAX	255U		/* of a network namespace */
#define LIQUID_LAB_NAME_MAX		63U		/* bytes of names, without the final 0 */
#define LIQUID_LAB_LABEL_MAX		255U		/* of links, hosts, namespaces */
#define LIQUID_LAB_PORTS_MIN		2U
#define LIQUID_LAB_PORTS_MAX		1024U
#define LIQUID_LAB_LINKS_MAX		65536U
#define LIQUID_LAB_LANES_MAX		262144U		/* sum of the links' capacities */
#define LIQUID_LAB_PATH_MAX		64U		/* links of a path */
#define LIQUID_LAB_PATH_LINKS_MAX	16777216U	/* links of all paths */
#define LIQUID_LAB_RATE_BPS_MIN	1000000ULL	/* 1 Mbit/s */
#define LIQUID_LAB_RATE_BPS_MAX	400000000000ULL	/* 400 Gbit/s */
#define LIQUID_LAB_OVERHEAD_MAX	1024U		/* bytes */
#define LIQUID_LAB_HOP_NS_MAX	1000000000U	/* 1 s */
#define LIQUID_LAB_WORM_BYTES_MAX	1073741824U
#define LIQUID_LAB_BUFFER_BYTES_MAX	1073741824U
#define LIQUID_LAB_RING_MAX		65536U		/* packets */
#define LIQUID_LAB_QUEUES_MAX	64U
#define LIQUID_LAB_MTU_MIN		68U
#define LIQUID_LAB_MTU_MAX		65535U

/**
 * enum liquid_lab_cmd - the commands
 *
 * Each with its attribute tree; [x] is optional, x* may repeat.
 *
 * @LIQUID_LAB_CMD_BEGIN: open a transaction on this socket; an earlier one is
 *	forgotten. Request: NAME, RATE_BPS, [SWITCHING], [OVERHEAD], [HOP_NS],
 *	[WORM_BYTES], [BUFFER_BYTES], [RING], [QUEUES], [UNROUTED], [MTU], [SWITCH_QUEUES]
 * @LIQUID_LAB_CMD_LINKS: append links.
 *	Request: LINKS { LINK { [CAPACITY], [TO_SWITCH], [LABEL] }* }
 * @LIQUID_LAB_CMD_PORTS: append ports.
 *	Request: PORTS { PORT { IFNAME, [NETNS_FD], [HOST], [NETNS] }* }
 * @LIQUID_LAB_CMD_PATHS: append paths, at most one from a port to another.
 *	Request: PATHS { PATH { SRC, DST, LINKS }* }
 * @LIQUID_LAB_CMD_COMMIT: check the whole and make the net devices, or replace all paths of the
 *	fabric. The transaction ends when it succeeds, and stays open when it is refused.
 *	Request: nothing
 * @LIQUID_LAB_CMD_DELETE: remove a fabric and its net devices. Request: NAME
 * @LIQUID_LAB_CMD_GET: read a fabric (do; request: NAME) or all of the namespace
 *	(dump). Reply: NAME, all of BEGIN, and those that are read only
 * @LIQUID_LAB_CMD_LINK_GET: dump the links of a fabric. Request: NAME.
 *	Reply, one message or more: NAME, LINKS { LINK { all of &enum
 *	liquid_lab_link_attr }* }
 * @LIQUID_LAB_CMD_PORT_GET: dump the ports of a fabric. Request: NAME.
 *	Reply, one message or more: NAME, PORTS { PORT { all of &enum
 *	liquid_lab_port_attr but NETNS_FD }* }
 * @LIQUID_LAB_CMD_LINK_SET: take links of a fabric down, or up again, while it works. All are
 *	checked before the first changes. Request: NAME, LINKS { LINK { ID, DOWN }* }
 * @LIQUID_LAB_CMD_REROUTE: open a transaction on this socket that replaces all paths of a fabric
 *	while it works; an earlier one is forgotten. It takes PATHS, but no LINKS and PORTS. What
 *	has been sent before the commit goes the old way. Request: NAME
 */
enum liquid_lab_cmd {
	LIQUID_LAB_CMD_UNSPEC,
	LIQUID_LAB_CMD_BEGIN,
	LIQUID_LAB_CMD_LINKS,
	LIQUID_LAB_CMD_PORTS,
	LIQUID_LAB_CMD_PATHS,
	LIQUID_LAB_CMD_COMMIT,
	LIQUID_LAB_CMD_DELETE,
	LIQUID_LAB_CMD_GET,
	LIQUID_LAB_CMD_LINK_GET,
	LIQUID_LAB_CMD_PORT_GET,
	LIQUID_LAB_CMD_LINK_SET,
	LIQUID_LAB_CMD_REROUTE,

	__LIQUID_LAB_CMD_MAX,
	LIQUID_LAB_CMD_MAX = __LIQUID_LAB_CMD_MAX - 1
};

/**
 * enum liquid_lab_attr - top-level attributes
 * @LIQUID_LAB_A_NAME: text; of the fabric, one of the namespace
 * @LIQUID_LAB_A_SWITCHING: u32, &enum liquid_lab_switching; default wormhole
 * @LIQUID_LAB_A_RATE_BPS: u64, bit/s of a lane
 * @LIQUID_LAB_A_OVERHEAD: u32; bytes that the wire adds to a packet; default 24
 * @LIQUID_LAB_A_HOP_NS: u32; hop latency; default 0
 * @LIQUID_LAB_A_WORM_BYTES: u32; bytes on the wire that end a worm; default 1048576
 * @LIQUID_LAB_A_BUFFER_BYTES: u32; bytes on the wire that a switch has room for, by
 *	link; default 262144
 * @LIQUID_LAB_A_RING: u32; packets of a TX queue's ring; default 256
 * @LIQUID_LAB_A_QUEUES: u32; TX queues of a port; default 1
 * @LIQUID_LAB_A_UNROUTED: u32, &enum liquid_lab_unrouted; default drop
 * @LIQUID_LAB_A_MTU: u32; of the ports at first; default 1500
 * @LIQUID_LAB_A_LINKS: nest of %LIQUID_LAB_A_LINK
 * @LIQUID_LAB_A_LINK: nest of &enum liquid_lab_link_attr; only inside LINKS
 * @LIQUID_LAB_A_PORTS: nest of %LIQUID_LAB_A_PORT
 * @LIQUID_LAB_A_PORT: nest of &enum liquid_lab_port_attr; only inside PORTS
 * @LIQUID_LAB_A_PATHS: nest of %LIQUID_LAB_A_PATH
 * @LIQUID_LAB_A_PATH: nest of &enum liquid_lab_path_attr; only inside PATHS
 * @LIQUID_LAB_A_N_LINKS: u32 (read only, as all up to DEADLOCKS)
 * @LIQUID_LAB_A_N_PORTS: u32
 * @LIQUID_LAB_A_N_PATHS: u32
 * @LIQUID_LAB_A_AGE_NS: u64; since the commit
 * @LIQUID_LAB_A_IN_FLIGHT: u64; packets in TX queues, on links and in buffers
 * @LIQUID_LAB_A_DEADLOCKS: u64; that were broken
 * @LIQUID_LAB_A_PAD: padding of 64-bit attributes
 * @LIQUID_LAB_A_SWITCH_QUEUES: u32, &enum liquid_lab_switch_queues; of a switch's buffers;
 *	default fifo-speedup
 */
enum liquid_lab_attr {
	LIQUID_LAB_A_UNSPEC,
	LIQUID_LAB_A_NAME,
	LIQUID_LAB_A_SWITCHING,
	LIQUID_LAB_A_RATE_BPS,
	LIQUID_LAB_A_OVERHEAD,
	LIQUID_LAB_A_HOP_NS,
	LIQUID_LAB_A_WORM_BYTES,
	LIQUID_LAB_A_BUFFER_BYTES,
	LIQUID_LAB_A_RING,
	LIQUID_LAB_A_QUEUES,
	LIQUID_LAB_A_UNROUTED,
	LIQUID_LAB_A_MTU,
	LIQUID_LAB_A_LINKS,
	LIQUID_LAB_A_LINK,
	LIQUID_LAB_A_PORTS,
	LIQUID_LAB_A_PORT,
	LIQUID_LAB_A_PATHS,
	LIQUID_LAB_A_PATH,
	LIQUID_LAB_A_N_LINKS,
	LIQUID_LAB_A_N_PORTS,
	LIQUID_LAB_A_N_PATHS,
	LIQUID_LAB_A_AGE_NS,
	LIQUID_LAB_A_IN_FLIGHT,
	LIQUID_LAB_A_DEADLOCKS,
	LIQUID_LAB_A_PAD,
	LIQUID_LAB_A_SWITCH_QUEUES,

	__LIQUID_LAB_A_MAX,
	LIQUID_LAB_A_MAX = __LIQUID_LAB_A_MAX - 1
};

enum liquid_lab_switching {
	LIQUID_LAB_WORMHOLE,
	LIQUID_LAB_CUT_THROUGH,
	LIQUID_LAB_PACKET,
};

/**
 * enum liquid_lab_switch_queues - the queues of a switch's buffer for one link
 * @LIQUID_LAB_FIFO_SPEEDUP: one, which is read as often at a time as the switch has links out
 * @LIQUID_LAB_VOQ: one for each link out of the switch: virtual output queues; only with
 *	cut-through
 * @LIQUID_LAB_FIFO: one, which is read by one packet at a time
 */
enum liquid_lab_switch_queues {
	LIQUID_LAB_FIFO_SPEEDUP,
	LIQUID_LAB_VOQ,
	LIQUID_LAB_FIFO,
};

/**
 * enum liquid_lab_unrouted - what becomes of packets to a port without a path to it
 * @LIQUID_LAB_UNROUTED_DROP: dropped and counted
 * @LIQUID_LAB_UNROUTED_FREE: carried outside of the fabric, at once
 */
enum liquid_lab_unrouted {
	LIQUID_LAB_UNROUTED_DROP,
	LIQUID_LAB_UNROUTED_FREE,
};

/**
 * enum liquid_lab_link_attr - a link (LINK nest)
 * @LIQUID_LAB_LINK_A_CAPACITY: u32; lanes; default 1
 * @LIQUID_LAB_LINK_A_TO_SWITCH: u8, 0 or 1; a switch is at the far end
 * @LIQUID_LAB_LINK_A_LABEL: text, for people
 * @LIQUID_LAB_LINK_A_ID: u32 (read only, as all below but DOWN); names the link in LINK_SET
 * @LIQUID_LAB_LINK_A_BYTES: u64; on the wire
 * @LIQUID_LAB_LINK_A_BUSY_NS: u64; lanes held while bytes flow
 * @LIQUID_LAB_LINK_A_BLOCKED_NS: u64; lanes held while their worm waits
 * @LIQUID_LAB_LINK_A_WAITS: u64; requests that were not granted at once
 * @LIQUID_LAB_LINK_A_DROPS: u64; packets (or worms) that were dropped when they asked for it,
 *	and packets that were lost on it when it went down
 * @LIQUID_LAB_LINK_A_PAD: padding
 * @LIQUID_LAB_LINK_A_DOWN: u8, 0 or 1; it carries nothing
 */
enum liquid_lab_link_attr {
	LIQUID_LAB_LINK_A_UNSPEC,
	LIQUID_LAB_LINK_A_CAPACITY,
	LIQUID_LAB_LINK_A_TO_SWITCH,
	LIQUID_LAB_LINK_A_LABEL,
	LIQUID_LAB_LINK_A_ID,
	LIQUID_LAB_LINK_A_BYTES,
	LIQUID_LAB_LINK_A_BUSY_NS,
	LIQUID_LAB_LINK_A_BLOCKED_NS,
	LIQUID_LAB_LINK_A_WAITS,
	LIQUID_LAB_LINK_A_DROPS,
	LIQUID_LAB_LINK_A_PAD,
	LIQUID_LAB_LINK_A_DOWN,

	__LIQUID_LAB_LINK_A_MAX,
	LIQUID_LAB_LINK_A_MAX = __LIQUID_LAB_LINK_A_MAX - 1
};

/**
 * enum liquid_lab_port_attr - a port (PORT nest)
 * @LIQUID_LAB_PORT_A_IFNAME: text; name of its net device
 * @LIQUID_LAB_PORT_A_NETNS_FD: u32; where its net device is made; default: here
 * @LIQUID_LAB_PORT_A_HOST: text; the host that it represents, kept for the tool
 * @LIQUID_LAB_PORT_A_NETNS: text; the namespace that was made for it, kept for the tool
 * @LIQUID_LAB_PORT_A_ID: u32 (read only, as all below)
 * @LIQUID_LAB_PORT_A_TX_PACKETS: u64; that have left it
 * @LIQUID_LAB_PORT_A_TX_BYTES: u64; of these, from the Ethernet header on
 * @LIQUID_LAB_PORT_A_RX_PACKETS: u64; by the fabric's links
 * @LIQUID_LAB_PORT_A_RX_BYTES: u64
 * @LIQUID_LAB_PORT_A_WORMS: u64; that had their path
 * @LIQUID_LAB_PORT_A_HOL_NS: u64; head-of-line time
 * @LIQUID_LAB_PORT_A_STOPS: u64; how often a TX queue's ring was full
 * @LIQUID_LAB_PORT_A_FREE_TX_PACKETS: u64; carried outside of the fabric: sent
 * @LIQUID_LAB_PORT_A_FREE_RX_PACKETS: u64; the same, received
 * @LIQUID_LAB_PORT_A_DROP_NO_PORT: u64; no port has this Ethernet address (a sender's, as all
 *	drops)
 * @LIQUID_LAB_PORT_A_DROP_NO_ROUTE: u64; no path to that port
 * @LIQUID_LAB_PORT_A_DROP_TOO_BIG: u64; longer than a buffer, or shorter than a header
 * @LIQUID_LAB_PORT_A_DROP_FULL: u64; no room in a link's queue
 * @LIQUID_LAB_PORT_A_DROP_DEADLOCK: u64
 * @LIQUID_LAB_PORT_A_DROP_DOWN: u64; the port went down
 * @LIQUID_LAB_PORT_A_DROP_PEER_DOWN: u64; the receiver was down, or gone
 * @LIQUID_LAB_PORT_A_DROP_NO_MEMORY: u64
 * @LIQUID_LAB_PORT_A_DROP_RX_FULL: u64; 1000 packets waited for the receiver's stack
 * @LIQUID_LAB_PORT_A_LAST_RX: s64, ns of CLOCK_TAI; when the model last delivered a
 *	packet to it; 0: never
 * @LIQUID_LAB_PORT_A_PAD: padding
 * @LIQUID_LAB_PORT_A_DROP_LINK_DOWN: u64; a link of the path was down
 */
enum liquid_lab_port_attr {
	LIQUID_LAB_PORT_A_UNSPEC,
	LIQUID_LAB_PORT_A_IFNAME,
	LIQUID_LAB_PORT_A_NETNS_FD,
	LIQUID_LAB_PORT_A_HOST,
	LIQUID_LAB_PORT_A_NETNS,
	LIQUID_LAB_PORT_A_ID,
	LIQUID_LAB_PORT_A_TX_PACKETS,
	LIQUID_LAB_PORT_A_TX_BYTES,
	LIQUID_LAB_PORT_A_RX_PACKETS,
	LIQUID_LAB_PORT_A_RX_BYTES,
	LIQUID_LAB_PORT_A_WORMS,
	LIQUID_LAB_PORT_A_HOL_NS,
	LIQUID_LAB_PORT_A_STOPS,
	LIQUID_LAB_PORT_A_FREE_TX_PACKETS,
	LIQUID_LAB_PORT_A_FREE_RX_PACKETS,
	LIQUID_LAB_PORT_A_DROP_NO_PORT,
	LIQUID_LAB_PORT_A_DROP_NO_ROUTE,
	LIQUID_LAB_PORT_A_DROP_TOO_BIG,
	LIQUID_LAB_PORT_A_DROP_FULL,
	LIQUID_LAB_PORT_A_DROP_DEADLOCK,
	LIQUID_LAB_PORT_A_DROP_DOWN,
	LIQUID_LAB_PORT_A_DROP_PEER_DOWN,
	LIQUID_LAB_PORT_A_DROP_NO_MEMORY,
	LIQUID_LAB_PORT_A_DROP_RX_FULL,
	LIQUID_LAB_PORT_A_LAST_RX,
	LIQUID_LAB_PORT_A_PAD,
	LIQUID_LAB_PORT_A_DROP_LINK_DOWN,

	__LIQUID_LAB_PORT_A_MAX,
	LIQUID_LAB_PORT_A_MAX = __LIQUID_LAB_PORT_A_MAX - 1
};

/**
 * enum liquid_lab_path_attr - a path (PATH nest)
 * @LIQUID_LAB_PATH_A_SRC: u32; port
 * @LIQUID_LAB_PATH_A_DST: u32; another port
 * @LIQUID_LAB_PATH_A_LINKS: binary, an array of u32; 1 ... %LIQUID_LAB_PATH_MAX links, none
 *	twice. All but the last end at a switch, the last does not. All paths of a port begin
 *	with the same link.
 */
enum liquid_lab_path_attr {
	LIQUID_LAB_PATH_A_UNSPEC,
	LIQUID_LAB_PATH_A_SRC,
	LIQUID_LAB_PATH_A_DST,
	LIQUID_LAB_PATH_A_LINKS,

	__LIQUID_LAB_PATH_A_MAX,
	LIQUID_LAB_PATH_A_MAX = __LIQUID_LAB_PATH_A_MAX - 1
};

#endif /* _UAPI_LINUX_LIQUID_LAB_H */
