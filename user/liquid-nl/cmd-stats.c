// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl stats: what the gates have counted, and each destination of one. */
#include <getopt.h>

#include "cmd.h"
#include "device.h"
#include "print.h"

struct stats {
	const char *device;	/* NULL: every gate, without its destinations */
	bool json;
};

static int parse_stats(int argc, char **argv, struct stats *stats)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ 0 }
	};
	int option;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":j", options, NULL)) != -1) {
		if (option != 'j')
			return usage_error("stats", "no option '%s'", argv[optind - 1]);
		stats->json = true;
	}
	if (optind == argc)
		return EXIT_OK;
	return take_device(argc, argv, "stats", &stats->device);
}

static void print_dest_stats(const struct gate_dests *dests)
{
	char text[ADDR_KEY_TEXT];

	for (size_t i = 0; i < dests->count; i++) {
		const struct gate_dest *dest = &dests->dest[i];

		printf("  destination %u:", dest->id);
		for (uint32_t k = 0; k < dest->key_count; k++)
			printf(" %s", addr_key_format(&dest->key[k], text));
		putchar('\n');
		print_stats(stdout, "    ", &dest->stats);
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
	    (dests && json_object_set_new(json, "dests", dests_json(dests, true)))) {
		json_decref(json);
		return NULL;
	}
	return json;
}

static int stats_of_one(struct netlink *nl, const struct stats *stats)
{
	struct gate_dests dests = { 0 };
	struct gate gate;
	uint32_t ifindex;
	int code = find_device(stats->device, &ifindex);

	if (code)
		return code;
	if (gate_get(nl, ifindex, &gate) || gate_dest_dump(nl, ifindex, &dests)) {
		code = refused(nl, stats->device);
	} else if (stats->json) {
		code = print_json(json_pack("[o]", counters_json(&gate, &dests)));
	} else {
		printf("%s:\n", stats->device);
		print_stats(stdout, "  ", &gate.stats);
		print_dest_stats(&dests);
	}
	gate_dests_clear(&dests);
	return code;
}

static json_t *all_json(const struct gate_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < list->count; i++)
		if (json_array_append_new(array, counters_json(&list->gate[i], NULL))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static int stats_of_all(struct netlink *nl, const struct stats *stats)
{
	struct gate_list list = { 0 };
	char name[IF_NAMESIZE];
	int code = EXIT_OK;

	if (gate_dump(nl, &list)) {
		code = refused(nl, NULL);
	} else if (stats->json) {
		code = print_json(all_json(&list));
	} else {
		for (size_t i = 0; i < list.count; i++) {
			printf("%s:\n", device_name(list.gate[i].ifindex, name));
			print_stats(stdout, "  ", &list.gate[i].stats);
		}
	}
	gate_list_clear(&list);
	return code;
}

int cmd_stats(int argc, char **argv)
{
	struct stats stats = { 0 };
	struct netlink nl;
	int code = parse_stats(argc, argv, &stats);

	if (code)
		return code;
	if (gate_open(&nl))
		return refused(&nl, stats.device);
	code = stats.device ? stats_of_one(&nl, &stats) : stats_of_all(&nl, &stats);
	netlink_close(&nl);
	return code;
}
