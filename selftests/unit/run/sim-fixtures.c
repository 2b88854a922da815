// SPDX-License-Identifier: GPL-2.0-only
/* Small fabrics for the tests of the simulator, where a byte takes a ns. */
#include "sim-fixtures.h"

struct liquid_sim_options options_of(enum liquid_sim_switching switching, uint64_t message,
				     uint64_t packet)
{
	return (struct liquid_sim_options){
		.switching = switching, .rate_bps = BYTE_A_NS, .message_bytes = message,
		.packet_bytes = packet, .frame_ns = LIQUID_SIM_DEFAULT,
		.guard_ns = LIQUID_SIM_DEFAULT,
	};
}

bool near(double a, double b)
{
	return a <= b * (1 + 1e-12) && b <= a * (1 + 1e-12);
}

struct liquid_fabric *make_bridge(uint32_t senders, uint32_t capacity)
{
	uint32_t a = 2 * senders, b = a + 1;
	struct liquid_fabric *fabric;
	struct liquid_error err;
	char name[16];

	must(liquid_fabric_new("bridge", &fabric, &err), &err);
	for (uint32_t i = 0; i < 2 * senders; i++) {
		snprintf(name, sizeof(name), "%c%" PRIu32, i < senders ? 't' : 'r', i % senders);
		must(liquid_fabric_add_host(fabric, name, &err), &err);
	}
	must(liquid_fabric_add_switch(fabric, "a", &err), &err);
	must(liquid_fabric_add_switch(fabric, "b", &err), &err);
	for (uint32_t i = 0; i < senders; i++)
		add_cable(fabric, i, a, 1);			/* link i */
	for (uint32_t i = 0; i < senders; i++)
		add_cable(fabric, b, senders + i, 1);		/* link senders + i */
	add_cable(fabric, a, b, capacity);			/* link 2 senders */
	for (uint32_t i = 0; i < senders; i++) {
		must(liquid_fabric_set_forward(fabric, 0, senders + i, 2 * senders, &err), &err);
		must(liquid_fabric_set_forward(fabric, 1, senders + i, senders + i, &err), &err);
	}
	must(liquid_fabric_finish(fabric, &err), &err);
	return fabric;
}

struct liquid_traffic *straight(uint32_t senders, uint32_t count)
{
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 0; i < senders; i++)
		must(liquid_traffic_add(traffic, i, senders + i, count, &err), &err);
	return traffic;
}

struct liquid_sim_result *simulated(const struct liquid_fabric *fabric,
				    const struct liquid_traffic *traffic,
				    const struct liquid_schedule *schedule,
				    const struct liquid_sim_options *options)
{
	struct liquid_sim_result *result;
	struct liquid_error err;

	must(liquid_simulate(fabric, traffic, schedule, options, &result, &err), &err);
	return result;
}

const struct liquid_sim_host *host_of(const struct liquid_sim_result *result, uint32_t host)
{
	return &result->host[host];
}

const struct liquid_sim_link *link_of(const struct liquid_sim_result *result, uint32_t link)
{
	return &result->link[link];
}
