// SPDX-License-Identifier: GPL-2.0-only
/* liquid route: forwarding tables that make a traffic's greatest load small. */
#include <stdlib.h>

#include "commands.h"
#include "route/route.h"
#include "util/json.h"
#include "input/input.h"
#include "util/output.h"

struct route {
	const char *fabric, *from, *output;
	const char *assign, *schedule;
	const char *lfts, *policy, *opensm;	/* for OpenSM */
	struct liquid_import import;
	struct traffic_args traffic;
	struct liquid_route_options options;
	uint32_t stretch;
	bool bound, json;
};

#define MEMBER(member) OPT_MEMBER(struct route, member)

static const struct opt route_opts[] = {
	{ "FABRIC", 0, KIND_TEXT, MEMBER(fabric), .positional = true,
	  .help = "the file of the fabric; its tables are one of the starts" },
	OPT_DUMPS(struct route, import),
	OPT_GROUP(struct route, import, import_opts),
	OPT_GROUP(struct route, traffic, traffic_opts),
	OPT_UNIT_BYTES(MEMBER(traffic.unit_bytes)),
	{ "lanes", 0, KIND_NUMBER, MEMBER(options.lanes), .min = 1, .max = LIQUID_LANES_MAX,
	  .value = "N", .help = "the most virtual lanes to use; by default 1" },
	{ "lmc", 0, KIND_NUMBER, MEMBER(options.lmc), .min = 1, .max = LIQUID_LMC_MAX,
	  .value = "K", .help = "give each host 2^K addresses, of which each pair uses one" },
	{ "circles", 0, KIND_FLAG, MEMBER(options.circles),
	  .help = "packets may wait in a circle: the network drops packets, as Ethernet does" },
	{ "from", 0, KIND_TEXT, MEMBER(from), .value = "FABRIC",
	  .help = "keep the routes and lanes of this fabric wherever they still work" },
	{ "stretch", 0, KIND_NUMBER, MEMBER(stretch), .max = LIQUID_PATH_MAX, .value = "LINKS",
	  .help = "the most links more than the shortest that a route has; by default any number" },
	{ "seed", 0, KIND_NUMBER, MEMBER(options.seed), .value = "N",
	  .help = "seed of the random choices" },
	{ "work", 0, KIND_NUMBER, MEMBER(options.work), .min = 1, .value = "N",
	  .help = "changes to try for each start; by default by the size of the fabric" },
	{ "output", 'o', KIND_TEXT, MEMBER(output), .value = "FABRIC",
	  .help = "write the fabric with its new tables to this file" },
	{ "assign", 0, KIND_TEXT, MEMBER(assign), .value = "FILE",
	  .help = "write the traffic with the address that each pair uses to this file" },
	{ "schedule", 'S', KIND_TEXT, MEMBER(schedule), .value = "FILE",
	  .help = "find routes and a schedule in one, and write the schedule to this file" },
	{ "lfts", 0, KIND_TEXT, MEMBER(lfts), .value = "FILE",
	  .help = "write the tables for `opensm -R file -U FILE`" },
	{ "qos-policy", 0, KIND_TEXT, MEMBER(policy), .value = "FILE",
	  .help = "write the lanes as service levels, for `opensm -Q -Y FILE`" },
	{ "opensm-options", 0, KIND_TEXT, MEMBER(opensm), .value = "FILE",
	  .help = "write the options for these lanes, for `opensm -F FILE`" },
	{ "bound", 0, KIND_FLAG, MEMBER(bound),
	  .help = "only print the bound of all routes: no search, no tables" },
	OPT_JSON(struct route),
	{ 0 }
};

static int check(const struct route *route)
{
	bool dumps = route->import.topo_label || route->import.lft_label;

	if (!route->fabric == !dumps)
		return usage_error("route", "either FABRIC, or --topo and --lft");
	if (dumps && (!route->import.topo_label || (!route->import.lft_label && !route->from)))
		return usage_error("route", "--topo and --lft go together; with --from, --topo "
				   "suffices");
	if (route->options.circles && route->options.lanes > 1)
		return usage_error("route", "--lanes and --circles exclude each other");
	if (route->from && route->options.lanes)
		return usage_error("route", "--from keeps the lanes of that fabric: no --lanes");
	if (route->from && route->options.lmc)
		return usage_error("route", "--from keeps the addresses of that fabric: no --lmc");
	if (route->assign && !route->options.lmc)
		return usage_error("route", "--assign needs --lmc: a host has one address");
	if (route->schedule && (route->from || route->options.lmc))
		return usage_error("route", "--schedule excludes --from and --lmc");
	if (route->bound && (route->output || route->schedule || route->assign || route->lfts ||
			     route->policy || route->opensm || route->from))
		return usage_error("route", "--bound finds no tables: nothing can be written, "
				   "or kept");
	if ((route->lfts || route->policy) && !dumps)
		return usage_error("route", "--lfts and --qos-policy need --topo, for LIDs and "
				   "GUIDs");
	if (route->lfts && route->options.lanes > 1 && (!route->policy || !route->opensm))
		return usage_error("route", "tables for several lanes need --qos-policy and "
				   "--opensm-options: in one lane they may deadlock");
	return check_unit_bytes(&route->traffic, "route") ? EXIT_USAGE :
	       check_traffic_args(&route->traffic, "route");
}

/* ---- files ---- */

typedef int (*writer)(const struct route *route, const struct liquid_routing *routing, FILE *out,
		      struct liquid_error *err);

static int write_fabric(const struct route *route, const struct liquid_routing *routing, FILE *out,
			struct liquid_error *err)
{
	(void)route;
	return liquid_fabric_write(routing->fabric, out, err);
}

/* The topology is read once more, for its LIDs and GUIDs. */
static int with_topo(const struct route *route, const struct liquid_routing *routing,
		     enum liquid_opensm file, FILE *out, struct liquid_error *err)
{
	struct liquid_import import = route->import;
	int status = input_open(import.topo_label, &import.topo, err);

	if (status)
		return status;
	import.note = NULL;
	status = liquid_routing_write(routing, file, &import, out, err);
	close_input(import.topo);
	return status;
}

static int write_lfts(const struct route *route, const struct liquid_routing *routing, FILE *out,
		      struct liquid_error *err)
{
	return with_topo(route, routing, LIQUID_OPENSM_TABLES, out, err);
}

static int write_policy(const struct route *route, const struct liquid_routing *routing, FILE *out,
			struct liquid_error *err)
{
	return with_topo(route, routing, LIQUID_OPENSM_QOS_POLICY, out, err);
}

static int write_options(const struct route *route, const struct liquid_routing *routing, FILE *out,
			 struct liquid_error *err)
{
	(void)route;
	return liquid_routing_write(routing, LIQUID_OPENSM_OPTIONS, NULL, out, err);
}

static int write_assign(const struct route *route, const struct liquid_routing *routing, FILE *out,
			struct liquid_error *err)
{
	const struct liquid_pair *pair = liquid_traffic_pairs(routing->traffic);

	(void)route;
	for (size_t i = 0; i < liquid_traffic_pair_count(routing->traffic); i++)
		fprintf(out, "%s %s %u\n",
			liquid_fabric_node_name(routing->fabric, pair[i].src),
			liquid_fabric_node_name(routing->fabric, pair[i].dst), pair[i].count);
	if (fflush(out) || ferror(out))
		return liquid_fail(err, LIQUID_IO, "writing the traffic failed");
	return LIQUID_OK;
}

static int write_schedule(const struct route *route, const struct liquid_routing *routing,
			  FILE *out, struct liquid_error *err)
{
	(void)route;
	return liquid_schedule_write_json(routing->schedule, routing->fabric, out, err);
}

static int write_file(const struct route *route, const struct liquid_routing *routing,
		      const char *path, writer write)
{
	struct liquid_error err;
	struct output output;
	int status, code = path ? output_open(&output, path) : EXIT_OK;

	if (code || !path)
		return code;
	status = write(route, routing, output.file, &err);
	if (status)
		code = complain(exit_code_of(status), "%s: %s", output.path, err.text);
	return output_close(&output, code);
}

static int write_files(const struct route *route, const struct liquid_routing *routing)
{
	int code = write_file(route, routing, route->output, write_fabric);

	if (!code)
		code = write_file(route, routing, route->assign, write_assign);
	if (!code)
		code = write_file(route, routing, route->schedule, write_schedule);
	if (!code)
		code = write_file(route, routing, route->lfts, write_lfts);
	if (!code)
		code = write_file(route, routing, route->policy, write_policy);
	if (!code)
		code = write_file(route, routing, route->opensm, write_options);
	if (!code && route->lfts && routing->lanes > 1)
		complain(0, "note: %s needs %u lanes: programs that ignore the service level of "
			 "the path record may wait for each other forever", route->lfts,
			 routing->lanes);
	return code;
}

/* The greatest load of the tables that the fabric has; false: some route is missing. */
static bool rate_present(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			 double *load)
{
	uint32_t links = liquid_fabric_link_count(fabric);
	uint64_t *loads = calloc((size_t)links + 1, sizeof(*loads));
	bool done = loads && !liquid_traffic_loads(fabric, traffic, loads, NULL);

	*load = 0;
	for (uint32_t link = 0; link < links && done; link++) {
		double value = (double)loads[link] / liquid_fabric_capacity(fabric, link);

		*load = value > *load ? value : *load;
	}
	free(loads);
	return done;
}

static int find_routes(struct route *route, const struct liquid_fabric *fabric,
		       const struct liquid_traffic *traffic)
{
	struct route_view view = { .fabric = fabric };
	struct liquid_routing *routing;
	struct liquid_error err;
	int status, code;

	route->options.traffic = traffic;
	route->options.schedule = route->schedule;
	if (route->bound)
		route->options.work = 1;
	status = liquid_route(fabric, &route->options, &routing, &err);
	if (status)
		return complain_of(status, &err);
	view.routing = routing;
	view.repaired = route->from;
	view.circles = route->options.circles;
	view.bound_only = route->bound;
	view.has_present = rate_present(fabric, traffic, &view.present);
	code = write_files(route, routing);
	if (!code && route->json)
		code = print_json("liquid-routes", 1, route_json(&view));
	else if (!code)
		route_print(&view);
	liquid_routing_free(routing);
	return code;
}

/* The fabric of --from, as far as --topo still has it */
static int read_living(struct route *route, const struct liquid_fabric *from,
		       struct liquid_fabric **fabric)
{
	struct liquid_error err;
	uint32_t lost;
	int status = input_open(route->import.topo_label, &route->import.topo, &err);

	if (!status) {
		status = liquid_fabric_living(from, &route->import, fabric, &lost, &err);
		close_input(route->import.topo);
	}
	if (status)
		return complain_of(status, &err);
	complain(0, "note: %u of the links between switches are no longer there", lost);
	return EXIT_OK;
}

static int read_fabrics(struct route *route, struct liquid_fabric **fabric,
			struct liquid_fabric **from)
{
	int code = route->from ? read_fabric(route->from, from) : EXIT_OK;

	if (code)
		return code;
	route->options.from = *from;
	if (route->fabric)
		return read_fabric(route->fabric, fabric);
	return route->import.lft_label ? import_dumps(&route->import, fabric) :
	       read_living(route, *from, fabric);
}

static int run_route(int argc, char **argv)
{
	struct route route = { .stretch = UINT32_MAX };
	struct liquid_traffic *traffic = NULL;
	struct liquid_fabric *fabric = NULL, *from = NULL;
	int code = take_options(argc, argv, route_opts, &route);

	if (route.stretch != UINT32_MAX)
		route.options.stretch = &route.stretch;
	if (!code)
		code = check(&route);
	if (!code)
		code = read_fabrics(&route, &fabric, &from);
	if (!code)
		code = read_all_pairs(&route.traffic, fabric, &traffic);
	if (!code)
		code = find_routes(&route, fabric, traffic);
	liquid_traffic_free(traffic);
	liquid_fabric_free(from);
	liquid_fabric_free(fabric);
	return code;
}

const struct command cmd_route = {
	"route", "find forwarding tables for a traffic", route_opts, run_route, NULL, NULL
};
