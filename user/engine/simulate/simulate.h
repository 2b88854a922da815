/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The simulation from within
 *
 * Two halves. Senders decide what a port gives next: an order (simulate-order.c) or
 * the gate's schedule (simulate-gate.c). A switching carries it over the links:
 * simulate-worm.c, or simulate-packet.c with simulate-cut.c. A sender is asked when its port's
 * injection is free, and told when a unit is through. A host that sends several at once has as
 * many ports, which share its link, its clock and what it has to send.
 *
 * The model is written twice on purpose: here, and in tools/lab/kmod/. The two share no code, so
 * each is the oracle of the other. tools/lab/selftests/unit/test-simulate-driver.c compares them to
 * the nanosecond, lab-agree.sh with real sockets in a guest. A change of the model changes
 * tools/lab/model.rst and both of them.
 */
#ifndef LIQUID_SIMULATE_H
#define LIQUID_SIMULATE_H

#include "liquidsched.h"
#include "problem/random.h"
#include "simulate/queue.h"

#define SIM_TRANSFERS_MAX (UINT64_C(1) << 40)	/* of all cycles */
#define SIM_TIME_MAX (UINT64_C(1) << 62)
#define SIM_PORTS_MAX (UINT32_C(1) << 22)

/* What a port gives at once: a worm, or a packet where there are no worms. */
struct sim_unit {
	uint32_t dst, pair;
	uint64_t packets, payload, wire;	/* bytes */
	uint64_t deadline;		/* what starts must end by then; SIM_TIME_MAX: whenever */
	uint64_t frame_end;		/* what ends later is late */
};

enum sim_kind {
	SIM_WAKE,			/* a: port */
	SIM_ASK,			/* a: port, or packet */
	SIM_END,			/* a: port, or packet with b: link, c: link before */
	SIM_SERVE,			/* a: link */
	SIM_ACK,			/* a: port */
};

struct sim;

/* What decides what comes next. */
struct sim_sender_ops {
	/* False: nothing now; the port is woken by sim_wake_at(), or after something is through. */
	bool (*next)(struct sim *sim, uint32_t port, struct sim_unit *unit);
	/*
	 * The wait of @unit moves its start to @from: what does not fit any more is taken back.
	 * NULL: all fits.
	 */
	void (*refit)(struct sim *sim, uint32_t port, uint64_t from, struct sim_unit *unit);
	/* All @packets of the unit are there, or lost. */
	void (*through)(struct sim *sim, uint32_t port, uint64_t packets);
};

struct sim_switching_ops {
	int (*open)(struct sim *sim, struct liquid_error *err);
	void (*close)(struct sim *sim);
	void (*inject)(struct sim *sim, uint32_t port, const struct sim_unit *unit);
	void (*event)(struct sim *sim, const struct sim_event *event);
	uint64_t (*memory)(const struct sim *sim);
};

/* What liquid_simulate() hands out is its first member. */
struct sim_result {
	struct liquid_sim_result shown;
	struct liquid_sim_options options;
	struct liquid_sim_host total;
	struct liquid_sim_host *host;	/* by host */
	struct liquid_sim_link *link;	/* by link */
};

struct sim {
	const struct liquid_fabric *fabric;
	struct liquid_sim_options options;	/* all defaults filled in */
	struct sim_result *result;
	struct sim_queue queue;
	uint64_t now, start;		/* start: when the senders' common clock shows 0 */
	uint64_t done_bytes, all_bytes;	/* of messages; done: there, or lost */
	const struct sim_sender_ops *sender;
	const struct sim_switching_ops *switching;
	uint32_t ports;
	uint32_t *host_of;		/* by port */
	uint32_t *first_port;		/* by host, host_count + 1 of them */
	bool *idle;			/* by port: its injection is free */
	bool *woken;			/* by port: it is woken at this instant */
	struct random *random;		/* by port */
	uint32_t hops;			/* of the longest path in use */
	const struct liquid_pair *pairs;
	uint32_t pair_count;
	struct sim_order *order;
	struct sim_gate *gate;
	struct sim_worms *worms;
	struct sim_packets *packets;
};

extern const struct sim_switching_ops sim_wormhole, sim_buffered;
extern const struct sim_sender_ops sim_in_turns, sim_by_message, sim_gated;

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

/* Of one frame's or message's start; from @port's own randomness. */
uint64_t sim_jitter(struct sim *sim, uint32_t port);
/* When @host's clock shows what a right one would show at @time: up to the clock error off. */
uint64_t sim_skewed(struct sim *sim, uint32_t host, uint64_t time);
/* What nearly all jitter stays below. */
uint64_t sim_jitter_most(const struct liquid_sim_options *options);

/* ---- what the halves say to each other ---- */

void sim_wake_at(struct sim *sim, uint32_t port, uint64_t time);
/* The injection of @port is free: what is next asks after all that ends now. */
void sim_free_port(struct sim *sim, uint32_t port);
/* @packets with @payload bytes have come to @dst, or been dropped. */
void sim_delivered(struct sim *sim, uint32_t port, uint32_t dst, uint64_t packets,
		   uint64_t payload, uint32_t links);
void sim_dropped(struct sim *sim, uint32_t port, enum liquid_sim_drop drop, uint32_t link,
		 uint64_t packets, uint64_t payload);
/* The last byte of a unit has left @port: was that to be by @frame_end? */
void sim_ended(struct sim *sim, uint32_t port, uint64_t frame_end);
/* A unit of @port must wait for @link; it has waited since @since, and with it the port or not. */
void sim_waits(struct sim *sim, uint32_t port, uint32_t link);
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

/* ---- units of messages ---- */

/* The next unit of a message of which @left bytes are left. */
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
/* What has never fitted into a frame counts as dropped. */
void sim_gate_left_over(struct sim *sim);

/* ---- results ---- */

int sim_result_new(struct sim *sim, struct liquid_error *err);
int sim_result_bounds(struct sim *sim, const struct liquid_traffic *traffic,
		      const struct liquid_schedule *schedule, struct liquid_error *err);
void sim_result_finish(struct sim *sim);

#endif
