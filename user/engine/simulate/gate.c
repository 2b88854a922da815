// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Senders that follow a schedule, as the gates of the kernel do
 *
 * Each frame in which a host sends is one of its slots. When the slot starts, by the host's own
 * clock and with jitter, one message is ready to be sent. This holds for the cycles asked for; more
 * cycles follow until nothing is left over. A packet starts only if it ends before the guard. When
 * a worm had to wait for its path, it is shortened to what still fits when its bytes begin to flow;
 * its first packet goes always. A host that sends several transfers in one frame sends them at
 * the same time, each by its own port.
 */
#include <stdlib.h>

#include "problem/pairs.h"
#include "schedule/schedule.h"
#include "simulate/simulate.h"

/* Cycles in a row in which nothing fits, after which a host gives up */
#define VAIN_CYCLES 64

struct slot {
	uint32_t frame, pair;
};

/* Messages of a pair that wait, and the bytes of the first one that are already sent */
struct backlog {
	uint64_t messages, given;
};

struct gate {
	uint32_t first, count;		/* its slots */
	uint32_t at;
	uint64_t cycle;
	uint64_t base;			/* time at which its clock shows the base time, ns */
	uint64_t starts;		/* start of the slot with jitter, ns */
	uint64_t wakes;			/* latest wake-up that was asked for, ns */
	bool known;			/* @starts is drawn for this slot */
	bool filled;			/* this slot's message is in the backlog */
	uint64_t messages;		/* in the backlogs of its pairs */
	uint64_t vain;			/* slots in a row in which nothing fitted */
};

struct sim_gate {
	struct gate *gate;		/* by port */
	struct slot *slot;		/* by port, in the order of the frames */
	struct backlog *backlog;	/* by pair and port of its host */
	uint32_t most;			/* largest number of ports of a host */
	uint64_t length;
	uint32_t slots;
};

static struct backlog *backlog_of(const struct sim *sim, uint32_t port, uint32_t pair)
{
	uint32_t of_host = port - sim->first_port[sim->host_of[port]];

	return &sim->gate->backlog[(size_t)pair * sim->gate->most + of_host];
}

/* ---- what fits ---- */

/* Bytes that can be sent between @from and @until */
static uint64_t room(const struct sim *sim, uint64_t from, uint64_t until)
{
	if (from >= until)
		return 0;
	return (uint64_t)((unsigned __int128)(until - from) * sim->options.rate_bps / 8000000000u);
}

/* Shorten @unit to the packets that end by its deadline, but to no fewer than @least. */
static void shorten(const struct sim *sim, uint64_t from, uint64_t least, struct sim_unit *unit)
{
	uint64_t packet = sim->options.packet_bytes + sim->options.overhead;
	uint64_t bytes = room(sim, from, unit->deadline), packets;

	if (unit->wire <= bytes)
		return;
	packets = bytes / packet;
	if (packets < least)
		packets = least;
	if (packets >= unit->packets)
		return;
	unit->packets = packets;
	unit->payload = packets * sim->options.packet_bytes;
	unit->wire = packets * packet;
}

/* ---- backlogs ---- */

static void take(struct sim *sim, uint32_t port, const struct sim_unit *unit)
{
	struct backlog *backlog = backlog_of(sim, port, unit->pair);

	backlog->given += unit->payload;
	if (backlog->given < sim->options.message_bytes)
		return;
	backlog->given = 0;
	backlog->messages--;
	sim->gate->gate[port].messages--;
}

static void refit(struct sim *sim, uint32_t port, uint64_t from, struct sim_unit *unit)
{
	struct backlog *backlog = backlog_of(sim, port, unit->pair);
	uint64_t before = unit->payload;

	shorten(sim, from, 1, unit);
	if (unit->payload == before)
		return;
	if (!backlog->given) {
		backlog->given = sim->options.message_bytes;
		backlog->messages++;
		sim->gate->gate[port].messages++;
	}
	backlog->given -= before - unit->payload;
}

/* ---- slots ---- */

static void next_slot(struct gate *gate)
{
	gate->known = false;
	gate->filled = false;
	if (++gate->at == gate->count) {
		gate->at = 0;
		gate->cycle++;
	}
}

static uint64_t frame_start(const struct sim *sim, const struct gate *gate)
{
	const struct slot *slot = &sim->gate->slot[gate->first + gate->at];

	return gate->base + (gate->cycle * sim->gate->length + slot->frame) *
		sim->options.frame_ns;
}

/* The part of the slot's backlog that still fits; false: nothing does. */
static bool fit(struct sim *sim, uint32_t port, uint64_t start, struct sim_unit *unit)
{
	const struct gate *gate = &sim->gate->gate[port];
	uint32_t pair = sim->gate->slot[gate->first + gate->at].pair;
	const struct backlog *backlog = backlog_of(sim, port, pair);

	if (!backlog->messages)
		return false;
	sim_cut(sim, sim->options.message_bytes - backlog->given,
		sim->options.switching == LIQUID_SIM_WORMHOLE, unit);
	unit->pair = pair;
	unit->dst = sim->pairs[pair].dst;
	unit->frame_end = start + sim->options.frame_ns;
	unit->deadline = unit->frame_end - sim->options.guard_ns;
	shorten(sim, sim->now, 0, unit);
	return unit->packets;
}

static bool is_done(const struct sim *sim, const struct gate *gate)
{
	if (!gate->count)
		return true;
	return gate->cycle >= sim->options.cycles &&
		(!gate->messages || gate->vain > (uint64_t)VAIN_CYCLES * gate->count);
}

/* Cycles after those asked for have only what is left over. */
static bool is_empty(const struct sim *sim, uint32_t port)
{
	const struct gate *gate = &sim->gate->gate[port];
	uint32_t pair = sim->gate->slot[gate->first + gate->at].pair;

	return gate->cycle >= sim->options.cycles && !backlog_of(sim, port, pair)->messages;
}

static void open_slot(struct sim *sim, uint32_t port)
{
	struct gate *gate = &sim->gate->gate[port];

	if (!gate->filled && gate->cycle < sim->options.cycles) {
		backlog_of(sim, port, sim->gate->slot[gate->first + gate->at].pair)->messages++;
		gate->messages++;
	}
	gate->filled = true;
}

/* True: @unit is sent now. False: the slot has nothing more that fits. */
static bool use_slot(struct sim *sim, uint32_t port, uint64_t start, struct sim_unit *unit)
{
	struct gate *gate = &sim->gate->gate[port];

	open_slot(sim, port);
	if (fit(sim, port, start, unit)) {
		take(sim, port, unit);
		gate->vain = 0;
		return true;
	}
	if (sim->now == gate->starts)
		gate->vain++;
	return false;
}

static bool next_gated(struct sim *sim, uint32_t port, struct sim_unit *unit)
{
	struct gate *gate = &sim->gate->gate[port];

	for (; !is_done(sim, gate); next_slot(gate)) {
		uint64_t start = frame_start(sim, gate);

		if (is_empty(sim, port))
			continue;
		if (!gate->known)
			gate->starts = start + sim_jitter(sim, port);
		gate->known = true;
		if (sim->now < gate->starts) {
			if (gate->wakes != gate->starts)
				sim_wake_at(sim, port, gate->starts);
			gate->wakes = gate->starts;
			return false;
		}
		if (use_slot(sim, port, start, unit))
			return true;
	}
	return false;
}

static void through(struct sim *sim, uint32_t port, uint64_t packets)
{
	(void)sim;
	(void)port;
	(void)packets;
}

const struct sim_sender_ops sim_gated = { .next = next_gated, .refit = refit, .through = through };

void sim_gate_left_over(struct sim *sim)
{
	uint64_t packet = sim->options.packet_bytes, message = sim->options.message_bytes;
	uint64_t packets = message / packet + (message % packet != 0);

	for (size_t i = 0; i < (size_t)sim->pair_count * sim->gate->most; i++) {
		const struct backlog *backlog = &sim->gate->backlog[i];
		uint32_t src = sim->pairs[i / sim->gate->most].src;

		sim->result->host[src].drops[LIQUID_SIM_UNSENT] += backlog->messages * packets -
			backlog->given / packet;
	}
}

/* ---- setting up ---- */

static uint32_t find_pair(const struct sim *sim, const struct liquid_transfer *transfer)
{
	return pairs_find(sim->pairs, sim->pair_count, transfer);
}

/*
 * The port that sends transfer @i of @frame. The transfers of a host stand together in a frame, and
 * each takes the host's next port. LIQUID_NONE: the host has too few.
 */
static uint32_t port_for(const struct sim *sim, const struct liquid_schedule *schedule,
			 uint32_t frame, uint32_t i)
{
	uint32_t src = schedule->transfers[i].src, port = sim->first_port[src], at = i;

	while (at > schedule->first[frame] && schedule->transfers[at - 1].src == src)
		at--;
	port += i - at;
	return port < sim->first_port[src + 1] ? port : LIQUID_NONE;
}

/* Count the slots of each port, or (@put) write them. */
static int walk_slots(struct sim *sim, const struct liquid_schedule *schedule, bool put,
		      struct liquid_error *err)
{
	for (uint32_t frame = 0; frame < schedule->info.length; frame++) {
		for (uint32_t i = schedule->first[frame]; i < schedule->first[frame + 1]; i++) {
			const struct liquid_transfer *transfer = &schedule->transfers[i];
			uint32_t port = port_for(sim, schedule, frame, i);
			struct gate *gate;

			if (port == LIQUID_NONE)
				return liquid_fail(err, LIQUID_BAD_INPUT,
						   "frame %u: '%s' sends to more than %s at once",
						   frame, schedule->names[transfer->src],
						   liquid_fabric_host_capacity(sim->fabric,
									       transfer->src) > 1 ?
						   "its link takes" : "one");
			gate = &sim->gate->gate[port];
			if (put)
				sim->gate->slot[gate->first + gate->count] =
					(struct slot){ frame, find_pair(sim, transfer) };
			gate->count++;
		}
	}
	return LIQUID_OK;
}

static int place_slots(struct sim *sim, const struct liquid_schedule *schedule,
		       struct liquid_error *err)
{
	int status = walk_slots(sim, schedule, false, err);
	uint32_t place = 0;

	for (uint32_t port = 0; port < sim->ports; port++) {
		struct gate *gate = &sim->gate->gate[port];

		gate->first = place;
		place += gate->count;
		gate->count = 0;
	}
	return status ? status : walk_slots(sim, schedule, true, err);
}

static int new_gate(struct sim *sim, const struct liquid_schedule *schedule,
		    struct liquid_error *err)
{
	struct sim_gate *gate = calloc(1, sizeof(*gate));

	sim->gate = gate;
	if (!gate)
		return liquid_no_memory(err);
	gate->length = schedule->info.length;
	gate->slots = schedule->first[schedule->info.length];
	for (uint32_t host = 0; host < sim->result->shown.host_count; host++)
		if (sim->first_port[host + 1] - sim->first_port[host] > gate->most)
			gate->most = sim->first_port[host + 1] - sim->first_port[host];
	gate->gate = calloc(sim->ports, sizeof(*gate->gate));
	gate->slot = calloc((size_t)gate->slots + 1, sizeof(*gate->slot));
	gate->backlog = calloc((size_t)sim->pair_count * gate->most + 1, sizeof(*gate->backlog));
	if (!gate->gate || !gate->slot || !gate->backlog)
		return liquid_no_memory(err);
	return LIQUID_OK;
}

int sim_gate_open(struct sim *sim, const struct liquid_schedule *schedule,
		  struct liquid_error *err)
{
	int status = new_gate(sim, schedule, err);

	if (status)
		return status;
	status = place_slots(sim, schedule, err);
	if (status)
		return status;
	sim->sender = &sim_gated;
	sim->start = sim->options.clock_error_ns;
	for (uint32_t host = 0; host < sim->result->shown.host_count; host++) {
		uint64_t base = sim_skewed(sim, host, sim->start);
		uint32_t port = sim->first_port[host];

		for (; port < sim->first_port[host + 1]; port++) {
			sim->gate->gate[port].base = base;
			sim_wake_at(sim, port, base);
		}
	}
	return LIQUID_OK;
}

void sim_gate_close(struct sim *sim)
{
	if (!sim->gate)
		return;
	free(sim->gate->gate);
	free(sim->gate->slot);
	free(sim->gate->backlog);
	free(sim->gate);
}

uint64_t sim_gate_memory(const struct sim *sim)
{
	const struct sim_gate *gate = sim->gate;

	if (!gate)
		return 0;
	return sim->ports * sizeof(*gate->gate) + gate->slots * sizeof(*gate->slot) +
		(uint64_t)sim->pair_count * gate->most * sizeof(*gate->backlog);
}
