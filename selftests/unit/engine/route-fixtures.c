// SPDX-License-Identifier: GPL-2.0-only
/* Builds the meshes of the tests of routes, and checks forwarding tables by walking them. */
#include "route-fixtures.h"

static struct liquid_error err;

/* ---- random fabrics: @hosts hosts on @switches switches, a ring and @more cables ---- */

/* Ports make the names of parallel links unique. */
void cable(struct liquid_fabric *fabric, uint32_t a, uint32_t b, uint32_t capacity)
{
	uint32_t port = liquid_fabric_link_count(fabric) + 1;
	struct liquid_link there = { a, b, port, port, capacity };
	struct liquid_link back = { b, a, port, port, capacity };

	must(liquid_fabric_add_link(fabric, &there, &err), &err);
	must(liquid_fabric_add_link(fabric, &back, &err), &err);
}

static void join(struct liquid_fabric *fabric, uint32_t hosts, uint32_t a, uint32_t b,
		 uint32_t capacity)
{
	if (a == b)
		return;
	cable(fabric, hosts + a, hosts + b, capacity);
}

struct liquid_fabric *make_mesh(struct random *random, uint32_t hosts, uint32_t switches,
				uint32_t more)
{
	struct liquid_fabric *fabric = begin_fabric("random", hosts, switches);

	for (uint32_t i = 0; i < hosts; i++) {
		uint32_t s = hosts + random_below(random, switches);

		cable(fabric, i, s, 1);
	}
	for (uint32_t i = 0; i < switches; i++)
		join(fabric, hosts, i, (i + 1) % switches, 1 + random_below(random, 3));
	for (uint32_t i = 0; i < more; i++)
		join(fabric, hosts, random_below(random, switches), random_below(random, switches),
		     1 + random_below(random, 3));
	must(liquid_fabric_finish(fabric, &err), &err);
	return fabric;
}

/* ---- what is true of routes, by their own computations ---- */

double greatest_load(const struct liquid_fabric *fabric,
			    const struct liquid_traffic *traffic)
{
	uint64_t *load = calloc((size_t)liquid_fabric_link_count(fabric) + 1, sizeof(*load));
	double most = 0;

	must(liquid_traffic_loads(fabric, traffic, load, &err), &err);
	for (uint32_t link = 0; link < liquid_fabric_link_count(fabric); link++) {
		double value = (double)load[link] / liquid_fabric_capacity(fabric, link);

		most = value > most ? value : most;
	}
	free(load);
	return most;
}

struct liquid_traffic *all_to_all(const struct liquid_fabric *fabric)
{
	struct liquid_traffic *traffic;

	must(liquid_traffic_alltoall(NULL, liquid_fabric_host_count(fabric), &traffic, &err), &err);
	return traffic;
}

char *witness_of(const struct liquid_fabric *fabric, const uint64_t *price)
{
	char *text = NULL, name[2 * LIQUID_NAME_MAX + 32];
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool any = false;

	fputs("{\"kind\":\"prices\",\"links\":[", out);
	for (uint32_t link = 0; link < liquid_fabric_link_count(fabric); link++) {
		if (!price[link])
			continue;
		fprintf(out, "%s[\"%s\",%" PRIu64 "]", any ? "," : "",
			liquid_fabric_link_name(fabric, link, name, sizeof(name)), price[link]);
		any = true;
	}
	fputs("]}", out);
	fclose(out);
	return text;
}

bool has_circle(const struct liquid_fabric *fabric)
{
	uint32_t *circle, count;
	int status = liquid_fabric_find_circle(fabric, &circle, &count, &err);

	must(status < 0 ? status : LIQUID_OK, &err);
	free(circle);
	return status;
}

/* ---- lost cables ---- */

struct liquid_fabric *without(const struct liquid_fabric *fabric, uint32_t cable)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	uint32_t nodes = hosts + liquid_fabric_switch_count(fabric);
	const struct liquid_link *lost = liquid_fabric_link(fabric, cable);
	struct liquid_fabric *rest;

	must(liquid_fabric_new("rest", &rest, &err), &err);
	for (uint32_t node = 0; node < nodes; node++)
		must((node < hosts ? liquid_fabric_add_host : liquid_fabric_add_switch)
		     (rest, liquid_fabric_node_name(fabric, node), &err), &err);
	for (uint32_t i = 0; i < liquid_fabric_link_count(fabric); i++) {
		const struct liquid_link *link = liquid_fabric_link(fabric, i);

		if ((link->from == lost->from && link->to == lost->to) ||
		    (link->from == lost->to && link->to == lost->from))
			continue;
		must(liquid_fabric_add_link(rest, link, &err), &err);
	}
	must(liquid_fabric_finish(rest, &err), &err);
	return rest;
}
