// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What an all-to-all puts on each link, without its routes one by one
 *
 * Hosts that send into the same switch share its entries, and the routes to a host form a tree. So
 * those are followed from all switches with senders, but each link once: where a route meets
 * another one, both go on together.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"

/* A switch that no walk came by, on the way to the host in question */
#define NOT_SEEN UINT16_MAX
/* There is no route from it, or one of more links than any may have. */
#define NO_ROUTE (UINT16_MAX - 1)

/* Senders into one switch */
struct source {
	uint32_t sw, senders;
	uint64_t reached;		/* hosts that it has a route to */
};

struct trees {
	const struct liquid_fabric *fabric;
	struct source *source;
	uint32_t sources;
	uint32_t *home;			/* by host: the number of its source; LIQUID_NONE */

	/* Of the routes to one host */
	uint16_t *depth;		/* by switch: links to the host, or one of those above */
	uint32_t *flow;			/* by switch: transfers that come through it */
	uint32_t *sw, *link, count;	/* switches seen, and their links; the nearest come first */

	uint64_t *load;
	struct liquid_loads *loads;
};

/* ---- who sends ---- */

static bool receives(const struct liquid_fabric *fabric, uint32_t host)
{
	return fabric->host[host].owner == host && fabric->host[host].in != LIQUID_NONE;
}

/* Where the link of @host leads: a switch, or LIQUID_NONE if it sends nothing, or to a host */
static uint32_t switch_of(const struct liquid_fabric *fabric, uint32_t host)
{
	uint32_t out = fabric->host[host].out, to;

	if (fabric->host[host].owner != host || out == LIQUID_NONE)
		return LIQUID_NONE;
	to = fabric->link[out].to;
	return to < fabric->hosts ? LIQUID_NONE : to - fabric->hosts;
}

static bool find_sources(struct trees *trees, const uint32_t *hosts, size_t count)
{
	const struct liquid_fabric *fabric = trees->fabric;
	uint32_t *source_of = malloc(((size_t)fabric->switches + 1) * sizeof(*source_of));

	if (!source_of)
		return false;
	memset(source_of, 0xff, fabric->switches * sizeof(*source_of));
	memset(trees->home, 0xff, fabric->hosts * sizeof(*trees->home));
	for (size_t i = 0; i < count; i++) {
		uint32_t host = host_at(hosts, i), sw = switch_of(fabric, host);

		if (sw == LIQUID_NONE)
			continue;
		if (source_of[sw] == LIQUID_NONE) {
			source_of[sw] = trees->sources++;
			trees->source[source_of[sw]] = (struct source){ .sw = sw };
		}
		trees->home[host] = source_of[sw];
		trees->source[source_of[sw]].senders++;
	}
	free(source_of);
	return true;
}

/* ---- the routes to one host ---- */

/* Those seen last, from @first on, in the other order; the first is then behind one of @depth. */
static void take_branch(struct trees *trees, uint32_t first, uint32_t depth)
{
	for (uint32_t a = first, b = trees->count; a + 1 < b; a++) {
		uint32_t sw = trees->sw[a], link = trees->link[a];

		trees->sw[a] = trees->sw[--b];
		trees->link[a] = trees->link[b];
		trees->sw[b] = sw;
		trees->link[b] = link;
	}
	/* a host's own link comes before */
	for (uint32_t i = first; i < trees->count; i++)
		trees->depth[trees->sw[i]] = ++depth < LIQUID_PATH_MAX ? (uint16_t)depth : NO_ROUTE;
}

/* From @sw to where an earlier walk came by, or to the host */
static void walk(struct trees *trees, uint32_t sw, uint32_t dst)
{
	const struct liquid_fabric *fabric = trees->fabric;
	uint32_t first = trees->count;

	while (trees->depth[sw] == NOT_SEEN) {
		uint32_t link = liquid_fabric_forward(fabric, sw, dst);
		uint32_t to = link == LIQUID_NONE ? LIQUID_NONE : fabric->link[link].to;

		/* until it is known how this walk ends: if it comes back, it is a circle */
		trees->depth[sw] = NO_ROUTE;
		trees->sw[trees->count] = sw;
		trees->link[trees->count++] = link;
		if (to == dst)
			take_branch(trees, first, 0);
		if (to == LIQUID_NONE || to < fabric->hosts)
			return;
		sw = to - fabric->hosts;
	}
	if (trees->depth[sw] != NO_ROUTE)
		take_branch(trees, first, trees->depth[sw]);
}

/* All that has come together goes on, from the farthest links to the nearest. */
static void add_flows(struct trees *trees)
{
	const struct liquid_fabric *fabric = trees->fabric;

	while (trees->count) {
		uint32_t sw = trees->sw[--trees->count], link = trees->link[trees->count];
		uint32_t flow = trees->flow[sw], to;

		trees->depth[sw] = NOT_SEEN;
		if (!flow)
			continue;
		trees->flow[sw] = 0;
		trees->load[link] += flow;
		to = fabric->link[link].to;
		if (to >= fabric->hosts)
			trees->flow[to - fabric->hosts] += flow;
	}
}

/* What @dst would send to itself is in no load. */
static void send_to(struct trees *trees, uint32_t dst)
{
	for (uint32_t i = 0; i < trees->sources; i++) {
		struct source *source = &trees->source[i];
		bool own = trees->home[dst] == i;
		uint32_t senders = source->senders - own;

		walk(trees, source->sw, dst);
		if (trees->depth[source->sw] == NO_ROUTE) {
			if (senders && trees->loads->lost == LIQUID_NONE)
				trees->loads->lost = dst;
			continue;
		}
		source->reached++;
		/* add_ends() counts it with the others */
		if (own)
			trees->load[trees->fabric->host[dst].out]--;
		trees->flow[source->sw] += senders;
		trees->loads->transfers += senders;
	}
	add_flows(trees);
}

/* ---- all of them ---- */

/* A link that leads to another host carries what is for that one, and nothing else. */
static void add_direct(struct trees *trees, uint32_t host, const bool *to)
{
	uint32_t out = trees->fabric->host[host].out, far = trees->fabric->link[out].to;

	for (uint32_t h = 0; trees->loads->lost == LIQUID_NONE && h < trees->fabric->hosts; h++)
		if (to[h] && h != host && h != far)
			trees->loads->lost = h;
	if (far == host || !to[far])
		return;
	trees->load[out]++;
	trees->loads->transfers++;
}

/* Hosts' own links, and the pairs that there are */
static void add_ends(struct trees *trees, const uint32_t *hosts, size_t count, const bool *to)
{
	const struct liquid_fabric *fabric = trees->fabric;
	struct liquid_loads *loads = trees->loads;
	uint64_t pairs = 0;

	for (size_t i = 0; i < count; i++)
		loads->receivers += to[host_at(hosts, i)];
	for (size_t i = 0; i < count; i++) {
		uint32_t host = host_at(hosts, i), home = trees->home[host];

		if (fabric->host[host].owner != host || fabric->host[host].out == LIQUID_NONE)
			continue;
		loads->senders++;
		pairs += loads->receivers - to[host];
		if (home == LIQUID_NONE)
			add_direct(trees, host, to);
		else
			trees->load[fabric->host[host].out] += trees->source[home].reached;
	}
	loads->unreachable = pairs - loads->transfers;
}

static void send_all(struct trees *trees, const uint32_t *hosts, size_t count, bool *to)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t host = host_at(hosts, i);

		if (!receives(trees->fabric, host))
			continue;
		to[host] = true;
		send_to(trees, host);
	}
	add_ends(trees, hosts, count, to);
}

static int check_hosts(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
		       struct liquid_error *err)
{
	for (size_t i = 0; i < count; i++)
		if (host_at(hosts, i) >= fabric->hosts)
			return liquid_fail(err, LIQUID_BAD_INPUT, "loads of host %u: there are %u",
					   host_at(hosts, i), fabric->hosts);
	return LIQUID_OK;
}

static int add_loads(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
		     uint64_t *load, struct liquid_loads *loads, struct liquid_error *err)
{
	size_t switches = (size_t)fabric->switches + 1;
	struct trees trees = {
		.fabric = fabric, .source = calloc(switches, sizeof(*trees.source)),
		.home = malloc(((size_t)fabric->hosts + 1) * sizeof(*trees.home)),
		.depth = malloc(switches * sizeof(*trees.depth)),
		.flow = calloc(switches, sizeof(*trees.flow)),
		.sw = calloc(switches, sizeof(*trees.sw)),
		.link = calloc(switches, sizeof(*trees.link)), .load = load, .loads = loads,
	};
	bool *to = calloc((size_t)fabric->hosts + 1, sizeof(*to));
	bool memory = trees.source && trees.home && trees.depth && trees.flow && trees.sw &&
		      trees.link && to && find_sources(&trees, hosts, count);

	*loads = (struct liquid_loads){ .lost = LIQUID_NONE };
	if (memory) {
		memset(load, 0, fabric->links * sizeof(*load));
		memset(trees.depth, 0xff, fabric->switches * sizeof(*trees.depth));
		send_all(&trees, hosts, count, to);
	}
	free(trees.source);
	free(trees.home);
	free(trees.depth);
	free(trees.flow);
	free(trees.sw);
	free(trees.link);
	free(to);
	return memory ? LIQUID_OK : liquid_no_memory(err);
}

int liquid_fabric_loads(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
			uint64_t *load, struct liquid_loads *loads, struct liquid_error *err)
{
	int status = check_hosts(fabric, hosts, count, err);

	return status ? status : add_loads(fabric, hosts, count, load, loads, err);
}
