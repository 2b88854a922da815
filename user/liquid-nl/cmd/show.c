// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl show: the state of gates. */
#include <stdlib.h>

#include "cmd/cmd.h"
#include "gate/device.h"
#include "cmd/names.h"
#include "show/print.h"

struct show {
	const char *device;	/* NULL: every gate */
	const char *map_file;	/* NULL: that of liquid.conf */
	struct addr_map map;	/* names of destinations */
	bool json, dests, frames;
};

/* The output that --dests and --frames add to a gate */
struct details {
	struct gate_dests dests;
	struct gate_runs oper, admin;
};

static void details_clear(struct details *details)
{
	gate_dests_clear(&details->dests);
	gate_runs_clear(&details->oper);
	gate_runs_clear(&details->admin);
}

static const struct opt show_opts[] = {
	{ "DEV", 0, KIND_TEXT, OPT_MEMBER(struct show, device), .positional = true,
	  .help = "show this device's gate only" },
	{ "dests", 0, KIND_FLAG, OPT_MEMBER(struct show, dests), .help = "and its destinations" },
	{ "frames", 0, KIND_FLAG, OPT_MEMBER(struct show, frames),
	  .help = "and the frames of its schedules" },
	OPT_ADDR_MAP(struct show),
	OPT_JSON(struct show),
	{ 0 }
};

static int get_details(struct netlink *nl, const struct show *show, const struct gate *gate,
		       struct details *details)
{
	int status = 0;

	if (show->dests)
		status = gate_dest_dump(nl, gate->ifindex, &details->dests);
	gate_dests_name(&details->dests, &show->map);
	if (!status && show->frames && gate->oper.present)
		status = gate_sched_dump(nl, gate->ifindex, LIQUID_WHICH_OPER, &details->oper);
	if (!status && show->frames && gate->admin.present)
		status = gate_sched_dump(nl, gate->ifindex, LIQUID_WHICH_ADMIN, &details->admin);
	return status;
}

static json_t *details_json(const struct show *show, const struct gate *gate,
			    const struct details *details)
{
	json_t *json = gate_json(gate);
	bool wrong = !json;

	if (!wrong && show->dests)
		wrong = json_object_set_new(json, "dests", dests_json(&details->dests, false));
	if (!wrong && show->frames && gate->oper.present)
		wrong = json_object_set_new(json_object_get(json, "oper"), "entries",
					    runs_json(&details->oper));
	if (!wrong && show->frames && gate->admin.present)
		wrong = json_object_set_new(json_object_get(json, "admin"), "entries",
					    runs_json(&details->admin));
	if (!wrong)
		return json;
	json_decref(json);
	return NULL;
}

static int show_gate(struct netlink *nl, const struct show *show, const struct gate *gate,
		     json_t *array)
{
	struct details details = { 0 };
	char name[IF_NAMESIZE];
	int code = EXIT_OK;

	if (get_details(nl, show, gate, &details))
		code = refused(nl, device_name(gate->ifindex, name));
	else if (array && json_array_append_new(array, details_json(show, gate, &details)))
		code = no_memory();
	else if (!array) {
		print_gate(stdout, gate);
		print_dests(stdout, &details.dests);
		print_runs(stdout, "oper", &details.oper);
		print_runs(stdout, "admin", &details.admin);
	}
	details_clear(&details);
	return code;
}

static int show_list(struct netlink *nl, const struct show *show, const struct gate_list *list)
{
	json_t *array = show->json ? json_array() : NULL;
	int code = EXIT_OK;

	if (show->json && !array)
		return no_memory();
	if (!show->json && !list->count)
		puts("no device has a gate: `liquid-nl attach DEV` makes one");
	for (size_t i = 0; i < list->count && !code; i++)
		code = show_gate(nl, show, &list->gate[i], array);
	if (!show->json)
		return code;
	if (!code)
		return print_json("liquid-gates", 1, json_pack("{s:o}", "gates", array));
	json_decref(array);
	return code;
}

static int get_gates(struct netlink *nl, const struct show *show, struct gate_list *list)
{
	uint32_t ifindex;
	int status, code;

	if (!show->device)
		return gate_dump(nl, list) ? refused(nl, NULL) : EXIT_OK;
	code = find_device(show->device, &ifindex);
	if (code)
		return code;
	list->gate = calloc(1, sizeof(*list->gate));
	if (!list->gate)
		return no_memory();
	status = gate_get(nl, ifindex, list->gate);
	list->count = !status;
	return status ? refused(nl, show->device) : EXIT_OK;
}

static int run_show(int argc, char **argv)
{
	struct gate_list list = { 0 };
	struct show show = { 0 };
	struct netlink nl;
	int code = take_options(argc, argv, show_opts, &show);

	if (!code && show.map_file && !show.dests)
		code = usage_error("show", "--addr-map goes with --dests");
	if (!code && show.dests)
		code = names_read(show.map_file, &show.map);
	if (!code && gate_open(&nl))
		code = refused(&nl, show.device);
	else if (!code) {
		code = get_gates(&nl, &show, &list);
		if (!code)
			code = show_list(&nl, &show, &list);
		gate_list_clear(&list);
		netlink_close(&nl);
	}
	addr_map_clear(&show.map);
	return code;
}

const struct command cmd_show = {
	"show", "show the state of gates", show_opts, run_show, NULL, NULL
};
