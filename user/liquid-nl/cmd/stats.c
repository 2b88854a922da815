// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl stats: the counters of gates, or of a gate and its destinations. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock-ns.h"
#include "clock/clock.h"
#include "cmd/cmd.h"
#include "gate/device.h"
#include "util/output.h"
#include "cmd/names.h"
#include "show/print.h"
#include "show/stats.h"

static int check_stats(const struct stats *stats)
{
	if (stats->json + stats->prometheus + stats->watch > 1)
		return usage_error("stats", "--json, --prometheus and --watch exclude each other");
	if (stats->output && !stats->prometheus)
		return usage_error("stats", "-o goes with --prometheus");
	if (stats->count && !stats->watch)
		return usage_error("stats", "--count goes with --watch");
	if (stats->map_file && !stats->device)
		return usage_error("stats", "--addr-map goes with DEV");
	return EXIT_OK;
}

#define MEMBER(member) OPT_MEMBER(struct stats, member)
#define SECOND_NS 1000000000

static const struct opt stats_opts[] = {
	{ "DEV", 0, KIND_TEXT, MEMBER(device), .positional = true,
	  .help = "its gate and each destination; without it all gates" },
	{ "watch", 0, KIND_TIME, MEMBER(interval_ns), .min = 1000000, .without = SECOND_NS,
	  .value = "TIME", .help = "print rates, again after each TIME; 1s by default" },
	{ "count", 0, KIND_NUMBER, MEMBER(count), .min = 1, .max = UINT32_MAX, .value = "N",
	  .help = "end --watch after N times" },
	{ "prometheus", 0, KIND_FLAG, MEMBER(prometheus),
	  .help = "print in the format of Prometheus" },
	{ "output", 'o', KIND_TEXT, MEMBER(output), .value = "FILE",
	  .help = "write --prometheus to this file" },
	OPT_ADDR_MAP(struct stats),
	OPT_JSON(struct stats),
	{ 0 }
};

static int parse_stats(int argc, char **argv, struct stats *stats)
{
	int code = take_options(argc, argv, stats_opts, stats);

	stats->watch = stats->interval_ns;
	return code ? code : check_stats(stats);
}

static void print_dest_stats(const struct gate_dests *dests)
{
	char text[ADDR_KEY_TEXT];

	for (size_t i = 0; i < dests->count; i++) {
		const struct gate_dest *dest = &dests->dest[i];

		printf("  destination %u:", dest->id);
		print_dest_name(stdout, dest);
		for (uint32_t k = 0; k < dest->key_count; k++)
			printf(" %s", addr_key_format(&dest->key[k], text));
		putchar('\n');
		print_stats(stdout, "    ", &dest->stats);
		print_times(stdout, "    ", &dest->times, &dest->stats);
	}
}

static json_t *counters_json(const struct gate *gate, const struct gate_dests *dests)
{
	char name[IF_NAMESIZE];
	json_t *json = json_object();

	if (!json ||
	    json_object_set_new(json, "device", json_string(device_name(gate->ifindex, name))) ||
	    json_object_set_new(json, "ifindex", json_integer(gate->ifindex)) ||
	    json_object_set_new(json, "stats", stats_json(&gate->stats)) ||
	    json_object_set_new(json, "times", times_json(&gate->times, &gate->stats, true)) ||
	    (dests && json_object_set_new(json, "dests", dests_json(dests, true)))) {
		json_decref(json);
		return NULL;
	}
	return json;
}

static int read_one(struct netlink *nl, const struct stats *stats, struct stats_sample *sample)
{
	uint32_t ifindex;
	int status, code = find_device(stats->device, &ifindex);

	if (code)
		return code;
	sample->gates.gate = calloc(1, sizeof(*sample->gates.gate));
	if (!sample->gates.gate)
		return no_memory();
	sample->gates.count = 1;
	status = gate_get(nl, ifindex, &sample->gates.gate[0]);
	if (!status)
		status = gate_dest_dump(nl, ifindex, &sample->dests);
	sample->dests_hidden = status == -EPERM;
	if (status && !sample->dests_hidden)
		return refused(nl, stats->device);
	if (sample->dests_hidden)
		gate_dests_clear(&sample->dests);	/* what came before the refusal */
	gate_dests_name(&sample->dests, &stats->map);
	return EXIT_OK;
}

void stats_clear(struct stats_sample *sample)
{
	gate_list_clear(&sample->gates);
	gate_dests_clear(&sample->dests);
}

int stats_read(struct netlink *nl, const struct stats *stats, struct stats_sample *sample)
{
	int code = EXIT_OK;

	*sample = (struct stats_sample){ 0 };
	if (stats->device)
		code = read_one(nl, stats, sample);
	else if (gate_dump(nl, &sample->gates))
		code = refused(nl, NULL);
	sample->time_ns = (uint64_t)clock_ns(CLOCK_MONOTONIC);
	if (code)
		stats_clear(sample);
	return code;
}

static json_t *all_json(const struct stats *stats, const struct stats_sample *sample)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < sample->gates.count; i++)
		if (json_array_append_new(array, counters_json(&sample->gates.gate[i],
							       stats->device &&
							       !sample->dests_hidden ?
							       &sample->dests : NULL))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static void print_as_text(const struct stats_sample *sample)
{
	char name[IF_NAMESIZE];

	for (size_t i = 0; i < sample->gates.count; i++) {
		const struct gate *gate = &sample->gates.gate[i];

		printf("%s:\n", device_name(gate->ifindex, name));
		print_stats(stdout, "  ", &gate->stats);
		print_times(stdout, "  ", &gate->times, &gate->stats);
	}
	print_dest_stats(&sample->dests);
	if (sample->dests_hidden)
		puts("  destinations: not for this user");
}

static void read_module(char version[64])
{
	FILE *in = fopen("/sys/module/liquid/version", "re");

	if (in && fgets(version, 64, in))
		version[strcspn(version, "\n")] = '\0';
	if (in)
		fclose(in);
}

static void read_node(struct stats_node *node)
{
	struct clock_asker asker = CLOCK_ASKER_CLOSED;
	struct clock_findings findings;
	struct clock_report report;

	node->version = LIQUID_VERSION;
	read_module(node->module);
	node->clock_known = !clock_read(&asker, &report);
	if (node->clock_known) {
		clock_judge(&report, 0, &findings);
		node->clock_error_ns = clock_error_ns(&report);
		node->clock_findings = findings.count;
	}
	clock_close(&asker);
}

static int print_as_prometheus(const struct stats *stats, struct stats_sample *sample)
{
	struct output output;
	int code = output_open(&output, stats->output);

	if (code)
		return code;
	read_node(&sample->node);
	stats_print_prometheus(output.file, sample);
	return output_close(&output, EXIT_OK);
}

static int stats_once(struct netlink *nl, const struct stats *stats)
{
	struct stats_sample sample;
	int code = stats_read(nl, stats, &sample);

	if (code)
		return code;
	if (stats->json)
		code = print_json("liquid-stats", 1,
				  json_pack("{s:o}", "gates", all_json(stats, &sample)));
	else if (stats->prometheus)
		code = print_as_prometheus(stats, &sample);
	else
		print_as_text(&sample);
	stats_clear(&sample);
	return code;
}

static int run_stats(int argc, char **argv)
{
	struct stats stats = { 0 };
	struct netlink nl;
	struct stats_sample none = { .node.down = true };
	int status = 0, code = parse_stats(argc, argv, &stats);

	if (!code && stats.device)
		code = names_read(stats.map_file, &stats.map);
	if (!code)
		status = gate_open(&nl);
	if (status == -ENOENT && stats.prometheus && !stats.device)
		code = print_as_prometheus(&stats, &none);
	else if (status)
		code = refused(&nl, stats.device);
	else if (!code) {
		code = stats.watch ? stats_watch(&nl, &stats) : stats_once(&nl, &stats);
		netlink_close(&nl);
	}
	addr_map_clear(&stats.map);
	return code;
}

const struct command cmd_stats = {
	"stats", "show the counters of gates", stats_opts, run_stats, NULL, NULL
};
