// SPDX-License-Identifier: LGPL-2.1-or-later
/* The result of a simulation: bounds, sums and shares. */
#include <stdlib.h>

#include "schedule/schedule.h"
#include "simulate/simulate.h"

void liquid_sim_free(struct liquid_sim_result *result)
{
	struct sim_result *own = (struct sim_result *)result;

	if (!own)
		return;
	free(own->host);
	free(own->link);
	free(own);
}

int sim_result_new(struct sim *sim, struct liquid_error *err)
{
	struct sim_result *result = calloc(1, sizeof(*result));

	sim->result = result;
	if (!result)
		return liquid_no_memory(err);
	result->options = sim->options;
	result->shown.options = &result->options;
	result->shown.total = &result->total;
	result->shown.host_count = liquid_fabric_host_count(sim->fabric);
	result->shown.link_count = liquid_fabric_link_count(sim->fabric);
	result->host = calloc(result->shown.host_count, sizeof(*result->host));
	result->link = calloc((size_t)result->shown.link_count + 1, sizeof(*result->link));
	result->shown.host = result->host;
	result->shown.link = result->link;
	if (!result->host || !result->link)
		return liquid_no_memory(err);
	return LIQUID_OK;
}

/* The most frames that a link needs: among all links, and among those of hosts. */
static void find_durations(const struct sim *sim, const uint64_t *load, uint32_t *duration,
			   uint32_t *crossbar)
{
	uint32_t hosts = sim->result->shown.host_count;

	*duration = *crossbar = 0;
	for (uint32_t link = 0; link < sim->result->shown.link_count; link++) {
		const struct liquid_link *ends = liquid_fabric_link(sim->fabric, link);
		uint32_t lanes = liquid_fabric_capacity(sim->fabric, link);
		uint32_t frames = (uint32_t)(load[link] / lanes + (load[link] % lanes != 0));

		if (frames > *duration)
			*duration = frames;
		if (frames > *crossbar && (ends->from < hosts || ends->to < hosts))
			*crossbar = frames;
	}
}

/* Bytes a second, if @frames frames follow each other without a gap */
static double throughput(const struct sim *sim, uint64_t transfers, uint32_t frames)
{
	if (!frames)
		return 0;
	return (double)transfers / frames * (double)sim->options.rate_bps / 8;
}

int sim_result_bounds(struct sim *sim, const struct liquid_traffic *traffic,
		      const struct liquid_schedule *schedule, struct liquid_error *err)
{
	struct liquid_sim_result *result = &sim->result->shown;
	uint64_t transfers = liquid_traffic_transfer_count(traffic);
	uint64_t *load = calloc((size_t)result->link_count + 1, sizeof(*load));
	uint32_t crossbar;
	int status;

	if (!load)
		return liquid_no_memory(err);
	status = liquid_traffic_loads(sim->fabric, traffic, load, err);
	if (!status)
		find_durations(sim, load, &result->duration, &crossbar);
	free(load);
	if (status)
		return status;
	result->scheduled = schedule;
	result->length = schedule ? schedule->info.length : 0;
	result->transfers = transfers * sim->options.cycles;
	result->message_ns = sim_serialise(sim, sim->options.message_bytes);
	result->liquid_throughput = throughput(sim, transfers, result->duration);
	result->crossbar_throughput = throughput(sim, transfers, crossbar);
	return LIQUID_OK;
}

static void add_host(const struct liquid_sim_host *host, struct liquid_sim_host *total)
{
	total->sent_bytes += host->sent_bytes;
	total->received_bytes += host->received_bytes;
	total->sent_packets += host->sent_packets;
	total->received_packets += host->received_packets;
	total->worms += host->worms;
	total->waits += host->waits;
	total->wait_ns += host->wait_ns;
	total->blocked_ns += host->blocked_ns;
	total->late += host->late;
	if (host->wait_max_ns > total->wait_max_ns)
		total->wait_max_ns = host->wait_max_ns;
	if (host->late_max_ns > total->late_max_ns)
		total->late_max_ns = host->late_max_ns;
	if (host->end_ns > total->end_ns)
		total->end_ns = host->end_ns;
	for (int drop = 0; drop < LIQUID_SIM_DROPS; drop++)
		total->drops[drop] += host->drops[drop];
}

/* A liquid schedule takes the time of Λ messages. Divide the rest of the time by its causes. */
static void divide_loss(const struct sim *sim)
{
	const struct liquid_sim_options *o = &sim->options;
	struct liquid_sim_result *result = &sim->result->shown;
	double cycles = (double)o->cycles, frames = cycles * result->duration;
	double message = (double)o->message_bytes * 8e9 / (double)o->rate_bps;
	double packets = (double)(o->message_bytes / o->packet_bytes +
				  (o->message_bytes % o->packet_bytes != 0));

	result->lost_length_ns = (cycles * result->length - frames) * (double)o->frame_ns;
	result->lost_headers_ns = frames * packets * (double)o->overhead * 8e9 /
		(double)o->rate_bps;
	result->lost_guard_ns = frames * ((double)o->frame_ns - message) -
		result->lost_headers_ns;
	result->lost_other_ns = (double)result->time_ns - frames * message -
		result->lost_length_ns - result->lost_headers_ns - result->lost_guard_ns;
}

static uint64_t memory(const struct sim *sim)
{
	uint64_t hosts = sim->result->shown.host_count;

	return hosts * sizeof(*sim->result->host) +
		sim->ports * (sizeof(*sim->random) + 2 * sizeof(bool)) +
		sim->result->shown.link_count * sizeof(*sim->result->link) +
		sim_queue_memory(&sim->queue) + sim->switching->memory(sim) +
		sim_order_memory(sim) + sim_gate_memory(sim) +
		sim_sync_memory(sim);
}

void sim_result_finish(struct sim *sim)
{
	struct liquid_sim_result *result = &sim->result->shown;

	for (uint32_t host = 0; host < result->host_count; host++) {
		struct liquid_sim_host *of = &sim->result->host[host];

		of->end_ns = of->end_ns > sim->start ? of->end_ns - sim->start : 0;
		add_host(of, &sim->result->total);
	}
	result->time_ns = result->total->end_ns;
	if (result->time_ns)
		result->throughput = (double)result->total->received_bytes * 1e9 /
			(double)result->time_ns;
	if (result->scheduled && sim->options.frame_ns)
		divide_loss(sim);
	result->memory_bytes = memory(sim);
}
