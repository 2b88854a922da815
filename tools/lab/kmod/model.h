/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The model of a coarse-grained fabric, tools/lab/model.rst: ports, links, lanes, worms
 *
 * Nothing here knows of socket buffers, devices or clocks: packets are lengths, times
 * are the model's own. So the tests on the host run the same code. All symbols of the
 * module begin with lfab_. The caller holds a lock that protects the whole model.
 *
 * The model is written twice on purpose: here, and in user/engine/simulate/. The two share no
 * code, so each is the oracle of the other. tools/lab/selftests/unit/test-simulate-driver.c
 * compares them to the nanosecond, lab-agree.sh with real sockets in a guest. A change of the
 * model changes tools/lab/model.rst and both of them.
 */
#ifndef LFAB_MODEL_H
#define LFAB_MODEL_H

#include <linux/list.h>
#include <linux/types.h>

#include "event.h"

#define LFAB_PATH_MAX	64

enum lfab_switching {
	LFAB_WORMHOLE,
	LFAB_CUT_THROUGH,
	LFAB_PACKET,
};

/* Why a packet is dropped; LIQUID_LAB_PORT_A_DROP_* is in the same order, except for the last. */
enum lfab_reason {
	LFAB_DROP_NO_PORT,	/* no port has its Ethernet address */
	LFAB_DROP_NO_ROUTE,	/* no path to that port */
	LFAB_DROP_TOO_BIG,	/* longer than a buffer */
	LFAB_DROP_FULL,		/* no room in a link's queue */
	LFAB_DROP_DEADLOCK,
	LFAB_DROP_DOWN,		/* the sender went down */
	LFAB_DROP_PEER_DOWN,	/* the receiver is down */
	LFAB_DROP_NO_MEMORY,
	LFAB_DROP_RX_FULL,	/* the receiver's stack takes them too slowly */
	LFAB_DROP_LINK_DOWN,	/* a link of its path was down */
	LFAB_DROP_REASONS,
};

struct lfab_packet;

/**
 * struct lfab_worm - the user of a path's links: a worm, or one packet in the other modes
 * @event: next step
 * @request: entry in &lfab_link.requests while it waits
 * @stored: cut-through: in the buffer of the previous link, until it starts on the next one:
 *	entry in &lfab_link.stored if it is the first of its queue, else in @behind of the first
 * @behind: cut-through: if it is the first of its queue: the others, in the order in which they
 *	came
 * @link: links of the path
 * @links: number of links of the path
 * @hop: number of links granted so far
 * @port: sender
 * @bytes: a worm: on the wire so far, with the packet that flows; else of the packet
 * @lanes: on which the packet has its bytes (not a worm)
 * @since: time at which it began to wait
 * @start: time at which the bytes began to flow: on the path (worm, and each of its packets), on
 *	the last link (packet)
 * @through: time up to which the links' busy time is counted (worm)
 * @reason: why it was dropped, if @dropped
 * @waits: it is in a link's queue
 * @dropped: the packet was dropped, but still has bytes on lanes
 * @lost: bytes of the packet were lost on a link that was down (not a worm)
 * @packet: the packet; NULL: this is the worm of its port
 */
struct lfab_worm {
	struct lfab_event event;
	struct list_head request;
	struct list_head stored;
	struct list_head behind;
	const u32 *link;
	u32 links;
	u32 hop;
	u32 port;
	u32 bytes;
	u32 lanes;
	u64 since;
	u64 start;
	u64 through;
	enum lfab_reason reason;
	bool waits;
	bool dropped;
	bool lost;
	struct lfab_packet *packet;
};

/**
 * struct lfab_packet - one packet of a port
 * @worm: progress on the path (cut-through, packet); @worm.event is its delivery in a worm
 * @node: entry in its TX queue, until it has left (worm) or starts to leave (else)
 * @all: entry in &lfab_model.packets
 * @wire: length on the wire, bytes
 * @src: sending port
 * @dst: receiving port
 * @queue: TX queue of @src
 * @sent: it has left the ring of its TX queue
 * @data: the caller's data
 * @path: number of links, then the links: its own, since routes may change while it is under way.
 *	The last member, so that the owner can leave out the part that it does not need.
 */
struct lfab_packet {
	struct lfab_worm worm;
	struct list_head node;
	struct list_head all;
	u32 wire;
	u32 src;
	u32 dst;
	u32 queue;
	bool sent;
	u64 launch;
	void *data;
	u32 path[1 + LFAB_PATH_MAX];
};

/**
 * struct lfab_lane - a unit of a link's capacity: it carries one worm or packet at a time
 * @end: event: the packet has left on it (not used by worms)
 * @free: entry in &lfab_link.free
 * @worm: holder; NULL: none
 * @start: time at which the packet started on it
 * @hop: position of this lane's link in the holder's path
 * @link: its link
 */
struct lfab_lane {
	struct lfab_event end;
	struct list_head free;
	struct lfab_worm *worm;
	u64 start;
	u32 hop;
	u32 link;
};

/**
 * struct lfab_link - a link, its lanes and the requests for it
 * @serve: event: a lane, room or a request was given back, so a request may be granted
 * @requests: headers that wait, in the order of their requests
 * @free: lanes without a holder
 * @lane: array of its lanes
 * @capacity: number of lanes; worms hold one each, a packet holds the link, at the rate of all
 * @to_switch: a switch is at the far end
 * @down: it carries nothing
 * @up_since: time at which it was last repaired; 0: never
 * @stored: cut-through: the first packet of each queue of the buffer at the far end. A queue has
 *	the packets that have not started on their next link: all of them, or with virtual output
 *	queues those with the same next link
 * @used: bytes taken: of the buffer at the far end (cut-through), of the queue at the
 *	near end (packet)
 * @leaving: cut-through: packets of the buffer that have started on their next link
 * @read_until: cut-through, @fifo of the model: when the last of these has left, ns
 * @visit: number of the last search for deadlocks that saw it
 * @walk: next link to look at in that search
 * @bytes: counter of bytes on the wire
 * @busy_ns: counter: time for which lanes were held while bytes flowed, ns
 * @blocked_ns: counter: time for which lanes were held while their worm waited, ns
 * @waits: counter of requests that were not granted at once
 * @drops: counter of packets that were dropped when they asked for it, or lost on it
 */
struct lfab_link {
	struct lfab_event serve;
	struct list_head requests;
	struct list_head free;
	struct lfab_lane *lane;
	u32 capacity;
	bool to_switch;
	bool down;
	u64 up_since;
	struct list_head stored;
	u64 used;
	u32 leaving;
	u64 read_until;
	u32 visit;
	struct lfab_link *walk;
	u64 bytes;
	u64 busy_ns;
	u64 blocked_ns;
	u64 waits;
	u64 drops;
};

/**
 * struct lfab_port - a sender and receiver
 * @queue: array by TX queue: list of its packets
 * @turn: TX queue that is served, or was served last
 * @busy: a worm or packet of the port asks for the injection link or holds it
 * @packet: that packet (not used by worms)
 * @worm: worm of the port
 * @path: path of the worm, which may outlive its packets: number of links, then the links
 * @held: lanes that the worm holds
 * @worms: counter of worms
 * @sent_packets: counter of packets that have left
 * @sent_bytes: counter of their bytes, without the overhead of the wire
 * @hol_ns: counter: time waited for the injection link, or for a later link while holding it, ns
 */
struct lfab_port {
	struct list_head *queue;
	u32 turn;
	bool busy;
	struct lfab_packet *packet;
	struct lfab_worm worm;
	u32 path[1 + LFAB_PATH_MAX];
	struct lfab_lane *held[LFAB_PATH_MAX];
	u64 worms;
	u64 sent_packets;
	u64 sent_bytes;
	u64 hol_ns;
};

struct lfab_model;

/**
 * struct lfab_ops - callbacks of the model
 * @sent: @packet has left its TX queue, so its place in the ring is free
 * @deliver: @packet has arrived at @time and belongs to the caller again
 * @drop: @packet is lost and belongs to the caller again; @sent was called before
 */
struct lfab_ops {
	void (*sent)(struct lfab_model *model, struct lfab_packet *packet);
	void (*deliver)(struct lfab_model *model, struct lfab_packet *packet, u64 time);
	void (*drop)(struct lfab_model *model, struct lfab_packet *packet,
		     enum lfab_reason reason);
};

/**
 * struct lfab_model - a fabric
 * @ops: callbacks of the owner
 * @switching: &enum lfab_switching
 * @rate_bps: rate of a lane, bit/s
 * @overhead: bytes that the wire adds to a packet
 * @hop_ns: hop latency, ns
 * @worm_bytes: limit of a worm, bytes on the wire
 * @buffer_bytes: a switch's buffer for one link, bytes on the wire
 * @voq: cut-through: a buffer has a queue for each next link
 * @fifo: cut-through: a buffer is read by one packet at a time
 * @ports: number of ports
 * @links: number of links
 * @queues: number of TX queues of a port
 * @port: array of ports
 * @link: array of links
 * @heap: future events
 * @packets: list of all packets in the model
 * @in_flight: length of that list
 * @deadlocks: counter of deadlocks that were broken
 * @visit: number of the last search for deadlocks
 * @work: units of work done in this lfab_model_run()
 */
struct lfab_model {
	const struct lfab_ops *ops;
	u32 switching;
	u64 rate_bps;
	u32 overhead;
	u32 hop_ns;
	u32 worm_bytes;
	u32 buffer_bytes;
	bool voq;
	bool fifo;
	u32 ports;
	u32 links;
	u32 queues;
	struct lfab_port *port;
	struct lfab_link *link;
	struct lfab_heap heap;
	struct list_head packets;
	u64 in_flight;
	u64 deadlocks;
	u32 visit;
	u32 work;
};

/*
 * Make the model ready. The owner has set the constants, the number of ports, links and queues,
 * capacity and to_switch of each link, and gives the memory: zeroed ports and links, a list head
 * for each TX queue and a lane for each unit of capacity.
 */
void lfab_model_init(struct lfab_model *model, struct list_head *queues, struct lfab_lane *lanes);
/*
 * Let happen what is due up to @now, in order, until @budget units of work are done: one for each
 * event, for each lane or queue that the search for deadlocks looks at, and for each virtual output
 * queue that is looked at to find a packet's own. Returns the time up to which all has happened:
 * @now, or an earlier one where the budget was too small. That is the model's time then, and what
 * is sent or goes down does so at that time: so a late model is slow, but exact.
 */
u64 lfab_model_run(struct lfab_model *model, u64 now, u32 budget);
/*
 * @packet (data, path, wire, src, dst, queue set) leaves at @now, which is what lfab_model_run()
 * returned; that is called again afterwards.
 */
void lfab_model_send(struct lfab_model *model, struct lfab_packet *packet, u64 now);
/* When something happens next; false: never */
bool lfab_model_next(const struct lfab_model *model, u64 *time);
/* The port's device goes down: what has not left it is dropped. */
void lfab_model_down(struct lfab_model *model, u32 port, u64 now);
/*
 * Link @link goes down at @now, or up again. What has bytes on it meanwhile is lost, who asks for
 * it is dropped. As with lfab_model_send(), lfab_model_run() is called before and afterwards.
 */
void lfab_model_link(struct lfab_model *model, u32 link, bool down, u64 now);
/* Drop all packets and all events. */
void lfab_model_purge(struct lfab_model *model);

/* --- between the model's files --- */

static inline struct lfab_link *lfab_next_link(struct lfab_model *model,
					       const struct lfab_worm *worm)
{
	return &model->link[worm->link[worm->hop]];
}

/* Was the link down at any time from @since until now? */
static inline bool lfab_was_down(const struct lfab_link *link, u64 since)
{
	return link->down || link->up_since > since;
}

/* The length of a path: number of links, then the links */
static inline size_t lfab_path_bytes(const u32 *path)
{
	return (1 + path[0]) * sizeof(*path);
}

u64 lfab_wire_ns(const struct lfab_model *model, u64 bytes);
void lfab_schedule(struct lfab_model *model, struct lfab_event *event, u64 time,
		   enum lfab_kind kind, u32 who);
void lfab_start_worm(struct lfab_worm *worm, const u32 *path, u32 port, u32 bytes);
void lfab_release_lane(struct lfab_model *model, struct lfab_lane *lane, u64 time);
/* The worm stops waiting: count the time that it waited. */
void lfab_stop_waiting(struct lfab_model *model, struct lfab_worm *worm, u64 time);
void lfab_forget_request(struct lfab_model *model, struct lfab_worm *worm, u64 time);
/* Something of the link was given back: look at its requests. */
void lfab_serve_soon(struct lfab_model *model, u32 link, u64 time);
void lfab_port_done(struct lfab_model *model, u32 port, u64 time);
void lfab_leave_ring(struct lfab_model *model, struct lfab_packet *packet);
void lfab_deliver(struct lfab_model *model, struct lfab_packet *packet, u64 time);
void lfab_drop(struct lfab_model *model, struct lfab_packet *packet, enum lfab_reason reason);

/* wormhole.c */
void lfab_worm_granted(struct lfab_model *model, struct lfab_worm *worm, struct lfab_lane *lane,
		       u64 time);
void lfab_worm_through(struct lfab_model *model, struct lfab_worm *worm, u64 time);
void lfab_worm_release(struct lfab_model *model, struct lfab_worm *worm, u64 time);
void lfab_worm_deliver(struct lfab_model *model, struct lfab_packet *packet, u64 time);
void lfab_worm_drop(struct lfab_model *model, struct lfab_worm *worm, u64 time);
void lfab_worm_cut(struct lfab_model *model, struct lfab_worm *worm, u64 time);
void lfab_worm_abort(struct lfab_model *model, struct lfab_worm *worm, u64 time);

/* buffered.c */
bool lfab_buffer_has_room(const struct lfab_model *model, const struct lfab_link *link,
			  const struct lfab_worm *worm);
bool lfab_enqueue(struct lfab_model *model, struct lfab_worm *worm);
void lfab_packet_granted(struct lfab_model *model, struct lfab_worm *worm,
			 struct lfab_lane *lane, u64 time);
void lfab_lane_end(struct lfab_model *model, struct lfab_lane *lane, u64 time);
void lfab_packet_drop(struct lfab_model *model, struct lfab_worm *worm, enum lfab_reason reason,
		      u64 time);
void lfab_packet_abort(struct lfab_model *model, struct lfab_packet *packet, u64 time);

/* deadlock.c: do the requests for @link wait for each other in a circle? */
bool lfab_deadlocked(struct lfab_model *model, struct lfab_link *link);

#endif /* LFAB_MODEL_H */
