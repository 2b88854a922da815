// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz the reader of liquid.conf: what it takes is whole and within its bounds. */
#include <string.h>

#include "job/conf.h"
#include "fuzz.h"
#include "gate/options.h"

static void check_values(const struct conf *conf)
{
	fuzz_check(conf->fabric && conf->addresses && conf->store && conf->device_count);
	fuzz_check(conf->frame_ns >= 10000 && conf->frame_ns <= 10000000000);
	fuzz_check(!conf->guard_given || conf->guard_ns < conf->frame_ns);
	fuzz_check(conf->lead_ns >= 200000000 && conf->deadline_ns >= 100000000);
	fuzz_check(conf->rail <= 64 && conf->max_packet >= 64 && conf->max_packet <= 65535);
	fuzz_check(conf->on_failure <= CONF_FAIL && conf->merge <= CONF_YES);
	fuzz_check(conf->clock <= CONF_REFUSE && !conf->live_topo == !conf->live_lft);
}

/* What gates are set to is something that a gate can be set to. */
static void check_options(const struct conf *conf)
{
	struct gate_options options = { 0 };

	fuzz_check(!conf->select || !parse_select(conf->select, &options));
	fuzz_check(!conf->policy || !parse_policy(conf->policy, &options));
	fuzz_check(options.select_dscp <= LIQUID_DSCP_MAX);
	fuzz_check(!(options.select_mark & ~options.select_mask));
}

static void check_devices(const struct conf *conf, const struct conf_device *device)
{
	fuzz_check(device->count && (device->count == 1 || conf->rail == CONF_RAIL_ALL));
	for (size_t i = 0; i < device->count; i++)
		fuzz_check(device->name[i] && *device->name[i]);
}

/* What a partition names is there, and each traffic is found by its name. */
static void check_names(const struct conf *conf)
{
	for (size_t i = 0; i < conf->partition_count; i++) {
		const char *traffic = conf->partition[i].traffic;

		fuzz_check(!strcmp(traffic, "none") || conf_find_traffic(conf, traffic));
		fuzz_check(conf_partition_traffic(conf, conf->partition[i].name) != NULL);
	}
	for (size_t i = 0; i < conf->traffic_count; i++) {
		const struct conf_traffic *traffic = &conf->traffic[i];

		fuzz_check(traffic->tasks_per_node >= 1 && traffic->tasks_per_node <= 65536);
		fuzz_check(conf_find_traffic(conf, traffic->name) == traffic);
	}
	for (size_t i = 0; i < conf->device_count; i++)
		check_devices(conf, &conf->device[i]);
	(void)conf_devices_of(conf, "node1");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct liquid_error err = { "" };
	struct conf conf;
	FILE *in = fuzz_file(data, size);

	if (conf_read(in, "file", &conf, &err)) {
		fuzz_check(err.text[0] && !conf.fabric && !conf.device);
	} else {
		check_values(&conf);
		check_options(&conf);
		check_names(&conf);
	}
	conf_clear(&conf);
	fclose(in);
	return 0;
}
