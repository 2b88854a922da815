// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a switch does with a packet for a host: its bridge knows the Ethernet address, or else it
 * routes to the IPv4 address by the longest prefix.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/import/ethernet.h"

static const char *text_of(const json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	return text ? text : "";
}

size_t ether_find_port(const struct ether_switch *sw, const char *name)
{
	for (size_t i = 0; i < sw->ports; i++)
		if (!strcmp(sw->port[i].name, name))
			return i;
	return NOWHERE;
}

/* ---- the bridge ---- */

struct ether_entry {
	uint64_t mac;
	const char *name;		/* of the interface */
	size_t place;			/* in the file, by which equal ones are sorted */
};

static int compare_entries(const void *a, const void *b)
{
	const struct ether_entry *x = a, *y = b;

	if (x->mac != y->mac)
		return x->mac < y->mac ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Entries of the switch's own addresses and of groups are not ways to a host. */
static void read_bridge(struct ether_tables *tables)
{
	const json_t *json;
	size_t i;

	json_array_foreach(tables->sw->fdb, i, json) {
		struct ether_entry *entry = &tables->entry[tables->entries];

		entry->name = text_of(json, "ifname");
		entry->place = i;
		entry->mac = ether_mac(text_of(json, "mac"));
		if (strcmp(text_of(json, "state"), "permanent") && *entry->name && entry->mac)
			tables->entries++;
	}
	qsort(tables->entry, tables->entries, sizeof(*tables->entry), compare_entries);
}

/* The first with this address or a larger one */
static size_t find_entry(const struct ether_tables *tables, uint64_t mac)
{
	size_t low = 0, high = tables->entries;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tables->entry[middle].mac < mac)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int find_in_bridge(const struct ether_tables *tables, uint64_t mac,
			  const char **port, struct liquid_error *err)
{
	for (size_t i = find_entry(tables, mac);
	     i < tables->entries && tables->entry[i].mac == mac; i++) {
		const char *name = tables->entry[i].name;

		if (*port && strcmp(*port, name))
			return liquid_fail(err, LIQUID_BAD_INPUT, "its bridge forwards by %s and "
					   "by %s, in different VLANs", *port, name);
		*port = name;
	}
	return LIQUID_OK;
}

/* ---- routes ---- */

struct ether_route {
	uint32_t prefix, bits;
	json_int_t metric;
	size_t place;			/* in the file */
	const json_t *json;
};

static uint32_t mask_of(uint32_t bits)
{
	return bits ? UINT32_MAX << (32 - bits) : 0;
}

static bool take_prefix(const char *dst, struct ether_route *route)
{
	const char *slash = strchr(dst, '/');
	unsigned long bits = strcmp(dst, "default") ? 32 : 0;
	uint32_t prefix = 0;
	char text[32];

	if (strlen(dst) >= sizeof(text) || (slash && !ether_number(slash + 1, 32, &bits)))
		return false;
	memcpy(text, dst, strlen(dst) + 1);
	if (slash)
		text[slash - dst] = 0;
	if (strcmp(dst, "default") && inet_pton(AF_INET, text, &prefix) != 1)
		return false;
	route->bits = (uint32_t)bits;
	route->prefix = ntohl(prefix) & mask_of(route->bits);
	return true;
}

static int compare_prefixes(const struct ether_route *x, const struct ether_route *y)
{
	if (x->bits != y->bits)
		return x->bits > y->bits ? -1 : 1;
	return x->prefix < y->prefix ? -1 : x->prefix > y->prefix;
}

static int compare_routes(const void *a, const void *b)
{
	const struct ether_route *x = a, *y = b;
	int order = compare_prefixes(x, y);

	if (!order && x->metric != y->metric)
		order = x->metric < y->metric ? -1 : 1;
	return order ? order : x->place < y->place ? -1 : x->place > y->place;
}

static void read_routes(struct ether_tables *tables)
{
	const json_t *json;
	size_t i;

	json_array_foreach(tables->sw->routes, i, json) {
		struct ether_route *route = &tables->route[tables->routes];

		*route = (struct ether_route){
			.json = json, .place = i,
			.metric = json_integer_value(json_object_get(json, "metric")),
		};
		tables->routes += take_prefix(text_of(json, "dst"), route);
	}
	qsort(tables->route, tables->routes, sizeof(*tables->route), compare_routes);
}

/* The first of those with this prefix; NULL: there is none */
static const json_t *find_prefix(const struct ether_tables *tables,
				 const struct ether_route *prefix)
{
	size_t low = 0, high = tables->routes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_prefixes(&tables->route[middle], prefix) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < tables->routes && !compare_prefixes(&tables->route[low], prefix) ?
	       tables->route[low].json : NULL;
}

static const json_t *find_route(const struct ether_tables *tables, uint32_t ipv4)
{
	const json_t *route = NULL;

	for (uint32_t bits = 33; bits-- && !route;)
		route = find_prefix(tables, &(struct ether_route){
			.bits = bits, .prefix = ipv4 & mask_of(bits) });
	return route;
}

static int find_by_route(const struct ether_tables *tables, uint32_t ipv4, const char **port,
			 struct liquid_error *err)
{
	const json_t *route = find_route(tables, ipv4), *hops = json_object_get(route, "nexthops");

	if (json_array_size(hops) > 1)
		return liquid_fail(err, LIQUID_BAD_INPUT, "its route to %s has %zu next hops: a "
				   "hash of flows chooses among them, which no schedule can know",
				   text_of(route, "dst"), json_array_size(hops));
	if (json_array_size(hops))
		route = json_array_get(hops, 0);
	if (route && *text_of(route, "dev"))
		*port = text_of(route, "dev");
	return LIQUID_OK;
}

/* ---- both ---- */

int ether_sort_tables(const struct ether_switch *sw, struct ether_tables *tables,
		      struct liquid_error *err)
{
	*tables = (struct ether_tables){
		.sw = sw,
		.entry = calloc(json_array_size(sw->fdb) + 1, sizeof(*tables->entry)),
		.route = calloc(json_array_size(sw->routes) + 1, sizeof(*tables->route)),
	};
	if (!tables->entry || !tables->route)
		return liquid_no_memory(err);
	read_bridge(tables);
	read_routes(tables);
	return LIQUID_OK;
}

void ether_free_tables(struct ether_tables *tables)
{
	free(tables->entry);
	free(tables->route);
}

int ether_forward(const struct ether_tables *tables, uint64_t mac, uint32_t ipv4, size_t *port,
		  struct liquid_error *err)
{
	const char *name = NULL;
	int status = LIQUID_OK;

	if (mac)
		status = find_in_bridge(tables, mac, &name, err);
	if (!status && !name && ipv4)
		status = find_by_route(tables, ipv4, &name, err);
	if (status)
		return status;
	if (!name)
		return liquid_fail(err, LIQUID_BAD_INPUT, "neither its bridge nor its routes know "
				   "the way: send something from there to there first");
	*port = ether_find_port(tables->sw, name);
	if (*port == NOWHERE)
		return liquid_fail(err, LIQUID_BAD_INPUT, "it forwards by %s, where LLDP knows no "
				   "neighbour: a bond or a tunnel, among whose ways a hash of "
				   "flows chooses, is not a link of a fabric", name);
	return LIQUID_OK;
}
