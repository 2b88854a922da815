// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Senders that run a plan: by tokens, by the clock or in its order alone
 *
 * Each host has a liquid_run, the same state machine that programs use, and decides nothing by
 * itself. A piece is two units or more: its main part, and the tail that is still to be sent when
 * its tokens are given. A token takes a constant time and does not use the fabric. A host that
 * sends several transfers at once has a port for each lane of its run.
 */
#include <math.h>
#include <stdlib.h>

#include "simulate/simulate.h"

struct endpoint {
	struct liquid_run *run;
	const struct liquid_piece *piece;
	uint64_t base;			/* time at which its clock shows the base time, ns */
	uint64_t timer;			/* its next SIM_TOKEN event without a token, ns */
};

/* The piece that a port sends */
struct flight {
	uint32_t piece;			/* or LIQUID_NONE */
	bool told;			/* all but its tail has left */
	uint64_t starts;		/* ns */
	uint64_t main, tail;		/* bytes that are not sent yet */
};

struct sim_sync {
	struct liquid_plan *plan;
	struct endpoint *endpoint;	/* by host */
	struct flight *flight;		/* by port */
	uint32_t hosts;
};

static void put_token(struct sim *sim, uint32_t host, uint32_t slot, uint64_t epoch, uint64_t time)
{
	struct sim_event event = { .time = time, .kind = SIM_TOKEN, .a = host, .b = slot,
				   .c = (uint32_t)epoch };

	event.order = sim_ends(&sim->queue);
	sim_queue_put(&sim->queue, &event);
}

static void set_timer(struct sim *sim, uint32_t host, int64_t until)
{
	struct endpoint *endpoint = &sim->sync->endpoint[host];

	if (until < 0 || (uint64_t)until >= endpoint->timer)
		return;
	endpoint->timer = (uint64_t)until;
	put_token(sim, host, LIQUID_NONE, 0, endpoint->timer);
}

/* ---- what a host does next ---- */

static void take_off(struct sim *sim, uint32_t host, uint32_t number)
{
	const struct liquid_piece *piece = &sim->sync->endpoint[host].piece[number];
	uint32_t port = sim->first_port[host] + piece->lane;
	struct flight *flight = &sim->sync->flight[port];
	struct liquid_cut cut;

	liquid_piece_cut(piece, piece->parts * sim->options.message_bytes,
			 sim->options.tail_bytes, &cut);
	*flight = (struct flight){ .piece = number, .main = cut.main, .tail = cut.tail,
				   .starts = sim->now + sim_jitter(sim, port) };
	sim_wake_now(sim, port);
}

/* False: all cycles are done. */
static bool begin_cycle(struct sim *sim, uint32_t host)
{
	struct endpoint *endpoint = &sim->sync->endpoint[host];
	uint64_t done = liquid_run_stats(endpoint->run)->epoch;
	uint64_t cycle = liquid_plan_info(sim->sync->plan)->length * sim->options.frame_ns;

	return done < sim->options.cycles &&
		!liquid_run_begin(endpoint->run, (int64_t)(endpoint->base + done * cycle), NULL);
}

static void advance(struct sim *sim, uint32_t host)
{
	struct liquid_next next;

	for (;;) {
		liquid_run_next(sim->sync->endpoint[host].run, (int64_t)sim->now, &next);
		if (next.step == LIQUID_RUN_SEND) {
			take_off(sim, host, next.piece);
		} else if (next.step != LIQUID_RUN_DONE) {
			set_timer(sim, host, next.until_ns);
			return;
		} else if (!begin_cycle(sim, host)) {
			return;
		}
	}
}

static void tell(struct sim *sim, uint32_t host, const struct liquid_token *token, uint32_t count)
{
	uint64_t epoch = liquid_run_stats(sim->sync->endpoint[host].run)->epoch;

	for (uint32_t i = 0; i < count; i++)
		put_token(sim, token[i].rank, token[i].slot, epoch,
			  sim->now + sim->options.token_ns);
}

/* All of the port's piece has left. */
static void land(struct sim *sim, uint32_t host, struct flight *flight)
{
	const struct liquid_token *token;
	uint32_t count;

	token = liquid_run_left(sim->sync->endpoint[host].run, flight->piece, &count);
	tell(sim, host, token, count);
	flight->piece = LIQUID_NONE;
	advance(sim, host);
}

static void main_left(struct sim *sim, uint32_t host, struct flight *flight)
{
	const struct liquid_token *token;
	uint32_t count;

	flight->told = true;
	token = liquid_run_main_left(sim->sync->endpoint[host].run, flight->piece, &count);
	tell(sim, host, token, count);
}

/* The port can send, so what it has sent before has left. */
static bool next_synced(struct sim *sim, uint32_t port, struct sim_unit *unit)
{
	struct flight *flight = &sim->sync->flight[port];
	uint32_t host = sim->host_of[port];
	uint64_t *left;

	if (flight->piece != LIQUID_NONE && !flight->main && !flight->tail)
		land(sim, host, flight);
	if (flight->piece == LIQUID_NONE)
		return false;
	if (flight->starts > sim->now) {
		sim_wake_at(sim, port, flight->starts);
		return false;
	}
	if (!flight->main && !flight->told)
		main_left(sim, host, flight);
	left = flight->main ? &flight->main : &flight->tail;
	sim_cut(sim, *left, sim->options.switching == LIQUID_SIM_WORMHOLE, unit);
	unit->dst = sim->sync->endpoint[host].piece[flight->piece].peer;
	*left -= unit->payload;
	return true;
}

static void through(struct sim *sim, uint32_t port, uint64_t packets)
{
	(void)sim;
	(void)port;
	(void)packets;
}

const struct sim_sender_ops sim_synced = { .next = next_synced, .through = through };

void sim_sync_token(struct sim *sim, const struct sim_event *event)
{
	struct endpoint *endpoint = &sim->sync->endpoint[event->a];

	if (event->b != LIQUID_NONE)
		liquid_run_token(endpoint->run, event->b, event->c);
	else if (event->time == endpoint->timer)
		endpoint->timer = SIM_TIME_MAX;
	advance(sim, event->a);
}

void sim_sync_finish(struct sim *sim)
{
	struct liquid_sim_result *result = &sim->result->shown;

	for (uint32_t host = 0; host < sim->sync->hosts; host++) {
		const struct liquid_run_stats *stats =
			liquid_run_stats(sim->sync->endpoint[host].run);

		result->token_waits += stats->waits;
		result->token_wait_ns += stats->wait_ns;
		if (stats->wait_max_ns > result->token_wait_max_ns)
			result->token_wait_max_ns = stats->wait_max_ns;
		result->token_timeouts += stats->timeouts;
		result->unsynchronised += stats->unsynchronised;
	}
	if (sim->options.sync == LIQUID_SIM_SYNC_TOKENS)
		result->tokens = liquid_plan_info(sim->sync->plan)->tokens * sim->options.cycles;
}

/* ---- setting up ---- */

/* When the host's program begins: by its own clock, and late by its start skew */
static void begin(struct sim *sim, uint32_t host)
{
	uint64_t late = sim_late(sim, host);
	struct endpoint *endpoint = &sim->sync->endpoint[host];

	endpoint->base = sim_skewed(sim, host, sim->start);
	endpoint->timer = SIM_TIME_MAX;
	set_timer(sim, host, (int64_t)(endpoint->base + late));
}

static int open_endpoint(struct sim *sim, uint32_t host, struct liquid_error *err)
{
	static const enum liquid_sync modes[] = {
		[LIQUID_SIM_SYNC_TOKENS] = LIQUID_SYNC_TOKENS,
		[LIQUID_SIM_SYNC_CLOCK] = LIQUID_SYNC_CLOCK,
		[LIQUID_SIM_SYNC_ORDER] = LIQUID_SYNC_ORDER,
	};
	struct liquid_run_options options = {
		.sync = modes[sim->options.sync],
		.timeout_ns = (int64_t)sim->options.token_timeout_ns,
		.frame_ns = (int64_t)sim->options.frame_ns,
	};
	struct endpoint *endpoint = &sim->sync->endpoint[host];
	uint32_t ports = sim->first_port[host + 1] - sim->first_port[host], count;
	int status = liquid_run_new(sim->sync->plan, host, &options, &endpoint->run, err);

	if (status)
		return status;
	endpoint->piece = liquid_plan_pieces(sim->sync->plan, host, &count);
	for (uint32_t i = 0; i < count; i++)
		if (endpoint->piece[i].lane >= ports)
			return liquid_fail(err, LIQUID_BAD_INPUT,
					   "host %u has a plan for more lanes than it sends by",
					   host);
	begin(sim, host);
	return LIQUID_OK;
}

int sim_sync_open(struct sim *sim, const struct liquid_schedule *schedule,
		  struct liquid_error *err)
{
	struct liquid_plan_options options = { .cyclic = sim->options.cycles > 1 };
	struct sim_sync *sync = calloc(1, sizeof(*sync));
	uint32_t hosts = sim->result->shown.host_count;
	int status;

	sim->sync = sync;
	if (sync) {
		sync->endpoint = calloc((size_t)hosts + 1, sizeof(*sync->endpoint));
		sync->flight = calloc((size_t)sim->ports + 1, sizeof(*sync->flight));
	}
	if (!sync || !sync->endpoint || !sync->flight)
		return liquid_no_memory(err);
	sync->hosts = hosts;
	for (uint32_t port = 0; port < sim->ports; port++)
		sync->flight[port].piece = LIQUID_NONE;
	status = liquid_plan_make(sim->fabric, schedule, &options, &sync->plan, err);
	sim->sender = &sim_synced;
	sim->start = sim->options.clock_error_ns;
	for (uint32_t host = 0; host < hosts && !status; host++)
		status = open_endpoint(sim, host, err);
	return status;
}

void sim_sync_close(struct sim *sim)
{
	if (!sim->sync)
		return;
	for (uint32_t host = 0; sim->sync->endpoint && host < sim->sync->hosts; host++)
		liquid_run_free(sim->sync->endpoint[host].run);
	liquid_plan_free(sim->sync->plan);
	free(sim->sync->endpoint);
	free(sim->sync->flight);
	free(sim->sync);
}

uint64_t sim_sync_memory(const struct sim *sim)
{
	const struct sim_sync *sync = sim->sync;

	return sync ? liquid_plan_info(sync->plan)->memory_bytes +
		sync->hosts * sizeof(*sync->endpoint) + sim->ports * sizeof(*sync->flight) : 0;
}
