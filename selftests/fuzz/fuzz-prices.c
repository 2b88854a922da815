// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz the reader of prices: whatever they are, no bound is above the load of routes that exist. */
#include "fuzz.h"

/* The greatest load of an all-to-all by the tables that the fabric has */
static double load_of(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic)
{
	uint32_t links = liquid_fabric_link_count(fabric);
	uint64_t *load = calloc((size_t)links + 1, sizeof(*load));
	double most = 0;

	fuzz_check(load && !liquid_traffic_loads(fabric, traffic, load, NULL));
	for (uint32_t i = 0; i < links; i++) {
		double value = (double)load[i] / liquid_fabric_capacity(fabric, i);

		most = value > most ? value : most;
	}
	free(load);
	return most;
}

static void try_witness(const char *name, const char *witness)
{
	uint32_t hosts;
	struct liquid_traffic *traffic;
	struct liquid_fabric *fabric;
	struct liquid_error err = { "" };
	double bound = -1;
	int status;

	fuzz_check(!liquid_fabric_make(name, NULL, 0, &fabric, NULL));
	hosts = liquid_fabric_host_count(fabric);
	fuzz_check(hosts <= 256);
	fuzz_check(!liquid_traffic_alltoall(NULL, hosts, &traffic, NULL));
	status = liquid_verify_prices(fabric, traffic, witness, &bound, &err);
	fuzz_check(!status == !err.text[0]);
	if (status)
		fuzz_check(status == LIQUID_INVALID && bound == 0);
	else
		fuzz_check(bound >= 0 && bound <= load_of(fabric, traffic) * (1 + 1e-12));
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *witness = calloc(size + 1, 1);

	fuzz_check(witness != NULL);
	if (size)
		memcpy(witness, data, size);
	try_witness("leaf-spine", witness);
	free(witness);
	return 0;
}
