// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz what a matrix is made of: lines of flows, and captured packets. */
#include "flows/flows.h"
#include "fuzz.h"

static void read_by(int (*read_flows)(struct flows *, FILE *, const char *, struct liquid_error *),
		    const uint8_t *data, size_t size, const struct addr_map *map,
		    const struct liquid_names *names)
{
	struct liquid_error err;
	struct flows flows;
	FILE *in = fmemopen((void *)data, size, "r");

	fuzz_check(in && !flows_open(&flows, map, names, &err));
	if (!read_flows(&flows, in, "input", &err)) {
		fuzz_check(flows_end_input(&flows, false));
		for (uint32_t i = 0; i < flows.hosts; i++)
			fuzz_check(!flows.bytes[(size_t)i * flows.hosts + i]);
	}
	flows_close(&flows);
	fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char *names[] = { "a", "b", "c" };
	const struct liquid_names hosts = { names, 3 };
	struct addr_map map = { 0 };
	struct liquid_error err;

	if (!size)
		return 0;
	fuzz_check(!addr_map_add(&map, "a=10.1.0.1,fd00::1", &err) &&
		   !addr_map_add(&map, "b=10.1.0.2,fd00::2", &err) &&
		   !addr_map_add(&map, "c=10.1.0.3", &err) && !addr_map_finish(&map, &err));
	read_by(flows_read_conntrack, data, size, &map, &hosts);
	read_by(flows_read_pcap, data, size, &map, &hosts);
	addr_map_clear(&map);
	return 0;
}
