// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a switch does with a packet for a host: its bridge knows the Ethernet address, or else it
 * routes to the IPv4 address by the longest prefix.
 */
#include <arpa/inet.h>
#include <string.h>

#include "ethernet/ethernet.h"
#include "util/units.h"

static const char *text_of(const json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	return text ? text : "";
}

/* ---- the bridge ---- */

/* Entries of the switch's own addresses and of groups are no ways to a host. */
static bool leads_to(const json_t *entry, const struct addr_key *mac)
{
	struct liquid_error err;
	struct addr_key key;

	return strcmp(text_of(entry, "state"), "permanent") &&
	       !addr_key_parse(text_of(entry, "mac"), &key, &err) && !addr_key_compare(&key, mac);
}

static int find_in_bridge(const struct ether_switch *sw, const struct addr_key *mac,
			  const char **port, struct liquid_error *err)
{
	const json_t *entry;
	size_t i;

	*port = NULL;
	json_array_foreach(sw->fdb, i, entry) {
		const char *name = text_of(entry, "ifname");

		if (!leads_to(entry, mac) || !*name)
			continue;
		if (*port && strcmp(*port, name))
			return liquid_fail(err, LIQUID_BAD_INPUT, "its bridge forwards by %s and "
					   "by %s, in different VLANs", *port, name);
		*port = name;
	}
	return LIQUID_OK;
}

/* ---- routes ---- */

/* Bits of the prefix if @dst has @address in it, or -1 */
static int matches(const char *dst, const struct addr_key *address)
{
	char text[32];
	const char *slash = strchr(dst, '/');
	uint32_t prefix, host, mask;
	uint64_t bits = 32;

	if (!strcmp(dst, "default"))
		return 0;
	if (strlen(dst) >= sizeof(text) || (slash && !parse_number(slash + 1, 32, &bits)))
		return -1;
	memcpy(text, dst, strlen(dst) + 1);
	if (slash)
		text[slash - dst] = 0;
	if (inet_pton(AF_INET, text, &prefix) != 1)
		return -1;
	memcpy(&host, address->value, sizeof(host));
	mask = bits ? htonl(UINT32_MAX << (32 - bits)) : 0;
	return (host & mask) == (prefix & mask) ? (int)bits : -1;
}

static json_int_t metric_of(const json_t *route)
{
	return json_integer_value(json_object_get(route, "metric"));
}

static const json_t *find_route(const struct ether_switch *sw, const struct addr_key *ip)
{
	const json_t *best = NULL, *route;
	int best_bits = -1;
	size_t i;

	json_array_foreach(sw->routes, i, route) {
		int bits = matches(text_of(route, "dst"), ip);

		if (bits < 0 || bits < best_bits ||
		    (bits == best_bits && metric_of(route) >= metric_of(best)))
			continue;
		best = route;
		best_bits = bits;
	}
	return best;
}

static int find_by_route(const struct ether_switch *sw, const struct addr_key *ip,
			 const char **port, struct liquid_error *err)
{
	const json_t *route = find_route(sw, ip), *hops = json_object_get(route, "nexthops");

	*port = NULL;
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

static bool has_port(const struct ether_switch *sw, const char *name)
{
	for (size_t i = 0; i < sw->ports; i++)
		if (!strcmp(sw->port[i].name, name))
			return true;
	return false;
}

int ether_forward(const struct ether_switch *sw, const struct addr_key *mac,
		  const struct addr_key *ip, const char **port, struct liquid_error *err)
{
	int status = LIQUID_OK;

	*port = NULL;
	if (mac->kind)
		status = find_in_bridge(sw, mac, port, err);
	if (!status && !*port && ip->kind)
		status = find_by_route(sw, ip, port, err);
	if (status)
		return status;
	if (!*port)
		return liquid_fail(err, LIQUID_BAD_INPUT, "neither its bridge nor its routes know "
				   "the way: send something from there to there first");
	if (!has_port(sw, *port))
		return liquid_fail(err, LIQUID_BAD_INPUT, "it forwards by %s, where LLDP knows no "
				   "neighbour: a bond or a tunnel, among whose ways a hash of "
				   "flows chooses, is no link of a fabric", *port);
	return LIQUID_OK;
}
