/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internals of the simulation
 *
 * It has two halves. The sender decides which unit a port sends next: by an order (order.c), by a
 * schedule as gates do (gate.c), or by a run of its plan (sync.c). The switching carries units over
 * the links: worm.c, or packet.c with cut.c. The sender is asked for a unit when a port can send,
 * and told when the unit has arrived. A host that sends several transfers at once has that many
 * ports, which share its link, its clock and its messages.
 *
 * The model is written twice on purpose: here, and in tools/lab/kmod/. The two share no code, so
 * each checks the other. tools/lab/selftests/unit/test-simulate-driver.c compares them to the
 * nanosecond, lab-agree.sh with real sockets in a guest. A change of the model changes
 * tools/lab/model.rst and both of them.
 */
#ifndef LIQUID_SIMULATE_H
#define LIQUID_SIMULATE_H

#include "liquidsched.h"
#include "problem/random.h"
#include "simulate/queue.h"

#define SIM_TRANSFERS_MAX (UINT64_C(1) << 40)	/* in all cycles */
#define SIM_TIME_MAX (UINT64_C(1) << 62)
#define SIM_PORTS_MAX (UINT32_C(1) << 22)

/* A worm, or a packet if there are no worms */
struct sim_unit {
	uint32_t dst, pair;
	uint64_t packets, payload, wire;	/* bytes */
	uint64_t deadline;		/* it starts only if it ends by then, ns; or SIM_TIME_MAX */
	uint64_t frame_end;		/* end of its frame, ns: it is late if it ends later */
};

enum sim_kind {
	SIM_END,			/* a: port, or packet with b: link, c: link before */
	SIM_ASK,			/* a: port, or packet */
	SIM_WAKE,			/* a: port */
	SIM_SERVE,			/* a: link */
	SIM_ACK,			/* a: port */
	SIM_TOKEN,			/* a: host, b: slot or LIQUID_NONE (its timer), c: epoch */
};

struct sim;

/* The half that decides what a port sends next. */
struct sim_sender_ops {
	/* False: nothing now; sim_wake_at() or the arrival of a unit wakes the port. */
	bool (*next)(struct sim *sim, uint32_t port, struct sim_unit *unit);
	/*
	 * @unit had to wait and starts at @from: shorten it to what still fits into the frame.
	 * NULL: everything fits.
	 */
	void (*refit)(struct sim *sim, uint32_t port, uint64_t from, struct sim_unit *unit);
	/* All @packets of the unit have arrived or been dropped. */
	void (*through)(struct sim *sim, uint32_t port, uint64_t packets);
};

struct sim_switching_ops {
	int (*open)(struct sim *sim, struct liquid_error *err);
	void (*close)(struct sim *sim);
	void (*inject)(struct sim *sim, uint32_t port, const struct sim_unit *unit);
	void (*event)(struct sim *sim, const struct sim_event *event);
	uint64_t (*memory)(const struct sim *sim);
};

/* liquid_simulate() returns its first member. */
struct sim_result {
	struct liquid_sim_result shown;
	struct liquid_sim_options options;
	struct liquid_sim_host total;
	struct liquid_sim_host *host;	/* by host */
	struct liquid_sim_link *link;	/* by link */
};

struct sim {
	const struct liquid_fabric *fabric;
	struct liquid_sim_options options;	/* with defaults filled in */
	struct sim_result *result;
	struct sim_queue queue;
	uint64_t now, start;		/* ns; start: time at which the common clock shows 0 */
	uint64_t done_bytes, all_bytes;	/* bytes of messages that arrived or were dropped; in all */
	const struct sim_sender_ops *sender;
	const struct sim_switching_ops *switching;
	uint32_t ports;
	uint32_t *host_of;		/* by port */
	uint32_t *first_port;		/* by host, host_count + 1 of them */
	bool *idle;			/* by port: it can send */
	bool *woken;			/* by port: a SIM_WAKE event for this instant exists */
	struct random *random;		/* by port */
	uint32_t hops;			/* number of links of the longest path in use */
	const struct liquid_pair *pairs;
	uint32_t pair_count;
	struct sim_order *order;
	struct sim_gate *gate;
	struct sim_sync *sync;
	struct sim_worms *worms;
	struct sim_packets *packets;
};

extern const struct sim_switching_ops sim_wormhole, sim_buffered;
extern const struct sim_sender_ops sim_in_turns, sim_by_message, sim_gated, sim_synced;

/* ---- time ---- */

/* ceil(bytes on the wire at the unit rate) */
static inline uint64_t sim_wire_ns(uint64_t rate_bps, uint64_t bytes)
{
	unsigned __int128 bits;

	if (bytes < UINT64_C(1) << 31)
		return (bytes * 8000000000u + rate_bps - 1) / rate_bps;
	bits = (unsigned __int128)bytes * 8000000000u + rate_bps - 1;
	return (uint64_t)(bits / rate_bps);
}

static inline uint64_t sim_serialise(const struct sim *sim, uint64_t bytes)
{
	return sim_wire_ns(sim->options.rate_bps, bytes);
}

/* Random delay of the start of a frame or message, drawn from the stream of @port. */
uint64_t sim_jitter(struct sim *sim, uint32_t port);
/* Random delay with which the program of @host begins */
uint64_t sim_late(struct sim *sim, uint32_t host);
/* Time at which the clock of @host, which has a constant error, shows @time. */
uint64_t sim_skewed(struct sim *sim, uint32_t host, uint64_t time);
/* A bound that nearly all jitter is below */
uint64_t sim_jitter_most(const struct liquid_sim_options *options);
uint64_t sim_jitter_mean(const struct liquid_sim_options *options);

/* ---- calls between the two halves ---- */

void sim_wake_at(struct sim *sim, uint32_t port, uint64_t time);
/* Ask for the next unit of @port, if it can send, after all that ends at this instant. */
void sim_wake_now(struct sim *sim, uint32_t port);
/* @port can send again. */
void sim_free_port(struct sim *sim, uint32_t port);
/* @packets with @payload bytes have arrived at @dst, or been dropped. */
void sim_delivered(struct sim *sim, uint32_t port, uint32_t dst, uint64_t packets,
		   uint64_t payload, uint32_t links);
void sim_dropped(struct sim *sim, uint32_t port, enum liquid_sim_drop drop, uint32_t link,
		 uint64_t packets, uint64_t payload);
/* The last byte of a unit has left @port: count the unit as late if that is after @frame_end. */
void sim_ended(struct sim *sim, uint32_t port, uint64_t frame_end);
/* A unit of @port begins to wait for @link. */
void sim_waits(struct sim *sim, uint32_t port, uint32_t link);
/* Its wait since @since is over; @port_waits: the port could not send meanwhile. */
void sim_waited(struct sim *sim, uint32_t port, uint64_t since, bool port_waits);

static inline struct liquid_sim_host *sim_host(const struct sim *sim, uint32_t port)
{
	return &sim->result->host[sim->host_of[port]];
}

/* The link after @link on the way to @dst */
static inline uint32_t sim_next_link(const struct sim *sim, uint32_t link, uint32_t dst)
{
	uint32_t to = liquid_fabric_link(sim->fabric, link)->to;

	return liquid_fabric_forward(sim->fabric, to - liquid_fabric_host_count(sim->fabric), dst);
}

/* ---- defaults ---- */

int sim_resolve(const struct liquid_sim_options *given, const struct liquid_schedule *schedule,
		uint32_t hops, struct liquid_sim_options *options, struct liquid_error *err);
/* Fill in the default tail of pieces, once all other options are known. */
int sim_resolve_tail(struct sim *sim, struct liquid_error *err);
/* Can packets that wait in the switches wait for ever? */
int sim_can_deadlock(const struct sim *sim, bool *can, struct liquid_error *err);

/* ---- units of messages ---- */

/* Cut the next unit from a message of which @left bytes remain. */
void sim_cut(const struct sim *sim, uint64_t left, bool worm, struct sim_unit *unit);

/* ---- senders ---- */

int sim_order_open(struct sim *sim, const struct liquid_traffic *traffic,
		   struct liquid_error *err);
void sim_order_close(struct sim *sim);
uint64_t sim_order_memory(const struct sim *sim);
int sim_gate_open(struct sim *sim, const struct liquid_schedule *schedule,
		  struct liquid_error *err);
void sim_gate_close(struct sim *sim);
uint64_t sim_gate_memory(const struct sim *sim);
/* Count as dropped what did not fit into any frame. */
void sim_gate_left_over(struct sim *sim);
int sim_sync_open(struct sim *sim, const struct liquid_schedule *schedule,
		  struct liquid_error *err);
void sim_sync_close(struct sim *sim);
uint64_t sim_sync_memory(const struct sim *sim);
/* A token has arrived, or a host's timer has expired. */
void sim_sync_token(struct sim *sim, const struct sim_event *event);
void sim_sync_finish(struct sim *sim);

/* ---- results ---- */

int sim_result_new(struct sim *sim, struct liquid_error *err);
int sim_result_bounds(struct sim *sim, const struct liquid_traffic *traffic,
		      const struct liquid_schedule *schedule, struct liquid_error *err);
void sim_result_finish(struct sim *sim);

#endif
