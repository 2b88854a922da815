// SPDX-License-Identifier: GPL-2.0-only
/* Routes that were found, as text and as JSON. */
#include <stdio.h>

#include "route/route.h"

static uint32_t hosts_of(const struct liquid_fabric *fabric)
{
	return liquid_fabric_host_count(fabric) - liquid_fabric_alias_count(fabric);
}

static void print_bound(const struct route_view *view)
{
	printf("%-12s %.6g: no routes have a smaller load", "bound", view->routing->bound);
	if (view->has_present && view->routing->bound > 0)
		printf("; the present load is %.6g, %.2f %% above", view->present,
		       100 * (view->present / view->routing->bound - 1));
	putchar('\n');
}

void route_print(const struct route_view *view)
{
	const struct liquid_routing *routing = view->routing;

	if (view->bound_only) {
		print_bound(view);
		return;
	}
	printf("%-12s %.6g", "load", routing->load);
	if (view->has_present)
		printf(", by the present tables %.6g", view->present);
	printf("\n%-12s %.6g: no routes have a smaller load", "bound", routing->bound);
	if (routing->load <= routing->least && routing->load > routing->bound)
		printf("; none that do not split have less than %.6g", routing->least);
	else if (routing->bound > 0 && routing->load > routing->bound)
		printf("; this is at most %.2f %% above",
		       100 * (routing->load / routing->bound - 1));
	if (routing->schedule)
		printf("\n%-12s %u frames, by the schedule that was found", "length",
		       liquid_schedule_info(routing->schedule)->length);
	printf("\n%-12s %u of the links between switches have a load of %.6g\n", "busiest",
	       routing->busiest, routing->switch_load);
	if (routing->shifts > 0)
		printf("%-12s %.6g messages' times for the steps of a pairwise exchange\n",
		       "shifts", routing->shifts);
	if (view->repaired)
		printf("%-12s routes to %u of %u hosts\n", "changed", routing->moved,
		       liquid_fabric_host_count(routing->fabric));
	if (liquid_fabric_alias_count(routing->fabric))
		printf("%-12s %u, besides the first address of each of %u hosts\n", "aliases",
		       liquid_fabric_alias_count(routing->fabric), hosts_of(routing->fabric));
	if (view->circles)
		printf("%-12s routes may wait for each other in a circle, as allowed\n", "lanes");
	else
		printf("%-12s %u, in each of which no routes wait for each other in a circle\n",
		       "lanes", routing->lanes);
}

static json_t *lanes_json(const struct route_view *view)
{
	json_t *lanes = json_object();

	for (uint32_t host = 0; host < liquid_fabric_host_count(view->routing->fabric); host++)
		json_object_set_new(lanes,
				    liquid_fabric_node_name(view->routing->fabric, host),
				    json_integer(view->routing->lane[host]));
	return lanes;
}

/* The links that have a price, which prove the bound */
static json_t *prices_json(const struct route_view *view)
{
	json_t *prices = json_array();
	char name[2 * LIQUID_NAME_MAX + 32];

	for (uint32_t link = 0; link < liquid_fabric_link_count(view->fabric); link++) {
		if (!view->routing->price[link])
			continue;
		liquid_fabric_link_name(view->fabric, link, name, sizeof(name));
		json_array_append_new(prices, json_pack("[s,I]", name,
					(json_int_t)view->routing->price[link]));
	}
	return prices;
}

static json_t *witness_json(const struct route_view *view)
{
	return json_pack("{s:s,s:o}", "kind", "prices", "links", prices_json(view));
}

static json_t *bound_json(const struct route_view *view)
{
	json_t *json = json_pack("{s:f,s:o}", "bound", view->routing->bound,
				 "witness", witness_json(view));

	if (view->has_present)
		json_object_set_new(json, "present", json_real(view->present));
	return json;
}

json_t *route_json(const struct route_view *view)
{
	const struct liquid_routing *routing = view->routing;
	json_t *json;

	if (view->bound_only)
		return bound_json(view);
	json = json_pack("{s:f,s:f,s:f,s:f,s:I,s:I,s:I,s:b}", "load", routing->load,
			 "switch_load", routing->switch_load, "bound", routing->bound,
			 "least", routing->least,
			 "busiest", (json_int_t)routing->busiest,
			 "hops", (json_int_t)routing->hops,
			 "lanes", (json_int_t)routing->lanes, "circles", view->circles);

	if (routing->shifts > 0)
		json_object_set_new(json, "shifts", json_real(routing->shifts));
	json_object_set_new(json, "aliases",
			    json_integer(liquid_fabric_alias_count(routing->fabric)));
	if (routing->schedule)
		json_object_set_new(json, "length",
			json_integer(liquid_schedule_info(routing->schedule)->length));
	if (view->repaired)
		json_object_set_new(json, "moved", json_integer(routing->moved));
	if (view->has_present)
		json_object_set_new(json, "present", json_real(view->present));
	json_object_set_new(json, "lane", lanes_json(view));
	json_object_set_new(json, "witness", witness_json(view));
	return json;
}
