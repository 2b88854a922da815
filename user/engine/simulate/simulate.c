// SPDX-License-Identifier: LGPL-2.1-or-later
/* A simulation: its set-up, its events, and the calls between its two halves. */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "schedule/marks.h"
#include "schedule/schedule.h"
#include "simulate/simulate.h"
#include "traffic/traffic.h"

#define EVENTS_A_LOOK 65536

/* ---- calls between the two halves ---- */

void sim_wake_at(struct sim *sim, uint32_t port, uint64_t time)
{
	struct sim_event event = { .time = time, .order = sim_asks(&sim->queue, port),
				   .kind = SIM_WAKE, .a = port };

	sim_queue_put(&sim->queue, &event);
}

void sim_wake_now(struct sim *sim, uint32_t port)
{
	if (!sim->idle[port] || sim->woken[port])
		return;
	sim->woken[port] = true;
	sim_wake_at(sim, port, sim->now);
}

void sim_free_port(struct sim *sim, uint32_t port)
{
	sim->idle[port] = true;
	sim_wake_now(sim, port);
}

static void wake(struct sim *sim, uint32_t port)
{
	struct sim_unit unit;

	sim->woken[port] = false;
	if (!sim->idle[port] || !sim->sender->next(sim, port, &unit))
		return;
	sim->idle[port] = false;
	sim->switching->inject(sim, port, &unit);
}

static void through(struct sim *sim, uint32_t port, uint64_t packets)
{
	sim->sender->through(sim, port, packets);
	sim_wake_now(sim, port);
}

void sim_delivered(struct sim *sim, uint32_t port, uint32_t dst, uint64_t packets,
		   uint64_t payload, uint32_t links)
{
	struct liquid_sim_host *sender = sim_host(sim, port);
	struct liquid_sim_host *receiver =
		&sim->result->host[liquid_fabric_owner(sim->fabric, dst)];
	struct sim_event ack = { .time = sim->now + links * sim->options.hop_ns,
				 .kind = SIM_ACK, .a = port, .b = (uint32_t)packets };

	sender->sent_packets += packets;
	sender->sent_bytes += payload;
	receiver->received_packets += packets;
	receiver->received_bytes += payload;
	receiver->end_ns = sim->now;
	sim->done_bytes += payload;
	if (!sim->options.window || !sim->options.hop_ns) {
		through(sim, port, packets);
		return;
	}
	ack.order = sim_ends(&sim->queue);
	sim_queue_put(&sim->queue, &ack);
}

void sim_dropped(struct sim *sim, uint32_t port, enum liquid_sim_drop drop, uint32_t link,
		 uint64_t packets, uint64_t payload)
{
	sim_host(sim, port)->drops[drop] += packets;
	if (link != LIQUID_NONE)
		sim->result->link[link].drops += packets;
	sim->done_bytes += payload;
	through(sim, port, packets);
}

void sim_ended(struct sim *sim, uint32_t port, uint64_t frame_end)
{
	struct liquid_sim_host *host = sim_host(sim, port);

	if (sim->now <= frame_end)
		return;
	host->late++;
	if (sim->now - frame_end > host->late_max_ns)
		host->late_max_ns = sim->now - frame_end;
}

void sim_waits(struct sim *sim, uint32_t port, uint32_t link)
{
	sim->result->link[link].waits++;
	sim_host(sim, port)->waits++;
}

void sim_waited(struct sim *sim, uint32_t port, uint64_t since, bool port_waits)
{
	struct liquid_sim_host *host = sim_host(sim, port);
	uint64_t wait = sim->now - since;

	host->wait_ns += wait;
	if (port_waits)
		host->blocked_ns += wait;
	if (wait > host->wait_max_ns)
		host->wait_max_ns = wait;
}

static void measure(const struct sim *sim, uint64_t payload, struct sim_unit *unit)
{
	uint64_t packet = sim->options.packet_bytes;

	unit->payload = payload;
	unit->packets = payload / packet + (payload % packet != 0);
	unit->wire = payload + unit->packets * sim->options.overhead;
}

void sim_cut(const struct sim *sim, uint64_t left, bool worm, struct sim_unit *unit)
{
	uint64_t packet = sim->options.packet_bytes, packets = 1;

	unit->deadline = SIM_TIME_MAX;
	unit->frame_end = SIM_TIME_MAX;
	measure(sim, left, unit);
	if (worm && unit->wire <= sim->options.worm_bytes)
		return;
	if (worm)
		packets = sim->options.worm_bytes / (packet + sim->options.overhead);
	if (!packets)
		packets = 1;
	if (packets < unit->packets)
		measure(sim, packets * packet, unit);
}

/* ---- running ---- */

static void handle(struct sim *sim, const struct sim_event *event)
{
	sim->now = event->time;
	switch (event->kind) {
	case SIM_WAKE:
		wake(sim, event->a);
		break;
	case SIM_TOKEN:
		sim_sync_token(sim, event);
		break;
	case SIM_ACK:
		through(sim, event->a, event->b);
		break;
	default:
		sim->switching->event(sim, event);
	}
}

static bool is_cancelled(const struct sim *sim)
{
	const struct liquid_sim_options *options = &sim->options;

	return options->progress &&
		options->progress(options->context, sim->done_bytes / options->message_bytes,
				  sim->all_bytes / options->message_bytes, sim->now);
}

static int run(struct sim *sim, struct liquid_error *err)
{
	uint64_t *events = &sim->result->shown.events;
	struct sim_event event;

	while (sim_queue_take(&sim->queue, &event)) {
		handle(sim, &event);
		if (++*events % EVENTS_A_LOOK == 0 && is_cancelled(sim))
			return liquid_fail(err, LIQUID_CANCELLED, "the simulation was cancelled");
	}
	if (sim->queue.failed)
		return liquid_no_memory(err);
	return LIQUID_OK;
}

/* ---- setting up ---- */

static int find_hops(struct sim *sim, const struct liquid_traffic *traffic,
		     struct liquid_error *err)
{
	uint32_t path[LIQUID_PATH_MAX];
	int status = traffic_list(traffic, err);

	if (status)
		return status;
	sim->pairs = liquid_traffic_pairs(traffic);
	sim->pair_count = (uint32_t)liquid_traffic_pair_count(traffic);
	sim->hops = 1;
	for (uint32_t pair = 0; pair < sim->pair_count; pair++) {
		int links = liquid_fabric_route(sim->fabric, sim->pairs[pair].src,
						sim->pairs[pair].dst, path, err);

		if (links < 0)
			return links;
		if ((uint32_t)links > sim->hops)
			sim->hops = (uint32_t)links;
	}
	return LIQUID_OK;
}

/* In each cycle one wait of each host can time out. */
static double timeouts_ns(const struct sim *sim)
{
	return (double)liquid_fabric_host_count(sim->fabric) *
		(double)sim->options.token_timeout_ns;
}

/* No time or count of the simulation can overflow. */
static int check_size(const struct sim *sim, const struct liquid_schedule *schedule,
		      uint64_t transfers, struct liquid_error *err)
{
	const struct liquid_sim_options *o = &sim->options;
	double packets = (double)o->message_bytes / (double)o->packet_bytes + 1;
	double message = ((double)o->message_bytes + packets * (double)o->overhead) * 8e9 /
		(double)o->rate_bps + sim->hops * (packets + 2 * (double)o->hop_ns);
	double all = (double)transfers * (double)o->cycles;
	double time = all * (message * sim->hops + 64 * (double)o->jitter_ns);

	if (all > (double)SIM_TRANSFERS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%g transfers: more than 2^40", all);
	/* At worst each packet needs its own cycle, and 64 vain ones before it. */
	if (schedule && o->sync == LIQUID_SIM_SYNC_GATES)
		time += ((double)o->cycles * packets + 1) * 100 * schedule->info.length *
			(double)o->frame_ns;
	else if (schedule)
		time += all * (double)o->token_ns + (double)o->cycles * timeouts_ns(sim) +
			(double)o->cycles * schedule->info.length * (double)o->frame_ns;
	if (time + (double)o->clock_error_ns + (double)o->start_skew_ns > 0x1p61)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "the simulated time could be more than 73 years");
	return LIQUID_OK;
}

/*
 * What is sent at once: the transfers of a frame, or worms on the lanes of the host's link. Packets
 * in an order go one after the other, at all the rate of the link.
 */
static uint32_t most_at_once(const struct sim *sim, uint32_t host, bool scheduled)
{
	if (!scheduled && sim->options.switching != LIQUID_SIM_WORMHOLE)
		return 1;
	return liquid_fabric_host_capacity(sim->fabric, host);
}

/* A host has a port for each of those, but no more than transfers, and at least one. */
static uint32_t count_ports(struct sim *sim, uint32_t hosts, bool scheduled)
{
	uint64_t *units = calloc((size_t)hosts + 1, sizeof(*units)), ports = 0;

	sim->first_port = calloc((size_t)hosts + 1, sizeof(*sim->first_port));
	if (!units || !sim->first_port) {
		free(units);
		return 0;
	}
	for (uint32_t pair = 0; pair < sim->pair_count; pair++)
		units[sim->pairs[pair].src] += sim->pairs[pair].count;
	for (uint32_t host = 0; host < hosts && ports <= SIM_PORTS_MAX; host++) {
		uint32_t most = most_at_once(sim, host, scheduled);

		most = units[host] < most ? (uint32_t)units[host] : most;
		ports += most ? most : 1;
		sim->first_port[host + 1] = (uint32_t)ports;
	}
	free(units);
	return (uint32_t)ports;
}

static int open_ports(struct sim *sim, bool scheduled, struct liquid_error *err)
{
	uint32_t hosts = liquid_fabric_host_count(sim->fabric);
	uint32_t ports = count_ports(sim, hosts, scheduled);
	struct random seeds = { sim->options.seed };

	if (ports > SIM_PORTS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "the hosts send more than %u transfers at once in all",
				   SIM_PORTS_MAX);
	sim->ports = ports;
	sim->host_of = calloc((size_t)ports + 1, sizeof(*sim->host_of));
	for (uint32_t host = 0; ports && sim->host_of && host < hosts; host++) {
		uint32_t port = sim->first_port[host];

		for (; port < sim->first_port[host + 1]; port++)
			sim->host_of[port] = host;
	}
	sim->idle = malloc(ports * sizeof(*sim->idle) + 1);
	sim->woken = calloc(ports, sizeof(*sim->woken));
	sim->random = calloc(ports, sizeof(*sim->random));
	if (!ports || !sim->host_of || !sim->idle || !sim->woken || !sim->random)
		return liquid_no_memory(err);
	memset(sim->idle, true, ports * sizeof(*sim->idle));
	for (uint32_t port = 0; port < ports; port++)
		sim->random[port].state = random_next(&seeds);
	return LIQUID_OK;
}

static int open_sim(struct sim *sim, const struct liquid_traffic *traffic,
		    const struct liquid_schedule *schedule,
		    const struct liquid_sim_options *options, struct liquid_error *err)
{
	int status = find_hops(sim, traffic, err);

	if (!status)
		status = sim_resolve(options, schedule, sim->hops, &sim->options, err);
	if (!status && schedule)
		status = sim_resolve_tail(sim, err);
	if (!status)
		status = check_size(sim, schedule, liquid_traffic_transfer_count(traffic), err);
	if (!status)
		status = open_ports(sim, schedule, err);
	if (!status)
		status = sim_result_new(sim, err);
	if (!status)
		status = sim_result_bounds(sim, traffic, schedule, err);
	if (status)
		return status;
	sim->all_bytes = sim->result->shown.transfers * sim->options.message_bytes;
	sim->switching = sim->options.switching == LIQUID_SIM_WORMHOLE ? &sim_wormhole :
		&sim_buffered;
	status = sim->switching->open(sim, err);
	if (status)
		return status;
	if (!schedule)
		return sim_order_open(sim, traffic, err);
	return sim->options.sync == LIQUID_SIM_SYNC_GATES ? sim_gate_open(sim, schedule, err) :
		sim_sync_open(sim, schedule, err);
}

static void close_sim(struct sim *sim)
{
	if (sim->switching)
		sim->switching->close(sim);
	sim_gate_close(sim);
	sim_sync_close(sim);
	sim_order_close(sim);
	sim_queue_clear(&sim->queue);
	free(sim->host_of);
	free(sim->first_port);
	free(sim->idle);
	free(sim->woken);
	free(sim->random);
	liquid_sim_free((struct liquid_sim_result *)sim->result);
}

static int simulate(struct sim *sim, const struct liquid_traffic *traffic,
		    const struct liquid_schedule *schedule,
		    const struct liquid_sim_options *options, struct liquid_error *err)
{
	int status = open_sim(sim, traffic, schedule, options, err);

	if (!status)
		status = run(sim, err);
	if (status)
		return status;
	if (sim->gate)
		sim_gate_left_over(sim);
	if (sim->sync)
		sim_sync_finish(sim);
	sim_result_finish(sim);
	return LIQUID_OK;
}

int liquid_simulate(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		    const struct liquid_schedule *schedule,
		    const struct liquid_sim_options *options, struct liquid_sim_result **result,
		    struct liquid_error *err)
{
	struct liquid_traffic *own = NULL;
	struct sim sim = { .fabric = fabric };
	int status = LIQUID_OK;

	*result = NULL;
	if (!traffic == !schedule)
		return liquid_fail(err, LIQUID_BAD_INPUT, "either a traffic or a schedule is "
				   "simulated");
	if (schedule && liquid_schedule_host_count(schedule) != liquid_fabric_host_count(fabric))
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "the schedule was not read for this fabric");
	if (schedule)
		status = marks_refuse(schedule, MARK_WAY | MARK_REVERSE, "the simulator", err);
	if (schedule && !status)
		status = liquid_schedule_list(schedule, NULL, err);
	if (schedule && !status)
		status = liquid_schedule_traffic(schedule, NULL, &own, err);
	if (!status)
		status = simulate(&sim, schedule ? own : traffic, schedule, options, err);
	if (!status) {
		*result = &sim.result->shown;
		sim.result = NULL;
	}
	close_sim(&sim);
	liquid_traffic_free(own);
	return status;
}
